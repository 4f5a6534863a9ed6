"""The sweep: contacts one after the other, in one direction, until nothing moves any more."""

from libc.math cimport INFINITY
from libc.string cimport memcpy

from rbdyn.contact.accept cimport accept, makes_energy
from rbdyn.contact.cone.block cimport SKIPPED
from rbdyn.contact.islands cimport find_islands
from rbdyn.contact.laws cimport cone
from rbdyn.contact.laws.dispatch cimport prepare_blocks, visit_block
from rbdyn.contact.operator cimport Operator, load_impulses, set_impulse
from rbdyn.contact.problem cimport ContactProblem
from rbdyn.contact.solvers.anderson cimport Anderson, extrapolate, restart
from rbdyn.contact.solvers.contradiction cimport (
    begin_marked_again, mark_contradictory, mark_dear, mark_dependent, may_be_dear, soften_marked,
)
from rbdyn.contact.solvers.direct cimport Direct, affordable, begin, solve_sticking
from rbdyn.spatial._algebra cimport vec3


cdef double sweep(Operator* G, const Settings* s, double alpha, double* impulse) noexcept nogil:
    """Visit every block once, cones last or, backward, first; returns the largest velocity change."""
    cdef double error = 0.0
    cdef double* others = impulse + 3 * G.n
    cdef int k, n = G.n
    if not s.backward:
        for k in range(G.n_blocks):
            error = max(error, visit_block(G, &G.block[k], alpha, others))
    for k in range(n):
        error = max(error, cone.visit(G, n - 1 - k if s.backward else k, s.law, s.method, alpha, impulse))
    if s.backward:
        for k in range(G.n_blocks - 1, -1, -1):
            error = max(error, visit_block(G, &G.block[k], alpha, others))
    return error


cdef void start(Operator* G, Anderson* A, ContactProblem* p) noexcept nogil:
    """Load the impulses; a skipped contact gets none.  Weights G_nn measure impulses by their energy."""
    cdef int i, k
    restart(A)
    for i in range(G.n):
        if G.contact[i].block.kind == SKIPPED:
            set_impulse(p.impulse, i, vec3(0.0, 0.0, 0.0))
        for k in range(3):
            A.weight[3 * i + k] = G.contact[i].block.G.zz
    for i in range(G.n_lines):
        A.weight[3 * G.n + i] = G.line[i].G
    load_impulses(G, p.impulse)


cdef void restore(Operator* G, Anderson* A, ContactProblem* p, double error) noexcept nogil:
    """Take the best impulses so far, and forget how the others came about."""
    memcpy(p.impulse, A.kept, p.n_rows * sizeof(double))
    load_impulses(G, p.impulse)
    restart(A)
    p.error = error


cdef bint iterate(Operator* G, Anderson* A, Direct* S, const Settings* s, ContactProblem* p, double* history,
                  int last, bint soft) except -1 nogil:
    """Sweeps from the impulses in p until they converge or stall, up to `last` in all.

    Returns whether it ended because hard blocks contradict one another; their islands are marked then.
    """
    cdef bint plain = s.alpha_init == 1.0 and s.alpha_min == 1.0, accelerated = False, looked = soft
    cdef double alpha = s.alpha_init, best = INFINITY, mark = INFINITY
    cdef int first = p.iterations, k, last_progress = first
    cdef int tries = DIRECT_TRIES if s.direct and plain and p.n_cones > 0 and not soft else 0
    start(G, A, p)
    for k in range(first, last):
        memcpy(A.x, p.impulse, p.n_rows * sizeof(double))
        p.error = sweep(G, s, alpha, p.impulse)
        history[k] = p.error
        p.iterations = k + 1
        if accelerated and not (p.error <= ACCEPTABLE * best and not makes_energy(G, p.impulse)):
            restore(G, A, p, best)
            tries = tries - 3 if tries > 3 else 0
            accelerated = False
            continue
        p.converged = p.error < s.threshold
        if p.error < best:
            best = p.error
            memcpy(A.kept, p.impulse, p.n_rows * sizeof(double))
        if p.converged or p.error == INFINITY:
            break
        if p.error < 0.99 * mark:
            mark, last_progress = p.error, k
        elif k - last_progress >= s.patience:
            break
        alpha = s.alpha_min + s.alpha_decay * (alpha - s.alpha_min)
        accelerated = False
        if k + 1 >= HARD_SWEEPS and not looked:
            looked = True
            find_islands(G)
            if k + 1 == HARD_SWEEPS and mark_contradictory(G, p.impulse, 0.5):
                return True
            if mark_dependent(G):                      # another problem: nothing learnt so far is true of it
                best = mark = INFINITY
                begin_marked_again(G, p)
                restart(A)
                continue
        if not plain or k + 1 < first + PLAIN_SWEEPS or k + 1 >= last:
            continue
        if tries == DIRECT_TRIES:
            begin(S, G, p, &G.reallocations)
            tries = tries if affordable(S, p.n_cones) else 0
        if tries > 0:
            if (k + 1) % DIRECT_EVERY == 0:
                solve_sticking(S, G, p, s.threshold)
                tries -= 1
                accelerated = True
        elif s.anderson and extrapolate(A, p.impulse, p.error, p.impulse):
            load_impulses(G, p.impulse)
            accelerated = True
    if not p.converged and best < p.error:
        restore(G, A, p, best)
    return False


cdef bint must_soften(Operator* G, const ContactProblem* p) except -1 nogil:
    """Whether there are islands, which are marked, whose laws no velocities can meet, or not at any reasonable cost.

    Fewer than HARD_SWEEPS sweeps tell nothing: impulses that still grow look alike.
    """
    cdef bint stalled = not p.converged and p.iterations >= HARD_SWEEPS, found = False
    if stalled or may_be_dear(G, p):
        find_islands(G)
        found = stalled and mark_contradictory(G, p.impulse, 0.4)
        found |= may_be_dear(G, p) and mark_dear(G, p)
    return found


cdef int gauss_seidel(Operator* G, Anderson* A, Direct* S, const Settings* settings, ContactProblem* p,
                      double* history) except -1 nogil:
    """Solve p from the impulses it holds.  Writes impulse, iterations, error, converged, and each sweep's error.

    Hwangbo, Lee and Hutter (RA-L 2018) for the sweep and alpha.  Where sweeps converge slowly, sticking contacts are
    solved together (direct.pxd), and what remains is accelerated.  A step that makes things much worse, or makes
    energy, is taken back.  Islands whose laws no velocities can meet (a robot whose links overlap on all sides) are
    solved with compliance, from the start.  The impulses returned are those after the best sweep: feasible, never
    the accelerated ones; `accept` has the last word.
    """
    cdef Settings s = settings[0]                       # the sweeps must not notice that somebody changes them
    prepare_blocks(G)
    p.iterations, p.error, p.converged = 0, 0.0, p.n == 0
    if p.n > 0:
        if iterate(G, A, S, &s, p, history, s.max_iterations, False) or must_soften(G, p):
            soften_marked(G, p)
            begin_marked_again(G, p)
            iterate(G, A, S, &s, p, history, max(s.max_iterations, p.iterations + soft_sweeps(&s)), True)
            p.converged = False
    accept(G, p)
    return 0
