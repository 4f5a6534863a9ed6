from rbdyn.collision.backend cimport CollisionBackend
from rbdyn.stepping.self_limits cimport SelfLimits
from rbdyn.world.objects.articulated_system cimport ArticulatedSystem
from rbdyn.world.objects.object cimport WorldObject

cdef class Filters:
    cdef CollisionBackend collision
    cdef set ignored                      # {(object, link), (object, link)} that never collide; links as `link_of`
    cdef dict taken                       # robot -> the pairs of its mechanism that the backend was told
    cdef SelfLimits limits                # of robots that have one
    cdef int handle_of(self, tuple part) except -1
    cdef list parts_of(self, WorldObject obj, object body)
    cdef list pairs_of(self, WorldObject a, object link_a, WorldObject b, object link_b)
    cdef int exclude(self, ArticulatedSystem robot) except -1
    cdef int follow(self, ArticulatedSystem robot) except -1
    cdef int ignore(self, list pairs, bint ignored) except -1
    cdef int leave(self, WorldObject obj) except -1
    cdef int find_limits(self, list systems) except -1

cdef int allow_joined(CollisionBackend collision, int handle, int n) except -1
