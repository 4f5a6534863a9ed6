"""Is a description a tree?  All checks, before anything is built; no recursion, whatever the depth."""

from __future__ import annotations

import heapq
from collections.abc import Iterable, Sequence

from rbdyn.errors import UrdfError
from rbdyn.io.description import JointSpec, LinkSpec, RobotSpec
from rbdyn.io.diagnostics import did_you_mean
from rbdyn.io.numbers import shown

MAX_LINKS = 10_000


def spanning_order(robot: RobotSpec) -> tuple[LinkSpec, list[JointSpec]]:
    """The root link, and the joints in file order except that no joint comes before its parent's.

    Raises
    ------
    UrdfError
        If there is no link or more than one root, a name is used twice or unknown, a link has two parents, a joint
        joins a link to itself, or joints form a loop.
    """
    if not robot.links:
        raise UrdfError(f"{robot.where}: robot {robot.name!r} has no links")
    if len(robot.links) > MAX_LINKS:
        raise UrdfError(f"{robot.where}: robot {robot.name!r} has {len(robot.links)} links, at most {MAX_LINKS}")
    links = _unique(((link.name, link) for link in robot.links), "link")
    _unique(((spec.joint.name, spec) for spec in robot.joints), "joint")
    parent_joint = _parent_joints(robot.joints, links)
    roots = [link for link in robot.links if link.name not in parent_joint]
    order = _walk(roots, robot.joints)
    if len(order) < len(robot.joints):
        raise _loop_error(robot.joints, parent_joint, {spec.child for spec in order})
    if len(roots) > 1:
        named = ", ".join(f"{link.name!r} ({link.where})" for link in roots[:5])
        more = f" and {len(roots) - 5} more" if len(roots) > 5 else ""
        raise UrdfError(
            f"{roots[1].where}: robot {robot.name!r} has {len(roots)} root links, needed one: {named}{more}; "
            "every link but the root must be the <child> of a joint"
        )
    return roots[0], order


def _unique(items: Iterable[tuple[str, LinkSpec]] | Iterable[tuple[str, JointSpec]], kind: str) -> set[str]:
    first: dict[str, str] = {}
    for name, spec in items:
        if name in first:
            raise UrdfError(f"{spec.where}: a {kind} named {name!r} already stands at {first[name]}")
        first[name] = spec.where
    return set(first)


def _parent_joints(joints: Sequence[JointSpec], links: set[str]) -> dict[str, JointSpec]:
    """Child link name -> its joint; raises on unknown links, self joints and second parents."""
    parent_joint: dict[str, JointSpec] = {}
    for spec in joints:
        for role, name in (("parent", spec.parent), ("child", spec.child)):
            if name not in links:
                text = f"no link named {shown(name)}{did_you_mean(name, links)}"
                raise UrdfError(f"{spec.where}: <{role}> of joint {spec.joint.name!r}: {text}")
        if spec.parent == spec.child:
            raise UrdfError(f"{spec.where}: joint {spec.joint.name!r} joins link {spec.child!r} to itself")
        other = parent_joint.setdefault(spec.child, spec)
        if other is not spec:
            raise UrdfError(
                f"{spec.where}: link {spec.child!r} is the child of two joints, {other.joint.name!r} ({other.where}) "
                f"and {spec.joint.name!r}"
            )
    return parent_joint


def _walk(roots: Sequence[LinkSpec], joints: Sequence[JointSpec]) -> list[JointSpec]:
    """The joints that can be reached from the roots, always the earliest of the file that is ready (Kahn 1962)."""
    leaving: dict[str, list[int]] = {}
    for k, spec in enumerate(joints):
        leaving.setdefault(spec.parent, []).append(k)
    ready = [k for root in roots for k in leaving.get(root.name, ())]
    heapq.heapify(ready)
    order = []
    while ready:
        spec = joints[heapq.heappop(ready)]
        order.append(spec)
        for k in leaving.get(spec.child, ()):
            heapq.heappush(ready, k)
    return order


def _loop_error(joints: Sequence[JointSpec], parent_joint: dict[str, JointSpec], reached: set[str]) -> UrdfError:
    """Every unreached link descends from a loop: walk up from one until a link comes twice, and name the loop."""
    spec = next(s for s in joints if s.child not in reached)
    seen: dict[str, int] = {}
    chain: list[JointSpec] = []
    while spec.child not in seen:
        seen[spec.child] = len(chain)
        chain.append(spec)
        spec = parent_joint[spec.parent]
    loop = chain[seen[spec.child] :][::-1]
    place = {spec.joint.name: k for k, spec in enumerate(joints)}
    first = min(range(len(loop)), key=lambda k: place[loop[k].joint.name])
    loop = loop[first:] + loop[:first]
    shown = loop[:10]
    text = " -> ".join([shown[0].parent, *(s.child for s in shown)]) + (" -> ..." if len(loop) > 10 else "")
    return UrdfError(
        f"{loop[0].where}: joints {', '.join(repr(s.joint.name) for s in shown)} form a loop: {text}; "
        "a robot file must be a tree"
    )
