"""A ball within A - B that touches its surface from within: inner_ball.pxd."""

from libc.math cimport fabs, fmin, sqrt

from rbdyn.collision._types cimport BOX_CORE, CONE, CYLINDER_CORE, ELLIPSOID, HULL_CORE, PosedShape
from rbdyn.collision.kernels.core cimport support
from rbdyn.collision.kernels.curved cimport FlatSide, cone_radius, corner_of, find_flat_side, inside_of_side
from rbdyn.collision.kernels.vectors cimport along, axis_x, axis_y, axis_z, norm3, perpendicular
from rbdyn.collision.shapes.climbing cimport farthest_corner
from rbdyn.collision.shapes.convex_hull cimport HullData
from rbdyn.spatial._algebra cimport Vec3, cross3, dot3, mul3, neg3, scale3, sub3, tmul3, vec3


cdef inline double level() noexcept nogil:
    """Sine of the angle to the plane up to which an edge lies in it: rounding of normals, 1e6 times."""
    return 1e-9

cdef struct Spread:                # what A - B holds around w
    double ball                    # radius of a ball [m]
    int n
    Vec3[4] e                      # along edges and circles; unit, world
    double[4] s                    # [m] 2 l of an edge, r of a circle


cdef inline void add_line(Spread* f, Vec3 e, double s) noexcept nogil:
    if s > 0.0:
        f.e[f.n], f.s[f.n] = e, s
        f.n += 1


cdef inline void add_disc(Spread* f, Vec3 n, double l) noexcept nogil:
    """A disc in the plane of normal n: an edge each way."""
    cdef Vec3 e = perpendicular(n)
    add_line(f, e, 2.0 * l)
    add_line(f, cross3(n, e), 2.0 * l)


cdef inline void add_of_hull(const PosedShape* a, Vec3 x, Vec3 n, Vec3 l, Spread* f) noexcept nogil:
    """The edge, or a disc of the face, that lies in the plane."""
    cdef const HullData* hull = <const HullData*> a.s.data
    cdef int top = farthest_corner(hull, l), i, k, begin = 0, end = hull.n_vertices, count = 0
    cdef Vec3 corner = corner_of(hull, top), d, e
    cdef FlatSide side
    cdef double length = 0.0, at
    if hull.side > 0:
        begin = hull.block[top] + 1                    # its neighbours stand behind it
        end = begin + hull.around[begin - 1].at
    for i in range(begin, end):
        k = hull.around[i].corner if hull.side > 0 else i
        d = sub3(corner_of(hull, k), corner)
        at = dot3(d, l)
        if k != top and at * at <= level() * level() * dot3(d, d):
            e = d
            count += 1
    if count == 1:
        length = norm3(e)
        e = mul3(a.X.R, scale3(1.0 / length, e))
        at = dot3(e, sub3(x, a.X.p)) - dot3(e, mul3(a.X.R, corner))
        add_line(f, e, 2.0 * fmin(at, length - at))
    elif count > 1 and find_flat_side(a, n, &side):
        add_disc(f, n, inside_of_side(a, &side, x))


cdef inline void add_of_round(const PosedShape* a, double r, Vec3 n, Vec3 l, Vec3 x, Spread* f) noexcept nogil:
    """Of a solid of revolution a disc of its flat end, of radius r, or the circle through x; l and x in its frame."""
    cdef double across = sqrt(l.x * l.x + l.y * l.y), round = sqrt(x.x * x.x + x.y * x.y)
    if across < level():
        add_disc(f, n, r - round)
    else:
        add_line(f, mul3(a.X.R, vec3(-l.y / across, l.x / across, 0.0)), round)


cdef inline void add_around(const PosedShape* a, Vec3 x, Vec3 n, Spread* f) noexcept nogil:
    """What a core holds around its point x, where n is its outward normal (unit, both world)."""
    cdef Vec3 l = tmul3(a.X.R, n), p = tmul3(a.X.R, sub3(x, a.X.p)), h = a.s.bounds.box, r = a.s.bounds.ellipsoid
    cdef double least
    if a.s.kind == <int> ELLIPSOID:
        least = fmin(r.x, fmin(r.y, r.z))
        f.ball += least * least / max(r.x, max(r.y, r.z))
    elif a.s.core == HULL_CORE:
        add_of_hull(a, x, n, l, f)
    elif a.s.core == BOX_CORE:
        if fabs(l.x) < level():
            add_line(f, axis_x(&a.X.R), 2.0 * (h.x - fabs(p.x)))
        if fabs(l.y) < level():
            add_line(f, axis_y(&a.X.R), 2.0 * (h.y - fabs(p.y)))
        if fabs(l.z) < level():
            add_line(f, axis_z(&a.X.R), 2.0 * (h.z - fabs(p.z)))
    elif a.s.core == CYLINDER_CORE:
        add_of_round(a, r.x, n, l, p, f)
        if fabs(l.z) < level():
            add_line(f, axis_z(&a.X.R), 2.0 * (h.z - fabs(p.z)))
    elif a.s.kind == <int> CONE:
        add_of_round(a, cone_radius(a) if l.z < 0.0 else 0.0, n, l, p, f)


cdef inline double least_spread(const Spread* f, Vec3 n) noexcept nogil:
    """The least eigenvalue of their sum, over the plane of normal n, and the ball [m]."""
    cdef double sum = 0.0, det = 0.0, sine
    cdef int i, k
    for i in range(f.n):
        sum += f.s[i]
        for k in range(i):
            sine = dot3(n, cross3(f.e[i], f.e[k]))
            det += f.s[i] * f.s[k] * sine * sine
    if not det > 0.0:
        return f.ball
    return f.ball + 2.0 * det / (sum + sqrt(max(0.0, sum * sum - 4.0 * det)))


cdef bint is_least(const PosedShape* a, const PosedShape* b, double gap, Vec3 n, Vec3 x_a) noexcept nogil:
    """Test that no push of cores that overlap is shorter than the one along n (into a), by -gap, where x_a touches."""
    cdef Spread f
    cdef double h = -gap, s, c, below
    cdef Vec3 x_b = along(x_a, h, n), d
    f.ball, f.n = 0.0, 0
    add_around(a, x_a, neg3(n), &f)
    add_around(b, x_b, n, &f)
    if h <= f.ball:
        return True
    s = least_spread(&f, n)
    c = 1.0 - 2.0 * h / s if s > 2.0 * h else 0.0
    if not c > 0.0:
        return False
    d = sub3(sub3(support(a, n), x_a), sub3(support(b, neg3(n)), x_b))
    below = dot3(d, n)
    return below * c - norm3(along(d, -below, n)) * sqrt(1.0 - c * c) >= h * (1.0 + c)
