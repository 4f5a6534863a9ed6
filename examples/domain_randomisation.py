"""Domain randomisation
====================

Domain randomisation: 1,000 episodes of one robot, each with other masses, frictions and feet, and no rebuild.
"""

import time

import numpy as np

import rbdyn
from rbdyn import models
from rbdyn.collision import Sphere
from rbdyn.models import QUADRUPED_STANCE

EPISODES, STEPS = 1000, 20
LEGS = ("LF", "RF", "LH", "RH")


def randomise(world: rbdyn.World, robot: rbdyn.ArticulatedSystem, rng: np.random.Generator, masses: dict) -> int:
    """Other numbers for the coming episode; how many there are."""
    for name, mass in masses.items():
        robot.body(name).mass = mass * rng.uniform(0.7, 1.3)
    robot.body("base").com = rng.uniform(-0.03, 0.03, 3)
    for joint in robot.joints[1:]:
        joint.set(damping=rng.uniform(0.0, 0.3), friction=rng.uniform(0.0, 0.5))
    for leg in LEGS:
        robot.geometry(f"{leg}_FOOT/0").shape = Sphere(rng.uniform(0.025, 0.035))
    world.set_material_pair("default", "default", friction=rng.uniform(0.3, 1.2))
    return len(masses) + 1 + 2 * 12 + len(LEGS) + 1


def main() -> rbdyn.World:
    world = rbdyn.World(time_step=0.002)
    world.add_ground()
    robot = world.add_articulated_system(models.quadruped())
    robot.set_pd_gains(200.0, 4.0)
    robot.set_pd_target(QUADRUPED_STANCE.q)
    model, start = robot.model, world.snapshot()
    masses = {body.name: body.mass for body in robot.bodies if body.mass > 0}
    rng, times, heights = np.random.default_rng(0), [], []
    for _ in range(EPISODES):
        world.restore(start)
        robot.set_state(QUADRUPED_STANCE.q)
        begin = time.perf_counter()
        edits = randomise(world, robot, rng, masses)
        times.append(time.perf_counter() - begin)
        world.step(STEPS)
        heights.append(robot.q[2])
    print(f"{EPISODES} episodes of {edits} edits: {1e3 * np.median(times):.2f} ms each for the edits, "
          f"{1e3 * np.sort(times)[int(0.99 * EPISODES)]:.2f} ms at most in 99 of 100")  # fmt: skip
    print(f"the base ends {min(heights):.3f} to {max(heights):.3f} m high")
    print(f"the same Model from first to last: {robot.model is model}")
    return world


if __name__ == "__main__":
    world = main()
