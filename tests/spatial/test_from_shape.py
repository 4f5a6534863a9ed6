"""Inertia of shapes of uniform density: closed forms, and sums over many points."""

import math

import numpy as np
import pytest

import rbdyn
from rbdyn.collision import Box, Capsule, Compound, Cone, ConvexHull, Cylinder, Ellipsoid, HalfSpace, Mesh, Sphere
from rbdyn.errors import Error
from rbdyn.spatial.rotations import random_rotation

ASIDE = np.array([[0, 0, 1, 0.3], [1, 0, 0, -0.2], [0, 1, 0, 0.1], [0, 0, 0, 1.0]])
CUBE = np.array([[x, y, z] for x in (0, 1) for y in (0, 1) for z in (0, 1)], dtype=float)
INSIDE = {
    Sphere(0.7): lambda p: (p**2).sum(axis=1) < 0.49,
    Box((1.0, 0.6, 1.4)): lambda p: (np.abs(p) < (0.5, 0.3, 0.7)).all(axis=1),
    Cylinder(0.5, 1.2): lambda p: ((p[:, :2] ** 2).sum(axis=1) < 0.25) & (np.abs(p[:, 2]) < 0.6),
    Capsule(0.3, 0.8): lambda p: (p[:, :2] ** 2).sum(axis=1) + np.maximum(np.abs(p[:, 2]) - 0.4, 0.0) ** 2 < 0.09,
    Ellipsoid((0.4, 0.5, 0.7)): lambda p: ((p / (0.4, 0.5, 0.7)) ** 2).sum(axis=1) < 1.0,
    Cone(0.6, 1.2): lambda p: (np.hypot(p[:, 0], p[:, 1]) < 0.5 * (0.6 - p[:, 2])) & (p[:, 2] > -0.6),
    Compound([(Cone(0.3, 0.8), ASIDE), (Box((0.2, 0.4, 0.3)), np.eye(4) - 0.5 * np.eye(4, k=3))]):
        lambda p: ((np.hypot(p[:, 1] + 0.2, p[:, 2] - 0.1) < 0.375 * (0.4 - (p[:, 0] - 0.3))) & (p[:, 0] > -0.1))
        | (np.abs(p - (-0.5, 0.0, 0.0)) < (0.1, 0.2, 0.15)).all(axis=1),
    ConvexHull([[0, 0, 0], [0.7, 0, 0], [0, 0.6, 0], [0, 0, 0.5]]):
        lambda p: (p > 0.0).all(axis=1) & (p @ (1 / 0.7, 1 / 0.6, 1 / 0.5) < 1.0),
}  # fmt: skip


@pytest.mark.parametrize("shape", INSIDE, ids=lambda shape: shape.kind)
def test_against_points_inside(shape):
    side = (np.arange(140) + 0.5) / 140 * 1.6 - 0.8
    points = np.stack(np.meshgrid(side, side, side), axis=-1).reshape(-1, 3)
    points = points[INSIDE[shape](points)]
    volume = len(points) * (1.6 / 140) ** 3
    found = rbdyn.SpatialInertia.from_shape(shape, density=50.0)
    assert found.mass == pytest.approx(50.0 * volume, rel=0.02)
    center = points.mean(axis=0)
    np.testing.assert_allclose(found.com, center, atol=5e-3)
    r = points - center
    J = 50.0 * (1.6 / 140) ** 3 * ((r**2).sum() * np.eye(3) - r.T @ r)
    np.testing.assert_allclose(found.inertia, J, atol=0.03 * J.max())
    assert found.defect() == ""
    assert rbdyn.SpatialInertia.from_shape(shape, mass=2.0).mass == 2.0


def test_hulls_and_meshes_are_exact_wherever_they_are():
    rng = np.random.default_rng(2)
    R, p = random_rotation(rng), np.array([10.0, -20.0, 5.0])
    corners = CUBE * (1.0, 2.0, 3.0) @ R.T + p
    hull = ConvexHull(corners)
    mesh = Mesh(hull.hull.vertices, hull.hull.triangles)
    box = R @ (600.0 / 12.0 * np.diag([13.0, 10.0, 5.0])) @ R.T
    for shape in (hull, mesh):
        found = rbdyn.SpatialInertia.from_shape(shape, density=100.0)
        assert found.mass == pytest.approx(600.0, rel=1e-12)
        np.testing.assert_allclose(found.com, R @ (0.5, 1.0, 1.5) + p, rtol=1e-12)
        np.testing.assert_allclose(found.inertia, box, rtol=1e-9, atol=1e-9)
    assert Sphere(1.0).volume == pytest.approx(4.0 / 3.0 * math.pi)


def test_what_has_no_volume_is_refused():
    hull = ConvexHull(CUBE).hull
    opened = Mesh(hull.vertices, hull.triangles[1:])
    inside_out = Mesh(hull.vertices, hull.triangles[:, ::-1])
    wrong = {opened: "not closed", inside_out: "counter-clockwise", HalfSpace(): "no volume", 3: "shape"}
    for shape, text in wrong.items():
        with pytest.raises(Error, match=text):
            rbdyn.SpatialInertia.from_shape(shape, density=1.0)
    for numbers in ({}, {"mass": 1.0, "density": 1.0}, {"mass": -1.0}, {"density": np.nan}):
        with pytest.raises(Error, match="mass|density"):
            rbdyn.SpatialInertia.from_shape(Sphere(1.0), **numbers)
