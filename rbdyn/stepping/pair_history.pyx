"""Remember pairs of shapes from a step to the next: pair_history.pxd."""

from libc.stdlib cimport free
from libc.string cimport memcpy, memmove, memset

from rbdyn.memory cimport grow


cdef int begin_table(PairTable* t, int most, size_t size) except -1 nogil:
    """Begin a step with no row, and make room for so many."""
    grow(<void**> &t.next, &t.room[1], most, size)
    t.n_next = t.at = 0
    return 0


cdef void end_table(PairTable* t) noexcept nogil:
    """End a step: the next one knows what was noted in it."""
    t.now, t.next = t.next, t.now
    t.room[0], t.room[1] = t.room[1], t.room[0]
    t.n = t.n_next


cdef int copy_table(PairTable* to, const PairTable* from_, size_t size) except -1 nogil:
    """Copy what is known between two steps."""
    grow(<void**> &to.now, &to.room[0], from_.n, size)
    memcpy(to.now, from_.now, from_.n * size)
    to.n = from_.n
    return 0


cdef void forget_rows(PairTable* t, int shape, size_t size) noexcept nogil:
    """Drop the rows of a shape."""
    cdef const PairRow* row
    cdef int k, kept = 0
    for k in range(t.n):
        row = <const PairRow*> (t.now + k * size)
        if row.a != shape and row.b != shape:
            memmove(t.now + kept * size, t.now + k * size, size)
            kept += 1
    t.n = kept


cdef int begin_history(PairHistory* h, int contacts) except -1 nogil:
    """Begin a step with so many contacts; overlaps that are not examined stay known."""
    begin_table(&h.overlaps, contacts + h.overlaps.n, sizeof(Overlap))
    begin_table(&h.trails, contacts, sizeof(Trail))
    return 0


cdef void end_history(PairHistory* h) noexcept nogil:
    """End a step that is done: the next one knows what was noted in it."""
    end_table(&h.overlaps)
    end_table(&h.trails)


cdef int copy_history(PairHistory* to, const PairHistory* from_) except -1 nogil:
    """Copy what is known between two steps."""
    copy_table(&to.overlaps, &from_.overlaps, sizeof(Overlap))
    copy_table(&to.trails, &from_.trails, sizeof(Trail))
    return 0


cdef void forget_shape(PairHistory* h, int shape) noexcept nogil:
    """Forget a shape that was moved by hand, or is gone."""
    forget_rows(&h.overlaps, shape, sizeof(Overlap))
    forget_rows(&h.trails, shape, sizeof(Trail))


cdef void release_history(PairHistory* h) noexcept:
    """Give all memory back."""
    free(h.overlaps.now)
    free(h.overlaps.next)
    free(h.trails.now)
    free(h.trails.next)
    memset(h, 0, sizeof(PairHistory))
