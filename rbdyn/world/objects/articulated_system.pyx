"""Articulated systems: a mechanism that lives in a World."""

import numpy as np

from rbdyn.algorithms.kinematics.forward import body_pose
from rbdyn.algorithms.loops.loops import loop_error
from rbdyn.errors import BusyError, Error
from rbdyn.model.owners import note_owner
from rbdyn.spatial.transform import Transform
from rbdyn.world import extensions, hints
from rbdyn.world.arguments import meant, option
from rbdyn.world.objects import base_parts, editing, reshaping
from rbdyn.world.objects.handles import arrays, finding, frames_given, step_readings
from rbdyn.world.objects.joints import loop_joints, named, readings, settings, softness
from rbdyn.world.objects.base_pose import q_with_base
from rbdyn.world.objects.joints.closed_loops import closed, start, ties_trees
from rbdyn.world.objects.joints.followers import fitting
from rbdyn.world.objects.joints.said import PER_DOF, joints_say
from rbdyn.world.arguments import orientation as _orientation

cimport numpy as cnp
from libc.string cimport memcmp, memcpy

from rbdyn.algorithms.inputs.regular cimport check_regular
from rbdyn.arguments.arrays cimport data, read_only, vector_in
from rbdyn.kernels.aba cimport aba_inward
from rbdyn.model.model cimport Model, Placement
from rbdyn.model.state cimport State
from rbdyn.spatial._algebra cimport force as make_force
from rbdyn.spatial._algebra cimport Vec3, add33, add3, add_f, mul3, outer3, tmul3, vec3, zero3
from rbdyn.spatial.constants cimport Inertiad
from rbdyn.stepping.constraints.joints.dry_friction cimport list_friction
from rbdyn.stepping.constraints.joints.limits cimport list_limits
from rbdyn.stepping.constraints.joints.velocity_limits cimport list_velocity_limits
from rbdyn.stepping.joint_forces cimport list_inertias
from rbdyn.stepping.scene cimport (
    FRICTION_FORCE, LIMIT_FORCE, MIMIC_FORCE, VELOCITY_LIMIT_FORCE, BallLimit, Mimic, System, SystemControl,
)
from rbdyn.stepping.sleeping cimport rouse as rouse_system
from rbdyn.stepping.wrenches cimport system_clear_wrenches
from rbdyn.stepping.freedom cimport Freedom
from rbdyn.world.objects.joints.freedom cimport LoopJoints, drive, driven_by, freedom_of
from rbdyn.world.objects.object cimport WorldObject

MODES = ("force", "pd_plus_feedforward")
LIMITS = ("motor", "explicit")
_FORCES = {"limit": LIMIT_FORCE, "velocity limit": VELOCITY_LIMIT_FORCE, "friction": FRICTION_FORCE,
           "mimic": MIMIC_FORCE}


cdef class ArticulatedSystem(WorldObject):
    """A mechanism in a World: its state, its control, its external forces.

    Made by `World.add_articulated_system`.  `model` and `state` go into every algorithm of rbdyn, for example
    ``rbdyn.mass_matrix(robot.state)``.

    Attributes
    ----------
    name : str
        Unique in its World; cannot be changed.
    model : Model
        The numbered mechanism.
    state : State
        Where it is; the World moves it.

    Notes
    -----
    Arrays that properties return are read-only and keep their values: `set_state` and the other methods change the
    system.  Those that methods return are fresh.  After `World.remove`, `model`, `mechanism` and `state` are still
    there, for other uses.
    """

    cdef int build(self, object mechanism) except -1:
        """Compile the mechanism."""
        self.model = Model(mechanism)
        self.state = State(self.model)
        note_owner(self.state, self)
        self._handles, self._welded = {}, {}
        self.tree, self.loops = mechanism.tree_joints, mechanism.non_tree_joints
        self.state.set(start(self.model))
        no_force = np.zeros(self.model.c.nv)
        aba_inward(&self.model.c, &self.state.c, data(no_force), NULL, False)
        check_regular(self.model, &self.state.c)
        return 0

    _advice = (hints.ROBOT, hints.OBJECT)
    _repr_html_ = extensions.html_of

    cdef System* system(self) except NULL:
        """What the step knows of it; RemovedError if it has left its World."""
        self.check_alive()
        return self.memory.scene.system + self.index

    cdef int begin(self) except -1:
        """Write the parameters of its joints, and a target, into its control."""
        cdef SystemControl* c = &self.system().control
        self.said = said = joints_say(self.model)
        memcpy(c.effort_upper, data(said["effort_limit"]), self.model.c.nv * sizeof(double))
        memcpy(c.effort_lower, data(-said["effort_limit"]), self.model.c.nv * sizeof(double))
        c.motor_limits = True
        memcpy(c.q_spring, data(said["spring_reference"]), self.model.c.nq * sizeof(double))
        list_inertias(self.system(), data(said["configuration"]))
        self.put_numbers({name: said[name] for name in PER_DOF})
        self.put_mimics(said["mimics"])
        self.put_balls(said["balls"])
        memcpy(c.q_ref, self.state.c.q, self.model.c.nq * sizeof(double))
        c.tied = ties_trees(self.model)
        for k, loop in enumerate(self.model.loop_names):
            c.loop[<int> k] = freedom_of(self.model.mechanism.find_joint(loop))
        self.placed_anew = self.driven_anew = True
        return 0

    cdef int put_loop(self, int k) except -1:
        """Write what its joint says of a loop; its motor's command stays."""
        cdef Freedom* f = self.system().control.loop + k
        cdef Freedom new = freedom_of(self.model.mechanism.find_joint(self.model.loop_names[k]))
        drive(&new, driven_by(f))
        f[0] = new
        return 0

    cdef double* numbers(self, object name) except NULL:
        """The array (nv,) of its control that holds a number of each degree of freedom."""
        cdef SystemControl* c = &self.system().control
        if name == "lower":
            return c.lower
        if name == "upper":
            return c.upper
        if name == "limit_restitution":
            return c.restitution
        if name == "limit_softness":
            return c.limit_softness
        if name == "limit_damping":
            return c.limit_damping
        if name == "mimic_softness":
            return c.mimic_softness
        if name == "mimic_damping":
            return c.mimic_damping
        if name == "velocity_limit":
            return c.top_speed
        if name == "friction":
            return c.friction
        if name == "static_friction":
            return c.static_friction
        if name == "static_threshold":
            return c.static_threshold
        if name == "no_load_speed":
            return c.no_load_speed
        return c.stiffness if name == "stiffness" else c.damping

    cdef int put_numbers(self, dict columns) except -1:
        """Write such arrays, and what follows from them."""
        cdef SystemControl* c = &self.system().control
        cdef size_t size = self.model.c.nv * sizeof(double)
        cdef int k
        for name, column in columns.items():
            if name in ("lower", "upper") and memcmp(self.numbers(name), data(column), size) != 0:
                self.placed_anew = self.driven_anew = True
            memcpy(self.numbers(name), data(column), size)
        c.springs = False
        for k in range(self.model.c.nv):
            c.springs = c.springs or c.stiffness[k] != 0.0
        list_limits(self.system())
        list_velocity_limits(self.system())
        list_friction(self.system())
        return 0

    cdef int put_mimics(self, list mimics) except -1:
        """Write which joints follow others."""
        cdef SystemControl* c = &self.system().control
        c.n_mimics = 0
        for q, dof, leader_q, leader_dof, multiplier, offset in mimics:
            c.mimic[c.n_mimics] = Mimic(q=q, dof=dof, leader_q=leader_q, leader_dof=leader_dof, multiplier=multiplier,
                                        offset=offset)
            c.n_mimics += 1
        return 0

    cdef int put_balls(self, list balls) except -1:
        """Write the limits of spherical joints."""
        cdef SystemControl* c = &self.system().control
        c.n_balls = 0
        for q, dof, axis, angle, cone, lower, upper in balls:
            c.ball[c.n_balls] = BallLimit(q=q, dof=dof, axis=vec3(axis[0], axis[1], axis[2]), angle=angle, cone=cone,
                                          twist_lower=lower, twist_upper=upper)
            c.n_balls += 1
        return 0

    cdef int check_drivable(self) except -1:
        """BusyError while it may not be driven; else it wakes, as it is to be."""
        self.lock.check_idle()
        return self.rouse()

    cdef int rouse(self) except -1:
        """It is to move: it wakes, and all that it sleeps with, or that sleeps on its root."""
        self.driven_anew = True
        rouse_system(&self.memory.scene, &self.memory.slumber, self.system().handle)
        return 0

    @property
    def asleep(self):
        """Whether it sleeps, bool: `World.sleeping`.  It stands still then, and no step looks at it."""
        cdef long island
        self.present()
        island = self.memory.slumber.system[self.system().handle].island
        return island > 0 and not self.lock.edited

    def wake(self):
        """Wake it, and all that it sleeps with, or that sleeps on its root."""
        self.check_alive()
        self.check_drivable()

    cdef int forget_contacts(self) except -1:
        """It was set by hand: it wakes, and what the latest step did is forgotten with its contacts."""
        self.rouse()
        self.placed_anew = True
        self.system().work.took = 0.0
        return WorldObject.forget_contacts(self)

    cdef int set_gravity(self, Vec3 gravity) except -1:
        """The World's gravity, world axes [m/s^2], for the state's own algorithms too."""
        self.gravity = gravity
        self.state.c.gravity = tmul3(self.state.c.R[0], gravity)
        return 0

    cdef object array_of(self, const double* x, int n):
        """A read-only array of n numbers."""
        a = np.empty(n)
        memcpy(data(a), x, n * sizeof(double))
        return read_only(a)

    @property
    def _placed(self):
        """The State of a system that is in a World, with what was edited of its mechanism; RemovedError otherwise."""
        if self.present().revision_counter.value != self.model.revision:
            self.update()
        return self.state

    def _take_in_edits(self):
        """Take in what was edited of its mechanism, unless the World may not be edited now: the next step does then.

        What names a body or joint calls this first.  RemovedError for a system that is in no World.
        """
        if self.present().revision_counter.value == self.model.revision:
            return
        try:
            self.lock.check_settable()
        except BusyError:
            return
        self.update()

    def _moves(self, state):
        """Test that this is the State that its World moves."""
        return self.lock is not None and self.state is state

    @property
    def _handles_here(self):
        """The handles of a system that is in a World; RemovedError otherwise."""
        self.present()
        return self._handles

    cdef Model present(self):
        """The Model of a system that is in a World; RemovedError otherwise."""
        self.compiled()
        self.check_alive()
        return self.model

    update = editing.update
    ignore_collision = editing.ignore_collision
    allow_collision = editing.allow_collision
    ignored_collisions = editing.ignored_collisions
    sample_self_collisions = editing.sample_self_collisions
    set_collision_filter = editing.set_collision_filter
    self_collision = editing.self_collision
    collide_with_parent = editing.collide_with_parent
    contacts_per_self_pair = editing.contacts_per_self_pair

    # ---- state -------------------------------------------------------------------------------

    cdef Model compiled(self):
        """The Model; Error for a system that no World made."""
        if self.model is None:
            raise Error("systems are made by a World: call world.add_articulated_system(...)")
        return self.model

    @property
    def mechanism(self):
        """The graph of bodies and joints."""
        return self.compiled().mechanism

    @property
    def nq(self):
        """Length of q."""
        return self.compiled().nq

    @property
    def nv(self):
        """Length of v."""
        return self.compiled().nv

    @property
    def q(self):
        """Configuration, (nq,) read-only; "Joints" in docs/conventions.md says what each entry means."""
        return self.array_of(self.state.c.q, self.present().c.nq)

    @property
    def v(self):
        """Velocity, (nv,) read-only; a floating base's first six are linear, then angular, both in world axes."""
        return self.array_of(self.state.c.v, self.present().c.nv)

    @property
    def body_names(self):
        """Names of the base and the moving bodies."""
        return self.compiled().body_names

    @property
    def joint_names(self):
        """Names of the base joint and the moving joints."""
        return self.compiled().joint_names

    @property
    def total_mass(self):
        """Mass of all moving bodies [kg]."""
        return self.compiled().total_mass

    def set_state(self, q=None, v=None):
        """Set the configuration and the velocity; what is not given stays.

        The system's contacts, and the impulses from which the next solve would start, are forgotten: a World whose
        objects are all set again repeats itself bit for bit.

        Parameters
        ----------
        q : (nq,) array_like, optional
            Configuration [rad or m], read as by `State.set`.
        v : (nv,) array_like, optional
            Velocity [rad/s or m/s].

        Raises
        ------
        StateError
            If a length is wrong, a number is not finite, or a quaternion or pair [sine, cosine] is not of unit length;
            nothing changes then.
        LoopError
            If q opens a loop by more than 1e-3 m or rad; `project_configuration` leads to one that does not.

        Notes
        -----
        A q that opens loops by less is brought onto them, as `project_configuration` does.  A velocity that opens them
        stays as it is until the next step, which begins as if they were suddenly connected: momentum is shared.

        A joint that follows another (`Mimic`) is put where its leader says, whatever q says of it, if it is off by more
        than 1e-3 rad or m, and gets the velocity that its leader's asks for, whatever v says of it, if that is off by
        more than 1e-3 rad/s or m/s.  If it is off by less, or the robot has loops, steps bring it back: velocities that
        do not fit share their momentum in the next step.  One that follows softly stays where q says, and as fast as v
        says.
        """
        self.check_alive()
        self.lock.check_settable()
        self._placed                                     # with what was edited of its mechanism
        if q is not None and self.model.has_loops:
            q = closed(self.state, q)
            self.lock.check_settable()               # another thread may have come in
        elif (q is not None or v is not None) and self.system().control.n_mimics:
            q, v = fitting(self.state, q, v, self._joint_numbers("mimic_softness"))
        self.state.set(q, self.state.v if v is None else v)
        self.forget_contacts()

    def body_pose(self, body):
        """World pose of a body, joint or frame, (4, 4), fresh; "world" is the inertial frame, whatever moves."""
        self._take_in_edits()
        return np.eye(4) if isinstance(body, str) and body == "world" else body_pose(self.state, self.known(body))

    cdef object known(self, object body):
        """What the Model knows a body or joint by: the base joint of a fixed base stands for its root."""
        body = meant(self, body)
        if isinstance(body, str) and body == self.model.joint_names[0] and body not in self.model.placements:
            return self.model.bodies[0]                  # its name may be "world", which is the inertial frame's too
        return body

    # ---- control -----------------------------------------------------------------------------

    @property
    def control_mode(self):
        """"force" (feed-forward only) or "pd_plus_feedforward"; setting PD gains switches to the latter."""
        self.present()
        return MODES[1 if self.system().control.pd else 0]

    @control_mode.setter
    def control_mode(self, value):
        value = option(value, "control mode", MODES)
        self.check_alive()
        self.check_drivable()
        self.system().control.pd = value == MODES[1]
        if self.system().control.pd:
            self.start_target()

    def set_pd_gains(self, p=None, d=None, limits=None, *, joints=None):
        """Gains of the implicit PD controller, and switch to "pd_plus_feedforward"; what is not given stays.

        Without a target, the present configuration becomes the target.

        Parameters
        ----------
        p, d : float or (nv,) array_like, optional
            Position gains [N m/rad or N/m] and velocity gains [N m s/rad or N s/m], not negative.  Those of a floating
            base are set to 0: nothing holds it.
        limits : {"motor", "explicit"}, optional
            What effort limits bound: all that an actuator applies, as of a real motor ("motor", so from the start), or
            its explicit command alone, the implicit part of the law not counted ("explicit", as in RaiSim).
        joints : dict, optional
            By joint name: (p, d), of which one may be None.

        Raises
        ------
        StateError
            If a length is wrong or a number is not finite.
        Error
            If a gain is negative, or `limits` is none of the two.
        UnknownNameError
            If there is no such joint.
        """
        cdef cnp.ndarray new_p, new_d
        meaning = None if limits is None else option(limits, "limits", LIMITS)
        self._take_in_edits()
        new_p, new_d = named.gains(self, p, d, joints)
        self.check_alive()
        self.check_drivable()
        memcpy(self.system().control.kp, data(new_p), self.model.c.nv * sizeof(double))
        memcpy(self.system().control.kd, data(new_d), self.model.c.nv * sizeof(double))
        self.system().control.pd = True
        if meaning is not None:
            self.system().control.motor_limits = meaning == LIMITS[0]
        self.start_target()

    cdef int start_target(self) except -1:
        """The present configuration is the target until there is one."""
        if not self.targeted:
            memcpy(self.system().control.q_ref, self.state.c.q, self.model.c.nq * sizeof(double))
            self.targeted = True
        return 0

    @property
    def pd_gains(self):
        """Position and velocity gains, two (nv,) arrays, read-only."""
        self.present()
        return self.array_of(self.system().control.kp, self.nv), self.array_of(self.system().control.kd, self.nv)

    @property
    def pd_limits(self):
        """What effort limits bound: "motor" or "explicit", as in `set_pd_gains`."""
        self.present()
        return LIMITS[0 if self.system().control.motor_limits else 1]

    def set_effort_limits(self, lower=None, upper=None, *, joints=None):
        """Change what the actuators can give; what is not given stays, and the mechanism's joints keep `effort_limit`.

        Parameters
        ----------
        lower, upper : float or (nv,) array_like, optional
            Least and largest force [N m or N]: lower <= 0 <= upper, which may be infinite.  A floating base has none.
        joints : dict, optional
            By joint name: (lower, upper), or a number x for (-x, x).

        Raises
        ------
        StateError
            If a length is wrong, an entry is no number, a lower limit is above 0 or an upper one below; nothing
            changes then.
        UnknownNameError
            If there is no such joint.
        """
        cdef cnp.ndarray low, high
        self._take_in_edits()
        low, high = named.efforts(self, lower, upper, {} if joints is None else joints)
        self.check_alive()
        self.check_drivable()
        memcpy(self.system().control.effort_lower, data(low), self.model.c.nv * sizeof(double))
        memcpy(self.system().control.effort_upper, data(high), self.model.c.nv * sizeof(double))

    @property
    def effort_limits(self):
        """Least and largest force of each actuator, two (nv,) arrays, read-only [N m or N]."""
        self.present()
        return (self.array_of(self.system().control.effort_lower, self.nv),
                self.array_of(self.system().control.effort_upper, self.nv))

    def set_pd_target(self, q=None, v=None, *, joints=None):
        """Set the target of the PD controller; what is not given stays.

        Parameters
        ----------
        q : (nq,) array_like, optional
            Configuration [rad or m]; a floating base's part has no effect.  Quaternions as in `set_state`.  Until one
            is set, the target is the configuration at which PD control began.
        v : (nv,) array_like, optional
            Velocity [rad/s or m/s]; 0 until set.
        joints : dict, optional
            By joint name: its configuration, which counts more than that in `q`.

        Raises
        ------
        StateError
            If a length is wrong, a number is not finite, or a quaternion or pair [sine, cosine] is not of unit length;
            nothing changes then.
        UnknownNameError
            If there is no such joint.

        Examples
        --------
        >>> robot.set_pd_target(joints={"LF_HFE": 0.4})  # doctest: +SKIP
        """
        cdef cnp.ndarray new_q = None
        cdef cnp.ndarray new_v = None
        self._take_in_edits()
        if joints is not None:
            q = named.targets(self, q, joints)
        if q is not None:
            new_q = vector_in(q, self.model.c.nq, "q").copy()
        if v is not None:
            new_v = vector_in(v, self.model.c.nv, "v").copy()
        if new_q is not None:
            probe = State(self._placed.model)
            probe.set(new_q)                     # unit lengths to the last bit, as everywhere
            new_q = probe.q
        self.check_alive()
        self.check_drivable()
        if new_q is not None:
            memcpy(self.system().control.q_ref, data(new_q), self.model.c.nq * sizeof(double))
            self.targeted = True
        if new_v is not None:
            memcpy(self.system().control.v_ref, data(new_v), self.model.c.nv * sizeof(double))

    @property
    def pd_target(self):
        """Target configuration (nq,) and velocity (nv,), read-only."""
        self.present()
        return (self.array_of(self.system().control.q_ref if self.targeted else self.state.c.q, self.nq),
                self.array_of(self.system().control.v_ref, self.nv))

    def set_generalized_force(self, tau=None, *, joints=None):
        """Set the feed-forward force, which stays until changed.

        Parameters
        ----------
        tau : (nv,) array_like, optional
            [N m or N]; the effort limits bound it together with the PD law.  By default what it is now.
        joints : dict, optional
            By joint name: its force, which counts more than that in `tau`.

        Raises
        ------
        StateError
            If the length is wrong or a number is not finite; nothing changes then.
        UnknownNameError
            If there is no such joint.
        """
        cdef cnp.ndarray force
        self._take_in_edits()
        if tau is None or joints is not None:
            tau = named.forces(self, tau, joints)
        force = vector_in(tau, self.model.c.nv, "tau")
        self.check_alive()
        self.check_drivable()
        memcpy(self.system().control.tau_ff, data(force), self.model.c.nv * sizeof(double))

    @property
    def generalized_force(self):
        """Feed-forward force, (nv,) read-only [N m or N]."""
        self.present()
        return self.array_of(self.system().control.tau_ff, self.nv)

    @property
    def applied_force(self):
        """What the actuators really applied in the latest step, (nv,) read-only [N m or N].

        Feed-forward and the PD law, its implicit part with the step's velocity change, within the effort limits (with
        `pd_limits` "explicit" the implicit part is beyond them).
        """
        self.present()
        return self.array_of(self.system().work.applied, self.nv)

    # ---- handles -----------------------------------------------------------------------------

    body = finding.body
    joint = finding.joint
    frame = finding.frame
    geometry = finding.geometry
    bodies = finding.bodies
    joints = finding.joints
    frames = finding.frames
    geometries = finding.geometries
    body_poses = arrays.body_poses
    body_positions = arrays.body_positions
    body_orientations = arrays.body_orientations
    body_velocities = arrays.body_velocities
    body_inertias = arrays.body_inertias
    composite_inertias = arrays.composite_inertias
    frame_poses = arrays.frame_poses
    frame_velocities = arrays.frame_velocities

    # ---- sensors -----------------------------------------------------------------------------

    add_sensor_set = extensions.add_sensor_set
    remove_sensor_set = extensions.remove_sensor_set
    sensor_set = extensions.sensor_set
    sensor_sets = extensions.sensor_sets

    # ---- the latest step ---------------------------------------------------------------------

    start_state = step_readings.start_state
    acceleration = step_readings.acceleration
    body_accelerations = step_readings.body_accelerations
    frame_accelerations = step_readings.frame_accelerations
    joint_wrenches = step_readings.joint_wrenches
    external_wrenches = step_readings.external_wrenches
    implicit_inertia = step_readings.implicit_inertia
    contacts_of = step_readings.contacts_of
    contact_force = step_readings.contact_force

    # ---- the base ----------------------------------------------------------------------------

    base_position = base_parts.base_position
    base_orientation = base_parts.base_orientation
    base_linear_velocity = base_parts.base_linear_velocity
    base_angular_velocity = base_parts.base_angular_velocity
    body_type = base_parts.body_type

    # ---- joints ------------------------------------------------------------------------------

    joint_limits = settings.joint_limits
    limit_restitution = settings.limit_restitution
    limit_softness = softness.limit_softness
    set_limit_softness = softness.set_limit_softness
    mimic_softness = softness.mimic_softness
    set_mimic_softness = softness.set_mimic_softness
    velocity_limits = settings.velocity_limits
    joint_friction = settings.joint_friction
    joint_damping = settings.joint_damping
    joint_springs = settings.joint_springs
    set_joint_limits = settings.set_joint_limits
    set_velocity_limits = settings.set_velocity_limits
    set_joint_friction = settings.set_joint_friction
    set_joint_damping = settings.set_joint_damping
    set_joint_springs = settings.set_joint_springs
    add_spring = settings.add_spring
    no_load_speeds = settings.no_load_speeds
    set_no_load_speeds = settings.set_no_load_speeds
    set_ball_limits = settings.set_ball_limits
    joint_limit_violations = readings.joint_limit_violations
    limit_force = readings.limit_force
    velocity_limit_force = readings.velocity_limit_force
    friction_force = readings.friction_force
    mimic_force = readings.mimic_force
    passive_force = readings.passive_force

    def _check_settable(self):
        self.present()
        self.lock.check_settable()
        self._take_in_edits()

    def _joint_numbers(self, name):
        self.present()
        return self.array_of(self.numbers(name), self.nv)

    def _set_joint_numbers(self, columns):
        self.present()
        self.lock.check_editable()
        self.put_numbers({name: np.ascontiguousarray(column) for name, column in columns.items()})

    def _is_targeted(self):
        """Whether a PD target was set, or begun: before, it is where the system stands."""
        return bool(self.targeted)

    def _ball_limits(self):
        cdef SystemControl* c = &self.system().control
        cdef int j
        found = []
        for j in range(c.n_balls):
            axis = (c.ball[j].axis.x, c.ball[j].axis.y, c.ball[j].axis.z)
            found.append((c.ball[j].q, c.ball[j].dof, axis, c.ball[j].angle, c.ball[j].cone, c.ball[j].twist_lower,
                          c.ball[j].twist_upper))
        return found

    def _set_ball_limits(self, balls):
        self.present()
        self.lock.check_editable()
        self.put_balls(balls)

    def _ball_impulses(self):
        self.present()
        return self.array_of(self.system().work.at_balls, 4 * self.system().control.n_balls)

    def _spring_reference(self):
        self.present()
        return self.array_of(self.system().control.q_spring, self.nq)

    def _set_spring_reference(self, q):
        self.present()
        self.lock.check_editable()
        memcpy(self.system().control.q_spring, data(q), self.model.c.nq * sizeof(double))

    def _joint_force(self, name):
        self.present()
        if name == "passive":
            return self.array_of(self.system().work.passive, self.nv)
        a = self.array_of(self.system().work.by_rows + <int> _FORCES[name] * self.model.c.nv, self.nv)
        return read_only(a / self._lasted) if self._lasted else a

    @property
    def _lasted(self):
        self.present()
        return self.system().work.lasted

    # ---- surgery -----------------------------------------------------------------------------

    attach = reshaping.attach
    remove_joint = reshaping.remove_joint
    remove_subtree = reshaping.remove_subtree
    remove_fixed_joints = reshaping.remove_fixed_joints
    replace_joint = reshaping.replace_joint
    weld = reshaping.weld
    unweld = reshaping.unweld

    # ---- loops -------------------------------------------------------------------------------

    @property
    def loop_constraints(self):
        """How its loops are kept closed: "eliminate" or "inloop", as in `World.add_articulated_system`."""
        self.present()
        return "inloop" if self.system().control.inloop else "eliminate"

    @property
    def loop_error(self):
        """How far its loops are open, (model.num_constraints,), fresh: `rbdyn.loop_error` of its state [rad, m]."""
        self.present()
        return loop_error(self.state)

    def _loops(self, settable=False):
        cdef LoopJoints loops = LoopJoints.__new__(LoopJoints)
        self._take_in_edits()
        if settable:
            self.check_drivable()
        else:
            self.lock.check_readable()
        loops.robot, loops.system = self, self.system()
        return loops

    loop_force = loop_joints.loop_force
    loop_position = loop_joints.loop_position
    loop_velocity = loop_joints.loop_velocity
    loop_drive = loop_joints.loop_drive
    loop_drive_force = loop_joints.loop_drive_force
    set_loop_drive = loop_joints.set_loop_drive
    set_loop_softness = loop_joints.set_loop_softness

    # ---- external forces ---------------------------------------------------------------------

    def set_external_force(self, body, force, point=None, expressed_in="world"):
        """Apply a force to a body for one step; the forces of one step add up.

        Parameters
        ----------
        body : str, RigidBody or CartesianFrame
            Which; a joint's name stands for the frame after it.
        force : (3,) array_like
            In the axes of `expressed_in` [N].
        point : (3,) array_like, optional
            Where, in the frame of `body` [m].  By default the centre of mass (with what is merged into it) of one of
            `body_names`, and the origin of a frame, a joint or a merged body.
        expressed_in : str, handle or SingleBody
            Whose axes the force is given in, now: "world", a body, joint or frame of it, another body of this World.
        """
        cdef Placement place
        cdef cnp.ndarray x
        cdef Vec3 F, r = zero3()
        cdef const Inertiad* I
        self._take_in_edits()
        x = frames_given.turned_from(self, expressed_in, vector_in(force, 3, "force"))
        F = vec3(data(x)[0], data(x)[1], data(x)[2])
        if point is not None:
            x = vector_in(point, 3, "point")
            r = vec3(data(x)[0], data(x)[1], data(x)[2])
        body = self.known(body)
        place = self.model.find(body)
        self.check_alive()
        self.check_drivable()
        I = &self.model.c.I_b[place.body]
        if point is None and I.m > 0 and (body in self.model.bodies or body in self.model.body_names):
            r = vec3(I.h.x / I.m, I.h.y / I.m, I.h.z / I.m)
        else:
            r = add3(place.p, mul3(place.R, r))
        self.add_wrench(place.body, zero3(), F, r)

    def set_external_torque(self, body, torque, expressed_in="world"):
        """Apply a torque to a body for one step; the torques of one step add up.

        Parameters
        ----------
        body : str, RigidBody or CartesianFrame
            Which; for a frame, the body that carries it.
        torque : (3,) array_like
            In the axes of `expressed_in` [N m].
        expressed_in : str, handle or SingleBody
            As in `set_external_force`.
        """
        cdef Placement place
        cdef cnp.ndarray t
        self._take_in_edits()
        t = frames_given.turned_from(self, expressed_in, vector_in(torque, 3, "torque"))
        place = self.model.find(self.known(body))
        self.check_alive()
        self.check_drivable()
        self.add_wrench(place.body, vec3(data(t)[0], data(t)[1], data(t)[2]), zero3(), zero3())

    cdef int add_wrench(self, int body, Vec3 n, Vec3 f, Vec3 r) except -1:
        """Add a torque and a force on an internal body, world axes [N m, N]; the force acts at r in its axes [m]."""
        cdef SystemControl* control = &self.system().control
        control.wrench[body] = add_f(control.wrench[body], make_force(n, f))
        control.lever[body] = add33(control.lever[body], outer3(r, f))
        control.has_wrenches = True
        return 0

    def clear_external_forces(self):
        """Forget the forces and torques given for the coming step."""
        self.check_alive()
        self.check_drivable()
        system_clear_wrenches(self.system())

    def set_base_pose(self, position=None, orientation=None):
        """Move the base: of a floating system through its state, of a fixed one by moving the root itself.

        What is not given stays.  As with `set_state`, the system's contacts are forgotten.

        Parameters
        ----------
        position : (3,) array_like, optional
            World [m].
        orientation : (4,) or (3, 3) array_like, optional
            Quaternion [w, x, y, z], normalised, or rotation matrix.
        """
        cdef cnp.ndarray p
        turned = None                                    # a matrix that is one to the last digits, taken as it is
        self.check_alive()
        if position is not None:
            position = vector_in(position, 3, "position").copy()
        if orientation is not None:
            given, orientation = orientation, _orientation(orientation)
            if np.shape(given) == (3, 3):
                turned = np.array(given, dtype=np.float64)
                if np.abs(turned.T @ turned - np.eye(3)).max() > 4e-15:
                    turned = None
        self.check_alive()
        self.lock.check_settable()
        if self.model.floating_base:
            self.set_state(q_with_base(self.state, position, orientation))
            return
        self.state.check_not_stepping()
        self.lock.check_editable()
        if position is not None:
            p = position
            self.state.c.p[0] = vec3(data(p)[0], data(p)[1], data(p)[2])
        if orientation is not None:
            R = Transform(quat=orientation).rotation if turned is None else turned
            self.state.c.R[0].xx, self.state.c.R[0].xy, self.state.c.R[0].xz = R[0]
            self.state.c.R[0].yx, self.state.c.R[0].yy, self.state.c.R[0].yz = R[1]
            self.state.c.R[0].zx, self.state.c.R[0].zy, self.state.c.R[0].zz = R[2]
        self.state.c.stage = 0
        self.set_gravity(self.gravity)
        self.forget_contacts()

    def __repr__(self):
        if self.lock is None or self.model is None:
            return WorldObject.__repr__(self)
        model, base = self.model, self.body_pose(self.model.bodies[0])[:3, 3]
        return (f"ArticulatedSystem({self.name!r}, {'floating' if model.floating_base else 'fixed'} base at "
                f"({base[0]:.4g}, {base[1]:.4g}, {base[2]:.4g}) m, {len(model.joint_names) - 1} joints, "
                f"nq {model.nq}, nv {model.nv}, {model.total_mass:.4g} kg, control {self.control_mode!r})")
