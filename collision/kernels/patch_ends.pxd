# Where patches of convex cores end: patch.pxd.

from libc.math cimport copysign, fabs, fmax, sqrt

from rbdyn.collision._types cimport BOX_CORE, CONE, CYLINDER_CORE, HULL_CORE, PosedShape
from rbdyn.collision.kernels.curved cimport cone_half, cone_radius
from rbdyn.collision.kernels.patch cimport FIXED, Patch, patch_of_disc
from rbdyn.collision.kernels.vectors cimport along, norm3
from rbdyn.collision.shapes.convex_hull cimport HullData
from rbdyn.spatial._algebra cimport Vec3, add3, cross3, dot3, mul3, scale3, sub3, tmul3, vec3, zero3


cdef inline Vec3 vertex(const HullData* hull, int k) noexcept nogil:
    return vec3(hull.vertices[3 * k], hull.vertices[3 * k + 1], hull.vertices[3 * k + 2])


cdef inline double outside_of_face(const HullData* hull, const int* corner, int n, Vec3 x, int* side) noexcept nogil:
    """By how much a point of its plane is outside a face, at most, [m]; and of which side that is."""
    cdef Vec3 up = zero3(), e, first = vertex(hull, corner[0] if corner != NULL else 0), c, d
    cdef double far = -1e300, out
    cdef int k
    for k in range(1, n - 1):
        c = vertex(hull, corner[k] if corner != NULL else k)
        d = vertex(hull, corner[k + 1] if corner != NULL else k + 1)
        up = add3(up, cross3(sub3(c, first), sub3(d, first)))
    for k in range(n):
        c = vertex(hull, corner[k] if corner != NULL else k)
        d = vertex(hull, corner[(k + 1) % n] if corner != NULL else (k + 1) % n)
        e = cross3(sub3(d, c), up)
        out = dot3(e, sub3(x, c)) / norm3(e)
        if out > far:
            far, side[0] = out, k
    return far


cdef inline bint holds(const PosedShape* a, Vec3 x, double hair) noexcept nogil:
    """Whether a point of one of its patches, world, is one of the core but for a hair [m]."""
    cdef Vec3 l = tmul3(a.X.R, sub3(x, a.X.p)), h = a.s.bounds.box
    cdef const HullData* hull
    cdef const double* n
    cdef const double* v
    cdef double across
    cdef int k
    if a.s.core == BOX_CORE:
        return fmax(fabs(l.x) - h.x, fmax(fabs(l.y) - h.y, fabs(l.z) - h.z)) <= hair
    if a.s.core == HULL_CORE:
        hull = <const HullData*> a.s.data
        if hull.n_faces == 0:
            return outside_of_face(hull, NULL, 3, l, &k) <= hair
        for k in range(hull.n_faces):
            n, v = hull.normals + 3 * k, hull.vertices + 3 * hull.corner[hull.start[k]]
            if n[0] * (l.x - v[0]) + n[1] * (l.y - v[1]) + n[2] * (l.z - v[2]) > hair:
                return False
        return True
    across = sqrt(l.x * l.x + l.y * l.y)
    if a.s.core == CYLINDER_CORE:
        return fmax(fabs(l.z) - h.z, across - a.s.bounds.ellipsoid.x) <= hair
    if a.s.kind == <int> CONE:
        return (-l.z - cone_half(a) <= hair
                and 2.0 * cone_half(a) * across - cone_radius(a) * (cone_half(a) - l.z) <= 2.0 * cone_half(a) * hair)
    return True


# ---- what is beyond its end ------------------------------------------------------------------

cdef inline void leave_hull(const PosedShape* a, Vec3 m, Vec3 x, Patch* p) noexcept nogil:
    """From a face to the side, from an edge to the corner that x (shape frame) is beyond; m is the normal there."""
    cdef const HullData* hull = <const HullData*> a.s.data
    cdef const int* corner = NULL
    cdef int k, face = 0, n = 3, side = 0
    cdef double best = -1e300, value
    cdef Vec3 c, d
    if p.n_along == 1:
        for k in range(hull.n_vertices):
            c = sub3(vertex(hull, k), x)
            value = -dot3(c, c)
            if value > best:
                best, side = value, k
        p.at, p.n_along = add3(a.X.p, mul3(a.X.R, vertex(hull, side))), 0
        return
    for k in range(hull.n_faces):
        value = hull.normals[3 * k] * m.x + hull.normals[3 * k + 1] * m.y + hull.normals[3 * k + 2] * m.z
        if value > best:
            best, face = value, k
    if hull.n_faces > 0:
        corner, n = hull.corner + hull.start[face], hull.start[face + 1] - hull.start[face]
    outside_of_face(hull, corner, n, x, &side)
    c = vertex(hull, corner[side] if corner != NULL else side)
    d = sub3(vertex(hull, corner[(side + 1) % n] if corner != NULL else (side + 1) % n), c)
    p.at, p.n_along = add3(a.X.p, mul3(a.X.R, c)), 1
    p.along[0] = mul3(a.X.R, scale3(1.0 / norm3(d), d))


cdef inline void leave_box(const PosedShape* a, Vec3 x, Patch* p) noexcept nogil:
    """Likewise: the direction in which x (shape frame) is farthest outside ends."""
    cdef Vec3 h = a.s.bounds.box, e
    cdef double[2] out, end
    cdef int k, most = 0
    for k in range(p.n_along):
        e = tmul3(a.X.R, p.along[k])          # an axis
        end[k] = copysign(fabs(dot3(e, h)), dot3(e, x))
        out[k] = fabs(dot3(e, x)) - fabs(end[k])
    most = 1 if p.n_along == 2 and out[1] > out[0] else 0
    p.at = along(p.at, end[most], p.along[most])
    p.along[0] = p.along[1 - most]
    p.n_along -= 1


cdef inline void leave(const PosedShape* a, Vec3 m, Vec3 x, Patch* p) noexcept nogil:
    """Go to what is beyond the end of a patch: x (world) is on it along the normal m, but no point of the core."""
    cdef Vec3 l = tmul3(a.X.R, sub3(x, a.X.p))
    if a.s.core == BOX_CORE:
        leave_box(a, l, p)
    elif a.s.core == HULL_CORE:
        leave_hull(a, tmul3(a.X.R, m), l, p)
    elif a.s.core == CYLINDER_CORE:
        patch_of_disc(a, copysign(a.s.bounds.box.z, l.z), a.s.bounds.ellipsoid.x, False, p)
    elif a.s.kind == <int> CONE:
        if l.z > cone_half(a):
            p.sort, p.n_along = FIXED, 0
        else:
            patch_of_disc(a, -cone_half(a), cone_radius(a), False, p)
