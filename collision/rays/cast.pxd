# Rays into all shapes of a table at once.

from libc.stdint cimport uint64_t

from rbdyn.collision._types cimport Pose
from rbdyn.collision.shape_table cimport Table

cdef tuple first_hits(const Table* table, const Pose* pose, const double[:, ::1] origin,
                      const double[:, ::1] direction, double length, uint64_t mask, set hidden, int threads)
cdef tuple all_hits(const Table* table, const Pose* pose, const double[:, ::1] origin, const double[:, ::1] direction,
                    double length, uint64_t mask, set hidden)
