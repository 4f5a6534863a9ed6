"""What acts along joints between bodies of a World: springs, dampers, friction, rotors, limits and motors."""

import math

import numpy as np
import pytest

import rbdyn
from rbdyn import Joint, Prismatic, Revolute, Transform
from rbdyn.errors import Error
from rbdyn.world import World

M, L, J = 2.0, 0.5, 0.03  # a bob of a pendulum: mass, distance from the axis, inertia about its centre
G = 9.81


def pendulum(dt, **asks):
    """A single body on a hinge of the world along y; q is 0 where it hangs."""
    world = World(dt)
    bob = world.add_single_body([], M, J * np.eye(3))
    bob.set_pose((0, 0, -L))
    hinge = Joint("hinge", Revolute((0, 1, 0)), **asks)
    return world, bob, world.add_joint(None, bob, hinge, Transform(), Transform(translation=(0, 0, L)))


def tree(dt, **asks):
    """The same as a mechanism, moving as in contact."""
    m = rbdyn.Mechanism(rbdyn.RigidBody("root"))
    bob = rbdyn.RigidBody("bob", rbdyn.SpatialInertia(M, (0, 0, -L), J * np.eye(3)))
    m.attach(m.root_body, bob, Joint("hinge", Revolute((0, 1, 0)), **asks))
    world = World(dt)
    return world, world.add_articulated_system(m)


def turned(bob, angle, rate=0.0):
    """Put the bob where the hinge has this angle and rate."""
    arm = L * np.array([-math.sin(angle), 0, -math.cos(angle)])
    bob.set_pose(arm, (math.cos(angle / 2), 0, math.sin(angle / 2), 0))
    bob.set_velocity(np.cross((0, rate, 0), arm), (0, rate, 0))


ASKED = {
    "spring": {"stiffness": 30.0, "spring_reference": [0.4]},
    "damper": {"damping": 0.8},
    "friction": {"friction": 0.9},
    "rotor": {"rotor_inertia": 0.4},
    "stops": {"position_limits": (-0.3, 0.45)},
    "bounce": {"position_limits": (-0.3, 0.45), "limit_restitution": 0.5},
    "slow": {"velocity_limit": 1.2},
}


@pytest.mark.parametrize("what", ASKED)
def test_a_pendulum_moves_as_the_one_on_a_joint_of_a_tree(what):
    """Written as a body on a joint and as a mechanism: alike to first order in the time step."""
    apart = []
    for dt in (2e-3, 1e-3, 5e-4):
        world, bob, hinge = pendulum(dt, **ASKED[what])
        other, robot = tree(dt / 4, **ASKED[what])
        turned(bob, 0.2, 2.0)
        robot.set_state([0.2], [2.0])
        worst = 0.0
        for _ in range(round(0.8 / dt)):
            world.step()
            other.step(4)
            worst = max(worst, abs(hinge.q - robot.q[0]))
        apart.append(worst)
    assert apart[2] < 20 * 5e-4 and apart[2] < 0.75 * apart[0]
    assert np.abs(hinge.error).max() < 1e-4


@pytest.mark.parametrize("what", ASKED)
def test_without_it_the_pendulum_moves_otherwise(what):
    world, bob, hinge = pendulum(1e-3)
    other, twin, asked = pendulum(1e-3, **ASKED[what])
    worst = 0.0
    for one in (bob, twin):
        turned(one, 0.2, 2.0)
    for _ in range(800):
        world.step()
        other.step()
        worst = max(worst, abs(hinge.q - asked.q))
    assert worst > 0.05


def test_its_coordinate_and_velocity_are_read():
    world, bob, hinge = pendulum(1e-3)
    turned(bob, 0.7, -1.3)
    assert hinge.q == pytest.approx(0.7, abs=1e-12) and hinge.v == pytest.approx(-1.3, abs=1e-12)
    world.step()
    assert hinge.v == pytest.approx(bob.angular_velocity[1], abs=1e-12)
    world = World(gravity=(0, 0, 0))
    cart = world.add_sphere(0.1, 1.0)
    rail = world.add_joint(None, cart, Joint("rail", Prismatic((0, 1, 0))))
    cart.set_pose((0, 0.3, 0))
    cart.set_velocity((0, 0.7, 0))
    assert rail.q == pytest.approx(0.3, abs=1e-12) and rail.v == pytest.approx(0.7, abs=1e-12)


def test_a_motor_holds_the_weight_where_its_gain_says():
    """p (target - q) = M G L sin q."""
    world, bob, hinge = pendulum(2e-3)
    turned(bob, 0.1)
    hinge.set_drive(p=50.0, d=5.0, target=0.6)
    world.step(4000)
    assert 50.0 * (0.6 - hinge.q) == pytest.approx(M * G * L * math.sin(hinge.q), rel=1e-6)
    assert hinge.drive_force == pytest.approx(M * G * L * math.sin(hinge.q), rel=1e-6)
    assert hinge.along_force == pytest.approx([hinge.drive_force])
    assert hinge.wrench[1] == pytest.approx(hinge.drive_force, rel=1e-6)
    assert 0.2 < hinge.q < 0.55


def test_a_motor_swings_as_that_of_a_mechanism():
    apart = []
    for dt in (2e-3, 1e-3):
        world, bob, hinge = pendulum(dt)
        other, robot = tree(dt / 4)
        hinge.set_drive(p=80.0, d=1.0, target=0.9, velocity=0.3)
        robot.set_pd_gains(80.0, 1.0)
        robot.set_pd_target([0.9], [0.3])
        worst = 0.0
        for _ in range(round(1.0 / dt)):
            world.step()
            other.step(4)
            worst = max(worst, abs(hinge.q - robot.q[0]))
        apart.append(worst)
    assert apart[1] < 0.02 and apart[1] == pytest.approx(apart[0] / 2, rel=0.25)


@pytest.mark.parametrize("force", [3.0, -2.0])
def test_feed_forward_alone_turns_a_wheel(force):
    """w = force t / J, as its inertia says, to a ten-millionth."""
    world = World(1e-3, gravity=(0, 0, 0))
    wheel = world.add_cylinder(0.3, 0.1, 4.0)
    axle = world.add_joint(None, wheel, Joint("axle", Revolute((0, 0, 1))))
    axle.set_drive(force=force)
    world.step(500)
    assert axle.v == pytest.approx(force * 0.5 / (0.5 * 4.0 * 0.09), rel=3e-7)
    assert axle.drive_force == pytest.approx(force, rel=1e-6)


def test_effort_limits_bound_all_that_a_motor_gives():
    world = World(1e-3, gravity=(0, 0, 0))
    wheel = world.add_cylinder(0.3, 0.1, 4.0)
    axle = world.add_joint(None, wheel, Joint("axle", Revolute((0, 0, 1)), effort_limit=0.7))
    axle.set_drive(p=1000.0, d=100.0, target=2.0)
    world.step(100)
    assert axle.drive_force == pytest.approx(0.7, rel=1e-12)
    assert axle.v == pytest.approx(0.7 * 0.1 / 0.18, rel=1e-9)
    axle.set_drive(effort_limits=(-0.2, 0.1))
    world.step()
    assert axle.drive_force == pytest.approx(0.1, rel=1e-12)
    assert axle.drive["effort_limits"] == (-0.2, 0.1)


def test_between_two_robots_a_motor_turns_one_against_the_other():
    """Two carts on rails of their own, driven apart by a slide between them: momentum stays, closed form of both."""
    world = World(1e-3, gravity=(0, 0, 0))
    carts = []
    for name, mass in (("a", 1.0), ("b", 3.0)):
        m = rbdyn.Mechanism(rbdyn.RigidBody("root"))
        body = rbdyn.RigidBody("cart", rbdyn.SpatialInertia(mass, (0, 0, 0), 0.1 * np.eye(3)))
        m.attach(m.root_body, body, Joint("rail", Prismatic((1, 0, 0))))
        carts.append(world.add_articulated_system(m, name))
    slide = world.add_joint((carts[0], "cart"), (carts[1], "cart"), Joint("slide", Prismatic((1, 0, 0)), damping=2.0))
    slide.set_drive(force=4.0)
    world.step(1000)
    reduced = 3.0 / 4.0
    apart = 4.0 / 2.0 * (1.0 - math.exp(-2.0 / reduced))
    assert slide.v == pytest.approx(apart, rel=2e-3)
    assert carts[0].v[0] == pytest.approx(-0.75 * slide.v, rel=1e-9)
    assert 1.0 * carts[0].v[0] + 3.0 * carts[1].v[0] == pytest.approx(0.0, abs=1e-10)


def test_static_friction_holds_more_than_sliding_friction():
    """Up to 1.5 N m at rest, 1 N m once it slides."""
    for torque, holds in ((1.4, True), (1.6, False)):
        world = World(1e-3, gravity=(0, 0, 0))
        wheel = world.add_cylinder(0.3, 0.1, 4.0)
        asks = {"friction": 1.0, "static_friction": 1.5, "static_threshold": 1e-3}
        axle = world.add_joint(None, wheel, Joint("axle", Revolute((0, 0, 1)), **asks))
        axle.set_drive(force=torque)
        world.step(500)
        assert (abs(axle.v) < 1e-9) == holds
        if not holds:
            assert axle.v == pytest.approx(0.6 * 0.5 / 0.18, rel=0.02)


def test_a_ball_joint_is_damped_in_all_its_directions():
    """w = w0 e^(-c t / I), of first order."""
    world = World(1e-4, gravity=(0, 0, 0))
    ball = world.add_sphere(0.2, 2.0)
    joint = world.add_joint(None, ball, Joint("ball", rbdyn.Spherical(), damping=0.05))
    spin = np.array([1.0, -2.0, 0.5])
    ball.set_velocity((0, 0, 0), spin)
    world.step(5000)
    assert ball.angular_velocity == pytest.approx(spin * math.exp(-0.05 * 0.5 / (0.4 * 2.0 * 0.04)), rel=1e-3)
    assert joint.along_force.shape == (3,)
    assert joint.along_force == pytest.approx(-0.05 * ball.angular_velocity, rel=1e-2)


@pytest.mark.parametrize("dt", [1e-3, 2e-2])
@pytest.mark.parametrize("stiffness", [10.0, 1e4, 1e8])
def test_springs_make_no_energy_at_any_time_step(dt, stiffness):
    world = World(dt, gravity=(0, 0, 0))
    wheel = world.add_cylinder(0.3, 0.1, 4.0)
    axle = world.add_joint(None, wheel, Joint("axle", Revolute((0, 0, 1)), stiffness=stiffness, spring_reference=[0.2]))
    energy = 0.5 * stiffness * 0.04
    for _ in range(300):
        world.step()
        now = 0.5 * 0.18 * axle.v**2 + 0.5 * stiffness * (0.2 - axle.q) ** 2
        assert now <= energy * (1 + 1e-9) + 1e-12
        energy = now


# ---- bad input ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("asks", "words"),
    [
        ({"stiffness": 3.0}, "of 3 degrees of freedom has a spring"),
        ({"velocity_limit": 3.0}, "a velocity limit"),
        ({"position_limits": (0, 1.0)}, "position limits"),
        ({"cone_limit": 1.0}, "a cone limit"),
    ],
)
def test_what_acts_along_one_direction_is_refused_along_several(asks, words):
    world = World()
    ball = world.add_sphere(0.1, 1.0)
    with pytest.raises(Error, match=words):
        world.add_joint(None, ball, Joint("ball", rbdyn.Spherical(), **asks))
    assert world.constraints == ()


def test_a_bad_drive_changes_nothing():
    _, _, hinge = pendulum(1e-3)
    hinge.set_drive(p=3.0)
    was = hinge.drive
    for asks, words in (
        ({"p": -1.0}, "p must"), ({"d": math.nan}, "d must"), ({"target": math.inf}, "target must"),
        ({"effort_limits": (1.0, 2.0)}, "lower <= 0 <= upper"), ({"p": 9.0, "force": "much"}, "force must"),
    ):  # fmt: skip
        with pytest.raises(Error, match=words):
            hinge.set_drive(**asks)
    assert hinge.drive == was


def test_a_ball_joint_and_a_weld_have_no_motor():
    world = World()
    ball = world.add_sphere(0.1, 1.0)
    for joint in (world.add_joint(None, ball, Joint("ball", rbdyn.Spherical())), world.add_weld(None, ball)):
        with pytest.raises(Error, match="one degree of freedom"):
            joint.set_drive(p=1.0)
        with pytest.raises(Error, match="one degree of freedom"):
            _ = joint.q


def test_limits_that_poses_cannot_tell_are_said():
    """An angle between two bodies is known within half a turn: a stop at 3.5 rad would never act."""
    beyond = Joint("turn", Revolute((0, 1, 0)), position_limits=(-1.0, 3.5))
    with pytest.raises(Error, match="'turn' has position limits beyond half a turn: that does not act"):
        World().add_joint(None, World().add_sphere(0.1, 1.0), beyond)
    m = rbdyn.Mechanism(rbdyn.RigidBody("root"))
    bob = rbdyn.RigidBody("bob", rbdyn.SpatialInertia(M, (0, 0, -L), J * np.eye(3)))
    m.attach(m.root_body, bob, Joint("free", rbdyn.Floating()))
    m.attach(m.root_body, bob, beyond)
    with pytest.warns(rbdyn.InactiveFeatureWarning, match="limits of loop joints beyond half a turn of 'turn'"):
        World().add_articulated_system(m)
