"""Articulated systems: a mechanism that lives in a World."""

import numpy as np

from rbdyn.algorithms.kinematics import body_pose
from rbdyn.errors import Error, MechanismError, unknown_name

cimport numpy as cnp
from libc.stdlib cimport calloc, free
from libc.string cimport memcpy, memset

from rbdyn.algorithms._singular cimport refuse_singular
from rbdyn.algorithms.aba cimport aba_inward
from rbdyn.algorithms.kinematics cimport poses
from rbdyn.arguments.arrays cimport data, vector_in
from rbdyn.model.model cimport Model, Placement
from rbdyn.model.state cimport State
from rbdyn.spatial._algebra cimport force as make_force
from rbdyn.spatial._algebra cimport Force, Motion, Vec3, add3, add_f, cross3, mul3, tmul3, vec3, zero3
from rbdyn.world.object cimport WorldObject

MODES = ("force", "pd_plus_feedforward")


cdef void* _take(size_t count, size_t size) except NULL:
    cdef void* p = calloc(count if count else 1, size)
    if p is NULL:
        raise MemoryError(f"cannot allocate {count * size} bytes")
    return p


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
    """

    def __dealloc__(self):
        for p in (<size_t> self.c.kp, <size_t> self.c.kd, <size_t> self.c.q_ref, <size_t> self.c.v_ref,
                  <size_t> self.c.tau_ff, <size_t> self.c.effort, <size_t> self.c.damping, <size_t> self.c.stiffness,
                  <size_t> self.c.q_spring, <size_t> self.c.push, <size_t> self.c.error, <size_t> self.c.command,
                  <size_t> self.c.applied, <size_t> self.c.tau, <size_t> self.c.extra, <size_t> self.c.vd,
                  <size_t> self.c.v_free, <size_t> self.c.v_next, <size_t> self.c.q_next, <size_t> self.c.z,
                  <size_t> self.c.twist, <size_t> self.c.S, <size_t> self.c.U, <size_t> self.c.L,
                  <size_t> self.c.change):
            free(<void*> <size_t> p)

    cdef int build(self, object mechanism) except -1:
        """Compile the mechanism and take the arrays of the step."""
        cdef int nb, nq, nv
        cdef CSystem* c = &self.c
        self.model = Model(mechanism)
        if self.model.has_loops:
            raise MechanismError(
                f"mechanism {mechanism.name!r} has loop joints "
                f"({', '.join(j.name for j in mechanism.non_tree_joints[:5])}); a World steps trees so far"
            )
        self.state = State(self.model)
        nb, nq, nv = self.model.c.nb, self.model.c.nq, self.model.c.nv
        c.m, c.d = &self.model.c, &self.state.c
        for p in (<size_t> &c.kp, <size_t> &c.kd, <size_t> &c.v_ref, <size_t> &c.tau_ff, <size_t> &c.effort,
                  <size_t> &c.damping, <size_t> &c.stiffness, <size_t> &c.error, <size_t> &c.command,
                  <size_t> &c.applied, <size_t> &c.tau, <size_t> &c.extra, <size_t> &c.vd, <size_t> &c.v_free,
                  <size_t> &c.v_next, <size_t> &c.z):
            (<double**> <size_t> p)[0] = <double*> _take(nv, sizeof(double))
        for p in (<size_t> &c.q_ref, <size_t> &c.q_spring, <size_t> &c.q_next):
            (<double**> <size_t> p)[0] = <double*> _take(nq, sizeof(double))
        c.push = <Force*> _take(nb, sizeof(Force))
        c.twist = <Motion*> _take(nb, sizeof(Motion))
        c.change = <Motion*> _take(nb, sizeof(Motion))
        c.S = <Motion*> _take(nv, sizeof(Motion))
        c.L = <double*> _take(6 * nv, sizeof(double))
        c.U = <Force*> _take(nv, sizeof(Force))
        for name, p in (("effort_limit", <size_t> c.effort), ("damping", <size_t> c.damping),
                        ("stiffness", <size_t> c.stiffness)):
            memcpy(<void*> <size_t> p, data(self.model.array(name)), nv * sizeof(double))
        memcpy(c.q_spring, data(self.model.array("spring_reference")), nq * sizeof(double))
        memcpy(c.q_ref, self.state.c.q, nq * sizeof(double))
        aba_inward(c.m, c.d, c.tau, NULL, False)
        refuse_singular(self.model, c.d)
        return 0

    cdef int set_gravity(self, Vec3 gravity) except -1:
        """The World's gravity, world axes [m/s^2], for the state's own algorithms too."""
        self.gravity = gravity
        self.c.d.gravity = tmul3(self.c.d.R[0], gravity)
        return 0

    cdef object _get(self, const double* x, int n):
        self.compiled()
        a = np.empty(n)
        memcpy(data(a), x, n * sizeof(double))
        return a

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
        """Configuration, (nq,) copy; "Joints" in docs/conventions.md says what each entry means."""
        self.compiled()
        return np.array(self.state.q)

    @property
    def v(self):
        """Velocity, (nv,) copy; a floating base's first six are linear, then angular, both in world axes."""
        self.compiled()
        return np.array(self.state.v)

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
        """
        self.alive()
        self.gate.check_editable()
        self.state.set(q, self.v if v is None else v)

    def body_pose(self, body):
        """World pose of a body or frame by name, (4, 4)."""
        self.compiled()
        return body_pose(self.state, body)

    # ---- control -----------------------------------------------------------------------------

    @property
    def control_mode(self):
        """"force" (feed-forward only) or "pd_plus_feedforward"; setting PD gains switches to the latter."""
        self.compiled()
        return MODES[1 if self.c.pd else 0]

    @control_mode.setter
    def control_mode(self, value):
        self.alive()
        self.gate.check_idle()
        if value not in MODES:
            raise unknown_name("control mode", value, MODES)
        self.c.pd = value == MODES[1]

    def set_pd_gains(self, p, d):
        """Gains of the implicit PD controller, and switch to "pd_plus_feedforward".

        Parameters
        ----------
        p, d : float or (nv,) array_like
            Position gains [N m/rad or N/m] and velocity gains [N m s/rad or N s/m], not negative.  Those of a floating
            base are set to 0: nothing holds it.

        Raises
        ------
        StateError
            If a length is wrong or a number is not finite.
        Error
            If a gain is negative.
        """
        self.alive()
        self.gate.check_idle()
        gains = []
        for name, value in (("p", p), ("d", d)):
            a = vector_in(np.full(self.nv, value) if np.ndim(value) == 0 else value, self.nv, name).copy()
            if (a < 0).any():
                raise Error(f"{name} must not be negative, got {a.min()} for degree of freedom {a.argmin()}")
            a[self._base_freedoms()] = 0.0
            gains.append(a)
        memcpy(self.c.kp, data(gains[0]), self.model.c.nv * sizeof(double))
        memcpy(self.c.kd, data(gains[1]), self.model.c.nv * sizeof(double))
        self.c.pd = True

    def _base_freedoms(self):
        """Degrees of freedom that float freely under the root."""
        return slice(0, 6) if self.compiled().floating_base else slice(0, 0)

    @property
    def pd_gains(self):
        """Position and velocity gains, two (nv,) copies."""
        self.compiled()
        return self._get(self.c.kp, self.nv), self._get(self.c.kd, self.nv)

    def set_pd_target(self, q=None, v=None):
        """Set the target of the PD controller; what is not given stays.

        Parameters
        ----------
        q : (nq,) array_like, optional
            Configuration [rad or m]; a floating base's part has no effect.
        v : (nv,) array_like, optional
            Velocity [rad/s or m/s]; 0 until set.

        Raises
        ------
        StateError
            If a length is wrong, a number is not finite, or a quaternion or pair [sine, cosine] is not of unit length;
            nothing changes then.
        """
        self.alive()
        self.gate.check_idle()
        new_q = None if q is None else vector_in(q, self.model.c.nq, "q")
        new_v = None if v is None else vector_in(v, self.model.c.nv, "v")
        if new_q is not None:
            probe = State(self.model)
            probe.set(new_q)                     # checks and normalises quaternions
            memcpy(self.c.q_ref, data(probe.q), self.model.c.nq * sizeof(double))
        if new_v is not None:
            memcpy(self.c.v_ref, data(new_v), self.model.c.nv * sizeof(double))

    @property
    def pd_target(self):
        """Target configuration (nq,) and velocity (nv,), copies."""
        return self._get(self.c.q_ref, self.nq), self._get(self.c.v_ref, self.nv)

    def set_generalized_force(self, tau):
        """Set the feed-forward force, which stays until changed.

        Parameters
        ----------
        tau : (nv,) array_like
            [N m or N]; clamped to the joints' effort limits, with the explicit part of the PD law.

        Raises
        ------
        StateError
            If the length is wrong or a number is not finite; nothing changes then.
        """
        self.alive()
        self.gate.check_idle()
        memcpy(self.c.tau_ff, data(vector_in(tau, self.model.c.nv, "tau")), self.model.c.nv * sizeof(double))

    @property
    def generalized_force(self):
        """Feed-forward force, (nv,) copy [N m or N]."""
        return self._get(self.c.tau_ff, self.nv)

    @property
    def applied_force(self):
        """What the actuators really applied in the latest step, (nv,) [N m or N].

        The clamped command plus the implicit part of the PD law, evaluated with the step's velocity change.
        """
        return self._get(self.c.applied, self.nv)

    # ---- external forces ---------------------------------------------------------------------

    def set_external_force(self, body, force, point=None):
        """Push a body for one step; pushes of one step add up.

        Parameters
        ----------
        body : str, RigidBody or CartesianFrame
            Which.
        force : (3,) array_like
            World axes [N].
        point : (3,) array_like, optional
            Where, in the body's frame [m]; the centre of mass of the body (with what is merged into it) by default.
        """
        cdef Placement place
        cdef cnp.ndarray f, x
        cdef Vec3 F, arm
        self.alive()
        self.gate.check_idle()
        place = self.model.find(body)
        f = vector_in(force, 3, "force")
        F = vec3(data(f)[0], data(f)[1], data(f)[2])
        if point is None:
            arm = zero3()
            if self.c.m.I_b[place.body].m > 0:
                arm = self.c.m.I_b[place.body].h
                arm = vec3(arm.x / self.c.m.I_b[place.body].m, arm.y / self.c.m.I_b[place.body].m,
                           arm.z / self.c.m.I_b[place.body].m)
        else:
            x = vector_in(point, 3, "point")
            arm = add3(place.p, mul3(place.R, vec3(data(x)[0], data(x)[1], data(x)[2])))
        poses(self.c.m, self.c.d)
        arm = mul3(self.c.d.R[place.body], arm)
        self._push(place.body, cross3(arm, F), F)

    def set_external_torque(self, body, torque):
        """Turn a body for one step; torques of one step add up.

        Parameters
        ----------
        body : str, RigidBody or CartesianFrame
            Which.
        torque : (3,) array_like
            World axes [N m].
        """
        cdef Placement place
        cdef cnp.ndarray t
        self.alive()
        self.gate.check_idle()
        place = self.model.find(body)
        t = vector_in(torque, 3, "torque")
        self._push(place.body, vec3(data(t)[0], data(t)[1], data(t)[2]), zero3())

    cdef int _push(self, int body, Vec3 n, Vec3 f) except -1:
        self.c.push[body] = add_f(self.c.push[body], make_force(n, f))
        self.c.pushed = True
        return 0

    def clear_external_forces(self):
        """Forget the forces and torques given for the coming step."""
        self.alive()
        self.gate.check_idle()
        memset(self.c.push, 0, self.model.c.nb * sizeof(Force))
        self.c.pushed = False

    def set_base_pose(self, position, orientation=(1.0, 0.0, 0.0, 0.0)):
        """Move the base: of a floating system through its state, of a fixed one by moving the root itself.

        Parameters
        ----------
        position : (3,) array_like
            World [m].
        orientation : (4,) array_like
            Quaternion [w, x, y, z].
        """
        from rbdyn.spatial.transform import Transform

        cdef cnp.ndarray x
        self.alive()
        self.gate.check_editable()
        T = Transform(quat=orientation, translation=position)
        if self.model.floating_base:
            q, base = self.q, self.mechanism.find_joint(self.joint_names[0]).joint_type
            q[:base.num_positions] = base.configuration(T)
            self.set_state(q)
            return
        self.state.refuse_frozen()
        x = T.translation
        self.c.d.p[0] = vec3(data(x)[0], data(x)[1], data(x)[2])
        R = T.rotation
        self.c.d.R[0].xx, self.c.d.R[0].xy, self.c.d.R[0].xz = R[0]
        self.c.d.R[0].yx, self.c.d.R[0].yy, self.c.d.R[0].yz = R[1]
        self.c.d.R[0].zx, self.c.d.R[0].zy, self.c.d.R[0].zz = R[2]
        self.c.d.stage = 0
        self.set_gravity(self.gravity)
