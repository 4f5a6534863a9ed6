"""Position limits of degrees of freedom: a unilateral row for each end that could be passed in a step.

Without other impulses a joint moves with its free velocity, and q + dt v_free tells which ends it would pass.  If none
and nothing touches the system, no impulse acts on it, and there are no rows.  Else impulses change the other joints,
too, and the ends within their reach have rows as well.  A joint that is changed by more shows at the end of the step to
have passed its end, which gets a row, and the step is done again.  Ends that give way are springs with dampers
(constraints/bodies/freedoms.pyx).
"""

from libc.math cimport INFINITY, fmin, isfinite
from libc.string cimport memset

from rbdyn.contact.problem cimport UNILATERAL, ContactProblem, Key
from rbdyn.contact.targets cimport position_target
from rbdyn.model._model cimport SINE_COSINE
from rbdyn.stepping.builder cimport Builder, Count, Share, add_coordinate, begin_row
from rbdyn.stepping.constraints.bodies.freedoms cimport soften_stop
from rbdyn.stepping.constraints.joints.home cimport take_home
from rbdyn.stepping.coordinates cimport coordinate
from rbdyn.stepping.freedom cimport Softness
from rbdyn.stepping.rest cimport system_sleeps
from rbdyn.stepping.scene cimport LIMIT_FORCE, Limit, Scene, System, SystemControl
from rbdyn.stepping.schemes cimport stop_velocity

cdef double REACH = 50.0      # change of velocity that contacts are expected to stay below [rad/s or m/s]
cdef double WHIP = 10.0       # change of a joint's velocity for that of another that stops: light links on long arms


cdef void list_limits(System* s) noexcept nogil:
    """Note the limits that are finite: each is of a degree of freedom with a coordinate (coordinates.pxd)."""
    cdef SystemControl* c = &s.control
    cdef int i, j, dof
    memset(s.work.passed, 0, s.m.nv * sizeof(int))        # of limits that may have other places now
    s.work.n_passed = c.n_limits = 0
    for i in range(1, s.m.nb):
        for j in range(s.m.nvi[i]):
            dof = s.m.vi[i] + j
            if isfinite(c.lower[dof]) or isfinite(c.upper[dof]):
                c.limit[c.n_limits] = Limit(q=s.m.qi[i] + j, dof=dof, is_pair=s.m.representation[i] == SINE_COSINE,
                                            lower=c.lower[dof], upper=c.upper[dof],
                                            restitution=c.restitution[dof],
                                            soft=Softness(c.limit_softness[dof], c.limit_damping[dof]))
                c.n_limits += 1


cdef inline double least_margin(const System* s, double dt) noexcept nogil:
    """How far from its nearest end some joint comes in this step without constraint impulses [rad or m]; < 0 beyond."""
    cdef const Limit* limit
    cdef double q, above = INFINITY, below = INFINITY     # two minima: neither waits for the other
    cdef int k
    for k in range(s.control.n_limits):
        limit = s.control.limit + k
        q = coordinate(limit, s.d.q) + dt * s.work.v_free[limit.dof]
        above = q - limit.lower if q - limit.lower < above else above
        below = limit.upper - q if limit.upper - q < below else below
    return above if above < below else below


cdef inline double overshoot(const System* s, double dt) noexcept nogil:
    """How far all joints together would pass their limits in this step without constraint impulses [rad or m]."""
    cdef const Limit* limit
    cdef double q, total = 0.0
    cdef int k
    for k in range(s.control.n_limits):
        limit = s.control.limit + k
        q = coordinate(limit, s.d.q) + dt * s.work.v_free[limit.dof]
        total += limit.lower - q if q < limit.lower else (q - limit.upper if q > limit.upper else 0.0)
    return total


cdef inline void find_near(System* s, double reach, double dt) noexcept nogil:
    """The ends within `reach` [rad or m] of where the joints come without constraint impulses, and those passed."""
    cdef const Limit* limit
    cdef double q
    cdef int k, end
    for k in range(s.control.n_limits):
        limit = s.control.limit + k
        q = coordinate(limit, s.d.q) + dt * s.work.v_free[limit.dof]
        for end in range(2):
            if (limit.upper - q if end else q - limit.lower) <= reach or s.work.passed[k] >> end & 1:
                s.work.near[s.work.n_near] = 2 * k + end
                s.work.n_near += 1


cdef Count count_limits(const Scene* s) noexcept nogil:
    """One row for each end that is near."""
    cdef System* r
    cdef double least, reach
    cdef int k, n = 0
    for k in range(s.n_system):
        r = s.system + k
        r.work.n_near = 0
        if system_sleeps(s, r):
            continue
        least = least_margin(r, s.dt)
        reach = s.dt * REACH if r.work.touched else 0.0
        if least < 0.0 or least < reach:
            find_near(r, reach + WHIP * overshoot(r, s.dt), s.dt)
        elif r.work.n_passed:
            find_near(r, -INFINITY, s.dt)
        n += r.work.n_near
    return Count(cones=0, blocks=n, rows=n)


cdef int write_limit(const Scene* s, Builder* b, System* r, const Limit* limit, int end) except -1 nogil:
    """The joint's velocity away from the limit, less its target."""
    cdef double sign = -1.0 if end else 1.0
    cdef double q = coordinate(limit, r.d.q)
    cdef double gap = limit.upper - q if end else q - limit.lower
    cdef double v = sign * r.d.v[limit.dof], v_free = sign * r.work.v_free[limit.dof]
    cdef double bounce = stop_velocity(s, r, -v, -v_free, gap, limit.restitution)
    cdef double target = fmin(bounce, r.control.top_speed[limit.dof])        # else two rows contradict each other
    cdef double part = position_target(-gap, s.dt, s.erp, s.slop, s.erp_speed)
    begin_row(b, UNILATERAL, 0.0, 0.0, v, v_free, -gap, target, part,
              Key(source=LIMIT_SOURCE, id_a=r.handle, id_b=limit.dof, feature=end))
    add_coordinate(b, r, limit.dof, sign)
    if limit.soft.softness > 0.0:
        soften_stop(s, b, &limit.soft, gap)
    return 0


cdef int write_limits(const Scene* s, Builder* b) except -1 nogil:
    cdef System* r
    cdef int k, j
    for k in range(s.n_system):
        r = s.system + k
        for j in range(r.work.n_near):
            write_limit(s, b, r, r.control.limit + (r.work.near[j] >> 1), r.work.near[j] & 1)
    return 0


cdef void read_limits(const Scene* s, const ContactProblem* p, Share share) noexcept nogil:
    """Give the impulses to the systems.  A joint that its limit holds moves with its new velocity (system_move).

    One that bounces moves as it would in the air: that keeps its energy.
    """
    cdef System* r = s.system
    cdef int i, row
    take_home(s, p, share, LIMIT_FORCE, 1)
    for i in range(share.block, share.block_end):
        row = p.block[i].first_row
        if p.impulse[row] > 0.0:
            while r.handle != <int> p.block[i].key.id_a:
                r += 1
            if p.target[row] > 0.0:
                r.work.bounces = True
            else:
                r.work.held[p.block[i].key.id_b] = True


cdef void clear_passed(const Scene* s) noexcept nogil:
    """No end was found passed: a step begins."""
    cdef System* r
    cdef int k
    for k in range(s.n_system):
        r = s.system + k
        if r.work.n_passed:
            memset(r.work.passed, 0, r.control.n_limits * sizeof(int))
            r.work.n_passed = 0


cdef inline bint passes(const Scene* s, const System* r, const Limit* limit, int end) noexcept nogil:
    """Whether the velocity at the end of the step leads beyond an end by more than depths that are left alone."""
    cdef double q = coordinate(limit, r.d.q), v = r.work.v_next[limit.dof]
    cdef double gap = limit.upper - q if end else q - limit.lower
    return max(gap, 0.0) - s.dt * (v if end else -v) < -s.slop


cdef inline bint stays_within(const Scene* s, const System* r, const Limit* limit) noexcept nogil:
    """Whether the step begins between both ends, and its velocity leads beyond neither by as much."""
    cdef double q = coordinate(limit, r.d.q), then = q + s.dt * r.work.v_next[limit.dof]
    return (limit.lower <= q and limit.lower - s.slop < then) and (q <= limit.upper and then < limit.upper + s.slop)


cdef bint find_passed(const Scene* s) noexcept nogil:
    """Whether ends got rows, since impulses led beyond them: then the step has to be done again."""
    cdef System* r
    cdef bint found = False
    cdef int k, n, i, end
    for k in range(s.n_system):
        r = s.system + k
        n = 0
        for i in range(r.control.n_limits if r.work.active else 0):
            if n == r.work.n_near and stays_within(s, r, r.control.limit + i):
                continue
            for end in range(2):
                if n < r.work.n_near and r.work.near[n] == 2 * i + end:
                    n += 1                               # it has a row
                elif passes(s, r, r.control.limit + i, end):
                    r.work.passed[i] |= 1 << end
                    r.work.n_passed += 1
                    found = True
    return found
