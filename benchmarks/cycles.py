"""Memory over many cycles of edits, docks and cuts, objects added and removed, snapshots taken and put back.

Each cycle edits masses, joints and shapes, docks two robots and cuts them apart, adds objects and removes them, and
goes back to a snapshot, through a dock and a cut.  Resident memory and the number of objects that Python tracks are
sampled after a warm-up.  They must not grow.

    python -m benchmarks.cycles --cycles 100000
"""

from __future__ import annotations

import argparse
import gc
import os
import sys
import time
from pathlib import Path

import numpy as np

import rbdyn
from rbdyn import (
    Fixed,
    Floating,
    Geometry,
    Joint,
    Mechanism,
    Revolute,
    RigidBody,
    SpatialInertia,
    Transform,
    World,
    collision,
)

WARM_UP = 40_000  # cycles after which nothing grows any more: the interpreter's tables, free lists and arenas are full
SWEPT = 500  # cycles after which Python's collector runs: when it likes, it finds more or less, and pages stay
SAMPLES = 20
LEFT = 4.0  # [bytes] a cycle, in 10^5 cycles: a hundred pages, as allocators may yet take after the warm-up


def resident() -> int:
    """Resident memory of this process [bytes]; 0 where the system does not say."""
    statistics = Path("/proc/self/statm")
    return int(statistics.read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE") if statistics.exists() else 0


def tracked() -> int:
    """Objects that Python's collector knows, after it has run."""
    gc.collect()
    return len(gc.get_objects())


def module(name: str, n: int = 3) -> Mechanism:
    """A floating chain of boxes."""
    mechanism = Mechanism(RigidBody(f"{name}_root"))
    inertia = SpatialInertia(1.0, (0.0, 0.0, 0.05), 0.01 * np.eye(3))
    for k in range(n):
        body = RigidBody(f"{name}{k}", inertia, [Geometry(collision.Box((0.1, 0.1, 0.1)))])
        kind = Revolute((0, 1, 0)) if k else Floating()
        pose = Transform(translation=(0.0, 0.0, 0.15 if k else 0.0))
        mechanism.attach(mechanism.bodies[-1], body, Joint(f"{name}_joint{k}", kind), pose)
    return mechanism


class Cycles:
    """A World in which the same things happen again and again."""

    def __init__(self) -> None:
        self.world = World(1e-3)
        self.world.add_ground()
        self.robot = self.world.add_articulated_system(module("a"))
        self.other = self.world.add_articulated_system(module("b"))
        self.robot.set_base_pose((0.0, 0.0, 0.2))
        self.other.set_base_pose((0.0, 0.0, 0.65))
        self.extra = module("c", 2)
        self.done = 0

    def dock(self) -> None:
        """Two robots become one, and two again."""
        end = Transform(translation=(0.0, 0.0, 0.15))
        self.world.merge(self.robot, "a2", self.other, "b0", Joint("dock", Fixed()), end, tolerance=10.0)
        self.world.step()
        self.other = self.robot.remove_joint("dock", split=True, name="b")

    def edit(self) -> None:
        """Masses, joints and shapes change; a shape comes and goes, a hinge is held and let go."""
        size, body = 0.1 + 0.001 * (self.done % 2), self.robot.body("a1")
        body.set_inertia(mass=1.0 + size, com=(0.0, 0.0, 0.5 * size))
        self.robot.joint("a_joint1").set(damping=size, rotor_inertia=0.1 * size)
        self.robot.joint("a_joint2").placement = Transform(translation=(0.0, 0.0, 0.05 + size))
        self.robot.geometry("a1/0").shape = collision.Box((size, size, size))
        body.add_geometry(Geometry(collision.Sphere(0.06), name="knob"))
        self.world.step()
        self.robot.geometry("knob").remove()
        self.robot.weld("a_joint2")
        self.world.step()
        self.robot.unweld("a_joint2")

    def add(self) -> None:
        """A ball and a robot come, touch things, are held by a spring, and go."""
        ball = self.world.add_sphere(0.1, 1.0)
        ball.set_pose((1.0, 0.0, 0.09))
        robot = self.world.add_articulated_system(self.extra)
        self.world.add_spring((robot, "c1"), None, 20.0, 2.0)
        self.world.step()
        self.world.remove(robot)
        self.world.remove(ball)

    def go_back(self) -> None:
        """To where the World was a step, a dock and a cut ago."""
        kept, was, other = self.world.snapshot(), self.world.state_hash(), self.other
        self.dock()
        self.world.step()
        self.world.restore(kept)
        self.other = other
        if self.world.state_hash() != was:
            raise AssertionError("a restored World has another hash")

    def run(self, cycles: int) -> None:
        """So many cycles."""
        for _ in range(cycles):
            self.edit()
            self.dock()
            self.add()
            self.go_back()
            self.done += 1
            if self.done % SWEPT == 0:
                gc.collect()


def growth(cycles: int, samples: int = SAMPLES, say: bool = False) -> tuple[float, int]:
    """Bytes a cycle by which resident memory grows, and objects more at the end than at the start.

    Allocators take pages and give them back, so that single samples tell little: what leaks raises the least of the
    second half above that of the first.
    """
    here = Cycles()
    here.run(min(WARM_UP, cycles))
    before, sizes = tracked(), []
    each = max(1, cycles // samples)
    start = time.perf_counter()
    for _ in range(samples):
        here.run(each)
        gc.collect()
        sizes.append(resident())
        if say:
            passed = time.perf_counter() - start
            print(f"{here.done} cycles, {passed:.0f} s: {sizes[-1] / 2**20:.2f} MiB", flush=True)
    half = samples // 2
    slope = (min(sizes[half:]) - min(sizes[:half])) / (each * half)
    return slope, tracked() - before


def main() -> None:
    """Run the cycles; print what grew, and exit with 1 if something did."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cycles", type=int, default=100_000)
    options = parser.parse_args()
    slope, objects = growth(options.cycles, say=True)
    print(f"{options.cycles} cycles of rbdyn {rbdyn.__version__}: {slope:.3f} bytes a cycle, {objects} objects more")
    sys.exit(int(slope > LEFT or objects > 20))


if __name__ == "__main__":
    main()
