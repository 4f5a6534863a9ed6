"""Joints that follow others, q = ratio q_leader + offset: a bilateral row for each.

The velocities obey the ratio at the end of every step.  What the positions are off, as they were set or because a stop
led one of them otherwise, is taken away from positions alone, as a depth of contacts is, unless the row gives way.
"""

from libc.math cimport fabs
from libc.string cimport memcpy

from rbdyn.contact.problem cimport BILATERAL, ContactProblem, Key
from rbdyn.stepping.builder cimport Builder, Count, Share, add_coordinate, begin_row, gather_row
from rbdyn.stepping.constraints.bodies.freedoms cimport soften
from rbdyn.stepping.constraints.joints.home cimport forget_impulses, speed_back
from rbdyn.stepping.flight.ties cimport beyond_rounding
from rbdyn.stepping.freedom cimport Softness
from rbdyn.stepping.rest cimport system_sleeps
from rbdyn.stepping.scene cimport MIMIC_FORCE, Mimic, Scene, System


cdef Count count_mimics(const Scene* s) noexcept nogil:
    """One row for each."""
    cdef int k, n = 0
    for k in range(s.n_system):
        if not system_sleeps(s, s.system + k):
            n += s.system[k].control.n_mimics
    return Count(cones=0, blocks=n, rows=n)


cdef int write_mimic(const Scene* s, Builder* b, System* r, const Mimic* m) except -1 nogil:
    """The follower's velocity, less what the leader's asks of it."""
    cdef double off = r.d.q[m.q] - m.multiplier * r.d.q[m.leader_q] - m.offset
    cdef double one = r.work.v_free[m.dof], other = m.multiplier * r.work.v_free[m.leader_dof]
    cdef Softness soft = Softness(r.control.mimic_softness[m.dof], r.control.mimic_damping[m.dof])
    begin_row(b, BILATERAL, 0.0, 0.0, r.d.v[m.dof] - m.multiplier * r.d.v[m.leader_dof],
              beyond_rounding(one - other, fabs(one) + fabs(other)), 0.0, 0.0, speed_back(s, off),
              Key(source=MIMIC_SOURCE, id_a=r.handle, id_b=m.dof, feature=0))
    add_coordinate(b, r, m.dof, 1.0)
    add_coordinate(b, r, m.leader_dof, -m.multiplier)
    if soft.softness > 0.0:
        soften(s, b, &soft, &off)
    return 0


cdef int write_mimics(const Scene* s, Builder* b) except -1 nogil:
    cdef System* r
    cdef int k, j
    for k in range(s.n_system):
        r = s.system + k
        if system_sleeps(s, r):
            continue
        for j in range(r.control.n_mimics):
            write_mimic(s, b, r, r.control.mimic + j)
    return 0


cdef inline void hold_together(System* r) noexcept nogil:
    """What moves with a joint that a stop holds does so by its new velocity as well; what gives way does not."""
    cdef const Mimic* m
    cdef bint news = True
    cdef int j
    while news:
        news = False
        for j in range(r.control.n_mimics):
            m = r.control.mimic + j
            if r.work.held[m.dof] != r.work.held[m.leader_dof] and r.control.mimic_softness[m.dof] == 0.0:
                r.work.held[m.dof] = r.work.held[m.leader_dof] = news = True


cdef void read_mimics(const Scene* s, const ContactProblem* p, Share share) noexcept nogil:
    """Give the impulses to the systems."""
    cdef System* r
    cdef const Mimic* m
    cdef double* force
    cdef int k, j, row, i = share.block
    forget_impulses(s, MIMIC_FORCE)
    for k in range(s.n_system):
        r = s.system + k
        if system_sleeps(s, r):
            continue
        force = r.work.by_rows + MIMIC_FORCE * r.m.nv
        if r.work.n_ties:
            memcpy(force, r.work.tie_impulse, r.m.nv * sizeof(double))
        for j in range(r.control.n_mimics):
            m, row = r.control.mimic + j, p.block[i].first_row
            gather_row(p, row, r)
            force[m.dof] += p.impulse[row]
            force[m.leader_dof] -= m.multiplier * p.impulse[row]
            i += 1
        if r.control.n_mimics:
            hold_together(r)
