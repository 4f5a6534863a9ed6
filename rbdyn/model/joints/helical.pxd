# Helical: rotation about z by the angle q [rad], and translation along z by the pitch [m/rad] times q.

from libc.math cimport M_PI, atan2, floor

from rbdyn.model.joints.turn cimport turned_z
from rbdyn.spatial._algebra cimport (
    Force, Mat3, Motion, Xform, add3, crm, motion, real, row_z, scale3, sincos_r, splat, vec3, xform,
)
from rbdyn.spatial.constants cimport Mat3d, Vec3d, Xformd, load_mat3, load_vec3
from rbdyn.spatial.quaternion cimport tilt, vec3d

cdef enum:
    HELICAL_ALLOWS = 0b000100         # w_z, which moves d'_z with it

cdef inline Xform helical_transform(const real* q, real pitch, const Xformd* T) noexcept nogil:
    """X_J(q) X_tree."""
    cdef real s, c
    cdef Mat3 E = load_mat3(T.E)
    sincos_r(q[0], &s, &c)
    return xform(turned_z(s, c, E), add3(load_vec3(T.r), scale3(pitch * q[0], row_z(E))))

cdef inline Motion helical_motion(real pitch, const real* x) noexcept nogil:
    return motion(vec3(splat(0.0), splat(0.0), x[0]), vec3(splat(0.0), splat(0.0), pitch * x[0]))

cdef inline Motion helical_bias(real pitch, const real* v, Motion vel) noexcept nogil:
    """v x v_J: S is constant in body coordinates."""
    return crm(vel, helical_motion(pitch, v))

cdef inline void helical_force(real pitch, Force f, real* t) noexcept nogil:
    t[0] = f.n.z + pitch * f.f.z

cdef inline int helical_columns(real pitch, Mat3 E, Motion* S) noexcept nogil:
    S[0] = motion(row_z(E), scale3(pitch, row_z(E)))
    return 0

cdef inline Motion helical_coupled_motion(double pitch, Motion a) noexcept nogil:
    """The row of d'_z is d'_z - pitch w_z."""
    a.v.z = a.v.z - pitch * a.w.z
    return a

cdef inline Force helical_coupled_force(double pitch, Force f) noexcept nogil:
    f.n.z = f.n.z - pitch * f.f.z
    return f

cdef inline double helical_coordinate(double pitch, Mat3d C, double d_z) noexcept nogil:
    """Where it stands as a loop joint [rad]: whole turns count unless it does not advance."""
    return d_z / pitch if pitch != 0.0 else atan2(C.yx, C.xx)

cdef inline Vec3d helical_loop_error(double pitch, Mat3d C, double d_z) noexcept nogil:
    """Rotation vector that its rows see, of the after-frame's axes C seen from the before-frame.

    Its z is the angle, which d_z must match; whole turns are added until it comes nearest.
    """
    cdef Vec3d u = tilt(vec3d(C.xz, C.yz, C.zz))
    u.z = atan2(C.yx - C.xy, C.xx + C.yy)
    if pitch != 0.0:
        u.z += 2.0 * M_PI * floor((d_z / pitch - u.z) / (2.0 * M_PI) + 0.5)
    return u
