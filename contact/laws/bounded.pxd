# Rows whose impulses have bounds, each by itself: what unilateral rows and boxes share.

from libc.math cimport INFINITY, fabs, isfinite

from rbdyn.contact.operator cimport LineBlock, Operator, add_line_impulse, line_velocity


cdef inline double visit_bounded(Operator* G, const LineBlock* k, double low, double high, double alpha,
                                 double* impulse) noexcept nogil:
    """lam <- clamp(lam - v / G_rr, low, high); returns the largest velocity change [m/s], infinite if it failed."""
    cdef double error = 0.0, old, lam
    cdef int r
    for r in range(k.first, k.first + k.rows):
        if not G.line[r].G > 0.0:
            continue
        old = impulse[r]
        lam = min(high, max(low, old - (line_velocity(G, r) + k.compliance * old) / G.line[r].G))
        lam = old + alpha * (lam - old)
        if not isfinite(lam):
            return INFINITY
        if lam != old:
            impulse[r] = lam
            add_line_impulse(G, r, lam - old)
            error = max(error, fabs(G.line[r].G * (lam - old)))
    return error
