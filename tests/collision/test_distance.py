"""Signed distances: each answer carries its own proof, points of both shapes as far apart as a plane keeps them."""

import itertools

import numpy as np
import pytest
from collision_scenes import pose
from scipy.spatial.transform import Rotation
from surfaces import nearest_on, rough_map, triangles_of

from rbdyn.collision import (
    Box,
    Capsule,
    Compound,
    Cone,
    ConvexHull,
    Cylinder,
    Ellipsoid,
    HalfSpace,
    Mesh,
    Sphere,
    SupportShape,
    distance,
    shape_cast,
)
from rbdyn.errors import CollisionError


def disc(d):
    """A flat disc of radius 0.2 across x."""
    return 0.0, *(0.2 * np.array(d[1:]) / max(np.hypot(d[1], d[2]), 1e-300))


SHAPES = {
    "sphere": Sphere(0.3),
    "box": Box((0.6, 0.4, 0.2)),
    "capsule": Capsule(0.1, 0.5),
    "cylinder": Cylinder(0.25, 0.5),
    "ellipsoid": Ellipsoid((0.1, 0.2, 0.4)),
    "cone": Cone(0.3, 0.6),
    "own": SupportShape(disc, radius=0.1),
    "hull": ConvexHull(np.random.default_rng(3).normal(size=(20, 3)) * 0.3),
}


def outside(shape, x):
    """By how much a point, in the shape's frame, is outside [m], at most; from the shape's definition."""
    if isinstance(shape, Sphere):
        return np.linalg.norm(x) - shape.radius
    if isinstance(shape, Box):
        return (np.abs(x) - 0.5 * np.array(shape.size)).max()
    if isinstance(shape, Capsule):
        return np.linalg.norm(x - [0, 0, np.clip(x[2], -shape.height / 2, shape.height / 2)]) - shape.radius
    if isinstance(shape, Cylinder):
        return max(np.hypot(x[0], x[1]) - shape.radius, abs(x[2]) - shape.height / 2)
    if isinstance(shape, Ellipsoid):
        return (np.linalg.norm(x / np.array(shape.radii)) - 1.0) * max(shape.radii)
    if isinstance(shape, Cone):
        slope = shape.radius / shape.height
        side = (np.hypot(x[0], x[1]) - slope * (shape.height / 2 - x[2])) / np.hypot(1.0, slope)
        return max(side, -x[2] - shape.height / 2)
    if isinstance(shape, SupportShape):
        return np.hypot(x[0], max(np.hypot(x[1], x[2]) - 0.2, 0.0)) - 0.1
    return (shape.hull.normals @ x - shape.hull.offsets()).max()


def reach(shape, X, n):
    """The coordinate along n of its point farthest along n."""
    return n @ (X[:3, 3] + X[:3, :3] @ shape.farthest(X[:3, :3].T @ n))


def random_pose(rng, far):
    return pose(*rng.uniform(-far, far, 3), Rotation.random(random_state=rng).as_matrix())


@pytest.mark.parametrize("names", list(itertools.combinations_with_replacement(SHAPES, 2)), ids="-".join)
def test_closest_points_prove_their_distance(names):
    """Points of both, and a normal along which the shapes are as far apart: nothing is nearer, nothing farther."""
    rng, seen = np.random.default_rng(1), [0, 0]
    a, b = (SHAPES[name] for name in names)
    tolerance = 1e-9
    for _ in range(60):
        X, Y = random_pose(rng, 1.0), random_pose(rng, 1.0)
        d, on_a, on_b, n = distance(a, X, b, Y)
        assert np.linalg.norm(n) == pytest.approx(1.0, abs=1e-12)
        apart = -reach(a, X, -n) - reach(b, Y, n)
        seen[d < 0] += 1
        if d > 0:
            assert apart == pytest.approx(d, abs=tolerance)
            np.testing.assert_allclose(on_a - on_b, d * n, atol=tolerance)
            assert outside(a, X[:3, :3].T @ (on_a - X[:3, 3])) < 1e-7
            assert outside(b, Y[:3, :3].T @ (on_b - Y[:3, 3])) < 1e-7
        else:
            assert apart == pytest.approx(d, abs=1e-6)
            others = rng.normal(size=(300, 3))
            others /= np.linalg.norm(others, axis=1)[:, None]
            assert max(-reach(a, X, -m) - reach(b, Y, m) for m in others) < d + 1e-6
    assert seen[0] > 20


@pytest.mark.parametrize("name", SHAPES)
def test_planes(name):
    rng, shape = np.random.default_rng(2), SHAPES[name]
    for _ in range(20):
        X, G = random_pose(rng, 1.0), random_pose(rng, 0.5)
        d, on_a, on_b, n = distance(shape, X, HalfSpace(), G)
        assert d == pytest.approx(-reach(shape, X, -G[:3, 2]) - G[:3, 2] @ G[:3, 3], abs=1e-12)
        np.testing.assert_allclose(n, G[:3, 2], atol=1e-12)
        np.testing.assert_allclose(on_a - on_b, d * n, atol=1e-12)
        assert (on_b - G[:3, 3]) @ n == pytest.approx(0.0, abs=1e-12)
        swapped = distance(HalfSpace(), G, shape, X)
        np.testing.assert_allclose(swapped.normal, -n, atol=1e-12)
        assert swapped.distance == pytest.approx(d, abs=1e-12)


def test_a_ball_and_surfaces():
    """Brute force over all triangles; a mesh of the same, and the other way round."""
    rng = np.random.default_rng(3)
    surface = rough_map(1)
    t = triangles_of(surface)
    mesh = Mesh(t.reshape(-1, 3), np.arange(3 * len(t)).reshape(-1, 3))
    for _ in range(40):
        centre = np.array([*rng.uniform(-0.9, 0.9, 2), rng.uniform(0.2, 0.5)])
        nearest = nearest_on(surface, centre)
        true = np.linalg.norm(centre - nearest) - 0.05
        if np.linalg.norm(centre - nearest) > 0.5:
            continue
        for s in (surface, mesh):
            d, on_a, on_b, n = distance(Sphere(0.05), pose(*centre, np.eye(3)), s, np.eye(4))
            assert d == pytest.approx(max(true, 0.0), abs=1e-9)
            back = distance(s, np.eye(4), Sphere(0.05), pose(*centre, np.eye(3)))
            assert back.distance == d
            if true > 1e-6:
                np.testing.assert_allclose(on_b, nearest, atol=1e-7)
                np.testing.assert_allclose(on_a, centre - 0.05 * n, atol=1e-9)
                np.testing.assert_allclose(back.normal, -n, atol=1e-12)


@pytest.mark.parametrize("name", SHAPES)
def test_a_mesh_of_a_hull_is_as_far_as_the_hull(name):
    """Of triangles, found through their tree; the hull is one shape.  So are two meshes."""
    rng, shape = np.random.default_rng(4), SHAPES[name]
    hull = SHAPES["hull"]
    mesh = Mesh(hull.hull.vertices, hull.hull.triangles)
    for k in range(25):
        X, Y = random_pose(rng, 0.8), random_pose(rng, 0.2)
        X[0, 3] += 5.0 if k == 0 else 0.6
        solid, surface = distance(shape, X, hull, Y), distance(shape, X, mesh, Y)
        assert surface.distance == pytest.approx(max(solid.distance, 0.0), abs=1e-7)
        if name == "hull" and solid.distance > 0:
            assert distance(mesh, X, mesh, Y).distance == pytest.approx(solid.distance, abs=1e-9)


def test_many_poses_are_as_many_answers():
    rng = np.random.default_rng(5)
    X = np.array([random_pose(rng, 1.0) for _ in range(300)])
    Y = random_pose(rng, 0.3)
    many = distance(SHAPES["box"], X, SHAPES["capsule"], Y)
    assert many.distance.shape == (300,) and many.on_a.shape == (300, 3)
    for k in (0, 17, 299):
        one = distance(SHAPES["box"], X[k], SHAPES["capsule"], Y)
        assert one.distance == many.distance[k]
        np.testing.assert_array_equal(one.on_b, many.on_b[k])
    assert distance(SHAPES["box"], X[:0], SHAPES["capsule"], Y).distance.shape == (0,)


@pytest.mark.parametrize(
    ("call", "word"),
    [
        (lambda: distance(HalfSpace(), np.eye(4), HalfSpace(), np.eye(4)), "half_space"),
        (lambda: distance(HalfSpace(), np.eye(4), rough_map(0), np.eye(4)), "height_map"),
        (lambda: distance("box", np.eye(4), Sphere(1.0), np.eye(4)), "shape"),
        (lambda: distance(Sphere(1.0), np.eye(3), Sphere(1.0), np.eye(4)), "pose_a"),
        (lambda: distance(Sphere(1.0), np.eye(4), Sphere(1.0), 2 * np.eye(4)), "pose_b"),
        (lambda: distance(Sphere(1.0), np.full((4, 4), np.nan), Sphere(1.0), np.eye(4)), "pose_a"),
        (lambda: distance(Sphere(1.0), [np.eye(4)] * 2, Sphere(1.0), [np.eye(4)] * 3), "as many"),
    ],
)
def test_bad_arguments_are_named(call, word):
    with pytest.raises(CollisionError, match=word):
        call()


def test_a_compound_is_as_far_as_the_nearest_of_its_parts(seed):
    """Of two tables, at several poses at once: the least over all pairs; a cast of one is that of its parts."""
    rng = np.random.default_rng(seed)
    legs = [(Box((0.1, 0.1, 0.6)), pose(x, y, -0.35, np.eye(3))) for x in (-0.4, 0.4) for y in (-0.3, 0.3)]
    table = Compound([Box((1.0, 0.8, 0.1)), *legs])
    X = np.array([random_pose(rng, 1.5) for _ in range(6)])
    Y = random_pose(rng, 0.2)
    found = distance(table, X, table, Y)
    every = [[distance(a, X @ A, b, Y @ B) for a, A in table.parts] for b, B in table.parts]
    np.testing.assert_array_equal(found.distance, np.min([[d.distance for d in row] for row in every], axis=(0, 1)))
    free = found.distance > 0.0
    assert free.any()
    np.testing.assert_allclose(found.on_a - found.on_b, found.distance[:, None] * found.normal, atol=1e-9)
    one = distance(table, X[0], Sphere(0.1), Y)
    assert one.distance == distance(Sphere(0.1), Y, table, X[0]).distance
    way = Y[:3, 3] - X[:, :3, 3]
    hits = shape_cast(Sphere(0.1), X, way, table, Y)
    least = np.min([shape_cast(Sphere(0.1), X, way, part, Y @ B).fraction for part, B in table.parts], axis=0)
    np.testing.assert_array_equal(hits.fraction, least)
    assert (least < 1.0).any()


@pytest.mark.parametrize("turned", [0.0, 0.3, np.pi / 4, np.pi / 2])
@pytest.mark.parametrize("shift", [0.0, 0.1])
def test_lines_that_cross_are_freed_out_of_their_plane(turned, shift, seed):
    """Capsules whose axes meet: by the sum of the radii, across both axes; the points lie on both."""
    rng = np.random.default_rng(seed)
    Q = np.linalg.qr(rng.normal(size=(3, 3)))[0]
    Q[:, 0] *= np.linalg.det(Q)
    a, b = Capsule(0.2, 0.6), Capsule(0.1, 0.8)
    X, Y = np.eye(4), np.eye(4)
    X[:3, :3], X[:3, 3] = Q, rng.normal(size=3)
    c, s = np.cos(turned), np.sin(turned)
    Y[:3, :3] = Q @ [[1, 0, 0], [0, c, -s], [0, s, c]]
    Y[:3, 3] = X[:3, 3] + shift * Q[:, 2]
    found = distance(a, X, b, Y)
    assert found.distance == pytest.approx(-0.3, abs=1e-12)
    for axis in (X[:3, 2], Y[:3, 2]):
        assert abs(found.normal @ axis) < 1e-7
    assert np.linalg.norm(found.normal) == pytest.approx(1.0, abs=1e-12)
    free = X.copy()
    free[:3, 3] -= found.distance * found.normal
    assert distance(a, free, b, Y).distance == pytest.approx(0.0, abs=1e-9)
    np.testing.assert_allclose(found.on_a - found.on_b, -0.3 * found.normal, atol=1e-12)


ALIKE = list(itertools.combinations_with_replacement(["cylinder", "cone", "box"], 2))


@pytest.mark.parametrize("names", ALIKE, ids="-".join)
def test_swapped_shapes_are_as_far_along_the_least_push(names, seed):
    """Of solids that are turned alike, where many pushes are all but least: the same bits both ways, and no more push
    than along an axis of either."""
    rng = np.random.default_rng(seed)
    a, b = (SHAPES[name] for name in names)
    for _ in range(60):
        R = Rotation.random(random_state=rng).as_matrix()
        X, Y = pose(*rng.integers(-3, 4, 3), R), np.eye(4)
        Y[:3, :3], Y[:3, 3] = R, X[:3, 3] + R @ (0.1 * rng.integers(-3, 4, 3))
        d, on_a, on_b, n = distance(a, X, b, Y)
        e, back_b, back_a, m = distance(b, Y, a, X)
        assert d == e
        if not np.array_equal(X, Y) or names[0] != names[1]:
            for one, other in ((on_a, back_a), (on_b, back_b), (n, -m)):
                np.testing.assert_array_equal(one, other)
        assert -reach(a, X, -n) - reach(b, Y, n) == pytest.approx(d, abs=1e-9)
        axes = [sign * axis for axis in R.T for sign in (1.0, -1.0)]
        assert max(-reach(a, X, -u) - reach(b, Y, u) for u in axes) < d + 1e-5 * abs(d) + 1e-7


COAXIAL = {
    "cylinder": Cylinder,
    "cone": Cone,
    "capsule": Capsule,
    "ellipsoid": lambda r, h: Ellipsoid((r, r, 0.5 * h)),
}


def outline(shape, d):
    """How far a solid of revolution reaches along unit directions d (n, 3) in its xz plane [m]."""
    across, along = np.abs(d[:, 0]), d[:, 2]
    if isinstance(shape, Ellipsoid):
        return np.hypot(shape.radii[0] * across, shape.radii[2] * along)
    half = 0.5 * shape.height
    if isinstance(shape, Cone):
        return np.maximum(half * along, shape.radius * across - half * along)
    return half * np.abs(along) + shape.radius * (across if isinstance(shape, Cylinder) else 1.0)


@pytest.mark.parametrize("names", list(itertools.combinations_with_replacement(COAXIAL, 2)), ids="-".join)
def test_solids_on_one_axis_have_the_least_push(names, seed):
    """Pushes around the axis are all alike: the least one is that of the outlines, over an angle alone."""
    rng = np.random.default_rng(seed)
    angles = np.linspace(0.0, np.pi, 20001)
    for _ in range(40):
        R = Rotation.random(random_state=rng).as_matrix()
        a, b = (COAXIAL[name](*rng.uniform(0.3, 2.0, 2)) for name in names)
        up, far = rng.uniform(-1.0, 1.0), rng.integers(-3, 4, 3)
        X, Y = pose(*(far + up * R[:, 2]), R), pose(*far, R)
        d, *_, n = distance(a, X, b, Y)
        plane = np.column_stack([np.sin(angles), np.zeros_like(angles), np.cos(angles)])
        pushes = outline(a, plane) + outline(b, -plane) + up * plane[:, 2]
        k = pushes.argmin()
        if pushes[k] < 0.0:
            continue
        fine = np.linspace(angles[max(k - 1, 0)], angles[min(k + 1, len(angles) - 1)], 2001)
        plane = np.column_stack([np.sin(fine), np.zeros_like(fine), np.cos(fine)])
        least = (outline(a, plane) + outline(b, -plane) + up * plane[:, 2]).min()
        assert -d == pytest.approx(least, rel=1e-5, abs=1e-6)
        assert -reach(a, X, -n) - reach(b, Y, n) == pytest.approx(d, abs=1e-9)
