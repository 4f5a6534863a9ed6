"""When an island is split, and what becomes of it: attempt.pxd."""

from libc.math cimport INFINITY
from libc.string cimport memcpy

from rbdyn.contact.accept cimport makes_energy
from rbdyn.contact.islands cimport Island, rows_of
from rbdyn.contact.operator cimport Operator, load_impulses
from rbdyn.contact.problem cimport ContactProblem
from rbdyn.contact.solvers.acceleration.anderson cimport Anderson
from rbdyn.contact.solvers.direct.room cimport begin as begin_direct
from rbdyn.contact.solvers.direct.workspace cimport Direct
from rbdyn.contact.solvers.settings cimport HARD_SWEEPS, Settings
from rbdyn.contact.solvers.splitting.steps cimport Splitting, begin, missed, step
from rbdyn.contact.solvers.tuning cimport is_hasty

cdef enum:
    STEPS = 200
    MOST_ROWS = 100          # of an island: beyond, steps are too dear
cdef double SETTLED = 0.1         # of the threshold: velocities that change by less in a step do so no more
cdef double NOT_FELT = 1e-3       # [m/s^2] times the time step: contradictions that nobody feels


cdef bint is_worth_while(const Island* island, const Settings* s, const ContactProblem* p) noexcept nogil:
    """Not where sweeps are not meant to end: single bodies alone go on in the next step, and so do positions.

    Nor where contacts act: loads that are spread anew in each step let what is gripped creep.
    """
    if not s.direct or island.iterations < HARD_SWEEPS or island.error == INFINITY or rows_of(&island.G) > MOST_ROWS:
        return False
    return island.G.n == 0 and (not p.dt > 0.0 or p.v_start != NULL and not is_hasty(&island.G, p))


cdef bint split(Island* island, Anderson* A, Direct* S, const Settings* s, const ContactProblem* p,
                size_t* reallocations) except -1 nogil:
    """Solve an island that sweeps have left unsolved by splitting; whether that is better, and stands.

    Velocities that have settled are the nearest ones to what laws want, and nothing misses less: by no more than is
    felt counts as solved.  Rows alone take them whatever they miss, since their impulses grow for ever in sweeps.
    """
    cdef Operator* G = &island.G
    cdef Splitting M
    cdef double left
    cdef bint settled = False, better
    if not is_worth_while(island, s, p) or not begin_direct(S, G, p, reallocations):
        return False
    memcpy(A.kept, island.impulse, rows_of(G) * sizeof(double))
    M.w, M.y, M.z = A.f, A.g, A.direction
    if not begin(&M, S, G, p, island.impulse):
        memcpy(island.impulse, A.kept, rows_of(G) * sizeof(double))
        load_impulses(G, island.impulse)
        return False
    for _ in range(STEPS):
        step(&M, S, G, island.impulse)
        settled = M.change < SETTLED * s.threshold
        if settled:
            break
    load_impulses(G, island.impulse)
    left = missed(&M, S, G, island.impulse)
    better = (left < island.error or settled) and not makes_energy(G, island.impulse)
    if better:
        island.error = left
    else:
        memcpy(island.impulse, A.kept, rows_of(G) * sizeof(double))
        load_impulses(G, island.impulse)
    island.converged = island.error < (max(s.enough, NOT_FELT * p.dt) if settled else s.enough)
    return better
