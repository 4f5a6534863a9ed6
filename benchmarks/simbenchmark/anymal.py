"""The scenes with ANYmal in rbdyn."""

from __future__ import annotations

import numpy as np

import rbdyn
from benchmarks.scenes.types import Array
from benchmarks.simbenchmark import scenes
from rbdyn.mechanism import Mechanism
from rbdyn.world import World


def mechanism() -> Mechanism:
    """Without limits and damping."""
    made = scenes.ANYMAL_B.mechanism()
    for joint in made.tree_joints:
        joint.position_limits, joint.damping = None, 0.0
    return made


class Standing:
    """Under PD control on the ground; the height that the base loses [m] tells that it stands."""

    def __init__(self, dt: float) -> None:
        self.world = World(dt)
        self.world.add_ground()
        self.robot = self.world.add_articulated_system(mechanism(), self_collision=False)
        q = self.robot.q.copy()
        q[2] = scenes.STAND_HEIGHT
        for name in self.robot.model.joint_names[1:]:
            q[self.robot.model.joint_q_index(name)] = scenes.stand_angle(name)
        self.robot.set_state(q, np.zeros(self.robot.nv))
        self.robot.set_pd_gains(scenes.KP, scenes.KD)
        self.robot.set_pd_target(q)

    def step(self, n: int) -> None:
        self.world.step(n)

    def error(self, t: float) -> float:
        return scenes.STAND_HEIGHT - float(self.robot.q[2])


class Hit:
    """Without gravity, hit by a ball; the squared error of all momentum [N^2 s^2]."""

    def __init__(self, dt: float) -> None:
        self.world = World(dt, gravity=(0.0, 0.0, 0.0))
        self.world.set_default_material(0.0)
        self.world.set_erp(0.0)
        self.robot = self.world.add_articulated_system(mechanism(), self_collision=False)
        q = self.robot.q.copy()
        q[2] = scenes.START_HEIGHT
        self.robot.set_state(q, np.zeros(self.robot.nv))
        self.ball = self.world.add_sphere(scenes.HIT_RADIUS, scenes.HIT_MASS)
        self.ball.set_pose(position=(0.0, -scenes.HIT_FROM, scenes.START_HEIGHT))
        self.ball.set_velocity((0.0, scenes.HIT_SPEED, 0.0), (0.0, 0.0, 0.0))
        self.start = self.momentum()

    def step(self, n: int) -> None:
        self.world.step(n)

    def momentum(self) -> Array:
        """Linear [N s]."""
        total: Array = rbdyn.momentum(self.robot.state)[3:] + scenes.HIT_MASS * self.ball.linear_velocity
        return total

    def error(self, t: float) -> float:
        return float(((self.momentum() - self.start) ** 2).sum())


class Thrown:
    """Thrown up by its base, then free; the squared error of the energy from then on [J^2]."""

    def __init__(self, dt: float, integrator: str = "trapezoid") -> None:
        self.world = World(dt)
        self.world.integrator = integrator
        self.robot = self.world.add_articulated_system(mechanism(), self_collision=False)
        q = self.robot.q.copy()
        q[2] = scenes.START_HEIGHT
        self.robot.set_state(q, np.zeros(self.robot.nv))
        force, base = (0.0, 0.0, 2.0 * scenes.G * self.robot.model.total_mass), self.robot.model.body_names[0]
        for _ in range(round(scenes.THROW_TIME / dt)):
            self.robot.set_external_force(base, force)
            self.world.step()
        self.start = self.energy()

    def step(self, n: int) -> None:
        self.world.step(n)

    def energy(self) -> float:
        """[J]"""
        return rbdyn.kinetic_energy(self.robot.state) + rbdyn.potential_energy(self.robot.state)

    def error(self, t: float) -> float:
        return (self.energy() - self.start) ** 2
