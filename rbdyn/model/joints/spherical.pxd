# Spherical: any rotation; q is a quaternion [w, x, y, z], v the angular velocity in the parent-side frame [rad/s].

from rbdyn.spatial._algebra cimport (
    Force, Mat3, Motion, Vec3, Xform, cross3, matmul3, motion, mul3, real, row_x, row_y, row_z, tmul3, transpose3, vec3,
    xform, zero3,
)
from rbdyn.spatial.constants cimport Mat3d, Vec3d, Xformd, load_mat3, load_vec3
from rbdyn.spatial.quaternion cimport quat_E, quat_difference, quat_step, vec3d

cdef enum:
    SPHERICAL_ALLOWS = 0b000111       # w

cdef inline Xform spherical_transform(const real* q, const Xformd* T, Mat3* EJ) noexcept nogil:
    """X_J(q) X_tree, and E_J."""
    EJ[0] = quat_E(q)
    return xform(matmul3(EJ[0], load_mat3(T.E)), load_vec3(T.r))

cdef inline Motion spherical_motion(Mat3 EJ, const real* x) noexcept nogil:
    return motion(mul3(EJ, vec3(x[0], x[1], x[2])), zero3())

cdef inline Motion spherical_bias(Mat3 EJ, const real* v, Motion vel) noexcept nogil:
    cdef Motion vJ = spherical_motion(EJ, v)
    return motion(cross3(vel.w, vJ.w), cross3(vel.v, vJ.w))

cdef inline void spherical_force(Mat3 EJ, Force f, real* t) noexcept nogil:
    cdef Vec3 a = tmul3(EJ, f.n)
    t[0] = a.x
    t[1] = a.y
    t[2] = a.z

cdef inline int spherical_columns(Mat3 EJ, Mat3 E, Motion* S) noexcept nogil:
    cdef Mat3 B = matmul3(transpose3(EJ), E)         # its rows: v is measured along them
    S[0], S[1], S[2] = motion(row_x(B), zero3()), motion(row_y(B), zero3()), motion(row_z(B), zero3())
    return 0

cdef inline void spherical_integrate(double* q, const double* v, double dt) noexcept nogil:
    quat_step(q, dt * v[0], dt * v[1], dt * v[2])

cdef inline void spherical_difference(const double* x, const double* y, double* v) noexcept nogil:
    cdef Vec3d w = quat_difference(x, y)
    v[0], v[1], v[2] = w.x, w.y, w.z

cdef inline Vec3d spherical_loop_error(Mat3d C) noexcept nogil:
    """None of its rows sees a rotation."""
    return vec3d(0.0, 0.0, 0.0)
