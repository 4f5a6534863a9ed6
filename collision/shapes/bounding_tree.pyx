"""Trees of boxes around triangles.

A node is cut where the surface area heuristic, asked at the borders of sixteen bins along each axis, costs least.
Source: I. Wald, On fast construction of SAH-based bounding volume hierarchies (IEEE Symposium on Interactive Ray
Tracing, 2007); C. Ericson, Real-Time Collision Detection (2005), section 6.2.
"""

import numpy as np

from libc.math cimport INFINITY, fabs, fmax, fmin

cdef enum:
    BINS = 16
    LEAF = 4                       # triangles of a leaf, at most
    DEEP = 40                      # nodes below this depth are halved by number

NODE = np.dtype([("low", np.float32, 3), ("high", np.float32, 3), ("first", np.intc), ("count", np.intc)])

cdef struct Box:
    double[3] low, high

cdef struct Building:              # a tree that is being built
    const double* low              # (m, 3) of each triangle's box [m]
    const double* high             # (m, 3)
    int* order                     # (m,) triangles, those of a node side by side
    TreeNode* node
    int n


cdef void begin_box(Box* box) noexcept nogil:
    cdef int k
    for k in range(3):
        box.low[k], box.high[k] = INFINITY, -INFINITY


cdef void widen(Box* box, const double* low, const double* high) noexcept nogil:
    cdef int k
    for k in range(3):
        box.low[k], box.high[k] = fmin(box.low[k], low[k]), fmax(box.high[k], high[k])


cdef double surface(const Box* box) noexcept nogil:
    """Half of it [m^2]; 0 of an empty box."""
    cdef double x = box.high[0] - box.low[0], y = box.high[1] - box.low[1], z = box.high[2] - box.low[2]
    return x * y + y * z + z * x if x >= 0.0 else 0.0


cdef double middle(const Building* b, int triangle, int axis) noexcept nogil:
    """Twice the coordinate of the middle of its box [m]."""
    return b.low[3 * triangle + axis] + b.high[3 * triangle + axis]


cdef int bin_of(double x, double low, double high) noexcept nogil:
    return <int> fmin(BINS - 1.0, fmax(0.0, BINS * ((x - low) / (high - low))))


cdef double cheapest(
        const Building* b, int first, int count, int axis, double low, double high, int* cut) noexcept nogil:
    """The least cost of a cut between bins along an axis, and the first bin beyond it; infinite if there is none."""
    cdef Box[BINS] box
    cdef int[BINS] number
    cdef double[BINS] above
    cdef Box all_
    cdef double cost, best = INFINITY
    cdef int k, t, i, n = 0
    for k in range(BINS):
        begin_box(&box[k])
        number[k] = 0
    for i in range(first, first + count):
        t = b.order[i]
        k = bin_of(middle(b, t, axis), low, high)
        widen(&box[k], b.low + 3 * t, b.high + 3 * t)
        number[k] += 1
    begin_box(&all_)
    for k in range(BINS - 1, 0, -1):         # cost of what lies from each bin on
        widen(&all_, box[k].low, box[k].high)
        n += number[k]
        above[k] = n * surface(&all_) if n else INFINITY
    begin_box(&all_)
    n = 0
    for k in range(1, BINS):
        widen(&all_, box[k - 1].low, box[k - 1].high)
        n += number[k - 1]
        cost = n * surface(&all_) + above[k] if n else INFINITY
        if cost < best:
            best = cost
            cut[0] = k
    return best


cdef int divide(Building* b, int first, int count, int depth) noexcept nogil:
    """Put the triangles of one half of a node first; how many they are."""
    cdef double[3] low, high
    cdef double cost, best = INFINITY
    cdef int axis = 0, cut = 0, k, i, end, t, where = 0
    for k in range(3):
        low[k], high[k] = INFINITY, -INFINITY
        for i in range(first, first + count):
            low[k] = fmin(low[k], middle(b, b.order[i], k))
            high[k] = fmax(high[k], middle(b, b.order[i], k))
        if high[k] > low[k] and depth < DEEP:
            cost = cheapest(b, first, count, k, low[k], high[k], &cut)
            if cost < best:
                best, axis, where = cost, k, cut
    if best == INFINITY:                     # all in one place, or too deep
        return count // 2
    i, end = first, first + count
    while i < end:
        if bin_of(middle(b, b.order[i], axis), low[axis], high[axis]) < where:
            i += 1
        else:
            end -= 1
            t = b.order[i]
            b.order[i], b.order[end] = b.order[end], t
    return i - first


cdef void write_box(const Building* b, TreeNode* node, int first, int count) noexcept nogil:
    """Rounded outwards: the rounding to single precision moves a corner by 6e-8 of its size."""
    cdef Box box
    cdef int i, k
    begin_box(&box)
    for i in range(first, first + count):
        widen(&box, b.low + 3 * b.order[i], b.high + 3 * b.order[i])
    for k in range(3):
        node.low[k] = <float> (box.low[k] - 1.2e-7 * fabs(box.low[k]) - 1e-37)
        node.high[k] = <float> (box.high[k] + 1.2e-7 * fabs(box.high[k]) + 1e-37)


cdef void build(Building* b, int first, int count, int depth) noexcept nogil:
    """The node of these triangles, and all below it."""
    cdef TreeNode* node = &b.node[b.n]
    cdef int half
    b.n += 1
    write_box(b, node, first, count)
    node.first, node.count = first, count
    if count > LEAF:
        half = divide(b, first, count, depth)
        build(b, first, half, depth + 1)
        node.first, node.count = b.n, 0
        build(b, first + half, count - half, depth + 1)


cdef int build_tree(const double* low, const double* high, int* order, int n, TreeNode* node) noexcept nogil:
    """A tree over n >= 1 boxes, corners (n, 3); how many nodes it has, of 2 n.  `order` holds 0 to n - 1 before."""
    cdef Building b
    b.low, b.high, b.order, b.node, b.n = low, high, order, node, 0
    build(&b, 0, n, 0)
    return b.n


def bounding_tree(vertices, faces):
    """The tree over triangles.

    Parameters
    ----------
    vertices : (n, 3) ndarray of float
        [m].
    faces : (m, 3) ndarray of int
        Corner numbers, m >= 1.

    Returns
    -------
    nodes : (k,) structured ndarray
        TreeNode, the first one around all.
    order : (m,) ndarray of int32
        Numbers of the triangles in the order in which the leaves hold them.
    """
    corners = vertices[faces]
    cdef const double[:, ::1] low = np.ascontiguousarray(corners.min(axis=1))
    cdef const double[:, ::1] high = np.ascontiguousarray(corners.max(axis=1))
    cdef int[::1] order = np.arange(len(faces), dtype=np.intc)
    nodes = np.zeros(2 * len(faces), dtype=NODE)
    cdef unsigned char[::1] raw = nodes.view(np.uint8)
    cdef int n
    with nogil:
        n = build_tree(&low[0, 0], &high[0, 0], &order[0], <int> order.shape[0], <TreeNode*> &raw[0])
    return nodes[:n].copy(), np.asarray(order)
