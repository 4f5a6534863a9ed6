"""The sweep: contacts one after the other, in one direction, until nothing moves any more."""

from libc.math cimport INFINITY, fabs
from libc.string cimport memcpy

from rbdyn.contact.accept cimport accept, makes_energy
from rbdyn.contact.anderson cimport Anderson, mix, restart
from rbdyn.contact.block cimport SKIPPED, Cone, apply_block
from rbdyn.contact.laws.dispatch cimport prepare_blocks, visit_block
from rbdyn.contact.local cimport FAILED, Mode, local_impulse
from rbdyn.contact.operator cimport Operator, add_impulse, contact_velocity, impulse_at, load_impulses, set_impulse
from rbdyn.contact.problem cimport ContactProblem
from rbdyn.contact.stick cimport Stick, affordable, begin, solve_sticking
from rbdyn.spatial._algebra cimport Vec3, add3, scale3, sub3, vec3


cdef double visit(Operator* G, const Settings* s, double alpha, double* impulse, int i) noexcept nogil:
    """Solve contact i with the others held; returns its velocity change |G_ii delta|_inf [m/s]."""
    cdef const Cone* B = &G.contact[i].block
    cdef Vec3 old = impulse_at(impulse, i)
    cdef Vec3 c = sub3(contact_velocity(G, i), apply_block(B, old)), lam, delta
    cdef Mode mode
    if B.compliance > 0.0:
        c = add3(c, scale3(B.compliance, old))
    lam = local_impulse(B, c, old, s.law, s.method, &mode)
    if alpha != 1.0:
        lam = add3(old, scale3(alpha, sub3(lam, old)))
    delta = sub3(lam, old)
    G.contact[i].mode = mode
    if mode == FAILED:
        return INFINITY
    if delta.x == 0.0 and delta.y == 0.0 and delta.z == 0.0:
        return 0.0
    set_impulse(impulse, i, lam)
    add_impulse(G, i, delta)
    delta = apply_block(B, delta)
    return max(fabs(delta.x), fabs(delta.y), fabs(delta.z))


cdef double sweep(Operator* G, const Settings* s, double alpha, double* impulse) noexcept nogil:
    """Visit every block once, cones last or, backward, first; returns the largest velocity change."""
    cdef double error = 0.0
    cdef double* others = impulse + 3 * G.n
    cdef int k, n = G.n
    if not s.backward:
        for k in range(G.n_blocks):
            error = max(error, visit_block(G, &G.block[k], alpha, others))
    for k in range(n):
        error = max(error, visit(G, s, alpha, impulse, n - 1 - k if s.backward else k))
    if s.backward:
        for k in range(G.n_blocks - 1, -1, -1):
            error = max(error, visit_block(G, &G.block[k], alpha, others))
    return error


cdef void start(Operator* G, Anderson* A, ContactProblem* p) noexcept nogil:
    """Load the warm start; a skipped contact gets none.  Weights G_nn measure impulses by their energy."""
    cdef int i, k
    for i in range(G.n):
        if G.contact[i].block.kind == SKIPPED:
            set_impulse(p.impulse, i, vec3(0.0, 0.0, 0.0))
        for k in range(3):
            A.weight[3 * i + k] = G.contact[i].block.G.zz
    for i in range(G.n_lines):
        A.weight[3 * G.n + i] = G.line[i].G
    load_impulses(G, p.impulse)


cdef bint soften(Operator* G) noexcept nogil:
    """Give contacts without normal freedom of their own a compliance, lest they work against each other for ever."""
    cdef bint any_ = False
    cdef int i
    for i in range(G.n):
        if G.contact[i].block.dependent:
            G.contact[i].block.compliance = G.contact[i].block.rho
            any_ = True
    return any_


cdef void go_back(Operator* G, Anderson* A, ContactProblem* p, double error) noexcept nogil:
    """Take the best impulses so far, and forget how the others came about."""
    memcpy(p.impulse, A.kept, p.n_rows * sizeof(double))
    load_impulses(G, p.impulse)
    restart(A)
    p.error = error


cdef int gauss_seidel(Operator* G, Anderson* A, Stick* S, const Settings* settings, ContactProblem* p,
                      double* history) except -1 nogil:
    """Solve p from the impulses it holds.  Writes impulse, iterations, error, converged, and each sweep's error.

    Hwangbo, Lee and Hutter (RA-L 2018) for the sweep and alpha.  Where sweeps converge slowly, sticking contacts are
    solved together (stick.pxd), and what remains is accelerated.  A step that makes things much worse, or makes energy,
    is taken back.  The impulses returned are those after the best sweep: feasible, never the accelerated
    ones; `accept` has the last word.
    """
    cdef Settings s = settings[0]                       # the sweeps must not notice that somebody changes them
    cdef bint plain = s.alpha_init == 1.0 and s.alpha_min == 1.0, leapt = False
    cdef double alpha = s.alpha_init, best = INFINITY, mark = INFINITY
    cdef int k, last_progress = 0, tries = DIRECT_TRIES if s.direct and plain and p.n_cones > 0 else 0
    prepare_blocks(G)
    start(G, A, p)
    p.iterations, p.error, p.converged = 0, 0.0, p.n == 0
    for k in range(s.max_iterations if p.n > 0 else 0):
        memcpy(A.x, p.impulse, p.n_rows * sizeof(double))
        p.error = sweep(G, &s, alpha, p.impulse)
        history[k] = p.error
        p.iterations = k + 1
        if leapt and not (p.error <= LEAP * best and not makes_energy(G, p.impulse)):
            go_back(G, A, p, best)
            tries = tries - 3 if tries > 3 else 0
            leapt = False
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
        leapt = False
        if k + 1 == HARD_SWEEPS and soften(G):
            best = mark = INFINITY
        if not plain or k + 1 < PLAIN_SWEEPS or k + 1 >= s.max_iterations:
            continue
        if tries == DIRECT_TRIES:
            begin(S, G, p, &G.growths)
            tries = tries if affordable(S, p.n_cones) else 0
        if tries > 0:
            if (k + 1) % DIRECT_EVERY == 0:
                solve_sticking(S, G, p, s.threshold)
                tries -= 1
                leapt = True
        elif s.anderson and mix(A, p.impulse, p.error, p.impulse):
            load_impulses(G, p.impulse)
            leapt = True
    if not p.converged and best < p.error:
        go_back(G, A, p, best)
    accept(G, p)
    return 0
