"""Rays into meshes and height maps: what all triangles, asked one by one, say."""

import numpy as np
import pytest
from surfaces import flat_map, flat_mesh, grid_mesh, rough_map, triangles_of

import rbdyn
from rbdyn.collision import HeightMap, Mesh


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
