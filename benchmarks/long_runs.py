"""Long runs in contact, whose hashes have to be equal: two runs, one that goes back, two threads, a far island.

A driven quadruped, a heap, a net of springs and a wire, with sleep and without; far away a robot falls, and balls do.
`python -m benchmarks.long_runs --steps 10000` exits with 1 if one bit differs.
"""

from __future__ import annotations

import argparse
import hashlib
import sys
import time

import numpy as np

import rbdyn
from rbdyn import contact, models


def scene(sleeping: bool = False, threads: int = 1, far: bool = False) -> rbdyn.World:
    """What runs; names say what belongs to it, `far` what does not."""
    world = rbdyn.World(0.002, contact=contact.BisectionSolver(threads=threads))
    world.sleeping, world.sleep_time = sleeping, 0.2
    world.add_ground()
    rng = np.random.default_rng(7)
    robot = world.add_articulated_system(models.path("quadruped"), name="driven")
    robot.set_state(models.QUADRUPED_STANCE.q)
    robot.set_pd_gains(p=120.0, d=4.0)
    robot.set_pd_target(models.QUADRUPED_STANCE.q)
    world.schedule(_drive, rate=50.0)
    for k in range(12):
        box = world.add_box(0.2, 0.15, 0.1, mass=1.0, name=f"box{k}")
        box.set_pose(position=(2.5 + 0.1 * rng.uniform(-1, 1), 0.1 * rng.uniform(-1, 1), 0.1 + 0.15 * k))
    net = [world.add_sphere(0.08, mass=0.5, name=f"net{k}") for k in range(4)]
    for k, ball in enumerate(net):
        ball.set_pose(position=(-2.5 + 0.3 * (k % 2), 0.3 * (k // 2), 1.0))
    for a, b in ((0, 1), (1, 3), (3, 2), (2, 0)):
        world.add_spring(net[a], net[b], 200.0, 1.0)
    world.add_stiff_wire(net[0], None, length=1.0, point_b=(-2.5, 0, 2.0))
    if far:
        other = world.add_articulated_system(models.path("quadruped"), name="far")
        other.set_base_pose(position=(100.0, 0, 0.7))
        other.set_state(v=rng.normal(size=other.nv))
        for k in range(5):
            world.add_sphere(0.1, mass=1.0, name=f"far{k}").set_pose(position=(100.0, 2.0, 0.2 + 0.25 * k))
    return world


def _drive(world: rbdyn.World) -> None:
    """Legs that swing, for as long as 8 s, and rest for as long again."""
    if world.time % 16.0 < 8.0:
        swing = 0.3 * np.sin(6.0 * world.time)
        world.find("driven").set_pd_target(joints={"LF_HFE": 0.6 + swing, "RH_HFE": -0.6 - swing})


def trace(world: rbdyn.World, steps: int, every: int = 100) -> str:
    """A hash of all poses and velocities of what is not far, every so many steps."""
    h = hashlib.blake2b(digest_size=16)
    things = [one for one in world.objects if not one.name.startswith("far")]
    for _ in range(steps // every):
        world.step(every)
        for one in things:
            parts = (one.q, one.v) if hasattr(one, "q") else (
                one.position, one.orientation, one.linear_velocity, one.angular_velocity)  # fmt: skip
            for part in parts:
                h.update(part.tobytes())
    return h.hexdigest()


def compare(sleeping: bool, steps: int) -> dict[str, bool]:
    """Which of the runs have the bits of the first one."""
    one, two = scene(sleeping), scene(sleeping)
    first = trace(one, steps)
    same = {"a second run": trace(two, steps) == first and one.state_hash() == two.state_hash()}
    end = one.state_hash()
    again = scene(sleeping)
    trace(again, steps // 2)
    half = again.snapshot()
    trace(again, steps // 2)
    same["one that was looked at half way"] = again.state_hash() == end
    again.restore(half)
    trace(again, steps - steps // 2)
    same["back to the half, and on"] = again.state_hash() == end
    same["two threads"] = trace(scene(sleeping, threads=2), steps) == first
    same["beside a far island"] = trace(scene(sleeping, far=True), steps) == first
    return same


def main() -> None:
    """Run them; print who is equal."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--steps", type=int, default=10_000)
    options = parser.parse_args()
    good = True
    for sleeping in (False, True):
        start = time.perf_counter()
        same = compare(sleeping, options.steps)
        good = good and all(same.values())
        said = ", ".join(f"{name}: {'equal' if equal else 'NOT EQUAL'}" for name, equal in same.items())
        print(f"{options.steps} steps, {'with' if sleeping else 'without'} sleep: {said}; "
              f"{time.perf_counter() - start:.0f} s", flush=True)  # fmt: skip
    sys.exit(not good)


if __name__ == "__main__":
    main()
