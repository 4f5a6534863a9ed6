# The triangles of a mesh or a height map whose boxes reach into a box, one after the other.

from libc.math cimport INFINITY, fmax, fmin

from rbdyn.collision._types cimport HEIGHT_MAP, TRIANGLE, PosedShape, ShapeRecord
from rbdyn.collision.bounds cimport centre_of, half_extent
from rbdyn.collision.kernels.triangle cimport TriangleData, corner, triangle_of
from rbdyn.collision.kernels.vectors cimport norm3
from rbdyn.collision.pieces.grid cimport GridWalk, begin_grid, next_in_grid
from rbdyn.collision.pieces.tree cimport TreeWalk, begin_tree, next_in_tree
from rbdyn.collision.shapes.height_map cimport HeightMapData
from rbdyn.collision.shapes.mesh cimport MeshData
from rbdyn.spatial._algebra cimport Mat3, Vec3, add3, matmul3, mul3, sub3, tmul3, transpose3, vec3


cdef struct Walk:
    const ShapeRecord* whole
    TreeWalk tree                  # of a mesh
    GridWalk grid                  # of a height map


cdef inline void box_around(const TriangleData* t, const Mat3* R, Vec3 p, Vec3* low, Vec3* high) noexcept nogil:
    """The box around a triangle that R turns and p [m] shifts, given by two corners."""
    cdef Vec3 x
    cdef int k
    low[0] = high[0] = add3(p, mul3(R[0], corner(t, 0)))
    for k in range(1, 3):
        x = add3(p, mul3(R[0], corner(t, k)))
        low.x, low.y, low.z = fmin(low.x, x.x), fmin(low.y, x.y), fmin(low.z, x.z)
        high.x, high.y, high.z = fmax(high.x, x.x), fmax(high.y, x.y), fmax(high.z, x.z)


cdef inline void begin_walk(Walk* w, const PosedShape* whole, const PosedShape* a, double more) noexcept nogil:
    """Set out for what lies within `more` [m] of the box and the ball around another shape."""
    cdef Mat3 R = matmul3(transpose3(whole.X.R), a.X.R)
    cdef Vec3 middle = tmul3(whole.X.R, sub3(centre_of(a), whole.X.p)), low, high
    cdef Vec3 half = vec3(more, more, more)
    cdef double radius = norm3(a.s.bounds.box) if a.s.kind == TRIANGLE else a.s.bounds.radius
    radius = (radius + more) * (1.0 + 1e-9)
    if a.s.kind == TRIANGLE:
        box_around(triangle_of(a), &R, tmul3(whole.X.R, sub3(a.X.p, whole.X.p)), &low, &high)
        begin_within(w, whole, sub3(low, half), add3(high, half), middle, radius)
    else:
        half = add3(half_extent(&a.s.bounds, &R), half)
        begin_within(w, whole, sub3(middle, half), add3(middle, half), middle, radius)


cdef inline void begin_between(Walk* w, const PosedShape* whole, Vec3 low, Vec3 high) noexcept nogil:
    """Set out for what lies in a box along the axes of the whole, given by two corners."""
    begin_within(w, whole, low, high, low, INFINITY)


cdef inline void begin_within(
        Walk* w, const PosedShape* whole, Vec3 low, Vec3 high, Vec3 centre, double radius) noexcept nogil:
    """Set out for what lies in a box, of a mesh in a ball, too."""
    w.whole = whole.s
    if whole.s.kind == HEIGHT_MAP:
        begin_grid(&w.grid, <const HeightMapData*> whole.s.data, low, high)
    else:
        begin_tree(&w.tree, <const MeshData*> whole.s.data, low, high, centre, radius)


cdef inline int next_triangle(Walk* w, TriangleData* t) noexcept nogil:
    """Fill in the next triangle; its number, or -1 if there is none."""
    t.whole = w.whole
    if w.whole.kind == HEIGHT_MAP:
        return next_in_grid(&w.grid, <const HeightMapData*> w.whole.data, t)
    return next_in_tree(&w.tree, <const MeshData*> w.whole.data, t)
