"""Mechanisms with closed loops in Drake: a discrete MultibodyPlant with its SAP solver and ball constraints.

A ball constraint on the world itself ends Drake 1.51 in a fault of memory, so that loops end on a body welded to it.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from benchmarks.machine import optional
from benchmarks.samples import Array
from rbdyn import Floating, Joint, Mechanism, Prismatic, Revolute, RigidBody, Spherical, Transform

drake: Any = optional("pydrake.all")


def _pose(pose: Transform) -> Any:
    return drake.RigidTransform(drake.RotationMatrix(np.array(pose.rotation)), np.array(pose.translation))


def _inertia(body: RigidBody) -> Any:
    J = np.array(body.inertia.inertia)
    moments = drake.RotationalInertia(*np.diag(J), J[0, 1], J[0, 2], J[1, 2])
    return drake.SpatialInertia.MakeFromCentralInertia(body.inertia.mass, np.array(body.inertia.com), moments)


class Drake:
    """The plant and its simulator; v and q as MuJoCo writes them, joint after joint of the tree."""

    def __init__(self, m: Mechanism, q: Array, v: Array, dt: float, steps: int) -> None:
        config = drake.MultibodyPlantConfig(time_step=dt, discrete_contact_approximation="sap")
        builder = drake.DiagramBuilder()
        self.plant, _ = drake.AddMultibodyPlant(config, builder)
        self.dt, self.steps = dt, steps
        self.bodies = {m.root_body: self.plant.world_body()}
        self.joints = [self._add(m, joint) for joint in m.tree_joints]
        some = drake.SpatialInertia.SolidSphereWithMass(1.0, 1.0)  # what it is matters not
        self.bodies[m.root_body] = anchor = self.plant.AddRigidBody("anchor", some)
        self.plant.WeldFrames(self.plant.world_frame(), anchor.body_frame())
        self.pins = [self._pin(m, joint) for joint in m.non_tree_joints]
        self.plant.Finalize()
        self.diagram = builder.Build()
        self.simulator = drake.Simulator(self.diagram)
        self.context = self.plant.GetMyMutableContextFromRoot(self.simulator.get_mutable_context())
        self._set(q, v)
        self.begin_q, self.begin_v = self.plant.GetPositions(self.context), self.plant.GetVelocities(self.context)

    def _add(self, m: Mechanism, joint: Joint) -> Any:
        edge, kind, name = m.edge(joint), joint.joint_type, joint.name
        body = self.plant.AddRigidBody(edge.successor.name, _inertia(edge.successor))
        self.bodies[edge.successor] = body
        if isinstance(kind, Floating):
            return body
        before = self.bodies[edge.predecessor].body_frame()
        before = self.plant.AddFrame(drake.FixedOffsetFrame(f"before {name}", before, _pose(edge.joint_pose)))
        ends = (f"joint {name}", before, body.body_frame())
        if isinstance(kind, Spherical):
            return self.plant.AddJoint(drake.BallRpyJoint(*ends))
        made = {Revolute: drake.RevoluteJoint, Prismatic: drake.PrismaticJoint}[type(kind)]
        return self.plant.AddJoint(made(*ends, np.array(kind.axis)))

    def _pin(self, m: Mechanism, joint: Joint) -> tuple[Any, Array, Any, Array]:
        edge = m.edge(joint)
        places = np.array(edge.joint_pose.translation), np.array(edge.successor_pose.inverse().translation)
        a, b = self.bodies[edge.predecessor], self.bodies[edge.successor]
        self.plant.AddBallConstraint(body_A=a, p_AP=places[0], body_B=b, p_BQ=places[1])
        return a, places[0], b, places[1]

    def _set(self, q: Array, v: Array) -> None:
        """From MuJoCo's q and v, whose free joints turn in axes of the body."""
        i = j = 0
        for joint in self.joints:
            if isinstance(joint, drake.RigidBody):
                R = drake.RotationMatrix(drake.Quaternion(q[i + 3 : i + 7]))
                self.plant.SetFreeBodyPose(self.context, joint, drake.RigidTransform(R, q[i : i + 3]))
                speed = drake.SpatialVelocity(R @ v[j + 3 : j + 6], v[j : j + 3])
                self.plant.SetFreeBodySpatialVelocity(context=self.context, body=joint, V_JpJc=speed)
                i, j = i + 7, j + 6
            elif isinstance(joint, drake.BallRpyJoint):
                R = drake.RotationMatrix(drake.Quaternion(q[i : i + 4]))
                joint.set_angles(self.context, drake.RollPitchYaw(R).vector())
                joint.set_angular_velocity(self.context, R @ v[j : j + 3])
                i, j = i + 4, j + 3
            else:
                positions, velocities = self.plant.GetPositions(self.context), self.plant.GetVelocities(self.context)
                positions[joint.position_start()], velocities[joint.velocity_start()] = q[i], v[j]
                self.plant.SetPositions(self.context, positions)
                self.plant.SetVelocities(self.context, velocities)
                i, j = i + 1, j + 1

    def begin(self) -> None:
        """At the start."""
        self.simulator.get_mutable_context().SetTime(0.0)
        self.plant.SetPositions(self.context, self.begin_q)
        self.plant.SetVelocities(self.context, self.begin_v)
        self.simulator.Initialize()

    def run(self) -> None:
        """From the start."""
        self.begin()
        self.simulator.AdvanceTo(self.steps * self.dt)

    def open(self) -> float:
        """How far loops are open at most on the way [m]."""
        self.begin()
        worst = 0.0
        for k in range(self.steps):
            self.simulator.AdvanceTo((k + 1) * self.dt)
            for a, p, b, q in self.pins:
                ends = [self.plant.EvalBodyPoseInWorld(self.context, x) @ y for x, y in ((a, p), (b, q))]
                worst = max(worst, float(np.abs(ends[0] - ends[1]).max()))
        return worst

    def place(self, body: str) -> Array:
        """Where a body is now [m]."""
        pose = self.plant.EvalBodyPoseInWorld(self.context, self.plant.GetBodyByName(body))
        where: Array = pose.translation()
        return where
