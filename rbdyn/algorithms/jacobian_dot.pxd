# Columns of Jacobians and their rates, added to a matrix: differences of Jacobians need no second matrix.

from rbdyn.algorithms.jacobian cimport column_x, column_y, column_z
from rbdyn.model._model cimport FLOATING, PLANAR, PRISMATIC, REVOLUTE, CData, CModel
from rbdyn.spatial._algebra cimport (
    Mat3, Motion, Vec3, add3, cross3, matmul3, motion, mul3, real, sub3, tmul3, vec3, zero3,
)

cdef inline int joint_axes(const CModel* m, const CData* d, int i, Vec3* a) noexcept nogil:
    """Axes of the degrees of freedom of joint i, root axes; returns how many of them, the first ones, slide."""
    cdef int kind = m.kind[i], slides = 0
    cdef Mat3 B
    if kind == REVOLUTE or kind == PRISMATIC:
        a[0] = column_z(d.R[i])
        return 1 if kind == PRISMATIC else 0
    B = matmul3(d.R[i], d.EJ[i])                # before-frame to root axes: v is measured there
    a[0], a[1], a[2] = column_x(B), column_y(B), column_z(B)
    if kind == FLOATING:
        a[3], a[4], a[5] = a[0], a[1], a[2]
        slides = 3
    elif kind == PLANAR:
        slides = 2
    return slides

cdef inline void add_column(real* J, int nv, int k, real s, Motion c, bint angular) noexcept nogil:
    """Column k of a (6, nv) matrix, or of a (3, nv) one without its angular half, gains s c."""
    if angular:
        J[k] += s * c.w.x
        J[nv + k] += s * c.w.y
        J[2 * nv + k] += s * c.w.z
        J = J + 3 * nv
    J[k] += s * c.v.x
    J[nv + k] += s * c.v.y
    J[2 * nv + k] += s * c.v.z

cdef inline void add_jacobian(const CModel* m, const CData* d, int body, Vec3 at, real s, real* J) noexcept nogil:
    """J += s times the (6, nv) Jacobian of a body's motion at the point `at`, root axes; the poses are current."""
    cdef int i = body, k, slides
    cdef Vec3[6] a
    while i > 0:
        slides = joint_axes(m, d, i, a)
        for k in range(m.nvi[i]):
            if k < slides:
                add_column(J, m.nv, m.vi[i] + k, s, motion(zero3(), a[k]), True)
            else:
                add_column(J, m.nv, m.vi[i] + k, s, motion(a[k], cross3(a[k], sub3(at, d.p[i]))), True)
        i = m.parent[i]

cdef inline void add_jacobian_dot(const CModel* m, const CData* d, int body, Vec3 at, Vec3 rate, Vec3 spin, real s,
                                  bint angular, real* J) noexcept nogil:
    """J += s times the rate of the Jacobian of a body's motion at `at`, which moves at `rate`; root axes.

    Axes are fixed in the parent, so that a' = w_p x a.  Seen from axes that turn at `spin`, where b = (w_p - spin) x a
    and arm = at - p_i, a rotation's column (a, a x arm) has the rate (b, b x arm + a x (arm' - spin x arm)), a
    translation's column (0, a) the rate (0, b).  Poses and velocities are current.
    """
    cdef int i = body, k, slides
    cdef Vec3[6] a
    cdef Vec3 arm, arm_rate, b, turn
    while i > 0:
        slides = joint_axes(m, d, i, a)
        arm = sub3(at, d.p[i])
        arm_rate = sub3(sub3(rate, mul3(d.R[i], d.vel[i].v)), cross3(spin, arm))
        turn = sub3(mul3(d.R[m.parent[i]], d.vel[m.parent[i]].w), spin)
        for k in range(m.nvi[i]):
            b = cross3(turn, a[k])
            if k < slides:
                add_column(J, m.nv, m.vi[i] + k, s, motion(zero3(), b), angular)
            else:
                add_column(J, m.nv, m.vi[i] + k, s,
                           motion(b, add3(cross3(b, arm), cross3(a[k], arm_rate))), angular)
        i = m.parent[i]

cdef inline void turn_rows(Mat3 R, int nv, real* J) noexcept nogil:
    """Both halves of a (6, nv) matrix from root axes to those of a frame: J <- R^T J."""
    cdef int _half, k
    cdef Vec3 a
    for _half in range(2):
        for k in range(nv):
            a = tmul3(R, vec3(J[k], J[nv + k], J[2 * nv + k]))
            J[k] = a.x
            J[nv + k] = a.y
            J[2 * nv + k] = a.z
        J = J + 3 * nv
