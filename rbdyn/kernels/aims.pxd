# Target poses of frames: how far each frame is from its target, and the Jacobian of that error.
#
# The error of a position is e = p* - p.  That of a rotation is u = log(R* R^T): the rotation vector, world axes, that
# leads to the target in unit time.  Both are rows of e, the rotation first.
#
# Source: B. Siciliano et al., Robotics: Modelling, Planning and Control (2009), section 3.7.3.

from rbdyn.kernels.jacobian cimport add_jacobian
from rbdyn.model._model cimport CData, CModel
from rbdyn.spatial._algebra cimport Mat3, Vec3, add3, matmul3, mul3, sub3, transpose3
from rbdyn.spatial.constants cimport Mat3d, Vec3d
from rbdyn.spatial.quaternion cimport rotation_vector

cdef struct Aim:              # where a frame shall be
    int body                  # internal body that carries the frame
    Mat3 E                    # frame axes to body axes
    Vec3 x                    # [m] origin of the frame in the body
    bint turned               # the rotation is asked for
    bint placed               # the position is asked for
    Mat3 R                    # target rotation, frame axes to world axes
    Vec3 p                    # [m] target position in the world

cdef inline int aim_rows(const Aim* a) noexcept nogil:
    """Rows of e: 3 or 6."""
    return 3 * a.turned + 3 * a.placed

cdef inline Vec3 aimed_point(const CData* d, const Aim* a) noexcept nogil:
    """Where the frame's origin is in the world; the poses are current."""
    return add3(d.p[a.body], mul3(d.R[a.body], a.x))

cdef inline void aim_error(const CData* d, const Aim* a, double* e) noexcept nogil:
    """Rows of e [rad, m]; the poses are current."""
    cdef Mat3 T
    cdef Mat3d D
    cdef Vec3d u
    cdef Vec3 way
    if a.turned:
        T = matmul3(a.R, transpose3(matmul3(d.R[a.body], a.E)))
        D.xx, D.xy, D.xz = T.xx, T.xy, T.xz
        D.yx, D.yy, D.yz = T.yx, T.yy, T.yz
        D.zx, D.zy, D.zz = T.zx, T.zy, T.zz
        u = rotation_vector(D)
        e[0], e[1], e[2] = u.x, u.y, u.z
        e = e + 3
    if a.placed:
        way = sub3(a.p, aimed_point(d, a))
        e[0], e[1], e[2] = way.x, way.y, way.z

cdef inline const double* aim_jacobian(const CModel* m, const CData* d, const Aim* a, double* K) noexcept nogil:
    """J with J v = velocity of the frame, in the rows of e, (rows, nv); the poses are current.

    K (6, nv) is zeroed on entry, and the result lies in it.  d|u|^2/2 = -u.w holds for every u, so that J^T e is minus
    the gradient of |e|^2 / 2 exactly, although u' = -w only at u = 0.
    """
    add_jacobian(m, d, a.body, aimed_point(d, a), 1.0, True, m.nv, -1, K)
    return K if a.turned else K + 3 * m.nv
