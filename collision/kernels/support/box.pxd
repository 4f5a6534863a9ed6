from libc.math cimport fabs

from rbdyn.collision._types cimport PosedShape, SupportingFeature
from rbdyn.collision.kernels.vectors cimport axis_x, axis_y, axis_z
from rbdyn.collision.shapes.box cimport BoxData
from rbdyn.spatial._algebra cimport Vec3, add3, mul3, neg3, tmul3, vec3


cdef inline const BoxData* box_of(const PosedShape* a) noexcept nogil:
    return <const BoxData*> a.s.data


cdef inline void box_feature(const PosedShape* a, Vec3 d, SupportingFeature* f) noexcept nogil:
    """The face of a box that looks along d."""
    cdef Vec3 l = tmul3(a.X.R, d)
    cdef double[3] h, w, x
    cdef int i, j, k, c, n, s_j, s_k
    h[0], h[1], h[2] = box_of(a).half.x, box_of(a).half.y, box_of(a).half.z
    w[0], w[1], w[2] = l.x, l.y, l.z
    i = 0 if fabs(l.x) >= fabs(l.y) else 1
    i = 2 if fabs(l.z) > fabs(w[i]) else i
    j, k = (i + 1) % 3, (i + 2) % 3
    c = w[i] >= 0.0
    f.n = 4
    f.flat = True
    f.normal = axis_x(&a.X.R) if i == 0 else (axis_y(&a.X.R) if i == 1 else axis_z(&a.X.R))
    f.normal = f.normal if c else neg3(f.normal)
    for n in range(4):                       # (-, -), (+, -), (+, +), (-, +)
        s_j = n == 1 or n == 2
        s_k = n >= 2
        x[i] = h[i] if c else -h[i]
        x[j] = h[j] if s_j else -h[j]
        x[k] = h[k] if s_k else -h[k]
        f.point[n] = add3(a.X.p, mul3(a.X.R, vec3(x[0], x[1], x[2])))
        f.name[n] = (c << i) | (s_j << j) | (s_k << k)
