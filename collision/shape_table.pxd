# Shapes by slot, in the order of their ids.

from libc.stdint cimport uint64_t

from rbdyn.collision._types cimport Pose, ShapeRecord
from rbdyn.memory cimport Arena
from rbdyn.spatial._algebra cimport add3, matmul3, mul3


cdef struct Table:                 # all zero: empty
    int n
    size_t room                    # records that fit
    int revision                   # grows with every change of shapes or filters
    int n_bodies                   # one more than the largest body index in use
    bint either                    # filter rule: True "or", False "and"
    double margin                  # [m] contacts with a gap below this are reported too
    ShapeRecord* shape             # (n,) ids ascending
    int n_excluded                 # pairs in `excluded`
    int n_shape_pairs              # of these, pairs of shapes: APART or TOGETHER
    int n_slots                    # size of `excluded`: 0 or a power of two, at least twice n_excluded
    uint64_t* excluded             # open-addressing set of pair keys; 0 is empty; filters.pyx writes it
    Arena set_memory               # of `excluded`

cdef void table_free(Table* table) noexcept nogil
cdef int table_add(Table* table, ShapeRecord record) except -1
cdef int table_exchange(Table* table, int slot, ShapeRecord record) noexcept
cdef int table_remove(Table* table, int slot) except -1
cdef int find_slot(const Table* table, int id) noexcept nogil
cdef int coming_id(const Table* table) noexcept nogil


cdef inline void compose_pose(const Pose* body, const ShapeRecord* s, Pose* out) noexcept nogil:
    """World pose of a shape."""
    out.R = body.R if s.aligned else matmul3(body.R, s.local.R)
    out.p = add3(body.p, mul3(body.R, s.local.p))
