"""Sizes, places and exact answers of the scenes: what all engines share."""

from __future__ import annotations

import numpy as np

from benchmarks.robots import Robot
from benchmarks.scenes.types import Array

G = 9.81  # [m/s^2]

# rolling: a box is pushed over the ground, with 25 balls on it
BOX, BOX_MASS = (20.0, 20.0, 1.0), 10.0  # [m], [kg]
ROLLER_RADIUS, ROLLER_MASS = 0.5, 1.0  # [m], [kg]
ON_GROUND, ON_BOX = 0.4, 0.8  # friction of the box on the ground, of the balls on the box
PUSH = 150.0  # [N]
PUSH_AXIS = np.array([0.5, np.sqrt(0.75), 0.0])  # 60 degrees from x
ROLLING_TIME = 4.0  # [s]

# bouncing: 49 balls fall and bounce, without loss
BOUNCERS, BOUNCE_HEIGHT, BOUNCING_TIME = 49, 5.0, 20.0  # [m], [s]

# 6 x 6 x 6 balls fall in layers, without friction; none bounces, or all do
BALL_RADIUS, BALL_MASS, SPACING, SHAKE, LOWEST = 0.1, 10.0, 0.21, 1e-3, 1.101  # [m], [kg]
BALLS_TIME = 10.0  # [s]

# ANYmal under PD control, hit by a ball without gravity, and thrown
ANYMAL_B = Robot("ANYmal-B", "anymal_b_simple_description/robots/anymal.urdf", True, "RH_SHANK")
KP, KD, STAND_HEIGHT, STAND_TIME = 40.0, 1.0, 0.54, 250.0  # [N m/rad], [N m s/rad], [m], [s]
STAND = {"HAA": 0.03, "HFE": 0.4, "KFE": -0.8}  # [rad] of LF; HAA negative on the right, HFE and KFE reversed behind
HIT_RADIUS, HIT_MASS, HIT_FROM, HIT_SPEED = 0.2, 10.0, 5.0, 5.0  # [m], [kg], [m], [m/s]
START_HEIGHT, HIT_TIME = 2.0, 10.0  # [m], [s]
THROW_TIME, FALL_TIME = 1.0, 2.0  # [s] with twice the weight upwards on the base, then without


def rollers() -> Array:
    """Where the balls are on the box [m], (25, 3)."""
    at = 2.0 * (np.arange(5) - 2)
    return np.array([(x, y, BOX[2] + ROLLER_RADIUS) for x in at for y in at])


def rolling_speeds(t: float) -> tuple[float, float]:
    """Speeds of the box and of the balls along the push at time t [m/s]: the box slides, the balls roll."""
    n = 25
    on_ground = ON_GROUND * (BOX_MASS + n * ROLLER_MASS) * G
    on_ball = (PUSH - on_ground) / BOX_MASS / (3.5 / ROLLER_MASS + n / BOX_MASS)
    return (PUSH - on_ground - n * on_ball) / BOX_MASS * t, on_ball / ROLLER_MASS * t


def bouncers() -> Array:
    """Where the bouncing balls begin [m], (49, 3)."""
    side = np.arange(7) - 3.0
    return np.array([(x, y, BOUNCE_HEIGHT) for x in side for y in side])


def balls() -> Array:
    """Where the 216 balls begin [m], (216, 3)."""
    k = np.arange(216)
    cells: Array = np.stack([k % 6, k // 6 % 6, k // 36], axis=1) * SPACING
    shaken: Array = SHAKE * np.random.default_rng(42).uniform(size=(216, 3))
    return cells + shaken + [0.0, 0.0, LOWEST]


def overlaps(centres: Array) -> float:
    """Sum of squared depths of balls in one another and in the ground [m^2]."""
    square = (centres**2).sum(axis=1)
    distance = np.sqrt(np.maximum(square[:, None] + square - 2.0 * centres @ centres.T, 0.0))
    depth = np.maximum(2 * BALL_RADIUS - distance[np.triu_indices(len(centres), 1)], 0.0)
    return float((depth**2).sum() + (np.maximum(BALL_RADIUS - centres[:, 2], 0.0) ** 2).sum())


def stand_angle(joint: str) -> float:
    """Angle [rad] of an ANYmal joint, for example LF_HFE."""
    right, behind = joint[1] == "F" and joint[0] == "R" or joint[:2] == "RH", joint[1] == "H"
    if joint.endswith("HAA"):
        return STAND["HAA"] * (-1.0 if right else 1.0)
    return STAND[joint[-3:]] * (-1.0 if behind else 1.0)
