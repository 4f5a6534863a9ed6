"""Rays into all shapes: their bounding spheres first, then what they are."""

import numpy as np

from libc.math cimport INFINITY
from libc.stdlib cimport free

from rbdyn.collision._types cimport (
    BOX, CAPSULE, CYLINDER, ELLIPSOID, HALF_SPACE, HEIGHT_MAP, HULL, MESH, SPHERE, ShapeRecord,
)
from rbdyn.collision.rays.flat cimport enter_box, enter_half_space, enter_hull
from rbdyn.collision.rays.ray cimport Entrance
from rbdyn.collision.rays.round cimport enter_ball, enter_capsule, enter_cylinder, enter_ellipsoid
from rbdyn.collision.rays.triangles cimport enter_height_map, enter_mesh
from rbdyn.collision.shape_table cimport compose_pose
from rbdyn.collision.shapes.box cimport BoxData
from rbdyn.collision.shapes.capsule cimport CapsuleData
from rbdyn.collision.shapes.convex_hull cimport HullData
from rbdyn.collision.shapes.cylinder cimport CylinderData
from rbdyn.collision.shapes.ellipsoid cimport EllipsoidData
from rbdyn.collision.shapes.height_map cimport HeightMapData
from rbdyn.collision.shapes.mesh cimport MeshData
from rbdyn.collision.shapes.sphere cimport SphereData
from rbdyn.collision.signals cimport check_signals
from rbdyn.memory cimport grow
from rbdyn.spatial._algebra cimport Vec3, add3, dot3, mul3, sub3, tmul3, vec3

cdef enum:
    RAYS_A_LOOK = 256              # rays cast between two looks for signals

cdef struct Target:                # a shape that rays may see
    Vec3 center                    # of its bounding sphere, world [m]
    double radius                  # [m]; infinite of a half-space
    Pose X                         # shape axes to world axes; origin, world [m]
    const ShapeRecord* s


cdef bint enter(const ShapeRecord* s, Vec3 o, Vec3 d, double length, Entrance* e) noexcept nogil:
    """Whether a ray, in the frame of the shape, enters it, and where; beyond its length it need not be known."""
    if s.kind == HALF_SPACE:
        return enter_half_space(o, d, e)
    if s.kind == SPHERE:
        return enter_ball(o, d, (<const SphereData*> s.data).radius, e)
    if s.kind == CAPSULE:
        return enter_capsule(<const CapsuleData*> s.data, o, d, e)
    if s.kind == BOX:
        return enter_box(<const BoxData*> s.data, o, d, e)
    if s.kind == CYLINDER:
        return enter_cylinder(<const CylinderData*> s.data, o, d, e)
    if s.kind == HULL:
        return enter_hull(<const HullData*> s.data, o, d, e)
    if s.kind == ELLIPSOID:
        return enter_ellipsoid(<const EllipsoidData*> s.data, o, d, e)
    if s.kind == MESH:
        return enter_mesh(<const MeshData*> s.data, o, d, length, e)
    if s.kind == HEIGHT_MAP:
        return enter_height_map(<const HeightMapData*> s.data, o, d, length, e)
    return False


cdef inline bint passes(const Target* t, Vec3 o, Vec3 d, double length) noexcept nogil:
    """Whether a ray stays out of the bounding sphere, or ends before it."""
    cdef Vec3 way = sub3(t.center, o)
    cdef double along = dot3(way, d), size = dot3(way, way)
    if size <= t.radius * t.radius:
        return False
    # a little more than the sphere: what is left out here is not looked at again
    return along < 0.0 or along - t.radius > length or size - along * along > (1.0 + 1e-9) * t.radius * t.radius + (
        1e-15 * size)


cdef inline bint meet(const Target* t, Vec3 o, Vec3 d, double length, Entrance* e) noexcept nogil:
    """Whether a ray enters a shape within its length; the normal is in world axes then."""
    if passes(t, o, d, length):
        return False
    if not enter(t.s, tmul3(t.X.R, sub3(o, t.X.p)), tmul3(t.X.R, d), length, e) or e.distance > length:
        return False
    e.normal = mul3(t.X.R, e.normal)
    return True


cdef int find_targets(const Table* table, const Pose* pose, uint64_t mask, set hidden, Target** target) except -1:
    """The shapes that rays may see, in the order of their ids; how many.  The caller frees them."""
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


cdef inline Vec3 row(const double[:, ::1] a, Py_ssize_t i) noexcept:
    return vec3(a[i, 0], a[i, 1], a[i, 2])


cdef tuple first_hits(const Table* table, const Pose* pose, const double[:, ::1] origin,
                      const double[:, ::1] direction, double length, uint64_t mask, set hidden):
    """What each ray meets first: distances [m], infinite for none; normals in world axes; ids of shapes, -1 for none.

    Of two shapes at the same distance the one with the lower id is seen.
    """
    cdef Py_ssize_t n = origin.shape[0], i
    cdef double[::1] distance = np.full(n, np.inf)
    cdef double[:, ::1] normal = np.zeros((n, 3))
    cdef int[::1] shape = np.full(n, -1, dtype=np.intc)
    cdef Target* target = NULL
    cdef Entrance e
    cdef Vec3 o, d
    cdef double left
    cdef int k, count
    try:
        count = find_targets(table, pose, mask, hidden, &target)
        for i in range(n):
            if i % RAYS_A_LOOK == RAYS_A_LOOK - 1:
                check_signals()
            o, d, left = row(origin, i), row(direction, i), length
            for k in range(count):
                if meet(target + k, o, d, left, &e) and e.distance < distance[i]:
                    distance[i] = left = e.distance
                    normal[i, 0], normal[i, 1], normal[i, 2] = e.normal.x, e.normal.y, e.normal.z
                    shape[i] = target[k].s.id
    finally:
        free(target)
    return np.asarray(distance), np.asarray(normal), np.asarray(shape)


cdef tuple all_hits(const Table* table, const Pose* pose, const double[:, ::1] origin, const double[:, ::1] direction,
                    double length, uint64_t mask, set hidden):
    """The same of all shapes that one ray enters, the nearest first."""
    cdef Target* target = NULL
    cdef Entrance e
    cdef int k, count
    found = []
    try:
        count = find_targets(table, pose, mask, hidden, &target)
        for k in range(count):
            if meet(target + k, row(origin, 0), row(direction, 0), length, &e):
                found.append((e.distance, target[k].s.id, (e.normal.x, e.normal.y, e.normal.z)))
    finally:
        free(target)
    found.sort()
    return (np.array([x[0] for x in found]), np.array([x[2] for x in found]).reshape(-1, 3),
            np.array([x[1] for x in found], dtype=np.intc))
