# An articulated system in one step: joint forces, free velocity, contact rows, velocity change, motion.

from libc.math cimport fmax, fmin
from libc.string cimport memcmp, memcpy

from rbdyn.kernels.configuration cimport integrate_joints
from rbdyn.model._model cimport TRANSFORMS, CData, CModel
from rbdyn.spatial._algebra cimport Mat3, Xform
from rbdyn.stepping.coordinates cimport coordinate, put_coordinate
from rbdyn.stepping.flight.bounces cimport balance_bounce, note_work
from rbdyn.stepping.flight.energy cimport bound_energy, impulses_act
from rbdyn.stepping.flight.free cimport (
    accelerate_at_start, factor_at_start, fastest_turn, flies, floats, largest_turn, matters, needs_parts,
    slow_turn,
)
from rbdyn.stepping.flight.midpoint cimport midpoint_acceleration
from rbdyn.stepping.flight.momentum cimport keep_momentum
from rbdyn.stepping.flight.parts cimport fly_at_once, fly_in_parts
from rbdyn.stepping.flight.ties cimport add_tie_impulses, forget_tie_impulses
from rbdyn.stepping.flight.runge_kutta cimport runge_kutta
from rbdyn.stepping.joint_forces cimport actuation
from rbdyn.stepping.loops.closing cimport close_positions
from rbdyn.stepping.loops.elimination cimport answer_in_loops, joint_velocities, list_forces
from rbdyn.stepping.loops.free cimport forget_loop_impulses, free_in_loops
from rbdyn.stepping.loops.stops cimport is_held
from rbdyn.stepping.scene cimport Limit, System
from rbdyn.stepping.scheme cimport EULER, RUNGE_KUTTA, SEMI_IMPLICIT, TRAPEZOID, Scheme
from rbdyn.stepping.wrenches cimport begin_loads

cdef inline void system_free(System* s, double dt, Scheme scheme) noexcept nogil:
    """v_free = u + dt M~^-1 (tau - h), by the articulated-body algorithm with the implicit diagonal.

    The factors are those at the start of the step, for constraints; v_free that of the middle, where nothing touches,
    or of motion in parts, where it is fast.
    """
    cdef double turn
    cdef int k
    begin_loads(s, dt)
    forget_tie_impulses(s)
    s.work.bounces = False
    if s.m.n_loops:
        forget_loop_impulses(s)
    if s.m.nc and not s.control.inloop:
        free_in_loops(s, dt, scheme)
        return
    s.work.parts = 0
    accelerate_at_start(s, dt, scheme, floats(s, scheme))
    s.work.turning = fastest_turn(s.m, s.d.v, slow_turn(dt))
    turn = largest_turn(s, s.work.turning, dt) if scheme.keeps_momentum else 0.0
    if needs_parts(s, turn, scheme):
        fly_in_parts(s, dt, scheme)
        factor_at_start(s, dt, scheme, floats(s, scheme))
    elif s.work.touched and matters(turn):
        fly_at_once(s, dt)
    else:
        if flies(s, scheme):
            midpoint_acceleration(s, dt, True)
        add_tie_impulses(s, dt)
        for k in range(s.m.nv):
            s.work.v_free[k] = s.d.v[k] + dt * s.work.vd[k]

cdef inline void system_change(System* s) noexcept nogil:
    """v_next = v_free + M~^-1 J^T lambda."""
    cdef int k
    memcpy(s.work.v_next, s.work.v_free, s.m.nv * sizeof(double))
    if s.work.active:
        if s.work.bounces:
            note_work(s)
        answer_in_loops(s, s.work.z)
        joint_velocities(s, s.work.z)
        for k in range(s.m.nv):
            s.work.v_next[k] += s.work.z[k]

cdef inline bint moves_freely(const System* s) noexcept nogil:
    """Whether its free motion leads it where it is at the end, since nothing changes its velocity."""
    return s.work.parts > 0 and not impulses_act(s)

cdef inline void stop_at_ends(System* s) noexcept nogil:
    """What comes to a stop in this step goes there and no further, unless that gives way.

    Rows bound the velocity at the end of the step, and the mean one may lead beyond.
    """
    cdef const Limit* limit
    cdef double q, end, stop
    cdef int j
    for j in range(s.control.n_limits):
        limit = s.control.limit + j
        if limit.soft.softness > 0.0:
            continue
        q, end = coordinate(limit, s.d.q), coordinate(limit, s.work.q_next)
        stop = fmax(fmin(limit.lower, q), fmin(fmax(limit.upper, q), end))
        if stop != end:
            put_coordinate(limit, s.work.q_next, stop)

cdef inline int position_rule(const System* s, Scheme scheme) noexcept nogil:
    """Choose how positions follow from velocities: what meets something, and is held by nothing, moves as in flight."""
    if s.work.blow.falls and scheme.keeps_momentum and not s.work.in_contact:
        return TRAPEZOID
    return scheme.rule

cdef inline void mean_velocity(System* s, Scheme scheme, int rule) noexcept nogil:
    """Write work.z, the velocity with which it moves in the step.

    What meets something moves by its old velocity until then, by the new one afterwards, and falls freely before and
    after, if nothing holds it (single.pxd).
    """
    cdef double at = 0.0 if rule == SEMI_IMPLICIT else 1.0 if rule == EULER else 0.5, fall = 0.0
    cdef int k
    if s.work.blow.falls:
        at = s.work.blow.at
        fall = 0.5 * (at * at - (1.0 - at) * (1.0 - at)) if rule == TRAPEZOID else 0.0
    for k in range(s.m.nv):
        s.work.z[k] = at * s.d.v[k] + (1.0 - at) * s.work.v_next[k] + fall * (s.work.v_free[k] - s.d.v[k])

cdef inline void system_move(System* s, Scheme scheme, double dt, double closing) noexcept nogil:
    """Write q_next, with loops closed by `closing` [m/s or rad/s] at most.

    What a limit holds moves with its new velocity: its target would let the mean velocity overshoot.  With it moves
    all that loops tie to it.
    """
    cdef int rule = position_rule(s, scheme)
    cdef bint whole
    cdef int k
    memcpy(s.work.q_next, s.d.q, s.m.nq * sizeof(double))
    if moves_freely(s):
        memcpy(s.work.q_next, s.work.q_free, s.m.nq * sizeof(double))
        if s.work.pushed:
            integrate_joints(s.m, s.work.q_next, s.work.push, dt)
        stop_at_ends(s)
        return
    mean_velocity(s, scheme, rule)
    if s.work.active or s.work.loops.held:
        whole = s.m.n_loops > 0 and is_held(s)
        for k in range(s.m.nv):
            if s.work.held[k] or whole:
                s.work.z[k] = s.work.v_next[k]
    if s.work.pushed:
        for k in range(s.m.nv):
            s.work.z[k] += s.work.push[k]
    integrate_joints(s.m, s.work.q_next, s.work.z, dt)
    if rule != SEMI_IMPLICIT:
        stop_at_ends(s)
    if s.m.nc:
        close_positions(s, dt * closing)

cdef inline void system_settle(System* s, double dt, Scheme scheme) noexcept nogil:
    """The end of a step in flight: what the Runge-Kutta method or the laws of momentum say of it.

    Then, where joints turn fast and constraints act, that there is not too much energy in it.  What actuators did in
    the step belongs to the velocities that are left.
    """
    cdef bint told = False
    if s.work.parts > 1 and moves_freely(s):
        told = True
        memcpy(s.work.applied, s.work.mean_applied, s.m.nv * sizeof(double))
        if floats(s, scheme) and memcmp(s.work.q_next, s.work.q_free, s.m.nq * sizeof(double)) != 0:
            keep_momentum(s, dt)
    elif flies(s, scheme) and scheme.rule == RUNGE_KUTTA and not s.work.active:
        runge_kutta(s, dt)
        stop_at_ends(s)
        told = True
    elif floats(s, scheme):
        keep_momentum(s, dt)
    if scheme.keeps_momentum:
        bound_energy(s, dt, scheme)
    if s.work.bounces and flies(s, scheme) and not (s.work.parts or s.work.pushed or s.control.has_wrenches):
        balance_bounce(s, dt)
    if not told:
        actuation(s, dt)

cdef inline bint system_finite(const System* s) noexcept nogil:
    cdef double speeds = 0.0, places = 0.0                 # two sums: neither waits for the other
    cdef int k
    for k in range(s.m.nv):                                # nq >= nv
        speeds += s.work.v_next[k]
        places += s.work.q_next[k]
    for k in range(s.m.nv, s.m.nq):
        places += s.work.q_next[k]
    return 0.0 * (speeds + places) == 0.0

cdef inline void system_accelerations(System* s, double dt) noexcept nogil:
    """The step's mean acceleration, impulses included, while both velocities are known."""
    cdef int k
    for k in range(s.m.nv):
        s.work.acceleration[k] = (s.work.v_next[k] - s.d.v[k]) / dt

cdef inline void system_commit(System* s, double dt) noexcept nogil:
    """Take over the end of the step; where it began is kept."""
    if s.m.n_loops:
        list_forces(s, dt)
    memcpy(s.work.q_start, s.d.q, s.m.nq * sizeof(double))
    memcpy(s.work.v_start, s.d.v, s.m.nv * sizeof(double))
    s.work.took = dt
    memcpy(s.d.q, s.work.q_next, s.m.nq * sizeof(double))
    memcpy(s.d.v, s.work.v_next, s.m.nv * sizeof(double))
    s.d.stage = 0
    if s.work.kept:
        memcpy(s.d.X, s.ahead.X, s.m.nb * sizeof(Xform))
        memcpy(s.d.EJ, s.ahead.EJ, s.m.nb * sizeof(Mat3))
        s.d.stage = TRANSFORMS
