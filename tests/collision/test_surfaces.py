"""Convex shapes against meshes and height maps: flat ones are planes, rough ones agree with all their triangles."""

import numpy as np
import pytest
from collision_scenes import pose
from scipy.spatial.transform import Rotation
from surfaces import flat_map, flat_mesh, grid_mesh, nearest_on, rough_map, triangles_of

from rbdyn.collision import (
    Box,
    Capsule,
    Cone,
    ConvexHull,
    Cylinder,
    Ellipsoid,
    HalfSpace,
    HeightMap,
    Mesh,
    NativeBackend,
    Sphere,
    distance,
)
from rbdyn.errors import CollisionError

SHAPES = {
    "sphere": Sphere(0.1),
    "box": Box((0.3, 0.2, 0.1)),
    "capsule": Capsule(0.05, 0.3),
    "cylinder": Cylinder(0.1, 0.2),
    "ellipsoid": Ellipsoid((0.1, 0.15, 0.2)),
    "cone": Cone(0.1, 0.25),
    "hull": ConvexHull(np.random.default_rng(3).normal(size=(20, 3)) * 0.1),
}


def meet(ground, shape, X, margin=0.0, ground_pose=None):
    backend = NativeBackend(margin=margin)
    backend.add_shape(ground, 0, dynamic=False)
    backend.add_shape(shape, 1)
    return backend.query([np.eye(4) if ground_pose is None else ground_pose, X])


@pytest.mark.parametrize("ground", [flat_map(), flat_mesh()], ids=["height_map", "mesh"])
@pytest.mark.parametrize("name", SHAPES)
def test_what_is_flat_is_a_plane(ground, name):
    """Depth and normal of the deepest contact, anywhere on the tiles: those with a half-space, by other kernels."""
    rng, shape = np.random.default_rng(5), SHAPES[name]
    seen = 0
    for k in range(150):
        R = np.eye(3) if k % 5 == 0 else Rotation.random(random_state=rng).as_matrix()
        X = pose(*rng.uniform(-0.6, 0.6, 2), 0.0, R)
        low = shape.farthest(-R[2]) @ R[2]
        X[2, 3] = -low - rng.choice([1e-6, 1e-4, 5e-3])
        plane, found = meet(HalfSpace(), shape, X, 1e-3), meet(ground, shape, X, 1e-3)
        assert 0 < len(found) <= 8
        np.testing.assert_allclose(found["normal"], [(0.0, 0.0, -1.0)] * len(found), atol=1e-12)
        assert found["depth"].max() == pytest.approx(plane["depth"].max(), abs=1e-9 + 1e-4 * plane["depth"].max())
        assert len(set(found["feature"])) == len(found)
        seen += len(found)
    assert seen >= 150


@pytest.mark.parametrize("ground", [flat_map(), flat_mesh()], ids=["height_map", "mesh"])
def test_a_box_at_rest_keeps_its_four_corners(ground):
    """Wherever it lies on the tiles, and under the names of its corners."""
    rng = np.random.default_rng(1)
    names = set()
    for _ in range(40):
        X = pose(*rng.uniform(-0.5, 0.5, 2), 0.05 - 1e-5, Rotation.from_rotvec([0, 0, rng.uniform(0, 3)]).as_matrix())
        found = meet(ground, SHAPES["box"], X, 1e-3)
        corners = X[:2, 3] + np.array([(a, b) for a in (-0.15, 0.15) for b in (-0.1, 0.1)]) @ X[:2, :2].T
        assert sorted(map(tuple, np.round(found["position"][:, :2], 9))) == sorted(map(tuple, np.round(corners, 9)))
        np.testing.assert_allclose(found["depth"], 1e-5, atol=1e-12)
        names.add(tuple(sorted(found["feature"])))
    assert len(names) == 1


@pytest.mark.parametrize("kind", ["height_map", "mesh", "one-sided mesh"])
def test_a_ball_meets_what_is_nearest_of_all_triangles(kind):
    """Rough ground: the deepest contact is where brute force finds the nearest point; the others are no deeper."""
    rng, seen = np.random.default_rng(2), 0
    ball = Sphere(0.12)
    for seed in range(4):
        surface = rough_map(seed)
        if kind != "height_map":
            t = triangles_of(surface)  # of triangles that share no vertices, as in STL files
            surface_ = Mesh(t.reshape(-1, 3), np.arange(3 * len(t)).reshape(-1, 3), one_sided=kind[0] == "o")
        else:
            surface_ = surface
        for _ in range(25):
            x, y = rng.uniform(-0.8, 0.8), rng.uniform(-1.0, 1.0)
            centre = np.array([x, y, float(surface.height(x, y)) + rng.uniform(0.03, 0.13)])
            nearest = nearest_on(surface, centre)
            depth = 0.12 - np.linalg.norm(centre - nearest)
            found = meet(surface_, ball, pose(*centre, np.eye(3)), 1e-9)
            if depth < 0:
                assert len(found) == 0 or found["depth"].max() < 1e-9
                continue
            best = found[np.argmax(found["depth"])]
            assert best["depth"] == pytest.approx(depth, abs=1e-9)
            out = (centre - nearest) / np.linalg.norm(centre - nearest)
            np.testing.assert_allclose(best["normal"], -out, atol=2e-4)
            seen += 1
    assert seen > 40


@pytest.mark.parametrize("name", SHAPES)
def test_contacts_do_not_depend_on_where_the_ground_is(name):
    """Turned and moved together, shape and surface meet as before; with the shapes added in the other order, too."""
    rng, shape = np.random.default_rng(7), SHAPES[name]
    surface = rough_map(1)
    seen = 0
    for _ in range(30):
        x, y = rng.uniform(-0.6, 0.6, 2)
        X = pose(x, y, 1.0, Rotation.random(random_state=rng).as_matrix())
        for step in (0.03, 1e-3):
            X[2, 3] += 0.03
            while len(meet(surface, shape, X)) == 0:
                X[2, 3] -= step
        G = pose(*rng.normal(size=3), Rotation.random(random_state=rng).as_matrix())
        one, other = meet(surface, shape, X, 1e-3), meet(surface, shape, G @ X, 1e-3, G)
        assert abs(len(one) - len(other)) <= 1  # one at the margin may come or go
        first, second = one[np.argmax(one["depth"])], other[np.argmax(other["depth"])]
        assert second["depth"] == pytest.approx(first["depth"], abs=1e-7)
        np.testing.assert_allclose(second["normal"] @ G[:3, :3], first["normal"], atol=2e-3)
        backend = NativeBackend(margin=1e-3)
        backend.add_shape(shape, 1)
        backend.add_shape(surface, 0, dynamic=False)
        swapped = backend.query([np.eye(4), X])
        np.testing.assert_array_equal(np.sort(swapped["depth"]), np.sort(one["depth"]))
        np.testing.assert_allclose(swapped["normal"].sum(axis=0), -one["normal"].sum(axis=0), atol=1e-12)
        seen += len(one)
    assert seen > 30


def test_a_ridge_holds_a_box_and_a_valley_a_ball():
    """A convex edge pushes along the box's own normal; both walls of a groove along theirs."""
    x = np.array([[-1.0, -1.0], [0.0, 0.0], [1.0, 1.0]])
    y = np.array([[-1.0, 1.0]] * 3)
    ridge, groove = grid_mesh(x, y, -np.abs(x)), grid_mesh(x, y, np.abs(x))
    found = meet(ridge, Box((0.4, 0.4, 0.2)), pose(0.03, 0.0, 0.099, np.eye(3)), 1e-4)
    np.testing.assert_allclose(found["normal"], [(0, 0, -1.0)] * len(found), atol=1e-9)
    np.testing.assert_allclose(found["position"][:, 0], 0.0, atol=1e-6)
    np.testing.assert_allclose(found["depth"], 0.001, atol=1e-9)
    assert set(np.round(found["position"][:, 1], 6)) == {-0.2, 0.2}
    found = meet(groove, Sphere(0.1), pose(0.0, 0.0, 0.1 * np.sqrt(2) - 0.001, np.eye(3)), 1e-4)
    normals = found["normal"][np.argsort(found["normal"][:, 0])]
    np.testing.assert_allclose(normals, np.array([(-1, 0, -1), (1, 0, -1)]) / np.sqrt(2), atol=1e-9)
    np.testing.assert_allclose(found["depth"], 0.001 / np.sqrt(2), atol=1e-9)


def test_a_box_on_a_tread_is_not_pushed_off_by_the_riser():
    """Its bottom lies a hair below the nose of a step: up is the only way out."""
    x = np.array([[-1.0, -1.0], [0.0, 0.0], [0.0, 0.0], [1.0, 1.0]])
    z = np.array([[0.0, 0.0], [0.0, 0.0], [0.2, 0.2], [0.2, 0.2]])
    steps = grid_mesh(x, np.array([[-1.0, 1.0]] * 4), z)
    for depth in (1e-6, 1e-4, 2e-3):
        for at in (-0.05, 0.0, 0.03):
            found = meet(steps, Box((0.3, 0.3, 0.1)), pose(at, 0.1, 0.25 - depth, np.eye(3)), 1e-4)
            np.testing.assert_allclose(found["normal"], [(0, 0, -1.0)] * len(found), atol=1e-9)
            np.testing.assert_allclose(found["depth"], depth, atol=1e-9)


def test_what_is_below_ground_is_pushed_up():
    """A height map is solid: however deep the middle of a shape is, up to the lowest height."""
    surface = rough_map(0)
    low = surface.heights.min()
    for name, shape in SHAPES.items():
        found = meet(surface, shape, pose(0.1, 0.05, float(surface.height(0.1, 0.05)) - 0.15, np.eye(3)))
        assert len(found) > 0 and (found["normal"][:, 2] < -0.1).all(), name
        assert found["depth"].max() > 0.08
        assert len(meet(surface, shape, pose(0.1, 0.05, low - 3.0, np.eye(3)))) == 0


def test_one_sided_and_two_sided_sheets():
    sheet = flat_mesh()
    one = Mesh(sheet.vertices, sheet.faces, one_sided=True)
    above, below = pose(0.1, 0.2, 0.099, np.eye(3)), pose(0.1, 0.2, -0.099, np.eye(3))
    for mesh, n in ((sheet, 1), (one, 0)):
        assert len(meet(mesh, Sphere(0.1), above)) == 1
        found = meet(mesh, Sphere(0.1), below)
        assert len(found) == n
        if n:
            np.testing.assert_allclose(found["normal"], [(0, 0, 1.0)], atol=1e-12)
    assert one != sheet and hash(one) != hash(sheet)


def test_meshes_meet_by_their_triangles():
    """A cube of triangles on a flat sheet: its corners; on a plane likewise, and beside a hull of the same."""
    cube = ConvexHull(np.array([(x, y, z) for x in (-0.1, 0.1) for y in (-0.1, 0.1) for z in (-0.1, 0.1)]))
    mesh = Mesh(cube.hull.vertices, cube.hull.triangles)
    for ground in (flat_mesh(), flat_map(), HalfSpace(), Box((4.0, 4.0, 0.2))):
        z = 0.2 if isinstance(ground, Box) else 0.1
        found = meet(ground, mesh, pose(0.013, 0.027, z - 1e-4, np.eye(3)), 1e-3)
        np.testing.assert_allclose(found["normal"], [(0, 0, -1.0)] * len(found), atol=1e-9)
        np.testing.assert_allclose(found["depth"], 1e-4, atol=1e-9)
        spread = np.ptp(found["position"], axis=0)
        np.testing.assert_allclose(spread[:2], 0.2, atol=1e-6)


@pytest.mark.parametrize("speed", [1.0, 30.0, 400.0])
def test_nothing_flies_through_a_sheet(speed):
    """Followed through the step, from both sides, in any direction, at any place of the sheet."""
    rng = np.random.default_rng(4)
    for shape in SHAPES.values():
        for _ in range(6):
            backend = NativeBackend(margin=1e-3)
            backend.add_shape(flat_mesh(), 0, dynamic=False)
            backend.add_shape(shape, 1)
            side = rng.choice([-1.0, 1.0])
            X = pose(*rng.uniform(-0.5, 0.5, 2), side * 0.45, Rotation.random(random_state=rng).as_matrix())
            way = np.array([*rng.normal(size=2) * 0.1, -side * speed * 0.01])
            twist = rng.normal(size=3) * 0.3
            found = backend.query([np.eye(4), X], [np.zeros(6), np.concatenate([twist, way])])
            reaches = 0.45 - speed * 0.01 < -0.3
            assert len(found) > 0 or not reaches
            assert (found["normal"][:, 2] * side < 0).all()


BAD_MAPS = {
    "one row": (np.zeros((1, 5)), (1, 1)),
    "no array": ("terrain", (1, 1)),
    "NaN": ([[0, np.nan], [0, 0]], (1, 1)),
    "infinite": ([[0, np.inf], [0, 0]], (1, 1)),
    "ragged": ([[0, 1], [0]], (1, 1)),
    "size zero": (np.zeros((3, 3)), (0, 1)),
    "size negative": (np.zeros((3, 3)), (1, -1)),
    "one size": (np.zeros((3, 3)), (1,)),
    "size a number": (np.zeros((3, 3)), 2.0),
    "size a word": (np.zeros((3, 3)), "ab"),
}


@pytest.mark.parametrize("name", BAD_MAPS)
def test_a_height_map_that_is_none_is_refused(name):
    with pytest.raises(CollisionError, match="heights|size"):
        HeightMap(*BAD_MAPS[name])


def test_meshes_of_any_quality():
    """Doubled, degenerate and inverted triangles, and sides with three of them, are taken; with no area none is."""
    v = np.array([(0, 0, 0), (1, 0, 0), (0, 1, 0), (1, 1, 0), (0.5, 0.5, 1), (0, 0, 0)], dtype=float)
    faces = [(0, 1, 2), (5, 1, 2), (2, 1, 3), (1, 2, 4), (1, 1, 2), (0, 5, 1), (3, 1, 2)]
    for one_sided in (False, True):
        found = meet(Mesh(v, faces, one_sided=one_sided), Sphere(0.1), pose(0.2, 0.2, 0.09, np.eye(3)))
        assert found["depth"].tolist() == pytest.approx([0.01])
    with pytest.raises(CollisionError, match="area"):
        meet(Mesh(v, [(0, 5, 1), (2, 2, 3)]), Sphere(0.1), np.eye(4))


def test_heights_and_normals_of_places():
    """A plane is told exactly, between the points and beyond the border; cells are cut from least to largest."""
    x, y = np.meshgrid(np.linspace(-1, 1, 5), np.linspace(-1.5, 1.5, 4))
    plane = HeightMap(0.3 * x - 0.2 * y + 0.1, (2.0, 3.0))
    u, v = np.random.default_rng(0).uniform(-1, 1, (2, 50))
    np.testing.assert_allclose(plane.height(u, 1.5 * v), 0.3 * u - 0.3 * v + 0.1, atol=1e-14)
    n = np.array([-0.3, 0.2, 1.0])
    np.testing.assert_allclose(plane.normal(u, v), np.tile(n / np.linalg.norm(n), (50, 1)), atol=1e-14)
    assert plane.height(7.0, 0.0) == pytest.approx(0.4)
    cell = HeightMap([[0.0, 0.0], [1.0, 0.0]], (1.0, 1.0))
    assert cell.height(0.25, -0.25) == 0.0 and cell.height(-0.25, 0.25) == pytest.approx(0.5)
    with pytest.raises(CollisionError, match="finite"):
        plane.height(np.nan, 0.0)


def test_text_files(tmp_path):
    file = tmp_path / "hills.txt"
    file.write_text("3 2 2.0 1.0\n0 1 2\n3 4 5.5")
    assert HeightMap.from_text(file) == HeightMap([[0, 1, 2], [3, 4, 5.5]], (2.0, 1.0))
    for text in ("", "3 2 2.0 1.0\n0 1 2", "3 2 2 1 0 1 2 3 4 nan", "a 2 2 1 0 1", "2.5 2 1 1 0 0 0 0 0", "-1 2 1 1 0"):
        file.write_text(text)
        with pytest.raises(CollisionError):
            HeightMap.from_text(file)


def test_fractal_terrain():
    """As its parameters say: seeded, scaled, stepped, and finer octaves change it by no more than their share."""
    hills = HeightMap.fractal((60, 40), (12.0, 8.0), seed=3)
    assert hills.heights.shape == (40, 60) and hills.size == (12.0, 8.0)
    assert hills == HeightMap.fractal((60, 40), (12.0, 8.0), seed=3) != HeightMap.fractal((60, 40), (12.0, 8.0), seed=4)
    double = HeightMap.fractal((60, 40), (12.0, 8.0), seed=3, z_scale=4.0, height_offset=1.0)
    np.testing.assert_allclose(double.heights, 2.0 * hills.heights + 1.0, atol=1e-12)
    steps = HeightMap.fractal((60, 40), (12.0, 8.0), seed=3, step_size=0.25)
    np.testing.assert_allclose(steps.heights, np.floor(hills.heights / 0.25) * 0.25, atol=1e-12)
    assert len(np.unique(steps.heights)) > 3
    one, two = (HeightMap.fractal((60, 40), (12.0, 8.0), seed=3, octaves=k).heights for k in (1, 2))
    assert 0.01 < np.abs(two - one).max() <= 2.0 * 0.5 * np.sqrt(0.5)
    corner = HeightMap.fractal((3, 3), (20.0, 20.0), octaves=1, frequency=0.1)
    np.testing.assert_allclose(corner.heights, 0.0, atol=1e-12)  # the noise is 0 on its lattice
    smooth = HeightMap.fractal((2001, 2), (1.0, 1.0), octaves=1, frequency=2.0).heights[0]
    assert np.abs(np.diff(smooth, 2)).max() < 2.0 * (2.0 / 2000) ** 2 * 20.0  # its second derivative is finite
    for name, value in {"samples": (1, 5), "size": (0, 1), "octaves": 0, "gain": -1, "frequency": 0, "seed": -1,
                        "step_size": -1, "lacunarity": 0, "z_scale": np.nan, "height_offset": "a"}.items():  # fmt: skip
        with pytest.raises(CollisionError, match=name):
            HeightMap.fractal(**{name: value})
    with pytest.raises(CollisionError, match="samples"):
        HeightMap.fractal(5)


def cone_mesh(sides=32):
    """Long triangles that meet in a sharp corner."""
    a = 2.0 * np.pi * np.arange(sides) / sides
    rim = np.stack([0.1 * np.cos(a), 0.1 * np.sin(a), np.zeros(sides)], axis=1)
    k = np.arange(sides)
    next_ = (k + 1) % sides
    faces = np.concatenate([np.c_[k, next_, np.full(sides, sides)], np.c_[next_, k, np.full(sides, sides + 1)]])
    return Mesh(np.vstack([rim, (0.0, 0.0, 0.2), (0.0, 0.0, 0.0)]), faces)


@pytest.mark.parametrize("name", ["box", "hull", "cylinder"])
def test_what_touches_a_sharp_corner_is_not_pushed_by_what_lies_behind_it(name):
    """Triangles whose planes a shape is far behind, on the other side of the corner, said up to 60 mm."""
    rng, mesh, shape, excess = np.random.default_rng(4), cone_mesh(), SHAPES[name], []
    solid = ConvexHull(mesh.vertices)
    for k in range(250):
        n = np.array([0.0, 0.0, 1.0]) + 0.6 * rng.normal(size=3)
        n /= np.linalg.norm(n)
        R = Rotation.random(random_state=rng).as_matrix()
        low = R @ shape.farthest(-R.T @ n)
        X = pose(*((0.0, 0.0, 0.2) - low + 0.01 * rng.normal(size=3)), R)
        for _ in range(4):  # until they all but touch
            near = distance(shape, X, solid, np.eye(4))
            X[:3, 3] -= (near.distance + (k % 3 - 1) * 3e-4) * near.normal
        apart = distance(shape, X, solid, np.eye(4)).distance
        found = meet(mesh, shape, X, 1e-3)
        if len(found):
            excess.append(found["depth"].max() - max(-apart, 0.0))
    assert len(excess) > 200
    assert max(excess) < 1e-3


def test_a_flat_mesh_has_a_box_and_a_farthest_point():
    """It has no hull; vertices that no triangle uses count for nothing."""
    sheet = Mesh([(0, 0, 1), (2, 0, 1), (2, 3, 1), (9, 9, 9)], [(0, 1, 2)])
    np.testing.assert_array_equal(sheet.bounding_box(), [(0, 0, 1), (2, 3, 1)])
    np.testing.assert_array_equal(sheet.farthest(np.array([1.0, 1.0, 0.0])), (2, 3, 1))
    with pytest.raises(CollisionError, match="all of these have the same corner twice"):
        Mesh([(0, 0, 1), (2, 0, 1), (2, 3, 1)], [(0, 1, 1), (2, 2, 2)])


def test_slopes_are_those_of_the_triangles():
    """A ramp of one in two, and where it ends."""
    ramp = HeightMap([[0.0, 1.0, 1.0], [0.0, 1.0, 1.0]], (4.0, 1.0))
    np.testing.assert_allclose(ramp.slope([-1.0, -0.5, 1.0], 0.1), [np.arctan(0.5), np.arctan(0.5), 0.0], atol=1e-9)


def test_a_large_box_on_small_tiles_has_four_contacts():
    """Of 51,200 triangles below it, each of which touches it."""
    found = meet(HeightMap(np.zeros((241, 241)), (3.0, 3.0)), Box((2.0, 2.0, 0.2)), pose(0, 0, 0.1 - 1e-5), 1e-4)
    np.testing.assert_allclose(np.abs(found["position"][:, :2]), 1.0, atol=1e-12)
    assert len(found) == 4


def test_what_cuts_a_mesh_deeply_is_told_to_get_out():
    """Long shapes across the tube of a torus, where no triangle alone knows the way."""
    u, v = np.meshgrid(np.arange(24) * np.pi / 12, np.arange(12) * np.pi / 6, indexing="ij")
    r = 0.25 + 0.1 * np.cos(v)
    at = np.arange(24 * 12).reshape(24, 12)
    a, b = at, np.roll(at, -1, axis=0)
    c, d = np.roll(b, -1, axis=1), np.roll(at, -1, axis=1)
    faces = np.concatenate([np.stack([a, b, c], axis=-1).reshape(-1, 3), np.stack([a, c, d], axis=-1).reshape(-1, 3)])
    tube = Mesh(np.stack([r * np.cos(u), r * np.sin(u), 0.1 * np.sin(v)], axis=-1).reshape(-1, 3), faces)
    rng, cut = np.random.default_rng(4), 0
    for shape in (Ellipsoid((0.1, 0.25, 0.17)), Capsule(0.1, 0.3), ConvexHull(rng.normal(size=(25, 3)) * 0.2)):
        silent = 0
        for _ in range(120):
            X = pose(*rng.uniform(-0.3, 0.3, 3), Rotation.random(random_state=rng).as_matrix())
            if distance(shape, X, tube, np.eye(4)).distance == 0.0:
                found = meet(tube, shape, X)
                cut += 1
                silent += len(found) == 0
        assert silent == 0
    assert cut > 200
