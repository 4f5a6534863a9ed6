"""Closed loops and the mass matrix at scale: ladders beside Pinocchio, chains beside LAPACK, time beside error."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

import rbdyn
from benchmarks import table
from benchmarks.chains import chain
from benchmarks.machine import optional
from benchmarks.samples import Array
from benchmarks.timing import by_turns
from rbdyn.mechanism import Joint, Mechanism, Revolute, RigidBody, Spherical
from rbdyn.spatial import SpatialInertia, Transform

CELLS = (1, 4, 30, 100)
JOINTS = (7, 30, 100, 400)
FASTER = 1.5  # target beside Pinocchio, in ladders of 30 and 100 cells
AHEAD = 1.0  # target beside LAPACK
CALLS = ("dynamics", "velocity", "Jacobian", "closing")
Call = Callable[[], object]


def ladder(cells: int) -> Mechanism:
    """Cells of two rails and a rung, each hinged on the rung before; a ball joint closes each."""
    rail = SpatialInertia(1.0, (0.25, 0, 0), np.diag([0.01, 0.1, 0.1]))
    mechanism = Mechanism(RigidBody("world"), gravity=(0, -9.81, 0))
    last, hinge = mechanism.root_body, Revolute((0, 0, 1))
    across, along = Transform(translation=(0, 0.3, 0)), Transform(translation=(0.5, 0, 0))
    for k in range(cells):
        right, left, rung = (RigidBody(f"{name}{k}", rail) for name in ("right", "left", "rung"))
        mechanism.attach(last, right, Joint(f"b{k}", hinge), joint_pose=across)
        mechanism.attach(last, left, Joint(f"a{k}", hinge))
        mechanism.attach(left, rung, Joint(f"c{k}", hinge), joint_pose=along)
        mechanism.attach(rung, right, Joint(f"ball{k}", Spherical()), across, along.inverse())
        last = rung
    return mechanism


class Moving(NamedTuple):
    """A ladder in motion."""

    mechanism: Mechanism
    state: rbdyn.State
    tau: Array


def moving(cells: int) -> Moving:
    """Every cell bent at random, at speeds that the loops allow."""
    rng = np.random.default_rng(cells)
    mechanism = ladder(cells)
    state = rbdyn.State(rbdyn.Model(mechanism))
    q = state.model.neutral()
    for k in range(cells):
        bend = 0.3 * rng.normal()
        for name, angle in (("a", bend), ("b", bend), ("c", -bend)):
            q[state.model.joint_q_index(f"{name}{k}")] = angle
    state.set(q)
    state.set(q, rbdyn.project_velocity(state, 0.3 * rng.normal(size=state.model.nv)))
    return Moving(mechanism, state, rng.normal(size=state.model.nv))


def _ours(ladder: Moving) -> dict[str, Call]:
    state, q, v, tau = ladder.state, ladder.state.q, ladder.state.v, ladder.tau
    model = state.model
    K, moved = np.empty((model.num_constraints, model.nv)), rbdyn.integrate(model, q, 1e-3 * tau)

    def fresh(call: Call) -> Call:
        def run() -> None:
            state.set(q, v)
            call()

        return run

    calls: tuple[Call, ...] = (
        lambda: rbdyn.forward_dynamics(state, tau),
        lambda: rbdyn.project_velocity(state),
        lambda: rbdyn.loop_jacobian(state, out=K),
        lambda: rbdyn.project_configuration(model, moved),
    )
    return {name: fresh(call) for name, call in zip(CALLS, calls, strict=True)}


class Pinocchio:
    """The same ladder; redundant rows by its proximal iteration."""

    def __init__(self, ladder: Moving) -> None:
        pin: Any = optional("pinocchio")
        self.pin = pin
        self.state, self.tau = ladder.state, ladder.tau
        self.model = pin.Model()
        self.model.gravity = pin.Motion(np.array(ladder.mechanism.gravity), np.zeros(3))
        place = {ladder.mechanism.root_body: 0}
        for joint in ladder.mechanism.tree_joints:
            edge = ladder.mechanism.edge(joint)
            pose, inertia = self._pose(edge.joint_pose), edge.successor.inertia
            place[edge.successor] = k = self.model.addJoint(
                place[edge.predecessor], pin.JointModelRZ(), pose, joint.name
            )
            mine = pin.Inertia(inertia.mass, np.array(inertia.com), np.array(inertia.inertia))
            self.model.appendBodyToJoint(k, mine, pin.SE3.Identity())
        names = [self.model.names[k] for k in range(1, self.model.njoints)]
        self.order = [ladder.state.model.joint_v_index(name) for name in names]
        self.data = self.model.createData()
        self.loops, self.loop_data = pin.StdVec_RigidConstraintModel(), pin.StdVec_RigidConstraintData()
        for joint in ladder.mechanism.non_tree_joints:
            edge = ladder.mechanism.edge(joint)
            before, after = self._pose(edge.joint_pose), self._pose(edge.successor_pose).inverse()
            ends = (place[edge.predecessor], before, place[edge.successor], after)
            self.loops.append(
                pin.RigidConstraintModel(pin.ContactType.CONTACT_3D, self.model, *ends, pin.ReferenceFrame.LOCAL)
            )
            self.loop_data.append(self.loops[-1].createData())
        pin.initConstraintDynamics(self.model, self.data, self.loops, self.loop_data)
        self.settings = pin.ProximalSettings(1e-10, 1e-10, 20)
        self.q, self.v, self.force = (np.array(x)[self.order] for x in (self.state.q, self.state.v, self.tau))

    def _pose(self, pose: Transform) -> Any:
        return self.pin.SE3(np.array(pose.rotation), np.array(pose.translation))

    def dynamics(self) -> Array:
        """Accelerations in rbdyn's order."""
        found = self.pin.constraintDynamics(
            self.model, self.data, self.q, self.v, self.force, self.loops, self.loop_data, self.settings
        )
        vd = np.empty(len(found))
        vd[self.order] = found
        return vd

    def calls(self) -> dict[str, Call]:
        """What it has of CALLS."""
        pin, model, data = self.pin, self.model, self.data

        def jacobian() -> object:
            pin.computeJointJacobians(model, data, self.q)
            return pin.getConstraintsJacobian(model, data, self.loops, self.loop_data)

        def dynamics() -> object:
            return pin.constraintDynamics(
                model, data, self.q, self.v, self.force, self.loops, self.loop_data, self.settings
            )

        return {"dynamics": dynamics, "Jacobian": jacobian}


def _opens(ladder: Moving, vd: Array) -> float:
    """How far accelerations are from keeping the loops closed, relative to the largest."""
    K, k = rbdyn.loop_jacobian(ladder.state), rbdyn.loop_bias(ladder.state)
    return float(np.abs(K @ vd + k).max() / np.abs(vd).max())


def _time(call: Call, rounds: int) -> float:
    """Seconds a call takes, of some hundredth of a second of calls."""
    once = by_turns({"": call}, 1, 1)[""]
    count = max(1, min(1000, round(0.01 / max(once, 1e-7))))
    return by_turns({"": lambda: [call() for _ in range(count)]}, count, rounds)[""]


def _ladders(rounds: int) -> None:
    rows = []
    for cells in CELLS:
        ladder = moving(cells)
        mine = {name: _time(call, rounds) for name, call in _ours(ladder).items()}
        vd = rbdyn.forward_dynamics(ladder.state, ladder.tau)
        peer = Pinocchio(ladder) if optional("pinocchio") else None
        theirs = {name: _time(call, rounds) for name, call in peer.calls().items()} if peer else {}
        differs = float(np.abs(peer.dynamics() - vd).max() / np.abs(vd).max()) if peer else None
        for name in CALLS:
            ratio = theirs[name] / mine[name] if name in theirs else None
            target = FASTER if name == "dynamics" and cells >= 30 else None
            shown = name == "dynamics"
            rows.append(
                [
                    f"{cells} cells, {name}",
                    table.number(1e6 * mine[name]),
                    table.number(1e6 * theirs[name] if name in theirs else None),
                    table.number(ratio),
                    table.verdict(ratio, target),
                    f"{_opens(ladder, vd):.0e}" if shown else "",
                    f"{_opens(ladder, peer.dynamics()):.0e}" if shown and peer else "",
                    f"{differs:.0e}" if shown and differs is not None else "",
                ]
            )
    header = ["us per call", "rbdyn", "pinocchio", "pin/ours", "target", "opens", "pin opens", "differs by"]
    table.show("ladders: closed loops in a row", header, rows)


def _chain(joints: int, rounds: int) -> list[list[str]]:
    """Rows of one chain."""
    rng = np.random.default_rng(joints)
    state = rbdyn.State(rbdyn.Model(chain(joints)))
    q, b = 0.3 * rng.normal(size=joints), rng.normal(size=joints)
    state.set(q)
    M = rbdyn.mass_matrix(state)

    def solve() -> Array:
        state.set(q)
        return rbdyn.solve_mass_matrix(state, b)

    def inverse() -> Array:
        state.set(q)
        return rbdyn.inverse_mass_matrix(state)

    def residual(x: Array) -> Array:
        return x @ M - np.eye(joints) if x.ndim == 2 else rbdyn.mass_matrix_times(state, x) - b

    rows = []
    pairs: tuple[tuple[str, Callable[[], Any], Callable[[], Any]], ...] = (
        ("solve", solve, lambda: np.linalg.solve(M, b)),
        ("inverse", inverse, lambda: np.linalg.inv(M)),
    )
    for name, *calls in pairs:
        times = [_time(call, rounds) for call in calls]
        ratio = times[1] / times[0]
        off = [f"{np.abs(residual(call())).max():.0e}" for call in calls]
        cells = [table.number(1e6 * t) for t in times]
        rows.append([f"{joints} joints, {name}", *cells, table.number(ratio), table.verdict(ratio, AHEAD), *off])
    return rows


def _chains(rounds: int) -> None:
    rows = [row for joints in JOINTS for row in _chain(joints, rounds)]
    header = ["us per call", "rbdyn", "LAPACK", "ratio", "target", "residual", "LAPACK's"]
    table.show("mass matrices of chains: rbdyn from q on, LAPACK from M on", header, rows)


def run(quick: bool) -> None:
    """Print the tables of this section."""
    rounds = 3 if quick else 9
    _ladders(rounds)
    _chains(rounds)
    if optional("pinocchio") is None:
        print("pinocchio is not installed: skipped")
