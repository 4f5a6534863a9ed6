# The shapes that a query may see, where they are now.

from libc.stdint cimport uint64_t

from rbdyn.collision._types cimport Pose, ShapeRecord
from rbdyn.collision.shape_table cimport Table
from rbdyn.spatial._algebra cimport Vec3

cdef struct Target:                # a shape that may be seen
    Vec3 center                    # of its bounding sphere, world [m]
    double radius                  # [m]; infinite of a half-space
    Pose X                         # shape axes to world axes; origin, world [m]
    const ShapeRecord* s

cdef int find_targets(const Table* table, const Pose* pose, uint64_t mask, set hidden, Target** target) except -1
