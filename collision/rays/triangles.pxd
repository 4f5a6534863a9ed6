# Rays into surfaces of triangles: a mesh, a height map.
#
# A surface is seen from the side that a ray comes from; one-sided ones, and height maps, only from in front.  No ray
# passes between two triangles that share a side.
#
# Sources: S. Woop, C. Benthin, I. Wald, Watertight ray/triangle intersection (Journal of Computer Graphics Techniques
# 2, 2013).  Cells along a ray: J. Amanatides, A. Woo, A fast voxel traversal algorithm for ray tracing (Eurographics,
# 1987).

from libc.math cimport INFINITY, fabs, floor, fmax, fmin

from rbdyn.collision.kernels.vectors cimport norm3
from rbdyn.collision.pieces.grid cimport grid_point, half_top
from rbdyn.collision.pieces.tree cimport DEPTH
from rbdyn.collision.rays.ray cimport Entrance, Span, slab
from rbdyn.collision.shapes.bounding_tree cimport TreeNode
from rbdyn.collision.shapes.height_map cimport HeightMapData
from rbdyn.collision.shapes.mesh cimport MeshData
from rbdyn.spatial._algebra cimport Vec3, cross3, dot3, neg3, scale3, sub3, vec3


cdef struct Ray:                   # sheared so that it runs along its largest axis
    double[3] o, inverse           # inverse: 1 / d along each axis
    int x, y, z                    # axes; z is the one along which it is longest
    double sx, sy, sz


cdef inline Ray sheared(Vec3 o, Vec3 d) noexcept nogil:
    cdef Ray r
    cdef double[3] v
    v[0], v[1], v[2] = d.x, d.y, d.z
    r.o[0], r.o[1], r.o[2] = o.x, o.y, o.z
    r.inverse[0], r.inverse[1], r.inverse[2] = 1.0 / d.x, 1.0 / d.y, 1.0 / d.z
    r.z = 0 if fabs(d.x) > fabs(d.y) else 1
    r.z = 2 if fabs(d.z) > fabs(v[r.z]) else r.z
    r.x, r.y = (r.z + 1) % 3, (r.z + 2) % 3
    if v[r.z] < 0.0:               # so that triangles keep their sense
        r.x, r.y = r.y, r.x
    r.sx, r.sy, r.sz = v[r.x] / v[r.z], v[r.y] / v[r.z], 1.0 / v[r.z]
    return r


cdef inline double meet_triangle(
        const Ray* r, const double* a, const double* b, const double* c, double hair, bint* front) noexcept nogil:
    """Where a ray meets a triangle, or what is within a hair (a share) of it, [m] along it; infinite if nowhere."""
    cdef double az = a[r.z] - r.o[r.z], bz = b[r.z] - r.o[r.z], cz = c[r.z] - r.o[r.z]
    cdef double ax = a[r.x] - r.o[r.x] - r.sx * az, ay = a[r.y] - r.o[r.y] - r.sy * az
    cdef double bx = b[r.x] - r.o[r.x] - r.sx * bz, by = b[r.y] - r.o[r.y] - r.sy * bz
    cdef double cx = c[r.x] - r.o[r.x] - r.sx * cz, cy = c[r.y] - r.o[r.y] - r.sy * cz
    cdef double u = cx * by - cy * bx, v = ax * cy - ay * cx, w = bx * ay - by * ax, all_ = u + v + w, t
    hair *= fabs(all_)
    if (u < -hair or v < -hair or w < -hair) and (u > hair or v > hair or w > hair):
        return INFINITY
    if all_ == 0.0:
        return INFINITY
    t = r.sz * (u * az + v * bz + w * cz) / all_
    front[0] = all_ > 0.0
    return t if t >= 0.0 else INFINITY


cdef inline double meet_box(const Ray* r, const TreeNode* n, double most) noexcept nogil:
    """Where a ray comes into a box, at least; infinite if it does not before `most`.  A little is let pass."""
    cdef double first = 0.0, last = most, s, t
    cdef int k
    for k in range(3):
        s, t = (n.low[k] - r.o[k]) * r.inverse[k], (n.high[k] - r.o[k]) * r.inverse[k]
        if s != s or t != t:       # it runs within a side of the box
            continue
        if s > t:
            s, t = t, s
        t *= 1.0 + 1e-15
        first, last = s if s > first else first, t if t < last else last
    return first if first <= last else INFINITY


cdef inline bint enter_mesh(const MeshData* mesh, Vec3 o, Vec3 d, double most, Entrance* e) noexcept nogil:
    """Whether a ray meets a triangle of a mesh before `most`, and where first."""
    cdef Ray r = sheared(o, d)
    cdef int[DEPTH] waiting
    cdef double[DEPTH] begins
    cdef const TreeNode* node
    cdef double t, left, right
    cdef int k, n = 1, found = -1, near, far
    cdef bint front = False, seen_front = True
    waiting[0], begins[0] = 0, meet_box(&r, mesh.node, most)
    while n > 0:
        n -= 1
        if begins[n] > most or begins[n] == INFINITY:
            continue
        near = waiting[n]
        node = mesh.node + near
        if node.count == 0:                      # the nearer half is looked at first
            near, far = near + 1, node.first
            left, right = meet_box(&r, mesh.node + near, most), meet_box(&r, mesh.node + far, most)
            if right < left:
                near, far, left, right = far, near, right, left
            waiting[n], begins[n], waiting[n + 1], begins[n + 1] = far, right, near, left
            n += 2
            continue
        for k in range(node.first, node.first + node.count):
            t = meet_triangle(&r, mesh.vertices + 3 * mesh.faces[3 * k], mesh.vertices + 3 * mesh.faces[3 * k + 1],
                              mesh.vertices + 3 * mesh.faces[3 * k + 2], 0.0, &front)
            if t < most or (t == most and found < 0):
                if front or not mesh.one_sided:
                    most, found, seen_front = t, k, front
    if found < 0:
        return False
    e.distance = most
    e.normal = vec3(mesh.normals[3 * found], mesh.normals[3 * found + 1], mesh.normals[3 * found + 2])
    if not seen_front:
        e.normal = neg3(e.normal)
    return True


cdef inline bint enter_cell(const HeightMapData* map, const Ray* r, int i, int j, Entrance* e) noexcept nogil:
    """Whether a ray comes from above into the ground within a cell, or a hair beside it, and where.

    A ray that runs along a side of cells is followed through one of them only, whichever rounding has it in.
    """
    cdef double[12] p
    cdef Vec3 x, n
    cdef double t
    cdef int k, half, second
    cdef bint front = False
    for k in range(4):
        x = grid_point(map, i + (k >> 1), j + (k & 1))
        p[3 * k], p[3 * k + 1], p[3 * k + 2] = x.x, x.y, x.z
    e.distance = INFINITY
    for half in range(2):                        # (0, 1, 3), (0, 3, 2)
        second = 3 if half else 1
        t = meet_triangle(r, p, p + 3 * second, p + (6 if half else 9), 1e-9, &front)
        if t < e.distance and front:
            e.distance = t
            n = cross3(vec3(p[3 * second] - p[0], p[3 * second + 1] - p[1], p[3 * second + 2] - p[2]),
                       vec3(p[6 if half else 9] - p[0], p[7 if half else 10] - p[1], p[8 if half else 11] - p[2]))
            e.normal = scale3(1.0 / norm3(n), n)
    return e.distance < INFINITY


cdef inline bint enter_height_map(const HeightMapData* map, Vec3 o, Vec3 d, double most, Entrance* e) noexcept nogil:
    """Whether a ray comes from above into a height map before `most`, and where first: cell after cell."""
    cdef Ray r = sheared(o, d)
    cdef Span sx = slab(o.x, d.x, -map.x_0), sy = slab(o.y, d.y, -map.y_0)
    cdef Span sz = slab(o.z - 0.5 * (map.low + map.high), d.z, 0.5 * (map.high - map.low) * (1.0 + 1e-12) + 1e-12)
    cdef double first = fmax(fmax(0.0, sz.first), fmax(sx.first, sy.first)), last = fmin(most, fmin(sz.last, fmin(
        sx.last, sy.last))), next_x, next_y, step_x, step_y, t, leaves
    cdef int i, j, to_i, to_j
    if not first <= last:
        return False
    j = <int> fmin(map.nx - 2, fmax(0.0, floor((o.x + first * d.x - map.x_0) / map.dx)))
    i = <int> fmin(map.ny - 2, fmax(0.0, floor((o.y + first * d.y - map.y_0) / map.dy)))
    to_j, to_i = 1 if d.x >= 0.0 else -1, 1 if d.y >= 0.0 else -1
    step_x = map.dx / fabs(d.x) if d.x != 0.0 else INFINITY
    step_y = map.dy / fabs(d.y) if d.y != 0.0 else INFINITY
    next_x = (map.x_0 + (j + (to_j > 0)) * map.dx - o.x) / d.x if d.x != 0.0 else INFINITY
    next_y = (map.y_0 + (i + (to_i > 0)) * map.dy - o.y) / d.y if d.y != 0.0 else INFINITY
    t = first
    while 0 <= i < map.ny - 1 and 0 <= j < map.nx - 1 and t <= last:
        # the ray is lowest where it leaves the cell or comes in
        leaves = next_x if next_x < next_y else next_y
        leaves = leaves if leaves < last else last
        if max(half_top(map, i, j, 0), half_top(map, i, j, 1)) >= o.z + d.z * (
                leaves if d.z < 0.0 else t) - 1e-9 * (fabs(o.z) + map.high - map.low):
            if enter_cell(map, &r, i, j, e):
                return e.distance <= most
        if next_x < next_y:
            t, next_x, j = next_x, next_x + step_x, j + to_j
        else:
            t, next_y, i = next_y, next_y + step_y, i + to_i
    return False
