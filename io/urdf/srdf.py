"""SRDF, MoveIt's semantic description of a robot: pairs of links that never collide, read and written."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from rbdyn.arguments import flag, shown
from rbdyn.errors import Error, UrdfError
from rbdyn.io.diagnostics import Diagnostics
from rbdyn.io.export.xml_text import document, element, write_text
from rbdyn.io.safe_xml import parse_xml
from rbdyn.io.urdf.node import Node
from rbdyn.io.urdf.source import PathOrText, source_of
from rbdyn.mechanism.body import RigidBody
from rbdyn.mechanism.mechanism import Mechanism
from rbdyn.mechanism.neighbours import adjacent_pairs
from rbdyn.mechanism.surgery.filtering import ignore_pairs, ignored_pairs, silent_pairs

Pair = frozenset[RigidBody]
ADJACENT, USER = "Adjacent", "User"  # MoveIt's words for why a pair is disabled
OTHERS = frozenset({  # of planning, without filters; the last three are Pinocchio's and HPP's
    "group", "group_state", "end_effector", "virtual_joint", "passive_joint", "joint_property",
    "link_sphere_approximation", "rotor_params", "gripper", "specificities",
})  # fmt: skip
MOST = 200_000  # pairs


@dataclass(frozen=True)
class PairElement:
    """One <disable_collisions>."""

    node: Node
    adjacent: bool

    def pair(self, mechanism: Mechanism, diagnostics: Diagnostics) -> Pair:
        """Its two links; UrdfError with file:line if one is not there, or they are one."""
        names = self.node.text("link1"), self.node.text("link2")
        if names[0] == names[1]:
            raise self.node.error(f"link1 and link2 are both {shown(names[0])}; a link never collides with itself")
        return frozenset(_link(self.node, mechanism, name, diagnostics) for name in names)


def apply_srdf(mechanism: Mechanism, path_or_text: PathOrText, *, strict: bool = False) -> None:
    """Apply the collision filters of an SRDF to a robot: `Mechanism.ignore_collision` of each pair.

    <disable_collisions link1 link2>, <disable_default_collisions link> and <enable_collisions link1 link2> are read.
    Pairs with the reason "Adjacent" that a joint joins here are left out, since they never collide anyway.

    Parameters
    ----------
    mechanism : Mechanism
        The robot; its `diagnostics` get the lines of this file.
    path_or_text : path-like, str or bytes
        A file, or the text itself.
    strict : bool
        Raise UrdfError where there would be a diagnostic.

    Raises
    ------
    UrdfError
        With file:line, if it is no SRDF, or names a link that the robot does not have; nothing changes then.
    PathError
        If the file cannot be read.

    Examples
    --------
    >>> from rbdyn import models
    >>> m = models.quadruped()
    >>> apply_srdf(m, '<robot name="q"><disable_collisions link1="LF_SHANK" link2="RF_SHANK"/></robot>')
    >>> m.ignored_collisions
    (('LF_SHANK', 'RF_SHANK'),)
    """
    if not isinstance(mechanism, Mechanism):
        raise Error(f"mechanism must be a Mechanism, got {shown(mechanism)}")
    diagnostics = Diagnostics(flag(strict, "strict"))
    read_srdf(mechanism, path_or_text, diagnostics)
    mechanism.diagnostics = [*mechanism.diagnostics, *diagnostics.lines()]


def read_srdf(mechanism: Mechanism, path_or_text: PathOrText, diagnostics: Diagnostics) -> None:
    """`apply_srdf` with the diagnostics of a reader."""
    source = source_of(path_or_text, None, "srdf")
    root = Node(parse_xml(source.data, source.name, diagnostics), source.name, diagnostics)
    if root.tag != "robot":
        raise UrdfError(f"{root.where}: the root element is <{root.tag[:100]}>, needed <robot>: is this an SRDF file?")
    if root.has("name") and root.text("name") != mechanism.name:
        text = f"it is for a robot named {shown(root.text('name'))}, and this one is {shown(mechanism.name)}"
        diagnostics.warn(root.where, text)
    for node in root.children():
        if node.tag in ("link", "joint"):
            raise node.error(f"<{node.tag}> in an SRDF: is this the URDF of the robot?")
        known = OTHERS | {"disable_collisions", "enable_collisions", "disable_default_collisions"}
        if node.tag not in known:
            near = diagnostics.did_you_mean(node.tag, known, 1)
            text = f"unknown tag <{shown(node.tag)[1:-1]}> in <robot>{near}; ignored"
            diagnostics.warn(node.where, text, f"tag srdf/{node.tag}")
    pairs: set[Pair] = set()
    for node in root.children("disable_default_collisions"):
        link = _link(node, mechanism, node.text("link"), diagnostics)
        pairs |= {frozenset((link, other)) for other in mechanism.bodies if other is not link and other.collision}
    pairs |= disabled(mechanism, root, diagnostics)
    for node in root.children("enable_collisions"):
        pairs.discard(PairElement(node, False).pair(mechanism, diagnostics))
    ignore_pairs(mechanism, pairs)


def disabled(mechanism: Mechanism, root: Node, diagnostics: Diagnostics) -> set[Pair]:
    """The pairs of <disable_collisions> in a <robot>, of URDF or SRDF."""
    nodes = root.children("disable_collisions")
    if len(nodes) > MOST:
        raise nodes[MOST].error(f"more than {MOST} <disable_collisions>")
    found = [PairElement(node, node.get("reason") == ADJACENT) for node in nodes]
    near = adjacent_pairs(mechanism) if any(one.adjacent for one in found) else set()
    named = [(one, one.pair(mechanism, diagnostics)) for one in found]
    return {pair for one, pair in named if not (one.adjacent and pair in near)}


def write_pairs(root: Any, mechanism: Mechanism, pairs: Mapping[Pair, str | None]) -> None:
    """A <disable_collisions> for each pair, with its reason, in the order of the bodies."""
    place = {body: k for k, body in enumerate(mechanism.bodies)}
    for a, b in sorted(sorted(place[body] for body in pair) for pair in pairs):
        one, other = mechanism.bodies[a], mechanism.bodies[b]
        reason = pairs[frozenset((one, other))]
        element(root, "disable_collisions", link1=one.name, link2=other.name, reason=reason)


def _names_two(pair: Any) -> bool:
    return isinstance(pair, tuple) and len(pair) == 2


def srdf_text(mechanism: Mechanism, reasons: Mapping[tuple[str, str], str] | None = None) -> str:
    """The text that `save_srdf` writes.

    Parameters
    ----------
    mechanism, reasons
        As of `save_srdf`.

    Returns
    -------
    text : str

    Examples
    --------
    >>> from rbdyn import models
    >>> srdf_text(models.quadruped()).count("Adjacent")
    12
    """
    if not isinstance(mechanism, Mechanism):
        raise Error(f"mechanism must be a Mechanism, got {shown(mechanism)}")
    if reasons is not None and not (isinstance(reasons, Mapping) and all(map(_names_two, reasons))):
        raise Error(f"reasons must be a mapping of two names of bodies to a reason, got {shown(reasons)}")
    pairs: dict[Pair, str | None] = dict.fromkeys(silent_pairs(mechanism), USER)
    for (a, b), reason in ({} if reasons is None else reasons).items():
        pairs[frozenset((mechanism.find_body(a), mechanism.find_body(b)))] = reason
    pairs |= dict.fromkeys(adjacent_pairs(mechanism) - ignored_pairs(mechanism), ADJACENT)
    root = element(None, "robot", name=mechanism.name)
    write_pairs(root, mechanism, pairs)
    return document(root)


def save_srdf(
    mechanism: Mechanism, path: str | os.PathLike[str], reasons: Mapping[tuple[str, str], str] | None = None
) -> None:
    """Write the pairs of bodies that never collide as SRDF, for MoveIt and for `load_urdf(..., srdf=path)`.

    Parameters
    ----------
    mechanism : Mechanism
        What to write: pairs that a joint joins, with the reason "Adjacent", and those of `ignore_collision`, with the
        reason "User".  All pairs, if its `self_collision` is False.
    path : path-like
        The file; one that is there is replaced.
    reasons : mapping of (str, str) to str, optional
        Further pairs of bodies by name, and the reasons to write: `SelfCollisions.reasons` of
        `robot.sample_self_collisions()`.

    Raises
    ------
    UnknownNameError
        If there is no body of a name in `reasons`.
    PathError
        If the file cannot be written.

    Examples
    --------
    >>> from rbdyn import models
    >>> save_srdf(models.quadruped(), "robot.srdf")  # doctest: +SKIP
    """
    write_text(path, srdf_text(mechanism, reasons))


def _link(node: Node, mechanism: Mechanism, name: str, diagnostics: Diagnostics) -> RigidBody:
    known = {body.name: body for body in mechanism.bodies}
    if name not in known:
        raise node.error(f"no link named {shown(name)}{diagnostics.did_you_mean(name, known)}")
    return known[name]
