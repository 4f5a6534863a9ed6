"""What an IMU reads is what the motion asks for: closed forms of tumbling, vibrating, falling and standing bodies."""

import numpy as np
import pytest
from sensors.machines import free_body, slider

import rbdyn
from rbdyn.collision import Box
from rbdyn.sensors import Imu, Noise
from rbdyn.spatial.rotations import matrix_from_quat, random_quat, random_rotation
from rbdyn.spatial.transform import Transform

G = np.array([0.3, -0.4, -9.81])


def imu_of(robot, pose=None, link=None, **values):
    pose = Transform() if pose is None else pose
    return robot.add_sensor_set("inertial", [Imu("imu", pose=pose, **values)], link=link).sensor("imu")


def test_a_tumbling_body_feels_what_turning_asks_for(seed):
    """Of a body with equal moments angular velocity and centre keep to w and free fall: f = w x (w x r), R^T of it."""
    rng = np.random.default_rng(seed)
    world = rbdyn.World(time_step=0.003, gravity=G)
    robot = world.add_articulated_system(free_body())
    w, v, R = rng.normal(size=3) * 4, rng.normal(size=3), random_rotation(rng)
    robot.set_state(np.concatenate([rng.normal(size=3), random_quat(rng)]), np.concatenate([v, w]))
    r = rng.normal(size=3) * 0.3
    imu = imu_of(robot, Transform(rotation=R, translation=r))
    for _ in range(5):
        before = matrix_from_quat(robot.q[3:])
        world.step()
        imu.measure()
        in_body = before.T @ w
        felt = R.T @ np.cross(in_body, np.cross(in_body, r))
        assert np.abs(imu.linear_acceleration - felt).max() < 1e-9
        now = matrix_from_quat(robot.q[3:]) @ R
        assert np.abs(imu.angular_velocity - now.T @ w).max() < 1e-9
        assert np.abs(matrix_from_quat(imu.orientation) - now).max() < 1e-12
    assert np.linalg.norm(felt) > 0.1


def test_a_shaken_body_feels_its_drive(seed):
    """On a slider: f = F(t) / m along its axis, and gravity across it is borne by the rail."""
    rng = np.random.default_rng(seed)
    axis = rng.normal(size=3)
    axis /= np.linalg.norm(axis)
    world = rbdyn.World(time_step=0.002, gravity=G)
    robot = world.add_articulated_system(slider(axis, mass=2.0))
    R = random_rotation(rng)
    imu = imu_of(robot, Transform(rotation=R, translation=rng.normal(size=3)), link="body", update_rate=500.0)
    for k in range(50):
        force = 30.0 * np.cos(0.7 * k)
        robot.set_generalized_force([force])
        world.step()
        imu.measure()
        along = force / 2.0 + G @ axis
        assert np.abs(imu.linear_acceleration - R.T @ (along * axis - G)).max() < 1e-9
        assert np.abs(imu.angular_velocity).max() < 1e-12


def test_a_body_on_a_spring_vibrates_in_closed_form():
    """The trapezoid's own solution: v_n = -A sin(n p), tan(p / 2) = w dt / 2, and a_n its difference."""
    m, k, dt, x0 = 2.0, 800.0, 0.004, 0.05
    world = rbdyn.World(time_step=dt, gravity=(0, 0, -9.81))
    robot = world.add_articulated_system(slider((1, 0, 0), m))
    robot.add_spring("slide", k)
    robot.set_state([x0], [0.0])
    imu = imu_of(robot, link="body", update_rate=1.0 / dt)
    w = np.sqrt(k / m)
    p = 2.0 * np.arctan(0.5 * w * dt)
    for n in range(200):
        world.step()
        imu.measure()
        a = -w * x0 * (np.sin((n + 1) * p) - np.sin(n * p)) / dt
        assert np.abs(imu.linear_acceleration - (a, 0.0, 9.81)).max() < 1e-9
    assert abs(robot.q[0]) < x0 and world.time > 2 * 2 * np.pi / w


@pytest.mark.parametrize("stands", ["on a fixed base", "on the ground"])
def test_at_rest_it_reads_g_upwards(stands):
    world = rbdyn.World()
    if stands == "on the ground":
        world.add_ground()
        robot = world.add_articulated_system(free_body(collision=[rbdyn.Geometry(Box((0.3, 0.3, 0.2)))]))
        robot.set_state([0, 0, 0.1, 1, 0, 0, 0])
        link = "body"
    else:
        robot = world.add_articulated_system(rbdyn.models.six_axis_arm())
        link = robot.body_names[0]
    R = matrix_from_quat([0.5, 0.5, 0.5, 0.5])
    imu = imu_of(robot, Transform(rotation=R, translation=(0.1, 0.2, 0.3)), link=link)
    imu.measure()  # before any step
    assert np.abs(imu.linear_acceleration - R.T @ (0, 0, 9.81)).max() < 1e-12
    world.step(500)
    imu.measure()
    assert np.abs(imu.linear_acceleration - R.T @ (0, 0, 9.81)).max() < 1e-6
    assert np.abs(imu.angular_velocity).max() < 1e-7


def test_in_free_fall_it_feels_nothing():
    world = rbdyn.World(gravity=G)
    robot = world.add_articulated_system(free_body((0.02, 0.03, 0.04)))
    imu = imu_of(robot)
    world.step(3)
    imu.measure()
    assert np.abs(imu.linear_acceleration).max() < 1e-12


def test_limits_bound_each_axis():
    world = rbdyn.World()
    robot = world.add_articulated_system(free_body())
    robot.set_state(v=[0, 0, 0, 0.5, -20, 3])
    imu = imu_of(robot, acc_limit=4.0, ang_vel_limit=10.0)
    values = imu.measure()
    assert values["linear_acceleration"].tolist() == [0, 0, 4.0] and values["angular_velocity"].tolist() == [
        0.5,
        -10,
        3,
    ]


def test_noise_has_the_moments_that_it_says_and_repeats_itself():
    def readings(seed, **values):
        world = rbdyn.World()
        imu = world.add_articulated_system(free_body()).add_sensor_set("s", [Imu("imu", **values)], seed=seed)["imu"]
        return np.array([imu.measure()["linear_acceleration"] for _ in range(2000)])

    for kind in ("gaussian", "uniform"):
        noisy = readings(1, acc_noise=Noise(kind, 0.5, 0.2))
        assert np.abs(noisy.mean(axis=0) - (0.5, 0.5, 10.31)).max() < 0.03
        assert np.abs(noisy.std(axis=0) - 0.2).max() < 0.01
        assert np.array_equal(noisy, readings(1, acc_noise=Noise(kind, 0.5, 0.2)))
        assert not np.array_equal(noisy, readings(2, acc_noise=Noise(kind, 0.5, 0.2)))
    assert np.abs(noisy - noisy.mean(axis=0)).max() < 0.2 * np.sqrt(3.0) + 0.03


def test_biases_walk_as_the_root_of_time():
    world = rbdyn.World(time_step=0.01)
    robot = world.add_articulated_system(slider((1, 0, 0)))
    walk = {"update_rate": 100.0, "acc_bias_walk": 0.3, "ang_vel_bias_walk": 0.1}
    sensors = robot.add_sensor_set("s", [Imu(f"imu{k}", **walk) for k in range(60)], link="body").sensors
    world.step(101)
    ends = np.array([imu.bias for imu in sensors])
    assert np.abs(ends.std(axis=(0, 2)) / (0.3, 0.1) - 1.0).max() < 0.2
    assert np.abs(ends.mean(axis=(0, 2))).max() < 0.08


def test_a_camera_s_and_an_imu_s_axes_move_with_their_link(seed):
    rng = np.random.default_rng(seed)
    world = rbdyn.World(gravity=(0, 0, 0))
    robot = world.add_articulated_system(rbdyn.models.six_axis_arm())
    robot.set_state(robot.model.random(rng), rng.normal(size=robot.nv))
    link = robot.body_names[-1]
    pose = Transform(rotation=random_rotation(rng), translation=rng.normal(size=3))
    imu = imu_of(robot, pose, link=link)
    values = imu.measure()
    assert np.abs(imu.pose - robot.body(link).pose @ pose.matrix).max() < 1e-12
    assert np.abs(imu.pose[:3, :3] @ values["angular_velocity"] - robot.body(link).angular_velocity).max() < 1e-12
    assert np.abs(imu.position - imu.pose[:3, 3]).max() == 0.0
    assert np.abs(matrix_from_quat(imu.mounting_orientation) - imu.pose[:3, :3]).max() < 1e-12
