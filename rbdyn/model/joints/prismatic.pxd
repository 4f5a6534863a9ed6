# Prismatic: translation along z; q is the distance [m].

from rbdyn.spatial._algebra cimport (
    ArticulatedInertia, Force, Mat3, Motion, Xform, add3, force, motion, real, row_z, scale3, splat, vec3, xform,
    zero3,
)
from rbdyn.spatial.constants cimport Mat3d, Vec3d, Xformd, load_mat3, load_vec3
from rbdyn.spatial.quaternion cimport rotation_vector

cdef enum:
    PRISMATIC_ALLOWS = 0b100000       # d'_z

cdef inline Xform prismatic_transform(const real* q, const Xformd* T) noexcept nogil:
    """X_J(q) X_tree."""
    return xform(load_mat3(T.E), add3(load_vec3(T.r), scale3(q[0], row_z(load_mat3(T.E)))))

cdef inline Motion prismatic_motion(const real* x) noexcept nogil:
    return motion(zero3(), vec3(splat(0.0), splat(0.0), x[0]))

cdef inline Motion add_prismatic_motion(const real* x, Motion a) noexcept nogil:
    a.v.z = a.v.z + x[0]
    return a

cdef inline Motion prismatic_bias(const real* v, Motion vel) noexcept nogil:
    cdef real x = v[0]
    return motion(zero3(), vec3(x * vel.w.y, -(x * vel.w.x), splat(0.0)))

cdef inline void prismatic_force(Force f, real* t) noexcept nogil:
    t[0] = f.f.z

cdef inline int prismatic_columns(Mat3 E, Motion* S) noexcept nogil:
    S[0] = motion(zero3(), row_z(E))
    return 1

cdef inline void prismatic_inertia(const ArticulatedInertia* A, Force* U, real* D) noexcept nogil:
    U[0] = force(vec3(A.H.xz, A.H.yz, A.H.zz), vec3(A.M.xz, A.M.yz, A.M.zz))
    D[0] = A.M.zz

cdef inline Vec3d prismatic_loop_error(Mat3d C) noexcept nogil:
    """Rotation vector that its rows see, of the after-frame's axes C seen from the before-frame."""
    return rotation_vector(C)
