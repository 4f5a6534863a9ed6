"""Taut wires and springs hold bodies sideways, and against turning: closed forms, and swings too fast for steps."""

import math

import numpy as np
import pytest

from rbdyn.world import World

R, D, SIDE = 0.05, 0.9, 0.1  # [m] arm of an anchor, length between anchors, side of a box


def energy(bodies, wires):
    stretched = (max(0.0, w.stretch) if w.wire_type == "compliant" else w.stretch for w in wires)
    return sum(b.kinetic_energy for b in bodies) + sum(
        0.5 * w.stiffness * x * x for w, x in zip(wires, stretched, strict=True)
    )


def connect(world, kind, a, b, length, stiffness, **points):
    if kind == "spring":
        return world.add_spring(a, b, stiffness, length=length, **points)
    return world.add_compliant_wire(a, b, length, stiffness=stiffness, **points)


def row(kind, dt, stiffness, aside):
    """Four boxes between two walls, held by taut wires that pull beside their centres of mass."""
    world = World(dt, gravity=(0, 0, 0))
    boxes = [world.add_box(SIDE, SIDE, SIDE, 1.0, mask=0) for _ in range(4)]
    for i, box in enumerate(boxes):
        box.set_pose((i, 0, 0))
    wires = []
    for a, b in zip([None, *boxes], [*boxes, None], strict=True):
        points = {
            "point_a": (-1, 0, 0) if a is None else (R, aside, 0),
            "point_b": (4, 0, 0) if b is None else (-R, -aside, aside / 2),
        }
        wires.append(connect(world, kind, a, b, D - 0.1, stiffness, **points))
    return world, boxes, wires


@pytest.mark.parametrize("kind", ["spring", "wire"])
@pytest.mark.parametrize(("stiffness", "dt"), [(1e4, 5e-3), (1e5, 1e-3), (1e5, 5e-3), (1e6, 1e-3), (1e7, 2e-3)])
@pytest.mark.parametrize("aside", [0.0, 0.02])
def test_swings_that_steps_do_not_resolve_make_no_energy(kind, stiffness, dt, aside):
    world, boxes, wires = row(kind, dt, stiffness, aside)
    draw = np.random.default_rng(0)
    for box in boxes:
        box.set_velocity(draw.normal(size=3) * 5.0, draw.normal(size=3) * 5.0)
    start = most = energy(boxes, wires)
    for _ in range(int(1.0 / dt)):
        world.step()
        most = max(most, energy(boxes, wires))
    assert most <= start * (1 + 1e-3)


@pytest.mark.parametrize("kind", ["spring", "wire"])
@pytest.mark.parametrize(("stiffness", "dt"), [(1e6, 5e-3), (1e7, 1e-3), (1e8, 1e-3), (1e8, 5e-3)])
def test_a_ball_between_two_bands_does_not_grow_across(kind, stiffness, dt):
    """(w dt)^2 = 2 T / (m d) dt^2 is 2 to 500."""
    world = World(dt, gravity=(0, 0, 0))
    ball = world.add_sphere(R, 1.0)
    wires = [connect(world, kind, None, ball, D, stiffness, point_a=(side, 0, 0)) for side in (-1, 1)]
    ball.set_velocity((0, 0.01, 0))
    start = energy([ball], wires)
    for _ in range(int(1.0 / dt)):
        world.step()
        assert energy([ball], wires) <= start + 2e-4
        assert abs(ball.position[1]) < 1e-4


@pytest.mark.parametrize("kind", ["spring", "wire"])
def test_a_box_turns_between_two_bands_as_the_closed_form(kind):
    """w^2 = 2 T r (1 + r / d) / I: where steps resolve it, nothing damps it."""
    stiffness, dt, tension = 2e3, 2e-4, 2e3 * 0.1
    world = World(dt, gravity=(0, 0, 0))
    box = world.add_box(SIDE, SIDE, SIDE, 1.0, mask=0)
    for side in (-1, 1):
        connect(world, kind, None, box, D - 0.1, stiffness, point_a=(side * (R + D), 0, 0), point_b=(side * R, 0, 0))
    inertia = SIDE**2 / 6
    w = math.sqrt(2 * tension * R * (1 + R / D) / inertia)
    assert (w * dt) ** 2 < 1e-3
    box.set_velocity((0, 0, 0), (0, 0, 0.01))
    speeds = []
    for _ in range(1000):
        world.step()
        speeds.append(box.angular_velocity[2])
    times = dt * np.arange(1, 1001)
    assert speeds == pytest.approx(0.01 * np.cos(w * times), abs=2e-5)


@pytest.mark.parametrize("kind", ["spring", "wire"])
def test_a_box_that_many_bands_turn_comes_to_rest(kind):
    """None of the sixteen alone is too stiff for the step, (w dt)^2 = 0.2; all together are."""
    stiffness, dt, tension = 1e4, 2.5e-3, 1e4 * 0.1
    world = World(dt, gravity=(0, 0, 0))
    box = world.add_box(SIDE, SIDE, SIDE, 1.0, mask=0)
    wires = []
    for i in range(16):
        side, up = (-1, 1)[i % 2], 0.002 * (i - 7.5)
        points = {"point_a": (side * (R + D), 0, up), "point_b": (side * R, 0, up)}
        wires.append(connect(world, kind, None, box, D - 0.1, stiffness, **points))
    assert 0.1 < tension * R * (1 + R / D) * dt**2 / (SIDE**2 / 6) < 0.25
    box.set_velocity((0, 0, 0), (0.1, 0.2, 0.3))
    start = energy([box], wires)
    for _ in range(400):
        world.step()
        assert energy([box], wires) <= start * (1 + 1e-9)
    assert abs(box.angular_velocity[1:]).max() < 1e-3


@pytest.mark.parametrize("share", [0.5, 1.5, 2.0, 3.0, 3.9, 5.0])
@pytest.mark.parametrize("count", [4, 8])
def test_bands_that_take_turns_on_a_ball_make_no_energy(share, count):
    """(w dt)^2 = share of each: they get slack and taut while others pull.

    The ball moves by a fifth of the wires' length in a step at most: what they turn meanwhile makes up to 1 %.
    """
    dt = 2e-3
    stiffness = share / dt**2
    for seed in range(4):
        draw = np.random.default_rng(seed)
        world = World(dt, gravity=(0, 0, 0))
        ball = world.add_sphere(R, 1.0)
        wires, last = [], None
        for i in range(count):
            way = -last + 0.3 * draw.normal(size=3) if i % 2 else draw.normal(size=3)
            last = way / np.linalg.norm(way)
            wires.append(connect(world, "wire", None, ball, 0.5 - draw.uniform(0, 0.1), stiffness, point_a=0.5 * last))
        ball.set_velocity(draw.normal(size=3) * 0.05 * math.sqrt(stiffness))
        start = energy([ball], wires)
        for _ in range(500):
            world.step()
            assert energy([ball], wires) <= start * (1 + 1e-2)


@pytest.mark.parametrize("stiffness", [3e5, 6e5, 1e6, 2e6])
def test_bands_in_a_row_share_their_tension(stiffness):
    """At rest all are stretched alike, whatever each of them alone would do in a step: (w dt)^2 is 1.2 to 16."""
    world = World(2e-3, gravity=(0, 0, 0))
    balls = [world.add_sphere(R, 1.0, mask=0) for _ in range(4)]
    wires = []
    for i, ball in enumerate(balls):
        ball.set_pose((i + 0.05 * (-1) ** i, 0, 0))
    for a, b in zip([None, *balls], [*balls, None], strict=True):
        points = {"point_a": (-1, 0, 0)} if a is None else ({"point_b": (4, 0, 0)} if b is None else {})
        wires.append(world.add_compliant_wire(a, b, D, stiffness=stiffness, damping=20.0, **points))
    world.step(3000)
    assert [w.stretch for w in wires] == pytest.approx([0.1] * 5, rel=1e-6)
    assert [w.tension for w in wires] == pytest.approx([0.1 * stiffness] * 5, rel=1e-6)
