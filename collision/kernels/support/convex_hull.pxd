from rbdyn.collision._types cimport MAX_SIDES, PosedShape, SupportingFeature
from rbdyn.collision.shapes.climbing cimport facing_face
from rbdyn.collision.shapes.convex_hull cimport HullData
from rbdyn.spatial._algebra cimport Vec3, add3, mul3, tmul3, vec3


cdef inline const HullData* hull_of(const PosedShape* a) noexcept nogil:
    return <const HullData*> a.s.data


cdef inline void hull_feature(const PosedShape* a, Vec3 d, SupportingFeature* f) noexcept nogil:
    """The face of a hull that looks most along d; ties go to the first."""
    cdef const HullData* hull = hull_of(a)
    cdef Vec3 l = tmul3(a.X.R, d), v
    cdef const double* m = hull.normals
    cdef int k, face = facing_face(hull, l), sides, corner
    f.flat = True
    f.normal = mul3(a.X.R, vec3(m[3 * face], m[3 * face + 1], m[3 * face + 2]))
    sides = hull.start[face + 1] - hull.start[face]
    f.n = min(sides, MAX_SIDES)
    for k in range(f.n):
        corner = hull.corner[hull.start[face] + k * sides // f.n]
        v = vec3(hull.vertices[3 * corner], hull.vertices[3 * corner + 1], hull.vertices[3 * corner + 2])
        f.point[k] = add3(a.X.p, mul3(a.X.R, v))
        f.name[k] = corner
