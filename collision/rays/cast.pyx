"""Rays into all shapes: their bounding spheres first, then what they are."""

from concurrent import futures

import numpy as np

from libc.math cimport sqrt
from libc.stdlib cimport free
from libc.string cimport memset

from rbdyn.collision._types cimport (
    BOX, BOX_CORE, CAPSULE, CONE, CYLINDER, ELLIPSOID, HALF_SPACE, HEIGHT_MAP, HULL, MESH, SPHERE, SUPPORT, PosedShape,
    ShapeRecord,
)
from rbdyn.collision.kernels.convex_cast cimport convex_cast
from rbdyn.collision.kernels.nearest cimport Nearest
from rbdyn.collision.kernels.support.own_function cimport check_functions
from rbdyn.collision.rays.flat cimport enter_box, enter_half_space, enter_hull
from rbdyn.collision.rays.ray cimport Entrance, without_underflow
from rbdyn.collision.rays.round cimport enter_ball, enter_capsule, enter_cone, enter_cylinder, enter_ellipsoid
from rbdyn.collision.rays.triangles cimport enter_height_map, enter_mesh
from rbdyn.collision.shapes.box cimport BoxData
from rbdyn.collision.shapes.capsule cimport CapsuleData
from rbdyn.collision.shapes.cone cimport ConeData
from rbdyn.collision.shapes.convex_hull cimport HullData
from rbdyn.collision.shapes.cylinder cimport CylinderData
from rbdyn.collision.shapes.ellipsoid cimport EllipsoidData
from rbdyn.collision.shapes.height_map cimport HeightMapData
from rbdyn.collision.shapes.mesh cimport MeshData
from rbdyn.collision.shapes.sphere cimport SphereData
from rbdyn.collision.signals cimport check_signals
from rbdyn.collision.targets cimport Target, find_targets
from rbdyn.spatial._algebra cimport Vec3, dot3, eye3, mul3, scale3, sub3, tmul3, vec3, zero3

cdef enum:
    RAYS_A_LOOK = 256              # rays cast between two looks for signals


cdef bint enter_convex(const ShapeRecord* s, Vec3 o, Vec3 d, Entrance* e) noexcept nogil:
    """Whether a point that is shifted along a ray, in the frame of the shape, meets a shape that has a core."""
    cdef ShapeRecord point
    cdef Pose X, home
    cdef PosedShape a, b
    cdef Nearest at
    cdef Vec3 way = sub3(s.bounds.center, o)
    cdef double far = sqrt(dot3(way, way)) + 2.0 * s.bounds.radius, t
    memset(&point, 0, sizeof(ShapeRecord))
    point.core, point.kind = BOX_CORE, SPHERE
    X.R = home.R = eye3()
    X.p, home.p = o, zero3()
    a.s, a.X, b.s, b.X = &point, &X, s, &home
    if not convex_cast(&a, &b, scale3(far, d), 1.0, &t, &at) or t == 0.0:
        return False
    e.distance, e.normal = t * far, at.normal
    return True


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
    if s.kind == CONE:
        return enter_cone(<const ConeData*> s.data, o, d, e)
    if s.kind == SUPPORT:
        return enter_convex(s, o, d, e)
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
    if not enter(t.s, tmul3(t.X.R, sub3(o, t.X.p)), without_underflow(tmul3(t.X.R, d)), length, e):
        return False
    if e.distance > length:
        return False
    e.normal = mul3(t.X.R, e.normal)
    return True


cdef inline Vec3 row(const double[:, ::1] a, Py_ssize_t i) noexcept nogil:
    return vec3(a[i, 0], a[i, 1], a[i, 2])


cdef class RayBatch:
    """Rays, the shapes that they may see, and what they met: distances, normals, ids of shapes."""
    cdef Target* target
    cdef int n_target
    cdef const double[:, ::1] origin, direction
    cdef double length
    cdef double[::1] distance
    cdef double[:, ::1] normal
    cdef int[::1] shape

    def __dealloc__(self):
        free(self.target)

    cdef void cast(self, Py_ssize_t begin, Py_ssize_t end) noexcept nogil:
        """The rays from `begin` on, up to `end`."""
        cdef Py_ssize_t i
        cdef Entrance e
        cdef Vec3 o, d
        cdef double left
        cdef int k
        for i in range(begin, end):
            o, d, left = row(self.origin, i), row(self.direction, i), self.length
            for k in range(self.n_target):
                if meet(self.target + k, o, d, left, &e) and e.distance < self.distance[i]:
                    self.distance[i] = left = e.distance
                    self.normal[i, 0], self.normal[i, 1], self.normal[i, 2] = e.normal.x, e.normal.y, e.normal.z
                    self.shape[i] = self.target[k].s.id

    def run(self, Py_ssize_t begin, Py_ssize_t end):
        """The same without the interpreter's lock, but for a look for signals now and then."""
        cdef Py_ssize_t i
        for i in range(begin, end, RAYS_A_LOOK):
            with nogil:
                self.cast(i, min(i + RAYS_A_LOOK, end))
            check_signals()
        check_functions()


cdef tuple first_hits(const Table* table, const Pose* pose, const double[:, ::1] origin,
                      const double[:, ::1] direction, double length, uint64_t mask, set hidden, int threads):
    """What each ray meets first: distances [m], infinite for none; normals in world axes; ids of shapes, -1 for none.

    Of two shapes at the same distance the one with the lower id is seen.  Each ray is on its own, so that threads
    change no bit.
    """
    cdef Py_ssize_t n = origin.shape[0], share
    cdef RayBatch batch = RayBatch.__new__(RayBatch)
    batch.n_target = find_targets(table, pose, mask, hidden, &batch.target)
    batch.origin, batch.direction, batch.length = origin, direction, length
    distance, normal, shape = np.full(n, np.inf), np.zeros((n, 3)), np.full(n, -1, dtype=np.intc)
    batch.distance, batch.normal, batch.shape = distance, normal, shape
    share = -(-n // threads) if threads > 1 else n
    if share >= n:
        batch.run(0, n)
    else:
        begins = range(0, n, share)
        with futures.ThreadPoolExecutor(len(begins)) as pool:
            list(pool.map(batch.run, begins, [min(begin + share, n) for begin in begins]))
    return distance, normal, shape


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
        check_functions()
    finally:
        free(target)
    found.sort()
    return (np.array([x[0] for x in found]), np.array([x[2] for x in found]).reshape(-1, 3),
            np.array([x[1] for x in found], dtype=np.intc))
