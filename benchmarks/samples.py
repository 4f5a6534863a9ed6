"""Random states, and what they are called in another library's convention."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

import rbdyn

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Sample:
    """One state with accelerations and forces.

    q (nq,), v (nv,), vd (nv,) and tau (nv,) are in the convention of the library they are meant for.
    """

    q: Array
    v: Array
    vd: Array
    tau: Array


def draw(model: rbdyn.Model, count: int, seed: int = 1) -> list[Sample]:
    """Different random states within the joint limits, in rbdyn's convention."""
    rng = np.random.default_rng(seed)
    return [Sample(model.random(rng), *rng.normal(size=(3, model.nv))) for _ in range(count)]


@dataclass(frozen=True)
class Convention:
    """How a peer orders and turns what rbdyn calls q and v: v_peer = turn(q) v.

    rbdyn measures both velocities of a floating base in world axes and writes quaternions w first.

    Parameters
    ----------
    q_index, v_index : sequence of int
        Where each joint's entries start in the peer's vectors, in rbdyn's order of joints.
    floating : bool
        Whether the first joint is a floating base.
    scalar_last : bool
        Quaternions are [x, y, z, w].
    linear_in_body : bool
        The base's linear velocity is in body axes; its angular velocity is for all peers.
    """

    q_index: Sequence[int]
    v_index: Sequence[int]
    floating: bool
    scalar_last: bool
    linear_in_body: bool

    def turn(self, q: Array) -> Array:
        """The orthogonal (nv, nv) matrix from rbdyn's velocities to the peer's."""
        base = 6 if self.floating else 0
        size = base + len(self.v_index)
        T = np.zeros((size, size))
        for k, at in enumerate(self.v_index):
            T[at, base + k] = 1.0
        if self.floating:
            R = rbdyn.Transform(quat=q[3:7]).rotation
            T[:3, :3] = R.T if self.linear_in_body else np.eye(3)
            T[3:6, 3:6] = R.T
        return T

    def bias(self, q: Array, v: Array) -> Array:
        """What vd_peer is beyond turn(q) vd: the base's axes turn under its linear velocity."""
        bias = np.zeros(len(v))
        if self.floating and self.linear_in_body:
            u = self.turn(q) @ v
            bias[:3] = -np.cross(u[3:6], u[:3])
        return bias

    def rates(self, q: Array, v: Array) -> tuple[Array, Array, Array]:
        """How turn and bias change: dT[k], (nv, nv) each, and db_dq[:, k] along the k-th degree of freedom; db_dv.

        A turn of the base by e, in world axes, takes R^T to R^T (1 - ex).
        """
        nv = len(v)
        dT, db_dq, db_dv = np.zeros((nv, nv, nv)), np.zeros((nv, nv)), np.zeros((nv, nv))
        if self.floating and self.linear_in_body:
            Rt = self.turn(q)[:3, :3]
            for k, e in enumerate(np.eye(3)):
                turned = -Rt @ np.cross(e, np.eye(3), axisb=0, axisc=0)
                dT[3 + k][:3, :3] = dT[3 + k][3:6, 3:6] = turned
                db_dq[:3, 3 + k] = -turned @ np.cross(v[3:6], v[:3])
            db_dv[:3, :3] = -Rt @ np.cross(v[3:6], np.eye(3), axisb=0, axisc=0)
            db_dv[:3, 3:6] = Rt @ np.cross(v[:3], np.eye(3), axisb=0, axisc=0)
        return dT, db_dq, db_dv

    def peer(self, s: Sample) -> Sample:
        """The same state as the peer writes it."""
        q = np.zeros(len(s.q))
        base = 7 if self.floating else 0
        if self.floating:
            q[:7] = s.q[[0, 1, 2, 4, 5, 6, 3]] if self.scalar_last else s.q[:7]
        q[list(self.q_index)] = s.q[base:]
        T = self.turn(s.q)
        return Sample(q, T @ s.v, T @ s.vd + self.bias(s.q, s.v), T @ s.tau)
