# The triangles of a height map that reach into a box, or lie above it.
#
# Flat blocks of cells are two triangles, as single cells are.  Triangle 2 c is that along the first row of the block
# that begins with cell c, 2 c + 1 the other one; cells are counted along x first.

from libc.math cimport INFINITY

from rbdyn.collision.kernels.triangle cimport TriangleData, corner
from rbdyn.collision.kernels.vectors cimport norm3
from rbdyn.collision.shapes.height_map cimport HeightMapData
from rbdyn.spatial._algebra cimport Vec3, cross3, dot3, scale3, sub3, vec3


cdef struct Cells:                 # rows i from i_0, columns j from j_0, without the ends i_1 and j_1
    int i_0, i_1, j_0, j_1

cdef struct GridWalk:
    double low, high               # z of the box [m]
    int j_0, j_1, i_0, i_1         # cells along x from j_0 to j_1, along y from i_0 to i_1
    int i, j                       # the first cell of the block that comes next, of those
    int half                       # 1: of the block `at` the other triangle comes next
    Cells at


cdef inline int cell_at(double x, double dx, int n) noexcept nogil:
    """The cell, from -1 to n, in which a coordinate from the first of n + 1 points lies."""
    if not x >= 0.0:
        return -1
    return <int> (x / dx) if x < n * dx else n


cdef inline void begin_grid(GridWalk* w, const HeightMapData* map, Vec3 low, Vec3 high) noexcept nogil:
    w.low, w.high = low.z, high.z
    w.j_0 = max(0, cell_at(low.x - map.x_0, map.dx, map.nx - 1))
    w.j_1 = min(map.nx - 2, cell_at(high.x - map.x_0, map.dx, map.nx - 1))
    w.i_0 = max(0, cell_at(low.y - map.y_0, map.dy, map.ny - 1))
    w.i_1 = min(map.ny - 2, cell_at(high.y - map.y_0, map.dy, map.ny - 1))
    w.i, w.j, w.half = w.i_0, w.j_0, 0
    if w.j_0 > w.j_1 or high.z < map.low or low.z > map.high:
        w.i_1 = -1                 # none


cdef inline Vec3 grid_point(const HeightMapData* map, int i, int j) noexcept nogil:
    """[m], in the frame of the map."""
    return vec3(map.x_0 + j * map.dx, map.y_0 + i * map.dy, map.height[<Py_ssize_t> i * map.nx + j])


cdef inline bint has_point(const HeightMapData* map, int i, int j) noexcept nogil:
    return 0 <= i < map.ny and 0 <= j < map.nx


cdef inline double lead(const HeightMapData* map, Vec3 x, int i, int j, Vec3 n) noexcept nogil:
    """How much the edge from x to a grid point leads along n; -1 if there is no such point."""
    cdef Vec3 e
    if not has_point(map, i, j):
        return -1.0
    e = sub3(grid_point(map, i, j), x)
    return dot3(n, e) / norm3(e)


cdef inline double most_along_in_grid(const TriangleData* t, int k, Vec3 n) noexcept nogil:
    """How much the edges from corner k lead along n, at most."""
    cdef const HeightMapData* map = <const HeightMapData*> t.whole.data
    cdef int i = t.vertex[k] // map.nx, j = t.vertex[k] % map.nx
    cdef Vec3 x = corner(t, k)
    cdef double most = max(lead(map, x, i, j - 1, n), lead(map, x, i, j + 1, n))
    most = max(most, max(lead(map, x, i - 1, j, n), lead(map, x, i + 1, j, n)))
    return max(most, max(lead(map, x, i - 1, j - 1, n), lead(map, x, i + 1, j + 1, n)))


cdef inline void set_corner(const HeightMapData* map, int k, int i, int j, TriangleData* t) noexcept nogil:
    cdef Vec3 x = grid_point(map, i, j)
    t.vertex[k] = i * map.nx + j
    t.at[3 * k], t.at[3 * k + 1], t.at[3 * k + 2] = x.x, x.y, x.z


cdef inline void set_beyond(const HeightMapData* map, int k, int i, int j, TriangleData* t) noexcept nogil:
    t.open[k] = not has_point(map, i, j)
    if not t.open[k]:
        t.beyond[k] = grid_point(map, i, j)


cdef inline Cells one_cell(int i, int j) noexcept nogil:
    cdef Cells c
    c.i_0, c.i_1, c.j_0, c.j_1 = i, i + 1, j, j + 1
    return c


cdef inline Cells block_about(const HeightMapData* map, int i, int j) noexcept nogil:
    """The flat block of a cell, less what is beyond the border; the cell alone if there is none."""
    cdef int side = 1 << map.level[<Py_ssize_t> i * (map.nx - 1) + j]
    cdef Cells c
    c.i_0, c.j_0 = i - i % side, j - j % side
    c.i_1, c.j_1 = min(c.i_0 + side, map.ny - 1), min(c.j_0 + side, map.nx - 1)
    return c


cdef inline void fill_from_grid(const HeightMapData* map, Cells c, int half, TriangleData* t) noexcept nogil:
    """A half of a flat block of cells."""
    cdef Vec3 n
    t.one_sided, t.solid, t.most_along = True, False, most_along_in_grid
    t.cells, t.grain = max(c.i_1 - c.i_0, c.j_1 - c.j_0), INFINITY
    set_corner(map, 0, c.i_0, c.j_0, t)
    if half == 0:
        set_corner(map, 1, c.i_0, c.j_1, t)
        set_corner(map, 2, c.i_1, c.j_1, t)
        set_beyond(map, 0, c.i_0 - 1, c.j_0, t)
        set_beyond(map, 1, c.i_1, c.j_1 + 1, t)
        set_beyond(map, 2, c.i_1, c.j_0, t)
    else:
        set_corner(map, 1, c.i_1, c.j_1, t)
        set_corner(map, 2, c.i_1, c.j_0, t)
        set_beyond(map, 0, c.i_0, c.j_1, t)
        set_beyond(map, 1, c.i_1 + 1, c.j_1, t)
        set_beyond(map, 2, c.i_0, c.j_0 - 1, t)
    n = cross3(sub3(corner(t, 1), corner(t, 0)), sub3(corner(t, 2), corner(t, 0)))
    t.normal = scale3(1.0 / norm3(n), n)


cdef inline double half_top(const HeightMapData* map, Cells c, int half) noexcept nogil:
    """The largest height of a half of a flat block."""
    cdef const double* first = map.height + <Py_ssize_t> c.i_0 * map.nx
    cdef const double* last = map.height + <Py_ssize_t> c.i_1 * map.nx
    return max(max(first[c.j_0], last[c.j_1]), last[c.j_0] if half else first[c.j_1])


cdef inline bint next_block(GridWalk* w, const HeightMapData* map) noexcept nogil:
    """Go on to the next block that was not met in an earlier row; False if there is none."""
    while w.i <= w.i_1:
        while w.j <= w.j_1:
            w.at = block_about(map, w.i, w.j)
            w.j = w.at.j_1
            if w.i == max(w.at.i_0, w.i_0):
                return True
        w.i += 1
        w.j = w.j_0
    return False


cdef inline int next_in_grid(GridWalk* w, const HeightMapData* map, TriangleData* t) noexcept nogil:
    cdef int half
    while w.half == 1 or next_block(w, map):
        half, w.half = w.half, 1 - w.half
        if half_top(map, w.at, half) >= w.low:
            fill_from_grid(map, w.at, half, t)
            return 2 * (w.at.i_0 * (map.nx - 1) + w.at.j_0) + half
    return -1


cdef inline int triangle_at(const HeightMapData* map, double x, double y, TriangleData* t) noexcept nogil:
    """Fill in the triangle above or below a place; its number, or -1 if that is beyond the border."""
    cdef int i = cell_at(y - map.y_0, map.dy, map.ny - 1), j = cell_at(x - map.x_0, map.dx, map.nx - 1), half
    if not (0 <= i < map.ny - 1 and 0 <= j < map.nx - 1):
        return -1
    half = (x - map.x_0) / map.dx - j < (y - map.y_0) / map.dy - i
    fill_from_grid(map, one_cell(i, j), half, t)
    return 2 * (i * (map.nx - 1) + j) + half
