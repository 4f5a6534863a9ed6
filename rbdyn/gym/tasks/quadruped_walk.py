"""The bundled quadruped, to walk ahead."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rbdyn import models
from rbdyn.collision.shapes import HeightMap
from rbdyn.gym.task import Task
from rbdyn.models import QUADRUPED_STANCE
from rbdyn.spatial.rotations import Array
from rbdyn.world import World

SPEED = 0.6  # wanted [m/s]
PERIOD = 0.5  # of the clock that a policy sees [s]
ACTION = 0.5  # what an action of 1 turns a joint from its stance [rad]
LEAST_HEIGHT, LEAST_UPRIGHT = 0.28, 0.6  # of the trunk [m], and of the cosine of its lean, or the episode ends


class QuadrupedWalk(Task):
    """The bundled quadruped is to walk ahead at 0.6 m/s; actions are targets of its joints, around the stance.

    Observed are what is down, the linear velocity [m/s] and the angular one [2 rad/s] of the trunk (all in its axes),
    joint angles from the stance [rad], joint speeds [10 rad/s], the latest action, and sine and cosine of a clock of
    0.5 s: 47 numbers.  An episode ends where
    the trunk is too low or leans too much.

    Parameters
    ----------
    rough : bool
        Whether the ground is fractal terrain instead of a plane; each episode begins somewhere else on it.
    speed : float
        Wanted [m/s].
    """

    num_observations, num_actions = 47, 12
    frame_skip, max_episode_steps = 4, 500

    def __init__(self, rough: bool = False, speed: float = SPEED) -> None:
        self.speed = speed
        self.ground = terrain() if rough else None
        self._mechanism: Any = None

    def build(self, k: int) -> World:
        """World `k`: the robot stands."""
        if self._mechanism is None:
            self._mechanism = models.quadruped()
        world = World(time_step=0.005)
        if self.ground is not None:
            world.add_height_map(self.ground)
        else:
            world.add_ground()
        robot = world.add_articulated_system(self._mechanism, name="quadruped", self_collision=False)
        robot.set_state(QUADRUPED_STANCE.q + 0.02 * np.eye(robot.nq)[2])
        robot.set_pd_gains(p=120.0, d=3.0)
        robot.set_pd_target(QUADRUPED_STANCE.q)
        return world

    def begin(self) -> None:
        """Find the robots; what is remembered is the latest action, and how the episode began."""
        self.robot = self.worlds.find("quadruped")
        self.stance: Array = QUADRUPED_STANCE.q[7:]
        self.latest = np.zeros((len(self.worlds), 12))
        self.change = np.zeros(len(self.worlds))  # of the action, mean square
        self.phase = np.zeros(len(self.worlds))
        self.start = np.zeros((len(self.worlds), 2))  # where the episode began [m]

    def place(self, where: NDArray[np.intp], rngs: Sequence[np.random.Generator]) -> None:
        """In the Worlds `where`, near the stance, the clock anywhere, by the chance of `rngs`."""
        q, v = np.tile(QUADRUPED_STANCE.q, (len(where), 1)), np.zeros((len(where), 18))
        for i, rng in enumerate(rngs):
            q[i, 7:] += rng.uniform(-0.1, 0.1, 12)
            v[i] = rng.uniform(-0.1, 0.1, 18)
            self.phase[where[i]] = rng.uniform()
            if self.ground is not None:
                q[i, :2] = rng.uniform((-18.0, -18.0), (6.0, 18.0))
        q[:, 2] += 0.02 + self.ground_heights(q)
        self.start[where] = q[:, :2]
        self.robot.set_state(q, v, where=where)
        self.latest[where] = self.change[where] = 0.0

    def act(self, actions: Array) -> None:
        """Where the joints are to be: `actions` around the stance."""
        self.change = np.square(actions - self.latest).mean(axis=1)
        self.latest = actions
        self.robot.set_pd_target(self.stance + ACTION * actions)

    def observe(self) -> Array:
        """All that the class says."""
        q, v = self.robot.q, self.robot.v
        R = rotations(q[:, 3:7])
        turn = 2.0 * np.pi * (self.phase + self.worlds.time / PERIOD)
        return np.hstack([
            -R[:, 2], in_axes(R, v[:, :3]), 0.5 * in_axes(R, v[:, 3:6]), q[:, 7:] - self.stance, 0.1 * v[:, 6:],
            self.latest, np.sin(turn)[:, None], np.cos(turn)[:, None],
        ])  # fmt: skip

    def judge(self, actions: Array) -> tuple[Array, NDArray[np.bool_]]:
        """Near the wanted speed, straight on, level, without force and hasty `actions`."""
        q, v = self.robot.q, self.robot.v
        up, height = 1.0 - 2.0 * (q[:, 4] ** 2 + q[:, 5] ** 2), q[:, 2] - self.ground_heights(q)
        ahead = np.exp(-((v[:, 0] - self.speed) ** 2) / 0.1)
        straight = np.exp(-(v[:, 1] ** 2 + 0.5 * v[:, 5] ** 2 + (q[:, 1] - self.start[:, 1]) ** 2) / 0.2)
        power = np.abs(self.robot.applied_force[:, 6:] * v[:, 6:]).sum(axis=1)
        shaken = 0.1 * v[:, 2] ** 2 + 0.02 * (v[:, 3] ** 2 + v[:, 4] ** 2) + 0.25 * self.change + 2e-4 * power
        fallen = (height < LEAST_HEIGHT) | (up < LEAST_UPRIGHT)
        return ahead + 0.4 * straight + 0.2 * up - shaken - 2.0 * fallen, fallen

    def ground_heights(self, q: Array) -> Array:
        """Under the trunks at configurations `q`, (n,) [m]."""
        if self.ground is None:
            return np.zeros(len(q))
        return np.array([self.ground.height(x, y) for x, y in np.clip(q[:, :2], -24.0, 24.0)])

    def inform(self) -> dict[str, Any]:
        """How fast it is, and how far it has come."""
        return {"speed": self.robot.v[:, 0], "distance": self.robot.q[:, 0] - self.start[:, 0]}


def terrain() -> HeightMap:
    """Hills of 0.25 m, about, over 48 m."""
    return HeightMap.fractal((121, 121), (48.0, 48.0), z_scale=0.25, frequency=0.3, octaves=4, seed=0)


def rotations(quat: Array) -> Array:
    """Matrices of quaternions [w, x, y, z], (n, 3, 3)."""
    w, x, y, z = quat.T
    return np.array([
        [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
        [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
        [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
    ]).transpose(2, 0, 1)  # fmt: skip


def in_axes(R: Array, x: Array) -> Array:
    """R^T x of each; sums in one order, so that a row's bits do not depend on how many there are."""
    return R[:, 0] * x[:, :1] + R[:, 1] * x[:, 1:2] + R[:, 2] * x[:, 2:]
