# Forces on the joints of a system: feed-forward, PD control, springs and damping, by the theta-scheme (scheme.pxd).

from libc.string cimport memcpy

from rbdyn.kernels.configuration cimport difference_joints
from rbdyn.model._model cimport CData, CModel
from rbdyn.stepping.scene cimport System, SystemControl, SystemScratch
from rbdyn.stepping.scheme cimport Scheme

cdef inline void joint_forces(System* s, const CData* d, double dt, Scheme scheme) noexcept nogil:
    """Explicit joint forces at the place d and the implicit diagonal of the theta-scheme.

    With stiffness K and damping D (gains plus passive elements), evaluated at q + theta (q+ - q), u + theta (u+ - u)
    under the position rule q+ = q (+) dt ((1 - gamma) u + gamma u+):

        (M + theta dt D + theta gamma dt^2 K) (u+ - u) = dt (tau_ff + K (q_ref - q - theta dt u) + D (u_ref - u) - h)

    The command tau_ff + kp (q_ref - q) + kd (u_ref - u) is clamped to the effort limits; the rest is not.
    """
    cdef const CModel* m = s.m
    cdef const SystemControl* c = &s.control
    cdef SystemScratch* w = &s.work
    cdef const double* v = d.v
    cdef double theta = scheme.theta, gamma = scheme.gamma, command
    cdef int k
    for k in range(m.nv):
        w.command[k] = c.tau_ff[k]
        w.extra[k] = theta * dt * c.damping[k] + theta * gamma * dt * dt * c.stiffness[k]
        w.tau[k] = -c.damping[k] * v[k]
    if c.pd:
        difference_joints(m, d.q, c.q_ref, w.error)
        for k in range(m.nv):
            w.command[k] += c.kp[k] * w.error[k] + c.kd[k] * (c.v_ref[k] - v[k])
            w.extra[k] += theta * dt * c.kd[k] + theta * gamma * dt * dt * c.kp[k]
            w.tau[k] -= theta * dt * c.kp[k] * v[k]
    if c.springs:
        difference_joints(m, d.q, c.q_spring, w.error)
    w.implicit = NULL
    for k in range(m.nv):
        command = w.command[k]
        command = c.effort[k] if command > c.effort[k] else (-c.effort[k] if command < -c.effort[k] else command)
        w.command[k] = command
        w.tau[k] += command + c.stiffness[k] * (w.error[k] - theta * dt * v[k])
        if w.extra[k] != 0.0:
            w.implicit = w.extra

cdef inline void actuation(System* s, double dt, Scheme scheme) noexcept nogil:
    """What the actuators did in the step: the clamped command, and the PD law's implicit part at the new velocity."""
    cdef const SystemControl* c = &s.control
    cdef double theta = scheme.theta, gamma = scheme.gamma
    cdef int k
    memcpy(s.work.applied, s.work.command, s.m.nv * sizeof(double))
    if s.control.pd:
        for k in range(s.m.nv):
            s.work.applied[k] -= theta * (dt * c.kp[k] * s.d.v[k] + (c.kd[k] + gamma * dt * c.kp[k])
                                          * (s.work.v_next[k] - s.d.v[k]))
