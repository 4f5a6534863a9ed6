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
from libc.string cimport memcpy, memset

from rbdyn.kernels.aba cimport subtract_outer
from rbdyn.kernels.configuration cimport difference_joints
from rbdyn.kernels.kinematics cimport transforms
from rbdyn.model._model cimport OWN, CData, CModel
from rbdyn.model.joints.dispatch cimport difference_joint, joint_column, joint_force
from rbdyn.spatial._algebra cimport Force, add_a, apply_ta, articulated, mul_a
from rbdyn.spatial.constants cimport load_inertia
from rbdyn.stepping.scene cimport (
    MOTOR_AT_LOWER, MOTOR_AT_UPPER, MOTOR_IN_ROW, MOTOR_WITHIN, System, SystemControl, SystemScratch,
)
from rbdyn.stepping.scheme cimport Scheme

cdef inline void list_inertias(System* s, const double* q) noexcept nogil:
    """Pivots of the mass matrix M = L^T D L at q: what each degree of freedom moves while those before it rest.

    Those after it are free.  M does not depend on how joints are modelled, and neither do its pivots: a universal joint
    has those of two revolute ones with a body without mass between them.
    """
    cdef const CModel* m = s.m
    cdef CData* d = &s.ahead
    cdef double t[6]
    cdef Force F
    cdef int i, j
    memcpy(d.q, q, m.nq * sizeof(double))
    d.stage = 0
    transforms(m, d)
    for i in range(1, m.nb):
        d.IA[i] = articulated(load_inertia(m.I_b + i))
    for i in range(m.nb - 1, 0, -1):
        for j in range(m.nvi[i] - 1, -1, -1):
            F = mul_a(d.IA[i], joint_column(m, d, i, j))
            joint_force(m, d, i, F, t)
            t[j] += m.rotor[m.vi[i] + j]
            s.control.inertia[m.vi[i] + j] = max(t[j], 0.0)
            if t[j] > 0.0:
                subtract_outer(d.IA + i, 1.0 / t[j], F)
        if m.parent[i]:
            d.IA[m.parent[i]] = add_a(d.IA[m.parent[i]], apply_ta(d.X[i], d.IA[i]))
    d.stage = 0

cdef inline double damping_theta(const System* s, int k, double dt, double theta) noexcept nogil:
    """Where in the step the damping of degree of freedom k acts: at theta, or later.

    u+ = (1 - (1 - theta) x) / (1 + theta x) u with x = dt D / inertia: with 1 - 1/x, if that is more, u+ is never
    opposite to u.  A fast motor on a light wheel would ring with 1/2.  The inertia is the pivot of `list_inertias`.
    """
    cdef double damping = dt * (s.control.damping[k] + (s.control.kd[k] if s.control.pd else 0.0))
    if theta == 0.0 or (1.0 - theta) * damping <= s.control.inertia[k]:
        return theta
    return 1.0 - s.control.inertia[k] / damping

cdef inline double left_at(double limit, double speed, double no_load) noexcept nogil:
    """What is left of a limit at a speed in its direction."""
    if speed <= 0.0 or limit == INFINITY:
        return limit
    return limit * max(0.0, 1.0 - speed / no_load)

cdef inline double slope_at(const SystemControl* c, int k, double v) noexcept nogil:
    """How fast the limit in the direction of the velocity v falls with the speed."""
    cdef double limit = c.effort_upper[k] if v >= 0.0 else -c.effort_lower[k]
    return limit / c.no_load_speed[k] if limit < INFINITY and fabs(v) < c.no_load_speed[k] else 0.0

cdef inline double highest_in(const System* s, int k, double acceleration) noexcept nogil:
    """The largest force in a step of this mean acceleration."""
    cdef double v = s.d.v[k]
    return s.work.highest[k] - (s.work.fall[k] * acceleration if v >= 0.0 else 0.0)

cdef inline double lowest_in(const System* s, int k, double acceleration) noexcept nogil:
    cdef double v = s.d.v[k]
    return s.work.lowest[k] - (s.work.fall[k] * acceleration if v < 0.0 else 0.0)

cdef inline double fall_in_row(const System* s, int k) noexcept nogil:
    """What of `own` the fall of a limit takes: both bounds of a row fall so; a steeper fall waits for the next step."""
    return s.work.fall[k] if s.work.fall[k] < 0.999 * s.work.own[k] else 0.0

cdef inline void spring_forces(System* s, const CData* d, double reach) noexcept nogil:
    """passive <- K (q_spring - q - theta dt u), with reach = theta dt."""
    cdef int k
    if not s.control.springs:
        memset(s.work.passive, 0, s.m.nv * sizeof(double))
        return
    difference_joints(s.m, d.q, s.control.q_spring, s.work.error)
    for k in range(s.m.nv):
        s.work.passive[k] = s.control.stiffness[k] * (s.work.error[k] - reach * d.v[k])

cdef inline bint has_gain(const System* s, int i) noexcept nogil:
    """Whether PD control has a gain for the positions of joint i."""
    cdef int k
    for k in range(s.m.vi[i], s.m.vi[i] + s.m.nvi[i]):
        if s.control.kp[k] != 0.0:
            return True
    return False

cdef inline void held_errors(System* s, const CData* d) noexcept nogil:
    """error <- q_ref - q where a gain asks for it: of a floating base hardly ever, and its logarithm is dear."""
    cdef const CModel* m = s.m
    cdef int i, k
    for i in range(1, m.nb):
        if m.nvi[i] == 1 and m.representation[i] == OWN:
            s.work.error[m.vi[i]] = s.control.q_ref[m.qi[i]] - d.q[m.qi[i]]
        elif has_gain(s, i):
            difference_joint(m, i, d.q + m.qi[i], s.control.q_ref + m.qi[i], s.work.error + m.vi[i])
        else:
            for k in range(m.vi[i], m.vi[i] + m.nvi[i]):
                s.work.error[k] = 0.0

cdef inline void motor_force(System* s, int k, double v, double late, double dt, Scheme scheme) noexcept nogil:
    """drive and own of actuator k: its command, clamped unless the implicit force is to be, and what follows it.

    `late` is where in the step damping acts.
    """
    cdef const SystemControl* c = &s.control
    cdef SystemScratch* w = &s.work
    cdef double drive = c.tau_ff[k], own = 0.0, fall = 0.0, ahead = 0.0, asked
    w.lowest[k], w.highest[k] = c.effort_lower[k], c.effort_upper[k]
    if c.no_load_speed[k] < INFINITY:
        fall = 0.0 if w.level[k] else scheme.theta * dt * slope_at(c, k, v)
        w.lowest[k] = -left_at(-c.effort_lower[k], -v, c.no_load_speed[k])
        w.highest[k] = left_at(c.effort_upper[k], v, c.no_load_speed[k])
    if c.pd:
        drive += c.kp[k] * w.error[k] + c.kd[k] * (c.v_ref[k] - v)
        own = dt * (late * c.kd[k] + scheme.theta * scheme.gamma * dt * c.kp[k])
        ahead = scheme.theta * dt * c.kp[k] * v
    if c.motor_limits and own == 0.0:                  # all of the law is known at the start
        drive, ahead = drive - ahead, 0.0
    if not (c.motor_limits and own > 0.0):
        asked = drive
        drive = min(w.highest[k], max(w.lowest[k], asked))
        if fall != 0.0 and (asked - drive) * (1.0 if v >= 0.0 else -1.0) > 0.0:
            own += fall
    drive -= ahead
    w.drive[k], w.own[k], w.fall[k] = drive, own, fall

cdef inline void joint_forces(System* s, const CData* d, double dt, Scheme scheme) noexcept nogil:
    """Explicit joint forces at the place d and the implicit diagonal of the theta-scheme."""
    cdef const SystemControl* c = &s.control
    cdef SystemScratch* w = &s.work
    cdef double theta = scheme.theta, late, tau, extra
    cdef int k
    spring_forces(s, d, theta * dt)
    if c.pd:
        held_errors(s, d)
    w.implicit = NULL
    for k in range(s.m.nv):
        late = damping_theta(s, k, dt, theta)
        motor_force(s, k, d.v[k], late, dt, scheme)
        tau = w.passive[k] - c.damping[k] * d.v[k]
        w.passive[k] = tau
        extra = dt * (late * c.damping[k] + theta * scheme.gamma * dt * c.stiffness[k])
        if w.motor[k] == MOTOR_IN_ROW:
            extra += fall_in_row(s, k)                 # the solver gives the rest
        elif w.motor[k] == MOTOR_WITHIN or w.own[k] == 0.0:
            tau += w.drive[k]
            extra += w.own[k]
        elif w.motor[k] == MOTOR_AT_UPPER:
            tau += w.highest[k]
            extra += w.fall[k] if d.v[k] >= 0.0 else 0.0
        else:
            tau += w.lowest[k]
            extra += w.fall[k] if d.v[k] < 0.0 else 0.0
        w.tau[k], w.extra[k] = tau, extra
        if extra != 0.0:
            w.implicit = w.extra

cdef inline double wanted(const System* s, int k, double acceleration) noexcept nogil:
    """What actuator k would apply without a limit, in a step of this mean acceleration [N m or N]."""
    return s.work.drive[k] - s.work.own[k] * acceleration

cdef inline double given(const System* s, int k, double acceleration, double dt) noexcept nogil:
    """What actuator k applies within its limits, in a step of this mean acceleration [N m or N].

    Of a step in parts, what it applied in free motion, and what impulses make of it.
    """
    if s.work.parts > 1:
        acceleration -= (s.work.v_free[k] - s.d.v[k]) / dt
        return s.work.mean_applied[k] - s.work.own[k] * acceleration
    return wanted(s, k, acceleration)

cdef inline int state_at(const System* s, int k, double force, double acceleration, double slack) noexcept nogil:
    """Whether a force is within the limits of actuator k in a step of this mean acceleration, or beyond which one."""
    cdef double fall = s.work.fall[k] * acceleration
    cdef bint forward
    if fall == 0.0 and s.work.lowest[k] - slack <= force <= s.work.highest[k] + slack:
        return MOTOR_WITHIN
    forward = s.d.v[k] >= 0.0
    if force > s.work.highest[k] - (fall if forward else 0.0) + slack:
        return MOTOR_AT_UPPER
    if force < s.work.lowest[k] - (0.0 if forward else fall) - slack:
        return MOTOR_AT_LOWER
    return MOTOR_WITHIN

cdef inline bint is_in_doubt(const System* s, int k, int state) noexcept nogil:
    """Tell whether free motion and the latest step disagree about actuator k of a robot that is touched."""
    cdef double applied = s.work.applied[k]
    return s.work.touched and s.work.lasted > 0.0 and state != state_at(s, k, applied, 0.0, -1e-9 * fabs(applied))

cdef inline bint reach_limits(System* s) noexcept nogil:
    """Motors that work.vd shows to be beyond a limit go there; those in doubt, and those that came back, to the solver.

    Returns whether forces change; they change twice at most.
    """
    cdef int* motor = s.work.motor
    cdef bint changed = False, in_doubt
    cdef int k, state
    for k in range(s.m.nv):
        if not s.work.own[k] > 0.0 or motor[k] == MOTOR_IN_ROW:
            continue
        state = state_at(s, k, wanted(s, k, s.work.vd[k]), s.work.vd[k], 0.0)
        in_doubt = is_in_doubt(s, k, state)
        if state == motor[k] and not in_doubt:
            continue
        if motor[k] == MOTOR_WITHIN and not in_doubt:
            motor[k] = state
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

cdef inline double applied_by(const System* s, int k, double acceleration, double dt) noexcept nogil:
    """What actuator k does in a step of this mean acceleration."""
    if s.work.motor[k] == MOTOR_IN_ROW:
        return s.work.motor_impulse[k] / dt - fall_in_row(s, k) * acceleration
    if s.work.motor[k] == MOTOR_WITHIN or s.work.own[k] == 0.0:
        return given(s, k, acceleration, dt)
    if s.work.motor[k] == MOTOR_AT_UPPER:
        return highest_in(s, k, acceleration)
    return lowest_in(s, k, acceleration)

cdef inline void note_actuators(System* s, double dt) noexcept nogil:
    """applied: what actuators do in the step if it ends with v_next."""
    cdef int k
    for k in range(s.m.nv):
        s.work.applied[k] = applied_by(s, k, (s.work.v_next[k] - s.d.v[k]) / dt, dt)

cdef inline double actuator_share(const System* s, int k) noexcept nogil:
    """What of the implicit diagonal is of actuator k."""
    if s.work.motor[k] == MOTOR_IN_ROW:
        return fall_in_row(s, k)
    if s.work.motor[k] == MOTOR_WITHIN or s.work.own[k] == 0.0:
        return s.work.own[k]
    return s.work.fall[k] if (s.d.v[k] >= 0.0) == (s.work.motor[k] == MOTOR_AT_UPPER) else 0.0

cdef inline void actuation(System* s, double dt) noexcept nogil:
    """What actuators, springs and damping did in the step if it ends with v_next, implicit parts included."""
    cdef double acceleration
    cdef int k
    s.work.lasted = dt
    for k in range(s.m.nv):
        acceleration = (s.work.v_next[k] - s.d.v[k]) / dt
        s.work.applied[k] = applied_by(s, k, acceleration, dt)
        s.work.passive[k] -= (s.work.extra[k] - actuator_share(s, k)) * acceleration
