"""What surgery there is, as edits of mechanisms; methods of World, and what those of ArticulatedSystem call."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial, wraps
from typing import TYPE_CHECKING, Any, Concatenate, ParamSpec, TypeVar

from rbdyn.arguments import flag, number, shown
from rbdyn.errors import Error, MechanismError, RemovedError
from rbdyn.mechanism import Joint, Maps, Mechanism, RigidBody
from rbdyn.mechanism.surgery import docking
from rbdyn.mechanism.surgery.growing import check_joint
from rbdyn.spatial.transform import Transform, check_pose
from rbdyn.world.arguments import label, meant
from rbdyn.world.registry.factories import prepare_bodies
from rbdyn.world.surgery.plan import Plan

P = ParamSpec("P")
T = TypeVar("T")

if TYPE_CHECKING:
    from rbdyn.world.objects.articulated_system import ArticulatedSystem
    from rbdyn.world.objects.handles.body_ref import BodyRef
    from rbdyn.world.objects.handles.joint_ref import JointRef
    from rbdyn.world.objects.single_body import SingleBody
    from rbdyn.world.world import World

    AnyBody = str | RigidBody | BodyRef
    AnyJoint = str | Joint | JointRef


def _whole(operation: Callable[Concatenate[Any, P], T]) -> Callable[Concatenate[Any, P], T]:
    """An operation on a World, or on a robot of one, that is one edit: all of it is done, or nothing."""

    @wraps(operation)
    def whole(first: Any, /, *args: P.args, **kwargs: P.kwargs) -> T:
        world = first if hasattr(first, "_as_one") else first.world
        done: T = world._as_one(partial(operation, first, *args, **kwargs))
        return done

    return whole


def _is_single(obj: Any) -> bool:
    """Whether it is a SingleBody."""
    return hasattr(obj, "body_type") and not hasattr(obj, "mechanism")


def _robot(world: World, robot: Any, what: str) -> Any:
    """A robot of this World."""
    if _is_single(robot):
        raise Error(
            f"{what} must be a robot of this World, and {robot.name!r} is a single body, which may be robot_b; a robot "
            "of one body is a mechanism of it on a Floating joint: world.add_articulated_system(mechanism)"
        )
    if not hasattr(robot, "mechanism") or not hasattr(robot, "_placed"):
        raise Error(f"{what} must be a robot of this World, got {shown(robot)}")
    if robot.world is not world:
        raise RemovedError(f"{robot!r} is not in this World")
    return robot


def _itself(robot: ArticulatedSystem, given: Any, found: Any, kind: str) -> Any:
    """What was found by the name of `given`: the same thing, unless that was its name alone."""
    if given is found or isinstance(given, str):
        return found
    raise Error(
        f"{shown(given)} is none of robot {robot.name!r}, whose mechanism is a copy with a {kind} of that name; take "
        f"that one by its name, or robot.{kind}({found.name!r})"
    )


def _body_of(robot: ArticulatedSystem, body: AnyBody) -> RigidBody:
    """A body of a robot's mechanism, by its name, itself or its handle."""
    own = meant(robot, body)
    found: RigidBody = robot.body(getattr(own, "name", own))._item
    return _itself(robot, own, found, "body")


def _joint_of(robot: ArticulatedSystem, joint: AnyJoint) -> Joint:
    """A joint between two bodies of a robot's mechanism, by its name, itself or its handle."""
    robot._take_in_edits()
    own = meant(robot, joint)
    found: Joint = _itself(robot, own, robot.joint(getattr(own, "name", own))._item, "joint")
    robot.mechanism.edge(found)  # raises for the one that stands for a fixed base
    return found


def _pose(pose: Transform | None, what: str) -> Transform:
    if pose is not None:
        check_pose(pose, what)
    return Transform() if pose is None else pose


def _exchange(robots: list[ArticulatedSystem], edit: Callable[[], Plan]) -> Any:
    world = robots[0].world
    for robot in robots:
        world._edits.renew(robot)
    return world._surgery.exchange(robots, edit)


def attach(
    robot: ArticulatedSystem,
    mechanism: Mechanism | RigidBody,
    body: AnyBody,
    joint: Joint,
    joint_pose: Transform | None,
    successor_pose: Transform | None,
    prefix: str,
) -> Maps:
    """See `ArticulatedSystem.attach`."""
    if isinstance(mechanism, (Mechanism, RigidBody)):
        prepare_bodies([mechanism] if isinstance(mechanism, RigidBody) else mechanism.bodies)
    return _attach(robot, mechanism, body, joint, joint_pose, successor_pose, prefix)


@_whole
def _attach(
    robot: ArticulatedSystem,
    mechanism: Mechanism | RigidBody,
    body: AnyBody,
    joint: Joint,
    joint_pose: Transform | None,
    successor_pose: Transform | None,
    prefix: str,
) -> Maps:
    check_joint(joint, "joint")
    before, after = _pose(joint_pose, "joint_pose"), _pose(successor_pose, "successor_pose")
    if isinstance(mechanism, RigidBody):
        mechanism = Mechanism(mechanism.copy())
    if not isinstance(mechanism, Mechanism):
        raise Error(f"mechanism must be a Mechanism or a RigidBody, got {shown(mechanism)}")
    if not isinstance(prefix, str):
        raise Error(f"prefix must be a string, got {shown(prefix)}")
    child, maps = docking.copied(mechanism, prefix, Mechanism)
    own, at = joint.copy(), _body_of(robot, body)

    def edit() -> Plan:
        free = docking.free_joint(child)
        end = child.root_body if free is None else child.successor(free)
        docking.join(robot.mechanism, at, child, end, own, before, after)
        return Plan([(robot.mechanism, robot, None)], result=maps)

    maps.joints[joint] = own
    found: Maps = _exchange([robot], edit)
    return found


@_whole
def remove_joint(robot: ArticulatedSystem, joint: AnyJoint, split: bool, name: str | None) -> Any:
    """See `ArticulatedSystem.remove_joint`."""
    old = _joint_of(robot, joint)
    if not flag(split, "split"):
        if name is not None:
            raise Error("name is for split=True: without it no robot is made")

        def edit() -> Plan:
            maps = robot.mechanism.remove_joint(old)
            joints = {a: b for a, b in maps.joints.items() if a.num_velocities <= 1}
            return Plan([(robot.mechanism, robot, None)], joints, maps.joints, maps.frames, result=robot)

        return _exchange([robot], edit)
    called = None if name is None else label(name, "name")

    def cut() -> Plan:
        stem = robot.mechanism.successor(old).name if called is None else called
        part = docking.cut_loose(robot.mechanism, old, stem, Mechanism)
        return Plan([(robot.mechanism, robot, None), (part, None, called)])

    return _exchange([robot], cut)


@_whole
def remove_subtree(robot: ArticulatedSystem, joint: AnyJoint) -> None:
    """See `ArticulatedSystem.remove_subtree`."""
    old = _joint_of(robot, joint)

    def edit() -> Plan:
        robot.mechanism.remove_subtree(old)
        return Plan([(robot.mechanism, robot, None)], result=robot)

    _exchange([robot], edit)


@_whole
def replace_joint(robot: ArticulatedSystem, joint: AnyJoint, new: Joint, tolerance: float) -> None:
    """See `ArticulatedSystem.replace_joint`."""
    check_joint(new, "new_joint")
    old, own = _joint_of(robot, joint), new.copy()
    most = number(tolerance, "tolerance", low=0.0, unit="[m, rad]")

    def edit() -> Plan:
        maps = robot.mechanism.replace_joint(old, own)
        same = {old: own} if old.joint_type == own.joint_type else {}
        return Plan([(robot.mechanism, robot, None)], same, maps.joints, maps.frames, most, robot)

    _exchange([robot], edit)


@_whole
def weld(robot: ArticulatedSystem, joint: AnyJoint) -> None:
    """See `ArticulatedSystem.weld`."""
    old = _joint_of(robot, joint)
    mechanism = robot.mechanism
    if not old.num_velocities:
        raise MechanismError(f"joint {old.name!r} is fixed already")
    if old not in mechanism.tree_joints:
        raise MechanismError(f"joint {old.name!r} closes a loop and has no q of its own: replace_joint can hold it")
    first = robot.model.joint_q_index(old.name)
    q = robot.q[first : first + old.num_positions].copy()

    def edit() -> Plan:
        held = docking.lock(mechanism, old, old.joint_type.pose(q))
        frames = {old.frame_before: held.frame_before, old.frame_after: held.frame_after}
        return Plan([(mechanism, robot, None)], {}, {old: held}, frames, result=held)

    gains, target = robot.joint(old).gains, robot.joint(old).target
    robot._welded[_exchange([robot], edit)] = old, q, gains, target


@_whole
def unweld(robot: ArticulatedSystem, joint: AnyJoint) -> None:
    """See `ArticulatedSystem.unweld`."""
    held = _joint_of(robot, joint)
    if held not in robot._welded:
        raise MechanismError(f"joint {held.name!r} of {robot.name!r} was not welded, or has been turned round since")
    old, q, gains, target = robot._welded[held]
    mechanism = robot.mechanism

    def edit() -> Plan:
        pose = mechanism.edge(held).joint_pose @ old.joint_type.pose(q).inverse()
        docking.exchange(mechanism, held, old, pose)
        frames = {held.frame_before: old.frame_before, held.frame_after: old.frame_after}
        return Plan([(mechanism, robot, None)], {}, {held: old}, frames, result=robot, rest={old: q})

    _exchange([robot], edit)
    del robot._welded[held]
    if robot.control_mode == "pd_plus_feedforward":
        robot.set_pd_gains(joints={old.name: gains})
        robot.set_pd_target(joints={old.name: target})


@_whole
def remove_fixed_joints(robot: ArticulatedSystem) -> None:
    """See `ArticulatedSystem.remove_fixed_joints`."""

    def edit() -> Plan:
        robot.mechanism.remove_fixed_tree_joints()
        return Plan([(robot.mechanism, robot, None)], result=robot)

    _exchange([robot], edit)


@_whole
def merge(
    world: World,
    robot_a: ArticulatedSystem,
    body_a: AnyBody,
    robot_b: ArticulatedSystem | SingleBody,
    body_b: AnyBody | SingleBody,
    joint: Joint,
    pose_a: Transform | None = None,
    pose_b: Transform | None = None,
    *,
    tolerance: float = 1e-3,
    prefix: str = "",
) -> ArticulatedSystem:
    """Join two robots, or a robot and a single body, by a joint between two steps: one robot, `robot_a`, is left.

    Bodies, joints and frames of `robot_b` move over, with their state, control, shapes and contacts; handles of them
    follow, and `robot_b` itself is removed.  What the joint forbids of the velocities ends by its impulse: linear and
    angular momentum stay what they were, unless one of them is fixed to the world, and the energy never grows.

    Parameters
    ----------
    robot_a, robot_b : ArticulatedSystem
        Two robots of this World; `robot_b` must float.  It may be a SingleBody that is dynamic: it becomes a body of
        `robot_a` of its name, with its shapes and what hangs on it.
    body_a, body_b : str, RigidBody or BodyRef
        A body of each: where the joint begins and ends; of a single body its name, or itself.
    joint : Joint
        Of any type; the robot gets a copy.  Its coordinates are those nearest to where the bodies are.
    pose_a : Transform, optional
        Where the joint is on `body_a`: its before-frame; at its origin by default.
    pose_b : Transform, optional
        Where it is on `body_b`: its after-frame; by default where the joint is neutral as the bodies are now.
    tolerance : float
        How far `robot_b` may be moved to where the joint allows it to be [m and rad].
    prefix : str
        Put before every name of `robot_b`, which may have the names of `robot_a` then: two modules of one kind.

    Returns
    -------
    robot : ArticulatedSystem
        `robot_a`.

    Raises
    ------
    MechanismError
        If `robot_b` does not float; if both have a body or a joint of one name (`prefix` helps), or the joint's name
        is taken; if the bodies are farther apart than the tolerance; if a joint of `robot_b` had to be reversed and
        cannot.
    Error
        If both are one robot, which would close a loop: ``robot.mechanism.attach(body_a, body_b, joint)`` does that.
    RemovedError
        If one is not in this World.
    BusyError
        While the World steps, and between the halves of a step.  Nothing is changed after any error.

    Examples
    --------
    >>> world.merge(left, "tip", right, "base", Joint("dock", Fixed()))  # doctest: +SKIP
    """
    a = _robot(world, robot_a, "robot_a")
    if _is_single(robot_b):
        single: Any = robot_b
        return _merge_single(world, a, body_a, single, body_b, joint, pose_a, pose_b, tolerance, prefix)
    b = _robot(world, robot_b, "robot_b")
    if not isinstance(prefix, str):
        raise Error(f"prefix must be a string, got {shown(prefix)}")
    if a is b:
        hint = "robot.mechanism.attach(body_a, body_b, joint)"
        raise Error(f"robot_a and robot_b are both {a.name!r}: what closes a loop is {hint}")
    check_joint(joint, "joint")
    at_b: Any = body_b
    start, end, own = _body_of(a, body_a), _body_of(b, at_b), joint.copy()
    most = number(tolerance, "tolerance", low=0.0, unit="[m, rad]")
    before, at_end = _pose(pose_a, "pose_a"), None if pose_b is None else _pose(pose_b, "pose_b")
    world._edits.renew(a)
    world._edits.renew(b)
    if docking.free_joint(b.mechanism) is None:
        raise MechanismError(f"robot_b, {b.name!r}, does not float on an empty root, as what is merged must")
    if end is b.mechanism.root_body:
        raise MechanismError(f"body_b {end.name!r} is the root on which {b.name!r} floats, and no body of it")
    if at_end is None:
        here = Transform.from_matrix(a.body_pose(start)) @ before
        at_end = Transform.from_matrix(b.body_pose(end)).inverse() @ here

    child, maps = (b.mechanism, None) if not prefix else docking.copied(b.mechanism, prefix, Mechanism)

    def edit() -> Plan:
        tail = end if maps is None else maps.bodies[end]
        joints, became = docking.join(a.mechanism, start, child, tail, own, before, at_end.inverse())
        plan = Plan([(a.mechanism, a, None)], joints, became, {}, most, a)
        return plan if maps is None else _of_copies(plan, maps)

    merged: ArticulatedSystem = world._surgery.exchange([a, b], edit)
    there = set(a.mechanism.joints)
    for held, (old, *kept) in b._welded.items():
        now = held if maps is None else maps.joints.get(held)        # or it has gone since
        if now is not None and now in there:
            merged._welded[now] = (old if maps is None else old.copy(prefix + old.name), *kept)
    return merged


def _merge_single(
    world: World, a: ArticulatedSystem, body_a: AnyBody, single: SingleBody, body_b: Any, *rest: Any
) -> ArticulatedSystem:
    """See `merge`."""
    joint, pose_a, pose_b, tolerance, prefix = rest
    if single.world is not world:
        raise RemovedError(f"{single!r} is not in this World")
    if body_b is not single and body_b != single.name:
        raise Error(f"body_b must be {single.name!r}, the name of robot_b, or that single body, got {shown(body_b)}")

    def dock(b: ArticulatedSystem) -> ArticulatedSystem:
        ends = a, body_a, b, single.name
        return merge(world, *ends, joint, pose_a, pose_b, tolerance=tolerance, prefix=prefix)

    merged: ArticulatedSystem = world._surgery.as_robot(single, dock)
    return merged


def _of_copies(plan: Plan, maps: Maps) -> Plan:
    """The plan of an edit that took copies in: these stand for what they are copies of."""
    joints = {old: plan.joints[copy] for old, copy in maps.joints.items() if copy in plan.joints}
    became = {old: plan.became.get(copy, copy) for old, copy in maps.joints.items()}
    return replace(plan, joints=joints, became=became, frames=dict(maps.frames), bodies=dict(maps.bodies))
