# Vector helpers that the kernels share.
#
# Kernels here branch on values, so they are written for one scene at a time; `real` is double.

from libc.math cimport fabs, sqrt

from rbdyn.spatial._algebra cimport Mat3, Vec3, dot3, scale3, vec3


cdef inline Vec3 axis_x(const Mat3* R) noexcept nogil:
    return vec3(R.xx, R.yx, R.zx)

cdef inline Vec3 axis_y(const Mat3* R) noexcept nogil:
    return vec3(R.xy, R.yy, R.zy)

cdef inline Vec3 axis_z(const Mat3* R) noexcept nogil:
    return vec3(R.xz, R.yz, R.zz)

cdef inline double norm3(Vec3 a) noexcept nogil:
    return sqrt(dot3(a, a))

cdef inline double clamp(double x, double low, double high) noexcept nogil:
    return low if x < low else (high if x > high else x)

cdef inline Vec3 along(Vec3 a, double s, Vec3 d) noexcept nogil:
    """a + s d."""
    return vec3(a.x + s * d.x, a.y + s * d.y, a.z + s * d.z)

cdef inline Vec3 unit_or(Vec3 a, Vec3 fallback) noexcept nogil:
    """a / |a|, or the fallback if a is too short to have a direction."""
    cdef double length = norm3(a)
    return scale3(1.0 / length, a) if length > 1e-150 else fallback

cdef inline Vec3 perpendicular(Vec3 a) noexcept nogil:
    """A unit vector normal to the unit vector a."""
    cdef Vec3 b = vec3(0.0, a.z, -a.y) if fabs(a.x) < 0.6 else vec3(a.z, 0.0, -a.x)
    return scale3(1.0 / norm3(b), b)
