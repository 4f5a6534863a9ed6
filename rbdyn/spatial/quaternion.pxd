# Rotations as unit quaternions [w, x, y, z], and as their stereographic projections p = (x, y, z) / (1 + w).
#
# Angular velocities are in the parent-side frame, so that increments multiply from the left: q' = exp(w dt) q.  What
# branches on values is in double, for one state at a time; what every lane does alike is in `real`.

from libc.math cimport atan2, hypot, sqrt

from rbdyn.spatial._algebra cimport Mat3, real, rows3, splat, vec3
from rbdyn.spatial.constants cimport Mat3d, Vec3d

cdef extern from "real.h" nogil:
    void sincos_d "rbdyn_sincos"(double x, double* sine, double* cosine)

cdef inline Vec3d vec3d(double x, double y, double z) noexcept nogil:
    cdef Vec3d a
    a.x, a.y, a.z = x, y, z
    return a

cdef inline Mat3 quat_E(const real* q) noexcept nogil:
    """R^T of a unit quaternion [w, x, y, z]: parent to child coordinates."""
    cdef real w = q[0], x = q[1], y = q[2], z = q[3]
    return rows3(vec3(1.0 - 2.0 * (y * y + z * z), 2.0 * (x * y + w * z), 2.0 * (x * z - w * y)),
                 vec3(2.0 * (x * y - w * z), 1.0 - 2.0 * (x * x + z * z), 2.0 * (y * z + w * x)),
                 vec3(2.0 * (x * z + w * y), 2.0 * (y * z - w * x), 1.0 - 2.0 * (x * x + y * y)))

cdef inline Mat3 spquat_E(const real* p) noexcept nogil:
    """R^T of a stereographic projection p = (x, y, z) / (1 + w): w = (1 - p.p) / (1 + p.p), (x, y, z) = (1 + w) p."""
    cdef real q[4]
    cdef real n = p[0] * p[0] + p[1] * p[1] + p[2] * p[2]
    cdef real k = splat(1.0) / (1.0 + n)
    q[0] = (1.0 - n) * k
    q[1] = 2.0 * k * p[0]
    q[2] = 2.0 * k * p[1]
    q[3] = 2.0 * k * p[2]
    return quat_E(&q[0])

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
        sincos_d(half, &s, &c)
        e[0] = c
        s = 0.5 * s / half
    e[1] = s * x
    e[2] = s * y
    e[3] = s * z

cdef inline Vec3d quat_log(const double* e) noexcept nogil:
    """The rotation vector [rad], of length at most pi, of a unit quaternion."""
    cdef double sign = -1.0 if e[0] < 0.0 else 1.0
    cdef double s = sqrt(e[1] * e[1] + e[2] * e[2] + e[3] * e[3])
    cdef double k
    if s < 1e-8:
        k = 2.0 / (sign * e[0])
    else:
        k = 2.0 * atan2(s, sign * e[0]) / s
    k = sign * k
    return vec3d(k * e[1], k * e[2], k * e[3])

cdef inline Vec3d quat_difference(const double* a, const double* b) noexcept nogil:
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

cdef inline Vec3d p_difference(const double* a, const double* b) noexcept nogil:
    """The rotation vector in the parent's frame that takes a to b."""
    cdef double qa[4]
    cdef double qb[4]
    quat_of_p(a, &qa[0])
    quat_of_p(b, &qb[0])
    return quat_difference(&qa[0], &qb[0])

cdef inline Vec3d rotation_vector(Mat3d R) noexcept nogil:
    """The rotation vector, of length at most pi, of a rotation matrix, by the quaternion's largest component."""
    cdef double q[4]
    cdef double t = R.xx + R.yy + R.zz
    if t >= R.xx and t >= R.yy and t >= R.zz:
        q[0], q[1], q[2], q[3] = 1.0 + t, R.zy - R.yz, R.xz - R.zx, R.yx - R.xy
    elif R.xx >= R.yy and R.xx >= R.zz:
        q[0], q[1], q[2], q[3] = R.zy - R.yz, 1.0 + R.xx - R.yy - R.zz, R.yx + R.xy, R.xz + R.zx
    elif R.yy >= R.zz:
        q[0], q[1], q[2], q[3] = R.xz - R.zx, R.yx + R.xy, 1.0 - R.xx + R.yy - R.zz, R.zy + R.yz
    else:
        q[0], q[1], q[2], q[3] = R.yx - R.xy, R.xz + R.zx, R.zy + R.yz, 1.0 - R.xx - R.yy + R.zz
    t = 1.0 / sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3])
    q[0], q[1], q[2], q[3] = t * q[0], t * q[1], t * q[2], t * q[3]
    return quat_log(q)

cdef inline Vec3d tilt(Vec3d a) noexcept nogil:
    """The rotation vector across z that takes z to the unit vector a; half a turn about x for a = -z."""
    cdef double s = hypot(a.x, a.y), angle = atan2(s, a.z)
    if s == 0.0:
        return vec3d(angle, 0.0, 0.0)
    return vec3d(-a.y * (angle / s), a.x * (angle / s), 0.0)
