# The sparse factorisation M = L^T D L of a tree's mass matrix.  RBDA section 6.5, tables 6.3 to 6.5, pp. 115 to 117.
#
# L is unit lower triangular with L[k, a] non-zero only where a supports k: `parent_dof` walks those columns.  No pivot
# is created, no zero is filled.
#
# What takes long for long chains, n^3 products of a chain of n, is there row by row: who calls it can look at signals.

from rbdyn.model._model cimport CModel
from rbdyn.spatial._algebra cimport real, splat

cdef extern from "rows.h" nogil:
    void gather_rows(Py_ssize_t n, real* y, real s, const real* l, const real* x, const Py_ssize_t* at, int count)
    void spread_row(Py_ssize_t n, const real* x, const real* l, real* y, const Py_ssize_t* at, int count)

cdef inline void ltdl_factor_row(const CModel* m, real* H, Py_ssize_t k) noexcept nogil:
    """Row k of L and D, and what it takes from the rows above it, which come next."""
    cdef Py_ssize_t i, j, n = m.nv
    cdef real a, r
    cdef real* row_k = H + k * n
    cdef real* row_i
    r = splat(1.0) / row_k[k]
    i = m.parent_dof[k]
    while i >= 0:
        row_i = H + i * n
        a = row_k[i] * r
        j = i
        while j >= 0:
            row_i[j] = row_i[j] - a * row_k[j]
            j = m.parent_dof[j]
        row_k[i] = a
        i = m.parent_dof[i]

cdef inline void ltdl_factor(const CModel* m, real* H) noexcept nogil:
    """H -> L below the diagonal and D on it, in place, (nv, nv) row-major.  Table 6.3."""
    cdef Py_ssize_t k
    for k in range(m.nv - 1, -1, -1):
        ltdl_factor_row(m, H, k)

cdef inline void ltdl_solve(const CModel* m, const real* H, real* x) noexcept nogil:
    """x <- L^-1 D^-1 L^-T x.  Table 6.5."""
    cdef int i, j, n = m.nv
    for i in range(n - 1, -1, -1):
        j = m.parent_dof[i]
        while j >= 0:
            x[j] = x[j] - H[i * n + j] * x[i]
            j = m.parent_dof[j]
    for i in range(n):
        x[i] = x[i] / H[i * n + i]
        j = m.parent_dof[i]
        while j >= 0:
            x[i] = x[i] - H[i * n + j] * x[j]
            j = m.parent_dof[j]

cdef inline void ltdl_solve_upper(const CModel* m, const real* H, real* x) noexcept nogil:
    """x <- L^-T x: the first part of ltdl_solve."""
    cdef int i, j, n = m.nv
    for i in range(n - 1, -1, -1):
        j = m.parent_dof[i]
        while j >= 0:
            x[j] = x[j] - H[i * n + j] * x[i]
            j = m.parent_dof[j]

cdef inline void ltdl_solve_lower(const CModel* m, const real* H, real* x) noexcept nogil:
    """x <- L^-1 x: the last part of ltdl_solve."""
    cdef int i, j, n = m.nv
    for i in range(n):
        j = m.parent_dof[i]
        while j >= 0:
            x[i] = x[i] - H[i * n + j] * x[j]
            j = m.parent_dof[j]

cdef struct Path:            # up to 16 entries of a row of L, and where the rows of a matrix begin that they meet
    int count
    real l[16]
    Py_ssize_t at[16]

cdef inline Py_ssize_t next_path(
        const CModel* m, const real* H, Py_ssize_t i, Py_ssize_t j, Py_ssize_t n, Path* path) noexcept nogil:
    """Entries of row i of L from column j rootwards, for matrices of n columns; returns where to go on, or -1."""
    cdef int k = 0
    while j >= 0 and k < 16:
        path.l[k] = H[i * m.nv + j]
        path.at[k] = j * n
        k += 1
        j = m.parent_dof[j]
    path.count = k
    return j

cdef inline void ltdl_inverse_row(const CModel* m, const real* H, real* A, Py_ssize_t i) noexcept nogil:
    """Row i of A = M^-1 up to its diagonal, and the column that is the same; those before it are done.

    From L A = D^-1 L^-T, whose right side is zero right of its diagonal's support: for j <= i,
    A[i, j] = [i == j] / D[i] - sum over a above i of L[i, a] A[a, j], with A symmetric.
    """
    cdef Py_ssize_t j, a, n = m.nv
    cdef Path path
    cdef real* y = A + i * n
    cdef real diagonal
    for j in range(i):
        y[j] = splat(0.0)
    a = m.parent_dof[i]
    while a >= 0:
        a = next_path(m, H, i, a, n, &path)
        gather_rows(i, y, splat(1.0), &path.l[0], A, &path.at[0], path.count)
    diagonal = splat(1.0) / H[i * n + i]
    a = m.parent_dof[i]
    while a >= 0:
        diagonal = diagonal - H[i * n + a] * y[a]
        a = m.parent_dof[a]
    y[i] = diagonal
    for j in range(i):
        A[j * n + i] = y[j]

cdef inline void ltdl_inverse(const CModel* m, const real* H, real* A) noexcept nogil:
    """A = M^-1, (nv, nv), row by row from the root."""
    cdef Py_ssize_t i
    for i in range(m.nv):
        ltdl_inverse_row(m, H, A, i)

cdef inline void ltdl_spread_row(
        const CModel* m, const real* H, Py_ssize_t n, real* X, real* Y, Py_ssize_t i) noexcept nogil:
    """Row i of (nv, n) matrices in X <- L^-T X and Y <- L^-T Y, from the last row to the first."""
    cdef Py_ssize_t j = m.parent_dof[i]
    cdef Path path
    while j >= 0:
        j = next_path(m, H, i, j, n, &path)
        spread_row(n, X + i * n, &path.l[0], X, &path.at[0], path.count)
        spread_row(n, Y + i * n, &path.l[0], Y, &path.at[0], path.count)

cdef inline void ltdl_gather_row(
        const CModel* m, const real* H, Py_ssize_t n, real s, real* X, real* Y, Py_ssize_t i) noexcept nogil:
    """Row i of X <- s L^-1 D^-1 X and Y <- s L^-1 D^-1 Y, from the first row to the last."""
    cdef Py_ssize_t j = m.parent_dof[i]
    cdef Path path
    cdef real scale = s / H[i * m.nv + i]
    while True:
        j = next_path(m, H, i, j, n, &path)
        gather_rows(n, X + i * n, scale, &path.l[0], X, &path.at[0], path.count)
        gather_rows(n, Y + i * n, scale, &path.l[0], Y, &path.at[0], path.count)
        if j < 0:
            break
        scale = splat(1.0)

cdef inline void ltdl_solve_rows(
        const CModel* m, const real* H, Py_ssize_t n, real s, real* X, real* Y) noexcept nogil:
    """X <- s M^-1 X and Y <- s M^-1 Y for (nv, n) matrices: table 6.5 on whole rows."""
    cdef Py_ssize_t i
    for i in range(m.nv - 1, -1, -1):
        ltdl_spread_row(m, H, n, X, Y, i)
    for i in range(m.nv):
        ltdl_gather_row(m, H, n, s, X, Y, i)
