"""Solve one island: island.pxd."""

from libc.math cimport INFINITY, fabs
from libc.string cimport memcpy, memset

from rbdyn.contact.accept cimport accept
from rbdyn.contact.after.lasting cimport keep_lasting, note_begun
from rbdyn.contact.cone.block cimport SKIPPED
from rbdyn.contact.cone.local cimport COULOMB, SLIDE
from rbdyn.contact.islands cimport Island, is_of_robots, rows_of
from rbdyn.contact.laws.dispatch cimport clear_immovable, prepare_blocks
from rbdyn.contact.operator cimport Operator, load_impulses, set_impulse
from rbdyn.contact.problem cimport BILATERAL, COMPLIANT, ContactProblem
from rbdyn.contact.solve.newton cimport Newton, is_of_poses, solve_newton
from rbdyn.contact.solve.settings cimport YIELDS, Settings
from rbdyn.contact.solve.sweep cimport note_error, sweep_island
from rbdyn.contact.solvers.bends cimport drop_bends
from rbdyn.contact.solvers.bounce cimport Search, begin_search, keep_from_gaining, lower_bounces
from rbdyn.contact.solvers.squeeze cimport give_way, throws
from rbdyn.contact.tolerances cimport (
    FEW_CONTACTS, FINE, LAST_DIGITS, LAST_SWEEPS, MOST_SWEEPS, NOT_FELT, PRECISION_COST, SLIDING, SWEPT_SURELY,
    TUMBLING, TUMBLING_SWEEPS,
)
from rbdyn.spatial._algebra cimport vec3


cdef void start(Island* island) noexcept nogil:
    """Load the impulses; a contact without mobility gets none."""
    cdef Operator* G = &island.G
    cdef int i
    for i in range(G.n):
        if G.contact[i].block.kind == SKIPPED:
            set_impulse(island.impulse, i, vec3(0.0, 0.0, 0.0))
    clear_immovable(G, island.impulse)
    load_impulses(G, island.impulse)
    note_begun(island)


cdef inline bint is_one_block(const Operator* G) noexcept nogil:
    """Tell whether a visit to its one block solves an island."""
    return G.n + G.n_blocks == 1 and (G.n == 1 or G.n_lines == 1 or G.block[0].law == BILATERAL)


cdef bint is_cold(const Island* island) noexcept nogil:
    """Tell whether an island has no impulse."""
    cdef int k
    for k in range(rows_of(&island.G)):
        if island.impulse[k] != 0.0:
            return False
    return True


cdef bint is_heap(const Operator* G) noexcept nogil:
    """Tell whether an island is one of many contacts between single bodies."""
    return G.n > FEW_CONTACTS and G.n_blocks == 0 and not is_of_robots(G)


cdef double start_speed(const Operator* G, const ContactProblem* p) noexcept nogil:
    """Largest velocity of a contact at the start of the step, along one axis [m/s]."""
    cdef double most = 0.0
    cdef int i, k
    for i in range(G.n if p.v_start != NULL else 0):
        for k in range(3 * G.contact[i].index, 3 * G.contact[i].index + 3):
            most = max(most, fabs(p.v_start[k]))
    return most


cdef bint slides(const Operator* G, const ContactProblem* p) noexcept nogil:
    """Tell whether many contacts slid against friction in the latest sweep, and none bounces."""
    cdef int i, count = 0
    for i in range(G.n):
        if p.target != NULL and p.target[3 * G.contact[i].index + 2] > 0.0:
            return False
        count += G.contact[i].mode == SLIDE and G.contact[i].block.mu > 0.0
    return SLIDING * count > G.n


cdef inline int last_sweeps(const Settings* s) noexcept nogil:
    """Return how many iterations are kept for sweeps behind Newton's method."""
    return min(<int> MOST_SWEEPS, s.max_iterations // LAST_SWEEPS)


cdef bint refine(Island* island, Newton* N, const Settings* s, const ContactProblem* p, double threshold,
                 double tolerance, bint bounded, double* history) except -1 nogil:
    """Solve an island by Newton's method; False if its factorisations would cost too much."""
    cdef int first = island.iterations, last
    cdef double allowance = 1.0 if s.automatic else PRECISION_COST()
    cdef int steps = s.max_iterations - last_sweeps(s)
    if not solve_newton(N, island, p, threshold, tolerance, steps, allowance, bounded):
        return False
    last, island.iterations = island.iterations, first
    while island.iterations < last:                    # each step stands for the error that all of them came to
        note_error(island, p, history)
    return True


cdef void end_in_sweeps(Island* island, const Newton* N, const Settings* s, const ContactProblem* p,
                        double* history) noexcept nogil:
    """Sweep what Newton's method solved, and keep that if it is a quick way to the last digits."""
    cdef double error = island.error
    sweep_island(island, s, LAST_DIGITS() * s.threshold, 0.0, s.max_iterations, False, p, history)
    if not island.converged:
        memcpy(island.impulse, N.best, rows_of(&island.G) * sizeof(double))
        load_impulses(&island.G, island.impulse)
        island.error, island.converged = error, True


cdef void sweep_stuck(Island* island, const Newton* N, const Settings* s, const ContactProblem* p, double tolerance,
                      double* history) noexcept nogil:
    """Sweep what Newton's method left unsolved, and keep that if it solves it.

    Where friction wedges, so that slip drives contacts into one another (Painleve 1895), bodies jam: Newton's method
    goes in circles around the slip, and visits that are exact find what sticks.
    """
    cdef double error = island.error
    if island.converged or island.ended == COMPLIANT or not error < INFINITY:
        return
    sweep_island(island, s, s.threshold, tolerance, last_sweeps(s), True, p, history)
    if not island.converged:
        memcpy(island.impulse, N.best, rows_of(&island.G) * sizeof(double))
        load_impulses(&island.G, island.impulse)
        island.error = error


cdef int sweep_and_refine(Island* island, Newton* N, const Settings* s, const ContactProblem* p,
                          double* history) except -1 nogil:
    """Sweep from the impulses that there are, and solve what is left by Newton's method.

    Without impulses Newton's method comes first: it shares loads evenly that any share would hold.  A heap is solved to
    a tolerance that follows its motion, so that what comes to rest is solved to the threshold.  Sweeps alone do for a
    heap that tumbles and for its poses: errors there are gone with the next step.
    """
    cdef bint alone = is_one_block(&island.G), heap = s.automatic and is_heap(&island.G)
    cdef double threshold = s.threshold, tolerance = s.threshold, speed = 0.0
    cdef int most
    if heap:
        speed = start_speed(&island.G, p)
        tolerance = max(threshold, FINE() * speed)
    elif s.automatic and (island.G.n_blocks > 0 or is_of_robots(&island.G)):
        threshold = tolerance = max(threshold, NOT_FELT() * p.dt)
    start(island)
    if not s.newton or s.law != COULOMB:
        sweep_island(island, s, s.threshold, tolerance, s.max_iterations, True, p, history)
        return 0
    if not alone and is_cold(island) and not (heap and is_of_poses(p)) and (
            refine(island, N, s, p, threshold, tolerance, False, history)):
        if island.converged:
            end_in_sweeps(island, N, s, p, history)
        sweep_stuck(island, N, s, p, tolerance, history)
        return 0
    sweep_island(island, s, SWEPT_SURELY() * s.threshold if heap else s.threshold, INFINITY if alone else 0.0,
                 s.max_iterations, False, p, history)
    if island.converged:
        return 0
    if heap and (is_of_poses(p) or speed * p.dt > TUMBLING() and slides(&island.G, p)):
        most = min(s.max_iterations, <int> TUMBLING_SWEEPS)
    elif refine(island, N, s, p, threshold, tolerance, heap, history):
        sweep_stuck(island, N, s, p, tolerance, history)
        return 0
    else:
        most = min(s.max_iterations, <int> MOST_SWEEPS)
    sweep_island(island, s, s.threshold, tolerance, most, True, p, history)
    return 0


cdef int solve_laws(Island* island, Newton* N, const Settings* s, const ContactProblem* p,
                    double* history) except -1 nogil:
    """Solve the laws as they stand, and again with compliance while kinematic bodies throw what they squeeze."""
    cdef int turn
    sweep_and_refine(island, N, s, p, history)
    for turn in range(YIELDS):
        if not throws(&island.G, p, island.impulse):
            break
        give_way(&island.G, p, turn)
        memset(island.impulse, 0, rows_of(&island.G) * sizeof(double))
        sweep_and_refine(island, N, s, p, history)
        island.converged = False
        island.ended = COMPLIANT
    accept(island)
    return 0


cdef int solve_bounces(Island* island, Newton* N, const Settings* s, const ContactProblem* p,
                       double* history) except -1 nogil:
    """Solve the laws, and again with less restitution while that makes energy."""
    cdef Search search = begin_search()
    cdef int last = island.iterations + 4 * s.max_iterations
    solve_laws(island, N, s, p, history)
    while lower_bounces(island, p, &search, last - island.iterations):
        solve_laws(island, N, s, p, history)
    keep_from_gaining(island, p, &search)
    return 0


cdef int solve_island(Island* island, Newton* N, const Settings* s, const ContactProblem* p,
                      double* history) except -1 nogil:
    """Solve one island from the impulses it holds, and once more if its rows ask for more than their laws' energy."""
    prepare_blocks(&island.G)
    solve_bounces(island, N, s, p, history)
    if drop_bends(island, p):
        solve_bounces(island, N, s, p, history)
    keep_lasting(island, p)
    return 0
