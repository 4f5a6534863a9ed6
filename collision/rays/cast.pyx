"""Rays into all shapes: their bounding spheres first, then what they are."""

from concurrent import futures

import numpy as np

from libc.math cimport INFINITY, NAN, fabs, sqrt
from libc.stdlib cimport free
from libc.string cimport memset

from rbdyn.collision._types cimport (
    BOX, BOX_CORE, CAPSULE, CONE, CYLINDER, ELLIPSOID, HALF_SPACE, HEIGHT_MAP, HULL, MESH, SPHERE, SUPPORT, PosedShape,
    ShapeRecord,
)
from rbdyn.collision.kernels.convex_cast cimport convex_cast
from rbdyn.collision.kernels.nearest cimport Nearest
from rbdyn.collision.kernels.support.own_function cimport check_functions
from rbdyn.collision.rays.beam cimport fetch_ahead
from rbdyn.collision.rays.flat cimport enter_box, enter_half_space, enter_hull
from rbdyn.collision.rays.mesh_walk cimport Walk, begin_walk, enter_mesh, is_entrance, walk_in_turn
from rbdyn.collision.rays.order cimport order_of_rays
from rbdyn.collision.rays.ray cimport Entrance, without_underflow
from rbdyn.collision.rays.round cimport enter_ball, enter_capsule, enter_cone, enter_cylinder, enter_ellipsoid
from rbdyn.collision.rays.triangles cimport enter_height_map
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
from rbdyn.spatial._algebra cimport Vec3, add3, dot3, eye3, mul3, scale3, sub3, tmul3, vec3, zero3

cdef enum:
    RAYS_A_LOOK = 256              # rays cast between two looks for signals
    AT_ONCE = 8                    # rays that are cast together


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


cdef struct Seeing:                # a ray, and what it has seen first until now
    Vec3 o, d, normal              # world [m], world axes
    double left                    # how far it goes yet [m]
    double distance                # [m]; infinite: it has seen nothing
    int target                     # number of what it has seen, -1: nothing


cdef inline Vec3 from_shape(const Target* t, Vec3 o) noexcept nogil:
    """A place in the frame of the shape [m]."""
    return tmul3(t.X.R, sub3(o, t.X.p))


cdef inline Vec3 along_shape(const Target* t, Vec3 d) noexcept nogil:
    """A direction in the axes of the shape."""
    return without_underflow(tmul3(t.X.R, d))


cdef inline bint meet(const Target* t, Vec3 o, Vec3 d, double length, Entrance* e) noexcept nogil:
    """Whether a ray enters a shape within its length; the normal is in world axes then."""
    if passes(t, o, d, length) or not enter(t.s, from_shape(t, o), along_shape(t, d), length, e):
        return False
    if e.distance > length:
        return False
    e.normal = mul3(t.X.R, e.normal)
    return True


cdef inline void note(Seeing* ray, const Entrance* e, int target) noexcept nogil:
    """See an entrance, with its normal in world axes, if it is nearer than what the ray has seen."""
    if e.distance < ray.distance:
        ray.distance, ray.left, ray.normal, ray.target = e.distance, e.distance, e.normal, target


cdef void see_mesh(const Target* t, int number, Seeing* ray, int n) noexcept nogil:
    """What rays, AT_ONCE at most, see of a mesh."""
    cdef const MeshData* mesh = <const MeshData*> t.s.data
    cdef Walk[AT_ONCE] walk
    cdef int[AT_ONCE] whose
    cdef Entrance e
    cdef int k, count = 0
    for k in range(n):
        if not passes(t, ray[k].o, ray[k].d, ray[k].left) and begin_walk(
                &walk[count], mesh, from_shape(t, ray[k].o), along_shape(t, ray[k].d), ray[k].left):
            whose[count] = k
            count += 1
    walk_in_turn(walk, count, mesh)
    for k in range(count):
        if is_entrance(&walk[k], mesh, &e):
            e.normal = mul3(t.X.R, e.normal)
            note(ray + whose[k], &e, number)


cdef inline Vec3 row(const double[:, ::1] a, Py_ssize_t i) noexcept nogil:
    return vec3(a[i, 0], a[i, 1], a[i, 2])


cdef inline void write_row(double[:, ::1] a, Py_ssize_t i, Vec3 x) noexcept nogil:
    a[i, 0], a[i, 1], a[i, 2] = x.x, x.y, x.z


cdef class RayBatch:
    """Rays, the shapes that they may see, and what they met: distances, places, normals, which of the shapes."""
    cdef Target* target
    cdef int n_target
    cdef const double[:, ::1] origin, direction
    cdef const int[::1] order                    # in which they are cast
    cdef double length
    cdef double[::1] distance
    cdef double[:, ::1] position, normal
    cdef Py_ssize_t[::1] seen                    # number of the target, -1: none

    def __dealloc__(self):
        free(self.target)

    cdef void begin(self, Py_ssize_t i, Seeing* ray) noexcept nogil:
        ray.o, ray.d, ray.normal = row(self.origin, i), row(self.direction, i), zero3()
        ray.left, ray.distance, ray.target = self.length, INFINITY, -1

    cdef void fetch(self, Py_ssize_t i) noexcept nogil:
        """Ask for the memory of a ray and of what it will have met."""
        fetch_ahead(&self.origin[i, 0])
        fetch_ahead(&self.direction[i, 0])
        fetch_ahead(&self.distance[i])
        fetch_ahead(&self.position[i, 0])
        fetch_ahead(&self.normal[i, 0])
        fetch_ahead(&self.seen[i])

    cdef void write(self, Py_ssize_t i, const Seeing* ray) noexcept nogil:
        self.distance[i], self.seen[i] = ray.distance, ray.target
        write_row(self.normal, i, ray.normal)
        write_row(self.position, i, add3(ray.o, scale3(ray.distance, ray.d)) if ray.target >= 0 else (
            vec3(NAN, NAN, NAN)))

    cdef void cast(self, Py_ssize_t place, int n) noexcept nogil:
        """Those n rays, AT_ONCE at most, that follow a place in their order."""
        cdef Seeing[AT_ONCE] ray
        cdef const Target* t
        cdef Entrance e
        cdef int i, k
        for i in range(n):
            self.begin(self.order[place + i], &ray[i])
        for i in range(n, min(2 * n, <int> (self.order.shape[0] - place))):
            self.fetch(self.order[place + i])
        for k in range(self.n_target):
            t = self.target + k
            if t.s.kind == MESH:
                see_mesh(t, k, ray, n)
                continue
            for i in range(n):
                if meet(t, ray[i].o, ray[i].d, ray[i].left, &e):
                    note(&ray[i], &e, k)
        for i in range(n):
            self.write(self.order[place + i], &ray[i])

    def run(self, Py_ssize_t begin, Py_ssize_t end):
        """Cast the rays from `begin` up to `end` in their order; with the interpreter's lock for signals only."""
        cdef Py_ssize_t last
        cdef int n
        while begin < end:
            last = min(begin + RAYS_A_LOOK, end)
            with nogil:
                while begin < last:
                    n = <int> min(last - begin, <Py_ssize_t> AT_ONCE)
                    self.cast(begin, n)
                    begin += n
            check_signals()
        check_functions()

    cdef list number(self):
        """Ids of the shapes that were met; `seen` holds their numbers among these then."""
        cdef Py_ssize_t[::1] among = np.full(self.n_target + 1, -1)   # the last one for rays that meet nothing
        cdef Py_ssize_t i
        cdef int k
        for i in range(self.seen.shape[0]):
            if self.seen[i] >= 0:
                among[self.seen[i]] = 0
        met = [k for k in range(self.n_target) if among[k] == 0]
        for k in range(len(met)):
            among[met[k]] = k
        for i in range(self.seen.shape[0]):
            self.seen[i] = among[self.seen[i] if self.seen[i] >= 0 else self.n_target]
        return [self.target[k].s.id for k in met]


cdef tuple first_hits(const Table* table, const Pose* pose, const double[:, ::1] origin,
                      const double[:, ::1] direction, double length, uint64_t mask, set hidden, int threads):
    """What each ray meets first: distances [m], infinite for none; places; normals; which of the shapes; their ids.

    Places and normals are in world axes; of a ray that meets nothing, NaN and zero, and -1 for the shape.  Of two
    shapes at the same distance the one with the lower id is seen.  Each ray is on its own, so that neither threads
    nor the order in which they are cast change a bit.
    """
    cdef Py_ssize_t n = origin.shape[0], share
    cdef RayBatch batch = RayBatch.__new__(RayBatch)
    batch.n_target = find_targets(table, pose, mask, hidden, &batch.target)
    batch.origin, batch.direction, batch.length = origin, direction, length
    batch.order = order_of_rays(origin, direction)
    distance, position, normal, seen = np.empty(n), np.empty((n, 3)), np.empty((n, 3)), np.empty(n, dtype=np.intp)
    batch.distance, batch.position, batch.normal, batch.seen = distance, position, normal, seen
    share = -(-n // threads) if threads > 1 else n
    if share >= n:
        batch.run(0, n)
    else:
        begins = range(0, n, share)
        with futures.ThreadPoolExecutor(len(begins)) as pool:
            list(pool.map(batch.run, begins, [min(begin + share, n) for begin in begins]))
    return distance, position, normal, seen, batch.number()


cdef tuple all_hits(const Table* table, const Pose* pose, const double[:, ::1] origin, const double[:, ::1] direction,
                    double length, uint64_t mask, set hidden):
    """All shapes that one ray enters, the nearest first: distances, normals and ids."""
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


def unit_rows(rows):
    """Directions of unit length.

    Parameters
    ----------
    rows : (n, 3) ndarray of float
        Finite.

    Returns
    -------
    directions : (n, 3) ndarray
        Fresh.
    zero : int
        The first row that has no direction, -1 if all have one.
    """
    cdef const double[:, ::1] given = np.ascontiguousarray(rows)
    out = np.empty((given.shape[0], 3))
    cdef double[:, ::1] unit = out
    cdef Vec3 d
    cdef double most
    cdef Py_ssize_t i
    for i in range(given.shape[0]):
        d = row(given, i)
        most = max(fabs(d.x), max(fabs(d.y), fabs(d.z)))
        if most == 0.0:
            return out, i
        d = vec3(d.x / most, d.y / most, d.z / most)      # squares neither overflow nor vanish
        most = sqrt(dot3(d, d))
        write_row(unit, i, vec3(d.x / most, d.y / most, d.z / most))
    return out, -1
