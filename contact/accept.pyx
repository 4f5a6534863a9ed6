"""The last check of a solve: impulses that are not finite, or that make energy, never reach a body."""

from libc.math cimport INFINITY, fabs, isfinite

from rbdyn.contact.islands cimport find_islands
from rbdyn.contact.operator cimport (
    Contact, Island, Operator, contact_velocity, impulse_at, line_velocity, load_impulses,
)
from rbdyn.contact.problem cimport ContactProblem
from rbdyn.spatial._algebra cimport Vec3, add3, dot3


cdef inline double contact_energy(const Operator* G, const double* impulse, int i) noexcept nogil:
    """The term of contact i in `energy` [J]."""
    cdef const Contact* k = G.contact + i
    cdef Vec3 lam = impulse_at(impulse, i)
    return 0.5 * dot3(lam, add3(contact_velocity(G, i), k.v_free)) + lam.z * k.apart


cdef inline double row_energy(const Operator* G, const double* impulse, int r) noexcept nogil:
    """The term of a row that is no cone's."""
    return 0.5 * impulse[3 * G.n + r] * (line_velocity(G, r) + G.line[r].v_free)


cdef double energy(const Operator* G, const double* impulse, double* size) noexcept nogil:
    """What the impulses do to the kinetic energy [J], lam . (v_free + G lam / 2); no law of friction makes it positive.

    Velocities count from their targets: a bounce or a position correction may add energy to the bodies, not to this
    sum.  `size` receives the sum of the terms' sizes, which measures their rounding.
    """
    cdef double total = 0.0, term
    cdef int i
    size[0] = 0.0
    for i in range(G.n):
        term = contact_energy(G, impulse, i)
        total += term
        size[0] += fabs(term)
    for i in range(G.n_lines):
        term = row_energy(G, impulse, i)
        total += term
        size[0] += fabs(term)
    return total


cdef bint makes_energy(const Operator* G, const double* impulse) noexcept nogil:
    """Whether the energy rises by more than rounding, or is no number."""
    cdef double size
    cdef double total = energy(G, impulse, &size)
    return not total <= 1e-9 * size


cdef void judge_islands(Operator* G, const double* impulse) noexcept nogil:
    """`energy`, its size, and lam . v_free, of each island."""
    cdef Island* k
    cdef Vec3 lam
    cdef double term
    cdef int i, r
    for i in range(G.n_islands):
        G.island[i].work = G.island[i].change = G.island[i].size = 0.0
    for i in range(G.n):
        k = G.island + G.contact[i].island
        lam = impulse_at(impulse, i)
        term = contact_energy(G, impulse, i)
        k.work += dot3(lam, G.contact[i].v_free) + lam.z * G.contact[i].apart
        k.change += term
        k.size += fabs(term)
    for i in range(G.n_blocks):
        k = G.island + G.block[i].island
        for r in range(G.block[i].first, G.block[i].first + G.block[i].rows):
            term = row_energy(G, impulse, r)
            k.work += impulse[3 * G.n + r] * G.line[r].v_free
            k.change += term
            k.size += fabs(term)


cdef inline double admissible_share(Island* k) noexcept nogil:
    """Which part of its impulses an island keeps: all unless they make energy, else that with the least energy."""
    if k.change <= 1e-9 * k.size:
        return 1.0
    if not isfinite(k.change) or not k.work < 0.0:
        return 0.0
    return min(1.0, 0.5 * k.work / (k.work - k.change))       # E(s) = s work + s^2 (change - work) is least at this s


cdef int accept(Operator* G, ContactProblem* p) except -1 nogil:
    """Leave p.impulse as it is, or replace it; G holds the velocities that it makes.

    A solve that has converged needs no check: every law holds, and none makes energy.  Not so where a visit only
    approaches its law (block.pxd: rho).  Impulses of an island that make energy give way to the multiple of them with
    the least energy, between 0 and 1: cones, bounds and signs hold for it too.  Impulses that are not finite give way
    to none at all.  Both are no solution: converged is False then.
    """
    cdef double share
    cdef bint changed = False
    cdef int i, r
    if p.converged and not G.proximal:
        return 0
    find_islands(G)
    judge_islands(G, p.impulse)
    for i in range(G.n):
        share = admissible_share(G.island + G.contact[i].island)
        if share != 1.0:
            changed = True
            for r in range(3):
                p.impulse[3 * i + r] = share * p.impulse[3 * i + r] if share > 0.0 else 0.0
    for i in range(G.n_blocks):
        share = admissible_share(G.island + G.block[i].island)
        if share != 1.0:
            changed = True
            for r in range(3 * G.n + G.block[i].first, 3 * G.n + G.block[i].first + G.block[i].rows):
                p.impulse[r] = share * p.impulse[r] if share > 0.0 else 0.0
    if changed:
        p.converged = False
        load_impulses(G, p.impulse)
    for i in range(G.n_islands):
        if not isfinite(G.island[i].change):
            p.error = INFINITY
    return 0
