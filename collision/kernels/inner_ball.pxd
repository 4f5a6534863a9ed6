# A ball within a convex core that touches its surface from within.
#
# Let A and B touch two planes of normal n from either side, at x_A and x_B = x_A + h n: pushed by h along n, they part.
# If A holds a ball of radius r_A that touches its plane at x_A, and B one of radius r_B at x_B, then A - B holds one of
# radius r_A + r_B that touches the plane of A - B over the origin, which is h away.  From within that ball nothing
# gets out by less than h: if h <= r_A + r_B, no push is shorter.
#
# Of a smooth core a ball of the least radius of curvature touches from within everywhere: W. Blaschke, Kreis und Kugel
# (1916), section 24.  Of a point of a flat side, l from where that ends, and the point of the core that is farthest
# from the side, at the height H over a foot L from there: the core holds the cone from the disc of radius l to it, and
# the cone a ball of radius l tan(angle / 2), where the angle between the disc and the cone is at least
# atan(H / (L + l)).

from libc.math cimport fabs, fmin, sqrt

from rbdyn.collision._types cimport CYLINDER_CORE, ELLIPSOID, PosedShape
from rbdyn.collision.kernels.core cimport support
from rbdyn.collision.kernels.curved cimport FlatSide, find_flat_side, inside_of_side
from rbdyn.collision.kernels.vectors cimport along, norm3
from rbdyn.spatial._algebra cimport Vec3, dot3, neg3, sub3, tmul3


cdef inline double inner_ball(const PosedShape* a, Vec3 x, Vec3 n) noexcept nogil:
    """Radius of a ball within the core that touches it at x, where its outward normal is n (unit, world) [m].

    0 where none is known: at corners, edges and rims there is none.
    """
    cdef FlatSide side
    cdef Vec3 r = a.s.bounds.ellipsoid, l, d
    cdef double least, width, height
    if a.s.kind == <int> ELLIPSOID:
        least = fmin(r.x, fmin(r.y, r.z))
        return least * least / max(r.x, max(r.y, r.z))
    if find_flat_side(a, n, &side):
        if dot3(side.up, n) < 1.0 - 1e-12:
            return 0.0
        least = inside_of_side(a, &side, x)
        d = sub3(x, support(a, neg3(n)))
        height = dot3(d, n)
        width = norm3(along(d, -height, n)) + least
        return least * height / (width + sqrt(width * width + height * height)) if least > 0.0 else 0.0
    if a.s.core == CYLINDER_CORE and fabs(tmul3(a.X.R, n).z) < 1e-9:
        l = tmul3(a.X.R, sub3(x, a.X.p))
        return max(0.0, fmin(r.x, a.s.bounds.box.z - fabs(l.z)))
    return 0.0


cdef inline bint is_least(const PosedShape* a, const PosedShape* b, double gap, Vec3 n, Vec3 x_a) noexcept nogil:
    """Test that no push of cores that overlap is shorter than the one along n (into a), by -gap, where x_a touches."""
    return -gap <= inner_ball(a, x_a, neg3(n)) + inner_ball(b, along(x_a, -gap, n), n)
