# Memory of C structs: an arena of arrays that lives and dies as one block, and arrays that grow.
#
# An arena is laid out twice by one function, first to measure it, then, opened, to place its arrays:
#
#     lay_out(&arena, ...)      # every place() returns NULL and is counted
#     open_arena(&arena)        # one block for all of them, zeroed
#     lay_out(&arena, ...)      # every place() returns its array
#     close_arena(&arena)       # all of them are gone

from libc.stdint cimport SIZE_MAX, uintptr_t
from libc.stdlib cimport calloc, free, realloc
from libc.string cimport memset

cdef enum:
    ALIGNMENT = 64            # [bytes] of every array: a cache line, and the widest vector of doubles

cdef struct Arena:            # all zero: empty
    void* block               # the memory, owned; NULL before open_arena
    char* first               # its first aligned byte
    size_t used               # [bytes] placed, or counted

cdef inline void* place(Arena* a, size_t count, size_t size) noexcept nogil:
    """The next array, of `count` items of `size` bytes; NULL, but counted, before the arena is open."""
    cdef void* p = a.first + a.used if a.first is not NULL else NULL
    a.used += (count * size + ALIGNMENT - 1) // ALIGNMENT * ALIGNMENT
    return p

cdef inline int open_arena(Arena* a) except -1 nogil:
    """Take one zeroed block for what was counted; MemoryError leaves the arena empty."""
    cdef size_t size = a.used + ALIGNMENT
    a.used = 0
    a.block = calloc(size, 1)
    if a.block is NULL:
        with gil:
            raise MemoryError(f"cannot allocate {size} bytes")
    a.first = <char*> a.block + (ALIGNMENT - <uintptr_t> a.block % ALIGNMENT)
    return 0

cdef inline void close_arena(Arena* a) noexcept nogil:
    """Give the block back; every array in it is gone.  An empty arena stays as it is."""
    free(a.block)
    memset(a, 0, sizeof(Arena))

cdef inline void* open_array(Arena* a, size_t count, size_t size) except NULL nogil:
    """The only array of an empty arena: `count` zeroed items of `size` bytes."""
    place(a, count, size)
    open_arena(a)
    return place(a, count, size)

cdef inline bint has_grown(void** array, size_t* capacity, size_t needed, size_t size) noexcept nogil:
    """Make room for `needed` items of `size` bytes, more than there is room for; False, and all as it was, if it fails.

    The array at least doubles and keeps its contents; new places hold anything.
    """
    cdef size_t room = max(needed, 2 * capacity[0], <size_t> 16)
    cdef void* bigger = NULL
    if room <= SIZE_MAX // size:
        bigger = realloc(array[0], room * size)
    if bigger is NULL:
        return False
    array[0], capacity[0] = bigger, room
    return True

cdef inline int grow(void** array, size_t* capacity, size_t needed, size_t size) except -1 nogil:
    """Make room for `needed` items of `size` bytes: 1 if the array moved, 0 if it had the room.

    It at least doubles and keeps its contents; new places hold anything.  MemoryError leaves all as it was.
    """
    if needed <= capacity[0]:
        return 0
    if not has_grown(array, capacity, needed, size):
        with gil:
            raise MemoryError(f"cannot allocate {max(needed, 2 * capacity[0], <size_t> 16)} items of {size} bytes")
    return 1
