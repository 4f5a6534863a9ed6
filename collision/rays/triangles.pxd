# Rays into triangles, and into height maps; meshes have mesh_walk.pxd.
#
# A surface is seen from the side that a ray comes from; one-sided ones, and height maps, only from in front.  No ray
# passes between two triangles that share a side.
#
# Sources: S. Woop, C. Benthin, I. Wald, Watertight ray/triangle intersection (Journal of Computer Graphics Techniques
# 2, 2013).  Cells along a ray: J. Amanatides, A. Woo, A fast voxel traversal algorithm for ray tracing (Eurographics,
# 1987).

from libc.math cimport INFINITY, fabs, floor, fmax, fmin

from rbdyn.collision.kernels.vectors cimport norm3
from rbdyn.collision.pieces.grid cimport grid_point, half_top, one_cell
from rbdyn.collision.rays.ray cimport Entrance, Span, slab
from rbdyn.collision.shapes.bounding_tree cimport TreeNode
from rbdyn.collision.shapes.height_map cimport BLOCK, HeightMapData
from rbdyn.spatial._algebra cimport Vec3, cross3, scale3, sub3, vec3


cdef struct Ray:                   # sheared so that it runs along its largest axis
    double[3] o, inverse           # inverse: 1 / d along each axis, finite
    int[3] near, far               # which of a box's six numbers it meets first, and last, along each axis
    int x, y, z                    # axes; z is the one along which it is longest
    double sx, sy, sz


cdef inline void shear(Vec3 o, Vec3 d, Ray* r) noexcept nogil:
    cdef double[3] v
    cdef int k
    v[0], v[1], v[2] = d.x, d.y, d.z
    r.o[0], r.o[1], r.o[2] = o.x, o.y, o.z
    for k in range(3):
        r.inverse[k] = 1.0 / v[k] if v[k] != 0.0 else 1e300
        r.near[k] = k + 3 if v[k] < 0.0 else k
        r.far[k] = 2 * k + 3 - r.near[k]
    r.z = 0 if fabs(d.x) > fabs(d.y) else 1
    r.z = 2 if fabs(d.z) > fabs(v[r.z]) else r.z
    r.x, r.y = (r.z + 1) % 3, (r.z + 2) % 3
    if v[r.z] < 0.0:               # so that triangles keep their sense
        r.x, r.y = r.y, r.x
    r.sz = r.inverse[r.z]
    r.sx, r.sy = v[r.x] * r.sz, v[r.y] * r.sz


cdef inline double meet_triangle(
        const Ray* r, const double* a, const double* b, const double* c, double hair, double* front) noexcept nogil:
    """Where a ray meets a triangle, or what is within a hair (a share) of it, [m] along it; infinite if nowhere.

    `front` is positive where it comes from in front.  What rounding alone puts behind the origin is met at 0.  No
    branches, so that several triangles are met at once.
    """
    cdef double az = a[r.z] - r.o[r.z], bz = b[r.z] - r.o[r.z], cz = c[r.z] - r.o[r.z]
    cdef double ax = a[r.x] - r.o[r.x] - r.sx * az, ay = a[r.y] - r.o[r.y] - r.sy * az
    cdef double bx = b[r.x] - r.o[r.x] - r.sx * bz, by = b[r.y] - r.o[r.y] - r.sy * bz
    cdef double cx = c[r.x] - r.o[r.x] - r.sx * cz, cy = c[r.y] - r.o[r.y] - r.sy * cz
    cdef double u = cx * by - cy * bx, v = ax * cy - ay * cx, w = bx * ay - by * ax, all_ = u + v + w
    cdef double least = u if u < v else v, most = u if u > v else v, t, behind
    least, most = least if least < w else w, most if most > w else w
    most = most if most < -least else -least                 # positive: some are, and some are not
    t = r.sz * (u * az + v * bz + w * cz) / all_             # no number, or infinite, if it is seen edge on
    t = t if most <= hair * fabs(all_) else <double> INFINITY
    front[0] = all_
    behind = 1e-12 * (fabs(az) + fabs(bz) + fabs(cz)) * fabs(r.sz)       # rounding, also nearly edge on
    return (t if t > 0.0 else 0.0) if t >= -behind else <double> INFINITY


cdef inline double meet_box(const Ray* r, const TreeNode* n, double most) noexcept nogil:
    """Where a ray comes into a box, at least; infinite if it does not before `most`.  A little is let pass."""
    cdef const float* side = <const float*> n
    cdef double x = (side[r.near[0]] - r.o[0]) * r.inverse[0], x_out = (side[r.far[0]] - r.o[0]) * r.inverse[0]
    cdef double y = (side[r.near[1]] - r.o[1]) * r.inverse[1], y_out = (side[r.far[1]] - r.o[1]) * r.inverse[1]
    cdef double z = (side[r.near[2]] - r.o[2]) * r.inverse[2], z_out = (side[r.far[2]] - r.o[2]) * r.inverse[2]
    x, z = x if x > y else y, z if z > 0.0 else 0.0
    x_out, z_out = x_out if x_out < y_out else y_out, z_out if z_out < most else most
    x, x_out = x if x > z else z, x_out if x_out < z_out else z_out
    return x if x <= x_out * (1.0 + 1e-15) else INFINITY


cdef inline bint enter_cell(const HeightMapData* map, const Ray* r, int i, int j, Entrance* e) noexcept nogil:
    """Whether a ray comes from above into the ground within a cell, or a hair beside it, and where.

    A ray that runs along a side of cells is followed through one of them only, whichever rounding has it in.  One half
    that is seen edge on, but for rounding, is met nowhere: the ray comes in beside it, or stays above.
    """
    cdef double[12] p
    cdef Vec3 x, n
    cdef double t, front, size, blur
    cdef int k, half, second
    for k in range(4):
        x = grid_point(map, i + (k >> 1), j + (k & 1))
        p[3 * k], p[3 * k + 1], p[3 * k + 2] = x.x, x.y, x.z
    size = map.dx + map.dy + map.high - map.low
    blur = 1e-15 * size * (size + fabs(p[0]) + fabs(p[1]) + fabs(p[2]) + fabs(r.o[0]) + fabs(r.o[1]) + fabs(r.o[2]))
    e.distance = INFINITY
    for half in range(2):                        # (0, 1, 3), (0, 3, 2)
        second = 3 if half else 1
        t = meet_triangle(r, p, p + 3 * second, p + (6 if half else 9), 1e-9, &front)
        if t < e.distance and front > blur:
            e.distance = t
            n = cross3(vec3(p[3 * second] - p[0], p[3 * second + 1] - p[1], p[3 * second + 2] - p[2]),
                       vec3(p[6 if half else 9] - p[0], p[7 if half else 10] - p[1], p[8 if half else 11] - p[2]))
            e.normal = scale3(1.0 / norm3(n), n)
    return e.distance < INFINITY


cdef struct Lines:                 # of a grid along one axis, which a ray crosses
    double at, step                # of the first one from where the ray begins, and between two [m]
    double d                       # of the ray along the axis
    double first, way              # distance along the ray to the first one, and between two [m]; infinite, 0: none
    int to                         # 1 or -1: how cells follow one another
    int n                          # cells


cdef inline Lines lines_of(double at, double step, int n, double d) noexcept nogil:
    cdef double inverse = 1.0 / d if d != 0.0 else INFINITY
    return Lines(at=at, step=step, d=d, first=at * inverse if inverse < INFINITY else INFINITY,
                 way=step * inverse if inverse < INFINITY else 0.0, to=1 if d >= 0.0 else -1, n=n)


cdef inline double leaves(const Lines* l, int cell) noexcept nogil:
    """Distance along a ray to where it leaves a cell [m]; it does not decrease from one cell to the next."""
    return l.first + (cell + (l.to > 0)) * l.way


cdef inline int next_cell(const Lines* l, int cell, int end, double t) noexcept nogil:
    """The first cell from `cell` on, `end` at most, that a ray leaves beyond the distance t.

    `end` is no cell before `cell`.  A ray that leaves a cell at t, or at no number, has left it.
    """
    while cell != end and not leaves(l, cell) > t:
        cell += l.to
    return cell


cdef inline int first_cell(const Lines* l, double t) noexcept nogil:
    """The cell in which a ray is after the distance t; a cell before it if rounding blurs which it is."""
    cdef int cell = <int> fmin(l.n - 1, fmax(0.0, floor((t * l.d - l.at) / l.step)))
    if l.way == 0.0:
        return cell
    return next_cell(l, min(l.n - 1, max(0, cell - l.to)), l.n - 1 if l.to > 0 else 0, t)


cdef inline int block_end(const Lines* l, int cell) noexcept nogil:
    """The last cell of a block on the way."""
    cdef int first = cell // BLOCK * BLOCK
    return min(first + BLOCK, l.n) - 1 if l.to > 0 else first


cdef inline double lowest(double o, double d, double begin, double end) noexcept nogil:
    """Least height of a ray between two distances along it."""
    return o + d * (end if d < 0.0 else begin)


cdef inline bint enter_height_map(const HeightMapData* map, Vec3 o, Vec3 d, double most, Entrance* e) noexcept nogil:
    """Whether a ray comes from above into a height map before `most`, and where first: cell after cell.

    Each turn of the loop goes on to the end t of a cell, or of a block of cells above which the ray stays.  At least
    one of its two numbers advances there, both where the ray passes through a node, and none goes back: the number of
    turns is at most that of rows and columns.
    """
    cdef Ray r
    cdef Span sx = slab(o.x, d.x, -map.x_0), sy = slab(o.y, d.y, -map.y_0)
    cdef Span sz = slab(o.z - 0.5 * (map.low + map.high), d.z, 0.5 * (map.high - map.low) * (1.0 + 1e-12) + 1e-12)
    cdef double first = fmax(fmax(0.0, sz.first), fmax(sx.first, sy.first)), last = fmin(most, fmin(sz.last, fmin(
        sx.last, sy.last))), next_x, next_y, t, end, hair = 1e-9 * (fabs(o.z) + map.high - map.low)
    cdef Lines x = lines_of(map.x_0 - o.x, map.dx, map.nx - 1, d.x), y = lines_of(
        map.y_0 - o.y, map.dy, map.ny - 1, d.y)
    cdef int i, j, i_end, j_end, block = -1
    if not first <= last:
        return False
    shear(o, d, &r)
    t, i, j = first, first_cell(&y, first), first_cell(&x, first)
    while 0 <= i < y.n and 0 <= j < x.n and t <= last:
        if i // BLOCK * map.blocks_x + j // BLOCK != block:
            block = i // BLOCK * map.blocks_x + j // BLOCK
            i_end, j_end = block_end(&y, i), block_end(&x, j)
            next_x, next_y = leaves(&x, j_end), leaves(&y, i_end)
            end = next_x if next_x < next_y else next_y
            end = end if end < last else last
            if map.top[block] < lowest(o.z, d.z, t, end) - hair:
                if next_x < next_y:
                    t, i, j = next_x, next_cell(&y, i, i_end, next_x), j_end + x.to
                else:
                    t, i, j = next_y, i_end + y.to, next_cell(&x, j, j_end + x.to, next_y)
                continue
        next_x, next_y = leaves(&x, j), leaves(&y, i)
        end = next_x if next_x < next_y else next_y
        end = end if end < last else last
        if max(half_top(map, one_cell(i, j), 0), half_top(map, one_cell(i, j), 1)) >= lowest(o.z, d.z, t, end) - hair:
            if enter_cell(map, &r, i, j, e):
                return e.distance <= most
        if next_x < next_y:
            t, j = next_x, j + x.to
        else:
            t, i = next_y, i + y.to
            if not next_y < next_x:
                j += x.to
    return False
