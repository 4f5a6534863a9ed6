"""Single bodies: one rigid body, moved by gravity, contacts and external forces."""

import numpy as np

from rbdyn.errors import Error, unknown_name
from rbdyn.spatial.rotations import matrix_from_quat, quat_from_matrix

cimport numpy as cnp

from rbdyn.arguments.arrays cimport data, vector_in
from rbdyn.model.joints cimport quat_E
from rbdyn.spatial._algebra cimport Sym3, Vec3, add3, cross3, mul3, sym3, transpose3, vec3, zero3
from rbdyn.world._types cimport DYNAMIC, STATIC
from rbdyn.world.object cimport WorldObject

BODY_TYPES = ("static", "kinematic", "dynamic")


cdef Vec3 _vec(object x, str name) except *:
    cdef cnp.ndarray a = vector_in(x, 3, name)
    return vec3(data(a)[0], data(a)[1], data(a)[2])


cdef object _array(Vec3 a):
    return np.array([a.x, a.y, a.z])


cdef Sym3 _sym(object J):
    return sym3(J[0, 0], J[0, 1], J[0, 2], J[1, 1], J[1, 2], J[2, 2])


cdef class SingleBody(WorldObject):
    """One rigid body; its frame sits at its centre of mass, world axes mean the World's.

    Made by `World.add_sphere`, `add_box`, `add_cylinder`, `add_capsule`, `add_ground` and `add_single_body`.

    Attributes
    ----------
    name : str
        Unique in its World; cannot be changed.
    geometries : tuple of Geometry
        Its shapes, in the body frame.
    """

    cdef int set_inertia(self, double mass, object inertia) except -1:
        """Mass [kg] and inertia about the centre of mass, body axes [kg m^2]; checked by the caller."""
        J = np.asarray(inertia)
        self.c.mass = mass
        self.c.I_b = _sym(J)
        if mass > 0 and J.any():
            self.c.inverse_I_b = _sym(np.linalg.inv(J))
            self.c.isotropic = bool(np.abs(J - J[0, 0] * np.eye(3)).max() <= 1e-15 * J[0, 0])
        return 0

    cdef int set_type(self, str body_type) except -1:
        if body_type not in BODY_TYPES:
            raise unknown_name("body type", body_type, BODY_TYPES)
        if body_type == "dynamic" and not self.c.mass > 0:
            raise Error(f"{self.name!r} has no mass, so it cannot be dynamic")
        if body_type == "dynamic" and not self.c.inverse_I_b.xx > 0:
            raise Error(f"{self.name!r} has no inertia, so it cannot be dynamic")
        self.c.type = BODY_TYPES.index(body_type)
        if self.c.type == STATIC:
            self.c.v = zero3()
            self.c.w = zero3()
        return 0

    @property
    def body_type(self):
        """"dynamic", "kinematic" (moves with the velocity it is given) or "static"."""
        return BODY_TYPES[self.c.type]

    @body_type.setter
    def body_type(self, value):
        self.alive()
        self.gate.check_editable()
        self.set_type(str(value))
        self.world._set_dynamic(self, self.c.type == DYNAMIC)

    @property
    def mass(self):
        """Mass [kg]; 0 for the ground."""
        return self.c.mass

    @property
    def inertia(self):
        """Inertia about the centre of mass in body axes, (3, 3) [kg m^2]."""
        A = self.c.I_b
        return np.array([[A.xx, A.xy, A.xz], [A.xy, A.yy, A.yz], [A.xz, A.yz, A.zz]])

    @property
    def position(self):
        """Position of the centre of mass, (3,) world [m]."""
        return _array(self.c.p)

    @property
    def orientation(self):
        """Orientation as a quaternion [w, x, y, z]."""
        return np.array([self.c.q[0], self.c.q[1], self.c.q[2], self.c.q[3]])

    @property
    def rotation(self):
        """Orientation as a matrix, (3, 3), body to world axes."""
        R = self.c.R
        return np.array([[R.xx, R.xy, R.xz], [R.yx, R.yy, R.yz], [R.zx, R.zy, R.zz]])

    @property
    def linear_velocity(self):
        """Velocity of the centre of mass, (3,) world [m/s]."""
        return _array(self.c.v)

    @property
    def angular_velocity(self):
        """Angular velocity, (3,) world [rad/s]."""
        return _array(self.c.w)

    @property
    def linear_momentum(self):
        """Mass times velocity, (3,) world [kg m/s]."""
        return self.c.mass * self.linear_velocity

    @property
    def angular_momentum(self):
        """Angular momentum about the centre of mass, (3,) world [kg m^2/s]."""
        R = self.rotation
        return R @ self.inertia @ R.T @ self.angular_velocity

    @property
    def kinetic_energy(self):
        """Kinetic energy [J]."""
        v, w = self.linear_velocity, self.angular_velocity
        return 0.5 * self.c.mass * float(v @ v) + 0.5 * float(w @ self.angular_momentum)

    @property
    def potential_energy(self):
        """Energy in the World's gravity [J], zero at the world's origin."""
        return -self.c.mass * float(self.world.gravity @ self.position)

    def set_pose(self, position=None, orientation=None):
        """Move the body.

        Parameters
        ----------
        position : (3,) array_like, optional
            Centre of mass, world [m].
        orientation : (4,) or (3, 3) array_like, optional
            Quaternion [w, x, y, z], normalised, or rotation matrix.
        """
        cdef Vec3 p = self.c.p
        cdef cnp.ndarray q = self.orientation
        cdef int k
        self.alive()
        self.gate.check_editable()
        if position is not None:
            p = _vec(position, "position")
        if orientation is not None:
            if np.ndim(orientation) == 2:
                from rbdyn.spatial.transform import Transform

                q = quat_from_matrix(Transform(rotation=orientation).rotation)
            else:
                q = quat_from_matrix(matrix_from_quat(vector_in(orientation, 4, "orientation")))
                given = np.asarray(orientation, dtype=np.float64)
                if abs(float(given @ given) - 1.0) < 1e-15:      # a unit quaternion stays to the bit, sign included
                    q = np.array(given)
        self.c.p = p
        for k in range(4):
            self.c.q[k] = data(q)[k]
        self.c.R = transpose3(quat_E(self.c.q))

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
        cdef Vec3 v = self.c.v, w = self.c.w
        self.alive()
        self.gate.check_editable()
        if self.c.type == STATIC:
            raise Error(f"{self.name!r} is static; make it kinematic or dynamic to give it a velocity")
        if linear is not None:
            v = _vec(linear, "linear")
        if angular is not None:
            w = _vec(angular, "angular")
        self.c.v = v
        self.c.w = w

    def _check_body(self, body):
        """A single body has one body only: 0, or its name."""
        if isinstance(body, str) and body == self.name or isinstance(body, int) and body == 0 and body is not False:
            return
        raise unknown_name("body", body, [self.name, "0"], f"object {self.name!r}")

    def set_external_force(self, body, force, point=None):
        """Push the body for one step; pushes of one step add up.

        Parameters
        ----------
        body : int or str
            0, or the object's own name: every kind of object is asked in the same way.
        force : (3,) array_like
            World axes [N].
        point : (3,) array_like, optional
            Where, in the body frame [m]; the centre of mass by default.  Taken at the present pose.
        """
        cdef Vec3 f, arm = zero3()
        self.alive()
        self.gate.check_idle()
        self._check_body(body)
        f = _vec(force, "force")
        if point is not None:
            arm = mul3(self.c.R, _vec(point, "point"))
        self.c.force = add3(self.c.force, f)
        self.c.torque = add3(self.c.torque, cross3(arm, f))

    def set_external_torque(self, body, torque):
        """Turn the body for one step; torques of one step add up.

        Parameters
        ----------
        body : int or str
            0, or the object's own name.
        torque : (3,) array_like
            World axes [N m].
        """
        self.alive()
        self.gate.check_idle()
        self._check_body(body)
        self.c.torque = add3(self.c.torque, _vec(torque, "torque"))

    def clear_external_forces(self):
        """Forget the forces and torques given for the coming step."""
        self.alive()
        self.gate.check_idle()
        self.c.force = zero3()
        self.c.torque = zero3()
