"""Long chains: bytes per State, and forward dynamics of 1000 joints."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

import rbdyn
from benchmarks import table
from benchmarks.heap import bytes_in_use
from benchmarks.machine import optional
from benchmarks.samples import Array
from benchmarks.timing import by_turns

SIZES = (10, 100, 1000, 10000)
LINK, MASS, SIDE = 0.1, 1.0, 0.01  # [m] from joint to joint, [kg], [kg m^2]
TARGET = 5.0
WRONG = 1e-6  # residual of an answer that counts as right


def chain(count: int) -> rbdyn.Mechanism:
    """Equal links on hinges about x and y in turn, hanging down."""
    mechanism = rbdyn.Mechanism(rbdyn.RigidBody("world"))
    body = mechanism.root_body
    for k in range(count):
        link = rbdyn.RigidBody(f"link{k}", rbdyn.SpatialInertia(MASS, (0.0, 0.0, -LINK / 2), SIDE * np.eye(3)))
        joint = rbdyn.Joint(f"joint{k}", rbdyn.Revolute(_axis(k)))
        where = rbdyn.Transform(translation=(0.0, 0.0, -LINK if k else 0.0))
        mechanism.attach(body, link, joint, joint_pose=where)
        body = link
    return mechanism


def _axis(k: int) -> tuple[float, float, float]:
    return (1.0, 0.0, 0.0) if k % 2 == 0 else (0.0, 1.0, 0.0)


def run(quick: bool) -> None:
    """Print the tables of this section."""
    _bytes(SIZES[:3] if quick else SIZES)
    _chain1000(3 if quick else 7)


def _bytes(sizes: tuple[int, ...]) -> None:
    """What a State takes from the heap."""
    rows = []
    for count in sizes:
        model = rbdyn.Model(chain(count))
        many = max(1, 1000 // count)
        rbdyn.State(model)
        before = bytes_in_use()
        states = [rbdyn.State(model) for _ in range(many)]
        after = bytes_in_use()
        if before is None or after is None:
            print("\nbytes per State: needs glibc's mallinfo2, skipped")
            return
        size = (after - before) / len(states)
        rows.append([str(count), f"{size:.0f}", f"{size / count:.0f}"])
    table.show("memory of a State (linear: the last column is flat)", ["bodies", "bytes", "bytes per body"], rows)


def _chain1000(rounds: int) -> None:
    """Forward dynamics of 1000 joints at ten states near rest."""
    model = rbdyn.Model(chain(1000))
    rng = np.random.default_rng(2)
    states = [(0.02 * rng.normal(size=1000), 0.02 * rng.normal(size=1000), rng.normal(size=1000)) for _ in range(10)]
    mine = np.empty(1000)
    loops: dict[str, Callable[[], object]] = {"rbdyn": partial(_ours, rbdyn.State(model), states, mine)}
    answers = {"rbdyn": mine}
    if optional("mujoco") is None:
        print("\nmujoco is not installed: the chain is shown without it")
    else:
        loops["mujoco"], answers["mujoco"] = _mujoco(states)
    seconds = by_turns(loops, len(states), rounds)
    best = min((t for name, t in seconds.items() if name != "rbdyn"), default=None)
    rows = []
    for name, t in seconds.items():
        residual = _residual(model, states[-1], answers[name])
        shown = table.number(1e6 * t) if residual < WRONG else "WRONG"
        mark = table.verdict(best / t if best else None, TARGET) if name == "rbdyn" else ""
        ratio = "-" if name == "rbdyn" else table.number(t / seconds["rbdyn"])
        rows.append([name, shown, ratio, mark, f"{residual:.0e}"])
    header = ["engine", "us per call", "peer/ours", "target", "residual"]
    table.show(f"forward dynamics of a 1000-joint chain, median of {rounds}", header, rows)


def _residual(model: rbdyn.Model, state: tuple[Array, Array, Array], vd: Array) -> float:
    """How far Newton-Euler of an answer is from the forces given, relative to gravity's.

    Accelerations themselves are no measure: the mass matrix of such a chain is too ill-conditioned.
    """
    q, v, tau = state
    there = rbdyn.State(model)
    there.set(q, v)
    size = np.abs(rbdyn.bias_forces(there)).max()
    return float(np.abs(rbdyn.inverse_dynamics(there, vd) - tau).max() / size)


def _ours(state: rbdyn.State, states: list[tuple[Array, Array, Array]], out: Array) -> None:
    for q, v, tau in states:
        state.set(q, v)
        rbdyn.forward_dynamics(state, tau, out=out)


def _mujoco(states: list[tuple[Array, Array, Array]]) -> tuple[Callable[[], object], Array]:
    """The same chain in MuJoCo, constraints off."""
    mj: Any = optional("mujoco")
    spec = mj.MjSpec()
    body = spec.worldbody
    for k in range(1000):
        body = body.add_body(pos=[0.0, 0.0, -LINK if k else 0.0])
        body.mass, body.ipos, body.inertia = MASS, [0.0, 0.0, -LINK / 2], [SIDE] * 3
        body.explicitinertial = True
        body.add_joint(type=mj.mjtJoint.mjJNT_HINGE, axis=_axis(k))
    model = spec.compile()
    model.opt.disableflags = mj.mjtDisableBit.mjDSBL_CONSTRAINT | mj.mjtDisableBit.mjDSBL_CONTACT
    data = mj.MjData(model)

    def loop() -> None:
        for q, v, tau in states:
            data.qpos[:] = q
            data.qvel[:] = v
            data.qfrc_applied[:] = tau
            mj.mj_forward(model, data)

    return loop, data.qacc
