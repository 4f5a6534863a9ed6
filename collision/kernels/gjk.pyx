"""The nearest points of two convex cores that do not overlap: gjk.pxd."""

from libc.math cimport INFINITY, sqrt

from rbdyn.collision._types cimport PosedShape
from rbdyn.collision.kernels.core cimport support
from rbdyn.collision.kernels.curved cimport is_curved, sharpen_near
from rbdyn.collision.kernels.inner_ball cimport is_least
from rbdyn.collision.kernels.vectors cimport along, clamp, norm3
from rbdyn.spatial._algebra cimport Vec3, add3, cross3, dot3, neg3, scale3, sub3, vec3


cdef struct Part:                  # points of a simplex that carry the one nearest to the origin
    int n
    int k[3]                       # numbers in the simplex
    double weight[3]


cdef inline Vec3 nearest(const Simplex* s) noexcept nogil:
    cdef Vec3 v = vec3(0.0, 0.0, 0.0)
    cdef int k
    for k in range(s.n):
        v = add3(v, scale3(s.weight[k], s.w[k]))
    return v


cdef inline Vec3 nearest_of(const Simplex* s, const Part* p) noexcept nogil:
    cdef Vec3 v = vec3(0.0, 0.0, 0.0)
    cdef int k
    for k in range(p.n):
        v = add3(v, scale3(p.weight[k], s.w[p.k[k]]))
    return v


cdef inline void keep_part(Simplex* s, const Part* p) noexcept nogil:
    """Reduce to those points, whose numbers ascend."""
    cdef int k
    s.n = p.n
    for k in range(p.n):
        s.w[k], s.a[k], s.weight[k] = s.w[p.k[k]], s.a[p.k[k]], p.weight[k]


cdef inline void set_part(Part* p, int n, int i, double wi, int j, double wj, int k, double wk) noexcept nogil:
    p.n = n
    p.k[0], p.k[1], p.k[2] = i, j, k
    p.weight[0], p.weight[1], p.weight[2] = wi, wj, wk


cdef inline void reduce_segment(const Simplex* s, int i, int j, Part* p) noexcept nogil:
    cdef Vec3 e = sub3(s.w[j], s.w[i])
    cdef double length2 = dot3(e, e)
    cdef double t = clamp(-dot3(s.w[i], e) / length2, 0.0, 1.0) if length2 > 0.0 else 0.0
    if t <= 0.0:
        set_part(p, 1, i, 1.0, i, 0.0, i, 0.0)
    elif t >= 1.0:
        set_part(p, 1, j, 1.0, j, 0.0, j, 0.0)
    else:
        set_part(p, 2, i, 1.0 - t, j, t, i, 0.0)


cdef inline void reduce_triangle(const Simplex* s, int i, int j, int k, Part* p) noexcept nogil:
    """RTCD, section 5.1.5, for the point 0."""
    cdef Vec3 a = s.w[i], b = s.w[j], c = s.w[k]
    cdef Vec3 ab = sub3(b, a), ac = sub3(c, a)
    cdef double d1 = -dot3(ab, a), d2 = -dot3(ac, a), d3 = -dot3(ab, b), d4 = -dot3(ac, b)
    cdef double d5 = -dot3(ab, c), d6 = -dot3(ac, c)
    cdef double va = d3 * d6 - d5 * d4, vb = d5 * d2 - d1 * d6, vc = d1 * d4 - d3 * d2, sum
    if d1 <= 0.0 and d2 <= 0.0:
        set_part(p, 1, i, 1.0, i, 0.0, i, 0.0)
    elif d3 >= 0.0 and d4 <= d3:
        set_part(p, 1, j, 1.0, j, 0.0, j, 0.0)
    elif d6 >= 0.0 and d5 <= d6:
        set_part(p, 1, k, 1.0, k, 0.0, k, 0.0)
    elif vc <= 0.0 and d1 >= 0.0 and d3 <= 0.0:
        reduce_segment(s, i, j, p)
    elif vb <= 0.0 and d2 >= 0.0 and d6 <= 0.0:
        reduce_segment(s, i, k, p)
    elif va <= 0.0 and d4 >= d3 and d5 >= d6:
        reduce_segment(s, j, k, p)
    else:
        sum = va + vb + vc
        set_part(p, 3, i, va / sum, j, vb / sum, k, vc / sum)


cdef inline bint sees_origin(const Simplex* s, int i, int j, int k, int opposite) noexcept nogil:
    """Is the origin on the outer side of a face of the tetrahedron?  A flat one has two outer sides."""
    cdef Vec3 n = cross3(sub3(s.w[j], s.w[i]), sub3(s.w[k], s.w[i]))
    cdef double origin = -dot3(n, s.w[i]), inner = dot3(n, sub3(s.w[opposite], s.w[i]))
    cdef Vec3 e = sub3(s.w[opposite], s.w[i])
    return origin * inner <= 0.0 or inner * inner < 1e-24 * dot3(n, n) * dot3(e, e)


cdef inline bint reduce_simplex(Simplex* s) noexcept nogil:
    """Keep only the points that carry the point nearest to the origin; True if the origin is inside."""
    cdef Part best, part
    cdef Vec3 v
    cdef double least = 1e300, d
    cdef int f
    cdef int[4][4] face
    if s.n == 1:
        s.weight[0] = 1.0
        return False
    if s.n == 2:
        reduce_segment(s, 0, 1, &best)
    elif s.n == 3:
        reduce_triangle(s, 0, 1, 2, &best)
    else:
        face = [[0, 1, 2, 3], [0, 1, 3, 2], [0, 2, 3, 1], [1, 2, 3, 0]]
        for f in range(4):
            if not sees_origin(s, face[f][0], face[f][1], face[f][2], face[f][3]):
                continue
            reduce_triangle(s, face[f][0], face[f][1], face[f][2], &part)
            v = nearest_of(s, &part)
            d = dot3(v, v)
            if d < least:
                least, best = d, part
        if least == 1e300:
            return True
    keep_part(s, &best)
    return False


cdef inline bint find_best_plane(
        const PosedShape* a, const PosedShape* b, const Simplex* s, double* gap, Vec3* normal,
        Vec3* x_a) noexcept nogil:
    """The best normal near one, by the points that carry the nearest point so far."""
    cdef Vec3[3] x, w
    cdef int k
    for k in range(3):
        x[k], w[k] = s.a[min(k, s.n - 1)], s.w[min(k, s.n - 1)]
    return sharpen_near(a, b, x, w, gap, normal, x_a)


cdef double descend_by(
        const PosedShape* a, const PosedShape* b, double reach, Vec3 start, bint centres, double slack, Vec3* x_a,
        Vec3* normal, Simplex* s) noexcept nogil:
    """The distance of the cores, and what else `separate` says, from a direction, or the way c between the `centres`.

    After that way, c is turned by what the first corner of A - B lies beside it: near a surface as bent as one that
    touches from c, the corner moves by |c| times the angle, so that it then lies on the normal.
    """
    cdef Vec3 v = start, w, w_a, n, x
    cdef double d2, length, gap, last = 1e300, tiny = 1e-10 * (a.s.bounds.radius + b.s.bounds.radius)
    # [m] between the plane along v and the nearest point: Newton's method begins near enough
    cdef double loose = 0.05 * min(a.s.bounds.radius, b.s.bounds.radius) if is_curved(a) or is_curved(b) else 0.0
    cdef bint found = False, known = False   # `known`: v is the nearest point of the simplex
    cdef int k
    s.n = 0
    if dot3(v, v) == 0.0:
        v = vec3(1.0, 0.0, 0.0)
    for _step in range(64):
        w_a = support(a, neg3(v))
        w = sub3(w_a, support(b, v))
        d2 = dot3(v, v)
        if dot3(v, w) > 0.0 and dot3(v, w) * dot3(v, w) > reach * reach * d2:
            normal[0] = scale3(1.0 / sqrt(d2), v)
            return 2.0 * reach + 1.0
        if known and d2 - dot3(v, w) <= slack * d2:
            found = True                     # w brings nothing nearer: v is the nearest point
            break
        length = sqrt(d2)
        if known and loose > 0.0 and d2 - dot3(v, w) <= loose * length:
            n = scale3(1.0 / length, v)
            if find_best_plane(a, b, s, &gap, &n, &x) and (gap > 0.0 or is_least(a, b, gap, n, x)):
                normal[0], x_a[0] = n, x
                return gap if gap <= reach else 2.0 * reach + 1.0
            loose *= 0.1
        for k in range(s.n):
            if s.w[k].x == w.x and s.w[k].y == w.y and s.w[k].z == w.z:
                d2 = -1.0
        if d2 < 0.0 and known:
            break
        s.w[s.n], s.a[s.n] = w, w_a
        s.n += 1
        if reduce_simplex(s):
            return -INFINITY
        if centres:
            centres, v = False, along(add3(v, w), -dot3(v, w) / dot3(v, v), v)
            continue
        known, v = True, nearest(s)
        d2 = dot3(v, v)
        if d2 <= tiny * tiny:
            return -INFINITY
        if d2 >= last:                       # rounding has stopped the descent
            break
        last = d2
    if not found:                            # stopped short: is the gap along v as wide as v is long?
        w = sub3(support(a, neg3(v)), support(b, v))
        if dot3(v, w) < 0.99 * dot3(v, v):
            return -INFINITY
    d2 = norm3(v)
    x_a[0] = nearest_on_a(s)
    normal[0] = scale3(1.0 / d2, v)
    return d2
