"""Roster: the objects of a World, and where collision and contact find them."""

import operator
import weakref

import numpy as np

from rbdyn.arguments import number, shown
from rbdyn.collision.shapes import Box, Capsule, Cylinder, Sphere
from rbdyn.contact import MaterialPair, MaterialTable
from rbdyn.errors import BusyError, CollisionError, Error, RemovedError, unknown_name
from rbdyn.world import factories
from rbdyn.world.arguments import label
from rbdyn.world.inactive import warn_of_inactive_features

from cpython.pythread cimport PyThread_get_thread_ident
from libc.stdlib cimport free, realloc
from libc.string cimport memset

from rbdyn.arguments.arrays cimport data
from rbdyn.collision._types cimport Pose
from rbdyn.world._types cimport DYNAMIC, CSingle, CSystem
from rbdyn.world.articulated_system cimport ArticulatedSystem
from rbdyn.world.assemble cimport SINGLE_SLOT, SYSTEM_SLOT, WORLD_SLOT, Law, Slot
from rbdyn.world.object cimport WorldObject
from rbdyn.world.single_body cimport SingleBody


cdef int _grow(void** p, size_t count, size_t size) except -1:
    cdef void* bigger = realloc(p[0], count * size)
    if bigger is NULL:
        raise MemoryError(f"cannot allocate {count * size} bytes")
    p[0] = bigger
    return 0


cdef tuple law_of(object pair):
    """The numbers of a Law."""
    if not isinstance(pair, MaterialPair):
        raise Error(f"materials must hold MaterialPair values, got {shown(pair)}")
    return pair.friction, pair.restitution, pair.threshold, pair.static_friction, pair.static_threshold


cdef class Roster:
    """The objects of a World: add, find, remove.  `World` steps them.

    Attributes
    ----------
    collision : CollisionBackend
        What finds the contacts.
    contact : ContactSolver
        What finds their impulses.
    materials : MaterialTable
        What happens when two materials meet.
    """

    def __cinit__(self, *args, **kwargs):
        memset(&self.scene, 0, sizeof(self.scene))

    def __dealloc__(self):
        free(self.pose)
        free(self.slot)
        free(self.material)
        free(self.scene.single)
        free(self.scene.system)

    def __init__(self, collision):
        if self.singles is not None:
            raise Error("a World cannot be initialised twice; make a new one")
        self.singles, self.systems, self._objects, self.free_slots = [], [], {}, []
        self.material_names = {"default": 0}
        self.material_revision = -1
        self.detections = 1
        self.materials = MaterialTable()
        self.shapes = {}
        self.collision = collision
        self.slot[self.take_slots(1)].kind = WORLD_SLOT
        memset(self.pose, 0, sizeof(Pose))
        self.pose[0].R.xx = self.pose[0].R.yy = self.pose[0].R.zz = 1.0

    cdef int refresh(self) except -1:
        """What may have changed in Python since the last step: models, materials."""
        cdef ArticulatedSystem robot
        for robot in self.systems:
            robot.model.use()
        if self.material_revision != self.materials.revision:
            self.read_materials()
        return 0

    cdef int read_materials(self) except -1:
        """Copy the properties of the material pairs that shapes here can form."""
        cdef long revision = self.materials.revision
        names = self.material_names
        laws = [law_of(self.materials.default)]
        rows = [[] for _ in names]
        for (a, b), pair in self.materials.pairs().items():
            if a in names and b in names:
                rows[names[a]].append((names[b], len(laws)))
                if a != b:
                    rows[names[b]].append((names[a], len(laws)))
                laws.append(law_of(pair))
        start = np.zeros(len(rows) + 1, np.intc)
        start[1:] = np.cumsum([len(row) for row in rows])
        pairs = np.array([pair for row in rows for pair in sorted(row)], np.intc).reshape(-1, 2)
        arrays = start, pairs[:, 0].copy(), pairs[:, 1].copy(), np.array(laws)
        self.pair_arrays = arrays
        self.scene.pairs.start = <const int*> data(arrays[0])
        self.scene.pairs.other = <const int*> data(arrays[1])
        self.scene.pairs.law = <const int*> data(arrays[2])
        self.scene.law = <const Law*> data(arrays[3])
        self.material_revision = revision
        return 0

    cdef int check(self) except -1:
        if self.gate is None:
            raise Error("this World was made without __init__; call World(time_step)")
        return 0

    @property
    def objects(self):
        """All objects, in the order in which they came, tuple."""
        self.check()
        return tuple(self._objects.values())

    def find(self, name):
        """The object called `name`; UnknownNameError (a KeyError) with the nearest names if there is none."""
        self.check()
        if isinstance(name, str) and name in self._objects:
            return self._objects[name]
        raise unknown_name("object", f"{name!s:.200}", self._objects, "this World")

    cdef int take_slots(self, int count) except -1:
        """A run of collision body indices: a freed one of that length, or fresh ones."""
        cdef int start, size
        for k, (length, first) in enumerate(self.free_slots):
            if length == count:
                del self.free_slots[k]
                return first
        start = self.n_slots
        if start + count > self.slot_room:
            size = max(16, 2 * self.slot_room, start + count)
            _grow(<void**> &self.pose, size, sizeof(Pose))
            _grow(<void**> &self.slot, size, sizeof(Slot))
            self.slot_room = size
            self.scene.slot = self.slot
        self.n_slots = start + count
        for k in range(start, start + count):
            self.pose[k] = self.pose[0]
        return start

    cdef int register(self, object obj, int slot, str body, object geometries, object pose, bint dynamic) except -1:
        """Give shapes to the collision backend.  `pose` is the body's, in the frame whose pose World gives."""
        cdef int shape_id, material
        for item in geometries:
            local = item.pose.matrix if pose is None else pose @ item.pose.matrix
            material = self.material_index(label(item.material, f"material of a shape of {obj.name!r}"))
            shape_id = self.checked_id(
                self.collision.add_shape(item.shape, slot, local, item.group, item.mask, dynamic))
            self.make_room_for_shape(shape_id)
            self.shapes[shape_id] = (obj, body, item.name or body)
            self.material[shape_id] = material
        return 0

    cdef int checked_id(self, object shape_id) except -1:
        """A shape's id, as the collision backend gave it: new, and not far above the ones before."""
        cdef long long limit = 2 * <long long> self.shape_room + 2**20
        if isinstance(shape_id, bool) or not hasattr(type(shape_id), "__index__") or not (
                0 <= operator.index(shape_id) < min(limit, 2**31 - 1)) or shape_id in self.shapes:
            raise CollisionError(f"{type(self.collision).__name__}.add_shape() must return an int of 0 or more that no "
                                 f"shape has, counting up from 0, got {shown(shape_id)}")
        return operator.index(shape_id)

    cdef int make_room_for_shape(self, int shape_id) except -1:
        cdef int size, k
        if shape_id >= self.shape_room:
            size = min(max(64, 2 * <long long> self.shape_room, <long long> shape_id + 1), <long long> 2**31 - 1)
            _grow(<void**> &self.material, size, sizeof(int))
            for k in range(self.shape_room, size):
                self.material[k] = -1
            self.shape_room = size
            self.scene.material = self.material
        return 0

    cdef bint known(self, int shape_id) noexcept nogil:
        """Whether a shape is one that this World added."""
        return 0 <= shape_id < self.shape_room and self.material[shape_id] >= 0

    cdef int material_index(self, str name) except -1:
        """Index of a material; new names join the pairs before the next step."""
        if name not in self.material_names:
            self.material_names[name] = len(self.material_names)
            self.material_revision = -1
        return self.material_names[name]

    cdef int enter(self, WorldObject obj, object name, str kind) except -1:
        """Name a new object and take it in."""
        if name is None:
            name = f"{kind}_{self.added}"
            while name in self._objects:
                name += "_"
        elif label(name, "name") in self._objects:
            raise Error(f"this World already has an object named {shown(name)}")
        obj.name = str(name)
        obj.gate = self.gate
        obj._world = weakref.ref(self)
        self._objects[name] = obj
        self.added += 1
        return 0

    def add_single_body(self, geometries, mass, inertia, body_type="dynamic", name=None):
        """Add a body of any shapes; the other add_* functions lead here.

        Parameters
        ----------
        geometries : sequence of Geometry
            Shapes in the body frame, whose origin is the centre of mass.
        mass : float
            [kg], above 0 for a dynamic body.
        inertia : (3, 3) array_like
            About the centre of mass, body axes [kg m^2]; positive definite for a dynamic body.
        body_type : {"dynamic", "kinematic", "static"}
            Whether it is moved by forces, by its velocity, or not at all.
        name : str, optional
            Unique in this World; the first shape's kind with a number by default.

        Returns
        -------
        body : SingleBody
            At the origin, at rest.
        """
        cdef SingleBody body = SingleBody.__new__(SingleBody)
        self.check()
        geometries, mass, inertia, body_type = factories.checked_body(geometries, mass, inertia, body_type)
        body.name = str(name) if isinstance(name, str) else "body"
        body.set_inertia(mass, inertia)
        body.set_type(body_type)
        body.c.q[0] = body.c.R.xx = body.c.R.yy = body.c.R.zz = 1.0
        body.geometries = tuple(geometries)
        self.gate.begin_edit()
        try:
            self.place_single(body, name)
        finally:
            self.gate.editing = False
        return body

    cdef int place_single(self, SingleBody body, object name) except -1:
        """Take in a new body, whole or not at all."""
        cdef int n = len(self.singles)
        self.enter(body, name, factories.kind_of(body.geometries))
        if n + 1 > self.single_room:
            _grow(<void**> &self.scene.single, max(16, 2 * n), sizeof(CSingle*))
            self.single_room = max(16, 2 * n)
        body.c.slot = self.take_slots(1)
        self.slot[body.c.slot].kind, self.slot[body.c.slot].index, self.slot[body.c.slot].body = SINGLE_SLOT, n, 0
        self.scene.single[n] = &body.c
        self.scene.n_single = n + 1
        self.singles.append(body)
        try:
            self.register(body, body.c.slot, body.name, body.geometries, None, body.c.type == DYNAMIC)
            if self.collision.mesh == "hull":
                factories.warn_of_hulls(body.name, body.geometries)
        except BaseException:
            self.drop(body)
            raise
        return 0

    def add_ground(self, height=0.0, material="default", group=1, mask=-1, name=None):
        """Add a level ground: a half-space, static.

        Parameters
        ----------
        height : float
            z of its surface, world [m].
        material : str
            Name for the World's pairs of materials.
        group, mask : int
            Collision filter, 64 bits each: two shapes collide if each one's group meets the other's mask.
        name : str, optional
            Unique in this World; "ground_0" or the like by default.

        Returns
        -------
        ground : SingleBody
        """
        height = number(height, "height", unit="[m]")
        shapes = factories.half_space(material, group, mask)
        ground = self.add_single_body(shapes, 0.0, np.zeros((3, 3)), "static", name)
        ground.set_pose(position=(0.0, 0.0, height))
        return ground

    def add_sphere(self, radius, mass, material="default", group=1, mask=-1, name=None):
        """Add a solid ball of uniform density.

        Parameters
        ----------
        radius : float
            [m], above 0.
        mass : float
            [kg], above 0.
        material : str
            Name for the World's pairs of materials.
        group, mask : int
            Collision filter, 64 bits each: two shapes collide if each one's group meets the other's mask.
        name : str, optional
            Unique in this World; "sphere_0" or the like by default.

        Returns
        -------
        body : SingleBody
            At the origin, at rest.
        """
        return self.add_single_body(*factories.solid(Sphere(radius), mass, material, group, mask), name=name)

    def add_box(self, x, y, z, mass, material="default", group=1, mask=-1, name=None):
        """Add a solid box of uniform density.

        Parameters
        ----------
        x, y, z : float
            Full side lengths [m], above 0.
        mass : float
            [kg], above 0.
        material : str
            Name for the World's pairs of materials.
        group, mask : int
            Collision filter, 64 bits each: two shapes collide if each one's group meets the other's mask.
        name : str, optional
            Unique in this World; "box_0" or the like by default.

        Returns
        -------
        body : SingleBody
            At the origin, at rest.
        """
        return self.add_single_body(*factories.solid(Box((x, y, z)), mass, material, group, mask), name=name)

    def add_cylinder(self, radius, height, mass, material="default", group=1, mask=-1, name=None):
        """Add a solid cylinder of uniform density along z.

        Parameters
        ----------
        radius, height : float
            Radius and full height [m], above 0.
        mass : float
            [kg], above 0.
        material : str
            Name for the World's pairs of materials.
        group, mask : int
            Collision filter, 64 bits each: two shapes collide if each one's group meets the other's mask.
        name : str, optional
            Unique in this World; "cylinder_0" or the like by default.

        Returns
        -------
        body : SingleBody
            At the origin, at rest.
        """
        return self.add_single_body(*factories.solid(Cylinder(radius, height), mass, material, group, mask), name=name)

    def add_capsule(self, radius, height, mass, material="default", group=1, mask=-1, name=None):
        """Add a solid capsule of uniform density along z.

        Parameters
        ----------
        radius, height : float
            Radius of its balls and distance of their centres [m].
        mass : float
            [kg], above 0.
        material : str
            Name for the World's pairs of materials.
        group, mask : int
            Collision filter, 64 bits each: two shapes collide if each one's group meets the other's mask.
        name : str, optional
            Unique in this World; "capsule_0" or the like by default.

        Returns
        -------
        body : SingleBody
            At the origin, at rest.
        """
        return self.add_single_body(*factories.solid(Capsule(radius, height), mass, material, group, mask), name=name)

    def add_articulated_system(self, source, name=None, self_collision=True, **load_options):
        """Add a mechanism, or a robot file.

        Parameters
        ----------
        source : Mechanism, path or URDF text
            What to add.  A Mechanism is used as it is, not copied.
        name : str, optional
            Unique in this World; the mechanism's name by default.
        self_collision : bool
            Whether bodies of this system collide with one another; a body never collides with its parent.
        **load_options
            For a path or text: passed on to `rbdyn.io.load_urdf`.

        Returns
        -------
        robot : ArticulatedSystem
            At its neutral configuration, at rest.

        Warns
        -----
        InactiveFeatureWarning
            If it asks for what does not act in a World yet: position or velocity limits, dry friction, mimic.
        """
        cdef ArticulatedSystem robot = ArticulatedSystem.__new__(ArticulatedSystem)
        self.check()
        self.gate.check_editable()
        mechanism = factories.mechanism_from(source, load_options)
        robot.name = str(name) if isinstance(name, str) else mechanism.name
        robot.build(mechanism)
        warn_of_inactive_features(robot.name, robot.model, 2)
        self.gate.begin_edit()
        try:
            self.place_system(robot, name, self_collision)
        finally:
            self.gate.editing = False
        return robot

    cdef int place_system(self, ArticulatedSystem robot, object name, bint self_collision) except -1:
        """Take in a new system, whole or not at all."""
        cdef int k, n = len(self.systems)
        mechanism = robot.mechanism
        if name is None and mechanism.name not in self._objects:
            name = mechanism.name
        self.enter(robot, name, mechanism.name)
        if n + 1 > self.system_room:
            _grow(<void**> &self.scene.system, max(4, 2 * n), sizeof(CSystem*))
            self.system_room = max(4, 2 * n)
        robot.c.slot = self.take_slots(robot.c.m.nb)
        for k in range(robot.c.m.nb):
            self.slot[robot.c.slot + k].kind = SYSTEM_SLOT
            self.slot[robot.c.slot + k].index = n
            self.slot[robot.c.slot + k].body = k
        self.scene.system[n] = &robot.c
        self.scene.n_system = n + 1
        self.systems.append(robot)
        robot.set_gravity(self.g)
        try:
            self.register_system(robot, self_collision)
            if self.collision.mesh == "hull":
                factories.warn_of_hulls(robot.name, [g for body in mechanism.bodies for g in body.collision])
        except BaseException:
            self.drop(robot)
            raise
        return 0

    cdef int register_system(self, ArticulatedSystem robot, bint self_collision) except -1:
        """Shapes and filters of a system."""
        cdef int k
        for body in robot.mechanism.bodies:
            k = robot.model.find(body).body
            carrier = robot.model.body_names[max(k - robot.model.base, 0)]
            self.register(robot, robot.c.slot + k, carrier, body.collision, factories.matrix(robot.model, body), k > 0)
        for a, b in factories.excluded_pairs(robot.model, robot.c.m.nb, self_collision):
            self.collision.exclude(robot.c.slot + a, robot.c.slot + b)
        return 0

    def remove(self, obj):
        """Take the object `obj`, or the one of that name, out.

        It raises RemovedError from then on; other objects, and their contacts with one another, stay as they are.
        """
        cdef WorldObject leaving
        self.check()
        leaving = self.find(obj) if isinstance(obj, str) else self.object_in(obj)
        self.gate.begin_edit()
        try:
            self.drop(leaving)
        finally:
            self.gate.editing = False

    cdef WorldObject object_in(self, object obj):
        """An object of this World; Error or RemovedError otherwise."""
        if not isinstance(obj, WorldObject):
            raise Error(f"obj must be an object of this World, or its name, got {shown(obj)}")
        if (<WorldObject> obj).gate is not self.gate:
            raise RemovedError(f"{obj!r} is not in this World")
        return obj

    def _forget(self, obj):
        """An object was moved by hand: its contacts, and what they start the next solve from, are forgotten."""
        cdef WorldObject moved
        self.check()
        moved = self.object_in(obj)
        moved.moved_at = self.detections
        state = self.contact.get_state()
        own = np.array([k + 1 for k, owner in self.shapes.items() if owner[0] is moved], np.uint64)
        mask = np.uint64(0xFFFFFF)
        theirs = np.isin((state["key"] >> np.uint64(40)) & mask, own) | np.isin((state["key"] >> np.uint64(16)) & mask,
                                                                                own)
        if theirs.all():                            # nothing is left of the past, the sweep's direction included
            self.contact.reset()
        elif theirs.any():
            self.contact.set_state({**state, "key": state["key"][~theirs], "impulse": state["impulse"][~theirs]})

    cdef int drop(self, WorldObject obj) except -1:
        """Undo an add, whole or half done."""
        cdef ArticulatedSystem robot
        cdef int a, b
        present = set(self.collision.ids)
        for shape_id in [k for k, owner in self.shapes.items() if owner[0] is obj]:
            if shape_id in present:                  # or somebody else removed it
                self.collision.remove_shape(shape_id)
            self.material[shape_id] = -1
            del self.shapes[shape_id]
        if isinstance(obj, SingleBody):
            self.singles.remove(obj)
            self.free_slots.append((1, (<SingleBody> obj).c.slot))
        else:
            robot = obj
            self.systems.remove(obj)
            for a in range(robot.c.m.nb):
                for b in range(a):
                    self.collision.allow(robot.c.slot + a, robot.c.slot + b)
            self.free_slots.append((robot.c.m.nb, robot.c.slot))
        del self._objects[obj.name]
        obj.gate = None
        self.release_materials()
        return self.renumber()

    cdef int release_materials(self) except -1:
        """Forget names of materials that no shape has any more, once they are many: the table grows by their square."""
        used = sorted({self.material[shape_id] for shape_id in self.shapes} | {0})
        if len(self.material_names) <= 2 * len(used) + 16:
            return 0
        place = {old: new for new, old in enumerate(used)}
        names = list(self.material_names)
        self.material_names = {names[old]: new for new, old in enumerate(used)}
        for shape_id in self.shapes:
            self.material[shape_id] = place[self.material[shape_id]]
        self.material_revision = -1
        return 0

    cdef int freeze(self, bint frozen, bint stepped) except -1:
        """Whether the states of the systems may be set, and whether only this thread may compute with them."""
        cdef ArticulatedSystem robot
        for robot in self.systems:
            robot.state.frozen = frozen
            robot.state.stepper = PyThread_get_thread_ident() if stepped else 0
        return 0

    cdef int refuse_simulated(self) except -1:
        """BusyError if the state of a system is in the middle of `simulate`; only between half steps are all frozen."""
        cdef ArticulatedSystem robot
        for robot in self.systems:
            if robot.state.frozen and not self.gate.half:
                raise BusyError(f"the state of {robot.name!r} is in the middle of simulate; step its World after that")
        return 0

    cdef int renumber(self) except -1:
        """Close the gaps that a removal left in the lists of singles and systems."""
        cdef SingleBody body
        cdef ArticulatedSystem robot
        cdef int k, i
        self.scene.n_single = len(self.singles)
        self.scene.n_system = len(self.systems)
        for k, body in enumerate(self.singles):
            self.scene.single[k] = &body.c
            self.slot[body.c.slot].index = k
        for k, robot in enumerate(self.systems):
            self.scene.system[k] = &robot.c
            for i in range(robot.c.m.nb):
                self.slot[robot.c.slot + i].index = k
        return 0

    def _set_dynamic(self, obj):
        """Called by a body whose type changed."""
        cdef SingleBody body
        self.check()
        body = self.object_in(obj)
        self.collision.set_dynamic(body.c.slot, body.c.type == DYNAMIC)
