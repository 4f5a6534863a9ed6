# The least push of two polytopes, known from other poses of theirs, and the proof that it still is the least.
#
# P = A - B contains the origin, and h(n), the farthest it reaches along n, is the length of the push along n.  A face
# of P, at the distance d along m, that holds a disc of radius r around the foot of the origin says
#
#     h(n) >= d cos phi + r sin phi,        phi the angle between n and m:
#
# no push up to phi = 2 atan(r / d) is shorter than d. Where the face was found first (d_0, r_0, m_0), the polytope Q
# of epa.pxd, which lies in P, told of the rest: beyond the circle phi = atan(r_0 / d_0) the function h is no less
# than on it, or than at the other faces of Q, since its least values lie on faces. That is `rest`. A shape that moves
# by w in the other's frame changes h by no more than w. So a face of the same corners, at the distance d in the new
# pose, is the least push if P does not reach beyond it, its discs hold the old circle, and d <= rest - w. What is
# found thus is what epa.pxd finds: both take the last digits from the faces, corners and edges that make the face
# (settle_push).

from libc.math cimport INFINITY, fmax, fmin, sqrt

from rbdyn.collision._types cimport Pose, PosedShape
from rbdyn.collision.bounds cimport longest_way, pose_in
from rbdyn.collision.kernels.core cimport support
from rbdyn.collision.kernels.curved cimport FlatSide, find_flat_side
from rbdyn.collision.kernels.vectors cimport along, norm3
from rbdyn.spatial._algebra cimport Vec3, add3, cross3, dot3, mul3, neg3, scale3, sub3, tmul3, zero3


cdef enum:
    MAX_SPAN = 8                   # corners of a face that are kept; fewer make the discs smaller

cdef inline double same_face() noexcept nogil:
    """Distance of unit normals below which they are of one face: 1e9 times what rounding makes of them."""
    return 1e-7

cdef struct KnownPush:
    int n                          # corners; 0: no push is known
    Vec3 on_a[MAX_SPAN]            # points of the cores whose differences are the corners, in order around the face,
    Vec3 on_b[MAX_SPAN]            # each in the axes of its shape [m]
    Pose there                     # of shape B in shape A, when the face was found
    Vec3 m                         # outward normal then, axes of A
    double circle                  # cosine of atan(r_0 / d_0)
    double rest                    # [m] no push beyond the circle was shorter then; 0: nothing is proven


cdef inline double disc_around(const Vec3* w, int n, Vec3 m, Vec3 foot) noexcept nogil:
    """Radius of a disc around a point of a plane in the polygon of n corners, counter-clockwise about m [m].

    Negative if the point is outside.
    """
    cdef double r = INFINITY
    cdef Vec3 e
    cdef int k, l
    for k in range(n):
        l = k + 1 if k + 1 < n else 0
        e = cross3(m, sub3(w[l], w[k]))
        if norm3(e) > 0.0:
            r = fmin(r, dot3(e, sub3(foot, w[k])) / norm3(e))
    return r


cdef inline Vec3 point_over(const Vec3* w, const Vec3* a, int n, Vec3 m, Vec3 foot) noexcept nogil:
    """The point of A over the foot: in the triangle of the fan from the first corner that holds it best, by areas."""
    cdef double[3] area, best
    cdef double least, most = -INFINITY
    cdef int k, at = 1
    best[0] = best[1] = best[2] = 0.0
    for k in range(1, n - 1):
        area[0] = dot3(m, cross3(sub3(w[k], foot), sub3(w[k + 1], foot)))
        area[1] = dot3(m, cross3(sub3(w[k + 1], foot), sub3(w[0], foot)))
        area[2] = dot3(m, cross3(sub3(w[0], foot), sub3(w[k], foot)))
        least = fmin(area[0], fmin(area[1], area[2]))
        if least > most:
            most, at, best = least, k, area
    for k in range(3):
        best[k] = fmax(best[k], 0.0)
    least = best[0] + best[1] + best[2]
    if not least > 0.0:
        return a[0]
    return add3(scale3(best[0] / least, a[0]),
                add3(scale3(best[1] / least, a[at]), scale3(best[2] / least, a[at + 1])))


cdef inline double push_tolerance(const PosedShape* a, const PosedShape* b) noexcept nogil:
    """Slack of a face within A - B, and of a push over the least [m]: 1e-7 of the smaller size."""
    return 2e-7 * fmin(a.s.bounds.radius, b.s.bounds.radius)


cdef inline bint holds_circle(double circle, double turn, double r, double d) noexcept nogil:
    """Test that acos turn + acos circle <= 2 atan(r / d), without their angles."""
    cdef double q = r * r + d * d, sine = sqrt(fmax(0.0, 1.0 - circle * circle)), s, c
    s, c = 2.0 * r * d / q, (d * d - r * r) / q            # of twice the angle of the disc
    return s * circle >= c * sine and turn >= c * circle + s * sine


cdef inline int place_corners(const PosedShape* a, const PosedShape* b, const KnownPush* known, Vec3* x,
                              Vec3* w) noexcept nogil:
    """World points of A at the corners of the face, and the corners."""
    cdef int k
    for k in range(known.n):
        x[k] = add3(a.X.p, mul3(a.X.R, known.on_a[k]))
        w[k] = sub3(x[k], add3(b.X.p, mul3(b.X.R, known.on_b[k])))
    return known.n


cdef inline Vec3 longest_span(const PosedShape* a, const Vec3* local, int n) noexcept nogil:
    """Unit vector from the first of these points to the farthest one, axes of the shape; zero if they are one point."""
    cdef Vec3 d, e = zero3()
    cdef double far = 1e-12 * a.s.bounds.radius * a.s.bounds.radius, least = far
    cdef int k
    for k in range(1, n):
        d = sub3(local[k], local[0])
        if dot3(d, d) > far:
            far, e = dot3(d, d), d
    return scale3(1.0 / sqrt(far), e) if far > least else e


cdef inline void edge_along(const PosedShape* a, Vec3 span, Vec3 m, Vec3* at, Vec3* e) noexcept nogil:
    """The edge of a polytope, world, that is farthest along m and goes along `span` (unit, axes of the shape)."""
    cdef Vec3 d = mul3(a.X.R, scale3(1e-6, span))          # as little as tells the edge's ends from one another
    if d.x < 0.0 or (d.x == 0.0 and (d.y < 0.0 or (d.y == 0.0 and d.z < 0.0))):
        d = neg3(d)
    at[0] = support(a, sub3(m, d))
    e[0] = sub3(support(a, add3(m, d)), at[0])


cdef inline bint cross_edges(const PosedShape* a, const PosedShape* b, Vec3 span_a, Vec3 span_b, Vec3 m, double* depth,
                             Vec3* x_a, Vec3* normal) noexcept nogil:
    """The push across an edge of each, from about its normal m; False if it has another one."""
    cdef Vec3 at_a, at_b, e_a, e_b, c
    cdef double size
    edge_along(a, span_a, m, &at_a, &e_a)
    edge_along(b, span_b, neg3(m), &at_b, &e_b)
    c = cross3(e_a, e_b)
    size = norm3(c)
    if not size > 0.0:
        return False
    normal[0] = scale3((-1.0 if dot3(c, m) > 0.0 else 1.0) / size, c)
    depth[0] = dot3(normal[0], sub3(at_b, at_a))
    x_a[0] = along(at_a, dot3(cross3(sub3(at_b, at_a), e_b), c) / (size * size), e_a)
    return norm3(add3(normal[0], m)) < same_face()


cdef inline double settle_push(const PosedShape* a, const PosedShape* b, const KnownPush* known, Vec3 m, Vec3* x_a,
                               Vec3* normal) noexcept nogil:
    """The push along a face of A - B, from about its normal m, by what makes the face: the same bits whatever found it.

    A face of A and a corner of B, or the other way round; or an edge of each.  Where more of both lies in the face its
    corners are taken as they are.
    """
    cdef Vec3[MAX_SPAN] x, w
    cdef FlatSide side
    cdef Vec3 span_a = longest_span(a, known.on_a, known.n), span_b = longest_span(b, known.on_b, known.n), s_a, s_b
    cdef bint many_a = dot3(span_a, span_a) > 0.0, many_b = dot3(span_b, span_b) > 0.0
    cdef double depth
    if find_flat_side(a, m, &side) and norm3(sub3(side.up, m)) < same_face():
        m = side.up
    elif find_flat_side(b, neg3(m), &side) and norm3(add3(side.up, m)) < same_face():
        m = neg3(side.up)
    elif many_a and many_b and cross_edges(a, b, span_a, span_b, m, &depth, x_a, normal):
        return depth
    normal[0], s_a, s_b = neg3(m), support(a, m), support(b, neg3(m))
    depth = dot3(m, sub3(s_a, s_b))
    if not many_b:
        x_a[0] = along(s_b, depth, m)
    elif not many_a:
        x_a[0] = s_a
    else:
        x_a[0] = point_over(w, x, place_corners(a, b, known, x, w), m, scale3(depth, m))
    return depth


cdef inline double recall_push(const PosedShape* a, const PosedShape* b, const KnownPush* known, Vec3* x_a,
                               Vec3* normal) noexcept nogil:
    """Overlap of the cores along the least push, if a known one (or NULL) is proven to be that; else -1.

    As `penetrate` has it: the normal into a, and a's point there.
    """
    cdef Vec3[MAX_SPAN] x, w
    cdef Vec3 m = zero3()
    cdef Pose now
    cdef double reach, low = INFINITY, r, way
    cdef int k
    if known == NULL or known.n == 0 or known.rest <= 0.0:
        return -1.0
    now = pose_in(a.X, b.X)
    way = longest_way(&known.there, &now, b.s.bounds.center, b.s.bounds.radius)
    place_corners(a, b, known, x, w)
    for k in range(1, known.n - 1):
        m = add3(m, cross3(sub3(w[k], w[0]), sub3(w[k + 1], w[0])))
    if not (way < known.rest and norm3(m) > 0.0):
        return -1.0
    m = scale3(1.0 / norm3(m), m)
    reach = dot3(m, sub3(support(a, m), support(b, neg3(m))))
    for k in range(known.n):
        low = fmin(low, dot3(m, w[k]))
    if not (low > 0.0 and reach - low <= push_tolerance(a, b) and reach <= known.rest - way):
        return -1.0
    r = disc_around(w, known.n, m, scale3(low, m))
    if not (r > 0.0 and holds_circle(known.circle, dot3(known.m, tmul3(a.X.R, m)), r, low)):
        return -1.0
    return settle_push(a, b, known, m, x_a, normal)
