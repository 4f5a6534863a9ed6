"""Cameras: where they look, what they project, and what they refuse."""

import math

import numpy as np
import pytest

import rbdyn
from rbdyn import models
from rbdyn.scenery import Camera, Scenery, Style, look, render
from rbdyn.spatial.rotations import random_quat, random_rotation
from rbdyn.spatial.transform import Transform


def test_what_is_projected_is_seen_there(seed):
    """Small balls at random places: the pixel that `project` names shows them, at their depth."""
    rng = np.random.default_rng(seed)
    world = rbdyn.World()
    camera = Camera(
        width=400,
        height=300,
        pose=Transform(rotation=random_rotation(rng), translation=rng.normal(size=3)),
        axes="optical",
        intrinsics=(350.0, 300.0, 190.0, 160.0),
    )
    X = camera.optical_pose()
    for k in range(20):
        depth = rng.uniform(1, 5)
        pixel = rng.uniform((10, 10), (390, 290))
        at = np.append((pixel - (190.0, 160.0)) / (350.0, 300.0), 1.0) * depth
        world.add_sphere(0.01, 1.0, name=f"ball{k}").set_pose(position=X[:3, :3] @ at + X[:3, 3])
        assert np.abs(camera.project(X[:3, :3] @ at + X[:3, 3]) - pixel).max() < 1e-9
        assert np.abs(camera.matrix @ at / depth - np.append(pixel, 1.0)).max() < 1e-9
    view = look(world, camera)
    found = 0
    for k, ball in enumerate(world.objects):
        u, v = camera.project(ball.position)
        index = view.segmentation[int(v), int(u)]
        if index == k:
            found += 1
            assert view.depth[int(v), int(u)] == pytest.approx(((ball.position - X[:3, 3]) @ X[:3, :3])[2], abs=0.011)
    assert found >= 18  # others stand before the rest
    assert np.isnan(camera.project(X[:3, 3] - X[:3, 2])).all()


def test_axes():
    """Straight ahead along x: y is to the left of the picture, z is up; as optical axes say it, z is ahead."""
    camera = Camera(width=100, height=80)
    assert camera.project((1, 0, 0)).tolist() == [50.0, 40.0]
    left, up = camera.project([(1, 0.1, 0), (1, 0, 0.1)])
    assert left[0] < 50 and left[1] == 40 and up[1] < 40 and up[0] == 50
    optical = Camera(width=100, height=80, axes="optical", pose=Transform())
    right, down = optical.project([(0.1, 0, 1), (0, 0.1, 1)])
    assert right[0] > 50 and down[1] > 40
    assert np.array_equal(optical.optical_pose(), np.eye(4))
    aimed = Camera(position=(1, 2, 3), target=(4, 5, 6))
    assert np.allclose(aimed.optical_pose()[:3, 2], np.ones(3) / math.sqrt(3)) and aimed.optical_pose()[2, 1] < 0


def test_angles_and_intrinsics_say_the_same():
    upright = Camera(width=200, height=100, vertical_fov=math.radians(60))
    across = Camera(width=200, height=100, horizontal_fov=2 * math.atan(2 * math.tan(math.radians(30))))
    f = 50 / math.tan(math.radians(30))
    assert np.allclose(upright.intrinsics, (f, f, 100, 50)) and np.allclose(across.intrinsics, upright.intrinsics)
    rays = upright.rays()
    assert rays.shape == (100, 200, 3) and rays[0, 0].tolist() == [(0.5 - 100) / f, (0.5 - 50) / f, 1.0]


@pytest.mark.parametrize("size", [(640, 480), (100, 300)])
@pytest.mark.parametrize("direction", [(-1, 1.2, -0.65), (0, 0, -1), (0, 1, 0)])
def test_a_camera_that_looks_at_everything_has_everything_in_its_picture(size, direction, seed):
    rng = np.random.default_rng(seed)
    world = rbdyn.World()
    world.add_ground()
    for _ in range(int(rng.integers(1, 8))):
        ball = world.add_box(*rng.uniform(0.1, 1.0, size=3), 1.0)
        ball.set_pose(rng.normal(size=3) * 3, random_quat(rng))
    camera = Camera.looking_at(world, direction, width=size[0], height=size[1])
    pixels = camera.project(Scenery(world).corners())
    assert (pixels >= 0).all() and (pixels <= size).all()
    assert np.ptp(pixels, axis=0).max() > 0.3 * min(size)  # and it is no speck
    plain = Camera.looking_at(rbdyn.World())
    assert np.isfinite(plain.optical_pose()).all()


def test_mounted_cameras_move_with_what_carries_them(seed):
    rng = np.random.default_rng(seed)
    world = rbdyn.World(gravity=(0, 0, 0))
    robot = world.add_articulated_system(models.six_axis_arm(), name="arm")
    ball = world.add_sphere(0.1, 1.0)
    robot.mechanism.find_body(robot.body_names[3]).add_frame("eye", Transform(translation=(0.1, 0, 0)))
    pose = Transform(rotation=random_rotation(rng), translation=rng.normal(size=3))
    link = robot.body_names[3]
    mounts = [robot.body(link), robot.frame("eye"), (robot, "eye"), ball]
    for _ in range(2):
        robot.set_state(robot.model.random(rng))
        ball.set_pose(rng.normal(size=3), random_quat(rng))
        at_ball = np.eye(4)
        at_ball[:3, :3], at_ball[:3, 3] = ball.rotation, ball.position
        places = [robot.body(link).pose, robot.frame("eye").pose, robot.frame("eye").pose, at_ball]
        for on, place in zip(mounts, places, strict=True):
            camera = Camera(on=on, pose=pose, axes="optical")
            assert np.abs(camera.optical_pose() - place @ pose.matrix).max() < 1e-12
    by_name = Camera(on="eye", width=8, height=8)
    state = rbdyn.State(robot.model)
    assert np.allclose(by_name.optical_pose(state)[:3, 3], rbdyn.body_pose(state, "eye")[:3, 3])
    assert look(state, by_name).depth.shape == (8, 8)
    world.remove(robot)
    with pytest.raises(rbdyn.RemovedError):
        Camera(on=mounts[0]).optical_pose()
    with pytest.raises(rbdyn.RemovedError):
        world.render(Camera(on=mounts[1], width=4, height=4))


@pytest.mark.parametrize(
    "values, message",
    [
        ({"width": 0}, "width"),
        ({"height": -3}, "height"),
        ({"width": 10**4, "height": 10**4}, "width times height must be at most"),
        ({"width": 6.5}, "width"),
        ({"near": 0.0}, "near"),
        ({"near": 2.0, "far": 1.0}, "far"),
        ({"far": math.nan}, "far"),
        ({"vertical_fov": 0.0}, "vertical_fov"),
        ({"vertical_fov": math.pi}, "vertical_fov"),
        ({"vertical_fov": 1.0, "horizontal_fov": 1.0}, "give one of"),
        ({"intrinsics": (1, 2, 3)}, "intrinsics"),
        ({"intrinsics": (0, 1, 1, 1)}, "fx and fy"),
        ({"pose": np.eye(4)}, "pose must be a Transform"),
        ({"pose": Transform(), "position": (1, 2, 3)}, "not both"),
        ({"position": (0, 0, 0)}, "somewhere else"),
        ({"position": (0, 0, 1), "up": (0, 0, 1)}, "up must not be along"),
        ({"position": (1, 1)}, "position"),
        ({"position": (1, 1, math.nan)}, "position"),
        ({"axes": "ros"}, "axes must be one of"),
        ({"position": (1, 0, 0), "axes": "optical"}, "is for a pose"),
    ],
)
def test_bad_cameras(values, message):
    with pytest.raises(rbdyn.Error, match=message):
        Camera(**values)


@pytest.mark.parametrize(
    "ask, message",
    [
        (lambda w: w.render("front"), "camera must be a Camera"),
        (lambda w: w.render(what="colour"), "what must be one of"),
        (lambda w: w.render(threads=0), "threads"),
        (lambda w: w.render(style="dark"), "style must be a Style"),
        (lambda w: w.render(hide=["moon"]), "hide must name"),
        (lambda w: w.render(geometry="meshes"), "geometry must be one of"),
        (lambda w: w.render(Camera(on=3)), "on must be a body"),
        (lambda w: w.render(Camera(on="base")), "is a name"),
        (lambda w: w.render(state=rbdyn.State(rbdyn.Model(models.double_pendulum()))), "World"),
        (lambda w: render(3), "source must be"),
        (lambda w: Camera().points(np.zeros((3, 3))), "depth must be of shape"),
        (lambda w: Camera().project((1, 2)), "points must be"),
        (lambda w: Camera.looking_at(w, (0, 0, 0)), "direction must not be zero"),
        (lambda w: Style(light=(0, 0, 0)), "light"),
        (lambda w: Style(antialias=99), "antialias"),
        (lambda w: Style(sky=(1, 2, 3)), "sky"),
    ],
)
def test_bad_pictures(ask, message):
    world = rbdyn.World()
    world.add_sphere(0.1, 1.0)
    with pytest.raises(rbdyn.Error, match=message):
        ask(world)
    world.step()


def test_a_camera_that_looks_straight_down_has_x_up():
    """As a map of which the robot's forward is up; so does one that looks straight up, and z is up for all others."""
    for height in (2.0, -2.0):
        camera = Camera(width=100, height=80, position=(0, 0, height))
        centre, forward = camera.project([(0, 0, 0), (0.1, 0, 0)])
        assert centre == pytest.approx([50, 40])
        assert forward[0] == pytest.approx(50)
        assert forward[1] == pytest.approx(40 - 40 / math.tan(math.pi / 8) * 0.05)
    nearly = Camera(width=100, height=80, position=(1e-3, 0, 2.0))
    assert nearly.project((0, 0, 0.1))[1] < 40
