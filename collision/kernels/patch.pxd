# Patches of convex cores: a corner, an edge, a face, a rim, a curved side, and how its points move with the normal.
#
# A patch is where the support point may be along normals like one: a point x(m) that moves smoothly with the outward
# normal m, and up to two directions in which it goes on from there, straight or along an arc, and which are at right
# angles to the normal.

from libc.math cimport copysign, cos, fabs, sin, sqrt

from rbdyn.collision._types cimport BOX_CORE, CONE, CYLINDER_CORE, HULL_CORE, SUPPORT, PosedShape
from rbdyn.collision.kernels.core cimport support
from rbdyn.collision.kernels.curved cimport cone_half, cone_radius, moved, moved_on_rim
from rbdyn.collision.kernels.vectors cimport along, axis_x, axis_y, axis_z, norm3, unit_or
from rbdyn.collision.shapes.climbing cimport MOST_CORNERS, corners_below, farthest_corner
from rbdyn.collision.shapes.convex_hull cimport HullData
from rbdyn.spatial._algebra cimport Vec3, add3, cross3, dot3, mul3, neg3, scale3, sub3, tmul3, vec3, zero3


cdef enum Sort:
    FIXED                          # a corner, an edge, a face: nothing moves
    TUBE                           # the side of a cylinder: along what the normal says
    RIM                            # a circle about z, along an arc: near a cap the normal does not say well where
    SLANT                          # the side of a cone: from the apex down along what the normal says
    EVERYWHERE                     # an ellipsoid, or what a user's support function says

cdef struct Patch:
    int sort                       # Sort
    int n_along                    # in how many directions it goes on
    Vec3 at                        # of what is fixed the point, of what is round the centre, of a cone the apex; world
    double radius                  # [m] of what is round; of a cone by how much it grows along its side, a share
    double drop                    # of a cone: how much such a line goes down, a share
    Vec3 out                       # of a rim: from its centre to where the arc begins; unit, world
    Vec3[2] along                  # unit, world; of a cone the first goes with the normal, of a rim with the arc


cdef inline void patch_of_box(const PosedShape* a, Vec3 l, double blur, Patch* p) noexcept nogil:
    """Coordinates along which the normal does not tell the sides apart are free."""
    cdef Vec3 h = a.s.bounds.box, x
    cdef bint free_x = h.x > 0.0 and fabs(l.x) <= blur, free_y = h.y > 0.0 and fabs(l.y) <= blur
    cdef bint free_z = h.z > 0.0 and fabs(l.z) <= blur
    x.x = 0.0 if free_x else copysign(h.x, l.x + 0.0)
    x.y = 0.0 if free_y else copysign(h.y, l.y + 0.0)
    x.z = 0.0 if free_z else copysign(h.z, l.z + 0.0)
    p.at = add3(a.X.p, mul3(a.X.R, x))
    p.n_along = 0
    if free_x:
        p.along[p.n_along] = axis_x(&a.X.R)
        p.n_along += 1
    if free_y:
        p.along[p.n_along] = axis_y(&a.X.R)
        p.n_along += 1
    if free_z and p.n_along < 2:
        p.along[p.n_along] = axis_z(&a.X.R)
        p.n_along += 1


cdef inline void patch_of_hull(const PosedShape* a, Vec3 l, double blur, Patch* p) noexcept nogil:
    """The farthest corner, and others that are as far but for a blur of the normal: an edge, or a face."""
    cdef const HullData* hull = <const HullData*> a.s.data
    cdef const double* v = hull.vertices
    cdef int[MOST_CORNERS] listed
    cdef int i, k, best = farthest_corner(hull, l), n
    cdef double value, longest = 0.0, widest = 0.0
    cdef Vec3 s, d, e = zero3(), f = zero3()
    s = vec3(v[3 * best], v[3 * best + 1], v[3 * best + 2])
    p.at = add3(a.X.p, mul3(a.X.R, s))
    n = corners_below(hull, neg3(l), best, dot3(s, l), 2.1 * blur * a.s.bounds.radius, listed)     # none is farther
    for i in range(hull.n_vertices if n < 0 else n):
        k = i if n < 0 else listed[i]
        d = sub3(vec3(v[3 * k], v[3 * k + 1], v[3 * k + 2]), s)
        value = norm3(d)
        if value > longest and -dot3(d, l) <= blur * value:
            longest, e = value, d
    p.n_along = 0
    if longest == 0.0:
        return
    e = scale3(1.0 / longest, e)
    for i in range(hull.n_vertices if n < 0 else n):
        k = i if n < 0 else listed[i]
        d = sub3(vec3(v[3 * k], v[3 * k + 1], v[3 * k + 2]), s)
        value = norm3(d)
        if -dot3(d, l) <= blur * value:
            d = along(d, -dot3(d, e), e)
            value = norm3(d)
            if value > widest:
                widest, f = value, d
    p.along[0] = mul3(a.X.R, e)
    p.n_along = 1
    if widest > 1e-6 * longest:
        p.along[1] = mul3(a.X.R, scale3(1.0 / widest, f))
        p.n_along = 2


cdef inline void patch_of_disc(const PosedShape* a, double z, double radius, bint flat, Patch* p) noexcept nogil:
    """A cap or a base at the height z, or its rim."""
    p.at = along(a.X.p, z, axis_z(&a.X.R))
    p.sort, p.radius, p.n_along = RIM, radius, 1
    if flat:
        p.sort, p.n_along = FIXED, 2
        p.along[0], p.along[1] = axis_x(&a.X.R), axis_y(&a.X.R)


cdef inline void patch_of_cone(const PosedShape* a, Vec3 l, double blur, Patch* p) noexcept nogil:
    """The apex, a line of the side, the rim or the base."""
    cdef double r = cone_radius(a), h = 2.0 * cone_half(a), side = sqrt(r * r + h * h)
    cdef double across = sqrt(l.x * l.x + l.y * l.y), up = (h * l.z - r * across) / side
    if fabs(up) <= blur:
        p.sort, p.n_along, p.radius, p.drop = SLANT, 1, r / side, h / side
        p.at = along(a.X.p, 0.5 * h, axis_z(&a.X.R))
    elif up > 0.0:
        p.at = along(a.X.p, 0.5 * h, axis_z(&a.X.R))
    else:
        patch_of_disc(a, -0.5 * h, r, across <= blur, p)


cdef inline void patch_of(const PosedShape* a, Vec3 m, double blur, Patch* p) noexcept nogil:
    """The patch that a normal (unit, world) speaks of, which is blurred [rad]."""
    cdef Vec3 l = tmul3(a.X.R, m)
    p.sort, p.n_along, p.radius = FIXED, 0, 0.0
    if a.s.core == BOX_CORE:
        patch_of_box(a, l, blur, p)
    elif a.s.core == HULL_CORE:
        patch_of_hull(a, l, blur, p)
    elif a.s.core == CYLINDER_CORE and fabs(l.z) <= blur:
        p.sort, p.n_along, p.radius, p.at = TUBE, 1, a.s.bounds.ellipsoid.x, a.X.p
        p.along[0] = axis_z(&a.X.R)
    elif a.s.core == CYLINDER_CORE:
        patch_of_disc(a, copysign(a.s.bounds.box.z, l.z), a.s.bounds.ellipsoid.x,
                      l.x * l.x + l.y * l.y <= blur * blur, p)
    elif a.s.kind == <int> CONE:
        patch_of_cone(a, l, blur, p)
    else:
        p.sort = EVERYWHERE


cdef inline void begin_on(const PosedShape* a, Patch* p, Vec3 m, Vec3 x, double* s) noexcept nogil:
    """Where on it to begin: near x, where the normal is m (both world); s [m] is how far along its directions."""
    cdef Vec3 up, y
    s[0] = s[1] = 0.0
    if p.sort == RIM:
        up, y = axis_z(&a.X.R), sub3(x, p.at)
        y = along(y, -dot3(y, up), up)
        if norm3(y) < 0.5 * p.radius:
            y = along(m, -dot3(m, up), up)
        p.out = unit_or(y, axis_x(&a.X.R))
        return
    y = sub3(x, point_on(a, p, m, s))
    for k in range(p.n_along):
        s[k] = dot3(y, p.along[k])


cdef inline Vec3 point_on(const PosedShape* a, Patch* p, Vec3 m, const double* s) noexcept nogil:
    """Its point along the normal m, with s [m] along its directions, which are set if they move; world."""
    cdef Vec3 x = p.at, l, side
    cdef double across
    cdef int k
    if p.sort == EVERYWHERE:
        return support(a, m)
    if p.sort == RIM:
        side = cross3(axis_z(&a.X.R), p.out)
        across = s[0] / p.radius
        p.along[0] = along(scale3(cos(across), side), -sin(across), p.out)
        return along(along(x, p.radius * cos(across), p.out), p.radius * sin(across), side)
    if p.sort != FIXED:
        l = tmul3(a.X.R, m)
        across = sqrt(l.x * l.x + l.y * l.y)
        l = vec3(l.x / across, l.y / across, 0.0) if across > 1e-12 else zero3()
        if p.sort == SLANT:
            p.along[0] = mul3(a.X.R, vec3(p.radius * l.x, p.radius * l.y, -p.drop))
        else:
            x = along(x, p.radius, mul3(a.X.R, l))
    for k in range(p.n_along):
        x = along(x, s[k], p.along[k])
    return x


cdef inline Vec3 moved_on(const PosedShape* a, const Patch* p, Vec3 m, Vec3 d, double s) noexcept nogil:
    """How that point moves as m goes along d."""
    if p.sort == FIXED or p.sort == RIM:
        return zero3()
    if p.sort == EVERYWHERE and a.s.kind == <int> SUPPORT:       # nothing else is known of it
        return scale3(5e4, sub3(support(a, along(m, 1e-5, d)), support(a, along(m, -1e-5, d))))
    if p.sort == EVERYWHERE:
        return moved(a, m, d)
    return mul3(a.X.R, moved_on_rim(p.radius * s if p.sort == SLANT else p.radius, tmul3(a.X.R, m), tmul3(a.X.R, d)))


cdef inline double bend_of(const PosedShape* a, const Patch* p, Vec3 n) noexcept nogil:
    """How the part along n of the direction of an arc changes along it [1/m]."""
    return -dot3(n, cross3(p.along[0], axis_z(&a.X.R))) / p.radius if p.sort == RIM else 0.0
