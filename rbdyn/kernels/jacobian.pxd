# Geometric Jacobians, one column per supporting degree of freedom, added to a matrix: differences need no second one.
#
# A matrix has all nv columns, or only those that can be other than zero: the supporting ones, in their order.  Which of
# the two is said by `width`, its number of columns, and `end`: -1 for all columns, else `width`.

from rbdyn.model._model cimport CData, CModel
from rbdyn.model.joints.dispatch cimport is_revolute, joint_columns_from
from rbdyn.spatial._algebra cimport Mat3, Motion, Vec3, add3, cross3, motion, real, sub3, tmul3, transpose3, vec3

cdef inline int joint_columns(const CModel* m, const CData* d, int i, Motion* S) noexcept nogil:
    """Columns of S_i at the origin of body i, root axes; returns how many of them, the first ones, are translations."""
    return joint_columns_from(m, d, i, transpose3(d.R[i]), S)

cdef inline void add_column(real* J, int width, int k, real s, Motion c, bint angular) noexcept nogil:
    """Column k of a matrix of 6 rows, or of 3 without its angular half, gains s c."""
    if angular:
        J[k] += s * c.w.x
        J[width + k] += s * c.w.y
        J[2 * width + k] += s * c.w.z
        J = J + 3 * width
    J[k] += s * c.v.x
    J[width + k] += s * c.v.y
    J[2 * width + k] += s * c.v.z

cdef inline int support_size(const CModel* m, int body) noexcept nogil:
    """How many degrees of freedom move a body."""
    cdef int i = body, n = 0
    while i > 0:
        n += m.nvi[i]
        i = m.parent[i]
    return n

cdef inline void add_jacobian(const CModel* m, const CData* d, int body, Vec3 at, real s, bint angular,
                              int width, int end, real* J) noexcept nogil:
    """J += s times the Jacobian of a body's motion at the point `at`, root axes; the poses are current.

    A column (w, u) at the body's origin o is (w, u + w x (at - o)) there.
    """
    cdef int i = body, k, first, translations
    cdef Motion[6] S
    cdef Vec3 arm
    while i > 0:
        end -= m.nvi[i]
        first = end if end >= 0 else m.vi[i]
        translations = joint_columns(m, d, i, S)
        arm = sub3(at, d.p[i])
        if is_revolute(m, i):                    # the rule, and a third of the time, of most machines
            add_column(J, width, first, s, motion(S[0].w, cross3(S[0].w, arm)), angular)
            i = m.parent[i]
            continue
        for k in range(m.nvi[i]):
            if k < translations:
                add_column(J, width, first + k, s, S[k], angular)
            else:
                add_column(J, width, first + k, s, motion(S[k].w, add3(S[k].v, cross3(S[k].w, arm))), angular)
        i = m.parent[i]

cdef inline void turn_rows(Mat3 R, int width, real* J) noexcept nogil:
    """Both halves of a matrix of 6 rows from root axes to those of a frame: J <- R^T J."""
    cdef int _half, k
    cdef Vec3 a
    for _half in range(2):
        for k in range(width):
            a = tmul3(R, vec3(J[k], J[width + k], J[2 * width + k]))
            J[k] = a.x
            J[width + k] = a.y
            J[2 * width + k] = a.z
        J = J + 3 * width
