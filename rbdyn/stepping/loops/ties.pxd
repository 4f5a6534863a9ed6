# Ties (flight/ties.pxd) of a system whose loops are eliminated: forces act through the closed mechanism.

from rbdyn.kernels.cod cimport times_q, times_q_transposed
from rbdyn.stepping.columns cimport force_to_normalised, from_normalised
from rbdyn.stepping.flight.ties cimport solve_ties
from rbdyn.stepping.scene cimport System

cdef inline bint obeys_ties(const System* s) noexcept nogil:
    """Whether its free motion obeys ties; beside springs and motors of loop joints rows alone hold them."""
    return s.work.n_ties > 0 and s.work.loops.n_forces == 0

cdef inline void answer_closed(System* s, double* y) noexcept nogil:
    """y = C^T Q [0; the free entries of Q^T C tau] of the forces in work.tied (nv,): loops stay closed."""
    cdef int i
    force_to_normalised(s, s.work.tied, s.ahead.f, y)
    times_q_transposed(&s.work.loops.Y, y)
    for i in range(s.work.loops.Y.rank):
        y[i] = 0.0
    times_q(&s.work.loops.Y, y)
    from_normalised(s, y)

cdef inline void obey_ties_closed(System* s, double* v) noexcept nogil:
    """Likewise of accelerations or velocities v (nv,) that keep loops closed, where these are decomposed.

    `load` takes what the loops do against it.
    """
    cdef double* x = s.work.loops.x
    cdef int i
    solve_ties(s, v, answer_closed)
    force_to_normalised(s, s.work.tied, s.ahead.f, x)
    times_q_transposed(&s.work.loops.Y, x)
    for i in range(s.work.loops.Y.rank):
        s.work.loops.load[i] -= x[i]
