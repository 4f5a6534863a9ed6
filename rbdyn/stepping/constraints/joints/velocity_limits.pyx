"""Velocity limits of degrees of freedom: a unilateral row for each that could be passed in a step.

Those that free motion passes have one, and those that the step's end shows to be passed, since other impulses act: then
the step is done again.  A joint that is faster at the start of a step, since it was set so, loses the share of its
excess that a step corrects of a depth: nothing jumps.
"""

from libc.math cimport INFINITY, fabs, isfinite
from libc.string cimport memset

from rbdyn.contact.problem cimport UNILATERAL, ContactProblem, Key
from rbdyn.stepping.builder cimport Builder, Count, Share, add_coordinate, begin_row
from rbdyn.stepping.constraints.joints.home cimport take_home
from rbdyn.stepping.rest cimport system_sleeps
from rbdyn.stepping.scene cimport VELOCITY_LIMIT_FORCE, Scene, SpeedLimit, System, SystemControl

cdef enum:
    BELOW = 1                 # ends of a limit
    ABOVE = 2


cdef void list_velocity_limits(System* s) noexcept nogil:
    """Note the limits that are finite: of each degree of freedom by itself."""
    cdef SystemControl* c = &s.control
    cdef int dof
    memset(s.work.speeding, 0, s.m.nv * sizeof(int))      # of limits that may have other places now
    s.work.n_speeding = c.n_speed_limits = 0
    for dof in range(s.m.nv):
        if isfinite(c.top_speed[dof]):
            c.speed_limit[c.n_speed_limits] = SpeedLimit(dof=dof, speed=c.top_speed[dof])
            c.n_speed_limits += 1


cdef inline double most(const Scene* s, const System* r, const SpeedLimit* limit) noexcept nogil:
    """How fast the joint may be at the end of the step [rad/s or m/s]."""
    cdef double excess = fabs(r.d.v[limit.dof]) - limit.speed
    return limit.speed + (1.0 - s.erp) * excess if excess > 0.0 else limit.speed


cdef inline bint passes(const Scene* s, const System* r, const SpeedLimit* limit, double v) noexcept nogil:
    """Whether the velocity v is beyond the limit by more than rounding."""
    return fabs(v) > limit.speed and fabs(v) > most(s, r, limit) * (1.0 + 1e-9)


cdef inline bint note(System* r, int j, double v) noexcept nogil:
    """Limit j gets a row at the end where v is; returns whether it had none there."""
    cdef int end = ABOVE if v > 0.0 else BELOW
    if r.work.speeding[j] & end:
        return False
    r.work.speeding[j] |= end
    r.work.n_speeding += 1
    return True


cdef void clear_speeding(const Scene* s) noexcept nogil:
    """No limit has a row: a step begins."""
    cdef System* r
    cdef int k
    for k in range(s.n_system):
        r = s.system + k
        if r.work.n_speeding:
            memset(r.work.speeding, 0, r.control.n_speed_limits * sizeof(int))
            r.work.n_speeding = 0


cdef Count count_velocity_limits(const Scene* s) noexcept nogil:
    """One row for each limit that free motion passes, those that held in the latest step, and those found passed."""
    cdef System* r
    cdef double held
    cdef int k, j, n = 0
    for k in range(s.n_system):
        r = s.system + k
        if system_sleeps(s, r):
            continue
        for j in range(r.control.n_speed_limits):
            if passes(s, r, r.control.speed_limit + j, r.work.v_free[r.control.speed_limit[j].dof]):
                note(r, j, r.work.v_free[r.control.speed_limit[j].dof])
            held = r.work.by_rows[VELOCITY_LIMIT_FORCE * r.m.nv + r.control.speed_limit[j].dof]
            if held != 0.0 and r.work.touched:
                note(r, j, -held)
        n += r.work.n_speeding
    return Count(cones=0, blocks=n, rows=n)


cdef int write_velocity_limit(const Scene* s, Builder* b, System* r, const SpeedLimit* limit, int end) except -1 nogil:
    """The velocity away from the limit; its target is the limit, backwards."""
    cdef double sign = -1.0 if end == ABOVE else 1.0
    begin_row(b, UNILATERAL, 0.0, 0.0, sign * r.d.v[limit.dof], sign * r.work.v_free[limit.dof], 0.0,
              -most(s, r, limit), -INFINITY,
              Key(source=VELOCITY_SOURCE, id_a=r.handle, id_b=limit.dof, feature=end))
    return add_coordinate(b, r, limit.dof, sign)


cdef int write_velocity_limits(const Scene* s, Builder* b) except -1 nogil:
    cdef System* r
    cdef int k, j, end
    for k in range(s.n_system):
        r = s.system + k
        if r.work.n_speeding == 0:
            continue
        for j in range(r.control.n_speed_limits):
            for end in range(BELOW, ABOVE + 1):
                if r.work.speeding[j] & end:
                    write_velocity_limit(s, b, r, r.control.speed_limit + j, end)
    return 0


cdef void read_velocity_limits(const Scene* s, const ContactProblem* p, Share share) noexcept nogil:
    """Give the impulses to the systems."""
    take_home(s, p, share, VELOCITY_LIMIT_FORCE, ABOVE)


cdef bint find_speeders(const Scene* s) noexcept nogil:
    """Whether limits got rows, since impulses led beyond them: then the step has to be done again."""
    cdef System* r
    cdef const SpeedLimit* limit
    cdef bint found = False
    cdef int k, j
    for k in range(s.n_system):
        r = s.system + k
        if not r.work.active:
            continue
        for j in range(r.control.n_speed_limits):
            limit = r.control.speed_limit + j
            if passes(s, r, limit, r.work.v_next[limit.dof]):
                found |= note(r, j, r.work.v_next[limit.dof])
    return found
