# May two shapes collide?  Groups and masks, and the set of pairs of bodies that are excluded.
#
# A pair is excluded as it is, or, with JOINED added to both numbers, as neighbours on a joint of the world.  That holds
# for links, and not for shapes of the world itself (`surroundings`), which are on one body with what is fixed to it.
# The set also holds pairs of shapes, by id: with TOGETHER added to both numbers they collide whatever groups, masks and
# excluded bodies say; with APART they never do.  TOGETHER overrides APART.

from libc.stdint cimport uint64_t

from rbdyn.collision._types cimport ShapeRecord
from rbdyn.collision.shape_table cimport Table

cdef enum:
    JOINED = 1 << 30               # more than any body's number, and any id that a pair of shapes may have
    TOGETHER = 1 << 29             # flags of ids, which are below them
    APART = 1 << 28

cdef void set_surroundings(Table* table, int id, bint flag) noexcept nogil
cdef bint is_surroundings(const Table* table, int id) noexcept nogil
cdef int exclude_pair(Table* table, int a, int b) except -1
cdef int allow_pair(Table* table, int a, int b) noexcept nogil
cdef list shape_pairs(const Table* table)
cdef int put_shape_pairs(Table* table, set wanted, object ids) except -1
cdef int forget_shape_pairs(Table* table, int id) except -1


cdef inline uint64_t pair_key(int a, int b) noexcept nogil:
    """One number for an unordered pair of bodies; never 0, because the larger index is above 0."""
    if a > b:
        a, b = b, a
    return (<uint64_t>a << 32) | <uint64_t>b

cdef inline uint64_t hash_slot(uint64_t key) noexcept nogil:
    """Multiplicative hash: Knuth, TAOCP vol. 3, section 6.4, with 2^64 over the golden ratio."""
    return (key * <uint64_t>11400714819323198485u) >> 20

cdef inline bint is_excluded(const Table* table, int a, int b) noexcept nogil:
    cdef uint64_t key, slot
    if table.n_slots == 0:
        return False
    key = pair_key(a, b)
    slot = hash_slot(key) & <uint64_t>(table.n_slots - 1)
    while table.excluded[slot] != 0:
        if table.excluded[slot] == key:
            return True
        slot = (slot + 1) & <uint64_t>(table.n_slots - 1)
    return False

cdef inline bint may_collide(const Table* table, int i, int j) noexcept nogil:
    """Do the filters let the shapes in slots i and j collide?"""
    cdef const ShapeRecord* a = &table.shape[i]
    cdef const ShapeRecord* b = &table.shape[j]
    cdef bint ab = (a.group & b.mask) != 0
    cdef bint ba = (b.group & a.mask) != 0
    if a.body == b.body or not (a.dynamic or b.dynamic):
        return False
    if table.n_shape_pairs > 0:
        if is_excluded(table, a.id | TOGETHER, b.id | TOGETHER):
            return True
        if is_excluded(table, a.id | APART, b.id | APART):
            return False
    if not ((ab or ba) if table.either else (ab and ba)):
        return False
    if is_excluded(table, a.body, b.body):
        return False
    return a.surroundings or b.surroundings or not is_excluded(table, a.body | JOINED, b.body | JOINED)
