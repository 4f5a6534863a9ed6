# The shapes that stay where they are: a tree of boxes, built once, in which each of the others looks for what is near.
#
# Bodies that are not dynamic stand in it until one of them is found elsewhere than it was: it is built anew then.  What
# moves by itself, or again and again, leaves it for the sweep.

from rbdyn.collision._types cimport Pose
from rbdyn.collision.shape_table cimport Table
from rbdyn.collision.shapes.bounding_tree cimport TreeNode
from rbdyn.memory cimport Arena

cdef enum:
    MOST_MOVES = 8                 # found elsewhere more often, a shape is swept
    FIXED_DEPTH = 80               # of the tree, at most: shapes/bounding_tree.pyx

cdef struct Fixed:
    int n, n_node
    int* slot                      # (n,) slots of the table
    Pose* seen                     # (n,) where their bodies were when the tree was built
    int* moves                     # (table.n,) how often each was found elsewhere
    double* low                    # (n, 3) corners of their boxes, world [m]
    double* high
    int* order                     # (n,) numbers of shapes as the leaves hold them
    TreeNode* node                 # (n_node,)

cdef struct FixedWalk:             # through what may be near a box
    float[3] low, high             # [m]
    int[FIXED_DEPTH] waiting       # nodes to be looked at
    int n_waiting
    int next, end                  # of the leaf that is being looked at

cdef void lay_out_fixed(Fixed* f, Arena* memory, int n) noexcept nogil
cdef bint are_as_seen(Fixed* f, const Table* table, const Pose* body_pose, const double* travel) noexcept nogil
cdef void build_fixed(Fixed* f, const Table* table, const Pose* body_pose, const Pose* world_pose) noexcept nogil


cdef inline void begin_fixed(FixedWalk* w, const Fixed* f) noexcept nogil:
    """Set out; the box is set already."""
    w.waiting[0], w.n_waiting = 0, 1 if f.n > 0 else 0
    w.next = w.end = 0


cdef inline bint overlaps(const TreeNode* node, const float* low, const float* high) noexcept nogil:
    return (node.low[0] <= high[0] and node.high[0] >= low[0] and node.low[1] <= high[1] and node.high[1] >= low[1]
            and node.low[2] <= high[2] and node.high[2] >= low[2])


cdef inline bint is_near(const double* a_low, const double* a_high, const float* low, const float* high) noexcept nogil:
    return (a_low[0] <= high[0] and a_high[0] >= low[0] and a_low[1] <= high[1] and a_high[1] >= low[1]
            and a_low[2] <= high[2] and a_high[2] >= low[2])


cdef inline int next_fixed(FixedWalk* w, const Fixed* f) noexcept nogil:
    """The slot of the next shape whose box overlaps; -1: there is none."""
    cdef const TreeNode* node
    cdef int k
    while True:
        while w.next < w.end:
            k = f.order[w.next]
            w.next += 1
            if is_near(f.low + 3 * k, f.high + 3 * k, w.low, w.high):
                return f.slot[k]
        if w.n_waiting == 0:
            return -1
        w.n_waiting -= 1
        k = w.waiting[w.n_waiting]
        node = f.node + k
        if not overlaps(node, w.low, w.high):
            continue
        if node.count > 0:
            w.next, w.end = node.first, node.first + node.count
        else:
            w.waiting[w.n_waiting], w.waiting[w.n_waiting + 1] = node.first, k + 1
            w.n_waiting += 2
