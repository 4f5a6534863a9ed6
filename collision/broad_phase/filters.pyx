"""The set of pairs of bodies, and of shapes, with filters: open addressing, Knuth, TAOCP vol. 3, section 6.4."""

from libc.stdint cimport uint64_t
from libc.string cimport memset

from rbdyn.collision.shape_table cimport find_slot
from rbdyn.memory cimport Arena, close_arena, open_array


cdef void set_surroundings(Table* table, int id, bint flag) noexcept nogil:
    """Say of a shape of the table whether it is of the world itself; nothing for one that is not there."""
    cdef int slot = find_slot(table, id)
    if slot >= 0 and table.shape[slot].surroundings != flag:
        table.shape[slot].surroundings = flag
        table.revision += 1


cdef bint is_surroundings(const Table* table, int id) noexcept nogil:
    cdef int slot = find_slot(table, id)
    return slot >= 0 and table.shape[slot].surroundings


cdef void insert_key(uint64_t* excluded, int n_slots, uint64_t key) noexcept nogil:
    cdef uint64_t last = <uint64_t>(n_slots - 1), slot = hash_slot(key) & last
    while excluded[slot] != 0:
        slot = (slot + 1) & last
    excluded[slot] = key


cdef void remove_key(uint64_t* excluded, int n_slots, uint64_t key) noexcept nogil:
    """Close the gap that a key leaves, so that later ones of its cluster are still found: algorithm 6.4R."""
    cdef uint64_t last = <uint64_t>(n_slots - 1), gap = hash_slot(key) & last, slot
    while excluded[gap] != key:
        gap = (gap + 1) & last
    slot = (gap + 1) & last
    while excluded[slot] != 0:
        # a key may move back to the gap if its home is not between the gap and itself, in cyclic order
        if ((slot - hash_slot(excluded[slot])) & last) >= ((slot - gap) & last):
            excluded[gap] = excluded[slot]
            gap = slot
        slot = (slot + 1) & last
    excluded[gap] = 0


cdef int rehash(Table* table, int n_slots) except -1:
    """Move the pairs into a fresh set of n_slots."""
    cdef int k
    cdef Arena memory
    cdef uint64_t* excluded
    memset(&memory, 0, sizeof(Arena))
    excluded = <uint64_t*> open_array(&memory, n_slots, sizeof(uint64_t))
    for k in range(table.n_slots):
        if table.excluded[k] != 0:
            insert_key(excluded, n_slots, table.excluded[k])
    close_arena(&table.set_memory)
    table.set_memory, table.excluded, table.n_slots = memory, excluded, n_slots
    return 0


cdef int exclude_pair(Table* table, int a, int b) except -1:
    """Never collide bodies a and b, or shapes, by flag.  At most half of the slots are used, so that look-ups end."""
    if is_excluded(table, a, b):
        return 0
    if 2 * (table.n_excluded + 1) > table.n_slots:
        rehash(table, max(16, 2 * table.n_slots))
    insert_key(table.excluded, table.n_slots, pair_key(a, b))
    table.n_excluded += 1
    table.n_shape_pairs += is_of_shapes(a)
    table.revision += 1
    return 0


cdef int allow_pair(Table* table, int a, int b) noexcept nogil:
    """Undo exclude_pair."""
    if not is_excluded(table, a, b):
        return 0
    remove_key(table.excluded, table.n_slots, pair_key(a, b))
    table.n_excluded -= 1
    table.n_shape_pairs -= is_of_shapes(a)
    table.revision += 1
    return 0


# ---- pairs of shapes -------------------------------------------------------------------------


cdef bint is_of_shapes(int a) noexcept nogil:
    """Test for the flagged id of a shape, among the numbers of pairs."""
    return a < JOINED and a >= APART


cdef list shape_pairs(const Table* table):
    """Pairs (a, b), a < b, of flagged ids."""
    cdef int k, a
    pairs = []
    for k in range(table.n_slots if table.n_shape_pairs > 0 else 0):
        a = <int> (table.excluded[k] >> 32)
        if table.excluded[k] != 0 and is_of_shapes(a):
            pairs.append((a, <int> (table.excluded[k] & 0xffffffff)))
    return pairs


cdef int put_shape_pairs(Table* table, set wanted, object ids) except -1:
    """Set the pairs (a, b), a < b, of flagged ids of which one is in `ids`, to these; None: all pairs."""
    cdef int low = APART - 1                         # of an id without its flag: flags are above all ids
    present = {(a, b) for a, b in shape_pairs(table) if ids is None or a & low in ids or b & low in ids}
    for a, b in wanted - present:
        exclude_pair(table, a, b)
    for a, b in present - wanted:
        allow_pair(table, a, b)
    return 0


cdef int forget_shape_pairs(Table* table, int id) except -1:
    """Drop all pairs of a shape, whose id another may get."""
    cdef int low = APART - 1
    for a, b in shape_pairs(table):
        if a & low == id or b & low == id:
            allow_pair(table, a, b)
    return 0
