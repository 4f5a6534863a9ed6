"""Names in recordings: what is asked for, and what there is."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from rbdyn.arguments import shown
from rbdyn.errors import Error, unknown_name
from rbdyn.recording.contents import Segment
from rbdyn.recording.inventory import RecordedJoint, RecordedObject


def only_robot(objects: Mapping[str, RecordedObject], name: str | None) -> str:
    """The name of the robot that is asked for; of the only one, for None."""
    robots = [key for key, obj in objects.items() if obj.robot]
    if name is None and len(robots) == 1:
        return robots[0]
    if name is None:
        raise Error(f"say of which robot: {', '.join(map(repr, robots[:10])) or 'there is none'}")
    if name not in robots:
        raise unknown_name("robot", name, robots, "this recording")
    return name


def chosen_joints(robot: RecordedObject, joints: str | Sequence[str] | None) -> list[RecordedJoint]:
    """Joints of one degree of freedom by name; all of them, for None."""
    known = {joint.name: joint for joint in robot.joints if joint.nq == joint.nv == 1}
    if joints is None:
        return list(known.values())
    wanted = [joints] if isinstance(joints, str) else joints
    try:
        names = list(wanted)
    except TypeError:
        raise Error(f"joints must be a name or a sequence of names, got {shown(joints)}") from None
    for name in names:
        if name not in known:
            raise unknown_name("joint of one degree of freedom", name, known, f"robot {robot.name!r}")
    return [known[name] for name in names]


def names_of(segments: tuple[Segment, ...], obj: str | None) -> list[str]:
    """Bodies, links and frames that can be asked for."""
    found: dict[str, None] = {}
    for segment in segments:
        for owner, name in segment.inventory.frames:
            if obj is None or owner == obj:
                found[name] = None
    return list(found)
