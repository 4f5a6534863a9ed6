"""Of each two bodies of a robot its deepest contacts, as many as it may have."""

from rbdyn.collision._types cimport ContactPoint


cdef bint is_deeper(const ContactPoint* a, const ContactPoint* b) noexcept nogil:
    """Whether a, which comes first, is to stay before b."""
    return a.depth >= b.depth


cdef bint is_same_pair(const ContactPoint* a, const ContactPoint* b) noexcept nogil:
    return (a.body_a == b.body_a and a.body_b == b.body_b) or (a.body_a == b.body_b and a.body_b == b.body_a)


cdef bint is_within(const SelfLimit* limit, const ContactPoint* c) noexcept nogil:
    return limit.first <= c.body_a <= limit.last and limit.first <= c.body_b <= limit.last


cdef void thin_out_robot(const SelfLimit* limit, ContactBuffer* found) noexcept nogil:
    """Leave the deepest contacts of each two of its bodies; the order stays."""
    cdef ContactPoint* c = found.point
    cdef int i, j, deeper, kept = 0
    for i in range(found.n):
        if not is_within(limit, c + i):
            continue
        deeper = 0
        for j in range(found.n):
            if j != i and is_same_pair(c + i, c + j):
                deeper += is_deeper(c + j, c + i) if j < i else not is_deeper(c + i, c + j)
        if deeper >= limit.most:
            c[i].shape_a = -1 - c[i].shape_a             # it goes, but counts until all are looked at
    for i in range(found.n):
        if c[i].shape_a >= 0:
            if kept != i:
                c[kept] = c[i]
            kept += 1
    found.n = kept


cdef void thin_out(const SelfLimits* limits, ContactBuffer* found) noexcept nogil:
    """Leave robots that have a limit as many contacts with themselves as they may have."""
    cdef int k
    for k in range(limits.n):
        thin_out_robot(limits.of + k, found)
