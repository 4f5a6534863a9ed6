# The free acceleration of an articulated system in the middle of a step: what makes free motion of second order.
#
# The theta-scheme (articulated.pxd) takes springs and PD control at q + theta (q+ - q), u + theta (u+ - u).  The mass
# matrix and the bias forces are taken there, too, with the free acceleration a at the start in place of that of the
# step:
#
#     u_m = u + dt a / 2,    q_m = q (+) dt u_m / 2,    (M(q_m) + E) (u+ - u) = dt (tau - h(q_m, u_m))
#
# with E and tau as at the start.  Of stiff joints a is the mean over the step, and q_m the mean position, so that a
# gain that is large for the step leads no joint astray.  Contact geometry is that of the start, so that a system with
# contacts stays there.

from libc.string cimport memcpy

from rbdyn.kernels.aba cimport aba_inward
from rbdyn.kernels.configuration cimport integrate_joints
from rbdyn.model._model cimport CData, CModel
from rbdyn.model.joints.dispatch cimport difference_joint, has_3dof_rotation
from rbdyn.stepping.flight.stops cimport lock_stopped, locked_acceleration, stop_at_limits
from rbdyn.stepping.flight.ties cimport free_acceleration
from rbdyn.stepping.scene cimport MOTOR_WITHIN, System, SystemControl
from rbdyn.stepping.wrenches cimport wrenches_to_bodies

cdef inline void look_ahead(System* s, const double* q, const double* v) noexcept nogil:
    """Put the second place of the system at q and v."""
    cdef CData* d = &s.ahead
    memcpy(d.q, q, s.m.nq * sizeof(double))
    memcpy(d.v, v, s.m.nv * sizeof(double))
    d.R[0], d.p[0], d.gravity = s.d.R[0], s.d.p[0], s.d.gravity
    d.stage = 0

cdef inline bint turned(const System* s, int i, const double* target, const double* stiffness, double dt,
                        double* turn) noexcept nogil:
    """turn = e(q_m) - e(q) + dt u_m / 2 of joint i, with e = target (-) q; False where nothing is stiff."""
    cdef double before[6]
    cdef bint stiff = False
    cdef int k, v0 = s.m.vi[i], q0 = s.m.qi[i]
    for k in range(s.m.nvi[i]):
        stiff = stiff or stiffness[v0 + k] != 0.0
    if not stiff:
        return False
    difference_joint(s.m, i, s.d.q + q0, target + q0, before)
    difference_joint(s.m, i, s.ahead.q + q0, target + q0, turn)
    for k in range(s.m.nvi[i]):
        turn[k] += 0.5 * dt * s.ahead.v[v0 + k] - before[k]
    return True

cdef inline void turn_springs(System* s, double dt) noexcept nogil:
    """Springs and PD control of rotations in space, in the middle of the step.

    Their error turns while they move.  That of other joints shrinks by what they move, and the theta-scheme knows.
    """
    cdef const SystemControl* c = &s.control
    cdef double turn[6]
    cdef int i, k, v0
    for i in range(1, s.m.nb):
        if not has_3dof_rotation(s.m, i):
            continue
        v0 = s.m.vi[i]
        if c.pd and turned(s, i, c.q_ref, c.kp, dt, turn):
            for k in range(s.m.nvi[i]):
                s.work.drive[v0 + k] += c.kp[v0 + k] * turn[k]
                if s.work.motor[v0 + k] == MOTOR_WITHIN:
                    s.work.tau[v0 + k] += c.kp[v0 + k] * turn[k]
        if c.springs and turned(s, i, c.q_spring, c.stiffness, dt, turn):
            for k in range(s.m.nvi[i]):
                s.work.tau[v0 + k] += c.stiffness[v0 + k] * turn[k]
                s.work.passive[v0 + k] += c.stiffness[v0 + k] * turn[k]

cdef inline bint look_at_middle(System* s, double dt, bint stops) noexcept nogil:
    """Write ahead.v, the velocity in the middle of the step; `stops`: with joints that limits stop by then.

    Tells whether joints of a tree stand there and are locked.  Then v_free is the acceleration at the start that leads
    there, and the factors at the start are those with locks, until return_to_start.
    """
    cdef double* first = s.work.v_free
    cdef int k
    look_ahead(s, s.d.q, s.d.v)
    for k in range(s.m.nv):
        s.ahead.v[k] += 0.5 * dt * s.work.vd[k]
    if not stops or not stop_at_limits(s, s.ahead.v, dt) or s.m.nc > 0 or not lock_stopped(s, dt):
        return False
    locked_acceleration(s, s.d, first)
    for k in range(s.m.nv):
        s.ahead.v[k] = s.d.v[k] + 0.5 * dt * first[k]
    return True

cdef inline void return_to_start(System* s) noexcept nogil:
    """Let work.vd and the factors at the start be those without locks."""
    aba_inward(s.m, s.d, s.work.tau, s.work.implicit, s.control.has_wrenches)
    free_acceleration(s, s.d, s.work.vd)

cdef inline void midpoint_acceleration(System* s, double dt, bint stops) noexcept nogil:
    """work.vd in the middle of the step, from that at its start; `stops`: with joints that limits stop by then.

    Where they lock any, springs of rotations in space are those of the start.
    """
    cdef CData* d = &s.ahead
    cdef double* change = s.work.v_free
    cdef bint locked = look_at_middle(s, dt, stops)
    cdef int k
    integrate_joints(s.m, d.q, d.v, 0.5 * dt)
    if s.work.implicit is not NULL and not locked:
        turn_springs(s, dt)
    if s.control.has_wrenches:
        wrenches_to_bodies(s.m, d, &s.control)
    if not locked:
        aba_inward(s.m, d, s.work.tau, s.work.implicit, s.control.has_wrenches)
        free_acceleration(s, d, s.work.vd)
        return
    locked_acceleration(s, d, s.work.vd)
    for k in range(s.m.nv):
        change[k] = s.work.vd[k] - change[k]
    return_to_start(s)
    for k in range(s.m.nv):
        s.work.vd[k] += change[k]
