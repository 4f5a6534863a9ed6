# Rows between two single bodies that others on the same two determine: a rod beside a joint, two hinges on one axis.
#
# Where both are exact such a row costs nothing.  With a drift of 1e-6 between them it is independent, with a mobility
# of 1e-12 beside what the others leave: it would hold a motion that is free, by impulses without bounds, or answer the
# least contradiction of targets with such.  So it gets no impulse if that mobility is too small a part of its own.

from libc.math cimport sqrt

from rbdyn.contact.operator cimport Line, LineBlock, Operator, coupling
from rbdyn.contact.problem cimport BILATERAL

cdef enum:
    GROUP = 24                # rows of blocks on the same two bodies that are looked at


cdef inline double dependent() noexcept nogil:
    """Of the mobility of a row: what the rows before it have to leave of it."""
    return 1e-5


cdef inline bint joins_the_same(const Line* k, const Line* l) noexcept nogil:
    """Whether two rows act on the same two single bodies, and nothing else."""
    if k.entry_end > k.entry or l.entry_end > l.entry or k.a.further > 0 or l.a.further > 0:
        return False
    return k.a.body == l.a.body and k.b.body == l.b.body or k.a.body == l.b.body and k.b.body == l.a.body


cdef inline int rows_before(const Operator* G, const LineBlock* k, int* line) noexcept nogil:
    """The rows of rigid bilateral blocks on the same two bodies that come before; how many, at most GROUP - 6."""
    cdef const LineBlock* b = k
    cdef int n = 0, r
    while b.back > 0:
        b -= b.back
        if b.law != BILATERAL or b.compliance > 0.0 or not joins_the_same(G.line + k.first, G.line + b.first):
            continue
        for r in range(b.rows):
            if G.factor[b.factor + 7 * r] > 0.0 and n < GROUP - 6:
                line[n] = b.first + r
                n += 1
    return n


cdef inline void find_dependent(const Operator* G, const LineBlock* k, bint* found) noexcept nogil:
    """found: those rows of a block, at most 6, that blocks before it determine."""
    cdef int line[GROUP]
    cdef double C[GROUP][GROUP]
    cdef double s
    cdef int n, kept = 0, i, j, m, before
    for i in range(k.rows):
        found[i] = False
    if k.back == 0:
        return
    before = rows_before(G, k, line)
    if before == 0:
        return
    for i in range(k.rows):
        line[before + i] = k.first + i
    n = before + k.rows
    for i in range(n):                                 # Cholesky; what is dependent is left out
        for j in range(kept + 1):
            s = coupling(G, line[i], line[j] if j < kept else line[i])
            for m in range(j):
                s -= C[kept][m] * C[j][m]
            if j < kept:
                C[kept][j] = s / C[j][j]
            elif s > dependent() * G.line[line[i]].G:
                C[kept][kept] = sqrt(s)
                line[kept] = line[i]
                kept += 1
            elif i >= before:                          # what gives way asks no more than it can get
                found[i - before] = s + k.compliance <= dependent() * G.line[line[i]].G
