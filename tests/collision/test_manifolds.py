"""Contacts of single pairs: how many, where, and under which names."""

import numpy as np
import pytest
from collision_scenes import contacts, pose, turn

from rbdyn.collision import Box, Capsule, ConvexHull, Cylinder, HalfSpace, Mesh, NativeBackend, Sphere

GROUND = (HalfSpace(), np.eye(4))
CUBE = Box((0.2, 0.2, 0.2))
PRISM = ConvexHull([[0.1 * np.cos(t), 0.1 * np.sin(t), z] for z in (-0.1, 0.1) for t in np.arange(8) * np.pi / 4])
NATIVE = NativeBackend()


def rounded(found, decimals=9):
    return sorted(map(tuple, np.round(found["position"], decimals) + 0.0))


def test_box_stands_on_its_four_corners():
    found = contacts(NATIVE, GROUND, (CUBE, pose(1, 2, 0.098)))
    assert rounded(found) == [(x, y, -0.001) for x in (0.9, 1.1) for y in (1.9, 2.1)]
    np.testing.assert_allclose(found["depth"], 0.002, atol=1e-12)
    np.testing.assert_allclose(found["normal"], [[0, 0, -1]] * 4, atol=1e-12)


def test_box_on_edge_and_on_corner():
    edge = contacts(NATIVE, GROUND, (CUBE, pose(0, 0, 0.14, turn(1, np.pi / 4))))
    assert len(edge) == 2 and np.ptp(edge["position"][:, 1]) == pytest.approx(0.2)
    R = turn(1, np.arctan(np.sqrt(0.5))) @ turn(0, np.pi / 4)
    corner = contacts(NATIVE, GROUND, (CUBE, pose(0, 0, 0.17, R)))
    assert len(corner) == 1
    assert corner["depth"][0] == pytest.approx(0.1 * np.sqrt(3) - 0.17, abs=1e-12)


def test_cylinder_stands_on_four_rim_points_and_lies_on_two():
    can = Cylinder(0.1, 0.3)
    standing = contacts(NATIVE, GROUND, (can, pose(0, 0, 0.149)))
    assert len(standing) == 4
    np.testing.assert_allclose(np.linalg.norm(standing["position"][:, :2], axis=1), 0.1)
    np.testing.assert_allclose(standing["depth"], 0.001, atol=1e-12)
    lying = contacts(NATIVE, GROUND, (can, pose(0, 0, 0.099, turn(1, np.pi / 2))))
    assert rounded(lying) == [(-0.15, 0.0, -0.0005), (0.15, 0.0, -0.0005)]


@pytest.mark.parametrize("tilt", [0.02, 0.3, 0.7, 0.9, 1.5])
@pytest.mark.parametrize("roll", [0.0, 0.4, 2.0])
def test_tilted_cylinder_keeps_its_deepest_point(tilt, roll):
    can = Cylinder(0.1, 0.3)
    R = turn(2, 0.3) @ turn(0, tilt) @ turn(2, roll)
    lowest = 0.1 * abs(np.sin(tilt)) + 0.15 * abs(np.cos(tilt))
    found = contacts(NATIVE, GROUND, (can, pose(0, 0, lowest - 0.004, R)))
    assert found["depth"].max() == pytest.approx(0.004, abs=1e-9)


def test_rolling_cylinder_keeps_its_names():
    can = Cylinder(0.1, 0.3)
    names = {
        tuple(contacts(NATIVE, GROUND, (can, pose(0, 0, 0.099, turn(1, np.pi / 2) @ turn(2, t))))["feature"])
        for t in np.linspace(0, 6, 40)
    }
    assert names == {(8, 9)}


def test_capsule_on_the_ground():
    rod = Capsule(0.1, 0.4)
    lying = contacts(NATIVE, GROUND, (rod, pose(0, 0, 0.09, turn(1, np.pi / 2))))
    assert rounded(lying) == [(-0.2, 0.0, -0.005), (0.2, 0.0, -0.005)]
    assert len(contacts(NATIVE, GROUND, (rod, pose(0, 0, 0.29)))) == 1


def test_hull_keeps_the_deepest_and_spreads_the_rest():
    flat = contacts(NATIVE, GROUND, (PRISM, pose(0, 0, 0.099)))
    assert len(flat) == 4
    directions = flat["position"][:, :2]
    for phi in np.linspace(0, 2 * np.pi, 32):                     # the centre is well inside
        assert (directions @ (np.cos(phi), np.sin(phi))).max() > 0.06
    tilted = contacts(NATIVE, GROUND, (PRISM, pose(0, 0, 0.099, turn(0, 0.02) @ turn(2, 0.1))))
    below = (PRISM.vertices @ (turn(0, 0.02) @ turn(2, 0.1)).T)[:, 2].min() + 0.099
    assert below < -0.001 and tilted["depth"].max() == pytest.approx(-below, abs=1e-12)


def test_mesh_stands_like_its_hull():
    cube = Box((0.2, 0.2, 0.2))
    v = np.array([[x, y, z] for x in (-0.1, 0.1) for y in (-0.1, 0.1) for z in (-0.1, 0.1)])
    inner = np.vstack([v, [[0, 0, 0.02]]])
    mesh = Mesh(inner, [[0, 1, 8], [2, 3, 8], [4, 5, 6]])
    one = contacts(NATIVE, GROUND, (mesh, pose(0, 0, 0.09)))
    two = contacts(NATIVE, GROUND, (cube, pose(0, 0, 0.09)))
    assert rounded(one) == rounded(two)


def test_cube_on_cube_has_the_four_corners_of_the_overlap():
    found = contacts(NATIVE, (CUBE, np.eye(4)), (CUBE, pose(0.05, -0.03, 0.199)))
    assert rounded(found) == [(x, y, 0.0995) for x in (-0.05, 0.1) for y in (-0.1, 0.07)]
    np.testing.assert_allclose(found["depth"], 0.001, atol=1e-12)


def test_cube_turned_on_cube_has_eight_points():
    found = contacts(NATIVE, (CUBE, np.eye(4)), (CUBE, pose(0, 0, 0.199, turn(2, np.pi / 4))))
    assert len(found) == 8
    r = 0.1 * np.hypot(1.0, np.tan(np.pi / 8))                    # a regular octagon
    np.testing.assert_allclose(np.linalg.norm(found["position"][:, :2], axis=1), r, atol=1e-9)


def test_crossed_edges_touch_in_one_point():
    found = contacts(
        NATIVE,
        (CUBE, pose(0, 0, 0, turn(0, np.pi / 4))),
        (CUBE, pose(0.02, 0.03, 0.2 * np.sqrt(2) - 0.003, turn(1, np.pi / 4))),
    )
    assert len(found) == 1
    np.testing.assert_allclose(found["position"][0], [0.02, 0.0, 0.1 * np.sqrt(2) - 0.0015], atol=1e-9)
    assert found["depth"][0] == pytest.approx(0.003, abs=1e-12)


@pytest.mark.parametrize(
    "pair", ["box", "cylinder", "hull", "mesh", "stack", "capsules", "rod on box", "can on box", "hull on hull", "cans"]
)
def test_names_keep_under_small_motion(pair):
    """A body at rest trembles: the contacts must keep their names for the warm start."""
    lying = turn(1, np.pi / 2)
    base, top, height, R = {
        "box": (HalfSpace(), CUBE, 0.099, np.eye(3)),
        "cylinder": (HalfSpace(), Cylinder(0.1, 0.2), 0.099, np.eye(3)),
        "hull": (HalfSpace(), PRISM, 0.099, np.eye(3)),
        "mesh": (HalfSpace(), Mesh(PRISM.vertices, [[0, 1, 2]]), 0.099, np.eye(3)),
        "stack": (CUBE, CUBE, 0.199, np.eye(3)),
        "capsules": (Capsule(0.1, 0.4), Capsule(0.1, 0.4), 0.199, lying),
        "can on box": (CUBE, Cylinder(0.08, 0.2), 0.199, np.eye(3)),
        "hull on hull": (PRISM, PRISM, 0.199, np.eye(3)),
        "cans": (Cylinder(0.1, 0.2), Cylinder(0.1, 0.2), 0.199, np.eye(3)),
        "rod on box": (Box((0.6, 0.4, 0.2)), Capsule(0.1, 0.4), 0.199, lying),
    }[pair]
    X_base = pose(0, 0, 0, lying) if pair == "capsules" else np.eye(4)
    rng = np.random.default_rng(1)
    names = set()
    for _ in range(60):
        a, b, c = rng.normal(size=3) * 1e-8
        X = pose(*(rng.normal(size=3) * 1e-8 + (0, 0, height)), turn(0, a) @ turn(1, b) @ turn(2, c) @ R)
        names.add(tuple(contacts(NATIVE, (base, X_base), (top, X))["feature"]))
    assert len(names) == 1 and len(names.pop()) == (2 if R is lying else 4)


def test_names_do_not_depend_on_the_reference_face():
    """Rocking through level turns the comparison of faces over; the corners keep their names."""
    names = set()
    for tilt in (-2e-3, -1e-4, 1e-4, 2e-3):
        found = contacts(NATIVE, (CUBE, np.eye(4)), (CUBE, pose(0, 0, 0.1985, turn(0, tilt))))
        names.add(tuple(found["feature"]))
    assert len(names) == 1


def test_margin_reports_gaps():
    near = NativeBackend(margin=0.01)
    found = contacts(near, GROUND, (CUBE, pose(0, 0, 0.104)))
    np.testing.assert_allclose(found["depth"], -0.004, atol=1e-12)
    assert len(contacts(near, GROUND, (CUBE, pose(0, 0, 0.111)))) == 0
    for a, b, X in [
        (Sphere(0.1), Sphere(0.1), pose(0, 0, 0.204)),
        (CUBE, CUBE, pose(0, 0, 0.204)),
        (Capsule(0.1, 0.2), CUBE, pose(0, 0, 0.304)),
        (Sphere(0.1), CUBE, pose(0, 0, 0.204)),
        (Cylinder(0.1, 0.2), Sphere(0.1), pose(0, 0, 0.204)),
    ]:
        found = contacts(near, (b, np.eye(4)), (a, X))
        assert len(found) and found["depth"].max() == pytest.approx(-0.004, abs=1e-6)
        np.testing.assert_allclose(found["position"][:, 2], 0.102, atol=1e-6)
        assert len(contacts(NATIVE, (b, np.eye(4)), (a, X))) == 0
