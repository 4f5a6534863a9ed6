"""Bends that would make energy are given up: bends.pxd."""

from libc.math cimport fabs
from libc.string cimport memcpy

from rbdyn.contact.islands cimport Island, rows_of
from rbdyn.contact.operator cimport (
    LineBlock, Operator, contact_velocity, impulse_at, line_velocity, load_impulses,
)
from rbdyn.contact.problem cimport ContactProblem
from rbdyn.contact.tolerances cimport BEND_GAIN, UNSEEN_BEND
from rbdyn.spatial._algebra cimport Vec3, add3, dot3, sub3


cdef double works(const Island* island, const ContactProblem* p, double* change) noexcept nogil:
    """Twice the work of contacts and hard rows; `change`: of their impulses with the velocities that these change."""
    cdef const Operator* G = &island.G
    cdef const LineBlock* k
    cdef double work = 0.0, lam
    cdef Vec3 push, v
    cdef int i, r, n
    change[0] = 0.0
    for i in range(G.n):
        n = G.contact[i].index
        push, v = impulse_at(island.impulse, i), contact_velocity(G, i)
        change[0] += dot3(push, sub3(v, G.contact[i].v_free))
        work += dot3(push, add3(add3(v, impulse_at(p.target, n)), impulse_at(p.v_start, n)))
    for i in range(G.n_blocks):
        k = &G.block[i]
        for r in range(k.rows if k.hard else 0):
            lam = island.impulse[3 * G.n + k.first + r]
            change[0] += lam * (line_velocity(G, k.first + r) - G.line[k.first + r].v_free)
            work += lam * (line_velocity(G, k.first + r) + p.target[k.row + r] + p.v_start[k.row + r])
    return work


cdef double largest_bend(const Operator* G, const ContactProblem* p) noexcept nogil:
    """Of any row [m/s or rad/s]."""
    cdef double most = 0.0
    cdef int i, r
    for i in range(G.n_blocks):
        for r in range(G.block[i].rows):
            most = max(most, fabs(p.bend[G.block[i].row + r - 3 * p.n_cones]))
    return most


cdef bint gains(const Island* island, const ContactProblem* p) noexcept nogil:
    """Whether rows do too much work together; no number is too much."""
    cdef double change, work
    if not largest_bend(&island.G, p) > UNSEEN_BEND():
        return False
    work = works(island, p, &change)
    return not work <= BEND_GAIN() * change


cdef bint drop_bends(Island* island, const ContactProblem* p) noexcept nogil:
    """Give up what bends ask for in an island that is solved, if that makes energy; whether it is another problem then.

    It begins anew with what it began with.
    """
    cdef Operator* G = &island.G
    cdef const LineBlock* k
    cdef int i, r
    if p.bend == NULL or p.v_start == NULL or p.target == NULL or not gains(island, p):
        return False
    for i in range(G.n_blocks):
        k = &G.block[i]
        for r in range(k.rows):
            G.line[k.first + r].v_free -= p.bend[k.row + r - 3 * p.n_cones]
    memcpy(island.impulse, island.begun, rows_of(G) * sizeof(double))
    load_impulses(G, island.impulse)
    island.converged = False
    return True
