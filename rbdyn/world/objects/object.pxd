from rbdyn.world.objects.lock cimport EditLock
from rbdyn.world.objects.scene_memory cimport SceneMemory

cdef class WorldObject:
    cdef EditLock lock           # the World's; None once removed
    cdef SceneMemory memory      # the World's
    cdef int index               # in the memory's array of its kind
    cdef readonly str name
    cdef list shape_ids          # of its collision shapes
    cdef object _world           # weak reference
    cdef object __weakref__
    cdef long moved_at           # number of the World's detection after which this was moved, or 0
    cdef int check_alive(self) except -1
    cdef int forget_contacts(self) except -1
