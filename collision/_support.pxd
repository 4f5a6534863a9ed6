# What a convex shape shows in a direction: its farthest point, and the face, edge or point around it.
#
# Spheres and capsules are a core (point, segment) with a radius around it: support points and
# distances are those of the cores, and the radius is added at the end.  G. van den Bergen,
# Collision Detection in Interactive 3D Environments (2003), section 3.3.4, for support mappings.

from libc.math cimport fabs, sqrt

from rbdyn.collision._solid cimport Solid, along, axis_x, axis_y, axis_z, perpendicular
from rbdyn.collision._types cimport BOX, CAPSULE, CYLINDER, HULL, SPHERE
from rbdyn.spatial._algebra cimport Vec3, add3, dot3, mul3, neg3, scale3, tmul3, vec3


cdef enum:
    MAX_SIDES = 16                 # corners of a face; hull faces with more are thinned out
    RIM = 8                        # corners that stand for a cylinder's cap

cdef struct Facade:                # the flat part of a shape that looks in a direction
    int n                          # 1: a point, 2: a segment, more: a face
    bint flat                      # True: a face, with `normal`
    Vec3 normal                    # outward unit normal, world
    Vec3 point[MAX_SIDES]          # corners in order around the face, on the surface, world [m]
    int name[MAX_SIDES]            # numbers of the corners in their shape


cdef inline double core_radius(const Solid* a) noexcept nogil:
    """Radius around the core [m]."""
    return a.s.radius if a.s.kind == SPHERE or a.s.kind == CAPSULE else 0.0


cdef inline Vec3 support(const Solid* a, Vec3 d) noexcept nogil:
    """The point of the core that is farthest along the world direction d (any length)."""
    cdef Vec3 l = tmul3(a.X.R, d), x = vec3(0.0, 0.0, 0.0)
    cdef double best = -1e300, value
    cdef const double* v
    cdef int k
    if a.s.kind == BOX:
        x = vec3(a.s.half.x if l.x >= 0.0 else -a.s.half.x, a.s.half.y if l.y >= 0.0 else -a.s.half.y,
                 a.s.half.z if l.z >= 0.0 else -a.s.half.z)
    elif a.s.kind == CAPSULE:
        x.z = a.s.half_length if l.z >= 0.0 else -a.s.half_length
    elif a.s.kind == CYLINDER:
        value = sqrt(l.x * l.x + l.y * l.y)
        if value > 1e-12 * fabs(l.z):
            x.x = a.s.radius / value * l.x
            x.y = a.s.radius / value * l.y
        x.z = a.s.half_length if l.z >= 0.0 else -a.s.half_length
    elif a.s.kind == HULL:
        v = a.s.vertices
        for k in range(a.s.n_vertices):
            value = v[3 * k] * l.x + v[3 * k + 1] * l.y + v[3 * k + 2] * l.z
            if value > best:
                best = value
                x = vec3(v[3 * k], v[3 * k + 1], v[3 * k + 2])
    return add3(a.X.p, mul3(a.X.R, x))


# ---- facades -----------------------------------------------------------------------------

cdef inline void round_facade(const Solid* a, Vec3 d, Facade* f) noexcept nogil:
    """Sphere: a point.  Capsule, and cylinder seen from the side: the line that is nearest."""
    cdef Vec3 u = axis_z(&a.X.R), e
    cdef double c = dot3(d, u), length
    f.flat = False
    if a.s.kind == SPHERE:
        f.n = 1
        f.name[0] = 0
        f.point[0] = along(a.X.p, a.s.radius, d)
        return
    e = d
    if a.s.kind == CYLINDER:
        e = along(d, -c, u)
        length = sqrt(dot3(e, e))
        e = scale3(1.0 / length, e)
    f.n = 2
    f.name[0], f.name[1] = 16, 17
    f.point[0] = along(along(a.X.p, a.s.radius, e), -a.s.half_length, u)
    f.point[1] = along(along(a.X.p, a.s.radius, e), a.s.half_length, u)


cdef inline void cap_facade(const Solid* a, Vec3 d, Facade* f) noexcept nogil:
    """A cylinder seen from its end: corners on the rim, fixed in the body."""
    cdef Vec3 u = axis_z(&a.X.R), x = axis_x(&a.X.R), y = axis_y(&a.X.R), c
    cdef double side = 1.0 if dot3(d, u) >= 0.0 else -1.0, r = a.s.radius, q = 0.70710678118654752 * a.s.radius
    cdef int k
    f.n = RIM
    f.flat = True
    f.normal = scale3(side, u)
    c = along(a.X.p, side * a.s.half_length, u)
    f.point[0], f.point[4] = along(c, r, x), along(c, -r, x)
    f.point[2], f.point[6] = along(c, r, y), along(c, -r, y)
    f.point[1], f.point[5] = along(along(c, q, x), q, y), along(along(c, -q, x), -q, y)
    f.point[3], f.point[7] = along(along(c, -q, x), q, y), along(along(c, q, x), -q, y)
    for k in range(RIM):
        f.name[k] = k + (RIM if side > 0.0 else 0)


cdef inline void box_facade(const Solid* a, Vec3 d, Facade* f) noexcept nogil:
    """The face of a box that looks along d."""
    cdef Vec3 l = tmul3(a.X.R, d)
    cdef double[3] h, w, x
    cdef int i, j, k, c, n, s_j, s_k
    h[0], h[1], h[2] = a.s.half.x, a.s.half.y, a.s.half.z
    w[0], w[1], w[2] = l.x, l.y, l.z
    i = 0 if fabs(l.x) >= fabs(l.y) else 1
    i = 2 if fabs(l.z) > fabs(w[i]) else i
    j, k = (i + 1) % 3, (i + 2) % 3
    c = w[i] >= 0.0
    f.n = 4
    f.flat = True
    f.normal = axis_x(&a.X.R) if i == 0 else (axis_y(&a.X.R) if i == 1 else axis_z(&a.X.R))
    f.normal = f.normal if c else neg3(f.normal)
    for n in range(4):                       # (-, -), (+, -), (+, +), (-, +)
        s_j = n == 1 or n == 2
        s_k = n >= 2
        x[i] = h[i] if c else -h[i]
        x[j] = h[j] if s_j else -h[j]
        x[k] = h[k] if s_k else -h[k]
        f.point[n] = add3(a.X.p, mul3(a.X.R, vec3(x[0], x[1], x[2])))
        f.name[n] = (c << i) | (s_j << j) | (s_k << k)


cdef inline void hull_facade(const Solid* a, Vec3 d, Facade* f) noexcept nogil:
    """The face of a hull that looks most along d; ties go to the first."""
    cdef Vec3 l = tmul3(a.X.R, d), v
    cdef double best = -2.0, value
    cdef const double* m = a.s.normals
    cdef int k, face = 0, sides, corner
    for k in range(a.s.n_faces):
        value = m[3 * k] * l.x + m[3 * k + 1] * l.y + m[3 * k + 2] * l.z
        if value > best + 1e-9:
            best = value
            face = k
    f.flat = True
    f.normal = mul3(a.X.R, vec3(m[3 * face], m[3 * face + 1], m[3 * face + 2]))
    sides = a.s.start[face + 1] - a.s.start[face]
    f.n = min(sides, MAX_SIDES)
    for k in range(f.n):
        corner = a.s.corner[a.s.start[face] + k * sides // f.n]
        v = vec3(a.s.vertices[3 * corner], a.s.vertices[3 * corner + 1], a.s.vertices[3 * corner + 2])
        f.point[k] = add3(a.X.p, mul3(a.X.R, v))
        f.name[k] = corner


cdef inline void look_at(const Solid* a, Vec3 d, Facade* f) noexcept nogil:
    """The facade that looks along the unit direction d."""
    if a.s.kind == BOX:
        box_facade(a, d, f)
    elif a.s.kind == HULL:
        hull_facade(a, d, f)
    elif a.s.kind == CYLINDER and fabs(dot3(d, axis_z(&a.X.R))) > 0.70710678118654752:
        cap_facade(a, d, f)
    else:
        round_facade(a, d, f)
