"""A reach, planned
================

An arm's hand goes to a point in a second, or 3 cm short of it for less effort: the iterative linear-quadratic regulator
(W. Li and E. Todorov, 2004; Y. Tassa et al., 2012), with analytic derivatives of the dynamics.

`rbdyn.batch` differentiates all knots of a trajectory in one call, and tries all lengths of a step at once.
"""

import numpy as np

import rbdyn
from rbdyn import batch, models

EFFORT, WAY, END, SPEED, REST = 1e-4, 1.0, 1e3, 0.1, 10.0  # weights: forces; distance and speed on the way and at last
LENGTHS, FAST = 0.5 ** np.arange(8), 100.0  # of a step, tried together; a speed that none that is good has [rad/s]


class Planner:
    def __init__(self, model, body, goal, q, dt=0.01, knots=100):
        self.model, self.body, self.goal, self.dt, self.n = model, body, np.array(goal), dt, model.nv
        self.start, self.mu = np.concatenate([q, np.zeros(self.n)]), 1e-6
        hold = np.repeat(batch.bias_forces(model, q[None], np.zeros((1, self.n))), knots, axis=0)
        self.far, self.rest = (np.append(np.full(knots, way), last) for way, last in ((WAY, END), (SPEED, REST)))
        self.x, self.u, self.cost = self.roll_out(hold, lambda t, x: np.zeros((1, self.n)))

    def off(self, q):
        return batch.frame_poses(self.model, q, [self.body])[:, 0, :3, 3] - self.goal

    def jacobian(self, q):
        return batch.point_jacobian(self.model, q, self.body)

    def roll_out(self, u0, change):
        """The cheapest of the trajectories with forces u0 + change: states, forces, cost."""
        n, x, us = self.n, [np.repeat(self.start[None], len(change(0, self.start[None])), axis=0)], []
        for t in range(len(u0)):
            q, v = x[t][:, :n], x[t][:, n:]
            us.append(u0[t] + change(t, x[t]))
            v = np.clip(v + self.dt * batch.forward_dynamics(self.model, q, v, us[t]), -FAST, FAST)
            x.append(np.hstack([q + self.dt * v, v]))
        x, u = np.stack(x, axis=1), np.stack(us, axis=1)
        off = self.off(x[..., :n].reshape(-1, n)).reshape(*x.shape[:2], -1)
        costs = np.square(off).sum(axis=2) @ self.far + np.square(x[..., n:]).sum(axis=2) @ self.rest
        costs = 0.5 * (costs + EFFORT * np.square(u).sum(axis=(1, 2)))
        best = np.argmin(costs)
        return x[best], u[best], costs[best]

    def improve(self):
        """One iteration: derivatives at all knots, Riccati's recursion backwards, a step forwards.  The cost."""
        n, dt, x, u, eye = self.n, self.dt, self.x, self.u, np.eye(self.n)
        q, v = np.ascontiguousarray(x[:, :n]), np.ascontiguousarray(x[:, n:])
        by_q, by_v, by_u = batch.forward_dynamics_derivatives(self.model, q[:-1], v[:-1], u)
        A, B = np.tile(np.eye(2 * n), (len(u), 1, 1)), np.concatenate([dt * dt * by_u, dt * by_u], axis=1)
        A[:, n:] += dt * np.concatenate([by_q, by_v], axis=2)
        A[:, :n] += dt * A[:, n:]
        J = self.jacobian(q)
        slope, bend = np.zeros(x.shape), np.zeros((len(x), 2 * n, 2 * n))
        slope[:, :n], slope[:, n:] = self.far[:, None] * (self.off(q)[:, None] @ J)[:, 0], self.rest[:, None] * v
        bend[:, :n, :n] = self.far[:, None, None] * (J.swapaxes(1, 2) @ J)
        bend[:, n:, n:] = self.rest[:, None, None] * eye
        k, K, s, S = np.empty((len(u), n)), np.empty((len(u), n, 2 * n)), slope[-1], bend[-1]
        for t in reversed(range(len(u))):
            SB = S @ B[t]
            pull = np.column_stack([SB.T @ A[t], EFFORT * u[t] + s @ B[t]])
            gain = np.linalg.solve(B[t].T @ SB + (EFFORT + self.mu) * eye, -pull)
            K[t], k[t] = gain[:, :-1], gain[:, -1]
            F = A[t] + B[t] @ K[t]  # Joseph's form: S stays symmetric and positive
            s = slope[t] + (s + SB @ k[t]) @ F + EFFORT * (u[t] + k[t]) @ K[t]
            S = bend[t] + F.T @ S @ F + EFFORT * K[t].T @ K[t]
        found = self.roll_out(u, lambda t, now: LENGTHS[:, None] * k[t] + (now - x[t]) @ K[t].T)
        self.mu *= 0.25 if found[2] < self.cost else 10.0
        self.x, self.u, self.cost = found if found[2] < self.cost else (x, u, self.cost)
        return self.cost


if __name__ == "__main__":
    arm = rbdyn.Model(models.six_axis_arm())
    plan = Planner(arm, "tool", goal=(0.3, 0.4, 0.5), q=np.array([0.0, 0.5, 0.5, 0.0, 0.3, 0.0]))
    print("cost", *(f"{plan.improve():.4f}" for _ in range(12)))
    print(f"the tool ends {1e3 * np.linalg.norm(plan.off(plan.x[-1:, : arm.nv])):.1f} mm from the point")
