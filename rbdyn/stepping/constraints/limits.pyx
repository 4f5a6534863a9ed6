"""Position limits in the problem.  A joint nears its limit as bodies near a contact: the gap may close, no further."""

from libc.math cimport fmax

from rbdyn.contact.problem cimport UNILATERAL, ContactProblem, Key
from rbdyn.contact.targets cimport target_velocity
from rbdyn.stepping.builder cimport Builder, Count, Share, add_coordinate, begin_row, take_row_home
from rbdyn.stepping.scene cimport Scene, System

cdef double REACH = 50.0      # change of velocity that the impulses of a step are expected to stay below [rad/s or m/s]


cdef inline double gap_to(const System* s, int i, int end) noexcept nogil:
    """How far joint i is from its lower limit (end 0) or its upper one (end 1) [rad or m]; negative beyond it."""
    cdef double q = s.d.q[s.m.qi[i]]
    return s.control.upper[s.m.qi[i]] - q if end else q - s.control.lower[s.m.qi[i]]


cdef inline bint is_near(const System* s, int i, int end, double dt) noexcept nogil:
    """Whether joint i could pass its limit in this step."""
    cdef double v = s.work.v_free[s.m.vi[i]]
    return s.m.nvi[i] == 1 and gap_to(s, i, end) <= dt * (REACH + fmax(0.0, v if end else -v))


cdef Count count_limits(const Scene* s) noexcept nogil:
    """One row for each end that is near."""
    cdef int k, i, end, n = 0
    for k in range(s.n_system):
        for i in range(1, s.system[k].m.nb):
            for end in range(2):
                n += is_near(s.system + k, i, end, s.dt)
    return Count(cones=0, blocks=n, rows=n)


cdef int write_limit(const Scene* s, Builder* b, System* r, int i, int end) except -1 nogil:
    """The joint's velocity away from the limit, less its target."""
    cdef int dof = r.m.vi[i]
    cdef double sign = -1.0 if end else 1.0
    cdef double target = target_velocity(-sign * r.d.v[dof], -gap_to(r, i, end), s.dt, s.erp, s.slop, s.erp_speed,
                                         0.0, 0.0)
    begin_row(b, UNILATERAL, 0.0, 0.0, sign * r.work.v_free[dof] - target,
              Key(source=LIMIT_SOURCE, id_a=r.handle, id_b=dof, feature=end))
    return add_coordinate(b, r, dof, sign)


cdef int write_limits(const Scene* s, Builder* b) except -1 nogil:
    cdef int k, i, end
    for k in range(s.n_system):
        for i in range(1, s.system[k].m.nb):
            for end in range(2):
                if is_near(s.system + k, i, end, s.dt):
                    write_limit(s, b, s.system + k, i, end)
    return 0


cdef void read_limits(const Scene* s, const ContactProblem* p, Share share) noexcept nogil:
    """Give the impulses to the systems; a joint that its limit holds moves with its new velocity (system_move)."""
    cdef System* r = s.system
    cdef int i, row
    for i in range(share.block, share.block_end):
        row = p.block[i].first_row
        if p.impulse[row] > 0.0:
            while r.handle != <int> p.block[i].key.id_a:
                r += 1
            take_row_home(p, row, r)
            r.work.held[p.block[i].key.id_b] = True
