"""Handles by name and all of a kind; methods and properties of ArticulatedSystem, written in Python."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

from rbdyn.arguments import shown
from rbdyn.errors import unknown_name
from rbdyn.mechanism import Joint, RigidBody
from rbdyn.spatial.frames import CartesianFrame
from rbdyn.world.arguments import meant
from rbdyn.world.objects.handles.body_ref import BodyRef
from rbdyn.world.objects.handles.frame_ref import WORLD, FrameRef
from rbdyn.world.objects.handles.geometry_ref import GeometryRef, ShapeOf
from rbdyn.world.objects.handles.joint_ref import JointRef
from rbdyn.world.objects.handles.ref import Ref

if TYPE_CHECKING:
    from rbdyn.world.objects.articulated_system import ArticulatedSystem


def _found(robot: ArticulatedSystem, kind: type[Ref], name: Any, find: Callable[[], Any]) -> Any:
    """The handle of that kind for what was asked by `name`: the same as before, or a new one."""
    try:
        return robot._handles_here[kind, name]
    except (KeyError, TypeError):
        item = find()
    made = robot._handles.get((kind, item))
    if made is None:
        made = kind.__new__(kind)
        made._follow(robot, item)
        made = robot._handles.setdefault((kind, item), made)  # whole before another thread finds it
    robot._handles[kind, name if isinstance(name, str) else item] = made
    return made


def _link_in(robot: ArticulatedSystem, given: Any) -> RigidBody:
    name = meant(robot, given)
    if isinstance(name, RigidBody):
        robot.mechanism.default_frame(name)  # raises for one from elsewhere
        return name
    if not isinstance(name, str):  # numbers would count otherwise than `bodies` does
        raise unknown_name("body", shown(name), [one.name for one in robot.mechanism.bodies], f"{robot.name!r}")
    return robot.mechanism.find_body(name)


def _joint_in(robot: ArticulatedSystem, given: Any) -> Joint:
    name = meant(robot, given)
    if isinstance(name, Joint):
        robot.mechanism.frame_after(name)  # raises for one from elsewhere
        return name
    if not isinstance(name, str):
        raise unknown_name("joint", shown(name), [one.name for one in robot.mechanism.joints], f"{robot.name!r}")
    return robot.mechanism.find_joint(name)


def _frame_in(robot: ArticulatedSystem, name: str | CartesianFrame) -> CartesianFrame:
    return WORLD if isinstance(name, str) and name == "world" else robot.mechanism.find_frame(meant(robot, name))


def body(robot: ArticulatedSystem, name: str | RigidBody | BodyRef) -> BodyRef:
    """A body, or a link that a fixed joint merged into one, with its state.

    Parameters
    ----------
    name : str, RigidBody or BodyRef
        One of the mechanism's bodies; no number, by which `bodies` and the mechanism would mean others.

    Returns
    -------
    body : BodyRef
        The same object for the same body.

    Raises
    ------
    UnknownNameError
        If there is none; it gives the nearest names.

    Examples
    --------
    >>> robot.body("LF_SHANK").position  # doctest: +SKIP
    """
    made: BodyRef = _found(robot, BodyRef, name, lambda: _link_in(robot, name))
    return made


def joint(robot: ArticulatedSystem, name: str | Joint | JointRef) -> JointRef:
    """A joint with its state: of the tree, fixed ones too, or one that closes a loop.

    Parameters
    ----------
    name : str or Joint
        One of the mechanism's joints, or of `joint_names`.

    Returns
    -------
    joint : JointRef
        The same object for the same joint.

    Raises
    ------
    UnknownNameError
        If there is none; it gives the nearest names.

    Examples
    --------
    >>> robot.joint("LF_KFE").q  # doctest: +SKIP
    """
    made: JointRef = _found(robot, JointRef, name, lambda: _joint_in(robot, name))
    return made


def frame(robot: ArticulatedSystem, name: str | CartesianFrame) -> FrameRef:
    """A frame with its state.

    Parameters
    ----------
    name : str or CartesianFrame
        A body's name, that of a frame that was added to a body, or a joint's for the frame after it; "before_JOINT" is
        the one before it, "world" the inertial frame.

    Returns
    -------
    frame : FrameRef
        The same object for the same frame.

    Raises
    ------
    UnknownNameError
        If there is none; it gives the nearest names.
    MechanismError
        If several bodies have a frame of that name.
    """
    made: FrameRef = _found(robot, FrameRef, name, lambda: _frame_in(robot, name))
    return made


def geometry(robot: ArticulatedSystem, name: str) -> GeometryRef:
    """A shape that collides.

    Parameters
    ----------
    name : str
        Its name, "LINK/0" for the first of a link read from a file; also of one that has no name.

    Returns
    -------
    geometry : GeometryRef
        The same object for the same shape.

    Raises
    ------
    UnknownNameError
        If there is none; it gives the nearest names.
    """
    made: GeometryRef = _found(robot, GeometryRef, name, lambda: _shape(robot, name))
    return made


def frames_of(robot: ArticulatedSystem) -> tuple[CartesianFrame, ...]:
    """The frames of a robot that is in a World, which its mechanism lists only slowly."""
    handles = robot._handles_here
    model, added, found = handles.get(CartesianFrame, (None, 0, ()))
    now = sum([len(one.frames) for one in robot.mechanism.bodies])
    if model is not robot.model or added != now:
        found = robot.mechanism.frames
        handles[CartesianFrame] = robot.model, now, found
    return tuple(found)


def _shapes(robot: ArticulatedSystem) -> Iterator[ShapeOf]:
    """All shapes that collide; a name that several have is no name of its own."""
    links = robot._placed.model.mechanism.bodies
    names = Counter(one.name for link in links for one in link.collision)
    alone = {name for name in names if name and names[name] == 1}
    for link in links:
        for k, one in enumerate(link.collision):
            yield ShapeOf(link, one.name if one.name in alone else k)


def _shape(robot: ArticulatedSystem, name: Any) -> ShapeOf:
    known = {shape.name: shape for shape in _shapes(robot)}
    if not isinstance(name, str) or name not in known:
        raise unknown_name("geometry", name if isinstance(name, str) else shown(name), known, f"{robot.name!r}")
    return known[name]


@property  # type: ignore[misc]
def bodies(robot: ArticulatedSystem) -> tuple[BodyRef, ...]:
    """Handles of all bodies, merged links too, in the order of the mechanism; not of the root below a floating base."""
    floating = robot._placed.model.floating_base
    return tuple(robot.body(one) for one in robot.mechanism.bodies[1 if floating else 0 :])


@property  # type: ignore[misc]
def joints(robot: ArticulatedSystem) -> tuple[JointRef, ...]:
    """Handles of the joints that move, in the order of q and v, a floating base's first, then of those of loops.

    Fixed joints have handles too: `joint`.
    """
    mechanism = robot._placed.model.mechanism
    moving = [one for one in mechanism.tree_joints if one.num_velocities]
    return tuple(robot.joint(one) for one in [*moving, *mechanism.non_tree_joints])


@property  # type: ignore[misc]
def frames(robot: ArticulatedSystem) -> tuple[FrameRef, ...]:
    """Handles of all frames: of bodies, those added to them, and each joint's before- and after-frame."""
    return tuple(robot.frame(one) for one in frames_of(robot))


@property  # type: ignore[misc]
def geometries(robot: ArticulatedSystem) -> tuple[GeometryRef, ...]:
    """Handles of all shapes that collide, body by body."""
    return tuple(robot.geometry(shape.name) for shape in _shapes(robot))
