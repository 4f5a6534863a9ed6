"""Order in time, while the step is halved: of robots that tumble freely, and of balls that bounce, slide and roll."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

import rbdyn
from benchmarks import table
from benchmarks.robots import ANYMAL
from benchmarks.scenes.types import AIR_HEIGHT, Array
from rbdyn.world import SingleBody, World

G, RADIUS, MASS = 9.81, 0.1, 1.0  # [m/s^2], [m], [kg]; inertia 2/5 m r^2
FRICTION, ROLLING = 0.3, 5e-3  # and of rolling [m]
SPEED, SPIN = np.array([1.0, 0.5, 0.0]), np.array([3.0, -20.0, 5.0])  # [m/s], [rad/s] of bouncing balls, at first
STEPS = (8e-3, 4e-3, 2e-3, 1e-3, 5e-4)  # [s]
TUMBLING, FINE = 0.48, 1e-4  # [s] of flight, and the step of Runge-Kutta's method that tells where it ends
MARGIN = 1e-7  # [m] balls touch where they touch: the default, 1e-4, is an error that no time step makes smaller

State = tuple[Array, Array, Array]  # position, velocity, angular velocity


def bounced(height: float, restitution: float, duration: float) -> State:
    """A ball that fell from a height and bounced: parabolas, and blows with Coulomb's law."""
    x, v, w = np.array([0.0, 0.0, RADIUS + height]), SPEED.copy(), SPIN.copy()
    left, gravity = duration, np.array([0.0, 0.0, -G])
    while True:
        fall = (v[2] + np.sqrt(v[2] ** 2 + 2.0 * G * (x[2] - RADIUS))) / G
        flight = min(fall, left)
        x, v, left = x + flight * v + 0.5 * flight**2 * gravity, v + flight * gravity, left - flight
        if left == 0.0:
            return x, v, w
        x[2] = RADIUS
        push = -MASS * (1.0 + restitution) * v[2]
        rub = -2 / 7 * MASS * np.array([v[0] - RADIUS * w[1], v[1] + RADIUS * w[0], 0.0])  # what ends the slip
        rub *= min(1.0, FRICTION * push / max(float(np.linalg.norm(rub)), 1e-300))
        v = v + (rub + np.array([0.0, 0.0, push])) / MASS
        w = w + np.cross([0.0, 0.0, -RADIUS], rub) / (0.4 * MASS * RADIUS**2)


def rolled(speed: float, duration: float) -> State:
    """A ball that slid without spin, then rolled, against both frictions all the while."""
    slides, spins_up = FRICTION * G, (FRICTION - ROLLING / RADIUS) * G / 0.4  # of v and of r w
    until = min(speed / (slides + spins_up), duration)
    rolls, rest = 5 / 7 * ROLLING / RADIUS * G, duration - until
    x, v, w = (speed - 0.5 * slides * until) * until, speed - slides * until, spins_up * until / RADIUS
    x, v, w = x + (v - 0.5 * rolls * rest) * rest, v - rolls * rest, w - rolls * rest / RADIUS
    return np.array([x, 0.0, RADIUS]), np.array([v, 0.0, 0.0]), np.array([0.0, w, 0.0])


def balls(dt: float, restitution: float, rolling: float, count: int) -> tuple[World, list[SingleBody]]:
    """A World with a ground, and balls that have no place yet."""
    world = World(dt)
    world.contact_margin = MARGIN
    world.add_ground()
    world.set_default_material(FRICTION, restitution, rolling_friction=rolling)
    return world, [world.add_sphere(RADIUS, MASS) for _ in range(count)]


def bounce_errors(dt: float, restitution: float, count: int, duration: float = 1.52) -> Array:
    """(3,) mean errors of energy [J], momentum [N s] and position [m] over all phases of the first blow.

    The duration is a whole number of the longest steps, and no ball touches the ground near its end.  First falls
    take 0.45 s and more, over five of the longest steps, second ones over 13: else the mean depends on where they
    begin.  They are spread by the golden ratio, evenly over the periods of short steps, too.
    """
    made = []
    phases = np.arange(count) * (0.5 * (np.sqrt(5.0) - 1.0)) % 1.0
    heights = 0.5 * G * (0.45 + 5.0 * STEPS[0] * phases) ** 2
    world, all_balls = balls(dt, restitution, 0.0, count)
    for k, (ball, height) in enumerate(zip(all_balls, heights, strict=True)):
        ball.set_pose(position=(0.0, 3.0 * k, RADIUS + height))
        ball.set_velocity(SPEED, SPIN)
        made.append((ball, 3.0 * k, bounced(height, restitution, duration)))
    return errors(world, made, duration)


def roll_errors(dt: float, count: int, duration: float = 1.2) -> Array:
    """The same of balls that slide, then roll, over many speeds."""
    made = []
    world, all_balls = balls(dt, 0.0, ROLLING, count)
    for k, ball in enumerate(all_balls):
        speed = 2.0 + 0.05 * k / count
        ball.set_pose(position=(0.0, 3.0 * k, RADIUS))
        ball.set_velocity((speed, 0.0, 0.0), (0.0, 0.0, 0.0))
        made.append((ball, 3.0 * k, rolled(speed, duration)))
    return errors(world, made, duration)


def errors(world: World, made: list[tuple[SingleBody, float, State]], duration: float) -> Array:
    """Step to the end and compare."""
    world.step(round(duration / world.time_step))
    found = []
    for ball, aside, (x, v, w) in made:
        exact = 0.5 * MASS * v @ v + 0.2 * MASS * RADIUS**2 * w @ w + MASS * G * x[2]
        now = ball.kinetic_energy + ball.potential_energy
        p = MASS * np.linalg.norm(ball.linear_velocity - v)
        found.append((abs(now - exact), p, np.linalg.norm(ball.position - [0.0, aside, 0.0] - x)))
    mean: Array = np.mean(found, axis=0)
    return mean


def tumbled(dt: float, seed: int, integrator: str) -> tuple[float, Array, Array]:
    """Energy [J], angular momentum about the centre of mass [N m s], joint angles [rad] of a quadruped after a flight.

    Without gravity, limits, damping and friction: the first two are what they were.
    """
    rng = np.random.default_rng(seed)
    mechanism = ANYMAL.mechanism()
    for joint in mechanism.tree_joints:
        joint.position_limits = joint.velocity_limit = None
        joint.damping = joint.friction = 0.0
    world = World(dt, gravity=(0.0, 0.0, 0.0))
    world.integrator = integrator  # type: ignore[assignment]
    robot = world.add_articulated_system(mechanism, self_collision=False)
    q = robot.q.copy()
    q[2] = AIR_HEIGHT
    robot.set_state(q, np.concatenate([np.zeros(3), rng.normal(size=3), rng.normal(size=robot.nv - 6)]))
    world.step(round(TUMBLING / dt))
    state = robot.state
    return rbdyn.kinetic_energy(state), rbdyn.angular_momentum(state, rbdyn.center_of_mass(state)), robot.q[7:].copy()


def tumbling_errors(dt: float, exact: list[tuple[float, Array, Array]]) -> Array:
    """(n, 3) errors of energy [J], angular momentum [N m s] and joint angles [rad] of quadrupeds that tumble."""
    found = []
    for seed, (energy, momentum, angles) in enumerate(exact):
        now = tumbled(dt, seed, "trapezoid")
        turned = float(np.linalg.norm(now[2] - angles))
        found.append((abs(now[0] - energy), float(np.linalg.norm(now[1] - momentum)), turned))
    return np.array(found)


def halve_flights(exact: list[tuple[float, Array, Array]]) -> list[list[str]]:
    """A row for each step: mean errors of all flights; of what halving divided each flight's errors by, the median; and
    the share of flights where it is 4 within a half.

    Means would tell of one or two flights alone, whose legs whip and whose errors are a hundred times those of others:
    their third order still shows at 4 ms.
    """
    rows, last = [], None
    for dt in STEPS:
        now = tumbling_errors(dt, exact)
        told = ["-"] * 4
        if last is not None:
            ratios = last[:, ::2] / now[:, ::2]  # the momentum's errors are rounding
            median, near = np.median(ratios, axis=0), np.mean(np.abs(ratios - 4.0) <= 0.5, axis=0)
            told = [f"{x:.3f}" for x in median] + [f"{x:.0%}" for x in near]
        rows.append([f"{1e3 * dt:g}", *map(table.number, now.mean(axis=0)), *told])
        last = now
    return rows


def halve(scenes: dict[str, Callable[[float], Array]]) -> list[list[str]]:
    """A row for each scene and step, with the errors and what they were divided by."""
    rows = []
    for name, measure in scenes.items():
        last: Array | None = None
        for dt in STEPS:
            now = measure(dt)
            ratios = ["-"] * 3 if last is None else [table.number(x) for x in last / np.maximum(now, 1e-300)]
            rows.append([name, f"{1e3 * dt:g}", *map(table.number, now), *ratios])
            last = now
    return rows


def run(quick: bool) -> None:
    """Print the tables of this section."""
    flights = [tumbled(FINE, seed, "rk4") for seed in range(3 if quick else 40)]
    header = ["dt ms", "dE J", "dL N m s", "dq rad", "E ratio", "q ratio", "E 4 +- .5", "q 4 +- .5"]
    title = f"order: mean errors of {len(flights)} quadrupeds that tumble freely, and what halving dt divides each's by"
    table.show(title, header, halve_flights(flights))
    count = 40 if quick else 2000
    scenes: dict[str, Callable[[float], Array]] = {
        "bounces, 0.8": lambda dt: bounce_errors(dt, 0.8, count),
        "bounces, 1": lambda dt: bounce_errors(dt, 1.0, count),
        "slides and rolls": lambda dt: roll_errors(dt, count),
    }
    header = ["balls", "dt ms", "dE J", "dP N s", "dx m", "E ratio", "P ratio", "x ratio"]
    title = f"order: mean errors of {count} balls beside the closed form, and what halving dt divides them by"
    table.show(title, header, halve(scenes))
