# Spheres and capsules among themselves: closest points of points and segments.
#
# Source: RTCD, sections 5.1.2 (point and segment) and 5.1.9 (two segments), with unit
# directions and parameters measured in metres from the segments' middles.

from libc.math cimport sqrt

from rbdyn.collision._types cimport PosedShape
from rbdyn.collision.kernels.manifold cimport Manifold, add_point, clear
from rbdyn.collision.kernels.support.capsule cimport capsule_of
from rbdyn.collision.kernels.support.sphere cimport sphere_of
from rbdyn.collision.kernels.vectors cimport along, axis_z, clamp, perpendicular, unit_or
from rbdyn.collision.sink cimport Sink, emit
from rbdyn.spatial._algebra cimport Vec3, cross3, dot3, sub3, vec3


cdef inline void add_ball_contact(
        Vec3 a, double r_a, Vec3 b, double r_b, Vec3 fallback, int feature, double margin, Manifold* m) noexcept nogil:
    """One point between balls about a and b; the fallback is the normal if their centres coincide."""
    cdef Vec3 d = sub3(a, b)
    cdef double square = dot3(d, d), depth
    if square >= (r_a + r_b + margin) * (r_a + r_b + margin):
        return
    depth = r_a + r_b - sqrt(square)
    m.normal = unit_or(d, fallback)
    add_point(m, along(b, r_b - 0.5 * depth, m.normal), depth, feature)


cdef inline void sphere_sphere(const PosedShape* a, const PosedShape* b, double margin, Sink* sink) noexcept nogil:
    cdef Manifold m
    clear(&m)
    add_ball_contact(a.X.p, sphere_of(a).radius, b.X.p, sphere_of(b).radius, vec3(0.0, 0.0, 1.0), 0, margin, &m)
    emit(sink, &m)


cdef inline void sphere_capsule(const PosedShape* a, const PosedShape* b, double margin, Sink* sink) noexcept nogil:
    cdef Manifold m
    cdef Vec3 u = axis_z(&b.X.R)
    cdef double h = capsule_of(b).half_height
    cdef double t = clamp(dot3(u, sub3(a.X.p, b.X.p)), -h, h)
    clear(&m)
    add_ball_contact(
        a.X.p, sphere_of(a).radius, along(b.X.p, t, u), capsule_of(b).radius, perpendicular(u), 0, margin, &m)
    emit(sink, &m)


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


cdef inline void capsule_capsule(const PosedShape* a, const PosedShape* b, double margin, Sink* sink) noexcept nogil:
    """Nearest points of the axes; two points where nearly parallel axes lie side by side.

    Features: 0 and 1 at the ends of the common stretch, 2 for a single point.
    """
    cdef Manifold m
    cdef Vec3 u = axis_z(&a.X.R), v = axis_z(&b.X.R)
    cdef Vec3 r = sub3(a.X.p, b.X.p)
    cdef Vec3 w = cross3(u, v)
    cdef double s, t
    clear(&m)
    closest_parameters(u, capsule_of(a).half_height, v, capsule_of(b).half_height, r, &s, &t)
    add_ball_contact(
        along(a.X.p, s, u), capsule_of(a).radius, along(b.X.p, t, v), capsule_of(b).radius,
        unit_or(w, perpendicular(u)), 2, margin, &m)
    if m.n == 1 and dot3(w, w) < 4e-4:           # 0.02 rad
        side_by_side(a, b, margin, &m)
    emit(sink, &m)


cdef inline void side_by_side(const PosedShape* a, const PosedShape* b, double margin, Manifold* m) noexcept nogil:
    """Replace the single point by the two ends of the stretch that the capsules share, unless they cross in it."""
    cdef Vec3 u = axis_z(&a.X.R), v = axis_z(&b.X.R)
    cdef Vec3 r = sub3(a.X.p, b.X.p)
    cdef Vec3 x, y, n = m.normal
    cdef double reach = capsule_of(a).radius + capsule_of(b).radius, middle = -dot3(u, r), deepest = m.depth[0]
    cdef double[2] depth
    cdef double h = capsule_of(b).half_height * (dot3(u, v) if dot3(u, v) > 0 else -dot3(u, v))
    cdef Vec3 position[2]
    cdef double end
    cdef int k
    if min(capsule_of(a).half_height, middle + h) - max(-capsule_of(a).half_height, middle - h) < 1e-3 * reach:
        return
    for k in range(2):
        end = min(capsule_of(a).half_height, middle + h) if k else max(-capsule_of(a).half_height, middle - h)
        x = along(a.X.p, end, u)
        depth[k] = reach - segment_gap(x, b.X.p, v, capsule_of(b).half_height, &y)
        position[k] = along(y, capsule_of(b).radius - 0.5 * depth[k], n)
    if deepest > max(depth[0], depth[1]) + 1e-3 * reach:
        return
    clear(m)
    for k in range(2):
        if depth[k] > -margin:
            add_point(m, position[k], depth[k], k)
