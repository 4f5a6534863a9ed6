# Fast flight in parts: free motion in which a joint turns by more than an eighth of a radian in a step.
#
# A step of second order errs by the cube of the angle that it turns.  Near a singularity speeds are high and energies
# change with angles of a few hundredths of a radian: there a step that is too long gains energy at once.  So time is
# cut in halves until no joint turns by more in a part.  Contacts and limits see the velocities that this
# leads to at the end of the step; forces are what they were at its start, and springs and PD control act anew in
# each part.

from libc.string cimport memcpy, memset

from rbdyn.kernels.configuration cimport integrate_joints
from rbdyn.kernels.kinematics cimport poses
from rbdyn.stepping.flight.energy cimport energy
from rbdyn.stepping.flight.free cimport (
    accelerate_at_start, factor_at_start, fastest_turn, flies, is_fast, largest_turn, motors_change, slow_turn,
)
from rbdyn.stepping.joint_forces cimport actuation
from rbdyn.stepping.flight.midpoint cimport look_ahead, midpoint_acceleration
from rbdyn.stepping.flight.momentum cimport keep_momentum
from rbdyn.stepping.flight.runge_kutta cimport runge_kutta
from rbdyn.stepping.flight.ties cimport add_tie_impulses, forget_tie_impulses, free_acceleration
from rbdyn.stepping.scene cimport System
from rbdyn.stepping.scheme cimport RUNGE_KUTTA, TRAPEZOID, Scheme, make_scheme

cdef enum:
    MOST_PARTS = 1024

cdef inline void set_state(System* s, const double* q, const double* v) noexcept nogil:
    memcpy(s.d.q, q, s.m.nq * sizeof(double))
    memcpy(s.d.v, v, s.m.nv * sizeof(double))
    s.d.stage = 0

cdef inline void fly_by_midpoint(System* s, double dt, bint stops, double* q, double* v) noexcept nogil:
    """q, v after dt of free motion, with the acceleration at its start in work.vd.

    What is seen to stop in the middle stops at the end of the step.  In a part it goes on, beyond its limit, and has to
    be seen to: the forces of joints that stand would drive those that fly.
    """
    cdef int k
    midpoint_acceleration(s, dt, stops)
    memcpy(q, s.d.q, s.m.nq * sizeof(double))
    for k in range(s.m.nv):
        v[k] = s.d.v[k] + 0.5 * dt * s.work.vd[k]
    integrate_joints(s.m, q, v, dt)
    for k in range(s.m.nv):
        v[k] = s.d.v[k] + dt * s.work.vd[k]

cdef inline void fly_part(System* s, double dt, Scheme scheme) noexcept nogil:
    """q_next, v_next after dt of free motion from the present q and v; of order 4 if no term is implicit."""
    if scheme.rule == RUNGE_KUTTA or s.work.implicit is NULL:
        runge_kutta(s, dt)
    else:
        fly_by_midpoint(s, dt, False, s.work.q_next, s.work.v_next)
        while motors_change(s, scheme):                # in the middle, and not at the start
            factor_at_start(s, dt, scheme, True)
            free_acceleration(s, s.d, s.work.vd)
            fly_by_midpoint(s, dt, False, s.work.q_next, s.work.v_next)
        add_tie_impulses(s, dt)
        actuation(s, dt)
    if scheme.rule != RUNGE_KUTTA:
        keep_momentum(s, dt)

cdef inline void fly_at_once(System* s, double dt) noexcept nogil:
    """q_free, v_free: where free motion leads in dt, with what is known of its start."""
    fly_by_midpoint(s, dt, True, s.work.q_free, s.work.v_free)
    add_tie_impulses(s, dt)
    look_ahead(s, s.work.q_free, s.work.v_free)
    s.work.free_energy = energy(s.m, &s.ahead)
    s.work.parts = 1

cdef inline void fly_in_parts(System* s, double dt, Scheme scheme) noexcept nogil:
    """q_free, v_free: where free motion leads in dt; the State is what it was.

    What the actuators did is their mean.
    """
    cdef Scheme flight = scheme if flies(s, scheme) else make_scheme(TRAPEZOID)
    cdef double* mean = s.work.mean_applied
    cdef int left = MOST_PARTS, n = MOST_PARTS, k
    cdef double h
    memcpy(s.work.q_start, s.d.q, s.m.nq * sizeof(double))
    memcpy(s.work.v_start, s.d.v, s.m.nv * sizeof(double))
    memset(mean, 0, s.m.nv * sizeof(double))
    while left > 0:
        n = min(n, left)
        h = dt / MOST_PARTS * n
        accelerate_at_start(s, h, flight, True)
        if n > 1 and is_fast(largest_turn(s, fastest_turn(s.m, s.d.v, slow_turn(h)), h)):
            n >>= 1
            continue
        fly_part(s, h, flight)
        set_state(s, s.work.q_next, s.work.v_next)
        for k in range(s.m.nv):
            mean[k] += h / dt * s.work.applied[k]
        left -= n
        n *= 2
    memcpy(s.work.q_free, s.d.q, s.m.nq * sizeof(double))
    memcpy(s.work.v_free, s.d.v, s.m.nv * sizeof(double))
    s.work.free_energy = energy(s.m, s.d)
    set_state(s, s.work.q_start, s.work.v_start)
    poses(s.m, s.d)
    s.work.kept = False
    s.work.parts = 2
