"""Drake's MultibodyPlant, discrete, with point contact and its default (SAP) solver."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from benchmarks.machine import optional
from benchmarks.piles.engines.engine import Motion
from benchmarks.piles.scenes import DT, FRICTION, GRAVITY, Thing

drake: Any = optional("pydrake.all")


def _shape(thing: Thing) -> Any:
    return getattr(drake, thing.shape.capitalize())(*thing.size)


def _pose(thing: Thing) -> Any:
    return drake.RigidTransform(drake.Quaternion(thing.orientation), thing.position)


class DrakeEngine:
    """A plant, its geometry and a simulator."""

    def __init__(self, things: Sequence[Thing]) -> None:
        builder = drake.DiagramBuilder()
        config = drake.MultibodyPlantConfig(time_step=DT, discrete_contact_approximation="sap")
        config.contact_model = "point"
        self.plant, _ = drake.AddMultibodyPlant(config, builder)
        self.plant.mutable_gravity_field().set_gravity_vector([0.0, 0.0, -GRAVITY])
        self.rubs = drake.CoulombFriction(FRICTION, FRICTION)
        world = self.plant.world_body()
        self.plant.RegisterCollisionGeometry(world, drake.RigidTransform(), drake.HalfSpace(), "ground", self.rubs)
        self.things = list(things)
        self.bodies = [self._add(thing, f"thing{k}") for k, thing in enumerate(things)]
        self.plant.Finalize()
        diagram = builder.Build()
        self.simulator = drake.Simulator(diagram)
        self.context = self.plant.GetMyMutableContextFromRoot(self.simulator.get_mutable_context())
        for thing, body in zip(self.things, self.bodies, strict=True):
            if not thing.static:
                self.plant.SetFreeBodyPose(self.context, body, _pose(thing))
                speed = drake.SpatialVelocity(np.zeros(3), np.array(thing.velocity))
                self.plant.SetFreeBodySpatialVelocity(context=self.context, body=body, V_JpJc=speed)
        self.simulator.Initialize()
        self.steps = 0

    def _add(self, thing: Thing, name: str) -> Any:
        if thing.static:
            body, pose = self.plant.world_body(), _pose(thing)
        else:
            moments = np.array(thing.inertia()) / thing.mass
            inertia = drake.SpatialInertia(thing.mass, np.zeros(3), drake.UnitInertia(*moments))
            body, pose = self.plant.AddRigidBody(name, inertia), drake.RigidTransform()
        self.plant.RegisterCollisionGeometry(body, pose, _shape(thing), name, self.rubs)
        return body

    def step(self) -> None:
        self.steps += 1
        self.simulator.AdvanceTo(self.steps * DT)

    def motion(self) -> Motion:
        seen = Motion.empty(len(self.bodies))
        for row, (thing, body) in enumerate(zip(self.things, self.bodies, strict=True)):
            if thing.static:
                seen.position[row], seen.orientation[row] = thing.position, thing.orientation
                continue
            pose = self.plant.EvalBodyPoseInWorld(self.context, body)
            twist = self.plant.EvalBodySpatialVelocityInWorld(self.context, body)
            seen.position[row] = pose.translation()
            seen.orientation[row] = pose.rotation().ToQuaternion().wxyz()
            seen.velocity[row], seen.spin[row] = twist.translational(), twist.rotational()
        return seen
