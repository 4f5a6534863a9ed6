"""Lidars, beams and cameras on robots."""

import numpy as np
import pytest
from sensors.machines import free_body, slider

import rbdyn
from rbdyn.collision import Box
from rbdyn.scenery import Camera, look
from rbdyn.sensors import DepthCamera, Noise, RangeSensor, RgbCamera, SpinningLidar
from rbdyn.spatial.rotations import random_quat, random_rotation
from rbdyn.spatial.transform import Transform


def room(size=2.0):
    """Six walls about the origin, at a distance of `size`, and a robot of one body in the middle."""
    world = rbdyn.World(gravity=(0, 0, 0))
    for axis in range(3):
        for side in (-1, 1):
            extent = np.full(3, 2 * size + 1.0)
            extent[axis] = 1.0
            at = np.zeros(3)
            at[axis] = side * (size + 0.5)
            world.add_box(*extent, 1.0, name=f"wall{'xyz'[axis]}{side}").set_pose(position=at)
    housing = [rbdyn.Geometry(Box((0.2, 0.2, 0.2)), name="housing")]
    robot = world.add_articulated_system(free_body(collision=housing), name="robot")
    return world, robot


def to_wall(directions, size=2.0):
    return size / np.abs(directions).max(axis=-1)


def test_a_whole_turn_meets_the_walls_where_they_are(seed):
    rng = np.random.default_rng(seed)
    world, robot = room()
    R = random_rotation(rng)
    lidar = robot.add_sensor_set(
        "s",
        [SpinningLidar("l", Transform(rotation=R), yaw_samples=36, pitch_samples=5, pitch_min_angle=-0.4,
                       pitch_max_angle=0.9, range_max=50.0)],
    )["l"]  # fmt: skip
    robot.set_state(np.concatenate([np.zeros(3), random_quat(rng)]))
    values = lidar.measure()
    assert values["ranges"].shape == (36, 5)
    X = lidar.pose
    for i, yaw in enumerate(lidar.yaw):
        assert yaw == pytest.approx(2 * np.pi * i / 36)
        for j, pitch in enumerate(np.linspace(-0.4, 0.9, 5)):
            d = X[:3, :3] @ (np.cos(pitch) * np.cos(yaw), np.cos(pitch) * np.sin(yaw), np.sin(pitch))
            assert lidar.ranges[i, j] == pytest.approx(to_wall(d), abs=1e-9)
    points = lidar.scan("world")
    assert points.shape == (180, 3) and np.abs(np.abs(points).max(axis=1) - 2.0).max() < 1e-9
    assert np.abs(lidar.scan() @ X[:3, :3].T + X[:3, 3] - points).max() < 1e-12


def test_ranges_beyond_the_limits_are_infinite():
    world, robot = room()
    near = SpinningLidar("a", yaw_samples=4, range_min=2.1, range_max=50.0)
    far = SpinningLidar("b", yaw_samples=4, range_max=1.9)
    some = robot.add_sensor_set("s", [near, far])
    assert np.isinf(some["a"].measure()["ranges"]).all() and len(some["a"].scan()) == 0
    assert np.isinf(some["b"].measure()["ranges"]).all()


@pytest.mark.parametrize("direction, sign", [("counterclockwise", 1), ("clockwise", -1)])
def test_at_a_rate_it_measures_what_it_turned_by(direction, sign):
    """10 turns a second of 40 columns, measured 25 times a second: a turn at first, then 16 columns each."""
    world, robot = room()
    lidar = robot.add_sensor_set("s", [SpinningLidar("l", yaw_samples=40, update_rate=25.0, spin_direction=direction)])[
        "l"
    ]
    counts, yaws = [], []
    for _ in range(6):
        world.run(0.04)
        counts.append(len(lidar.yaw))
        yaws.append(lidar.yaw)
    assert counts[0] == 40 and counts[1:] == [16] * 5
    steps = np.diff(np.unwrap(np.concatenate(yaws[1:])))
    assert np.allclose(steps, sign * 2 * np.pi / 40)


def test_a_lidar_that_does_not_spin_takes_whole_turns():
    world, robot = room()
    lidar = robot.add_sensor_set("s", [SpinningLidar("l", yaw_samples=8, spinning_rate=0.0, update_rate=100.0)])["l"]
    world.run(0.1)
    assert lidar.ranges.shape == (8, 1) and lidar.time_stamp == pytest.approx(0.09)


def test_a_beam_sees_the_wall_and_not_its_own_link():
    world, robot = room()
    pose = Transform(rpy=(0, 0, np.pi / 2), translation=(0, 0.05, 0))
    some = robot.add_sensor_set("s", [RangeSensor("r", pose), RangeSensor("short", pose, range_max=1.0)])
    assert some["r"].measure()["range"] == pytest.approx(1.95)
    some["short"].measure()
    assert some["short"].range == np.inf


def test_noise_of_ranges_and_depths():
    world, robot = room()
    noise = Noise("gaussian", 0.1, 0.05)
    some = robot.add_sensor_set(
        "s",
        [SpinningLidar("l", yaw_samples=2000, noise=noise), DepthCamera("d", width=60, height=40, noise=noise)],
    )
    clean = robot.add_sensor_set("clean", [SpinningLidar("l", yaw_samples=2000), DepthCamera("d", width=60, height=40)])
    for name, key in (("l", "ranges"), ("d", "depth")):
        more = some[name].measure()[key] - clean[name].measure()[key]
        assert more.mean() == pytest.approx(0.1, abs=0.01) and more.std() == pytest.approx(0.05, rel=0.1)


def test_a_depth_camera_sees_what_a_camera_there_sees(seed):
    rng = np.random.default_rng(seed)
    world, robot = room()
    robot.set_state(np.concatenate([rng.uniform(-1, 1, size=3), random_quat(rng)]))
    ball = world.add_sphere(0.3, 1.0)
    ball.set_pose(position=robot.body("body").pose[:3, :3] @ (1.0, 0.1, 0.1) + robot.q[:3])
    pose = Transform(rpy=(0.1, 0.2, -0.1), translation=(0.05, 0, 0))
    d = DepthCamera("d", pose, width=80, height=60, horizontal_fov=1.2, x_offset=3.0, y_offset=-2.0, clip_far=9.0)
    camera = robot.add_sensor_set("s", [d])["d"]
    camera.measure()
    f = 40 / np.tan(0.6)
    world_pose = Transform.from_matrix(robot.body("body").pose @ pose.matrix)
    twin = Camera(width=80, height=60, pose=world_pose, intrinsics=(f, f, 43.0, 28.0), far=9.0)
    assert np.abs(camera.depth - look(world, twin, hide=robot).depth).max() < 1e-9
    points = camera.points("world")
    on_ball = np.abs(np.linalg.norm(points - ball.position, axis=2) - 0.3) < 1e-6
    on_wall = np.abs(np.abs(points).max(axis=2) - 2.0) < 1e-6
    assert (on_ball | on_wall).all() and on_ball.sum() > 50
    local = camera.points()
    X = camera.pose
    assert np.abs(local @ X[:3, :3].T + X[:3, 3] - points).max() < 1e-9
    assert np.array_equal(local[..., 0], camera.depth)  # x is forward
    assert local[0, 0, 1] > 0 and local[0, 0, 2] > 0  # the upper left pixel is to the left and up


def test_a_colour_camera_and_its_noise():
    world, robot = room()
    plain, noisy = (
        robot.add_sensor_set(n, [RgbCamera("c", width=40, height=30, noise=noise)])["c"].measure()["image"]
        for n, noise in (("a", Noise()), ("b", Noise("gaussian", 0.0, 8.0)))
    )
    assert plain.dtype == np.uint8 and plain.shape == (30, 40, 3)
    off = noisy.astype(float) - plain
    assert 6.0 < off.std() < 10.0 and noisy.dtype == np.uint8


def test_cameras_follow_their_link_through_steps():
    world = rbdyn.World(gravity=(0, 0, 0), time_step=0.01)
    robot = world.add_articulated_system(slider((1, 0, 0)))
    world.add_box(1.0, 9.0, 9.0, 1.0, name="wall").set_pose(position=(5.5, 0, 0))
    robot.set_state([0.0], [1.0])
    eye = robot.add_sensor_set("s", [DepthCamera("d", width=4, height=4, update_rate=10.0)], link="body")["d"]
    seen = []
    for _ in range(5):
        world.run(0.1)
        seen.append((eye.time_stamp, float(eye.depth[1, 1])))
    assert np.allclose([t + d for t, d in seen], 5.0) and seen[-1][0] == pytest.approx(0.4)
