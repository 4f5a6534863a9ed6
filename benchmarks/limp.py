"""Every robot of example-robot-data dropped limp, with self-collision: python -m benchmarks.limp [--only TEXT].

Prints for each robot how far its energy rises above its start, how far it ever rises if what position correction puts
in is taken away, the largest contact impulse, the share of steps whose solve did not converge, and where it diverged.
What is put in is what each step lacks at its end if it is taken without correcting positions.
"""

from __future__ import annotations

import argparse
import sys
import time
import warnings
from collections.abc import Iterator
from pathlib import Path

import numpy as np

import rbdyn
from rbdyn import io
from rbdyn.errors import DivergenceError, Error, InactiveFeatureWarning

HEIGHT = 1.5  # [m] of a floating base at the start


def robot_files() -> Iterator[Path]:
    """The URDF files of the package example-robot-data."""
    for folder in sys.path:
        root = Path(folder) / "cmeel.prefix/share/example-robot-data/robots"
        if root.is_dir():
            yield from sorted(root.rglob("*.urdf"))
            return


def dropped(model: rbdyn.Mechanism, dt: float, seed: int) -> tuple[rbdyn.World, rbdyn.ArticulatedSystem]:
    """A World with the robot above the ground: in its neutral configuration for seed 0, else in a random one."""
    world = rbdyn.World(dt)
    world.add_ground()
    robot = world.add_articulated_system(model)
    q = robot.model.random(seed) if seed else robot.model.neutral()
    if robot.model.floating_base:
        q[:3] = 0.0, 0.0, HEIGHT
    robot.set_state(q, np.zeros(robot.nv))
    return world, robot


def energy_of(robot: rbdyn.ArticulatedSystem) -> float:
    """Kinetic and potential energy [J]."""
    return rbdyn.kinetic_energy(robot.state) + rbdyn.potential_energy(robot.state)


def unpushed_energy(world: rbdyn.World, robot: rbdyn.ArticulatedSystem) -> float:
    """Energy of the robot after a step that starts as the next one, and corrects no positions [J]."""
    start = world.snapshot()
    world.set_erp(0.0, 0.0)
    world.step()
    energy = energy_of(robot)
    world.restore(start)
    return energy


def drop(file: Path, dt: float, duration: float, seed: int) -> str:
    """One line of the table; seed 0 starts from the neutral configuration, others from a random one."""
    model = io.load_urdf(file)
    world, robot = dropped(model, dt, seed)
    start = energy_of(robot)
    rise, gain, pushed, low, impulse, unconverged, end = 0.0, 0.0, 0.0, start, 0.0, 0, ""
    spent, steps = 0.0, round(duration / dt)
    for _ in range(steps):
        try:
            unpushed = unpushed_energy(world, robot)
            began = time.process_time()
            world.step()
            spent += time.process_time() - began
        except DivergenceError:
            end = f"diverged at {world.time:.3f} s"
            break
        energy = energy_of(robot)
        pushed += energy - unpushed
        rise, low = max(rise, energy - start), min(low, energy - pushed)
        gain = max(gain, energy - pushed - low)
        impulse = max([impulse, *(float(np.linalg.norm(c.impulse)) for c in world.contacts)])
        unconverged += not world.contact.converged
    share, cost = 100 * unconverged / steps, 1e6 * spent / steps
    return f"{rise:10.3g} J {gain:10.3g} J unexplained {impulse:10.3g} N s {share:6.1f} % {cost:8.0f} us  {end}"


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.limp", description=__doc__)
    parser.add_argument("--dt", type=float, default=2.5e-3, help="time step [s]")
    parser.add_argument("--duration", type=float, default=1.0, help="of each drop [s]")
    parser.add_argument("--seeds", type=int, default=1, help="starts of each robot")
    parser.add_argument("--only", default="", help="files whose path holds this text")
    options = parser.parse_args()
    warnings.simplefilter("ignore", InactiveFeatureWarning)
    for file in robot_files():
        if options.only not in str(file):
            continue
        for seed in range(options.seeds):
            try:
                line = drop(file, options.dt, options.duration, seed)
            except Error as error:
                line = f"not added: {str(error)[:60]}"
            print(f"{file.name:<36} seed {seed} {line}", flush=True)


if __name__ == "__main__":
    main()
