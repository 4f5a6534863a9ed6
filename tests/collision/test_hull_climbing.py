"""Climbs along edges and lists of faces: the answers of a scan of all corners and faces, to the last bit."""

import importlib.metadata

import numpy as np
import pytest
from collision_scenes import rotation

from rbdyn.collision import ConvexHull
from rbdyn.collision.shapes.climbing import ask_hull, list_below
from rbdyn.errors import CollisionError, MeshError


def ball(rng, n):
    x = rng.normal(size=(n, 3))
    return x / np.linalg.norm(x, axis=1, keepdims=True)


def globe(bands, sides):
    """Points on circles of latitude: trapezia between them, polygons of `sides` corners as caps."""
    theta = np.pi * (np.arange(bands + 1) + 0.5) / (bands + 1)
    phi = 2.0 * np.pi * np.arange(sides) / sides
    out = np.sin(theta)[:, None]
    rings = [out * np.cos(phi), out * np.sin(phi), np.broadcast_to(np.cos(theta)[:, None], (bands + 1, sides))]
    return np.stack(rings, axis=-1).reshape(-1, 3)


def bulging_cube(n, bulge):
    """Points on the surface of a cube, nearly in one line and in one plane: moved out to a ball by a share `bulge`."""
    x = np.stack(np.meshgrid(*[np.linspace(-1.0, 1.0, n)] * 3), -1).reshape(-1, 3)
    x = x[(np.abs(x) == 1.0).any(axis=1)]
    return (1.0 - bulge) * x + bulge * 2.0 * x / np.linalg.norm(x, axis=1, keepdims=True)


CLOUDS = {
    "ball": lambda rng: ball(rng, 500),
    "large ball": lambda rng: ball(rng, 8192),
    "cylinder": lambda rng: globe(1, 300) @ rotation(rng).T + rng.normal(size=3),
    "cylinder along z": lambda rng: globe(1, 300),
    "bulging cube": lambda rng: bulging_cube(9, 10.0 ** -rng.integers(5, 12)),
    "turned bulging cube": lambda rng: bulging_cube(9, 10.0 ** -rng.integers(5, 12)) @ rotation(rng).T + 3.0,
    "rounded ball": lambda rng: np.round(20.0 * ball(rng, 3000)) / 20.0,
    "noisy globe": lambda rng: globe(15, 40) + 10.0 ** -rng.integers(6, 17) * rng.normal(size=(640, 3)),
    "plate": lambda rng: globe(15, 40) * (1.0, 1.0, 1e-5) @ rotation(rng).T,
    "needle": lambda rng: globe(15, 40) * (1.0, 1e-4, 1e-4) @ rotation(rng).T,
    "far away": lambda rng: 1e-3 * globe(15, 40) + 1e3,
    "corners twice": lambda rng: np.concatenate([ball(rng, 300)] * 2) * (1.0 + 1e-15 * rng.integers(0, 2, (600, 1))),
    "nearly flat dome": lambda rng: ball(rng, 2000) * (1.0, 1.0, 1e-3),
}


def directions(rng, hull):
    """Axes, and 10,000 of normals, edges, what is at right angles to edges, those with noise, and any others."""
    a, b, c = (hull.vertices[hull.triangles[:, k]] for k in range(3))
    some = rng.permutation(len(a))[:2000]
    across = np.cross((b - a)[some], rng.normal(size=(len(some), 3)))
    axes = np.concatenate([np.eye(3), -np.eye(3), [[1.0, -1.0, 0.0]]])
    exact = np.concatenate([hull.normals, (c - b)[some], across, axes])
    exact = exact[np.linalg.norm(exact, axis=1) > 0.0]
    exact /= np.linalg.norm(exact, axis=1, keepdims=True)
    noisy = [exact + 10.0**-power * rng.normal(size=exact.shape) for power in (3, 6, 9, 12, 15)]
    halved = rng.normal(size=(3000, 3)) * rng.integers(0, 2, (3000, 3))
    every = np.concatenate([exact, *noisy, rng.normal(size=(20_000, 3)), halved])
    every = np.concatenate([axes, rng.permutation(every)[:10_000]])
    length = np.linalg.norm(every, axis=1, keepdims=True)
    return np.ascontiguousarray(np.divide(every, length, out=every, where=length > 0.0))


def check_answers(hull, ways):
    packed = hull.data().packed()
    np.testing.assert_array_equal(ask_hull(packed, ways, False), ask_hull(packed, ways, True))


@pytest.mark.parametrize("cloud", CLOUDS)
def test_corners_and_faces_are_those_of_a_scan(cloud, seed):
    rng = np.random.default_rng(seed)
    hull = ConvexHull(CLOUDS[cloud](rng))
    assert len(hull.hull.entry) > 0
    check_answers(hull, directions(rng, hull.hull))


@pytest.mark.parametrize("scale", [0.0, 5e-324, 1e-320, 1e-300, 1e-160, 1e-20, 1e20, 1e160, 1e290, np.inf, np.nan])
def test_directions_of_any_length(scale):
    rng = np.random.default_rng(0)
    hull = ConvexHull(globe(15, 40))
    with np.errstate(invalid="ignore"):
        check_answers(hull, scale * directions(rng, hull.hull)[::7])


@pytest.mark.parametrize("size", [1e-30, 1e-12, 1e12, 1e30])
def test_hulls_of_any_size(size):
    rng = np.random.default_rng(0)
    hull = ConvexHull(size * ball(rng, 300))
    check_answers(hull, directions(rng, hull.hull))


@pytest.mark.parametrize("cloud", CLOUDS)
def test_listed_corners_hold_all_below_a_margin(cloud, seed):
    """Those of a scan are among them, ascending; where there are many, none are listed."""
    rng = np.random.default_rng(seed)
    hull = ConvexHull(CLOUDS[cloud](rng))
    packed, x = hull.data().packed(), hull.hull.vertices
    size, listed = np.ptp(x, axis=0).max(), 0
    for way in directions(rng, hull.hull)[::20]:
        heights = x @ way
        for margin in (0.0, 1e-6 * size, 1e-3 * size, 0.1 * size):
            found = list_below(packed, way, -float(heights.min()), margin)
            if found is not None:
                listed += 1
                assert (np.diff(found) > 0).all()
                assert set(np.flatnonzero(heights - heights.min() < margin)) <= set(found.tolist())
    assert listed > 100


def mesh_files():
    try:
        files = importlib.metadata.files("example-robot-data") or []
    except importlib.metadata.PackageNotFoundError:
        return []
    return [str(f.locate()) for f in files if f.suffix.lower() in (".stl", ".obj")]


@pytest.mark.skipif(not mesh_files(), reason="example-robot-data is not installed")
def test_hulls_of_robots(seed):
    from rbdyn.io.meshes import load_mesh

    rng = np.random.default_rng(seed)
    climbed = 0
    for file in rng.permutation(mesh_files())[:20]:
        try:
            hull = load_mesh(file).convex_hull()
            ways = directions(rng, hull.hull)
        except (CollisionError, MeshError):
            continue
        check_answers(hull, ways)
        climbed += len(hull.hull.entry) > 0
    assert climbed >= 5
