"""The last check of a solve: impulses that are not finite, or that make energy, never reach a body."""

from libc.math cimport INFINITY, fabs, isfinite

from rbdyn.contact.islands cimport Island, rows_of
from rbdyn.contact.operator cimport Contact, Operator, contact_velocity, impulse_at, line_velocity, load_impulses
from rbdyn.spatial._algebra cimport Vec3, add3, dot3


cdef double OVERLOADED = 0.05       # share of its impulses at which an island has the least energy


cdef inline double contact_energy(const Operator* G, const double* impulse, int i) noexcept nogil:
    """The term of contact i in `energy` [J]."""
    cdef const Contact* k = G.contact + i
    cdef Vec3 lam = impulse_at(impulse, i)
    return 0.5 * dot3(lam, add3(contact_velocity(G, i), k.v_free))


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


cdef void judge(const Operator* G, const double* impulse, double* work, double* change, double* size) noexcept nogil:
    """lam . v_free, the energy that the impulses add, and the size of its terms."""
    cdef Vec3 lam
    cdef int i, r
    work[0] = 0.0
    change[0] = energy(G, impulse, size)
    for i in range(G.n):
        lam = impulse_at(impulse, i)
        work[0] += dot3(lam, G.contact[i].v_free)
    for r in range(G.n_lines):
        work[0] += impulse[3 * G.n + r] * G.line[r].v_free


cdef inline double admissible_share(double work, double change, double size) noexcept nogil:
    """Which part of its impulses an island keeps: all unless they make energy, else that with the least energy."""
    if change <= 1e-9 * size:
        return 1.0
    if not isfinite(change) or not work < 0.0:
        return 0.0
    return min(1.0, 0.5 * work / (work - change))      # E(s) = s work + s^2 (change - work) is least at this s


cdef void scale(Island* island, double share) noexcept nogil:
    """Keep a share of the impulses; the operator holds the velocities that it makes."""
    cdef int i
    for i in range(rows_of(&island.G)):
        island.impulse[i] = share * island.impulse[i] if share > 0.0 else 0.0
    load_impulses(&island.G, island.impulse)


cdef void temper(Island* island) noexcept nogil:
    """Lower the impulses of the step before where the load became far less than they carry, as after an edit of a mass.

    Sweeps would end before they are gone, and leave velocities that nothing caused.
    """
    cdef double work, change, size, share
    load_impulses(&island.G, island.impulse)
    judge(&island.G, island.impulse, &work, &change, &size)
    share = admissible_share(work, change, size)
    if share < OVERLOADED:
        scale(island, share)


cdef void accept(Island* island) noexcept nogil:
    """Leave the impulses of an island as they are, or replace them; its operator holds the velocities they make.

    A solve that has converged needs no check: every law holds, and none makes energy.  Not so where a visit only
    approaches its law (block.pxd: rho).  Impulses that make energy give way to the multiple of them with the least
    energy, between 0 and 1: cones, bounds and signs hold for it too.  Impulses that are not finite give way to none at
    all.  Both are no solution: converged is False then.
    """
    cdef double work, change, size, share
    if island.converged and not island.G.proximal:
        return
    judge(&island.G, island.impulse, &work, &change, &size)
    share = admissible_share(work, change, size)
    if share != 1.0:
        scale(island, share)
        island.converged = False
        island.rescued = True
    if not isfinite(change):
        island.error = INFINITY
