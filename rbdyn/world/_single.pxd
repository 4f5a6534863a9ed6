# A single rigid body in one step: free velocity, contact velocity change, motion.
#
# The angular momentum L = I w is what forces and impulses change; the angular velocity follows from it and the
# orientation.  So a free body keeps L to rounding, and the implicit midpoint rule on the rotation keeps its energy.

from libc.math cimport isfinite

from rbdyn.kernels.configuration cimport quat_step
from rbdyn.model.joints cimport quat_E
from rbdyn.spatial._algebra cimport (
    Mat3, Sym3, Vec3, add3, dot3, mul3, rotate_s, scale3, smul3, sub3, sym3, tmul3, transpose3, vec3, zero3,
)
from rbdyn.world._types cimport DYNAMIC, EULER, SEMI_IMPLICIT, STATIC, TRAPEZOID, CSingle

cdef inline Vec3 spin(const Mat3* R, const Sym3* inverse_I_b, Vec3 L) noexcept nogil:
    """w = R I_b^-1 R^T L."""
    return mul3(R[0], smul3(inverse_I_b[0], tmul3(R[0], L)))

cdef inline Vec3 angular_momentum(const CSingle* b, Vec3 w) noexcept nogil:
    """L = R I_b R^T w."""
    return mul3(b.R, smul3(b.I_b, tmul3(b.R, w)))

cdef inline void single_free(CSingle* b, Vec3 gravity, double dt) noexcept nogil:
    """Velocity without contact impulses, and the inverse inertia in world axes."""
    b.dv = zero3()
    b.dw = zero3()
    b.v_free = b.v
    b.w_free = b.w
    b.inverse_mass = 0.0
    b.inverse_I = sym3(0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
    if b.type != DYNAMIC:
        return
    b.inverse_mass = 1.0 / b.mass
    b.inverse_I = b.inverse_I_b if b.isotropic else rotate_s(transpose3(b.R), b.inverse_I_b)
    b.v_free = add3(b.v, scale3(dt, add3(gravity, scale3(b.inverse_mass, b.force))))
    b.w_free = add3(b.w, scale3(dt, smul3(b.inverse_I, b.torque)))

cdef inline void single_push(CSingle* b, Vec3 impulse, Vec3 arm) noexcept nogil:
    """Add the velocity change of an impulse [N s] at `arm` from the centre of mass."""
    b.dv = add3(b.dv, scale3(b.inverse_mass, impulse))
    b.dw = add3(b.dw, smul3(b.inverse_I, vec3(arm.y * impulse.z - arm.z * impulse.y,
                                              arm.z * impulse.x - arm.x * impulse.z,
                                              arm.x * impulse.y - arm.y * impulse.x)))

cdef inline Vec3 midpoint_spin(const CSingle* b, Vec3 L, double dt) noexcept nogil:
    """w with w = R_m I_b^-1 R_m^T L at R_m = exp(dt w / 2) R: the implicit midpoint rule, by fixed-point steps.

    A step gains a factor of about dt |w| / 2; more than half a turn a step does not converge.
    """
    cdef Vec3 w = spin(&b.R, &b.inverse_I_b, L), before, change
    cdef double q[4]
    cdef Mat3 R
    for _ in range(60):
        before = w
        q[0], q[1], q[2], q[3] = b.q[0], b.q[1], b.q[2], b.q[3]
        quat_step(q, 0.5 * dt * w.x, 0.5 * dt * w.y, 0.5 * dt * w.z)
        R = transpose3(quat_E(q))
        w = spin(&R, &b.inverse_I_b, L)
        change = sub3(w, before)
        if dot3(change, change) <= 1e-30 * dot3(w, w):
            break
    return w

cdef inline void single_move(CSingle* b, int scheme, double dt) noexcept nogil:
    """v_next, w_next, p_next, q_next."""
    cdef Vec3 v, w, L
    cdef Mat3 R
    b.v_next = add3(b.v_free, b.dv)
    b.w_next = add3(b.w_free, b.dw)
    if b.type == STATIC:
        v = zero3()
        w = zero3()
    elif scheme == SEMI_IMPLICIT:
        v = b.v_next
        w = b.w_next
    elif scheme == EULER:
        v = b.v
        w = b.w
    else:
        v = scale3(0.5, add3(b.v, b.v_next))
        w = scale3(0.5, add3(b.w, b.w_next))
    b.p_next = add3(b.p, scale3(dt, v))
    if b.type == DYNAMIC and not b.isotropic:
        w = midpoint_spin(b, angular_momentum(b, w), dt)
    b.q_next[0], b.q_next[1], b.q_next[2], b.q_next[3] = b.q[0], b.q[1], b.q[2], b.q[3]
    quat_step(b.q_next, dt * w.x, dt * w.y, dt * w.z)
    if b.type == DYNAMIC and not b.isotropic:
        L = angular_momentum(b, b.w_next)
        R = transpose3(quat_E(b.q_next))
        b.w_next = spin(&R, &b.inverse_I_b, L)

cdef inline bint single_finite(const CSingle* b) noexcept nogil:
    return isfinite(b.p_next.x + b.p_next.y + b.p_next.z + b.v_next.x + b.v_next.y + b.v_next.z
                    + b.w_next.x + b.w_next.y + b.w_next.z
                    + b.q_next[0] + b.q_next[1] + b.q_next[2] + b.q_next[3])

cdef inline void single_unpush(CSingle* b) noexcept nogil:
    """Forget the external forces: they live one step."""
    b.force = zero3()
    b.torque = zero3()

cdef inline void single_commit(CSingle* b) noexcept nogil:
    """Take over the end of the step."""
    b.p = b.p_next
    b.q[0], b.q[1], b.q[2], b.q[3] = b.q_next[0], b.q_next[1], b.q_next[2], b.q_next[3]
    b.R = transpose3(quat_E(b.q))
    b.v = b.v_next
    b.w = b.w_next
    single_unpush(b)
