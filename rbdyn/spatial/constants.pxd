# What a model is made of, in double whatever `real` is: one copy serves one state and all lanes of many.
#
# A load splats a constant into every lane; for one state it is a plain copy.

from rbdyn.spatial._algebra cimport Inertia, Mat3, Sym3, Vec3, Xform, real, rows3, splat, sym3, vec3, xform

cdef struct Vec3d:
    double x, y, z

cdef struct Mat3d:           # row-major
    double xx, xy, xz
    double yx, yy, yz
    double zx, zy, zz

cdef struct Sym3d:           # symmetric 3x3
    double xx, xy, xz, yy, yz, zz

cdef struct Xformd:          # Xform
    Mat3d E
    Vec3d r

cdef struct Inertiad:        # Inertia
    double m
    Vec3d h
    Sym3d I_o

cdef inline Vec3 load_vec3(Vec3d a) noexcept nogil:
    return vec3(splat(a.x), splat(a.y), splat(a.z))

cdef inline Mat3 load_mat3(Mat3d A) noexcept nogil:
    return rows3(vec3(splat(A.xx), splat(A.xy), splat(A.xz)), vec3(splat(A.yx), splat(A.yy), splat(A.yz)),
                 vec3(splat(A.zx), splat(A.zy), splat(A.zz)))

cdef inline Sym3 load_sym3(Sym3d A) noexcept nogil:
    return sym3(splat(A.xx), splat(A.xy), splat(A.xz), splat(A.yy), splat(A.yz), splat(A.zz))

cdef inline Xform load_xform(const Xformd* X) noexcept nogil:
    if sizeof(real) == sizeof(double):       # one lane: the same bytes, used where they are
        return (<const Xform*> X)[0]
    return xform(load_mat3(X.E), load_vec3(X.r))

cdef inline Inertia load_inertia(const Inertiad* A) noexcept nogil:
    cdef Inertia B
    if sizeof(real) == sizeof(double):
        return (<const Inertia*> A)[0]
    B.m = splat(A.m)
    B.h = load_vec3(A.h)
    B.I_o = load_sym3(A.I_o)
    return B
