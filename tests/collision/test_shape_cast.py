"""Shapes that are shifted until they meet others: bisection of distances, closed forms, and rays as a special case."""

import itertools

import numpy as np
import pytest
from collision_scenes import pose
from scipy.optimize import minimize
from scipy.spatial.transform import Rotation
from surfaces import rough_map, triangles_of
from test_distance import outside

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
    distance,
    shape_cast,
)
from rbdyn.errors import CollisionError, Error

SHAPES = {
    "sphere": Sphere(0.3),
    "box": Box((0.6, 0.4, 0.2)),
    "capsule": Capsule(0.1, 0.5),
    "cylinder": Cylinder(0.25, 0.5),
    "cone": Cone(0.3, 0.5),
    "ellipsoid": Ellipsoid((0.1, 0.2, 0.4)),
    "hull": ConvexHull(np.random.default_rng(3).normal(size=(20, 3)) * 0.3),
}


def random_pose(rng, far):
    return pose(*rng.uniform(-far, far, 3), Rotation.random(random_state=rng).as_matrix())


def shifted(X, by):
    Y = X.copy()
    Y[:3, 3] += by
    return Y


FLAT = {"sphere", "box", "capsule", "hull"}  # whose cores are polytopes
CURVED = 1e-9  # [m] the others; nearly always it is rounding as well


def bounds(a, X, way, b, Y, n):
    """The share of its way at which a is no longer before a plane with normal n beyond which all of b is."""
    low = n @ (X[:3, 3] + X[:3, :3] @ a.farthest(-n @ X[:3, :3]))
    high = n @ (Y[:3, 3] + Y[:3, :3] @ b.farthest(n @ Y[:3, :3]))
    return (low - high) / -(n @ way)


@pytest.mark.parametrize("names", list(itertools.product(SHAPES, SHAPES)), ids="-".join)
def test_they_touch_there_and_not_before(names):
    """The plane through the contact keeps them apart until then, and a point is in both: no share is less, none more.

    Of those that miss, the distance is nowhere zero.
    """
    rng, seen, errors = np.random.default_rng(1), [0, 0], []
    a, b = (SHAPES[name] for name in names)
    tolerance = 1e-10 if set(names) <= FLAT else CURVED
    for _ in range(25):
        X, Y = random_pose(rng, 0.2), random_pose(rng, 0.2)
        X[:3, 3] += 1.5 * (along := rng.normal(size=3)) / np.linalg.norm(along)
        way = Y[:3, 3] - X[:3, 3] + rng.normal(size=3) * 0.3
        hit = shape_cast(a, X, way, b, Y)
        if distance(a, X, b, Y).distance <= 0.0:
            assert hit.fraction == 0.0
            continue
        seen[hit.fraction <= 1.0] += 1
        shares = np.linspace(0.0, hit.fraction if hit.fraction <= 1.0 else 1.0, 30)
        gaps = distance(a, np.array([shifted(X, t * way) for t in shares]), b, Y).distance
        assert gaps[:-1].min() > 0.0
        if hit.fraction > 1.0:
            assert hit.fraction == np.inf and np.isnan(hit.position).all() and not hit.normal.any() and gaps[-1] > 0.0
            continue
        errors.append(abs(bounds(a, X, way, b, Y, hit.normal) - hit.fraction))
        assert hit.normal @ way < 0.0 and np.linalg.norm(hit.normal) == pytest.approx(1.0)
        near = shifted(X, hit.fraction * way)
        aside = 4e-5 * np.linalg.norm(way) / -(hit.normal @ way)  # they are seen a little before
        assert outside(b, Y[:3, :3].T @ (hit.position - Y[:3, 3])) < aside
        assert outside(a, near[:3, :3].T @ (hit.position - near[:3, 3])) < aside
        assert abs(distance(a, shifted(X, (hit.fraction - 1e-4) * way), b, Y).distance) < 1e-4 * np.linalg.norm(way)
    assert seen[1] > 5
    assert max(errors) < tolerance and np.median(errors) < 1e-11


def later(n, *scene):
    """Less, the later a plane with normal n is touched; those that lie along the way do not count."""
    n = n / np.linalg.norm(n)
    return -bounds(*scene, n) if n @ scene[2] < -1e-3 else 1.0


@pytest.mark.parametrize("names", [("box", "ellipsoid"), ("hull", "cylinder"), ("ellipsoid", "cone")], ids="-".join)
def test_an_optimiser_finds_the_same_share(names):
    """The share of the way is the largest over all axes of gap / approach: scipy, from many starts."""
    rng, errors = np.random.default_rng(5), []
    a, b = (SHAPES[name] for name in names)
    for _ in range(6):
        X, Y = random_pose(rng, 0.1), random_pose(rng, 0.1)
        X[2, 3] += 1.3
        way = np.array([*rng.uniform(-0.2, 0.2, 2), -2.0])
        hit = shape_cast(a, X, way, b, Y)
        starts = (hit.normal, *(rng.normal(size=(3, 3)) * 0.2 + (0, 0, 1)))
        options = {"xatol": 1e-12, "fatol": 1e-15, "maxiter": 4000}
        best = max(-minimize(later, n, (a, X, way, b, Y), "Nelder-Mead", options=options).fun for n in starts)
        assert hit.fraction == pytest.approx(best, abs=CURVED)
        errors.append(abs(hit.fraction - best))
    assert np.median(errors) < 1e-9


def test_closed_forms():
    ball, ground, tilted = Sphere(0.25), HalfSpace(), pose(0, 0, 1, Rotation.from_rotvec([0.3, 0, 0]).as_matrix())
    assert shape_cast(ball, pose(0, 0, 2), (1, 2, -4), ground, np.eye(4)).fraction == pytest.approx(1.75 / 4, abs=1e-15)
    hit = shape_cast(ball, pose(0, 5, 3), (0, 0, -10), ground, tilted)
    n = tilted[:3, 2]
    gap = n @ (np.array([0, 5, 3.0]) - (0, 0, 1)) - 0.25
    assert hit.fraction == pytest.approx(gap / (10 * n[2]), abs=1e-14)
    np.testing.assert_allclose(hit.normal, n, atol=1e-15)
    assert n @ (hit.position - (0, 0, 1)) == pytest.approx(0.0, abs=1e-14)
    # two balls: |c + t w| = sum of radii
    c, w = np.array([3.0, 0.2, -0.1]), np.array([-4.0, 0.1, 0.2])
    t = np.roots([w @ w, 2 * c @ w, c @ c - 0.6**2]).min()
    hit = shape_cast(Sphere(0.4), pose(*c), w, Sphere(0.2), np.eye(4))
    assert hit.fraction == pytest.approx(t, abs=1e-12)
    np.testing.assert_allclose(hit.position, 0.2 * (c + t * w) / 0.6, atol=1e-6)
    # a glance that just touches, and one that just misses
    assert shape_cast(Sphere(0.5), pose(-2, 0.999999, 0), (4, 0, 0), Sphere(0.5), np.eye(4)).fraction < 1.0
    assert shape_cast(Sphere(0.5), pose(-2, 1.000001, 0), (4, 0, 0), Sphere(0.5), np.eye(4)).fraction == np.inf
    assert shape_cast(Box((1, 1, 1)), pose(0.1, 0, 0), (1, 0, 0), Box((1, 1, 1)), np.eye(4)).fraction == 0.0


@pytest.mark.parametrize("name", SHAPES)
def test_surfaces(name):
    """Against a rough map, and a mesh of the same: the least over all triangles as hulls of their own."""
    rng, shape = np.random.default_rng(7), SHAPES[name]
    surface = rough_map(1)
    triangles = triangles_of(surface)
    mesh = Mesh(triangles.reshape(-1, 3), np.arange(3 * len(triangles)).reshape(-1, 3))
    for _ in range(3):
        X = random_pose(rng, 0.3)
        X[2, 3] += 1.5
        way = np.array([*rng.uniform(-0.4, 0.4, 2), -2.5])
        hit, same = (shape_cast(shape, X, way, s, np.eye(4)) for s in (surface, mesh))
        tolerance = 1e-10 if name in FLAT else CURVED
        assert hit.fraction == pytest.approx(same.fraction, abs=tolerance)
        assert 0.0 < hit.fraction < 1.0
        before = distance(shape, shifted(X, (hit.fraction - 1e-5) * way), surface, np.eye(4)).distance
        after = distance(shape, shifted(X, (hit.fraction + 1e-5) * way), surface, np.eye(4)).distance
        assert before > 0.0 == after
        back = shape_cast(mesh, np.eye(4), -way, shape, X)     # the mesh moves instead
        assert back.fraction == pytest.approx(hit.fraction, abs=tolerance)
        np.testing.assert_allclose(back.normal, -hit.normal, atol=1e-3)
        np.testing.assert_allclose(back.position, hit.position - hit.fraction * way, atol=1e-5)


def test_many_at_once():
    rng = np.random.default_rng(9)
    a, b = SHAPES["box"], SHAPES["hull"]
    X, Y = (np.array([random_pose(rng, 1.0) for _ in range(40)]) for _ in range(2))
    ways = rng.normal(size=(40, 3)) * 2.0
    every = shape_cast(a, X, ways, b, Y)
    assert np.isfinite(every.fraction).any() and np.isinf(every.fraction).any()
    for k in range(40):
        one = shape_cast(a, X[k], ways[k], b, Y[k])
        assert one.fraction == every.fraction[k]
        np.testing.assert_array_equal(one.position, every.position[k])
        np.testing.assert_array_equal(one.normal, every.normal[k])
    fan = shape_cast(a, X[0], ways, b, Y[0])
    assert fan.fraction.shape == (40,)
    assert fan.fraction[3] == shape_cast(a, X[0], ways[3], b, Y[0]).fraction


def test_what_grazes_a_face_meets_it_where_it_is_over_it():
    """A corner 1e-12 m or less above a face comes nearer by 1e-12 m while it slides over the face, and beyond it."""
    corners = [(0.784, -2.067, 1.0125), (0.55, -0.954, -1.22), (1.067, 2.015, 0.529), (-1.045, -0.014, -1.537)]
    hull = ConvexHull([*corners, (0.983, 1.684, 1.069), (0.441, -0.882, -0.892), (0.34, 1.331, 1.214)])
    box, way, met = Box((0.2, 1.5, 2.0)), np.array([4.0, 1e-12, 4.0]), 0
    turn = np.array([(0.0, 0.0, -1.0), (0.0, -1.0, 0.0), (-1.0, 0.0, 0.0)])
    for height in np.linspace(0.0, 1e-12, 201):
        at = pose(-0.5, -2.067 - 0.75 - height, 0.0, turn)
        hit = shape_cast(hull, at, way, box, np.eye(4))
        if np.isfinite(hit.fraction):
            met += 1
            place = turn @ corners[0] + at[:3, 3] + hit.fraction * way
            assert np.all(np.abs(place) <= [0.1 + 1e-6, 0.75 + 1e-6, 1.0 + 1e-6])
            np.testing.assert_allclose(hit.position, place, atol=1e-6)
    assert met > 50


@pytest.mark.parametrize("shape", [Sphere(0.5), Compound([Sphere(0.5), Box((1, 1, 1))])])
def test_no_casts_are_none(shape):
    """0 poses, or 0 displacements, with one of the others, or with 0: the answer is empty."""
    none, one, way = np.zeros((0, 4, 4)), np.eye(4), (0.0, 0.0, 1.0)
    for given in ((none, way, one), (one, way, none), (one, np.zeros((0, 3)), one), (none, np.zeros((0, 3)), none),
                  (none, way, one[None])):  # fmt: skip
        hit = shape_cast(shape, given[0], given[1], Sphere(1.0), given[2])
        assert [x.shape for x in hit] == [(0,), (0, 3), (0, 3)]
    for given in ((none, np.zeros((2, 3)), one), (np.array([one] * 3), way, none)):
        with pytest.raises(CollisionError, match="must be as many, or one"):
            shape_cast(shape, given[0], given[1], Sphere(1.0), given[2])


def test_what_cannot_be_cast():
    with pytest.raises(CollisionError, match="half_space cannot be shifted"):
        shape_cast(HalfSpace(), np.eye(4), (0, 0, 1), Sphere(1.0), np.eye(4))
    with pytest.raises(CollisionError, match="height_map cannot be shifted"):
        shape_cast(rough_map(1), np.eye(4), (0, 0, 1), Sphere(1.0), np.eye(4))
    with pytest.raises(Error, match="displacement"):
        shape_cast(Sphere(1.0), np.eye(4), (0, np.nan, 1), Sphere(1.0), np.eye(4))
    with pytest.raises(CollisionError, match="2, 1 and 3"):
        shape_cast(Sphere(1.0), np.array([np.eye(4)] * 2), np.ones((3, 3)), Sphere(1.0), np.eye(4))
    with pytest.raises(CollisionError, match="pose_b"):
        shape_cast(Sphere(1.0), np.eye(4), (0, 0, 1), Sphere(1.0), 2.0 * np.eye(4))
