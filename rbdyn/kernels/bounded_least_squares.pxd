# Damped linear least squares within bounds: the d between low and high with the smallest |e - J d|^2 + mu |d|^2.
#
# Block principal pivoting: what would cross its bound is held there, what is held and would come back is let go, until
# neither happens.  Source: L. F. Portugal, J. J. Judice and L. N. Vicente, Mathematics of Computation 63 (1994).
#
# The columns of J, (m,) each, lie one after the other.  m is small, so that d comes from the dual equations of order m:
# d = J^T (J J^T + mu 1)^-1 e.

from libc.math cimport fmax, fmin, sqrt
from libc.string cimport memset

cdef struct LeastSquares:
    int m, n              # rows and columns of J
    double* J             # (n, m): column j at J + m j
    double* low           # (n,) bounds, low <= 0 <= high
    double* high
    double* d             # (n,) the solution
    double* A             # (m, m) scratch
    double* y             # (m,) scratch
    double* r             # (m,) scratch
    char* free            # (n,) scratch: d_j is not held at a bound
    char* over            # (n,) scratch: d_j is free and beyond a bound

cdef inline double least_damping(double trace) noexcept nogil:
    """Least mu that keeps J J^T + mu 1 regular, from the trace of J J^T: some rounding errors of it, more than 0."""
    return fmax(1e-13 * trace, 1e-100)

cdef inline double inner(int n, const double* a, const double* b) noexcept nogil:
    cdef double s = 0.0
    cdef int i
    for i in range(n):
        s += a[i] * b[i]
    return s

cdef inline void remainder(const LeastSquares* s, const double* e, bint held, double* r) noexcept nogil:
    """r = e - J d, of the columns that are held, or of all."""
    cdef const double* c
    cdef int i, j
    for i in range(s.m):
        r[i] = e[i]
    for j in range(s.n):
        if s.d[j] != 0.0 and not (held and s.free[j]):
            c = s.J + <size_t> s.m * j
            for i in range(s.m):
                r[i] -= c[i] * s.d[j]

cdef inline void solve_regular(LeastSquares* s, double mu, const double* r) noexcept nogil:
    """y = (J J^T + mu 1)^-1 r of the free columns, by Cholesky's factorisation."""
    cdef const double* c
    cdef double* row
    cdef double trace = 0.0
    cdef int i, j, k, m = s.m
    memset(s.A, 0, <size_t> m * m * sizeof(double))
    for j in range(s.n):
        if not s.free[j]:
            continue
        c = s.J + <size_t> m * j
        for i in range(m):
            for k in range(i + 1):
                s.A[m * i + k] += c[i] * c[k]
    for i in range(m):
        trace += s.A[m * i + i]
    mu = fmax(mu, least_damping(trace))
    for i in range(m):
        row = s.A + <size_t> m * i
        row[i] += mu
        for k in range(i):
            row[k] = (row[k] - inner(k, row, s.A + <size_t> m * k)) / s.A[m * k + k]
        row[i] = sqrt(fmax(row[i] - inner(i, row, row), 0.5 * mu))
        s.y[i] = (r[i] - inner(i, row, s.y)) / row[i]
    for i in range(m - 1, -1, -1):
        for k in range(i + 1, m):
            s.y[i] -= s.A[m * k + i] * s.y[k]
        s.y[i] /= s.A[m * i + i]

cdef inline bint solve_free(LeastSquares* s, double mu, const double* e) noexcept nogil:
    """d_j of the free columns, the others as they are; whether any d_j is beyond its bounds."""
    cdef bint crossed = False
    cdef int j
    remainder(s, e, True, s.r)
    solve_regular(s, mu, s.r)
    for j in range(s.n):
        s.over[j] = False
        if s.free[j]:
            s.d[j] = inner(s.m, s.J + <size_t> s.m * j, s.y)
            s.over[j] = s.d[j] < s.low[j] or s.d[j] > s.high[j]
            crossed = crossed or s.over[j]
    return crossed

cdef inline bint exchange(LeastSquares* s, double mu, const double* e) noexcept nogil:
    """Hold what is beyond a bound, let go what would come back; False if there is neither."""
    cdef double pull
    cdef bint changed = False
    cdef int j
    remainder(s, e, False, s.r)
    for j in range(s.n):
        if s.over[j]:
            s.d[j] = fmin(fmax(s.d[j], s.low[j]), s.high[j])
            s.free[j] = False
            changed = True
        elif not s.free[j]:
            pull = inner(s.m, s.J + <size_t> s.m * j, s.r) - mu * s.d[j]     # minus half the gradient
            if (pull > 0.0 and s.d[j] < s.high[j]) or (pull < 0.0 and s.d[j] > s.low[j]):
                s.free[j] = True
                changed = True
    return changed

cdef inline void bounded_least_squares(LeastSquares* s, double mu, const double* e) noexcept nogil:
    """d of J, e and the bounds.  Should it not end after 2 n + 5 exchanges, what was found so far is clipped."""
    cdef int j, _k
    for j in range(s.n):
        s.free[j], s.d[j] = True, 0.0
    for _k in range(2 * s.n + 5):
        if not solve_free(s, mu, e) and _k == 0:
            return
        if not exchange(s, mu, e):
            return
    for j in range(s.n):
        s.d[j] = fmin(fmax(s.d[j], s.low[j]), s.high[j])
