"""Cholesky factorisation in profile form."""

from libc.math cimport sqrt

from rbdyn.contact.operator cimport Operator
from rbdyn.contact.problem cimport ContactProblem
from rbdyn.contact.solvers.direct.unknowns cimport columns
from rbdyn.contact.solvers.direct.workspace cimport Direct


cdef void profile(Direct* S, const Operator* G, const ContactProblem* p) noexcept nogil:
    """first[i] and start[i]: a row reaches back to the lowest unknown that shares a contact with it."""
    cdef int i, j, n, low
    for i in range(S.n):
        S.first[i] = i
    for i in range(0, 6 * S.bodies, 6):
        for j in range(1, 6):
            S.first[i + j] = i
    for i in range(G.n):
        n = columns(S, G, p, i)
        low = S.n
        for j in range(n):
            low = min(low, S.index[j])
        for j in range(n):
            S.first[S.index[j]] = min(S.first[S.index[j]], low)
    S.start[0] = 0
    for i in range(S.n):
        S.start[i + 1] = S.start[i] + (i + 1 - S.first[i])


cdef bint factor(Direct* S) noexcept nogil:
    """A = L L^T in its profile; False if a pivot is not positive."""
    cdef int i, j, k, low
    cdef double s
    cdef double* row
    cdef double* other
    for i in range(S.n):
        row = S.A + S.start[i] - S.first[i]
        for j in range(S.first[i], i):
            other = S.A + S.start[j] - S.first[j]
            low = max(S.first[i], S.first[j])
            s = row[j]
            for k in range(low, j):
                s -= row[k] * other[k]
            row[j] = s / other[j]
        s = row[i]
        for k in range(S.first[i], i):
            s -= row[k] * row[k]
        if not s > 0.0:
            return False
        row[i] = sqrt(s)
    return True


cdef void substitute(Direct* S) noexcept nogil:
    """x <- A^-1 x."""
    cdef int i, k
    cdef double s
    cdef double* row
    for i in range(S.n):
        row = S.A + S.start[i] - S.first[i]
        s = S.x[i]
        for k in range(S.first[i], i):
            s -= row[k] * S.x[k]
        S.x[i] = s / row[i]
    for i in range(S.n - 1, -1, -1):
        row = S.A + S.start[i] - S.first[i]
        S.x[i] /= row[i]
        s = S.x[i]
        for k in range(S.first[i], i):
            S.x[k] -= row[k] * s
