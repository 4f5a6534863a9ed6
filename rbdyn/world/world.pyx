"""World: objects, their schedule, and nothing of their physics."""

import math
import operator

import numpy as np

from rbdyn.arguments import number, shown
from rbdyn.collision.backend import CollisionBackend
from rbdyn.collision.backends.native import NativeBackend
from rbdyn.contact import BisectionSolver, MaterialPair, PGSSolver
from rbdyn.contact.solver import ContactSolver
from rbdyn.errors import BusyError, CollisionError, DivergenceError, Error
from rbdyn.world.arguments import option
from rbdyn.world.contact import Contact

cimport numpy as cnp
from cpython.exc cimport PyErr_CheckSignals
from rbdyn.kernels.kinematics cimport poses, velocities
from rbdyn.arguments.arrays cimport data, read_only, vector_in
from rbdyn.collision.backend cimport (
    CollisionBackend, buffer_free, buffer_init, detect_contacts,
)
from rbdyn.collision._types cimport ContactPoint
from rbdyn.contact.solver cimport ContactSolver, solve_contacts
from rbdyn.spatial._algebra cimport vec3
from rbdyn.world._single cimport single_commit, single_finite, single_free, single_move, single_unpush
from rbdyn.world._system cimport (
    actuation, system_change, system_commit, system_finite, system_free, system_move, system_unpush,
)
from rbdyn.world._types cimport EULER, SEMI_IMPLICIT, TRAPEZOID, CSingle, CSystem
from rbdyn.world.articulated_system cimport ArticulatedSystem
from rbdyn.world.assemble cimport apply_impulses, assemble, assembly_free, assembly_init
from rbdyn.world.gate cimport Gate
from rbdyn.world.object cimport WorldObject
from rbdyn.world.roster cimport Roster

SCHEMES = {"trapezoid": TRAPEZOID, "semi_implicit": SEMI_IMPLICIT, "euler": EULER}
CONTACT_MARGIN = 1e-4  # [m] nearer than this counts as a contact; it may close, no further (docs/decisions.md)
cdef double SIGNAL_PERIOD = 0.05  # [s]
GAMMA = {TRAPEZOID: 0.5, SEMI_IMPLICIT: 1.0, EULER: 0.0}


cdef extern from "<time.h>" nogil:
    struct timespec:
        long tv_sec
        long tv_nsec
    int TIME_UTC
    int timespec_get(timespec* t, int base)


cdef double seconds() noexcept nogil:
    """The time of day [s]."""
    cdef timespec t
    timespec_get(&t, TIME_UTC)
    return t.tv_sec + 1e-9 * t.tv_nsec


def _backend(value, kinds, base, name):
    """A backend from an object, a name or None (the default, first of `kinds`)."""
    if value is None:
        value = next(iter(kinds))
    if isinstance(value, str):
        return kinds[option(value, f"{name} backend", kinds)]()
    if not isinstance(value, base):
        raise Error(f"{name} must be a {base.__name__} or one of {', '.join(kinds)}, got {shown(value)}")
    return value


def _time_step(value):
    return number(value, "time_step", above=0.0, unit="[s]")


def _native():
    return NativeBackend(margin=CONTACT_MARGIN)


def _fcl():
    from rbdyn.collision import FCLBackend

    return FCLBackend(margin=CONTACT_MARGIN)


cdef class World(Roster):
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

    Attributes
    ----------
    time : float
        Simulated so far [s].
    steps : int
        How many were done.
    collision : CollisionBackend
        What finds the contacts.
    contact : ContactSolver
        What finds their impulses.
    materials : MaterialTable
        What happens when two materials meet; `set_material_pair` and `set_default_material` fill it.

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

    def __cinit__(self, *args, **kwargs):
        assembly_init(&self.assembly)
        buffer_init(&self.found)

    def __dealloc__(self):
        assembly_free(&self.assembly)
        buffer_free(&self.found)

    def __init__(self, time_step=0.002, gravity=(0.0, 0.0, -9.81), collision=None, contact=None):
        if self.gate is not None:
            raise Error("a World cannot be initialised twice; make a new one")
        collision = _backend(collision, {"native": _native, "fcl": _fcl}, CollisionBackend, "collision")
        contact = _backend(contact, {"bisection": BisectionSolver, "pgs": PGSSolver}, ContactSolver, "contact")
        dt, g = _time_step(time_step), vector_in(gravity, 3, "gravity")
        Roster.__init__(self, collision)
        collision.claim(self)
        try:
            contact.claim(self)
        except BaseException:
            (<CollisionBackend> collision).owner = None
            raise
        self.contact = contact
        self.scene.dt = dt
        self.g = vec3(data(g)[0], data(g)[1], data(g)[2])
        self.scene.erp, self.scene.erp2, self.scene.slop, self.scene.erp_speed = 0.2, 0.0, 1e-5, 1.0
        self.scheme, self.theta, self.gamma = TRAPEZOID, 0.5, 0.5
        self.gate = Gate()                           # from here on the World can be used

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
        cdef int i
        self.solved = False
        self.detections += 1
        detect_contacts(self.collision, self.pose, self.n_slots, &self.found)
        for i in range(self.found.n):
            if not (self.known(self.found.point[i].shape_a) and self.known(self.found.point[i].shape_b)):
                self.raise_unknown_shape(i)
        return 0

    cdef int raise_unknown_shape(self, int i) except -1 nogil:
        with gil:
            raise CollisionError(
                f"contact {i} is between shapes {self.found.point[i].shape_a} and {self.found.point[i].shape_b}, one "
                "of which this World did not add; use world.add_* instead of world.collision.add_shape"
            )

    cdef void free_velocities(self) noexcept nogil:
        """Velocities at the end of the step without contact impulses; factors of M~ on the way."""
        cdef int k
        for k in range(self.scene.n_system):
            system_free(self.scene.system[k], self.scene.dt, self.theta, self.gamma)
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

    cdef int half_one(self, double* checked) except -1 nogil:
        """q, v -> poses -> contacts."""
        self.kinematics()
        self.look_at_signals(checked)
        self.detect()
        return 0

    cdef int half_two(self, double* checked) except -1 nogil:
        """Forces -> free velocity -> contact impulses -> velocity -> position."""
        self.free_velocities()
        self.look_at_signals(checked)
        assemble(&self.assembly, &self.scene, &self.found)
        self.look_at_signals(checked)
        solve_contacts(self.contact, &self.assembly.problem)
        apply_impulses(&self.assembly, &self.scene, &self.found)
        self.move()
        if not self.finite():
            self.diverged()
        self.commit()
        self.solved = True
        self.steps += 1
        return 0

    cdef int look_at_signals(self, double* checked) except -1 nogil:
        """Let Ctrl-C interrupt the step, which then leaves no trace; at most every SIGNAL_PERIOD."""
        cdef double now = seconds()
        if now - checked[0] > SIGNAL_PERIOD:
            checked[0] = now
            with gil:
                PyErr_CheckSignals()
        return 0

    cdef int diverged(self) except -1 nogil:
        """DivergenceError that names who and when; the state is that of the step's start."""
        cdef int k
        for k in range(self.scene.n_system):         # what pushed too hard is not pushed again
            system_unpush(self.scene.system[k])
        for k in range(self.scene.n_single):
            single_unpush(self.scene.single[k])
        with gil:
            raise DivergenceError(
                f"step {self.steps + 1} (time {self.time:.6g} s): {self.who_diverged()} is not finite; the "
                f"state was left at step {self.steps}. Try a smaller time_step than {self.scene.dt:g} s"
            )

    cdef object who_diverged(self):
        """The object, and of a system the joint, whose step did not end in finite numbers."""
        cdef ArticulatedSystem robot
        if self.failed_system < 0:
            return f"velocity of {self.singles[self.failed_single].name!r}"
        robot = self.systems[self.failed_system]
        for k in range(robot.nv):
            if not math.isfinite(robot.c.v_next[k]):
                return f"velocity of {robot.name!r} at joint {robot.model.joint_of(k)!r}"
        return f"configuration of {robot.name!r}"

    cdef int take(self) except -1:
        """Keep everybody else away from the World, its backends and its states while a step runs."""
        self.refuse_simulated()
        self.collision.hold()
        try:
            self.contact.hold()
        except BaseException:
            self.collision.holder = 0
            raise
        self.gate.lock()
        return self.freeze(True, True)

    cdef int release(self, bint half) except -1:
        """End of a step; states stay as they are if the second half is still to come."""
        self.collision.holder = self.contact.holder = 0
        self.gate.unlock()
        return self.freeze(half, False)

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
            If another thread steps this World, integrate2() is due, or the state of a system is in the middle of
            `simulate`.
        """
        cdef long count
        cdef double checked = seconds()
        self.check()
        try:
            count = -1 if isinstance(n, bool) else operator.index(n)
        except (TypeError, OverflowError):
            count = -1
        if count < 0:
            raise Error(f"n must be a number of steps, an int of 0 or more, got {shown(n)}")
        self.gate.check_editable()
        self.refresh()
        self.take()
        try:
            with nogil:
                for _ in range(count):
                    self.half_one(&checked)
                    self.half_two(&checked)
        finally:
            self.release(False)

    def integrate1(self):
        """First half of a step: kinematics and contact detection.  Contacts can be read, controls set after it."""
        cdef double checked = seconds()
        self.check()
        self.gate.check_editable()
        self.refresh()
        self.take()
        try:
            with nogil:
                self.half_one(&checked)
        except BaseException:
            self.release(False)
            raise
        self.release(True)
        self.gate.half = True

    def integrate2(self):
        """Second half of a step: forces, contact impulses, new velocities and positions."""
        cdef double checked = seconds()
        self.check()
        self.gate.check_idle()
        if not self.gate.half:
            raise BusyError("call integrate1() first: integrate2() is the second half of a step")
        self.take()
        try:
            with nogil:
                self.half_two(&checked)
        finally:
            self.release(False)
            self.gate.half = False

    # ---- settings ----------------------------------------------------------------------------

    @property
    def time_step(self):
        """Length of a step [s]."""
        return self.scene.dt

    @time_step.setter
    def time_step(self, value):
        value = _time_step(value)
        self.check()
        self.gate.check_editable()
        self.time_before, self.steps_before = self.time, self.steps
        self.scene.dt = value

    @property
    def time(self):
        """Simulated so far [s]: steps times time step, rounded once."""
        return self.time_before + (self.steps - self.steps_before) * self.scene.dt

    @property
    def gravity(self):
        """Gravitational acceleration, (3,) read-only, world axes [m/s^2]."""
        return read_only(np.array([self.g.x, self.g.y, self.g.z]))

    @gravity.setter
    def gravity(self, value):
        cdef cnp.ndarray a = vector_in(value, 3, "gravity")
        self.check()
        self.gate.check_idle()
        self.refuse_simulated()
        self.g = vec3(data(a)[0], data(a)[1], data(a)[2])
        for robot in self.systems:
            (<ArticulatedSystem> robot).set_gravity(self.g)

    @property
    def integrator(self):
        """Position update: "trapezoid" (default), "semi_implicit" or "euler".

        Implicit PD, springs and damping use the theta-scheme that is consistent with it: theta 1/2 for the trapezoid,
        1 for the semi-implicit rule.
        """
        return next(name for name, k in SCHEMES.items() if k == self.scheme)

    @integrator.setter
    def integrator(self, value):
        value = option(value, "integrator", SCHEMES)
        self.check()
        self.gate.check_editable()
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
        erp, erp2 = number(erp, "erp", low=0.0, high=1.0), number(erp2, "erp2", low=0.0, high=1.0)
        self.check()
        self.gate.check_idle()
        self.scene.erp, self.scene.erp2 = erp, erp2

    @property
    def contact_slop(self):
        """Depth that position correction leaves alone [m]; without it resting contacts flicker."""
        return self.scene.slop

    @contact_slop.setter
    def contact_slop(self, value):
        value = number(value, "contact_slop", low=0.0, unit="[m]")
        self.check()
        self.gate.check_idle()
        self.scene.slop = value

    @property
    def contact_margin(self):
        """Gap below which bodies are in contact already [m], 1e-4 by default.

        Such a contact lets the gap close and no further, so that resting bodies neither sink nor flicker.  A collision
        backend that was given as an object keeps its own margin.
        """
        self.check()
        return self.collision.margin

    @contact_margin.setter
    def contact_margin(self, value):
        value = number(value, "contact_margin", low=0.0, unit="[m]")
        self.check()
        self.gate.check_editable()
        self.collision.margin = value

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
        wanted = {"alpha_init": alpha_init, "alpha_min": alpha_min, "alpha_decay": alpha_decay,
                  "max_iterations": max_iterations, "threshold": threshold}
        known = getattr(self.contact, "parameters", {})
        if "max_iterations" not in known:
            raise Error(f"{type(self.contact).__name__} has no sweeps to set parameters of")
        foreign = [name for name in ("alpha_init", "alpha_min", "alpha_decay") if name not in known]
        for name in foreign:
            if wanted.pop(name) != 1.0:
                raise Error(f"{type(self.contact).__name__} has no parameter {name}; known: {', '.join(known)}")
        self.contact.configure(**wanted)

    def set_material_pair(self, a, b, friction, restitution=0.0, threshold=0.0, static_friction=None,
                          static_threshold=0.0):
        """What happens when materials `a` and `b` meet, in either order.

        Parameters
        ----------
        a, b : str
            Material names.
        friction, restitution, threshold, static_friction, static_threshold : float
            As in `rbdyn.contact.MaterialPair`.

        Raises
        ------
        ContactError
            If a name or a value is refused.
        """
        self.check()
        self.gate.check_idle()
        self.materials.set(a, b, MaterialPair(friction, restitution, threshold, static_friction, static_threshold))

    def set_default_material(self, friction=0.8, restitution=0.0, threshold=0.0):
        """Properties of every pair of materials that `set_material_pair` was not told about.

        Parameters
        ----------
        friction, restitution, threshold : float
            As in `rbdyn.contact.MaterialPair`.

        Raises
        ------
        ContactError
            If a value is out of range.
        """
        self.check()
        self.gate.check_idle()
        self.materials.default = MaterialPair(friction, restitution, threshold)

    @property
    def contacts(self):
        """Contacts of the latest detection, list of Contact, without those of objects removed or moved since."""
        self.check()
        self.gate.check_idle()
        return [self.contact_at(i) for i in range(self.found.n) if self.stands(i)]

    cdef bint stands(self, int i) except -1:
        """Whether the objects of contact i are still there, and where they were."""
        cdef const ContactPoint* c = self.found.point + i
        cdef WorldObject obj
        for shape_id in (c.shape_a, c.shape_b):
            if shape_id not in self.shapes:
                return False
            obj = self.shapes[shape_id][0]
            if obj.moved_at == self.detections:
                return False
        return True

    cdef object contact_at(self, int i):
        cdef const ContactPoint* c = self.found.point + i
        cdef const double* E = self.assembly.frame + 9 * i
        cdef const double* l = self.assembly.impulse + 3 * i
        a, body_a, geometry_a = self.shapes[c.shape_a]
        b, body_b, geometry_b = self.shapes[c.shape_b]
        impulse = np.zeros(3)
        if self.solved:
            for k in range(3):
                impulse[k] = E[k] * l[0] + E[3 + k] * l[1] + E[6 + k] * l[2]
        return Contact(a, b, body_a, body_b, geometry_a, geometry_b,
                       read_only(np.array([c.position.x, c.position.y, c.position.z])),
                       read_only(np.array([c.normal.x, c.normal.y, c.normal.z])), c.depth, read_only(impulse),
                       self.scene.dt)

    def __reduce__(self):
        raise Error("a World cannot be pickled; save the states of its objects")

    def __repr__(self):
        if self.gate is None:
            return "World(empty)"
        return (f"World(time={self.time:.6g} s, time_step={self.scene.dt:g} s, "
                f"{len(self.systems)} articulated systems, {len(self.singles)} single bodies, {self.found.n} contacts)")
