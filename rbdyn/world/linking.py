"""World's add_* functions of constraints between bodies; they are methods of World, written in Python."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal

from numpy.typing import ArrayLike

from rbdyn.arguments import as_array, number, shown
from rbdyn.errors import Error
from rbdyn.mechanism import Joint
from rbdyn.spatial.rotations import Array
from rbdyn.spatial.transform import Transform, check_pose
from rbdyn.world.arguments import option
from rbdyn.world.constraints.wire import STRETCH_TYPES
from rbdyn.world.registry.inactive import turns_on

if TYPE_CHECKING:
    from rbdyn.world.constraints.body_joint import BodyJoint
    from rbdyn.world.constraints.coupling import Coupling
    from rbdyn.world.constraints.wire import Wire
    from rbdyn.world.objects.articulated_system import ArticulatedSystem
    from rbdyn.world.objects.handles.body_ref import BodyRef
    from rbdyn.world.objects.single_body import SingleBody
    from rbdyn.world.world import World

    End = SingleBody | BodyRef | tuple[ArticulatedSystem, str] | None

Point = tuple[Any, Array, str]  # end, where in its frame, what to call it in messages
ORIGIN = (0.0, 0.0, 0.0)


def add_stiff_wire(
    world: World,
    a: End,
    b: End,
    length: float | None = None,
    *,
    point_a: ArrayLike = ORIGIN,
    point_b: ArrayLike = ORIGIN,
    via: Iterable[tuple[End, ArrayLike]] = (),
    ratios: Sequence[float] | None = None,
    stretch_type: Literal["stretch_resistant", "compression_resistant", "both"] = "stretch_resistant",
    restitution: float = 0.0,
    name: str | None = None,
) -> Wire:
    """Add a wire that does not stretch: a rope, which goes slack and taut, a strut, or a rod.

    Parameters
    ----------
    a, b : SingleBody, (ArticulatedSystem, str) or None
        Where it ends: a single body, a body of a robot by name, or the world.
    length : float, optional
        [m], above 0; by default as far as it runs now.
    point_a, point_b : (3,) array_like
        Where on these, in the frame of the body [m].
    via : sequence of (end, point)
        Points between, as small pulleys without friction, in order; any number of them, on any bodies.
    ratios : sequence of float, optional
        How often it runs between each point and the next, as in a block and tackle: one number more than there are
        points between, each above 0; 1 by default.  `length` counts a part as often as the wire runs there.
    stretch_type : {"stretch_resistant", "compression_resistant", "both"}
        Whether it may not be longer than `length`, not shorter, or neither.
    restitution : float
        Share of the speed that it throws back when it becomes taut, 0 to 1; 0 for a wire that resists both.
    name : str, optional
        Unique in this World; "wire_0" or the like by default.

    Returns
    -------
    wire : Wire

    Raises
    ------
    Error
        If a length is not above 0, all points are on one body, an end is none of this World, or what resists both is to
        bounce.
    UnknownNameError
        If a robot has no such body; it names those that there are.
    RemovedError
        If an end is not in this World any more.
    """
    points = _points(a, b, point_a, point_b, via)
    if number(restitution, "restitution", low=0.0, high=1.0) > 0.0 and stretch_type == "both":
        raise Error(f'a wire that resists "both" never becomes taut: restitution must be 0, got {restitution:g}')
    attributes = {
        "wire_type": "stiff",
        "length": _length(length),
        "stretch_type": option(stretch_type, "stretch type", STRETCH_TYPES),
        "restitution": number(restitution, "restitution", low=0.0, high=1.0),
    }
    return world._add_wire(points, _ratios(ratios, len(points) - 1), attributes, name)


def add_compliant_wire(
    world: World,
    a: End,
    b: End,
    length: float | None = None,
    *,
    stiffness: float,
    damping: float = 0.0,
    point_a: ArrayLike = ORIGIN,
    point_b: ArrayLike = ORIGIN,
    via: Iterable[tuple[End, ArrayLike]] = (),
    ratios: Sequence[float] | None = None,
    stretch_type: Literal["stretch_resistant", "compression_resistant", "both"] = "stretch_resistant",
    name: str | None = None,
) -> Wire:
    """Add a wire that stretches: a rubber band, which pulls where it is longer than its length, and else does nothing.

    Implicit, and stable at any stiffness.

    Parameters
    ----------
    a, b : SingleBody, (ArticulatedSystem, str) or None
        Where it ends: a single body, a body of a robot by name, or the world.
    length : float, optional
        [m], above 0; by default as far as it runs now.
    stiffness : float
        Tension for each metre of stretch [N/m], not negative.
    damping : float
        Tension for each metre per second of its rate [N s/m], not negative; a wire never pushes by it.
    point_a, point_b : (3,) array_like
        Where on these, in the frame of the body [m].
    via : sequence of (end, point)
        Points between, as in `add_stiff_wire`.
    ratios : sequence of float, optional
        How often it runs between each point and the next, as in `add_stiff_wire`.
    stretch_type : {"stretch_resistant", "compression_resistant", "both"}
        Whether it pulls, pushes, or does both.
    name : str, optional
        Unique in this World; "wire_0" or the like by default.

    Returns
    -------
    wire : Wire

    Raises
    ------
    Error
        As `add_stiff_wire`; if stiffness or damping is negative, or both are 0.
    """
    points = _points(a, b, point_a, point_b, via)
    attributes = {
        "wire_type": "compliant",
        "length": _length(length),
        "stretch_type": option(stretch_type, "stretch type", STRETCH_TYPES),
        **_compliance(stiffness, damping),
    }
    return world._add_wire(points, _ratios(ratios, len(points) - 1), attributes, name)


def add_custom_wire(
    world: World,
    a: End,
    b: End,
    length: float | None = None,
    *,
    law: Callable[[float, float], float],
    point_a: ArrayLike = ORIGIN,
    point_b: ArrayLike = ORIGIN,
    via: Iterable[tuple[End, ArrayLike]] = (),
    ratios: Sequence[float] | None = None,
    name: str | None = None,
) -> Wire:
    """Add a wire whose tension a function says, once in each step, or part of a step.

    Its force is that of the start of the step and not implicit: a stiff law needs a short step.

    Parameters
    ----------
    a, b : SingleBody, (ArticulatedSystem, str) or None
        Where it ends: a single body, a body of a robot by name, or the world.
    length : float, optional
        For `stretch` alone [m], above 0; by default as far as it runs now.
    law : callable
        ``law(length, rate)`` gives the tension [N] of a wire that is so long [m] and grows so fast [m/s]; positive
        pulls the ends together.  It may not change the World.
    point_a, point_b : (3,) array_like
        Where on these, in the frame of the body [m].
    via : sequence of (end, point)
        Points between, as in `add_stiff_wire`.
    ratios : sequence of float, optional
        How often it runs between each point and the next, as in `add_stiff_wire`.
    name : str, optional
        Unique in this World; "wire_0" or the like by default.

    Returns
    -------
    wire : Wire

    Raises
    ------
    Error
        As `add_stiff_wire`; in a step, if the law raises, or returns what is no finite number: the step is not done.
    """
    if not callable(law):
        raise Error(f"law must be a function of length and rate, got {shown(law)}")
    points = _points(a, b, point_a, point_b, via)
    attributes = {"wire_type": "custom", "length": _length(length), "stretch_type": "both", "law": law}
    return world._add_wire(points, _ratios(ratios, len(points) - 1), attributes, name)


def add_spring(
    world: World,
    a: End,
    b: End,
    stiffness: float,
    damping: float = 0.0,
    length: float | None = None,
    *,
    point_a: ArrayLike = ORIGIN,
    point_b: ArrayLike = ORIGIN,
    name: str | None = None,
) -> Wire:
    """Add a spring, with a damper along it, between two points of bodies.

    Implicit, and stable at any stiffness.  Between single bodies in flight it is of second order in the time step, and
    without damping it keeps the energy.

    Parameters
    ----------
    a, b : SingleBody, (ArticulatedSystem, str) or None
        Where it ends: a single body, a body of a robot by name, or the world.
    stiffness : float
        Force for each metre [N/m], not negative.
    damping : float
        Force for each metre per second [N s/m], not negative.
    length : float, optional
        At which it is at rest [m], 0 or more; by default the present distance.
    point_a, point_b : (3,) array_like
        Where on these, in the frame of the body [m].
    name : str, optional
        Unique in this World; "spring_0" or the like by default.

    Returns
    -------
    spring : Wire

    Raises
    ------
    Error
        If stiffness or damping is negative, or both are 0; if both ends are on one body, or an end is none of this
        World.
    UnknownNameError
        If a robot has no such body; it names those that there are.
    RemovedError
        If an end is not in this World any more.
    """
    points = _points(a, b, point_a, point_b, ())
    attributes = {
        "wire_type": "spring",
        "length": None if length is None else number(length, "length", low=0.0, unit="[m]"),
        "stretch_type": "both",
        **_compliance(stiffness, damping),
    }
    return world._add_wire(points, [1.0], attributes, name)


def _length(length: float | None) -> float | None:
    return None if length is None else number(length, "length", above=0.0, unit="[m]")


def _compliance(stiffness: float, damping: float) -> dict[str, float]:
    k = number(stiffness, "stiffness", low=0.0, unit="[N/m]")
    c = number(damping, "damping", low=0.0, unit="[N s/m]")
    if k == 0.0 and c == 0.0:
        raise Error("stiffness or damping must be above 0: it would do nothing")
    return {"stiffness": k, "damping": c}


def add_weld(
    world: World,
    a: End,
    b: End,
    pose: Transform | None = None,
    *,
    pose_b: Transform | None = None,
    name: str | None = None,
) -> BodyJoint:
    """Hold one body to another as if they were one.

    Parameters
    ----------
    a, b : SingleBody, (ArticulatedSystem, str) or None
        A single body, a body of a robot by name, or the world.
    pose : Transform, optional
        Of b, in the frame of a; by default as it is now.  What is elsewhere is led there by position correction.
    pose_b : Transform, optional
        With it, `pose` is on a what `pose_b` is on b: a frame of each that is to be in one place.
    name : str, optional
        Unique in this World; "weld_0" or the like by default.

    Returns
    -------
    weld : BodyJoint
        Its six rows are rotations, then translations, in the axes of a.

    Raises
    ------
    Error
        If both ends are on one body, or an end is none of this World.
    UnknownNameError
        If a robot has no such body; it names those that there are.
    RemovedError
        If an end is not in this World any more.
    """
    if pose is None and pose_b is None:
        return world._add_joint(a, b, None, Transform(), None, name)
    before, after = Transform() if pose is None else pose, Transform() if pose_b is None else pose_b
    check_pose(before, "pose")
    check_pose(after, "pose_b")
    return world._add_joint(a, b, None, before, after, name)


def add_coupling(
    world: World,
    coefficients: Mapping[tuple[ArticulatedSystem, str], float],
    offset: float | None = None,
    *,
    name: str | None = None,
) -> Coupling:
    """Keep a sum of joint coordinates, of one robot or several: a gear, a differential, or a lock.

    Parameters
    ----------
    coefficients : dict
        (robot, "joint") -> coefficient, not 0; joints with one coordinate, one or more.
    offset : float, optional
        What the sum of coefficients times coordinates is [rad or m]; by default what it is now.  What positions are
        off comes back by position correction.
    name : str, optional
        Unique in this World; "coupling_0" or the like by default.

    Returns
    -------
    coupling : Coupling

    Raises
    ------
    Error
        If a coordinate is no (robot, "joint"), a joint has not one coordinate, or a number is wrong.
    UnknownNameError
        If a robot has no such joint; it names those that there are.
    RemovedError
        If a robot is not in this World.

    Examples
    --------
    >>> gear = world.add_coupling({(engine, "shaft"): 1.0, (wheel, "axle"): -4.0})  # doctest: +SKIP
    """
    return world._add_coupling(coefficients, offset, name)


def add_joint(
    world: World,
    a: End,
    b: End,
    joint: Joint,
    pose_a: Transform | None = None,
    pose_b: Transform | None = None,
    *,
    name: str | None = None,
) -> BodyJoint:
    """Connect two bodies by a joint of any type, as a loop joint of a mechanism does within one.

    Parameters
    ----------
    a, b : SingleBody, (ArticulatedSystem, str) or None
        A single body, a body of a robot by name, or the world.
    joint : Joint
        Its type says what it allows.  Damping, friction and a rotor act along each direction of that; a spring, limits
        of position and velocity, and an effort limit of its motor (`BodyJoint.set_drive`) where there is one.  Mimic,
        and what has no such meaning, is refused.
    pose_a : Transform, optional
        Where the joint is on a: its before-frame, in the frame of a; at its origin by default.
    pose_b : Transform, optional
        Where the joint is on b: its after-frame, in the frame of b; by default where the joint is at its neutral
        configuration as the bodies are now.  What is elsewhere is led there by position correction.
    name : str, optional
        Unique in this World; "joint_0" or the like by default.

    Returns
    -------
    joint : BodyJoint
        Its rows are those of a loop joint: docs/loops.md.

    Raises
    ------
    Error
        If both ends are on one body, the joint holds nothing or has what does not act, or an end is none of this World.
    UnknownNameError
        If a robot has no such body; it names those that there are.
    RemovedError
        If an end is not in this World any more.
    """
    if not isinstance(joint, Joint):
        raise Error(f'joint must be a Joint, as Joint("hinge", Revolute((0, 0, 1))), got {shown(joint)}')
    if joint.num_velocities == 6:
        raise Error(f"joint {joint.name!r} is floating: it would hold nothing")
    if ignored := _ignored(joint):
        several = f" of {joint.num_velocities} degrees of freedom" if joint.num_velocities > 1 else ""
        what = f"joint {joint.name!r}{several} has {', '.join(ignored)}"
        raise Error(f"{what}: that does not act between bodies of a World")
    for pose, what in ((pose_a, "pose_a"), (pose_b, "pose_b")):
        if pose is not None:
            check_pose(pose, what)
    return world._add_joint(a, b, joint, Transform() if pose_a is None else pose_a, pose_b, name)


def _ignored(joint: Joint) -> list[str]:
    """What a joint asks for that does not act between bodies of a World."""
    several = joint.num_velocities != 1
    asked = {
        "mimic": joint.mimic is not None,
        "position limits": several and joint.position_limits is not None,
        "position limits beyond half a turn": turns_on(joint),
        "a cone limit": joint.cone_limit is not None,
        "twist limits": joint.twist_limits is not None,
        "a velocity limit": several and joint.velocity_limit is not None,
        "a spring": several and joint.stiffness != 0.0,
        "a no-load speed": joint.no_load_speed is not None,
    }
    return [what for what, is_asked in asked.items() if is_asked]


def _points(a: Any, b: Any, point_a: ArrayLike, point_b: ArrayLike, via: Iterable[Any]) -> list[Point]:
    """The points of a wire, in order."""
    if not isinstance(via, Iterable) or isinstance(via, str):
        raise Error(f"via must be a sequence of (end, point), got {shown(via)}")
    points: list[Point] = [(a, as_array(point_a, (3,), "point_a"), "a")]
    for k, item in enumerate(via):
        if not isinstance(item, tuple | list) or len(item) != 2:
            raise Error(f"via[{k}] must be (end, point), got {shown(item)}")
        points.append((item[0], as_array(item[1], (3,), f"point of via[{k}]"), f"via[{k}]"))
    points.append((b, as_array(point_b, (3,), "point_b"), "b"))
    return points


def _ratios(ratios: Sequence[float] | None, n: int) -> list[float]:
    """How often a wire runs along each of its n parts."""
    if ratios is None:
        return [1.0] * n
    checked = as_array(ratios, (n,), "ratios")
    if not (checked > 0.0).all():
        raise Error(f"ratios must be above 0, got {checked.tolist()}")
    return [float(ratio) for ratio in checked]
