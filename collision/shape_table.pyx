"""Shapes by slot."""

from libc.stdlib cimport free
from libc.string cimport memmove, memset

from rbdyn.memory cimport close_arena, grow

cdef int SPARSE = 64               # ids that may be free beside half of them


cdef void table_free(Table* table) noexcept nogil:
    free(table.shape)
    close_arena(&table.set_memory)
    memset(table, 0, sizeof(Table))


cdef void count_bodies(Table* table) noexcept nogil:
    cdef int i
    table.n_bodies = 0
    for i in range(table.n):
        table.n_bodies = max(table.n_bodies, table.shape[i].body + 1)


cdef int table_add(Table* table, ShapeRecord record) except -1:
    """Take in a record, whose id no other has."""
    cdef int slot = first_slot(table, record.id)
    grow(<void**> &table.shape, &table.room, table.n + 1, sizeof(ShapeRecord))
    memmove(&table.shape[slot + 1], &table.shape[slot], <size_t>(table.n - slot) * sizeof(ShapeRecord))
    table.shape[slot] = record
    table.n += 1
    table.n_bodies = max(table.n_bodies, record.body + 1)
    table.revision += 1
    return 0


cdef int table_exchange(Table* table, int slot, ShapeRecord record) noexcept:
    """Another record of the same id."""
    table.shape[slot] = record
    count_bodies(table)
    table.revision += 1
    return 0


cdef int table_remove(Table* table, int slot) except -1:
    """Close the gap, so that slots stay in the order of their ids."""
    memmove(&table.shape[slot], &table.shape[slot + 1], <size_t>(table.n - slot - 1) * sizeof(ShapeRecord))
    table.n -= 1
    count_bodies(table)
    table.revision += 1
    return 0


cdef int first_slot(const Table* table, int id) noexcept nogil:
    """The first slot whose id is not below this one: bisection."""
    cdef int low = 0, high = table.n, middle
    while low < high:
        middle = (low + high) >> 1
        if table.shape[middle].id < id:
            low = middle + 1
        else:
            high = middle
    return low


cdef int find_slot(const Table* table, int id) noexcept nogil:
    """The slot that holds shape `id`, or -1."""
    cdef int slot = first_slot(table, id)
    return slot if slot < table.n and table.shape[slot].id == id else -1


cdef int coming_id(const Table* table) noexcept nogil:
    """The id of a shape that comes: above all others, so that they stay in the order in which they came.

    Where shapes went, and more than half of the ids below are free, it is the least of these.
    """
    cdef int above = table.shape[table.n - 1].id + 1 if table.n > 0 else 0, low = 0, high = table.n, middle
    if above <= 2 * <long> table.n + SPARSE:
        return above
    while low < high:                                # up to which slot every one has its own number as its id
        middle = (low + high) >> 1
        if table.shape[middle].id == middle:
            low = middle + 1
        else:
            high = middle
    return low
