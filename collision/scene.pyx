"""What a backend written in Python sees of one step, and what it writes."""

from collections import namedtuple

from libc.math cimport isfinite, sqrt
from libc.string cimport memcpy

import numpy as np

from rbdyn.collision._types cimport ContactPoint
from rbdyn.collision.broad_phase.sweep cimport find_pairs
from rbdyn.collision.contact_buffer cimport push_contact
from rbdyn.collision.shape_table cimport compose_pose, find_slot
from rbdyn.spatial._algebra cimport Motion, Vec3, neg3, scale3, vec3, zero3

from rbdyn.arguments import shown
from rbdyn.errors import CollisionError, unknown_name

ShapeInfo = namedtuple("ShapeInfo", ["id", "shape", "body", "pose"])
ShapeInfo.__doc__ = "One shape of a backend: its id, the shape, its body, its pose in that body (4, 4)."

CONTACT_DTYPE = np.dtype(
    [(name, np.intc) for name in ("shape_a", "shape_b", "body_a", "body_b", "feature")]
    + [("position", np.float64, 3), ("normal", np.float64, 3), ("depth", np.float64), ("to_a", np.float64, 3),
       ("to_b", np.float64, 3), ("time", np.float64), ("depth_then", np.float64), ("fast", np.intc)], align=True)
if CONTACT_DTYPE.itemsize != sizeof(ContactPoint):
    raise ImportError("CONTACT_DTYPE does not match the compiled ContactPoint")


cdef object matrix_of(const Pose* X):
    """A pose as a fresh (4, 4) array."""
    return np.array([[X.R.xx, X.R.xy, X.R.xz, X.p.x], [X.R.yx, X.R.yy, X.R.yz, X.p.y],
                     [X.R.zx, X.R.zy, X.R.zz, X.p.z], [0.0, 0.0, 0.0, 1.0]])


cdef object contact_array(const ContactBuffer* buffer):
    """The contacts as a fresh structured array."""
    cdef char[::1] raw
    array = np.empty(buffer.n, dtype=CONTACT_DTYPE)
    if buffer.n > 0:
        raw = array.view(np.int8)
        memcpy(&raw[0], buffer.point, <size_t>buffer.n * sizeof(ContactPoint))
    return array


cdef int read_vector(object values, str name, Vec3* out) except -1:
    """Three finite floats from any sequence."""
    try:
        x, y, z = values
        out[0] = vec3(x, y, z)
    except (TypeError, ValueError):
        raise CollisionError(f"{name} must hold three numbers, got {shown(values)}") from None
    if not (isfinite(out.x) and isfinite(out.y) and isfinite(out.z)):
        raise CollisionError(f"{name} must be finite, got {shown(values)}")
    return 0


cdef class CollisionScene:
    """One step as a Python backend sees it: poses and shapes to read, contacts to write.

    Made by the framework and passed to `CollisionBackend.detect`; dead afterwards: every use then raises
    CollisionError.  All arrays are copies.
    """

    cdef int live(self) except -1:
        if self.table == NULL:
            raise CollisionError("this CollisionScene is over: it may only be used inside detect()")
        return 0

    cdef const ShapeRecord* record(self, object id) except NULL:
        self.live()
        cdef int slot = find_slot(self.table, id) if isinstance(id, int) and 0 <= id < 2**31 else -1
        if slot < 0:
            raise unknown_name("shape id", id, self.shape_of, "the scene")
        return &self.table.shape[slot]

    cdef int pose_of(self, const ShapeRecord* s, Pose* X) except -1:
        compose_pose(&self.pose[s.body], s, X)
        return 0

    @property
    def margin(self):
        """Contacts with a gap below this are wanted too [m]."""
        self.live()
        return self.table.margin

    @property
    def poses(self):
        """World poses of the bodies, (n, 4, 4) [m]."""
        self.live()
        poses = np.empty((self.n, 4, 4))
        for i in range(self.n):
            poses[i] = matrix_of(&self.pose[i])
        return poses

    @property
    def motions(self):
        """How bodies move until the step's end, (n, 6), world axes: rotation vector [rad], displacement of origin [m].

        All zero where nobody said it.  A backend may leave it alone, and report what is nearer than `margin`.
        """
        self.live()
        cdef const Motion* m
        motions = np.zeros((self.n, 6))
        if self.paths.of != NULL:
            for i in range(self.n):
                m = &self.paths.of[i]
                motions[i] = m.w.x, m.w.y, m.w.z, m.v.x, m.v.y, m.v.z
        return motions

    @property
    def shapes(self):
        """Every shape, by ascending id: records with id, shape, body and pose (4, 4) in the body."""
        self.live()
        cdef int i
        infos = []
        for i in range(self.table.n):
            id = self.table.shape[i].id
            infos.append(ShapeInfo(id, self.shape_of[id][0], self.table.shape[i].body,
                                   matrix_of(&self.table.shape[i].local)))
        return infos

    def shape(self, id):
        """The shape with this id."""
        self.record(id)
        return self.shape_of[id][0]

    def body(self, id):
        """Index of the body that carries the shape with this id."""
        return self.record(id).body

    def world_pose(self, id):
        """World pose of the shape with this id, (4, 4) [m]."""
        cdef Pose X
        self.pose_of(self.record(id), &X)
        return matrix_of(&X)

    def pairs(self):
        """Pairs of ids that may touch, [(id_a, id_b), ...] with id_a < id_b, sorted.

        The filters allow them and their bounding volumes, grown by the margin and by their motions, overlap.
        """
        self.live()
        cdef int k
        find_pairs(self.broad, self.table, self.pose, self.paths)
        return [(self.table.shape[self.broad.pair[k].a].id, self.table.shape[self.broad.pair[k].b].id)
                for k in range(self.broad.n_pair)]

    @property
    def contacts(self):
        """The contacts written so far: a structured array, see `CollisionBackend.query`."""
        self.live()
        return contact_array(self.out)

    def add_contact(self, id_a, id_b, position, normal, depth, feature=0):
        """Report a contact.

        Parameters
        ----------
        id_a, id_b : int
            The two shapes, in either order.
        position : (3,) sequence of float
            World position, midway between the two surfaces [m].
        normal : (3,) sequence of float
            World, unit to 1e-6, pointing into shape `id_a`.
        depth : float
            Penetration [m]; negative: gap.
        feature : int
            Which contact of this pair; the same number in the next step means the same contact.

        Raises
        ------
        CollisionError
            If a value is not finite, the normal is not a unit vector, or both ids are the same.
        UnknownNameError
            If there is no such shape.
        """
        cdef const ShapeRecord* a
        cdef const ShapeRecord* b
        cdef Vec3 x, n
        cdef double d, length
        cdef int key
        cdef ContactPoint* point
        read_vector(position, "position", &x)
        read_vector(normal, "normal", &n)
        try:
            d = depth
            key = feature
        except (TypeError, OverflowError):
            raise CollisionError(f"depth must be a number [m] and feature an int, got {shown(depth)}, "
                                 f"{shown(feature)}") from None
        length = sqrt(n.x * n.x + n.y * n.y + n.z * n.z)
        if not isfinite(d):
            raise CollisionError(f"depth must be finite [m], got {shown(depth)}")
        if not abs(length - 1.0) < 1e-6:
            raise CollisionError(f"normal must have length 1, got {shown(normal)} of length {length:.9g}")
        n = scale3(1.0 / length, n)
        a, b = self.record(id_a), self.record(id_b)        # last: reading the values above may run a user's code
        if a == b:
            raise CollisionError(f"a contact needs two shapes, got {id_a} twice")
        if a.id > b.id:
            a, b, n = b, a, neg3(n)
        point = push_contact(self.out)
        point.shape_a, point.shape_b, point.body_a, point.body_b = a.id, b.id, a.body, b.body
        point.feature, point.position, point.normal, point.depth = key, x, n, d
        point.to_a = point.to_b = zero3()
        point.time = point.depth_then = -1.0
        point.fast = False
