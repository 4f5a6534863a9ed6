# How far two shapes that have met may go on together, before they are in each other.

from rbdyn.collision._types cimport ContactBuffer, ContactPoint, Pose
from rbdyn.collision.shape_table cimport Table
from rbdyn.spatial._algebra cimport Motion

cdef struct Mover:                 # a shape, and how its body moves from now on
    int shape                      # id
    Pose pose                      # of the body
    Motion motion                  # rotation vector [rad], displacement of the origin [m]

cdef double free_share(const Table* shapes, const Mover* a, const Mover* b, ContactBuffer* room,
                       ContactPoint* entry) noexcept nogil
