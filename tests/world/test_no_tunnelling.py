"""What moves fast is stopped where it meets something, and by nothing that it does not meet."""

import itertools

import numpy as np
import pytest
from world.scenes import G, World, energy, random_quat

from rbdyn.collision import Box, Capsule, ConvexHull, Cylinder, Ellipsoid, Sphere
from rbdyn.mechanism import Geometry


def plate(world, thickness, side=1.0):
    """A static box whose upper face is at z = 0."""
    body = world.add_box(side, side, thickness, 1.0)
    body.body_type = "static"
    body.set_pose((0, 0, -0.5 * thickness))
    return body


def lowest(body, shape):
    """Height of the lowest point of a body with one shape [m]."""
    return body.position[2] + (body.rotation @ shape.farthest(-body.rotation[2]))[2]


@pytest.mark.parametrize("phase", range(10))
def test_a_bullet_stops_at_a_plate(phase):
    """A ball of 5 mm at 80 m/s, 160 mm a step, and a plate of 10 mm: it ends on the plate, without a rebound."""
    world = World(2e-3)
    plate(world, 0.01)
    ball = world.add_sphere(0.005, 0.004)
    ball.set_pose((0.013, 0.02, 0.5 + 0.016 * phase))
    ball.set_velocity((0, 0, -80.0))
    world.step(8)
    assert abs(ball.position[2] - 0.005) < 1e-4
    assert np.linalg.norm(ball.linear_velocity) < 1e-6


@pytest.mark.parametrize("restitution", [0.1, 0.5, 1.0])
@pytest.mark.parametrize("phase", range(0, 10, 3))
def test_a_bullet_that_bounces_stays_on_its_side(phase, restitution):
    """It leaves at its own speed times the restitution, gravity aside, and is never in the plate."""
    world = World(2e-3, gravity=(0, 0, 0))
    world.set_default_material(restitution=restitution)
    plate(world, 0.01)
    ball = world.add_sphere(0.005, 0.004)
    ball.set_pose((0.013, 0.02, 0.5 + 0.016 * phase))
    ball.set_velocity((0, 0, -80.0))
    for _ in range(8):
        world.step()
        assert ball.position[2] > 0.005 - 1e-4
    assert ball.linear_velocity[2] == pytest.approx(80.0 * restitution, rel=1e-12)


@pytest.mark.parametrize("direction", [(1, 0, -1), (1.0, 0.3, -0.2)])
def test_a_bullet_that_comes_aslant_stays_on_its_side(direction):
    world = World(2e-3)
    plate(world, 0.01, side=4.0)
    box = world.add_box(0.01, 0.02, 0.015, 0.01)
    box.set_pose((-1.0, -0.3, 0.6), (0.5, 0.1, 0.7, -0.2) / np.linalg.norm((0.5, 0.1, 0.7, -0.2)))
    box.set_velocity(60.0 * np.array(direction) / np.linalg.norm(direction), (30.0, -50.0, 20.0))
    lows = []
    for _ in range(60):
        world.step()
        lows.append(lowest(box, Box((0.01, 0.02, 0.015))) if np.abs(box.position[:2]).max() < 1.9 else 0.0)
    assert -5e-4 < min(lows) < 1e-3


def test_two_bullets_meet_in_flight():
    """Both cross where they meet within one step; momentum stays, and friction turns each by its arm of then."""
    world = World(2e-3, gravity=(0, 0, 0))
    world.integrator = "semi_implicit"
    a, b = world.add_sphere(0.01, 0.2), world.add_sphere(0.02, 0.5)
    a.set_pose((-0.06, 0.004, 0.0))
    b.set_pose((0.09, 0.0, 0.0))
    a.set_velocity((70.0, 0, 0))
    b.set_velocity((-40.0, 0, 0))
    momentum, before = 0.2 * 70 - 0.5 * 40, energy(a) + energy(b)
    spin = a.angular_momentum + np.cross(a.position, 0.2 * a.linear_velocity)
    world.step(3)
    assert 0.2 * a.linear_velocity[0] + 0.5 * b.linear_velocity[0] == pytest.approx(momentum, rel=1e-12)
    assert energy(a) + energy(b) < before
    assert a.position[0] < b.position[0] and np.linalg.norm(a.position - b.position) > 0.0299
    assert abs(a.angular_momentum[2]) > 1e-4
    np.testing.assert_allclose(a.angular_momentum / 0.01, b.angular_momentum / 0.02, rtol=0.01, atol=1e-6)
    after = sum(o.angular_momentum + np.cross(o.position, o.mass * o.linear_velocity) for o in (a, b))
    np.testing.assert_allclose(after, spin, atol=1e-12)


@pytest.mark.parametrize("restitution", [0.0, 0.5, 1.0])
@pytest.mark.parametrize("way", [0.1, 1.0, 4.0])
def test_smooth_balls_that_meet_aslant_do_not_spin(restitution, way):
    """Offset by a radius, they part along the line of their centres, however far they come in a step [radii]."""
    radius, speed = 0.01, 10.0
    for phase in (0.1, 0.5, 0.9):
        world = World(way * radius / speed, gravity=(0, 0, 0))
        world.set_default_material(0.0, restitution)
        a, b = world.add_sphere(radius, 1.0), world.add_sphere(radius, 1.0)
        a.set_pose((-np.sqrt(3.0) * radius - (2.0 + phase) * way * radius, radius, 0.0))
        a.set_velocity((speed, 0.0, 0.0))
        world.step(8)
        n = np.array([np.sqrt(0.75), -0.5, 0.0])
        given = 0.5 * (1.0 + restitution) * speed * n[0] * n
        if restitution > 0.0:                          # without, they go on beside one another while the gap closes
            np.testing.assert_allclose(b.linear_velocity, given, atol=1e-3 * speed)
            np.testing.assert_allclose(a.linear_velocity, [speed, 0.0, 0.0] - given, atol=1e-3 * speed)
        assert np.abs(np.append(a.angular_velocity, b.angular_velocity)).max() * radius < 1e-9 * speed


@pytest.mark.parametrize("speed", [40.0, 150.0])
def test_a_rod_that_spins_fast_stops_at_a_thin_plate(speed):
    """No tip is ever below a plate of 2 mm at the rod's side, though it turns by up to 0.3 rad a step."""
    world = World(2e-3, gravity=(0, 0, 0))
    plate(world, 0.002, side=3.0)
    rod = world.add_box(0.6, 0.01, 0.01, 0.2)
    rod.set_pose((0, 0, 0.25))
    rod.set_velocity((0, 0, 0), (0, speed, 0))
    for _ in range(40):
        world.step()
        turn = 2e-3 * np.linalg.norm(rod.angular_velocity)
        assert lowest(rod, Box((0.6, 0.01, 0.01))) > -1e-3 - 0.5 * 0.3 * turn**2


@pytest.mark.parametrize("dt", [1e-3, 5e-3])
@pytest.mark.parametrize("tiled", [False, True])
@pytest.mark.parametrize("tilt", [(0, 0, 0), (0.02, 0.03, 0.2), (0.7, 0.6, 0.3)])
def test_a_box_that_falls_does_not_go_in(tilt, tiled, dt):
    """Flat, nearly flat and on a corner, at 3 m/s: no deeper than 0.2 mm, and no energy from lifting it."""
    deepest, rise = 0.0, 0.0
    for phase in np.arange(4) / 4:
        world = World(dt)
        if tiled:
            plate(world, 0.1)
        else:
            world.add_ground()
        box = world.add_box(0.2, 0.2, 0.2, 1.0)
        angle = np.linalg.norm(tilt) + 1e-300
        box.set_pose((0.01, 0.02, 0), np.append(np.cos(0.5 * angle), np.sin(0.5 * angle) / angle * np.array(tilt)))
        box.set_pose((0.01, 0.02, 0.01 + 3 * dt * phase - lowest(box, Box((0.2, 0.2, 0.2)))), box.orientation)
        box.set_velocity((0, 0, -3))
        before = energy(box)
        for _ in range(int(0.1 / dt)):
            world.step()
            deepest = min(deepest, lowest(box, Box((0.2, 0.2, 0.2))))
            rise, before = max(rise, energy(box) - before), energy(box)
    assert deepest > (-1.1e-4 if tilt == (0, 0, 0) else -2e-4)
    assert rise < G * 2e-4


@pytest.mark.parametrize(("dt", "most"), [(1e-3, 2.5e-4), (5e-3, 4e-4)])
def test_cylinders_that_land_nearly_flat(dt, most):
    """They roll on along the rim, which has a point wherever it comes down next: 1.2 mm deep with four of them."""
    rng, shape, deepest = np.random.default_rng(0), Cylinder(0.1, 0.06), 0.0
    for _ in range(40):
        tilt, spin = rng.choice([1e-3, 5e-3, 0.02, 0.05]), rng.normal(size=3) * rng.choice([0, 1, 5])
        speed, phase, azimuth = rng.uniform(0.5, 5), rng.random(), rng.uniform(0, 6)
        world = World(dt)
        world.add_ground()
        can = world.add_cylinder(0.1, 0.06, 1.0)
        turn = (np.cos(tilt / 2), np.sin(tilt / 2) * np.cos(azimuth), np.sin(tilt / 2) * np.sin(azimuth), 0)
        can.set_pose((0, 0, 0), turn)
        can.set_pose((0, 0, speed * dt * (1 + phase) - lowest(can, shape)), turn)
        can.set_velocity((0, 0, -speed), spin)
        for _ in range(round(0.1 / dt)):
            world.step()
            deepest = min(deepest, lowest(can, shape))
    assert deepest > -most


def test_all_shapes_stop_at_the_ground(seed):
    """100 bodies of all shapes that fall at up to 20 m/s and spin at up to 8 rad/s, each by itself: 40 mm a step.

    They stop at the ground in the step in which they come to it.  Round ones stay there; what tumbles fast on an edge
    turns on it by a tenth of a radian in a step, and its row knows the arms of one instant only.
    """
    rng = np.random.default_rng(seed)
    world = World(2e-3)
    world.add_ground()
    bodies, came, deepest = [], {}, {}
    for k in range(100):
        a, b, c = rng.uniform(0.1, 0.3, 3)
        shape = [Sphere(a), Box((a, b, c)), Capsule(a, b), Cylinder(a, b), Ellipsoid((a, b, c)),
                 ConvexHull(rng.normal(size=(12, 3)) * (a, b, c))][k % 6]  # fmt: skip
        like = Ellipsoid((1.5 * a, 1.5 * b, 1.5 * c)) if k % 6 == 5 else shape
        body = world.add_single_body([Geometry(shape)], 1.0, like.inertia(1.0))
        body.set_pose((3.0 * (k % 10), 3.0 * (k // 10), rng.uniform(1.0, 3.0)), random_quat(rng))
        body.set_velocity((*rng.uniform(-3, 3, 2), rng.uniform(-20, -8)), rng.uniform(-5, 5, 3))
        bodies.append((body, shape))
    for step in range(200):
        world.step()
        for contact in world.contacts:
            if contact.impulse @ contact.normal != 0.0:
                for body in (contact.object_a, contact.object_b):
                    came.setdefault(body.name, step)
        for body, shape in bodies:
            if came.get(body.name, step) == step or isinstance(shape, Sphere | Capsule):
                deepest[type(shape)] = min(deepest.get(type(shape), 0.0), lowest(body, shape))
    assert len(came) == 101
    assert min(deepest.values()) > -1e-3 and deepest[Sphere] > -1e-4


@pytest.mark.parametrize("dt", [1e-3, 5e-3])
@pytest.mark.parametrize("kind", ["ball", "box", "cylinder"])
def test_nothing_hops_at_the_edges_of_tiles(kind, dt):
    """2 m/s over tiles whose faces are level: no hop beyond 0.1 mm, and the speed is kept to 1 %."""
    world = World(dt)
    if kind == "box":
        world.set_default_material(friction=0.0)
    for i, j in itertools.product(range(-2, 8), range(-2, 3)):
        tile = world.add_box(0.1, 0.1, 0.05, 1.0)
        tile.body_type = "static"
        tile.set_pose((0.1 * i, 0.1 * j, -0.025))
    body = {
        "ball": lambda: world.add_sphere(0.02, 1.0),
        "box": lambda: world.add_box(0.2, 0.15, 0.04, 1.0),
        "cylinder": lambda: world.add_cylinder(0.02, 0.15, 1.0),
    }[kind]()
    body.set_pose((0, 0.013, 0.02), (np.sqrt(0.5), np.sqrt(0.5), 0, 0) if kind == "cylinder" else (1, 0, 0, 0))
    body.set_velocity((2.0, 0, 0), (0, 0 if kind == "box" else 100.0, 0))
    heights = []
    while body.position[0] < 0.5:
        world.step()
        heights.append(body.position[2] - 0.02)
    assert np.abs(heights).max() < 1e-4
    assert body.linear_velocity[0] == pytest.approx(2.0, rel=0.01)


def test_what_passes_by_is_not_touched():
    """A bullet that passes 1 mm beside a box, and one that flies over it, keep every bit of their velocity."""
    world = World(2e-3, gravity=(0, 0, 0))
    plate(world, 0.2, side=0.2)
    for x, z in ((0.111, -0.1), (0.0, 0.011)):
        ball = world.add_sphere(0.01, 0.1)
        ball.set_pose((x, -0.05, z) if z > 0 else (x, 0.02, 0.3))
        v = (3.0, 80.0, 0.0) if z > 0 else (0.0, 0.0, -90.0)
        ball.set_velocity(v)
        world.step(5)
        np.testing.assert_array_equal(ball.linear_velocity, v)
        world.remove(ball)


def test_a_falling_stack_lands_without_overlaps():
    """Four boxes fall together, 1 mm apart: what is stopped first is not run into by what follows."""
    world = World(4e-3)
    world.add_ground()
    boxes = [world.add_box(0.2, 0.2, 0.2, 1.0) for _ in range(4)]
    for k, box in enumerate(boxes):
        box.set_pose((0, 0, 0.15 + 0.201 * k))
    deepest = 0.0
    for _ in range(60):
        world.step()
        bottoms = np.array([0.0, *(b.position[2] + 0.1 for b in boxes)])
        deepest = min(deepest, *(np.array([b.position[2] - 0.1 for b in boxes]) - bottoms[:-1]))
    assert deepest > -1.1e-5
    assert sum(b.kinetic_energy for b in boxes) < 1e-9
