"""A mechanism that was written as MJCF, in MuJoCo at one state, joint by joint by name."""

from __future__ import annotations

import mujoco
import numpy as np
from reference.oracle import cross_matrix, rotation_of_projection, rotation_of_quaternion

from rbdyn.mechanism import Floating, SinCosRevolute, Spherical, SPQuatFloating

FREE = (Floating, SPQuatFloating)
ENDINGS = {1: [("",)], 3: [("",), ("_x", "_y", "_theta")], 6: [("",), ("_x", "_y", "_z", "_ball")]}


class Exported:
    """MuJoCo's numbers, in the order of mechanism.tree_joints and in rbdyn's coordinates."""

    def __init__(self, mechanism, model, q, v):
        self.model, self.data = model, mujoco.MjData(model)
        self.T, self.Td = np.zeros((2, model.nv, model.nv))
        i = k = 0
        for joint in mechanism.tree_joints:
            n, d = joint.num_positions, joint.num_velocities
            if d:
                self._set(joint, q[i : i + n], v[k : k + d], slice(k, k + d))
            i, k = i + n, k + d
        assert k == model.nv
        self.v = v
        self.data.qvel = self.T @ v
        mujoco.mj_forward(model, self.data)

    def _set(self, joint, q, v, where):
        names = {self.model.joint(j).name for j in range(self.model.njnt)}
        endings = next(e for e in ENDINGS[len(v)] if all(joint.name + x in names for x in e))
        ids = [self.model.joint(joint.name + x).id for x in endings]
        a, b = self.model.jnt_qposadr[ids[0]], self.model.jnt_dofadr[ids[0]]
        T, Td, kind = np.eye(len(v)), np.zeros((len(v), len(v))), joint.joint_type
        if isinstance(kind, SinCosRevolute):
            q = [np.arctan2(*q)]
        if isinstance(kind, SPQuatFloating):
            quat = np.zeros(4)
            mujoco.mju_mat2Quat(quat, rotation_of_projection(q[3:]).ravel())
            q = np.append(q[:3], quat)
        if isinstance(kind, (Spherical, *FREE)):
            R = rotation_of_quaternion(q[-4:])
            T[-3:, -3:], Td[-3:, -3:] = R.T, -R.T @ cross_matrix(v[-3:])
        self.data.qpos[a : a + len(q)] = q
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
        return self.T.T @ M @ self.T

    def bias_forces(self):
        moved = np.zeros(self.model.nv)
        mujoco.mj_mulM(self.model, self.data, moved, self.Td @ self.v)
        return self.T.T @ (self.data.qfrc_bias + moved)
