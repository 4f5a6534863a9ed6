"""Shapes that stay where they are: fixed.pxd."""

from libc.string cimport memcmp

from rbdyn.collision._types cimport Pose, ShapeRecord
from rbdyn.collision.bounds cimport half_extent
from rbdyn.collision.shapes.bounding_tree cimport TreeNode, build_tree
from rbdyn.memory cimport place
from rbdyn.spatial._algebra cimport Vec3, add3, mul3, sub3


cdef void lay_out_fixed(Fixed* f, Arena* memory, int n) noexcept nogil:
    """Lists of n shapes."""
    f.slot = <int*> place(memory, n, sizeof(int))
    f.seen = <Pose*> place(memory, n, sizeof(Pose))
    f.moves = <int*> place(memory, n, sizeof(int))
    f.low = <double*> place(memory, 3 * n, sizeof(double))
    f.high = <double*> place(memory, 3 * n, sizeof(double))
    f.order = <int*> place(memory, n, sizeof(int))
    f.node = <TreeNode*> place(memory, 2 * n, sizeof(TreeNode))


cdef bint are_as_seen(Fixed* f, const Table* table, const Pose* body_pose, const double* travel) noexcept nogil:
    """Whether all of them are where they were; those that are not are counted."""
    cdef int k, slot
    cdef bint same = True
    for k in range(f.n):
        slot = f.slot[k]
        if travel[slot] > 0.0:
            f.moves[slot] = MOST_MOVES
            same = False
        elif memcmp(&f.seen[k], &body_pose[table.shape[slot].body], sizeof(Pose)) != 0:
            f.moves[slot] += 1
            same = False
    return same


cdef void build_fixed(Fixed* f, const Table* table, const Pose* body_pose, const Pose* world_pose) noexcept nogil:
    """The tree over those in `slot`, as they are now; their world poses are known."""
    cdef int k
    cdef const ShapeRecord* s
    cdef const Pose* X
    cdef Vec3 c, h, low, high
    for k in range(f.n):
        s = &table.shape[f.slot[k]]
        X = &world_pose[f.slot[k]]
        f.seen[k] = body_pose[s.body]
        f.order[k] = k
        c, h = add3(X.p, mul3(X.R, s.bounds.center)), half_extent(&s.bounds, &X.R)
        low, high = sub3(c, h), add3(c, h)
        f.low[3 * k], f.low[3 * k + 1], f.low[3 * k + 2] = low.x, low.y, low.z
        f.high[3 * k], f.high[3 * k + 1], f.high[3 * k + 2] = high.x, high.y, high.z
    f.n_node = build_tree(f.low, f.high, f.order, f.n, f.node) if f.n > 0 else 0
