# Two supporting features that lie on each other: the corners of their common area.
#
# One of them is a face whose normal is nearly the contact normal; the other is a face, a segment or a point, and is
# measured against it.  What is next to a face of a hull may lie hardly higher, and comes down when the hull turns: all
# of its vertices are measured.

from libc.math cimport fabs

from rbdyn.collision._types cimport HULL_CORE, MAX_SIDES, TRIANGLE, PosedShape, SupportingFeature
from rbdyn.collision.kernels.manifold cimport MAX_POINTS, Manifold, add_point
from rbdyn.collision.kernels.marks cimport Mark, Marks, choose, choose_of_hull, mark, mark_vertex
from rbdyn.collision.kernels.support.convex_hull cimport hull_of
from rbdyn.collision.kernels.vectors cimport along, perpendicular
from rbdyn.collision.shapes.climbing cimport MOST_CORNERS, corners_below, farthest_corner
from rbdyn.spatial._algebra cimport Vec3, add3, cross3, dot3, mul3, neg3, scale3, sub3, tmul3, vec3


cdef struct Outline:               # a feature seen along the reference normal
    int n
    double u[MAX_SIDES]            # [m]
    double v[MAX_SIDES]

cdef struct Plane:                 # the reference face's, and axes on it; world
    Vec3 o, n, t1, t2
    double lean1, lean2            # what lies 1 m higher along the contact normal lies so far along t1 and t2 [m]
    double rise                    # cosine of the angle between the contact normal and n


cdef inline Mark spot(double u, double v, double gap, int name) noexcept nogil:
    """A candidate on the reference face."""
    cdef Mark m
    m.u, m.v, m.low, m.gap, m.name = u, v, 0.0, gap, name
    return m


cdef inline double turn(const Outline* o, double sign, int k, double u, double v) noexcept nogil:
    """Twice the area between side k and a point, positive inside."""
    cdef int l = k + 1 if k + 1 < o.n else 0
    return sign * ((o.u[l] - o.u[k]) * (v - o.v[k]) - (o.v[l] - o.v[k]) * (u - o.u[k]))


cdef inline bint inside(const Outline* o, double sign, double u, double v, double hair) noexcept nogil:
    """Is a point inside a convex outline, or within a hair of it?"""
    cdef int k, l
    cdef double side
    for k in range(o.n):
        l = k + 1 if k + 1 < o.n else 0
        side = fabs(o.u[l] - o.u[k]) + fabs(o.v[l] - o.v[k])
        if turn(o, sign, k, u, v) < -hair * side:
            return False
    return True


cdef inline double orientation(const Outline* o) noexcept nogil:
    """+1: counter-clockwise, -1: clockwise."""
    cdef double area = 0.0
    cdef int k, l
    for k in range(o.n):
        l = k + 1 if k + 1 < o.n else 0
        area += o.u[k] * o.v[l] - o.v[k] * o.u[l]
    return 1.0 if area >= 0.0 else -1.0


cdef inline void cross_outlines(
        const Outline* ref, double sign, const Outline* inc, const double* gap, double margin, double near,
        Marks* marks) noexcept nogil:
    """Where the sides of one outline cross those of the other."""
    cdef int k, l, e, sides = inc.n if inc.n > 2 else inc.n - 1
    cdef double from_, to, t, u, v
    cdef Mark one
    for k in range(sides):
        l = k + 1 if k + 1 < inc.n else 0
        if gap[k] >= margin and gap[l] >= margin:
            continue
        for e in range(ref.n):
            from_ = turn(ref, sign, e, inc.u[k], inc.v[k])
            to = turn(ref, sign, e, inc.u[l], inc.v[l])
            if (from_ < 0.0) == (to < 0.0):
                continue
            t = from_ / (from_ - to)
            u = inc.u[k] + t * (inc.u[l] - inc.u[k])
            v = inc.v[k] + t * (inc.v[l] - inc.v[k])
            if inside(ref, sign, u, v, 1e-9 * near):
                one = spot(u, v, gap[k] + t * (gap[l] - gap[k]), 2 + 4 * (MAX_SIDES * k + e))
                mark(marks, &one, margin, near)


cdef inline bint is_corner(const SupportingFeature* f, int name) noexcept nogil:
    cdef int k
    for k in range(f.n):
        if f.name[k] == name:
            return True
    return False


cdef inline Plane plane_of(const SupportingFeature* ref, Vec3 n) noexcept nogil:
    """The reference face's, seen along the contact normal n, out of its shape."""
    cdef Plane p
    p.o, p.n, p.t1 = ref.point[0], ref.normal, perpendicular(ref.normal)
    p.t2 = cross3(p.n, p.t1)
    p.lean1, p.lean2, p.rise = 0.0, 0.0, 1.0
    if n.x != p.n.x or n.y != p.n.y or n.z != p.n.z:
        p.rise = dot3(n, p.n)
        p.lean1, p.lean2 = dot3(n, p.t1) / p.rise, dot3(n, p.t2) / p.rise
    return p


cdef inline void lean(const Plane* p, double height, double* u, double* v) noexcept nogil:
    """Where a point over the plane is seen on it, along the contact normal."""
    u[0] -= p.lean1 * height
    v[0] -= p.lean2 * height


cdef inline void mark_vertices(
        const PosedShape* s, const SupportingFeature* face, const Plane* p, const Outline* area, double sign,
        const Vec3* x_0, Vec3 rise, bint of_ref, int kind, double margin, double near, Marks* marks) noexcept nogil:
    """Vertices of a hull over an area, but those of its face there; their gap is rise . (x - x_0)."""
    cdef const double* v = hull_of(s).vertices
    cdef Vec3 l = tmul3(s.X.R, rise), l1 = tmul3(s.X.R, p.t1), l2 = tmul3(s.X.R, p.t2), x, d = sub3(s.X.p, p.o)
    cdef double start = dot3(rise, sub3(s.X.p, x_0[0])), u = dot3(d, p.t1), v_0 = dot3(d, p.t2)
    cdef Mark one
    cdef int[MOST_CORNERS] listed
    cdef int i, k, last = -1, n = -1
    if hull_of(s).side > 0:
        n = corners_below(hull_of(s), l, farthest_corner(hull_of(s), neg3(l)), start, margin, listed)
    for i in range(hull_of(s).n_vertices if n < 0 else n):
        k = i if n < 0 else listed[i]
        x = vec3(v[3 * k], v[3 * k + 1], v[3 * k + 2])
        one.gap = start + dot3(l, x)
        if one.gap >= margin:
            continue
        one.u, one.v, one.name = u + dot3(l1, x), v_0 + dot3(l2, x), 4 * k + kind
        one.low = dot3(p.n, add3(d, mul3(s.X.R, x))) if of_ref else 0.0
        lean(p, one.low if of_ref else one.gap, &one.u, &one.v)
        if inside(area, sign, one.u, one.v, 0.25 * near) and not is_corner(face, k):
            mark_vertex(marks, &one, near, &last)


cdef inline void clip_features(
        const PosedShape* ref_shape, const SupportingFeature* ref, const PosedShape* inc_shape,
        const SupportingFeature* inc, Vec3 n, bint ref_is_a, double margin, double size, Manifold* m) noexcept nogil:
    """Contacts of a reference face with another feature, along n, out of the face, and its normal or nearly so.

    `size` [m] is the smaller shape's, for tolerances.
    """
    cdef Outline r, i
    cdef double[MAX_SIDES] gap
    cdef int[MAX_POINTS] kept
    cdef Marks marks
    cdef Mark one
    cdef Plane p = plane_of(ref, n)
    cdef Vec3 d
    cdef double sign_r, sign_i, near = 0.02 * size, lowest = 1e300
    cdef double slope = dot3(inc.normal, n) / p.rise if inc.flat else 0.0
    cdef double height
    cdef int k, count, kind = 0 if ref_is_a else 1      # of the other shape's corners
    cdef bint two_faces = inc.n > 2 and fabs(slope) > 0.1
    marks.n = 0
    margin *= p.rise
    r.n, i.n = ref.n, inc.n
    for k in range(ref.n):
        d = sub3(ref.point[k], p.o)
        r.u[k], r.v[k] = dot3(d, p.t1), dot3(d, p.t2)
    for k in range(inc.n):
        d = sub3(inc.point[k], p.o)
        i.u[k], i.v[k], gap[k] = dot3(d, p.t1), dot3(d, p.t2), dot3(d, p.n)
        lean(&p, gap[k], &i.u[k], &i.v[k])
        lowest = min(lowest, gap[k])
    sign_r, sign_i = orientation(&r), orientation(&i)
    for k in range(inc.n):
        if gap[k] < margin and inside(&r, sign_r, i.u[k], i.v[k], 0.25 * near):
            one = spot(i.u[k], i.v[k], gap[k], 4 * inc.name[k] + kind)
            mark(&marks, &one, margin, near)
    if two_faces:
        for k in range(ref.n):
            if inside(&i, sign_i, r.u[k], r.v[k], 0.25 * near):
                one = spot(r.u[k], r.v[k], max(lowest, dot3(inc.normal, sub3(inc.point[0], ref.point[k])) / slope),
                           4 * ref.name[k] + 1 - kind)      # a hair beside a steep face its plane lies far below it
                mark(&marks, &one, margin, near)
    cross_outlines(&r, sign_r, &i, gap, margin, near, &marks)
    if inc_shape.s.core == HULL_CORE:
        mark_vertices(inc_shape, inc, &p, &r, sign_r, &p.o, p.n, False, kind, margin, near, &marks)
    if ref_shape.s.core == HULL_CORE and two_faces and slope < -0.98:
        mark_vertices(ref_shape, ref, &p, &i, sign_i, &inc.point[0], scale3(-1.0 / slope, inc.normal), True, 1 - kind,
                      margin, near, &marks)
    if marks.n == 0:
        return
    if marks.n <= MAX_POINTS and (inc_shape.s.kind == TRIANGLE or ref_shape.s.kind == TRIANGLE):
        count = marks.n            # a piece of a surface: which are kept is chosen among those of all pieces
        for k in range(count):
            kept[k] = k
    elif inc_shape.s.core == HULL_CORE or ref_shape.s.core == HULL_CORE:
        count = choose_of_hull(&marks, near, margin, kept)
    else:
        count = choose(&marks, near, kept)
    for k in range(count):
        one = marks.at[kept[k]]
        height = one.low + 0.5 * one.gap
        d = along(along(p.o, one.u + height * p.lean1, p.t1), one.v + height * p.lean2, p.t2)
        add_point(m, along(d, height, p.n), -one.gap / p.rise, one.name)
