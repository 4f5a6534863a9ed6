"""Swing-up by sampling
====================

A double pendulum swings up by sampling: model predictive path integral control (G. Williams et al., 2017).

Each control is the mean of many noisy ones, weighted by what the World says would come of them.
"""

import numpy as np

import rbdyn
from rbdyn import models
from rbdyn.parallel import Roller

SAMPLES, HORIZON, STEPS = 64, 40, 4  # sequences, controls in each, steps of the World for each control
NOISE, HEAT, LIMIT = 4.0, 1.0, 8.0  # [N m], how sharply good samples count, [N m]


def cost(q, v, u):
    """Of each sample (n, T, ...): how far both rods are from upright, how fast, at what effort."""
    lean = 2.0 + np.cos(q[..., 0]) + np.cos(q[..., 0] + q[..., 1])  # 0 upright, 4 hanging
    return (lean**2 + 0.02 * (v**2).sum(axis=-1) + 1e-3 * (u**2).sum(axis=-1)).sum(axis=1)


class PathIntegral:
    def __init__(self, world, robot, rng):
        self.roller, self.robot, self.rng = Roller(world), robot, rng
        self.plan = np.zeros((HORIZON, robot.nv))

    def control(self):
        noise = self.rng.normal(0.0, NOISE, (SAMPLES, *self.plan.shape))
        noise[0] = 0.0
        u = np.clip(self.plan + noise, -LIMIT, LIMIT)
        ahead = self.roller.rollout(None, u, steps=STEPS)
        c = np.where(ahead.diverged, np.inf, cost(ahead.q, ahead.v, u))
        weight = np.exp(-(c - c.min()) / HEAT)
        self.plan = np.tensordot(weight / weight.sum(), u, axes=1)
        now = self.plan[0]
        self.plan = np.vstack([self.plan[1:], self.plan[-1:]])
        return now


if __name__ == "__main__":
    world = rbdyn.World(time_step=0.005)
    pendulum = world.add_articulated_system(models.double_pendulum())
    pendulum.set_joint_damping(0.05)
    controller = PathIntegral(world, pendulum, np.random.default_rng(0))
    for k in range(150):
        pendulum.set_generalized_force(controller.control())
        world.step(STEPS)
        if k % 25 == 24:
            up = -pendulum.body_poses[1:, 2, 2].round(2)  # the rods hang along -z of their frames
            print(f"t = {world.time:.2f} s   rods point up by {up}")
