"""The Panda, to take a box from a table."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rbdyn import batch
from rbdyn.gym.task import Task
from rbdyn.gym.tasks.reach import panda
from rbdyn.model import Model
from rbdyn.spatial.rotations import Array
from rbdyn.world import World

HAND, FINGERS = "panda_hand", ("panda_leftfinger", "panda_rightfinger")
READY = np.array([0.0, 0.0, 0.0, -2.2, 0.0, 2.5, 0.785, 0.04, 0.04])  # above the middle of the table, fingers open
RATE = 1.5  # how fast an action of 1 moves a joint's target [rad/s]
GRIP = 20.0  # force of the fingers at an action of 1; negative: they close [N]
TIP = 0.1034  # from the hand's frame to between the finger tips, along its z [m]
TABLE, SIDE = 0.1, 0.05  # the height of the table, and the box's sides [m]
LIFTED = 0.1  # how far above the table is enough [m]


class Pick(Task):
    """Franka's Panda, from the package example-robot-data, is to take a box from a table and lift it.

    Actions are rates of the targets of its seven joints, and the force of its fingers, which are held together as
    the urdf says; gravity is compensated. Observed are joint angles [rad] and speeds [5 rad/s], where the finger
    tips are, the way from there to the box [m], the box's velocity [m/s], and the first two columns of its rotation
    matrix. The reward is minus the distance between finger tips and box, and up to 5 as the box rises by 10 cm. An
    episode is cut off after 200 actions of 20 ms, and ends when the box falls from the table.
    """

    num_observations, num_actions = 33, 8
    frame_skip, max_episode_steps = 10, 200

    def __init__(self) -> None:
        self._mechanism = panda(touching=(HAND, *FINGERS))
        self._model = Model(self._mechanism)
        limits = [joint.position_limits for joint in self._mechanism.tree_joints if joint.num_velocities == 1]
        self.lower, self.upper = np.array(limits[:7], float).T

    def build(self, k: int) -> World:
        """World `k`: the arm over the middle of the table, on which the box stands."""
        world = World(time_step=0.002)
        arm = world.add_articulated_system(self._mechanism, name="panda", self_collision=False)
        arm.set_state(READY)
        arm.set_pd_gains([600.0, 600.0, 600.0, 600.0, 250.0, 150.0, 50.0, 0.0, 0.0], [50, 50, 50, 50, 30, 25, 15, 5, 0])
        arm.set_pd_target(READY)
        table = world.add_box(0.5, 0.6, TABLE, 1.0, name="table")
        table.body_type = "static"
        table.set_pose((0.5, 0.0, 0.5 * TABLE))
        world.add_box(SIDE, SIDE, SIDE, 0.2, name="box").set_pose((0.55, 0.0, TABLE + 0.5 * SIDE))
        return world

    def begin(self) -> None:
        """Find arms and boxes; what is remembered is the joints' targets."""
        self.arm, self.box = self.worlds.find("panda"), self.worlds.find("box")
        self.targets = np.tile(READY[:7], (len(self.worlds), 1))

    def place(self, where: NDArray[np.intp], rngs: Sequence[np.random.Generator]) -> None:
        """In the Worlds `where`, by the chance of `rngs`: the arm about ready, the box somewhere before it."""
        n = len(where)
        q, position, orientation = np.tile(READY, (n, 1)), np.zeros((n, 3)), np.zeros((n, 4))
        for k, rng in enumerate(rngs):
            q[k, :7] += rng.uniform(-0.05, 0.05, 7)
            position[k] = rng.uniform(0.45, 0.6), rng.uniform(-0.12, 0.12), TABLE + 0.5 * SIDE
            angle = rng.uniform(-0.3, 0.3)
            orientation[k] = np.cos(0.5 * angle), 0.0, 0.0, np.sin(0.5 * angle)
        self.targets[where] = q[:, :7]
        self.arm.set_state(q, np.zeros((n, 9)), where=where)
        self.box.set_pose(position, orientation, where=where)
        self.box.set_velocity(np.zeros((n, 3)), np.zeros((n, 3)), where=where)
        self._drive(np.zeros((len(self.worlds), 1)))

    def act(self, actions: Array) -> None:
        """Move the targets, and press the fingers, by `actions`."""
        step = RATE * self.frame_skip * self.worlds[0].time_step
        self.targets = np.clip(self.targets + step * actions[:, :7], self.lower, self.upper)
        self._drive(GRIP * actions[:, 7:])

    def _drive(self, grip: Array) -> None:
        """Targets, what carries the arm, and `grip` (n, 1) at the first finger; the other follows it."""
        held = batch.bias_forces(self._model, self.arm.q, np.zeros((len(self.worlds), 9)))
        self.arm.set_generalized_force(np.hstack([held[:, :7], grip, 0.0 * grip]))
        self.arm.set_pd_target(np.hstack([self.targets, np.tile(READY[7:], (len(self.worlds), 1))]))

    def way(self) -> tuple[Array, Array]:
        """Where finger tips are, and the way to their boxes, (n, 3) each."""
        hands = self.arm.body_poses([HAND])[:, 0]
        tips = hands[:, :3, 3] + TIP * hands[:, :3, 2]
        return tips, self.box.position - tips

    def height(self) -> Array:
        """How far boxes are above their table, (n,) [m]."""
        return self.box.position[:, 2] - (TABLE + 0.5 * SIDE)

    def observe(self) -> Array:
        """All that the class says."""
        w, x, y, z = self.box.orientation.T
        columns = [1 - 2 * (y * y + z * z), 2 * (x * y + w * z), 2 * (x * z - w * y),
                   2 * (x * y - w * z), 1 - 2 * (x * x + z * z), 2 * (y * z + w * x)]  # fmt: skip
        moving = (self.arm.q, 0.2 * self.arm.v, *self.way(), self.box.linear_velocity)
        return np.hstack([*moving, np.stack(columns, axis=1)])

    def judge(self, actions: Array) -> tuple[Array, NDArray[np.bool_]]:
        """Minus the distance, and a prize for the height; the end if the box lies beside the table."""
        x, height = self.way()[1], self.height()
        distance = np.sqrt(x[:, 0] ** 2 + x[:, 1] ** 2 + x[:, 2] ** 2)
        return 5.0 * np.clip(height / LIFTED, 0.0, 1.0) - distance, height < -SIDE

    def inform(self) -> dict[str, Any]:
        """Whether boxes are 10 cm above the table."""
        return {"lifted": self.height() > LIFTED}
