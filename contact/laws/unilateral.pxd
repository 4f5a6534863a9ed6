# Unilateral rows: 0 <= lam  perpendicular to  v >= 0, each by itself.  Joint limits, wires.

from libc.math cimport INFINITY

from rbdyn.contact.laws.bounded cimport visit_bounded
from rbdyn.contact.laws.dependence cimport find_dependent
from rbdyn.contact.operator cimport LineBlock, Operator


cdef inline void prepare(Operator* G, LineBlock* k) noexcept nogil:
    """Rows that bilateral blocks on the same two bodies determine get no mobility, and no impulse (dependence.pxd)."""
    cdef bint others[6]
    cdef int i
    if k.back == 0 or k.rows > 6:
        return
    find_dependent(G, k, others)
    for i in range(k.rows):
        if others[i]:
            G.line[k.first + i].G = 0.0


cdef inline double visit(Operator* G, const LineBlock* k, double alpha, double* impulse) noexcept nogil:
    """lam <- max(0, lam - v / G_rr), row by row; returns the largest velocity change [m/s], infinite if it failed."""
    return visit_bounded(G, k, 0.0, INFINITY, alpha, impulse)


cdef inline double admissible(const LineBlock* k, double lam) noexcept nogil:
    """The nearest impulse that the law allows."""
    return max(0.0, lam)
