# Box rows: a <= lam <= b; v = 0 between the bounds.  Motors with an effort limit, dry friction of joints.

from rbdyn.contact.laws.bounded cimport visit_bounded
from rbdyn.contact.operator cimport LineBlock, Operator


cdef inline void prepare(Operator* G, LineBlock* k) noexcept nogil:
    """Nothing beyond the diagonal."""
    pass


cdef inline double visit(Operator* G, const LineBlock* k, double alpha, double* impulse) noexcept nogil:
    """lam <- clamp(lam - v / G_rr, a, b), row by row; returns the largest velocity change [m/s]."""
    return visit_bounded(G, k, k.low, k.high, alpha, impulse)


cdef inline double admissible(const LineBlock* k, double lam) noexcept nogil:
    """The nearest impulse that the law allows."""
    return min(k.high, max(k.low, lam))
