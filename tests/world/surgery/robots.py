"""Robots to be cut and joined: floating chains and trees, whose names begin with a letter of their own."""

import numpy as np

import rbdyn
from rbdyn import Floating, Joint, Mechanism, Prismatic, Revolute, RigidBody, SpatialInertia, Spherical, Transform
from rbdyn.collision import Box
from rbdyn.mechanism import Geometry

KINDS = (Revolute((0, 1, 0)), Revolute((0.6, 0.0, 0.8)), Prismatic((1, 0, 0)), Spherical())


def link(name, rng, shapes=True):
    """A body of random inertia, with a box."""
    lengths = rng.uniform(0.05, 0.2, 3)
    mass = rng.uniform(0.5, 2.0)
    inertia = np.diag(mass / 3.0 * (lengths @ lengths - lengths**2))
    geometry = [Geometry(Box(tuple(lengths)), name=f"{name}/0")] if shapes else []
    return RigidBody(name, SpatialInertia(mass, rng.uniform(-0.05, 0.05, 3), inertia), geometry)


def floating(letter, n, seed, kinds=KINDS, floats=True):
    """A tree of n bodies on a floating base: bodies "a0", "a1", ..., joints "a0_j", ..."""
    rng = np.random.default_rng([seed, n, ord(letter)])
    m = Mechanism(RigidBody(f"{letter}_world"))
    bodies = [link(f"{letter}0", rng)]
    base = Floating() if floats else rbdyn.Fixed()
    m.attach(m.root_body, bodies[0], Joint(f"{letter}_base", base))
    for k in range(1, n):
        parent = bodies[int(rng.integers(max(0, k - 2), k))]
        body = link(f"{letter}{k}", rng)
        joint = Joint(f"{letter}{k}_j", kinds[int(rng.integers(len(kinds)))])
        turn = rng.normal(size=4)
        m.attach(
            parent,
            body,
            joint,
            Transform(quat=turn / np.linalg.norm(turn), translation=rng.uniform(-0.3, 0.3, 3)),
            Transform(translation=rng.uniform(-0.2, 0.2, 3)),
        )
        bodies.append(body)
    return m


def moving(world, mechanism, seed, at=(0.0, 0.0, 0.0)):
    """The mechanism added to a World, at a random configuration near a place, at speed."""
    rng = np.random.default_rng([seed, 7])
    robot = world.add_articulated_system(mechanism)
    q = robot.model.random(rng)
    if robot.model.floating_base:
        q[:3] = np.asarray(at) + rng.uniform(-0.1, 0.1, 3)
    robot.set_state(q, rng.normal(size=robot.nv))
    return robot


def weightless(dt=1e-3):
    """A World without gravity."""
    return rbdyn.World(dt, gravity=(0.0, 0.0, 0.0))
