"""Bodies between a kinematic one, which moves whatever is in its way, and what stands: they are not thrown out."""

import numpy as np
import pytest

from rbdyn import Geometry, World
from rbdyn.collision import Box


def add_fixed(world, size, position, body_type="static"):
    body = world.add_single_body([Geometry(Box(size))], 1.0, np.eye(3), body_type=body_type)
    body.set_pose(position=position)
    return body


def press(offset, friction, time_step, contact="bisection"):
    """Largest speed of two balls, `offset` off one line, between a plate that comes and a wall; largest step; rescued.

    The step is how far a pose moved, by the time step: position correction may part the balls no faster.
    """
    world = World(time_step=time_step, gravity=(0.0, 0.0, 0.0), contact=contact)
    world.set_default_material(friction=friction)
    add_fixed(world, (0.5, 4.0, 4.0), (0.65, 0.0, 0.0))
    plate = add_fixed(world, (0.5, 4.0, 4.0), (-0.26, 0.0, 0.0), "kinematic")
    plate.set_velocity(linear=(1.0, 0.0, 0.0))
    balls = [world.add_sphere(0.1, 1.0), world.add_sphere(0.1, 1.0)]
    balls[0].set_pose(position=(0.1, 0.0, 0.0))
    balls[1].set_pose(position=(0.3, offset, 0.0))
    fastest = farthest = 0.0
    rescued = 0
    for _ in range(int(0.3 / time_step)):
        before = [ball.position for ball in balls]
        world.step()
        fastest = max([fastest] + [np.linalg.norm(ball.linear_velocity) for ball in balls])
        farthest = max([farthest] + [np.linalg.norm(ball.position - at) / time_step
                                     for ball, at in zip(balls, before, strict=True)])
        rescued += world.contact.statistics.rescued
    return fastest, farthest, rescued


@pytest.mark.parametrize("contact", ["bisection", "pgs"])
@pytest.mark.parametrize("time_step", [0.001, 0.005, 0.01])
@pytest.mark.parametrize("friction", [0.1, 0.3, 0.8])
def test_balls_that_friction_holds_in_the_way_are_not_thrown(friction, time_step, contact):
    for offset in (1e-6, 1e-4, 1e-3, 3e-3):
        fastest, farthest, _ = press(offset, friction, time_step, contact)
        assert fastest <= 30.0
        assert farthest <= 31.0                            # with 1 m/s of position correction


def test_a_problem_tells_what_kinematic_bodies_make_of_velocities():
    """A plate that rises at 0.3 m/s and turns at 2 rad/s below a ball, 0.5 m from its middle."""
    world = World(time_step=0.001, gravity=(0.0, 0.0, 0.0))
    plate = add_fixed(world, (2.0, 2.0, 0.5), (0.0, 0.0, -0.25), "kinematic")
    plate.set_velocity(linear=(0.0, 0.0, 0.3), angular=(0.0, 0.0, 2.0))
    ball = world.add_sphere(0.1, 1.0)
    ball.set_pose(position=(0.5, 0.0, 0.1))
    world.step()
    drive = world.problem.frame[0].T @ world.problem.drive[0]           # of side A less that of side B
    assert np.abs(drive) == pytest.approx([0.0, 1.0, 0.3], abs=1e-9)
    assert world.problem.v_free[0] == pytest.approx(world.problem.drive[0], abs=1e-9)


@pytest.mark.parametrize("speed", [0.1, 1.0])
@pytest.mark.parametrize("shape", ["box", "balls"])
def test_what_is_crushed_is_pressed_no_harder_than_that(shape, speed):
    """A plate that closes on a tilted box, or two balls, and a wall: its work stays below 1e5 m v (2 v)."""
    world = World(time_step=0.001, gravity=(0.0, 0.0, 0.0))
    add_fixed(world, (0.5, 4.0, 4.0), (0.57, 0.0, 0.0))
    plate = add_fixed(world, (0.5, 4.0, 4.0), (-0.31, 0.0, 0.0), "kinematic")
    plate.set_velocity(linear=(speed, 0.0, 0.0))
    if shape == "box":
        world.add_box(0.16, 0.16, 0.16, 1.0).set_pose([0.12, 0.0, 0.0], [0.9, 0.3, 0.3, 0.1])
    else:
        world.add_sphere(0.07, 1.0).set_pose([0.02, 0.0, 0.0])
        world.add_sphere(0.07, 1.0).set_pose([0.2, 0.02, 0.0])
    most = 0.0
    for _ in range(int(0.35 / speed / 0.001)):
        world.step()
        most = max([most] + [np.linalg.norm(contact.impulse) for contact in world.contacts])
    assert 0.0 < most <= 2e5 * 5.0 * speed                 # 5 kg: what 1 / G_ii of a few contacts sums up to


def test_what_gives_way_is_counted():
    assert press(1e-3, 0.8, 0.002)[2] > 0


@pytest.mark.parametrize("offset", [0.004, 0.01, 0.03, 0.1])
def test_balls_without_friction_leave_as_fast_as_their_wedge_says(offset):
    """All touch; the line of centres is tilted by sin a = offset / 0.2: at 1 m/s each leaves at 1 / (2 tan a)."""
    tilt = np.arcsin(offset / 0.2)
    world = World(time_step=0.002, gravity=(0.0, 0.0, 0.0))
    world.set_default_material(friction=0.0)
    add_fixed(world, (0.5, 4.0, 4.0), (0.65, 0.0, 0.0))
    left = 0.3 - 0.2 * np.cos(tilt)
    plate = add_fixed(world, (0.5, 4.0, 4.0), (left - 0.35, 0.0, 0.0), "kinematic")
    plate.set_velocity(linear=(1.0, 0.0, 0.0))
    balls = [world.add_sphere(0.1, 1.0), world.add_sphere(0.1, 1.0)]
    balls[0].set_pose(position=(left, 0.0, 0.0))
    balls[1].set_pose(position=(0.3, offset, 0.0))
    world.step()
    side = 0.5 / np.tan(tilt)
    assert balls[0].linear_velocity == pytest.approx([1.0, -side, 0.0], rel=1e-3, abs=1e-4)
    assert balls[1].linear_velocity == pytest.approx([0.0, side, 0.0], rel=1e-3, abs=1e-4)
    assert world.contact.statistics.rescued == 0


def boxed(time_step, half, height):
    """A World with a ground and four walls around its middle."""
    world = World(time_step=time_step)
    world.add_ground()
    for sign in (-1.0, 1.0):
        add_fixed(world, (0.1, 2.0 * half + 0.2, height), (sign * (half + 0.05), 0.0, 0.5 * height))
        add_fixed(world, (2.0 * half, 0.1, height), (0.0, sign * (half + 0.05), 0.5 * height))
    return world


@pytest.mark.parametrize("time_step", [0.001, 0.005])
def test_a_lid_presses_balls_without_throwing_them(time_step):
    rng = np.random.default_rng(0)
    world = boxed(time_step, 0.2, 4.0)
    balls = [world.add_sphere(0.06, 1.0) for _ in range(16)]
    for i, ball in enumerate(balls):
        ball.set_pose(position=(*rng.uniform(-0.12, 0.12, 2), 0.07 + 0.13 * i))
    world.run(3.0)
    top = max(ball.position[2] for ball in balls) + 0.06
    lid = add_fixed(world, (0.35, 0.35, 0.1), (0.0, 0.0, top + 0.07), "kinematic")
    lid.set_velocity(linear=(0.0, 0.0, -0.1))
    fastest = unmet = 0
    for _ in range(int(1.0 / time_step)):
        world.step()
        fastest = max([fastest] + [np.linalg.norm(ball.linear_velocity) for ball in balls])
        unmet += world.contact.statistics.unconverged
    assert fastest <= 3.0
    assert unmet > 0  # no velocities meet the laws, and that is counted
    assert all(np.abs(ball.position[:2]).max() < 0.2 for ball in balls)


@pytest.mark.parametrize("heap", [0, 3])
def test_a_paddle_in_a_heap_throws_nothing_far_beyond_its_own_speed(heap):
    """It turns at 5 rad/s, with tips at 4.5 m/s that leave half a ball's way to the walls."""
    rng = np.random.default_rng(heap)
    world = boxed(0.001, 1.0, 80.0)
    paddle = add_fixed(world, (1.8, 0.1, 0.2), (0.0, 0.0, 0.12), "kinematic")
    paddle.set_velocity(angular=(0.0, 0.0, 5.0))
    bodies = []
    for i in range(25):
        bodies.append(world.add_sphere(0.1, 1.0) if i % 3 else world.add_box(0.15, 0.15, 0.15, 2.0))
        bodies[-1].set_pose(position=(*rng.uniform(-0.8, 0.8, 2), 0.5 + 0.1 * i))
    fastest = rescued = 0
    for _ in range(4000):
        world.step()
        fastest = max([fastest] + [np.linalg.norm(body.linear_velocity) for body in bodies])
        rescued += world.contact.statistics.rescued
    assert fastest <= 10.0 * 4.5
    assert rescued > 0
    assert all(np.abs(body.position[:2]).max() < 1.0 and body.position[2] > 0.0 for body in bodies)


@pytest.mark.parametrize("contact", ["bisection", "pgs"])
def test_a_fast_ball_on_a_slow_drum_bounces_as_before(contact):
    """Its speed is its own: a plate that comes at 1 mm/s stops it, and gives way to nothing."""
    world = World(time_step=0.002, gravity=(0.0, 0.0, 0.0), contact=contact)
    plate = add_fixed(world, (0.5, 4.0, 4.0), (-0.25, 0.0, 0.0), "kinematic")
    plate.set_velocity(linear=(0.001, 0.0, 0.0))
    ball = world.add_sphere(0.1, 1.0)
    ball.set_pose(position=(0.15, 0.0, 0.0))
    ball.set_velocity(linear=(-20.0, 0.0, 0.0))
    for _ in range(10):
        world.step()
        assert world.contact.statistics.rescued == 0
    assert ball.linear_velocity[0] == pytest.approx(0.001, abs=1e-6)
