"""From arrays and values of Python to the numbers of a Model."""

from rbdyn.spatial._algebra cimport Sym3, add_s, rows3, scale3, shift_s, sym3, vec3


cdef Vec3 vector_of(object p):
    """Three numbers of an array."""
    x, y, z = p.tolist()
    return vec3(x, y, z)


cdef Mat3 matrix_of(object R):
    """Nine numbers of an array."""
    a, b, c = R
    return rows3(vector_of(a), vector_of(b), vector_of(c))


cdef Vec3d stored3(Vec3 a) noexcept:
    cdef Vec3d b
    b.x, b.y, b.z = a.x, a.y, a.z
    return b


cdef Mat3d stored33(Mat3 A) noexcept:
    cdef Mat3d B
    B.xx, B.xy, B.xz = A.xx, A.xy, A.xz
    B.yx, B.yy, B.yz = A.yx, A.yy, A.yz
    B.zx, B.zy, B.zz = A.zx, A.zy, A.zz
    return B


cdef Inertiad about_origin(double mass, Vec3 c, Mat3 J) noexcept:
    """I_o = J - m cx cx (parallel-axis theorem)."""
    cdef Inertiad A
    cdef Vec3 h = scale3(mass, c)
    cdef Sym3 I = add_s(sym3(J.xx, J.xy, J.xz, J.yy, J.yz, J.zz), shift_s(c, scale3(0.5, h)))
    A.m, A.h = mass, stored3(h)
    A.I_o.xx, A.I_o.xy, A.I_o.xz, A.I_o.yy, A.I_o.yz, A.I_o.zz = I.xx, I.xy, I.xz, I.yy, I.yz, I.zz
    return A
