# Spheres and capsules among themselves: closest points of points and segments.
#
# Source: RTCD, sections 5.1.2 (point and segment) and 5.1.9 (two segments), with unit
# directions and parameters measured in metres from the segments' middles.

from libc.math cimport sqrt

from rbdyn.collision._solid cimport (
    Manifold, Solid, along, axis_z, clamp, clear, perpendicular, put, unit_or,
)
from rbdyn.spatial._algebra cimport Vec3, cross3, dot3, sub3, vec3


cdef inline void put_balls(
        Vec3 a, double r_a, Vec3 b, double r_b, Vec3 fallback, int feature, double margin, Manifold* m) noexcept nogil:
    """One point between balls about a and b; the fallback is the normal if their centres coincide."""
    cdef Vec3 d = sub3(a, b)
    cdef double square = dot3(d, d), depth
    if square >= (r_a + r_b + margin) * (r_a + r_b + margin):
        return
    depth = r_a + r_b - sqrt(square)
    m.normal = unit_or(d, fallback)
    put(m, along(b, r_b - 0.5 * depth, m.normal), depth, feature)


cdef inline void sphere_sphere(const Solid* a, const Solid* b, double margin, Manifold* m) noexcept nogil:
    clear(m)
    put_balls(a.X.p, a.s.radius, b.X.p, b.s.radius, vec3(0.0, 0.0, 1.0), 0, margin, m)


cdef inline void sphere_capsule(const Solid* a, const Solid* b, double margin, Manifold* m) noexcept nogil:
    cdef Vec3 u = axis_z(&b.X.R)
    cdef double h = b.s.half_length
    cdef double t = clamp(dot3(u, sub3(a.X.p, b.X.p)), -h, h)
    clear(m)
    put_balls(a.X.p, a.s.radius, along(b.X.p, t, u), b.s.radius, perpendicular(u), 0, margin, m)


cdef inline void closest_parameters(
        Vec3 u, double h_u, Vec3 v, double h_v, Vec3 r, double* s, double* t) noexcept nogil:
    """Nearest points c_u + s u and c_v + t v of two segments, r = c_u - c_v.  RTCD, section 5.1.9."""
    cdef double b = dot3(u, v), c = dot3(u, r), f = dot3(v, r)
    cdef Vec3 w = cross3(u, v)
    cdef double sine2 = dot3(w, w)               # 1 - b^2, without cancellation
    s[0] = clamp((b * f - c) / sine2, -h_u, h_u) if sine2 > 1e-12 else clamp(-c, -h_u, h_u)
    t[0] = b * s[0] + f
    if t[0] < -h_v or t[0] > h_v:
        t[0] = clamp(t[0], -h_v, h_v)
        s[0] = clamp(b * t[0] - c, -h_u, h_u)


cdef inline double segment_gap(Vec3 x, Vec3 c, Vec3 v, double h, Vec3* y) noexcept nogil:
    """Distance of x from the segment c + t v; y is the nearest point."""
    cdef double t = clamp(dot3(v, sub3(x, c)), -h, h)
    y[0] = along(c, t, v)
    return sqrt(dot3(sub3(x, y[0]), sub3(x, y[0])))


cdef inline void capsule_capsule(const Solid* a, const Solid* b, double margin, Manifold* m) noexcept nogil:
    """Nearest points of the axes; two points where nearly parallel axes lie side by side.

    Features: 0 and 1 at the ends of the common stretch, 2 for a single point.
    """
    cdef Vec3 u = axis_z(&a.X.R), v = axis_z(&b.X.R)
    cdef Vec3 r = sub3(a.X.p, b.X.p)
    cdef Vec3 w = cross3(u, v)
    cdef double s, t
    clear(m)
    closest_parameters(u, a.s.half_length, v, b.s.half_length, r, &s, &t)
    put_balls(along(a.X.p, s, u), a.s.radius, along(b.X.p, t, v), b.s.radius, unit_or(w, perpendicular(u)), 2,
              margin, m)
    if m.n == 1 and dot3(w, w) < 4e-4:           # 0.02 rad
        side_by_side(a, b, margin, m)


cdef inline void side_by_side(const Solid* a, const Solid* b, double margin, Manifold* m) noexcept nogil:
    """Replace the single point by the two ends of the stretch that the capsules share, unless they cross in it."""
    cdef Vec3 u = axis_z(&a.X.R), v = axis_z(&b.X.R)
    cdef Vec3 r = sub3(a.X.p, b.X.p)
    cdef Vec3 x, y, n = m.normal
    cdef double reach = a.s.radius + b.s.radius, middle = -dot3(u, r), deepest = m.depth[0]
    cdef double[2] depth
    cdef double h = b.s.half_length * (dot3(u, v) if dot3(u, v) > 0 else -dot3(u, v))
    cdef Vec3 position[2]
    cdef double end
    cdef int k
    if min(a.s.half_length, middle + h) - max(-a.s.half_length, middle - h) < 1e-3 * reach:
        return
    for k in range(2):
        end = min(a.s.half_length, middle + h) if k else max(-a.s.half_length, middle - h)
        x = along(a.X.p, end, u)
        depth[k] = reach - segment_gap(x, b.X.p, v, b.s.half_length, &y)
        position[k] = along(y, b.s.radius - 0.5 * depth[k], n)
    if deepest > max(depth[0], depth[1]) + 1e-3 * reach:
        return
    clear(m)
    for k in range(2):
        if depth[k] > -margin:
            put(m, position[k], depth[k], k)
