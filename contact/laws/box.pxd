# Box rows: a <= lam <= b; v = 0 between the bounds.  Motors with an effort limit, dry friction of joints.

from rbdyn.contact.laws.bounded cimport held_inside, hold_beyond, release_beyond, visit_bounded
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


cdef inline void held_rows(const Operator* G, const LineBlock* k, const double* lam, int* rows) noexcept nogil:
    """Those between the bounds; at a bound the impulse is known."""
    held_inside(G, k, k.low, k.high, lam, rows)


cdef inline int let_go(const LineBlock* k, double* lam, int* rows) noexcept nogil:
    """Leave rows beyond a bound at it; returns how many."""
    return release_beyond(k, k.low, k.high, lam, rows)


cdef inline int hold_more(const Operator* G, const LineBlock* k, const double* lam, double threshold,
                          int* rows) noexcept nogil:
    """Hold rows at a bound that move away from it; returns how many."""
    return hold_beyond(G, k, k.low, k.high, lam, threshold, rows)
