# What bounds a shape: the centre of its sphere, and the box around it.

from libc.math cimport fabs, sqrt

from rbdyn.collision._types cimport Bounds, PosedShape
from rbdyn.spatial._algebra cimport Mat3, Vec3, add3, mul3, vec3


cdef inline Vec3 centre_of(const PosedShape* a) noexcept nogil:
    """Of the bounding sphere, world [m]."""
    return a.X.p if a.s.bounds.centered else add3(a.X.p, mul3(a.X.R, a.s.bounds.center))


cdef inline double reach(double x, double y, double z, const Bounds* b) noexcept nogil:
    """Half the extent along a direction with components x, y, z in the shape frame [m]: box + ball + ellipsoid."""
    cdef double r = fabs(x) * b.box.x + fabs(y) * b.box.y + fabs(z) * b.box.z + b.ball
    if b.curved:
        x, y, z = x * b.ellipsoid.x, y * b.ellipsoid.y, z * b.ellipsoid.z
        r += sqrt(x * x + y * y + z * z)
    return r


cdef inline Vec3 half_extent(const Bounds* b, const Mat3* R) noexcept nogil:
    """Half sides of the box around it along axes to which R turns the shape's [m]."""
    if b.round:
        return vec3(b.ball, b.ball, b.ball)
    return vec3(reach(R.xx, R.xy, R.xz, b), reach(R.yx, R.yy, R.yz, b), reach(R.zx, R.zy, R.zz, b))
