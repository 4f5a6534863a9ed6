"""A Panda as its urdf says it, with friction: limp against its limits, and with a box between its fingers."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np

import rbdyn
from benchmarks.robots import PANDA
from benchmarks.samples import Array
from rbdyn import Mechanism, World, io
from rbdyn.world import ArticulatedSystem

Angle = Callable[[float], float]

READY = np.array([0, 0.3, 0, -2.2, 0, 2.5, 0.785, 0.04, 0.04])  # open fingers about the box
SQUEEZE = 20.0  # [N] on the first finger; the other follows it
RISE, LIFT = 0.3, 1.0  # of the shoulder [rad], in [s]
SWING, FREQUENCY = 0.05, 2.0  # of the shoulder [rad], [Hz]: up to 8 m/s^2 at the hand


def panda(friction: float, fingers: float) -> Mechanism:
    """With dry friction in its joints [N m], and in its fingers [N]; the urdf has limits, and fingers that mimic."""
    mechanism = io.load_urdf(PANDA.path, floating=False)
    for joint in mechanism.tree_joints:
        joint.friction = fingers if "finger" in joint.name else friction
    return mechanism


class Fallen(NamedTuple):
    """How it is at the end of a step."""

    time: float  # [s]
    passed: float  # how far some joint is beyond its limits; negative: none [rad or m]
    speed: float  # the largest share of a limit of speed
    slowed: bool  # some such limit acted
    fingers: float  # how far one is from where the other says [m]
    energy: float  # [J]


def limp(seconds: float, dt: float = 1e-3) -> Iterator[Fallen]:
    """It falls from between its limits; nothing drives it."""
    world = World(dt)
    arm = world.add_articulated_system(panda(0.1, 0.1))
    (lower, upper), fastest = arm.joint_limits, arm.velocity_limits
    if not np.isfinite([lower, upper, fastest]).all():
        raise ValueError("all joints of the Panda must have limits")
    arm.set_state(0.5 * (lower + upper))
    for k in range(round(seconds / dt)):
        world.step()
        q = arm.q
        passed, speed = np.maximum(lower - q, q - upper).max(), np.abs(arm.v / fastest).max()
        energy = rbdyn.kinetic_energy(arm.state) + rbdyn.potential_energy(arm.state)
        slowed = bool(arm.velocity_limit_force.any())
        yield Fallen((k + 1) * dt, float(passed), float(speed), slowed, float(abs(q[7] - q[8])), energy)


class Held(NamedTuple):
    """Where a box is in the hand."""

    place: Array  # (3,) [m]
    turn: Array  # (9,) its rotation matrix
    height: float  # in the world [m]
    fingers: float  # how far one is from where the other says [m]
    squeeze: Array  # (2,) what the fingers get of each other [N]


class Grasp:
    """An arm that takes a box from a table."""

    def __init__(self, dt: float = 1e-3) -> None:
        self.world = World(dt)
        self.arm: ArticulatedSystem = self.world.add_articulated_system(panda(0.1, 0.5), self_collision=False)
        self.arm.set_state(READY)
        self.arm.set_pd_gains([600, 600, 600, 600, 250, 150, 50, 0, 0], [50, 50, 50, 50, 30, 25, 15, 5, 0])
        table = self.world.add_box(0.1, 0.1, 0.1, 1.0)
        table.body_type = "static"
        table.set_pose((0.556, 0, 0.05))
        self.box = self.world.add_box(0.05, 0.05, 0.05, 0.2)
        self.box.set_pose((0.556, 0, 0.125))

    def drive(self, seconds: float, angle: Angle, speed: Angle) -> None:
        """The shoulder along a way; gravity is compensated, the first finger closes."""
        dt = self.world.time_step
        for k in range(round(seconds / dt)):
            t = (k + 1) * dt
            self.arm.set_pd_target(np.append([0, angle(t)], READY[2:]), np.append([0, speed(t)], np.zeros(7)))
            self.arm.set_generalized_force(np.append(rbdyn.bias_forces(self.arm.state)[:7], [-SQUEEZE, 0.0]))
            self.world.step()

    def close(self) -> None:
        """The fingers meet the box."""
        self.drive(0.5, lambda t: RISE, lambda t: 0.0)

    def lift(self) -> None:
        """The shoulder goes back."""
        rate = np.pi / LIFT
        way = lambda t: 0.5 * RISE * (1 + np.cos(rate * t))  # noqa: E731
        self.drive(LIFT, way, lambda t: -0.5 * RISE * rate * np.sin(rate * t))

    def shake(self, seconds: float) -> None:
        """Whole periods."""
        w = 2.0 * np.pi * FREQUENCY
        self.drive(seconds, lambda t: SWING * np.sin(w * t), lambda t: SWING * w * np.cos(w * t))

    def held(self) -> Held:
        """Where the box is now."""
        hand, q = self.arm.body_pose("panda_hand"), self.arm.q
        place = hand[:3, :3].T @ (self.box.position - hand[:3, 3])
        turn = (hand[:3, :3].T @ self.box.rotation).ravel()
        return Held(place, turn, float(self.box.position[2]), float(abs(q[7] - q[8])), self.arm.mimic_force[7:9].copy())
