"""Shapes by slot."""

from libc.stdlib cimport free
from libc.string cimport memmove, memset

from rbdyn.memory cimport close_arena, grow


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
    """Append a record; its id must exceed every other."""
    grow(<void**> &table.shape, &table.room, table.n + 1, sizeof(ShapeRecord))
    table.shape[table.n] = record
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
