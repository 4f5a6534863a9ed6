"""The same chain of hinges in rbdyn, MuJoCo, Drake and DART: forward dynamics at given states.

Each class has `run`, a bare loop over the states; `answer`, the accelerations of the last of them; and `bytes`, what
one more place to simulate in takes from the heap (a State, MjData, Context or Skeleton).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

import rbdyn
from benchmarks.machine import optional
from benchmarks.resources.heap import bytes_in_use
from benchmarks.samples import Array

LINK, MASS, SIDE = 0.1, 1.0, 0.01  # [m] from joint to joint, [kg], [kg m^2]
Where = Sequence[tuple[Array, Array, Array]]  # q, v, tau


def axis(k: int) -> tuple[float, float, float]:
    """Hinges turn about x and y by turns."""
    return (1.0, 0.0, 0.0) if k % 2 == 0 else (0.0, 1.0, 0.0)


def offset(k: int) -> tuple[float, float, float]:
    """Where hinge k sits in the link before it [m]."""
    return (0.0, 0.0, -LINK if k else 0.0)


def chain(count: int) -> rbdyn.Mechanism:
    """Equal links, hanging down."""
    mechanism = rbdyn.Mechanism(rbdyn.RigidBody("world"))
    body = mechanism.root_body
    for k in range(count):
        link = rbdyn.RigidBody(f"link{k}", rbdyn.SpatialInertia(MASS, (0.0, 0.0, -LINK / 2), SIDE * np.eye(3)))
        joint = rbdyn.Joint(f"joint{k}", rbdyn.Revolute(axis(k)))
        mechanism.attach(body, link, joint, joint_pose=rbdyn.Transform(translation=offset(k)))
        body = link
    return mechanism


class Chain:
    """A chain of `count` joints in one engine."""

    name = ""
    answer: Array
    bytes: float | None = None

    def __init__(self, count: int) -> None:
        raise NotImplementedError

    def run(self, states: Where) -> None:
        """Forward dynamics at every state."""
        raise NotImplementedError

    def _weigh(self, before: int | None) -> None:
        after = bytes_in_use()
        self.bytes = None if before is None or after is None else after - before


class Rbdyn(Chain):
    name = "rbdyn"

    def __init__(self, count: int) -> None:
        self.model = rbdyn.Model(chain(count))
        rbdyn.State(self.model)  # what the first one caches is not counted
        before = bytes_in_use()
        self.state = rbdyn.State(self.model)
        self._weigh(before)
        self.answer = np.empty(count)

    def run(self, states: Where) -> None:
        for q, v, tau in states:
            self.state.set(q, v)
            rbdyn.forward_dynamics(self.state, tau, out=self.answer)


class MuJoCo(Chain):
    """Constraints off."""

    name = "mujoco"

    def __init__(self, count: int) -> None:
        mj: Any = optional("mujoco")
        spec = mj.MjSpec()
        body = spec.worldbody
        for k in range(count):
            body = body.add_body(pos=list(offset(k)))
            body.mass, body.ipos, body.inertia = MASS, [0.0, 0.0, -LINK / 2], [SIDE] * 3
            body.explicitinertial = True
            body.add_joint(type=mj.mjtJoint.mjJNT_HINGE, axis=axis(k))
        self.model = spec.compile()
        self.model.opt.disableflags = mj.mjtDisableBit.mjDSBL_CONSTRAINT | mj.mjtDisableBit.mjDSBL_CONTACT
        self.forward = mj.mj_forward
        before = bytes_in_use()
        self.data = mj.MjData(self.model)
        self._weigh(before)
        self.answer = self.data.qacc

    def run(self, states: Where) -> None:
        for q, v, tau in states:
            self.data.qpos[:] = q
            self.data.qvel[:] = v
            self.data.qfrc_applied[:] = tau
            self.forward(self.model, self.data)


class Drake(Chain):
    """A continuous MultibodyPlant."""

    name = "drake"

    def __init__(self, count: int) -> None:
        plants: Any = optional("pydrake.multibody.plant")
        trees: Any = optional("pydrake.multibody.tree")
        maths: Any = optional("pydrake.math")
        self.plant = plant = plants.MultibodyPlant(0.0)
        inertia = trees.SpatialInertia.MakeFromCentralInertia(
            MASS, [0.0, 0.0, -LINK / 2], trees.RotationalInertia(SIDE, SIDE, SIDE)
        )
        body = plant.world_body()
        for k in range(count):
            link = plant.AddRigidBody(f"link{k}", inertia)
            pose = maths.RigidTransform(list(offset(k)))
            before = plant.AddFrame(trees.FixedOffsetFrame(f"before{k}", body.body_frame(), pose))
            plant.AddJoint(trees.RevoluteJoint(f"joint{k}", before, link.body_frame(), axis(k)))
            body = link
        plant.Finalize()
        heap = bytes_in_use()
        self.context = plant.CreateDefaultContext()
        self._weigh(heap)
        self.tau = plant.get_applied_generalized_force_input_port()
        self.vd = plant.get_generalized_acceleration_output_port()

    def run(self, states: Where) -> None:
        plant, context = self.plant, self.context
        for q, v, tau in states:
            plant.SetPositions(context, q)
            plant.SetVelocities(context, v)
            self.tau.FixValue(context, tau)
            self.answer = self.vd.Eval(context)


class Dart(Chain):
    name = "dart"

    def __init__(self, count: int) -> None:
        dart: Any = optional("dartpy")
        before = bytes_in_use()
        self.skeleton = skeleton = dart.dynamics.Skeleton("chain")
        skeleton.setGravity([0.0, 0.0, -9.81])
        inertia = dart.dynamics.Inertia(MASS, [0.0, 0.0, -LINK / 2], SIDE * np.eye(3))
        body = None
        for k in range(count):
            joint, body = skeleton.createRevoluteJointAndBodyNodePair(*([] if body is None else [body]))
            joint.setAxis(axis(k))
            pose = np.eye(4)
            pose[:3, 3] = offset(k)
            joint.setTransformFromParentBodyNode(dart.math.Isometry3(pose))
            body.setInertia(inertia)
        self._weigh(before)  # a Skeleton is model and data in one

    def run(self, states: Where) -> None:
        for q, v, tau in states:
            self.skeleton.setPositions(q)
            self.skeleton.setVelocities(v)
            self.skeleton.setForces(tau)
            self.skeleton.computeForwardDynamics()
        self.answer = self.skeleton.getAccelerations()


PEERS = (("mujoco", MuJoCo), ("pydrake", Drake), ("dartpy", Dart))
