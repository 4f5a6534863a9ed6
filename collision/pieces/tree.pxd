# The triangles of a mesh that reach into a box, and a ball.

from rbdyn.collision.kernels.triangle cimport TriangleData, corner
from rbdyn.collision.kernels.vectors cimport norm3
from rbdyn.collision.shapes.bounding_tree cimport TreeNode
from rbdyn.collision.shapes.mesh cimport MeshData
from rbdyn.spatial._algebra cimport Vec3, dot3, sub3, vec3


cdef enum:
    DEPTH = 80                     # of a tree, at most: shapes/bounding_tree.pyx

cdef struct TreeWalk:
    Vec3 low, high                 # corners of the box [m]
    Vec3 centre                    # of a ball [m]
    double reach                   # radius of the ball, squared [m^2]
    int[DEPTH] waiting             # nodes to be looked at
    int n_waiting
    int next, end                  # triangles of the leaf that is being looked at


cdef inline Vec3 vertex_of(const MeshData* mesh, int v) noexcept nogil:
    """[m], in the frame of the mesh."""
    return vec3(mesh.vertices[3 * v], mesh.vertices[3 * v + 1], mesh.vertices[3 * v + 2])


cdef inline double most_along_in_mesh(const TriangleData* t, int k, Vec3 n) noexcept nogil:
    """How much the edges from corner k lead along n, at most."""
    cdef const MeshData* mesh = <const MeshData*> t.whole.data
    cdef Vec3 x = corner(t, k), e
    cdef double most = -1.0
    cdef int i, v = t.vertex[k]
    for i in range(mesh.ring_start[v], mesh.ring_start[v + 1]):
        e = sub3(vertex_of(mesh, mesh.ring[i]), x)
        most = max(most, dot3(n, e) / norm3(e))
    return most


cdef inline void begin_tree(
        TreeWalk* w, const MeshData* mesh, Vec3 low, Vec3 high, Vec3 centre, double radius) noexcept nogil:
    w.low, w.high, w.centre, w.reach = low, high, centre, radius * radius
    w.waiting[0], w.n_waiting = 0, 1
    w.next = w.end = 0


cdef inline double beyond(double x, double low, double high) noexcept nogil:
    """Distance of a number from an interval."""
    return max(0.0, max(low - x, x - high))


cdef inline bint reaches(const TreeNode* node, const TreeWalk* w) noexcept nogil:
    cdef double x, y, z
    if not (node.low[0] <= w.high.x and node.high[0] >= w.low.x and node.low[1] <= w.high.y
            and node.high[1] >= w.low.y and node.low[2] <= w.high.z and node.high[2] >= w.low.z):
        return False
    x = beyond(w.centre.x, node.low[0], node.high[0])
    y = beyond(w.centre.y, node.low[1], node.high[1])
    z = beyond(w.centre.z, node.low[2], node.high[2])
    return x * x + y * y + z * z <= w.reach


cdef inline bint is_within(const double* a, const double* b, const double* c, double low, double high) noexcept nogil:
    """Along one axis."""
    return min(a[0], min(b[0], c[0])) <= high and max(a[0], max(b[0], c[0])) >= low


cdef inline bint triangle_reaches(const TreeWalk* w, const MeshData* mesh, int k) noexcept nogil:
    cdef const double* a = mesh.vertices + 3 * mesh.faces[3 * k]
    cdef const double* b = mesh.vertices + 3 * mesh.faces[3 * k + 1]
    cdef const double* c = mesh.vertices + 3 * mesh.faces[3 * k + 2]
    return (is_within(a, b, c, w.low.x, w.high.x) and is_within(a + 1, b + 1, c + 1, w.low.y, w.high.y)
            and is_within(a + 2, b + 2, c + 2, w.low.z, w.high.z))


cdef inline void fill_from_mesh(const MeshData* mesh, int k, TriangleData* t) noexcept nogil:
    """Triangle k."""
    cdef int i, v
    cdef const double* n = mesh.normals + 3 * k
    t.normal = vec3(n[0], n[1], n[2])
    t.one_sided, t.solid, t.most_along = mesh.one_sided, mesh.solid, most_along_in_mesh
    t.cells, t.grain = 1, mesh.grain
    for i in range(3):
        v = mesh.faces[3 * k + i]
        t.vertex[i] = v
        t.at[3 * i], t.at[3 * i + 1], t.at[3 * i + 2] = (
            mesh.vertices[3 * v], mesh.vertices[3 * v + 1], mesh.vertices[3 * v + 2])
        v = mesh.beyond[3 * k + i]
        t.open[i] = v < 0
        if v >= 0:
            t.beyond[i] = vertex_of(mesh, v)


cdef inline int next_in_tree(TreeWalk* w, const MeshData* mesh, TriangleData* t) noexcept nogil:
    cdef const TreeNode* node
    cdef int k
    while True:
        while w.next < w.end:
            k = w.next
            w.next += 1
            if triangle_reaches(w, mesh, k):
                fill_from_mesh(mesh, k, t)
                return k
        if w.n_waiting == 0:
            return -1
        w.n_waiting -= 1
        k = w.waiting[w.n_waiting]
        node = mesh.node + k
        if not reaches(node, w):
            continue
        if node.count > 0:
            w.next, w.end = node.first, node.first + node.count
        else:
            w.waiting[w.n_waiting], w.waiting[w.n_waiting + 1] = node.first, k + 1
            w.n_waiting += 2
