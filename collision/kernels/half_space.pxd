# Half-space against everything: a full manifold from the points that lie deepest.
#
# n is the outward normal of the half-space (its z axis), o a point of its plane.  A point x
# of the other surface has gap g = n . (x - o); the contact sits at x - g n / 2.

from libc.math cimport fabs, sqrt

from rbdyn.collision._types cimport PosedShape
from rbdyn.collision.kernels.manifold cimport Manifold, add_point, clear
from rbdyn.collision.kernels.support.box cimport box_of
from rbdyn.collision.kernels.support.capsule cimport capsule_of
from rbdyn.collision.kernels.support.cone cimport cone_of
from rbdyn.collision.kernels.support.convex_hull cimport hull_of
from rbdyn.collision.kernels.support.cylinder cimport cylinder_of
from rbdyn.collision.kernels.support.sphere cimport sphere_of
from rbdyn.collision.kernels.vectors cimport along, axis_x, axis_y, axis_z
from rbdyn.collision.sink cimport Sink, emit
from rbdyn.spatial._algebra cimport Vec3, add3, cross3, dot3, neg3, scale3, sub3, tmul3, vec3


cdef inline void half_space_sphere(const PosedShape* h, const PosedShape* s, double margin, Sink* sink) noexcept nogil:
    """One point, under the centre."""
    cdef Manifold m
    cdef Vec3 n = axis_z(&h.X.R)
    cdef double r = sphere_of(s).radius
    cdef double g = dot3(n, sub3(s.X.p, h.X.p)) - r
    clear(&m)
    if g < margin:
        m.normal = neg3(n)
        add_point(&m, along(s.X.p, -r - 0.5 * g, n), -g, 0)
    emit(sink, &m)


cdef inline void half_space_capsule(const PosedShape* h, const PosedShape* s, double margin, Sink* sink) noexcept nogil:
    """The two end balls; feature 0 at -z, 1 at +z."""
    cdef Manifold m
    cdef Vec3 n = axis_z(&h.X.R)
    cdef Vec3 u = axis_z(&s.X.R)
    cdef Vec3 c
    cdef double r = capsule_of(s).radius, g
    cdef int k
    clear(&m)
    m.normal = neg3(n)
    for k in range(2):
        c = along(s.X.p, capsule_of(s).half_height if k else -capsule_of(s).half_height, u)
        g = dot3(n, sub3(c, h.X.p)) - r
        if g < margin:
            add_point(&m, along(c, -r - 0.5 * g, n), -g, k)
    emit(sink, &m)


cdef inline void half_space_box(const PosedShape* h, const PosedShape* s, double margin, Sink* sink) noexcept nogil:
    """The four corners around the deepest one that lie lowest together, as far as they reach.

    Going from the deepest corner along side i lifts by 2 |n_i| h_i; the steepest side is
    the one not taken.  Feature: corner number, bit i set on the positive side of axis i.
    """
    cdef Manifold m
    cdef Vec3 n = axis_z(&h.X.R)
    cdef Vec3 l = tmul3(s.X.R, n)                # n in the box's frame
    cdef Vec3 half = box_of(s).half
    cdef Vec3 x
    cdef double g = dot3(n, sub3(s.X.p, h.X.p))
    cdef double lx = fabs(l.x) * half.x, ly = fabs(l.y) * half.y, lz = fabs(l.z) * half.z, gap
    cdef int steep, corner, lowest
    clear(&m)
    if g - lx - ly - lz >= margin:
        return
    m.normal = neg3(n)
    lowest = (l.x < 0) | ((l.y < 0) << 1) | ((l.z < 0) << 2)
    steep = (0 if lx >= lz else 2) if lx >= ly else (1 if ly >= lz else 2)
    for corner in range(8):
        if (corner ^ lowest) & (1 << steep):
            continue
        x = vec3(half.x if corner & 1 else -half.x, half.y if corner & 2 else -half.y,
                 half.z if corner & 4 else -half.z)
        gap = g + dot3(l, x)
        if gap < margin:
            x = along(along(along(s.X.p, x.x, axis_x(&s.X.R)), x.y, axis_y(&s.X.R)), x.z, axis_z(&s.X.R))
            add_point(&m, along(x, -0.5 * gap, n), -gap, corner)
    emit(sink, &m)


cdef inline void add_if_near(
        const PosedShape* h, Vec3 n, Vec3 x, int feature, double margin, Manifold* m) noexcept nogil:
    """A point of the surface, if it reaches."""
    cdef double g = dot3(n, sub3(x, h.X.p))
    if g < margin:
        add_point(m, along(x, -0.5 * g, n), -g, feature)


cdef inline void half_space_cylinder(
        const PosedShape* h, const PosedShape* s, double margin, Sink* sink) noexcept nogil:
    """Lying (axis less than 45 degrees from the plane): the lowest point of each cap.  Standing: four rim points, and
    while it is tilted two at 45 degrees from the lowest one: what lands on its rim rolls on to where no other point is.

    The four points of a standing cylinder are fixed in the body, so that they keep still
    while it stands; as it tilts, the one nearest to the lowest rim point turns into it.
    Features: 0 to 3 rim points of the cap at -z, 4 to 7 of the one at +z, 10 to 17 beside the lowest; lying 8 and 9.
    """
    cdef Manifold m
    cdef Vec3 n = axis_z(&h.X.R)
    cdef Vec3 u = axis_z(&s.X.R)
    cdef double c = dot3(n, u), sine, hl = cylinder_of(s).half_height, r = cylinder_of(s).radius
    cdef Vec3 down = along(scale3(c, u), -1.0, n)      # -n projected on the caps; length sin(tilt)
    clear(&m)
    m.normal = neg3(n)
    sine = sqrt(dot3(down, down))
    if dot3(n, sub3(s.X.p, h.X.p)) - hl * fabs(c) - r * sine >= margin:
        return
    if fabs(c) < 0.70710678118654752:
        down = scale3(1.0 / sine, down)
        add_if_near(h, n, along(along(s.X.p, -hl, u), r, down), 8, margin, &m)
        add_if_near(h, n, along(along(s.X.p, hl, u), r, down), 9, margin, &m)
    else:
        add_cap(h, s, n, along(s.X.p, -hl if c >= 0 else hl, u), r, down, sine, 0 if c >= 0 else 4, margin, &m)
    emit(sink, &m)


cdef inline void half_space_cone(const PosedShape* h, const PosedShape* s, double margin, Sink* sink) noexcept nogil:
    """The apex, and of the base what a cylinder's cap has; lying it touches with the apex and one point of the rim.

    Features: 0 to 3 and 10 to 17 of the base, 8 the rim's lowest point, 9 the apex.
    """
    cdef Manifold m
    cdef Vec3 n = axis_z(&h.X.R)
    cdef Vec3 u = axis_z(&s.X.R)
    cdef double c = dot3(n, u), sine, hl = cone_of(s).half_height, r = cone_of(s).radius
    cdef Vec3 down = along(scale3(c, u), -1.0, n)
    clear(&m)
    m.normal = neg3(n)
    sine = sqrt(dot3(down, down))
    add_if_near(h, n, along(s.X.p, hl, u), 9, margin, &m)
    if c >= 0.70710678118654752:
        add_cap(h, s, n, along(s.X.p, -hl, u), r, down, sine, 0, margin, &m)
    elif sine > 0.0:
        add_if_near(h, n, along(along(s.X.p, -hl, u), r / sine, down), 8, margin, &m)
    emit(sink, &m)


cdef inline void add_cap(
        const PosedShape* h, const PosedShape* s, Vec3 n, Vec3 cap, double r, Vec3 down, double sine, int first,
        double margin, Manifold* m) noexcept nogil:
    """The points of a round base that is nearly level: half_space_cylinder."""
    cdef Vec3 d, side, u = axis_z(&s.X.R)
    cdef double best = -2.0, w
    cdef int k, low = 0
    for k in range(4):
        d = rim_direction(s, k)
        if dot3(d, down) > best:
            best = dot3(d, down)
            low = k
    for k in range(4):
        d = rim_direction(s, k)
        if k == low and sine > 1e-4:     # below 1e-4 rad the rim is level to 3e-5 radii
            w = (sine - 1e-4) / (1e-2 - 1e-4)
            w = 1.0 if w > 1.0 else w
            d = along(scale3(1.0 - w, d), w / sine, down)
            d = scale3(1.0 / sqrt(dot3(d, d)), d)
        add_if_near(h, n, along(cap, r, d), first + k, margin, m)
    if sine > 1e-2:                      # then `low` is the lowest point, and the rim beside it may come down first
        d, side = scale3(0.70710678118654752 / sine, down), scale3(0.70710678118654752 / sine, cross3(u, down))
        add_if_near(h, n, along(cap, r, add3(d, side)), 10 + first + low, margin, m)
        add_if_near(h, n, along(cap, r, sub3(d, side)), 10 + first + (low + 3 & 3), margin, m)


cdef inline Vec3 rim_direction(const PosedShape* s, int k) noexcept nogil:
    """x, y, -x, -y of a cylinder or a cone, in world axes."""
    cdef Vec3 d = axis_y(&s.X.R) if k & 1 else axis_x(&s.X.R)
    return neg3(d) if k & 2 else d
