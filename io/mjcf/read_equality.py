"""Equality constraints of a compiled MuJoCo model -> loop joints and mimics."""

from __future__ import annotations

from typing import Any

from rbdyn.io.diagnostics import Diagnostics
from rbdyn.io.export.names import Names
from rbdyn.mechanism.body import RigidBody
from rbdyn.mechanism.joint import Joint, Mimic
from rbdyn.mechanism.joints import Fixed, Spherical
from rbdyn.mechanism.mechanism import Mechanism
from rbdyn.spatial.transform import Transform

CONNECT, WELD, JOINT = 0, 1, 2  # mjtEq
SITE = 6  # mjtObj
TORQUE_SCALE = 10  # where the eq_data of a weld has it


def read_equalities(
    mechanism: Mechanism, model: Any, bodies: list[RigidBody], names: Names, diagnostics: Diagnostics, file: str
) -> None:
    """<connect> is a spherical loop joint, <weld> a fixed one, <joint> a mimic if it is linear."""
    for k in range(model.neq):
        kind, name = int(model.eq_type[k]), model.equality(k).name or f"equality{k}"
        if not model.eq_active0[k]:
            diagnostics.warn(f"{file}:1", f"equality {name!r} is not active; left out")
        elif kind == JOINT:
            _read_mimic(mechanism, model, k, name, diagnostics, file)
        else:
            (a, before), (b, after) = _site_ends(model, k) or _body_ends(model, k, kind)
            if a == b:
                diagnostics.warn(f"{file}:1", f"equality {name!r} is between one body and itself; left out")
                continue
            joint = Joint(names.free(name), Fixed() if kind == WELD else Spherical())
            mechanism.attach(bodies[a], bodies[b], joint, before, after.inverse())
            if kind == WELD and model.eq_data[k][TORQUE_SCALE] != 1.0:
                scale = float(model.eq_data[k][TORQUE_SCALE])
                diagnostics.warn(f"{file}:1", f"torquescale {scale:g} of equality {name!r} is not read; it holds hard")


Ends = tuple[tuple[int, Transform], tuple[int, Transform]]


def _site_ends(model: Any, k: int) -> Ends | None:
    """Bodies and poses on them, if the constraint is between sites."""
    if int(model.eq_objtype[k]) != SITE:
        return None
    found = []
    for site in (int(model.eq_obj1id[k]), int(model.eq_obj2id[k])):
        pose = Transform(quat=model.site_quat[site], translation=model.site_pos[site])
        found.append((int(model.site_bodyid[site]), pose))
    return found[0], found[1]


def _body_ends(model: Any, k: int, kind: int) -> Ends:
    """MuJoCo keeps the anchor on both bodies; of a weld its pose of body 2 in body 1, and an anchor on body 2."""
    a, b, data = int(model.eq_obj1id[k]), int(model.eq_obj2id[k]), model.eq_data[k]
    if kind == CONNECT:
        return (a, Transform(translation=data[:3])), (b, Transform(translation=data[3:6]))
    return (a, Transform(quat=data[6:10], translation=data[3:6])), (b, Transform(translation=data[:3]))


def _read_mimic(mechanism: Mechanism, model: Any, k: int, name: str, diagnostics: Diagnostics, file: str) -> None:
    """q1 - q1_0 = c0 + c1 (q2 - q2_0), at the reference configuration q_0."""
    first, second, (c0, c1, *higher) = int(model.eq_obj1id[k]), int(model.eq_obj2id[k]), model.eq_data[k][:5].tolist()
    names = [model.joint(j).name for j in (first, second) if j >= 0]
    if second < 0 or any(higher) or not all(names):
        what = "of one joint" if second < 0 else "of joints without names" if not all(names) else "that is not linear"
        diagnostics.warn(f"{file}:1", f"equality {name!r} {what} is not read; left out")
        return
    at = model.qpos0[model.jnt_qposadr[first]], model.qpos0[model.jnt_qposadr[second]]
    mechanism.find_joint(names[0]).mimic = Mimic(names[1], c1, c0 + float(at[0]) - c1 * float(at[1]))
