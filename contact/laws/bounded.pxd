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


cdef inline void held_inside(const Operator* G, const LineBlock* k, double low, double high, const double* lam,
                             int* rows) noexcept nogil:
    """rows: 1 where an impulse is between the bounds, and moves something."""
    cdef int i
    for i in range(k.rows):
        rows[i] = low < lam[i] < high and G.line[k.first + i].G > 0.0


cdef inline int hold_beyond(const Operator* G, const LineBlock* k, double low, double high, const double* lam,
                            double threshold, int* rows) noexcept nogil:
    """rows: 1 where the velocity asks an impulse at a bound to come back from it; returns how many that are."""
    cdef double v
    cdef int i, found = 0
    for i in range(k.rows):
        if rows[i] == 0 and low < high and G.line[k.first + i].G > 0.0:
            v = line_velocity(G, k.first + i) + k.compliance * lam[i]
            if lam[i] < high and v < -threshold or lam[i] > low and v > threshold:
                rows[i] = 1
                found += 1
    return found


cdef inline int release_beyond(const LineBlock* k, double low, double high, double* lam, int* rows) noexcept nogil:
    """Leave held rows beyond a bound at it, and hold them no longer; returns how many."""
    cdef int i, found = 0
    for i in range(k.rows):
        if rows[i] != 0 and not low <= lam[i] <= high:
            lam[i] = min(high, max(low, lam[i]))
            rows[i] = 0
            found += 1
    return found
