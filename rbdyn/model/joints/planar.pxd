# Planar: motion in the x-y plane of the parent-side frame; q is [x, y, angle] [m, m, rad].

from rbdyn.model.joints.turn cimport turned_z
from rbdyn.spatial._algebra cimport (
    Force, Mat3, Motion, Vec3, Xform, add3, cross3, matmul3, motion, mul3, neg3, real, row_x, row_y, row_z, rows3,
    scale3, sincos_r, splat, tmul3, transpose3, vec3, xform, zero3,
)
from rbdyn.spatial.constants cimport Mat3d, Vec3d, Xformd, load_mat3, load_vec3
from rbdyn.spatial.quaternion cimport tilt, vec3d

cdef enum:
    PLANAR_ALLOWS = 0b011100          # w_z, d'_x, d'_y

cdef inline Xform planar_transform(const real* q, const Xformd* T, Mat3* EJ) noexcept nogil:
    """X_J(q) X_tree, and E_J."""
    cdef real s, c
    sincos_r(q[2], &s, &c)
    EJ[0] = rows3(vec3(c, s, splat(0.0)), vec3(-s, c, splat(0.0)), vec3(splat(0.0), splat(0.0), splat(1.0)))
    return xform(turned_z(s, c, load_mat3(T.E)),
                 add3(load_vec3(T.r), add3(scale3(q[0], row_x(load_mat3(T.E))), scale3(q[1], row_y(load_mat3(T.E))))))

cdef inline Motion planar_motion(Mat3 EJ, const real* x) noexcept nogil:
    return motion(vec3(splat(0.0), splat(0.0), x[2]), mul3(EJ, vec3(x[0], x[1], splat(0.0))))

cdef inline Motion planar_bias(Mat3 EJ, const real* v, Motion vel) noexcept nogil:
    """w x v_J of the general rule, less w_J x v_J: the linear velocity is measured in the parent's axes."""
    cdef Motion vJ = planar_motion(EJ, v)
    return motion(cross3(vel.w, vJ.w),
                  add3(cross3(vel.v, vJ.w), cross3(add3(vel.w, neg3(vJ.w)), vJ.v)))

cdef inline void planar_force(Mat3 EJ, Force f, real* t) noexcept nogil:
    cdef Vec3 a = tmul3(EJ, f.f)
    t[0] = a.x
    t[1] = a.y
    t[2] = f.n.z

cdef inline int planar_columns(Mat3 EJ, Mat3 E, Motion* S) noexcept nogil:
    cdef Mat3 B = matmul3(transpose3(EJ), E)         # its rows: v is measured along them
    S[0], S[1], S[2] = motion(zero3(), row_x(B)), motion(zero3(), row_y(B)), motion(row_z(B), zero3())
    return 2

cdef inline Vec3d planar_loop_error(Mat3d C) noexcept nogil:
    """Rotation vector that its rows see, of the after-frame's axes C seen from the before-frame."""
    return tilt(vec3d(C.xz, C.yz, C.zz))
