"""Contacts of single pairs: how many, where, and under which names."""

import numpy as np
import pytest
from collision_scenes import contacts, pose, rotation, turn

from rbdyn.collision import Box, Capsule, ConvexHull, Cylinder, HalfSpace, Mesh, NativeBackend, Sphere

GROUND = (HalfSpace(), np.eye(4))
CUBE = Box((0.2, 0.2, 0.2))
PRISM = ConvexHull([[0.1 * np.cos(t), 0.1 * np.sin(t), z] for z in (-0.1, 0.1) for t in np.arange(8) * np.pi / 4])
NATIVE = NativeBackend()
FLOORS = {                                                              # their upper side is at z = 0
    "half-space": GROUND,
    "box": (Box((4, 4, 2)), pose(0, 0, -1)),
    "hull": (ConvexHull([[x, y, z] for x in (-2, 2) for y in (-2, 2) for z in (-2, 0)]), np.eye(4)),
    "cylinder": (Cylinder(3, 2), pose(0, 0, -1)),
}
on_floors = pytest.mark.parametrize("floor", FLOORS.values(), ids=FLOORS)


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
        "mesh": (HalfSpace(), Mesh(PRISM.hull.vertices, PRISM.hull.triangles), 0.099, np.eye(3)),
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


def edge_ends(e):
    """Signs of the two corners of a box's edge e = 4 axis + the bits of the two axes after it."""
    axis, first, second = e // 4, e & 1, e >> 1 & 1
    ends = np.empty((2, 3))
    ends[:, axis] = -1.0, 1.0
    ends[:, (axis + 1) % 3] = 2 * first - 1
    ends[:, (axis + 2) % 3] = 2 * second - 1
    return ends


def from_segment(x, ends):
    """Distance of x from the segment between two points."""
    d = ends[1] - ends[0]
    return np.linalg.norm(x - ends[0] - np.clip((x - ends[0]) @ d / (d @ d), 0.0, 1.0) * d)


def test_the_name_of_a_contact_of_boxes_says_where_it_is():
    """Below 8: that corner of the second box; below 16: of the first; else an edge of each crosses there."""
    rng = np.random.default_rng(6)
    seen = {"corner of the second": set(), "corner of the first": set(), "edges": set()}
    for k in range(300):
        a, b = Box(rng.uniform(0.2, 1.0, 3)), Box(rng.uniform(0.2, 1.0, 3))
        X_b = pose(0, 0, 0, rotation(rng))
        face, side = rng.integers(3), rng.choice([-1.0, 1.0])
        R = X_b[:3, :3] @ turn(face, rng.uniform(0, 6)) @ turn((face + 1) % 3, rng.normal() * 0.02)
        if k % 3 == 0:
            R = rotation(rng)
        shift = rng.uniform(-0.3, 0.3, 3)
        shift[face] = side * 0.5 * (a.size[face] + b.size[face] - 0.006)
        X_a = pose(*(X_b[:3, :3] @ shift), R)
        near = 0.025 * min(*a.size, *b.size)
        for contact in contacts(NATIVE, (a, X_a), (b, X_b)):
            x_a, x_b = (contact["position"] + s * 0.5 * contact["depth"] * contact["normal"] for s in (-1, 1))
            x_a, x_b = (x_a - X_a[:3, 3]) @ X_a[:3, :3], (x_b - X_b[:3, 3]) @ X_b[:3, :3]
            name = contact["feature"]
            if name < 16:
                box, x = (b, x_b) if name < 8 else (a, x_a)
                bits = 2.0 * (name >> np.arange(3) & 1) - 1.0
                assert np.linalg.norm(x - 0.5 * bits * box.size) < 2 * near, name
                seen["corner of the second" if name < 8 else "corner of the first"].add(name % 8)
            else:
                e, f = divmod(name - 16, 12)
                assert from_segment(x_a, 0.5 * edge_ends(e) * a.size) < near, name
                assert from_segment(x_b, 0.5 * edge_ends(f) * b.size) < near, name
                seen["edges"] |= {("first", e), ("second", f)}
    assert {len(v) for v in seen.values()} == {8, 24}                   # all corners, and all edges, of both


def test_the_one_point_of_round_shapes_is_called_nought():
    """Names go into the keys of the warm start: where a pair has one point at most, it has one name at all."""
    ball, near = Sphere(0.1), pose(0.02, 0.01, 0.15)
    for other in (ball, Capsule(0.1, 0.3), CUBE, HalfSpace(), Capsule(0.07, 0.4)):
        for X in (near, pose(0, 0, 0.02), pose(0.09, 0.05, 0.08)):
            for parts in ([(ball, X), (other, np.eye(4))], [(other, np.eye(4)), (ball, X)]):
                found = contacts(NATIVE, *parts)
                assert len(found) == 0 or found["feature"].tolist() == [0]
        assert len(found)


@on_floors
def test_the_points_of_a_hull_do_not_depend_on_how_its_vertices_are_numbered(floor):
    """Any vertex may be the first: the deepest, and those that least of a turn brings as deep, are the same."""
    rng = np.random.default_rng(3)
    for _ in range(5):
        cloud = rng.normal(size=(20, 3))
        cloud *= 0.2 / np.linalg.norm(cloud, axis=1, keepdims=True)     # on a ball: every point is a vertex
        R = rotation(rng)
        height = 0.1 - (cloud @ R.T)[:, 2].min()
        X = pose(0.3, -0.2, height - 0.4, R)                           # deep: many vertices are under the ground
        below = cloud @ R.T + X[:3, 3]
        below = below[below[:, 2] < 0]
        assert len(below) > 4
        chosen = [rounded(contacts(NATIVE, floor, (ConvexHull(np.roll(cloud, k, axis=0)), X))) for k in range(20)]
        assert len(chosen[0]) == 4 and all(one == chosen[0] for one in chosen)
        points = np.array(chosen[0]) * (1, 1, 2)                        # midway: half as deep as the vertex
        start = below[np.argmin(below[:, 2])]
        rest = below[below[:, 2] > start[2]]
        slope = (rest[:, 2] - start[2] + 2e-4) / np.linalg.norm((rest - start)[:, :2], axis=1)
        second = rest[np.argmin(slope)]
        u = (second - start)[:2] / np.linalg.norm((second - start)[:2])
        slope = (rest[:, 2] - start[2] + 2e-4) / np.abs((rest - start)[:, :2] @ (-u[1], u[0])).clip(1e-9)
        for vertex in (start, second, rest[np.argmin(slope)]):
            assert np.abs(points - vertex).max(axis=1).min() < 1e-8


@on_floors
def test_a_prism_on_its_side_rests_on_both_ends_of_its_lowest_edge(floor):
    """And not on what lies less deep but farther apart."""
    for n in (20, 60, 200):
        t = 2 * np.pi / n * np.arange(n) - np.pi / 2
        prism = ConvexHull([[0.1 * np.cos(a), y, 0.1 * np.sin(a)] for a in t for y in (-0.1, 0.1)])
        for margin in (0.0, 0.001, 0.02, 0.1):                         # wide: of what moves fast
            found = contacts(NativeBackend(margin=margin), floor, (prism, pose(0, 0, 0.097)))
            lowest = found[found["depth"] > 0.003 - 1e-9]
            assert rounded(lowest) == [(0.0, -0.1, -0.0015), (0.0, 0.1, -0.0015)]


@on_floors
def test_what_lands_flat_does_so_on_its_nearest_vertices(floor):
    """A slab nearly level, with a margin that takes in its upper side too: seen from above that is larger."""
    slab = np.array([[x, y, z] for x in (-0.2, 0.2) for y in (-0.15, 0.15) for z in (-0.05, 0.05)])
    R = turn(0, 8e-4) @ turn(1, 6e-4)
    near = NativeBackend(margin=0.15)
    for k in range(8):
        found = contacts(near, floor, (ConvexHull(np.roll(slab, k, axis=0)), pose(0, 0, 0.0504, R)))
        gaps = np.sort((slab @ R.T)[:, 2] + 0.0504)[:4]
        assert gaps[-1] < 1e-3
        np.testing.assert_allclose(np.sort(-found["depth"])[:4], gaps, atol=1e-9)


@on_floors
def test_a_plate_that_comes_down_fast_has_points_all_around(floor):
    """Half of its rim comes down in the same step: within a wide margin, points are far from the lowest one too."""
    t = 2 * np.pi / 40 * np.arange(40)
    plate = ConvexHull([[0.2 * np.cos(a), 0.2 * np.sin(a), z] for a in t for z in (-0.02, 0.02)])
    X = pose(0, 0, 0.041, turn(1, 0.1))
    slow, fast = (contacts(NativeBackend(margin=m), floor, (plate, X)) for m in (2e-3, 0.1))
    assert len(fast) <= 8 and fast["depth"].max() == slow["depth"].max()
    for phi in np.linspace(0, 2 * np.pi, 32):                          # the centre is well inside
        assert (fast["position"][:, :2] @ (np.cos(phi), np.sin(phi))).max() > 0.05


@pytest.mark.parametrize("tilt", [0.0, 0.01, 0.03])
def test_of_a_plate_with_a_domed_floor_the_neighbours_of_the_lowest_facet_carry_too(tilt):
    """One of its small facets faces the box: points next to it are lower, or hardly higher, and farther apart."""
    t, height = 2 * np.pi / 12 * np.arange(12), {0.0: 0.1, 0.05: 0.0, 0.15: 0.002, 0.3: 0.02}
    dome = np.array([[r * np.cos(a), r * np.sin(a), h] for r, h in height.items() for a in t[: 12 if r else 1]])
    R = turn(1, tilt)
    gaps = np.sort((dome @ R.T)[:, 2])
    X = pose(0, 0, 0.001 - gaps[0], R)
    for parts in ([FLOORS["box"], (ConvexHull(dome), X)], [(ConvexHull(dome), X), FLOORS["box"]]):
        found = contacts(NativeBackend(margin=0.05), *parts)
        assert found["depth"].max() == pytest.approx(-0.001, abs=1e-12)
        assert len({tuple(p) for p in rounded(found)}) == len(found) <= 7
        from_centre = found["position"][:, :2] - X[:2, 3]
        assert (np.hypot(*from_centre.T) > 0.14).sum() >= 3
        for phi in np.linspace(0, 2 * np.pi, 32):                      # the centre is well inside
            assert (from_centre @ (np.cos(phi), np.sin(phi))).max() > 0.04


def test_plates_of_hulls_on_each_other_meet_at_the_vertices_of_both():
    """Whichever comes first, and lies above: what reaches over the other one's face is no contact, the rest spans."""
    t = 2 * np.pi / 24 * np.arange(24)
    dish = np.array([[0.2 * np.cos(a), 0.2 * np.sin(a), z] for a in t for z in (-0.02, 0.02)])
    table = np.array([[x, y, z] for x in (-0.15, 0.15) for y in (-0.3, 0.3) for z in (-0.05, 0.0)])
    low, high = (ConvexHull(table), np.eye(4)), (ConvexHull(dish), pose(0, 0, 0.019))
    for parts in ([low, high], [high, low]):
        found = contacts(NATIVE, *parts)
        np.testing.assert_allclose(found["depth"], 0.001, atol=1e-12)
        np.testing.assert_allclose(found["position"][:, 2], -0.0005, atol=1e-12)
        assert (np.abs(found["position"][:, 0]) < 0.15 + 1e-9).all()
        assert (np.hypot(*found["position"][:, :2].T) < 0.2 + 1e-9).all()
        for phi in np.linspace(0, 2 * np.pi, 32):
            assert (found["position"][:, :2] @ (np.cos(phi), np.sin(phi))).max() > 0.08


@pytest.mark.parametrize("roll", [0.0, 0.4, 1.0, 2.0, 3.5, 5.0])
@pytest.mark.parametrize("tilt", [0.01, 0.05, 0.15])
def test_a_can_that_leans_on_a_crate_keeps_the_lowest_point_of_its_rim(tilt, roll):
    """Between two corners of the clipped rim: the deepest contact is the lowest point of the can, in closed form."""
    can, crate = Cylinder(0.1, 0.3), Box((0.6, 0.6, 0.2))
    lean = turn(2, roll) @ turn(1, tilt)
    lowest = lean @ (0.1, 0.0, -0.15)
    X = pose(0.03, -0.02, 0.1 - lowest[2] - 0.002, lean @ turn(2, 0.3))
    for parts in ([(crate, np.eye(4)), (can, X)], [(can, X), (crate, np.eye(4))]):
        found = contacts(NATIVE, *parts)
        assert found["depth"].max() == pytest.approx(0.002, abs=3e-5)
        deepest = found[np.argmax(found["depth"])]
        expected = X[:3, 3] + lowest + (0.0, 0.0, 0.001)
        np.testing.assert_allclose(deepest["position"], expected, atol=1e-3)
        assert (found["depth"] > 0.0018).sum() == 1                    # it takes the place of the deepest corner


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


def hull_of(box):
    return ConvexHull([0.5 * np.array(box.size) * (x, y, z) for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)])


@pytest.mark.parametrize("kinds", ["boxes", "hulls", "both"])
@pytest.mark.parametrize("swap", [False, True])
@pytest.mark.parametrize(("roll", "dip"), [(0.02, 0.0), (-0.05, 0.01), (0.1, -0.015)])
def test_rods_that_cross_on_edges_tell_all_crossings(roll, dip, swap, kinds):
    """A rod over another, rolled about its axis: the normal is that of the edges; of each crossing the gap along it."""
    rod = Box((0.3, 0.006, 0.006))
    rods = [rod if kinds == "boxes" else hull_of(rod), hull_of(rod) if kinds == "hulls" else rod]
    R = [turn(0, roll), turn(2, 1.1) @ turn(1, dip) @ turn(0, 0.5 * roll)]
    n = np.cross(R[0][:, 0], R[1][:, 0])
    n /= np.linalg.norm(n)                                              # up, from the first rod to the second
    edges = [[(0.003 * (s * X[:, 1] + t * X[:, 2]), X[:, 0]) for s in (-1, 1) for t in (-1, 1)] for X in R]
    top = sorted(edges[0], key=lambda e: -e[0] @ n)[:2]
    bottom = sorted(edges[1], key=lambda e: e[0] @ n)[:2]
    lift = max(e[0] @ n for e in top) - min(e[0] @ n for e in bottom) - 2e-4
    X = [pose(0, 0, 0, R[0]), pose(*(lift * n), R[1])]
    first, second = (1, 0) if swap else (0, 1)
    found = contacts(NativeBackend(margin=2e-3), (rods[first], X[first]), (rods[second], X[second]))
    expected = []
    for p, u in top:
        for q, v in bottom:                                             # nearest points of two lines
            q_ = q + lift * n
            s, r, gap = np.linalg.solve(np.column_stack([u, -v, n]), q_ - p)
            expected.append((*(p + s * u + 0.5 * gap * n), -gap))
    expected = np.array(expected)[np.argsort([-e[3] for e in expected])]
    order = np.argsort(-found["depth"])
    assert len(found) == 4
    np.testing.assert_allclose(found["depth"][order], expected[:, 3], atol=1e-12)
    np.testing.assert_allclose(found["position"][order], expected[:, :3], atol=1e-9)
    np.testing.assert_allclose(found["normal"], [(n if swap else -n)] * 4, atol=1e-12)
    assert found["depth"].max() == pytest.approx(2e-4, abs=1e-12)
