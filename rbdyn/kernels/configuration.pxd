# The configuration manifold: q (+) v dt and its inverse, joint by joint.
#
# Rotations are integrated by the exponential map.  Angular velocities of spherical and floating joints are in the
# parent-side frame, so the increment multiplies from the left: q' = exp(w dt) q.  A stereographic projection
# p = (x, y, z) / (1 + w) goes by way of its quaternion, a sine and cosine are turned by the angle.

from libc.math cimport atan2, sqrt

from rbdyn.model._model cimport FLOATING, OWN, SINE_COSINE, SPHERICAL, CModel
from rbdyn.spatial._algebra cimport Vec3, real, sincos_r, vec3

cdef inline void quat_times(const double* a, const double* b, double* ab) noexcept nogil:
    """Hamilton product a b of [w, x, y, z]; ab may be b."""
    cdef double w = b[0], x = b[1], y = b[2], z = b[3]
    ab[0] = a[0] * w - a[1] * x - a[2] * y - a[3] * z
    ab[1] = a[0] * x + a[1] * w + a[2] * z - a[3] * y
    ab[2] = a[0] * y - a[1] * z + a[2] * w + a[3] * x
    ab[3] = a[0] * z + a[1] * y - a[2] * x + a[3] * w

cdef inline void quat_exp(double x, double y, double z, double* e) noexcept nogil:
    """The unit quaternion of a rotation vector [rad]."""
    cdef double angle2 = x * x + y * y + z * z
    cdef double half, s, c
    if angle2 < 1e-8:                    # series: relative error below 1e-18
        e[0] = 1.0 - angle2 * (0.125 - angle2 / 384.0)
        s = 0.5 - angle2 * (1.0 / 48.0 - angle2 / 3840.0)
    else:
        half = 0.5 * sqrt(angle2)
        sincos_r(half, &s, &c)
        e[0] = c
        s = 0.5 * s / half
    e[1] = s * x
    e[2] = s * y
    e[3] = s * z

cdef inline Vec3 quat_log(const double* e) noexcept nogil:
    """The rotation vector [rad], of length at most pi, of a unit quaternion."""
    cdef double sign = -1.0 if e[0] < 0.0 else 1.0
    cdef double s = sqrt(e[1] * e[1] + e[2] * e[2] + e[3] * e[3])
    cdef double k
    if s < 1e-8:
        k = 2.0 / (sign * e[0])
    else:
        k = 2.0 * atan2(s, sign * e[0]) / s
    k = sign * k
    return vec3(k * e[1], k * e[2], k * e[3])

cdef inline Vec3 quat_difference(const double* a, const double* b) noexcept nogil:
    """log(b a^-1): the rotation vector in the parent's frame that takes a to b."""
    cdef double inverse[4]
    cdef double e[4]
    inverse[0] = a[0]
    inverse[1] = -a[1]
    inverse[2] = -a[2]
    inverse[3] = -a[3]
    quat_times(b, inverse, e)
    return quat_log(e)

cdef inline void quat_step(double* q, double x, double y, double z) noexcept nogil:
    """q <- exp(x, y, z) q, normalised."""
    cdef double e[4]
    cdef double n
    quat_exp(x, y, z, e)
    quat_times(e, q, q)
    n = 1.0 / sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3])
    q[0] *= n
    q[1] *= n
    q[2] *= n
    q[3] *= n

cdef inline void quat_of_p(const double* p, double* q) noexcept nogil:
    """The unit quaternion of a stereographic projection."""
    cdef double n = p[0] * p[0] + p[1] * p[1] + p[2] * p[2]
    cdef double k = 1.0 / (1.0 + n)
    if n > 1e300:                        # a whole turn; the square, or its product with p, overflows beyond
        q[0], q[1], q[2], q[3] = -1.0, 0.0, 0.0, 0.0
        return
    q[0] = (1.0 - n) * k
    q[1] = 2.0 * k * p[0]
    q[2] = 2.0 * k * p[1]
    q[3] = 2.0 * k * p[2]

cdef inline void p_step(double* p, double x, double y, double z) noexcept nogil:
    """p <- the stereographic projection of exp(x, y, z) q(p), of q and -q the one with w >= 0: |p| <= 1."""
    cdef double q[4]
    cdef double k
    quat_of_p(p, &q[0])
    quat_step(&q[0], x, y, z)
    k = 1.0 / (q[0] + 1.0) if q[0] >= 0.0 else 1.0 / (q[0] - 1.0)
    p[0] = k * q[1]
    p[1] = k * q[2]
    p[2] = k * q[3]

cdef inline Vec3 p_difference(const double* a, const double* b) noexcept nogil:
    """The rotation vector in the parent's frame that takes a to b."""
    cdef double qa[4]
    cdef double qb[4]
    quat_of_p(a, &qa[0])
    quat_of_p(b, &qb[0])
    return quat_difference(&qa[0], &qb[0])

cdef inline void circle_step(double* x, double angle) noexcept nogil:
    """x = [sine, cosine] <- that of an angle larger by `angle` [rad], normalised."""
    cdef double s, c, n, sine
    sincos_r(angle, &s, &c)
    sine = x[0] * c + x[1] * s
    x[1] = x[1] * c - x[0] * s
    n = 1.0 / sqrt(sine * sine + x[1] * x[1])
    x[0] = n * sine
    x[1] *= n

cdef inline void integrate_joints(const CModel* m, double* q, const double* v, double dt) noexcept nogil:
    """q <- q (+) v dt, in place."""
    cdef int i, k
    cdef double* x
    cdef const double* u
    for i in range(1, m.nb):
        x = q + m.qi[i]
        u = v + m.vi[i]
        if m.kind[i] == SPHERICAL:
            quat_step(x, dt * u[0], dt * u[1], dt * u[2])
        elif m.kind[i] == FLOATING:
            for k in range(3):
                x[k] += dt * u[k]
            if m.representation[i] == OWN:
                quat_step(x + 3, dt * u[3], dt * u[4], dt * u[5])
            else:
                p_step(x + 3, dt * u[3], dt * u[4], dt * u[5])
        elif m.representation[i] == SINE_COSINE:
            circle_step(x, dt * u[0])
        else:
            for k in range(m.nvi[i]):
                x[k] += dt * u[k]

cdef inline void difference_joints(const CModel* m, const double* a, const double* b, double* v) noexcept nogil:
    """v with a (+) v = b."""
    cdef int i, k
    cdef const double* x
    cdef const double* y
    cdef double* u
    cdef Vec3 w
    for i in range(1, m.nb):
        x = a + m.qi[i]
        y = b + m.qi[i]
        u = v + m.vi[i]
        if m.kind[i] == SPHERICAL:
            w = quat_difference(x, y)
            u[0], u[1], u[2] = w.x, w.y, w.z
        elif m.kind[i] == FLOATING:
            for k in range(3):
                u[k] = y[k] - x[k]
            w = quat_difference(x + 3, y + 3) if m.representation[i] == OWN else p_difference(x + 3, y + 3)
            u[3], u[4], u[5] = w.x, w.y, w.z
        elif m.representation[i] == SINE_COSINE:
            u[0] = atan2(y[0] * x[1] - y[1] * x[0], y[1] * x[1] + y[0] * x[0])
        else:
            for k in range(m.nvi[i]):
                u[k] = y[k] - x[k]
