"""Surgery on a robot while its World stands between two steps; methods of ArticulatedSystem, written in Python.

Whatever they do, bodies stay where they are and move as they did, but for what a new joint forbids: that ends by the
joint's impulse.  q, v, gains, targets, limits set since, external forces, shapes with their contacts, constraints of
the World and handles go on with the bodies and joints that are still there.  Nothing is changed after an error.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, overload

from rbdyn.mechanism import Joint, Maps, Mechanism, RigidBody
from rbdyn.spatial.transform import Transform

if TYPE_CHECKING:
    from rbdyn.world.objects.articulated_system import ArticulatedSystem
    from rbdyn.world.objects.handles.body_ref import BodyRef
    from rbdyn.world.objects.handles.joint_ref import JointRef

    AnyJoint = str | Joint | JointRef


def attach(
    robot: ArticulatedSystem,
    mechanism: Mechanism | RigidBody,
    body: str | RigidBody | BodyRef,
    joint: Joint,
    joint_pose: Transform | None = None,
    successor_pose: Transform | None = None,
    prefix: str = "",
) -> Maps:
    """Attach copies of all bodies and joints of a mechanism, at their neutral configuration, at rest on `body`.

    What is there keeps its motion; the momentum of what is new is added.  To catch something that moves of itself, add
    it to the World and use `World.merge`.

    Parameters
    ----------
    mechanism : Mechanism or RigidBody
        What to attach; it stays as it is.  The joint holds the base of one that floats, and the root of another.
    body : str, RigidBody or BodyRef
        Of this robot.
    joint : Joint
        Between the two; the robot gets a copy.
    joint_pose : Transform, optional
        Pose of the joint's before-frame in `body`.
    successor_pose : Transform, optional
        Pose of the attached base in the joint's after-frame.
    prefix : str
        Put before every name of the mechanism.

    Returns
    -------
    maps : Maps
        The mechanism's bodies, joints and frames, and `joint` -> the robot's.

    Raises
    ------
    MechanismError
        If a name is taken, or a joint would have to be reversed and cannot.
    BusyError
        While the World steps, and between the halves of a step.

    Examples
    --------
    >>> robot.attach(gripper, "flange", Joint("grip", Fixed()), prefix="left_")  # doctest: +SKIP
    """
    maps: Maps = robot.world._surgery.attach(robot, mechanism, body, joint, joint_pose, successor_pose, prefix)
    return maps


@overload
def remove_joint(
    robot: ArticulatedSystem, joint: AnyJoint, split: Literal[True], name: str | None = None
) -> ArticulatedSystem: ...
@overload
def remove_joint(
    robot: ArticulatedSystem, joint: AnyJoint, split: Literal[False] = False, name: None = None
) -> ArticulatedSystem: ...
def remove_joint(
    robot: ArticulatedSystem, joint: AnyJoint, split: bool = False, name: str | None = None
) -> ArticulatedSystem:
    """Take a joint out; what it alone held becomes a robot of its own, which floats.

    Parameters
    ----------
    joint : str, Joint or JointRef
        One of this robot's.
    split : bool
        True for a joint that is the only connection to what it carries, which is cut off.  False for one on a loop: the
        others hold its bodies from then on, as `Mechanism.remove_joint` says.
    name : str, optional
        Of the new robot, unique in the World; the name of the body cut off by default, with a number if that is taken.

    Returns
    -------
    robot : ArticulatedSystem
        The new one; this one with split=False.

    Raises
    ------
    MechanismError
        If the joint is the only connection and `split` is False, or is not and `split` is True.
    UnknownNameError
        If there is no such joint.
    BusyError
        While the World steps, and between the halves of a step.
    """
    part: ArticulatedSystem = robot.world._surgery.remove_joint(robot, joint, split, name)
    return part


def remove_subtree(robot: ArticulatedSystem, joint: AnyJoint) -> None:
    """Take a joint of the tree out, and all that hangs on it, with what joins that to the rest.

    Parameters
    ----------
    joint : str, Joint or JointRef
        One of this robot's.

    Raises
    ------
    MechanismError
        If the joint closes a loop.
    BusyError
        While the World steps, and between the halves of a step.
    """
    robot.world._surgery.remove_subtree(robot, joint)


def replace_joint(robot: ArticulatedSystem, joint: AnyJoint, new_joint: Joint, tolerance: float = 1e-3) -> None:
    """Put another joint in a joint's place: on the same bodies, at the same poses.

    One of the same type keeps q and v.  Another one gets those nearest to where its bodies are; what it forbids of
    their velocities ends by its impulse.

    Parameters
    ----------
    joint : str, Joint or JointRef
        One of this robot's.
    new_joint : Joint
        The robot gets a copy; its name may be that of `joint`.
    tolerance : float
        How far bodies may be moved to where the new joint allows them to be [m and rad].

    Raises
    ------
    MechanismError
        If the name is taken, or the bodies are farther from where the joint allows them to be than the tolerance.
    BusyError
        While the World steps, and between the halves of a step.
    """
    robot.world._surgery.replace_joint(robot, joint, new_joint, tolerance)


def weld(robot: ArticulatedSystem, joint: AnyJoint) -> None:
    """Hold a joint of the tree where it is: its bodies become one, and its speed ends by the weld's impulse.

    A fixed joint of the same name takes its place until `unweld`.

    Parameters
    ----------
    joint : str, Joint or JointRef
        One of this robot's.

    Raises
    ------
    MechanismError
        If it is fixed already, or closes a loop.
    BusyError
        While the World steps, and between the halves of a step.
    """
    robot.world._surgery.weld(robot, joint)


def unweld(robot: ArticulatedSystem, joint: AnyJoint) -> None:
    """Let a joint go that `weld` holds: it is what it was, at the same q, at rest, with what its mechanism says.

    Parameters
    ----------
    joint : str, Joint or JointRef
        One of this robot's.

    Raises
    ------
    MechanismError
        If it is not welded, or surgery turned it round since.
    BusyError
        While the World steps, and between the halves of a step.
    """
    robot.world._surgery.unweld(robot, joint)


def remove_fixed_joints(robot: ArticulatedSystem) -> None:
    """Make one body of those that fixed joints of the tree hold together, as `Mechanism.remove_fixed_tree_joints` does.

    Raises
    ------
    BusyError
        While the World steps, and between the halves of a step.
    """
    robot.world._surgery.remove_fixed_joints(robot)
