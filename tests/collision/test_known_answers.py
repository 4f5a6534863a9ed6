"""Distances, nearest points, casts and rays where the answer is known beforehand: benchmarks/known_answers.py.

`python -m benchmarks.closest` looks at more of them, and prints what it finds.
"""

import itertools

import numpy as np
import pytest

from benchmarks import ray_answers
from benchmarks.closest import known_errors, pose, shapes
from benchmarks.known_answers import meeting
from rbdyn.collision import (
    Box,
    Capsule,
    Cone,
    ConvexHull,
    Cylinder,
    Ellipsoid,
    HalfSpace,
    Sphere,
    SupportShape,
    distance,
    shape_cast,
)
from rbdyn.testing.conformance import reach

SHAPES = {name: shape for name, shape in shapes().items() if name not in ("height map", "compound")}
PAIRS = [(b, a) for a, b in itertools.combinations_with_replacement(SHAPES, 2) if b != "half-space"]


def of_size(s):
    """Convex shapes whose sizes are s times those of the others."""
    return [Sphere(0.3 * s), Box((0.6 * s, 0.4 * s, 0.2 * s)), Capsule(0.1 * s, 0.5 * s), Cylinder(0.25 * s, 0.5 * s),
            Cone(0.3 * s, 0.6 * s), Ellipsoid((0.1 * s, 0.2 * s, 0.4 * s))]  # fmt: skip


@pytest.mark.parametrize("names", PAIRS, ids="-".join)
def test_everything_is_found_to_rounding(names):
    """Corners, edges, faces, rims and sides on one another, from 1 m to 1e-7 m apart."""
    a, b = (SHAPES[name] for name in names)
    for apart in ((1e-3, 1.0), (1e-7, 1e-3)):
        gaps, points, _, shares, places = known_errors(a, b, 30, seed=8, apart=apart)
        assert len(shares) > 5
        assert max(gaps) < 1e-14 and max(points) < 1e-12 and max(shares) < 1e-13 and max(places) < 1e-12


@pytest.mark.parametrize("names", [pair for pair in PAIRS if {"mesh", "half-space"}.isdisjoint(pair)], ids="-".join)
def test_how_deep_they_are_in_each_other(names):
    """By a millimetre along the one normal that they have where they touch: there is no shorter way out."""
    a, b = (SHAPES[name] for name in names)
    rng, found = np.random.default_rng(3), 0
    for _ in range(25):
        m = meeting(a, b, rng)
        X = m.X.copy()
        X[:3, 3] -= (m.distance + 1e-3) * m.normal
        q = distance(a, X, b, m.Y)
        assert q.distance > -1e-3 - 1e-15  # or there is a shorter one
        if m.smooth and np.linalg.norm(q.normal - m.normal) < 0.1:
            found += 1
            assert q.distance == pytest.approx(-1e-3, abs=2e-15)
            np.testing.assert_allclose(q.normal, m.normal, atol=1e-12)
    assert found > 5


@pytest.mark.parametrize("scale", [1e-3, 1e3])
def test_small_and_large_shapes(scale):
    rng = np.random.default_rng(1)
    for a, b in itertools.product(of_size(scale), repeat=2):
        for _ in range(4):
            m = meeting(a, b, rng, (1e-3 * scale, scale))
            q = distance(a, m.X, b, m.Y)
            eps = 1e-15 * (1.0 + scale)
            assert q.distance == pytest.approx(m.distance, abs=2.0 * eps)
            np.testing.assert_allclose([q.on_a, q.on_b], [m.on_a, m.on_b], atol=100.0 * eps)


def test_far_from_the_origin():
    """At 1e6 m poses are known to 1e-10 m, and what is found of them to hardly less."""
    rng, away = np.random.default_rng(2), np.array([1e6, -2e6, 5e5])
    for a, b in itertools.product(of_size(1.0), repeat=2):
        for _ in range(4):
            m = meeting(a, b, rng)
            for X in (m.X, m.Y, m.start):
                X[:3, 3] += away
            assert distance(a, m.X, b, m.Y).distance == pytest.approx(m.distance, abs=1e-9)
            if m.smooth:
                assert shape_cast(a, m.start, m.way, b, m.Y).fraction == pytest.approx(m.share, abs=1e-8)


@pytest.mark.parametrize("names", [pair for pair in PAIRS if {"mesh", "half-space"}.isdisjoint(pair)], ids="-".join)
def test_shapes_that_pass_by_a_hair(names):
    """Within a plane 1e-6 m beside the other nothing is met, corner by corner, too; as much inside something is."""
    a, b = (SHAPES[name] for name in names)
    rng = np.random.default_rng(6)
    for _ in range(12):
        m = meeting(a, b, rng)
        way = np.cross(m.normal, rng.normal(size=3))
        X = m.X.copy()
        X[:3, 3] += (1e-6 - m.distance) * m.normal - 0.5 * way
        assert shape_cast(a, X, way, b, m.Y).fraction == np.inf
        X[:3, 3] -= 2e-6 * m.normal
        assert shape_cast(a, X, way, b, m.Y).fraction <= 0.5 + 1e-9


def odd_shape(rng):
    """Sizes from 0.1 mm to 10 m, each by itself: needles, plates, discs."""
    x, y, z = 10.0 ** rng.uniform(-4.0, 1.0, 3)
    kind = rng.integers(6)
    if kind == 0:
        return ConvexHull(rng.normal(size=(int(rng.integers(4, 30)), 3)) * x)
    return (Box((x, y, z)), Capsule(x, y), Cylinder(x, y), Cone(x, y), Ellipsoid((x, y, z)))[kind - 1]


def test_needles_and_plates():
    """The plane along the normal proves the distance, and casts stop where the distance is zero."""
    rng = np.random.default_rng(12)
    for _ in range(400):
        a, b = odd_shape(rng), odd_shape(rng)
        X, Y = pose(rng, 1.0), pose(rng, 1.0)
        q = distance(a, X, b, Y)
        size = np.abs([a.bounding_box(), b.bounding_box()]).max() + np.linalg.norm(X[:3, 3] - Y[:3, 3])
        above = q.normal @ X[:3, 3] - reach(a, -q.normal @ X[:3, :3])
        below = q.normal @ Y[:3, 3] + reach(b, q.normal @ Y[:3, :3])
        assert q.distance == pytest.approx(above - below, abs=1e-8 * size)
        np.testing.assert_allclose(q.on_a - q.on_b, q.distance * q.normal, atol=1e-11 * size)
        way = 3.0 * rng.normal(size=3)
        hit = shape_cast(a, X, way, b, Y)
        if 0.0 < hit.fraction < np.inf:
            X[:3, 3] += hit.fraction * way
            assert abs(distance(a, X, b, Y).distance) < 1e-7 * size


def test_shapes_of_ones_own_are_as_exact():
    """An ellipsoid whose support function is known, and nothing else."""
    rng, own, twin = np.random.default_rng(4), SupportShape(ray_answers.lens), Ellipsoid((0.3, 0.2, 0.1))
    for shape in (*of_size(1.0), twin):
        for _ in range(4):
            m = meeting(twin, shape, rng)
            b = own if shape is twin else shape
            q, hit = distance(own, m.X, b, m.Y), shape_cast(own, m.start, m.way, b, m.Y)
            assert q.distance == pytest.approx(m.distance, abs=1e-14)
            np.testing.assert_allclose([q.on_a, q.on_b], [m.on_a, m.on_b], atol=1e-12)
            assert hit.fraction == pytest.approx(m.share, abs=1e-13)


# ---- rays ------------------------------------------------------------------------------------

CONVEX = {name: shape for name, shape in SHAPES.items() if name != "mesh"}


def check(found, normals):
    assert len(found.distance) > 5 and max(found.distance) < 3e-14 and found.unlike == 0
    assert max(found.normal, default=0.0) < normals


@pytest.mark.parametrize("name", CONVEX)
def test_rays_enter_where_they_are_aimed(name):
    """As many miss, in a plane that is 1e-9 m beside."""
    found = ray_answers.into_convex(CONVEX[name], 300)
    check(found, 1e-11)
    assert len(found.distance) == found.misses == 300


def test_rays_enter_own_shapes_and_parts():
    found = ray_answers.into_convex(SupportShape(ray_answers.lens), 10, twin=Ellipsoid((0.3, 0.2, 0.1)))
    check(found, 1e-11)
    assert len(found.distance) == found.misses == 10
    check(ray_answers.into_compound(100), 1e-10)


@pytest.mark.parametrize("name", ray_answers.surfaces())
def test_rays_meet_surfaces_as_all_triangles_say(name):
    check(ray_answers.into_surface(ray_answers.surfaces()[name], 150, seed=5), 1e-13)


def test_a_ray_through_an_apex_or_a_rim():
    """Along the axis, past the apex by less than rounding knows, and into the rim from below."""
    cone = Cone(0.3, 0.6)
    world, _, _ = ray_answers.placed(HalfSpace(), np.random.default_rng(0))
    body = world.add_cone(0.3, 0.6, mass=1.0)
    body.set_pose((0.0, 0.0, 50.0 - 0.15))  # of its centre of mass, a quarter of the height above the base
    assert world.ray_test((0, 0, 53), (0, 0, -1)).distance == pytest.approx(3.0 - 0.3, abs=1e-14)
    for off in (1e-12, 1e-9, 1e-6):
        hit = world.ray_test((off, 0, 53), (0, 0, -1))
        assert hit.distance == pytest.approx(2.7 + off * cone.height / cone.radius, abs=2e-14)
        np.testing.assert_allclose(hit.normal, np.array([2.0, 0.0, 1.0]) / np.sqrt(5.0), atol=1e-2)
    hit = world.ray_test((0.3 + 1.0, 0.0, 49.7 - 1.0), (-1.0, 0.0, 1.0))
    assert hit.distance == pytest.approx(np.sqrt(2.0), abs=1e-14)
