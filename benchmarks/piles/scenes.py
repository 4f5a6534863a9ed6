"""The scenes, in words that every engine understands: solid shapes of even density on a plane z = 0."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

DT = 5e-3  # [s]
FRICTION = 0.8
GRAVITY = 9.81  # [m/s^2] down

Vector = tuple[float, ...]


@dataclass(frozen=True)
class Thing:
    """One body.

    Parameters
    ----------
    shape : str
        "box", "sphere", "capsule" or "cylinder"; the last two stand along z.
    size : tuple of float
        Sides of a box; radius; radius and height without the caps; radius and height [m].
    mass : float
        [kg]
    position : tuple of float
        Of its centre [m].
    orientation : tuple of float
        Quaternion w, x, y, z.
    velocity : tuple of float
        [m/s]
    static : bool
        Whether it never moves.
    """

    shape: str
    size: Vector
    mass: float
    position: Vector
    orientation: Vector = (1.0, 0.0, 0.0, 0.0)
    velocity: Vector = (0.0, 0.0, 0.0)
    static: bool = False

    def inertia(self) -> tuple[float, float, float]:
        """Principal moments of inertia about the centre [kg m^2]; the axes are those of the shape."""
        if self.shape == "box":
            x, y, z = (s * s / 12.0 for s in self.size)
            return self.mass * (y + z), self.mass * (x + z), self.mass * (x + y)
        r = self.size[0]
        if self.shape == "sphere":
            return (0.4 * self.mass * r * r,) * 3
        h = self.size[1]
        if self.shape == "cylinder":
            across = self.mass * (3.0 * r * r + h * h) / 12.0
            return across, across, 0.5 * self.mass * r * r
        m_tube = self.mass * h / (h + 4.0 / 3.0 * r)
        m_caps = self.mass - m_tube
        across = m_tube * (3.0 * r * r + h * h) / 12.0 + m_caps * (0.4 * r * r + 0.25 * h * h + 0.375 * r * h)
        return across, across, m_tube * 0.5 * r * r + m_caps * 0.4 * r * r


def turned(rng: np.random.Generator) -> Vector:
    """A random orientation."""
    quat = rng.normal(size=4)
    return tuple(quat / np.linalg.norm(quat))


def pile(count: int, seed: int = 11) -> list[Thing]:
    """Boxes of random sizes and poses that fall on one another, ten a layer or forty."""
    rng = np.random.default_rng(seed)
    side, layer = (0.5, 10) if count <= 100 else (1.0, 40)
    boxes = []
    for k in range(count):
        size = tuple(rng.uniform(0.1, 0.3, 3))
        position = (rng.uniform(-side, side), rng.uniform(-side, side), 0.3 + 0.35 * (k // layer))
        boxes.append(Thing("box", size, 800.0 * float(np.prod(size)), position, turned(rng)))
    return boxes


def _ball(position: Vector, speed: float) -> Thing:
    return Thing("sphere", (0.15,), 5.0, position, velocity=(speed, 0.0, 0.0))


def _brick(k: float, row: int) -> Thing:
    return Thing("box", (0.1, 0.19, 0.1), 1.0, (0.0, 0.2 * k, 0.05 + 0.1 * row))


def wall() -> list[Thing]:
    """A wall of 10 by 10 bricks that a ball hits."""
    return [_brick(k + 0.5 * (row % 2), row) for row in range(10) for k in range(10)] + [_ball((-2.0, 1.0, 0.6), 10.0)]


def pyramid() -> list[Thing]:
    """A pyramid of 15 layers that a ball hits."""
    bricks = [_brick(k + 0.5 * row, row) for row in range(15) for k in range(15 - row)]
    return [*bricks, _ball((-2.0, 1.4, 0.6), 10.0)]


def stack(count: int = 20, ball: bool = True) -> list[Thing]:
    """A stack of cubes, and a ball that hits it."""
    cubes = [Thing("box", (0.2,) * 3, 8.0, (0.0, 0.0, 0.1 + 0.2 * k)) for k in range(count)]
    return [*cubes, _ball((-2.0, 0.0, 2.2), 5.0)] if ball else cubes


def _tray(half: float, height: float) -> list[Thing]:
    """Four walls."""
    long, thin = 2.0 * half, 0.1
    return [
        Thing("box", (long, thin, height), 1.0, (0.0, half, 0.5 * height), static=True),
        Thing("box", (long, thin, height), 1.0, (0.0, -half, 0.5 * height), static=True),
        Thing("box", (thin, long, height), 1.0, (half, 0.0, 0.5 * height), static=True),
        Thing("box", (thin, long, height), 1.0, (-half, 0.0, 0.5 * height), static=True),
    ]


def tray() -> list[Thing]:
    """200 balls that fall into a tray."""
    rng = np.random.default_rng(3)
    places = [(*rng.uniform(-0.8, 0.8, 2), 0.2 + 0.18 * (k // 20)) for k in range(200)]
    return [*_tray(1.0, 0.6), *(Thing("sphere", (0.08,), 2.0, place) for place in places)]


def bin_of(count: int = 1000) -> list[Thing]:
    """Boxes, balls, capsules and cylinders that fall into a bin, 50 a layer."""
    rng = np.random.default_rng(7)
    things = _tray(1.5, 3.0)
    for k in range(count):
        shape = ("box", "sphere", "capsule", "cylinder")[k % 4]
        a, b, c = rng.uniform(0.05, 0.1, 3)
        size = {"box": (2 * a, 2 * b, 2 * c), "sphere": (a,)}.get(shape, (a, 2 * b))
        position = (rng.uniform(-1.2, 1.2), rng.uniform(-1.2, 1.2), 0.3 + 0.3 * (k // 50))
        things.append(Thing(shape, size, 1.0, position, turned(rng)))
    return things


def stacks(tumbling: bool = True, resting: bool = True) -> list[Thing]:
    """A hundred resting stacks of five cubes, and far away a pile of 27 that tumbles."""
    things = []
    for k in range(100 if resting else 0):
        for row in range(5):
            things.append(Thing("box", (0.2,) * 3, 8.0, (0.5 * (k % 10), 0.5 * (k // 10), 0.1 + 0.2 * row)))
    rng = np.random.default_rng(5)
    for k in range(27 if tumbling else 0):
        size = tuple(rng.uniform(0.1, 0.3, 3))
        position = (50.0 + rng.uniform(-0.25, 0.25), rng.uniform(-0.25, 0.25), 0.3 + 0.3 * (k // 3))
        things.append(Thing("box", size, 4.0, position, turned(rng)))
    return things


def field(ball: bool = True) -> list[Thing]:
    """A thousand cubes side by side, and a ball that rolls between their rows."""
    cubes = [Thing("box", (0.2,) * 3, 8.0, (0.5 * (k % 40), 0.5 * (k // 40), 0.1)) for k in range(1000)]
    return [*cubes, Thing("sphere", (0.1,), 4.0, (-0.5, 0.25, 0.1), velocity=(3.0, 0.0, 0.0))] if ball else cubes


@dataclass(frozen=True)
class Scene:
    """One scene, and the most that a step of it may cost.

    The goal was set on one machine, where mujoco's Newton took `newton`: as a share of that it holds on any.
    """

    name: str
    things: Callable[[], list[Thing]]
    steps: int
    goal: float | None = None  # [ms] a step, mean
    newton: float | None = None  # [ms]


SCENES = (
    Scene("pile 100", lambda: pile(100), 600, 0.8, 0.52),
    Scene("pile 500", lambda: pile(500), 300, 7.0, 25.3),
    Scene("200 balls in a tray", tray, 400),
    Scene("1000 shapes in a bin", bin_of, 200),
    Scene("wall 10x10 + ball", wall, 400, 1.0, 0.9),
    Scene("pyramid 15 + ball", pyramid, 400),
    Scene("stack 20 + ball", stack, 400, 0.13, 0.07),
    Scene("stack 20 at rest", lambda: stack(ball=False), 200),
)
