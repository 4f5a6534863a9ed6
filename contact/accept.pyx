"""The last check of a solve: impulses that are not finite, or that make energy, never reach a body."""

from libc.math cimport INFINITY, fabs, isfinite
from libc.string cimport memset

from rbdyn.contact.operator cimport Operator, contact_velocity, impulse_at, line_velocity, load_impulses
from rbdyn.contact.problem cimport ContactProblem
from rbdyn.spatial._algebra cimport Vec3, add3, dot3


cdef double energy(const Operator* G, const double* impulse, double* size) noexcept nogil:
    """What the impulses do to the kinetic energy [J], lam . (v_free + G lam / 2); no law of friction makes it positive.

    Velocities count from their targets: a bounce or a position correction may add energy to the bodies, not to this
    sum.  `size` receives the sum of the terms' sizes, which measures their rounding.
    """
    cdef double total = 0.0, term, x
    cdef Vec3 lam
    cdef int i
    size[0] = 0.0
    for i in range(G.n):
        lam = impulse_at(impulse, i)
        term = 0.5 * dot3(lam, add3(contact_velocity(G, i), G.contact[i].v_free)) + lam.z * G.contact[i].apart
        total += term
        size[0] += fabs(term)
    for i in range(G.n_lines):
        x = impulse[3 * G.n + i]
        term = 0.5 * x * (line_velocity(G, i) + G.line[i].v_free)
        total += term
        size[0] += fabs(term)
    return total


cdef bint makes_energy(const Operator* G, const double* impulse) noexcept nogil:
    """Whether the energy rises by more than rounding, or is no number."""
    cdef double size
    cdef double total = energy(G, impulse, &size)
    return not total <= 1e-9 * size


cdef double work_at_free_velocity(const Operator* G, const double* impulse) noexcept nogil:
    """lam . v_free [J]."""
    cdef double total = 0.0
    cdef Vec3 lam
    cdef int i
    for i in range(G.n):
        lam = impulse_at(impulse, i)
        total += dot3(lam, G.contact[i].v_free) + lam.z * G.contact[i].apart
    for i in range(G.n_lines):
        total += impulse[3 * G.n + i] * G.line[i].v_free
    return total


cdef void accept(Operator* G, ContactProblem* p) noexcept nogil:
    """Leave p.impulse as it is, or replace it; G holds the velocities that it makes.

    A solve that has converged needs no check: every law holds, and none makes energy.  Not so where a visit only
    approaches its law (block.pxd: rho).  Impulses that make energy give way to the multiple of them with the least
    energy, between 0 and 1: cones, bounds and signs hold for it too.  Impulses that are not finite give way to none at
    all.  Both are no solution: converged is False then.
    """
    cdef double size, change, work, share = 0.0
    cdef int i
    if (p.converged and not G.proximal) or not makes_energy(G, p.impulse):
        return
    p.converged = False
    change = energy(G, p.impulse, &size)
    if isfinite(change):
        work = work_at_free_velocity(G, p.impulse)
        if work < 0.0:                                 # E(s) = s work + s^2 (change - work) is least at this s
            share = min(1.0, 0.5 * work / (work - change))
    else:
        p.error = INFINITY
    if share == 0.0:
        memset(p.impulse, 0, p.n_rows * sizeof(double))
    else:
        for i in range(p.n_rows):
            p.impulse[i] *= share
    load_impulses(G, p.impulse)
