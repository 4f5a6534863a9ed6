"""A robot that tumbles in the air: what each integrator loses of momentum and energy, and what a step costs."""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple, Protocol

import numpy as np

import rbdyn
from benchmarks import table
from benchmarks.machine import optional
from benchmarks.robots import ANYMAL
from benchmarks.scenes.types import AIR_HEIGHT, Array, Scene
from rbdyn.world import World

DT, TIME = 1e-3, 2.0  # [s]
PIECES = 20  # looks at the state
SPIN = (2.0, -1.0, 3.0)  # [rad/s] of the base, at first
SPEED = 1.0  # [rad/s] standard deviation of the joints' speeds


class Look(NamedTuple):
    """The robot as a whole."""

    L: Array  # (3,) angular momentum about the centre of mass [N m s]
    P: Array  # (3,) linear momentum [N s]
    kinetic: float  # [J]
    energy: float  # [J]


class Flight(Protocol):
    """One integrator of one engine."""

    def step(self, n: int) -> None:
        """Advance by n steps."""

    def look(self) -> Look:
        """The present state."""


def joint_speeds(count: int) -> Array:
    """Random [rad/s], (count,)."""
    speeds: Array = SPEED * np.random.default_rng(7).normal(size=count)
    return speeds


class Rbdyn:
    """ANYmal in a World, without limits, damping and friction."""

    def __init__(self, integrator: Any) -> None:
        mechanism = ANYMAL.mechanism()
        for joint in mechanism.tree_joints:
            joint.position_limits = joint.velocity_limit = None
            joint.damping = joint.friction = 0.0
        self.world = World(DT)
        self.world.integrator = integrator
        self.robot = self.world.add_articulated_system(mechanism, self_collision=False)
        q, count = self.robot.q.copy(), self.robot.nv - 6
        q[2] = AIR_HEIGHT
        self.robot.set_state(q, np.concatenate([np.zeros(3), SPIN, joint_speeds(count)]))

    def step(self, n: int) -> None:
        self.world.step(n)

    def look(self) -> Look:
        state = self.robot.state
        kinetic = rbdyn.kinetic_energy(state)
        about = rbdyn.center_of_mass(state)
        return Look(
            rbdyn.angular_momentum(state, about),
            rbdyn.momentum(state)[3:],
            kinetic,
            kinetic + rbdyn.potential_energy(state),
        )


class Mujoco:
    """The same in MuJoCo."""

    def __init__(self, integrator: str) -> None:
        from benchmarks.scenes import in_mujoco

        self.mj = in_mujoco.mj
        self.simulation = in_mujoco.build(Scene("air", DT, 1, 1, 0, 1, None, ()))
        model, data = self.simulation.model, self.simulation.data
        model.opt.integrator = getattr(self.mj.mjtIntegrator, f"mjINT_{integrator.upper()}")
        names = rbdyn.Model(ANYMAL.mechanism()).joint_names[1:]
        data.qpos[7:], data.qvel[:6] = 0.0, [0.0, 0.0, 0.0, *SPIN]
        for name, speed in zip(names, joint_speeds(len(names)), strict=True):
            data.joint(name).qvel = speed

    def step(self, n: int) -> None:
        self.simulation.step(n)

    def look(self) -> Look:
        mj, model, data = self.mj, self.simulation.model, self.simulation.scratch
        mj.mj_copyData(data, model, self.simulation.data)
        for compute in (mj.mj_forward, mj.mj_subtreeVel, mj.mj_energyPos, mj.mj_energyVel):
            compute(model, data)
        P = model.body_subtreemass[1] * data.subtree_linvel[1]
        return Look(data.subtree_angmom[1].copy(), P, float(data.energy[1]), float(data.energy.sum()))


def fly(build: Callable[[], Flight], repetitions: int) -> list[float]:
    """Seconds a step, and the largest errors: of L and P, relative, and of the energy over the kinetic one at first."""
    best, weight = np.inf, np.array([0.0, 0.0, -9.81]) * rbdyn.Model(ANYMAL.mechanism()).total_mass
    for _ in range(repetitions):
        flight, passed, worst = build(), 0.0, np.zeros(3)
        first, n = flight.look(), round(TIME / DT / PIECES)
        for piece in range(PIECES):
            start = time.thread_time()
            flight.step(n)
            passed += time.thread_time() - start
            now, P = flight.look(), first.P + weight * DT * n * (piece + 1)
            errors = [_relative(now.L, first.L), _relative(now.P, P), abs(now.energy - first.energy) / first.kinetic]
            worst = np.maximum(worst, errors)
        best = min(best, passed / (PIECES * n))
    return [best, *worst]


def _relative(x: Array, exact: Array) -> float:
    return float(np.linalg.norm(x - exact) / np.linalg.norm(exact))


def run(quick: bool) -> None:
    """Print the table of this section."""
    builders: dict[str, Callable[[], Flight]] = {
        f"rbdyn {name}": partial(Rbdyn, name) for name in ("trapezoid", "rk4", "semi_implicit")
    }
    if optional("mujoco") is not None:
        builders |= {f"mujoco {name}": partial(Mujoco, name) for name in ("Euler", "implicitfast", "RK4")}
    try:
        figures = {name: fly(build, 2 if quick else 5) for name, build in builders.items()}
    except FileNotFoundError as error:
        print(f"\nflight: skipped, {error}")
        return
    rows = [[name, table.number(1e6 * t), *map(table.number, errors)] for name, (t, *errors) in figures.items()]
    title = f"flight: a tumbling ANYmal, dt {1e3 * DT:g} ms, {TIME:g} s, largest errors"
    table.show(title, ["integrator", "us per step", "dL / L", "dP / P", "dE / T"], rows)
