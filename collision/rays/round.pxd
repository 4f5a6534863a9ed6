# Rays into shapes that are round: a ball, a capsule, a cylinder, a cone, an ellipsoid.

from libc.math cimport INFINITY, sqrt

from rbdyn.collision.rays.ray cimport Entrance, Span, round_span, slab
from rbdyn.collision.shapes.capsule cimport CapsuleData
from rbdyn.collision.shapes.cone cimport ConeData
from rbdyn.collision.shapes.cylinder cimport CylinderData
from rbdyn.collision.shapes.ellipsoid cimport EllipsoidData
from rbdyn.spatial._algebra cimport Vec3, add3, dot3, scale3, vec3

cdef inline Span through_ball(Vec3 o, Vec3 d, double radius) noexcept nogil:
    """The part of a line within a ball about the origin."""
    cdef double b = -dot3(o, d)
    cdef Vec3 l = add3(o, scale3(b, d))
    return round_span(b, dot3(l, l), sqrt(dot3(o, o)), radius)

cdef inline Span through_tube(Vec3 o, Vec3 d, double radius) noexcept nogil:
    """The part of a line within an endless cylinder about z."""
    cdef double a = sqrt(d.x * d.x + d.y * d.y), b, x, y
    cdef Span s
    if a == 0.0:
        b = o.x * o.x + o.y * o.y
        return slab(0.0, 0.0, 1.0 if b <= radius * radius else -1.0)
    b = -(o.x * d.x + o.y * d.y) / a
    x, y = o.x + b * d.x / a, o.y + b * d.y / a
    s = round_span(b, x * x + y * y, sqrt(o.x * o.x + o.y * o.y), radius)
    return Span(first=s.first / a, last=s.last / a)

cdef inline bint enter_ball(Vec3 o, Vec3 d, double radius, Entrance* e) noexcept nogil:
    """Whether a ray enters a ball about the origin, and where."""
    cdef Span s = through_ball(o, d, radius)
    if not 0.0 <= s.first <= s.last:
        return False
    e.distance = s.first
    e.normal = add3(o, scale3(s.first, d))
    e.normal = scale3(1.0 / sqrt(dot3(e.normal, e.normal)), e.normal)
    return True

cdef inline bint enter_cylinder(const CylinderData* c, Vec3 o, Vec3 d, Entrance* e) noexcept nogil:
    """Likewise a cylinder: where the line is within its tube and between its caps."""
    cdef Span tube = through_tube(o, d, c.radius), caps = slab(o.z, d.z, c.half_height)
    cdef double first = max(tube.first, caps.first)
    if not 0.0 <= first <= min(tube.last, caps.last):
        return False
    e.distance = first
    if caps.first >= tube.first:
        e.normal = vec3(0.0, 0.0, -1.0 if d.z > 0.0 else 1.0)
    else:
        e.normal = vec3((o.x + first * d.x) / c.radius, (o.y + first * d.y) / c.radius, 0.0)
    return True

cdef inline bint enter_capsule(const CapsuleData* c, Vec3 o, Vec3 d, Entrance* e) noexcept nogil:
    """Likewise a capsule: its tube between the centres of its ends, or the ball at the end that the ray comes to."""
    cdef double end = min(c.half_height, max(-c.half_height, o.z)), z
    cdef Vec3 from_axis = vec3(o.x, o.y, o.z - end)
    cdef Span tube
    cdef Entrance ball
    cdef bint found
    if dot3(from_axis, from_axis) < c.radius * c.radius:
        return False                                   # it begins inside
    tube = through_tube(o, d, c.radius)
    z = o.z + tube.first * d.z
    if 0.0 <= tube.first <= tube.last and -c.half_height <= z <= c.half_height and tube.first < INFINITY:
        e.distance = tube.first
        e.normal = vec3((o.x + tube.first * d.x) / c.radius, (o.y + tube.first * d.y) / c.radius, 0.0)
        return True
    found = enter_ball(vec3(o.x, o.y, o.z + c.half_height), d, c.radius, e)
    if enter_ball(vec3(o.x, o.y, o.z - c.half_height), d, c.radius, &ball) and not (
            found and e.distance <= ball.distance):
        e[0] = ball
        found = True
    return found

cdef inline bint enter_ellipsoid(const EllipsoidData* c, Vec3 o, Vec3 d, Entrance* e) noexcept nogil:
    """Likewise an ellipsoid: a ball of radius 1 in coordinates that are measured by its semi-axes."""
    cdef Vec3 r = c.radii, n
    cdef Vec3 u = vec3(o.x / r.x, o.y / r.y, o.z / r.z), w = vec3(d.x / r.x, d.y / r.y, d.z / r.z)
    cdef double size = sqrt(dot3(w, w))
    if not enter_ball(u, scale3(1.0 / size, w), 1.0, e):
        return False
    e.distance /= size
    n = vec3(e.normal.x / r.x, e.normal.y / r.y, e.normal.z / r.z)
    e.normal = scale3(1.0 / sqrt(dot3(n, n)), n)
    return True

cdef inline Span under_apex(Vec3 m, Vec3 d, double slope) noexcept nogil:
    """The part of a line within the endless cone under the origin; m is the point of it nearest to the origin.

    Where x^2 + y^2 - slope^2 z^2 <= 0.  All terms are of one degree, so that lines past the apex lose no digits.
    """
    cdef double across = sqrt(d.x * d.x + d.y * d.y), s2 = slope * slope
    cdef double a = (across - slope * d.z) * (across + slope * d.z), b = m.x * d.x + m.y * d.y - s2 * m.z * d.z
    cdef double k = m.x * m.x + m.y * m.y - s2 * m.z * m.z, root = b * b - a * k, s, t, z
    if a >= 0.0 and not root >= 0.0:
        return Span(first=INFINITY, last=-INFINITY)
    root = sqrt(root) if root > 0.0 else 0.0
    root = -b - root if b > 0.0 else -b + root
    t = k / root if root != 0.0 else 0.0               # the nearer zero
    s = root / a if a != 0.0 else (INFINITY if root > 0.0 else -INFINITY)
    z = m.z + t * d.z
    if s < t:
        s, t = t, s
    if a < 0.0:                                        # one zero is that of the cone over the origin
        return Span(first=s, last=INFINITY) if d.z < 0.0 else Span(first=-INFINITY, last=t)
    return Span(first=t, last=s) if z <= 0.0 else Span(first=INFINITY, last=-INFINITY)

cdef inline bint enter_cone(const ConeData* c, Vec3 o, Vec3 d, Entrance* e) noexcept nogil:
    """Likewise a cone: where the line is under the apex and over the base."""
    cdef double slope = c.radius / (2.0 * c.half_height), first, size
    cdef Vec3 from_apex = vec3(o.x, o.y, o.z - c.half_height)
    cdef double t0 = -dot3(from_apex, d)
    cdef Vec3 m = add3(from_apex, scale3(t0, d))
    cdef Span side = under_apex(m, d, slope), ends = slab(o.z, d.z, c.half_height)
    first = max(t0 + side.first, ends.first)
    if not 0.0 <= first <= min(t0 + side.last, ends.last):
        return False
    e.distance = first
    if d.z > 0.0 and ends.first >= t0 + side.first:
        e.normal = vec3(0.0, 0.0, -1.0)
        return True
    first -= t0
    e.normal = vec3(m.x + first * d.x, m.y + first * d.y, -slope * slope * (m.z + first * d.z))
    size = sqrt(dot3(e.normal, e.normal))
    e.normal = scale3(1.0 / size, e.normal) if size > 0.0 else vec3(0.0, 0.0, 1.0)
    return True
