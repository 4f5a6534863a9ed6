"""The sweep: contacts one after the other, in one direction, until nothing moves any more."""

from libc.math cimport INFINITY
from libc.string cimport memcpy, memset

from rbdyn.contact.accept cimport accept, makes_energy, temper
from rbdyn.contact.after.lasting cimport keep_lasting, note_begun
from rbdyn.contact.cone.block cimport SKIPPED
from rbdyn.contact.cone.local cimport COULOMB, SLIDE
from rbdyn.contact.islands cimport Island, is_of_robots, rows_of
from rbdyn.contact.laws cimport cone
from rbdyn.contact.laws.dispatch cimport clear_immovable, make_admissible, prepare_blocks, visit_block
from rbdyn.contact.operator cimport Operator, load_impulses, set_impulse
from rbdyn.contact.problem cimport BILATERAL, ContactProblem
from rbdyn.contact.solve.newton cimport Newton, solve_newton
from rbdyn.contact.solvers.acceleration.anderson cimport Anderson, extrapolate, fail, restart
from rbdyn.contact.solvers.acceleration.anderson cimport begin as begin_anderson
from rbdyn.contact.solvers.bends cimport drop_bends
from rbdyn.contact.solvers.bounce cimport Search, begin_search, keep_from_gaining, lower_bounces
from rbdyn.contact.solvers.contradiction cimport contradicts, is_dear, soften, soften_dependent
from rbdyn.contact.solvers.direct.active_set cimport solve_held
from rbdyn.contact.solvers.direct.room cimport begin as begin_direct
from rbdyn.contact.solvers.direct.sharing cimport share_loads
from rbdyn.contact.solvers.direct.workspace cimport Direct
from rbdyn.contact.solvers.acceleration.drift cimport ARRIVED, LEG, drift
from rbdyn.contact.solvers.proximal.attempt cimport soften_changes
from rbdyn.contact.solvers.settings cimport (
    ACCEPTABLE, DIRECT_EVERY, FEW_CONTACTS, HARD_SWEEPS, HASTY_SWEEPS, MOST_SWEEPS, PACE, PATIENT_SWEEPS,
    PATIENT_TRIES, PLAIN_SWEEPS, SLIDING, YIELDS, Settings, soft_sweeps,
)
from rbdyn.contact.solvers.squeeze cimport give_way, throws
from rbdyn.contact.solvers.tuning cimport rests
from rbdyn.spatial._algebra cimport vec3


cdef double ROUGH = 100.0          # times as much: a hundredth of gravity
cdef double SLOW = 0.6             # of the error PACE sweeps before
cdef int WARM_UP = 10              # sweeps of an island without impulses
cdef int STUCK = 20                # sweeps without progress, leaps among them, that go round and round
cdef double HALF_WAY = 0.5         # of its step that a block goes then
cdef double GENTLE = 0.2           # of its step that a block goes in them
cdef double NOT_FELT = 1e-3        # [m/s^2] times the time step: a residual that counts as none
cdef double HALF = 0.5             # of the error before: sweeps that leave more are no quick way
cdef double LAST_DIGITS = 1e-5     # of the threshold: what a sweep may still change


cdef double sweep(Operator* G, const Settings* s, double alpha, double* impulse) noexcept nogil:
    """Visit every block once, cones behind the others or, backward, first; returns the largest velocity change.

    Discs come behind cones in both directions: they obey the push that the sweep ends with.
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


cdef inline void limit_discs(const Operator* G, double* impulse) noexcept nogil:
    """Take accelerated impulses into their discs.

    A sweep that begins beyond a rim ends on it, and the next acceleration would lead to the same place again.
    """
    cdef int k
    for k in range(G.n_blocks - G.n_discs, G.n_blocks):
        make_admissible(&G.block[k], impulse, impulse + 3 * G.n + G.block[k].first)


cdef void start(Island* island, Anderson* A) noexcept nogil:
    """Load the impulses; a skipped contact gets none.  Weights G_nn measure impulses by their energy."""
    cdef Operator* G = &island.G
    cdef int i, k
    restart(A)
    for i in range(G.n):
        if G.contact[i].block.kind == SKIPPED:
            set_impulse(island.impulse, i, vec3(0.0, 0.0, 0.0))
        for k in range(3):
            A.weight[3 * i + k] = G.contact[i].block.G.zz
    for i in range(G.n_lines):
        A.weight[3 * G.n + i] = G.line[i].G
    clear_immovable(G, island.impulse)
    load_impulses(G, island.impulse)
    note_begun(island)


cdef void begin_again(Island* island) noexcept nogil:
    """No impulses: those of blocks that could not be met may have any size."""
    memset(island.impulse, 0, rows_of(&island.G) * sizeof(double))
    load_impulses(&island.G, island.impulse)


cdef void warm_up(Island* island, const Settings* s, const ContactProblem* p) noexcept nogil:
    """Some gentle sweeps, if the island begins at rest without impulses: its contacts take up the load together.

    Full ones give it to the first corner visited.  What a grasp takes up there it never gives back: the corner slips.
    """
    cdef double* impulse = island.impulse
    cdef int k
    for k in range(rows_of(&island.G)):
        if impulse[k] != 0.0:
            return
    if island.G.n == 0 or not rests(&island.G, p):
        return
    load_impulses(&island.G, impulse)
    for _ in range(WARM_UP):
        sweep(&island.G, s, GENTLE, impulse)


cdef void restore(Island* island, const double* impulse, double error) noexcept nogil:
    """Go back to these impulses, after which the error was this."""
    memcpy(island.impulse, impulse, rows_of(&island.G) * sizeof(double))
    load_impulses(&island.G, island.impulse)
    island.error = error


cdef bint gains_little(const Island* island, const Settings* s, double best, double before) noexcept nogil:
    """Whether many contacts slide, and more sweeps are not worth while; `before` was the best error PACE sweeps ago.

    The next problem is another one then, and what a direct solve would hold gives way.  Contacts without friction slide
    always; those with it count while the error is large and falls slowly.
    """
    cdef const Operator* G = &island.G
    cdef bint slow = best > max(ROUGH * s.enough, SLOW * before)
    cdef int i, count = 0
    for i in range(G.n):
        count += G.contact[i].mode == SLIDE and (slow or G.contact[i].block.mu == 0.0)
    return SLIDING * count > G.n and not contradicts(G, island.impulse, 0.5)


cdef struct Progress:          # how the sweeps of an island get on
    bint plain               # every alpha is 1: leaps are allowed
    bint soft                # it has been softened
    bint looked              # for blocks that contradict one another
    bint leapt, tried        # before the sweep that is done: an accelerated step or a direct solve; a direct solve
    bint hasty               # its end is near: no leaps
    int first, last          # sweeps done before, and the most in all
    int progress             # the latest sweep that made some
    int leg                  # sweeps that a drift step still has to arrive
    int tries, most          # direct solves left, and at first
    double alpha
    double best              # least error
    double base              # error from which a leap is judged
    double mark, before, pace      # errors from which progress, a direct solve and PACE sweeps are counted


cdef Progress begin_progress(const Island* island, const Settings* s, int last, bint soft) noexcept nogil:
    """Before the first sweep."""
    cdef Progress q
    memset(&q, 0, sizeof(Progress))
    q.plain = s.alpha_init == 1.0 and s.alpha_min == 1.0
    q.soft = q.looked = soft
    q.first = q.progress = island.iterations
    q.last = last
    q.most = s.tries
    if s.direct and q.plain and not soft and (island.G.n > 0 or island.G.n_lines > 1):
        q.tries = q.most
    q.alpha = s.alpha_init
    q.best = q.mark = q.before = q.pace = INFINITY
    return q


cdef bint take_back(Island* island, Anderson* A, const Settings* s, Progress* q) noexcept nogil:
    """Whether the sweep shows that the leap before it led astray: the impulses from before it are back then."""
    if q.leg > 0:                                      # on the way after a drift step
        q.leg = q.leg - 1 if island.error > ARRIVED * q.best else 0
        if q.leg != 1 and island.error != INFINITY:
            return False
        q.leg = 0
        restore(island, A.kept, q.best)
        fail(A)
        return True
    if not q.leapt or island.error <= ACCEPTABLE * q.base and not makes_energy(&island.G, island.impulse):
        return False
    if q.tried or not s.thorough:
        restore(island, A.kept, q.best)
    else:                                              # errors of rows may grow before they fall: no further back
        restore(island, A.g, q.base)
    if q.tried:
        restart(A)
        q.tries = max(0, q.tries - s.tries // 4) if s.thorough else 0
    else:
        fail(A)
    q.leapt = q.tried = False
    return True


cdef inline bint relaxes(const Settings* s, const Progress* q) noexcept nogil:
    """Whether sweeps that get nowhere are to be damped: those of robots and nets, once."""
    return s.thorough and q.plain and not q.soft


cdef void relax(Island* island, Anderson* A, Progress* q) noexcept nogil:
    """Go half of each block's way from now on, without leaps, from the best impulses so far.

    Where contacts slide on a mechanism that rows hold together, a push and its friction may go to and fro from sweep to
    sweep for ever.
    """
    restore(island, A.kept, q.best)
    q.plain, q.alpha = False, HALF_WAY
    q.progress, q.mark = island.iterations - 1, INFINITY


cdef bint is_over(Island* island, Anderson* A, const Settings* s, Progress* q) noexcept nogil:
    """Take note of a sweep; whether it was the last: it converged, failed, or nothing has got better for long."""
    island.converged = island.error < (s.threshold if island.iterations <= s.strict else s.enough)
    if island.error < q.best:
        q.best = island.error
        memcpy(A.kept, island.impulse, rows_of(&island.G) * sizeof(double))
    if island.converged or island.error == INFINITY:
        return True
    if island.error < 0.99 * q.mark or s.thorough and island.iterations == q.first + PLAIN_SWEEPS:
        q.mark, q.progress = island.error, island.iterations - 1
    elif island.iterations - 1 - q.progress >= (min(s.patience, STUCK) if relaxes(s, q) else s.patience):
        if not relaxes(s, q):
            return True
        relax(island, A, q)
    q.alpha = s.alpha_min + s.alpha_decay * (q.alpha - s.alpha_min)
    q.leapt = q.tried = False
    return False


cdef bint give_up(const Island* island, const Settings* s, Progress* q) noexcept nogil:
    """Every PACE sweeps of an island in haste: whether to leave it as it is."""
    cdef int done = island.iterations
    if s.hasty and not q.soft and done + 2 >= PLAIN_SWEEPS and (done - PLAIN_SWEEPS) % PACE == 0:
        q.hasty = done >= PLAIN_SWEEPS and gains_little(island, s, q.best, q.pace)
        q.pace = q.best
        return q.hasty and done >= HASTY_SWEEPS
    return False


cdef int leap(Island* island, Anderson* A, Direct* S, const Settings* s, const ContactProblem* p, Progress* q,
              size_t* reallocations) except -1 nogil:
    """Beyond what sweeps do: a drift step, a direct solve, or an accelerated step, if one of them is due."""
    cdef Operator* G = &island.G
    if not q.plain or island.iterations < q.first + PLAIN_SWEEPS or island.iterations >= q.last or q.hasty:
        return 0
    if q.tries == q.most:
        q.tries = q.tries if begin_direct(S, G, p, reallocations) else 0
    elif not s.thorough and q.tries > 0 and q.best > 0.5 * q.before:
        q.tries = 0
    if s.anderson and q.leg == 0 and A.pause == 0 and drift(G, A, island.impulse):
        load_impulses(G, island.impulse)
        q.leg = LEG
        restart(A)
    elif q.leg == 0 and q.tries > 0:
        if island.iterations % DIRECT_EVERY == 0:
            q.before = q.base = q.best
            q.leapt = q.tried = solve_held(S, G, p, island.impulse, s.threshold, s.patient)
            q.tries = q.tries - 1 if q.tried else 0
    elif s.anderson and extrapolate(A, island.impulse, island.error, island.impulse):
        limit_discs(G, island.impulse)
        load_impulses(G, island.impulse)
        q.leapt, q.base = True, (island.error if s.thorough else q.best)
    return 0


cdef bint iterate(Island* island, Anderson* A, Direct* S, const Settings* s, const ContactProblem* p, double* history,
                  int last, bint soft, size_t* reallocations) except -1 nogil:
    """Sweeps from the impulses of the island until they converge or stall, up to `last` in all.

    Returns whether it ended because hard blocks contradict one another.
    """
    cdef Operator* G = &island.G
    cdef Progress q = begin_progress(island, s, last, soft)
    cdef int k
    start(island, A)
    for k in range(q.first, last):
        memcpy(A.x, island.impulse, rows_of(G) * sizeof(double))
        island.error = sweep(G, s, q.alpha, island.impulse)
        history[k] = max(history[k], island.error) if k < p.iterations else island.error
        island.iterations = k + 1
        if take_back(island, A, s, &q):
            continue
        if is_over(island, A, s, &q):
            break
        if k + 1 - q.first >= HARD_SWEEPS and not q.looked:
            q.looked = True
            if k + 1 - q.first == HARD_SWEEPS and G.n > 0 and contradicts(G, island.impulse, 0.5):
                return True
            if soften_dependent(G):                    # another problem: nothing learnt so far is true of it
                q.best = q.mark = INFINITY
                begin_again(island)
                restart(A)
                continue
        if give_up(island, s, &q):
            break
        leap(island, A, S, s, p, &q, reallocations)
    if not island.converged and (q.best < island.error or q.leg > 0):
        restore(island, A.kept, q.best)
    return False


cdef bint must_soften(const Island* island, const ContactProblem* p) noexcept nogil:
    """Whether the laws are such that no velocities can meet them, or not at any reasonable cost.

    Fewer than HARD_SWEEPS sweeps tell nothing: impulses that still grow look alike.
    """
    if not island.converged and island.iterations >= HARD_SWEEPS and contradicts(&island.G, island.impulse, 0.4):
        return True
    return is_dear(&island.G, p, island.impulse)


cdef bint solve_patiently(Island* island, Anderson* A, Direct* S, const Settings* s, const ContactProblem* p,
                          double* history, size_t* reallocations) except -1 nogil:
    """Whether direct solves that go on can do what seems to contradict itself, of single bodies.

    A heavy load on light things looks alike to sweeps, which take thousands to hand it on.
    """
    cdef Settings patient = s[0]
    if s.patient or not s.direct or island.G.n_blocks > 0 or is_of_robots(&island.G):
        return False
    patient.patient, patient.thorough, patient.hasty, patient.tries = True, True, False, PATIENT_TRIES
    begin_again(island)
    iterate(island, A, S, &patient, p, history, island.iterations + PATIENT_SWEEPS, False, reallocations)
    return island.converged and not must_soften(island, p)


cdef int unsqueeze(Island* island, Anderson* A, Direct* S, const Settings* s, const ContactProblem* p, double* history,
                   size_t* reallocations) except -1 nogil:
    """Solve again, with compliance where kinematic bodies push, while they throw what they squeeze."""
    cdef int turn
    for turn in range(YIELDS):
        if not throws(&island.G, p, island.impulse):
            return 0
        give_way(&island.G, p, turn)
        begin_again(island)
        iterate(island, A, S, s, p, history, island.iterations + soft_sweeps(s), True, reallocations)
        island.converged = False
        island.rescued = True
    return 0


cdef int solve_once(Island* island, Anderson* A, Direct* S, const Settings* s, const ContactProblem* p,
                    double* history, size_t* reallocations) except -1 nogil:
    """One island from the impulses it holds; what contradicts is solved with compliance."""
    cdef Search search = begin_search()
    cdef int last = s.max_iterations + soft_sweeps(s)
    cdef bint hard = iterate(island, A, S, s, p, history, s.few if s.few > 0 else s.max_iterations, False,
                             reallocations)
    if not hard and not island.converged:
        if not soften_changes(island, A, S, s, p, reallocations) and s.few > 0 and not island.converged:
            hard = iterate(island, A, S, s, p, history, s.max_iterations, False, reallocations)
    if (hard or must_soften(island, p)) and not solve_patiently(island, A, S, s, p, history, reallocations):
        soften(&island.G, p)
        island.rescued = True
        begin_again(island)
        iterate(island, A, S, s, p, history, max(s.max_iterations, island.iterations + soft_sweeps(s)), True,
                reallocations)
        island.converged = False
    unsqueeze(island, A, S, s, p, history, reallocations)
    accept(island)
    while lower_bounces(island, p, &search, last - island.iterations):
        island.converged = False
        iterate(island, A, S, s, p, history, last, True, reallocations)
        accept(island)
    keep_from_gaining(island, p, &search)
    return 0


# ---- islands of robots and rows: sweeps, and Newton's method ----

cdef void sweep_quickly(Island* island, const Settings* s, double enough, int most, bint alone,
                        const ContactProblem* p, double* history) noexcept nogil:
    """Sweep while that is a quick way: until the error is below `enough`, or was not halved.

    One block, `alone`, is solved once a sweep does not change it by more than rounding.
    """
    cdef double before = INFINITY, alpha = s.alpha_init
    cdef int last = island.iterations + most
    island.converged = False
    while island.iterations < last and not island.converged:
        island.error = sweep(&island.G, s, alpha, island.impulse)
        note_error(island, p, history)
        island.converged = island.error < enough
        if not (island.error <= HALF * before and island.error < INFINITY):
            island.converged |= alone and island.error < INFINITY and before < INFINITY
            return
        before = island.error
        alpha = s.alpha_min + s.alpha_decay * (alpha - s.alpha_min)


cdef inline void note_error(Island* island, const ContactProblem* p, double* history) noexcept nogil:
    """Count a sweep or a step, and write its error [m/s]."""
    cdef int k = island.iterations
    history[k] = max(history[k], island.error) if k < p.iterations else island.error
    island.iterations = k + 1


cdef int sweep_and_refine(Island* island, Anderson* A, Direct* S, Newton* N, const Settings* s, const ContactProblem* p,
                          double* history, size_t* reallocations) except -1 nogil:
    """Sweep from the impulses that there are, and solve what is left by Newton's method.

    Without impulses Newton's method comes first: it shares loads evenly that any share would hold.
    """
    cdef Settings plain = s[0]
    cdef double tolerance = max(s.threshold, NOT_FELT * p.dt) if s.automatic else s.threshold
    cdef bint alone = is_one_block(&island.G)
    start(island, A)
    if not alone and is_cold(island) and refine(island, N, p, tolerance, s.max_iterations, history):
        if island.converged:
            end_in_sweeps(island, A, s, p, history)
    else:
        sweep_quickly(island, s, s.threshold, s.max_iterations, alone, p, history)
        if not alone and not island.converged and not refine(island, N, p, tolerance, s.max_iterations, history):
            plain.anderson = plain.direct = plain.hasty = False
            plain.enough, plain.strict = tolerance, 0
            iterate(island, A, S, &plain, p, history, island.iterations + min(s.max_iterations, <int> MOST_SWEEPS),
                    True, reallocations)
    accept(island)
    return 0


cdef void end_in_sweeps(Island* island, Anderson* A, const Settings* s, const ContactProblem* p,
                        double* history) noexcept nogil:
    """Sweep what Newton's method solved, and keep that if it is a quick way to the last digits."""
    cdef double error = island.error
    memcpy(A.kept, island.impulse, rows_of(&island.G) * sizeof(double))
    sweep_quickly(island, s, LAST_DIGITS * s.threshold, s.max_iterations, False, p, history)
    if not island.converged:
        restore(island, A.kept, error)
        island.converged = True


cdef bint refine(Island* island, Newton* N, const ContactProblem* p, double tolerance, int most,
                 double* history) except -1 nogil:
    """Solve an island by Newton's method; False if that would cost too much."""
    cdef int k = island.iterations
    if not solve_newton(N, island, p, tolerance, most):
        return False
    while k < island.iterations:                       # steps of Newton's method: what they came to
        history[k] = max(history[k], island.error) if k < p.iterations else island.error
        k += 1
    return True


cdef inline bint is_one_block(const Operator* G) noexcept nogil:
    """Tell whether an island is solved by a visit to its one block."""
    return G.n + G.n_blocks == 1 and (G.n == 1 or G.n_lines == 1 or G.block[0].law == BILATERAL)


cdef bint is_cold(const Island* island) noexcept nogil:
    """Tell whether an island has no impulse."""
    cdef int k
    for k in range(rows_of(&island.G)):
        if island.impulse[k] != 0.0:
            return False
    return True


cdef int solve_robots(Island* island, Anderson* A, Direct* S, Newton* N, const Settings* s, const ContactProblem* p,
                      double* history, size_t* reallocations) except -1 nogil:
    """One island of robots or rows from the impulses it holds, and again with lower bounces while these make energy."""
    cdef Search search = begin_search()
    cdef int last = island.iterations + 4 * s.max_iterations
    sweep_and_refine(island, A, S, N, s, p, history, reallocations)
    while lower_bounces(island, p, &search, last - island.iterations):
        sweep_and_refine(island, A, S, N, s, p, history, reallocations)
    keep_from_gaining(island, p, &search)
    return 0


cdef int solve_island(Island* island, Anderson* A, Direct* S, Newton* N, const Settings* s, const ContactProblem* p,
                      double* history, size_t* reallocations) except -1 nogil:
    """One island from the impulses it holds, and once more if what its rows ask for beyond their laws makes energy.

    Islands of robots, and of rows that are no contact's, are solved by sweeps and Newton's method, others as below.

    The impulses returned are those after the best sweep: feasible, never the accelerated ones; `accept` has the last
    word.  Laws that no velocities can meet (a robot whose links overlap on all sides) are solved with compliance, from
    the start.
    """
    cdef Settings again
    begin_anderson(A, rows_of(&island.G), reallocations)
    prepare_blocks(&island.G)
    if s.newton and s.law == COULOMB and (is_of_robots(&island.G) or island.G.n_blocks > 0):
        solve_robots(island, A, S, N, s, p, history, reallocations)
        if drop_bends(island, p):
            solve_robots(island, A, S, N, s, p, history, reallocations)
        keep_lasting(island, p)
        return 0
    if island.G.n > FEW_CONTACTS:
        temper(island)
    warm_up(island, s, p)
    solve_once(island, A, S, s, p, history, reallocations)
    if drop_bends(island, p):
        again = s[0]
        again.strict += island.iterations
        again.max_iterations += island.iterations
        solve_once(island, A, S, &again, p, history, reallocations)
    if not s.hasty:
        share_loads(S, island, p, s.threshold, reallocations)
    keep_lasting(island, p)
    return 0
