"""The shapes that a query may see: targets.pxd."""

from libc.math cimport INFINITY

from rbdyn.collision._types cimport HALF_SPACE
from rbdyn.collision.shape_table cimport compose_pose
from rbdyn.memory cimport grow
from rbdyn.spatial._algebra cimport add3, mul3


cdef int find_targets(const Table* table, const Pose* pose, uint64_t mask, set hidden, Target** target) except -1:
    """Those with a bit of the mask that are not hidden, in the order of their ids; how many.  The caller frees them."""
    cdef size_t room = 0
    cdef const ShapeRecord* s
    cdef Target* t
    cdef int k, n = 0
    grow(<void**> target, &room, table.n, sizeof(Target))
    for k in range(table.n):
        s = table.shape + k
        if not s.group & mask or s.id in hidden:
            continue
        t = target[0] + n
        t.s = s
        compose_pose(pose + s.body, s, &t.X)
        t.center = add3(t.X.p, mul3(t.X.R, s.bounds.center))
        t.radius = INFINITY if s.kind == HALF_SPACE else s.bounds.radius
        n += 1
    return n
