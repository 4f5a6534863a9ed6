"""Couplings a x1 + b x2 + ... = c of joint coordinates, of one system or several: a bilateral row for each.

As with mimics the velocities obey it at the end of every step, and what positions are off is led back by them alone,
unless it gives way.
"""

from libc.math cimport fabs

from rbdyn.contact.problem cimport BILATERAL, ContactProblem, Key
from rbdyn.stepping.builder cimport Builder, Count, Share, add_coordinate, begin_row, gather_row
from rbdyn.stepping.constraints.bodies.freedoms cimport soften
from rbdyn.stepping.constraints.joints.home cimport speed_back
from rbdyn.stepping.flight.ties cimport beyond_rounding
from rbdyn.stepping.rest cimport link_sleeps
from rbdyn.stepping.scene cimport MIMIC_FORCE, CouplingTerm, Scene, System


cdef inline Coupling* coupling_of(const Scene* s, int k) noexcept nogil:
    return <Coupling*> s.link[COUPLING_LINK].item[k]


cdef inline System* system_of(const Scene* s, const CouplingTerm* t) noexcept nogil:
    return s.system + s.body[t.handle].index


cdef bint ties_one_system(const Scene* s, const Coupling* c) noexcept nogil:
    """Whether it is no more than a law of one system's joints."""
    cdef int i
    for i in range(1, c.n):
        if c.term[i].handle != c.term[0].handle:
            return False
    return c.soft.softness == 0.0


cdef void look_at_couplings(const Scene* s) noexcept nogil:
    """The ties of a step that begins: what the free motion of systems obeys."""
    cdef Coupling* c
    cdef System* r
    cdef int k
    for k in range(s.n_system):
        r = s.system + k
        r.work.tie = NULL
        r.work.n_ties = r.control.n_mimics
    for k in range(s.link[COUPLING_LINK].n - 1, -1, -1):
        c = coupling_of(s, k)
        c.tie.impulse = 0.0
        if not ties_one_system(s, c):
            continue
        r = system_of(s, c.term)
        if r.work.n_ties < r.m.nv:               # more than that repeat one another
            c.tie.n, c.tie.term, c.tie.next = c.n, c.term, r.work.tie
            r.work.tie = &c.tie
            r.work.n_ties += 1


cdef double coupling_error(const Scene* s, const Coupling* c) noexcept nogil:
    """What the sum is more than the offset."""
    cdef double off = -c.offset
    cdef int i
    for i in range(c.n):
        off += c.term[i].coefficient * system_of(s, c.term + i).d.q[c.term[i].q]
    return off


cdef Count count_couplings(const Scene* s) noexcept nogil:
    """One row for each."""
    cdef int k, n = 0
    for k in range(s.link[COUPLING_LINK].n):
        n += not link_sleeps(s, s.link[COUPLING_LINK].item[k])
    return Count(cones=0, blocks=n, rows=n)


cdef int write_coupling(const Scene* s, Builder* b, const Coupling* c) except -1 nogil:
    """How fast the sum changes."""
    cdef const CouplingTerm* t
    cdef double v_start = 0.0, v_free = 0.0, size = 0.0, error = coupling_error(s, c)
    cdef int i
    for i in range(c.n):
        t = c.term + i
        v_start += t.coefficient * system_of(s, t).d.v[t.dof]
        v_free += t.coefficient * system_of(s, t).work.v_free[t.dof]
        size += fabs(t.coefficient * system_of(s, t).work.v_free[t.dof])
    begin_row(b, BILATERAL, 0.0, 0.0, v_start, beyond_rounding(v_free, size), 0.0, 0.0, speed_back(s, error),
              Key(source=COUPLING_SOURCE, id_a=c.link.id, id_b=0, feature=0))
    for i in range(c.n):
        add_coordinate(b, system_of(s, c.term + i), c.term[i].dof, c.term[i].coefficient)
    if c.soft.softness > 0.0:
        soften(s, b, &c.soft, &error)
    return 0


cdef int write_couplings(const Scene* s, Builder* b) except -1 nogil:
    cdef int k
    for k in range(s.link[COUPLING_LINK].n):
        if not link_sleeps(s, s.link[COUPLING_LINK].item[k]):
            write_coupling(s, b, coupling_of(s, k))
    return 0


cdef inline bint is_first(const Coupling* c, int i) noexcept nogil:
    """Whether no term before is of the same system."""
    cdef int j
    for j in range(i):
        if c.term[j].handle == c.term[i].handle:
            return False
    return True


cdef void read_couplings(const Scene* s, const ContactProblem* p, Share share) noexcept nogil:
    """Give the impulses to the systems, beside those of mimics."""
    cdef Coupling* c
    cdef System* r
    cdef int k, i, row, block = share.block
    for k in range(s.link[COUPLING_LINK].n):
        c = coupling_of(s, k)
        if link_sleeps(s, &c.link):
            continue
        row = p.block[block].first_row
        block += 1
        c.link.next.impulse[0] = p.impulse[row] + c.tie.impulse
        for i in range(c.n):
            r = system_of(s, c.term + i)
            r.work.by_rows[MIMIC_FORCE * r.m.nv + c.term[i].dof] += c.term[i].coefficient * p.impulse[row]
            if is_first(c, i):
                gather_row(p, row, r)
