"""The plane between two curved cores: curved.pxd."""

from libc.math cimport fabs, sqrt

from rbdyn.collision._types cimport CONE, CYLINDER_CORE, PosedShape
from rbdyn.collision.kernels.core cimport support
from rbdyn.collision.kernels.vectors cimport along, axis_z, clamp, norm3, perpendicular
from rbdyn.spatial._algebra cimport Vec3, add3, cross3, dot3, neg3, scale3, sub3, zero3


cdef enum:
    MAX_NEWTON = 10                # steps; four are usual


cdef inline bint sharpen(const PosedShape* a, const PosedShape* b, double* gap, Vec3* normal, Vec3* x_a) noexcept nogil:
    """From a normal to the best one near it, into a: the gap along it, and a's point there.

    False, and nothing changed, if the support points do not move smoothly there, or it is no best one.
    """
    cdef double close = 1e-10 * (a.s.bounds.radius + b.s.bounds.radius), g, last = -1e300, off = 1e300
    cdef double p, q, r, det, x, y, size
    cdef Vec3 n = normal[0], s_a, w, t, u, v, k_u, k_v
    for _ in range(MAX_NEWTON):
        s_a = support(a, neg3(n))
        w = sub3(s_a, support(b, n))
        g = dot3(n, w)
        if g < last - close:
            return False
        last = g
        t = along(w, -g, n)
        u = perpendicular(n)
        v = cross3(n, u)
        k_u = add3(moved(b, n, u), moved(a, neg3(n), u))
        k_v = add3(moved(b, n, v), moved(a, neg3(n), v))
        p, q, r = dot3(u, k_u) + g, dot3(u, k_v), dot3(v, k_v) + g
        if p * r - q * q < close * (p + r):                # a ring of normals that are alike
            p, r = p + close, r + close
        det = p * r - q * q
        if not (p > 0.0 and det > 0.0):
            return False
        if dot3(t, t) <= close * close and dot3(t, t) >= 0.01 * off:     # rounding stops it
            gap[0], normal[0], x_a[0] = g, n, s_a
            return True
        off = dot3(t, t)
        x, y = dot3(u, t), dot3(v, t)
        x, y = (r * x - q * y) / det, (p * y - q * x) / det
        size = sqrt(x * x + y * y)
        if size > 0.5:
            x, y = 0.5 * x / size, 0.5 * y / size
        n = along(along(n, x, u), y, v)
        n = scale3(1.0 / norm3(n), n)
    return False


cdef inline bint lies_across(
        const PosedShape* a, const PosedShape* b, bint of_a, bint of_b, Vec3 e, Vec3 n, double* gap, Vec3* normal,
        Vec3* x_a) noexcept nogil:
    """Test that the ends of an edge pull the normal n across it to either side: then write it, the best one.

    The edge is of a, of b, or of both, which are then parallel.
    """
    cdef Vec3 up = along(n, 1e-6, e), down = along(n, -1e-6, e), s_low, s_high, x_low, x_high
    cdef double low, high
    s_low, x_low = support(a, neg3(up if of_a else n)), support(b, up if of_b else n)
    s_high, x_high = support(a, neg3(down)) if of_a else s_low, support(b, down) if of_b else x_low
    low, high = dot3(e, sub3(s_low, x_low)), dot3(e, sub3(s_high, x_high))
    if not low < 0.0 < high:
        return False
    gap[0], normal[0] = dot3(n, sub3(s_high, x_high)), n
    x_a[0] = along(s_low, -low / (high - low), sub3(s_high, s_low))
    return True


cdef inline bint sharpen_on_side(
        const PosedShape* a, const PosedShape* b, bint of_a, double* gap, Vec3* normal, Vec3* x_a) noexcept nogil:
    """`sharpen` among the normals of the side of a cone, which is a, or else b; the other meets a line of it."""
    cdef const PosedShape* cone = a if of_a else b
    cdef const PosedShape* other = b if of_a else a
    cdef double turned = -1.0 if of_a else 1.0, close = 1e-10 * (a.s.bounds.radius + b.s.bounds.radius)
    cdef double r = cone_radius(cone), h = 2.0 * cone_half(cone), slant = sqrt(r * r + h * h), g, last = -1e300
    cdef Vec3 up = axis_z(&cone.X.R), apex = along(cone.X.p, cone_half(cone), up), out, t, n, w, side
    cdef double slope, bend
    out = along(normal[0], -dot3(normal[0], up), up)
    if norm3(out) < 0.1:
        return False
    out = scale3(turned / norm3(out), out)
    for _ in range(MAX_NEWTON):
        n = scale3(turned, along(scale3(h / slant, out), r / slant, up))
        w = sub3(apex, support(b, n)) if of_a else sub3(support(a, neg3(n)), apex)
        g = dot3(n, w)
        if g < last - close:
            return False
        last = g
        t = cross3(up, out)
        slope = turned * h / slant * dot3(t, w)
        bend = turned * h / slant * dot3(out, w)
        bend += h * h / (slant * slant) * dot3(t, moved(other, n if of_a else neg3(n), t))
        if not bend > -close:
            return False
        if fabs(slope) <= close:
            side = along(scale3(-r / slant, out), h / slant, up)
            return lies_across(a, b, of_a, not of_a, side, n, gap, normal, x_a)
        out = along(out, clamp(slope / max(bend, close), -0.5, 0.5), t)
        out = scale3(1.0 / norm3(out), out)
    return False


cdef inline bint sharpen_across(
        const PosedShape* a, const PosedShape* b, bint of_a, bint of_b, Vec3 e, double* gap, Vec3* normal,
        Vec3* x_a) noexcept nogil:
    """`sharpen` among the normals across a straight edge of a or b, or of both, with the direction e (unit).

    The support points at both ends of the edge must pull the normal to either side.
    """
    cdef double close = 1e-10 * (a.s.bounds.radius + b.s.bounds.radius), g, last = -1e300, slope, bend
    cdef Vec3 n = along(normal[0], -dot3(normal[0], e), e), t, w
    cdef double size = norm3(n)
    if size < 0.5:
        return False
    n = scale3(1.0 / size, n)
    for _ in range(MAX_NEWTON):
        w = sub3(support(a, neg3(n)), support(b, n))
        g = dot3(n, w)
        if g < last - close:
            return False
        last = g
        t = cross3(e, n)
        slope = dot3(t, w)
        bend = dot3(t, add3(moved(b, n, t), moved(a, neg3(n), t))) + g
        if not bend > -close:
            return False
        if fabs(slope) <= close:
            return lies_across(a, b, of_a, of_b, e, n, gap, normal, x_a)
        n = along(n, clamp(slope / max(bend, close), -0.5, 0.5), t)
        n = scale3(1.0 / norm3(n), n)
    return False


cdef inline bint edge_between(const PosedShape* a, Vec3 x, Vec3 y, Vec3 z, Vec3* e) noexcept nogil:
    """Whether three support points lie at both ends of a straight edge; its direction, unit, but for a cone."""
    cdef Vec3 u = sub3(y, x), v = sub3(z, x), axis
    cdef double size = 1e-3 * a.s.bounds.radius, s, t
    if a.s.core == CYLINDER_CORE:
        axis = axis_z(&a.X.R)
        s, t = dot3(u, axis), dot3(v, axis)
        e[0] = axis
        return fabs(s) > size or fabs(t) > size
    if a.s.kind == <int> CONE:               # the apex, and another one: which, does not matter
        axis = axis_z(&a.X.R)
        s, t = dot3(u, axis), dot3(v, axis)
        return fabs(s) > size or fabs(t) > size
    if is_curved(a):
        return False
    s, t = norm3(u), norm3(v)
    if s > size and (t <= size or norm3(sub3(v, u)) <= size):
        e[0] = scale3(1.0 / s, u)
        return True
    e[0] = scale3(1.0 / t, v) if t > 0.0 else u
    return t > size and s <= size


cdef inline bint sharpen_crossing(
        const PosedShape* a, const PosedShape* b, Vec3 e, Vec3 f, double* gap, Vec3* normal, Vec3* x_a) noexcept nogil:
    """The normal across an edge of a and one of b, of directions e and f (unit), if they cross in both."""
    cdef Vec3 n = cross3(e, f), m, p, p_e, q, q_f, w
    cdef double size = norm3(n), det, s, t, c = dot3(e, f), u, v
    if size < 0.02:
        return False
    n = scale3(1.0 / size if dot3(n, normal[0]) > 0.0 else -1.0 / size, n)
    if dot3(n, normal[0]) < 0.7:
        return False
    m = along(n, 1e-6, e)
    p = support(a, neg3(m))
    m = along(n, -1e-6, e)
    p_e = sub3(support(a, neg3(m)), p)         # along the edge of a, from its lower end
    m = along(n, -1e-6, f)
    q = support(b, m)
    m = along(n, 1e-6, f)
    q_f = sub3(support(b, m), q)
    w = sub3(p, q)
    u, v = norm3(p_e), norm3(q_f)
    det = 1.0 - c * c
    s, t = -dot3(w, e), -dot3(w, f)            # s e - t f ends at a multiple of n
    s, t = (s - c * t) / det, (c * s - t) / det
    if not (0.0 <= s <= u and 0.0 <= t <= v):
        return False
    gap[0], normal[0] = dot3(n, w), n
    x_a[0] = along(p, s, e)
    return True


cdef inline bint lies_on_side(
        const PosedShape* a, const PosedShape* b, bint of_a, double* gap, Vec3* normal, Vec3* x_a) noexcept nogil:
    """Test that the other shape's farthest point is over a flat side of a, or else of b; then write that normal."""
    cdef const PosedShape* flat = a if of_a else b
    cdef FlatSide side
    cdef Vec3 n, x
    if not find_flat_side(flat, neg3(normal[0]) if of_a else normal[0], &side):
        return False
    n = neg3(side.up) if of_a else side.up
    x = support(b, n) if of_a else support(a, neg3(n))
    if inside_of_side(flat, &side, x) < 0.0:
        return False
    gap[0], normal[0] = dot3(side.up, sub3(x, support(flat, side.up))), n
    x_a[0] = along(x, -gap[0], side.up) if of_a else x
    return True


cdef bint sharpen_near(
        const PosedShape* a, const PosedShape* b, const Vec3* x, const Vec3* w, double* gap, Vec3* normal,
        Vec3* x_a) noexcept nogil:
    """The best normal near one, as three support points x of a and w of A - B along normals like it suggest."""
    cdef Vec3 e = zero3(), f = zero3()         # the apex of a cone names no direction
    cdef bint edge_a = edge_between(a, x[0], x[1], x[2], &e)
    cdef bint edge_b = edge_between(b, sub3(x[0], w[0]), sub3(x[1], w[1]), sub3(x[2], w[2]), &f)
    if lies_on_side(a, b, True, gap, normal, x_a) or lies_on_side(a, b, False, gap, normal, x_a):
        return True
    if (edge_a and a.s.kind == <int> CONE) or (edge_b and b.s.kind == <int> CONE):
        return not (edge_a and edge_b) and sharpen_on_side(a, b, edge_a, gap, normal, x_a)
    if edge_a and edge_b and norm3(cross3(e, f)) > 0.02:
        return sharpen_crossing(a, b, e, f, gap, normal, x_a)
    if edge_a or edge_b:
        return sharpen_across(a, b, edge_a, edge_b, e if edge_a else f, gap, normal, x_a)
    return sharpen(a, b, gap, normal, x_a)
