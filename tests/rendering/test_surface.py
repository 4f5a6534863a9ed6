"""Shapes as triangles with normals."""

import gc

import numpy as np
import pytest

from rbdyn.collision import Box, Capsule, Cone, ConvexHull, Cylinder, Ellipsoid, HalfSpace, HeightMap, Mesh, Sphere
from rbdyn.errors import CollisionError
from rbdyn.rendering.surface import triangles

CLOSED = [
    Sphere(0.7),
    Box((1.0, 2.0, 3.0)),
    Capsule(0.3, 1.0),
    Cylinder(0.5, 2.0),
    Cone(0.5, 2.0),
    Ellipsoid((0.3, 0.5, 0.9)),
    ConvexHull(np.random.default_rng(1).normal(size=(40, 3))),
]


@pytest.mark.parametrize("shape", CLOSED, ids=lambda s: s.kind)
def test_triangles_enclose_the_volume_and_normals_point_out(shape):
    s = triangles(shape, 128)
    a, b, c = (s.vertices[s.faces[:, k]] for k in range(3))
    volume = np.einsum("ij,ij->i", a, np.cross(b, c)).sum() / 6
    assert volume == pytest.approx(shape.volume, rel=3e-3)
    assert np.abs(np.linalg.norm(s.normals, axis=1) - 1).max() < 1e-12
    flat = np.cross(b - a, c - a)
    flat /= np.linalg.norm(flat, axis=1)[:, None]
    for k in range(3):
        assert ((s.normals[s.faces[:, k]] * flat).sum(axis=1) > np.cos(np.radians(35))).all()


def test_round_is_smooth_and_edges_are_sharp():
    ball = triangles(Sphere(2.0), 32)
    assert np.abs(ball.normals - ball.vertices / 2.0).max() < 0.02
    box = triangles(Box((1.0, 2.0, 3.0)))
    assert len(box.vertices) == 24 and np.array_equal(np.abs(box.normals).max(axis=1), np.ones(24))
    tube = triangles(Cylinder(1.0, 2.0), 32)
    round_ = np.abs(tube.normals[:, 2]) < 0.5
    radial = tube.vertices[round_] * (1.0, 1.0, 0.0)
    assert np.abs(tube.normals[round_] - radial).max() < 1e-3 and round_.sum() == 64
    assert np.array_equal(np.abs(tube.normals[~round_, 2]), np.ones((~round_).sum()))


def test_normals_of_terrain_are_those_of_its_slope():
    x, y = np.meshgrid(np.linspace(0, 1, 5), np.linspace(0, 2, 7))
    s = triangles(HeightMap(0.3 * x - 0.4 * y, (1.0, 2.0)))
    assert np.abs(s.normals - np.array([-0.3, 0.4, 1.0]) / np.sqrt(1.25)).max() < 1e-12


def test_triangles_of_no_area_are_left_out():
    s = triangles(Mesh([[0, 0, 0], [1, 0, 0], [0, 1, 0], [2, 0, 0]], [[0, 1, 2], [0, 1, 3]]))
    assert len(s.faces) == 1 and np.array_equal(s.normals, np.tile((0.0, 0.0, 1.0), (3, 1)))


def test_equal_shapes_share_their_triangles_while_one_lives():
    one, other = Sphere(0.123), Sphere(0.123)
    assert triangles(one) is triangles(other) and triangles(one, 16) is not triangles(one)
    del one
    gc.collect()
    assert triangles(Sphere(0.123)) is triangles(other)
    with pytest.raises(ValueError, match="read-only"):
        triangles(other).vertices[0] = 0.0


@pytest.mark.parametrize("shape, sides", [(HalfSpace(), 32), (Sphere(1.0), 3), ("ball", 32)])
def test_bad_input(shape, sides):
    with pytest.raises(CollisionError):
        triangles(shape, sides)
