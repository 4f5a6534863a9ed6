"""Newton's method on f(x): newton.pxd."""

from libc.math cimport fabs, hypot, sqrt

from rbdyn.contact.cone.block cimport SKIPPED, mobility
from rbdyn.contact.islands cimport Island
from rbdyn.contact.laws cimport cone
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


cdef inline double rim(const Operator* G, const double* impulse, int i) noexcept nogil:
    """What friction can do under the push of contact i [N s]."""
    return G.contact[i].block.mu * impulse[3 * i + 2]


cdef inline Vec3 nearest(double rim, Vec3 y) noexcept nogil:
    """P(y)."""
    cdef double r = hypot(y.x, y.y), share = rim / r if r > rim else 1.0
    return vec3(share * y.x, share * y.y, max(0.0, y.z))


cdef void open_step(Direct* S, const Operator* G, double stiffness, const double* impulse) noexcept nogil:
    """rho, and y in S.r, for these impulses and the velocities that the operator holds."""
    cdef const Contact* k
    cdef int i
    for i in range(G.n):
        k = G.contact + i
        S.rho[i] = stiffness / mobility(&k.block) if k.block.kind != SKIPPED else 0.0
        set_impulse(S.r, i, sub3(impulse_at(impulse, i), scale3(S.rho[i], contact_velocity(G, i))))


# ---- velocity changes: x is what the operator's bodies hold, dx is in S.x ----

cdef inline Vec3 linear(const Direct* S, const Node* a) noexcept nogil:
    return vec3(S.x[a.first], S.x[a.first + 1], S.x[a.first + 2])


cdef inline Vec3 angular(const Direct* S, const Node* a) noexcept nogil:
    return vec3(S.x[a.first + 3], S.x[a.first + 4], S.x[a.first + 5])


cdef inline void set_node(Direct* S, const Node* a, Vec3 v, Vec3 w) noexcept nogil:
    cdef double* x = S.x + a.first
    x[0], x[1], x[2], x[3], x[4], x[5] = v.x, v.y, v.z, w.x, w.y, w.z


cdef double find_unbalanced(Direct* S, const Operator* G, const ContactProblem* p,
                            const double* impulse) noexcept nogil:
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
            pull_single(S, G.contact + i, neg3(nearest(rim(G, impulse, i), impulse_at(S.r, i))))
    for i in range(S.nodes):
        a = S.node + i
        v, w = linear(S, a), angular(S, a)
        W = p.inverse_inertia + 6 * a.object
        worst = max(worst, dot3(v, v) * p.inverse_mass[a.object] ** 2, p.inverse_mass[a.object] * (
            W[0] * w.x * w.x + W[3] * w.y * w.y + W[5] * w.z * w.z
            + 2.0 * (W[1] * w.x * w.y + W[2] * w.x * w.z + W[4] * w.y * w.z)))
    return sqrt(worst)


# ---- M + sum rho J^T P' J ----

cdef inline void turn_rows(Direct* S, int width, double rim, Vec3 y) noexcept nogil:
    """J <- B J with B^T B = P': the normal row if it pushes, of friction both within the rim, one on it."""
    cdef double r = hypot(y.x, y.y), share, tx, ty
    cdef double* J = S.J
    cdef int j, w = S.width
    if y.z <= 0.0:
        for j in range(width):
            J[2 * w + j] = 0.0
    if r > rim:
        share, tx, ty = sqrt(rim / r), y.x / r, y.y / r
        for j in range(width):
            J[w + j] = share * (tx * J[w + j] - ty * J[j])
            J[j] = 0.0


cdef bint make_newton_matrix(Direct* S, const Operator* G, const ContactProblem* p,
                             const double* impulse) noexcept nogil:
    """The matrix at y, factored; False if it cannot be."""
    cdef double most
    cdef Vec3 y
    cdef int i, n
    add_masses(S, p)
    for i in range(G.n):                               # P' = 1: all that sticks
        y = impulse_at(S.r, i)
        S.rows[i] = 3 if S.rho[i] > 0.0 and y.z > 0.0 and hypot(y.x, y.y) <= rim(G, impulse, i) else 0
    add_constraints(S, G, p)
    for i in range(G.n):
        y, most = impulse_at(S.r, i), rim(G, impulse, i)
        if S.rows[i] == 0 and S.rho[i] > 0.0 and (y.z > 0.0 or most > 0.0):
            n = parts(S, G, i)
            turn_rows(S, 6 * n, most, y)
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


cdef double slope(const Direct* S, const Operator* G, const double* impulse, double share, double across,
                  double along) noexcept nogil:
    """df / dshare at x + share dx."""
    cdef double total = across + share * along
    cdef Vec3 y, dy
    cdef int i
    for i in range(G.n):
        if S.rho[i] > 0.0:
            y, dy = impulse_at(S.r, i), impulse_at(S.begun, i)
            total += dot3(nearest(rim(G, impulse, i), add3(y, scale3(share, dy))), dy) / S.rho[i]
    return total


cdef double find_share(const Direct* S, const Operator* G, const ContactProblem* p,
                       const double* impulse) noexcept nogil:
    """How much of dx to go: all of it, or to where f is nearly least, by false position (Dowell and Jarratt, 1971)."""
    cdef double across, along, low = 0.0, high = 1.0, at_low, at_high, flat, middle = 1.0, at
    find_masses(S, G, p, &across, &along)
    at_low, at_high = slope(S, G, impulse, 0.0, across, along), slope(S, G, impulse, 1.0, across, along)
    flat = FLAT * fabs(at_low)
    if at_high <= flat or not at_low < 0.0:
        return 1.0
    for _ in range(LOOKS):
        middle = (low * at_high - high * at_low) / (at_high - at_low)
        at = slope(S, G, impulse, middle, across, along)
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


cdef void follow_pushes(const Direct* S, const Operator* G, double* impulse) noexcept nogil:
    """Rims of friction as the pushes at hand make them."""
    cdef int i
    for i in range(G.n):
        impulse[3 * i + 2] = max(0.0, S.r[3 * i + 2])


cdef bint find_least(Direct* S, Operator* G, const ContactProblem* p, double* impulse, double tolerance,
                     int* turns) noexcept nogil:
    """Newton's method from what the operator and S.r hold; whether bodies are then balanced."""
    while find_unbalanced(S, G, p, impulse) > tolerance:
        if turns[0] == 0 or not make_newton_matrix(S, G, p, impulse):
            return False
        turns[0] -= 1
        substitute(S)
        find_changes(S, G)
        go(S, G, find_share(S, G, p, impulse))
        follow_pushes(S, G, impulse)
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
    found = find_least(S, G, p, island.impulse, tolerance, turns)
    for i in range(G.n):
        set_impulse(island.impulse, i, cone.admissible(
            G.contact + i, nearest(rim(G, island.impulse, i), impulse_at(S.r, i))))
    load_impulses(G, island.impulse)
    return found
