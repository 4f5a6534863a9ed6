"""What rests falls asleep: when, with whom, and what of it can be read then."""

import copy

import numpy as np
import pytest

import rbdyn
from rbdyn import World


def sleepy(time_step=0.005, **settings):
    """A World with ground in which bodies sleep after 0.1 s."""
    world = World(time_step=time_step, **settings)
    world.sleeping, world.sleep_time = True, 0.1
    world.add_ground()
    return world


def tower(world, x, height, size=0.2):
    """Boxes on one another, at rest."""
    boxes = []
    for k in range(height):
        box = world.add_box(size, size, size, mass=1.0)
        box.set_pose(position=(x, 0.0, size * (k + 0.5)))
        boxes.append(box)
    return boxes


def test_nobody_sleeps_unless_asked():
    world = World()
    world.add_ground()
    box = tower(world, 0.0, 1)[0]
    assert world.sleeping is False and world.sleep_time == 0.5 and world.sleep_speed == 0.001
    world.step(1000)
    assert not box.asleep


@pytest.mark.parametrize("settings", [{}, {"substeps": 3}, {"contact": "pgs"}])
def test_a_box_at_rest_sleeps_after_its_time(settings):
    """Slow in 20 steps of 5 ms: then it sleeps, and its velocity is zero; rounding may ask for one step more."""
    world = sleepy(**settings)
    box = tower(world, 0.0, 1)[0]
    world.step(18)
    assert not box.asleep
    world.step(3)
    assert box.asleep
    assert not box.linear_velocity.any() and not box.angular_velocity.any()


def test_a_tower_sleeps_as_a_whole():
    world = sleepy()
    boxes = tower(world, 0.0, 4)
    boxes[3].set_velocity(angular=(0.0, 0.0, 1.0))      # it turns on the others for a while
    slept = []
    for _ in range(300):
        world.step()
        slept.append([box.asleep for box in boxes])
    assert all(all(row) or not any(row) for row in slept)
    assert all(slept[-1]) and not any(slept[18])


def test_what_a_top_body_moves_on_stays_awake():
    """A ball that spins on a box for ever keeps it awake; the box beside them sleeps."""
    world = sleepy()
    below, = tower(world, 0.0, 1)
    beside, = tower(world, 1.0, 1)
    ball = world.add_sphere(0.1, mass=1.0)
    ball.set_pose(position=(0.0, 0.0, 0.3))
    ball.set_velocity(angular=(0.0, 0.0, 5.0))
    world.step(200)
    assert ball.angular_velocity[2] == pytest.approx(5.0)
    assert not ball.asleep and not below.asleep and beside.asleep


def test_what_flies_slowly_does_not_sleep_in_gravity():
    """In weak gravity a ball is slow for a second at the top of its path; it goes on falling by the closed form."""
    world = World(time_step=0.01, gravity=(0.0, 0.0, -0.001))
    world.sleeping, world.sleep_time = True, 0.05
    ball = world.add_sphere(0.1, mass=1.0)
    world.step(300)
    assert not ball.asleep
    assert ball.position[2] == pytest.approx(-0.5 * 0.001 * 3.0**2, rel=1e-9)


def test_without_gravity_what_floats_sleeps():
    world = World(time_step=0.01, gravity=(0.0, 0.0, 0.0))
    world.sleeping, world.sleep_time = True, 0.05
    ball, other = world.add_sphere(0.1, mass=1.0), world.add_sphere(0.1, mass=1.0)
    other.set_pose(position=(1.0, 0.0, 0.0))
    other.set_velocity(linear=(0.01, 0.0, 0.0))
    world.step(20)
    assert ball.asleep and not other.asleep


def test_contacts_of_what_sleeps_can_be_read():
    """They bear its weight, as they did; each is there once, also in the step in which it falls asleep."""
    world = sleepy()
    lower, upper = tower(world, 0.0, 2)
    weight = 9.81
    while not lower.asleep:
        world.step()
        contacts = world.contacts
        assert len({(c.object_a.name, c.object_b.name, *c.position) for c in contacts}) == len(contacts) == 8
    before = [(c.position.tobytes(), c.impulse.tobytes(), c.depth) for c in world.contacts]
    for _ in range(3):
        world.step(10)
        assert [(c.position.tobytes(), c.impulse.tobytes(), c.depth) for c in world.contacts] == before
        assert sum(c.force_on(upper)[2] for c in upper.contacts) == pytest.approx(weight, rel=1e-3)
        assert sum(c.force_on(lower)[2] for c in lower.contacts) == pytest.approx(weight, rel=1e-3)
    lower.wake()
    assert len(world.contacts) == 8
    world.step()
    assert len(world.contacts) == 8
    assert sum(c.force_on(lower)[2] for c in lower.contacts) == pytest.approx(weight, rel=1e-3)


def test_waking_begins_with_the_impulses_of_then():
    """They solve the first step awake: one sweep sees so, and the tower stays at rest."""
    world = sleepy()
    boxes = tower(world, 0.0, 5)
    world.step(300)
    assert all(box.asleep for box in boxes)
    assert world.contact.iterations == 0                 # there was nothing to solve
    boxes[0].wake()
    assert not any(box.asleep for box in boxes)
    world.step()
    warm = world.contact.iterations
    assert max(np.abs(box.linear_velocity).max() for box in boxes) < 1e-6
    cold = World(time_step=0.005)
    cold.add_ground()
    tower(cold, 0.0, 5)
    cold.step()
    assert warm < cold.contact.iterations


def test_energy_never_grows_by_falling_asleep():
    rng = np.random.default_rng(3)
    world = sleepy()
    world.set_default_material(0.6, torsional_friction=0.02, rolling_friction=0.02)
    bodies = []
    for k in range(12):
        body = world.add_box(0.2, 0.15, 0.1, mass=1.0) if k % 2 else world.add_sphere(0.1, mass=0.5)
        body.set_pose(position=(*rng.uniform(-0.3, 0.3, 2), 0.2 + 0.25 * k))
        bodies.append(body)
    falls = 0
    for _ in range(1500):
        before = world.snapshot()
        awake = [body for body in bodies if not body.asleep]
        world.step()
        fallen = [body for body in awake if body.asleep]
        if fallen:
            falls += 1
            twin = copy.deepcopy(world)
            twin.restore(before)
            twin.sleep_time = 1e6
            twin.step()
        for body in fallen:
            assert body.position.tobytes() == twin.find(body.name).position.tobytes()
            assert body.kinetic_energy == 0.0 <= twin.find(body.name).kinetic_energy
    assert falls > 0 and all(body.asleep for body in bodies)


def test_as_long_as_nobody_sleeps_bits_are_those_without():
    """A World in which bodies may sleep, and none has yet, goes on as one in which they may not."""
    worlds = []
    for sleeping in (False, True):
        world = World(time_step=0.005)
        world.sleeping, world.sleep_time = sleeping, 1e6
        world.add_ground()
        rng = np.random.default_rng(5)
        for k in range(15):
            world.add_box(0.2, 0.2, 0.2, mass=1.0).set_pose(position=(*rng.uniform(-0.2, 0.2, 2), 0.2 + 0.22 * k))
        world.step(300)
        worlds.append(world)
    one, two = worlds
    for a, b in zip(one.objects, two.objects, strict=True):
        assert a.position.tobytes() == b.position.tobytes() and a.orientation.tobytes() == b.orientation.tobytes()
        assert a.linear_velocity.tobytes() == b.linear_velocity.tobytes()


def test_what_sleeps_keeps_its_bits_while_others_move():
    world = sleepy()
    boxes = [box for x in (0.0, 1.0, 2.0) for box in tower(world, x, 2)]
    world.step(60)
    poses = [(box.position.tobytes(), box.orientation.tobytes()) for box in boxes]
    ball = world.add_sphere(0.1, mass=1.0)
    assert all(box.asleep for box in boxes)              # a body that comes wakes what it touches, and nobody else
    ball.set_pose(position=(-1.0, 0.5, 0.1))
    ball.set_velocity(linear=(2.0, 0.0, 0.0))
    world.step(300)
    assert ball.position[0] > 1.0
    assert all(box.asleep for box in boxes)
    assert [(box.position.tobytes(), box.orientation.tobytes()) for box in boxes] == poses


def test_a_robot_that_moves_stays_awake():
    world = sleepy()
    robot = world.add_articulated_system(rbdyn.models.six_axis_arm())
    robot.set_base_pose(position=(0.0, 0.0, 5.0))
    robot.set_state([0.3, 0.5, 0.5, 0.2, 0.4, 0.1])      # upright it is in balance
    box, = tower(world, 30.0, 1)
    world.step(60)
    assert box.asleep and not robot.asleep
    robot.wake()
    assert box.asleep and not robot.asleep


@pytest.mark.parametrize("name, value", [("sleep_time", 0.0), ("sleep_time", -1.0), ("sleep_time", float("nan")),
                                         ("sleep_speed", -1.0), ("sleep_speed", "fast"), ("sleeping", 2)])
def test_settings_are_checked(name, value):
    world = sleepy()
    with pytest.raises(rbdyn.errors.Error, match=name):
        setattr(world, name, value)
    assert world.sleeping is True and world.sleep_time == 0.1 and world.sleep_speed == 0.001
