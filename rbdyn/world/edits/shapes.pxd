from rbdyn.model.model cimport Model
from rbdyn.world.objects.articulated_system cimport ArticulatedSystem
from rbdyn.world.objects.object cimport WorldObject
from rbdyn.world.registry.registry cimport Registry

cdef class Exchange:
    cdef Registry registry
    cdef WorldObject obj
    cdef list done               # what undoes it, in order
    cdef list leaving            # ids of shapes that go in the end
    cdef set changed             # ids of shapes that are not what, or where, they were
    cdef int change(self, int shape_id, str body, object old, object new, object before, object now) except -1
    cdef int move(self, int shape_id, str body, object item, object before, object now) except -1
    cdef int add(self, int handle, str body, str link, object item, object frame, bint dynamic) except -1
    cdef int drop(self, int shape_id) except -1
    cdef int undo(self) except -1
    cdef int finish(self) except -1

cdef Exchange begin_exchange(Registry registry, WorldObject obj)
cdef int exchange(Registry registry, ArticulatedSystem robot, Model fresh, object bodies) except -1
cdef int exchange_of(Registry registry, ArticulatedSystem robot, object body) except -1
