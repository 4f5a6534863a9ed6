# Farthest corners of convex polyhedra, along edges, and the faces that look along a direction.
#
# Hill climbing: a corner of a convex polyhedron that is not the farthest along a direction has a neighbour that is
# farther, and the corners above any height hang together along edges.  A table over directions says where to begin.
# Rounding, and triangles that are flush but for rounding, may stop a climb below the top by less than a level: all
# corners within it are then compared, so that the answer is that of a scan to the last bit.
# Source: S. Cameron, Enhancing GJK: computing minimum and penetration distances between convex polyhedra (ICRA 1997).
#
# A table is over the cells of a cube around the origin, side x side on each of its six faces.

from libc.math cimport fabs

from rbdyn.collision.shapes.convex_hull cimport HullData
from rbdyn.spatial._algebra cimport Vec3

cdef enum:
    MOST_CORNERS = 256             # that are listed; where there are more, all corners of the hull are looked at

cdef int farthest_corner(const HullData* hull, Vec3 l) noexcept nogil
cdef int corners_below(const HullData* hull, Vec3 l, int lowest, double start, double margin, int* found) noexcept nogil


cdef inline int cell_of(int side, Vec3 l) noexcept nogil:
    """Cell of a table that holds a direction, which is finite and not zero."""
    cdef double x = fabs(l.x), y = fabs(l.y), z = fabs(l.z), big, u, w, half = 0.5 * side
    cdef int face, i, j
    if x >= y and x >= z:
        face, big, u, w = l.x < 0.0, x, l.y, l.z
    elif y >= z:
        face, big, u, w = 2 + (l.y < 0.0), y, l.z, l.x
    else:
        face, big, u, w = 4 + (l.z < 0.0), z, l.x, l.y
    i, j = <int> (half * (u / big + 1.0)), <int> (half * (w / big + 1.0))
    return (face * side + min(i, side - 1)) * side + min(j, side - 1)


cdef inline double height_of(const HullData* hull, int k, Vec3 l) noexcept nogil:
    """Coordinate of a corner along a direction, both in the shape frame."""
    return hull.vertices[3 * k] * l.x + hull.vertices[3 * k + 1] * l.y + hull.vertices[3 * k + 2] * l.z


cdef inline int scan_corners(const HullData* hull, Vec3 l) noexcept nogil:
    """Find the corner farthest along l; ties go to the first, and it is the first where l is no direction."""
    cdef double best = -1e300, value
    cdef int k, top = 0
    for k in range(hull.n_vertices):
        value = height_of(hull, k, l)
        if value > best:
            best, top = value, k
    return top


cdef inline int facing_face(const HullData* hull, Vec3 l) noexcept nogil:
    """Find the face that looks most along the unit vector l; one before it may look less by 1e-9, TIED."""
    cdef double best = -2.0, value
    cdef const double* m = hull.normals
    cdef const int* listed = NULL
    cdef int i, k, n = hull.n_faces, face = 0
    if hull.face_side > 0 and 0.5 < l.x * l.x + l.y * l.y + l.z * l.z < 2.0:
        k = cell_of(hull.face_side, l)
        listed, n = hull.facing + hull.facing_start[k], hull.facing_start[k + 1] - hull.facing_start[k]
    for i in range(n):
        k = i if listed is NULL else listed[i]
        value = m[3 * k] * l.x + m[3 * k + 1] * l.y + m[3 * k + 2] * l.z
        if value > best + 1e-9:
            best, face = value, k
    return face
