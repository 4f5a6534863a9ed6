"""Newton's method on f(x): newton.pxd."""

from libc.math cimport fabs, hypot, sqrt

from rbdyn.contact.cone.block cimport SKIPPED, mobility
from rbdyn.contact.islands cimport Island
from rbdyn.contact.operator cimport Contact, Operator, contact_velocity, impulse_at, load_impulses, set_impulse
from rbdyn.contact.problem cimport ContactProblem
from rbdyn.contact.solvers.direct.cholesky cimport factor, substitute
from rbdyn.contact.solvers.direct.multipliers cimport (
    add_constraints, add_masses, add_square, inertia_of, mass_of, move_single, pull_single,
)
from rbdyn.contact.solvers.direct.unknowns cimport parts
from rbdyn.contact.solvers.direct.workspace cimport Direct, Node
from rbdyn.spatial._algebra cimport Vec3, add3, dot3, neg3, scale3, smul3, sub3, vec3

cdef enum:
    LOOKS = 8                # at slopes of f, to find how far one goes
cdef double FLAT = 0.1       # of the slope of f at the start of a turn: its end


cdef inline Vec3 nearest(double mu, Vec3 y) noexcept nogil:
    """P(y)."""
    cdef double r = hypot(y.x, y.y), z
    if y.z <= -mu * r:
        return vec3(0.0, 0.0, 0.0)
    if r <= mu * y.z:
        return y
    z = (mu * r + y.z) / (1.0 + mu * mu)
    return vec3(mu * z * y.x / r, mu * z * y.y / r, z)


cdef void open_step(Direct* S, const Operator* G, double stiffness, const double* impulse) noexcept nogil:
    """rho, and y in S.r, for these impulses and the velocities that the operator holds."""
    cdef const Contact* k
    cdef Vec3 v
    cdef int i
    for i in range(G.n):
        k = G.contact + i
        S.rho[i] = stiffness / mobility(&k.block) if k.block.kind != SKIPPED else 0.0
        v = contact_velocity(G, i)
        v.z += k.block.mu * hypot(v.x, v.y)
        set_impulse(S.r, i, sub3(impulse_at(impulse, i), scale3(S.rho[i], v)))


# ---- velocity changes: x is what the operator's bodies hold, dx is in S.x ----

cdef inline Vec3 linear(const Direct* S, const Node* a) noexcept nogil:
    return vec3(S.x[a.first], S.x[a.first + 1], S.x[a.first + 2])


cdef inline Vec3 angular(const Direct* S, const Node* a) noexcept nogil:
    return vec3(S.x[a.first + 3], S.x[a.first + 4], S.x[a.first + 5])


cdef inline void set_node(Direct* S, const Node* a, Vec3 v, Vec3 w) noexcept nogil:
    cdef double* x = S.x + a.first
    x[0], x[1], x[2], x[3], x[4], x[5] = v.x, v.y, v.z, w.x, w.y, w.z


cdef double find_unbalanced(Direct* S, const Operator* G, const ContactProblem* p) noexcept nogil:
    """S.x = J^T P(y) - M x; returns the largest velocity change that it would give a body alone [m/s]."""
    cdef const Node* a
    cdef const double* W
    cdef double worst = 0.0
    cdef Vec3 v, w
    cdef int i
    for i in range(S.nodes):
        a = S.node + i
        set_node(S, a, scale3(-mass_of(p, a.object), G.body[a.object].v),
                 neg3(smul3(inertia_of(p, a.object), G.body[a.object].w)))
    for i in range(G.n):
        if S.rho[i] > 0.0:
            pull_single(S, G.contact + i, neg3(nearest(G.contact[i].block.mu, impulse_at(S.r, i))))
    for i in range(S.nodes):
        a = S.node + i
        v, w = linear(S, a), angular(S, a)
        W = p.inverse_inertia + 6 * a.object
        worst = max(worst, dot3(v, v) * p.inverse_mass[a.object] ** 2, p.inverse_mass[a.object] * (
            W[0] * w.x * w.x + W[3] * w.y * w.y + W[5] * w.z * w.z
            + 2.0 * (W[1] * w.x * w.y + W[2] * w.x * w.z + W[4] * w.y * w.z)))
    return sqrt(worst)


# ---- M + sum rho J^T P' J ----

cdef inline void turn_rows(Direct* S, int width, double mu, Vec3 y) noexcept nogil:
    """J <- B J with B^T B = P' of a contact that slides: along its friction and push, and across."""
    cdef double r = hypot(y.x, y.y), z = (mu * r + y.z) / (1.0 + mu * mu)
    cdef double tx = y.x / r if r > 0.0 else 1.0, ty = y.y / r if r > 0.0 else 0.0
    cdef double along = 1.0 / sqrt(1.0 + mu * mu), across = sqrt(mu * z / r) if r > 0.0 else 0.0
    cdef double* J = S.J
    cdef double a, b
    cdef int j, w = S.width
    for j in range(width):
        a, b = J[j], J[w + j]
        J[j] = along * (mu * (tx * a + ty * b) + J[2 * w + j])
        J[w + j] = across * (tx * b - ty * a)
        J[2 * w + j] = 0.0


cdef bint make_newton_matrix(Direct* S, const Operator* G, const ContactProblem* p) noexcept nogil:
    """The matrix at y, factored; False if it cannot be."""
    cdef double mu
    cdef Vec3 y
    cdef int i, n
    add_masses(S, p)
    for i in range(G.n):                               # P' = 1 inside the cone, 0 where nothing pushes
        y, mu = impulse_at(S.r, i), G.contact[i].block.mu
        S.rows[i] = 3 if S.rho[i] > 0.0 and mu > 0.0 and hypot(y.x, y.y) <= mu * y.z else 0
    add_constraints(S, G, p)
    for i in range(G.n):
        y, mu = impulse_at(S.r, i), G.contact[i].block.mu
        if S.rows[i] == 0 and S.rho[i] > 0.0 and y.z > -mu * hypot(y.x, y.y):
            n = parts(S, G, i)
            turn_rows(S, 6 * n, mu, y)
            add_square(S, n, S.rho[i], True)
    return factor(S)


# ---- how far along dx ----

cdef void find_changes(Direct* S, const Operator* G) noexcept nogil:
    """S.begun = dy."""
    cdef int i
    for i in range(G.n):
        set_impulse(S.begun, i, scale3(-S.rho[i], move_single(S, G.contact + i, True)))


cdef void find_masses(const Direct* S, const Operator* G, const ContactProblem* p, double* across,
                      double* along) noexcept nogil:
    """x.M dx and dx.M dx."""
    cdef const Node* a
    cdef Vec3 l, h
    cdef int i
    across[0] = along[0] = 0.0
    for i in range(S.nodes):
        a = S.node + i
        l, h = scale3(mass_of(p, a.object), linear(S, a)), smul3(inertia_of(p, a.object), angular(S, a))
        across[0] += dot3(G.body[a.object].v, l) + dot3(G.body[a.object].w, h)
        along[0] += dot3(linear(S, a), l) + dot3(angular(S, a), h)


cdef double slope(const Direct* S, const Operator* G, double share, double across, double along) noexcept nogil:
    """df / dshare at x + share dx."""
    cdef double total = across + share * along
    cdef Vec3 y, dy
    cdef int i
    for i in range(G.n):
        if S.rho[i] > 0.0:
            y, dy = impulse_at(S.r, i), impulse_at(S.begun, i)
            total += dot3(nearest(G.contact[i].block.mu, add3(y, scale3(share, dy))), dy) / S.rho[i]
    return total


cdef double find_share(const Direct* S, const Operator* G, const ContactProblem* p) noexcept nogil:
    """How much of dx to go: all of it, or to where f is nearly least, by false position (Dowell and Jarratt, 1971)."""
    cdef double across, along, low = 0.0, high = 1.0, at_low, at_high, flat, middle = 1.0, at
    find_masses(S, G, p, &across, &along)
    at_low, at_high = slope(S, G, 0.0, across, along), slope(S, G, 1.0, across, along)
    flat = FLAT * fabs(at_low)
    if at_high <= flat or not at_low < 0.0:
        return 1.0
    for _ in range(LOOKS):
        middle = (low * at_high - high * at_low) / (at_high - at_low)
        at = slope(S, G, middle, across, along)
        if fabs(at) <= flat:
            break
        if at < 0.0:
            low, at_low = middle, at
            at_high *= 0.5
        else:
            high, at_high = middle, at
            at_low *= 0.5
    return middle


cdef void go(Direct* S, Operator* G, double share) noexcept nogil:
    """x += share dx, and y with it."""
    cdef const Node* a
    cdef int i
    for i in range(S.nodes):
        a = S.node + i
        G.body[a.object].v = add3(G.body[a.object].v, scale3(share, linear(S, a)))
        G.body[a.object].w = add3(G.body[a.object].w, scale3(share, angular(S, a)))
    for i in range(G.n):
        set_impulse(S.r, i, add3(impulse_at(S.r, i), scale3(share, impulse_at(S.begun, i))))


cdef bint find_least(Direct* S, Operator* G, const ContactProblem* p, double tolerance, int* turns) noexcept nogil:
    """Newton's method from what the operator and S.r hold; whether bodies are then balanced."""
    while find_unbalanced(S, G, p) > tolerance:
        if turns[0] == 0 or not make_newton_matrix(S, G, p):
            return False
        turns[0] -= 1
        substitute(S)
        find_changes(S, G)
        go(S, G, find_share(S, G, p))
    return True


cdef bint take_proximal_step(Direct* S, Island* island, const ContactProblem* p, double stiffness, double tolerance,
                             int* turns) noexcept nogil:
    """From the impulses at hand and the velocities that the operator holds; whether it was found within these turns.

    `begin` (room.pxd) has laid out the matrix.  Impulses are in their cones, and velocities follow from them.
    """
    cdef Operator* G = &island.G
    cdef bint found
    cdef int i
    open_step(S, G, stiffness, island.impulse)
    found = find_least(S, G, p, tolerance, turns)
    for i in range(G.n):
        set_impulse(island.impulse, i, nearest(G.contact[i].block.mu, impulse_at(S.r, i)))
    load_impulses(G, island.impulse)
    return found
