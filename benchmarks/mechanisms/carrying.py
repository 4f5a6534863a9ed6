"""A Stewart platform whose six legs move, with a box that tumbles on it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

import rbdyn
from benchmarks.loops import stewart_platform
from benchmarks.samples import Array
from rbdyn import World
from rbdyn.collision.shapes import Box

HALF, TOP = 0.6, 0.125  # [m] of the table's sides, and of its top above the platform's centre
STIFFNESS, DAMPING = 20000.0, 600.0  # of the motors [N/m], [N s/m]
WAVE = 0.05  # [m] of each leg, at 1 Hz, one after the other


class Carried(NamedTuple):
    """How it is at the end of a step."""

    time: float  # [s]
    open: float  # the largest error of a loop [rad or m]
    box: Array  # (3,) its place on the platform [m]
    spin: float  # of the box [rad/s]
    moved: float  # how far some coordinate is from where it was at first


def carry(how: str, seconds: float, dt: float = 1e-3) -> Iterator[Carried]:
    """A box is thrown on the table; `how` as `loop_constraints`."""
    world, mechanism = World(dt), stewart_platform()
    tray = rbdyn.Geometry(Box((2 * HALF, 2 * HALF, 0.05)), rbdyn.Transform(translation=(0, 0, TOP - 0.025)))
    mechanism.find_body("platform").collision = [tray]
    robot = world.add_articulated_system(mechanism, self_collision=False, loop_constraints=how)
    start = robot.q.copy()
    legs = [(robot.model.joint_q_index(f"leg{k}"), robot.model.joint_v_index(f"leg{k}")) for k in range(6)]
    places, motors = (list(x) for x in zip(*legs, strict=True))
    gains = np.zeros((2, robot.nv))
    gains[0, motors], gains[1, motors] = STIFFNESS, DAMPING
    robot.set_pd_gains(*gains)
    box = world.add_box(0.3, 0.2, 0.15, 8.0)
    box.set_pose(position=(0.1, 0.05, 1.4), orientation=(0.8, 0.4, 0.4, 0.2))
    box.set_velocity(angular=(3.0, 4.0, 1.0))
    for k in range(round(seconds / dt)):
        target = start.copy()
        target[places] += WAVE * np.sin(2 * np.pi * k * dt + np.arange(6)) * min(1.0, k * dt / 0.2)
        robot.set_pd_target(target)
        world.step()
        platform = np.linalg.inv(rbdyn.body_pose(robot.state, "platform"))
        where = (platform @ np.append(box.position, 1.0))[:3]
        opened, moved = np.abs(robot.loop_error).max(), np.abs(robot.q - start).max()
        yield Carried((k + 1) * dt, float(opened), where, float(np.abs(box.angular_velocity).max()), float(moved))
