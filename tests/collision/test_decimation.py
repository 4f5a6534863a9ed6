"""Meshes that are flat in parts: vertices that their shape does not need are removed, and what is found stays."""

import numpy as np
import pytest
from collision_scenes import pose
from scipy.spatial import Delaunay
from scipy.spatial.transform import Rotation
from surfaces import flat_mesh, grid_mesh, nearest_on_triangles, ring, rough_map, triangles_of

from rbdyn.collision import Box, Capsule, ConvexHull, Cylinder, HalfSpace, Mesh, NativeBackend, Sphere, distance
from rbdyn.collision.shapes.decimation import without_flat_vertices
from rbdyn.collision.shapes.solid import solid_of
from rbdyn.collision.shapes.surface import joined
from rbdyn.spatial.unique_rows import unique_rows

RIM = 1e-4  # share of a size by which the corners that stand for a rim may miss its deepest point
SHAPES = {
    "sphere": Sphere(0.1),
    "box": Box((0.3, 0.2, 0.1)),
    "capsule": Capsule(0.05, 0.3),
    "cylinder": Cylinder(0.1, 0.2),
    "hull": ConvexHull(np.random.default_rng(3).normal(size=(20, 3)) * 0.1),
}


def plateaus(rng, slopes, n=61):
    """Rectangles of other heights, or other slopes, one over the other (n, n, 3) [m]."""
    x, y = np.meshgrid(*2 * [np.linspace(-1.0, 1.0, n)], indexing="ij")
    z = np.zeros((n, n))
    for _ in range(4):
        i, j = rng.integers(0, n - 20, 2)
        part = (slice(i, i + rng.integers(8, 40)), slice(j, j + rng.integers(8, 40)))
        a, b = rng.uniform(-0.3, 0.3, 2) if slopes else (0.0, 0.0)
        z[part] = rng.uniform(-0.1, 0.1) + a * x[part] + b * y[part]
    return x, y, z


def split_box(rng, n):
    """A box, its faces triangulated over n random points each and points along its edges, turned anyhow; closed."""
    half, vertices, faces = np.array((0.3, 0.2, 0.1)), [], []
    at = np.sort(rng.uniform(-1.0, 1.0, 7))
    one = np.ones_like(at)
    border = np.concatenate([np.c_[at, -one], np.c_[at, one], np.c_[-one, at], np.c_[one, at]])
    corners = [(a, b) for a in (-1, 1) for b in (-1, 1)]
    for axis in range(3):
        for sign in (-1.0, 1.0):
            p = np.concatenate([corners, border, rng.uniform(-0.98, 0.98, (n, 2))])
            t = Delaunay(p).simplices
            x, y = p[t[:, 1]] - p[t[:, 0]], p[t[:, 2]] - p[t[:, 0]]
            area = x[:, 0] * y[:, 1] - x[:, 1] * y[:, 0]
            t = t[np.abs(area) > 1e-12]
            area = area[np.abs(area) > 1e-12]
            t[area * sign < 0] = t[area * sign < 0][:, ::-1]
            q = np.insert(p, axis, sign, axis=1) if axis != 1 else np.c_[p[:, 1], 0 * p[:, 0] + sign, p[:, 0]]
            faces.append(t + sum(map(len, vertices)))
            vertices.append(q * half)
    place, number = unique_rows(np.concatenate(vertices) + 0.0)
    R = Rotation.random(random_state=rng).as_matrix()
    return Mesh(np.concatenate(vertices)[place] @ R.T + rng.normal(size=3), number[np.concatenate(faces)])


def area_of(vertices, faces):
    a, b, c = (vertices[faces[:, k]] for k in range(3))
    return 0.5 * np.linalg.norm(np.cross(b - a, c - a), axis=1).sum()


def decimated(mesh):
    vertices, faces = joined(mesh.vertices, mesh.faces)
    return vertices, faces, without_flat_vertices(vertices, faces)


def meshes(seed):
    rng = np.random.default_rng(seed)
    yield grid_mesh(*plateaus(rng, False))
    yield grid_mesh(*plateaus(rng, True))
    yield split_box(rng, 60)


def test_what_is_left_is_the_same_surface(seed):
    """No vertex is new, all lie on what is left, areas and volumes are equal, and what is closed stays closed."""
    for mesh in meshes(seed):
        vertices, faces, left = decimated(mesh)
        assert len(left) < 0.5 * len(faces)
        assert area_of(vertices, left) == pytest.approx(area_of(vertices, faces), rel=1e-9)
        rng = np.random.default_rng(seed)
        for p in vertices[rng.choice(np.unique(faces), 40)]:
            near = np.linalg.norm(nearest_on_triangles(vertices[left], p) - p)
            assert near < 1e-7 * np.abs(vertices).max()
    solid, whole = solid_of(vertices, left, "rest"), solid_of(vertices, faces, "mesh")
    assert solid.volume == pytest.approx(whole.volume, rel=1e-9)
    np.testing.assert_allclose(solid.inertia, whole.inertia, atol=1e-9)


def test_how_fine_flat_parts_are_does_not_matter():
    """A plate, and a box, of any number of cells become a few triangles."""
    few = [len(decimated(flat_mesh(n))[2]) for n in (11, 41, 161)]
    assert max(few) <= 8
    rng = np.random.default_rng(0)
    assert max(len(decimated(split_box(rng, n))[2]) for n in (30, 300)) <= 60


def test_what_is_not_flat_stays():
    """All triangles of a torus, and of rough ground, in their order."""
    rough = triangles_of(rough_map(0))
    for mesh in (ring(40, 20), Mesh(rough.reshape(-1, 3), np.arange(3 * len(rough)).reshape(-1, 3))):
        _, faces, left = decimated(mesh)
        assert np.array_equal(faces, left)


def test_sides_of_several_triangles_stay():
    """A third wall along the middle of a plate: the vertices on that line stay."""
    x, y = np.meshgrid(*2 * [np.linspace(-1.0, 1.0, 11)], indexing="ij")
    plate, wall = grid_mesh(x, y, 0.0 * x), grid_mesh(x[:, 5:], 0.0 * y[:, 5:], y[:, 5:])
    vertices = np.concatenate([plate.vertices, wall.vertices])
    mesh = Mesh(vertices, np.concatenate([plate.faces, wall.faces + len(plate.vertices)]))
    v, _, left = decimated(mesh)
    on_line = np.unique(left)[np.abs(v[np.unique(left)][:, 1:]).max(axis=1) < 1e-12]
    np.testing.assert_allclose(v[on_line][:, 0], np.linspace(-1.0, 1.0, 11), atol=1e-12)
    assert area_of(v, left) == pytest.approx(4.0 + 2.0)


def meet(mesh, shape, X, margin=1e-4):
    backend = NativeBackend(margin=margin)
    backend.add_shape(mesh, 0, dynamic=False)
    backend.add_shape(shape, 1)
    return backend.query([np.eye(4), X])


def single_cells(x, y, z, rng):
    """The surface with heights in no plane, by 2e-6 m: no vertex of it is removed."""
    mesh = grid_mesh(x, y, z + rng.uniform(-1e-6, 1e-6, z.shape))
    _, faces, left = decimated(mesh)
    assert len(left) > 0.98 * len(faces)
    return mesh


@pytest.mark.parametrize("slopes", [False, True], ids=["level", "slopes"])
@pytest.mark.parametrize("name", SHAPES)
def test_large_triangles_tell_what_small_ones_do(name, slopes, seed):
    """In any pose that just touches no depth is much more, and what their contacts free is free of the small ones."""
    rng, shape = np.random.default_rng(seed), SHAPES[name]
    surface = plateaus(rng, slopes)
    mesh, single, seen = grid_mesh(*surface), single_cells(*surface, rng), 0
    clear = 4e-6 + RIM * shape.data().radius  # [m]
    for k in range(30):
        R = np.eye(3) if k % 4 == 0 else Rotation.random(random_state=rng).as_matrix()
        X = pose(*rng.uniform(-0.7, 0.7, 2), 0.6, R)
        low, high = -0.6, 0.6
        for _ in range(30):  # to the lowest height at which it is not deeper in the single cells than 0.1 mm
            X[2, 3] = 0.5 * (low + high)
            found = meet(single, shape, X)
            low, high = (X[2, 3], high) if len(found) and found["depth"].max() > 1e-4 else (low, X[2, 3])
        X[2, 3] = high
        found, other = meet(mesh, shape, X), meet(single, shape, X)
        if len(other) == 0 or other["depth"].max() > 5e-4:  # at a steep side, it is not lowered onto anything
            continue
        seen += 1
        assert found["depth"].max() < 5e-4
        for _ in range(20):
            if len(found) == 0 or found["depth"].max() <= -clear:
                break
            deepest = found[np.argmax(found["depth"])]
            X[:3, 3] -= (deepest["depth"] + clear + 1e-7) * deepest["normal"]
            found = meet(mesh, shape, X)
        assert distance(shape, X, single, np.eye(4)).distance > 0.0
    assert seen > 15


def test_a_half_space_meets_a_decimated_mesh_as_its_hull(seed):
    rng = np.random.default_rng(seed)
    mesh = split_box(rng, 40)
    for _ in range(20):
        X = np.eye(4)
        X[:3, :3] = Rotation.random(random_state=rng).as_matrix()
        X[2, 3] = -(X[:3, :3] @ mesh.vertices.T)[2].min() - rng.uniform(0.0, 1e-2)
        found = meet(HalfSpace(), mesh, X)
        assert found["depth"].max() == pytest.approx(-(X[:3, :3] @ mesh.vertices.T + X[:3, 3:])[2].min(), abs=1e-9)
