"""A body of MuJoCo's, and the joints in it."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from rbdyn.io.diagnostics import Diagnostics
from rbdyn.io.export.names import Names
from rbdyn.mechanism.body import RigidBody
from rbdyn.mechanism.joint import Joint
from rbdyn.mechanism.joints import Fixed, Floating, JointType, Prismatic, Revolute, Spherical
from rbdyn.mechanism.mechanism import Mechanism
from rbdyn.spatial.transform import Transform

FREE, BALL, SLIDE, HINGE = 0, 1, 2, 3  # mjtJoint
UNBOUNDED = 1e10  # what the writer says for one open end


def attach_body(
    mechanism: Mechanism, model: Any, k: int, parent: RigidBody, body: RigidBody, bodies: Names, joints: Names
) -> list[Joint]:
    """Attach `body`, MuJoCo's number k, to `parent` by its joints, one after the other.

    MuJoCo's joints act in the body's own frame: each turns or moves it about an anchor, from where the ones before it
    have brought it.  So its pose is B T(a1) M1 T(-a1) T(a2) M2 T(-a2) ...  The joints that are MuJoCo's come back.
    """
    place = Transform(quat=model.body_quat[k], translation=model.body_pos[k])
    first, count = int(model.body_jntadr[k]), int(model.body_jntnum[k])
    if count == 0:
        mechanism.attach(parent, body, Joint(joints.free(f"{body.name}_fixed"), Fixed()), place)
        return []
    made = []
    for j in range(first, first + count):
        name = joints.free(model.joint(j).name or f"{body.name}_joint{'' if count == 1 else j - first}")
        joint = _joint(model, j, name)
        last = j == first + count - 1
        child = body if last else RigidBody(bodies.free(f"{body.name}/{name}"))
        anchor = Transform(translation=model.jnt_pos[j])
        if model.jnt_type[j] == FREE:
            mechanism.attach(parent, child, joint)  # its coordinates are the pose in the world
        else:
            mechanism.attach(parent, child, joint, place @ anchor, _back(model, j, joint.joint_type) @ anchor.inverse())
        parent, place = child, Transform()
        made.append(joint)
    return made


def _back(model: Any, j: int, kind: JointType) -> Transform:
    """Undoes the motion at `ref`, where MuJoCo's bodies are as the file places them."""
    ref = float(model.qpos0[model.jnt_qposadr[j]]) if kind.num_positions == 1 else 0.0
    return kind.pose([-ref]) if ref else Transform()


def _joint(model: Any, j: int, name: str) -> Joint:
    kind = {FREE: Floating, BALL: Spherical}.get(int(model.jnt_type[j]))
    made: JointType
    if kind is not None:
        made = kind()
    else:
        axis = tuple(model.jnt_axis[j].tolist())
        made = Prismatic(axis) if model.jnt_type[j] == SLIDE else Revolute(axis)
    dof, at = int(model.jnt_dofadr[j]), int(model.jnt_qposadr[j])
    stiffness = coefficients(model, "jnt_stiffness", j)[0]
    joint = Joint(
        name,
        made,
        rotor_inertia=float(model.dof_armature[dof]),
        damping=coefficients(model, "dof_damping", dof)[0],
        friction=float(model.dof_frictionloss[dof]),
        stiffness=stiffness,
    )
    if made.num_positions == 1:
        if model.jnt_limited[j]:
            ends = model.jnt_range[j].tolist()
            lower, upper = (math.copysign(math.inf, x) if abs(x) >= UNBOUNDED else x for x in ends)
            joint.position_limits = (lower, upper)
    elif isinstance(made, Spherical) and model.jnt_limited[j]:
        joint.position_limits = (0.0, float(model.jnt_range[j][1]))
    if stiffness:
        joint.spring_reference = model.qpos_spring[at : at + made.num_positions]
    return joint


def coefficients(model: Any, name: str, k: int) -> list[float]:
    """The linear number of a damping or stiffness, and after it those of its polynomial, where MuJoCo has some."""
    found = np.atleast_1d(getattr(model, name)[k]).tolist()
    return found + np.atleast_1d(getattr(model, f"{name}poly")[k]).tolist() if hasattr(model, f"{name}poly") else found


def report_polynomials(model: Any, joints: list[Joint], diagnostics: Diagnostics, file: str) -> None:
    """A line for each damping and stiffness of which only the linear number is kept."""
    for j, joint in enumerate(joints):
        for word, name, k in (
            ("damping", "dof_damping", int(model.jnt_dofadr[j])),
            ("stiffness", "jnt_stiffness", j),
        ):
            report_polynomial(coefficients(model, name, k), f"{word} of joint {joint.name!r}", diagnostics, file)


def report_polynomial(numbers: list[float], what: str, diagnostics: Diagnostics, file: str) -> None:
    """A line if there is more than a linear number."""
    if any(numbers[1:]):
        said = " ".join(f"{x:.9g}" for x in numbers)
        diagnostics.warn(f"{file}:1", f"{what} is a polynomial, {said}; its first number alone is read")
