# The triangles of a mesh or a height map whose boxes reach into a box, one after the other.

from rbdyn.collision._types cimport HEIGHT_MAP, PosedShape, ShapeRecord
from rbdyn.collision.bounds cimport centre_of, half_extent
from rbdyn.collision.kernels.triangle cimport TriangleData
from rbdyn.collision.pieces.grid cimport GridWalk, begin_grid, next_in_grid
from rbdyn.collision.pieces.tree cimport TreeWalk, begin_tree, next_in_tree
from rbdyn.collision.shapes.height_map cimport HeightMapData
from rbdyn.collision.shapes.mesh cimport MeshData
from rbdyn.spatial._algebra cimport Mat3, Vec3, add3, matmul3, sub3, tmul3, transpose3, vec3


cdef struct Walk:
    const ShapeRecord* whole
    TreeWalk tree                  # of a mesh
    GridWalk grid                  # of a height map


cdef inline void begin_walk(Walk* w, const PosedShape* whole, const PosedShape* a, double more) noexcept nogil:
    """Set out for what lies within `more` [m] of the box around another shape, along the axes of the whole."""
    cdef Mat3 R = matmul3(transpose3(whole.X.R), a.X.R)
    cdef Vec3 middle = tmul3(whole.X.R, sub3(centre_of(a), whole.X.p))
    cdef Vec3 half = add3(half_extent(&a.s.bounds, &R), vec3(more, more, more))
    begin_between(w, whole, sub3(middle, half), add3(middle, half))


cdef inline void begin_between(Walk* w, const PosedShape* whole, Vec3 low, Vec3 high) noexcept nogil:
    """Set out for what lies in a box along the axes of the whole, given by two corners."""
    w.whole = whole.s
    if whole.s.kind == HEIGHT_MAP:
        begin_grid(&w.grid, <const HeightMapData*> whole.s.data, low, high)
    else:
        begin_tree(&w.tree, <const MeshData*> whole.s.data, low, high)


cdef inline int next_triangle(Walk* w, TriangleData* t) noexcept nogil:
    """Fill in the next triangle; its number, or -1 if there is none."""
    t.whole = w.whole
    if w.whole.kind == HEIGHT_MAP:
        return next_in_grid(&w.grid, <const HeightMapData*> w.whole.data, t)
    return next_in_tree(&w.tree, <const MeshData*> w.whole.data, t)
