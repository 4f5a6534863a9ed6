# Coordinates whose rates are v: most joint types' integrate and difference.

cdef inline void plain_integrate(int n, double* q, const double* v, double dt) noexcept nogil:
    cdef int k
    for k in range(n):
        q[k] += dt * v[k]

cdef inline void plain_difference(int n, const double* x, const double* y, double* v) noexcept nogil:
    cdef int k
    for k in range(n):
        v[k] = y[k] - x[k]
