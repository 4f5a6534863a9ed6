# Bilateral blocks: v = 0 in 1 to 6 rows together.  Loop joints, pins, mimic.

from libc.math cimport INFINITY, fabs, isfinite

from rbdyn.contact.laws.dependence cimport find_dependent
from rbdyn.contact.operator cimport LineBlock, Operator, add_line_impulse, coupling, line_velocity


cdef inline void prepare(Operator* G, LineBlock* k) noexcept nogil:
    """L D L^T = G_bb + compliance 1; L below the diagonal, D on it.

    A row that those before it determine (its pivot is rounding, below 1e-12 of its diagonal, or other blocks do so:
    dependence.pxd) gets D = 0, and no impulse: redundant rows are allowed.
    """
    cdef double* L = G.factor + k.factor
    cdef bint others[6]
    cdef double s
    cdef int i, j, m
    find_dependent(G, k, others)
    for i in range(k.rows):
        for j in range(i + 1):
            s = G.line[k.first + i].G if i == j else coupling(G, k.first + i, k.first + j)
            for m in range(j):
                s -= L[6 * i + m] * L[6 * j + m] * L[7 * m]
            if i == j:
                L[7 * i] = s if s > 1e-12 * G.line[k.first + i].G and not others[i] else 0.0
            else:
                L[6 * i + j] = s / L[7 * j] if L[7 * j] > 0.0 else 0.0


cdef inline double visit(Operator* G, const LineBlock* k, double alpha, double* impulse) noexcept nogil:
    """lam <- lam - (G_bb + compliance 1)^-1 (v + compliance lam); returns the largest velocity change [m/s]."""
    cdef const double* L = G.factor + k.factor
    cdef double x[6]
    cdef double error = 0.0
    cdef int i, j
    for i in range(k.rows):
        x[i] = -(line_velocity(G, k.first + i) + k.compliance * impulse[k.first + i])
    for i in range(k.rows):
        if L[7 * i] > 0.0:                             # what the determined rows ask for is not in their reach
            error = max(error, fabs(x[i]))
        for j in range(i):
            x[i] -= L[6 * i + j] * x[j]
    for i in range(k.rows):
        x[i] = x[i] / L[7 * i] if L[7 * i] > 0.0 else 0.0
    for i in range(k.rows - 1, -1, -1):
        for j in range(i + 1, k.rows):
            x[i] -= L[6 * j + i] * x[j]
        if L[7 * i] == 0.0:
            x[i] = 0.0
    for i in range(k.rows):
        if not isfinite(x[i]):
            return INFINITY
    for i in range(k.rows):
        if x[i] != 0.0:
            impulse[k.first + i] += alpha * x[i]
            add_line_impulse(G, k.first + i, alpha * x[i])
    return error


cdef inline double admissible(const LineBlock* k, double lam) noexcept nogil:
    """Any impulse is."""
    return lam
