"""Joints and welds between bodies that no mechanism connects."""

import numpy as np

from rbdyn.arguments.arrays cimport read_only
from rbdyn.errors import Error
from rbdyn.spatial.transform import Transform
from rbdyn.world.objects.joints.drives import drive_numbers, softness_numbers

from libc.string cimport memcmp

from rbdyn.kernels.loops cimport component
from rbdyn.spatial._algebra cimport Mat3, Motion, Vec3, add3, dot3, matmul3, mul3, sub3, transpose3, vec3
from rbdyn.stepping.constraints.bodies.joints cimport BodyFrame, joint_coordinate, joint_error, rows_of
from rbdyn.stepping.freedom cimport Softness, only_direction
from rbdyn.stepping.links cimport JOINT_LINK
from rbdyn.world.constraints.constraint cimport Constraint
from rbdyn.world.constraints.end cimport End
from rbdyn.world.constraints.present cimport present_axes, present_place, present_velocity
from rbdyn.world.objects.joints.freedom cimport drive, driven_by, free_along, freedom_of


cdef BodyFrame frame_of(End end, object pose):
    """A pose in the frame of the end's body."""
    cdef BodyFrame f
    cdef Mat3 R
    m, p = pose.rotation, pose.translation
    R.xx, R.xy, R.xz = m[0]
    R.yx, R.yy, R.yz = m[1]
    R.zx, R.zy, R.zz = m[2]
    f.handle = end.handle
    f.R = matmul3(end.R, R)
    f.p = add3(end.p, mul3(end.R, vec3(p[0], p[1], p[2])))
    return f


cdef bint is_frame(const BodyFrame* f, BodyFrame g) noexcept:
    """Whether it is the same to the last bit."""
    return memcmp(&f.R, &g.R, sizeof(Mat3)) == 0 and memcmp(&f.p, &g.p, sizeof(Vec3)) == 0


cdef object pose_of(End end, const BodyFrame* f):
    """Pose of a frame in that of the end's body."""
    cdef Mat3 R = matmul3(transpose3(end.R), f.R)
    cdef Vec3 p = mul3(transpose3(end.R), sub3(f.p, end.p))
    return Transform([[R.xx, R.xy, R.xz], [R.yx, R.yy, R.yz], [R.zx, R.zy, R.zz]], translation=(p.x, p.y, p.z))


cdef class BodyJoint(Constraint):
    """A joint, or a weld, between two bodies of a World that no mechanism connects.

    Made by `World.add_joint` and `World.add_weld`.  Its rows are those of a loop joint (docs/loops.md): what it blocks,
    rotations first, in the axes of its before-frame, which is on the first end.

    Attributes
    ----------
    joint : Joint
        What it was made of; None for a weld.
    """

    cdef int begin(self, list ends, object joint, object before, object after) except -1:
        """Between a pose on the first end and one on the second, in the frames of the bodies; `joint` None: a weld."""
        cdef int[6] direction
        to_joint = Transform() if joint is None else Transform(rotation=joint.joint_type.canonical_rotation()).inverse()
        self.held, self.joint, self.given = tuple(ends), joint, (before, after)
        self.link, self.kind = &self.c.link, JOINT_LINK
        self.c.kind = -1 if joint is None else joint.joint_type.kernel_kind
        self.c.parameter = 0.0 if joint is None else joint.joint_type.kernel_parameter
        self.c.before, self.c.after = frame_of(ends[0], before @ to_joint), frame_of(ends[1], after @ to_joint)
        self.c.body[0], self.c.body[1] = self.c.before.handle, self.c.after.handle
        self.link.body, self.link.n_bodies = self.c.body, 2
        self.link.rows = rows_of(&self.c, direction)
        self.c.freedom = free_along() if joint is None else freedom_of(joint)
        return 0

    cdef int give_way(self, object soft, object damped) except -1:
        """How its rows give way, of rotations and of translations; checked by the caller."""
        for k in range(2):
            self.c.soft[<int> k] = Softness(soft[k], damped[k])
        return 0

    cdef Motion open_by(self):
        """(u, d) now [rad, m]."""
        cdef const BodyFrame* B = &self.c.before
        cdef const BodyFrame* A = &self.c.after
        cdef Mat3 R = matmul3(present_axes(&self.memory.scene, B.handle), B.R)
        cdef Mat3 R_after = matmul3(present_axes(&self.memory.scene, A.handle), A.R)
        return joint_error(&self.c, R, present_place(&self.memory.scene, B.handle, B.p), R_after,
                           present_place(&self.memory.scene, A.handle, A.p))

    @property
    def poses(self):
        """Poses of its before-frame on the first of `ends` and of its after-frame on the second, in the bodies' frames.

        Returns
        -------
        before, after : Transform
        """
        self.check_alive()
        turn = Transform() if self.joint is None else Transform(self.joint.joint_type.canonical_rotation())
        before, after = self.given
        if not is_frame(&self.c.before, frame_of(self.held[0], before @ turn.inverse())):
            before = pose_of(self.held[0], &self.c.before) @ turn
        if not is_frame(&self.c.after, frame_of(self.held[1], after @ turn.inverse())):
            after = pose_of(self.held[1], &self.c.after) @ turn
        return before, after

    @property
    def error(self):
        """How far it is open now, one number for each row, (n,) fresh [rad, m]."""
        cdef int[6] direction
        self.check_readable()
        rows = rows_of(&self.c, direction)
        e = self.open_by()
        return np.array([component(e, direction[k]) for k in range(rows)])

    cdef int check_one(self) except -1:
        """Error unless it has one degree of freedom."""
        self.check_readable()
        if only_direction(self.c.kind) < 0:
            raise Error(f"{self!r} has not one degree of freedom; this is for joints with one")
        return 0

    @property
    def q(self):
        """Where it stands, if it has one degree of freedom: its angle from -pi to pi, or its way [rad or m]."""
        cdef const BodyFrame* B = &self.c.before
        cdef const BodyFrame* A = &self.c.after
        self.check_one()
        return joint_coordinate(
            &self.c, matmul3(present_axes(&self.memory.scene, B.handle), B.R),
            present_place(&self.memory.scene, B.handle, B.p),
            matmul3(present_axes(&self.memory.scene, A.handle), A.R),
            present_place(&self.memory.scene, A.handle, A.p))

    @property
    def v(self):
        """Its velocity, if it has one degree of freedom [rad/s or m/s]."""
        cdef Mat3 R
        cdef Motion a, b
        cdef int k = only_direction(self.c.kind)
        self.check_one()
        R = matmul3(present_axes(&self.memory.scene, self.c.before.handle), self.c.before.R)
        at = present_place(&self.memory.scene, self.c.after.handle, self.c.after.p)
        a = present_velocity(&self.memory.scene, self.c.after.handle, at)
        b = present_velocity(&self.memory.scene, self.c.before.handle, at)
        axis = mul3(R, vec3(k % 3 == 0, k % 3 == 1, k % 3 == 2))
        return dot3(axis, sub3(a.w, b.w) if k < 3 else sub3(a.v, b.v))

    @property
    def drive(self):
        """What its motor has now, dict by the names of `set_drive`."""
        self.check_one()
        return driven_by(&self.c.freedom)

    def set_drive(self, *, p=None, d=None, target=None, velocity=None, force=None, effort_limits=None):
        """Drive a joint with one degree of freedom: implicit PD control and feed-forward; what is not given stays.

        Parameters
        ----------
        p, d : float, optional
            Gains [N m/rad or N/m, N m s/rad or N s/m], 0 or more; both 0 to begin with.
        target : float, optional
            Of `q` [rad or m]; of an angle the nearest turn.  Where the joint stands when p is set first.
        velocity : float, optional
            Of the joint [rad/s or m/s]; 0 to begin with.
        force : float, optional
            Feed-forward [N m or N]; 0 to begin with.
        effort_limits : float or (float, float), optional
            What all of it is bounded by [N m or N], lower <= 0 <= upper; the effort limit of the Joint to begin with.

        Raises
        ------
        Error
            If the joint has not one degree of freedom, or a number is wrong; nothing changes then.
        """
        numbers = drive_numbers(self.drive, self.q, p, d, target, velocity, force, effort_limits)
        self.check_drivable()
        drive(&self.c.freedom, numbers)

    @property
    def drive_force(self):
        """What its motor applied in the latest step, on average [N m or N]."""
        self.check_readable()
        return self.link.done.drive / self.link.done.dt if self.link.done.dt > 0.0 else 0.0

    @property
    def along_force(self):
        """What acted along what it allows in the latest step, one number for each direction, read-only [N m or N].

        Its spring, damper, rotor, dry friction, limits and motor together, on its second end.
        """
        self.check_readable()
        dt = self.link.done.dt
        done = [self.link.done.impulse[k] / dt if dt > 0.0 else 0.0 for k in range(self.link.rows, 6)]
        return read_only(np.array(done))

    @property
    def softness(self):
        """How far its rows give way, (of rotations [rad/(N m)], of translations [m/N]); set with `set_softness`."""
        self.check_alive()
        return self.c.soft[0].softness, self.c.soft[1].softness

    @property
    def softness_damping(self):
        """What damps that, (of rotations [N m s/rad], of translations [N s/m]); set with `set_softness`."""
        self.check_alive()
        return self.c.soft[0].damping, self.c.soft[1].damping

    def set_softness(self, softness, damping=0.0):
        """Let what it blocks give way, as a spring with a damper; it does not to begin with.

        Parameters
        ----------
        softness : float or (float, float)
            How far, of translations [m/N], or of rotations [rad/(N m)] and translations; 0: not at all.
        damping : float or (float, float)
            Beside it, [N s/m], or [N m s/rad] and [N s/m].

        Raises
        ------
        Error
            If a number is wrong, or damping comes without softness; nothing changes then.
        """
        soft, damped = softness_numbers(softness, damping)
        self.check_alive()
        self.lock.check_editable()
        self.give_way(soft, damped)

    def __repr__(self):
        if self.lock is None:
            return Constraint.__repr__(self)
        what = "weld" if self.joint is None else type(self.joint.joint_type).__name__
        return f"{type(self).__name__}({self.name!r}, {what})"
