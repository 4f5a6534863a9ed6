"""A pole to be balanced on a cart."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

import rbdyn.mechanism.joints as joints
from rbdyn.collision.shapes import Box
from rbdyn.gym.task import Task
from rbdyn.mechanism import Geometry, Joint, Mechanism, RigidBody
from rbdyn.spatial import SpatialInertia, Transform
from rbdyn.spatial.rotations import Array
from rbdyn.world import World

REACH, TILT = 2.4, 0.21  # beyond which an episode ends [m, rad]


class CartPole(Task):
    """A pole of 0.1 kg and 1 m to be balanced on a cart of 1 kg, which is pushed by up to 10 N.

    Observed are the cart's position and the pole's angle, then their rates [m, rad, m/s, rad/s].  Each step is worth 1;
    an episode ends where the pole leans by more than 0.21 rad, or the cart is 2.4 m from its start.
    """

    num_observations, num_actions = 4, 1
    frame_skip, max_episode_steps = 2, 500

    def build(self, k: int) -> World:
        """World `k`: the cart at rest, the pole upright."""
        machine = Mechanism(RigidBody("cart_pole"))
        cart = RigidBody("cart", SpatialInertia(1.0, (0, 0, 0), 0.01 * np.eye(3)))
        pole = RigidBody("pole", SpatialInertia(0.1, (0, 0, 0.5), 0.1 / 12 * np.diag([1.0, 1.0, 1e-3])))
        cart.visual = [Geometry(Box((0.4, 0.3, 0.2)))]
        pole.visual = [Geometry(Box((0.04, 0.04, 1.0)), Transform(translation=(0, 0, 0.5)))]
        machine.attach(machine.root_body, cart, Joint("slide", joints.Prismatic((1, 0, 0))))
        machine.attach(cart, pole, Joint("hinge", joints.Revolute((0, 1, 0))))
        world = World(time_step=0.01)
        world.add_articulated_system(machine, name="cart_pole")
        return world

    def begin(self) -> None:
        """Find the machines."""
        self.machine = self.worlds.find("cart_pole")

    def place(self, where: NDArray[np.intp], rngs: Sequence[np.random.Generator]) -> None:
        """In the Worlds `where`, all four numbers within 0.05 of 0, by the chance of `rngs`."""
        x = np.array([rng.uniform(-0.05, 0.05, 4) for rng in rngs])
        self.machine.set_state(x[:, :2], x[:, 2:], where=where)

    def act(self, actions: Array) -> None:
        """Push carts by `actions`."""
        self.machine.set_generalized_force(np.hstack([10.0 * actions, np.zeros((len(actions), 1))]))

    def observe(self) -> Array:
        """Positions, then rates."""
        return np.hstack([self.machine.q, self.machine.v])

    def judge(self, actions: Array) -> tuple[Array, NDArray[np.bool_]]:
        """1 for each step, whatever the `actions`."""
        q = self.machine.q
        return np.ones(len(q)), (np.abs(q[:, 0]) > REACH) | (np.abs(q[:, 1]) > TILT)
