"""Two robots trot over fractal terrain for 20 s: how they fare, and whether a foot falls through or catches.

    python -m benchmarks.trot [seconds]

The bundled quadruped, and ANYmal-C of example-robot-data; on a plane, a flat map, fractal terrain, and on terrain that
is changed under them ten times a second.  `below` is how deep the lowest point of a foot's ball is in the ground at
worst, beside the 1 mm and the way of a step that it may be.
"""

from __future__ import annotations

import importlib.util
import sys
import time
from pathlib import Path

import numpy as np

import rbdyn
from benchmarks.scenes.in_rbdyn import anymal_start
from rbdyn import models
from rbdyn.collision import HeightMap, Sphere

DT = 0.002


def example():
    """The module examples/trot_over_terrain.py."""
    path = Path(__file__).resolve().parents[1] / "examples" / "trot_over_terrain.py"
    spec = importlib.util.spec_from_file_location("trot_over_terrain", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def quadruped(world):
    """The bundled one, 5 cm above where it stands."""
    robot = world.add_articulated_system(models.quadruped())
    robot.set_state(models.QUADRUPED_STANCE.q + np.eye(robot.nq)[2] * 0.05)
    robot.set_pd_gains(p=300.0, d=8.0)
    return robot


def anymal_c(world):
    """ANYmal-C, likewise."""
    model, q = anymal_start()
    robot = world.add_articulated_system(model.mechanism)
    robot.set_state(q + np.eye(robot.nq)[2] * 0.05)
    robot.set_pd_gains(p=400.0, d=10.0)
    return robot


def fractal(seed=2):
    """20 m by 20 m, 20 cm cells, 12 cm of height; the middle at 0."""
    made = HeightMap.fractal((101, 101), (20.0, 20.0), z_scale=0.12, frequency=0.25, octaves=5, seed=seed)
    return HeightMap(made.heights - made.height(0.0, 0.0), made.size)


class Walk:
    """One robot on one ground, and what is watched of it.

    Parameters
    ----------
    make : callable
        Adds the robot to a World.
    ground : {"plane", "flat", "fractal", "changing"}
        What it walks on.
    """

    def __init__(self, make, ground):
        self.world = rbdyn.World(DT)
        self.rng = np.random.default_rng(0)
        self.map = (
            None
            if ground == "plane"
            else fractal()
            if ground in ("fractal", "changing")
            else HeightMap(np.zeros((101, 101)), (20.0, 20.0))
        )
        self.ground = self.world.add_ground() if self.map is None else self.world.add_height_map(self.map)
        self.changing = ground == "changing"
        self.robot = make(self.world)
        self.trot = example().Trot(self.robot)
        self.balls = [shape for shape in self.robot.geometries if isinstance(shape.shape, Sphere)]
        self.low, self.tilt, self.below, self.path = np.inf, 0.0, -np.inf, []

    def height(self, x, y):
        return 0.0 if self.map is None else float(self.map.height(x, y))

    def change(self):
        """A patch of 2 m around the robot goes up or down by up to 4 mm, smoothly."""
        i, j = (round((c / 20.0 + 0.5) * 100) for c in self.robot.base_position[1::-1])
        part = self.map.heights[i - 5 : i + 6, j - 5 : j + 6]
        shape = np.outer(np.hanning(11), np.hanning(11)) * self.rng.uniform(-0.004, 0.004)
        self.map = self.map.patched(part + shape, i - 5, j - 5)
        self.ground.set_geometry(0, shape=self.map)

    def step(self):
        """A tick of control, four steps."""
        self.trot.update(self.world.time)
        if self.changing and round(self.world.time / DT) % 52 == 0:
            self.change()
        for _ in range(4):
            self.world.step()
            for ball in self.balls:
                p = ball.pose[:3, 3]
                n = (0.0, 0.0, 1.0) if self.map is None else self.map.normal(p[0], p[1])
                gap = (p[2] - self.height(p[0], p[1])) * n[2] - ball.shape.radius
                self.below = max(self.below, -gap)
        x, y, z = self.robot.base_position
        self.low = min(self.low, z - self.height(x, y))
        up = self.robot.body_pose(self.robot.body_names[0])[2, 2]
        self.tilt = max(self.tilt, float(np.degrees(np.arccos(min(up, 1.0)))))
        self.path.append((x, y, z))


def main(seconds=20.0):
    for make in (quadruped, anymal_c):
        for ground in ("plane", "flat", "fractal", "changing"):
            walk = Walk(make, ground)
            start = time.process_time()
            for _ in range(round(seconds / 0.008)):
                walk.step()
            spent = time.process_time() - start
            x, y, _ = walk.robot.base_position
            print(f"{make.__name__:10s} {ground:9s} {x:6.2f} m ahead, {y:5.2f} m aside; trunk {walk.low:.3f} m over "
                  f"ground at least, tilt {walk.tilt:4.1f} degrees at most; below {1e3 * walk.below:6.3f} mm; "
                  f"{1e3 * spent / seconds * DT:.2f} ms a step with control", flush=True)  # fmt: skip


if __name__ == "__main__":
    main(*(float(a) for a in sys.argv[1:]))
