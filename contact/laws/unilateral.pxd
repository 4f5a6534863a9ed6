# Unilateral rows: 0 <= lam  perpendicular to  v >= 0, each by itself.  Joint limits, wires.

from libc.math cimport INFINITY, fabs, isfinite

from rbdyn.contact.operator cimport LineBlock, Operator, add_line_impulse, line_velocity


cdef inline void prepare(Operator* G, LineBlock* k) noexcept nogil:
    """Nothing beyond the diagonal."""
    pass


cdef inline double visit(Operator* G, const LineBlock* k, double alpha, double* impulse) noexcept nogil:
    """lam <- max(0, lam - v / G_rr), row by row; returns the largest velocity change [m/s], infinite if it failed."""
    cdef double error = 0.0, old, lam
    cdef int r
    for r in range(k.first, k.first + k.rows):
        if not G.line[r].G > 0.0:
            continue
        old = impulse[r]
        lam = max(0.0, old - (line_velocity(G, r) + k.compliance * old) / G.line[r].G)
        lam = old + alpha * (lam - old)
        if not isfinite(lam):
            return INFINITY
        if lam != old:
            impulse[r] = lam
            add_line_impulse(G, r, lam - old)
            error = max(error, fabs(G.line[r].G * (lam - old)))
    return error


cdef inline double admissible(const LineBlock* k, double lam) noexcept nogil:
    """The nearest impulse that the law allows."""
    return max(0.0, lam)


cdef inline int held_rows(const LineBlock* k) noexcept nogil:
    """The direct solve leaves the block to the sweeps."""
    return 0
