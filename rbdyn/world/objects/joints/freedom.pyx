"""What a Joint says of what acts along what it allows, for loop joints and joints between bodies of a World."""

import numpy as np

from libc.math cimport INFINITY

from rbdyn.arguments.arrays cimport read_only
from rbdyn.kernels.kinematics cimport poses, velocities
from rbdyn.kernels.loops cimport component, row_velocity
from rbdyn.model._model cimport CLoop
from rbdyn.stepping.freedom cimport only_direction
from rbdyn.stepping.loops.rows cimport loop_coordinate


cdef Freedom free_along() noexcept:
    """Nothing acts."""
    cdef Freedom f
    f.damping = f.friction = f.static_friction = f.static_threshold = f.rotor = f.stiffness = f.rest = 0.0
    f.stop = Softness(0.0, 0.0)
    f.restitution = f.kp = f.kd = f.target = f.target_speed = f.force = 0.0
    f.upper = f.top_speed = f.effort_upper = INFINITY
    f.lower = f.effort_lower = -INFINITY
    return f


cdef Freedom freedom_of(object joint) except *:
    """As a Joint says; springs, limits and motors are those of joints with one degree of freedom."""
    cdef Freedom f = free_along()
    f.damping, f.friction, f.rotor = joint.damping, joint.friction, joint.rotor_inertia
    f.static_friction = joint.friction if joint.static_friction is None else joint.static_friction
    f.static_threshold = joint.static_threshold
    if joint.num_velocities != 1:
        return f
    f.stiffness = joint.stiffness
    limits = joint.limits_of_each
    f.rest = joint.joint_type.coordinates(joint.spring_reference, limits)[0]
    f.lower, f.upper = limits[0]
    f.restitution = joint.limit_restitution
    f.stop.softness, f.stop.damping = joint.limit_softness
    if joint.velocity_limit is not None:
        f.top_speed = joint.velocity_limit
    if joint.effort_limit is not None:
        f.effort_lower, f.effort_upper = -joint.effort_limit, joint.effort_limit
    return f


cdef int drive(Freedom* f, dict numbers) except -1:
    """Take over what is given of its motor; all of it is checked."""
    f.kp, f.kd = numbers.get("p", f.kp), numbers.get("d", f.kd)
    f.target, f.target_speed = numbers.get("target", f.target), numbers.get("velocity", f.target_speed)
    f.force = numbers.get("force", f.force)
    f.effort_lower = numbers.get("effort_lower", f.effort_lower)
    f.effort_upper = numbers.get("effort_upper", f.effort_upper)
    return 0


cdef dict driven_by(const Freedom* f):
    """What its motor has now."""
    return {"p": f.kp, "d": f.kd, "target": f.target, "velocity": f.target_speed, "force": f.force,
            "effort_limits": (f.effort_lower, f.effort_upper)}


cdef class LoopJoints:
    """The loop joints of a robot, by their numbers: read and set by loop_joints.py."""

    def coordinate(self, int k):
        """Where joint k stands [rad or m]."""
        poses(self.system.m, self.system.d)
        return loop_coordinate(self.system.d, self.system.m.loops + k)

    def velocity(self, int k):
        """Its velocity [rad/s or m/s]."""
        cdef const CLoop* c = self.system.m.loops + k
        velocities(self.system.m, self.system.d)
        return component(row_velocity(self.system.d, c), only_direction(c.kind))

    def force(self, int k):
        """What it exerted in the latest step, (6,) read-only."""
        return read_only(np.array([self.system.work.loops.force[6 * k + i] for i in range(6)]))

    def drive_force(self, int k):
        """What its motor did in the latest step [N m or N]."""
        return self.system.work.loops.drive[2 * k + 1]

    def driven_by(self, int k):
        """What its motor has, as a dict."""
        return driven_by(self.system.control.loop + k)

    def drive(self, int k, dict numbers):
        """Set its motor."""
        drive(self.system.control.loop + k, numbers)

    def softness(self, int k):
        """How its rows give way: of rotations and of translations, pairs."""
        cdef Softness* soft = self.system.control.soft + 2 * k
        return (soft[0].softness, soft[0].damping), (soft[1].softness, soft[1].damping)

    def soften(self, int k, softness, damping):
        """Set how its rows give way, two numbers each."""
        cdef Softness* soft = self.system.control.soft + 2 * k
        for i in range(2):
            soft[<int> i] = Softness(softness[i], damping[i])
