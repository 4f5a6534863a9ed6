# Box rows: a <= lam <= b; v = 0 between the bounds.  Motors with an effort limit, dry friction of joints.

from libc.math cimport INFINITY, fabs, isfinite

from rbdyn.contact.operator cimport LineBlock, Operator, add_line_impulse, line_velocity


cdef inline void prepare(Operator* G, LineBlock* k) noexcept nogil:
    """Nothing beyond the diagonal."""
    pass


cdef inline double visit(Operator* G, const LineBlock* k, double alpha, double* impulse) noexcept nogil:
    """lam <- clamp(lam - v / G_rr, a, b), row by row; returns the largest velocity change [m/s]."""
    cdef double error = 0.0, old, lam
    cdef int r
    for r in range(k.first, k.first + k.rows):
        if not G.line[r].G > 0.0:
            continue
        old = impulse[r]
        lam = min(k.high, max(k.low, old - (line_velocity(G, r) + k.compliance * old) / G.line[r].G))
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
    return min(k.high, max(k.low, lam))


cdef inline int held_rows(const LineBlock* k) noexcept nogil:
    """The direct solve leaves the block to the sweeps."""
    return 0
