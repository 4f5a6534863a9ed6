# Two supporting features that lie on each other: the corners of their common area.
#
# One of them is a face whose normal is nearly the contact normal; the other is a face, a segment
# or a point, and is measured against it.  At most four points are kept: the deepest, the
# farthest from it, and the extremes on both sides, with tolerances, so that a body at rest keeps them.

from libc.math cimport fabs

from rbdyn.collision._types cimport MAX_SIDES, SupportingFeature
from rbdyn.collision.kernels.manifold cimport Manifold, add_point
from rbdyn.collision.kernels.vectors cimport along, perpendicular
from rbdyn.spatial._algebra cimport Vec3, cross3, dot3, sub3


cdef enum:
    MAX_MARKS = 64

cdef struct Outline:               # a feature seen along the reference normal
    int n
    double u[MAX_SIDES]            # [m]
    double v[MAX_SIDES]

cdef struct Mark:                  # a candidate contact
    double u, v                    # [m] where on the reference face
    double gap                     # [m] height of the other surface above it
    int name

cdef struct Marks:
    int n
    Mark at[MAX_MARKS]


cdef inline void mark(
        Marks* marks, double u, double v, double gap, int name, double margin, double near) noexcept nogil:
    """Add a candidate, unless one stands there already."""
    cdef int k
    if gap >= margin or marks.n == MAX_MARKS:
        return
    for k in range(marks.n):
        if fabs(marks.at[k].u - u) < near and fabs(marks.at[k].v - v) < near:
            return
    marks.at[marks.n].u = u
    marks.at[marks.n].v = v
    marks.at[marks.n].gap = gap
    marks.at[marks.n].name = name
    marks.n += 1


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
    for k in range(sides):
        l = k + 1 if k + 1 < inc.n else 0
        for e in range(ref.n):
            from_ = turn(ref, sign, e, inc.u[k], inc.v[k])
            to = turn(ref, sign, e, inc.u[l], inc.v[l])
            if (from_ < 0.0) == (to < 0.0):
                continue
            t = from_ / (from_ - to)
            u = inc.u[k] + t * (inc.u[l] - inc.u[k])
            v = inc.v[k] + t * (inc.v[l] - inc.v[k])
            if inside(ref, sign, u, v, 1e-9 * near):
                mark(marks, u, v, gap[k] + t * (gap[l] - gap[k]), 2 + 4 * (MAX_SIDES * k + e), margin, near)


cdef inline int pick_farthest(
        const Marks* marks, double u, double v, double du, double dv, double least) noexcept nogil:
    """The mark farthest along (du, dv) from (u, v), or farthest of all if that is zero; -1: none beyond `least`."""
    cdef int k, best = -1
    cdef double value, x, y
    for k in range(marks.n):
        x, y = marks.at[k].u - u, marks.at[k].v - v
        value = x * du + y * dv if du != 0.0 or dv != 0.0 else x * x + y * y
        if value > least * (1.0 + 1e-6):
            least = value
            best = k
    return best


cdef inline int choose(const Marks* marks, double near, int* kept) noexcept nogil:
    """At most four marks: the deepest, the farthest from it, the extremes on both sides."""
    cdef int k, n = 1, first = 0, second
    cdef double lowest = 1e300, du, dv
    for k in range(marks.n):
        lowest = min(lowest, marks.at[k].gap)
    while marks.at[first].gap > lowest + 1e-3 * near:
        first += 1
    kept[0] = first
    second = pick_farthest(marks, marks.at[first].u, marks.at[first].v, 0.0, 0.0, near * near)
    if second < 0:
        return n
    kept[1] = second
    n = 2
    du, dv = marks.at[second].u - marks.at[first].u, marks.at[second].v - marks.at[first].v
    for k in range(2):
        kept[n] = pick_farthest(marks, marks.at[first].u, marks.at[first].v, -dv if k else dv, du if k else -du,
                                near * (fabs(du) + fabs(dv)))
        if kept[n] >= 0:
            n += 1
    return n


cdef inline void clip_features(
        const SupportingFeature* ref, const SupportingFeature* inc, bint ref_is_a, double margin, double size,
        Manifold* m) noexcept nogil:
    """Contacts of a reference face with another feature; `size` [m] is the smaller shape's, for tolerances."""
    cdef Outline r, i
    cdef double[MAX_SIDES] gap
    cdef int[4] kept
    cdef Marks marks
    cdef Vec3 o = ref.point[0], n = ref.normal, t1 = perpendicular(n), t2 = cross3(n, t1), d
    cdef double sign, near = 0.02 * size, g
    cdef int k, count
    marks.n = 0
    r.n, i.n = ref.n, inc.n
    for k in range(ref.n):
        d = sub3(ref.point[k], o)
        r.u[k], r.v[k] = dot3(d, t1), dot3(d, t2)
    for k in range(inc.n):
        d = sub3(inc.point[k], o)
        i.u[k], i.v[k], gap[k] = dot3(d, t1), dot3(d, t2), dot3(d, n)
    sign = orientation(&r)
    for k in range(inc.n):
        if inside(&r, sign, i.u[k], i.v[k], 0.25 * near):
            mark(&marks, i.u[k], i.v[k], gap[k], 4 * inc.name[k] + (0 if ref_is_a else 1), margin, near)
    if inc.flat and inc.n > 2 and fabs(dot3(inc.normal, n)) > 0.1:
        sign = orientation(&i)
        for k in range(ref.n):
            if inside(&i, sign, r.u[k], r.v[k], 0.25 * near):
                g = dot3(inc.normal, sub3(inc.point[0], ref.point[k])) / dot3(inc.normal, n)
                mark(&marks, r.u[k], r.v[k], g, 4 * ref.name[k] + (1 if ref_is_a else 0), margin, near)
        sign = orientation(&r)
    cross_outlines(&r, sign, &i, gap, margin, near, &marks)
    if marks.n == 0:
        return
    count = choose(&marks, near, kept)
    for k in range(count):
        d = along(along(o, marks.at[kept[k]].u, t1), marks.at[kept[k]].v, t2)
        add_point(m, along(d, 0.5 * marks.at[kept[k]].gap, n), -marks.at[kept[k]].gap, marks.at[kept[k]].name)
