# Revolute: rotation about z; q is the angle [rad].

from libc.math cimport M_PI, atan2, rint

from rbdyn.model.joints.turn cimport turned_z
from rbdyn.spatial._algebra cimport (
    ArticulatedInertia, Force, Inertia, Mat3, Motion, Vec3, Xform, add33, add_s, apply_t, force, motion, outer3, real,
    row_z, scale3, sincos_r, splat, sym3, vec3, xform, zero3,
)
from rbdyn.spatial.constants cimport Mat3d, Vec3d, Xformd, load_mat3, load_vec3
from rbdyn.spatial.quaternion cimport tilt, vec3d

cdef enum:
    REVOLUTE_ALLOWS = 0b000100        # w_z, of w_x, w_y, w_z, d'_x, d'_y, d'_z from the lowest bit

cdef inline Xform revolute_transform(const real* q, const Xformd* T) noexcept nogil:
    """X_J(q) X_tree."""
    cdef real s, c
    sincos_r(q[0], &s, &c)
    return xform(turned_z(s, c, load_mat3(T.E)), load_vec3(T.r))

cdef inline Motion revolute_motion(const real* x) noexcept nogil:
    return motion(vec3(splat(0.0), splat(0.0), x[0]), zero3())

cdef inline Motion add_revolute_motion(const real* x, Motion a) noexcept nogil:
    a.w.z = a.w.z + x[0]
    return a

cdef inline Motion revolute_bias(const real* v, Motion vel) noexcept nogil:
    cdef real x = v[0]
    return motion(vec3(x * vel.w.y, -(x * vel.w.x), splat(0.0)), vec3(x * vel.v.y, -(x * vel.v.x), splat(0.0)))

cdef inline void revolute_force(Force f, real* t) noexcept nogil:
    t[0] = f.n.z

cdef inline int revolute_columns(Mat3 E, Motion* S) noexcept nogil:
    S[0] = motion(row_z(E), zero3())
    return 0

cdef inline Force revolute_momentum(const Inertia* A) noexcept nogil:
    """A S: a column of A."""
    return force(vec3(A.I_o.xz, A.I_o.yz, A.I_o.zz), vec3(-A.h.y, A.h.x, splat(0.0)))

cdef inline void revolute_inertia(const ArticulatedInertia* A, Force* U, real* D) noexcept nogil:
    U[0] = force(vec3(A.I_a.xz, A.I_a.yz, A.I_a.zz), row_z(A.H))
    D[0] = A.I_a.zz

cdef inline void project_inertia(ArticulatedInertia* A, real s, Force U) noexcept nogil:
    """A <- A - s U U^T where that clears row and column wz; those are not written, since nobody reads them."""
    cdef Vec3 n = scale3(s, U.n), f = scale3(s, U.f)
    A.I_a.xx = A.I_a.xx - n.x * U.n.x
    A.I_a.xy = A.I_a.xy - n.x * U.n.y
    A.I_a.yy = A.I_a.yy - n.y * U.n.y
    A.H.xx = A.H.xx - n.x * U.f.x
    A.H.xy = A.H.xy - n.x * U.f.y
    A.H.xz = A.H.xz - n.x * U.f.z
    A.H.yx = A.H.yx - n.y * U.f.x
    A.H.yy = A.H.yy - n.y * U.f.y
    A.H.yz = A.H.yz - n.y * U.f.z
    A.M.xx = A.M.xx - f.x * U.f.x
    A.M.xy = A.M.xy - f.x * U.f.y
    A.M.xz = A.M.xz - f.x * U.f.z
    A.M.yy = A.M.yy - f.y * U.f.y
    A.M.yz = A.M.yz - f.y * U.f.z
    A.M.zz = A.M.zz - f.z * U.f.z

cdef inline Force projected_force(const ArticulatedInertia* A, Motion c) noexcept nogil:
    """A c after project_inertia, for the c of a revolute joint, which has no z components."""
    return force(vec3(A.I_a.xx * c.w.x + A.I_a.xy * c.w.y + A.H.xx * c.v.x + A.H.xy * c.v.y,
                      A.I_a.xy * c.w.x + A.I_a.yy * c.w.y + A.H.yx * c.v.x + A.H.yy * c.v.y,
                      splat(0.0)),
                 vec3(A.H.xx * c.w.x + A.H.yx * c.w.y + A.M.xx * c.v.x + A.M.xy * c.v.y,
                      A.H.xy * c.w.x + A.H.yy * c.w.y + A.M.xy * c.v.x + A.M.yy * c.v.y,
                      A.H.xz * c.w.x + A.H.yz * c.w.y + A.M.xz * c.v.x + A.M.yz * c.v.y))

cdef inline real held_moment(Force w, Motion c) noexcept nogil:
    """What the row w of wz, that project_inertia leaves out, gives for the c of a revolute joint."""
    return w.n.x * c.w.x + w.n.y * c.w.y + w.f.x * c.v.x + w.f.y * c.v.y

cdef inline void add_held_row(ArticulatedInertia* A, Xform X, Force w) noexcept nogil:
    """Add that row and column, X^T (e w^T + w e^T) X with e = wz, to an inertia in the parent's coordinates.

    The diagonal counts once.  X^T e is a couple: no mass is in it.
    """
    cdef Vec3 e = row_z(X.E)
    cdef Force g
    w.n.z = splat(0.5) * w.n.z
    g = apply_t(X, w)
    A.I_a = add_s(A.I_a, sym3(e.x * g.n.x + g.n.x * e.x, e.x * g.n.y + g.n.x * e.y, e.x * g.n.z + g.n.x * e.z,
                              e.y * g.n.y + g.n.y * e.y, e.y * g.n.z + g.n.y * e.z, e.z * g.n.z + g.n.z * e.z))
    A.H = add33(A.H, outer3(e, g.f))

cdef inline double revolute_coordinate(Mat3d C) noexcept nogil:
    """Where it stands as a loop joint, its angle in (-pi, pi] [rad]."""
    return atan2(C.yx, C.xx)

cdef inline double within_half_turn(double angle) noexcept nogil:
    """The same angle less whole turns, of half a turn at most [rad]."""
    return angle - 2.0 * M_PI * rint(angle / (2.0 * M_PI))

cdef inline Vec3d revolute_loop_error(Mat3d C) noexcept nogil:
    """Rotation vector that its rows see, of the after-frame's axes C seen from the before-frame."""
    return tilt(vec3d(C.xz, C.yz, C.zz))
