# The triangles of a height map that reach into a box, or lie above it.
#
# Triangle 2 c is that of cell c along its first row, 2 c + 1 the other one; cells are counted along x first.

from rbdyn.collision.kernels.triangle cimport TriangleData, corner
from rbdyn.collision.kernels.vectors cimport norm3
from rbdyn.collision.shapes.height_map cimport HeightMapData
from rbdyn.spatial._algebra cimport Vec3, cross3, dot3, scale3, sub3, vec3


cdef struct GridWalk:
    double low, high               # z of the box [m]
    int j_0, j_1, i_1              # cells along x from j_0 to j_1, along y up to i_1
    int i, j, half                 # the triangle that comes next


cdef inline int cell_at(double x, double dx, int n) noexcept nogil:
    """The cell, from -1 to n, in which a coordinate from the first of n + 1 points lies."""
    if not x >= 0.0:
        return -1
    return <int> (x / dx) if x < n * dx else n


cdef inline void begin_grid(GridWalk* w, const HeightMapData* map, Vec3 low, Vec3 high) noexcept nogil:
    w.low, w.high = low.z, high.z
    w.j_0 = max(0, cell_at(low.x - map.x_0, map.dx, map.nx - 1))
    w.j_1 = min(map.nx - 2, cell_at(high.x - map.x_0, map.dx, map.nx - 1))
    w.i = max(0, cell_at(low.y - map.y_0, map.dy, map.ny - 1))
    w.i_1 = min(map.ny - 2, cell_at(high.y - map.y_0, map.dy, map.ny - 1))
    w.j, w.half = w.j_0, 0
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


cdef inline void fill_from_grid(const HeightMapData* map, int i, int j, int half, TriangleData* t) noexcept nogil:
    """A half of cell (i, j)."""
    cdef Vec3 n
    t.one_sided, t.solid, t.most_along = True, False, most_along_in_grid
    set_corner(map, 0, i, j, t)
    if half == 0:
        set_corner(map, 1, i, j + 1, t)
        set_corner(map, 2, i + 1, j + 1, t)
        set_beyond(map, 0, i - 1, j, t)
        set_beyond(map, 1, i + 1, j + 2, t)
        set_beyond(map, 2, i + 1, j, t)
    else:
        set_corner(map, 1, i + 1, j + 1, t)
        set_corner(map, 2, i + 1, j, t)
        set_beyond(map, 0, i, j + 1, t)
        set_beyond(map, 1, i + 2, j + 1, t)
        set_beyond(map, 2, i, j - 1, t)
    n = cross3(sub3(corner(t, 1), corner(t, 0)), sub3(corner(t, 2), corner(t, 0)))
    t.normal = scale3(1.0 / norm3(n), n)


cdef inline double half_top(const HeightMapData* map, int i, int j, int half) noexcept nogil:
    """The largest height of a half cell."""
    cdef const double* row = map.height + <Py_ssize_t> i * map.nx + j
    return max(max(row[0], row[map.nx + 1]), row[map.nx] if half else row[1])


cdef inline int next_in_grid(GridWalk* w, const HeightMapData* map, TriangleData* t) noexcept nogil:
    cdef int i, j, half
    while w.i <= w.i_1:
        i, j, half = w.i, w.j, w.half
        w.half = 1 - half
        if half:
            w.j += 1
            if w.j > w.j_1:
                w.j = w.j_0
                w.i += 1
        if half_top(map, i, j, half) >= w.low:
            fill_from_grid(map, i, j, half, t)
            return 2 * (i * (map.nx - 1) + j) + half
    return -1


cdef inline int triangle_at(const HeightMapData* map, double x, double y, TriangleData* t) noexcept nogil:
    """Fill in the triangle above or below a place; its number, or -1 if that is beyond the border."""
    cdef int i = cell_at(y - map.y_0, map.dy, map.ny - 1), j = cell_at(x - map.x_0, map.dx, map.nx - 1), half
    if not (0 <= i < map.ny - 1 and 0 <= j < map.nx - 1):
        return -1
    half = (x - map.x_0) / map.dx - j < (y - map.y_0) / map.dy - i
    fill_from_grid(map, i, j, half, t)
    return 2 * (i * (map.nx - 1) + j) + half
