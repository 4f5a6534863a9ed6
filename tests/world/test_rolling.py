"""Torsional and rolling friction in a World: closed forms, thresholds, energy."""

import numpy as np
import pytest

import rbdyn
from rbdyn import Floating, Joint, Mechanism, RigidBody, SpatialInertia
from rbdyn.collision import Sphere
from rbdyn.mechanism import Geometry
from rbdyn.world import World

R, MASS, G = 0.1, 2.0, 9.81  # of a solid ball: I = 2/5 m R^2


def on_a_plane(tilt=0.0, dt=1e-3, **coefficients):
    """A World whose ground is tilted by turning gravity, and a ball on it."""
    world = World(dt, gravity=(G * np.sin(tilt), 0.0, -G * np.cos(tilt)))
    world.add_ground()
    world.set_default_material(**coefficients)
    ball = world.add_sphere(R, MASS)
    ball.set_pose(position=(0.0, 0.0, R))
    return world, ball


def robot_ball(world):
    """The same ball as an articulated system."""
    mechanism = Mechanism(RigidBody("world"))
    body = RigidBody("ball", inertia=SpatialInertia(MASS, (0, 0, 0), 0.4 * MASS * R * R * np.eye(3)))
    body.collision = [Geometry(Sphere(R))]
    mechanism.attach(mechanism.root_body, body, Joint("free", Floating()))
    return world.add_articulated_system(mechanism)


@pytest.mark.parametrize("dt", [1e-3, 5e-3])
def test_a_rolling_ball_slows_down_at_the_known_rate_and_stays(dt):
    """(I + m R^2) dw/dt = -c m g: dv/dt = -5/7 (c / R) g, in every step exactly."""
    c = 2e-3
    world, ball = on_a_plane(dt=dt, rolling_friction=c)
    ball.set_velocity((0.6, 0.8, 0.0), (-8.0, 6.0, 0.0))
    a = 5 / 7 * c / R * G
    world.step(round(1.0 / dt))
    np.testing.assert_allclose(ball.linear_velocity, [0.6 * (1 - a), 0.8 * (1 - a), 0.0], rtol=1e-9, atol=1e-12)
    world.step(int((1 / a - 1.0) / dt) - 1)
    assert np.linalg.norm(ball.linear_velocity) > 1e-4
    world.step(3)
    assert np.linalg.norm(ball.linear_velocity) < 1e-15 and np.linalg.norm(ball.angular_velocity) < 1e-13
    way = ball.position.copy()
    assert np.hypot(*way[:2]) == pytest.approx(0.5 / a, rel=2 * dt)
    world.step(200)
    np.testing.assert_allclose(ball.position, way, atol=1e-14)


def test_a_ball_that_spins_on_its_pole_stops_in_the_known_time():
    """I dw/dt = -c m g: after 2/5 R^2 w / (c g) it stands, and did not move."""
    c = 1e-3
    world, ball = on_a_plane(torsional_friction=c)
    ball.set_velocity((0, 0, 0), (0, 0, 1.0))
    stop = 0.4 * R * R / (c * G)
    world.step(200)
    assert ball.angular_velocity[2] == pytest.approx(1.0 - 0.2 / stop, rel=1e-9)
    world.step(int(1e3 * stop) - 200)
    assert ball.angular_velocity[2] > 1e-4
    world.step(2)
    np.testing.assert_allclose(ball.angular_velocity, 0.0, atol=1e-13)
    np.testing.assert_allclose(ball.position, [0, 0, R], atol=1e-12)


def spin_down_time(body, world):
    """Until it spins at less than a thousandth of 20 rad/s."""
    body.set_velocity(angular=(0, 0, 20.0))
    while body.angular_velocity[2] > 0.02:
        world.step()
    return world.time


def test_a_can_spins_down_by_its_rim_and_a_patch_by_its_moment():
    """R w / (2 mu g) = 0.340 s on the four points of its rim; 3 R w / (4 mu g) = 0.510 s under uniform pressure.

    The latter is a torsional friction of 2/3 mu R, on one contact: here of a ball with the inertia of the can.
    """
    mu, spin = 0.3, 20.0
    world = World(1e-3)
    world.add_ground()
    world.set_default_material(friction=mu)
    can = world.add_cylinder(R, 0.2, MASS)
    can.set_pose((0, 0, 0.1))
    assert spin_down_time(can, world) == pytest.approx(0.5 * R * spin / (mu * G), abs=2e-3)
    world = World(1e-3)
    world.add_ground()
    world.set_default_material(friction=mu, torsional_friction=2 / 3 * mu * R)
    patch = world.add_single_body([Geometry(Sphere(R))], MASS, np.diag([1.0, 1.0, 0.5 * MASS * R * R]))
    patch.set_pose((0, 0, R))
    assert spin_down_time(patch, world) == pytest.approx(0.75 * R * spin / (mu * G), abs=2e-3)


def test_torsion_leaves_rolling_alone_and_rolling_leaves_spin_alone():
    for coefficients, spin, kept in (
        ({"torsional_friction": 0.01}, (0.0, 10.0, 0.0), (0.0, 10.0, 0.0)),
        ({"rolling_friction": 0.01}, (0.0, 0.0, 3.0), (0.0, 0.0, 3.0)),
    ):
        world, ball = on_a_plane(**coefficients)
        ball.set_velocity((spin[1] * R, 0, 0), spin)
        world.step(100)
        np.testing.assert_allclose(ball.angular_velocity, kept, atol=1e-10)


@pytest.mark.parametrize("share, moves", [(0.98, True), (1.02, False)])
@pytest.mark.parametrize("make", ["single", "robot"])
def test_a_ball_on_an_incline_starts_to_roll_at_the_threshold(share, moves, make):
    """It rests while tan(tilt) <= c / R, and rolls with 5/7 g (sin - (c / R) cos) beyond."""
    tilt = 0.05
    c = share * R * np.tan(tilt)
    world, ball = on_a_plane(tilt, rolling_friction=c)
    if make == "robot":
        world.remove(ball)
        ball = robot_ball(world)
        ball.set_state([0, 0, R, 1, 0, 0, 0], np.zeros(6))
    world.step(500)
    speed = ball.v[0] if make == "robot" else ball.linear_velocity[0]
    expected = 0.5 * 5 / 7 * G * (np.sin(tilt) - c / R * np.cos(tilt)) if moves else 0.0
    assert speed == pytest.approx(expected, rel=1e-6, abs=1e-12)
    assert (speed > 1e-3) == moves
    assert world.contact.statistics.unconverged == 0


def test_a_ball_of_a_robot_rolls_and_spins_as_a_single_body():
    results = []
    for make in ("single", "robot"):
        world, ball = on_a_plane(rolling_friction=2e-3, torsional_friction=1e-3)
        if make == "robot":
            world.remove(ball)
            ball = robot_ball(world)
            ball.set_state([0, 0, R, 1, 0, 0, 0], [0.5, 0.2, 0.0, 1.0, 3.0, 2.0])
        else:
            ball.set_velocity((0.5, 0.2, 0.0), (1.0, 3.0, 2.0))
        world.step(300)
        v = ball.v if make == "robot" else np.concatenate([ball.linear_velocity, ball.angular_velocity])
        results.append(v)
    assert np.abs(results[0]).min() > 0 or results[0][2] == 0.0
    np.testing.assert_allclose(results[1], results[0], rtol=1e-9, atol=1e-11)


@pytest.mark.parametrize("spin, steps", [((0.3, -1.0, 5.0), 1), ((0.0, 0.0, 5.0), 100)])
def test_moments_between_two_free_bodies_keep_angular_momentum(spin, steps):
    """A ball turns on another one, pressed together by opposite forces."""
    world = World(1e-3, gravity=(0, 0, 0))
    world.set_default_material(torsional_friction=5e-3, rolling_friction=2e-3)
    a, b = world.add_sphere(R, MASS), world.add_sphere(R, 3 * MASS)
    a.set_pose(position=(0, 0, 2 * R))
    a.set_velocity((0, 0, 0), spin)
    inertia = 0.4 * MASS * R * R

    def momentum():
        turning = inertia * a.angular_velocity + 3 * inertia * b.angular_velocity
        return turning + sum(k * np.cross(x.position, x.linear_velocity) for k, x in ((MASS, a), (3 * MASS, b)))

    before = momentum()
    for _ in range(steps):
        a.set_external_force(a.name, (0, 0, -20.0))
        b.set_external_force(b.name, (0, 0, 20.0))
        world.step()
    np.testing.assert_allclose(momentum(), before, atol=1e-15)
    assert a.angular_velocity[2] == pytest.approx(5.0 - steps * 1e-3 * 5e-3 * 20.0 / inertia, rel=1e-9)
    assert b.angular_velocity[2] == pytest.approx(steps * 1e-3 * 5e-3 * 20.0 / (3 * inertia), rel=1e-9)


def test_pairs_say_which_contacts_have_it():
    """Two balls on one ground, of two materials: one rolls on, one stops."""
    world = World(1e-3)
    world.add_ground(material="floor")
    world.set_material_pair("floor", "felt", friction=0.8, rolling_friction=0.02)
    speeds = []
    for material in ("felt", "steel"):
        ball = world.add_sphere(R, MASS, material=material)
        ball.set_pose(position=(0, len(speeds), R))
        ball.set_velocity((1, 0, 0), (0, 1 / R, 0))
        speeds.append(ball)
    world.step(1000)
    assert np.linalg.norm(speeds[0].linear_velocity) < 1e-14
    assert speeds[1].linear_velocity[0] == pytest.approx(1.0, abs=1e-10)


def test_heaps_gain_no_energy(seed):
    """All shapes, with and without articulation: the energy never exceeds what there was."""
    rng = np.random.default_rng(seed)
    world = World(2e-3)
    world.add_ground()
    world.set_default_material(
        friction=rng.uniform(0.2, 1.0), torsional_friction=10.0 ** rng.uniform(-4, -1),
        rolling_friction=10.0 ** rng.uniform(-4, -1.5),
    )
    bodies = [
        world.add_sphere(0.1, 1.0), world.add_box(0.2, 0.1, 0.3, 1.0), world.add_cylinder(0.1, 0.2, 1.0),
        world.add_capsule(0.06, 0.2, 1.0), world.add_sphere(0.15, 3.0),
    ]
    for k, one in enumerate(bodies):
        quat = rng.normal(size=4)
        one.set_pose(position=(*rng.uniform(-0.1, 0.1, 2), 0.3 + 0.35 * k), orientation=quat / np.linalg.norm(quat))
        one.set_velocity(rng.normal(size=3), 5.0 * rng.normal(size=3))
    robot = robot_ball(world)
    robot.set_state([0.4, 0, 0.4, 1, 0, 0, 0], [-1.0, 0, 0, 2.0, 5.0, 9.0])

    def energy():
        state = robot.state
        return sum(b.kinetic_energy + b.potential_energy for b in bodies) + rbdyn.kinetic_energy(
            state) + rbdyn.potential_energy(state)

    last = start = energy()
    for _ in range(400):
        world.step()
        now = energy()
        assert now <= last + 2e-3 * start  # pushes of the position correction lift things, and no more
        last = now
    assert last < 0.75 * start


@pytest.mark.parametrize("shape", ["sphere", "cylinder", "capsule", "box"])
def test_drops_come_to_rest(shape, seed):
    """Of any shape and attitude: asleep before long, where balls and cylinders would roll on for ever."""
    rng = np.random.default_rng(seed)
    world = World(4e-3)
    world.add_ground()
    world.set_default_material(
        friction=rng.uniform(0.3, 1.0), restitution=rng.choice([0.0, 0.5]), torsional_friction=0.02,
        rolling_friction=0.02,
    )
    size = rng.uniform(0.05, 0.2, 3)
    make = {
        "sphere": lambda: world.add_sphere(size[0], 1.0), "cylinder": lambda: world.add_cylinder(*size[:2], 1.0),
        "capsule": lambda: world.add_capsule(*size[:2], 1.0), "box": lambda: world.add_box(*size, 1.0),
    }
    body, quat = make[shape](), rng.normal(size=4)
    body.set_pose(position=(0, 0, 0.6), orientation=quat / np.linalg.norm(quat))
    body.set_velocity(rng.normal(size=3), 5.0 * rng.normal(size=3))
    world.step(2000)
    assert body.kinetic_energy < 1e-12
    still = body.position.copy()
    world.step(100)
    np.testing.assert_allclose(body.position, still, atol=1e-9)


def test_a_moved_object_forgets_its_moments():
    """As its impulses: a World that is reset repeats bit for bit."""
    results = []
    world, ball = on_a_plane(0.05, rolling_friction=0.2 * R)
    for _ in range(2):
        ball.set_pose(position=(0, 0, R), orientation=(1, 0, 0, 0))
        ball.set_velocity((0, 0, 0), (0, 0, 0))
        world.step(3)
        results.append((ball.position.tobytes(), ball.angular_velocity.tobytes(), world.contact.iterations))
    assert results[0] == results[1]
    assert len(world.contact.get_state()["block_key"]) == 1


def test_coefficients_of_zero_leave_no_rows():
    """Defaults: the problem holds cones alone."""
    world, ball = on_a_plane()
    world.step(2)
    assert len(world.contact.get_state()["block_key"]) == 0
    world.set_default_material(torsional_friction=1e-3, rolling_friction=1e-3)
    world.step(1)
    assert world.contact.get_state()["block_key"]["source"].tolist() == [30, 31]
