"""Trees with eight boxes in a node, made from trees of halves.

The halves of a node take the place of the largest of its boxes until there are eight.  Source: I. Wald, C. Benthin,
S. Boulos, Getting rid of packets: efficient SIMD single-ray traversal using multi-branching BVHs (IEEE Symposium on
Interactive Ray Tracing, 2008).
"""

import numpy as np

from libc.math cimport INFINITY

WIDE_NODE = np.dtype([("side", np.float32, (6, BOXES)), ("first", np.intc, BOXES), ("count", np.intc, BOXES)])


cdef double surface(const TreeNode* n) noexcept nogil:
    """Half of it [m^2]."""
    cdef double x = n.high[0] - n.low[0], y = n.high[1] - n.low[1], z = n.high[2] - n.low[2]
    return x * y + y * z + z * x


cdef int largest(const TreeNode* node, const int* box, int n) noexcept nogil:
    """Which of these has halves, and the largest surface; -1 if none has."""
    cdef double best = -1.0
    cdef int k, found = -1
    for k in range(n):
        if node[box[k]].count == 0 and surface(node + box[k]) > best:
            best, found = surface(node + box[k]), k
    return found


cdef void write_side(WideNode* w, int k, const TreeNode* box) noexcept nogil:
    """Box k; NULL: one that no ray meets."""
    cdef int axis
    for axis in range(3):
        w.side[axis][k] = box.low[axis] if box is not NULL else <float> INFINITY
        w.side[axis + 3][k] = box.high[axis] if box is not NULL else <float> -INFINITY
    w.first[k] = box.first if box is not NULL else 0
    w.count[k] = box.count if box is not NULL else 0


cdef int write_node(const TreeNode* node, int at, WideNode* wide, int n) noexcept nogil:
    """The wide node of what is below node `at`, as number n, and all below it; how many there are then."""
    cdef int[BOXES] box
    cdef int k, count = 1, mine = n
    box[0] = at
    n += 1
    while count < BOXES:
        k = largest(node, box, count)
        if k < 0:
            break
        at = box[k]
        box[k], box[count] = at + 1, node[at].first
        count += 1
    for k in range(BOXES):
        write_side(&wide[mine], k, &node[box[k]] if k < count else NULL)
        if k < count and node[box[k]].count == 0:
            wide[mine].first[k] = n
            n = write_node(node, box[k], wide, n)
    return n


cdef int widen_tree(const TreeNode* node, WideNode* wide) noexcept nogil:
    """A wide tree from one of halves; how many nodes it has, no more than the other."""
    return write_node(node, 0, wide, 0)


def wide_tree(nodes):
    """The tree of a `bounding_tree` with eight boxes in a node.

    Parameters
    ----------
    nodes : (k,) structured ndarray
        TreeNode.

    Returns
    -------
    wide : (n,) structured ndarray
        WideNode, the first one around all.
    """
    wide = np.zeros(len(nodes), dtype=WIDE_NODE)
    cdef const unsigned char[::1] raw = nodes.view(np.uint8)
    cdef unsigned char[::1] out = wide.view(np.uint8)
    cdef int n
    with nogil:
        n = widen_tree(<const TreeNode*> &raw[0], <WideNode*> &out[0])
    return wide[:n].copy()
