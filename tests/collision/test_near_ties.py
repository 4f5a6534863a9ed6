"""Where a kernel changes from one answer to another: ties, crossings, blends."""

import numpy as np
import pytest
from collision_scenes import contacts, pose, rotation, turn

from rbdyn.collision import Box, Capsule, ConvexHull, Cylinder, HalfSpace, NativeBackend


def test_tied_faces_of_a_hull_do_not_flicker():
    """A ridge under a plate: rounding, either way, does not decide which of its two faces meets the plate."""
    slope = np.tan(0.005)
    ridge = [[x, 0.0, 0.5] for x in (-0.5, 0.5)]
    low = [[x, y, 0.5 - 0.5 * slope] for x in (-0.5, 0.5) for y in (-0.5, 0.5)]
    base = [[x, y, -0.5] for x in (-0.5, 0.5) for y in (-0.5, 0.5)]
    roof, plate = ConvexHull([*ridge, *low, *base]), Box((2.0, 2.0, 0.2))
    for M in (np.eye(4), pose(0.3, -0.2, 0.5, rotation(np.random.default_rng(0)))):
        names = set()
        for roll in (0.0, 1e-12, -1e-12, 3e-11, -3e-11):
            found = contacts(NativeBackend(), (plate, M @ pose(0, 0, 0.595)), (roof, M @ pose(0, 0, 0, turn(0, roll))))
            assert found["depth"].max() == pytest.approx(5e-3, abs=1e-3)
            names.add(tuple(found["feature"]))
        assert len(names) == 1 and len(names.pop()) == 4


@pytest.mark.parametrize("angle", [0.008, 0.015, 0.019])
def test_nearly_parallel_capsules_that_cross_touch_where_they_cross(angle):
    """Within 0.02 rad of parallel, but the ends of the common stretch are apart: the crossing is the one contact."""
    long = Capsule(0.05, 16.0)
    X, Y = pose(0, 0, 0.095, turn(1, np.pi / 2)), pose(0, 0, 0, turn(2, angle) @ turn(1, np.pi / 2))
    found = contacts(NativeBackend(), (long, X), (long, Y))
    assert len(found) == 1 and found["feature"][0] == 2
    assert found["depth"][0] == pytest.approx(0.005, abs=1e-9)
    np.testing.assert_allclose(found["normal"][0], (0, 0, 1), atol=1e-6)
    np.testing.assert_allclose(found["position"][0], (0, 0, 0.0475), atol=1e-6)
    inside = contacts(NativeBackend(), (Capsule(0.05, 0.3), X), (Capsule(0.05, 0.3), Y))  # short: side by side
    assert len(inside) == 2 and (inside["depth"] < 0.005).all()


def lowest(tilt, azimuth, height=0.1, radius=0.2):
    """The contacts of a standing cylinder whose axis leans by `tilt` towards `azimuth` of its own axes."""
    lean = turn(2, azimuth) @ turn(1, tilt) @ turn(2, -azimuth)
    X = pose(0, 0, 0.5 * height - 1e-3, lean)
    found = contacts(NativeBackend(), (HalfSpace(), np.eye(4)), (Cylinder(radius, height), X))
    local = (found["position"] - X[:3, 3] + 0.5 * found["depth"][:, None] * (0, 0, -1.0)) @ X[:3, :3]
    return found, local


@pytest.mark.parametrize("azimuth", [0.3, 0.7, 2.0, 4.0])
def test_rim_points_of_a_standing_cylinder_turn_into_the_lowest_one(azimuth):
    """Fixed in the body when level, the lowest rim point from 0.01 rad on, half way between the two in the middle."""
    k = round(azimuth / (0.5 * np.pi))
    fixed = 0.5 * np.pi * k
    found, local = lowest(5e-5, azimuth)
    assert sorted(found["feature"]) == [0, 1, 2, 3]
    np.testing.assert_allclose(np.abs(local[:, :2]).max(axis=1), 0.2, atol=1e-6)  # on the axes x and y
    for tilt in (0.0101, 0.02):
        found, local = lowest(tilt, azimuth)
        c, s = np.cos(tilt), np.sin(tilt)
        depth = 0.05 * c + 0.2 * s - (0.05 - 1e-3)
        assert found["depth"].max() == pytest.approx(depth, abs=1e-9)
        deepest = local[np.argmax(found["depth"])]
        np.testing.assert_allclose(deepest[:2], 0.2 * np.array([np.cos(azimuth), np.sin(azimuth)]), atol=1e-6)
    found, local = lowest(np.arcsin(0.5 * (1e-4 + 1e-2)), azimuth)
    middle = 0.5 * (azimuth + fixed)
    row = local[np.argmax(found["depth"])]
    np.testing.assert_allclose(row[:2], 0.2 * np.array([np.cos(middle), np.sin(middle)]), atol=1e-6)


def test_rim_points_move_without_a_jump():
    """From level to 0.02 rad in steps of 2e-5 rad no contact moves by more than a hundredth of the radius."""
    before = None
    for tilt in np.arange(2e-5, 0.012, 2e-5):
        found, local = lowest(tilt, 0.7)
        at = dict(zip(found["feature"].tolist(), local, strict=True))
        if before is not None:
            assert all(np.linalg.norm(at[f] - before[f]) < 2e-3 for f in at if f in before)
        before = at


@pytest.mark.parametrize("width, points", [(0.006, 4), (0.003, 2)])
def test_a_thin_bar_stands_on_its_four_corners(width, points):
    """Corners of a face nearer than a fiftieth of the smaller shape's radius are one contact; others are not."""
    plate = ConvexHull([[x, y, z] for x in (-0.5, 0.5) for y in (-0.5, 0.5) for z in (-0.1, 0.1)])
    bar = ConvexHull([[x, y, z] for x in (-0.2, 0.2) for y in (-0.5 * width, 0.5 * width) for z in (-0.01, 0.01)])
    for angle in (0.0, 0.3, 2.0):
        found = contacts(NativeBackend(), (plate, np.eye(4)), (bar, pose(0.1, 0.05, 0.1095, turn(2, angle))))
        assert len(found) == points
        local = (found["position"] - (0.1, 0.05, 0.0)) @ turn(2, angle)
        np.testing.assert_allclose(np.abs(local[:, :2]), np.tile((0.2, 0.5 * width), (points, 1)), atol=1e-9)
        np.testing.assert_allclose(found["depth"], 5e-4, atol=1e-9)


@pytest.mark.parametrize("edge", range(3))
@pytest.mark.parametrize("sides", [(1, 1), (1, -1), (-1, 1), (-1, -1)])
def test_a_capsule_that_cuts_an_edge_touches_where_it_cuts(edge, sides):
    """Its axis passes 1 cm under the edge, askew: the contact is at the nearest points of the axis and the edge."""
    half, i, j = np.array([0.3, 0.2, 0.1]), (edge + 1) % 3, (edge + 2) % 3
    n, on_edge, u = np.zeros(3), np.zeros(3), np.zeros(3)
    n[i], n[j] = np.array(sides) / np.sqrt(2)
    on_edge[edge], on_edge[i], on_edge[j] = 0.04, sides[0] * half[i], sides[1] * half[j]
    u[edge], u[i], u[j] = 0.5, sides[1], -sides[0]                    # askew to the edge, normal to n
    u /= np.linalg.norm(u)
    R = np.linalg.svd(u[None])[2][::-1].T
    R[:, 2] = u
    R[:, 0] *= np.linalg.det(R)
    point = on_edge - 0.01 * n
    found = contacts(NativeBackend(), (Capsule(0.02, 0.6), pose(*(point + 0.07 * u), R)), (Box(2 * half), np.eye(4)))
    assert found["feature"].tolist() == [2]
    assert found["depth"][0] == pytest.approx(0.03, abs=1e-12)
    np.testing.assert_allclose(found["normal"][0], n, atol=1e-12)
    np.testing.assert_allclose(found["position"][0], on_edge - 0.5 * 0.03 * n, atol=1e-9)
