"""Joints that stop, slip, are driven and geared: Worlds beside closed forms."""

from __future__ import annotations

from typing import Any

import numpy as np

from benchmarks.motions.compared import PHASES, Compared, G, compare, phases
from benchmarks.motions.swing import Swing
from benchmarks.samples import Array
from rbdyn import Helical, Joint, Mechanism, Mimic, Prismatic, Revolute, RigidBody, SpatialInertia, World
from rbdyn.world import ArticulatedSystem

MASS, LENGTH = 2.0, 0.5  # of the arm [kg], [m]; its inertia about the hinge is 2 m l^2
SPEED = np.sqrt(G / (2.0 * LENGTH))  # [rad/s] n of the arm


def machine(joint: Joint, inertia: SpatialInertia) -> Mechanism:
    """One body on one joint."""
    mechanism = Mechanism(RigidBody("world"))
    mechanism.attach(mechanism.root_body, RigidBody("body", inertia), joint)
    return mechanism


def slider(mass: float, **joint: Any) -> Mechanism:
    """A mass that moves along x."""
    return machine(Joint("rail", Prismatic((1, 0, 0)), **joint), SpatialInertia(mass, (0, 0, 0), np.eye(3)))


def several(dt: float, mechanism: Mechanism, states: list[tuple[Any, Any]]) -> tuple[World, list[ArticulatedSystem]]:
    """A World with a copy for each state."""
    world, robots = World(dt), []
    for q, v in states:
        robots.append(world.add_articulated_system(mechanism))
        robots[-1].set_state(q, v)
    return world, robots


# ---- a pendulum on its stop ------------------------------------------------------------------------------------------


def arm(restitution: float, stop: float) -> Mechanism:
    """Level at 0, it hangs at 90 degrees; it may go down to the stop."""
    inertia = SpatialInertia(MASS, (LENGTH, 0, 0), MASS * LENGTH**2 * np.eye(3))
    hinge = Joint("hinge", Revolute((0, 1, 0)), position_limits=(-3.0, stop), limit_restitution=restitution)
    return machine(hinge, inertia)


def dropped(stop: float, count: int) -> tuple[float, float, list[tuple[Any, Any]]]:
    """The arm falls from the level at time 0: when and how fast it is at its stop; states within the longest step."""
    fall = Swing.through(SPEED, np.pi / 2, 0.0)
    hit, top = fall.time(np.pi / 2 - stop), fall.time(np.pi / 2)
    angles = [fall.angle(top - s) for s in phases(count)]
    states = [([np.pi / 2 - a], [fall.rate(a)]) for a in angles]
    return top - hit, fall.rate(np.pi / 2 - stop), states


def stop_without_bounce(dt: float, count: int = PHASES) -> dict[str, Compared]:
    """It rests on the stop, which has taken I w of the blow and then m g l cos(stop) t."""
    stop, end = 0.3, 0.6
    hit, speed, states = dropped(stop, count)
    world, robots = several(dt, arm(0.0, stop), states)
    taken = np.zeros(count)
    for _ in range(round(end / dt)):
        world.step()
        taken -= dt * np.array([robot.limit_force[0] for robot in robots])
    torque = MASS * G * LENGTH * np.cos(stop)
    exact = 2.0 * MASS * LENGTH**2 * speed + torque * (end + phases(count) - hit)
    return {
        "angle at rest [rad]": compare([robot.q[0] for robot in robots], stop),
        "torque at rest [N m]": compare([-robot.limit_force[0] for robot in robots], torque),
        "impulse so far [N m s]": compare(taken, exact),
    }


def stop_with_bounce(dt: float, count: int = PHASES) -> dict[str, Compared]:
    """It leaves with e w, and turns back where sin(q) = (1 - e^2) sin(stop)."""
    stop, restitution, end = 0.8, 0.6, 0.9
    hit, speed, states = dropped(stop, count)
    world, robots = several(dt, arm(restitution, stop), states)
    world.step(round(end / dt))
    rise = Swing.through(SPEED, np.pi / 2 - stop, restitution * speed)
    since = rise.time(np.pi / 2 - stop) + end + phases(count) - hit
    turns = []
    for robot in robots:
        turns.append(np.pi / 2 - Swing.through(SPEED, np.pi / 2 - robot.q[0], robot.v[0]).turn())
    return {
        "angle it turns at [rad]": compare(turns, np.arcsin((1.0 - restitution**2) * np.sin(stop))),
        "angle later [rad]": compare([robot.q[0] for robot in robots], [np.pi / 2 - rise.angle(t) for t in since]),
    }


# ---- a mass on a belt ------------------------------------------------------------------------------------------------


def stick_slip(dt: float, count: int = 20) -> dict[str, Compared]:
    """A mass on a spring and on a belt of speed V, with static friction f_s and kinetic f_k.

    Stick: x' = V up to k x = f_s.  Slip: x = f_k / k + (D / k) cos w t + (V / w) sin w t, D = f_s - f_k, w^2 = k / m,
    until x' = V again.  So the period is (2 pi - 2 atan(D w / (k V))) / w + 2 D / (k V), the amplitude
    hypot(D / k, V / w).  Den Hartog, Mechanical Vibrations, 7.4.

    Belts of several speeds: a cycle ends in the phase of a step in which the next begins, so that all cycles of one
    belt come to have the same phase.
    """
    mass, k, sliding, resting, cycles = 2.0, 20.0, 2.0, 5.0, 4
    speed = 0.3 + 8.0 * phases(count)  # [m/s]
    w, drop = np.sqrt(k / mass), resting - sliding
    period = (2 * np.pi - 2 * np.arctan(drop * w / (k * speed))) / w + 2 * drop / (k * speed)
    mechanism = slider(mass, stiffness=k)
    belt = RigidBody("belt", SpatialInertia(1e10, (0, 0, 0), np.eye(3)))  # nothing slows it
    along = Joint("belt", Prismatic((1, 0, 0)), friction=sliding, static_friction=resting)
    mechanism.attach(mechanism.find_body("body"), belt, along)
    world, robots = several(dt, mechanism, [([0.0, 0.0], [v, 0.0]) for v in speed])
    way = np.zeros((round((cycles + 0.5) * period.max() / dt), count))
    for row in way:
        world.step()
        row[:] = [robot.q[0] - sliding / k for robot in robots]
    periods, amplitudes = zip(*(_cycles(path, dt) for path in way.T), strict=True)
    return {
        "period [s]": compare([found[2] for found in periods], period),
        "amplitude [m]": compare([found[2] for found in amplitudes], np.hypot(drop / k, speed / w)),
    }


def _cycles(path: Array, dt: float) -> tuple[Array, Array]:
    """Periods between zeros on the way up, and amplitudes of whole cycles."""
    up = np.flatnonzero((path[:-1] < 0) & (path[1:] >= 0))
    times = dt * (up + path[up] / (path[up] - path[up + 1]))
    whole = np.split(path, up)[1:-1]
    return np.diff(times), np.array([0.5 * (cycle.max() - cycle.min()) for cycle in whole])


# ---- motors, gears, screws -------------------------------------------------------------------------------------------


def motor(dt: float) -> dict[str, Compared]:
    """A motor of limited torque against drag: L = c v in the end, v = L / c (1 - exp(-c t / m)) on the way."""
    return _driven(dt, np.inf)


def motor_with_curve(dt: float) -> dict[str, Compared]:
    """The same with a torque-speed curve, L (1 - v / s) = c v in the end: as with more drag, c + L / s."""
    return _driven(dt, 4.0)


def _driven(dt: float, no_load: float) -> dict[str, Compared]:
    mass, limit, drag, on_the_way = 2.0, 8.0, 1.5, 0.4
    more = {} if np.isinf(no_load) else {"no_load_speed": no_load}
    world, (robot,) = several(dt, slider(mass, effort_limit=limit, damping=drag, **more), [([0.0], [0.0])])
    robot.set_pd_gains(0.0, 500.0)
    robot.set_pd_target(v=[100.0])
    slope = drag + limit / no_load
    world.step(round(on_the_way / dt))
    on = compare(robot.v[0], limit / slope * (1.0 - np.exp(-slope / mass * on_the_way)))
    world.step(round(45.0 / dt))
    end = limit / slope
    return {
        f"speed after {on_the_way} s [m/s]": on,
        "speed in the end [m/s]": compare(robot.v[0], end),
        "force in the end [N]": compare(robot.applied_force[0], drag * end),
    }


def flywheels(dt: float) -> dict[str, Compared]:
    """A torque on one of two geared wheels: it turns with a = T / (I + r^2 J), and the other takes r J a."""
    first, second, ratio, torque, end = 0.3, 0.05, -4.0, 2.0, 1.0
    mechanism, axle = Mechanism(RigidBody("world")), Revolute((0, 0, 1))
    for name, inertia, mimic in (("a", first, None), ("b", second, Mimic("a", ratio))):
        wheel = RigidBody(f"wheel_{name}", SpatialInertia(1.0, (0, 0, 0), inertia * np.eye(3)))
        mechanism.attach(mechanism.root_body, wheel, Joint(name, axle, mimic=mimic))
    world, (robot,) = several(dt, mechanism, [([0.0, 0.0], [0.0, 0.0])])
    robot.set_generalized_force([torque, 0.0])
    world.step(round(end / dt))
    gain = torque / (first + ratio**2 * second)
    return {
        "speed [rad/s]": compare(robot.v[0], gain * end),
        "angle [rad]": compare(robot.q[0], 0.5 * gain * end**2),
        "torque of the gear [N m]": compare(robot.mimic_force[1], second * ratio * gain),
    }


def screw(friction: float, v: float, count: int) -> tuple[Mechanism, float, float, list[tuple[Any, Any]]]:
    """A nut on a screw with friction of a share of its weight's torque m g h, I'' = I + m h^2 against it.

    It slows down by (m g h + f) / I'', and turns back with (m g h - f) / I'' if anything is left.
    """
    mass, inertia, lead = 2.0, 0.05, 0.06
    weight, whole = mass * G * lead, inertia + mass * lead**2
    joint = Joint("screw", Helical((0, 0, 1), lead), friction=friction * weight)
    slows, returns = weight * (1.0 + friction) / whole, weight * max(0.0, 1.0 - friction) / whole
    states = [([v * s - 0.5 * slows * s**2], [v - slows * s]) for s in phases(count)]
    return machine(joint, SpatialInertia(mass, (0, 0, 0), inertia * np.eye(3))), slows, returns, states


def screw_that_holds(dt: float, count: int = PHASES) -> dict[str, Compared]:
    """Turned up, it comes to rest and stays: friction bears m g h."""
    mechanism, slows, _, states = screw(1.1, 4.0, count)
    world, robots = several(dt, mechanism, states)
    world.step(round(0.5 / dt))
    return {
        "angle at rest [rad]": compare([robot.q[0] for robot in robots], 0.5 * 4.0**2 / slows),
        "speed at rest [rad/s]": compare([robot.v[0] for robot in robots], 0.0),
        "torque of friction [N m]": compare([robot.friction_force[0] for robot in robots], 2.0 * G * 0.06),
    }


def screw_that_returns(dt: float, count: int = PHASES) -> dict[str, Compared]:
    """Turned up, it turns back against friction."""
    v, end = 4.0, 0.5
    mechanism, slows, returns, states = screw(0.7, v, count)
    world, robots = several(dt, mechanism, states)
    world.step(round(end / dt))
    left = end + phases(count) - v / slows
    return {
        "angle [rad]": compare([robot.q[0] for robot in robots], 0.5 * v**2 / slows - 0.5 * returns * left**2),
        "speed [rad/s]": compare([robot.v[0] for robot in robots], -returns * left),
    }


def screw_that_turns_down(dt: float) -> dict[str, Compared]:
    """From rest: no event, and forces that do not change."""
    mechanism, _, gains, states = screw(0.7, 0.0, 1)
    world, (robot,) = several(dt, mechanism, states)
    world.step(round(0.5 / dt))
    return {
        "angle [rad]": compare(robot.q[0], -0.125 * gains),
        "speed [rad/s]": compare(robot.v[0], -0.5 * gains),
    }
