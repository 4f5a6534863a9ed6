# Geometric Jacobians, one column per supporting degree of freedom.

from rbdyn.model._model cimport FLOATING, PLANAR, PRISMATIC, REVOLUTE, SPHERICAL, CData, CModel
from rbdyn.spatial._algebra cimport Mat3, Vec3, cross3, matmul3, real, sub3, vec3, zero3

cdef inline void put(real* J, int nv, int k, Vec3 w, Vec3 v, bint angular) noexcept nogil:
    """Column k of a (6, nv) Jacobian, or of a (3, nv) one without its angular half."""
    if angular:
        J[k] = w.x
        J[nv + k] = w.y
        J[2 * nv + k] = w.z
        J = J + 3 * nv
    J[k] = v.x
    J[nv + k] = v.y
    J[2 * nv + k] = v.z

cdef inline Vec3 column_x(Mat3 A) noexcept nogil:
    return vec3(A.xx, A.yx, A.zx)

cdef inline Vec3 column_y(Mat3 A) noexcept nogil:
    return vec3(A.xy, A.yy, A.zy)

cdef inline Vec3 column_z(Mat3 A) noexcept nogil:
    return vec3(A.xz, A.yz, A.zz)

cdef inline void jacobian(const CModel* m, const CData* d, int body, Vec3 at, bint angular, real* J) noexcept nogil:
    """J with J v = the motion of the point `at` (root frame) of a body, root axes; zeroed on entry; poses are current.

    A rotation about a through o gives the column (a, a x (at - o)), a translation along a the column (0, a).
    """
    cdef int i = body, k
    cdef Vec3 arm
    cdef Mat3 B
    cdef int kind
    while i > 0:
        kind = m.kind[i]
        k = m.vi[i]
        if kind == REVOLUTE:
            put(J, m.nv, k, column_z(d.R[i]), cross3(column_z(d.R[i]), sub3(at, d.p[i])), angular)
        elif kind == PRISMATIC:
            put(J, m.nv, k, zero3(), column_z(d.R[i]), angular)
        else:
            B = matmul3(d.R[i], d.EJ[i])            # before-frame to root axes: v is measured there
            arm = sub3(at, d.p[i])
            if kind == FLOATING or kind == PLANAR:
                put(J, m.nv, k, zero3(), column_x(B), angular)
                put(J, m.nv, k + 1, zero3(), column_y(B), angular)
                k += 2
            if kind == PLANAR:
                put(J, m.nv, k, column_z(B), cross3(column_z(B), arm), angular)
            else:
                if kind == FLOATING:
                    put(J, m.nv, k, zero3(), column_z(B), angular)
                    k += 1
                put(J, m.nv, k, column_x(B), cross3(column_x(B), arm), angular)
                put(J, m.nv, k + 1, column_y(B), cross3(column_y(B), arm), angular)
                put(J, m.nv, k + 2, column_z(B), cross3(column_z(B), arm), angular)
        i = m.parent[i]
