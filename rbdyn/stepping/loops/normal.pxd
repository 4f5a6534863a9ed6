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
from rbdyn.kernels.ltdl cimport Path, gather_rows
from rbdyn.stepping.scene cimport System

cdef inline double independent() noexcept nogil:
    """The least square of what is left of a row of length 1."""
    return 1e-6

cdef inline void take_row(Path* some, Py_ssize_t n, double* y, const double* x, double factor,
                          Py_ssize_t at) noexcept nogil:
    """y (n,) <- y - factor (x + at), some such at a time."""
    some.l[some.count], some.at[some.count] = factor, at
    some.count += 1
    if some.count == 16:
        take_rest(some, n, y, x)

cdef inline void take_rest(Path* some, Py_ssize_t n, double* y, const double* x) noexcept nogil:
    """What is still to be taken."""
    if some.count > 0:
        gather_rows(n, y, 1.0, some.l, x, some.at, some.count)
    some.count = 0

cdef inline void multiply_row(const System* s, int i, double* row) noexcept nogil:
    """Row i of Y^T Y from its diagonal on; Y is in loops.K too, by coordinates: rows share few of them."""
    cdef int k, m = s.m.nv, n = s.m.nc
    cdef const double* y = s.work.loops.Y.A + <size_t> m * i
    cdef Path some
    some.count = 0
    for k in range(i, n):
        row[k] = 0.0
    for k in range(m):
        if y[k] != 0.0:
            take_row(&some, n - i, row + i, s.work.loops.K + i, -y[k], <Py_ssize_t> n * k)
    take_rest(&some, n - i, row + i, s.work.loops.K + i)

cdef inline bint factor_normal(System* s) noexcept nogil:
    """W of Y, unused without a decomposition, becomes the factor U of U^T U; False where rows are not independent."""
    cdef int i, j, k, m = s.m.nv, n = s.m.nc
    cdef double* U = s.work.loops.Y.W
    cdef double* row
    cdef double factor
    cdef Path some
    some.count = 0
    for i in range(n):
        for k in range(m):
            s.work.loops.K[<size_t> n * k + i] = s.work.loops.Y.A[<size_t> m * i + k]
    for i in range(n):
        row = U + <size_t> n * i
        multiply_row(s, i, row)
        for k in range(i):
            factor = U[<size_t> n * k + i]
            if factor != 0.0:
                take_row(&some, n - i, row + i, U + i, factor, <Py_ssize_t> n * k)
        take_rest(&some, n - i, row + i, U + i)
        if s.work.loops.scale[i] == 0.0:
            row[i] = 1.0                         # what is nothing is a row of zeros
        if not row[i] > independent():
            return False
        row[i] = sqrt(row[i])
        factor = 1.0 / row[i]
        for j in range(i + 1, n):
            row[j] *= factor
    return True

cdef inline void solve_normal(System* s, const double* b, double* x) noexcept nogil:
    """x <- x + Y mu with Y^T x = b; leaves mu in Y.t."""
    cdef int i, k, m = s.m.nv, n = s.m.nc
    cdef const double* row
    cdef double* mu = s.work.loops.Y.t
    cdef Path some
    some.count = 0
    for i in range(n):
        mu[i] = b[i]
    for k in range(m):
        if x[k] != 0.0:
            take_row(&some, n, mu, s.work.loops.K, x[k], <Py_ssize_t> n * k)
    take_rest(&some, n, mu, s.work.loops.K)
    for i in range(n):
        row = s.work.loops.Y.W + <size_t> n * i
        mu[i] /= row[i]
        for k in range(i + 1, n):
            mu[k] -= row[k] * mu[i]
    for i in range(n - 1, -1, -1):
        row = s.work.loops.Y.W + <size_t> n * i
        mu[i] = (mu[i] - dot(n - 1 - i, row + i + 1, mu + i + 1)) / row[i]
    for i in range(n):
        if mu[i] != 0.0:
            take_row(&some, m, x, s.work.loops.Y.A, -mu[i], <Py_ssize_t> m * i)
    take_rest(&some, m, x, s.work.loops.Y.A)
