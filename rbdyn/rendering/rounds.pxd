# Round things, pixel by pixel and exactly: where the ray through a pixel comes into a ball, a capsule, a cylinder, a
# cone or an ellipsoid, in its own frame.  Nobody sees what he is in.
#
# Source: C. Ericson, Real-Time Collision Detection (2005), sections 5.3.2 and 5.3.7, for what solves the quadratics.

from libc.math cimport INFINITY, fabs, fmax, fmin, sqrt

from rbdyn.rendering.facets cimport pixels_of, widen
from rbdyn.rendering.scene cimport (
    BALL, CAPSULE, CONE, CYLINDER, ELLIPSOID, PLANE, Lens, Round, Thing, at, ray,
)
from rbdyn.spatial._algebra cimport Vec3, add3, dot3, mul3, scale3, vec3

cdef inline bint between(double a, double b, double c, double* first, double* last) noexcept nogil:
    """The t at which a t^2 + 2 b t + c <= 0 with a > 0; whether there are any."""
    cdef double d = b * b - a * c, q
    if d < 0.0:
        return False
    q = -(b + sqrt(d)) if b > 0.0 else -(b - sqrt(d))
    if q == 0.0:
        first[0], last[0] = 0.0, 0.0
        return True
    first[0], last[0] = fmin(q / a, c / q), fmax(q / a, c / q)
    return True

cdef inline double into_ball(Vec3 o, Vec3 d, double r) noexcept nogil:
    """Where a ray comes into a ball about the origin; infinite if it does not, or begins in it."""
    cdef double b = dot3(o, d), c = dot3(o, o) - r * r, first, last
    if c <= 0.0 or b >= 0.0 or not between(dot3(d, d), b, c, &first, &last):
        return INFINITY
    return first

cdef inline double into_tube(Vec3 o, Vec3 d, double r, double h) noexcept nogil:
    """Where a ray comes into a cylinder by its flat or round sides."""
    cdef double a = d.x * d.x + d.y * d.y, b = o.x * d.x + o.y * d.y, c = o.x * o.x + o.y * o.y - r * r
    cdef double first = -INFINITY, last = INFINITY, s, t
    if c <= 0.0 and fabs(o.z) <= h:
        return INFINITY
    if a == 0.0:
        if c > 0.0:
            return INFINITY
    elif not between(a, b, c, &first, &last):
        return INFINITY
    if d.z == 0.0:
        if fabs(o.z) > h:
            return INFINITY
    else:
        s, t = (-h - o.z) / d.z, (h - o.z) / d.z
        first, last = fmax(first, fmin(s, t)), fmin(last, fmax(s, t))
    return first if 0.0 <= first <= last else INFINITY

cdef inline double into_capsule(Vec3 o, Vec3 d, double r, double h) noexcept nogil:
    """Where a ray comes into a capsule: the first of its tube and its ends."""
    cdef Vec3 low = vec3(o.x, o.y, o.z + h), high = vec3(o.x, o.y, o.z - h)
    cdef double z = o.z - fmax(-h, fmin(h, o.z))
    if o.x * o.x + o.y * o.y + z * z <= r * r:
        return INFINITY
    return fmin(fmin(into_ball(low, d, r), into_ball(high, d, r)), into_tube(o, d, r, h))

cdef inline double into_cone(Vec3 o, Vec3 d, double r, double h) noexcept nogil:
    """Where a ray comes into a cone, its apex at z = h, its base at z = -h."""
    cdef double k = r / (2.0 * h), oz = h - o.z, t, best = INFINITY, x, y, z
    cdef double a = d.x * d.x + d.y * d.y - k * k * d.z * d.z
    cdef double b = o.x * d.x + o.y * d.y + k * k * oz * d.z
    cdef double c = o.x * o.x + o.y * o.y - k * k * oz * oz, e, q
    if c <= 0.0 and 0.0 <= oz <= 2.0 * h:
        return INFINITY
    if d.z != 0.0:                                   # its base
        t = (-h - o.z) / d.z
        x, y = o.x + t * d.x, o.y + t * d.y
        if t >= 0.0 and x * x + y * y <= r * r:
            best = t
    e = b * b - a * c                                # its side: a t^2 + 2 b t + c = 0
    if e >= 0.0:
        q = -(b + sqrt(e)) if b > 0.0 else -(b - sqrt(e))
        t = q / a if a != 0.0 else INFINITY
        z = o.z + t * d.z
        if 0.0 <= t < best and -h <= z <= h:
            best = t
        t = c / q if q != 0.0 else INFINITY
        z = o.z + t * d.z
        if 0.0 <= t < best and -h <= z <= h:
            best = t
    return best

cdef inline double into(int kind, Vec3 size, Vec3 o, Vec3 d) noexcept nogil:
    """Where a ray comes into a round thing; infinite if it does not, or begins in it."""
    if kind == BALL:
        return into_ball(o, d, size.x)
    if kind == CAPSULE:
        return into_capsule(o, d, size.x, size.y)
    if kind == CYLINDER:
        return into_tube(o, d, size.x, size.y)
    if kind == CONE:
        return into_cone(o, d, size.x, size.y)
    return into_ball(vec3(o.x / size.x, o.y / size.y, o.z / size.z), vec3(d.x / size.x, d.y / size.y, d.z / size.z),
                     1.0)

cdef inline Vec3 normal_at(int kind, Vec3 size, Vec3 x) noexcept nogil:
    """Outward normal of a round thing at a point of its surface, of any length."""
    cdef double s
    if kind == BALL:
        return x
    if kind == CAPSULE:
        return vec3(x.x, x.y, x.z - fmax(-size.y, fmin(size.y, x.z)))
    if kind == CYLINDER:
        s = size.x - sqrt(x.x * x.x + x.y * x.y)     # how deep it lies below the round side
        return vec3(x.x, x.y, 0.0) if s < size.y - fabs(x.z) else vec3(0.0, 0.0, x.z)
    if kind == CONE:
        s = sqrt(x.x * x.x + x.y * x.y)
        if x.z + size.y < 1e-9 * size.y or s == 0.0:
            return vec3(0.0, 0.0, -1.0 if x.z < 0.0 else 1.0)
        return vec3(x.x, x.y, s * size.x / (2.0 * size.y))
    return vec3(x.x / (size.x * size.x), x.y / (size.y * size.y), x.z / (size.z * size.z))

cdef inline bint round_box(const Lens* lens, const Thing* t, int* out) noexcept nogil:
    """The pixels that a thing may cover by the corners of its box; whether there are any."""
    cdef double[4] box
    cdef Vec3 x
    cdef int k, behind = 0
    box[0], box[1], box[2], box[3] = 1e300, -1e300, 1e300, -1e300
    for k in range(8):
        x = vec3(t.center.x + (t.half.x if k & 1 else -t.half.x), t.center.y + (t.half.y if k & 2 else -t.half.y),
                 t.center.z + (t.half.z if k & 4 else -t.half.z))
        x = add3(t.p, mul3(t.R, x))
        if x.z < lens.near:
            behind += 1
        else:
            widen(box, lens.cx + lens.fx * x.x / x.z, lens.cy + lens.fy * x.y / x.z)
    if behind == 8:
        return False
    if behind:
        out[0], out[1], out[2], out[3] = 0, lens.width, 0, lens.height
        return True
    return pixels_of(lens, box, out)

cdef inline void draw_round(const Round* f, const Thing* t, int name, const Lens* lens, const int* tile,
                            double* nearness, int* seen) noexcept nogil:
    """Where a round thing is nearer than what was drawn before, and not too near, it is seen."""
    cdef int x, y
    cdef double depth, z
    cdef size_t k
    for y in range(max(f.box[2], tile[2]), min(f.box[3], tile[3])):
        for x in range(max(f.box[0], tile[0]), min(f.box[1], tile[1])):
            depth = into(t.kind, t.size, f.eye, mul3(f.to_own, ray(lens, x + 0.5, y + 0.5)))
            if depth < lens.near or depth == INFINITY:
                continue
            z = 1.0 / depth
            k = <size_t> y * lens.width + x
            if z > nearness[k]:
                nearness[k], seen[k] = z, name

cdef inline void draw_plane(const Round* f, int name, const Lens* lens, const int* tile, double* nearness,
                            int* seen) noexcept nogil:
    """The same of a plane without end."""
    cdef int x, y
    cdef double z, most = 1.0 / lens.near
    cdef size_t k
    for y in range(tile[2], tile[3]):
        k = <size_t> y * lens.width
        for x in range(tile[0], tile[1]):
            z = at(&f.nearness, x + 0.5, y + 0.5)
            if nearness[k + x] < z <= most:
                nearness[k + x], seen[k + x] = z, name
