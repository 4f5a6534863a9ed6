# Rays into meshes, several in turn: each takes a step, and asks for the memory of its next one while others go on.
#
# What a ray waits for is memory, and what it finds there, more than sums: of rays one by one the processor would see
# the next step of one alone.

from libc.math cimport INFINITY, fabs
from libc.stdint cimport int64_t
from libc.string cimport memcpy

from rbdyn.collision.kernels.vectors cimport norm3
from rbdyn.collision.rays.beam cimport (
    Beam, Waiting, begin_beam, beyond, fetch_ahead, lowest_bit, nearest_box, next_box,
)
from rbdyn.collision.rays.ray cimport Entrance
from rbdyn.collision.rays.triangles cimport Ray, meet_box, meet_triangle, shear
from rbdyn.collision.shapes.mesh cimport MeshData
from rbdyn.collision.shapes.wide_tree cimport BOXES, WideNode
from rbdyn.spatial._algebra cimport Vec3, cross3, scale3, vec3


cdef extern from *:
    """
    #if defined(__GNUC__) && defined(__x86_64__)
    #define RBDYN_EIGHT_FLOATS __attribute__((target("avx2"), noinline, flatten))
    #define has_eight_floats() __builtin_cpu_supports("avx2")
    #else
    #define RBDYN_EIGHT_FLOATS
    #define has_eight_floats() 0
    #endif
    """
    # of a function: it and what it calls in instructions on eight floats, or four doubles, which have the same bits
    ctypedef void eight_floats "RBDYN_EIGHT_FLOATS void"
    bint has_eight_floats() noexcept nogil      # whether the processor knows them


cdef enum:
    LEAF = 4                       # triangles of a leaf, at most: shapes/bounding_tree.pyx
    LINE = 64                      # [bytes] of memory that come at once


cdef struct Walk:                  # of a ray through the tree of a mesh
    Ray ray
    Beam beam
    Waiting waiting
    double begin                   # where it comes into the box around all [m]
    double most                    # where it meets `found`; where it ends if that is -1 [m]
    double front                   # positive: from in front
    int found                      # the nearest triangle that it has met, -1: none
    int first, count               # of its next step: a leaf's first triangle and how many; if count is 0, the node


cdef inline void meet_leaf(Walk* w, const MeshData* mesh) noexcept nogil:
    """Note the triangle of a leaf that the ray meets first, if it comes before what it has met."""
    cdef double[LEAF] t, fronts
    cdef const double* v = mesh.vertices
    cdef const int* f = mesh.faces
    cdef double least = 0.0 if mesh.one_sided else -<double> INFINITY
    cdef int64_t[LEAF] bits        # numbers that are not negative grow as their bits do
    cdef int64_t nearest
    cdef int k, j, which = 0
    for k in range(LEAF):
        j = 3 * (w.first + (k if k < w.count else w.count - 1))    # the last one again, where there are fewer
        t[k] = meet_triangle(&w.ray, v + 3 * f[j], v + 3 * f[j + 1], v + 3 * f[j + 2], 0.0, &fronts[k])
        t[k] = t[k] if fronts[k] > least else <double> INFINITY
    memcpy(bits, t, sizeof(t))
    nearest = bits[0]
    for k in range(1, LEAF):       # no branches that no processor foresees
        which = k if bits[k] < nearest else which
        nearest = bits[k] if bits[k] < nearest else nearest
    if t[which] <= w.most and t[which] < INFINITY:
        w.most, w.front, w.found = t[which], fronts[which], w.first + which


cdef inline bint begin_walk(Walk* w, const MeshData* mesh, Vec3 o, Vec3 d, double most) noexcept nogil:
    """A ray at the mesh; False if it does not meet the box around all before `most`."""
    cdef double[3] at
    shear(o, d, &w.ray)
    w.begin = meet_box(&w.ray, mesh.node, most)
    if w.begin == INFINITY:
        return False
    # boxes are asked from where it comes to the first one on, so that single precision is enough for rays from afar
    at[0], at[1], at[2] = o.x + w.begin * d.x, o.y + w.begin * d.y, o.z + w.begin * d.z
    begin_beam(&w.beam, at, w.ray.inverse, 1e-15 * (fabs(o.x) + fabs(o.y) + fabs(o.z) + w.begin), mesh.node)
    w.most, w.found, w.waiting.n, w.first, w.count = most, -1, 0, 0, 0
    return True


cdef inline void fetch_step(const Walk* w, const MeshData* mesh) noexcept nogil:
    """Ask for the memory of the next step."""
    cdef const char* at = <const char*> mesh.wide
    cdef size_t k = 0
    if w.count == 0:
        at += w.first * sizeof(WideNode)
        while k < sizeof(WideNode):
            fetch_ahead(at + k)
            k += LINE
    else:
        fetch_ahead(mesh.faces + 3 * w.first)
        fetch_ahead(mesh.faces + 3 * (w.first + w.count) - 1)


cdef inline bint take_step(Walk* w, const MeshData* mesh) noexcept nogil:
    """Look into a leaf or a node, and find the next one; False if there is none."""
    cdef const WideNode* node
    cdef float most
    cdef int box = -1
    if w.count > 0:
        meet_leaf(w, mesh)
    most = beyond(w.most, w.begin)
    if w.count == 0:
        box = nearest_box(&w.waiting, mesh.wide, w.first, &w.beam, most)
    if box < 0:
        box = next_box(&w.waiting, most)
    if box < 0:
        return False
    node = mesh.wide + box // BOXES
    w.first, w.count = node.first[box % BOXES], node.count[box % BOXES]
    fetch_step(w, mesh)
    return True


cdef inline void take_turns(Walk* w, int n, const MeshData* mesh) noexcept nogil:
    """A step of each walk, and again, until all have ended."""
    cdef unsigned going = (<unsigned> 1 << n) - 1, left
    cdef int k
    while going != 0:
        left = going
        while left != 0:
            k = lowest_bit(left)
            left &= left - 1
            if not take_step(w + k, mesh):
                going &= ~(<unsigned> 1 << k)


cdef inline eight_floats take_wide_turns(Walk* w, int n, const MeshData* mesh) noexcept nogil:
    """The same."""
    take_turns(w, n, mesh)


cdef inline void walk_in_turn(Walk* w, int n, const MeshData* mesh) noexcept nogil:
    """Walks that have begun, 31 at most, to their ends."""
    if has_eight_floats():
        take_wide_turns(w, n, mesh)
    else:
        take_turns(w, n, mesh)


cdef inline Vec3 normal_of(const double* vertex, const int* face, double front) noexcept nogil:
    """Unit normal of a triangle, turned round where `front` is negative; its corners have just been read."""
    cdef const double* a = vertex + 3 * face[0]
    cdef const double* b = vertex + 3 * face[1]
    cdef const double* c = vertex + 3 * face[2]
    cdef Vec3 n = cross3(vec3(b[0] - a[0], b[1] - a[1], b[2] - a[2]), vec3(c[0] - a[0], c[1] - a[1], c[2] - a[2]))
    cdef double size = norm3(n)
    return scale3(1.0 / (size if front > 0.0 else -size), n)


cdef inline bint is_entrance(const Walk* w, const MeshData* mesh, Entrance* e) noexcept nogil:
    """Whether a walk that has ended has met a triangle, and where."""
    if w.found < 0:
        return False
    e.distance = w.most
    e.normal = normal_of(mesh.vertices, mesh.faces + 3 * w.found, w.front)
    return True


cdef inline bint enter_mesh(const MeshData* mesh, Vec3 o, Vec3 d, double most, Entrance* e) noexcept nogil:
    """Whether a ray meets a triangle of a mesh before `most`, and where first."""
    cdef Walk w
    if not begin_walk(&w, mesh, o, d, most):
        return False
    walk_in_turn(&w, 1, mesh)
    return is_entrance(&w, mesh, e)
