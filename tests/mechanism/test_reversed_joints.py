"""A reversed joint is the same joint: same motion, same limits, same energy; or it is refused."""

import numpy as np
import pytest

import rbdyn
from rbdyn import Floating, Joint, Mechanism, Model, Prismatic, Revolute, RigidBody, Spherical, State, Universal
from rbdyn.mechanism.joints import TYPES
from rbdyn.testing.random_mechanisms import random_inertia, random_joint_type, random_transform

every_type = pytest.mark.parametrize("cls", TYPES, ids=lambda t: t.kind)


def mixed(kind):
    """Whether a type has translations and rotations among its degrees of freedom."""
    return 0 < kind.num_translations < kind.num_velocities


@every_type
def test_a_reversed_joint_is_the_inverse_motion(cls):
    rng = np.random.default_rng(3)
    kind = random_joint_type(rng, cls)
    q, v = kind.random(rng), rng.normal(size=kind.num_velocities)
    limits = (-2.0, 1.0) if kind.num_positions == 1 else (0.0, 2.0) if cls is Spherical else None
    limits = ((-2.0, 1.0), (-3.0, 0.5)) if cls is Universal else limits
    joint = Joint("j", kind, limits, damping=0.0 if mixed(kind) else 0.3, spring_reference=q)
    there = joint.flipped()
    rest = there.spring_reference
    pose = kind.pose(q)
    np.testing.assert_allclose(there.joint_type.pose(rest).matrix, pose.inverse().matrix, atol=1e-14)
    assert not {there.frame_before, there.frame_after} & {joint.frame_before, joint.frame_after}
    turned = limits[::-1] if cls is Universal else limits
    assert (there.name, there.damping, there.position_limits) == ("j", joint.damping, turned)
    twice = there.flipped()
    assert (twice.joint_type, twice.position_limits) == (kind, limits)
    np.testing.assert_allclose(kind.pose(twice.spring_reference).matrix, pose.matrix, atol=1e-14)
    if kind.num_velocities <= 1 or cls is Universal:  # the same numbers mean the same motion
        order = slice(None, None, -1) if cls is Universal else slice(None)
        np.testing.assert_array_equal(rest, joint.spring_reference[order])
        twist = kind.motion_subspace(q) @ v
        R, p = pose.rotation, pose.translation
        w = R @ twist[:3]
        other_way = -np.concatenate([w, R @ twist[3:] + np.cross(p, w)])  # of the before-frame, in its own axes
        np.testing.assert_allclose(there.joint_type.motion_subspace(rest) @ v[order], other_way, atol=1e-14)
    else:
        assert there.joint_type == kind


@pytest.mark.parametrize("kind", [Revolute((1, 2, 3)), Prismatic((0, 1, 1))])
def test_limits_bound_the_same_motion(kind, seed):
    """A joint that is turned into the other half of a loop stops where it stopped."""
    rng = np.random.default_rng(seed)
    m, state = ring(kind, rng, position_limits=(-0.3, 1.7))
    q = np.append(rbdyn.Floating().random(rng), 1.5)  # 1.5 is within the limits, -1.5 is not
    state.set(q)
    maps = reverse(m)
    after = maps.carry(state)
    iq = after.model.joint_q_index("middle")
    assert maps.joints
    assert after.q[iq] == 1.5
    assert (after.model.array("lower")[iq], after.model.array("upper")[iq]) == (-0.3, 1.7)


def ring(kind, rng, **passive):
    """root -base- a -middle- b, and a Floating joint from the root to b that closes a loop without holding it."""
    m = Mechanism(RigidBody("world"))
    a, b = RigidBody("a", random_inertia(rng)), RigidBody("b", random_inertia(rng))
    m.attach(m.root_body, a, Joint("base", Floating()), random_transform(rng))
    m.attach(a, b, Joint("middle", kind, **passive), random_transform(rng), random_transform(rng))
    m.attach(m.root_body, b, Joint("other", Floating()), random_transform(rng), random_transform(rng))
    return m, State(Model(m))


def reverse(m):
    """Make `other` carry b, so that `middle` is reversed."""
    return m.rebuild_spanning_tree(lambda joints: next((j for j in joints if j.name != "base"), joints[0]))


@every_type
@pytest.mark.parametrize("passive", ["rotor_inertia", "damping", "friction", "stiffness"])
def test_what_acts_along_the_axes_of_one_side_is_kept_or_refused(cls, passive, seed):
    rng = np.random.default_rng(seed)
    kind = random_joint_type(rng, cls)
    m, state = ring(kind, rng, **{passive: 0.7}, spring_reference=kind.random(rng))
    state.set(state.model.random(rng), rng.normal(size=state.model.nv))
    before = repr(m), m.revision
    energy = rbdyn.kinetic_energy(state)
    assert energy > 0.1
    if mixed(kind):
        with pytest.raises(rbdyn.MechanismError, match=rf"'middle' \({kind.kind}\) cannot be reversed: its {passive}"):
            reverse(m)
        assert (repr(m), m.revision) == before
        m.find_joint("middle").spring_reference = None
        setattr(m.find_joint("middle"), passive, 0.0)
        reverse(m)
        return
    after = reverse(m).carry(state)
    assert getattr(m.find_joint("middle"), passive) == 0.7
    assert rbdyn.kinetic_energy(after) == pytest.approx(energy, rel=1e-9)


def test_a_spring_at_rest_where_the_origins_meet_is_reversed():
    """Its energy, k/2 times squared distance and angle, is then the same from both sides."""
    kind = rbdyn.Planar()
    joint = Joint("j", kind, stiffness=2.0, spring_reference=(0.0, 0.0, 0.4)).flipped()
    np.testing.assert_allclose(joint.spring_reference, (0.0, 0.0, -0.4), atol=1e-15)
    q = np.array([0.3, -0.2, 0.9])
    there = kind.configuration(kind.pose(q).inverse())
    assert np.abs(there[:2] - q[:2]).min() > 0.1
    before = (q[:2] @ q[:2], (q[2] - 0.4) ** 2)
    np.testing.assert_allclose((there[:2] @ there[:2], (there[2] + 0.4) ** 2), before)


def test_a_planar_rotor_has_another_energy_seen_from_the_other_side():
    """By hand: why it is refused."""
    q, v = np.array([0.5, 0.0, 0.0]), np.array([0.0, 0.0, 2.0])  # it turns on the spot, half a metre off
    kind = rbdyn.Planar()
    R, p = kind.pose(q).rotation, kind.pose(q).translation
    w = np.array([0.0, 0.0, 2.0])
    linear_there = -R.T @ np.cross(w, -p)  # the rate of -R^T p
    assert v[:2] @ v[:2] == 0.0
    assert linear_there @ linear_there == pytest.approx(1.0)
    with pytest.raises(rbdyn.MechanismError, match="cannot be reversed"):
        Joint("j", kind, rotor_inertia=1.0).flipped()
