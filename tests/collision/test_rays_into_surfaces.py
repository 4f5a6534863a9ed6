"""Rays into meshes and height maps: what all triangles, asked one by one, say."""

import faulthandler

import numpy as np
import pytest
from surfaces import flat_map, flat_mesh, grid_mesh, rough_map, triangles_of

import rbdyn
from rbdyn.collision import HeightMap, Mesh
from rbdyn.collision.shapes.bounding_tree import bounding_tree
from rbdyn.collision.shapes.wide_tree import wide_tree

SHAKES = 1e-9 * np.array([(0, 0, 0), *np.vstack([np.eye(3), -np.eye(3)])])  # [m]


def brute_force(triangles, o, d, most, front_only):
    """Nearest distance and normal over all triangles: T. Moeller, B. Trumbore (Journal of Graphics Tools 2, 1997)."""
    a, e, f = triangles[:, 0], triangles[:, 1] - triangles[:, 0], triangles[:, 2] - triangles[:, 0]
    p = np.cross(d, f)
    det = np.einsum("ij,ij->i", e, p)
    with np.errstate(divide="ignore", invalid="ignore"):
        s = o - a
        u = np.einsum("ij,ij->i", s, p) / det
        q = np.cross(s, e)
        v = q @ d / det
        t = np.einsum("ij,ij->i", f, q) / det
    ok = np.abs(det) > 1e-14
    u, v, t = (np.where(ok, x, -1.0) for x in (u, v, t))
    ok &= (u >= -1e-12) & (v >= -1e-12) & (u + v <= 1 + 1e-12) & (t >= 0) & (t <= most)
    if front_only:
        ok &= det > 0
    if not ok.any():
        return np.inf, None
    k = np.flatnonzero(ok)[np.argmin(t[ok])]
    n = np.cross(e[k], f[k])
    return t[k], n / np.linalg.norm(n) * (1.0 if det[k] > 0 else -1.0)


def ball_mesh(n=40):
    u, v = np.meshgrid(np.linspace(0.01, np.pi - 0.01, n), np.linspace(0, 2 * np.pi, 2 * n), indexing="ij")
    r = 0.7 + 0.15 * np.sin(3 * u) * np.cos(4 * v)
    return grid_mesh(r * np.sin(u) * np.cos(v), r * np.sin(u) * np.sin(v), r * np.cos(u))


@pytest.mark.parametrize("kind", ["height_map", "mesh", "one-sided mesh", "closed mesh"])
def test_rays_meet_what_all_triangles_say(kind):
    rng = np.random.default_rng(3)
    if kind == "height_map":
        surface = rough_map(2)
    elif kind == "closed mesh":
        surface = ball_mesh()
    else:
        t = triangles_of(rough_map(2))
        surface = Mesh(t.reshape(-1, 3), np.arange(3 * len(t)).reshape(-1, 3), one_sided=kind[0] == "o")
    world = rbdyn.World()
    body = world.add_single_body([rbdyn.Geometry(surface)], 0.0, np.zeros((3, 3)), "static")
    q = np.array([0.8, 0.2, -0.3, 0.4])
    body.set_pose(position=(0.4, -0.7, 1.3), orientation=q / np.linalg.norm(q))
    triangles = triangles_of(surface)
    front = kind in ("height_map", "one-sided mesh")
    o = rng.uniform(-1.5, 1.5, (900, 3))
    d = rng.normal(size=(900, 3))
    d[::7] = [0, 0, -1]
    d[1::7] = [1, 0, 0]
    d /= np.linalg.norm(d, axis=1)[:, None]
    origins, directions = body.position + o @ body.rotation.T, d @ body.rotation.T
    hits = world.ray_test_batch(origins, directions, 2.5)
    found = 0
    for k in range(900):
        t, n = brute_force(triangles, o[k], d[k], 2.5, front)
        if t == np.inf:
            assert hits.distance[k] == np.inf, k
            continue
        found += 1
        assert hits.distance[k] == pytest.approx(t, abs=1e-12), k
        np.testing.assert_allclose(hits.normal[k] @ body.rotation, n, atol=1e-9)
        single = world.ray_test(origins[k], directions[k], 2.5)
        assert single.distance == hits.distance[k] and single.object is body
    assert found > 60


@pytest.mark.parametrize("surface", [flat_map(), flat_mesh()], ids=["height_map", "mesh"])
def test_no_ray_slips_between_triangles(surface):
    """Straight down on points and sides of the grid, and slanted through them."""
    world = rbdyn.World()
    world.add_single_body([rbdyn.Geometry(surface)], 0.0, np.zeros((3, 3)), "static")
    x = np.linspace(-0.95, 0.95, 39)
    at = np.array([(a, b, 0.0) for a in x for b in x])
    at = np.concatenate([at, np.round(at / 0.1) * 0.1])
    for d in ((0, 0, -1.0), (0.6, 0, -0.8), (0, 0.6, -0.8), (0.5, 0.5, -np.sqrt(0.5))):
        hits = world.ray_test_batch(at - 3.0 * np.array(d), np.tile(d, (len(at), 1)), 10.0)
        np.testing.assert_allclose(hits.distance, 3.0, atol=1e-12)


def test_rays_along_the_ground_and_beside_it():
    """Within the plane nothing is met, nor beyond the border, from below, or where a ray ends before the ground."""
    terrain = HeightMap([[0.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 0.0]], (2.0, 2.0))
    world = rbdyn.World()
    world.add_height_map(terrain)
    assert world.ray_test((-3, 0.0, 0.5), (1, 0, 0), 10.0).distance == pytest.approx(2.5)
    assert world.ray_test((-3, 0.0, 0.5), (1, 0, 0), 2.4) is None
    assert world.ray_test((-3, 0.0, 1.5), (1, 0, 0), 10.0) is None
    assert world.ray_test((1.2, 0.0, 1.0), (0, 0, -1), 10.0) is None
    assert world.ray_test((0.3, 0.1, -1.0), (0, 0, 1), 10.0) is None
    down = world.ray_test((0.25, 0.0, 2.0), (0, 0, -1), 10.0)
    assert down.distance == pytest.approx(2.0 - terrain.height(0.25, 0.0)) == pytest.approx(1.25)
    np.testing.assert_allclose(down.normal, terrain.normal(0.25, 0.0), atol=1e-12)


def spikes(ny=70, nx=45):
    """Ground with slopes, and single points that stick out of it, where blocks of cells meet and elsewhere."""
    rng = np.random.default_rng(8)
    h = 0.05 * rng.normal(size=(ny, nx))
    for i, j in [(16, 16), (15, 17), (32, 8), (48, 32), (33, 31), (0, 16), (64, 44), (69, 0)]:
        h[i, j] += 0.8
    return HeightMap(h, (3.0, 5.0))


def test_rays_over_many_blocks_of_cells():
    """What is passed at once has nothing in it: every slope, along the axes, along lines of the grid, up and down."""
    rng = np.random.default_rng(4)
    surface = spikes()
    world = rbdyn.World()
    world.add_height_map(surface)
    triangles = triangles_of(surface)
    n = 1500
    o = rng.uniform((-2.0, -3.0, -0.1), (2.0, 3.0, 0.9), (n, 3))
    d = rng.normal(size=(n, 3)) * (1.0, 1.0, 0.15) - (0.0, 0.0, 0.15)
    d[::9, 0] = 0.0
    d[1::9, 1] = 0.0
    o[2::9, 0], d[2::9, 0] = rng.integers(0, 45, len(o[2::9])) * (3.0 / 44) - 1.5, 0.0
    d[3::9, 2] = 0.0
    d[4::9, 2] = np.abs(d[4::9, 2])
    at = surface.heights.max() - 0.02  # at the tops of spikes
    o[5::9, 2] = at - d[5::9, 2] / np.linalg.norm(d[5::9], axis=1)
    d /= np.linalg.norm(d, axis=1)[:, None]
    hits = world.ray_test_batch(o, d, 6.0)
    on_line = np.arange(n) % 9 == 2  # followed through one of the cells beside it, within a hair
    seen = 0
    for k in np.flatnonzero(~on_line):
        t, _ = brute_force(triangles, o[k], d[k], 6.0, True)
        assert hits.distance[k] == (np.inf if t == np.inf else pytest.approx(t, abs=1e-12)), k
        seen += np.isfinite(t)
    for k in np.flatnonzero(on_line):
        t = brute_force(triangles, o[k], d[k], 6.0, True)[0]
        beside = [brute_force(triangles, o[k] + (x, 0, 0), d[k], 6.0, True)[0] for x in (-1e-9, 1e-9)]
        assert np.isclose(hits.distance[k], [t, *beside], rtol=0, atol=1e-6).any() or hits.distance[k] == t, k
    assert seen > 300


@pytest.fixture
def watchdog():
    """End the process if a query never returns: no signal reaches Python within one."""
    faulthandler.dump_traceback_later(300.0, exit=True)
    yield
    faulthandler.cancel_dump_traceback_later()


@pytest.mark.usefixtures("watchdog")
def test_rays_through_nodes_of_the_grid(seed):
    """Along diagonals and lines of the grid, and from node to node, where a ray leaves a row and a column at once."""
    rng = np.random.default_rng(seed)
    ny, nx = rng.integers(20, 90, 2)
    size = rng.choice([[nx - 1.0, ny - 1.0], [10.0, 10.0], [1.0, 3.0]])
    heights = np.where(rng.random((ny, nx)) < 0.001, 2.0, 0.0)
    surface = HeightMap(heights, size)
    world = rbdyn.World()
    world.add_height_map(surface)
    triangles = triangles_of(surface)
    n = 200
    grid = np.array(size) / (nx - 1, ny - 1)
    begin = rng.integers(-3, (nx + 2, ny + 2), (n, 2)) * grid - 0.5 * np.array(size)
    steps = rng.integers(-3, 4, (n, 2))
    steps[::4] = rng.choice([-1, 1], (len(steps[::4]), 2))
    steps[(steps == 0).all(axis=1)] = 1
    o = np.c_[begin, rng.choice([1.0, 1.5, 2.5], n)]
    d = np.c_[steps * grid, rng.choice([-0.25, -0.1, 0.0, 0.1], n) * np.hypot(*grid)]
    d /= np.linalg.norm(d, axis=1)[:, None]
    hits = world.ray_test_batch(o, d, 200.0)
    for k in range(n):
        # what grazes a spike within rounding is met or passed
        near = [brute_force(triangles, o[k] + e, d[k], 200.0, True)[0] for e in SHAKES]
        assert np.isclose(hits.distance[k], near, rtol=0, atol=1e-6).any() or hits.distance[k] in near, k


@pytest.mark.usefixtures("watchdog")
def test_a_ray_that_leaves_a_row_and_a_column_at_once():
    heights = np.zeros((64, 64))
    heights[0, -1] = 2.0
    world = rbdyn.World()
    world.add_height_map(HeightMap(heights, size=(10.0, 10.0)))
    assert world.ray_test((0, 0, 1.0), (1, 1, -0.1), length=20.0) is None


@pytest.mark.usefixtures("watchdog")
@pytest.mark.parametrize("n", [33, 65, 100, 101])
def test_lidar_over_the_middle_of_a_map(n):
    """Eight beams, of which four leave cells through nodes."""
    world = rbdyn.World()
    heights = np.zeros((n, n))
    heights[1, 0] = 2.0  # rays are followed from there down
    world.add_height_map(HeightMap(heights, size=(10.0, 10.0)))
    angle = np.arange(8) * np.pi / 4
    for x, y in ((np.cos(angle), np.sin(angle)), np.sign(np.round([np.cos(angle), np.sin(angle)]))):
        d = np.stack([x, y, np.full(8, -0.3)], axis=-1)
        hits = world.ray_test_batch(np.tile((0.0, 0.0, 0.6), (8, 1)), d / np.linalg.norm(d, axis=1)[:, None], 20.0)
        np.testing.assert_allclose(hits.distance, 2.0 * np.linalg.norm(d, axis=1), atol=1e-12)


@pytest.mark.parametrize(("scale", "afar"), [(1.0, 1.0), (1e-3, 1.0), (1e3, 1.0), (1.0, 1e4), (1e-3, 1e3)])
def test_rays_from_afar_into_meshes_of_any_size(scale, afar):
    """Boxes are asked in single precision: what rounding moves is allowed for."""
    rng = np.random.default_rng(5)
    ball = ball_mesh()
    mesh = Mesh(ball.vertices * scale, ball.faces)
    world = rbdyn.World()
    world.add_mesh(mesh, body_type="static")
    triangles = triangles_of(mesh)
    n = 400
    aim = mesh.vertices[rng.integers(0, len(mesh.vertices), n)] + 0.02 * scale * rng.normal(size=(n, 3))
    d = rng.normal(size=(n, 3))
    d[::5] = np.eye(3)[rng.integers(0, 3, len(d[::5]))] * rng.choice([-1.0, 1.0], len(d[::5]))[:, None]
    d /= np.linalg.norm(d, axis=1)[:, None]
    o = aim - d * rng.uniform(1.5, 3.0, (n, 1)) * scale * afar
    hits = world.ray_test_batch(o, d)
    seen = 0
    for k in range(n):
        t = scale * brute_force(triangles / scale, o[k] / scale, d[k], np.inf, False)[0]
        assert hits.distance[k] == (np.inf if t == np.inf else pytest.approx(t, abs=1e-12 * scale * afar)), k
        seen += np.isfinite(t)
    assert seen > 250


def test_rays_within_the_sides_of_boxes():
    """Along the lines of a grid on which boxes have their sides: the spikes that stand there are met where they are."""
    x, y = np.meshgrid(np.arange(33.0), np.arange(33.0), indexing="ij")
    inner = (x > 0) & (x < 32) & (y > 0) & (y < 32)
    z = np.where((x % 8 == 0) & (y % 8 == 0) & inner, 1.0, 0.0)
    world = rbdyn.World()
    world.add_mesh(grid_mesh(x, y, z), body_type="static")
    for k in (8.0, 16.0, 24.0):
        for o, d, way in (
            ((k, -2.0, 0.5), (0, 1, 0), 9.5),
            ((k, 34.0, 0.5), (0, -1, 0), 9.5),
            ((-2.0, k, 0.5), (1, 0, 0), 9.5),
            ((34.0, k, 0.5), (-1, 0, 0), 9.5),
            ((k, k, 5.0), (0, 0, -1), 4.0),
            ((k, 4.0, 5.0), (0, 0, -1), 5.0),
            ((k, 4.0, -5.0), (-0.0, 0, 1), 5.0),
        ):
            assert world.ray_test(o, d).distance == pytest.approx(way, abs=1e-12), (o, d)


@pytest.mark.parametrize("n", [1, 2, 4, 5, 16, 17, 200])
def test_a_wide_tree_holds_every_triangle_once(n):
    rng = np.random.default_rng(n)
    vertices = rng.normal(size=(3 * n, 3))
    vertices[1::3] = vertices[::3] + 0.1 * rng.normal(size=(n, 3))
    vertices[2::3] = vertices[::3] + 0.1 * rng.normal(size=(n, 3))
    faces = np.arange(3 * n).reshape(n, 3)
    nodes, order = bounding_tree(vertices, faces)
    wide = wide_tree(nodes)
    assert len(wide) <= len(nodes)
    seen = np.zeros(n, dtype=int)

    def walk(node, low, high):
        there = wide["side"][node, 0] < np.inf
        # boxes are divided until there is no room, or nothing to divide
        assert there.all() or (wide["count"][node, there] > 0).all() or n == 1
        for k in range(wide["first"].shape[1]):
            side = wide["side"][node, :, k]
            if not there[k]:
                assert (side[:3] == np.inf).all()
                assert (side[3:] == -np.inf).all()
                continue
            assert (side[:3] >= low).all()
            assert (side[3:] <= high).all()
            first, count = wide["first"][node, k], wide["count"][node, k]
            if count == 0:
                assert node < first < len(wide)
                walk(first, side[:3], side[3:])
                continue
            seen[order[first : first + count]] += 1
            corners = vertices[faces[order[first : first + count]]]
            assert (corners >= side[:3]).all()
            assert (corners <= side[3:]).all()

    walk(0, nodes["low"][0], nodes["high"][0])
    assert (seen == 1).all()


def rays_of_two_kinds(rng, n):
    """From one place, and from anywhere; to the front half of a ball, or anywhere."""
    d = rng.normal(size=(n, 3))
    o = rng.uniform(-1.5, 1.5, (n, 3))
    one = rng.random(n) < 0.5
    o[one] = (0.2, -1.6, 0.1)
    d[one] -= o[one]
    return o, d / np.linalg.norm(d, axis=1)[:, None]


@pytest.mark.parametrize("n", [1, 2, 7, 8, 9, 255, 257, 600])
def test_rays_of_a_batch_are_each_on_their_own(n):
    """Whatever is cast with them, and in whatever order: the bits are those of the ray alone."""
    rng = np.random.default_rng(n)
    world = rbdyn.World()
    ball = ball_mesh()
    for k in range(3):
        body = world.add_mesh(ball, body_type="static")
        body.set_pose(position=(0.4 * k, 0.3 * k, -0.2 * k))
    world.add_sphere(0.3, 1.0).set_pose(position=(0.0, 1.0, 0.5))
    o, d = rays_of_two_kinds(rng, n)
    hits = world.ray_test_batch(o, d, 3.0)
    order = rng.permutation(n)
    mixed = world.ray_test_batch(o[order], d[order], 3.0)
    for name in ("distance", "position", "normal"):
        np.testing.assert_array_equal(getattr(mixed, name), getattr(hits, name)[order], err_msg=name)
    for k in range(n):
        alone = world.ray_test(o[k], d[k], 3.0)
        assert (alone is None) == (hits[k] is None), k
        if alone is not None:
            assert alone.object is hits[k].object is mixed[int(np.flatnonzero(order == k)[0])].object
            assert alone.distance == hits.distance[k]
            np.testing.assert_array_equal(alone.normal, hits.normal[k])
            np.testing.assert_array_equal(alone.position, hits.position[k])
    assert n < 100 or hits.hit.sum() > n // 4


def test_all_that_a_ray_meets_leaves_out_a_mesh_that_it_passes():
    """Within the box of a triangle, beside the triangle, and without an end."""
    world = rbdyn.World()
    world.add_mesh(Mesh([(0, 0, 0), (1, 0, 0), (0, 1, 0)], [(0, 1, 2)]), body_type="static")
    assert world.ray_test((0.9, 0.9, 1.0), (0, 0, -1), all=True) == []
    assert len(world.ray_test((0.2, 0.2, 1.0), (0, 0, -1), all=True)) == 1


def test_a_ray_that_ends_on_a_mesh_meets_it():
    world = rbdyn.World()
    world.add_mesh(Mesh([(0, 0, 0), (1, 0, 0), (0, 1, 0)], [(0, 1, 2)]), body_type="static")
    assert world.ray_test((0.25, 0.25, 0.5), (0, 0, -1), 0.5).distance == 0.5
    assert world.ray_test((0.25, 0.25, 0.5), (0, 0, -1), np.nextafter(0.5, 0.0)) is None


def test_a_patched_map_is_the_map_with_those_heights(seed):
    """Also what it knows of blocks, whose least and largest heights come and go with a patch."""
    rng = np.random.default_rng(seed)
    ny, nx = rng.integers(2, 70, 2)
    surface = HeightMap(rng.normal(size=(ny, nx)), (3.0, 2.0))
    heights = np.array(surface.heights)
    for _ in range(25):
        i, j = rng.integers(0, ny), rng.integers(0, nx)
        part = rng.normal(size=(rng.integers(1, ny - i + 1), rng.integers(1, nx - j + 1))) * rng.choice([0.1, 1.0, 3.0])
        before = np.array(surface.heights)
        old, surface = surface, surface.patched(part, i, j)
        assert (old.heights == before).all()
        heights[i : i + len(part), j : j + part.shape[1]] = part
        fresh = HeightMap(heights, (3.0, 2.0))
        assert surface == fresh
        mine, its = surface.data(), fresh.data()
        assert mine.radius == its.radius
        assert mine.box == its.box
        for name, value in its.sizes.items():
            np.testing.assert_array_equal(mine.sizes[name], value, err_msg=name)
        blocks = its.sizes["top"]
        for a, b in np.ndindex(blocks.shape):
            assert blocks[a, b] == heights[16 * a : 16 * a + 17, 16 * b : 16 * b + 17].max()
        np.testing.assert_array_equal(surface.bounding_box()[0][2], heights.min())
    with pytest.raises(ValueError, match="read-only"):
        surface.heights[0, 0] = 1.0


def test_a_ray_that_runs_along_a_slope_meets_it_nowhere():
    """Seen edge on but for rounding, a triangle had it at its start, 2 m above: what is met is on the ground."""
    rng = np.random.default_rng(0)
    for _ in range(400):
        heights = 2.0 * rng.integers(-1, 2, (27, 5))
        world = rbdyn.World()
        world.add_height_map(HeightMap(heights, size=(10.0, 10.0)))
        for _ in range(20):
            i, j = rng.integers(0, 27), rng.integers(0, 5)
            start = np.array([-5.0 + 2.5 * j, -5.0 + 10.0 * i / 26.0, heights[i, j] + 2.0])
            way = np.array([rng.choice([-1.0, 1.0]), rng.normal(), -0.8])  # 2 m down in a cell of 2.5
            hit = world.ray_test(start, way, length=1000.0)
            if hit is None:
                continue
            u, v = (hit.position[0] + 5.0) / 2.5, (hit.position[1] + 5.0) * 2.6
            k, m = np.clip(int(v), 0, 25), np.clip(int(u), 0, 3)
            a, b, c, d = heights[k, m], heights[k, m + 1], heights[k + 1, m + 1], heights[k + 1, m]
            u, v = u - m, v - k
            ground = a + u * (b - a) + v * (c - b) if u >= v else a + v * (d - a) + u * (c - d)
            assert hit.position[2] == pytest.approx(ground, abs=1e-6)


@pytest.mark.parametrize("number", range(4))
def test_what_begins_on_a_surface_meets_it_there(number):
    """Origins on diagonals of a grid, exact in binary: rounding must not put the surface behind them.

    Rays that see both triangles of a diagonal from one side, as others only touch it.
    """
    rng = np.random.default_rng(number)
    x, y = np.meshgrid(np.arange(6.0), np.arange(7.0), indexing="ij")
    vertices = np.stack([x, y, rng.integers(0, 4, x.shape)], axis=-1).reshape(-1, 3).astype(float)
    corner = np.arange(42).reshape(6, 7)
    a, b, c, d = (part.ravel() for part in (corner[:-1, :-1], corner[1:, :-1], corner[1:, 1:], corner[:-1, 1:]))
    world = rbdyn.World()
    world.add_mesh(
        Mesh(vertices, np.vstack([np.stack([a, b, c], axis=1), np.stack([a, c, d], axis=1)])), body_type="static"
    )
    cell, share = rng.integers(0, len(a), 2000), rng.integers(1, 8, (2000, 1)) / 8.0
    p, q, r, s = (vertices[part[cell]] for part in (a, b, c, d))
    way = rng.normal(size=(2000, 3))
    way /= np.linalg.norm(way, axis=1)[:, None]
    first, second = (np.einsum("ij,ij->i", way, np.cross(e - p, f - p)) for e, f in ((q, r), (r, s)))
    through = first * second > 1e-3
    distance = world.ray_test_batch((1.0 - share) * p + share * r, way, 100.0).distance
    assert through.sum() > 1000
    assert distance[through].max() < 1e-12
