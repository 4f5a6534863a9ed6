# Memory to bytes and back.  One list of what belongs to a thing serves to measure, to save, to check and to load it, so
# that nothing can be saved that is not loaded:
#
#     keep(&archive, &thing.x, sizeof(double))
#     n = keep_count(&archive, thing.n, most)       # how many there are, or were
#     if archive.mode == CHECK: ...                 # make room for them
#     if archive.mode == LOAD: thing.n = n
#     keep(&archive, thing.array, n * sizeof(double))
#
# A pass with CHECK changes nothing of the thing but its room, and says whether LOAD will find what it needs.  Structs
# with gaps between their fields are kept field by field: what is in the gaps is nobody's.

from libc.string cimport memcpy

cdef enum ArchiveMode:
    MEASURE                   # count the bytes
    SAVE                      # thing to bytes
    CHECK                     # read counts alone
    LOAD                      # bytes to thing

cdef struct Archive:
    int mode                  # ArchiveMode
    char* bytes               # NULL while they are measured
    size_t at                 # passed so far
    size_t size               # of them; unused while they are measured
    bint damaged              # they end too early, or a count is not to be believed

cdef inline void keep(Archive* a, void* thing, size_t size) noexcept nogil:
    """The next `size` bytes."""
    if a.mode != MEASURE and (size > a.size or a.at > a.size - size):
        a.damaged = True
        return
    if a.mode == SAVE:
        memcpy(a.bytes + a.at, thing, size)
    elif a.mode == LOAD:
        memcpy(thing, a.bytes + a.at, size)
    a.at += size

cdef inline int keep_count(Archive* a, int n, int most) noexcept nogil:
    """How many follow: n are measured and saved; as many as were saved, `most` at most, are checked and loaded."""
    cdef int saved = n
    if a.mode == CHECK:
        if a.size < sizeof(int) or a.at > a.size - sizeof(int):
            a.damaged = True
            return 0
        memcpy(&saved, a.bytes + a.at, sizeof(int))
        a.at += sizeof(int)
    else:
        keep(a, &saved, sizeof(int))
    if not 0 <= saved <= most:
        a.damaged = True
        return 0
    return saved
