"""Contact alone
=============

Contact without a World: a three-legged table lands on its feet, solved three ways.

The last solver is written here, in ten lines of Python: any class with a ``solve`` method will do.
"""

import numpy as np

from rbdyn.contact import BisectionSolver, ContactSolver, PGSSolver, Problem


class PlainGaussSeidel(ContactSolver):
    """Normal impulse first, then friction on its disc, on the assembled matrix."""

    def solve(self, problem):
        G, lam = problem.delassus, problem.impulse.reshape(-1)
        for _ in range(2000):
            before = lam.copy()
            for i in range(problem.n):
                t, n = slice(3 * i, 3 * i + 2), 3 * i + 2
                lam[n] = max(0.0, lam[n] - (problem.v_free[i, 2] + G[n] @ lam) / G[n, n])
                lam[t] -= (problem.v_free[i, :2] + G[t] @ lam) / np.linalg.norm(G[t, t], 2)
                lam[t] *= min(1.0, problem.friction[i] * lam[n] / max(np.linalg.norm(lam[t]), 1e-300))
            if np.abs(lam - before).max() < 1e-12:
                break


def table_on_ground(velocity, spin, mass=2.0, inertia=(0.05, 0.05, 0.08), radius=0.3, height=0.2, friction=0.4):
    """A table whose three feet reach the ground at once; velocity [m/s], spin [rad/s], lengths [m]."""
    angle = 2.0 * np.pi * np.arange(3) / 3.0
    arms = np.column_stack([radius * np.cos(angle), radius * np.sin(angle), np.full(3, -height)])
    return Problem.from_bodies(
        [1.0 / mass],
        [np.diag(1.0 / np.asarray(inertia))],
        frame=np.tile(np.eye(3), (3, 1, 1)),
        v_free=np.asarray(velocity) + np.cross(spin, arms),
        friction=friction,
        single_a=np.zeros(3),
        arm_a=arms,
    )


def main():
    """Print what each solver makes of the same impact."""
    for solver in (BisectionSolver(threshold=1e-12), PGSSolver(threshold=1e-12), PlainGaussSeidel()):
        problem = table_on_ground(velocity=(1.0, 0.5, -1.0), spin=(0.0, 0.0, 2.0))
        solver.solve(problem)
        x, y, z = problem.impulse.sum(axis=0)
        slip = np.linalg.norm(problem.velocity()[:, :2], axis=1)
        name = type(solver).__name__
        print(f"{name:17s} impulse ({x:+.6f}, {y:+.6f}, {z:+.6f}) N s   feet slip at {slip.round(4)} m/s")


if __name__ == "__main__":
    main()
