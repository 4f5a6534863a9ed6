"""The scripted trot of examples/: on a plane, a flat map, fractal terrain, and on terrain that changes underneath."""

import importlib.util
from pathlib import Path

import numpy as np
import pytest

import rbdyn
from rbdyn import models
from rbdyn.collision import HeightMap, Sphere

FILE = Path(__file__).resolve().parents[2] / "examples" / "trot_over_terrain.py"
spec = importlib.util.spec_from_file_location("trot_over_terrain", FILE)
example = importlib.util.module_from_spec(spec)
spec.loader.exec_module(example)

DT = 0.002


def rough():
    made = HeightMap.fractal((61, 61), (12.0, 12.0), z_scale=0.12, frequency=0.4, octaves=5, seed=4)
    return HeightMap(made.heights - made.height(0.0, 0.0), made.size)


class Walk:
    """The quadruped on a map, or the plane."""

    def __init__(self, terrain=None):
        self.world, self.map = rbdyn.World(DT), terrain
        self.ground = self.world.add_ground() if terrain is None else self.world.add_height_map(terrain)
        self.robot = self.world.add_articulated_system(models.quadruped())
        self.robot.set_state(models.QUADRUPED_STANCE.q + np.eye(self.robot.nq)[2] * 0.03)
        self.robot.set_pd_gains(p=300.0, d=8.0)
        self.trot = example.Trot(self.robot)
        self.balls = [shape for shape in self.robot.geometries if isinstance(shape.shape, Sphere)]
        self.below, self.heights = -np.inf, []

    def tick(self):
        self.trot.update(self.world.time)
        for _ in range(4):
            self.world.step()
            p = np.array([ball.pose[:3, 3] for ball in self.balls])
            ground = self.map.height(p[:, 0], p[:, 1]) if self.map else np.zeros(4)
            up = self.map.normal(p[:, 0], p[:, 1])[:, 2] if self.map else np.ones(4)
            self.below = max(self.below, float((0.03 - (p[:, 2] - ground) * up).max()))
        x, y, z = self.robot.base_position
        self.heights.append((z, z - float(self.map.height(x, y)) if self.map else z))

    def go(self, seconds):
        for _ in range(round(seconds / (4 * DT))):
            self.tick()
        return self


def test_a_flat_map_is_a_plane_to_a_robot_that_trots():
    """No foot catches on an edge between tiles: after 2 s, 8 strides, the trunk is where it is on the plane."""
    plane, flat = Walk().go(2.0), Walk(HeightMap(np.zeros((61, 63)), (12.0, 12.0))).go(2.0)
    np.testing.assert_allclose(flat.robot.base_position, plane.robot.base_position, atol=1e-9)
    assert plane.robot.base_position[0] > 0.4 and max(plane.below, flat.below) < 1e-6


def test_it_trots_over_fractal_terrain():
    """No foot is in the ground by more than 0.3 mm; the trunk rises and falls with the ground, upright, ahead."""
    walk = Walk(rough()).go(5.0)
    z, over = np.array(walk.heights)[60:].T
    assert walk.robot.base_position[0] > 0.8
    assert over.min() > 0.47 and over.max() < 0.56
    assert np.ptp(z) > 1.3 * np.ptp(over)                      # the ground goes up and down by more than the gait does
    assert walk.robot.body_pose("base")[2, 2] > np.cos(np.radians(20.0))
    assert walk.below < 3e-4


@pytest.mark.parametrize("stream", [0, 1])
def test_it_trots_on_while_the_ground_is_changed_under_its_feet(stream):
    """Ten times a second a patch around it goes up or down by up to 4 mm: a foot is in it by no more than that."""
    rng, walk = np.random.default_rng(stream), Walk(rough())
    for k in range(375):
        if k % 13 == 0:
            i, j = (round((c / 12.0 + 0.5) * 60) for c in walk.robot.base_position[1::-1])
            rise = np.outer(np.hanning(11), np.hanning(11)) * rng.uniform(-0.004, 0.004)
            walk.map = walk.map.patched(walk.map.heights[i - 5 : i + 6, j - 5 : j + 6] + rise, i - 5, j - 5)
            walk.ground.set_geometry(0, shape=walk.map)
        walk.tick()
    assert walk.robot.base_position[0] > 0.4
    assert np.array(walk.heights)[60:, 1].min() > 0.45
    assert walk.robot.body_pose("base")[2, 2] > np.cos(np.radians(20.0))
    assert 3e-4 < walk.below < 5e-3
    assert not np.array_equal(walk.map.heights, rough().heights)
