"""A thousand futures of an arm
============================

An arm's hand goes after a point on a circle by sampling: model predictive path integral control (G. Williams et al.,
2017), with 1,000 samples at each of 50 controls in a second.

Without contacts no World is needed to look ahead: `rbdyn.batch` takes all samples a step further in one call.
"""

import numpy as np

import rbdyn
from rbdyn import batch, models

SAMPLES, HORIZON, DT = 1000, 20, 0.02  # futures, controls in each, seconds between them
NOISE, DAMPING, HEAT = 6.0, 4.0, 0.005  # of accelerations [rad/s^2], [1/s], how sharply good samples count [m^2]


class PathIntegral:
    def __init__(self, model, body, rng):
        self.model, self.body, self.rng = model, body, rng
        self.plan = np.zeros((HORIZON, model.nv))  # accelerations

    def control(self, q, v, goal):
        """Forces for the next DT seconds; `goal` is where the hand is to be, at each of HORIZON times."""
        hold = batch.bias_forces(self.model, q[None], 0 * v[None])[0]
        M = batch.mass_matrix(self.model, q[None])[0]
        a = self.plan + self.rng.normal(0.0, NOISE, (SAMPLES, *self.plan.shape))
        a[0] = self.plan
        cost, x, w = np.zeros(SAMPLES), np.repeat(q[None], SAMPLES, axis=0), np.repeat(v[None], SAMPLES, axis=0)
        for t in range(HORIZON):
            w = w + DT * batch.forward_dynamics(self.model, x, w, hold + (a[:, t] - DAMPING * w) @ M)
            w = np.clip(w, -20.0, 20.0)  # samples that go wild lose
            x = x + DT * w
            off = batch.frame_poses(self.model, x, [self.body])[:, 0, :3, 3] - goal[t]
            cost += np.square(off).sum(axis=1) + 1e-3 * np.square(w).mean(axis=1)
        weight = np.exp((cost.min() - cost) / HEAT)
        self.plan = np.tensordot(weight / weight.sum(), a, axes=1)
        force = hold + M @ (self.plan[0] - DAMPING * v)
        self.plan = np.vstack([self.plan[1:], self.plan[-1:]])
        return force


def circle(t):
    return np.stack([0.5 + 0 * t, 0.2 * np.cos(2.0 * t), 0.7 + 0.2 * np.sin(2.0 * t)], axis=-1)


if __name__ == "__main__":
    world = rbdyn.World(time_step=0.002)
    arm = world.add_articulated_system(models.six_axis_arm(), self_collision=False)
    arm.set_state(np.array([0.0, 0.5, 0.5, 0.0, 0.3, 0.0]))
    controller, errors = PathIntegral(arm.model, "tool", np.random.default_rng(0)), []
    for k in range(200):
        goal = circle(world.time + DT * np.arange(1, HORIZON + 1))
        arm.set_generalized_force(controller.control(arm.q, arm.v, goal))
        world.step(round(DT / world.time_step))
        errors.append(np.linalg.norm(arm.body_pose("tool")[:3, 3] - circle(world.time)))
        if k % 40 == 39:
            print(f"t = {world.time:.1f} s   the hand is {1e3 * np.mean(errors[-40:]):.0f} mm beside the point")
