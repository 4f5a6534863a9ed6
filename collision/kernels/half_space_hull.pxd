# Half-space against a convex hull: of the vertices that reach, four that hold up the others.
#
# n is the outward normal of the half-space, l the same in the hull's frame.  A hull rests on the vertex that lies
# lowest.  Which one comes down next, as it turns about those chosen so far?  The one d away from them, seen along n,
# and higher than the lowest by h, for which d / h is largest: a vertex as low as the lowest comes before all others.
# A height FLAT is added to h, so that of vertices that lie about level those far apart are chosen.

from libc.math cimport sqrt

from rbdyn.collision._types cimport PosedShape
from rbdyn.collision.kernels.manifold cimport Manifold, add_point, clear
from rbdyn.collision.kernels.support.convex_hull cimport hull_of
from rbdyn.collision.kernels.vectors cimport along, axis_x, axis_y, axis_z
from rbdyn.collision.shapes.climbing cimport MOST_CORNERS, corners_below, farthest_corner
from rbdyn.collision.sink cimport Sink, emit
from rbdyn.spatial._algebra cimport Vec3, cross3, dot3, neg3, scale3, sub3, tmul3, vec3


cdef struct Lowest:                # what is the same for all vertices of a hull
    Vec3 l
    double gap                     # of the hull's origin [m]
    double margin, lowest          # [m]
    int first                      # vertex that lies lowest
    double level, flat             # heights that count as none, and as little [m]
    int n                          # number of vertices that may be chosen, ascending: `listed`; -1: all
    int[MOST_CORNERS] listed
    double[MOST_CORNERS] height    # of the listed ones over the half-space [m]


cdef inline Vec3 vertex(const PosedShape* s, int k) noexcept nogil:
    return vec3(hull_of(s).vertices[3 * k], hull_of(s).vertices[3 * k + 1], hull_of(s).vertices[3 * k + 2])


cdef inline int n_looked_at(const PosedShape* s, const Lowest* w) noexcept nogil:
    return hull_of(s).n_vertices if w.n < 0 else w.n


cdef inline int looked_at(const Lowest* w, int i) noexcept nogil:
    """Number of the i-th vertex to look at."""
    return i if w.n < 0 else w.listed[i]


cdef inline double height(const PosedShape* s, const Lowest* w, int i) noexcept nogil:
    """Height of the i-th vertex to look at over the half-space [m]."""
    return w.gap + dot3(w.l, vertex(s, i)) if w.n < 0 else w.height[i]


cdef inline void list_lowest(const PosedShape* s, Lowest* w) noexcept nogil:
    """List the vertices that may be chosen, with their heights; all are looked at where they are too many."""
    cdef double most = max(w.margin, w.lowest + w.level), h
    cdef int i, k, n = 0
    w.n = corners_below(hull_of(s), w.l, w.first, w.gap, most, w.listed)
    for i in range(n_looked_at(s, w)):
        k = looked_at(w, i)
        h = w.gap + dot3(w.l, vertex(s, k))
        if h <= most:
            if n == MOST_CORNERS:
                w.n = -1
                return
            w.listed[n], w.height[n] = k, h
            n += 1
    w.n = n


cdef inline bint comes_sooner(const Lowest* w, double h, double away, double* best) noexcept nogil:
    """Test that a vertex at the height h beats the best by 1 % in (d / (h + flat))^2, of which `away` is d^2."""
    cdef double share
    if h >= w.margin:
        return False
    h = max(h - w.lowest - w.level, 0.0) + w.flat
    share = away / (h * h)
    if share <= 1.01 * best[0]:
        return False
    best[0] = share
    return True


cdef inline int next_to_one(const PosedShape* s, const Lowest* w, Vec3 a) noexcept nogil:
    """Away from a vertex; -1 if there is none."""
    cdef double best = 1e-6                      # d of 1e-3 flat
    cdef Vec3 e
    cdef int i, k, found = -1
    for i in range(n_looked_at(s, w)):
        k = looked_at(w, i)
        e = cross3(w.l, sub3(vertex(s, k), a))
        if comes_sooner(w, height(s, w, i), dot3(e, e), &best):
            found = k
    return found


cdef inline int next_to_two(const PosedShape* s, const Lowest* w, Vec3 a, Vec3 b) noexcept nogil:
    """Away from the line through two, on either side."""
    cdef double best = 1e-6, d
    cdef Vec3 e = cross3(w.l, sub3(b, a))
    cdef int i, k, found = -1
    e = scale3(1.0 / sqrt(dot3(e, e)), e)
    for i in range(n_looked_at(s, w)):
        k = looked_at(w, i)
        d = dot3(e, sub3(vertex(s, k), a))
        if comes_sooner(w, height(s, w, i), d * d, &best):
            found = k
    return found


cdef inline Vec3 outwards(const Lowest* w, Vec3 a, Vec3 b, Vec3 c) noexcept nogil:
    """Unit normal of side ab of a triangle, away from c."""
    cdef Vec3 e = cross3(w.l, sub3(b, a))
    return scale3((-1.0 if dot3(e, sub3(c, a)) > 0.0 else 1.0) / sqrt(dot3(e, e)), e)


cdef inline int next_to_three(const PosedShape* s, const Lowest* w, Vec3 a, Vec3 b, Vec3 c) noexcept nogil:
    """Outside their triangle."""
    cdef double best = 1e-6, d
    cdef Vec3 e = outwards(w, a, b, c), f = outwards(w, b, c, a), g = outwards(w, c, a, b), v
    cdef int i, k, found = -1
    for i in range(n_looked_at(s, w)):
        k = looked_at(w, i)
        v = vertex(s, k)
        d = max(dot3(e, sub3(v, a)), max(dot3(f, sub3(v, b)), dot3(g, sub3(v, c))))
        if d > 0.0 and comes_sooner(w, height(s, w, i), d * d, &best):
            found = k
    return found


cdef inline void add_vertex(const PosedShape* s, const Lowest* w, Vec3 n, int k, Manifold* m) noexcept nogil:
    """Add a vertex, once."""
    cdef Vec3 v = vertex(s, k)
    cdef Vec3 x = along(along(along(s.X.p, v.x, axis_x(&s.X.R)), v.y, axis_y(&s.X.R)), v.z, axis_z(&s.X.R))
    cdef double gap = w.gap + dot3(w.l, v)
    cdef int i
    for i in range(m.n):
        if m.feature[i] == k:
            return
    add_point(m, along(x, -0.5 * gap, n), -gap, k)


cdef inline void add_four(const PosedShape* s, const Lowest* w, Vec3 n, int first, Manifold* m) noexcept nogil:
    """At most: the first, and those that come down next."""
    cdef Vec3 a, b, c
    cdef int k
    add_vertex(s, w, n, first, m)
    a = vertex(s, first)
    k = next_to_one(s, w, a)
    if k < 0:
        return
    add_vertex(s, w, n, k, m)
    b = vertex(s, k)
    k = next_to_two(s, w, a, b)
    if k < 0:
        return
    add_vertex(s, w, n, k, m)
    c = vertex(s, k)
    k = next_to_three(s, w, a, b, c)
    if k >= 0:
        add_vertex(s, w, n, k, m)


cdef inline void half_space_hull(const PosedShape* h, const PosedShape* s, double margin, Sink* sink) noexcept nogil:
    """The deepest vertex and three that come down next; for what moves far, three more that come down by its motion.

    Comparisons have a tolerance, so that a hull at rest on many vertices chooses the same
    ones in every step.  Feature: vertex number.
    """
    cdef Manifold m
    cdef Lowest w
    cdef Vec3 n = axis_z(&h.X.R)
    cdef int i = 0
    w.l, w.gap, w.margin = tmul3(s.X.R, n), dot3(n, sub3(s.X.p, h.X.p)), margin
    w.level, w.flat = 1e-6 * s.s.bounds.radius, 1e-3 * s.s.bounds.radius
    clear(&m)
    w.first = farthest_corner(hull_of(s), neg3(w.l))
    w.lowest = w.gap + dot3(w.l, vertex(s, w.first))
    if w.lowest >= margin:
        return
    m.normal = neg3(n)
    list_lowest(s, &w)
    while height(s, &w, i) > w.lowest + w.level:
        i += 1
    add_four(s, &w, n, looked_at(&w, i), &m)
    if margin > 10.0 * w.flat:
        w.flat = margin
        add_four(s, &w, n, looked_at(&w, i), &m)
    emit(sink, &m)
