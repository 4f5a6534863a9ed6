"""The base of every collision backend: the shape table, the filters, detection in C or in Python."""

from libc.stdint cimport uint64_t
from libc.string cimport memset

import numpy as np

from rbdyn.collision.broad_phase.filters cimport allow_pair, exclude_pair, forget_shape_pairs
from rbdyn.collision.broad_phase.sweep cimport broad_free
from rbdyn.collision.internal_edges cimport drop_ghosts, free_runs
from rbdyn.collision.record cimport body_index, filter_bits, measure, place, poses_array, read_pose, settle, take_pose
from rbdyn.collision.scene cimport CollisionScene, contact_array
from rbdyn.collision.shape_table cimport coming_id, find_slot, table_add, table_exchange, table_free, table_remove
from rbdyn.memory cimport Arena, close_arena, open_array
from rbdyn.spatial._algebra cimport Mat3, Motion, Vec3

from rbdyn.arguments import choice, number, shown
from rbdyn.errors import CollisionError, unknown_name


# ---- the class ---------------------------------------------------------------------------

cdef class CollisionBackend(Backend):
    """Finds the contacts between shapes that sit on bodies.

    This base holds the shapes and the filters.  A backend of your own overrides `detect` in
    Python, or `detect_c` in Cython; `rbdyn.testing.check_collision_backend` tells whether it
    is right.  Shapes on one body never collide, and neither do two shapes that are not dynamic.

    Parameters
    ----------
    margin : float
        Contacts with a gap below this are reported too [m].
    filter_rule : {"and", "or"}
        Whether both shapes must accept the other (`group & mask` not zero), or one is enough.

    Attributes
    ----------
    overridden : bool
        Whether a Python class redefines ``detect``.
    """

    def __cinit__(self, *args, **kwargs):
        buffer_init(&self.own)
        self._max_contacts = MAX_CONTACTS
        self._shapes = {}
        self.introduce(CollisionBackend, "detect", "collision backend", CollisionError)

    def __init__(self, *, margin=0.0, filter_rule="and"):
        self.margin = margin
        self.filter_rule = filter_rule

    def __dealloc__(self):
        table_free(&self.table)
        broad_free(&self.broad)
        buffer_free(&self.own)
        free_runs(&self.runs)

    def __reduce__(self):
        raise TypeError(f"{type(self).__name__} cannot be pickled: it belongs to one World")

    def __len__(self):
        return self.table.n

    # ---- settings

    @property
    def margin(self):
        """Contacts with a gap below this are reported too [m].  Default 0."""
        return self.table.margin

    @margin.setter
    def margin(self, value):
        margin = number(value, "margin", low=0.0, unit="[m]", error=CollisionError)
        self.check_settable(True)
        self.table.margin = margin

    @property
    def mesh(self):
        """How a `Mesh` collides: "triangles" as it is, "hull" as its convex hull; own backends may redefine it."""
        return "triangles"

    @property
    def max_contacts(self):
        """Contacts of one step beyond which CollisionError is raised, 131072 by default; each takes 3 kB in a World."""
        return self._max_contacts

    @max_contacts.setter
    def max_contacts(self, value):
        if isinstance(value, bool) or not isinstance(value, int) or not 0 < value <= 2**28:
            raise CollisionError(f"max_contacts must be an int, 1 to {2**28}, got {shown(value)}")
        self.check_settable(True)
        self._max_contacts = value

    @property
    def filter_rule(self):
        """"and": both shapes must accept the other; "or": one is enough."""
        return "or" if self.table.either else "and"

    @filter_rule.setter
    def filter_rule(self, value):
        either = choice(value, "filter_rule", ("and", "or"), error=CollisionError) == "or"
        self.check_settable(True)
        self.table.either = either
        self.table.revision += 1

    # ---- shapes

    cdef int _slot(self, object id) except -1:
        cdef int slot = find_slot(&self.table, id) if isinstance(id, int) and 0 <= id < 2**31 else -1
        if slot < 0:
            raise unknown_name("shape id", id, self._shapes, "the backend")
        return slot

    def add_shape(self, shape, body, pose=None, group=1, mask=-1, dynamic=True):
        """Put a shape on a body.

        Parameters
        ----------
        shape : Shape
            HalfSpace, Sphere, Box, Capsule, Cylinder, Cone, Ellipsoid, ConvexHull, SupportShape, Mesh or HeightMap.
        body : int
            Index of the body, 0 or more: its place among the poses of a query.
        pose : (4, 4) array_like of float, optional
            Pose of the shape in its body [m]; default: at its origin.
        group, mask : int
            Filter bits, 64 of them.  A accepts B if `group_B & mask_A` is not zero.
        dynamic : bool
            False for what never moves by itself: two such shapes do not collide.

        Returns
        -------
        id : int
            Larger than that of every shape; once more than half of the numbers below are free, the least of these.
            Numbers of shapes that were removed are given again.

        Raises
        ------
        CollisionError
            If an argument is wrong; nothing is added then.
        """
        cdef ShapeRecord s
        self.check_settable(False)
        s.body = body_index(body, "body")
        s.group = filter_bits(group, "group")
        s.mask = filter_bits(mask, "mask")
        s.dynamic, s.surroundings = bool(dynamic), False
        arrays = measure(&s, shape)
        place(&s, pose)
        s.id = coming_id(&self.table)
        table_add(&self.table, s)
        self._shapes[s.id] = (shape, arrays)
        return s.id

    def remove_shape(self, id):
        """Take the shape `id` away; the other ids stay valid.  UnknownNameError if there is no such shape."""
        self.check_settable(False)
        table_remove(&self.table, self._slot(id))
        forget_shape_pairs(&self.table, id)
        del self._shapes[id]

    def set_shape(self, id, shape):
        """Exchange a shape for another one, at the same pose in the same body, with the same filters.

        Parameters
        ----------
        id : int
            What `add_shape` returned; it stays.
        shape : Shape
            As `add_shape` takes it.

        Raises
        ------
        UnknownNameError, CollisionError
            If there is no such id, or `shape` is none; nothing changes then.
        """
        cdef int slot = self._slot(id)
        cdef ShapeRecord s = self.table.shape[slot]
        self.check_settable(False)
        arrays = measure(&s, shape)
        settle(&s)
        self.table.shape[slot], self._shapes[id] = s, (shape, arrays)
        self.table.revision += 1

    def set_shape_pose(self, id, pose):
        """Move a shape in its body.

        Parameters
        ----------
        id : int
            What `add_shape` returned.
        pose : (4, 4) array_like of float
            Pose of the shape in its body [m].

        Raises
        ------
        UnknownNameError, CollisionError
            If there is no such shape, or the pose is not a rigid transform; nothing changes then.
        """
        cdef int slot = self._slot(id)
        cdef ShapeRecord s = self.table.shape[slot]
        self.check_settable(False)
        place(&s, pose)
        self.table.shape[slot] = s
        self.table.revision += 1

    def move_shape(self, id, body, pose, dynamic=True):
        """Put a shape on another body, under the same id.

        Parameters
        ----------
        id : int
            What `add_shape` returned.
        body : int
            Index of the body, 0 or more.
        pose : (4, 4) array_like of float, or None
            Pose of the shape in that body [m]; None for the one that it had in the other.
        dynamic : bool
            As in `add_shape`.

        Raises
        ------
        UnknownNameError, CollisionError
            If there is no such shape, or an argument is wrong; nothing changes then.
        """
        cdef int slot = self._slot(id)
        cdef ShapeRecord s = self.table.shape[slot]
        self.check_settable(False)
        s.body, s.dynamic = body_index(body, "body"), bool(dynamic)
        if pose is not None:
            place(&s, pose)
        table_exchange(&self.table, slot, s)

    def set_group(self, id, group, mask):
        """Change the filter bits `group` and `mask` of the shape `id`; see `add_shape`."""
        cdef int slot = self._slot(id)
        cdef uint64_t g = filter_bits(group, "group"), m = filter_bits(mask, "mask")
        self.check_settable(False)
        self.table.shape[slot].group = g
        self.table.shape[slot].mask = m
        self.table.revision += 1

    def set_dynamic(self, body, flag):
        """Say of every shape now on the body of index `body` whether it is dynamic: `flag`, bool."""
        cdef int i, index = body_index(body, "body")
        self.check_settable(False)
        for i in range(self.table.n):
            if self.table.shape[i].body == index:
                self.table.shape[i].dynamic = bool(flag)
        self.table.revision += 1

    def exclude(self, body_a, body_b):
        """Never collide the shapes of the bodies of index `body_a` and `body_b`; a second time changes nothing."""
        cdef int a = body_index(body_a, "body_a"), b = body_index(body_b, "body_b")
        self.check_settable(False)
        if a != b:
            exclude_pair(&self.table, a, b)

    def allow(self, body_a, body_b):
        """Undo `exclude` for the bodies of index `body_a` and `body_b`; a second time changes nothing."""
        cdef int a = body_index(body_a, "body_a"), b = body_index(body_b, "body_b")
        self.check_settable(False)
        if a != b:
            allow_pair(&self.table, a, b)

    def __getattr__(self, name):
        if name == "include":            # a reserved word in Cython, so that no method can be given this name
            return self.allow
        raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")

    @property
    def ids(self):
        """Ids of the shapes, ascending."""
        cdef int i
        return [self.table.shape[i].id for i in range(self.table.n)]

    def shape(self, id):
        """The shape with this `id`; UnknownNameError if there is none."""
        self._slot(id)
        return self._shapes[id][0]

    # ---- detection

    def detect(self, CollisionScene scene not None):
        """Write this step's contacts into the scene: what backends in Python override.

        Overriding methods may call this one for what the base class finds.
        """
        scene.live()
        check_bodies(self, scene.n)
        self.detect_c(scene.pose, scene.paths, scene.n, scene.out)

    cdef int detect_c(self, const Pose* pose, BodyMotions motions, int n_bodies, ContactBuffer* out) except -1 nogil:
        with gil:
            self.check_complete()
            raise CollisionError(f"{type(self).__name__} has no detect_c() for super().detect() to call")

    def query(self, poses, motions=None):
        """Contacts for given body poses, without a World.

        Parameters
        ----------
        poses : (n, 4, 4) array_like of float
            World pose of each body [m]; n exceeds every body index in use.
        motions : (n, 6) array_like of float, optional
            How each body moves until the step's end, world axes: rotation vector [rad], displacement of its origin [m].
            Shapes that meet on the way are in contact.  Without it: those that are near now.

        Returns
        -------
        contacts : (m,) structured ndarray
            Sorted by (shape_a, shape_b, feature), with the fields shape_a, shape_b, body_a,
            body_b, feature, position (3,) [m], normal (3,) unit and into shape a, depth [m], to_a, to_b (3,) [m],
            time, depth_then [m] and fast.
            All vectors are in world axes.  Of shapes that meet later, position and normal are those of that time,
            -depth is the way that the gap may close, and to_a and to_b lead from the position to where it is, seen from
            each body as it will be then; time is the share of the step after which they meet, and depth_then their
            depth there.  Of those that are near now both are -1.  fast is 1 of those that come by more than half of the
            smaller one's radius.

        Raises
        ------
        CollisionError
            If a pose is not finite or not a rigid transform (it names the body), or is missing, or a motion not finite.
        """
        cdef int i, n
        cdef Pose* pose
        cdef Arena memory
        cdef BodyMotions paths
        cdef double[:, ::1] rows
        cdef const double[:, :, ::1] numbers = None
        self.check_complete()
        try:
            if isinstance(poses, (dict, set)):
                raise TypeError
            n = len(poses)
        except TypeError:
            raise CollisionError(f"poses must be an (n, 4, 4) array [m], got {shown(poses)}") from None
        paths.of, paths.calm, paths.beyond = NULL, NULL, 0.0
        if motions is not None:
            rows = _motion_rows(motions, n)
            paths.of = <const Motion*> &rows[0, 0] if n > 0 else NULL
        memset(&memory, 0, sizeof(Arena))
        pose = <Pose*> open_array(&memory, n, sizeof(Pose))
        try:
            plain = poses_array(poses)
            if plain is not None and n > 0:
                numbers = plain
            for i in range(n):
                if numbers is None or not take_pose(&numbers[i, 0, 0], &pose[i]):
                    read_pose(poses[i], f"pose of body {i}", &pose[i])
            self.hold()
            try:
                detect_contacts(self, pose, paths, n, &self.own)
                return contact_array(&self.own)
            finally:
                self.holder = 0
        finally:
            close_arena(&memory)


def _motion_rows(motions, n):
    """The motions of n bodies as an (n, 6) array; CollisionError if they are none."""
    try:
        rows = np.array(motions, dtype=np.float64, order="C")
    except (TypeError, ValueError):
        raise CollisionError(f"motions must be an ({n}, 6) array [rad, m], got {shown(motions)}") from None
    if rows.shape != (n, 6):
        raise CollisionError(f"motions must be an ({n}, 6) array [rad, m], got shape {rows.shape}")
    if not np.isfinite(rows).all():
        raise CollisionError("motions must be finite")
    return rows


# ---- the one call ------------------------------------------------------------------------

cdef int check_bodies(CollisionBackend backend, int n_bodies) except -1 nogil:
    if n_bodies < backend.table.n_bodies:
        with gil:
            raise CollisionError(f"shapes sit on bodies up to number {backend.table.n_bodies - 1}, "
                                 f"but only {n_bodies} poses were given")
    return 0


cdef int check_finite(const Pose* pose, int n) except -1 nogil:
    """Raise for the first body whose pose is not finite; 0 x is not 0 for infinities and NaN, nor for sums of them."""
    cdef int i
    cdef const Mat3* R
    cdef const Vec3* r
    for i in range(n):
        R, r = &pose[i].R, &pose[i].p
        if 0.0 * (R.xx + R.xy + R.xz + R.yx + R.yy + R.yz + R.zx + R.zy + R.zz + r.x + r.y + r.z) != 0.0:
            with gil:
                raise CollisionError(f"the pose of body {i} is not finite")
    return 0


cdef int detect_contacts(
        CollisionBackend backend, const Pose* pose, BodyMotions motions, int n_bodies,
        ContactBuffer* out) except -1 nogil:
    """Fill `out` with this step's contacts, sorted.  The one call that World makes.

    After an error `out` is empty.
    """
    cdef bint done = False
    if out.version != CONTACT_VERSION:
        with gil:
            raise CollisionError(f"contact buffer has version {out.version}, expected {CONTACT_VERSION}")
    out.n = 0
    out.limit = backend._max_contacts
    check_bodies(backend, n_bodies)
    check_finite(pose, n_bodies)
    try:
        if backend.overridden:
            call_python(backend, pose, motions, n_bodies, out)
        else:
            backend.detect_c(pose, motions, n_bodies, out)
        if out.n > out.limit:            # it was lowered, and the storage is larger
            raise_full(out)
        sort_contacts(out)
        drop_ghosts(&backend.runs, &backend.table, pose, motions, n_bodies, out)
        done = True
    finally:
        if not done:
            out.n = 0
    return 0


cdef int call_python(CollisionBackend backend, const Pose* pose, BodyMotions motions, int n_bodies,
                     ContactBuffer* out) except -1 with gil:
    cdef CollisionScene scene = CollisionScene.__new__(CollisionScene)
    scene.table = &backend.table
    scene.broad = &backend.broad
    scene.pose = pose
    scene.paths = motions
    scene.n = n_bodies
    scene.out = out
    scene.shape_of = backend._shapes
    try:
        backend.detect(scene)
    finally:
        scene.table = NULL               # a scene kept by the user raises, it does not dangle
    return 0
