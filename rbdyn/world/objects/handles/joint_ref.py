"""JointRef: a joint of a robot: where it is, what it is, and its coordinates."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from rbdyn.errors import Error
from rbdyn.mechanism.joints import JointType
from rbdyn.spatial.rotations import Array
from rbdyn.spatial.transform import Transform
from rbdyn.world import hints
from rbdyn.world.objects.handles import last_step
from rbdyn.world.objects.handles.frames_given import turned_into
from rbdyn.world.objects.handles.joint_control import Controlled
from rbdyn.world.objects.handles.step_start import turned_into as turned_at_start
from rbdyn.world.objects.handles.transmitted import wrench_through

if TYPE_CHECKING:
    from rbdyn.world import BodyRef


class JointRef(Controlled):
    """A joint of a robot in a World; its frame is the one after the joint, which moves with its successor.

    Made by `ArticulatedSystem.joint`.  Of a joint with one degree of freedom q, v, forces and gains are numbers, of
    others arrays in the order of the robot's q or v.
    """

    __slots__ = ()
    kind = "joint"
    _advice = (hints.JOINT, hints.REF)

    def _of(self, item: Any) -> None:
        self._item = item
        mechanism = self._held.mechanism
        self._frame = item.frame_after if item in mechanism.joints else mechanism.root_frame

    # ---- what it is ------------------------------------------------------------------------------

    @property
    def joint_type(self) -> JointType:
        """Its type, such as Revolute."""
        return self._thing.joint_type

    @property
    def in_tree(self) -> bool:
        """Whether it is in the tree; a joint that closes a loop has no coordinates."""
        return self._item not in self._mechanism.non_tree_joints

    @property
    def predecessor(self) -> BodyRef:
        """The link that it starts from."""
        return self._robot.body(self._mechanism.predecessor(self._item))

    @property
    def successor(self) -> BodyRef:
        """The link that it leads to."""
        return self._robot.body(self._mechanism.successor(self._item))

    @property
    def placement(self) -> Transform:
        """Where its before-frame is on the predecessor, a Transform."""
        return self._mechanism.edge(self._item).joint_pose

    @placement.setter
    def placement(self, value: Transform) -> None:
        self.place(joint_pose=value)

    def place(self, joint_pose: Transform | None = None, successor_pose: Transform | None = None) -> None:
        """Move the joint on its links, between steps; what is not given stays.

        q and v stay, but that loops are closed; the robot's contacts are forgotten, as by `set_state`.

        Parameters
        ----------
        joint_pose : Transform, optional
            Pose of its before-frame in the predecessor: `placement`.
        successor_pose : Transform, optional
            Pose of the successor in its after-frame.

        Raises
        ------
        MechanismError
            If a pose is no Transform; nothing changes then.
        LoopError
            If a loop would be open by more than 1e-3 m or rad; nothing changes then.
        BusyError
            While the World steps, or between the halves of a step.
        """
        self._robot.world._edits.place_joint(self._robot, self._thing, joint_pose, successor_pose)

    @property
    def local_axis(self) -> Array:
        """Its axis, or a planar joint's normal, in its own frames, (3,), fresh [-]."""
        kind = self._thing.joint_type
        if kind.main_axis is None:
            raise Error(f"joint {self.name!r} ({kind.kind}) has no axis")
        return np.array(kind.main_axis)

    @local_axis.setter
    def local_axis(self, value: ArrayLike) -> None:
        self.set(axis=value)

    @property
    def axis(self) -> Array:
        """Its axis in the world now, (3,), fresh [-]."""
        axis: Array = self.rotation @ self.local_axis
        return axis

    def axis_in(self, frame: Any) -> Array:
        """Its axis now in the axes of a frame, (3,).

        Parameters
        ----------
        frame : str, handle or SingleBody
            Which; `predecessor` for the axis as a robot file gives it.
        """
        return turned_into(self._robot, frame, self.axis, "frame")

    # ---- what the latest step did ------------------------------------------------------------------

    @property
    def a(self) -> Any:
        """Mean acceleration in the latest step: a number, or (num_velocities,) of them [rad/s^2 or m/s^2]."""
        return self._one_of(self._robot.acceleration[self._in_v()])

    @property
    def wrench(self) -> Array:
        """What it transmitted to its successor in the latest step, (6,), fresh [N m, N].

        Moment about the joint, then force, world axes, at the start of the step; 0 where no step is known.  Of a joint
        that moves it is a row of the robot's `joint_wrenches`.  Of a fixed joint it follows from the motion, the weight
        and the contacts of the links beyond it, as a `ForceTorqueSensor` reads it.  It is NaN in a step in which
        anything else acts on the body that fixed joints make of these links: given forces, wires, joints of the World,
        loops.
        """
        robot = self.robot
        if not self.in_tree:
            raise Error(f"joint {self.name!r} closes a loop: robot.loop_force({self.name!r}) is what it did")
        if self._item not in self._mechanism.joints:         # the base joint of a fixed base, which holds the root
            return robot.joint_wrenches[0]
        return np.concatenate(wrench_through(robot, self._item)) if last_step.is_known(robot) else np.zeros(6)

    def wrench_in(self, frame: Any) -> Array:
        """`wrench` in the axes of a frame, about the joint all the same.

        Parameters
        ----------
        frame : str or handle
            A frame of this robot, as it was at the start of the step, or the world; the joint itself for its own axes.
        """
        return turned_at_start(self._robot, frame, self.wrench)

    # ---- state -----------------------------------------------------------------------------------

    @property
    def q_index(self) -> int:
        """First index in q; Error for a joint without coordinates."""
        return int(self._robot._placed.model.joint_q_index(self._item.name))

    @property
    def v_index(self) -> int:
        """First index in v; Error for a joint without coordinates."""
        return int(self._robot._placed.model.joint_v_index(self._item.name))

    @property
    def q(self) -> Any:
        """Position: a number, or (num_positions,) of them [rad or m]; setting it forgets contacts, as `set_state`."""
        return self._one_of(self._robot.q[self._in_q()])

    @q.setter
    def q(self, value: ArrayLike) -> None:
        self._robot.set_state(q=self._put(self._robot.q, self._in_q(), value, "q"))

    @property
    def v(self) -> Any:
        """Velocity: a number, or (num_velocities,) of them [rad/s or m/s]; setting it forgets contacts."""
        return self._one_of(self._robot.v[self._in_v()])

    @v.setter
    def v(self, value: ArrayLike) -> None:
        self._robot.set_state(v=self._put(self._robot.v, self._in_v(), value, "v"))
