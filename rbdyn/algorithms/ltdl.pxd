# The sparse factorisation M = L^T D L of a tree's mass matrix.  RBDA section 6.5, tables 6.3 to 6.5, pp. 115 to 117.
#
# L is unit lower triangular with L[k, a] non-zero only where a supports k: `above` walks those columns.  No pivot is
# created, no zero is filled.

from rbdyn.model._model cimport CModel
from rbdyn.spatial._algebra cimport real, splat

cdef extern from "rows.h" nogil:
    void gather_rows(Py_ssize_t n, real* y, real s, const real* l, const real* const* x, int count)
    void spread_row(Py_ssize_t n, const real* x, const real* l, real* const* y, int count)

cdef inline void ltdl_factor(const CModel* m, real* H) noexcept nogil:
    """H -> L below the diagonal and D on it, in place, (nv, nv) row-major.  Table 6.3."""
    cdef Py_ssize_t i, j, k, n = m.nv
    cdef real a, r
    cdef real* row_k
    cdef real* row_i
    for k in range(n - 1, -1, -1):
        row_k = H + k * n
        r = 1.0 / row_k[k]
        i = m.above[k]
        while i >= 0:
            row_i = H + i * n
            a = row_k[i] * r
            j = i
            while j >= 0:
                row_i[j] = row_i[j] - a * row_k[j]
                j = m.above[j]
            row_k[i] = a
            i = m.above[i]

cdef inline void ltdl_solve(const CModel* m, const real* H, real* x) noexcept nogil:
    """x <- L^-1 D^-1 L^-T x.  Table 6.5."""
    cdef int i, j, n = m.nv
    for i in range(n - 1, -1, -1):
        j = m.above[i]
        while j >= 0:
            x[j] = x[j] - H[i * n + j] * x[i]
            j = m.above[j]
    for i in range(n):
        x[i] = x[i] / H[i * n + i]
        j = m.above[i]
        while j >= 0:
            x[i] = x[i] - H[i * n + j] * x[j]
            j = m.above[j]

cdef inline void subtract_rows(Py_ssize_t n, real* y, const real* l, const real* const* x, int count) noexcept nogil:
    """y <- y - sum of l_k x_k, for up to four rows of n entries."""
    cdef Py_ssize_t j
    cdef int k
    if count == 4:
        for j in range(n):
            y[j] = y[j] - (l[0] * x[0][j] + l[1] * x[1][j] + (l[2] * x[2][j] + l[3] * x[3][j]))
        return
    for k in range(count):
        for j in range(n):
            y[j] = y[j] - l[k] * x[k][j]

cdef inline void ltdl_inverse(const CModel* m, const real* H, real* A) noexcept nogil:
    """A = M^-1, (nv, nv), row by row from the root.

    From L A = D^-1 L^-T, whose right side is zero right of its diagonal's support: for j <= i,
    A[i, j] = [i == j] / D[i] - sum over a above i of L[i, a] A[a, j], with A symmetric.
    """
    cdef Py_ssize_t i, j, a, n = m.nv
    cdef real l[4]
    cdef const real* x[4]
    cdef int count
    cdef real* y
    cdef real diagonal
    for i in range(n):
        y = A + i * n
        for j in range(i):
            y[j] = splat(0.0)
        a = m.above[i]
        while a >= 0:
            count = 0
            while a >= 0 and count < 4:
                l[count] = H[i * n + a]
                x[count] = A + a * n
                count += 1
                a = m.above[a]
            subtract_rows(i, y, &l[0], &x[0], count)
        diagonal = 1.0 / H[i * n + i]
        a = m.above[i]
        while a >= 0:
            diagonal = diagonal - H[i * n + a] * y[a]
            a = m.above[a]
        y[i] = diagonal
        for j in range(i):
            A[j * n + i] = y[j]

cdef inline void ltdl_solve_rows(const CModel* m, const real* H, Py_ssize_t n, real s, real* X) noexcept nogil:
    """X <- s M^-1 X for a (nv, n) matrix: table 6.5 on whole rows."""
    cdef Py_ssize_t i, j, nv = m.nv
    cdef int count
    cdef real l[16]
    cdef real* x[16]
    cdef real scale
    for i in range(nv - 1, -1, -1):
        j = m.above[i]
        while j >= 0:
            count = 0
            while j >= 0 and count < 16:
                l[count], x[count] = H[i * nv + j], X + j * n
                count += 1
                j = m.above[j]
            spread_row(n, X + i * n, &l[0], &x[0], count)
    for i in range(nv):
        scale = s / H[i * nv + i]
        j = m.above[i]
        while True:
            count = 0
            while j >= 0 and count < 16:
                l[count], x[count] = H[i * nv + j], X + j * n
                count += 1
                j = m.above[j]
            gather_rows(n, X + i * n, scale, &l[0], <const real* const*> &x[0], count)
            if j < 0:
                break
            scale = splat(1.0)
