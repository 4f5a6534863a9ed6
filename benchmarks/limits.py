"""Limp robots that fall against the stops of their joints, beside MuJoCo: time a step, what is passed and gained."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

import rbdyn
from benchmarks import table
from benchmarks.machine import optional
from benchmarks.robots import PANDA, TALOS, Robot, mujoco_urdf
from benchmarks.samples import Array
from benchmarks.timing import by_turns
from rbdyn.world import World

DT, STEPS = 1e-3, 3000
HARD = 2.0  # time steps: MuJoCo's shortest time constant of a constraint
ROBOTS = (PANDA, replace(TALOS, name="Talos, hung", floating=False))


def start(lower: Array, upper: Array) -> tuple[Array, Array]:
    """Somewhere between the stops, at up to 2 rad/s."""
    rng = np.random.default_rng(7)
    share: Array = rng.uniform(0.25, 0.75, len(lower))
    return lower + share * (upper - lower), rng.uniform(-2.0, 2.0, len(lower))


class Ours:
    """A World with limits of places alone: no friction, no damping, no limits of speed, no shapes."""

    def __init__(self, robot: Robot) -> None:
        mechanism = robot.mechanism()
        for joint in mechanism.tree_joints:
            joint.velocity_limit = joint.mimic = None
            joint.friction = joint.damping = 0.0
        self.world = World(DT)
        self.robot = self.world.add_articulated_system(mechanism, self_collision=False)
        self.lower, self.upper = (np.array(x) for x in self.robot.joint_limits)
        self.names = self.robot.model.joint_names[1:]
        self.begin()

    def begin(self) -> None:
        """At the start."""
        self.robot.set_state(*start(self.lower, self.upper))

    def run(self) -> None:
        """From the start."""
        self.begin()
        self.world.step(STEPS)

    def step(self) -> tuple[Array, float]:
        """One step: places, and energy [J]."""
        self.world.step()
        state = self.robot.state
        return np.array(self.robot.q), rbdyn.kinetic_energy(state) + rbdyn.potential_energy(state)


class Mujoco:
    """MuJoCo, with limits of a time constant [s], its own by default."""

    def __init__(self, lib: Any, robot: Robot, ours: Ours, constant: float | None) -> None:
        self.lib = lib
        self.model = m = lib.MjModel.from_xml_string(mujoco_urdf(robot))
        m.opt.timestep = DT
        m.dof_damping[:], m.dof_frictionloss[:] = 0.0, 0.0
        m.geom_contype[:], m.geom_conaffinity[:] = 0, 0
        if constant is not None:
            m.jnt_solref[:] = constant, 1.0
        self.data = lib.MjData(m)
        joints = [m.joint(name).id for name in ours.names]
        self.places, self.speeds = m.jnt_qposadr[joints], m.jnt_dofadr[joints]
        self.lower, self.upper = ours.lower, ours.upper
        np.testing.assert_allclose(m.jnt_range[joints].T, [self.lower, self.upper], rtol=1e-6, atol=1e-9)

    def begin(self) -> None:
        """At the start."""
        self.lib.mj_resetData(self.model, self.data)
        self.data.qpos[self.places], self.data.qvel[self.speeds] = start(self.lower, self.upper)

    def run(self) -> None:
        """From the start."""
        self.begin()
        self.lib.mj_step(self.model, self.data, nstep=STEPS)

    def step(self) -> tuple[Array, float]:
        """One step: places, and energy [J]."""
        self.lib.mj_step(self.model, self.data)
        self.lib.mj_forward(self.model, self.data)
        self.lib.mj_energyPos(self.model, self.data)
        self.lib.mj_energyVel(self.model, self.data)
        return np.array(self.data.qpos[self.places]), float(self.data.energy.sum())


def quality(side: Ours | Mujoco) -> tuple[float, float, float]:
    """How far stops are passed at most, energy lost [J], and the largest rise above what there was before [J]."""
    side.begin()
    excess, first, least, rise = 0.0, None, np.inf, 0.0
    for _ in range(STEPS):
        q, now = side.step()
        excess = max(excess, float(np.maximum(side.lower - q, q - side.upper).max()))
        first, least = now if first is None else first, min(least, now)
        rise = max(rise, now - least)
    return excess, (first or 0.0) - now, rise


def run(quick: bool) -> None:
    """Print the table of this section."""
    mujoco, rows = optional("mujoco"), []
    for robot in ROBOTS:
        try:
            ours = Ours(robot)
        except FileNotFoundError as error:
            print(f"\n{robot.name}: skipped, {error}")
            continue
        sides: dict[str, Ours | Mujoco] = {"rbdyn": ours}
        if mujoco is not None:
            sides["MuJoCo"] = Mujoco(mujoco, robot, ours, None)
            sides["MuJoCo, hard"] = Mujoco(mujoco, robot, ours, HARD * DT)
        calls: dict[str, Callable[[], object]] = {name: side.run for name, side in sides.items()}
        seconds = by_turns(calls, STEPS, 2 if quick else 5)
        for name, side in sides.items():
            ratio = "-" if name == "rbdyn" else table.number(seconds[name] / seconds["rbdyn"])
            excess, lost, rise = quality(side)
            told = [table.number(1e6 * seconds[name]), ratio, f"{excess:.0e}", table.number(lost), f"{rise:.0e}"]
            rows.append([robot.name, name, *told])
    header = ["robot", "engine", "us per step", "peer/ours", "passed [rad, m]", "lost [J]", "largest rise [J]"]
    table.show(f"limp robots fall against their stops, {STEPS} steps of {1e3 * DT:g} ms", header, rows)
    if mujoco is None:
        print("mujoco is not installed: skipped")
