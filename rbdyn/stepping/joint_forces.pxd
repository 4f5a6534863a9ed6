# Forces on the joints of a system: feed-forward, PD control, springs and damping, by the theta-scheme (scheme.pxd).
#
# With stiffness K and damping D (gains plus passive elements), evaluated at q + theta (q+ - q), u + theta (u+ - u)
# under the position rule q+ = q (+) dt ((1 - gamma) u + gamma u+):
#
#     (M + theta dt D + theta gamma dt^2 K) (u+ - u) = dt (tau_ff + K (q_ref - q - theta dt u) + D (u_ref - u) - h)
#
# theta of D is larger where D is so stiff that 1/2 would turn a velocity round from step to step.
#
# A motor's share of it is  drive - own (u+ - u) / dt.  Within its effort limits that is implicit in M; a motor at a
# limit gives the limit; of one that is neither for sure, the solver decides (constraints/joints/motors.pyx).
#
# With a no-load speed s the limit in the direction of motion is  limit (1 - |u| / s), not below 0, on the line through
# the velocity at the start of the step:  limit(u) - fall (u+ - u) / dt, implicit as the law itself.

from libc.math cimport INFINITY, fabs

from rbdyn.kernels.configuration cimport difference_joints
from rbdyn.model._model cimport CData, CModel
from rbdyn.model.joints.dispatch cimport joint_column
from rbdyn.spatial._algebra cimport Motion, mul_i, power
from rbdyn.spatial.constants cimport load_inertia
from rbdyn.stepping.scene cimport (
    MOTOR_AT_LOWER, MOTOR_AT_UPPER, MOTOR_IN_ROW, MOTOR_WITHIN, System, SystemControl, SystemScratch,
)
from rbdyn.stepping.scheme cimport Scheme

cdef inline void list_inertias(System* s) noexcept nogil:
    """What each degree of freedom has to move at least: the body on its joint alone, and its rotor."""
    cdef Motion S
    cdef int i, j
    for i in range(1, s.m.nb):
        for j in range(s.m.nvi[i]):
            S = joint_column(s.m, s.d, i, j)
            s.control.inertia[s.m.vi[i] + j] = (
                power(S, mul_i(load_inertia(s.m.I_b + i), S)) + s.m.rotor[s.m.vi[i] + j])

cdef inline double damping_theta(const System* s, int k, double dt, double theta) noexcept nogil:
    """Where in the step the damping of degree of freedom k acts: at theta, or later.

    u+ = (1 - (1 - theta) x) / (1 + theta x) u with x = dt D / inertia: with 1 - 1/x, if that is more, u+ is never
    opposite to u.  A fast motor on a light wheel would ring with 1/2.
    """
    cdef double damping = dt * (s.control.damping[k] + (s.control.kd[k] if s.control.pd else 0.0))
    if theta == 0.0 or (1.0 - theta) * damping <= s.control.inertia[k]:
        return theta
    return 1.0 - s.control.inertia[k] / damping

cdef inline double left_at(double limit, double speed, double no_load) noexcept nogil:
    """What is left of a limit at a speed in its direction."""
    if speed <= 0.0 or no_load == INFINITY or limit == INFINITY:
        return limit
    return limit * max(0.0, 1.0 - speed / no_load)

cdef inline double highest(const SystemControl* c, int k, double v) noexcept nogil:
    """The largest force that actuator k can give at the velocity v."""
    return left_at(c.effort_upper[k], v, c.no_load_speed[k])

cdef inline double lowest(const SystemControl* c, int k, double v) noexcept nogil:
    return -left_at(-c.effort_lower[k], -v, c.no_load_speed[k])

cdef inline double slope_at(const SystemControl* c, int k, double v) noexcept nogil:
    """How fast the limit in the direction of the velocity v falls with the speed."""
    cdef double limit = c.effort_upper[k] if v >= 0.0 else -c.effort_lower[k]
    return limit / c.no_load_speed[k] if limit < INFINITY and fabs(v) < c.no_load_speed[k] < INFINITY else 0.0

cdef inline double highest_in(const System* s, int k, double acceleration) noexcept nogil:
    """The largest force in a step of this mean acceleration."""
    cdef double v = s.d.v[k]
    return highest(&s.control, k, v) - (s.work.fall[k] * acceleration if v >= 0.0 else 0.0)

cdef inline double lowest_in(const System* s, int k, double acceleration) noexcept nogil:
    cdef double v = s.d.v[k]
    return lowest(&s.control, k, v) - (s.work.fall[k] * acceleration if v < 0.0 else 0.0)

cdef inline double fall_in_row(const System* s, int k) noexcept nogil:
    """What of `own` the fall of a limit takes: both bounds of a row fall so; a steeper fall waits for the next step."""
    return s.work.fall[k] if s.work.fall[k] < 0.999 * s.work.own[k] else 0.0

cdef inline double clamped(const SystemControl* c, int k, double force, double v) noexcept nogil:
    """The nearest force that the actuator of degree of freedom k can give at the velocity v."""
    return min(highest(c, k, v), max(lowest(c, k, v), force))

cdef inline bint has_motor_limit(const System* s, int k) noexcept nogil:
    """Whether the implicit force of actuator k is bounded, and not its explicit part alone."""
    return s.control.motor_limits and s.work.own[k] > 0.0

cdef inline void motor_forces(System* s, const CData* d, double dt, Scheme scheme) noexcept nogil:
    """drive and own of each actuator: its command, clamped unless the implicit force is to be, and what follows it."""
    cdef const SystemControl* c = &s.control
    cdef SystemScratch* w = &s.work
    cdef double theta = scheme.theta, gamma = scheme.gamma, asked
    cdef int k
    for k in range(s.m.nv):
        w.drive[k] = c.tau_ff[k]
        w.own[k] = 0.0
        w.fall[k] = theta * dt * slope_at(c, k, d.v[k])
    if c.pd:
        difference_joints(s.m, d.q, c.q_ref, w.error)
        for k in range(s.m.nv):
            w.drive[k] += c.kp[k] * w.error[k] + c.kd[k] * (c.v_ref[k] - d.v[k])
            w.own[k] = dt * (damping_theta(s, k, dt, theta) * c.kd[k] + theta * gamma * dt * c.kp[k])
    for k in range(s.m.nv):
        if not has_motor_limit(s, k):
            asked = w.drive[k]
            w.drive[k] = clamped(c, k, asked, d.v[k])
            if w.fall[k] != 0.0 and (asked - w.drive[k]) * (1.0 if d.v[k] >= 0.0 else -1.0) > 0.0:
                w.own[k] += w.fall[k]
        if c.pd:
            w.drive[k] -= theta * dt * c.kp[k] * d.v[k]

cdef inline void joint_forces(System* s, const CData* d, double dt, Scheme scheme) noexcept nogil:
    """Explicit joint forces at the place d and the implicit diagonal of the theta-scheme."""
    cdef const CModel* m = s.m
    cdef const SystemControl* c = &s.control
    cdef SystemScratch* w = &s.work
    cdef double theta = scheme.theta, gamma = scheme.gamma
    cdef int k
    motor_forces(s, d, dt, scheme)
    if c.springs:
        difference_joints(m, d.q, c.q_spring, w.error)
    w.implicit = NULL
    for k in range(m.nv):
        w.tau[k] = w.passive[k] = c.stiffness[k] * (w.error[k] - theta * dt * d.v[k]) - c.damping[k] * d.v[k]
        w.extra[k] = dt * (damping_theta(s, k, dt, theta) * c.damping[k] + theta * gamma * dt * c.stiffness[k])
        if w.motor[k] == MOTOR_IN_ROW:
            w.extra[k] += fall_in_row(s, k)            # the solver gives the rest
        elif w.motor[k] == MOTOR_WITHIN or w.own[k] == 0.0:
            w.tau[k] += w.drive[k]
            w.extra[k] += w.own[k]
        elif w.motor[k] == MOTOR_AT_UPPER:
            w.tau[k] += highest(c, k, d.v[k])
            w.extra[k] += w.fall[k] if d.v[k] >= 0.0 else 0.0
        else:
            w.tau[k] += lowest(c, k, d.v[k])
            w.extra[k] += w.fall[k] if d.v[k] < 0.0 else 0.0
        if w.extra[k] != 0.0:
            w.implicit = w.extra

cdef inline double wanted(const System* s, int k, double acceleration) noexcept nogil:
    """What actuator k would apply without a limit, in a step of this mean acceleration [N m or N]."""
    return s.work.drive[k] - s.work.own[k] * acceleration

cdef inline bint reach_limits(System* s) noexcept nogil:
    """Actuators that work.vd shows to be beyond a limit go there, those that came back to the solver.

    Returns whether forces change; they change twice at most.
    """
    cdef int* motor = s.work.motor
    cdef double force
    cdef bint changed = False
    cdef int k, beyond
    for k in range(s.m.nv):
        if motor[k] == MOTOR_IN_ROW or not has_motor_limit(s, k):
            continue
        force = wanted(s, k, s.work.vd[k])
        beyond = MOTOR_AT_UPPER if force > highest_in(s, k, s.work.vd[k]) else (
            MOTOR_AT_LOWER if force < lowest_in(s, k, s.work.vd[k]) else MOTOR_WITHIN)
        if beyond == motor[k]:
            continue
        if motor[k] == MOTOR_WITHIN:
            motor[k] = beyond
        else:
            motor[k] = MOTOR_IN_ROW
            s.work.n_motor_rows += 1
        changed = True
    return changed

cdef inline void release_limits(System* s) noexcept nogil:
    """All actuators are within their limits again, but those that the solver has."""
    cdef int k
    for k in range(s.m.nv):
        if s.work.motor[k] != MOTOR_IN_ROW:
            s.work.motor[k] = MOTOR_WITHIN

cdef inline void actuation(System* s, double dt) noexcept nogil:
    """What actuators, springs and damping did in the step, with their implicit parts at the new velocity."""
    cdef SystemScratch* w = &s.work
    cdef double acceleration, own
    cdef int k
    w.lasted = dt
    for k in range(s.m.nv):
        acceleration = (w.v_next[k] - s.d.v[k]) / dt
        if w.motor[k] == MOTOR_IN_ROW:
            own = fall_in_row(s, k)
            w.applied[k] = w.motor_impulse[k] / dt - own * acceleration
        elif w.motor[k] == MOTOR_WITHIN or w.own[k] == 0.0:
            own = w.own[k]
            w.applied[k] = wanted(s, k, acceleration)
        elif w.motor[k] == MOTOR_AT_UPPER:
            own = w.fall[k] if s.d.v[k] >= 0.0 else 0.0
            w.applied[k] = highest_in(s, k, acceleration)
        else:
            own = w.fall[k] if s.d.v[k] < 0.0 else 0.0
            w.applied[k] = lowest_in(s, k, acceleration)
        w.passive[k] -= (w.extra[k] - own) * acceleration
