# What a backend written in Python sees of one step.

from rbdyn.collision._types cimport BodyMotions, ContactBuffer, Pose, ShapeRecord
from rbdyn.collision.broad_phase.sweep cimport Broad
from rbdyn.collision.shape_table cimport Table


cdef class CollisionScene:
    cdef const Table* table              # NULL: the step is over
    cdef Broad* broad
    cdef const Pose* pose                # (n,) body poses
    cdef BodyMotions paths
    cdef int n
    cdef ContactBuffer* out
    cdef dict shape_of                   # id -> (shape, arrays)

    cdef int live(self) except -1
    cdef const ShapeRecord* record(self, object id) except NULL
    cdef int pose_of(self, const ShapeRecord* s, Pose* X) except -1

cdef object matrix_of(const Pose* X)
cdef object contact_array(const ContactBuffer* buffer)
