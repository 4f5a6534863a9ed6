# The core of a convex shape: a shape is its core with a ball of some radius around every point.
#
# Support points and distances are those of the cores, and the radius is added at the end.  Most cores are one of
# three, and are read here without a call: a box (of a sphere a point, of a capsule a segment), a cylinder, the
# corners of a hull.  A shape with another core gives a support function of its own.  G. van den Bergen,
# Collision Detection in Interactive 3D Environments (2003), section 3.3.4, for support mappings.

from libc.math cimport copysign, sqrt

from rbdyn.collision._types cimport ELLIPSOID, HULL_CORE, OWN_CORE, PosedShape
from rbdyn.collision.shapes.climbing cimport farthest_corner, scan_corners
from rbdyn.collision.shapes.convex_hull cimport HullData
from rbdyn.spatial._algebra cimport Vec3, add3, dot3, mul3, tmul3, vec3


cdef inline double core_radius(const PosedShape* a) noexcept nogil:
    """Radius around the core [m]."""
    return a.s.bounds.ball


cdef inline Vec3 hull_support(const HullData* hull, Vec3 l) noexcept nogil:
    """The corner farthest along l; ties go to the first."""
    cdef int k = scan_corners(hull, l) if hull.side == 0 else farthest_corner(hull, l)
    return vec3(hull.vertices[3 * k], hull.vertices[3 * k + 1], hull.vertices[3 * k + 2])


cdef inline Vec3 support(const PosedShape* a, Vec3 d) noexcept nogil:
    """The point of the core that is farthest along the world direction d (any length)."""
    cdef Vec3 l = tmul3(a.X.R, d), h = a.s.bounds.box, r = a.s.bounds.ellipsoid, e, x
    cdef double value
    if a.s.core == HULL_CORE:
        x = hull_support(<const HullData*> a.s.data, l)
    elif a.s.core == OWN_CORE and a.s.kind != <int> ELLIPSOID:
        x = a.s.convex.support(a.s.data, l)
    else:
        x = vec3(copysign(h.x, l.x + 0.0), copysign(h.y, l.y + 0.0), copysign(h.z, l.z + 0.0))    # -0 + 0 is +0
        if a.s.bounds.curved:
            e = vec3(r.x * l.x, r.y * l.y, r.z * l.z)
            value = dot3(e, e)
            if value > 1e-24 * r.x * r.x * l.z * l.z:     # not along the axis of a cylinder
                value = 1.0 / sqrt(value)
                x = vec3(x.x + r.x * e.x * value, x.y + r.y * e.y * value, x.z + r.z * e.z * value)
    return add3(a.X.p, mul3(a.X.R, x))
