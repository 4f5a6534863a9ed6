"""Actuators whose effort limits bound the whole PD law: a row for each one of which it is not known what it gives.

An actuator within its limits is implicit in the mass matrix, and one at a limit gives the limit: neither needs a
row.  Which is which follows from free motion (joint_forces.pxd), and where nothing touches the robot that is all.
Impulses may take a velocity elsewhere; then the step shows that some actuator was taken for the wrong one, it gets a
row, and the step is done again.

With the force  drive - own (u+ - u) / dt  the impulse of a row is

    lam = dt drive - own (u+ - u) = -own (u+ - v*),    v* = u + dt drive / own

as long as it is between the limits: a box with the compliance 1 / own whose velocity counts from v*.  Where the limits
fall with the speed, that fall is implicit in the mass matrix, and taken from `own` (joint_forces.pxd).
"""

from libc.math cimport INFINITY, fabs

from rbdyn.contact.problem cimport BOX, ContactProblem, Key
from rbdyn.stepping.articulated cimport moves_freely
from rbdyn.stepping.builder cimport Builder, Count, Share, add_coordinate, begin_row, gather_row
from rbdyn.stepping.joint_forces cimport (
    applied_by, fall_in_row, given, highest_in, lowest_in, state_at, wanted,
)
from rbdyn.stepping.rest cimport system_sleeps
from rbdyn.stepping.scene cimport MOTOR_AT_LOWER, MOTOR_AT_UPPER, MOTOR_IN_ROW, MOTOR_WITHIN, Scene, System


cdef double ROUNDING = 1e-9    # of the force, to tell what is beyond a limit


cdef Count count_motors(const Scene* s) noexcept nogil:
    """One row for each actuator that the solver decides on."""
    cdef int k, n = 0
    for k in range(s.n_system):
        n += s.system[k].work.n_motor_rows
    return Count(cones=0, blocks=n, rows=n)


cdef int write_motor(const Scene* s, Builder* b, System* r, int dof) except -1 nogil:
    """The velocity of a joint from the one at which its actuator would give nothing."""
    cdef double own = r.work.own[dof] - fall_in_row(r, dof)        # [N m s/rad or N s/m]
    cdef double rest = r.d.v[dof] + s.dt * r.work.drive[dof] / own
    begin_row(b, BOX, s.dt * r.work.lowest[dof], s.dt * r.work.highest[dof], r.d.v[dof],
              r.work.v_free[dof] - rest, 0.0, 0.0, -INFINITY,
              Key(source=MOTOR_SOURCE, id_a=r.handle, id_b=dof, feature=0))
    b.block[b.problem.n_cones + b.n_blocks - 1].compliance = 1.0 / own
    return add_coordinate(b, r, dof, 1.0)


cdef int write_motors(const Scene* s, Builder* b) except -1 nogil:
    cdef System* r
    cdef int k, dof
    for k in range(s.n_system):
        r = s.system + k
        if r.work.n_motor_rows == 0:
            continue
        for dof in range(r.m.nv):
            if r.work.motor[dof] == MOTOR_IN_ROW:
                write_motor(s, b, r, dof)
    return 0


cdef void read_motors(const Scene* s, const ContactProblem* p, Share share) noexcept nogil:
    """Give the impulses to the systems."""
    cdef System* r = s.system
    cdef int i, row
    for i in range(share.block, share.block_end):
        row = p.block[i].first_row
        while r.handle != <int> p.block[i].key.id_a:
            r += 1
        gather_row(p, row, r)
        r.work.motor_impulse[p.block[i].key.id_b] = p.impulse[row]


cdef inline bint is_misjudged(const System* r, int dof, double dt) noexcept nogil:
    """Whether an actuator without a row was not what its free motion told."""
    cdef double acceleration = (r.work.v_next[dof] - r.d.v[dof]) / dt
    cdef double force = given(r, dof, acceleration, dt) if r.work.motor[dof] == MOTOR_WITHIN else (
        wanted(r, dof, acceleration))
    cdef double slack = ROUNDING * fabs(force)
    if r.work.motor[dof] == MOTOR_WITHIN:
        return state_at(r, dof, force, acceleration, slack) != MOTOR_WITHIN
    if r.work.motor[dof] == MOTOR_AT_UPPER:
        return force < highest_in(r, dof, acceleration) - slack
    return r.work.motor[dof] == MOTOR_AT_LOWER and force > lowest_in(r, dof, acceleration) + slack


cdef bint find_overloads(const Scene* s) noexcept nogil:
    """Whether actuators got rows, since the end of the step is not what they can do: then it has to be done again."""
    cdef System* r
    cdef bint found = False
    cdef int k, dof
    for k in range(s.n_system):
        r = s.system + k
        if not (r.control.pd and r.control.motor_limits) or (r.work.parts > 1 and moves_freely(r)):
            continue
        if system_sleeps(s, r):
            continue
        for dof in range(r.m.nv):
            if r.work.own[dof] > 0.0 and is_misjudged(r, dof, s.dt):
                r.work.motor[dof] = MOTOR_IN_ROW
                r.work.n_motor_rows += 1
                found = True
    return found


cdef bint find_turned(const Scene* s) noexcept nogil:
    """Whether motors left the line on which their limits fall with their speeds: then the step has to be done again.

    It ends at rest, where a motor that turns round would give more than all it has, and at the no-load speed, beyond
    which it would brake.  In the step done again the limit is what it is at the start.
    """
    cdef System* r
    cdef double force
    cdef bint found = False, beyond
    cdef int k, dof
    for k in range(s.n_system):
        r = s.system + k
        if system_sleeps(s, r) or (r.work.parts > 1 and moves_freely(r)):
            continue
        for dof in range(r.m.nv):
            if r.work.fall[dof] == 0.0:
                continue
            beyond = fabs(r.work.v_next[dof]) > r.control.no_load_speed[dof] * (1.0 + ROUNDING)
            if r.d.v[dof] * r.work.v_next[dof] >= 0.0 and not beyond:
                continue
            force = applied_by(r, dof, (r.work.v_next[dof] - r.d.v[dof]) / s.dt, s.dt)
            if (beyond or force > r.control.effort_upper[dof] * (1.0 + ROUNDING)
                    or force < r.control.effort_lower[dof] * (1.0 + ROUNDING)):
                r.work.level[dof] = 1
                r.work.n_level += 1
                found = True
    return found
