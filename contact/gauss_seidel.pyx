"""The sweep: contacts one after the other, in one direction, until nothing moves any more."""

from libc.math cimport INFINITY, fabs
from libc.string cimport memcpy, memset

from rbdyn.contact.accept cimport accept, makes_energy, too_dear
from rbdyn.contact.anderson cimport Anderson, mix, restart
from rbdyn.contact.block cimport SKIPPED, Cone, apply_block, make_compliant, mobility
from rbdyn.contact.laws.dispatch cimport prepare_blocks, visit_block
from rbdyn.contact.local cimport FAILED, Mode, local_impulse
from rbdyn.contact.operator cimport (
    LineBlock, Operator, add_impulse, clear_velocities, contact_velocity, impulse_at, line_velocity, load_impulses,
    set_free_velocity, set_impulse,
)
from rbdyn.contact.problem cimport BOX, ContactProblem
from rbdyn.contact.stick cimport Stick, affordable, begin, solve_sticking
from rbdyn.spatial._algebra cimport Vec3, add3, scale3, sub3, vec3

cdef double SOFT = 0.03            # compliance of blocks that contradict one another, of their own mobility
cdef double SLOW = 0.1             # of their targets is asked for then
cdef double CONTRADICTION = 0.1    # of the velocity that was to be changed is left, so that blocks count as such


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


cdef bint soften_dependent(Operator* G) noexcept nogil:
    """Give contacts without normal freedom of their own a compliance, lest they work against each other for ever."""
    cdef bint any_ = False
    cdef int i
    for i in range(G.n):
        if G.contact[i].block.dependent:
            G.contact[i].block.compliance = max(G.contact[i].block.compliance, G.contact[i].block.rho)
            any_ = True
    return any_


cdef void soften(Operator* G, const ContactProblem* p) noexcept nogil:
    """Give every block a compliance, SOFT of its own mobility: what contradicts has one answer then, a small one."""
    cdef LineBlock* k
    cdef double most
    cdef int i, r
    for i in range(G.n):
        make_compliant(&G.contact[i].block, G.contact[i].block.compliance + SOFT * mobility(&G.contact[i].block))
        G.contact[i].block.reach *= SLOW
        set_free_velocity(G.contact + i, p, i)
    for i in range(G.n_blocks):
        k = &G.block[i]
        most = 0.0
        for r in range(k.first, k.first + k.rows):
            most = max(most, SOFT * G.line[r].G)
        k.compliance += most
        for r in range(k.first, k.first + k.rows):
            G.line[r].G += most
            if p.target != NULL:
                G.line[r].v_free += (1.0 - SLOW) * max(0.0, p.target[3 * G.n + r])
    prepare_blocks(G)


cdef bint contradictory(const Operator* G, const double* impulse) noexcept nogil:
    """Whether blocks that push are far from what they push for: then some of them ask for opposite velocities.

    Where a law is met a row that pushes has no velocity (relative to its target; with its compliance), so that
    sum lam_r v_r = 0 over normal rows, whatever sum lam_r v_free_r was.  If no velocities meet the laws, impulses grow
    along a direction that moves nothing, sweep by sweep, and v_r stays (Farkas' lemma).  A box gives way at its bounds,
    and takes no part.
    """
    cdef const LineBlock* k
    cdef double left = 0.0, whole = 0.0, lam
    cdef int i, r
    for i in range(G.n):
        lam = impulse[3 * i + 2]
        left -= min(0.0, lam * (contact_velocity(G, i).z + G.contact[i].block.compliance * lam))
        whole += fabs(lam * G.contact[i].v_free.z)
    for i in range(G.n_blocks):
        k = &G.block[i]
        for r in range(k.first, k.first + k.rows if k.law != BOX else k.first):
            lam = impulse[3 * G.n + r]
            left -= min(0.0, lam * (line_velocity(G, r) + k.compliance * lam))
            whole += fabs(lam * G.line[r].v_free)
    return left > CONTRADICTION * whole


cdef void begin_again(Operator* G, Anderson* A, ContactProblem* p) noexcept nogil:
    """From no impulses: those of blocks that could not be met may have any size."""
    memset(p.impulse, 0, p.n_rows * sizeof(double))
    clear_velocities(G)
    restart(A)


cdef void go_back(Operator* G, Anderson* A, ContactProblem* p, double error) noexcept nogil:
    """Take the best impulses so far, and forget how the others came about."""
    memcpy(p.impulse, A.kept, p.n_rows * sizeof(double))
    load_impulses(G, p.impulse)
    restart(A)
    p.error = error


cdef int iterate(Operator* G, Anderson* A, Stick* S, const Settings* s, ContactProblem* p, double* history,
                 bint soft) except -1 nogil:
    """Sweeps from the impulses in p until they converge, stall, or (of hard blocks) prove contradictory."""
    cdef bint plain = s.alpha_init == 1.0 and s.alpha_min == 1.0, leapt = False, looked = soft
    cdef double alpha = s.alpha_init, best = INFINITY, mark = INFINITY
    cdef int first = p.iterations, k, last_progress = first
    cdef int tries = DIRECT_TRIES if s.direct and plain and p.n_cones > 0 and not soft else 0
    start(G, A, p)
    for k in range(first, s.max_iterations):
        memcpy(A.x, p.impulse, p.n_rows * sizeof(double))
        p.error = sweep(G, s, alpha, p.impulse)
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
        if k + 1 == HARD_SWEEPS and not soft and contradictory(G, p.impulse):
            break
        if k + 1 >= HARD_SWEEPS and not looked:
            looked = True
            if soften_dependent(G):                    # another problem: nothing learnt so far is true of it
                best = mark = INFINITY
                begin_again(G, A, p)
                continue
        if not plain or k + 1 < first + PLAIN_SWEEPS or k + 1 >= s.max_iterations:
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
    return 0


cdef int gauss_seidel(Operator* G, Anderson* A, Stick* S, const Settings* settings, ContactProblem* p,
                      double* history) except -1 nogil:
    """Solve p from the impulses it holds.  Writes impulse, iterations, error, converged, and each sweep's error.

    Hwangbo, Lee and Hutter (RA-L 2018) for the sweep and alpha.  Where sweeps converge slowly, sticking contacts are
    solved together (stick.pxd), and what remains is accelerated.  A step that makes things much worse, or makes energy,
    is taken back.  Laws that no velocities can meet (a robot whose links overlap on all sides) are solved with
    compliance, from the start.  The impulses returned are those after the best sweep: feasible, never the accelerated
    ones; `accept` has the last word.
    """
    cdef Settings s = settings[0]                       # the sweeps must not notice that somebody changes them
    prepare_blocks(G)
    p.iterations, p.error, p.converged = 0, 0.0, p.n == 0
    if p.n > 0:
        iterate(G, A, S, &s, p, history, False)
        if (not p.converged and contradictory(G, p.impulse)) or too_dear(G, p):
            soften(G, p)
            begin_again(G, A, p)
            iterate(G, A, S, &s, p, history, True)
            p.converged = False
    accept(G, p)
    return 0
