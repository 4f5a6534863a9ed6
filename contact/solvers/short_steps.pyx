"""Sweeps in short steps: short_steps.pxd."""

from libc.math cimport INFINITY, fabs, sqrt
from libc.string cimport memcpy

from rbdyn.contact.cone.block cimport SKIPPED, Cone
from rbdyn.contact.cone.local cimport OPEN, SLIDE, STICK, clipped
from rbdyn.contact.islands cimport Island, rows_of
from rbdyn.contact.laws.dispatch cimport visit_block
from rbdyn.contact.operator cimport (
    Operator, add_impulse, contact_velocity, impulse_at, load_impulses, set_impulse,
)
from rbdyn.contact.solvers.acceleration.anderson cimport Anderson
from rbdyn.contact.solvers.acceleration.drift cimport follow
from rbdyn.contact.solvers.settings cimport Settings
from rbdyn.contact.solvers.strain cimport strains
from rbdyn.spatial._algebra cimport Vec3, add3, scale3, sub3

cdef enum:
    PLAIN = 1000             # sweeps of `creep` at most
    PAUSE = 20               # sweeps between two leaps
    LOOK = 100               # sweeps between two looks at how it gets on
cdef double SLOW = 0.5             # of the error LOOK sweeps before, where there was no leap
cdef double PARALLEL = 0.9999      # cosine of two changes that count as one
cdef double EPSILON = 2.3e-16      # rounding of impulses: any that push against one another may hide what they leave
cdef double ON_THE_RIM = 1.0 - 1e-12       # of the square of a friction bound


cdef inline double size_of(const Cone* B) noexcept nogil:
    """No less than the largest eigenvalue of G_ii + compliance 1 [1/kg]."""
    cdef double c = B.compliance - B.rho, x = B.G.xx + c, y = B.G.yy + c, z = B.G.zz + c
    return sqrt(x * x + y * y + z * z + 2.0 * (B.G.xy * B.G.xy + B.G.xz * B.G.xz + B.G.yz * B.G.yz))


cdef inline double visit_cone(Operator* G, int i, double* impulse) noexcept nogil:
    """One short step of a cone; returns the velocity that it was to lose, or cannot tell from none [m/s]."""
    cdef Cone* B = &G.contact[i].block
    cdef Vec3 old = impulse_at(impulse, i), v, lam, delta
    cdef double g, most
    if B.kind == SKIPPED:
        return 0.0
    g = size_of(B)
    v = add3(contact_velocity(G, i), scale3(B.compliance, old))
    lam = clipped(sub3(old, scale3(1.0 / g, v)), B.mu)
    delta = sub3(lam, old)
    if not (fabs(delta.x) + fabs(delta.y) + fabs(delta.z) < 1e300):
        return INFINITY
    most = B.mu * lam.z
    if lam.z == 0.0:
        G.contact[i].mode = OPEN
    else:
        G.contact[i].mode = STICK if lam.x * lam.x + lam.y * lam.y < ON_THE_RIM * most * most else SLIDE
    set_impulse(impulse, i, lam)
    add_impulse(G, i, delta)
    return g * max(fabs(delta.x), fabs(delta.y), fabs(delta.z), EPSILON * (fabs(lam.x) + fabs(lam.y) + lam.z))


cdef double sweep_gently(Operator* G, double* impulse) noexcept nogil:
    """Cones, then rows, the discs among them last; returns the largest velocity change."""
    cdef double error = 0.0
    cdef int k
    for k in range(G.n):
        error = max(error, visit_cone(G, k, impulse))
    for k in range(G.n_blocks):
        error = max(error, visit_block(G, &G.block[k], 1.0, impulse))
    return error


cdef double way_on(Anderson* A, const double* now) noexcept nogil:
    """How many changes like that of this sweep are to come, if it went as the one before did; else 0.

    A.x is what was before the sweep, A.f the change before, which becomes this one, as does A.direction.
    """
    cdef double a = 0.0, b = 0.0, c = 0.0, d
    cdef int i
    for i in range(A.size):
        d = A.direction[i] = now[i] - A.x[i]
        a += A.weight[i] * d * d
        b += A.weight[i] * A.f[i] * A.f[i]
        c += A.weight[i] * d * A.f[i]
        A.f[i] = d
    if not c > PARALLEL * sqrt(a * b) > 0.0:
        return 0.0
    return 1.0 / (sqrt(b / a) - 1.0) if b > a else INFINITY


cdef bint creep(Island* island, Anderson* A, const Settings* s) noexcept nogil:
    """Sweeps without acceleration; whether they solve the island, which else is as it was.

    Where laws are at odds by next to nothing (a weld between two links that stick to the ground), friction grows by as
    little from sweep to sweep until something slides: there they are led at once.
    """
    cdef Operator* G = &island.G
    cdef double error, way, mark = INFINITY
    cdef int k
    memcpy(A.kept, island.impulse, rows_of(G) * sizeof(double))
    for k in range(PLAIN):
        memcpy(A.x, island.impulse, rows_of(G) * sizeof(double))
        error = sweep_gently(G, island.impulse)
        if error < s.enough:
            if strains(G, island.impulse, A.kept):
                break
            island.error, island.converged = error, True
            return True
        way = way_on(A, island.impulse)
        if k % PAUSE == PAUSE - 1 and follow(G, A.direction, way, island.impulse):
            load_impulses(G, island.impulse)
            if strains(G, island.impulse, A.kept):         # what is at odds by more is never held
                break
            mark = INFINITY
        elif k % LOOK == LOOK - 1:
            if error > SLOW * mark:
                break
            mark = error
    memcpy(island.impulse, A.kept, rows_of(G) * sizeof(double))
    load_impulses(G, island.impulse)
    return False
