"""The same mechanism once more, in MuJoCo, through an MJCF text written here.

A joint becomes a massless MuJoCo body at the joint's before-frame that carries the MuJoCo joints, and the body itself
is welded into it.  MuJoCo's ball and free joints have their angular velocity in the child's axes, the free joint's
linear velocity is in the world's, and its configuration is the world pose.
"""

from __future__ import annotations

import mujoco
import numpy as np
from reference.oracle import cross_matrix, rotation_of_projection, rotation_of_quaternion, rotors

from rbdyn.mechanism import (
    Fixed,
    Floating,
    Planar,
    Prismatic,
    Revolute,
    SinCosRevolute,
    Spherical,
    SPQuatFloating,
    Universal,
)


def numbers(x):
    return " ".join(f"{v:.17g}" for v in x)


def placed(transform):
    return f'pos="{numbers(transform.translation)}" quat="{numbers(transform.quat)}"'


def joint_text(joint):
    """The MuJoCo joints of one joint; a planar one is two slides and a hinge."""
    kind, name = joint.joint_type, joint.name
    if isinstance(kind, (Floating, SPQuatFloating)):
        return f'<freejoint name="{name}"/>'
    if isinstance(kind, Spherical):
        return f'<joint name="{name}" type="ball"/>'
    if isinstance(kind, (Revolute, SinCosRevolute)):
        parts = [("hinge", kind.axis)]
    elif isinstance(kind, Prismatic):
        parts = [("slide", kind.axis)]
    elif isinstance(kind, Universal):
        parts = [("hinge", kind.axis1), ("hinge", kind.axis2)]
    elif isinstance(kind, Planar):
        parts = [("slide", kind.x_axis), ("slide", kind.y_axis), ("hinge", np.cross(kind.x_axis, kind.y_axis))]
    else:
        return ""
    return "".join(
        f'<joint name="{name}{i or ""}" type="{sort}" axis="{numbers(axis)}"/>' for i, (sort, axis) in enumerate(parts)
    )


def inertial_text(inertia):
    J = inertia.inertia
    six = numbers([J[0, 0], J[1, 1], J[2, 2], J[0, 1], J[0, 2], J[1, 2]])
    return f'<inertial pos="{numbers(inertia.com)}" mass="{inertia.mass:.17g}" fullinertia="{six}"/>'


def body_text(mechanism, joint):
    edge = mechanism.edge(joint)
    body = edge.successor
    inside = "".join(body_text(mechanism, child) for child in mechanism.joints_to_children(body))
    return (
        f'<body name="carrier_{body.name}" {placed(edge.joint_pose)}>{joint_text(joint)}'
        f'<body name="{body.name}" {placed(edge.successor_pose)}>{inertial_text(body.inertia)}{inside}</body></body>'
    )


def mjcf(mechanism):
    """The mechanism as MJCF."""
    bodies = "".join(body_text(mechanism, j) for j in mechanism.joints_to_children(mechanism.root_body))
    return (
        f'<mujoco><compiler angle="radian" balanceinertia="false"/><option gravity="{numbers(mechanism.gravity)}"/>'
        f"<worldbody>{bodies}</worldbody></mujoco>"
    )


class MujocoTwin:
    """A mechanism without rotors, in MuJoCo, at one state; what it returns follows Mechanism.tree_joints."""

    def __init__(self, mechanism, q, v):
        self.mechanism = mechanism
        self.model = mujoco.MjModel.from_xml_string(mjcf(mechanism))
        self.data = mujoco.MjData(self.model)
        nv = self.model.nv
        self.T, self.Td = np.zeros((nv, nv)), np.zeros((nv, nv))  # v_mj = T v, its rate T vd + T' v
        i = k = 0
        for joint in mechanism.tree_joints:
            n, d = joint.num_positions, joint.num_velocities
            if d:
                self._set(joint, q[i : i + n], v[k : k + d], slice(k, k + d))
            i, k = i + n, k + d
        self.v = v
        self.data.qvel = self.T @ v
        mujoco.mj_forward(self.model, self.data)

    def _set(self, joint, q, v, where):
        number = self.model.joint(joint.name).id
        a, b = self.model.jnt_qposadr[number], self.model.jnt_dofadr[number]
        q_mj, T, Td = q, np.eye(len(v)), np.zeros((len(v), len(v)))
        kind = joint.joint_type
        if isinstance(kind, SinCosRevolute):
            q_mj = [np.arctan2(*q)]
        if isinstance(kind, SPQuatFloating):
            quat = np.zeros(4)
            mujoco.mju_mat2Quat(quat, rotation_of_projection(q[3:]).ravel())
            q = np.append(q[:3], quat if quat[0] >= 0 else -quat)
        if isinstance(kind, (Spherical, Floating, SPQuatFloating)):
            R = rotation_of_quaternion(q[-4:])
            T[-3:, -3:], Td[-3:, -3:] = R.T, -R.T @ cross_matrix(v[-3:])
        if isinstance(kind, (Floating, SPQuatFloating)):  # always on the world: its configuration is the pose there
            before = self.mechanism.edge(joint).joint_pose
            T[:3, :3] = before.rotation
            quat = np.zeros(4)
            mujoco.mju_mulQuat(quat, before.quat, q[3:])
            q_mj = np.append(before @ q[:3], quat)
        self.data.qpos[a : a + len(q_mj)] = q_mj
        self.T[b : b + len(v), where], self.Td[b : b + len(v), where] = T, Td

    def pose(self, name):
        body = self.data.body(name)
        H = np.eye(4)
        H[:3, :3], H[:3, 3] = body.xmat.reshape(3, 3), body.xpos
        return H

    def mass_matrix(self):
        M = np.zeros((self.model.nv, self.model.nv))
        for i, e in enumerate(np.eye(self.model.nv)):
            mujoco.mj_mulM(self.model, self.data, M[i], e)
        return self.T.T @ M @ self.T + np.diag(rotors(self.mechanism))

    def bias_forces(self):
        moved = np.zeros(self.model.nv)
        mujoco.mj_mulM(self.model, self.data, moved, self.Td @ self.v)
        return self.T.T @ (self.data.qfrc_bias + moved)


def supported(mechanism):
    """MuJoCo frees bodies on the world only."""
    root = mechanism.root_body
    return all(
        mechanism.predecessor(j) is root
        for j in mechanism.tree_joints
        if isinstance(j.joint_type, (Floating, SPQuatFloating))
    ) and not all(isinstance(j.joint_type, Fixed) for j in mechanism.tree_joints)
