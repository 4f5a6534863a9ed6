# Any two convex shapes: distance of their cores, or the least push, then the area where they meet.

from libc.math cimport INFINITY, fabs, fmax

from rbdyn.collision._types cimport BOX_CORE, HULL_CORE, TRIANGLE, PosedShape, SupportingFeature
from rbdyn.collision.kernels.clip cimport clip_features
from rbdyn.collision.kernels.core cimport core_radius, support
from rbdyn.collision.kernels.epa cimport deep_by, of_contact, penetrate
from rbdyn.collision.kernels.gjk cimport Simplex, separate
from rbdyn.collision.kernels.known_push cimport KnownPush, recall_push
from rbdyn.collision.kernels.manifold cimport Manifold, add_point, clear
from rbdyn.collision.kernels.vectors cimport along, norm3
from rbdyn.collision.sink cimport Sink, emit
from rbdyn.spatial._algebra cimport Vec3, add3, cross3, dot3, neg3, scale3, sub3


cdef enum:
    SINGLE = 3                     # feature of a contact that is no corner and no crossing


cdef inline double core_distance(const PosedShape* a, const PosedShape* b, double reach, KnownPush* push, Vec3* x_a,
                                 Vec3* n) noexcept nogil:
    """Distance of two cores, or minus their least push: the point of a there, and the normal into a.

    Of cores that are farther apart than `reach`, some number not below it; x_a is not set then.  `push` may be NULL.
    """
    cdef Simplex s
    cdef KnownPush own
    cdef KnownPush* known = &own if push == NULL else push
    cdef double apart = -recall_push(a, b, push, x_a, n)
    if apart > 0.0:
        known.n = 0
        apart = separate(a, b, reach, 1e-12, x_a, n, &s)
        if apart == -INFINITY:
            apart = -penetrate(a, b, &s, of_contact(), x_a, n, known)
    return apart


cdef inline double proven_depth(const PosedShape* a, const PosedShape* b, double share) noexcept nogil:
    """How deep in each other two convex shapes are [m], or less, but not less than a share of it; 0: not at all."""
    cdef Simplex s
    cdef Vec3 x_a, n
    cdef double r = core_radius(a) + core_radius(b), apart = separate(a, b, r, 1e-12, &x_a, &n, &s)
    return r + deep_by(a, b, &s, share) if apart == -INFINITY else fmax(0.0, r - apart)


cdef inline void convex_convex(const PosedShape* a, const PosedShape* b, double margin, Sink* sink) noexcept nogil:
    """One contact, or up to four where a face lies on something; of hulls that move fast, up to seven.

    Features: 4 k + 0 corner k of the second shape, 4 k + 1 corner k of the first, 4 k + 2 crossing
    of sides, 3 a single point; 7 and 11 the ends of two lines side by side.
    """
    cdef Manifold m
    cdef double r_a = core_radius(a), r_b = core_radius(b), apart = sink.distance, depth
    cdef Vec3 x_a = sink.on_a, x_b, n = sink.into_a, x
    clear(&m)
    if not sink.again:
        apart = core_distance(a, b, r_a + r_b + margin, sink.push, &x_a, &n)
    if apart >= r_a + r_b + margin:
        sink.apart = neg3(n) if sink.swapped else n
        return
    sink.distance, sink.on_a, sink.into_a = apart, x_a, n
    x_b = along(x_a, -apart, n)
    depth = r_a + r_b - apart
    if depth <= -margin:
        return
    m.normal = n
    x = along(scale3(0.5, add3(x_a, x_b)), 0.5 * (r_b - r_a), n)
    build_manifold(a, b, n, depth, margin, &m)
    if m.n == 0:
        m.normal = n
        add_point(&m, x, depth, SINGLE)
    elif deepest(&m) < depth - 1e-4 * min(a.s.bounds.radius, b.s.bounds.radius):
        replace_deepest(&m, x, depth)
    emit(sink, &m)


cdef inline double deepest(const Manifold* m) noexcept nogil:
    cdef double d = -1e300
    cdef int k
    for k in range(m.n):
        d = max(d, m.depth[k])
    return d


cdef inline void replace_deepest(Manifold* m, Vec3 x, double depth) noexcept nogil:
    """The corners miss the deepest point (a rim between two of them): put it where the deepest corner is."""
    cdef int k, best = 0
    for k in range(1, m.n):
        if m.depth[k] > m.depth[best]:
            best = k
    m.position[best] = x
    m.depth[best] = depth


cdef inline bint is_nearly_least(
        const PosedShape* a, const PosedShape* b, Vec3 n, double depth, double size) noexcept nogil:
    """Does a push along n free a from b at hardly more than `depth`?"""
    cdef double push = dot3(n, sub3(support(b, n), support(a, neg3(n)))) + core_radius(a) + core_radius(b)
    return push <= depth + 1e-3 * size + 0.05 * fabs(depth)


cdef inline bint is_polyhedron(const PosedShape* s) noexcept nogil:
    """Whether it is one by itself: a triangle of a surface has no depth to its faces."""
    return (s.s.core == HULL_CORE or s.s.core == BOX_CORE) and core_radius(s) == 0.0 and s.s.kind != TRIANGLE


cdef inline void build_manifold(
        const PosedShape* a, const PosedShape* b, Vec3 n, double depth, double margin, Manifold* m) noexcept nogil:
    """Contacts over the area where the shapes meet; none if they meet in a point.

    As between boxes, a face is preferred if it overlaps by at most 0.1 % of the size and 5 % more; where edges meet
    along a normal that is nearly a face's, all that the faces have in common is told (box_box.pxd), unless they are
    deep in each other: links of robots that are for good, which no push parts.
    """
    cdef SupportingFeature f_a, f_b
    cdef double flat_a, flat_b, size = min(a.s.bounds.radius, b.s.bounds.radius)
    a.s.convex.feature(a, neg3(n), &f_a)
    b.s.convex.feature(b, n, &f_b)
    flat_a = -dot3(f_a.normal, n) if f_a.flat else -1.0
    flat_b = dot3(f_b.normal, n) if f_b.flat else -1.0
    if flat_b > 0.98 and flat_b > flat_a - 1e-4 and is_nearly_least(a, b, f_b.normal, depth, size):
        m.normal = f_b.normal
        clip_features(b, &f_b, a, &f_a, f_b.normal, False, margin, size, m)
    elif flat_a > 0.98 and is_nearly_least(a, b, neg3(f_a.normal), depth, size):
        m.normal = neg3(f_a.normal)
        clip_features(a, &f_a, b, &f_b, f_a.normal, True, margin, size, m)
    elif max(flat_a, flat_b) > 0.98 and depth < 0.02 * size and is_polyhedron(a) and is_polyhedron(b):
        if flat_b > flat_a - 1e-4:
            clip_features(b, &f_b, a, &f_a, n, False, margin, size, m)
        else:
            clip_features(a, &f_a, b, &f_b, neg3(n), True, margin, size, m)
    elif f_a.n == 2 and f_b.n == 2:
        side_by_side_lines(&f_a, &f_b, n, depth, margin, size, m)


cdef inline void side_by_side_lines(
        const SupportingFeature* f, const SupportingFeature* g, Vec3 n, double depth, double margin, double size,
        Manifold* m) noexcept nogil:
    """Two lines within 0.02 rad of each other and of the tangent plane: the ends of their common stretch."""
    cdef Vec3 u = sub3(f.point[1], f.point[0]), v = sub3(g.point[1], g.point[0]), w, x, y
    cdef double length = norm3(u), span = norm3(v), low, high, s0, s1, t, gap
    cdef int k
    u, v = scale3(1.0 / length, u), scale3(1.0 / span, v)
    w = cross3(u, v)
    if dot3(w, w) > 4e-4 or fabs(dot3(u, n)) > 0.02 or fabs(dot3(v, n)) > 0.02:
        return
    s0, s1 = dot3(u, sub3(g.point[0], f.point[0])), dot3(u, sub3(g.point[1], f.point[0]))
    low, high = max(0.0, min(s0, s1)), min(length, max(s0, s1))
    if high - low < 1e-3 * size:
        return
    for k in range(2):
        t = high if k else low
        x = along(f.point[0], t, u)
        y = along(g.point[0], span * (t - s0) / (s1 - s0), v)
        gap = dot3(n, sub3(x, y))
        if gap < margin and -gap > depth - 0.1 * size:
            add_point(m, scale3(0.5, add3(x, y)), -gap, 7 + 4 * k)
