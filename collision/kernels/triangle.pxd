# A convex shape against one triangle of a surface.
#
# Alone, a triangle pushes things off its sides, too; in a surface, only those that stick out may do so.  A normal is
# one of the surface if no triangle around the feature that it comes from leads along it: that is the Voronoi region of
# the feature, as C. Ericson has it in Real-Time Collision Detection (2005), section 5.1.  What a shape touches at any
# other normal is nearer to a triangle around, which reports it.  But if that goes on nearly flat, what of the shape is
# over this triangle may carry, too, or come down next: it is measured along the triangle's own normal.  And where the
# surface rises beyond a side, what is over there may run into this triangle's plane, which goes on below ground.

from libc.math cimport INFINITY, fabs, fmax, sqrt

from rbdyn.collision._types cimport BOX_CORE, TRIANGLE, PosedShape, ShapeRecord, SupportingFeature
from rbdyn.collision.bounds cimport centre_of
from rbdyn.collision.kernels.clip cimport clip_features
from rbdyn.collision.kernels.convex cimport SINGLE, build_manifold, deepest, replace_deepest
from rbdyn.collision.kernels.core cimport core_radius, support
from rbdyn.collision.kernels.epa cimport of_contact, penetrate
from rbdyn.collision.kernels.gjk cimport Simplex, descend_by
from rbdyn.collision.kernels.manifold cimport Manifold, add_point, clear
from rbdyn.collision.kernels.vectors cimport along, norm3
from rbdyn.collision.shapes.convex_hull cimport HullData
from rbdyn.collision.sink cimport Sink, emit
from rbdyn.spatial._algebra cimport Vec3, add3, cross3, dot3, mul3, neg3, scale3, sub3, tmul3, vec3


cdef struct TriangleData:          # one triangle of a surface, in the frame of the whole
    HullData hull                  # of its three corners, `at`
    double[9] at                   # [m]
    Vec3 normal                    # unit
    Vec3[3] beyond                 # the corner across the side from corner k to the next [m]
    bint[3] open                   # True: there is none
    int[3] vertex                  # numbers of the corners in the surface
    int cells                      # of a height map: cells along a side of a flat block, a half of which it is; or 1
    double grain                   # of a mesh: radius of the largest triangle as it was given [m]
    bint one_sided                 # what is behind it does not touch it
    bint solid                     # what is behind it is inside of something
    const ShapeRecord* whole
    # How much the edges of the surface from corner k lead along n (both unit, the frame of the whole), at most
    double (*most_along)(const TriangleData* t, int k, Vec3 n) noexcept nogil

cdef struct Apart:                 # what is known of a shape and a triangle
    bint far                       # True: they are farther apart than the margin
    bint known                     # True: what follows is
    bint overlap
    double distance                # of the cores [m], negative if they overlap
    Vec3 on_a, normal              # a's point, and the unit normal from b to a; world

cdef enum Side:                    # whose a normal is
    FACE                           # the triangle's own
    EDGE                           # an edge's or a corner's that sticks out
    LEVEL                          # none of the surface's, which goes on nearly flat there
    HOLLOW                         # or rises there
    ELSEWHERE                      # none of the surface's here


cdef inline double hardly() noexcept nogil:
    """[m]"""
    return 1e-300

cdef inline double slant() noexcept nogil:
    """[rad] normals that differ by less are one."""
    return 1e-4

cdef inline const TriangleData* triangle_of(const PosedShape* a) noexcept nogil:
    return <const TriangleData*> a.s.data


cdef inline Vec3 corner(const TriangleData* t, int k) noexcept nogil:
    """In the frame of the whole [m]."""
    return vec3(t.at[3 * k], t.at[3 * k + 1], t.at[3 * k + 2])


cdef inline Vec3 world_corner(const PosedShape* a, int k) noexcept nogil:
    return add3(a.X.p, mul3(a.X.R, corner(triangle_of(a), k)))


cdef inline void whole_face(const PosedShape* a, Vec3 normal, SupportingFeature* f) noexcept nogil:
    """All of a triangle."""
    cdef int k
    f.n, f.flat, f.normal = 3, True, normal
    for k in range(3):
        f.point[k], f.name[k] = world_corner(a, k), k


cdef inline void triangle_feature(const PosedShape* a, Vec3 d, SupportingFeature* f) noexcept nogil:
    """The triangle, the side or the corner that is farthest along d."""
    cdef Vec3 n = mul3(a.X.R, triangle_of(a).normal)
    cdef double[3] s
    cdef double size = 0.0, slope = dot3(n, d)
    cdef int k, first = 0, second
    if fabs(slope) > 1.0 - 0.5 * slant() * slant():
        whole_face(a, n if slope > 0.0 else neg3(n), f)
        return
    for k in range(3):
        f.point[k] = world_corner(a, k)
        s[k] = dot3(d, f.point[k])
        if s[k] > s[first]:
            first = k
    second = (first + 1) % 3 if s[(first + 1) % 3] >= s[(first + 2) % 3] else (first + 2) % 3
    size = norm3(sub3(f.point[second], f.point[first]))
    f.flat = False
    f.n = 2 if s[first] - s[second] < 0.02 * size else 1
    f.point[0], f.point[1] = world_corner(a, first), world_corner(a, second)
    f.name[0], f.name[1] = first, second


# ---- whose a normal is -----------------------------------------------------------------------

cdef inline Vec3 normal_beyond(const TriangleData* t, int k) noexcept nogil:
    """Of the triangle across the side from corner k, as this one is turned; of any length."""
    return cross3(sub3(t.beyond[k], corner(t, k)), sub3(corner(t, (k + 1) % 3), corner(t, k)))


cdef inline bint goes_on_flat(const TriangleData* t, int k) noexcept nogil:
    """Across the side from corner k, within 14 degrees."""
    cdef Vec3 n = normal_beyond(t, k)
    return not t.open[k] and dot3(n, t.normal) > 0.97 * norm3(n)


cdef inline bint leads_along(const TriangleData* t, int k, Vec3 n, double rise) noexcept nogil:
    """Whether the triangle across the side from corner k leads along n by more than `rise`."""
    cdef Vec3 e = sub3(corner(t, (k + 1) % 3), corner(t, k)), d = sub3(t.beyond[k], corner(t, k))
    d = along(d, -dot3(d, e) / dot3(e, e), e)
    return not t.open[k] and dot3(n, d) > rise * norm3(d)


cdef inline int farthest_corner(const TriangleData* t, Vec3 n, int* side) noexcept nogil:
    """The one that is farthest along n; `side` is the one of which all is as far, or -1."""
    cdef double[3] s
    cdef int k, first = 0, second
    for k in range(3):
        s[k] = dot3(n, corner(t, k))
        if s[k] > s[first]:
            first = k
    second = (first + 1) % 3 if s[(first + 1) % 3] >= s[(first + 2) % 3] else (first + 2) % 3
    side[0] = -1
    if s[first] - s[second] < slant() * norm3(sub3(corner(t, first), corner(t, second))):
        side[0] = first if second == (first + 1) % 3 else second
    return first


cdef inline bint is_hollow(const TriangleData* t, int k, Vec3 up, Vec3 middle) noexcept nogil:
    """Whether the surface goes up beyond the side from corner k, and the middle of the other shape is above both."""
    cdef Vec3 n = normal_beyond(t, k)
    if t.open[k] or dot3(up, sub3(t.beyond[k], corner(t, k))) <= 0.0:
        return False
    return dot3(n, sub3(middle, corner(t, k))) * dot3(up, t.normal) > 0.0


cdef inline Side beyond_side(const TriangleData* t, int k, Vec3 up, Vec3 middle) noexcept nogil:
    """Of a normal that leads over the side from corner k."""
    if is_hollow(t, k, up, middle):
        return HOLLOW
    return LEVEL if goes_on_flat(t, k) else ELSEWHERE


cdef inline Side side_of(const TriangleData* t, Vec3 n, Vec3 up, Vec3 middle) noexcept nogil:
    """Of the unit normal n; `up` is the triangle's normal on the side of the other shape's middle.

    All in the frame of the whole.
    """
    cdef int first, side
    cdef Vec3 level = along(n, -dot3(n, up), up)
    if dot3(level, level) < slant() * slant() and dot3(n, up) > 0.0:
        return FACE
    first = farthest_corner(t, n, &side)
    if side >= 0:
        if not leads_along(t, side, n, -slant()):
            return EDGE
        return beyond_side(t, side, up, middle)
    if t.most_along(t, first, n) < -slant():
        return EDGE
    if t.most_along(t, first, neg3(up)) < slant() < t.most_along(t, first, up):
        return HOLLOW
    return LEVEL if goes_on_flat(t, first) or goes_on_flat(t, (first + 2) % 3) else ELSEWHERE


# ---- contacts --------------------------------------------------------------------------------

cdef inline bint over(const PosedShape* b, Vec3 up, Vec3 x) noexcept nogil:
    """Whether a point is over a triangle, seen along a normal of it."""
    cdef int k
    cdef double turn, all_ = 0.0
    for k in range(3):
        turn = dot3(up, cross3(sub3(world_corner(b, (k + 1) % 3), world_corner(b, k)), sub3(x, world_corner(b, k))))
        if turn * all_ < 0.0:
            return False
        all_ += turn
    return True


cdef inline void face_contacts(
        const PosedShape* a, const PosedShape* b, Vec3 up, double margin, double size, Manifold* m) noexcept nogil:
    """Contacts of what of a is over the triangle, along its normal; `up` is that, on the side that counts."""
    cdef SupportingFeature f_a, f_b
    cdef Vec3 lowest = along(support(a, neg3(up)), -core_radius(a), up)
    cdef double depth = dot3(up, sub3(world_corner(b, 0), lowest))
    a.s.convex.feature(a, neg3(up), &f_a)
    whole_face(b, up, &f_b)
    m.normal = up
    clip_features(b, &f_b, a, &f_a, f_b.normal, False, margin, size, m)
    if depth > -margin and (m.n == 0 or deepest(m) < depth - 1e-4 * size) and over(b, up, lowest):
        if m.n == 0:
            add_point(m, along(lowest, 0.5 * depth, up), depth, SINGLE)
        else:
            replace_deepest(m, along(lowest, 0.5 * depth, up), depth)


cdef inline double half_angle(const TriangleData* t, int k) noexcept nogil:
    """Tangent of half the angle by which the surface turns at the side from corner k; 1 at most, and where it ends."""
    cdef Vec3 n
    cdef double cosine
    if t.open[k]:
        return 1.0
    n = normal_beyond(t, k)
    cosine = dot3(n, t.normal) / norm3(n)
    return 1.0 if cosine <= 0.0 else sqrt(fmax(0.0, 1.0 - cosine) / (1.0 + cosine))


cdef inline bint reaches_over(
        const PosedShape* b, Vec3 up, const Manifold* m, double size) noexcept nogil:
    """Whether to push contacts off a triangle is less than off what is beyond those of its sides that stick out.

    A point of depth d, by s within such a side, is d cos(angle) + s sin(angle) deep in what is there.  Where tiles of a
    floor stand side by side, what slides over both is in the upper edge of each one's side.  Depths that may be those
    of rest are let pass.
    """
    cdef const TriangleData* t = triangle_of(b)
    cdef Vec3 local, e, x
    cdef double[3] slope
    cdef double s
    cdef int k, i
    cdef bint within
    if deepest(m) <= 1e-4 * size:
        return True
    local = tmul3(b.X.R, up)
    for k in range(3):
        slope[k] = half_angle(t, k) if falls_away(t, k, local) else 0.0
    for i in range(m.n):
        x = tmul3(b.X.R, sub3(m.position[i], b.X.p))
        within = True
        for k in range(3):
            e = sub3(corner(t, (k + 1) % 3), corner(t, k))
            s = dot3(cross3(t.normal, e), sub3(x, corner(t, k))) / norm3(e)
            within &= slope[k] == 0.0 or s >= m.depth[i] * slope[k]
        if within:
            return True
    return False


cdef inline void keep_corners(const PosedShape* a, Vec3 up, Manifold* m) noexcept nogil:
    """Of contacts along a triangle's normal those of corners of a, which are against its plane whatever is around.

    Corners of the triangle against a face of a would be along that face's normal: they stay where it is the same.
    """
    cdef SupportingFeature f
    cdef int k, n = 0
    a.s.convex.feature(a, neg3(up), &f)
    if f.flat and dot3(f.normal, up) < -1.0 + 5e-7:        # within 1e-3 rad
        return
    for k in range(m.n):
        if m.feature[k] % 4 == 1 or m.feature[k] == SINGLE:
            m.position[n], m.depth[n], m.feature[n] = m.position[k], m.depth[k], m.feature[k]
            n += 1
    m.n = n


cdef inline Vec3 middle_of(const PosedShape* a) noexcept nogil:
    """Of what a is a piece of, if it is one, world [m]."""
    cdef PosedShape whole
    if a.s.kind != TRIANGLE:
        return centre_of(a)
    whole.s, whole.X = triangle_of(a).whole, a.X
    return centre_of(&whole)


cdef inline bint falls_away(const TriangleData* t, int k, Vec3 up) noexcept nogil:
    """Whether the surface ends at the side from corner k, or lies below the plane of t beyond it; up in its frame."""
    cdef Vec3 d = sub3(t.beyond[k], corner(t, k))
    return t.open[k] or dot3(up, d) < -slant() * norm3(d)


cdef inline bint goes_on(const TriangleData* t, Vec3 up, Vec3 x, double way) noexcept nogil:
    """Whether the surface lies in the plane of t, or rises above it, as far as `way` [m] around x, in its frame."""
    cdef Vec3 e
    cdef int k
    for k in range(3):
        e = sub3(corner(t, (k + 1) % 3), corner(t, k))
        if dot3(cross3(t.normal, e), sub3(x, corner(t, k))) < way * norm3(e) and falls_away(t, k, up):
            return False
    for k in range(3):
        if norm3(sub3(x, corner(t, k))) < way and t.most_along(t, k, neg3(up)) > slant():
            return False
    return True


cdef inline bint is_farthest(const TriangleData* t, Vec3 n, double rise) noexcept nogil:
    """Whether the surface leads by no more than `rise` along the unit normal n, in its frame, from where t is farthest.

    What is as far as that, as are the sides of a box and its bottom, may be all that somebody looks at.
    """
    cdef int first, side
    cdef double slope = dot3(n, t.normal)
    if 1.0 - slope * slope < slant() * slant():
        return True
    first = farthest_corner(t, n, &side)
    return t.most_along(t, first, n) < rise if side < 0 else not leads_along(t, side, n, rise)


cdef inline bint may_push(const PosedShape* a, Vec3 n, double rise) noexcept nogil:
    """Whether a may push along n, world: any convex shape by itself may, of a surface what sticks out that way.

    Or nearly so, up to `rise`: what comes down next.
    """
    cdef Vec3 m
    if a.s.kind != TRIANGLE:
        return True
    m = tmul3(a.X.R, n)
    if triangle_of(a).one_sided and dot3(m, triangle_of(a).normal) <= -0.1:
        return False                                       # off the back of what is closed to the other side
    return is_farthest(triangle_of(a), m, rise)


cdef inline bint may_stand(const PosedShape* a, const PosedShape* b, Vec3 up, double margin) noexcept nogil:
    """Whether a may push a triangle along its normal, up to where it may move in a step, `margin` [m].

    Next to a side beyond which the surface falls away the triangle's plane holds up what is none of its own.
    """
    cdef Vec3 x
    if a.s.kind != TRIANGLE:
        return True
    x = tmul3(b.X.R, sub3(support(a, neg3(up)), b.X.p))
    return may_push(a, neg3(up), 0.25 if goes_on(triangle_of(b), tmul3(b.X.R, up), x, margin) else slant())


cdef inline bint is_ball(const PosedShape* a) noexcept nogil:
    return a.s.core == BOX_CORE and a.s.bounds.round


cdef inline Vec3 nearest_on_triangle(const TriangleData* t, Vec3 p) noexcept nogil:
    """RTCD, section 5.1.5."""
    cdef Vec3 a = corner(t, 0), b = corner(t, 1), c = corner(t, 2)
    cdef Vec3 ab = sub3(b, a), ac = sub3(c, a), bc = sub3(c, b)
    cdef double d1 = dot3(ab, sub3(p, a)), d2 = dot3(ac, sub3(p, a)), d3 = dot3(ab, sub3(p, b))
    cdef double d4 = dot3(ac, sub3(p, b)), d5 = dot3(ab, sub3(p, c)), d6 = dot3(ac, sub3(p, c)), va, vb, vc
    if d1 <= 0.0 and d2 <= 0.0:
        return a
    if d3 >= 0.0 and d4 <= d3:
        return b
    if d6 >= 0.0 and d5 <= d6:
        return c
    va, vb, vc = d3 * d6 - d5 * d4, d5 * d2 - d1 * d6, d1 * d4 - d3 * d2
    if vc <= 0.0 and d1 >= 0.0 and d3 <= 0.0:
        return along(a, d1 / (d1 - d3), ab)
    if vb <= 0.0 and d2 >= 0.0 and d6 <= 0.0:
        return along(a, d2 / (d2 - d6), ac)
    if va <= 0.0 and d4 >= d3 and d5 >= d6:
        return along(b, (d4 - d3) / ((d4 - d3) + (d5 - d6)), bc)
    return along(along(a, vb / (va + vb + vc), ab), vc / (va + vb + vc), ac)


cdef inline Vec3 way_to_middle(const PosedShape* a, const PosedShape* b) noexcept nogil:
    """From the point of a triangle b that is nearest to the middle of a shape to that, in the frame of b [m]."""
    cdef Vec3 c = tmul3(b.X.R, sub3(centre_of(a), b.X.p))
    return sub3(c, nearest_on_triangle(triangle_of(b), c))


cdef inline bint is_beside(const PosedShape* a, const PosedShape* b, double margin) noexcept nogil:
    """Test that all of a triangle is farther than the margin from the plane of another one, a."""
    cdef Vec3 n = mul3(a.X.R, triangle_of(a).normal), x = world_corner(a, 0)
    cdef double low = dot3(n, sub3(world_corner(b, 0), x)), high = low, value
    cdef int k
    for k in range(1, 3):
        value = dot3(n, sub3(world_corner(b, k), x))
        low, high = min(low, value), max(high, value)
    return low > margin or high < -margin


cdef inline bint ball_triangle(
        const PosedShape* a, const PosedShape* b, double margin, bint deep, Sink* sink) noexcept nogil:
    """convex_triangle of a ball, in the frame of the whole."""
    cdef Manifold m
    cdef const TriangleData* t = triangle_of(b)
    cdef Vec3 c = tmul3(b.X.R, sub3(a.X.p, b.X.p)), up = t.normal, n, x
    cdef double r = core_radius(a), height = dot3(up, sub3(c, corner(t, 0))), apart, depth
    cdef bint behind = height < 0.0
    cdef Side side
    if fabs(height) >= r + margin:
        return False
    x = nearest_on_triangle(t, c)
    apart = norm3(sub3(c, x))
    if apart >= r + margin:
        return False
    if behind and t.one_sided and not (deep and t.solid and apart < r):
        return t.solid and apart < r
    if behind and not t.one_sided:
        up, height = neg3(up), -height
    n = scale3(1.0 / apart, sub3(c, x)) if apart > 1e-9 * r else up
    side = FACE if deep and behind else side_of(t, n, up, c)
    if side == LEVEL or side == ELSEWHERE:
        return apart < r
    depth = r - apart
    if side != EDGE:
        n, depth = up, r - height
    if side == HOLLOW and depth >= 0.0:
        return apart < r
    clear(&m)
    m.normal = mul3(b.X.R, n)
    add_point(&m, along(a.X.p, 0.5 * depth - r, m.normal), depth, SINGLE)
    emit(sink, &m)
    return apart < r


cdef inline void turn_round(Apart* known) noexcept nogil:
    """Exchange both, if more is known than whether they are far apart."""
    if not known.known:
        return
    known.on_a = along(known.on_a, -known.distance, known.normal)
    known.normal = neg3(known.normal)


cdef inline double convex_triangle(
        const PosedShape* a, const PosedShape* b, double margin, bint deep, Vec3* axis, Apart* known,
        Sink* sink) noexcept nogil:
    """Contacts of a convex shape, or a triangle of another surface, with a triangle; how deep it lies in that [m].

    0 if it does not, and by hardly anything if it was not asked how deep.  `axis` is one along which they may be apart,
    as the triangle before was; zero: none is known.  `known` is what was found the other way round before.

    With `deep`, what lies in it is pushed along the triangle's own normal, whatever is around.
    Features: as convex_convex has them.
    """
    cdef Manifold m, face
    cdef const TriangleData* t = triangle_of(b)
    cdef double r = core_radius(a), size = min(a.s.bounds.radius, b.s.bounds.radius), apart, depth, lies
    cdef Vec3 up = mul3(b.X.R, t.normal), middle = tmul3(b.X.R, sub3(middle_of(a), b.X.p)), x_a, x_b, n, x
    cdef Vec3 way
    cdef double reach = (a.s.bounds.radius + margin) * (1.0 + 1e-9)
    cdef Simplex s
    cdef bint overlap, faced = False, behind = dot3(t.normal, sub3(middle, corner(t, 0))) < 0.0
    cdef Side side
    known.far = True
    if a.s.kind == TRIANGLE:
        way = sub3(centre_of(a), centre_of(b))
    else:
        way = way_to_middle(a, b)
        if dot3(way, way) > reach * reach:
            return 0.0
        way = mul3(b.X.R, way)
    if behind and not t.one_sided:
        up = neg3(up)
    depth = r - dot3(up, sub3(support(a, neg3(up)), world_corner(b, 0)))
    if depth <= -margin:
        return 0.0
    if a.s.kind == TRIANGLE and is_beside(a, b, margin):
        return 0.0
    if dot3(axis[0], axis[0]) > 0.0:
        n = axis[0]
        if dot3(n, sub3(support(a, neg3(n)), support(b, n))) > r + margin:
            return 0.0
    known.far = False
    clear(&m)
    if depth <= 1e-3 * size and not (behind and t.one_sided) and may_stand(a, b, up, margin):
        # over the triangle by its lowest point, or hardly in it: the triangle's normal, as where two faces meet
        clear(&face)
        face_contacts(a, b, up, margin, size, &face)
        faced = may_push(a, neg3(up), slant())
        if not faced:
            keep_corners(a, up, &face)
        if face.n > 0 and deepest(&face) >= depth - 1e-6 * size and reaches_over(b, up, &face, size):
            emit(sink, &face)
            return max(depth, 0.0)
    if known.known:
        apart, x_a, n, overlap = known.distance, known.on_a, known.normal, known.overlap
    else:
        apart = descend_by(a, b, r + margin, way, False, 1e-12, &x_a, &n, &s)
        overlap = apart < 0.0
    if apart >= r + margin:
        axis[0], known.far = n, True
        return 0.0
    if behind and t.one_sided and not (deep and t.solid and apart < r):
        return hardly() if t.solid and apart < r else 0.0
    if apart == -INFINITY:
        apart = -penetrate(a, b, &s, of_contact(), &x_a, &n, NULL)
    known.known, known.distance, known.on_a, known.normal, known.overlap = True, apart, x_a, n, overlap
    depth = r - apart
    if depth <= -margin:
        return 0.0
    lies = max(depth, hardly()) if overlap or depth > 0.0 else 0.0
    side = side_of(t, tmul3(b.X.R, n), tmul3(b.X.R, up), middle)
    deep = deep and (overlap or behind)
    if side == EDGE and not deep:
        if not may_push(a, neg3(n), slant()):
            return lies
        x_b = along(x_a, -apart, n)
        x = along(scale3(0.5, add3(x_a, x_b)), -0.5 * r, n)
        m.normal = n
        build_manifold(a, b, n, depth, margin, &m)
        if m.n == 0:
            m.normal = n
            add_point(&m, x, depth, SINGLE)
        elif deepest(&m) < depth - 1e-4 * size:
            replace_deepest(&m, x, depth)
    elif deep or (side != ELSEWHERE and may_push(a, neg3(up), slant())):
        if faced:
            m = face
        else:
            face_contacts(a, b, up, margin, size, &m)
        if side == LEVEL and not deep:
            keep_corners(a, up, &m)
        if m.n == 0 and side != LEVEL and not overlap:
            depth = r - dot3(up, sub3(x_a, world_corner(b, 0)))
            m.normal = up
            if side == FACE or depth < 0.0:
                add_point(&m, along(x_a, 0.5 * depth - r, up), depth, SINGLE)
    if m.n > 0 and not deep and dot3(m.normal, up) > 1.0 - slant() and not reaches_over(b, up, &m, size):
        return lies
    emit(sink, &m)
    return lies
