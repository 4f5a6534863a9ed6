"""Soft contact
============

Soft contact, written in Python: springs and dampers at the contacts of a World, as TGS Soft has them.

A contact of depth d that opens with velocity v pushes with k d - c v [N].  Taken at the end of a step h, with the depth
d - h v, that is the impulse lam = h (k (d - h v) - c v), or one row of a linear system: v + s lam = b with the softness
s = 1 / (h (c + h k)) and the speed b = k d / (c + h k).  It is stable for any stiffness, damps a little by itself, and
is hard contact for an infinite one.  Catto ("Soft constraints", GDC 2011; "Solver2D", 2024) writes the same with the
frequency and the damping ratio of a mass on the spring.
"""

import numpy as np

import rbdyn
from rbdyn.contact import ContactSolver


class SoftContact(ContactSolver):
    """Springs of k [N/m] and dampers of c [N s/m] along the normals, Coulomb friction across them."""

    adds_energy = True  # springs give back what they took

    def __init__(self, k, c, sweeps=50):
        super().__init__()
        self.k, self.c, self.sweeps = k, c, sweeps

    def solve(self, problem):
        h, G, lam = problem.dt, problem.delassus, problem.impulse.reshape(-1)
        v_free, depth = (problem.v_free + problem.target).reshape(-1), problem.depth[:, 2]
        c = np.where(depth >= 0.0, self.c, 0.0)  # a gap damps nothing, but may be closed at the step's end
        soft, wanted = 1.0 / (h * (c + h * self.k)), self.k * depth / (c + h * self.k)
        for _ in range(self.sweeps):
            for i in range(problem.n):
                t, n = slice(3 * i, 3 * i + 2), 3 * i + 2
                v = v_free[n] + G[n] @ lam
                lam[n] = max(0.0, lam[n] - (v + soft[i] * lam[n] - wanted[i]) / (G[n, n] + soft[i]))
                lam[t] -= (v_free[t] + G[t] @ lam) / np.linalg.norm(G[t, t], 2)
                lam[t] *= min(1.0, problem.friction[i] * lam[n] / max(np.linalg.norm(lam[t]), 1e-12))


def box_above_ground(k, c, height):
    """A World, and a box of 2 kg in it, at a height above the ground [m]."""
    world = rbdyn.World(time_step=0.001, contact=SoftContact(k, c))
    world.set_erp(0.0)  # depths load springs here: they are no errors
    world.add_ground()
    box = world.add_box(0.2, 0.2, 0.2, mass=2.0)
    box.set_pose(position=(0, 0, 0.1 + height))
    return world, box


if __name__ == "__main__":
    world, box = box_above_ground(k=5000.0, c=50.0, height=0.0)
    world.step(1000)
    print(f"rests {1e3 * (0.1 - box.position[2]):.4f} mm deep; m g / (4 k) is {1e3 * 2.0 * 9.81 / (4 * 5000.0):.4f} mm")
    for c in (0.0, 20.0, 50.0):
        world, box = box_above_ground(k=5000.0, c=c, height=0.2)
        world.step(220)  # falls for 0.2 s, and is down
        apex = max(float(box.position[2]) for _ in range(300) if world.step() is None) - 0.1
        print(f"damping {c:2.0f} N s/m: falls 0.2 m, rebounds {apex:.4f} m")
