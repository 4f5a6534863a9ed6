"""Where a robot begins: the poses of free bodies, and a <key> for the rest."""

from __future__ import annotations

from typing import Any

import numpy as np

from rbdyn.io.export.losses import Losses
from rbdyn.io.export.xml_text import element, numbers_text
from rbdyn.io.mjcf.keyframes import NOMINAL
from rbdyn.mechanism.joint import Joint
from rbdyn.mechanism.mechanism import Mechanism
from rbdyn.spatial.rotations import Array

UNIT_QUAT = np.array([1.0, 0.0, 0.0, 0.0])


def write_nominal(
    root: Any, tree: Any, mechanism: Mechanism, written: dict[str, list[str]], losses: Losses
) -> None:
    """Write `mechanism.nominal_configuration`, if it is a q of the mechanism.

    MuJoCo begins at qpos0: free bodies where the file places them, everything else at 0.  If the nominal configuration
    is another, a <key> in `root` says it.

    Parameters
    ----------
    root, tree : lxml element
        <mujoco> and <worldbody>, with all joints in it.
    mechanism : Mechanism
        Whose joints they are.
    written : dict of str to list of str
        Joint -> the names of its MuJoCo joints.
    losses : Losses
        Takes a configuration that is no q of the mechanism any more, and springs of free joints that MuJoCo cannot
        have: there these rest where the file places their bodies.
    """
    nominal = mechanism.nominal_configuration
    if nominal is not None and len(nominal) != mechanism.num_positions:
        losses.add("a nominal configuration of before an edit: left out", mechanism.name)
        nominal = None
    if nominal is not None:
        _write(root, tree, mechanism, nominal, written)
    _judge_springs(tree, mechanism, nominal, written, losses)


def _write(
    root: Any, tree: Any, mechanism: Mechanism, nominal: tuple[float, ...], written: dict[str, list[str]]
) -> None:
    """The poses of free bodies, and the <key>."""
    values: dict[str, Array] = {}  # MuJoCo joint -> its part of qpos
    at = 0
    for joint in mechanism.tree_joints:
        q = np.array(nominal[at : at + joint.num_positions], dtype=float)
        at += joint.num_positions
        values |= _parts(joint, q, written.get(joint.name, []))
    begins_at_zero = True
    for node in tree.iter("joint"):
        q = values[node.get("name")]
        if node.get("type") == "free":
            body = node.getparent()
            for name, numbers, usual in (("pos", q[:3], np.zeros(3)), ("quat", q[3:], UNIT_QUAT)):
                if not np.array_equal(numbers, usual):
                    body.set(name, numbers_text(numbers))
        else:
            begins_at_zero &= np.array_equal(q, UNIT_QUAT if node.get("type") == "ball" else [0.0])
    if not begins_at_zero:
        frames = element(root, "keyframe")
        element(frames, "key", name=NOMINAL, qpos=np.concatenate([values[j.get("name")] for j in tree.iter("joint")]))


def _judge_springs(
    tree: Any, mechanism: Mechanism, nominal: tuple[float, ...] | None, written: dict[str, list[str]], losses: Losses
) -> None:
    """Take springs from free joints of bodies that stand elsewhere than where they rest."""
    free = {node.get("name"): node for node in tree.iter("joint") if node.get("type") == "free"}
    at = 0
    for joint in mechanism.tree_joints:
        names = written.get(joint.name, [])
        stands = joint.joint_type.neutral() if nominal is None else np.array(nominal[at : at + joint.num_positions])
        at += joint.num_positions
        if not joint.stiffness or len(names) != 1 or names[0] not in free:
            continue
        (here,), (rest,) = (_parts(joint, q, names).values() for q in (stands, joint.spring_reference))
        if not np.allclose(here[:3], rest[:3], 1e-12, 1e-12) or abs(here[3:] @ rest[3:]) < 1.0 - 1e-12:
            del free[names[0]].attrib["stiffness"]
            losses.add("a spring of a free joint that rests at another pose than the body's: left out", joint.name)


def _parts(joint: Joint, q: Array, names: list[str]) -> dict[str, Array]:
    """The numbers of a joint's MuJoCo joints."""
    if not names:
        return {}
    there, _ = joint.joint_type.convention("mujoco").write(q, np.zeros(joint.num_velocities))
    if len(names) == 4:  # three slides and a ball
        return {name: there[k : k + 1] for k, name in enumerate(names[:3])} | {names[3]: there[3:]}
    if len(names) > 1:
        return {name: there[k : k + 1] for k, name in enumerate(names)}
    return {names[0]: there}
