"""The same calculations in rbdyn, Pinocchio and MuJoCo, which has no analytic derivatives.

Each method of a library is a bare loop over samples that leaves the last result in `self`, so that a timing sees
calls and nothing else; `answer` then gives that result in rbdyn's convention.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

import rbdyn
from benchmarks.machine import optional
from benchmarks.robots import Robot, mujoco_urdf
from benchmarks.samples import Array, Convention, Sample

Loop = Callable[[Sequence[Sample]], None]
CALLS = ("FK", "RNEA", "ABA", "CRBA", "inverse M", "Jacobian", "dRNEA", "dABA")


class Rbdyn:
    """state.set and one call, results in reused arrays."""

    name = "rbdyn"

    def __init__(self, robot: Robot) -> None:
        self.model = model = rbdyn.Model(robot.mechanism())
        self.state = rbdyn.State(model)
        self.tip = robot.tip
        self.poses = np.empty((model.n_bodies, 4, 4))
        self.vector = np.empty(model.nv)
        self.matrix = np.empty((model.nv, model.nv))
        self.jacobian = np.empty((6, model.nv))
        self.derivatives = np.empty((3, model.nv, model.nv))
        self.loops: dict[str, Loop] = {
            "FK": self._fk,
            "RNEA": self._rnea,
            "ABA": self._aba,
            "CRBA": self._crba,
            "inverse M": self._inverse,
            "Jacobian": self._jacobian,
            "dRNEA": self._rnea_derivatives,
            "dABA": self._aba_derivatives,
        }

    def samples(self, drawn: Sequence[Sample]) -> list[Sample]:
        return list(drawn)

    def answer(self, call: str, drawn: Sample) -> Array:
        self.loops[call]([drawn])
        if call == "FK":
            first = 0 if self.model.floating_base else 1
            return self.poses[first:, :3].copy()
        if call in ("dRNEA", "dABA"):
            return self.derivatives.copy()
        result = {"RNEA": self.vector, "ABA": self.vector, "Jacobian": self.jacobian}.get(call, self.matrix)
        return result.copy()

    def _fk(self, samples: Sequence[Sample]) -> None:
        set_state, state, out, call = self.state.set, self.state, self.poses, rbdyn.forward_kinematics
        for s in samples:
            set_state(s.q)
            call(state, out=out)

    def _rnea(self, samples: Sequence[Sample]) -> None:
        set_state, state, out, call = self.state.set, self.state, self.vector, rbdyn.inverse_dynamics
        for s in samples:
            set_state(s.q, s.v)
            call(state, s.vd, out=out)

    def _aba(self, samples: Sequence[Sample]) -> None:
        set_state, state, out, call = self.state.set, self.state, self.vector, rbdyn.forward_dynamics
        for s in samples:
            set_state(s.q, s.v)
            call(state, s.tau, out=out)

    def _crba(self, samples: Sequence[Sample]) -> None:
        set_state, state, out, call = self.state.set, self.state, self.matrix, rbdyn.mass_matrix
        for s in samples:
            set_state(s.q)
            call(state, out=out)

    def _inverse(self, samples: Sequence[Sample]) -> None:
        set_state, state, out, call = self.state.set, self.state, self.matrix, rbdyn.inverse_mass_matrix
        for s in samples:
            set_state(s.q)
            call(state, out=out)

    def _jacobian(self, samples: Sequence[Sample]) -> None:
        set_state, state, out, call = self.state.set, self.state, self.jacobian, rbdyn.point_jacobian_6d
        tip = self.tip
        for s in samples:
            set_state(s.q)
            call(state, tip, out=out)

    def _rnea_derivatives(self, samples: Sequence[Sample]) -> None:
        set_state, state, call = self.state.set, self.state, rbdyn.inverse_dynamics_derivatives
        out = tuple(self.derivatives)
        for s in samples:
            set_state(s.q, s.v)
            call(state, s.vd, out=out)

    def _aba_derivatives(self, samples: Sequence[Sample]) -> None:
        set_state, state, call = self.state.set, self.state, rbdyn.forward_dynamics_derivatives
        out = tuple(self.derivatives)
        for s in samples:
            set_state(s.q, s.v)
            call(state, s.tau, out=out)


class Pinocchio:
    """Its Python calls with a reused Data."""

    name = "pinocchio"

    def __init__(self, robot: Robot, model: rbdyn.Model) -> None:
        pin: Any = optional("pinocchio")
        self.pin = pin
        base = [pin.JointModelFreeFlyer()] if robot.floating else []
        self.model = pin.buildModelFromUrdf(str(robot.path), *base)
        self.data = self.model.createData()
        self.tip = self.model.getFrameId(robot.tip)
        self.joints = [self.model.getJointId(name) for name in model.joint_names[1:]]
        self.floating = robot.floating
        q_index = [self.model.idx_qs[j] for j in self.joints]
        v_index = [self.model.idx_vs[j] for j in self.joints]
        self.convention = Convention(q_index, v_index, robot.floating, scalar_last=True, linear_in_body=True)
        self.loops: dict[str, Loop] = {
            "FK": self._fk,
            "RNEA": self._rnea,
            "ABA": self._aba,
            "CRBA": self._crba,
            "inverse M": self._inverse,
            "Jacobian": self._jacobian,
            "dRNEA": self._rnea_derivatives,
            "dABA": self._aba_derivatives,
        }

    def samples(self, drawn: Sequence[Sample]) -> list[Sample]:
        return [self.convention.peer(s) for s in drawn]

    def answer(self, call: str, drawn: Sample) -> Array:
        self.loops[call]([self.convention.peer(drawn)])
        T = self.convention.turn(drawn.q)
        if call == "FK":
            joints = [1, *self.joints] if self.floating else self.joints
            return np.array([self.data.oMi[j].homogeneous[:3] for j in joints])
        if call == "RNEA":
            return T.T @ self.data.tau
        if call == "ABA":
            return T.T @ (self.data.ddq - self.convention.bias(drawn.q, drawn.v))
        if call == "Jacobian":
            return self.jacobian[[3, 4, 5, 0, 1, 2]] @ T
        if call in ("dRNEA", "dABA"):
            return self._in_our_coordinates(call, drawn, T)
        upper = np.triu(self.data.M if call == "CRBA" else self.data.Minv)
        return T.T @ (upper + np.triu(upper, 1).T) @ T

    def _fk(self, samples: Sequence[Sample]) -> None:
        call, model, data = self.pin.forwardKinematics, self.model, self.data
        for s in samples:
            call(model, data, s.q)

    def _rnea(self, samples: Sequence[Sample]) -> None:
        call, model, data = self.pin.rnea, self.model, self.data
        for s in samples:
            call(model, data, s.q, s.v, s.vd)

    def _aba(self, samples: Sequence[Sample]) -> None:
        call, model, data = self.pin.aba, self.model, self.data
        for s in samples:
            call(model, data, s.q, s.v, s.tau)

    def _crba(self, samples: Sequence[Sample]) -> None:
        call, model, data = self.pin.crba, self.model, self.data
        for s in samples:
            call(model, data, s.q)

    def _inverse(self, samples: Sequence[Sample]) -> None:
        call, model, data = self.pin.computeMinverse, self.model, self.data
        for s in samples:
            call(model, data, s.q)

    def _jacobian(self, samples: Sequence[Sample]) -> None:
        call, model, data, tip = self.pin.computeFrameJacobian, self.model, self.data, self.tip
        axes = self.pin.LOCAL_WORLD_ALIGNED
        for s in samples:
            self.jacobian = call(model, data, s.q, tip, axes)

    def _rnea_derivatives(self, samples: Sequence[Sample]) -> None:
        call, model, data = self.pin.computeRNEADerivatives, self.model, self.data
        for s in samples:
            call(model, data, s.q, s.v, s.vd)

    def _aba_derivatives(self, samples: Sequence[Sample]) -> None:
        call, model, data = self.pin.computeABADerivatives, self.model, self.data
        for s in samples:
            call(model, data, s.q, s.v, s.tau)

    def _in_our_coordinates(self, call: str, s: Sample, T: Array) -> Array:
        """tau = T^T tau_peer and v_peer = T v, where T turns with the base (tests have the derivation)."""
        data, (dT, db_dq, db_dv) = self.data, self.convention.rates(s.q, s.v)
        if call == "dRNEA":
            dq, dv, upper, x = data.dtau_dq, data.dtau_dv, np.triu(data.M), s.vd
        else:
            dq, dv, upper, x = data.ddq_dq, data.ddq_dv, np.triu(data.Minv), s.tau
        dx = upper + np.triu(upper, 1).T
        rates = np.array([dv @ d @ s.v + dx @ d @ x for d in dT]).T
        if call == "dRNEA":
            self._rnea([self.convention.peer(s)])
            held = np.array([d.T @ data.tau for d in dT]).T
            return np.array([held + T.T @ (dq @ T + rates + dx @ db_dq), T.T @ (dv @ T + dx @ db_dv), T.T @ dx @ T])
        vd = T.T @ (data.ddq - self.convention.bias(s.q, s.v))
        rates -= np.array([d @ vd for d in dT]).T + db_dq
        return np.array([T.T @ (dq @ T + rates), T.T @ (dv @ T - db_dv), T.T @ dx @ T])


class MuJoCo:
    """The stages of its pipeline that each calculation needs, without constraints."""

    name = "mujoco"

    def __init__(self, robot: Robot, model: rbdyn.Model) -> None:
        mujoco: Any = optional("mujoco")
        self.mj = mujoco
        self.model = m = mujoco.MjModel.from_xml_string(mujoco_urdf(robot))
        m.opt.disableflags = mujoco.mjtDisableBit.mjDSBL_CONSTRAINT | mujoco.mjtDisableBit.mjDSBL_CONTACT
        m.dof_damping[:] = 0.0
        m.dof_frictionloss[:] = 0.0
        self.data = mujoco.MjData(m)
        self.joints = [m.joint(name).id for name in model.joint_names[1:]]
        self.tip = m.body(robot.tip).id
        self.floating = robot.floating
        q_index = [m.jnt_qposadr[j] for j in self.joints]
        v_index = [m.jnt_dofadr[j] for j in self.joints]
        self.convention = Convention(q_index, v_index, robot.floating, scalar_last=False, linear_in_body=False)
        self.vector = np.empty(m.nv)
        self.matrix = np.empty((m.nv, m.nv))
        self.eye = np.eye(m.nv)
        self.jacp, self.jacr = np.empty((3, m.nv)), np.empty((3, m.nv))
        self.loops: dict[str, Loop] = {
            "FK": self._fk,
            "RNEA": self._rnea,
            "ABA": self._aba,
            "CRBA": self._crba,
            "inverse M": self._inverse,
            "Jacobian": self._jacobian,
        }

    def samples(self, drawn: Sequence[Sample]) -> list[Sample]:
        return [self.convention.peer(s) for s in drawn]

    def answer(self, call: str, drawn: Sample) -> Array:
        self.loops[call]([self.convention.peer(drawn)])
        T = self.convention.turn(drawn.q)
        if call == "FK":
            bodies = [self.model.jnt_bodyid[j] for j in self.joints]
            bodies = [1, *bodies] if self.floating else bodies
            R = self.data.xmat[bodies].reshape(-1, 3, 3)
            return np.concatenate([R, self.data.xpos[bodies][:, :, None]], axis=2)
        if call == "RNEA":
            return T.T @ self.vector
        if call == "ABA":
            return T.T @ (self.data.qacc - self.convention.bias(drawn.q, drawn.v))
        if call == "Jacobian":
            return np.concatenate([self.jacr, self.jacp]) @ T
        if call == "CRBA":
            self.mj.mj_fullM(self.model, self.data, self.matrix)
        return T.T @ self.matrix @ T

    def _fk(self, samples: Sequence[Sample]) -> None:
        mj, model, data, qpos = self.mj, self.model, self.data, self.data.qpos
        for s in samples:
            qpos[:] = s.q
            mj.mj_kinematics(model, data)

    def _rnea(self, samples: Sequence[Sample]) -> None:
        mj, model, data, out = self.mj, self.model, self.data, self.vector
        qpos, qvel, qacc = data.qpos, data.qvel, data.qacc
        for s in samples:
            qpos[:] = s.q
            qvel[:] = s.v
            qacc[:] = s.vd
            mj.mj_kinematics(model, data)
            mj.mj_comPos(model, data)
            mj.mj_comVel(model, data)
            mj.mj_rne(model, data, 1, out)

    def _aba(self, samples: Sequence[Sample]) -> None:
        mj, model, data = self.mj, self.model, self.data
        qpos, qvel, applied = data.qpos, data.qvel, data.qfrc_applied
        for s in samples:
            qpos[:] = s.q
            qvel[:] = s.v
            applied[:] = s.tau
            mj.mj_forward(model, data)

    def _crba(self, samples: Sequence[Sample]) -> None:
        mj, model, data, qpos = self.mj, self.model, self.data, self.data.qpos
        for s in samples:
            qpos[:] = s.q
            mj.mj_kinematics(model, data)
            mj.mj_comPos(model, data)
            mj.mj_crb(model, data)

    def _inverse(self, samples: Sequence[Sample]) -> None:
        mj, model, data, qpos = self.mj, self.model, self.data, self.data.qpos
        out, eye = self.matrix, self.eye
        for s in samples:
            qpos[:] = s.q
            mj.mj_kinematics(model, data)
            mj.mj_comPos(model, data)
            mj.mj_crb(model, data)
            mj.mj_factorM(model, data)
            mj.mj_solveM(model, data, out, eye)

    def _jacobian(self, samples: Sequence[Sample]) -> None:
        mj, model, data, qpos = self.mj, self.model, self.data, self.data.qpos
        jacp, jacr, tip = self.jacp, self.jacr, self.tip
        for s in samples:
            qpos[:] = s.q
            mj.mj_kinematics(model, data)
            mj.mj_comPos(model, data)
            mj.mj_jacBody(model, data, jacp, jacr, tip)
