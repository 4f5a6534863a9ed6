# Rotation matrices as unit quaternions.

from libc.math cimport sqrt

from rbdyn.spatial._algebra cimport Mat3

cdef inline void quat_of(const Mat3* R, double* q) noexcept nogil:
    """[w, x, y, z], w >= 0, of a rotation.

    Source: S. W. Shepperd, Quaternion from rotation matrix, Journal of Guidance and Control 1 (1978): from the largest
    of the four squares.
    """
    cdef double trace = R.xx + R.yy + R.zz, r, s
    if trace >= R.xx and trace >= R.yy and trace >= R.zz:
        r = sqrt(1.0 + trace)
        s = 0.5 / r
        q[0], q[1], q[2], q[3] = 0.5 * r, s * (R.zy - R.yz), s * (R.xz - R.zx), s * (R.yx - R.xy)
    elif R.xx >= R.yy and R.xx >= R.zz:
        r = sqrt(1.0 + R.xx - R.yy - R.zz)
        s = 0.5 / r
        q[0], q[1], q[2], q[3] = s * (R.zy - R.yz), 0.5 * r, s * (R.xy + R.yx), s * (R.xz + R.zx)
    elif R.yy >= R.zz:
        r = sqrt(1.0 - R.xx + R.yy - R.zz)
        s = 0.5 / r
        q[0], q[1], q[2], q[3] = s * (R.xz - R.zx), s * (R.xy + R.yx), 0.5 * r, s * (R.yz + R.zy)
    else:
        r = sqrt(1.0 - R.xx - R.yy + R.zz)
        s = 0.5 / r
        q[0], q[1], q[2], q[3] = s * (R.yx - R.xy), s * (R.xz + R.zx), s * (R.yz + R.zy), 0.5 * r
    if q[0] < 0.0:
        q[0], q[1], q[2], q[3] = -q[0], -q[1], -q[2], -q[3]
