"""rbdyn, with its default solver or with few sweeps in substeps."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from benchmarks.piles.engines.engine import Motion
from benchmarks.piles.scenes import DT, FRICTION, Thing
from rbdyn.contact import BisectionSolver
from rbdyn.world import World


class RbdynEngine:
    """A World."""

    def __init__(
        self, things: Sequence[Thing], substeps: int = 1, sweeps: int | None = None, sleeping: bool = False
    ) -> None:
        contact = "bisection" if sweeps is None else BisectionSolver(max_iterations=sweeps)
        self.world = World(DT, contact=contact, substeps=substeps)
        self.world.set_default_material(friction=FRICTION)
        self.world.add_ground()
        self.bodies = [self._add(thing) for thing in things]
        self.world.sleeping = sleeping
        self.iterations: list[int] = []
        self.unconverged = 0

    def _add(self, thing: Thing) -> Any:
        add = getattr(self.world, f"add_{thing.shape}")
        body = add(*thing.size, mass=thing.mass)
        np.testing.assert_allclose(np.diag(body.inertia), thing.inertia(), rtol=1e-12)
        body.set_pose(thing.position, thing.orientation)
        if thing.static:
            body.body_type = "static"
        else:
            body.set_velocity(thing.velocity)
        return body

    def step(self) -> None:
        self.world.step()

    def note(self) -> None:
        """Count the sweeps of the step that was done."""
        self.iterations.append(self.world.contact.iterations)
        self.unconverged += not self.world.contact.converged

    def motion(self) -> Motion:
        bodies = self.bodies
        return Motion(
            np.array([b.position for b in bodies]),
            np.array([b.orientation for b in bodies]),
            np.array([b.linear_velocity for b in bodies]),
            np.array([b.angular_velocity for b in bodies]),
        )
