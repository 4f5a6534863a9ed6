"""Solving with the mass matrix: against Newton and Euler, in trees small and deep, of all joint types."""

import numpy as np
import pytest
from algorithms.systems import in_motion
from reference.compare import close, nontrivial

import rbdyn
from rbdyn.testing.random_mechanisms import ALL_TYPES, rand_tree_mechanism, random_tree


def deep(seed, joints=40):
    """A trunk of all joint types with side branches, and rotors on every joint but the floating ones."""
    rng = np.random.default_rng([seed, 31])
    types = [ALL_TYPES[int(k)] for k in rng.integers(len(ALL_TYPES), size=joints)]
    mechanism = rand_tree_mechanism(types, lambda m: m.bodies[max(0, len(m.bodies) - int(rng.integers(1, 4)))])
    return in_motion(rng, mechanism)


@pytest.mark.parametrize("kind", ["deep", "chain", "small"])
def test_what_newton_and_euler_make_of_the_solution_is_the_right_side(seed, kind):
    rng = np.random.default_rng([seed, 32])
    if kind == "deep":
        s = deep(seed)
    else:
        s = in_motion(rng, random_tree(rng, 7)) if kind == "small" else deep(seed, 25)
    b = rng.normal(size=s.model.nv)
    x = rbdyn.solve_mass_matrix(s.state, b)
    nontrivial(x)
    still = rbdyn.inverse_dynamics(at_rest(s), x) - rbdyn.inverse_dynamics(at_rest(s), 0 * x)
    close(still, b, 1e-8)
    inverse = rbdyn.inverse_mass_matrix(s.state)
    close(rbdyn.mass_matrix(s.state) @ inverse, np.eye(s.model.nv), 1e-8)
    close(inverse @ b, x, 1e-8)


def at_rest(s):
    state = rbdyn.State(s.model)
    state.set(s.state.q, np.zeros(s.model.nv))
    return state


def test_right_side_and_result_may_be_one_array(seed):
    s = deep(seed)
    b = np.random.default_rng(seed).normal(size=s.model.nv)
    expected = rbdyn.solve_mass_matrix(s.state, b)
    result = rbdyn.solve_mass_matrix(s.state, b, out=b)
    assert result is b
    np.testing.assert_array_equal(result, expected)


def test_velocities_known_to_the_state_stay_known():
    """A solve between two calls that need velocities changes neither."""
    s = deep(3)
    before = rbdyn.bias_forces(s.state)
    rbdyn.solve_mass_matrix(s.state, np.ones(s.model.nv))
    rbdyn.inverse_mass_matrix(s.state)
    np.testing.assert_array_equal(rbdyn.bias_forces(s.state), before)


@pytest.mark.parametrize("call", [rbdyn.inverse_mass_matrix, lambda s: rbdyn.solve_mass_matrix(s, np.ones(60))])
def test_a_hinge_without_inertia_at_the_end_of_a_long_chain_is_named(call):
    m = rbdyn.Mechanism(rbdyn.RigidBody("world"))
    solid = rbdyn.SpatialInertia(1.0, (0, 0, -0.1), 0.01 * np.eye(3))
    below = rbdyn.Transform(translation=(0, 0, -0.2))
    for k in range(60):
        inertia = solid if k < 59 else rbdyn.SpatialInertia(0.0, (0, 0, 0), np.zeros((3, 3)))
        joint = rbdyn.Joint(f"j{k}", rbdyn.Revolute((1, 0, 0) if k % 2 else (0, 1, 0)))
        m.attach(m.bodies[-1], rbdyn.RigidBody(f"b{k}", inertia), joint, below)
    with pytest.raises(rbdyn.errors.MechanismError, match="'j59' moves no inertia"):
        call(rbdyn.State(rbdyn.Model(m)))
