"""World: objects, their schedule, and nothing of their physics."""

import operator

import numpy as np

from rbdyn.arguments import flag, number, shown, whole
from rbdyn.errors import BusyError, DivergenceError, Error
from rbdyn.world import adding, backends, extensions, hints, linking, settings
from rbdyn.world.arguments import label, option
from rbdyn.world.edits.edits import Edits
from rbdyn.world.messages import LOG
from rbdyn.world.queries import probes, rays
from rbdyn.world.queries.queries import Queries
from rbdyn.world.surgery import operations
from rbdyn.world.surgery.surgery import Surgery
from rbdyn.world.objects.handles import last_step
from rbdyn.world.objects.joints.closed_loops import own_configuration
from rbdyn.world.objects.joints.followers import warn_of_moved_followers
from rbdyn.world.registry.inactive import warn_of_inactive_features
from rbdyn.world.scheduler import running
from rbdyn.world.snapshot import copying, taking

cimport numpy as cnp
from cpython.object cimport PyObject_GenericSetAttr
from libc.string cimport memset

from rbdyn.backends cimport Backend, claim_all, free_all, hold_all
from rbdyn.arguments.arrays cimport data, read_only, vector_in
from rbdyn.contact.problem cimport ContactProblem
from rbdyn.contact.solver cimport ContactSolver, clear_counts
from rbdyn.contact.views.problem cimport copy_of
from rbdyn.rounding cimport give_back_rounding, take_rounding
from rbdyn.signals cimport Signals, start_signals
from rbdyn.spatial._algebra cimport vec3
from rbdyn.stepping.pair_history cimport forget_shape
from rbdyn.stepping.pipeline cimport Pipeline
from rbdyn.stepping.preview cimport Preview, free_preview, keep_scratch, return_scratch
from rbdyn.stepping.scene cimport DYNAMIC, Scene
from rbdyn.stepping.scheme cimport EULER, RUNGE_KUTTA, SEMI_IMPLICIT, TRAPEZOID, make_scheme
from rbdyn.stepping.sleeping cimport forget_sleeping
from rbdyn.stepping.phases cimport clear_external
from rbdyn.world.edits.renewal cimport catch_up
from rbdyn.world.objects.articulated_system cimport ArticulatedSystem
from rbdyn.world.objects.lock cimport EditLock
from rbdyn.world.objects.object cimport WorldObject
from rbdyn.world.objects.single_body cimport SingleBody
from rbdyn.world.observers cimport Observers
from rbdyn.world.registry.checks cimport check_setup
from rbdyn.world.registry.ends cimport make_coupling, make_joint, make_wire
from rbdyn.world.registry.forgetting cimport forget_impulses, marked
from rbdyn.world.registry.found cimport drop_contacts, found_contacts, name_worst, who_diverged
from rbdyn.world.registry.registry cimport Registry
from rbdyn.world.snapshot.insides cimport Clock, Insides
from rbdyn.world.snapshot.undoing cimport Undo, note_now

SCHEMES = {"trapezoid": TRAPEZOID, "semi_implicit": SEMI_IMPLICIT, "euler": EULER, "rk4": RUNGE_KUTTA}


cdef class World:
    """A place where mechanisms and single bodies meet, in hard contact.

    Parameters
    ----------
    time_step : float
        Length of a step [s].
    gravity : (3,) array_like
        World axes [m/s^2].
    collision : CollisionBackend or str, optional
        "native" (default), "fcl", "coal", or an object, one per World.
    contact : ContactSolver or str, optional
        "bisection" (default), "pgs", or an object, one per World.
    position_solver : ContactSolver or str, optional
        "bisection" (default), "pgs", or an object, one per World: what corrects depths, in 30 sweeps at most by name.
    substeps : int, optional
        Into how many equal parts a step is divided, 1 at first.

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
    position_solver : ContactSolver
        What finds how far poses move to correct depths: its contacts have no friction, its impulses move poses.
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

    _advice = (hints.WORLD,)

    def __setattr__(self, name, value):
        try:
            PyObject_GenericSetAttr(self, name, value)
        except AttributeError as error:
            hints.no_setter(self, name, error)

    def __getattr__(self, name):
        hints.no_attribute(self, name)

    def __init__(self, time_step=0.002, gravity=(0.0, 0.0, -9.81), collision=None, contact=None,
                 position_solver=None, substeps=1):
        cdef Scene* scene
        if self.registry is not None:
            raise Error("a World cannot be initialised twice; make a new one")
        dt, g = number(time_step, "time_step", above=0.0, unit="[s]"), vector_in(gravity, 3, "gravity")
        parts = whole(substeps, "substeps", least=1, most=1000)
        chosen = backends.chosen(collision, contact, position_solver)
        lock = EditLock()
        self.registry, self.observers = Registry(self, chosen[0], lock), Observers(self, lock)
        claim_all(self, chosen)
        self.backends = chosen
        self._edits = Edits(self.registry)
        self.queries = Queries(self.registry)
        self._surgery = Surgery(self.registry)
        self.collision, self.contact, self.position_solver = chosen
        scene = self.scene = &self.registry.memory.scene
        self.pipeline = self.made_pipeline(parts)
        self.whole_step = dt
        scene.dt, scene.gravity = dt / parts, vec3(data(g)[0], data(g)[1], data(g)[2])
        scene.erp, scene.erp2, scene.slop, scene.erp_speed = 0.2, 0.0, 1e-5, 1.0
        scene.scheme = make_scheme(TRAPEZOID)
        scene.sleep_time, scene.sleep_speed = 0.5, 1e-3
        scene.contacts = &self.pipeline.found
        self._insides = self.begin_insides()
        self.lock = lock                             # from here on the World can be used

    cdef Pipeline made_pipeline(self, int parts):
        """Its steps, with the World's backends."""
        cdef Pipeline steps = Pipeline.__new__(Pipeline)
        steps.scene, steps.slumber = &self.registry.memory.scene, &self.registry.memory.slumber
        steps.limits = &self.registry.filters.limits
        steps.collision, steps.contact, steps.position_solver = self.backends
        steps.parts = parts
        return steps

    cdef Insides begin_insides(self):
        """Where snapshots find everything."""
        cdef Insides inside = Insides.__new__(Insides)
        inside.clock = Clock(&self.steps, &self.whole_step, &self.time_before, &self.steps_before)
        inside.pipeline, inside.registry = self.pipeline, self.registry
        return inside

    # ---- the step ----------------------------------------------------------------------------

    cdef int first_half(self, Signals* signals) except -1 nogil:
        """q, v -> poses -> contacts."""
        return self.pipeline.first_half(signals)

    cdef int second_half(self, Signals* signals) except -1 nogil:
        """The rest of the step: of its first part, then the other parts.  Custom wires pull as their laws say."""
        self.pipeline.begin_parts(signals)
        for self.pipeline.part in range(self.pipeline.parts):
            if self.pipeline.part > 0:
                self.pipeline.first_half(signals)
            self.ask_laws()
            if not self.pipeline.take_part(signals):
                self.raise_divergence()
        self.pipeline.end_parts(self.whole_step)
        self.steps += 1
        self.observers.notify(self.scene, self.time_now())
        return 0

    cdef int ask_laws(self) except -1 nogil:
        """Let custom wires ask how they pull in this part of a step."""
        if self.registry.n_lawful:
            with gil:
                self.registry.ask_laws()
        return 0

    cdef int raise_divergence(self) except -1 nogil:
        """DivergenceError that names who and when; the state is that of the step's start."""
        clear_external(self.scene)                   # a force that was too large acts once
        with gil:
            who = who_diverged(self.registry, self.scene)
            error = DivergenceError(
                f"step {self.steps + 1} (time {self.time:.6g} s): {who} is not finite; the state was left at step "
                f"{self.steps}. Try a smaller time_step than {self.whole_step:g} s")
            LOG.error("%s", error)
            raise error

    cdef double time_now(self) noexcept nogil:
        """Steps times time step since the time step was set, rounded once [s]."""
        return self.time_before + (self.steps - self.steps_before) * self.whole_step

    cdef int begin_step(self) except -1:
        """Keep everybody else away from the World, its backends and its states while a step runs."""
        cdef bint half = self.lock.half
        self.registry.check_not_simulated()
        self.registry.wake_edited()
        if self._insides.first is None:
            taking.keep_first(self._insides)
        self.pipeline.reserve()
        self.lock.check_idle()                       # what ran since the caller asked may have let other threads in
        if self.lock.half != half:
            raise BusyError("another thread took a half step of this World; one thread at a time may step it")
        hold_all(self.backends)
        self.lock.lock()
        return self.registry.freeze(True, True)

    cdef int end_step(self, bint half) except -1:
        """End of a step, whole or not begun; states stay as they are if the second half is still to come."""
        self.pipeline.give_up()
        name_worst(self.registry, self.contact)
        name_worst(self.registry, self.position_solver)
        free_all(self.backends, half)
        self.lock.unlock()
        return self.registry.freeze(half, False)

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
        self.check()
        try:
            count = -1 if isinstance(n, bool) else operator.index(n)
        except (TypeError, OverflowError):
            count = -1
        if count < 0:
            raise Error(f"n must be a number of steps, an int of 0 or more, got {shown(n)}")
        self._take(count, True)

    def _take(self, count, first):
        """Take these steps, and call what is scheduled; `first` of a call: statistics begin anew."""
        self.check()
        self.lock.check_settable()
        if self._insides.scheduler is None:
            self._go(count, first)
        else:
            self._insides.scheduler.run(self, count, first)

    def _call_scheduled(self, function):
        """Call what is due.  Compiled: no handler of a signal comes between the end of a call and the note of it."""
        self.check()
        scheduler = self._insides.scheduler
        scheduler.calling = True
        try:
            function(self)
        finally:
            scheduler.calling = False

    cdef int take_steps(self, long count, bint first) except -1:
        """Some steps of a call of `step` that is taken in parts; `first` of these."""
        self._take(count, first)
        return 0

    cdef bint asks_python(self) except -1:
        """Whether Python code runs in its steps: what is scheduled, observers, laws of wires, backends."""
        cdef Backend backend
        if self.registry.n_lawful > 0 or self.observers.ask_python():
            return True
        if self._insides.scheduler is not None and self._insides.scheduler.schedules:
            return True
        for backend in self.backends:
            if backend.overridden:
                return True
        return False

    cdef int begin_steps(self) except -1:
        """Before whole steps: an error leaves everything as it was; `end_step` must follow."""
        self.check()
        self.lock.check_settable()
        catch_up(self.registry)
        check_setup(self.registry)                       # warns: meanwhile another thread may edit
        catch_up(self.registry)
        self.registry.refresh()
        self.lock.check_settable()
        return self.begin_step()

    def _go(self, long count, bint first):
        """These steps alone."""
        cdef Signals signals = start_signals()
        cdef unsigned rounding
        self.begin_steps()
        if first:
            clear_counts(self.contact)
            clear_counts(self.position_solver)
        rounding = take_rounding()
        try:
            with nogil:
                for _ in range(count):
                    self.first_half(&signals)
                    self.second_half(&signals)
        finally:
            give_back_rounding(rounding)
            self.end_step(False)

    def integrate1(self):
        """First half of a step: kinematics and contact detection.

        Then controls may be set, and of this step can be read: contacts, `problem`, all that algorithms compute from
        the state, and a robot's `implicit_inertia`.  What a step does (impulses, forces, accelerations) is that of the
        step before.
        """
        cdef Signals signals = start_signals()
        cdef unsigned rounding
        self.check()
        self.lock.check_settable()
        if self._insides.scheduler is not None:
            self._insides.scheduler.begin_half(self)
        catch_up(self.registry)
        check_setup(self.registry)                       # warns: meanwhile another thread may edit
        catch_up(self.registry)
        self.registry.refresh()
        self.lock.check_settable()
        self.begin_step()
        rounding = take_rounding()
        try:
            with nogil:
                self.first_half(&signals)
        except BaseException:
            self.end_step(False)
            raise
        finally:
            give_back_rounding(rounding)
        self.end_step(True)
        self.lock.half = True

    def integrate2(self):
        """Second half of a step: forces, contact impulses, new velocities and positions."""
        cdef Signals signals = start_signals()
        cdef unsigned rounding
        self.check()
        self.lock.check_idle()
        if not self.lock.half:
            raise BusyError("call integrate1() first: integrate2() is the second half of a step")
        self.begin_step()
        rounding = take_rounding()
        try:
            with nogil:
                self.second_half(&signals)
        finally:
            give_back_rounding(rounding)
            self.end_step(False)
            self.lock.half = False

    def _look_ahead(self, WorldObject robot=None):
        """Between half steps: what `integrate2` would solve with what drives the World now; None at other times.

        A Problem whose impulses are 0; or, of a robot, what implicit terms add to its inertia, (nv,).  The step goes on
        as if nobody had looked.
        """
        cdef Signals signals = start_signals()
        cdef Preview kept
        self.check()
        if not self.lock.half or self.lock.busy:
            return None
        memset(&kept, 0, sizeof(Preview))
        self.begin_step()
        try:
            keep_scratch(&kept, self.scene)
            with nogil:
                self.ask_laws()
                self.pipeline.prepare(&signals)
            if robot is not None:
                return last_step.coming_inertia(robot)
            made = copy_of(&self.pipeline.assembly.builder.problem)
            made.impulse[...] = 0.0
            return made
        finally:
            if kept.bytes != NULL:
                return_scratch(&kept, self.scene)
            free_preview(&kept)
            self.end_step(True)

    # ---- objects -----------------------------------------------------------------------------

    cdef int check(self) except -1:
        if self.lock is None:
            raise Error("this World was made without __init__; call World(time_step)")
        return 0

    @property
    def objects(self):
        """All objects, in the order in which they came, tuple."""
        self.check()
        return tuple(self.registry.objects.values())

    @property
    def materials(self):
        """MaterialTable: what happens when two materials meet."""
        self.check()
        return self.registry.materials

    def find(self, name):
        """The object or constraint called `name`; UnknownNameError (a KeyError) with the nearest names if not."""
        self.check()
        return self.registry.find(name)

    @property
    def constraints(self):
        """All constraints between objects, in the order in which they came, tuple: wires, welds, joints."""
        self.check()
        return tuple(self.registry.constraints.values())

    add_ground = adding.add_ground
    add_sphere = adding.add_sphere
    add_box = adding.add_box
    add_cylinder = adding.add_cylinder
    add_cone = adding.add_cone
    add_ellipsoid = adding.add_ellipsoid
    add_compound = adding.add_compound
    add_capsule = adding.add_capsule
    add_height_map = adding.add_height_map
    add_mesh = adding.add_mesh
    add_single_body = adding.add_single_body
    add_articulated_system = adding.add_articulated_system
    add_compliant_wire = linking.add_compliant_wire
    add_custom_wire = linking.add_custom_wire
    add_coupling = linking.add_coupling
    add_joint = linking.add_joint
    add_spring = linking.add_spring
    add_stiff_wire = linking.add_stiff_wire
    add_weld = linking.add_weld
    merge = operations.merge

    def _add_single(self, geometries, mass, inertia, body_type, name):
        cdef SingleBody made
        cdef bint edited
        self.check()
        edited = self.registry.was_edited()
        made = self.registry.add_single(geometries, mass, inertia, body_type, name)
        if not edited and made.lock is not None and made.body().type == DYNAMIC:     # it wakes what it touches
            self.registry.note_edited()
        return made

    def _built_system(self, mechanism, name):
        """A robot that is not in the World yet."""
        cdef ArticulatedSystem robot = ArticulatedSystem.__new__(ArticulatedSystem)
        self._check_settable()
        robot.name = mechanism.name if name is None else label(name, "name")
        robot.build(mechanism)
        warn_of_inactive_features(robot.name, robot.model, 3)
        warn_of_moved_followers(robot.name, robot.model, own_configuration(robot.model), 3)
        return robot

    def _enter_system(self, ArticulatedSystem robot not None, name, self_collision, inloop):
        """Take in one that was built."""
        self._check_settable()
        if robot.model is None or robot.memory is not None:
            raise Error("a robot enters a World once, after _built_system")
        self.registry.add_system(robot, name, self_collision)
        robot.system().control.inloop = inloop
        return robot

    def _add_joint(self, a, b, joint, pose_a, pose_b, name):
        self.check()
        self.lock.check_settable()
        made = make_joint(self.registry, a, b, joint, pose_a, pose_b)
        self.registry.add_constraint(made, name, "weld" if joint is None else "joint")
        return made

    def _add_coupling(self, coefficients, offset, name):
        self.check()
        self.lock.check_settable()
        made = make_coupling(self.registry, coefficients, offset)
        self.registry.add_constraint(made, name, "coupling")
        return made

    def _add_wire(self, points, ratios, attributes, name):
        self.check()
        self.lock.check_settable()
        wire = make_wire(self.registry, points, ratios, attributes)
        self.registry.add_constraint(wire, name, "spring" if attributes["wire_type"] == "spring" else "wire")
        return wire

    def remove(self, obj):
        """Take the object or constraint `obj`, or the one of that name, out.

        It raises RemovedError from then on; other objects, and their contacts with one another, stay as they are.
        Constraints that hang on an object leave with it.
        """
        self.check()
        self.lock.begin_edit()
        try:
            constraint = self.registry.constraint_in(obj)
            if constraint is None:
                self.registry.remove(self.registry.object_in(obj))
            else:
                self.registry.remove_constraint(constraint)
            self.lock.edited = True
        finally:
            self.lock.end_edit()

    def add_observer(self, observer, accelerations=False):
        """Call `observer` after every step, when its result stands.

        Parameters
        ----------
        observer : callable
            Called with this World, which it may read but not change; or a compiled `Observer`.
        accelerations : bool
            Whether accelerations of the objects are to be kept in the scene for it, if it is compiled; a robot's
            `acceleration` is known all the same.

        Returns
        -------
        observer : callable
            The same, so that this can decorate a function.
        """
        keep = flag(accelerations, "accelerations")
        self.check()
        self.lock.check_idle()
        self.observers.add(observer, keep)
        self.scene.keep_accelerations = self.observers.ask_for_accelerations()
        return observer

    def remove_observer(self, observer):
        """Call `observer` no more; Error if it was not added."""
        self.check()
        self.lock.check_idle()
        self.observers.remove(observer)
        self.scene.keep_accelerations = self.observers.ask_for_accelerations()

    def _forget(self, obj):
        """An object was moved by hand: what its contacts and limits start the next solve from is forgotten."""
        cdef WorldObject moved
        self.check()
        moved = self.registry.object_in(obj)
        moved.moved_at = self.pipeline.detections
        anew = self.registry.all_moved(self.pipeline.stepped_at)
        system = (<ArticulatedSystem> moved).system().handle if isinstance(moved, ArticulatedSystem) else -1
        links, own = self.registry.forget_constraints(moved), marked(moved.shape_ids)
        for solver in (self.contact, self.position_solver):
            forget_impulses(solver, own, system, links)
            if anew and (<ContactSolver> solver).memory.n + (<ContactSolver> solver).memory.n_blocks == 0:
                solver.reset()                       # no trace of the past remains
        for shape_id in moved.shape_ids:
            forget_sleeping(&self.registry.memory.slumber, shape_id)
            forget_shape(&self.pipeline.assembly.builder.history, shape_id)

    def _forget_shapes(self, list shape_ids, long system=-1):
        """Shapes are not what, or where, they were, or gone: their contacts, and what the next solve starts from.

        `system` is the body handle of one that is gone too, -1 for none: others will have these numbers.
        """
        cdef int shape_id
        self.check()
        own = marked(shape_ids)
        forget_impulses(self.contact, own, system, set())
        forget_impulses(self.position_solver, own, system, set())
        drop_contacts(&self.pipeline.found, set(shape_ids))
        for shape_id in shape_ids:
            forget_sleeping(&self.registry.memory.slumber, shape_id)
            forget_shape(&self.pipeline.assembly.builder.history, shape_id)

    def _set_dynamic(self, obj):
        """Called by a body whose type changed."""
        cdef WorldObject body
        self.check()
        body = self.registry.object_in(obj)
        if isinstance(body, SingleBody):
            self.collision.set_dynamic((<SingleBody> body).body().handle, (<SingleBody> body).body().type == DYNAMIC)

    def _as_one(self, edit):
        """What `edit()` returns, whose edits are one for other threads and for handlers of signals.

        All of it is done or, whatever it raises, nothing.
        """
        cdef Undo undo
        self.check()
        self.lock.begin_whole()
        try:
            self.lock.check_settable()
            undo = note_now(self._insides)
            try:
                return edit()
            except BaseException:
                undo.carry_out()
                raise
        finally:
            self.lock.end_whole()

    def _add_as_one(self, add, then):
        """The object that `add()` adds, once `then` was called with it: both are done, or nothing.

        As `_as_one`, whose time grows with the number of objects.
        """
        cdef long added
        self.check()
        self.lock.begin_whole()
        try:
            added = self.registry.added
            made = add()
            try:
                then(made)
            except BaseException:
                self.remove(made)
                self.registry.added = added
                raise
            return made
        finally:
            self.lock.end_whole()

    def _check_made(self):
        self.check()

    def _check_idle(self):
        self.check()
        self.lock.check_idle()

    def _check_editable(self):
        self.check()
        self.lock.check_editable()

    def _check_settable(self):
        self.check()
        self.lock.check_settable()

    record = extensions.record
    run = running.run
    schedule = running.schedule
    schedules = running.schedules
    random = taking.random
    snapshot = taking.snapshot
    restore = taking.restore
    state_hash = taking.state_hash
    reset = taking.reset
    set_reset_state = taking.set_reset_state

    # ---- settings ----------------------------------------------------------------------------

    @property
    def time_step(self):
        """Length of a step [s]; setting it raises Error if a schedule asks for more calls than there would be steps."""
        self.check()
        return self.whole_step

    @time_step.setter
    def time_step(self, value):
        value = number(value, "time_step", above=0.0, unit="[s]")
        self.check()
        self.lock.check_settable()
        if self._insides.scheduler is not None:
            self._insides.scheduler.check_time_step(value)
        self.lock.check_editable()
        self.time_before, self.steps_before = self.time, self.steps
        self.whole_step, self.scene.dt = value, value / self.pipeline.parts

    @property
    def substeps(self):
        """Into how many equal parts a step is divided.

        Each part finds its contacts and solves them; forces and targets given from outside act through all of them, and
        observers are called at the end of the step.  Impulses, forces and accelerations read afterwards are those of
        the last part.  Things that tumble gain more from short steps with few sweeps each, as in
        ``World(substeps=4, contact=BisectionSolver(max_iterations=12))``, than from many sweeps in long ones.
        """
        self.check()
        return self.pipeline.parts

    @substeps.setter
    def substeps(self, value):
        value = whole(value, "substeps", least=1, most=1000)
        self.check()
        self.lock.check_editable()
        self.pipeline.parts, self.scene.dt = value, self.whole_step / value

    @property
    def time(self):
        """Simulated so far [s]: steps times time step, rounded once."""
        self.check()
        return self.time_now()

    @property
    def gravity(self):
        """Gravitational acceleration, (3,) read-only, world axes [m/s^2]."""
        self.check()
        g = self.scene.gravity
        return read_only(np.array([g.x, g.y, g.z]))

    @gravity.setter
    def gravity(self, value):
        cdef cnp.ndarray a = vector_in(value, 3, "gravity")
        self.check()
        self.lock.check_editable()
        self.registry.check_not_simulated()
        self.scene.gravity = vec3(data(a)[0], data(a)[1], data(a)[2])
        for robot in self.registry.systems:
            (<ArticulatedSystem> robot).set_gravity(self.scene.gravity)

    @property
    def integrator(self):
        """Position update: "trapezoid" (default), "semi_implicit", "euler" or "rk4".

        What is in contact moves by its new velocity under the trapezoid too: the mean with the old one would carry
        bodies into one another.  A bounce is no such contact.

        Implicit PD, springs and damping use the theta-scheme that is consistent with it: theta 1/2 for the trapezoid,
        1 for the semi-implicit rule.  Under the trapezoid, articulated systems without contacts move at second order in
        the time step: forces are taken in its middle, and floating bases keep the momentum of their trees to rounding.
        Everything else is of first order.

        Under "rk4" such systems move by the Runge-Kutta method of order 4, and all else by the trapezoid: single
        bodies, systems with a contact or loops, and those on whose joints limits, friction or mimics act.  It takes
        the forces of springs, damping and PD control as they are, without implicit terms, so that the step must resolve
        them; a step in flight takes two and a half times that of the trapezoid.
        """
        self.check()
        return next(name for name, rule in SCHEMES.items() if rule == self.scene.scheme.rule)

    @integrator.setter
    def integrator(self, value):
        value = option(value, "integrator", SCHEMES)
        self.check()
        self.lock.check_editable()
        self.scene.scheme = make_scheme(SCHEMES[value])

    @property
    def erp(self):
        """(erp, erp2) of `set_erp`."""
        self.check()
        return self.scene.erp, self.scene.erp2

    def set_erp(self, erp, erp2=0.0):
        """Position correction: the share of a contact's depth that is corrected in one step, and extra restitution.

        Poses are corrected, and joints beyond their limits; velocities do not change, so that no rebound follows and no
        kinetic energy is made.

        Parameters
        ----------
        erp : float
            0 to 1, 0.2 at first.  Where bodies do not part by themselves, they are parted by erp * (depth - slop) in
            each step, and by no more than 1 m/s times the time step.
        erp2 : float
            Added to every pair's restitution, 0 to 1.
        """
        erp, erp2 = number(erp, "erp", low=0.0, high=1.0), number(erp2, "erp2", low=0.0, high=1.0)
        self.check()
        self.lock.check_editable()
        self.scene.erp, self.scene.erp2 = erp, erp2

    @property
    def contact_slop(self):
        """Depth that is not corrected, and gap that need not close [m]; without it resting contacts flicker."""
        self.check()
        return self.scene.slop

    @contact_slop.setter
    def contact_slop(self, value):
        value = number(value, "contact_slop", low=0.0, unit="[m]")
        self.check()
        self.lock.check_editable()
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
        self.lock.check_editable()
        self.collision.margin = value

    @property
    def sleeping(self):
        """Whether what rests falls asleep, False at first: docs/world.md.

        All that contacts and constraints join falls asleep together, robots among it, once all of it has been slower
        than `sleep_speed` for `sleep_time` and something bears it.  It then stands: no step looks at it, its poses keep
        their bits and its contacts can be read.  It wakes together, when something that moves touches it, when one of
        it is pushed, driven, moved or edited, and when anything is edited that it may stand on.
        """
        self.check()
        return bool(self.scene.sleeping)

    @sleeping.setter
    def sleeping(self, value):
        value = flag(value, "sleeping")
        self.check()
        self.lock.check_editable()
        self.scene.sleeping = value
        self.registry.wake_edited()

    @property
    def sleep_time(self):
        """How long things are slow before they fall asleep [s], 0.5 at first."""
        self.check()
        return self.scene.sleep_time

    @sleep_time.setter
    def sleep_time(self, value):
        value = number(value, "sleep_time", above=0.0, unit="[s]")
        self.check()
        self.lock.check_editable()
        self.scene.sleep_time = value

    @property
    def sleep_speed(self):
        """What is slow: velocities of bodies, and of robots each of v, up to this [m/s, rad/s]; 0.001 at first."""
        self.check()
        return self.scene.sleep_speed

    @sleep_speed.setter
    def sleep_speed(self, value):
        value = number(value, "sleep_speed", low=0.0, unit="[m/s]")
        self.check()
        self.lock.check_editable()
        self.scene.sleep_speed = value

    set_contact_solver_param = settings.set_contact_solver_param
    ignore_collision = settings.ignore_collision
    allow_collision = settings.allow_collision
    set_material_pair = settings.set_material_pair
    set_default_material = settings.set_default_material

    @property
    def contacts(self):
        """Contacts of the latest detection, list of Contact, without those of objects removed or moved since."""
        return self._contacts_on(None, None, None)

    def _contacts_on(self, on, link, body):
        """Those of an object; of a link of it, or of a body, if one is named."""
        self.check()
        self.lock.begin_query()
        try:
            return found_contacts(self.registry, self.pipeline, on, link, body)
        finally:
            self.lock.end_query()

    # ---- queries -----------------------------------------------------------------------------

    ray_test = rays.ray_test
    ray_test_batch = rays.ray_test_batch
    shape_cast = probes.shape_cast
    shape_cast_batch = probes.shape_cast_batch
    overlap_test = probes.overlap_test
    overlap_test_batch = probes.overlap_test_batch
    nearest = probes.nearest
    nearest_batch = probes.nearest_batch
    distance = probes.distance
    contacts_at = probes.contacts_at
    collides_at = probes.collides_at

    render = extensions.render
    view = extensions.view
    sketch = extensions.sketch
    _repr_html_ = extensions.html_of

    @property
    def _queries(self):
        """What looks at everything as it is now."""
        self.check()
        return self.queries

    @property
    def problem(self):
        """A copy of the problem that the latest step solved, with its impulses: a contact.Problem.

        Between `integrate1` and `integrate2` that of this step, with what drives it now, and with impulses of 0.  None
        before a step, and after `restore`.  Contacts come first, in the order in which they were found; `key`
        tells whose the other blocks are.
        """
        cdef ContactProblem* solved
        self.check()
        coming = self._look_ahead()
        if coming is not None:
            return coming
        self.lock.begin_query()
        try:
            solved = &self.pipeline.assembly.builder.problem
            return copy_of(solved) if self.pipeline.solved and solved.v_free is not NULL else None
        finally:
            self.lock.end_query()

    def __reduce__(self):
        self.check()
        return copying.pickled(self, World)

    def __deepcopy__(self, memo):
        self.check()
        return copying.deep_copy(self, World, memo)

    def __setstate__(self, state):
        copying.put_functions(self, state)

    def __repr__(self):
        if self.lock is None:
            return "World(empty)"
        s = self.scene
        return (f"World(time={self.time:.6g} s, time_step={self.whole_step:g} s, {s.n_system} articulated systems, "
                f"{s.n_single} single bodies, {self.pipeline.found.n} contacts)")
