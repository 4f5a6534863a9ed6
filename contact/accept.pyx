"""The last check of a solve: impulses that are not finite, or that make energy, never reach a body."""

from libc.math cimport INFINITY, fabs, isfinite

from rbdyn.contact.islands cimport Island, rows_of
from rbdyn.contact.operator cimport Contact, Operator, contact_velocity, impulse_at, line_velocity, load_impulses
from rbdyn.contact.problem cimport REPLACED
from rbdyn.spatial._algebra cimport Vec3, add3, dot3


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


cdef inline double admissible_share(double work, double change, double most) noexcept nogil:
    """Share of its impulses that an island keeps: all unless they make energy, else that with the least energy."""
    if change <= most:
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


cdef double size_of(const Island* island) noexcept nogil:
    """Sum of the sizes of all impulses [N s]."""
    cdef double total = 0.0
    cdef int i
    for i in range(rows_of(&island.G)):
        total += fabs(island.impulse[i])
    return total


cdef void accept(Island* island) noexcept nogil:
    """Leave the impulses of an island as they are, or replace them; its operator holds the velocities they make.

    No law makes energy.  Of an island that has converged the velocities miss their laws by `error` at most, which may
    make as much as that times the impulses; of another one rounding alone may.  Impulses that make more give way to the
    multiple of them with the least energy, between 0 and 1: cones, bounds and signs hold for it too.  Impulses that are
    not finite give way to none at all.  Both are no solution: converged is False then.
    """
    cdef double work, change, size, share
    judge(&island.G, island.impulse, &work, &change, &size)
    share = admissible_share(work, change, 1e-9 * size + (island.error * size_of(island) if island.converged else 0.0))
    if share != 1.0:
        scale(island, share)
        island.converged = False
        island.ended = REPLACED
    if not isfinite(change):
        island.error = INFINITY
