"""Sweeps over the blocks of one island: sweep.pxd."""

from libc.math cimport INFINITY

from rbdyn.contact.islands cimport Island
from rbdyn.contact.laws cimport cone
from rbdyn.contact.laws.dispatch cimport visit_block
from rbdyn.contact.operator cimport Operator
from rbdyn.contact.problem cimport ContactProblem
from rbdyn.contact.solve.settings cimport Settings
from rbdyn.contact.tolerances cimport SWEEP_GAIN


cdef double sweep(Operator* G, const Settings* s, double alpha, double* impulse) noexcept nogil:
    """Visit every block once; returns the largest velocity change [m/s].

    Cones come behind other blocks or, backward, before them.  Discs come behind cones in both directions: they obey the
    push that the sweep ends with.
    """
    cdef double error = 0.0
    cdef int k, n = G.n
    if not s.backward:
        for k in range(G.n_blocks - G.n_discs):
            error = max(error, visit_block(G, &G.block[k], alpha, impulse))
    for k in range(n):
        error = max(error, cone.visit(G, n - 1 - k if s.backward else k, s.law, s.method, alpha, impulse))
    if not s.backward:
        for k in range(G.n_blocks - G.n_discs, G.n_blocks):
            error = max(error, visit_block(G, &G.block[k], alpha, impulse))
    else:
        for k in range(G.n_blocks - 1, -1, -1):
            error = max(error, visit_block(G, &G.block[k], alpha, impulse))
    return error


cdef void note_error(Island* island, const ContactProblem* p, double* history) noexcept nogil:
    """Count a sweep or a step of Newton's method, and write its error [m/s]."""
    cdef int k = island.iterations
    history[k] = max(history[k], island.error) if k < p.iterations else island.error
    island.iterations = k + 1


cdef void sweep_island(Island* island, const Settings* s, double threshold, double tolerance, int most, bint patient,
                       const ContactProblem* p, double* history) noexcept nogil:
    """Sweep until the error is below the threshold, or below the tolerance and falls slowly.

    Ends after `most` sweeps, and unless `patient` with the first one that does not halve the error.
    """
    cdef double before = INFINITY, alpha = s.alpha_init
    cdef int last = island.iterations + most
    island.converged = False
    while island.iterations < last:
        island.error = sweep(&island.G, s, alpha, island.impulse)
        note_error(island, p, history)
        island.converged = island.error < threshold
        if island.converged or island.error == INFINITY:
            return
        if not island.error <= SWEEP_GAIN() * before:
            island.converged = island.error < tolerance
            if island.converged or not patient:
                return
        before = island.error
        alpha = s.alpha_min + s.alpha_decay * (alpha - s.alpha_min)
    island.converged = island.error < tolerance
