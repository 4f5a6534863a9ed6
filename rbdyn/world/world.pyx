"""World: objects, their schedule, and nothing of their physics."""

import math
import weakref

import numpy as np

from rbdyn.collision.backend import CollisionBackend
from rbdyn.collision.native import NativeBackend
from rbdyn.contact import BisectionSolver, MaterialPair, MaterialTable, PGSSolver
from rbdyn.contact.solver import ContactSolver
from rbdyn.errors import BusyError, DivergenceError, Error, RemovedError, unknown_name
from rbdyn.world import factories
from rbdyn.world.contact import Contact

cimport numpy as cnp
from cpython.exc cimport PyErr_CheckSignals
from libc.stdlib cimport free, realloc
from libc.string cimport memset

from rbdyn.algorithms.kinematics cimport poses, velocities
from rbdyn.collision.backend cimport (
    CollisionBackend, buffer_free, buffer_init, detect_contacts,
)
from rbdyn.collision._types cimport ContactPoint, Pose
from rbdyn.contact.solver cimport ContactSolver, solve_contacts
from rbdyn.spatial._algebra cimport vec3
from rbdyn.spatial._arrays cimport data, vector_in
from rbdyn.world._single cimport single_commit, single_finite, single_free, single_move
from rbdyn.world._system cimport (
    actuation, system_change, system_commit, system_finite, system_free, system_move,
)
from rbdyn.world._types cimport DYNAMIC, EULER, SEMI_IMPLICIT, TRAPEZOID, CSingle, CSystem
from rbdyn.world.articulated_system cimport ArticulatedSystem
from rbdyn.world.assemble cimport (
    SINGLE_SLOT, SYSTEM_SLOT, WORLD_SLOT, Law, Slot, apply_impulses, assemble, assembly_free, assembly_init,
)
from rbdyn.world.gate cimport Gate
from rbdyn.world.object cimport WorldObject
from rbdyn.world.single_body cimport SingleBody

SCHEMES = {"trapezoid": TRAPEZOID, "semi_implicit": SEMI_IMPLICIT, "euler": EULER}
CONTACT_MARGIN = 1e-4  # [m] nearer than this counts as a contact; it may close, no further (docs/decisions.md)
GAMMA = {TRAPEZOID: 0.5, SEMI_IMPLICIT: 1.0, EULER: 0.0}


cdef int _grow(void** p, size_t count, size_t size) except -1:
    cdef void* bigger = realloc(p[0], count * size)
    if bigger is NULL:
        raise MemoryError(f"cannot allocate {count * size} bytes")
    p[0] = bigger
    return 0


def _number(value, name, least, unit, strict=False):
    """A finite float of at least `least`, or Error naming it."""
    if isinstance(value, (bool, str, bytes, complex)):
        raise Error(f"{name} must be a number{unit}, got {value!r}")
    try:
        x = float(value)
    except (TypeError, ValueError):
        raise Error(f"{name} must be a number{unit}, got {value!r}") from None
    if not math.isfinite(x) or x < least or (strict and x == least):
        raise Error(f"{name} must be finite and {'above' if strict else 'at least'} {least:g}{unit}, got {x}")
    return x


def _backend(value, kinds, base, name):
    """A backend from an object, a name or None (the default, first of `kinds`)."""
    if value is None:
        value = next(iter(kinds))
    if isinstance(value, str):
        if value not in kinds:
            raise unknown_name(f"{name} backend", value, kinds)
        return kinds[value]()
    if not isinstance(value, base):
        raise Error(f"{name} must be a {base.__name__} or one of {', '.join(kinds)}, got {value!r}")
    return value


def _fcl():
    from rbdyn.collision import FCLBackend

    return FCLBackend()


cdef class World:
    """A place where mechanisms and single bodies meet, in hard contact.

    Parameters
    ----------
    time_step : float
        Length of a step [s].
    gravity : (3,) array_like
        World axes [m/s^2].
    collision : CollisionBackend or str, optional
        "native" (default), "fcl", or an object, one per World.
    contact : ContactSolver or str, optional
        "bisection" (default), "pgs", or an object, one per World.

    Examples
    --------
    >>> world = World(time_step=0.002)
    >>> ground = world.add_ground()
    >>> ball = world.add_sphere(radius=0.1, mass=1.0)
    >>> ball.set_pose(position=(0, 0, 0.5))
    >>> world.step(1000)
    >>> bool(abs(ball.position[2] - 0.1) < 1e-4)
    True
    """

    def __cinit__(self):
        memset(&self.scene, 0, sizeof(self.scene))
        assembly_init(&self.assembly)
        buffer_init(&self.found)

    def __dealloc__(self):
        assembly_free(&self.assembly)
        buffer_free(&self.found)
        free(self.pose)
        free(self.slot)
        free(self.material)
        free(self.scene.single)
        free(self.scene.system)

    def __init__(self, time_step=0.002, gravity=(0.0, 0.0, -9.81), collision=None, contact=None):
        if self.gate is not None:
            raise Error("a World cannot be initialised twice; make a new one")
        self.scene.erp, self.scene.erp2, self.scene.slop, self.scene.erp_speed = 0.2, 0.0, 1e-5, 1.0
        self.singles, self.systems, self._objects, self.free_slots = [], [], [], []
        self.material_names = ["default"]
        self.material_revision = -1
        self.materials = MaterialTable()
        self.shapes = {}
        self.scheme, self.theta, self.gamma = TRAPEZOID, 0.5, 0.5
        self.collision = _backend(collision, {"native": NativeBackend, "fcl": _fcl}, CollisionBackend, "collision")
        if not isinstance(collision, CollisionBackend):
            self.collision.margin = CONTACT_MARGIN
        self.contact = _backend(contact, {"bisection": BisectionSolver, "pgs": PGSSolver}, ContactSolver, "contact")
        self.gate = Gate()
        self.time_step = time_step
        self.gravity = gravity
        self.slot[self.take_slots(1)].kind = WORLD_SLOT
        memset(self.pose, 0, sizeof(Pose))
        self.pose[0].R.xx = self.pose[0].R.yy = self.pose[0].R.zz = 1.0

    cdef int check(self) except -1:
        if self.gate is None:
            raise Error("this World was made without __init__; call World(time_step)")
        return 0

    # ---- the step ----------------------------------------------------------------------------

    cdef void kinematics(self) noexcept nogil:
        """Poses and velocities of all bodies, where collision can see them."""
        cdef int k, i
        cdef CSystem* s
        cdef CSingle* b
        for k in range(self.scene.n_system):
            s = self.scene.system[k]
            poses(s.m, s.d)
            velocities(s.m, s.d)
            for i in range(s.m.nb):
                self.pose[s.slot + i].R = s.d.R[i]
                self.pose[s.slot + i].p = s.d.p[i]
        for k in range(self.scene.n_single):
            b = self.scene.single[k]
            self.pose[b.slot].R = b.R
            self.pose[b.slot].p = b.p

    cdef int detect(self) except -1 nogil:
        """Points, normals and depths of this step's contacts."""
        self.solved = False
        return detect_contacts(self.collision, self.pose, self.n_slots, &self.found)

    cdef void free_velocities(self) noexcept nogil:
        """Velocities at the end of the step without contact impulses; factors of M~ on the way."""
        cdef int k
        for k in range(self.scene.n_system):
            system_free(self.scene.system[k], self.g, self.scene.dt, self.theta, self.gamma)
        for k in range(self.scene.n_single):
            single_free(self.scene.single[k], self.g, self.scene.dt)

    cdef void move(self) noexcept nogil:
        """New velocities and positions, beside the old ones."""
        cdef int k
        for k in range(self.scene.n_system):
            system_change(self.scene.system[k])
            actuation(self.scene.system[k], self.scene.dt, self.theta, self.gamma)
            system_move(self.scene.system[k], self.scheme, self.scene.dt)
        for k in range(self.scene.n_single):
            single_move(self.scene.single[k], self.scheme, self.scene.dt)

    cdef bint finite(self) noexcept nogil:
        """Whether the step's end is finite; else failed_* says whose is not."""
        cdef int k
        for k in range(self.scene.n_system):
            if not system_finite(self.scene.system[k]):
                self.failed_system, self.failed_single = k, -1
                return False
        for k in range(self.scene.n_single):
            if not single_finite(self.scene.single[k]):
                self.failed_system, self.failed_single = -1, k
                return False
        return True

    cdef void commit(self) noexcept nogil:
        """The step's end becomes the state."""
        cdef int k
        for k in range(self.scene.n_system):
            system_commit(self.scene.system[k])
        for k in range(self.scene.n_single):
            single_commit(self.scene.single[k])

    cdef int half_one(self) except -1 nogil:
        """q, v -> poses -> contacts."""
        self.kinematics()
        self.detect()
        return 0

    cdef int half_two(self) except -1 nogil:
        """Forces -> free velocity -> contact impulses -> velocity -> position."""
        self.free_velocities()
        assemble(&self.assembly, &self.scene, &self.found)
        solve_contacts(self.contact, &self.assembly.problem)
        apply_impulses(&self.assembly, &self.scene, &self.found)
        self.move()
        if not self.finite():
            self.diverged_nogil()
        self.commit()
        self.solved = True
        self.steps += 1
        self.time += self.scene.dt
        return 0

    cdef int diverged_nogil(self) except -1 nogil:
        with gil:
            return self.diverged()

    cdef int diverged(self) except -1:
        """DivergenceError that names who and when; the state is that of the step's start."""
        cdef ArticulatedSystem robot
        if self.failed_system >= 0:
            robot = self.systems[self.failed_system]
            who = f"velocity of {robot.name!r}"
            bad = [k for k in range(robot.nv) if not math.isfinite(robot.c.v_next[k])]
            if bad:
                model = robot.model
                joints = [j for j in model.joint_names if j in model.joint_index and _holds(model, j, bad[0])]
                who += f" at joint {joints[0]!r}" if joints else ""
        else:
            who = f"velocity of {self.singles[self.failed_single].name!r}"
        raise DivergenceError(
            f"step {self.steps + 1} (time {self.time:.6g} s): {who} is not finite; the state was left at step "
            f"{self.steps}. Try a smaller time_step ({self.scene.dt:g} s now), or smaller gains and forces"
        )

    cdef int prepare(self) except -1:
        """What may have changed in Python since the last step: models, materials."""
        cdef ArticulatedSystem robot
        for robot in self.systems:
            robot.model.use()
        if self.material_revision != self.materials.revision:
            self.law_table = np.ascontiguousarray(self.materials.table(self.material_names))
            self.scene.law = <const Law*> data(self.law_table)
            self.scene.n_materials = len(self.material_names)
            self.material_revision = self.materials.revision
        return 0

    def step(self, n=1):
        """Advance by n steps.

        Parameters
        ----------
        n : int
            How many.

        Raises
        ------
        DivergenceError
            If a step would end in a non-finite state; the World stays at the last good one.
        BusyError
            If another thread steps this World, or integrate2() is due.
        """
        cdef long k, count
        self.check()
        if isinstance(n, bool) or n != int(n) or n < 0:
            raise Error(f"n must be a number of steps, 0 or more, got {n!r}")
        count = n
        self.gate.check_editable()
        self.prepare()
        self.gate.busy = True
        try:
            with nogil:
                for k in range(count):
                    self.half_one()
                    self.half_two()
                    if k & 63 == 63:
                        with gil:
                            PyErr_CheckSignals()
        finally:
            self.gate.busy = False

    def integrate1(self):
        """First half of a step: kinematics and contact detection.  Contacts can be read, controls set after it."""
        self.check()
        self.gate.check_editable()
        self.prepare()
        self.gate.busy = True
        try:
            with nogil:
                self.half_one()
        finally:
            self.gate.busy = False
        self.gate.half = True

    def integrate2(self):
        """Second half of a step: forces, contact impulses, new velocities and positions."""
        self.check()
        self.gate.check_idle()
        if not self.gate.half:
            raise BusyError("call integrate1() first: integrate2() is the second half of a step")
        self.gate.busy = True
        try:
            with nogil:
                self.half_two()
        finally:
            self.gate.busy = False
            self.gate.half = False

    # ---- settings ----------------------------------------------------------------------------

    @property
    def time_step(self):
        """Length of a step [s]."""
        return self.scene.dt

    @time_step.setter
    def time_step(self, value):
        self.check()
        self.gate.check_editable()
        self.scene.dt = _number(value, "time_step", 0.0, " [s]", strict=True)

    @property
    def gravity(self):
        """Gravitational acceleration, (3,) copy, world axes [m/s^2]."""
        return np.array([self.g.x, self.g.y, self.g.z])

    @gravity.setter
    def gravity(self, value):
        cdef cnp.ndarray a
        self.check()
        self.gate.check_idle()
        a = vector_in(value, 3, "gravity")
        self.g = vec3(data(a)[0], data(a)[1], data(a)[2])

    @property
    def integrator(self):
        """Position update: "trapezoid" (default), "semi_implicit" or "euler".

        Implicit PD, springs and damping use the theta-scheme that is consistent with it: theta 1/2 for the trapezoid,
        1 for the semi-implicit rule.
        """
        return next(name for name, k in SCHEMES.items() if k == self.scheme)

    @integrator.setter
    def integrator(self, value):
        self.check()
        self.gate.check_editable()
        if value not in SCHEMES:
            raise unknown_name("integrator", value, SCHEMES)
        self.scheme = SCHEMES[value]
        self.gamma = GAMMA[self.scheme]
        self.theta = 1.0 if self.scheme == SEMI_IMPLICIT else 0.5

    def set_erp(self, erp, erp2=0.0):
        """Position correction: the share of a contact's depth that is corrected in one step, and extra restitution.

        Parameters
        ----------
        erp : float
            0 to 1.  The separating speed is erp * (depth - slop) / time_step, at most 1 m/s.
        erp2 : float
            Added to every pair's restitution, 0 to 1.
        """
        self.check()
        self.gate.check_idle()
        erp, erp2 = _number(erp, "erp", 0.0, ""), _number(erp2, "erp2", 0.0, "")
        if erp > 1 or erp2 > 1:
            raise Error(f"erp and erp2 must be at most 1, got {erp} and {erp2}")
        self.scene.erp, self.scene.erp2 = erp, erp2

    @property
    def contact_slop(self):
        """Depth that position correction leaves alone [m]; without it resting contacts flicker."""
        return self.scene.slop

    @contact_slop.setter
    def contact_slop(self, value):
        self.check()
        self.scene.slop = _number(value, "contact_slop", 0.0, " [m]")

    @property
    def contact_margin(self):
        """Gap below which bodies are in contact already [m], 1e-4 by default.

        Such a contact lets the gap close and no further, so that resting bodies neither sink nor flicker.  A collision
        backend that was given as an object keeps its own margin.
        """
        return self.collision.margin

    @contact_margin.setter
    def contact_margin(self, value):
        self.check()
        self.gate.check_editable()
        self.collision.margin = _number(value, "contact_margin", 0.0, " [m]")

    def set_contact_solver_param(self, alpha_init=1.0, alpha_min=1.0, alpha_decay=1.0, max_iterations=150,
                                 threshold=1e-8):
        """Parameters of the contact solver's sweep; for solvers that have them.

        Parameters
        ----------
        alpha_init, alpha_min, alpha_decay : float
            Under-relaxation of the sweeps, 1 for none.
        max_iterations : int
            Largest number of sweeps.
        threshold : float
            A sweep that changes no contact velocity by more ends the solve [m/s].
        """
        self.check()
        self.gate.check_idle()
        if not hasattr(self.contact, "configure"):
            raise Error(f"{type(self.contact).__name__} has no parameters to set")
        self.contact.configure(alpha_init=alpha_init, alpha_min=alpha_min, alpha_decay=alpha_decay,
                               max_iterations=max_iterations, threshold=threshold)

    def set_material_pair(self, a, b, friction, restitution=0.0, threshold=0.0, static_friction=None,
                          static_threshold=0.0):
        """What happens when materials `a` and `b` meet, in either order.

        Parameters
        ----------
        a, b : str
            Material names.
        friction, restitution, threshold, static_friction, static_threshold : float
            As in `rbdyn.contact.MaterialPair`.
        """
        self.check()
        self.gate.check_idle()
        self.materials.set(a, b, MaterialPair(friction, restitution, threshold, static_friction, static_threshold))

    def set_default_material(self, friction=0.8, restitution=0.0, threshold=0.0):
        """Properties of every pair of materials that was not set."""
        self.check()
        self.gate.check_idle()
        self.materials.default = MaterialPair(friction, restitution, threshold)

    # ---- objects -----------------------------------------------------------------------------

    @property
    def objects(self):
        """All objects, in the order in which they came, tuple."""
        self.check()
        return tuple(self._objects)

    def find(self, name):
        """The object of that name; UnknownNameError (a KeyError) with the nearest names if there is none."""
        for obj in self.objects:
            if obj.name == name:
                return obj
        raise unknown_name("object", name, (o.name for o in self._objects), "this World")

    @property
    def contacts(self):
        """Contacts of the latest detection, list of Contact."""
        self.check()
        return [self._contact(i) for i in range(self.found.n)]

    cdef object _contact(self, int i):
        cdef const ContactPoint* c = self.found.point + i
        cdef const double* E = self.assembly.frame + 9 * i
        cdef const double* l = self.assembly.impulse + 3 * i
        a, body_a, geometry_a = self.shapes.get(c.shape_a, (None, "", ""))
        b, body_b, geometry_b = self.shapes.get(c.shape_b, (None, "", ""))
        impulse = np.zeros(3)
        if self.solved:
            for k in range(3):
                impulse[k] = E[k] * l[0] + E[3 + k] * l[1] + E[6 + k] * l[2]
        return Contact(a, b, body_a, body_b, geometry_a, geometry_b,
                       np.array([c.position.x, c.position.y, c.position.z]),
                       np.array([c.normal.x, c.normal.y, c.normal.z]), c.depth, impulse, self.scene.dt)

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
        cdef int size
        for item in geometries:
            local = item.pose.matrix if pose is None else pose @ item.pose.matrix
            shape_id = self.collision.add_shape(item.shape, slot, local, item.group, item.mask, dynamic)
            self.shapes[shape_id] = (obj, body, item.name or body)
            if shape_id >= self.shape_room:
                size = max(64, 2 * self.shape_room, shape_id + 1)
                _grow(<void**> &self.material, size, sizeof(int))
                self.shape_room = size
                self.scene.material = self.material
            self.material[shape_id] = self._material(item.material)
        return 0

    cdef int _material(self, str name) except -1:
        """Index of a material; new names join the table of laws before the next step."""
        if name not in self.material_names:
            self.material_names.append(name)
            self.material_revision = -1
        return self.material_names.index(name)

    cdef int enter(self, WorldObject obj, object name, str kind) except -1:
        """Name a new object and take it in."""
        names = {o.name for o in self._objects}
        if name is None:
            k = len(names)
            while f"{kind}_{k}" in names:
                k += 1
            name = f"{kind}_{k}"
        elif not isinstance(name, str) or not name:
            raise Error(f"name must be a non-empty string, got {name!r}")
        elif name in names:
            raise Error(f"this World already has an object named {name!r}")
        obj.name = name
        obj.gate = self.gate
        obj._world = weakref.ref(self)
        self._objects.append(obj)
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
            Unique in this World.

        Returns
        -------
        body : SingleBody
            At the origin, at rest.
        """
        cdef SingleBody body = SingleBody.__new__(SingleBody)
        cdef int n = len(self.singles) if self.singles is not None else 0
        self.check()
        self.gate.check_editable()
        geometries, mass, inertia = factories.checked_body(geometries, mass, inertia, body_type)
        body.name = name if isinstance(name, str) else "body"
        body.set_inertia(mass, inertia)
        body.set_type(body_type)
        body.c.q[0] = body.c.R.xx = body.c.R.yy = body.c.R.zz = 1.0
        body.geometries = tuple(geometries)
        self.enter(body, name, factories.kind_of(geometries))
        if n + 1 > self.single_room:
            _grow(<void**> &self.scene.single, max(16, 2 * n), sizeof(CSingle*))
            self.single_room = max(16, 2 * n)
        body.c.slot = self.take_slots(1)
        self.slot[body.c.slot].kind, self.slot[body.c.slot].index, self.slot[body.c.slot].body = SINGLE_SLOT, n, 0
        self.scene.single[n] = &body.c
        self.scene.n_single = n + 1
        self.singles.append(body)
        self.register(body, body.c.slot, body.name, geometries, None, body.c.type == DYNAMIC)
        return body

    def add_ground(self, height=0.0, material="default", group=1, mask=-1, name=None):
        """Add a level ground: a half-space with its surface at z = height [m]; static.

        Returns
        -------
        ground : SingleBody
        """
        height = vector_in([height], 1, "height")[0]
        ground = self.add_single_body(factories.half_space(material, group, mask), 0.0, np.zeros((3, 3)), "static", name)
        ground.set_pose(position=(0.0, 0.0, height))
        return ground

    def add_sphere(self, radius, mass, material="default", group=1, mask=-1, name=None):
        """Add a solid ball of uniform density: radius [m], mass [kg].

        Returns
        -------
        body : SingleBody
            At the origin, at rest.
        """
        return self.add_single_body(*factories.sphere(radius, mass, material, group, mask), name=name)

    def add_box(self, x, y, z, mass, material="default", group=1, mask=-1, name=None):
        """Add a solid box of uniform density: full side lengths x, y, z [m], mass [kg].

        Returns
        -------
        body : SingleBody
            At the origin, at rest.
        """
        return self.add_single_body(*factories.box(x, y, z, mass, material, group, mask), name=name)

    def add_cylinder(self, radius, height, mass, material="default", group=1, mask=-1, name=None):
        """Add a solid cylinder of uniform density along z: radius, full height [m], mass [kg].

        Returns
        -------
        body : SingleBody
            At the origin, at rest.
        """
        return self.add_single_body(*factories.cylinder(radius, height, mass, material, group, mask), name=name)

    def add_capsule(self, radius, height, mass, material="default", group=1, mask=-1, name=None):
        """Add a solid capsule of uniform density along z: radius, distance of its ball centres [m], mass [kg].

        Returns
        -------
        body : SingleBody
            At the origin, at rest.
        """
        return self.add_single_body(*factories.capsule(radius, height, mass, material, group, mask), name=name)

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
        """
        cdef ArticulatedSystem robot = ArticulatedSystem.__new__(ArticulatedSystem)
        cdef int k, n
        self.check()
        self.gate.check_editable()
        mechanism = factories.mechanism_from(source, load_options)
        robot.name = name if isinstance(name, str) else mechanism.name
        robot.build(mechanism)
        n = len(self.systems)
        if name is None and mechanism.name not in {o.name for o in self._objects}:
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
        for body in mechanism.bodies:
            k = robot.model.find(body).body
            carrier = robot.model.body_names[max(k - robot.model.base, 0)]
            self.register(robot, robot.c.slot + k, carrier, body.collision, factories.matrix(robot.model, body), k > 0)
        for a, b in factories.excluded_pairs(robot.model, robot.c.m.nb, self_collision):
            self.collision.exclude(robot.c.slot + a, robot.c.slot + b)
        return robot

    def remove(self, WorldObject obj not None):
        """Take an object out; it raises RemovedError from then on, other objects stay as they are."""
        cdef SingleBody body
        cdef ArticulatedSystem robot
        self.check()
        self.gate.check_editable()
        if obj.gate is not self.gate:
            raise RemovedError(f"{obj!r} is not in this World")
        for shape_id in [k for k, owner in self.shapes.items() if owner[0] is obj]:
            self.collision.remove_shape(shape_id)
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
        self._objects.remove(obj)
        obj.gate = None
        self.found.n = 0
        self._renumber()

    cdef int _renumber(self) except -1:
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

    def _set_dynamic(self, SingleBody body, bint dynamic):
        """Called by a body whose type changed."""
        self.collision.set_dynamic(body.c.slot, dynamic)

    def __reduce__(self):
        raise Error("a World cannot be pickled; save the states of its objects")

    def __repr__(self):
        if self.gate is None:
            return "World(empty)"
        return f"World(time={self.time:.6g} s, time_step={self.scene.dt:g} s, {len(self._objects)} objects)"


def _holds(model, joint, k):
    """Whether degree of freedom k belongs to a joint."""
    try:
        start = model.joint_v_index(joint)
    except KeyError:
        return False
    return start <= k < start + model.mechanism.find_joint(joint).num_velocities
