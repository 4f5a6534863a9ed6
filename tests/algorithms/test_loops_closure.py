"""Projection onto the loops: of configurations, and of velocities."""

import numpy as np
import pytest
from algorithms.loop_systems import looped
from algorithms.systems import random_system
from reference import loop_oracle
from reference.compare import close, nontrivial

import rbdyn
from rbdyn.mechanism import Fixed, Floating, Planar, Prismatic, Revolute, Spherical
from rbdyn.testing.random_mechanisms import add_random_loops, random_tree


@pytest.mark.parametrize("size", [1e-9, 1e-3, 0.1, 0.5])
def test_configurations_near_a_closed_one_close(seed, size):
    s = looped(seed, 2)
    start = rbdyn.integrate(s.model, s.state.q, size * s.rng.normal(size=s.model.nv))
    q = rbdyn.project_configuration(s.model, start)
    s.state.set(q)
    close(q, s.state.q, 1e-15)  # of unit quaternions
    assert np.abs(rbdyn.loop_error(s.state)).max() <= 1e-12
    assert np.linalg.norm(rbdyn.difference(s.model, start, q)) < 40 * size * np.sqrt(s.model.nv)


def test_small_errors_are_closed_by_the_shortest_way(seed):
    """To first order the step is -K^+ e; what is closed already does not move at all."""
    s = looped(seed, 2)
    np.testing.assert_array_equal(rbdyn.project_configuration(s.model, s.state.q), s.state.q)
    start = rbdyn.State(s.model)
    start.set(rbdyn.integrate(s.model, s.state.q, 1e-5 * s.rng.normal(size=s.model.nv)))
    expected = -np.linalg.pinv(rbdyn.loop_jacobian(start), rcond=1e-9) @ rbdyn.loop_error(start)
    step = rbdyn.difference(s.model, start.q, rbdyn.project_configuration(start))
    nontrivial(expected, 1e-7)
    K = rbdyn.loop_jacobian(start)
    if np.linalg.matrix_rank(K, tol=1e-3) == len(K):
        close(step, expected, 1e-2, floor=1e-7)


def test_the_last_steps_are_quadratic(seed):
    """Errors of 1e-4 are gone in four steps; halves of steps would take thirty."""
    s = looped(seed, 1, joint_types=[Revolute, Spherical], n=8)
    start = rbdyn.integrate(s.model, s.state.q, 1e-4 * s.rng.normal(size=s.model.nv))
    rbdyn.project_configuration(s.model, start, max_iterations=4)


def test_most_far_configurations_close():
    """From anywhere at all: not promised, but usual."""
    closed = 0
    for seed in range(30):
        s = looped(seed, 1, joint_types=[Revolute, Spherical, Prismatic, Planar])
        try:
            q = rbdyn.project_configuration(s.model, s.model.random(s.rng), max_iterations=200)
        except rbdyn.LoopError:
            continue
        s.state.set(q)
        assert np.abs(rbdyn.loop_error(s.state)).max() <= 1e-12
        closed += 1
    assert closed >= 24


@pytest.mark.parametrize("kind", [Revolute((0, 0, 1)), Planar(), Fixed(), Prismatic((0, 0, 1))])
def test_half_a_turn_is_no_place_to_stay(kind):
    """A joint that faces the wrong way is rotated by pi, not accepted."""
    m = rbdyn.Mechanism(rbdyn.RigidBody("world"))
    body = rbdyn.RigidBody("body", rbdyn.SpatialInertia(1.0))
    m.attach(m.root_body, body, rbdyn.Joint("base", Floating()))
    m.attach(m.root_body, body, rbdyn.Joint("loop", kind))
    model = rbdyn.Model(m)
    q = rbdyn.project_configuration(model, [0, 0, 0, 0, 1, 0, 0])
    state = rbdyn.State(model)
    state.set(q)
    close(rbdyn.loop_error(state), np.zeros(model.num_constraints), 1e-12)
    close(rbdyn.body_pose(state, "body")[2, 2], 1.0, 1e-12)


@pytest.mark.parametrize("bend", [1e-3, 1e-6])
def test_a_stretched_arm_does_not_spin(bend):
    """Next to a singularity the undamped step is 1 / bend: many turns."""
    m = rbdyn.Mechanism(rbdyn.RigidBody("world"))
    along = rbdyn.Transform(translation=(1, 0, 0))
    upper, lower = (rbdyn.RigidBody(name, rbdyn.SpatialInertia(1.0)) for name in ("upper", "lower"))
    m.attach(m.root_body, upper, rbdyn.Joint("shoulder", Revolute((0, 0, 1))))
    m.attach(upper, lower, rbdyn.Joint("elbow", Revolute((0, 0, 1))), along)
    goal = rbdyn.Transform(translation=(1.5, 0, 0))
    m.attach(m.root_body, lower, rbdyn.Joint("pin", Spherical()), goal, along.inverse())
    q = rbdyn.project_configuration(rbdyn.Model(m), [0.0, bend])
    close(q, [-np.arccos(0.75), 2 * np.arccos(0.75)], 1e-11)


def out_of_reach():
    m = rbdyn.Mechanism(rbdyn.RigidBody("world"))
    arm = rbdyn.RigidBody("arm", rbdyn.SpatialInertia(1.0, (0.5, 0, 0), np.eye(3) * 0.1))
    m.attach(m.root_body, arm, rbdyn.Joint("hinge", Revolute((0, 0, 1))))
    m.attach(m.root_body, arm, rbdyn.Joint("near", Spherical()))
    m.attach(
        m.root_body,
        arm,
        rbdyn.Joint("far_pin", Spherical()),
        rbdyn.Transform(translation=(3, 0, 0)),
        rbdyn.Transform(translation=(-1, 0, 0)),
    )
    return rbdyn.Model(m)


def test_what_cannot_be_closed_is_named():
    with pytest.raises(rbdyn.LoopError, match="'far_pin' is still open by 0 rad and 2 m"):
        rbdyn.project_configuration(out_of_reach(), [0.3])


def test_the_number_of_steps_is_kept():
    s = looped(3, 2)
    start = rbdyn.integrate(s.model, s.state.q, 0.1 * s.rng.normal(size=s.model.nv))
    with pytest.raises(rbdyn.LoopError, match="after 1 steps"):
        rbdyn.project_configuration(s.model, start, max_iterations=1)
    with pytest.raises(rbdyn.LoopError, match="after 0 steps"):
        rbdyn.project_configuration(s.model, start, max_iterations=0)
    rbdyn.project_configuration(s.model, start, tolerance=100.0, max_iterations=0)


def test_a_state_is_taken_and_left_alone():
    s = looped(4, 2, closed=False)
    q, v = s.state.q.copy(), s.state.v.copy()
    closed = rbdyn.project_configuration(s.state)
    np.testing.assert_array_equal(s.state.q, q)
    np.testing.assert_array_equal(s.state.v, v)
    np.testing.assert_array_equal(closed, rbdyn.project_configuration(s.model, q))
    np.testing.assert_array_equal(closed, rbdyn.project_configuration(s.state, q))
    assert np.abs(closed - q).max() > 1e-3
    assert closed.flags.writeable


def test_projected_velocities(seed):
    """K v = 0, and what was taken away is a reaction: orthogonal, in kinetic energy, to all that is allowed."""
    s = looped(seed, 2)
    v = s.rng.normal(size=s.model.nv)
    K = rbdyn.loop_jacobian(s.state)
    result = rbdyn.project_velocity(s.state, v)
    nontrivial(K @ v)
    close(K @ result, np.zeros(len(K)), 1e-9)
    M = rbdyn.mass_matrix(s.state)
    rotors, _ = loop_oracle.rotors_of_loops(s.mechanism, s.q, s.v)
    M[np.ix_(s.iv, s.iv)] += rotors
    _, values, Vt = np.linalg.svd(K)
    allowed = Vt[np.sum(values > 1e-9) :]
    close(allowed @ M @ (result - v), np.zeros(len(allowed)), 1e-9, floor=10.0)
    close(rbdyn.project_velocity(s.state, result), result, 1e-9)
    close(rbdyn.project_velocity(s.state, 3.0 * v), 3.0 * result, 1e-9)
    if len(allowed):
        assert result @ M @ result <= v @ M @ v * (1 + 1e-12)


def test_velocities_of_the_state_by_default():
    s = looped(2, 2, closed=False)
    v = s.state.v.copy()
    np.testing.assert_array_equal(rbdyn.project_velocity(s.state), rbdyn.project_velocity(s.state, v))
    np.testing.assert_array_equal(s.state.v, v)
    own = v.copy()
    assert rbdyn.project_velocity(s.state, own, out=own) is own
    np.testing.assert_array_equal(own, rbdyn.project_velocity(s.state, v))


def test_trees_stay_as_they_are():
    s = random_system(3)
    np.testing.assert_array_equal(rbdyn.project_velocity(s.state), s.state.v)
    np.testing.assert_array_equal(rbdyn.project_configuration(s.state), s.state.q)
    assert rbdyn.loop_jacobian(s.state).shape == (0, s.model.nv)
    assert rbdyn.loop_bias(s.state).shape == rbdyn.loop_error(s.state).shape == (0,)


def test_a_hundred_loops():
    """A net: many redundant rows, one projection."""
    rng = np.random.default_rng(8)
    m = random_tree(rng, 20, [Spherical, Revolute], floating_base=True)
    q = rbdyn.Model(m).random(rng)
    add_random_loops(rng, m, 100, [Revolute], q)
    model = rbdyn.Model(m)
    state = rbdyn.State(model)
    state.set(q, 0.1 * rng.normal(size=model.nv))
    assert model.num_constraints == 500
    v = rbdyn.project_velocity(state)
    close(rbdyn.loop_jacobian(state) @ v, np.zeros(500), 1e-8)
    result = rbdyn.dynamics(state)
    assert result.rank == np.linalg.matrix_rank(rbdyn.loop_jacobian(state), tol=1e-8) < 500
