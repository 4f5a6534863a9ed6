"""Sliding, sticking and rolling on a plane, against closed forms.  The ground stays level; gravity is tilted."""

import numpy as np
import pytest
from world.scenes import G, World, exact, tilted

CUBE, PLATE = (1.0, 1.0, 1.0), (2.0, 2.0, 0.2)


def slide(size, angle, friction, solver, direction=0.0, steps=200, dt=1e-3):
    """Acceleration along the slope of a box that starts at rest, and its velocities."""
    world = World(dt, tilted(angle, direction), contact=solver)
    world.set_default_material(friction)
    world.add_ground()
    box = world.add_box(*size, mass=1.7)
    box.set_pose(position=(0, 0, 0.5 * size[2] - 5e-6))
    world.step(steps)
    along = np.array([np.cos(direction), np.sin(direction), 0.0])
    return box.linear_velocity @ along / world.time, box


@pytest.mark.parametrize("solver", [None, "pgs", "exact"])
@pytest.mark.parametrize("size", [CUBE, PLATE])
@pytest.mark.parametrize("friction", [0.0, 0.3, 0.5])
def test_a_box_slides_down_an_incline_by_coulomb_s_law(size, friction, solver):
    angle = np.radians(50)
    expected = G * (np.sin(angle) - friction * np.cos(angle))
    assert expected > 1.0
    a, box = slide(size, angle, friction, exact() if solver == "exact" else solver)
    assert a == pytest.approx(expected, rel=1e-9 if solver != "pgs" else 1e-6)
    assert np.abs(box.angular_velocity).max() < 1e-7
    assert abs(box.linear_velocity[1]) < 1e-8


def test_the_direction_of_the_slope_does_not_matter():
    angle, friction = np.radians(40), 0.4
    expected = G * (np.sin(angle) - friction * np.cos(angle))
    for direction in (0.3, 1.1, 2.5):
        a, box = slide(PLATE, angle, friction, exact(), direction)
        assert a == pytest.approx(expected, rel=1e-9)
        across = box.linear_velocity @ [-np.sin(direction), np.cos(direction), 0.0]
        assert abs(across) < 1e-9


def raisim_friction(size, friction):
    """What is left of a corner's friction along the slope when part of it points sideways."""
    a, b, h = (0.5 * s for s in size)
    Ixx, Iyy = (b * b + h * h) / 3.0, (a * a + h * h) / 3.0
    e_y = friction * (h * b / Ixx) / (1.0 + b * b / Ixx + a * a / Iyy)
    return friction * np.sqrt(1.0 - e_y**2)


@pytest.mark.parametrize(("size", "friction"), [(CUBE, 0.3), (CUBE, 0.5), (CUBE, 0.8), (PLATE, 0.8)])
def test_the_published_law_slides_too_fast_by_its_formula(size, friction):
    angle = np.radians(50)
    a, _ = slide(size, angle, friction, exact("raisim"))
    exact_law = G * (np.sin(angle) - friction * np.cos(angle))
    expected = G * (np.sin(angle) - raisim_friction(size, friction) * np.cos(angle))
    assert expected / exact_law - 1 > 1e-3
    assert a == pytest.approx(expected, rel=2e-3 * (expected / exact_law - 1) + 1e-5)


@pytest.mark.parametrize("size", [CUBE, PLATE])
def test_a_box_sticks_just_above_the_critical_friction_and_slides_just_below(size):
    angle = np.radians(25)
    critical = np.tan(angle)
    _, box = slide(size, angle, 1.001 * critical, None)
    assert np.abs(box.linear_velocity).max() < 1e-9
    _, box = slide(size, angle, 1.001 * critical, None, steps=1000)
    assert abs(box.position[0]) < 1e-9
    expected = G * (np.sin(angle) - 0.99 * critical * np.cos(angle))
    a, _ = slide(size, angle, 0.99 * critical, None)
    assert a == pytest.approx(expected, rel=1e-6)


def test_the_published_law_sticks_from_two_percent_above_the_critical_friction():
    angle = np.radians(25)
    _, box = slide(CUBE, angle, 1.03 * np.tan(angle), exact("raisim"))
    assert np.abs(box.linear_velocity).max() < 1e-9


@pytest.mark.parametrize("friction_law", ["coulomb", "raisim"])
def test_a_sliding_ball_comes_to_roll(friction_law):
    dt, radius, friction, v0 = 1e-3, 0.11, 0.2, np.array([3.0, -1.2, 0.0])
    speed = np.linalg.norm(v0)
    world = World(dt, contact=exact(friction_law))
    world.set_default_material(friction)
    world.add_ground()
    ball = world.add_sphere(radius, 2.3)
    ball.set_pose(position=(0, 0, radius - 1e-12))
    ball.set_velocity(linear=v0)
    rolls = 2 * speed / (7 * friction * G)
    world.step(300)
    assert world.time < rolls
    assert ball.linear_velocity == pytest.approx(v0 * (1 - friction * G * world.time / speed), rel=1e-8, abs=1e-12)
    spin = 2.5 * friction * G * world.time / radius * np.cross([0, 0, 1], v0 / speed)
    assert ball.angular_velocity == pytest.approx(spin, rel=1e-8, abs=1e-12)
    world.step(int((rolls - world.time) / dt) + 50)
    assert ball.linear_velocity == pytest.approx(5 / 7 * v0, rel=1e-8, abs=1e-12)
    slip = ball.linear_velocity + np.cross(ball.angular_velocity, [0, 0, -radius])
    assert np.abs(slip).max() < 1e-8


def test_static_friction_holds_until_it_is_overcome_then_sliding_friction_acts():
    """mu falls linearly from 0.6 at rest to 0.3 at 0.1 m/s."""
    for angle, expected in ((np.arctan(0.55), 0.0), (np.arctan(0.65), None)):
        world = World(1e-3, tilted(angle), contact=exact())
        world.set_material_pair("default", "default", 0.3, static_friction=0.6, static_threshold=0.1)
        world.add_ground()
        box = world.add_box(1, 1, 0.2, 1)
        box.set_pose(position=(0, 0, 0.1 - 5e-6))
        world.step(1000)
        if expected == 0.0:
            assert np.abs(box.linear_velocity).max() < 1e-9
        else:
            v = box.linear_velocity[0]
            assert v > 0.1
            world.step(100)
            assert (box.linear_velocity[0] - v) / 0.1 == pytest.approx(
                G * (np.sin(angle) - 0.3 * np.cos(angle)), rel=1e-8)


def test_materials_meet_in_pairs():
    angle = np.radians(35)
    world = World(1e-3, tilted(angle))
    world.set_default_material(0.05)
    world.set_material_pair("ice", "rock", 0.2)
    world.set_material_pair("wood", "rock", 0.5)
    world.add_ground(material="rock")
    boxes = {}
    for k, (material, friction) in enumerate((("ice", 0.2), ("wood", 0.5), ("default", 0.05))):
        boxes[material] = world.add_box(0.2, 0.2, 0.05, 1, material=material), friction
        boxes[material][0].set_pose(position=(0, k, 0.025 - 5e-6))
    world.step(200)
    for box, friction in boxes.values():
        assert box.linear_velocity[0] / world.time == pytest.approx(
            G * (np.sin(angle) - friction * np.cos(angle)), rel=1e-8)
    world.set_material_pair("rock", "ice", 1.5)
    world.step(300)
    assert abs(boxes["ice"][0].linear_velocity[0]) < 1e-9


def test_a_kinematic_belt_carries_a_box():
    world = World(2e-3)
    world.set_default_material(0.5)
    belt = world.add_box(20, 1, 0.1, 1)
    belt.body_type = "kinematic"
    belt.set_velocity(linear=(0.7, 0, 0))
    box = world.add_box(0.2, 0.2, 0.1, 2)
    box.set_pose(position=(0, 0, 0.1 - 5e-6))
    world.step(20)
    assert box.linear_velocity[0] == pytest.approx(0.5 * G * world.time, rel=1e-8)
    world.step(480)
    assert box.linear_velocity == pytest.approx([0.7, 0, 0], abs=1e-8)
    assert belt.linear_velocity == pytest.approx([0.7, 0, 0], abs=0)
    assert belt.position[0] == pytest.approx(0.7 * world.time, rel=1e-12)
