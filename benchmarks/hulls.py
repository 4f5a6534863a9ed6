"""Robots whose links are hulls of meshes: python -m benchmarks.hulls [--steps N].

Prints the time of contact detection (`World.integrate1`, which includes kinematics) and of a step, for robots of the
package example-robot-data on the ground: held at the neutral configuration, held at targets that jump every 20 steps by
0.3 rad (standard deviation), and limp.  Then the time of making hulls of 8,192 corners.
"""

from __future__ import annotations

import argparse
import time
import warnings

import numpy as np

import rbdyn
from benchmarks.robots import Robot
from rbdyn import io
from rbdyn.collision import ConvexHull
from rbdyn.errors import InactiveFeatureWarning, SetupWarning

ROBOTS = {  # and the height of the base at the start [m]
    Robot("Go2", "go2_description/urdf/go2.urdf", True, ""): 0.45,
    Robot("Solo12", "solo_description/robots/solo12.urdf", True, ""): 0.35,
    Robot("G1", "g1_description/urdf/g1_29dof_rev_1_0.urdf", True, ""): 0.85,
    Robot("Talos", "talos_data/robots/talos_full_v2.urdf", True, ""): 1.15,
}
MODES = {"held": 0.0, "noisy": 0.3, "limp": None}  # standard deviation of the targets [rad]; None: no control
STIFFNESS, DAMPING = 60.0, 2.0  # [N m/rad], [N m s/rad]
HELD = 20  # steps between two targets


def run(robot: Robot, height: float, noise: float | None, steps: int) -> tuple[float, float]:
    """Mean times of detection and of a step [s] over a run from the start, at 1 ms."""
    world, rng = rbdyn.World(0.001), np.random.default_rng(0)
    world.add_ground()
    system = world.add_articulated_system(io.load_urdf(robot.path, floating=True))
    start = system.model.neutral()
    start[:3] = 0.0, 0.0, height
    system.set_state(start, np.zeros(system.nv))
    if noise is not None:
        joints = np.arange(system.nv) >= 6
        system.set_pd_gains(STIFFNESS * joints, DAMPING * joints)
    detection = whole = 0.0
    for k in range(steps):
        if noise is not None and k % HELD == 0:
            target = start.copy()
            target[7:] += noise * rng.standard_normal(len(target) - 7)
            system.set_pd_target(target, np.zeros(system.nv))
        began = time.thread_time()
        world.integrate1()
        detected = time.thread_time()
        world.integrate2()
        detection, whole = detection + detected - began, whole + time.thread_time() - began
    return detection / steps, whole / steps


def clouds() -> dict[str, np.ndarray]:
    """Corners of large hulls: of a ball, and of a prism with two faces of 4,096 corners [m]."""
    x, phi = np.random.default_rng(0).normal(size=(8192, 3)), 2.0 * np.pi * np.arange(4096) / 4096
    ring = np.stack([np.cos(phi), np.sin(phi)], axis=1)
    prism = np.vstack([np.insert(ring, 2, z, axis=1) for z in (-1.0, 1.0)])
    return {"ball": x / np.linalg.norm(x, axis=1, keepdims=True), "prism": prism}


def main() -> None:
    """Print both tables."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.hulls", description=__doc__)
    parser.add_argument("--steps", type=int, default=2000, help="of each run")
    options = parser.parse_args()
    warnings.simplefilter("ignore", InactiveFeatureWarning)
    warnings.simplefilter("ignore", SetupWarning)
    for robot, height in ROBOTS.items():
        for mode, noise in MODES.items():
            detection, step = run(robot, height, noise, options.steps)
            print(
                f"{robot.name:<8} {mode:<6} detection {1e6 * detection:7.1f} us  step {1e6 * step:7.1f} us", flush=True
            )
    for name, cloud in clouds().items():
        began = time.process_time()
        hull = ConvexHull(cloud).hull
        print(f"{name} of {len(hull.vertices)} corners: {time.process_time() - began:.3f} s", flush=True)


if __name__ == "__main__":
    main()
