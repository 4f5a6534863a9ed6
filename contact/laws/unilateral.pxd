# Unilateral rows: 0 <= lam  perpendicular to  v >= 0, each by itself.  Joint limits, wires.

from libc.math cimport INFINITY

from rbdyn.contact.laws.bounded cimport visit_bounded
from rbdyn.contact.operator cimport LineBlock, Operator


cdef inline void prepare(Operator* G, LineBlock* k) noexcept nogil:
    """Nothing beyond the diagonal."""
    pass


cdef inline double visit(Operator* G, const LineBlock* k, double alpha, double* impulse) noexcept nogil:
    """lam <- max(0, lam - v / G_rr), row by row; returns the largest velocity change [m/s], infinite if it failed."""
    return visit_bounded(G, k, 0.0, INFINITY, alpha, impulse)


cdef inline double admissible(const LineBlock* k, double lam) noexcept nogil:
    """The nearest impulse that the law allows."""
    return max(0.0, lam)


cdef inline int held_rows(const LineBlock* k) noexcept nogil:
    """The direct solve leaves the block to the sweeps."""
    return 0
