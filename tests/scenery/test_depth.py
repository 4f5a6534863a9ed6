"""Pictures of depth and of shapes say what rays say, which share no code with them."""

import numpy as np
import pytest

import rbdyn
from rbdyn import models
from rbdyn.collision import Box, Compound, ConvexHull, HeightMap, Mesh, Sphere
from rbdyn.scenery import Camera, Style, look
from rbdyn.spatial.rotations import random_quat, random_rotation
from rbdyn.spatial.transform import Transform

PIXELS = 10_000


def scattered(world, rng, bodies):
    for body in bodies:
        body.set_pose(rng.uniform(-1, 1, size=3) * (2, 2, 0.8) + (0, 0, 1), random_quat(rng))


def boxes(world, rng):
    world.add_ground()
    scattered(world, rng, [world.add_box(*rng.uniform(0.1, 1, size=3), 1.0) for _ in range(12)])


def rounds(world, rng):
    world.add_ground()
    some = []
    for _ in range(4):
        r, h = rng.uniform(0.1, 0.5, size=2)
        some += [world.add_sphere(r, 1.0), world.add_capsule(r, h, 1.0), world.add_cylinder(r, h, 1.0)]
        some += [world.add_cone(r, h, 1.0), world.add_ellipsoid(*rng.uniform(0.1, 0.5, size=3), 1.0)]
    scattered(world, rng, some)


def terrain(world, rng):
    world.add_height_map(HeightMap.fractal((40, 30), (6, 6), z_scale=1.0, frequency=0.4, seed=int(rng.integers(99))))
    open_ = Mesh(rng.uniform(-0.5, 0.5, size=(9, 3)), rng.permuted(np.tile(np.arange(9), (4, 1)), axis=1)[:, :3])
    hull = ConvexHull(rng.normal(size=(30, 3)) * 0.3).hull
    closed = Mesh(hull.vertices, hull.triangles)
    bodies = [world.add_mesh(m, body_type="static") for m in (open_, open_, closed, closed)]
    bodies.append(world.add_compound(Compound([(Sphere(0.3), np.eye(4)), (Box((0.2, 1.5, 0.1)), np.eye(4))]), 1.0))
    scattered(world, rng, bodies)


def hulls(world, rng):
    world.add_ground()
    some = [ConvexHull(rng.normal(size=(int(rng.integers(4, 60)), 3)) * 0.4) for _ in range(12)]
    geometries = [[rbdyn.Geometry(h, Transform(translation=rng.normal(size=3) * 0.1))] for h in some]
    scattered(world, rng, [world.add_single_body(g, 1.0, np.eye(3)) for g in geometries])


def robots(world, rng):
    world.add_ground()
    for k, make in enumerate((models.quadruped, models.six_axis_arm, models.quadruped)):
        robot = world.add_articulated_system(make(), name=f"robot{k}")
        robot.set_state(robot.model.random(rng))
        if robot.model.floating_base:
            robot.set_base_pose(rng.uniform(-1, 1, size=3) + (0, 0, 1))


SCENES = [boxes, rounds, terrain, hulls, robots]


def some_camera(rng, aimed):
    """Anywhere, within things or below the ground too, of any width; aimed at something, or not."""
    fx, fy = rng.uniform(60, 200, size=2)
    values = {"position": rng.uniform(-3, 3, size=3) + (0, 0, 1.2), "target": rng.normal(size=3) * 0.4 + (0, 0, 0.8)}
    if not aimed:
        pose = Transform(rotation=random_rotation(rng), translation=rng.uniform(-1, 1, size=3) + (0, 0, 1))
        values = {"pose": pose, "axes": ("forward", "optical")[int(rng.integers(2))]}
    intrinsics = (fx, fy, rng.uniform(0, 157), rng.uniform(0, 131))
    return Camera(width=157, height=131, intrinsics=intrinsics, near=1e-6, **values)


@pytest.mark.parametrize("scene", SCENES, ids=lambda s: s.__name__)
def test_depth_and_shapes_are_those_that_rays_meet(scene, seed):
    rng = np.random.default_rng(1000 + seed)
    world = rbdyn.World()
    scene(world, rng)
    seen_shapes = 0
    for k in range(4):
        camera = some_camera(rng, k < 3)
        view = look(world, camera, geometry="collision")
        pixels = rng.integers(0, (camera.height, camera.width), size=(PIXELS // 4, 2))
        X, d = camera.optical_pose(), camera.rays()[pixels[:, 0], pixels[:, 1]]
        hits = world.ray_test_batch(X[:3, 3], d @ X[:3, :3].T)
        depth = view.depth[pixels[:, 0], pixels[:, 1]]
        expected = hits.distance / np.linalg.norm(d, axis=1)
        near = np.isfinite(expected) & (expected < 1e3)  # of a ground near its horizon neither is known to a micrometre
        assert np.array_equal(np.isfinite(depth), np.isfinite(expected))
        assert np.abs(depth[near] - expected[near]).max(initial=0.0) < 1e-6
        points = view.points[pixels[:, 0], pixels[:, 1]]
        assert np.abs(points[near] - hits.position[near]).max(initial=0.0) < 1e-5
        index = view.segmentation[pixels[:, 0], pixels[:, 1]]
        assert np.array_equal(index >= 0, hits.hit)
        for item, ray in {(int(i), int(k)) for i, k in zip(index, hits.index, strict=True) if i >= 0}:
            found, hit = view.items[item], hits.seen[ray]
            assert (found.object, found.link) == (hit.object.name, hit.link)
            assert hit.geometry in (found.name.split("/", 1)[1], found.object)
            seen_shapes += 1
        bodies = view.bodies[pixels[:, 0], pixels[:, 1]]
        names = {int(k): hits.seen[h].body for k, h in zip(bodies, hits.index, strict=True) if k >= 0}
        assert all(view.carriers[k].body == body for k, body in names.items())
    assert seen_shapes > 8


@pytest.mark.parametrize("scene", SCENES, ids=lambda s: s.__name__)
def test_threads_change_no_pixel(scene):
    rng = np.random.default_rng(5)
    world = rbdyn.World()
    scene(world, rng)
    camera = Camera.looking_at(world, width=201, height=99)
    for style in (Style(antialias=3), Style.plain(smooth=False)):
        views = [look(world, camera, style=style, threads=n) for n in (1, 2, 3, 7, 1)]
        for view in views[1:]:
            assert np.array_equal(view.rgb, views[0].rgb) and np.array_equal(view.depth, views[0].depth)
            assert np.array_equal(view.segmentation, views[0].segmentation)
    assert len(np.unique(views[0].rgb.reshape(-1, 3), axis=0)) > 20


def test_neighbours_leave_no_gap_and_share_no_pixel(seed):
    """A plate of many triangles, seen against nothing: each pixel of its outline's inside is one of its."""
    rng = np.random.default_rng(seed)
    n = 14
    x, y = np.meshgrid(np.linspace(-1, 1, n), np.linspace(-1, 1, n))
    inner = (np.abs(x) < 1) & (np.abs(y) < 1)
    x, y = x + inner * rng.uniform(-0.06, 0.06, x.shape), y + inner * rng.uniform(-0.06, 0.06, x.shape)
    k = np.arange(n * n).reshape(n, n)
    a, b, c, d = (k[:-1, :-1].ravel(), k[:-1, 1:].ravel(), k[1:, 1:].ravel(), k[1:, :-1].ravel())
    faces = np.concatenate([np.stack([a, b, c], 1), np.stack([a, c, d], 1)])
    world = rbdyn.World()
    world.add_mesh(Mesh(np.stack([x.ravel(), y.ravel(), 0 * x.ravel()], 1), faces), body_type="static")
    camera = Camera(width=300, height=300, position=(0.05, 0.03, 1.3), target=(0, 0, 0), up=(0, 1, 0))
    view = look(world, camera)
    corners = camera.project([[-1, -1, 0], [1, 1, 0]])
    (u0, v0), (u1, v1) = corners.min(axis=0), corners.max(axis=0)
    inside = np.s_[max(0, int(v0) + 3) : int(v1) - 3, max(0, int(u0) + 3) : int(u1) - 3]
    assert (view.segmentation[inside] == 0).all() and view.segmentation[inside].size > 40_000
    assert np.abs(view.points[inside][..., 2]).max() < 1e-12


def test_near_and_far_cut():
    world = rbdyn.World()
    for k, x in enumerate((1.0, 2.0, 3.0)):
        world.add_box(0.1, 4.0, 4.0, 1.0, name=f"wall{k}").set_pose(position=(x, 0, 0))
    for near, far, depth in ((0.01, np.inf, 0.95), (0.96, np.inf, 1.95), (1.96, 2.9, np.inf), (1.5, 1.9, np.inf)):
        view = look(world, Camera(width=9, height=9, near=near, far=far))
        assert np.allclose(view.depth, depth, rtol=0, atol=1e-12), near


def test_a_plane_reaches_to_the_horizon():
    world = rbdyn.World()
    world.add_ground()
    camera = Camera(width=11, height=101, position=(0, 0, 2), target=(1, 0, 2))
    depth = look(world, camera).depth
    assert np.isfinite(depth[51:]).all() and np.isinf(depth[:50]).all()
    f = camera.intrinsics[1]
    rows = np.arange(51, 101)
    assert np.abs(depth[51:, 3] * (rows + 0.5 - 50.5) / f - 2.0).max() < 1e-12
