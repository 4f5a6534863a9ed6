"""Mechanisms far from their root: what does not depend on where they are keeps its digits there."""

import numpy as np

import rbdyn
from rbdyn import Joint, Mechanism, Model, Prismatic, Revolute, RigidBody, SpatialInertia, State
from rbdyn.testing.random_mechanisms import random_inertia, random_transform


def rover(seed):
    """An arm of five hinges on two rails, of kilograms and decimetres."""
    rng = np.random.default_rng(seed)
    m = Mechanism(RigidBody("ground"))
    for name, axis in (("east", (1, 0, 0)), ("north", (0, 1, 0))):
        rail = RigidBody(name, SpatialInertia(20.0, (0, 0, 0.1), np.eye(3)))
        m.attach(m.bodies[-1], rail, Joint(name, Prismatic(axis)))
    for k in range(5):
        link = RigidBody(f"link{k}", random_inertia(rng))
        m.attach(m.bodies[-1], link, Joint(f"hinge{k}", Revolute(rng.normal(size=3))), random_transform(rng))
    return Model(m)


def falling(state):
    return rbdyn.forward_dynamics(state, np.zeros(state.model.nv))


def test_a_mass_matrix_does_not_know_how_far_the_rails_go(seed):
    """On Earth's grids, robots stand at four thousand kilometres."""
    model = rover(seed)
    near, far = State(model), State(model)
    q = model.random(seed)
    near.set([0.0, 0.0, *q[2:]], np.ones(7))
    far.set([5e5, 4e6, *q[2:]], np.ones(7))
    for call in (rbdyn.mass_matrix, rbdyn.inverse_mass_matrix, rbdyn.bias_forces, falling):
        expected = call(near)
        assert np.abs(expected).max() > 0.1
        np.testing.assert_allclose(call(far), expected, rtol=1e-12, atol=1e-12 * np.abs(expected).max())
