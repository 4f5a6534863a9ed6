"""Ropes and pulleys: Worlds beside closed forms."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from benchmarks.motions.compared import PHASES, Compared, G, compare, phases
from benchmarks.motions.swing import Swing
from rbdyn import World
from rbdyn.world import SingleBody

LENGTH, MASS = 1.0, 2.0  # [m] of the rope, [kg] of the ball
N = np.sqrt(G / LENGTH)


def ball(world: World, mass: float, *place: float) -> SingleBody:
    """One that touches nothing."""
    made = world.add_sphere(0.05, mass, mask=0)
    made.set_pose(place)
    return made


class Thrown(NamedTuple):
    """A ball that is whirled on a rope, gets off its circle, flies, and is caught: times since it was below."""

    first: Swing
    slack: float  # [s]
    taut: float  # [s]
    second: Swing
    below: float  # [s] when the second swing is below, or would have been


def thrown(squares: float) -> Thrown:
    """v^2 = squares g l below, between 2 (it would swing to and fro) and 5 (it would go round).

    Slack where v^2 = -g l cos a: cos a = (2 - squares) / 3.  There the parabola and the circle have the same curvature,
    so that three of their four common points are one; the fourth is 4 v_z / g later.  There the speed along the rope
    is lost, that across it kept.
    """
    first = Swing(N, np.sqrt(squares * G * LENGTH) / LENGTH)
    a = np.arccos((2.0 - squares) / 3.0)
    x, v = LENGTH * np.array([np.sin(a), -np.cos(a)]), LENGTH * first.rate(a) * np.array([np.cos(a), np.sin(a)])
    flight = 4.0 * v[1] / G
    x, v = x + flight * v - [0.0, 0.5 * G * flight**2], v - [0.0, G * flight]
    at = np.arctan2(x[0], -x[1])
    across = v @ [np.cos(at), np.sin(at)] / LENGTH
    second = Swing.through(N, at, across)
    slack = first.time(a)
    return Thrown(first, slack, slack + flight, second, slack + flight - second.time(at))


def rope_pendulum(dt: float, count: int = PHASES) -> dict[str, Compared]:
    """A ball goes slack, and taut again; from where the rope is level, half a second longer than until it is caught."""
    exact = thrown(4.5)
    begins = exact.first.time(np.pi / 2) + phases(count)
    world, balls, ropes = World(dt), [], []
    for k, time in enumerate(begins):
        a = exact.first.angle(time)
        one = ball(world, MASS, LENGTH * np.sin(a), 3.0 * k, -LENGTH * np.cos(a))
        one.set_velocity(LENGTH * exact.first.rate(a) * np.array([np.cos(a), 0.0, np.sin(a)]))
        balls.append(one)
        ropes.append(world.add_stiff_wire(one, None, LENGTH, point_b=(0.0, 3.0 * k, 0.0)))
    steps = round((exact.taut - begins[0] + 0.2) / dt)
    pulled, across = np.zeros((steps, count), dtype=bool), np.zeros(count)
    for row in pulled:
        rope_to = np.array([one.position - (0.0, 3.0 * k, 0.0) for k, one in enumerate(balls)])
        v = np.array([one.linear_velocity for one in balls])
        world.step()
        row[:] = [rope.impulse != 0.0 for rope in ropes]
        blow = MASS * (np.array([one.linear_velocity for one in balls]) - v + [0.0, 0.0, G * dt])
        across = np.maximum(across, np.linalg.norm(np.cross(blow, rope_to / LENGTH), axis=1))
    slack = begins + dt * np.argmin(pulled, axis=0)
    again = [begins[k] + dt * np.flatnonzero(~pulled[:, k])[-1] for k in range(count)]
    energies = [one.kinetic_energy + MASS * G * one.position[2] for one in balls]
    ends = [exact.second.angle(time + steps * dt - exact.below) for time in begins]
    angles = [np.arctan2(one.position[0], -one.position[2]) for one in balls]
    kept = 0.5 * MASS * (LENGTH * exact.second.fastest) ** 2 - MASS * G * LENGTH
    return {
        "slack at [s]": compare(slack, exact.slack),
        "taut at [s]": compare(again, exact.taut),
        "impulse across the rope [N s]": compare(across, 0.0),
        "energy it keeps [J]": compare(energies, kept),
        "angle later [rad]": compare(angles, ends),
    }


def sudden_rope(dt: float, count: int = PHASES) -> dict[str, Compared]:
    """Two balls that fly apart, and a rope that becomes taut: Newton's blow along it, with its restitution."""
    speed, light, heavy, restitution, end = 2.0, 1.0, 3.0, 0.5, 0.4
    world, pairs = World(dt, gravity=(0, 0, 0)), []
    for k, s in enumerate(phases(count)):
        one, other = ball(world, light, 0.0, 3.0 * k, 0.0), ball(world, heavy, 0.4 + speed * s, 3.0 * k, 0.0)
        other.set_velocity((speed, 0.0, 0.0))
        world.add_stiff_wire(one, other, LENGTH, restitution=restitution)
        pairs.append((one, other))
    world.step(round(end / dt))
    common, share = heavy * speed / (light + heavy), (1.0 + restitution) * speed / (light + heavy)
    pulled = common + heavy / (light + heavy) * restitution * speed
    since = end + phases(count) - (LENGTH - 0.4) / speed
    return {
        "momentum handed on [N s]": compare([light * one.linear_velocity[0] for one, _ in pairs], light * pulled),
        "momentum kept [N s]": compare(
            [heavy * other.linear_velocity[0] for _, other in pairs], heavy * (speed - light * share)
        ),
        "place of the pulled one [m]": compare([one.position[0] for one, _ in pairs], pulled * since),
    }


def atwood(dt: float) -> dict[str, Compared]:
    """Two masses over a pulley: a = g (M - m) / (M + m), T = 2 g M m / (M + m)."""
    light, heavy, end = 1.0, 3.0, 0.4
    world = World(dt)
    falls, rises = ball(world, heavy, -0.5, 0.0, -1.0), ball(world, light, 0.5, 0.0, -1.0)
    wire = world.add_stiff_wire(falls, rises, via=[(None, (-0.5, 0, 0)), (None, (0.5, 0, 0))])
    world.step(round(end / dt))
    a = G * (heavy - light) / (heavy + light)
    return {
        "acceleration [m/s^2]": compare(-falls.linear_velocity[2] / end, a),
        "tension [N]": compare(wire.tension, 2.0 * G * heavy * light / (heavy + light)),
        "length [m]": compare(wire.distance, 3.0),
        "way [m]": compare(-1.0 - falls.position[2], 0.5 * a * end**2),
    }


def swinging_rope(dt: float) -> dict[str, Compared]:
    """A ball on a taut rope, released from the level: half a period takes 2 K(sin 45 deg) / n."""
    halves = 8
    world = World(dt)
    one = ball(world, MASS, LENGTH, 0.0, 0.0)
    world.add_stiff_wire(one, None)
    times: list[float] = []
    while len(times) <= halves:
        before = one.position[0]
        world.step()
        now = one.position[0]
        if (before > 0.0) != (now > 0.0):
            times.append(world.time - dt * now / (now - before))
    quarter = Swing.through(N, np.pi / 2, 0.0).time(np.pi / 2)
    return {"half a period [s]": compare((times[-1] - times[0]) / halves, 2.0 * quarter)}
