"""Joints of a robot file in an order of the user's: that of q and v."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from rbdyn.arguments import shown
from rbdyn.errors import Error, unknown_name
from rbdyn.io.description import JointSpec, RobotSpec


def in_order(robot: RobotSpec, names: Iterable[str] | None) -> RobotSpec:
    """The robot with the joints of these names in their order; fixed ones, which are not in q, before all others.

    Raises
    ------
    Error
        If `names` are no names of joints that move, one is there twice, or comes before one that it hangs on.
    UnknownNameError
        If there is no joint of a name.
    """
    if names is None:
        return robot
    if isinstance(names, (str, bytes)) or not isinstance(names, Iterable):
        raise Error(f"joint_order must be names of joints, got {shown(names)}")
    wanted, known = list(names), {spec.joint.name: spec for spec in robot.joints}
    for k, name in enumerate(wanted):
        if not isinstance(name, str) or name not in known:
            said = name if isinstance(name, str) else shown(name)
            raise unknown_name("joint", said, known, f"robot {robot.name!r}, for joint_order")
        if not known[name].joint.num_velocities:
            raise Error(f"joint_order[{k}]: joint {name!r} is fixed, and has no place in q")
        if name in wanted[:k]:
            raise Error(f"joint_order[{k}]: joint {name!r} is there twice")
    place = {name: k for k, name in enumerate(wanted)}
    holder = {spec.child: spec for spec in robot.joints}
    for name in wanted:
        _check_behind(known[name], holder, place)

    def rank(spec: JointSpec) -> int:
        return place.get(spec.joint.name, len(place)) if spec.joint.num_velocities else -1

    return replace(robot, joints=sorted(robot.joints, key=rank))


def _check_behind(spec: JointSpec, holder: dict[str, JointSpec], place: dict[str, int]) -> None:
    """Error if a joint that this one hangs on comes later; circles of joints are found by others."""
    name, above, seen = spec.joint.name, holder.get(spec.parent), 0
    while above is not None and seen < len(holder):
        if above.joint.num_velocities and place.get(above.joint.name, len(place)) > place[name]:
            raise Error(f"joint_order: {name!r} comes before {above.joint.name!r}, on which it hangs")
        above, seen = holder.get(above.parent), seen + 1
