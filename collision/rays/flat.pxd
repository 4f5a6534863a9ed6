# Rays into shapes with flat sides: a half-space, a box, a convex hull.

from libc.math cimport INFINITY

from rbdyn.collision.rays.ray cimport Entrance, Span, slab
from rbdyn.collision.shapes.box cimport BoxData
from rbdyn.collision.shapes.convex_hull cimport HullData
from rbdyn.spatial._algebra cimport Vec3, dot3, vec3

cdef inline bint enter_half_space(Vec3 o, Vec3 d, Entrance* e) noexcept nogil:
    """Whether a ray enters z <= 0, and where."""
    if not (o.z >= 0.0 and d.z < 0.0):
        return False
    e.distance, e.normal = o.z / -d.z, vec3(0.0, 0.0, 1.0)
    return True

cdef inline void narrow(Span* all_, Span s, Vec3 normal, Entrance* e) noexcept nogil:
    """What is left within one more pair of sides; `normal` is that of the side where the line comes in."""
    if s.first > all_.first:
        all_.first, e.normal = s.first, normal
    all_.last = min(all_.last, s.last)

cdef inline bint enter_box(const BoxData* c, Vec3 o, Vec3 d, Entrance* e) noexcept nogil:
    """Likewise a box."""
    cdef Span s = Span(first=-INFINITY, last=INFINITY)
    narrow(&s, slab(o.x, d.x, c.half.x), vec3(-1.0 if d.x > 0.0 else 1.0, 0.0, 0.0), e)
    narrow(&s, slab(o.y, d.y, c.half.y), vec3(0.0, -1.0 if d.y > 0.0 else 1.0, 0.0), e)
    narrow(&s, slab(o.z, d.z, c.half.z), vec3(0.0, 0.0, -1.0 if d.z > 0.0 else 1.0), e)
    e.distance = s.first
    return 0.0 <= s.first <= s.last

cdef inline bint enter_hull(const HullData* c, Vec3 o, Vec3 d, Entrance* e) noexcept nogil:
    """Likewise a hull, by the planes of its faces (Cyrus and Beck, 1978)."""
    cdef double first = -INFINITY, last = INFINITY, to_plane, towards
    cdef const double* n
    cdef const double* v
    cdef Vec3 normal
    cdef int k
    for k in range(c.n_faces):
        n, v = c.normals + 3 * k, c.vertices + 3 * c.corner[c.start[k]]
        normal = vec3(n[0], n[1], n[2])
        to_plane = dot3(normal, vec3(v[0] - o.x, v[1] - o.y, v[2] - o.z))
        towards = dot3(normal, d)
        if towards < 0.0:
            if to_plane / towards > first:
                first, e.normal = to_plane / towards, normal
        elif towards > 0.0:
            last = min(last, to_plane / towards)
        elif to_plane < 0.0:
            return False
    e.distance = first
    return 0.0 <= first <= last
