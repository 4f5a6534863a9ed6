"""Joints and welds between bodies that no mechanism connects."""

import numpy as np

from rbdyn.spatial.transform import Transform

from rbdyn.kernels.loops cimport component
from rbdyn.spatial._algebra cimport Mat3, Motion, add3, matmul3, mul3, vec3
from rbdyn.stepping.constraints.bodies.joints cimport BodyFrame, joint_error, rows_of
from rbdyn.stepping.links cimport JOINT_LINK
from rbdyn.world.constraints.constraint cimport Constraint
from rbdyn.world.constraints.end cimport End
from rbdyn.world.constraints.present cimport present_axes, present_place


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
        self.held, self.joint = tuple(ends), joint
        self.link, self.kind = &self.c.link, JOINT_LINK
        self.c.kind = -1 if joint is None else joint.joint_type.kernel_kind
        self.c.parameter = 0.0 if joint is None else joint.joint_type.kernel_parameter
        self.c.before, self.c.after = frame_of(ends[0], before @ to_joint), frame_of(ends[1], after @ to_joint)
        self.c.body[0], self.c.body[1] = self.c.before.handle, self.c.after.handle
        self.link.body, self.link.n_bodies = self.c.body, 2
        self.link.rows = rows_of(&self.c, direction)
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
    def error(self):
        """How far it is open now, one number for each row, (n,) fresh [rad, m]."""
        cdef int[6] direction
        self.check_readable()
        rows = rows_of(&self.c, direction)
        e = self.open_by()
        return np.array([component(e, direction[k]) for k in range(rows)])

    def __repr__(self):
        if self.lock is None:
            return Constraint.__repr__(self)
        what = "weld" if self.joint is None else type(self.joint.joint_type).__name__
        return f"{type(self).__name__}({self.name!r}, {what})"
