"""The generators of random mechanisms: what they promise about shape, types and seeds."""

import numpy as np
import pytest

import rbdyn
from rbdyn import (
    Fixed,
    Floating,
    Helical,
    Planar,
    Prismatic,
    Revolute,
    RigidBody,
    SinCosRevolute,
    Spherical,
    SPQuatFloating,
)
from rbdyn.testing import random_mechanisms as make

TYPES = [Revolute, Spherical, Prismatic((1, 0, 0)), Fixed, Planar, Floating, SinCosRevolute, SPQuatFloating, Helical]


def kinds(mechanism):
    return [type(j.joint_type) for j in mechanism.tree_joints]


def asked():
    return [t if isinstance(t, type) else type(t) for t in TYPES]


def test_chain():
    m = make.rand_chain_mechanism(TYPES, seed=3)
    assert kinds(m) == asked()
    for k, joint in enumerate(m.tree_joints):
        assert (m.predecessor(joint), m.successor(joint)) == m.bodies[k : k + 2]
    assert m.find_joint("joint3").joint_type == Prismatic((1, 0, 0))


def test_tree_and_its_selector():
    m = make.rand_tree_mechanism(TYPES * 3, seed=3)
    assert kinds(m) == asked() * 3
    assert len({m.predecessor(j) for j in m.joints}) > 3
    star = make.rand_tree_mechanism(TYPES, parent_selector=lambda mechanism: mechanism.root_body)
    assert all(star.predecessor(j) is star.root_body for j in star.joints)
    with pytest.raises(rbdyn.MechanismError, match="elsewhere"):
        make.rand_tree_mechanism(TYPES, parent_selector=lambda mechanism: RigidBody("elsewhere"))


def test_floating_tree():
    m = make.rand_floating_tree_mechanism([Revolute, Spherical, Revolute], seed=1)
    assert kinds(m) == [Floating, Revolute, Spherical, Revolute]
    assert len(m.out_joints(m.root_body)) == 1
    assert rbdyn.Model(m).floating_base


@pytest.mark.parametrize(
    "generator", [make.rand_chain_mechanism, make.rand_tree_mechanism, make.rand_floating_tree_mechanism]
)
def test_seeds(generator):
    def numbers(seed):
        m = generator(TYPES, seed=seed)
        edges = [m.edge(j) for j in m.joints]
        return [x for e in edges for x in (e.joint_pose, e.successor_pose, e.successor.inertia, e.predecessor.name)]

    assert numbers(1) == numbers(1)
    assert numbers(1) != numbers(2)
    for bad in ([None], ["revolute"], [int], [Revolute, 3]):
        with pytest.raises(rbdyn.MechanismError, match="types"):
            generator(bad)
    assert generator([], seed=0).root_body.name == "world"


def test_random_tree():
    seen = set()
    for seed in range(10):
        m = make.random_tree(np.random.default_rng(seed), 12, floating_base=True)
        assert len(m.bodies) == 13
        assert m.out_joints(m.root_body) == (m.joints[0],)
        assert abs(np.linalg.norm(m.gravity) - 9.81) < 1e-12
        assert all(b.inertia.defect() == "" and b.inertia.mass > 0 for b in m.bodies[1:])
        assert not any(m.edge(j).successor_pose.is_identity() for j in m.joints)
        seen |= set(kinds(m))
    assert seen == set(make.ALL_TYPES)
    on_p = make.random_tree(np.random.default_rng(0), 5, floating_base=SPQuatFloating)
    assert isinstance(on_p.joints[0].joint_type, SPQuatFloating)
    assert on_p.out_joints(on_p.root_body) == (on_p.joints[0],)
    assert rbdyn.Model(on_p).floating_base
    plain = make.random_tree(np.random.default_rng(0), 12, [Revolute], successor_poses=False, rotor_inertia=False)
    assert all(plain.edge(j).successor_pose.is_identity() for j in plain.joints)
    assert all(j.rotor_inertia == 0 for j in plain.joints)
    axes = np.array([j.joint_type.axis for j in plain.joints])
    assert np.linalg.matrix_rank(axes) == 3


@pytest.mark.parametrize("bad", [-1, 1.5, "1", None])
def test_a_seed_that_is_none_is_refused(bad):
    for call in (rbdyn.rand_chain_mechanism, rbdyn.rand_tree_mechanism, rbdyn.rand_floating_tree_mechanism):
        with pytest.raises(rbdyn.MechanismError, match="seed must be a whole number"):
            call([Revolute], seed=bad)


def test_types_and_selectors_that_are_none_are_refused():
    for call in (rbdyn.rand_chain_mechanism, rbdyn.rand_tree_mechanism, rbdyn.rand_floating_tree_mechanism):
        with pytest.raises(rbdyn.MechanismError, match="types must be a sequence of joint types"):
            call(Revolute)
    with pytest.raises(rbdyn.MechanismError, match="parent_selector must be a function"):
        rbdyn.rand_tree_mechanism([Revolute], parent_selector=0)


@pytest.mark.parametrize("rng", [-1, "a", 1.5])
def test_a_random_configuration_needs_a_generator_or_a_seed(rng):
    with pytest.raises(rbdyn.Error, match="rng must be a numpy Generator, or a seed"):
        rbdyn.Model(rbdyn.rand_chain_mechanism([Revolute])).random(rng)
