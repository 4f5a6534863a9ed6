"""Bullet through pybullet, with its default solver; damping off, as nobody else has any."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from benchmarks.machine import optional
from benchmarks.piles.engines.engine import Motion
from benchmarks.piles.scenes import DT, FRICTION, GRAVITY, Thing

bullet: Any = optional("pybullet")


class BulletEngine:
    """A physics server in this process."""

    def __init__(self, things: Sequence[Thing]) -> None:
        self.client = bullet.connect(bullet.DIRECT)
        bullet.setTimeStep(DT, physicsClientId=self.client)
        bullet.setGravity(0.0, 0.0, -GRAVITY, physicsClientId=self.client)
        plane = bullet.createCollisionShape(bullet.GEOM_PLANE, physicsClientId=self.client)
        self._material(bullet.createMultiBody(0.0, plane, physicsClientId=self.client))
        self.things = list(things)
        self.ids = [self._add(thing) for thing in things]

    def _material(self, body: int) -> None:
        """Bullet multiplies the coefficients of a pair."""
        bullet.changeDynamics(body, -1, lateralFriction=FRICTION**0.5, physicsClientId=self.client)

    def _add(self, thing: Thing) -> int:
        form: dict[str, Any] = {"radius": thing.size[0]}
        if thing.shape == "box":
            form = {"halfExtents": [0.5 * s for s in thing.size]}
        elif thing.shape != "sphere":
            form["height"] = thing.size[1]
        kind = getattr(bullet, f"GEOM_{thing.shape.upper()}")
        shape = bullet.createCollisionShape(kind, **form, physicsClientId=self.client)
        w, x, y, z = thing.orientation
        body: int = bullet.createMultiBody(
            0.0 if thing.static else thing.mass, shape, -1, thing.position, (x, y, z, w), physicsClientId=self.client
        )
        self._material(body)
        if not thing.static:
            bullet.changeDynamics(
                body,
                -1,
                linearDamping=0.0,
                angularDamping=0.0,
                localInertiaDiagonal=thing.inertia(),
                physicsClientId=self.client,
            )
            bullet.resetBaseVelocity(body, thing.velocity, (0.0, 0.0, 0.0), physicsClientId=self.client)
        return body

    def step(self) -> None:
        bullet.stepSimulation(physicsClientId=self.client)

    def motion(self) -> Motion:
        seen = Motion.empty(len(self.ids))
        for row, body in enumerate(self.ids):
            position, (x, y, z, w) = bullet.getBasePositionAndOrientation(body, physicsClientId=self.client)
            seen.position[row], seen.orientation[row] = position, (w, x, y, z)
            if not self.things[row].static:
                seen.velocity[row], seen.spin[row] = bullet.getBaseVelocity(body, physicsClientId=self.client)
        return seen
