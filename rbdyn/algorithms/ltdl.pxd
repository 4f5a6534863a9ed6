# The sparse factorisation M = L^T D L of a tree's mass matrix.  RBDA section 6.5, tables 6.3 to 6.5, pp. 115 to 117.
#
# L is unit lower triangular with L[k, a] non-zero only where a supports k: `above` walks those columns.  No pivot is
# created, no zero is filled.

from rbdyn.model._model cimport CModel
from rbdyn.spatial._algebra cimport real, splat

cdef inline void ltdl_factor(const CModel* m, real* H) noexcept nogil:
    """H -> L below the diagonal and D on it, in place, (nv, nv) row-major.  Table 6.3."""
    cdef int i, j, k, n = m.nv
    cdef real a, r
    for k in range(n - 1, -1, -1):
        i = m.above[k]
        r = 1.0 / H[k * n + k]
        while i >= 0:
            a = r * H[k * n + i]
            j = i
            while j >= 0:
                H[i * n + j] = H[i * n + j] - a * H[k * n + j]
                j = m.above[j]
            H[k * n + i] = a
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

cdef inline void ltdl_inverse(const CModel* m, const real* H, real* A) noexcept nogil:
    """A = M^-1, (nv, nv), row by row from the root.

    From L A = D^-1 L^-T, whose right side is zero right of its diagonal's support: for j <= i,
    A[i, j] = [i == j] / D[i] - sum over a above i of L[i, a] A[a, j], with A symmetric.
    """
    cdef int i, j, a, n = m.nv
    cdef real l, s
    cdef real* row
    cdef const real* other
    for i in range(n):
        row = A + i * n
        for j in range(i):
            row[j] = splat(0.0)
        a = m.above[i]
        while a >= 0:
            l = H[i * n + a]
            other = A + a * n
            for j in range(i):
                row[j] = row[j] - l * other[j]
            a = m.above[a]
        s = 1.0 / H[i * n + i]
        a = m.above[i]
        while a >= 0:
            s = s - H[i * n + a] * row[a]
            a = m.above[a]
        row[i] = s
        for j in range(i):
            A[j * n + i] = row[j]
