"""The scenes of single bodies in rbdyn."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from benchmarks.simbenchmark import scenes
from rbdyn.world import SingleBody, World


def empty(dt: float, friction: float, restitution: float) -> World:
    """A World with a ground and without position correction."""
    world = World(dt)
    world.add_ground(material="ground")
    world.set_default_material(friction, restitution)
    world.set_erp(0.0)
    return world


class Rolling:
    """A box that is pushed over the ground, with balls on it; the velocities' squared errors [m^2/s^2]."""

    def __init__(self, dt: float, **solver: Any) -> None:
        self.world = empty(dt, scenes.ON_BOX, 0.0)
        self.world.contact.configure(**solver)
        self.world.set_material_pair("ground", "box", scenes.ON_GROUND)
        self.box = self.world.add_box(*scenes.BOX, mass=scenes.BOX_MASS, material="box")
        self.box.set_pose(position=(0.0, 0.0, 0.5 * scenes.BOX[2]))
        for place in scenes.rollers():
            self.ball = self.world.add_sphere(scenes.ROLLER_RADIUS, scenes.ROLLER_MASS)
            self.ball.set_pose(position=place)

    def step(self, n: int) -> None:
        for _ in range(n):
            self.box.set_external_force(self.box.name, scenes.PUSH * scenes.PUSH_AXIS)
            self.world.step()

    def error(self, t: float) -> float:
        return sum(
            float(((one.linear_velocity - exact * scenes.PUSH_AXIS) ** 2).sum())
            for one, exact in zip((self.box, self.ball), scenes.rolling_speeds(t), strict=True)
        )


class Bodies:
    """Balls in a World."""

    def __init__(self, dt: float, restitution: float, places: Sequence[Sequence[float]]) -> None:
        self.world = empty(dt, 0.0, restitution)
        self.balls: list[SingleBody] = []
        for place in places:
            self.balls.append(self.world.add_sphere(scenes.BALL_RADIUS, scenes.BALL_MASS))
            self.balls[-1].set_pose(position=place)
        self.start = self.energy()

    def step(self, n: int) -> None:
        self.world.step(n)

    def energy(self) -> float:
        """[J]"""
        return sum(b.kinetic_energy + b.potential_energy for b in self.balls)


class Elastic(Bodies):
    """Balls that bounce without loss; the squared error of the energy [J^2]."""

    def __init__(self, dt: float, places: Sequence[Sequence[float]]) -> None:
        super().__init__(dt, 1.0, places)

    def error(self, t: float) -> float:
        return (self.energy() - self.start) ** 2


class Piled(Bodies):
    """Balls that fall apart in a heap; the sum of squared overlaps [m^2]."""

    def __init__(self, dt: float) -> None:
        super().__init__(dt, 0.0, scenes.balls())

    def error(self, t: float) -> float:
        return scenes.overlaps(np.array([b.position for b in self.balls]))
