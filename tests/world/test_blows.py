"""Where and when bodies are hit: momentum about any point, energy and Newton's law, of bodies and robots alike."""

import numpy as np
import pytest

import rbdyn
from rbdyn.collision import Sphere
from rbdyn.mechanism import Floating, Geometry, Joint, Mechanism, Revolute, RigidBody
from rbdyn.spatial import SpatialInertia, Transform


def ball_robot(world, name):
    """A ball as a robot on a floating joint."""
    shape = Sphere(0.1)
    mechanism = Mechanism(RigidBody("world"))
    body = RigidBody("ball", SpatialInertia.from_shape(shape, mass=1.0), [Geometry(shape)])
    mechanism.attach(mechanism.root_body, body, Joint("free", Floating()))
    return world.add_articulated_system(mechanism, name=name)


def two_that_meet(kind, dt, e, mu, shift):
    """A World without gravity, two balls that come at 1 m/s each, off centre by a radius; momentum and energy."""
    world = rbdyn.World(dt, gravity=(0, 0, 0))
    world.set_default_material(friction=mu, restitution=e)
    balls = []
    for side in (-1.0, 1.0):
        place, v = np.array([side * (0.5 - 2.0 * dt * shift), -0.05 * side, 0.0]), np.array([-side, 0.0, 0.0])
        if kind == "body":
            ball = world.add_sphere(0.1, 1.0)
            ball.set_pose(place)
            ball.set_velocity(v)
        else:
            ball = ball_robot(world, f"ball {side}")
            ball.set_state([*place, 1, 0, 0, 0], [*v, 0, 0, 0])
        balls.append(ball)

    def momentum():
        if kind == "body":
            return sum(np.cross(b.position, b.linear_momentum) + b.angular_momentum for b in balls)
        return sum(rbdyn.momentum(b.state)[:3] for b in balls)

    def energy():
        return sum(b.kinetic_energy if kind == "body" else rbdyn.kinetic_energy(b.state) for b in balls)

    return world, momentum, energy


@pytest.mark.parametrize("dt", [1e-3, 5e-3])
@pytest.mark.parametrize(
    ("kind", "e", "mu"),
    [("body", 1.0, 0.0), ("body", 0.0, 0.0), ("body", 0.0, 0.8), ("body", 0.6, 0.8), ("robot", 1.0, 0.0)],
)
def test_blows_keep_the_angular_momentum(kind, e, mu, dt):
    """In whatever part of the step they fall, and also where the balls just touch as it begins."""
    for shift in np.linspace(0.0, 1.0, 11):
        world, momentum, energy = two_that_meet(kind, dt, e, mu, shift)
        before, came = momentum(), energy()
        world.run(1.0)
        assert energy() == pytest.approx(came, rel=1e-9) if e == 1.0 else energy() < 0.95 * came
        np.testing.assert_allclose(momentum(), before, atol=1e-12 * np.linalg.norm(before))


@pytest.mark.parametrize("integrator", ["trapezoid", "rk4", "semi_implicit", "euler"])
@pytest.mark.parametrize("dt", [1e-3, 5e-3])
def test_robots_that_bounce_without_loss_rise_as_high_again(dt, integrator):
    world = rbdyn.World(dt)
    world.integrator = integrator
    world.set_default_material(friction=0.0, restitution=1.0)
    world.add_ground()
    ball = ball_robot(world, "ball")
    ball.set_state([0.0, 0.0, 1.1, 1.0, 0.0, 0.0, 0.0])
    heights = []
    for _ in range(round(10.0 / dt)):
        world.step()
        heights.append(ball.q[2] - 0.1)
    off = 2e-3 if integrator in ("trapezoid", "rk4") else 12.0 * dt
    assert max(heights[-round(1.0 / dt) :]) == pytest.approx(1.0, abs=off)


def swung_against_a_wall(reach, e, rotor=0.0, wall_speed=0.0):
    """With which speed a knob at `reach` on a rod, hinged at its end, leaves a wall that it meets at 1 rad/s [m/s]."""
    rod = SpatialInertia(1.0, (0.5, 0.0, 0.0), np.diag([1e-4, 1 / 12, 1 / 12]))
    mechanism = Mechanism(RigidBody("world"))
    knob = RigidBody("rod", rod, [Geometry(Sphere(0.02), Transform(translation=(reach, 0.0, 0.0)))])
    hinge = Joint("hinge", Revolute((0, 0, 1)), rotor_inertia=rotor)
    mechanism.attach(mechanism.root_body, knob, hinge)
    world = rbdyn.World(1e-3, gravity=(0, 0, 0))
    world.set_default_material(friction=0.0, restitution=e)
    wall = world.add_box(2.0, 0.2, 1.0, body_type="kinematic" if wall_speed else "static")
    wall.set_pose((0.0, 0.12, 0.0))
    if wall_speed:
        wall.set_velocity((0.0, -wall_speed, 0.0))
    robot = world.add_articulated_system(mechanism)
    came = 0.0 if wall_speed else 1.0
    robot.set_state([-0.2 * came], [came])
    for _ in range(1000):
        world.step()
        if robot.v[0] < came - 0.01:
            return -robot.v[0] * reach
    raise AssertionError("it never met the wall")


@pytest.mark.parametrize("reach", [1.0, 1 / 3, 0.1])
def test_what_a_hinge_carries_bounces_by_newton_s_law(reach):
    """However little the joint lets move where it is hit; gears and walls that come make no difference."""
    for e in (0.5, 1.0):
        assert swung_against_a_wall(reach, e) == pytest.approx(e * reach, rel=1e-6)
    assert swung_against_a_wall(reach, 1.0, rotor=10.0) == pytest.approx(reach, rel=1e-6)
    assert swung_against_a_wall(reach, 1.0, wall_speed=1.0) == pytest.approx(2.0, rel=1e-6)


def test_a_heavy_ball_swings_a_door_open():
    """100 kg at 1 m/s on a door of 10 kg, 0.3 m from its hinge: momentum about the hinge, and Newton's law."""
    mass, door, reach, height = 100.0, 10.0, 0.3, 1.0
    inertia = door * height**2 / 3.0
    mechanism = Mechanism(RigidBody("world"))
    body = SpatialInertia(door, (0.5, 0.0, 0.0), np.diag([0.01, door / 12.0, door / 12.0]))
    knob = RigidBody("door", body, [Geometry(Sphere(0.05), Transform(translation=(reach, 0.0, 0.0)))])
    mechanism.attach(mechanism.root_body, knob, Joint("hinge", Revolute((0, 0, 1))))
    world = rbdyn.World(1e-3, gravity=(0, 0, 0))
    world.set_default_material(friction=0.0, restitution=1.0)
    swing = world.add_articulated_system(mechanism)
    ball = world.add_sphere(0.1, mass)
    ball.set_pose((reach, -0.4, 0.0))
    ball.set_velocity((0.0, 1.0, 0.0))
    while swing.v[0] == 0.0:
        world.step()
    turn = 2.0 * mass * reach / (mass * reach**2 + inertia)
    assert swing.v[0] == pytest.approx(turn, rel=1e-3)
    assert ball.linear_velocity[1] == pytest.approx(1.0 - turn * inertia / (mass * reach), rel=1e-3)
