"""How contacts that hold share their load: sharing.pxd."""

from libc.math cimport fabs
from libc.string cimport memcpy

from rbdyn.contact.islands cimport Island
from rbdyn.contact.operator cimport Operator, contact_velocity, impulse_at, load_impulses, set_impulse
from rbdyn.contact.problem cimport ContactProblem
from rbdyn.contact.solvers.direct.multipliers cimport hold, make_matrix
from rbdyn.contact.solvers.direct.room cimport begin
from rbdyn.contact.solvers.direct.unknowns cimport constraints
from rbdyn.contact.solvers.direct.workspace cimport Direct
from rbdyn.spatial._algebra cimport Vec3, add3, dot3, scale3, sub3, zero3

cdef enum:
    LEAST = 3                # contacts that hold, for there to be a choice
    HALVINGS = 30
cdef double STILL = 10.0     # thresholds: what moves no faster holds, whatever it bears
cdef double NEWS = 0.1       # of the impulses: a change of less shares them as they were shared


cdef bint is_news(const Island* island) noexcept nogil:
    """Whether the impulses are much changed from those that the island began with."""
    cdef double whole = 0.0, change = 0.0
    cdef Vec3 lam, d
    cdef int i
    for i in range(island.G.n):
        lam = impulse_at(island.impulse, i)
        d = sub3(lam, impulse_at(island.begun, i))
        whole += dot3(lam, lam)
        change += dot3(d, d)
    return change > NEWS * NEWS * whole


cdef int find_held(Direct* S, const Operator* G, double slowest) noexcept nogil:
    """rows: all three of contacts that do not move, whatever they bear; returns how many."""
    cdef int i, n = 0
    cdef Vec3 v
    for i in range(G.n):
        v = contact_velocity(G, i)
        S.rows[i] = 0
        if fabs(v.x) <= slowest and fabs(v.y) <= slowest and fabs(v.z) <= slowest and (
                G.contact[i].block.compliance == 0.0 and not G.contact[i].block.dependent):
            S.rows[i] = 3
            n += 1
    for i in range(G.n, constraints(G)):               # rows keep what they bear
        S.rows[i] = 0
    return n


cdef inline bint is_inside(Vec3 lam, double mu) noexcept nogil:
    return lam.z >= 0.0 and lam.x * lam.x + lam.y * lam.y <= mu * mu * lam.z * lam.z


cdef double as_far(Vec3 lam, Vec3 d, double mu) noexcept nogil:
    """The share of d, at most 1, that lam may go and stays in its cone."""
    cdef double low = 0.0, high = 1.0, middle
    if is_inside(add3(lam, d), mu):
        return 1.0
    for _ in range(HALVINGS):
        middle = 0.5 * (low + high)
        if is_inside(add3(lam, scale3(middle, d)), mu):
            low = middle
        else:
            high = middle
    return low


cdef void move(Direct* S, Operator* G, double* impulse, double most) noexcept nogil:
    """From the impulses that the solve began with to those that it found, as far as cones allow."""
    cdef Vec3 old
    cdef double share = most
    cdef int i
    for i in range(G.n):
        if S.rows[i] == 3 and share > 0.0:
            old = impulse_at(S.begun, i)
            share = min(share, as_far(old, sub3(impulse_at(impulse, i), old), G.contact[i].block.mu))
    for i in range(G.n):
        if S.rows[i] == 3:
            old = impulse_at(S.begun, i)
            set_impulse(impulse, i, add3(old, scale3(share, sub3(impulse_at(impulse, i), old))))
    load_impulses(G, impulse)


cdef bint still_hold(const Direct* S, const Operator* G, double slowest) noexcept nogil:
    """Whether the contacts that held do so with the impulses found."""
    cdef int i
    cdef Vec3 v
    for i in range(G.n):
        if S.rows[i] == 3:
            v = contact_velocity(G, i)
            if not (fabs(v.x) <= slowest and fabs(v.y) <= slowest and fabs(v.z) <= slowest):
                return False
    return True


cdef int share_loads(Direct* S, Island* island, const ContactProblem* p, double threshold,
                     size_t* reallocations) except -1 nogil:
    """Share the loads of a solved island anew, if they are new.

    Discs hang on the push of one contact each, which keeps it.
    """
    cdef Operator* G = &island.G
    cdef int i
    if not island.converged or island.iterations <= 1 or G.n < LEAST or G.n_discs > 0 or p.v_start == NULL or (
            not is_news(island) or not begin(S, G, p, reallocations) or find_held(S, G, STILL * threshold) < LEAST):
        return 0
    memcpy(S.begun, island.impulse, 3 * G.n * sizeof(double))
    if not make_matrix(S, G, p):
        return 0
    for i in range(G.n):
        if S.rows[i] == 3:
            set_impulse(island.impulse, i, zero3())
    load_impulses(G, island.impulse)
    hold(S, G, island.impulse, threshold)
    move(S, G, island.impulse, 1.0 if still_hold(S, G, STILL * threshold) else 0.0)
    return 0
