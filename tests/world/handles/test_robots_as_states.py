"""Algorithms take a robot where they take its State."""

from types import SimpleNamespace

import numpy as np
import pytest

import rbdyn
from rbdyn import Prismatic, Revolute, Spherical
from rbdyn.world import World
from tests.algorithms.calls import OUTPUTS


@pytest.fixture(scope="module")
def robot():
    world = World()
    mechanism = rbdyn.rand_floating_tree_mechanism([Revolute, Prismatic, Spherical, Revolute, Revolute], seed=2)
    made = world.add_articulated_system(mechanism, "random", self_collision=False)
    rng = np.random.default_rng(1)
    made.set_state(made.model.random(rng), rng.normal(size=made.nv))
    yield made
    del world


@pytest.mark.parametrize("name", [name for name in OUTPUTS if name not in ("integrate", "difference")])
def test_a_robot_is_its_state(robot, name):
    rng = np.random.default_rng(2)
    system = {"vd": rng.normal(size=robot.nv), "tau": rng.normal(size=robot.nv)}
    expected = np.array(OUTPUTS[name](SimpleNamespace(state=robot.state, **system), None))
    found = np.array(OUTPUTS[name](SimpleNamespace(state=robot, **system), None))
    np.testing.assert_array_equal(found, expected)
    assert np.abs(expected).max() > 1e-9


def test_those_without_arrays_too(robot):
    assert rbdyn.kinetic_energy(robot) == rbdyn.kinetic_energy(robot.state) > 0.0
    assert rbdyn.composite_inertia(robot, "body2") == rbdyn.composite_inertia(robot.state, "body2")
    np.testing.assert_array_equal(rbdyn.frame_poses(robot, ["body2"])[0], rbdyn.body_pose(robot.state, "body2"))
    np.testing.assert_array_equal(rbdyn.sparse_point_jacobian(robot, "body2").dense(),
                                  rbdyn.point_jacobian(robot.state, "body2"))  # fmt: skip


@pytest.mark.parametrize("wrong", [None, 3, "robot", rbdyn.World, object()])
def test_anything_else_is_refused(wrong):
    with pytest.raises(TypeError, match="state must be a State, or a robot"):
        rbdyn.mass_matrix(wrong)


def test_simulate_looks_ahead_of_a_robot_and_leaves_it(robot):
    """What moves is a copy, with the World's gravity and the place of the base; between half steps, too."""
    world, q, v = robot.world, robot.q, robot.v
    seen = []

    def control(t, state):
        seen.append(state)
        return np.zeros(robot.nv)

    expected = rbdyn.simulate(robot.state.copy(), 0.05)
    assert np.abs(expected.q[-1] - q).max() > 0.01
    for begin, end in ((lambda: None, lambda: None), (world.integrate1, world.integrate2)):
        begin()
        way = rbdyn.simulate(robot, 0.05, control=control)
        np.testing.assert_array_equal(way.q, expected.q)
        np.testing.assert_array_equal(way.v, expected.v)
        np.testing.assert_array_equal(robot.q, q)
        np.testing.assert_array_equal(robot.v, v)
        assert world.time == 0.0
        end()
    assert all(state is not robot.state for state in seen)
