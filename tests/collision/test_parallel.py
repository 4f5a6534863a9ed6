"""Cylinders, cones and boxes whose axes are parallel, turned together: problems with known answers.

Points may be anywhere along what the two share; so both shapes must hold them, by definition.
"""

import numpy as np
import pytest
from collision_scenes import pose, rotation

from rbdyn.collision import Box, Cone, Cylinder, distance, shape_cast

CYLINDER = Cylinder(0.5, 1.4)
BOX = Box((2.0, 1.0, 1.2))
HALF = np.array([1.0, 0.5, 0.6])
GAPS = [0.3, 0.02, 1e-4, 1e-9, -0.02, -0.1]


def outside(shape, X, p):
    """By how much a point is outside of a shape at X."""
    local = X[:3, :3].T @ (p - X[:3, 3])
    if isinstance(shape, Box):
        return (np.abs(local) - 0.5 * np.array(shape.size)).max()
    if isinstance(shape, Cone):
        side = np.hypot(local[0], local[1]) - shape.radius / shape.height * (0.5 * shape.height - local[2])
        return max(side / np.hypot(1.0, shape.radius / shape.height), -local[2] - 0.5 * shape.height)
    return max(np.hypot(local[0], local[1]) - shape.radius, abs(local[2]) - 0.5 * shape.height)


def together(rng, p):
    """Poses of two shapes, p from the second to the first in its axes, both turned and shifted at random."""
    R, shift = rotation(rng), rng.normal(size=3)
    return pose(*(R @ p + shift), R), pose(*shift, R)


def beside_a_cylinder(rng, gap):
    """Of CYLINDER and another: the other, the place of CYLINDER in its axes, the normal."""
    other = Cylinder(rng.uniform(0.3, 2.0), rng.uniform(0.8, 2.0))
    angle = rng.uniform(-np.pi, np.pi)
    n = np.array([np.cos(angle), np.sin(angle), 0.0])
    overlap = rng.uniform(0.25, 0.7)  # more than the radial push is long
    z = (0.7 + 0.5 * other.height - overlap) * rng.choice([-1.0, 1.0])
    return other, (other.radius + 0.5 + gap) * n + (0.0, 0.0, z), n


def beside_an_edge(rng, gap):
    """Likewise of CYLINDER and BOX, whose edge along z is nearest."""
    angle = rng.uniform(0.3, 0.5 * np.pi - 0.3)
    side = np.array([*rng.choice([-1.0, 1.0], 2), 0.0])
    n = side * (np.cos(angle), np.sin(angle), 0.0)
    z = (0.7 + 0.6 - rng.uniform(0.25, 0.7)) * rng.choice([-1.0, 1.0])
    return BOX, side * HALF + (0.5 + gap) * n + (0.0, 0.0, z), n


@pytest.mark.parametrize("place", [beside_a_cylinder, beside_an_edge])
def test_nearest_points_of_parallel_shapes(place, seed):
    rng = np.random.default_rng(seed)
    for gap in GAPS:
        for _ in range(20):
            other, p, n = place(rng, gap)
            X, Y = together(rng, p)
            found = distance(CYLINDER, X, other, Y)
            assert found.distance == pytest.approx(gap, abs=1e-12)
            np.testing.assert_allclose(found.normal, Y[:3, :3] @ n, atol=1e-6 if abs(gap) < 1e-6 else 1e-9)
            np.testing.assert_allclose(found.on_a - found.on_b, gap * found.normal, atol=1e-12)
            assert outside(CYLINDER, X, found.on_a) < 1e-11 and outside(other, Y, found.on_b) < 1e-11


@pytest.mark.parametrize("place", [beside_a_cylinder, beside_an_edge])
def test_casts_of_parallel_shapes_meet_in_both(place, seed):
    """From where they touch, back along a slanted way; then forth."""
    rng = np.random.default_rng(seed)
    for _ in range(100):
        other, p, n = place(rng, 0.0)
        way = -n + 0.9 * rng.normal(size=3) * (0.3, 0.3, 0.1)
        if way @ n > -0.2:
            continue
        share = rng.uniform(0.1, 0.9)
        X, Y = together(rng, p - share * way)
        hit = shape_cast(CYLINDER, X, Y[:3, :3] @ way, other, Y)
        assert hit.fraction == pytest.approx(share, abs=1e-11)
        np.testing.assert_allclose(hit.normal, Y[:3, :3] @ n, atol=1e-8)
        X[:3, 3] = Y[:3, 3] + Y[:3, :3] @ p
        assert outside(CYLINDER, X, hit.position) < 1e-10 and outside(other, Y, hit.position) < 1e-10


@pytest.mark.parametrize("gap", [0.5, 1e-6, 1e-9, 1e-12])
def test_casts_onto_flush_faces_are_right(gap, seed):
    """A cylinder comes down onto a side of a box, flat or lying, and slides as it comes."""
    rng = np.random.default_rng(seed)
    for _ in range(100):
        axis, lies = rng.integers(3), rng.random() < 0.5
        up = np.eye(3)[axis] * rng.choice([-1.0, 1.0])
        turn = np.roll(np.eye(3), axis + (1 if lies else 0) + 1, axis=1)  # its z along the normal, or across it
        high = 0.5 if abs(up @ turn[:, 2]) < 0.5 else 0.7
        aside = np.where(up == 0.0, rng.uniform(-0.9, 0.9, 3) * HALF, 0.0)
        p = up * (HALF @ np.abs(up) + high + gap) + aside
        slide = np.where(up == 0.0, rng.uniform(-0.2, 0.2, 3), 0.0)
        X, Y = together(rng, p)
        X[:3, :3] = X[:3, :3] @ turn
        way = Y[:3, :3] @ (slide - up)
        hit = shape_cast(CYLINDER, X, way, BOX, Y)
        assert 0.0 <= hit.fraction == pytest.approx(gap, abs=1e-11)
        np.testing.assert_allclose(hit.normal, Y[:3, :3] @ up, atol=1e-9)
        X[:3, 3] += hit.fraction * way
        assert outside(CYLINDER, X, hit.position) < 1e-10 and outside(BOX, Y, hit.position) < 1e-10


def grazing(rng):
    """A shape, its place at another, the other, and the way: they touch by edges, or pass, to rounding."""
    gap = rng.choice([0.0, 1e-12, -1e-12, 1e-9], 3)
    kind = rng.integers(3)
    if kind == 0:  # boxes, an edge along an edge
        return BOX, np.array([rng.uniform(-1.5, 1.5), 1.0, -1.2]) + gap, BOX, rng.normal(size=3)
    if kind == 1:  # boxes slide along a side
        p = np.array([rng.uniform(-1.0, 1.0), 1.0 + gap[0], rng.uniform(-0.5, 0.5)])
        return BOX, p, BOX, np.array([rng.normal(), rng.choice([0.0, 0.3, 1e-12]), rng.normal()])
    upper, lower = Cone(*rng.uniform(0.2, 1.0, 2)), Cone(*rng.uniform(0.2, 1.0, 2))  # rims pass each other
    p = np.array([upper.radius + lower.radius, 0.0, rng.uniform(-0.5, 0.5)])
    return upper, p, lower, np.array([0.0, 0.0, 1.0]) + rng.choice([0.0, 1e-12], 3)


def test_normals_of_casts_that_graze_do_not_point_along_the_way(seed):
    """What passes by at the distance of rounding may be met or not."""
    rng = np.random.default_rng(seed)
    for _ in range(500):
        a, p, b, way = grazing(rng)
        X, Y = together(rng, p)
        way = Y[:3, :3] @ way
        hit = shape_cast(a, X, way, b, Y)
        if 0.0 < hit.fraction <= 1.0:
            assert hit.normal @ way <= 1e-15


def test_casts_that_graze_a_side_meet_where_the_edge_begins(seed):
    """A cone slides along the side of a box, which its rim touches: from the edge on, or never, but not before."""
    rng = np.random.default_rng(seed)
    for _ in range(100):
        cone, box = Cone(*rng.uniform(0.3, 1.5, 2)), Box(rng.uniform(0.5, 2.0, 3))
        half = 0.5 * np.array(box.size)
        start = half[0] + cone.radius + rng.uniform(0.0, 1.0)
        far = rng.integers(-3, 4, 3)
        up = half[2] + 0.5 * cone.height - rng.uniform(0.1, 0.9) * box.size[2]  # the rim is beside the edge
        X, Y = pose(*(far + (start, half[1] + cone.radius, up))), pose(*far)
        way = np.array([-rng.uniform(1.0, 3.0), *rng.choice([0.0, 1e-12, -1e-12], 2)])
        hit = shape_cast(cone, X, way, box, Y)
        if np.isfinite(hit.fraction):
            assert hit.fraction * -way[0] > start - half[0] - 1e-3  # near the edge rounding decides
            there = X.copy()
            there[:3, 3] += hit.fraction * way
            assert outside(box, Y, hit.position) < 1e-5 and outside(cone, there, hit.position) < 1e-5
            assert hit.normal @ way <= 1e-15
