"""Modules that float on a table and dock where their faces meet: to be brought together."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

import rbdyn.mechanism.joints as joints
from rbdyn.arguments import whole
from rbdyn.collision.shapes import Box
from rbdyn.gym.task import Task
from rbdyn.mechanism import Geometry, Joint, Mechanism, RigidBody
from rbdyn.spatial import SpatialInertia
from rbdyn.spatial.rotations import Array
from rbdyn.world import World

SIDE, GAP = 0.2, 0.03  # of a module, and between faces that dock [m]
SPREAD = 0.6  # how far they begin from the middle, at most [m]


class SelfAssembly(Task):
    """Square modules on a table without friction dock where they come near; all are to become one.

    Each is pushed along x and y, and turned: three actions a module.  Where the middles of two modules are within a
    side and 3 cm, they are welded to one another.  Observed are for each module its place, sine and cosine of its
    angle, its velocities, and with how many modules it hangs together.  A docking is worth 1, and coming nearer a
    little; the episode ends when all hang together.

    Parameters
    ----------
    modules : int
        How many, 2 to 9.
    """

    frame_skip, max_episode_steps = 4, 200

    def __init__(self, modules: int = 4) -> None:
        self.count = whole(modules, "modules", least=2, most=9)
        self.num_actions, self.num_observations = 3 * self.count, 8 * self.count
        self._pairs = [(i, j) for i in range(self.count) for j in range(i)]

    def build(self, k: int) -> World:
        """World `k`: all modules, far from one another."""
        world = World(time_step=0.01, gravity=(0.0, 0.0, 0.0))
        for i in range(self.count):
            table = Mechanism(RigidBody("table"))
            cube = RigidBody("cube", SpatialInertia(1.0, (0, 0, 0), SIDE**2 / 6 * np.eye(3)))
            cube.collision = [Geometry(Box((SIDE, SIDE, SIDE)))]
            table.attach(table.root_body, cube, Joint("base", joints.Planar()))
            module = world.add_articulated_system(table, name=f"module_{i}")
            module.set_state(q=(2.0 * i, 0.0, 0.0))
            module.set_joint_damping(0.5)
        return world

    def begin(self) -> None:
        """Find the modules; what is remembered is who hangs together."""
        self.modules = self.worlds.systems
        n = len(self.worlds)
        self.group = np.tile(np.arange(self.count), (n, 1))  # smallest number of those that it hangs together with
        self.docked, self.nearness = np.zeros(n), np.zeros(n)

    def place(self, where: NDArray[np.intp], rngs: Sequence[np.random.Generator]) -> None:
        """In the Worlds `where`, each in its sector of a circle, its place and angle by the chance of `rngs`."""
        q = np.zeros((self.count, len(where), 3))
        for i, rng in enumerate(rngs):
            angle = 2.0 * np.pi * (np.arange(self.count) + rng.uniform(-0.15, 0.15, self.count)) / self.count
            radius = SPREAD * (0.6 + 0.1 * self.count) * rng.uniform(0.8, 1.0, self.count)
            q[:, i] = np.stack([radius * np.cos(angle), radius * np.sin(angle), rng.uniform(-1, 1, self.count)], axis=1)
        for module, x in zip(self.modules, q, strict=True):
            module.set_state(x, np.zeros_like(x), where=where)
        self.group[where] = np.arange(self.count)
        self.docked[where] = 0.0
        self.nearness[where] = self.near()[where]

    def act(self, actions: Array) -> None:
        """Push and turn by `actions`."""
        for i, module in enumerate(self.modules):
            module.set_generalized_force(actions[:, 3 * i : 3 * i + 3] * (1.0, 1.0, 0.05))

    def near(self) -> Array:
        """Minus the mean distance of modules from their middle [m]."""
        x = np.stack([module.q[:, :2] for module in self.modules], axis=1)
        away = x - x.mean(axis=1, keepdims=True)
        nearness: Array = -np.sqrt(np.square(away).sum(axis=2)).mean(axis=1)
        return nearness

    def observe(self) -> Array:
        """All that the class says."""
        columns = []
        for i, module in enumerate(self.modules):
            q, v = module.q, module.v
            company = (self.group == self.group[:, i : i + 1]).sum(axis=1)
            columns += [q[:, :2], np.sin(q[:, 2:]), np.cos(q[:, 2:]), v, company[:, None] - 1.0]
        return np.hstack(columns)

    def judge(self, actions: Array) -> tuple[Array, NDArray[np.bool_]]:
        """Dockings of this step, and how much nearer they came, whatever the `actions`."""
        before, self.docked = self.docked.copy(), self.docked.copy()
        q = np.stack([module.q for module in self.modules], axis=1)
        for i, j in self._pairs:
            apart = np.square(q[:, i, :2] - q[:, j, :2]).sum(axis=1)
            for k in np.flatnonzero((apart < (SIDE + GAP) ** 2) & (self.group[:, i] != self.group[:, j])):
                self.dock(int(k), i, j)
        nearness = self.near()
        rewards = self.docked - before + nearness - self.nearness
        self.nearness = nearness
        return rewards, self.docked == self.count - 1

    def dock(self, k: int, i: int, j: int) -> None:
        """Weld modules `i` and `j` of World `k`."""
        world = self.worlds[k]
        world.add_weld((self.modules[i][k], "cube"), (self.modules[j][k], "cube"), name=f"dock_{i}_{j}")
        one, other = sorted((self.group[k, i], self.group[k, j]))
        self.group[k, self.group[k] == other] = one
        self.docked[k] += 1

    def inform(self) -> dict[str, Any]:
        """How many dockings there were."""
        return {"docked": self.docked.copy()}
