"""Hulls of many points: their faces in closed form, and signals that come while Qhull works."""

import threading

import numpy as np
import pytest
import scipy.spatial
from interrupting import interrupted_after

from rbdyn.collision import ConvexHull
from rbdyn.collision.shapes.quickhull import APART, quickhull
from rbdyn.io.meshes import convex_hull


def globe(bands, sides):
    """Points of a sphere on circles of latitude, no poles."""
    theta = np.pi * (np.arange(bands + 1) + 0.5) / (bands + 1)
    phi = 2.0 * np.pi * np.arange(sides) / sides
    out = np.sin(theta)[:, None]
    rings = [out * np.cos(phi), out * np.sin(phi), np.broadcast_to(np.cos(theta)[:, None], (bands + 1, sides))]
    return np.stack(rings, axis=-1).reshape(-1, 3)


@pytest.mark.parametrize(("bands", "sides"), [(5, 7), (40, 30), (60, 50)])
def test_faces_of_a_globe(bands, sides):
    """Between circles of latitude there are trapezia, and the two caps are polygons: each face once, and all around."""
    points = globe(bands, sides)
    hull = ConvexHull(points).hull
    sizes = np.diff(hull.start)
    assert len(hull.vertices) == len(points)
    assert sorted(sizes) == [4] * (bands * sides) + [sides] * 2
    for k in np.linspace(0, len(sizes) - 1, 50).astype(int):
        ring = hull.vertices[hull.corner[hull.start[k] : hull.start[k + 1]]]
        normal = hull.normals[k]
        sides_of = np.roll(ring, -1, axis=0) - ring
        turns = np.cross(sides_of, np.roll(sides_of, -1, axis=0)) @ normal
        assert (turns > 0.0).all()
        assert np.ptp(ring @ normal) < 1e-12
        assert (hull.vertices @ normal <= (ring @ normal).max() + 1e-12).all()


def test_a_large_cloud_has_the_hull_of_its_corners():
    """Points within a cube of which eight are its corners, more than Qhull gets without a thread."""
    rng = np.random.default_rng(0)
    corners = np.array([(x, y, z) for x in (-1.0, 1.0) for y in (-1.0, 1.0) for z in (-1.0, 1.0)])
    cloud = rng.permutation(np.concatenate([corners, rng.uniform(-0.9, 0.9, (APART, 3))]))
    vertices, faces = convex_hull(cloud)
    assert sorted(vertices.tolist()) == sorted(corners.tolist())
    assert len(faces) == 12
    assert len(ConvexHull(cloud).hull.normals) == 6


def test_what_qhull_says_comes_out_of_its_thread():
    flat = np.random.default_rng(0).normal(size=(APART, 3)) * (1.0, 1.0, 0.0)
    with pytest.raises(scipy.spatial.QhullError):
        quickhull(flat)


def test_a_signal_does_not_wait_for_qhull(monkeypatch):
    """A Qhull that does not come back holds no interrupt up."""
    go_on, began = threading.Event(), threading.Event()

    def endless(points):
        began.set()
        assert go_on.wait(60)

    monkeypatch.setattr(scipy.spatial, "ConvexHull", endless)
    try:
        assert interrupted_after(lambda: ConvexHull(np.random.default_rng(1).normal(size=(APART, 3))).hull, 0.05)
        assert began.is_set()
        assert not go_on.is_set()
    finally:
        go_on.set()
    for thread in threading.enumerate():
        if thread.name == "quickhull":
            thread.join(60)
