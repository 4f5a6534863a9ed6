"""What a scene asks of an engine, and the settings that all engines share."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


class Simulation(Protocol):
    """One engine in one scene, at its start."""

    def step(self, n: int) -> None:
        """Advance by n steps."""

    def observe(self) -> dict[str, float]:
        """Figures of the present state; not timed."""


@dataclass(frozen=True)
class Scene:
    """One row block of the table.

    Parameters
    ----------
    name : str
        Known to both builders.
    dt : float
        Time step [s].
    chunks, steps : int
        The run is `chunks` timed pieces of `steps` steps.
    dropped : int
        First chunks that are neither timed nor observed.
    repetitions : int
        Fresh runs; each chunk counts with its median over them.
    target : float
        Least ratio of performance.md.
    against : tuple of str
        The engines that the target speaks of.
    limits : mapping
        Figures of quality that rbdyn must not exceed for the target to count.
    """

    name: str
    dt: float
    chunks: int
    steps: int
    dropped: int
    repetitions: int
    target: float | None
    against: tuple[str, ...]
    limits: Mapping[str, float] = field(default_factory=dict)


STANCE = {"HAA": 0.0, "HFE": 0.4, "KFE": -0.8}  # [rad] front legs; hind legs mirrored
FEET = ("LF", "RF", "LH", "RH")
FOOT_RADIUS = 0.03  # [m]
KP, KD = 200.0, 4.0  # [N m/rad], [N m s/rad]
FRICTION = 0.8
AIR_HEIGHT = 20.0  # [m] so that 2 s of free fall touch nothing
BALL_RADIUS, BALL_MASS, BALL_GAP = 0.1, 10.0, 0.21  # [m], [kg], [m]
TRAY = 2.2  # [m] inner side of the box of balls666
TRAY_FRICTION = 0.5
CUBE, CUBE_MASS = 0.2, 1.0  # [m], [kg]
TOUCHING = 1e-5  # [m] gap up to which a contact counts as one


def stance(joint: str) -> float:
    """Angle [rad] of an ANYmal joint, for example LF_HFE, in the nominal stance."""
    return STANCE[joint[-3:]] * (1.0 if joint[1] == "F" else -1.0)


def air_speeds(count: int) -> Array:
    """Random joint speeds [rad/s], (count,)."""
    return np.random.default_rng(3).normal(size=count)


def ball_grid(count: int, side: int, seed: int = 5) -> Array:
    """Centres [m] of balls in layers of side x side, shaken by up to 1 mm so that no tower stands, (count, 3)."""
    k = np.arange(count)
    cells: Array = np.stack([k % side - (side - 1) / 2, k // side % side - (side - 1) / 2, k // side**2], axis=1)
    shaken: Array = np.random.default_rng(seed).uniform(-1e-3, 1e-3, (count, 3))
    lowest: Array = np.array([0.0, 0.0, BALL_RADIUS + 2e-3])
    return cells * BALL_GAP + lowest + shaken


def cube_heights() -> Array:
    """Centres [m] of 20 cubes that just touch, (20,)."""
    return np.linspace(0.5 * CUBE, 19.5 * CUBE, 20)
