# Floating: any motion; q is [x, y, z, qw, qx, qy, qz], v is [linear, angular] in the parent-side frame [m/s, rad/s].

from rbdyn.spatial._algebra cimport (
    ArticulatedInertia, Force, Mat3, Motion, Sym3, Vec3, Xform, add3, cross3, matmul3, motion, mul3, neg3, real,
    rotate33, rotate_s, row_x, row_y, row_z, tmul3, transpose3, vec3, xform, zero3,
)
from rbdyn.spatial.constants cimport Mat3d, Vec3d, Xformd, load_mat3, load_vec3
from rbdyn.spatial.quaternion cimport quat_E, quat_difference, quat_step, vec3d

cdef enum:
    FLOATING_ALLOWS = 0b111111

cdef inline Xform floating_transform(const real* q, const Xformd* T, Mat3* EJ) noexcept nogil:
    """X_J(q) X_tree, and E_J."""
    EJ[0] = quat_E(q + 3)
    return placed_by(q, T, EJ[0])

cdef inline Xform placed_by(const real* x, const Xformd* T, Mat3 EJ) noexcept nogil:
    """X_J X_tree of the rotation E_J and a translation x."""
    return xform(matmul3(EJ, load_mat3(T.E)), add3(load_vec3(T.r), tmul3(load_mat3(T.E), vec3(x[0], x[1], x[2]))))

cdef inline Motion floating_motion(Mat3 EJ, const real* x) noexcept nogil:
    return motion(mul3(EJ, vec3(x[3], x[4], x[5])), mul3(EJ, vec3(x[0], x[1], x[2])))

cdef inline Motion floating_bias(Mat3 EJ, const real* v, Motion vel) noexcept nogil:
    """w x v_J of the general rule, less w_J x v_J: the linear velocity is measured in the parent's axes."""
    cdef Motion vJ = floating_motion(EJ, v)
    return motion(cross3(vel.w, vJ.w),
                  add3(cross3(vel.v, vJ.w), cross3(add3(vel.w, neg3(vJ.w)), vJ.v)))

cdef inline void floating_force(Mat3 EJ, Force f, real* t) noexcept nogil:
    cdef Vec3 a = tmul3(EJ, f.f)
    t[0] = a.x
    t[1] = a.y
    t[2] = a.z
    a = tmul3(EJ, f.n)
    t[3] = a.x
    t[4] = a.y
    t[5] = a.z

cdef inline int floating_columns(Mat3 EJ, Mat3 E, Motion* S) noexcept nogil:
    cdef Mat3 B = matmul3(transpose3(EJ), E)         # its rows: v is measured along them
    S[0], S[1], S[2] = motion(zero3(), row_x(B)), motion(zero3(), row_y(B)), motion(zero3(), row_z(B))
    S[3], S[4], S[5] = motion(row_x(B), zero3()), motion(row_y(B), zero3()), motion(row_z(B), zero3())
    return 3

cdef inline void base_inertia(const ArticulatedInertia* A, Mat3 E, real* D) noexcept nogil:
    """S^T A S of a floating joint, v = [linear, angular]: A turned into the parent-side axes, its halves exchanged."""
    cdef Sym3 I = rotate_s(E, A.I_a), M = rotate_s(E, A.M)
    cdef Mat3 H = rotate33(E, A.H)
    D[0], D[6], D[7], D[12], D[13], D[14] = M.xx, M.xy, M.yy, M.xz, M.yz, M.zz
    D[18], D[19], D[20], D[21] = H.xx, H.xy, H.xz, I.xx
    D[24], D[25], D[26], D[27], D[28] = H.yx, H.yy, H.yz, I.xy, I.yy
    D[30], D[31], D[32], D[33], D[34], D[35] = H.zx, H.zy, H.zz, I.xz, I.yz, I.zz

cdef inline void floating_integrate(double* q, const double* v, double dt) noexcept nogil:
    cdef int k
    for k in range(3):
        q[k] += dt * v[k]
    quat_step(q + 3, dt * v[3], dt * v[4], dt * v[5])

cdef inline void floating_difference(const double* x, const double* y, double* v) noexcept nogil:
    cdef int k
    cdef Vec3d w
    for k in range(3):
        v[k] = y[k] - x[k]
    w = quat_difference(x + 3, y + 3)
    v[3], v[4], v[5] = w.x, w.y, w.z

cdef inline Vec3d floating_loop_error(Mat3d C) noexcept nogil:
    """None of its rows sees a rotation."""
    return vec3d(0.0, 0.0, 0.0)
