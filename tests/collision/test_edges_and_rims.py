"""Edges that cross edges and rims: depth and normal in closed form, and no shorter push off thin shapes."""

import itertools

import numpy as np
import pytest
from collision_scenes import contacts, least_overlap, overlap, pose, turn

from rbdyn.collision import Box, Cone, ConvexHull, Cylinder, NativeBackend
from rbdyn.testing import conformance

LENGTH, SIDE = 1.0, 0.1  # [m] of rods
TOP = SIDE / np.sqrt(2.0)  # [m] of a rod that lies on an edge, above its axis
DEPTHS = (1e-9, 1e-6, 1e-4, 1e-3, 1e-2)  # [m]


def rod(hull):
    """A square rod along x, as a box or as the hull of its corners."""
    half = 0.5 * np.array((LENGTH, SIDE, SIDE))
    corners = np.array(list(itertools.product((-1, 1), repeat=3))) * half
    return ConvexHull(corners) if hull else Box(tuple(2.0 * half))


def look(a, X, b, Y, depth):
    """The one contact has this depth, and its normal points up into a; so it is with the shapes in the other order."""
    for parts, up in ((((a, X), (b, Y)), 1.0), (((b, Y), (a, X)), -1.0)):
        found = contacts(NativeBackend(), *parts)
        assert len(found) == 1
        assert found["depth"][0] == pytest.approx(depth, abs=1e-12 + 1e-9 * depth)
        np.testing.assert_allclose(found["normal"][0], (0.0, 0.0, up), atol=1e-7)


@pytest.mark.parametrize("hulls", list(itertools.product((False, True), repeat=2)))
@pytest.mark.parametrize("depth", DEPTHS)
def test_edges_of_rods_that_cross(depth, hulls, seed):
    """Two rods on edge, one across the other at 30 to 150 degrees: the push is straight up, by how deep they cross."""
    rng = np.random.default_rng(seed)
    for _ in range(5):
        across = rng.uniform(np.pi / 6, 5 * np.pi / 6)
        at, there = rng.uniform(-0.3, 0.3, 2) * LENGTH  # where they cross, along each
        R = turn(2, across) @ turn(0, np.pi / 4)
        upper = pose(*(at * np.array((1.0, 0.0, 0.0)) - there * R[:, 0] + (0.0, 0.0, 2.0 * TOP - depth)), R)
        look(rod(hulls[0]), upper, rod(hulls[1]), pose(0, 0, 0, turn(0, np.pi / 4)), depth)


@pytest.mark.parametrize("hull", [False, True])
@pytest.mark.parametrize("shape", [Cylinder(0.2, 0.3), Cone(0.2, 0.3)], ids=["cylinder", "cone"])
@pytest.mark.parametrize("depth", DEPTHS)
def test_a_rim_on_the_edge_of_a_rod(depth, shape, hull, seed):
    """A tilted rim, lowest where it crosses a rod on edge: the least push over all directions, and that is up."""
    rng, up = np.random.default_rng(seed), np.array([[0.0, 0.0, 1.0]])
    for _ in range(5):
        R = turn(1, rng.uniform(0.4, 0.9))  # about y: the lowest point of the rim has the tangent y
        low = -0.5 * shape.height * R[:, 2] + shape.radius * R[:, 0]
        Y = pose(*(low + (rng.uniform(-0.3, 0.3) * LENGTH, 0.0, depth - TOP)), turn(0, np.pi / 4))
        look(shape, pose(0, 0, 0, R), rod(hull), Y, depth)
        if isinstance(shape, Cylinder) and not hull:
            assert overlap(shape, pose(0, 0, 0, R), rod(hull), Y, up)[0] == pytest.approx(depth, abs=1e-15)
            assert least_overlap(shape, pose(0, 0, 0, R), rod(hull), Y)[0] > depth - 1e-15


def test_no_push_off_thin_shapes_is_shorter(seed):
    """Plates, rods, discs and wires at random poses, up to right through each other, beside the definition."""
    cloud = np.random.default_rng(5).normal(size=(12, 3))
    shapes = {
        "plate": Box((0.4, 0.3, 0.02)),
        "rod": Box((0.02, 0.03, 0.5)),
        "disc": Cylinder(0.2, 0.015),
        "wire": Cylinder(0.012, 0.5),
        "shard": ConvexHull(cloud / np.linalg.norm(cloud, axis=1)[:, None] * (0.2, 0.15, 0.01)),
    }
    for report in conformance(NativeBackend(), shapes, poses=8, seed=seed):
        assert report.missed == report.phantom == report.invalid == 0, report.pair
        if len(report.depth_error):
            assert np.abs(report.depth_error).max() < 0.02 and report.push_excess.max() < 0.02, report.pair
