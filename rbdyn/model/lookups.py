"""What a Model says of names that it does not have, and of its numbers in words."""

from __future__ import annotations

from collections.abc import Iterable

from rbdyn.errors import Error, MechanismError, UnknownNameError, unknown_name
from rbdyn.mechanism.body import RigidBody
from rbdyn.mechanism.mechanism import Mechanism
from rbdyn.spatial.frames import CartesianFrame
from rbdyn.spatial.transform import Transform


def layout(base: int, total: int, joints: int) -> str:
    """What the numbers of q or of v are, in words: `base` of a floating base (0: none), then other joints'."""
    plural = "" if joints == 1 else "s"
    first = f"{base} of the floating base" if base else ""
    then = f"{total - base} of {joints} joint{plural}" if joints else "" if base else "no joints"
    return ", then ".join(filter(None, (first, then)))


def not_found(mechanism: Mechanism, asked: object, known: Iterable[str]) -> Error:
    """The error for a body or frame that a Model does not have: which one it is, and what to do about it."""
    owner = f"mechanism {mechanism.name!r}"
    hosts = [body.name for body in mechanism.bodies if isinstance(asked, str) and asked in body.frames]
    if len(hosts) > 1:
        on = ", ".join(map(repr, hosts))
        return MechanismError(f"{owner} has {len(hosts)} frames named {asked!r}, on bodies {on}: give the frame itself")
    if isinstance(asked, (RigidBody, CartesianFrame)):
        twin = asked.name in {f.name for f in mechanism.frames}
        hint = f"; {owner} has its own of that name, so ask for {asked.name!r}" if twin else ""
        return UnknownNameError(f"{asked!r} is not in {owner}: it comes from elsewhere{hint}")
    return unknown_name("body or frame", asked, known, owner)


def added_frame(mechanism: Mechanism, asked: object) -> tuple[RigidBody, CartesianFrame, Transform] | None:
    """Body, frame and pose there of a frame that was added to a body; None if none or several are meant."""
    found = [
        (body, *entry)
        for body in mechanism.bodies
        for name, entry in body.frames.items()
        if entry[0] is asked or (isinstance(asked, str) and name == asked)
    ]
    return found[0] if len(found) == 1 else None


def without_coordinates(mechanism: Mechanism, name: object) -> Error:
    """The error for a joint that has no place in q and v, or is none of the mechanism's."""
    owner = f"mechanism {mechanism.name!r}"
    try:
        joint = mechanism.find_joint(name) if isinstance(name, str) else None
    except UnknownNameError:
        joint = None
    if joint is None:
        return unknown_name("joint", name, (j.name for j in mechanism.tree_joints if j.num_velocities), owner)
    why = "it is fixed" if joint.joint_type.is_fixed else "it closes a loop"
    return Error(f"joint {joint.name!r} of {owner} has no coordinates: {why}")
