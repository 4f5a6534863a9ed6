"""An arm, to bring its hand to a point."""

from __future__ import annotations

import importlib.metadata
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rbdyn import batch, models
from rbdyn.algorithms import body_pose
from rbdyn.arguments.values import choice
from rbdyn.errors import MissingExtraError
from rbdyn.gym.task import Task
from rbdyn.io import load_urdf
from rbdyn.mechanism import Mechanism
from rbdyn.model import Model, State
from rbdyn.spatial.rotations import Array
from rbdyn.world import World

ARMS = {"six_axis_arm": "tool", "panda": "panda_hand"}
RATE = 2.0  # how fast an action of 1 moves a joint's target [rad/s]
NEAR = 0.05  # what counts as being there [m]
LOW = 0.05  # no point is lower [m]


class Reach(Task):
    """An arm is to bring its hand to a point; actions are rates of the joints' targets.

    An action of 1 moves a target by 2 rad/s; gravity is compensated.  Observed are joint angles [rad], joint speeds
    [5 rad/s], how far targets are ahead of the joints [rad], where the hand is, and the way to the point [m].  The
    point is one that the hand has at joint angles by chance, 5 cm above the ground or more.  The reward is minus the
    distance, and a little for each action; an episode is cut off after 100 of them.

    Parameters
    ----------
    robot : {"six_axis_arm", "panda"}
        The bundled arm, or Franka's Panda from the package example-robot-data, whose fingers stay where they are; it
        touches nothing.
    """

    num_observations, num_actions = 24, 6
    frame_skip, max_episode_steps = 5, 100

    def __init__(self, robot: str = "six_axis_arm") -> None:
        self.hand = ARMS[choice(robot, "robot", tuple(ARMS))]
        self._mechanism = models.six_axis_arm() if robot == "six_axis_arm" else panda()
        self._model = Model(self._mechanism)
        joints = [joint for joint in self._mechanism.tree_joints if joint.num_velocities == 1]
        self.num_actions = n = sum("finger" not in joint.name for joint in joints)
        self.num_observations = 3 * n + 6
        limits = [joint.position_limits for joint in joints]
        self.lower, self.upper = np.array([(-2.0, 2.0) if pair is None else pair for pair in limits]).T
        self.middle = 0.5 * (self.lower + self.upper)

    def build(self, k: int) -> World:
        """World `k`: the arm in the middle of its range, and a ball that touches nothing where the point is."""
        world = World(time_step=0.004)
        robot = world.add_articulated_system(self._mechanism, name="arm", self_collision=False)
        robot.set_state(self.middle)
        robot.set_pd_gains(p=400.0, d=40.0)
        robot.set_pd_target(self.middle)
        world.add_sphere(0.02, 1.0, name="point", group=0, mask=0).body_type = "static"
        return world

    def begin(self) -> None:
        """Find the arms; what is remembered is targets and points."""
        self.robot, self.mark = self.worlds.find("arm"), self.worlds.find("point")
        self.targets = np.tile(self.middle, (len(self.worlds), 1))
        self.points = np.zeros((len(self.worlds), 3))
        self._still = np.zeros((len(self.worlds), self._model.nv))
        self._ghost = State(self._model)

    def place(self, where: NDArray[np.intp], rngs: Sequence[np.random.Generator]) -> None:
        """In the Worlds `where`, by the chance of `rngs`: the arm near the middle, the point where it can reach."""
        half = 0.5 * (self.upper - self.lower)
        half[self.num_actions :] = 0.0
        for k, rng in zip(where, rngs, strict=True):
            self.targets[k] = self.middle + 0.2 * half * rng.uniform(-1.0, 1.0, len(half))
            self.points[k] = self._point(half, rng)
        self.robot.set_state(self.targets[where], np.zeros((len(where), self._model.nv)), where=where)
        self.mark.set_pose(self.points[where], where=where)
        self._drive()

    def _point(self, half: Array, rng: np.random.Generator) -> Array:
        """Where the hand is at angles by chance."""
        for _ in range(100):
            self._ghost.set(self.middle + 0.8 * half * rng.uniform(-1.0, 1.0, len(half)))
            point: Array = body_pose(self._ghost, self.hand)[:3, 3]
            if point[2] >= LOW:
                break
        return point

    def act(self, actions: Array) -> None:
        """Move the targets by `actions`."""
        step, n = RATE * self.frame_skip * self.worlds[0].time_step, self.num_actions
        self.targets[:, :n] = np.clip(self.targets[:, :n] + step * actions, self.lower[:n], self.upper[:n])
        self._drive()

    def _drive(self) -> None:
        """Targets, and what carries the arm."""
        self.robot.set_generalized_force(batch.bias_forces(self._model, self.robot.q, self._still))
        self.robot.set_pd_target(self.targets)

    def way(self) -> tuple[Array, Array]:
        """Where hands are, and the way to their points, (n, 3) each."""
        hands = self.robot.body_poses([self.hand])[:, 0, :3, 3]
        return hands, self.points - hands

    def observe(self) -> Array:
        """All that the class says."""
        n, q, v = self.num_actions, self.robot.q, self.robot.v
        return np.hstack([q[:, :n], 0.2 * v[:, :n], (self.targets - q)[:, :n], *self.way()])

    def judge(self, actions: Array) -> tuple[Array, NDArray[np.bool_]]:
        """Minus the distance, and a little for `actions`."""
        x = self.way()[1]
        distance = np.sqrt(x[:, 0] ** 2 + x[:, 1] ** 2 + x[:, 2] ** 2)
        return -distance - 0.01 * np.square(actions).mean(axis=1), np.zeros(len(x), bool)

    def inform(self) -> dict[str, Any]:
        """Whether hands are within 5 cm."""
        return {"reached": np.sum(self.way()[1] ** 2, axis=1) < NEAR**2}


def panda(touching: Sequence[str] = ()) -> Mechanism:
    """Franka's Panda, of which these bodies alone touch anything; the shapes of all others are drawn."""
    try:
        files = importlib.metadata.files("example-robot-data") or []
    except importlib.metadata.PackageNotFoundError:
        raise MissingExtraError(
            "the Panda needs example-robot-data. Install it with: pip install example-robot-data"
        ) from None
    path = next(Path(str(file.locate())) for file in files if file.name == "panda.urdf")
    mechanism = load_urdf(path, floating=False)
    for body in mechanism.bodies:
        body.visual = body.collision
        if body.name not in touching:
            body.collision = []
    return mechanism
