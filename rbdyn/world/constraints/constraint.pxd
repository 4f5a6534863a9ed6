from rbdyn.stepping.links cimport Link
from rbdyn.world.objects.lock cimport EditLock
from rbdyn.world.objects.object cimport WorldObject
from rbdyn.world.objects.scene_memory cimport SceneMemory

cdef class Constraint:
    cdef EditLock lock           # the World's; None once removed
    cdef SceneMemory memory      # the World's
    cdef readonly str name
    cdef tuple held              # its ends, of End
    cdef Link* link              # the struct that the step knows, owned by the derived class
    cdef int kind                # WIRE_LINK or another
    cdef object _world           # weak reference
    cdef object __weakref__
    cdef int check_alive(self) except -1
    cdef int check_readable(self) except -1
    cdef int check_drivable(self) except -1
    cdef bint hangs_on(self, WorldObject obj)
