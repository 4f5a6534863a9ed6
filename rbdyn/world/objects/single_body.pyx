"""Single bodies: one rigid body, moved by gravity, contacts and external forces."""

import numpy as np

from rbdyn.errors import Error, unknown_name
from rbdyn.world import hints
from rbdyn.world.arguments import option
from rbdyn.world.arguments import orientation as _orientation
from rbdyn.world.objects import editing
from rbdyn.world.objects.handles import frames_given

cimport numpy as cnp

from rbdyn.arguments.arrays cimport data, read_only, vector_in
from rbdyn.spatial._algebra cimport Sym3, Vec3, add33, add3, outer3, sym3, transpose3, vec3, zero3
from rbdyn.spatial.quaternion cimport quat_E
from rbdyn.stepping.scene cimport DYNAMIC, STATIC, Scene, SingleControl, SingleParameters, SingleScratch, SingleState
from rbdyn.stepping.sleeping cimport wake, wake_on
from rbdyn.world.objects.object cimport WorldObject

BODY_TYPES = ("static", "kinematic", "dynamic")


cdef Vec3 _vec(object x, str name) except *:
    cdef cnp.ndarray a = vector_in(x, 3, name)
    return vec3(data(a)[0], data(a)[1], data(a)[2])


cdef Vec3 _in_world(SingleBody body, object x, str name, object frame) except *:
    """A vector in the axes of a frame, by world axes."""
    cdef Vec3 a = _vec(x, name)
    if isinstance(frame, str) and frame == "world":
        return a
    body.check_alive()
    return _vec(frames_given.turned_from(body, frame, np.array([a.x, a.y, a.z])), name)


cdef object _array(Vec3 a):
    return read_only(np.array([a.x, a.y, a.z]))


cdef Sym3 _sym(object J):
    return sym3(J[0, 0], J[0, 1], J[0, 2], J[1, 1], J[1, 2], J[2, 2])


cdef class SingleBody(WorldObject):
    """One rigid body; its frame sits at its centre of mass, world axes mean the World's.

    Made by `World.add_sphere`, `add_box`, `add_cylinder`, `add_capsule`, `add_ground` and `add_single_body`.  Arrays
    that its properties return are read-only and keep their values; the methods change the body.

    Attributes
    ----------
    name : str
        Unique in its World; cannot be changed.
    geometries : tuple of Geometry
        Its shapes, in the body frame.
    """

    cdef SingleParameters* body(self) except NULL:
        """What it is; RemovedError if it has left its World."""
        self.check_alive()
        return self.memory.scene.single + self.index

    _advice = hints.BALL, hints.OBJECT

    cdef SingleState* state(self) except NULL:
        """Where it is and how it moves; RemovedError if it has left its World."""
        self.check_alive()
        return self.memory.scene.single_state + self.index

    cdef SingleControl* control(self) except NULL:
        """What acts on it; RemovedError if it has left its World."""
        self.check_alive()
        return self.memory.scene.single_control + self.index

    cdef int begin(self, object geometries, double mass, object inertia, str body_type) except -1:
        """Write what it is, at the origin, at rest; checked by the caller, but for what the type asks for."""
        cdef SingleState* state = self.state()
        self.put_inertia(mass, np.asarray(inertia))
        state.q[0] = state.R.xx = state.R.yy = state.R.zz = 1.0
        self.geometries = tuple(geometries)
        return self.set_type(body_type)

    cdef int put_inertia(self, double mass, object J) except -1:
        """Write mass and inertia (3, 3), checked by the caller."""
        cdef SingleParameters* body = self.body()
        body.mass = mass
        body.I_b = _sym(J)
        if mass > 0 and J.any():
            body.inverse_I_b = _sym(np.linalg.inv(J))
            body.isotropic = bool(np.abs(J - J[0, 0] * np.eye(3)).max() <= 1e-15 * J[0, 0])
        return 0

    cdef int set_type(self, str body_type) except -1:
        cdef SingleParameters* body = self.body()
        cdef SingleState* state = self.state()
        cdef SingleScratch* work
        if body_type == "dynamic" and not body.mass > 0:
            raise Error(f"{self.name!r} has no mass, so it cannot be dynamic")
        if body_type == "dynamic" and not body.inverse_I_b.xx > 0:
            raise Error(f"{self.name!r} has no inertia, so it cannot be dynamic")
        body.type = BODY_TYPES.index(body_type)
        if body.type == STATIC:
            work = self.memory.scene.single_scratch + self.index
            state.v = state.w = work.acceleration = work.angular_acceleration = zero3()
        self.memory.scene.renewals += 1
        return 0

    cdef int note_renewal(self) except -1:
        """The next step is to look at it, if it is static."""
        if self.body().type == STATIC:
            self.memory.scene.renewals += 1
        return 0

    cdef int rouse(self) except -1:
        """It is to move: it wakes, and all that it sleeps with, or that touches it if no impulse moves it."""
        cdef Scene* s = &self.memory.scene
        wake(s, &self.memory.slumber, s.rest[self.index].island)
        if s.n_asleep > 0 and s.single[self.index].type != DYNAMIC:
            wake_on(s, &self.memory.slumber, s.single[self.index].handle)
        s.rest[self.index].still = 0.0
        return 0

    @property
    def asleep(self):
        """Whether it sleeps, bool: `World.sleeping`.  It stands still then, and no step looks at it."""
        self.check_alive()
        return not self.lock.edited and self.memory.scene.rest[self.index].island > 0

    def wake(self):
        """Wake it, and all that it sleeps with; of what no impulse moves, all that touches it."""
        self.check_alive()
        self.lock.check_idle()
        self.rouse()

    @property
    def body_type(self):
        """"dynamic", "kinematic" (moves with the velocity it is given) or "static"."""
        return BODY_TYPES[self.body().type]

    @body_type.setter
    def body_type(self, value):
        value = option(value, "body type", BODY_TYPES)
        self.check_alive()
        self.lock.check_settable()
        self.set_type(value)
        self.lock.check_editable()
        self.world._set_dynamic(self)

    @property
    def mass(self):
        """Mass [kg]; 0 for the ground.  Can be set between steps; the inertia stays."""
        return self.body().mass

    @mass.setter
    def mass(self, value):
        self.set_inertia(mass=value)

    @property
    def inertia(self):
        """Inertia about the centre of mass in body axes, (3, 3) [kg m^2]."""
        A = self.body().I_b
        return read_only(np.array([[A.xx, A.xy, A.xz], [A.xy, A.yy, A.yz], [A.xz, A.yz, A.zz]]))

    @inertia.setter
    def inertia(self, value):
        self.set_inertia(inertia=value)

    set_inertia = editing.set_inertia
    scale_mass = editing.scale_mass
    set_geometry = editing.set_geometry
    add_geometry = editing.add_geometry
    remove_geometry = editing.remove_geometry

    @property
    def position(self):
        """Position of the centre of mass, (3,) world [m]."""
        return _array(self.state().p)

    @property
    def orientation(self):
        """Orientation as a quaternion [w, x, y, z]."""
        cdef const double* q = self.state().q
        return read_only(np.array([q[0], q[1], q[2], q[3]]))

    @property
    def rotation(self):
        """Orientation as a matrix, (3, 3), body to world axes."""
        R = self.state().R
        return read_only(np.array([[R.xx, R.xy, R.xz], [R.yx, R.yy, R.yz], [R.zx, R.zy, R.zz]]))

    @property
    def linear_velocity(self):
        """Velocity of the centre of mass, (3,) world [m/s]."""
        return _array(self.state().v)

    @property
    def angular_velocity(self):
        """Angular velocity, (3,) world [rad/s]."""
        return _array(self.state().w)

    @property
    def linear_momentum(self):
        """Mass times velocity, (3,) world [kg m/s]."""
        return read_only(self.body().mass * self.linear_velocity)

    @property
    def angular_momentum(self):
        """Angular momentum about the centre of mass, (3,) world [kg m^2/s]."""
        R = self.rotation
        return read_only(R @ self.inertia @ R.T @ self.angular_velocity)

    @property
    def kinetic_energy(self):
        """Kinetic energy [J]."""
        v, w = self.linear_velocity, self.angular_velocity
        return 0.5 * self.body().mass * float(v @ v) + 0.5 * float(w @ self.angular_momentum)

    @property
    def potential_energy(self):
        """Energy in the World's gravity [J], zero at the world's origin."""
        return -self.body().mass * float(self.world.gravity @ self.position)

    def set_pose(self, position=None, orientation=None):
        """Move the body; what is not given stays.  Its contacts and their warm start are forgotten.

        Parameters
        ----------
        position : (3,) array_like, optional
            Centre of mass, world [m].
        orientation : (4,) or (3, 3) array_like, optional
            Quaternion [w, x, y, z], normalised, or rotation matrix.
        """
        cdef SingleState* state
        cdef Vec3 p
        cdef cnp.ndarray q = None
        cdef int k
        if position is not None:
            p = _vec(position, "position")
        if orientation is not None:
            q = _orientation(orientation)
        state = self.state()
        self.lock.check_settable()
        self.rouse()
        if self.body().type != DYNAMIC:              # nobody knows what stands on it, or will
            self.lock.edited = True
        if position is not None:
            state.p = p
        if q is not None:
            for k in range(4):
                state.q[k] = data(q)[k]
            state.R = transpose3(quat_E(state.q))
        self.note_renewal()
        self.forget_contacts()

    def set_velocity(self, linear=None, angular=None):
        """Set the velocity; what is not given stays.

        Parameters
        ----------
        linear : (3,) array_like, optional
            Of the centre of mass, world axes [m/s].
        angular : (3,) array_like, optional
            World axes [rad/s].

        Raises
        ------
        Error
            If the body is static.
        StateError
            If a shape is wrong or a number is not finite; nothing changes then.
        """
        cdef SingleState* state
        cdef Vec3 v, w
        if linear is not None:
            v = _vec(linear, "linear")
        if angular is not None:
            w = _vec(angular, "angular")
        state = self.state()
        self.lock.check_settable()
        if self.body().type == STATIC:
            raise Error(f"{self.name!r} is static; make it kinematic or dynamic to give it a velocity")
        self.rouse()
        if linear is not None:
            state.v = v
        if angular is not None:
            state.w = w

    def _check_body(self, body):
        """A single body has one body only: 0, or its name."""
        if isinstance(body, str) and body == self.name or isinstance(body, int) and body == 0 and body is not False:
            return
        raise unknown_name("body", body, [self.name, "0"], f"object {self.name!r}")

    def set_external_force(self, body, force, point=None, expressed_in="world"):
        """Apply a force to the body for one step; the forces of one step add up.

        Parameters
        ----------
        body : int or str
            0, or the object's own name: every kind of object is asked in the same way.
        force : (3,) array_like
            In the axes of `expressed_in` [N].
        point : (3,) array_like, optional
            Where, in the body frame [m]; the centre of mass by default.  It moves with the body.
        expressed_in : str, handle or SingleBody
            Whose axes the force is given in, now: "world", this body or its name, another body of this World.
        """
        cdef SingleControl* control
        cdef Vec3 f = _in_world(self, force, "force", expressed_in), r = zero3()
        if point is not None:
            r = _vec(point, "point")
        self.check_alive()
        self.lock.check_idle()
        self._check_body(body)
        self.rouse()
        control = self.control()                     # last: what came before may run the caller's code
        control.force = add3(control.force, f)
        control.lever = add33(control.lever, outer3(r, f))
        self.note_renewal()

    def set_external_torque(self, body, torque, expressed_in="world"):
        """Apply a torque to the body for one step; the torques of one step add up.

        Parameters
        ----------
        body : int or str
            0, or the object's own name.
        torque : (3,) array_like
            In the axes of `expressed_in` [N m].
        expressed_in : str, handle or SingleBody
            As in `set_external_force`.
        """
        cdef SingleControl* control
        cdef Vec3 t = _in_world(self, torque, "torque", expressed_in)
        self.check_alive()
        self.lock.check_idle()
        self._check_body(body)
        self.rouse()
        control = self.control()
        control.torque = add3(control.torque, t)
        self.note_renewal()

    def clear_external_forces(self):
        """Forget the forces and torques given for the coming step."""
        cdef SingleControl* control = self.control()
        self.lock.check_idle()
        control.force = control.torque = zero3()
        control.lever = outer3(zero3(), zero3())

    def __repr__(self):
        if self.lock is None:
            return WorldObject.__repr__(self)
        p = self.state().p
        shapes = ", ".join(type(item.shape).__name__ for item in self.geometries[:3])
        more = ", ..." if len(self.geometries) > 3 else ""
        return (f"SingleBody({self.name!r}, {self.body_type}, {self.mass:g} kg, shapes: {shapes or 'none'}{more}, "
                f"at ({p.x:.4g}, {p.y:.4g}, {p.z:.4g}) m)")
