"""A shape, or some, beside all others of a table: probe.pxd."""

from libc.math cimport INFINITY, NAN, fmin
from libc.stdlib cimport free

import numpy as np

from rbdyn.collision._types cimport HALF_SPACE, HEIGHT_MAP, N_KINDS, PosedShape, ShapeRecord
from rbdyn.collision.bounds cimport centre_of
from rbdyn.collision.broad_phase.filters cimport may_collide
from rbdyn.collision.contact_buffer cimport raise_full, sort_contacts
from rbdyn.collision.kernels.nearest cimport Nearest
from rbdyn.collision.kernels.support.own_function cimport check_functions
from rbdyn.collision.kernels.vectors cimport axis_z, norm3
from rbdyn.collision.nearest cimport find_meeting, find_nearest
from rbdyn.collision.pair_table cimport collide, pair_table
from rbdyn.collision.record cimport measure, pose_at
from rbdyn.collision.shape_table cimport compose_pose
from rbdyn.collision.signals cimport check_signals
from rbdyn.collision.sink cimport Sink, begin_sink
from rbdyn.collision.targets cimport Target, find_targets
from rbdyn.spatial._algebra cimport Vec3, dot3, scale3, sub3, vec3

from rbdyn.errors import CollisionError

cdef enum:
    LOOK = 64                      # poses between two looks for signals


cdef int check_bounded(object shape, const ShapeRecord* s) except -1:
    if s.kind == <int> HALF_SPACE or s.kind == <int> HEIGHT_MAP:
        raise CollisionError(f"a {shape.kind} cannot be what is asked about: it is without end")
    return 0


cdef bint is_beyond(const PosedShape* a, const Target* t, double reach) noexcept nogil:
    """Whether bounding spheres alone say that a target is farther than `reach` [m]."""
    cdef Vec3 apart = sub3(centre_of(a), t.center)
    if t.s.kind == HALF_SPACE:
        return dot3(axis_z(&t.X.R), apart) > a.s.bounds.radius + reach
    return norm3(apart) > a.s.bounds.radius + t.radius + reach


cdef bint is_beside(const PosedShape* a, const Target* t, Vec3 way, double most) noexcept nogil:
    """Whether bounding spheres alone say that a target is not met within a share of the way."""
    cdef Vec3 apart = sub3(t.center, centre_of(a)), near
    cdef double length2 = dot3(way, way), share, r
    if t.s.kind == HALF_SPACE:
        return False
    share = dot3(apart, way) / length2 if length2 > 0.0 else 0.0
    share = min(max(share, 0.0), most)
    near = sub3(apart, scale3(share, way))
    r = a.s.bounds.radius + t.radius
    return dot3(near, near) > r * r * (1.0 + 1e-9)


cdef void write(double[:, ::1] out, int k, const Nearest* at) noexcept:
    out[k, 0] = at.distance
    out[k, 1], out[k, 2], out[k, 3] = at.on_a.x, at.on_a.y, at.on_a.z
    out[k, 4], out[k, 5], out[k, 6] = at.on_b.x, at.on_b.y, at.on_b.z
    out[k, 7], out[k, 8], out[k, 9] = at.normal.x, at.normal.y, at.normal.z


cdef void write_none(double[:, ::1] out, int k) noexcept:
    cdef int i
    out[k, 0] = INFINITY
    for i in range(1, 7):
        out[k, i] = NAN
    out[k, 7] = out[k, 8] = out[k, 9] = 0.0


cdef tuple nearest_of(const Table* table, const Pose* pose, shape, const double[:, :, ::1] poses, uint64_t mask,
                      set hidden, double reach):
    """Of a shape at each pose: distance, points and normal (n, 10) of what is nearest within reach; its id, or -1."""
    cdef Py_ssize_t n = poses.shape[0], k
    cdef ShapeRecord record
    cdef PosedShape a, b
    cdef Pose X
    cdef Nearest at, best
    cdef Target* target = NULL
    cdef double[:, ::1] out = np.empty((n, 10))
    cdef int[::1] ids = np.full(n, -1, dtype=np.intc)
    cdef int i, count, which
    alive = measure(&record, shape)
    check_bounded(shape, &record)
    a.s, a.X = &record, &X
    try:
        count = find_targets(table, pose, mask, hidden, &target)
        for k in range(n):
            pose_at(poses, k, "pose", &X)
            which, best.distance = -1, INFINITY
            with nogil:
                for i in range(count):
                    if is_beyond(&a, target + i, fmin(best.distance, reach)):
                        continue
                    b.s, b.X = target[i].s, &target[i].X
                    find_nearest(&a, &b, &at)
                    if at.distance < best.distance and at.distance <= reach:
                        best, which = at, i
            check_functions()
            if which < 0:
                write_none(out, k)
            else:
                write(out, k, &best)
                ids[k] = target[which].s.id
            if k % LOOK == LOOK - 1:
                check_signals()
    finally:
        free(target)
    del alive
    return np.asarray(out), np.asarray(ids)


cdef tuple first_met(const Table* table, const Pose* pose, shape, const double[:, :, ::1] poses,
                     const double[:, ::1] ways, uint64_t mask, set hidden):
    """Of a shape that goes a way from each pose: the share of it (n,), where, and along which normal (n, 10) it meets
    the first; its id, or -1.  Of two at once the one with the lower id."""
    cdef Py_ssize_t n = ways.shape[0], k
    cdef ShapeRecord record
    cdef PosedShape a, b
    cdef Pose X
    cdef Nearest at, best
    cdef Target* target = NULL
    cdef double[:, ::1] out = np.empty((n, 10))
    cdef double[::1] share = np.full(n, np.inf)
    cdef int[::1] ids = np.full(n, -1, dtype=np.intc)
    cdef Vec3 way
    cdef double t, most
    cdef int i, count, which
    alive = measure(&record, shape)
    check_bounded(shape, &record)
    a.s, a.X = &record, &X
    try:
        count = find_targets(table, pose, mask, hidden, &target)
        for k in range(n):
            pose_at(poses, k if poses.shape[0] > 1 else 0, "pose", &X)
            way = vec3(ways[k, 0], ways[k, 1], ways[k, 2])
            which, most = -1, 1.0
            with nogil:
                for i in range(count):
                    if is_beside(&a, target + i, way, most):
                        continue
                    b.s, b.X = target[i].s, &target[i].X
                    if find_meeting(&a, &b, way, most, &t, &at) and (which < 0 or t < most):
                        best, most, which = at, t, i
            check_functions()
            if which < 0:
                write_none(out, k)
            else:
                write(out, k, &best)
                share[k], ids[k] = most, target[which].s.id
            if k % LOOK == LOOK - 1:
                check_signals()
    finally:
        free(target)
    del alive
    return np.asarray(share), np.asarray(out), np.asarray(ids)


cdef list all_near(const Table* table, const Pose* pose, shape, const double[:, :, ::1] poses, uint64_t mask,
                   set hidden, double reach):
    """Of a shape at each pose: ids of the shapes that are no farther than `reach` [m]."""
    cdef Py_ssize_t n = poses.shape[0], k
    cdef ShapeRecord record
    cdef PosedShape a, b
    cdef Pose X
    cdef Nearest at
    cdef Target* target = NULL
    cdef int i, count
    alive = measure(&record, shape)
    check_bounded(shape, &record)
    a.s, a.X = &record, &X
    found = []
    try:
        count = find_targets(table, pose, mask, hidden, &target)
        for k in range(n):
            pose_at(poses, k, "pose", &X)
            near = []
            for i in range(count):
                if is_beyond(&a, target + i, reach):
                    continue
                b.s, b.X = target[i].s, &target[i].X
                with nogil:
                    find_nearest(&a, &b, &at)
                if at.distance <= reach:
                    near.append(target[i].s.id)
            found.append(near)
            check_functions()
            if k % LOOK == LOOK - 1:
                check_signals()
    finally:
        free(target)
    del alive
    return found


cdef tuple nearest_between(const Table* table, const Pose* pose, set ids_a, set ids_b):
    """What is nearest of two sets of shapes: distance, points, normal (1, 10), and their ids."""
    cdef PosedShape a, b
    cdef Pose X, Y
    cdef Nearest at, best
    cdef double[:, ::1] out = np.empty((1, 10))
    cdef int i, j, id_a = -1, id_b = -1
    best.distance = INFINITY
    for i in range(table.n):
        if table.shape[i].id not in ids_a:
            continue
        a.s, a.X = &table.shape[i], &X
        compose_pose(pose + a.s.body, a.s, &X)
        for j in range(table.n):
            if table.shape[j].id not in ids_b or i == j:
                continue
            b.s, b.X = &table.shape[j], &Y
            if has_none(a.s, b.s):
                continue
            compose_pose(pose + b.s.body, b.s, &Y)
            if gap_of_spheres(&a, &b) >= best.distance:
                continue
            find_nearest(&a, &b, &at)
            if at.distance < best.distance:
                best, id_a, id_b = at, a.s.id, b.s.id
        check_signals()
    check_functions()
    if id_a < 0:
        write_none(out, 0)
    else:
        write(out, 0, &best)
    return np.asarray(out), id_a, id_b


cdef bint has_none(const ShapeRecord* a, const ShapeRecord* b) noexcept nogil:
    """Whether two shapes have no distance, as both are without end."""
    return ((a.kind == HALF_SPACE and (b.kind == HALF_SPACE or b.kind == HEIGHT_MAP))
            or (a.kind == HEIGHT_MAP and b.kind == HALF_SPACE))


cdef double gap_of_spheres(const PosedShape* a, const PosedShape* b) noexcept nogil:
    if a.s.kind == HALF_SPACE or b.s.kind == HALF_SPACE:
        return -INFINITY
    return norm3(sub3(centre_of(a), centre_of(b))) - a.s.bounds.radius - b.s.bounds.radius


cdef int meet(const Table* table, const Pose* pose, int low, int high, double margin, Sink* sink) except -1 nogil:
    """The contacts of two shapes, by slot, the lower one first."""
    cdef PosedShape a, b
    cdef Pose X, Y
    a.s, a.X, b.s, b.X = table.shape + low, &X, table.shape + high, &Y
    compose_pose(pose + a.s.body, a.s, &X)
    compose_pose(pose + b.s.body, b.s, &Y)
    if gap_of_spheres(&a, &b) > margin:
        return 0
    sink.a, sink.b = a.s, b.s
    collide(pair_table(), N_KINDS, &a, &b, margin, sink)
    if sink.full:
        raise_full(sink.out)
    return 0


cdef int contacts_of(const Table* table, const Pose* pose, const char* moved, double margin, bint first,
                     ContactBuffer* out) except -1 nogil:
    cdef Sink sink
    cdef int i, j
    out.n = 0
    begin_sink(&sink, out)
    for i in range(table.n):
        if not moved[i]:
            continue
        for j in range(table.n):
            if (moved[j] and j <= i) or not may_collide(table, i, j):
                continue
            meet(table, pose, min(i, j), max(i, j), margin, &sink)
            if first and out.n > 0:
                return 0
        check_signals()
    check_functions()
    sort_contacts(out)
    return 0


cdef int contacts_among(const Table* table, const Pose* pose, const int* slot, int n, double margin,
                        ContactBuffer* out) except -1 nogil:
    cdef Sink sink
    cdef int i, j
    out.n = 0
    begin_sink(&sink, out)
    for i in range(n):
        for j in range(i):
            if may_collide(table, slot[i], slot[j]):
                meet(table, pose, min(slot[i], slot[j]), max(slot[i], slot[j]), margin, &sink)
        check_signals()
    check_functions()
    sort_contacts(out)
    return 0
