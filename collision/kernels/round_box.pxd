# Sphere and capsule against a box, in the box's frame.
#
# Source: RTCD, section 5.1.3 (point and box); the nearest point of a segment is the root of
# a monotone, piecewise linear derivative.

from libc.math cimport fabs

from rbdyn.collision._types cimport PosedShape
from rbdyn.collision.kernels.manifold cimport Manifold, add_point, clear
from rbdyn.collision.kernels.support.box cimport box_of
from rbdyn.collision.kernels.support.capsule cimport capsule_of
from rbdyn.collision.kernels.support.sphere cimport sphere_of
from rbdyn.collision.kernels.vectors cimport along, axis_z, clamp, norm3
from rbdyn.collision.sink cimport Sink, emit
from rbdyn.spatial._algebra cimport Vec3, add3, cross3, dot3, mul3, scale3, sub3, tmul3, vec3


cdef inline Vec3 basis(int i, double length) noexcept nogil:
    return vec3(length if i == 0 else 0.0, length if i == 1 else 0.0, length if i == 2 else 0.0)

cdef inline double part(Vec3 a, int i) noexcept nogil:
    return a.x if i == 0 else (a.y if i == 1 else a.z)

cdef inline Vec3 outside(Vec3 x, Vec3 half) noexcept nogil:
    """From the nearest point of the box to x; zero inside."""
    return vec3(x.x - clamp(x.x, -half.x, half.x), x.y - clamp(x.y, -half.y, half.y), x.z - clamp(x.z, -half.z, half.z))

cdef inline Vec3 to_world(const PosedShape* box, Vec3 x) noexcept nogil:
    return add3(box.X.p, mul3(box.X.R, x))


cdef inline void sphere_box(const PosedShape* a, const PosedShape* b, double margin, Sink* sink) noexcept nogil:
    """Nearest point of the box; for a centre inside, the nearest face."""
    cdef Manifold m
    cdef Vec3 half = box_of(b).half
    cdef Vec3 c = tmul3(b.X.R, sub3(a.X.p, b.X.p))
    cdef Vec3 d = outside(c, half), n
    cdef double r = sphere_of(a).radius, gap, room, least
    cdef int i, axis = 0
    clear(&m)
    gap = norm3(d)
    if gap - r >= margin:
        return
    if gap > 0.0:
        n = scale3(1.0 / gap, d)
    else:
        least = 1e300
        for i in range(3):
            room = part(half, i) - fabs(part(c, i))
            if room < least:
                least = room
                axis = i
        n = basis(axis, 1.0 if part(c, axis) >= 0.0 else -1.0)
        gap = -least
    m.normal = mul3(b.X.R, n)
    add_point(&m, along(a.X.p, -0.5 * (gap + r), m.normal), r - gap, 0)
    emit(sink, &m)


cdef inline double slope(Vec3 c, Vec3 u, Vec3 half, double t) noexcept nogil:
    """Half the derivative of the squared distance from c + t u to the box."""
    return dot3(u, outside(along(c, t, u), half))


cdef inline double nearest_on_segment(Vec3 c, Vec3 u, double h, Vec3 half) noexcept nogil:
    """The t in [-h, h] for which c + t u is nearest to the box."""
    cdef double low = -h, high = h, t, slope_low, slope_high
    cdef int i, side
    slope_low = slope(c, u, half, low)
    slope_high = slope(c, u, half, high)
    if slope_low >= 0.0:
        return low
    if slope_high <= 0.0:
        return high
    for i in range(3):                       # the derivative bends where the line crosses a face's plane
        if part(u, i) == 0.0:
            continue
        for side in range(2):
            t = ((part(half, i) if side else -part(half, i)) - part(c, i)) / part(u, i)
            if low < t < high:
                if slope(c, u, half, t) < 0.0:
                    low = t
                    slope_low = slope(c, u, half, t)
                else:
                    high = t
                    slope_high = slope(c, u, half, t)
    if slope_high <= slope_low:
        return 0.5 * (low + high)
    return clamp(low - slope_low * (high - low) / (slope_high - slope_low), low, high)


cdef inline double escape(Vec3 c, Vec3 u, double h, Vec3 half, Vec3* normal) noexcept nogil:
    """Least push that frees a segment from a box, and its direction: separating axes, faces before edges."""
    cdef double least = 1e300, overlap, length
    cdef Vec3 axis
    cdef int i
    for i in range(3):
        overlap = part(half, i) + h * fabs(part(u, i)) - fabs(part(c, i))
        if overlap < least * (1.0 - 1e-9):
            least = overlap
            normal[0] = basis(i, 1.0 if part(c, i) >= 0.0 else -1.0)
    for i in range(3):
        axis = cross3(basis(i, 1.0), u)
        length = norm3(axis)
        if length < 1e-4:
            continue
        axis = scale3(1.0 / length, axis)
        overlap = fabs(axis.x) * half.x + fabs(axis.y) * half.y + fabs(axis.z) * half.z - fabs(dot3(axis, c))
        if overlap < 0.95 * least:
            least = overlap
            normal[0] = axis if dot3(axis, c) >= 0.0 else scale3(-1.0, axis)
    return least


cdef inline int face_of(Vec3 n) noexcept nogil:
    """The face whose outward normal is n to 0.8 degrees, or -1."""
    cdef int i
    for i in range(3):
        if fabs(part(n, i)) > 0.9999:
            return i
    return -1


cdef inline bint on_face(
        const PosedShape* a, const PosedShape* b, Vec3 c, Vec3 u, int face, double sign, double margin,
        Manifold* m) noexcept nogil:
    """Two points where the capsule's axis passes over a face; False if it hardly does."""
    cdef Vec3 half = box_of(b).half
    cdef double low = -capsule_of(a).half_height, high = capsule_of(a).half_height, t0, t1, gap
    cdef Vec3 n = basis(face, sign), x
    cdef int i, k
    for i in range(3):
        if i == face:
            continue
        if fabs(part(u, i)) < 1e-12:
            if fabs(part(c, i)) > part(half, i):
                return False
            continue
        t0 = (-part(half, i) - part(c, i)) / part(u, i)
        t1 = (part(half, i) - part(c, i)) / part(u, i)
        low = max(low, min(t0, t1))
        high = min(high, max(t0, t1))
    if high - low < 1e-3 * capsule_of(a).radius:
        return False
    m.normal = mul3(b.X.R, n)
    for k in range(2):
        x = along(c, high if k else low, u)
        gap = dot3(n, x) - part(half, face) - capsule_of(a).radius
        if gap < margin:
            add_point(m, to_world(b, along(x, -capsule_of(a).radius - 0.5 * gap, n)), -gap, k)
    return m.n > 0


cdef inline void capsule_box(const PosedShape* a, const PosedShape* b, double margin, Sink* sink) noexcept nogil:
    """Features: 0 and 1 at the ends of the stretch over a face, 2 for a single point."""
    cdef Manifold m
    cdef Vec3 c = tmul3(b.X.R, sub3(a.X.p, b.X.p)), u = tmul3(b.X.R, axis_z(&a.X.R))
    cdef Vec3 n, x, d
    cdef double r = capsule_of(a).radius, t, gap
    cdef int face
    clear(&m)
    n = vec3(0.0, 0.0, 1.0)
    t = nearest_on_segment(c, u, capsule_of(a).half_height, box_of(b).half)
    x = along(c, t, u)
    d = outside(x, box_of(b).half)
    gap = norm3(d)
    if gap - r >= margin:
        return
    if gap > 1e-9 * r:
        n = scale3(1.0 / gap, d)
    else:
        gap = -escape(c, u, capsule_of(a).half_height, box_of(b).half, &n)
    face = face_of(n)
    if face >= 0 and on_face(a, b, c, u, face, 1.0 if part(n, face) > 0.0 else -1.0, margin, &m):
        emit(sink, &m)
        return
    clear(&m)
    if gap <= 0.0:                            # the point of the axis that lies deepest along n
        x = deepest_on_axis(c, u, capsule_of(a).half_height, box_of(b).half, n)
    m.normal = mul3(b.X.R, n)
    add_point(&m, to_world(b, along(x, -0.5 * (gap + r), n)), r - gap, 2)
    emit(sink, &m)


cdef inline Vec3 deepest_on_axis(Vec3 c, Vec3 u, double h, Vec3 half, Vec3 n) noexcept nogil:
    """The point of the axis that is last to leave the box along n: an end, or nearest to the edge it crosses."""
    cdef double tilt = dot3(u, n), length
    cdef int i, edge = 0
    cdef Vec3 e, w, y
    if fabs(tilt) > 1e-6:
        return along(c, -h if tilt > 0.0 else h, u)
    for i in range(3):                       # n is normal to the edge's direction
        if fabs(part(n, i)) < fabs(part(n, edge)):
            edge = i
    y = vec3(half.x if n.x >= 0.0 else -half.x, half.y if n.y >= 0.0 else -half.y, half.z if n.z >= 0.0 else -half.z)
    e = basis(edge, 1.0)
    y = sub3(y, basis(edge, part(y, edge)))
    w = cross3(u, e)
    length = dot3(w, w)
    return along(c, clamp(dot3(cross3(sub3(y, c), e), w) / length, -h, h), u) if length > 1e-8 else c
