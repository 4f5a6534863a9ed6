"""Every algorithm against the oracle, on random trees of all joint types under random loads."""

import numpy as np
import pytest
from algorithms.systems import BASES, random_system
from reference import oracle
from reference.compare import close, nontrivial

import rbdyn
from rbdyn.mechanism import Fixed, Floating, Helical, Planar, Prismatic, Revolute, SinCosRevolute, Spherical, Universal
from rbdyn.testing.random_mechanisms import ALL_TYPES

ROTORS = [Revolute, SinCosRevolute, Prismatic, Planar, Spherical, Helical, Universal]


@pytest.fixture(scope="module")
def system(seed):
    return random_system(seed)


def test_the_systems_are_varied():
    """All joint types, multi-dof joints in mid-tree, both kinds of base, rotors on every kind of joint that may."""
    inner, leaves, rotors, floating = set(), set(), set(), set()
    for seed in range(4):
        s = random_system(seed)
        for joint in s.mechanism.tree_joints:
            body = s.mechanism.successor(joint)
            root = s.mechanism.predecessor(joint) is s.mechanism.root_body
            if s.mechanism.out_joints(body) and not root:
                inner.add(type(joint.joint_type))
            elif not s.mechanism.out_joints(body):
                leaves.add(type(joint.joint_type))
            if joint.rotor_inertia > 0:
                rotors.add(type(joint.joint_type))
        floating.add(type(s.mechanism.tree_joints[0].joint_type) if s.model.floating_base else None)
    assert inner == leaves == set(ALL_TYPES)
    assert rotors == {*ROTORS}
    assert floating == {None, *BASES[1::2]}


def test_poses(system):
    s = system
    expected = oracle.forward_kinematics(s.mechanism, s.q)
    poses = rbdyn.forward_kinematics(s.state)
    assert poses.shape == (s.model.n_bodies, 4, 4) == (len(s.model.body_names), 4, 4)
    for name, pose in zip(s.model.body_names, poses, strict=True):
        close(pose, expected[name])
    for body in s.mechanism.bodies:
        nontrivial(expected[body.name])
        close(rbdyn.body_pose(s.state, body.name), expected[body.name])
        close(rbdyn.body_pose(s.state, body), expected[body.name])


def test_mass_matrix_and_what_is_made_of_it(system):
    s = system
    M = oracle.mass_matrix(s.mechanism, s.q)
    nontrivial(M)
    close(s.tree_matrix(rbdyn.mass_matrix(s.state)), M)
    close(s.tree(rbdyn.mass_matrix_times(s.state, s.order(s.vd))), M @ s.vd)
    close(s.tree_matrix(rbdyn.inverse_mass_matrix(s.state)), np.linalg.inv(M))
    close(s.tree(rbdyn.solve_mass_matrix(s.state, s.order(s.tau))), np.linalg.solve(M, s.tau))


def test_bias_forces(system):
    s = system
    expected = oracle.bias_forces(s.mechanism, s.q, s.v)
    nontrivial(expected)
    close(s.tree(rbdyn.bias_forces(s.state)), expected)
    loaded = oracle.bias_forces(s.mechanism, s.q, s.v, s.external)
    close(s.tree(rbdyn.bias_forces(s.state, s.external)), loaded)


def test_inverse_dynamics(system):
    s = system
    expected = oracle.inverse_dynamics(s.mechanism, s.q, s.v, s.vd)
    nontrivial(expected)
    close(s.tree(rbdyn.inverse_dynamics(s.state, s.order(s.vd))), expected)
    loaded = oracle.inverse_dynamics(s.mechanism, s.q, s.v, s.vd, s.external)
    close(s.tree(rbdyn.inverse_dynamics(s.state, s.order(s.vd), s.external)), loaded)


def test_forward_dynamics(system):
    s = system
    expected = oracle.forward_dynamics(s.mechanism, s.q, s.v, s.tau)
    nontrivial(expected)
    close(s.tree(rbdyn.forward_dynamics(s.state, s.order(s.tau))), expected)
    loaded = oracle.forward_dynamics(s.mechanism, s.q, s.v, s.tau, s.external)
    close(s.tree(rbdyn.forward_dynamics(s.state, s.order(s.tau), s.external)), loaded)


def test_energies(system):
    s = system
    kinetic, potential = oracle.kinetic_energy(s.mechanism, s.q, s.v), oracle.potential_energy(s.mechanism, s.q)
    nontrivial([kinetic])
    nontrivial([potential])
    close(rbdyn.kinetic_energy(s.state), kinetic)
    close(rbdyn.potential_energy(s.state), potential)


def test_momentum_and_center_of_mass(system):
    s = system
    h, com = oracle.momentum(s.mechanism, s.q, s.v), oracle.center_of_mass(s.mechanism, s.q)
    nontrivial(h)
    nontrivial(com)
    close(rbdyn.momentum(s.state), h)
    close(rbdyn.center_of_mass(s.state), com)
    for about in ([0.0, 0.0, 0.0], [1.5, -0.3, 0.8], com):
        close(rbdyn.angular_momentum(s.state, about), oracle.momentum(s.mechanism, s.q, s.v, about)[:3])


def test_jacobians_and_velocities_of_points(system):
    s = system
    D, moved = oracle.columns(s.mechanism, s.q), 0
    for body in s.mechanism.bodies:
        point = s.rng.uniform(-1, 1, 3)
        J = oracle.body_jacobian(s.mechanism, s.q, body.name, point, D)
        moved += np.abs(J).max() > 1e-3
        close(s.tree(rbdyn.point_jacobian_6d(s.state, body.name, point)), J)
        close(s.tree(rbdyn.point_jacobian(s.state, body, point)), J[3:])
        close(rbdyn.point_velocity_6d(s.state, body, point), J @ s.v)
        close(rbdyn.point_velocity(s.state, body.name, point), (J @ s.v)[3:])
        in_body = oracle.body_spatial_jacobian(s.mechanism, s.q, body.name, D)
        close(s.tree(rbdyn.body_spatial_jacobian(s.state, body.name)), in_body)
    assert moved > 0


def test_wrench_on_a_merged_body_acts_where_that_body_is():
    """The name of a body that was merged away still means its own origin."""
    for seed in range(12):
        s = random_system(seed, n=8, joint_types=[Fixed, Revolute, Spherical])
        merged = [b.name for b in s.mechanism.bodies if b.name not in s.model.body_names]
        external = {name: s.rng.normal(size=6) for name in merged}
        expected = oracle.bias_forces(s.mechanism, s.q, s.v, external)
        close(s.tree(rbdyn.bias_forces(s.state, external)), expected)
    assert len(merged) > 1


def test_wrench_values_and_bodies_as_keys():
    s = random_system(5)
    body = s.mechanism.bodies[-1]
    wrench = np.array([0.3, -1.0, 2.0, 4.0, -5.0, 6.0])
    expected = oracle.bias_forces(s.mechanism, s.q, s.v, {body.name: wrench})
    nontrivial(expected - oracle.bias_forces(s.mechanism, s.q, s.v))
    close(s.tree(rbdyn.bias_forces(s.state, {body: wrench})), expected)
    close(s.tree(rbdyn.bias_forces(s.state, {body.name: wrench.tolist()})), expected)


@pytest.mark.parametrize("kind", ALL_TYPES[1:])
def test_one_joint_alone(kind):
    """A single joint of each type between two oblique frames: the smallest system with every term of it."""
    for seed in range(4):
        s = random_system(seed, n=1, joint_types=[kind], floating_base=False)
        assert s.model.nv == kind.num_velocities
        close(s.tree_matrix(rbdyn.mass_matrix(s.state)), oracle.mass_matrix(s.mechanism, s.q))
        tau = oracle.inverse_dynamics(s.mechanism, s.q, s.v, s.vd, s.external)
        nontrivial(tau)
        close(s.tree(rbdyn.inverse_dynamics(s.state, s.order(s.vd), s.external)), tau)
        close(s.tree(rbdyn.forward_dynamics(s.state, s.order(tau), s.external)), s.vd)


def test_rotors_add_to_the_diagonal_and_nothing_else():
    with_rotor = random_system(10, n=7, joint_types=ROTORS, floating_base=False)
    M = rbdyn.mass_matrix(with_rotor.state)
    momentum, bias = rbdyn.momentum(with_rotor.state), rbdyn.bias_forces(with_rotor.state)
    rotors = with_rotor.order(oracle.rotors(with_rotor.mechanism))
    nontrivial(rotors)
    for joint in with_rotor.mechanism.joints:
        joint.rotor_inertia = 0.0
    bare = rbdyn.State(rbdyn.Model(with_rotor.mechanism))
    bare.set(with_rotor.state.q, with_rotor.state.v)
    close(M - rbdyn.mass_matrix(bare), np.diag(rotors), 1e-13)
    close(momentum, rbdyn.momentum(bare), 1e-13)
    close(bias, rbdyn.bias_forces(bare), 1e-13)


def test_passive_elements_are_not_part_of_the_dynamics():
    """Damping, friction and springs are forces that somebody applies; these functions know inertia and gravity only."""
    plain = random_system(12, n=5, joint_types=[Revolute, Prismatic], floating_base=False)
    before = rbdyn.bias_forces(plain.state)
    for joint in plain.mechanism.joints:
        joint.damping, joint.friction, joint.stiffness = 3.0, 2.0, 40.0
    state = rbdyn.State(rbdyn.Model(plain.mechanism))
    state.set(plain.state.q, plain.state.v)
    np.testing.assert_array_equal(rbdyn.bias_forces(state), before)
    assert isinstance(plain.mechanism.joints[0].joint_type, (Revolute, Prismatic, Floating))
