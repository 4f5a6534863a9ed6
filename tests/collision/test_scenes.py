"""Whole scenes: the broad phase against brute force, order, storage, degenerate and extreme poses."""

import itertools

import numpy as np
import pytest
from collision_scenes import pose, rotation, turn
from reference.c_heap import growth, heap, needs_mallinfo2

from rbdyn.collision import (
    Box,
    Capsule,
    Cone,
    ConvexHull,
    Cylinder,
    Ellipsoid,
    FCLBackend,
    HalfSpace,
    Mesh,
    NativeBackend,
    Sphere,
)


def random_shapes(n, rng):
    """n shapes and their poses on their bodies."""
    makers = [
        lambda: Sphere(rng.uniform(0.02, 0.2)),
        lambda: Capsule(rng.uniform(0.02, 0.1), rng.uniform(0.05, 0.4)),
        lambda: Box(rng.uniform(0.05, 0.4, 3)),
    ]
    return [(makers[k % 3](), pose(*rng.normal(size=3) * 0.1, rotation(rng))) for k in range(n)]


def random_poses(n, rng, spread=1.0):
    return np.array([pose(*rng.uniform(0, spread, 3), rotation(rng)) for _ in range(n)])


def test_sweep_finds_what_brute_force_finds():
    """Any scene equals the union of its pairs, also after moving a little, jumping, and turning the sweep axis."""
    rng = np.random.default_rng(4)
    n = 30
    shapes, poses = random_shapes(n, rng), random_poses(n, rng)
    whole = NativeBackend(margin=0.01)
    for body, (shape, X) in enumerate(shapes):
        whole.add_shape(shape, body, pose=X)
    for step in range(5):
        found = whole.query(poses)
        expected = []
        for i, j in itertools.combinations(range(n), 2):
            couple = NativeBackend(margin=0.01)
            couple.add_shape(shapes[i][0], 0, pose=shapes[i][1])
            couple.add_shape(shapes[j][0], 1, pose=shapes[j][1])
            for contact in couple.query(poses[[i, j]]):
                expected.append((i, j, contact["feature"], contact["depth"]))
        assert len(expected) > 15
        assert [(c["body_a"], c["body_b"], c["feature"], c["depth"]) for c in found] == expected
        if step == 1:
            poses = poses[rng.permutation(n)]
        poses[:, :3, 3] += rng.normal(size=(n, 3)) * 0.02
        poses[:, :3, 3] *= (0.9, 1.0, 1.4) if step < 3 else (1.5, 1.0, 0.6)


def test_result_does_not_depend_on_history():
    """Bit for bit: the persistent order and the sweep axis never show."""
    rng = np.random.default_rng(5)
    n = 60
    shapes = random_shapes(n, rng)
    old, target = NativeBackend(), random_poses(n, rng)
    for body, (shape, X) in enumerate(shapes):
        old.add_shape(shape, body, pose=X)
    for scale in ((5, 0.1, 0.1), (0.1, 5, 0.1), (0.1, 0.1, 5)):
        poses = random_poses(n, rng)
        poses[:, :3, 3] *= scale
        old.query(poses)
    fresh = NativeBackend()
    for body, (shape, X) in enumerate(shapes):
        fresh.add_shape(shape, body, pose=X)
    one, two = old.query(target), fresh.query(target)
    assert len(one) > 50 and all(np.array_equal(one[f], two[f]) for f in one.dtype.names)
    keys = list(zip(one["shape_a"], one["shape_b"], one["feature"], strict=True))
    assert keys == sorted(set(keys))


def test_hundred_thousand_random_pairs_are_finite():
    """Boxes, capsules, cylinders and spheres in a heap; coincident centres, aligned axes, flat sizes."""
    rng = np.random.default_rng(6)
    n, pairs = 330, 0
    for _ in range(3):
        b = NativeBackend()
        sizes = 10.0 ** rng.uniform(-3, 0, size=(n, 3))
        for body in range(n):
            r, length, _ = sizes[body]
            b.add_shape([Sphere(r), Capsule(r, length), Box(sizes[body]), Cylinder(r, length)][body % 4], body)
        poses = random_poses(n, rng, 0.05)
        poses[::5, :3, :3] = np.eye(3)
        poses[::7, :3, 3] = 0.0
        poses[::11, :3, :3] = turn(2, np.pi / 2)
        found = b.query(poses)
        pairs += len(np.unique(np.stack([found["shape_a"], found["shape_b"]], 1), axis=0))
        for field in ("position", "normal", "depth"):
            assert np.isfinite(found[field]).all()
        np.testing.assert_allclose(np.linalg.norm(found["normal"], axis=1), 1.0, atol=1e-12)
        assert (found["depth"] > 0).all()
    assert pairs > 100_000


@pytest.mark.parametrize("make", [NativeBackend, FCLBackend])
def test_coincident_shapes_have_a_unit_normal(make):
    cube = np.array(list(itertools.product((-0.1, 0.1), repeat=3)))
    mesh = Mesh(0.9 * cube, ConvexHull(cube).hull.triangles)
    shapes = [Sphere(0.1), Capsule(0.1, 0.2), Box((0.2, 0.2, 0.2)), Cylinder(0.1, 0.2), ConvexHull(cube), mesh]
    for a, b in itertools.product(shapes, repeat=2):
        if a is b is mesh:  # neither is on a side of the other
            continue
        backend = make()
        backend.add_shape(a, 0)
        backend.add_shape(b, 1)
        found = backend.query([np.eye(4), np.eye(4)])
        assert len(found) > 0, (a, b)
        np.testing.assert_allclose(np.linalg.norm(found["normal"], axis=1), 1.0, atol=1e-9)
        least = 0.0 if mesh in (a, b) else 0.05  # a mesh is its surface
        assert np.isfinite(found["position"]).all() and (found["depth"] > least).all()


@pytest.mark.parametrize("scale", [1e-3, 1.0, 1e3])
@pytest.mark.parametrize("far", [0.0, 1e4])
def test_size_and_distance_do_not_matter(scale, far):
    b = NativeBackend()
    for body in range(3):
        b.add_shape(Box((0.2 * scale, 0.2 * scale, 0.2 * scale)), body)
    b.add_shape(HalfSpace(), 3)
    heights = [0.0995, 0.2985, 0.4975]
    o = far * scale
    found = b.query([*(pose(o, o, o + h * scale) for h in heights), pose(o, o, o)])
    assert len(found) == 12
    expected = np.repeat([1e-3, 1e-3, 5e-4], 4)
    np.testing.assert_allclose(np.sort(found["depth"]), np.sort(expected) * scale, atol=2e-10 * scale)


@needs_mallinfo2
def test_memory_does_not_grow():
    """Bytes held after 50 steps and after 300 more are the same."""
    rng = np.random.default_rng(7)
    b = NativeBackend()
    for body, (shape, X) in enumerate(random_shapes(40, rng)):
        b.add_shape(shape, body, pose=X)
    several = [random_poses(40, rng) for _ in range(10)]
    held = []
    for count in (50, 300):
        for k in range(count):
            b.query(several[k % 10])
        held.append(heap()[0])
    assert held[1] - held[0] < 4096


@needs_mallinfo2
def test_memory_is_given_back():
    """Shapes, lists of the sweep, pairs, contacts and excluded bodies of a backend go with it."""
    poses = [pose(0, 0, 0.01 * k) for k in range(40)]

    def use():
        b = NativeBackend()
        for body in range(40):
            b.add_shape(Sphere(0.1), body)
            b.exclude(body, body + 1)
        assert len(b.query(poses)) > 100

    assert growth(use) < 100


def test_mesh_as_triangles():
    """Normals out of the triangles, whatever python-fcl says; a ball on a flat mesh has its depth."""
    grid = [[x, y, 0.0] for x in (-1.0, 0.1, 1.0) for y in (-1.0, 0.05, 1.0)]
    faces = [f for i in (0, 1) for j in (0, 1) for k in [3 * i + j] for f in ([k, k + 3, k + 4], [k, k + 4, k + 1])]
    floor = Mesh(np.array([*grid, [0, 0, -1.0]]), faces)
    for shape, height in ((Sphere(0.1), 0.09), (Box((0.2, 0.2, 0.2)), 0.09), (Cylinder(0.1, 0.2), 0.09)):
        for flip in (False, True):
            b = FCLBackend(mesh="triangles")
            order = [(shape, pose(0.07, 0.02, height)), (floor, np.eye(4))][:: -1 if flip else 1]
            for body, (part, _) in enumerate(order):
                b.add_shape(part, body)
            found = b.query([X for _, X in order])
            assert len(found) > 0
            up = np.array([0, 0, -1.0 if flip else 1.0])
            np.testing.assert_allclose(found["normal"], np.tile(up, (len(found), 1)), atol=1e-6)
            np.testing.assert_allclose(found["depth"], 0.01, atol=1e-6)


def test_candidates_are_the_overlapping_bounding_boxes():
    """The sweep compares all three axes: for balls, the candidates are those within r + s along each."""

    class Candidates(NativeBackend):
        def detect(self, scene):
            self.found = scene.pairs()

    rng = np.random.default_rng(8)
    n = 150
    radii, centres = rng.uniform(0.02, 0.1, n), rng.uniform(0, 1, (n, 3))
    b = Candidates()
    for body in range(n):
        b.add_shape(Sphere(radii[body]), body)
    b.query([pose(*x) for x in centres])
    apart = np.abs(centres[:, None] - centres[None]).max(axis=2) - radii[:, None] - radii[None]
    expected = [(i, j) for i, j in itertools.combinations(range(n), 2) if apart[i, j] < 0]
    assert np.abs(apart).min() > 1e-6 and len(expected) > 50
    assert b.found == expected


KINDS = {
    "sphere": lambda s: Sphere(0.11 * s),
    "capsule": lambda s: Capsule(0.05 * s, 0.4 * s),
    "box": lambda s: Box((0.2 * s, 0.3 * s, 0.25 * s)),
    "cylinder": lambda s: Cylinder(0.1 * s, 0.3 * s),
    "ellipsoid": lambda s: Ellipsoid((0.1 * s, 0.2 * s, 0.15 * s)),
    "cone": lambda s: Cone(0.15 * s, 0.3 * s),
    "hull": lambda s: ConvexHull(s * np.random.default_rng(4).normal(size=(12, 3)) * 0.15),
    "half-space": lambda s: HalfSpace(),
}


PAIRS = list(itertools.combinations_with_replacement(list(KINDS)[:-1], 2))


@pytest.mark.parametrize("kinds", PAIRS, ids="-".join)
@pytest.mark.parametrize("power", [-12, 12])
def test_a_scene_of_another_size_has_the_same_contacts(kinds, power):
    """No length in metres decides anything: all sizes times a power of two give the same names, and scaled contacts."""
    rng, scale, count = np.random.default_rng([ord(c) for c in "".join(kinds)]), 2.0**power, 0
    for k in range(30):
        X, Y = pose(*rng.uniform(-0.16, 0.16, 3), rotation(rng)), pose(0, 0, 0, rotation(rng))
        if k % 3 == 0:  # faces and axes in line
            X[:3, :3] = Y[:3, :3] @ turn(rng.integers(3), np.pi / 2) @ turn(rng.integers(3), 0.01)
        found = []
        for s in (1.0, scale):
            b = NativeBackend(margin=0.005 * s)
            for body, kind in enumerate([*kinds, "half-space"]):
                b.add_shape(KINDS[kind](s), body)
            poses = np.array([X, Y, pose(0, 0, -0.1)])
            poses[:, :3, 3] *= s
            found.append(b.query(poses))
        one, two = found
        count += (one["body_b"] == 1).sum()
        for field in ("shape_a", "shape_b", "feature", "normal"):
            np.testing.assert_array_equal(one[field], two[field])
        for field in ("position", "depth"):
            np.testing.assert_array_equal(one[field] * scale, two[field])
    assert count > 10
