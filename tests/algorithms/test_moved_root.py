"""Answers about a system whose root stands elsewhere: those of one at the origin, moved with the world."""

import copy
import pickle

import numpy as np
import pytest
from algorithms.systems import in_motion
from reference.compare import close, nontrivial
from reference.oracle import cross_matrix, rotation_of_quaternion

import rbdyn
from rbdyn.mechanism import Floating, Planar, Prismatic, Revolute, SinCosRevolute, Spherical
from rbdyn.testing.random_mechanisms import rand_chain_mechanism as chain

QUAT, SHIFT = np.array([0.1, -0.5, 0.7, np.sqrt(0.25)]), np.array([1.0, -2.0, 3.0])
R = rotation_of_quaternion(QUAT)
TURN = np.kron(np.eye(2), R)
POSE = np.block([[R, SHIFT[:, None]], [np.zeros((1, 3)), np.ones((1, 1))]])
ABOUT_ORIGIN = TURN + np.block([[np.zeros((3, 3)), cross_matrix(SHIFT) @ R], [np.zeros((3, 6))]])
FIRST, LAST, POINT = 1, -1, (0.1, 0.2, 0.3)

# name -> (answer of (system, state, names, wrenches), what the moved world makes of it)
SAME, TURNED, TURNED_6 = (lambda x: x), (lambda x: R @ x), (lambda x: TURN @ x)
ANSWERS = {
    "body_pose": (lambda s, a, n, e: rbdyn.body_pose(a, n[LAST]), lambda x: POSE @ x),
    "point_jacobian": (lambda s, a, n, e: rbdyn.point_jacobian(a, n[LAST], POINT), TURNED),
    "point_jacobian_dot": (lambda s, a, n, e: rbdyn.point_jacobian_dot(a, n[LAST], POINT), TURNED),
    "sparse_point_jacobian_6d": (
        lambda s, a, n, e: rbdyn.sparse_point_jacobian_6d(a, n[LAST], POINT).dense(),
        TURNED_6,
    ),
    "point_jacobian_dot_6d": (lambda s, a, n, e: rbdyn.point_jacobian_dot_6d(a, n[LAST], POINT), TURNED_6),
    "body_spatial_jacobian": (lambda s, a, n, e: rbdyn.body_spatial_jacobian(a, n[LAST]), SAME),
    "body_spatial_jacobian_dot": (lambda s, a, n, e: rbdyn.body_spatial_jacobian_dot(a, n[LAST]), SAME),
    "relative_point_jacobian_dot_6d": (
        lambda s, a, n, e: rbdyn.relative_point_jacobian_dot_6d(a, n[LAST], n[FIRST]),
        TURNED_6,
    ),
    "relative_body_spatial_jacobian_dot": (
        lambda s, a, n, e: rbdyn.relative_body_spatial_jacobian_dot(a, n[LAST], n[FIRST]),
        SAME,
    ),
    "spatial_acceleration": (lambda s, a, n, e: rbdyn.spatial_acceleration(a, s.vd, n[LAST], "world", n[FIRST]), SAME),
    "relative_point_acceleration_6d": (
        lambda s, a, n, e: rbdyn.relative_point_acceleration_6d(a, s.vd, n[LAST], n[FIRST]),
        TURNED_6,
    ),
    "body_accelerations": (lambda s, a, n, e: rbdyn.body_accelerations(a, s.vd), lambda x: x @ TURN.T),
    "momentum": (lambda s, a, n, e: rbdyn.momentum(a), lambda x: ABOUT_ORIGIN @ x),
    "momentum_matrix": (lambda s, a, n, e: rbdyn.momentum_matrix(a), lambda x: ABOUT_ORIGIN @ x),
    "momentum_bias": (lambda s, a, n, e: rbdyn.momentum_bias(a), lambda x: ABOUT_ORIGIN @ x),
    "angular_momentum": (lambda s, a, n, e: rbdyn.angular_momentum(a), TURNED),
    "center_of_mass_jacobian": (lambda s, a, n, e: rbdyn.center_of_mass_jacobian(a), TURNED),
    "coriolis_matrix": (lambda s, a, n, e: rbdyn.coriolis_matrix(a), SAME),
    "joint_wrenches": (lambda s, a, n, e: rbdyn.joint_wrenches(a, s.vd, e), lambda x: x @ TURN.T),
    "inverse_dynamics": (lambda s, a, n, e: rbdyn.inverse_dynamics(a, s.vd, e), SAME),
    "dynamics": (lambda s, a, n, e: rbdyn.dynamics(a, s.tau, e).vd, SAME),
    "inverse_dynamics_derivatives": (lambda s, a, n, e: np.array(rbdyn.inverse_dynamics_derivatives(a, s.vd, e)), SAME),
    "forward_dynamics_derivatives": (
        lambda s, a, n, e: np.array(rbdyn.forward_dynamics_derivatives(a, s.tau, e)),
        SAME,
    ),
    "simulate": (lambda s, a, n, e: rbdyn.simulate(a, 0.01, 1e-3).v, SAME),
}


@pytest.mark.parametrize("name", ANSWERS)
def test_answers_move_with_the_world(name, seed):
    types = [Revolute, Spherical, Prismatic, SinCosRevolute, Planar, Floating]
    s = in_motion(np.random.default_rng(seed), chain(types, seed))
    gravity = np.array([1.0, 2.0, -9.0])
    s.mechanism.gravity = gravity
    robot = rbdyn.World(gravity=R @ gravity).add_articulated_system(s.mechanism)
    robot.set_base_pose(SHIFT, QUAT)
    state = rbdyn.State(robot.model)
    for a in (state, robot.state):
        a.set(s.state.q, s.state.v)
    answer, moved = ANSWERS[name]
    turned = {body: TURN @ wrench for body, wrench in s.external.items()}
    here = answer(s, state, robot.model.body_names, s.external)
    there = answer(s, robot.state, robot.model.body_names, turned)
    nontrivial(here)
    close(there, moved(here), 1e-11)


@pytest.mark.parametrize("duplicate", [rbdyn.State.copy, copy.deepcopy, lambda a: pickle.loads(pickle.dumps(a))])
def test_copies_stand_where_the_state_does(duplicate):
    s = in_motion(np.random.default_rng(3), chain([Revolute, Spherical, Prismatic], 3))
    robot = rbdyn.World(gravity=(1.0, 2.0, -9.0)).add_articulated_system(s.mechanism)
    robot.set_base_pose(SHIFT, QUAT)
    robot.set_state(s.state.q, s.state.v)
    twin, last = duplicate(robot.state), robot.model.body_names[LAST]
    nontrivial(rbdyn.body_pose(twin, last) - rbdyn.body_pose(s.state, last))
    np.testing.assert_array_equal(rbdyn.body_pose(twin, last), rbdyn.body_pose(robot.state, last))
    np.testing.assert_array_equal(rbdyn.bias_forces(twin), rbdyn.bias_forces(robot.state))
    energy = -robot.model.total_mass * np.array([1.0, 2.0, -9.0]) @ rbdyn.center_of_mass(twin)
    assert rbdyn.potential_energy(twin) == pytest.approx(energy, rel=1e-12)
