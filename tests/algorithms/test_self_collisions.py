"""Which bodies collide in random configurations, against closed forms."""

import numpy as np
import pytest

import rbdyn
from rbdyn import Fixed, Geometry, Joint, Mechanism, Mimic, Prismatic, Revolute, RigidBody, SpatialInertia, Transform
from rbdyn import sample_self_collisions as sampled
from rbdyn.collision import Box, Sphere
from rbdyn.errors import Error


def body(name, shape=None, pose=None, **filters):
    items = [] if shape is None else [Geometry(shape, pose or Transform(), **filters)]
    return RigidBody(name, SpatialInertia(1.0, inertia=np.eye(3)), items)


def clock(**filters):
    """A hand of length 1 turns past a ball that stands at its end's circle; both carry what the other never meets."""
    m = Mechanism(RigidBody("world"))
    m.attach("world", body("base"), Joint("base_j", Fixed()))
    m.attach("base", body("axle", Sphere(0.01)), Joint("axle_j", Revolute((0, 0, 1))))
    m.attach("axle", body("hand", Sphere(0.1), Transform(translation=(1, 0, 0))), Joint("hand_j", Revolute((0, 1, 0))))
    m.find_joint("hand_j").position_limits = (-1e-9, 1e-9)
    m.attach("base", body("ball", Sphere(0.2), Transform(translation=(1, 0, 0)), **filters), Joint("ball_j", Fixed()))
    m.attach("axle", body("pin", Box((0.2, 0.2, 0.2))), Joint("pin_j", Prismatic((1, 0, 0))))
    m.find_joint("pin_j").position_limits = (0.85, 1.15)
    far = Transform(translation=(0, 0, 5))
    m.attach("hand", body("cap", Sphere(0.01), far), Joint("cap_j", Revolute((0, 0, 1))))
    return m


def test_shares_are_those_of_the_closed_form():
    """Two balls of radii 0.1 and 0.2 at distance 1 of an axle meet within 2 asin(0.15) of one another."""
    found = sampled(clock(), samples=4000, seed=3)
    share = 2 * 2 * np.arcsin(0.15) / (2 * np.pi)
    assert found.samples == 4000
    assert found.shares["hand", "ball"] == pytest.approx(share, abs=4 * np.sqrt(share / 4000))
    assert found.shares["hand", "pin"] == pytest.approx(1.0, abs=1e-12)     # their gap is 0.2 and less
    assert ("axle", "pin") not in found.shares                              # a joint joins them
    assert set(found.never) == {("axle", "cap"), ("ball", "cap"), ("pin", "cap")} - set(found.at_rest)
    assert found.always == (("hand", "pin"),)
    assert set(found.at_rest) == {("hand", "ball"), ("hand", "pin"), ("ball", "pin")}     # at the end of its limits
    assert found.reasons["hand", "pin"] == "Always"
    assert found.reasons["hand", "ball"] == "Default"
    assert found.reasons["axle", "cap"] == "Never"
    assert sampled(clock(), samples=50, seed=3) == sampled(clock(), samples=50, seed=3)
    assert sampled(clock(), samples=50, seed=3) != sampled(clock(), samples=50, seed=4)


def test_groups_and_masks_count_and_ignored_pairs_do_not():
    assert ("hand", "ball") not in sampled(clock(mask=0), samples=3).shares
    m = clock()
    m.ignore_collision("hand", "ball")
    assert ("hand", "ball") in sampled(m, samples=3).shares
    assert m.ignored_collisions == (("hand", "ball"),)
    assert sampled(m, samples=3, always_share=1.0).always_share == 1.0


def test_joints_that_follow_follow():
    """Two fingers that move by one number never meet; by themselves they do."""
    m = Mechanism(RigidBody("world"))
    m.attach("world", body("palm", Sphere(0.01)), Joint("palm_j", Fixed()))
    for name, side in (("left", 1.0), ("right", -1.0)):
        m.attach("palm", body(name, Sphere(0.1)), Joint(f"{name}_j", Prismatic((0, 1, 0))),
                 Transform(translation=(1, 0.3 * side, 0)))  # fmt: skip
        m.find_joint(f"{name}_j").position_limits = (-1.0, 1.0)
    assert 0 < sampled(m, samples=500).shares["left", "right"] < 1
    m.find_joint("right_j").mimic = Mimic("left_j", 1.0, 0.0)
    assert sampled(m, samples=500).never[-1] == ("left", "right")


def test_loops_are_closed():
    """A parallelogram keeps its opposite bars apart; its ends meet where it is folded flat."""
    m = Mechanism(RigidBody("world"))
    bar = Box((1.0, 0.02, 0.02))
    m.attach("world", body("crank", bar, Transform(translation=(0.5, 0, 0))), Joint("c", Revolute((0, 0, 1))))
    m.attach("crank", body("rod", bar, Transform(translation=(0.5, 0, 0.0))), Joint("r", Revolute((0, 0, 1))),
             Transform(translation=(1, 0, 0), rpy=(0, 0, 1.0)))  # fmt: skip
    m.attach("rod", body("rocker", bar, Transform(translation=(0.5, 0, 0))), Joint("k", Revolute((0, 0, 1))),
             Transform(translation=(1, 0, 0), rpy=(0, 0, 1.0)))  # fmt: skip
    m.attach("rocker", m.root_body, Joint("loop", Revolute((0, 0, 1))), Transform(translation=(1, 0, 0)),
             Transform(translation=(-1.0, 0, 0)))  # fmt: skip
    found = sampled(m, samples=40)
    assert 0 < found.samples <= 40
    assert set(found.shares) == {("crank", "rocker")}


def test_bad_arguments():
    with pytest.raises(Error, match="mechanism must be a Mechanism"):
        sampled("robot.urdf")
    for options, name in (({"samples": 0}, "samples"), ({"seed": -1}, "seed"), ({"always_share": 0.0}, "always_share"),
                          ({"always_share": 1.1}, "always_share")):  # fmt: skip
        with pytest.raises(Error, match=name):
            sampled(clock(), **options)


def test_of_a_robot():
    world = rbdyn.World()
    robot = world.add_articulated_system(clock())
    q = robot.q
    found = robot.sample_self_collisions(samples=20, seed=3)
    assert found == sampled(clock(), samples=20, seed=3)
    np.testing.assert_array_equal(robot.q, q)
    for pair in found.always:
        robot.ignore_collision(*pair)
    assert robot.ignored_collisions == found.always
