"""DART through dartpy, with Bullet's detector and its default constraint solver."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from benchmarks.machine import optional
from benchmarks.piles.engines.engine import Motion
from benchmarks.piles.scenes import DT, FRICTION, GRAVITY, Thing

dart: Any = optional("dartpy")


def _shape(thing: Thing) -> Any:
    if thing.shape == "box":
        return dart.dynamics.BoxShape(np.array(thing.size))
    return getattr(dart.dynamics, f"{thing.shape.capitalize()}Shape")(*thing.size)


def _pose(thing: Thing) -> Any:
    pose = dart.math.Isometry3()
    pose.set_quaternion(dart.math.Quaternion(*thing.orientation))
    pose.set_translation(np.array(thing.position))
    return pose


class DartEngine:
    """A dartpy World."""

    def __init__(self, things: Sequence[Thing]) -> None:
        self.world = dart.simulation.World()
        self.world.setTimeStep(DT)
        self.world.setGravity(np.array([0.0, 0.0, -GRAVITY]))
        self.world.getConstraintSolver().setCollisionDetector(dart.collision.BulletCollisionDetector())
        self._ground()
        self.things = list(things)
        self.bodies = [self._add(thing, f"thing{k}") for k, thing in enumerate(things)]

    def _ground(self) -> None:
        """A box: Bullet's detector has no planes here."""
        self._add(Thing("box", (200.0, 200.0, 2.0), 1.0, (0.0, 0.0, -1.0), static=True), "ground")

    def _add(self, thing: Thing, name: str) -> Any:
        skeleton = dart.dynamics.Skeleton(name)
        if thing.static:
            joint, body = skeleton.createWeldJointAndBodyNodePair()
            joint.setTransformFromParentBodyNode(_pose(thing))
        else:
            joint, body = skeleton.createFreeJointAndBodyNodePair()
            body.setInertia(dart.dynamics.Inertia(thing.mass, np.zeros(3), np.diag(thing.inertia())))
            joint.setRelativeTransform(_pose(thing))
            skeleton.setVelocities(np.array([0.0, 0.0, 0.0, *_turned_back(thing)]))
        node = body.createShapeNode(_shape(thing))
        node.createCollisionAspect()
        node.createDynamicsAspect().setFrictionCoeff(FRICTION)
        self.world.addSkeleton(skeleton)
        return body

    def step(self) -> None:
        self.world.step()

    def motion(self) -> Motion:
        seen = Motion.empty(len(self.bodies))
        for row, body in enumerate(self.bodies):
            pose = body.getWorldTransform()
            seen.position[row] = pose.translation()
            seen.orientation[row] = pose.quaternion().wxyz()
            seen.velocity[row] = body.getLinearVelocity()
            seen.spin[row] = body.getAngularVelocity()
        return seen


def _turned_back(thing: Thing) -> Any:
    """The velocity in the body's own axes, in which a free joint has it."""
    return _pose(thing).rotation().T @ np.array(thing.velocity)
