# Ties (flight/ties.pxd) of a system whose loops are eliminated: forces act through the closed mechanism.
#
# A tie may ask for what loops hold already, or all but hold: then what loops do in a step, K v = -dt/2 k of theirs, and
# the tie contradict one another by as little, and next to no mobility answers.  Such a tie is left to its row, as are
# all of a system with more than MOST of them.

from libc.math cimport sqrt
from libc.string cimport memset

from rbdyn.kernels.cod cimport dot, times_q, times_q_transposed
from rbdyn.stepping.columns cimport force_to_normalised, from_normalised
from rbdyn.stepping.flight.ties cimport across_ties, along_ties, keep_tie_forces
from rbdyn.stepping.scene cimport System

cdef enum:
    MOST = 16

cdef inline double dependent() noexcept nogil:
    """Of a tie's mobility on the open tree: what loops and the ties before it have to leave of it."""
    return 1e-3

cdef inline bint obeys_ties(const System* s) noexcept nogil:
    """Whether its free motion obeys ties; beside springs and motors of loop joints rows alone hold them."""
    return 0 < s.work.n_ties <= MOST and s.work.loops.n_forces == 0

cdef inline void answer_closed(System* s, double* y) noexcept nogil:
    """y = C^T Q [0; the free entries of Q^T C tau] of the forces in work.tied (nv,): loops stay closed.

    loops.x receives Q^T C tau.
    """
    cdef double* x = s.work.loops.x
    cdef int i, nv = s.m.nv, rank = s.work.loops.Y.rank
    force_to_normalised(s, s.work.tied, s.ahead.f, x)
    times_q_transposed(&s.work.loops.Y, x)
    for i in range(nv):
        y[i] = x[i] if i >= rank else 0.0
    times_q(&s.work.loops.Y, y)
    from_normalised(s, y)

cdef inline int find_independent(System* s, double (*C)[MOST], int* kept) noexcept nogil:
    """The ties that loops leave free, and the Cholesky factor C of their mobilities; how many."""
    cdef int i, j, k, n = s.work.n_ties, count = 0
    cdef double* unit = s.work.tie_room
    cdef double* y = unit + s.m.nv
    cdef double* column = y + s.m.nv
    cdef double pivot, open
    for j in range(n):
        memset(unit, 0, n * sizeof(double))
        unit[j] = 1.0
        along_ties(s, unit, s.work.tied)
        answer_closed(s, y)
        open = dot(s.m.nv, s.work.loops.x, s.work.loops.x)
        across_ties(s, y, column)
        pivot = column[j]
        for i in range(count):
            C[count][i] = column[kept[i]]
            for k in range(i):
                C[count][i] -= C[count][k] * C[i][k]
            C[count][i] /= C[i][i]
            pivot -= C[count][i] * C[count][i]
        if pivot > dependent() * open:
            C[count][count] = sqrt(pivot)
            kept[count] = j
            count += 1
    return count

cdef inline void obey_ties_closed(System* s, double* v) noexcept nogil:
    """Make accelerations or velocities v (nv,) that keep loops closed obey ties, too, where loops are decomposed.

    `load` takes what the loops do against it.
    """
    cdef double C[MOST][MOST]
    cdef int kept[MOST]
    cdef double* lam = s.work.tie_room
    cdef double* y = lam + s.m.nv
    cdef double* r = y + s.m.nv
    cdef double x[MOST]
    cdef int i, k, n = find_independent(s, C, kept)
    across_ties(s, v, r)
    for i in range(n):
        x[i] = -r[kept[i]]
        for k in range(i):
            x[i] -= C[i][k] * x[k]
        x[i] /= C[i][i]
    for i in range(n - 1, -1, -1):
        for k in range(i + 1, n):
            x[i] -= C[k][i] * x[k]
        x[i] /= C[i][i]
    memset(lam, 0, s.work.n_ties * sizeof(double))
    for i in range(n):
        lam[kept[i]] = x[i]
    keep_tie_forces(s, lam)
    answer_closed(s, y)
    for i in range(s.m.nv):
        v[i] += y[i]
    for i in range(s.work.loops.Y.rank):
        s.work.loops.load[i] -= s.work.loops.x[i]
