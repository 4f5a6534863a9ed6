# Bounds of a shape: the centre of its sphere, the box around it, and the way that its points go between two poses.

from libc.math cimport fabs, sqrt

from rbdyn.collision._types cimport Bounds, Pose, PosedShape
from rbdyn.spatial._algebra cimport Mat3, Vec3, add3, dot3, matmul3, mul3, sub3, sub33, tmul3, transpose3, vec3


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


cdef inline Pose pose_in(const Pose* a, const Pose* b) noexcept nogil:
    """Pose of b in a."""
    cdef Pose X
    X.R = matmul3(transpose3(a.R), b.R)
    X.p = tmul3(a.R, sub3(b.p, a.p))
    return X


cdef inline double longest_way(const Pose* before, const Pose* now, Vec3 centre, double radius) noexcept nogil:
    """Bound of the way that a point of a sphere has gone between two poses [m].

    The way of the centre, and the radius times the spectral norm of the difference of the rotations: sqrt(1/2) of its
    Frobenius norm.
    """
    cdef Mat3 d = sub33(now.R, before.R)
    cdef Vec3 c = add3(sub3(now.p, before.p), mul3(d, centre))
    cdef double turned = (d.xx * d.xx + d.xy * d.xy + d.xz * d.xz + d.yx * d.yx + d.yy * d.yy + d.yz * d.yz
                          + d.zx * d.zx + d.zy * d.zy + d.zz * d.zz)
    return sqrt(dot3(c, c)) + radius * sqrt(0.5 * turned)
