# Loops whose rows are clearly independent, in flight: normal equations in place of an orthogonal decomposition.
#
# Where no other constraint acts a step asks the loops' rows Y for two things alone: the x nearest to t with Y^T x = b,
#
#     x = t + Y mu,    (Y^T Y) mu = b - Y^T t
#
# and the shortest x with Y^T x = b, which is that of t = 0.  The Cholesky factor of Y^T Y costs a fifth of Q R, and its
# pivots are the squares of what is left of each row beside those before it.  Where one is small, or where impulses have
# to be split into what loops take and what moves, Y is decomposed (elimination.pxd).

from libc.math cimport sqrt

from rbdyn.kernels.cod cimport dot
from rbdyn.stepping.scene cimport System

cdef inline double independent() noexcept nogil:
    """The least square of what is left of a row of length 1."""
    return 1e-6

cdef inline bint factor_normal(System* s) noexcept nogil:
    """W of Y, unused without a decomposition, becomes the factor; False where rows are not clearly independent."""
    cdef int i, j, m = s.m.nv, n = s.m.nc
    cdef double* W = s.work.loops.Y.W
    cdef const double* A = s.work.loops.Y.A
    cdef double left
    for i in range(n):
        for j in range(i):
            left = dot(m, A + <size_t> m * i, A + <size_t> m * j) - dot(j, W + n * i, W + n * j)
            W[n * i + j] = left / W[n * j + j]
        left = 1.0
        if s.work.loops.scale[i] > 0.0:          # what is nothing is a row of zeros
            left = dot(m, A + <size_t> m * i, A + <size_t> m * i) - dot(i, W + n * i, W + n * i)
        if not left > independent():
            return False
        W[n * i + i] = sqrt(left)
    return True

cdef inline void solve_normal(System* s, const double* b, double* x) noexcept nogil:
    """x <- x + Y mu with Y^T x = b; leaves mu in Y.t."""
    cdef int i, k, m = s.m.nv, n = s.m.nc
    cdef const double* W = s.work.loops.Y.W
    cdef const double* y
    cdef double* mu = s.work.loops.Y.t
    for i in range(n):
        mu[i] = (b[i] - dot(m, s.work.loops.Y.A + <size_t> m * i, x) - dot(i, W + n * i, mu)) / W[n * i + i]
    for i in range(n - 1, -1, -1):
        mu[i] /= W[n * i + i]
        for k in range(i):
            mu[k] -= W[n * i + k] * mu[i]
    for i in range(n):
        y = s.work.loops.Y.A + <size_t> m * i
        if mu[i] != 0.0:
            for k in range(m):
                x[k] += mu[i] * y[k]
