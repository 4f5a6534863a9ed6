"""Bias forces and potential energy in a gravity that the caller gives."""

import numpy as np
import pytest

import rbdyn
from rbdyn.testing import random_tree

G = np.array([0.3, -0.7, -1.62])


def two(seed):
    """A State, and one of a mechanism whose own gravity is the one to be given."""
    m = random_tree(np.random.default_rng([seed, 3]), 12)
    other = m.copy()
    other.gravity = G
    a, b = rbdyn.State(rbdyn.Model(m)), rbdyn.State(rbdyn.Model(other))
    rng = np.random.default_rng(seed)
    q, v = a.model.random(rng), rng.normal(size=a.model.nv)
    a.set(q, v)
    b.set(q, v)
    return a, b


def test_it_is_that_of_a_mechanism_in_such_a_gravity(seed):
    a, b = two(seed)
    own, energy = rbdyn.bias_forces(a), rbdyn.potential_energy(a)
    assert np.array_equal(rbdyn.bias_forces(a, gravity=G), rbdyn.bias_forces(b))
    assert rbdyn.potential_energy(a, gravity=G) == rbdyn.potential_energy(b)
    out = np.empty(a.model.nv)
    assert rbdyn.bias_forces(a, out=out, gravity=list(G)) is out and np.array_equal(out, rbdyn.bias_forces(b))
    assert np.abs(own - rbdyn.bias_forces(b)).max() > 0.1
    assert np.array_equal(rbdyn.bias_forces(a), own) and rbdyn.potential_energy(a) == energy


def test_it_is_the_gradient_of_the_energy(seed):
    """At rest h is dE/dq; and at a body of mass m and height z it is m g z."""
    a, _ = two(seed)
    q, n = a.q.copy(), a.model.nv
    a.set(q, np.zeros(n))
    h, slope, eps = rbdyn.bias_forces(a, gravity=G), np.empty(n), 1e-6
    for k in range(n):
        ends = []
        for sign in (1.0, -1.0):
            a.set(rbdyn.integrate(a.model, q, sign * eps * np.eye(n)[k]), np.zeros(n))
            ends.append(rbdyn.potential_energy(a, gravity=G))
        slope[k] = (ends[0] - ends[1]) / (2.0 * eps)
    assert np.allclose(h, slope, atol=2e-7 * (1.0 + np.abs(h).max()))


def test_it_is_in_world_axes_where_the_root_is_tilted():
    world = rbdyn.World(1e-3)
    m = rbdyn.Mechanism(rbdyn.RigidBody("root"))
    arm = rbdyn.RigidBody("arm", rbdyn.SpatialInertia(2.0, (0, 0, -0.5)))
    m.attach("root", arm, rbdyn.Joint("j", rbdyn.Revolute((0, 1, 0))))
    robot = world.add_articulated_system(m)
    robot.set_base_pose((0, 0, 0), rbdyn.Transform(rpy=(0.0, np.pi / 2, 0.0)).rotation)
    assert rbdyn.bias_forces(robot.state, gravity=(0, 0, -1.62)) == pytest.approx([2.0 * 1.62 * 0.5], abs=1e-14)
    assert rbdyn.bias_forces(robot.state, gravity=(-1.62, 0, 0)) == pytest.approx([0.0], abs=1e-14)
    assert rbdyn.potential_energy(robot.state, gravity=(-1.62, 0, 0)) == pytest.approx(-2.0 * 1.62 * 0.5, abs=1e-14)
    world.gravity = (0, 0, -1.62)
    assert rbdyn.bias_forces(robot.state) == pytest.approx([2.0 * 1.62 * 0.5], abs=1e-14)


@pytest.mark.parametrize("gravity", [(0, 0), (0, 0, np.nan), "down", 9.81])
@pytest.mark.parametrize("call", [rbdyn.bias_forces, rbdyn.potential_energy])
def test_bad_ones_are_refused(call, gravity):
    a, _ = two(1)
    before = rbdyn.bias_forces(a)
    with pytest.raises(rbdyn.Error, match="gravity"):
        call(a, gravity=gravity)
    assert np.array_equal(rbdyn.bias_forces(a), before)
