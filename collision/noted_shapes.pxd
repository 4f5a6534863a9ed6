# The shapes of a backend and the pairs that do not collide, noted so that they can be so again.

from rbdyn.collision.backend cimport CollisionBackend

cdef class NotedShapes:
    cdef int revision                    # of the table when these were in it
    cdef bytes records                   # ShapeRecord of each shape
    cdef dict shapes                     # id -> (shape, what its record points into)
    cdef set excluded                    # pairs (a, b), a < b, of bodies, and of flagged ids of shapes
    cdef bint are_present(self, CollisionBackend backend)
    cdef int put_back(self, CollisionBackend backend) except -1
    cdef dict said(self)
    cdef tuple data(self)

cdef NotedShapes shapes_from(tuple data)
cdef NotedShapes noted_shapes(CollisionBackend backend)
