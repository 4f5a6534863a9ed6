# Universal: rotation about x of the before-frame by q[0], then about y of the body by q[1] [rad, rad].
#
# The cross between both axes is turned by q[0] alone; its x is the first axis, its y the second one.

from libc.math cimport atan, sqrt

from rbdyn.spatial._algebra cimport (
    Force, Mat3, Motion, Vec3, Xform, add3, cross3, matmul3, motion, real, row_y, rows3, scale3, sincos_r, splat,
    tmul3, vec3, xform, zero3,
)
from rbdyn.spatial.constants cimport Mat3d, Vec3d, Xformd, load_mat3, load_vec3
from rbdyn.spatial.quaternion cimport vec3d

cdef enum:
    UNIVERSAL_ALLOWS = 0b000011       # w_x, w_y in the axes of the cross

cdef inline Xform universal_transform(const real* q, const Xformd* T, Mat3* EJ) noexcept nogil:
    """X_J(q) X_tree, and E_J = Ry(q_2)^T Rx(q_1)^T."""
    cdef real s1, c1, s2, c2
    sincos_r(q[0], &s1, &c1)
    sincos_r(q[1], &s2, &c2)
    EJ[0] = rows3(vec3(c2, s2 * s1, -(s2 * c1)), vec3(splat(0.0), c1, s1), vec3(s2, -(c2 * s1), c2 * c1))
    return xform(matmul3(EJ[0], load_mat3(T.E)), load_vec3(T.r))

cdef inline Motion universal_motion(Mat3 EJ, const real* x) noexcept nogil:
    """The first axis in body coordinates is (cos q_2, 0, sin q_2), a column of E_J."""
    return motion(vec3(EJ.xx * x[0], x[1], EJ.zx * x[0]), zero3())

cdef inline Motion universal_bias(Mat3 EJ, const real* v, Motion vel) noexcept nogil:
    """v x v_J, and c_J = dS_1/dt v_1: in body coordinates the first axis turns about the second one."""
    cdef Vec3 w = universal_motion(EJ, v).w
    cdef real both = v[0] * v[1]
    return motion(add3(cross3(vel.w, w), vec3(-(both * EJ.zx), splat(0.0), both * EJ.xx)), cross3(vel.v, w))

cdef inline void universal_force(Mat3 EJ, Force f, real* t) noexcept nogil:
    t[0] = EJ.xx * f.n.x + EJ.zx * f.n.z
    t[1] = f.n.y

cdef inline int universal_columns(Mat3 EJ, Mat3 E, Motion* S) noexcept nogil:
    S[0] = motion(tmul3(E, vec3(EJ.xx, splat(0.0), EJ.zx)), zero3())
    S[1] = motion(row_y(E), zero3())
    return 0

cdef inline void universal_column_rates(Mat3 EJ, const real* v, Mat3 E, Motion* rates) noexcept nogil:
    """The first axis stays where it is in the before-frame; the second one is turned about it."""
    rates[0] = motion(zero3(), zero3())
    rates[1] = motion(scale3(v[0], tmul3(E, vec3(-EJ.zx, splat(0.0), EJ.xx))), zero3())

# ---- as a joint outside the tree -------------------------------------------------------------------------------------

cdef struct UniversalRow:         # the cross, as the before-frame sees it
    double s, c                   # sine and cosine of the first angle
    double slope                  # tangent of what the axes lack of a right angle; 0 where the joint is closed

cdef inline UniversalRow universal_row(Mat3d C) noexcept nogil:
    """The cross whose x is that of the before-frame, and whose y comes nearest to that of the after-frame."""
    cdef UniversalRow row
    cdef double h = sqrt(C.yy * C.yy + C.zy * C.zy)
    row.s, row.c, row.slope = C.zy / h, C.yy / h, C.xy / h
    return row

cdef inline Motion universal_row_motion(UniversalRow row, Motion a) noexcept nogil:
    """w in the axes of the cross: w_x and w_y are the rates of both angles, w_z is blocked."""
    a.w = vec3(a.w.x, row.c * a.w.y + row.s * a.w.z, row.c * a.w.z - row.s * a.w.y)
    return a

cdef inline Force universal_row_force(UniversalRow row, Force f) noexcept nogil:
    f.n = vec3(f.n.x, row.c * f.n.y - row.s * f.n.z, row.s * f.n.y + row.c * f.n.z)
    return f

cdef inline Motion universal_row_rate(UniversalRow row, Motion v, Motion a) noexcept nogil:
    """In axes that turn about x with the cross: its angle is that of the y of the after-frame, which w turns."""
    cdef Vec3 w = universal_row_motion(row, v).w
    cdef real turn = w.x - row.slope * w.y
    a = universal_row_motion(row, a)
    a.w.y = a.w.y + turn * w.z
    a.w.z = a.w.z - turn * w.y
    return a

cdef inline Vec3d universal_loop_error(Mat3d C) noexcept nogil:
    """Rotation vector that its row sees, along z of the cross: how far the axes are from a right angle [rad].

    Its rate is that of the row everywhere: with the axes x and y, d(x . y)/dt = -|x x y| w_z.
    """
    cdef UniversalRow row = universal_row(C)
    cdef double e = -atan(row.slope)
    return vec3d(0.0, -e * row.s, e * row.c)
