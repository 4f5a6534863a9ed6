"""A contact solver of one's own
=============================

A contact solver of one's own, in ten lines of Python, inside a World: a box slides to rest.
"""

import numpy as np

import rbdyn
from rbdyn.contact import ContactSolver


class PlainGaussSeidel(ContactSolver):
    """One contact after the other: the normal impulse, then friction cut to its disc."""

    def solve(self, problem):
        G, lam = problem.delassus, problem.impulse.reshape(-1)
        for _ in range(100):
            for i in range(problem.n):
                t, n = slice(3 * i, 3 * i + 2), 3 * i + 2
                lam[n] = max(0.0, lam[n] - (problem.v_free[i, 2] + G[n] @ lam) / G[n, n])
                lam[t] -= (problem.v_free[i, :2] + G[t] @ lam) / np.linalg.norm(G[t, t], 2)
                lam[t] *= min(1.0, problem.friction[i] * lam[n] / max(np.linalg.norm(lam[t]), 1e-12))


def slide(solver, friction=0.4, speed=2.0):
    """A World in which a box has slid on the ground, and the box."""
    world = rbdyn.World(time_step=0.002, contact=solver)
    world.set_default_material(friction=friction)
    world.add_ground()
    box = world.add_box(0.4, 0.4, 0.1, mass=3.0)
    box.set_pose(position=(0, 0, 0.05))
    box.set_velocity(linear=(speed, 0, 0))
    world.step(400)
    return world, box


if __name__ == "__main__":
    for solver in (PlainGaussSeidel(), "bisection"):
        name = solver if isinstance(solver, str) else type(solver).__name__
        world, box = slide(solver)
        print(f"{name:17s} slides {box.position[0]:.5f} m")
    print(f"closed form       slides {2.0**2 / (2 * 0.4 * 9.81):.5f} m")
