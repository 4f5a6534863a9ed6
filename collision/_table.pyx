"""Shapes by slot, and the set of body pairs that are excluded."""

from libc.stdint cimport uint64_t
from libc.stdlib cimport calloc, free, realloc
from libc.string cimport memmove


cdef void table_init(Table* table) noexcept nogil:
    table.n = 0
    table.capacity = 0
    table.revision = 0
    table.n_bodies = 0
    table.either = False
    table.margin = 0.0
    table.shape = NULL
    table.n_excluded = 0
    table.n_slots = 0
    table.excluded = NULL


cdef void table_free(Table* table) noexcept nogil:
    free(table.shape)
    free(table.excluded)
    table_init(table)


cdef void count_bodies(Table* table) noexcept nogil:
    cdef int i
    table.n_bodies = 0
    for i in range(table.n):
        table.n_bodies = max(table.n_bodies, table.shape[i].body + 1)


cdef int table_add(Table* table, ShapeRecord record) except -1:
    """Append a record; its id must exceed every other."""
    cdef int capacity
    cdef ShapeRecord* shape
    if table.n == table.capacity:
        capacity = 2 * table.capacity if table.capacity > 0 else 16
        shape = <ShapeRecord*>realloc(table.shape, <size_t>capacity * sizeof(ShapeRecord))
        if shape == NULL:
            raise MemoryError(f"no memory for {capacity} shapes")
        table.shape = shape
        table.capacity = capacity
    table.shape[table.n] = record
    table.n += 1
    table.n_bodies = max(table.n_bodies, record.body + 1)
    table.revision += 1
    return 0


cdef int table_remove(Table* table, int slot) except -1:
    """Close the gap, so that slots stay in the order of their ids."""
    memmove(&table.shape[slot], &table.shape[slot + 1], <size_t>(table.n - slot - 1) * sizeof(ShapeRecord))
    table.n -= 1
    count_bodies(table)
    table.revision += 1
    return 0


cdef int find_slot(const Table* table, int id) noexcept nogil:
    """The slot that holds shape `id`, or -1: bisection."""
    cdef int low = 0, high = table.n, middle
    while low < high:
        middle = (low + high) >> 1
        if table.shape[middle].id < id:
            low = middle + 1
        else:
            high = middle
    return low if low < table.n and table.shape[low].id == id else -1


cdef void insert_key(uint64_t* excluded, int n_slots, uint64_t key) noexcept nogil:
    cdef uint64_t slot = spread(key) & <uint64_t>(n_slots - 1)
    while excluded[slot] != 0:
        slot = (slot + 1) & <uint64_t>(n_slots - 1)
    excluded[slot] = key


cdef int rehash(Table* table, int n_slots, uint64_t without) except -1:
    """Move the excluded pairs, all but one key, into a fresh set of n_slots."""
    cdef int k
    cdef uint64_t* excluded = <uint64_t*>calloc(<size_t>n_slots, sizeof(uint64_t))
    if excluded == NULL:
        raise MemoryError(f"no memory for {n_slots} excluded pairs")
    for k in range(table.n_slots):
        if table.excluded[k] != 0 and table.excluded[k] != without:
            insert_key(excluded, n_slots, table.excluded[k])
    free(table.excluded)
    table.excluded = excluded
    table.n_slots = n_slots
    return 0


cdef int table_exclude(Table* table, int a, int b) except -1:
    """Never collide bodies a and b.  At most half of the slots are used, so that look-ups end."""
    if is_excluded(table, a, b):
        return 0
    if 2 * (table.n_excluded + 1) > table.n_slots:
        rehash(table, max(16, 2 * table.n_slots), 0)
    insert_key(table.excluded, table.n_slots, pair_key(a, b))
    table.n_excluded += 1
    table.revision += 1
    return 0


cdef int table_include(Table* table, int a, int b) except -1:
    """Undo table_exclude."""
    if not is_excluded(table, a, b):
        return 0
    rehash(table, table.n_slots, pair_key(a, b))
    table.n_excluded -= 1
    table.revision += 1
    return 0
