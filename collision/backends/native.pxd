from rbdyn.collision._types cimport ContactBuffer, Pose
from rbdyn.collision.backend cimport CollisionBackend


cdef class NativeBackend(CollisionBackend):
    cdef int detect_c(self, const Pose* pose, int n_bodies, ContactBuffer* out) except -1 nogil
