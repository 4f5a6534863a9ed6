"""Robots with few bodies, whose motions are known in closed form."""

import numpy as np

import rbdyn
from rbdyn.collision import Box
from rbdyn.spatial.transform import Transform


def free_body(inertia=(0.02, 0.02, 0.02), mass=1.5, collision=()):
    """One body on a floating joint."""
    world = rbdyn.RigidBody("world")
    body = rbdyn.RigidBody("body", rbdyn.SpatialInertia(mass, inertia=np.diag(inertia)), collision)
    mechanism = rbdyn.Mechanism(world)
    mechanism.name = "free"
    mechanism.attach(world, body, rbdyn.Joint("ROOT", rbdyn.Floating()))
    return mechanism


def slider(axis, mass=2.0):
    """A body that slides along an axis of the world."""
    world = rbdyn.RigidBody("world")
    body = rbdyn.RigidBody("body", rbdyn.SpatialInertia(mass, inertia=0.1 * np.eye(3)))
    mechanism = rbdyn.Mechanism(world)
    mechanism.name = "slider"
    mechanism.attach(world, body, rbdyn.Joint("slide", rbdyn.Prismatic(axis=axis)))
    return mechanism


def stack(tool_fixed):
    """A box on the ground with a mast, a turning or fixed wrist, a tool and a fixed weight at its end."""
    world = rbdyn.RigidBody("world")
    mechanism = rbdyn.Mechanism(world)
    mechanism.name = "stack"
    box = rbdyn.Geometry(Box((0.4, 0.4, 0.2)), name="base")
    base = rbdyn.RigidBody("base", rbdyn.SpatialInertia(5.0, inertia=0.1 * np.eye(3)), [box])
    tool = rbdyn.RigidBody("tool", rbdyn.SpatialInertia(0.7, com=(0.05, 0.02, 0.1), inertia=0.004 * np.eye(3)))
    tip = rbdyn.RigidBody("tip", rbdyn.SpatialInertia(0.3, com=(0.0, 0.0, 0.04), inertia=0.001 * np.eye(3)))
    mechanism.attach(world, base, rbdyn.Joint("ROOT", rbdyn.Floating()))
    kind = rbdyn.Fixed() if tool_fixed else rbdyn.Revolute(axis=(0, 0, 1))
    at = Transform(rpy=(0.3, -0.2, 0.5), translation=(0.02, 0.01, 0.15))
    mechanism.attach(base, tool, rbdyn.Joint("wrist", kind), joint_pose=at)
    mechanism.attach(tool, tip, rbdyn.Joint("flange", rbdyn.Fixed()), joint_pose=Transform(translation=(0.0, 0.0, 0.2)))
    return mechanism
