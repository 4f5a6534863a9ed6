# How an articulated system accelerates where no constraint acts on it.

from libc.math cimport sqrt

from rbdyn.kernels.aba cimport aba_inward
from rbdyn.model._model cimport CModel
from rbdyn.model.joints.dispatch cimport floats_on_root, has_3dof_rotation, joint_turn
from rbdyn.stepping.joint_forces cimport joint_forces, reach_limits, release_limits
from rbdyn.stepping.flight.midpoint cimport look_at_middle, return_to_start
from rbdyn.stepping.flight.momentum cimport note_momentum
from rbdyn.stepping.flight.ties cimport free_acceleration
from rbdyn.stepping.scene cimport System
from rbdyn.stepping.scheme cimport RUNGE_KUTTA, TRAPEZOID, Scheme
from rbdyn.stepping.wrenches cimport wrenches_to_bodies

cdef inline bint flies(const System* s, Scheme scheme) noexcept nogil:
    """Whether the step is of second order or more: the default rule or the Runge-Kutta method, and no contact."""
    return (scheme.rule == TRAPEZOID or scheme.rule == RUNGE_KUTTA) and not s.work.touched

cdef inline bint floats(const System* s, Scheme scheme) noexcept nogil:
    """Whether its momentum is known: nothing holds it, and what touches it flies as it does."""
    return scheme.keeps_momentum and not s.work.grounded

cdef inline void factor_at_start(System* s, double dt, Scheme scheme, bint drifting) noexcept nogil:
    """Joint forces and articulated inertias at the present q and v, with what implicit terms add.

    `drifting`: nothing outside changes its momentum, which is noted.
    """
    joint_forces(s, s.d, dt, scheme)
    note_momentum(s, drifting)
    if s.control.has_wrenches:
        wrenches_to_bodies(s.m, s.d, &s.control)
    aba_inward(s.m, s.d, s.work.tau, s.work.implicit, s.control.has_wrenches)

cdef inline bint motors_change(System* s, Scheme scheme) noexcept nogil:
    """Whether actuators are at their limits, or come off them, with work.vd, that were thought not to."""
    return s.control.pd and s.control.motor_limits and scheme.rule != RUNGE_KUTTA and reach_limits(s)

cdef inline void accelerate_at_start(System* s, double dt, Scheme scheme, bint drifting) noexcept nogil:
    """work.vd = M~^-1 (tau - h) at the present q and v, with every actuator within its limits or at one.

    The Runge-Kutta method takes what they apply at each stage.
    """
    release_limits(s)
    factor_at_start(s, dt, scheme, drifting)
    free_acceleration(s, s.d, s.work.vd)
    while motors_change(s, scheme):
        factor_at_start(s, dt, scheme, drifting)
        free_acceleration(s, s.d, s.work.vd)

cdef inline double fastest_turn(const CModel* m, const double* v, double least) noexcept nogil:
    """How fast some joint turns at most [rad/s]; if that is below `least`, some number between the two."""
    cdef double fastest = 0.0, even = 0.0, odd = 0.0
    cdef int i, k
    for k in range(0, m.nv - 1, 2):                    # two sums: neither waits for the other
        even += v[k] * v[k]
        odd += v[k + 1] * v[k + 1]
    if m.nv & 1:
        even += v[m.nv - 1] * v[m.nv - 1]
    if even + odd < least * least:                     # all joints together
        return sqrt(even + odd)
    for i in range(1, m.nb):
        fastest = max(fastest, joint_turn(m, i, v + m.vi[i]))
    return fastest

cdef inline bint is_fast(double turn) noexcept nogil:
    """Whether a joint turns by too much in a step, in rad, for its motion to be that of one step."""
    return turn > 0.125

cdef inline bint matters(double turn) noexcept nogil:
    """Whether it turns by so much that velocities are not worth the same at the start and at the end of a step."""
    return turn > 0.02

cdef inline double slow_turn(double dt) noexcept nogil:
    """How fast joints may turn in steps of dt, at least, without that mattering [rad/s]."""
    return 0.019 / dt

cdef inline double largest_turn(System* s, double now, double dt) noexcept nogil:
    """How much some joint turns in dt at most, as fast as `now` [rad/s] or with the velocity after half of work.vd.

    That is the one which limits leave of it.  What does not matter is some number that does not.
    """
    cdef double turn
    cdef bint locked
    cdef int k
    for k in range(s.m.nv):
        s.work.z[k] = s.d.v[k] + 0.5 * dt * s.work.vd[k]
    turn = dt * max(now, fastest_turn(s.m, s.work.z, slow_turn(dt)))
    if matters(turn) and s.control.n_limits:
        locked = look_at_middle(s, dt, True)
        if locked:
            return_to_start(s)
        if locked or not matters(dt * now):
            turn = dt * max(now, fastest_turn(s.m, s.ahead.v, slow_turn(dt)))
    return turn

cdef inline bint has_ball(const CModel* m) noexcept nogil:
    """Whether a joint turns in space, other than those of floating bases, which momentum puts right."""
    cdef int i
    for i in range(1, m.nb):
        if has_3dof_rotation(m, i) and not floats_on_root(m, i):
            return True
    return False

cdef inline bint needs_parts(const System* s, double turn, Scheme scheme) noexcept nogil:
    """Whether its free motion, in which a joint turns by so much [rad], is none of one step of second order.

    What spins on a ball joint nutates about once a turn.  At second order that grows by about turn^4 / 8 a step: a top
    that nothing damps gained a fifth of its energy in 200 s.
    """
    if is_fast(turn):
        return True
    return matters(turn) and s.work.implicit is NULL and flies(s, scheme) and has_ball(s.m)
