"""Two robots of one kind are joined: with a prefix before the names of one, and all goes on."""

import numpy as np
import pytest
from world.surgery.robots import floating

import rbdyn
from rbdyn import Fixed, Joint, Mechanism, Prismatic, Revolute, Transform, World
from rbdyn.errors import Error, MechanismError, RemovedError
from rbdyn.mechanism.surgery.docking import copied

pytestmark = pytest.mark.filterwarnings("ignore:joints of .* that follow others start:rbdyn.errors.MimicWarning")

PREFIX = "x_"


def module(seed, prefix):
    """A tree of 4 bodies with a loop, and a mimic; each name begins with the prefix."""
    m = floating("a", 4, seed, (Revolute((0, 1, 0)), Prismatic((1, 0, 0))))
    m.attach("a1", "a3", Joint("rope", rbdyn.Floating()))
    m.find_joint("a2_j").mimic = rbdyn.Mimic("a1_j", 0.5, 0.1)
    return copied(m, prefix, Mechanism)[0] if prefix else m


def scene(seed, prefix):
    """Two of them on the ground, driven, hung up and told what not to meet; the second one's names have the prefix."""
    world = World(1e-3)
    world.add_ground()
    a = world.add_articulated_system(module(seed, ""), name="a", self_collision=True)
    b = world.add_articulated_system(module(seed, prefix), name="b", self_collision=True)
    rng = np.random.default_rng([seed, 3])
    for k, robot in enumerate((a, b)):
        robot.set_state(np.r_[1.0 * k, 0, 0.1, 1, 0, 0, 0, rng.uniform(-0.2, 0.2, 3)], rng.normal(size=robot.nv))
    a.set_pd_gains(p=30.0, d=1.0)
    b.set_pd_gains(p=np.arange(9.0) * 4.0, d=0.5)
    b.set_pd_target(joints={f"{prefix}a3_j": 0.2})
    b.joint(f"{prefix}a1_j").damping = 0.3
    world.add_spring((b, f"{prefix}a2"), None, 40.0, 1.0, 0.1, point_b=(0, 0, 1), name="spring")
    world.add_coupling({(a, "a1_j"): 1.0, (b, f"{prefix}a3_j"): -1.0}, name="coupling").set_softness(1e-2)
    b.ignore_collision(f"{prefix}a0", f"{prefix}a3")
    world.step(60)
    b.body(f"{prefix}a3").set_external_force((0, 3.0, 0))
    return world, a, b


def docked(seed, had, **options):
    world, a, b = scene(seed, had)
    name = f"{had}a0"
    world.merge(a, "a3", b, name, Joint("dock", Revolute((0, 0, 1))), Transform(translation=(0.1, 0, 0)), **options)
    return world, a


def test_it_goes_on_as_one_whose_names_were_others_before(seed):
    """To the bit: state, control, contacts, what solvers begin with, what hangs on it, and what never collides."""
    world, a = docked(seed, "", prefix=PREFIX)
    twin, other = docked(seed, PREFIX)
    assert a.body_names == other.body_names and a.joint_names == other.joint_names
    assert [f.name for f in a.frames] == [f.name for f in other.frames]
    assert [g.name for g in a.geometries] == [g.name for g in other.geometries]
    assert a.mechanism.find_joint("x_a2_j").mimic.joint == "x_a1_j"
    seen = 0
    for _ in range(60):
        np.testing.assert_array_equal(a.q, other.q)
        np.testing.assert_array_equal(a.v, other.v)
        for one, same in zip((*a.pd_gains, *a.pd_target), (*other.pd_gains, *other.pd_target), strict=True):
            np.testing.assert_array_equal(one, same)
        assert [(c.body_a, c.link_b, *c.impulse) for c in world.contacts] == [
            (c.body_a, c.link_b, *c.impulse) for c in twin.contacts
        ]
        seen += len(world.contacts)
        world.step()
        twin.step()
    assert seen > 0 and world.find("spring").tension == twin.find("spring").tension > 0.0
    assert world.find("coupling").force == twin.find("coupling").force != 0.0


def test_handles_follow_their_copies():
    world, a, b = scene(0, "")
    leg, base, shape = b.body("a3"), b.joint("a_base"), b.body("a2").geometries[0]
    joint, frame, own = b.joint("a3_j"), b.frame("a3_j"), b.frame("a2")
    pose, q = leg.pose, joint.q
    world.merge(a, "a3", b, "a0", Joint("dock", Fixed()), prefix=PREFIX)
    assert leg is a.body("x_a3") and joint is a.joint("x_a3_j")
    assert frame is a.frame("x_a3_j") and own is a.frame("x_a2")
    assert shape is a.body("x_a2").geometries[0] and shape.name == "x_a2/0"
    np.testing.assert_allclose(leg.pose, pose, atol=1e-12)
    assert joint.q == q and leg.mass == a.body("x_a3").mass
    with pytest.raises(RemovedError):
        base.q  # noqa: B018
    with pytest.raises(RemovedError):
        b.q  # noqa: B018
    part = a.remove_joint("dock", split=True)
    assert leg.robot is part and a.body("a3").robot is a


def test_a_third_one_and_a_welded_joint():
    world, a, b = scene(1, "")
    kind, q = b.joint("a3_j").joint_type, b.joint("a3_j").q
    b.weld("a3_j")
    world.merge(a, "a3", b, "a0", Joint("dock", Fixed()), prefix="x_")
    c = world.add_articulated_system(module(2, ""), name="c")
    c.set_base_pose((0, 2, 1))
    world.merge(a, "x_a2", c, "a1", Joint("dock2", Fixed()), prefix="y_")
    assert {"a1", "x_a1", "y_a1"} <= {body.name for body in a.bodies}
    assert a.joint("x_a3_j").joint_type.is_fixed
    a.unweld("x_a3_j")
    assert a.joint("x_a3_j").joint_type == kind and a.joint("x_a3_j").q == q
    world.step(5)


def test_without_a_prefix_clashes_are_named_and_nothing_changes():
    world, a, b = scene(0, "")
    before = world.state_hash()
    with pytest.raises(MechanismError, match="'a1'.*give one of them a prefix"):
        world.merge(a, "a3", b, "a0", Joint("dock", Fixed()))
    with pytest.raises(MechanismError, match="tolerance"):
        world.merge(a, "a3", b, "a0", Joint("dock", Fixed()), Transform(), Transform(), prefix=PREFIX)
    with pytest.raises(Error, match="prefix must be a string, got 3"):
        world.merge(a, "a3", b, "a0", Joint("dock", Fixed()), prefix=3)
    ball = world.add_sphere(0.1, 1.0, name="ball")
    with pytest.raises(Error, match="'ball' is a single body.*Floating joint"):
        world.merge(ball, "ball", b, "a0", Joint("dock", Fixed()))
    world.remove(ball)
    assert len(world.state_hash()) == len(before)
    twin, _, _ = scene(0, "")
    for one in (world, twin):
        one.step(20)
    np.testing.assert_array_equal(a.q, twin.find("a").q)
    np.testing.assert_array_equal(b.q, twin.find("b").q)
    assert b.body("a3").robot is b and set(b.model.body_names) == set(twin.find("b").model.body_names)
