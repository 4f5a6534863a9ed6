"""What sensors are: values with RaiSim's defaults, checked."""

import dataclasses
import math

import numpy as np
import pytest

import rbdyn
from rbdyn.sensors import descriptions as d
from rbdyn.spatial.transform import Transform


def test_defaults_are_those_of_raisim():
    lidar = d.SpinningLidar("lidar")
    assert (lidar.yaw_samples, lidar.pitch_samples, lidar.range_max, lidar.spinning_rate) == (1, 1, 100.0, 10.0)
    assert lidar.spin_direction == "counterclockwise"
    assert d.Imu("imu").acc_limit == math.inf and not d.Noise().acts and d.Noise("gaussian", stddev=1).acts
    assert {kind: made.type for kind, made in d.SENSORS.items()} == {kind: kind for kind in d.SENSORS}
    assert {"rgb", "depth", "imu", "spinning_lidar"} < set(d.SENSORS)


def test_they_are_values():
    one = d.DepthCamera("front", width=64, height=48, noise=d.Noise("gaussian", 0, 0.01))
    assert one == d.DepthCamera("front", width=64, height=48, noise=d.Noise("gaussian", 0, 0.01))
    assert one != dataclasses.replace(one, clip_far=9.0) and hash(one)
    both = d.SensorSetDescription("head", [one, d.Imu("imu")], model="D435", serial_number="7")
    assert both.sensors == (one, d.Imu("imu"))
    with pytest.raises(dataclasses.FrozenInstanceError):
        one.width = 3


def test_a_set_moves_with_its_body():
    pose = Transform(rpy=(0.1, 0.2, 0.3), translation=(1, 2, 3))
    one = d.SensorSetDescription("head", [d.Imu("imu", pose), d.RangeSensor("r")])
    moved = one.moved(pose, "other")
    assert moved.name == "other" and moved.sensors[1].pose == pose and one.moved() == one
    assert np.abs(moved.sensors[0].pose.matrix - pose.matrix @ pose.matrix).max() < 1e-15


@pytest.mark.parametrize(
    "make, message",
    [
        (lambda: d.Imu(""), "a sensor's name"),
        (lambda: d.Imu("imu", pose=3), "pose of sensor 'imu'"),
        (lambda: d.Imu("imu", update_rate=-1), "update_rate of sensor 'imu'"),
        (lambda: d.Imu("imu", acc_limit=0), "acc_limit of sensor 'imu'"),
        (lambda: d.Imu("imu", acc_noise=0.1), "acc_noise of sensor 'imu' must be a Noise"),
        (lambda: d.Imu("imu", acc_bias_walk=math.nan), "acc_bias_walk"),
        (lambda: d.Noise("pink"), "noise type must be one of"),
        (lambda: d.Noise("gaussian", 0, math.nan), "noise stddev"),
        (lambda: d.Noise("gaussian", 0, -1), "noise stddev"),
        (lambda: d.RgbCamera("c", width=0), "width of sensor 'c'"),
        (lambda: d.RgbCamera("c", width=10**4, height=10**4), "at most 67108864"),
        (lambda: d.RgbCamera("c", horizontal_fov=3.2), "horizontal_fov"),
        (lambda: d.RgbCamera("c", clip_near=0), "clip_near"),
        (lambda: d.DepthCamera("c", clip_near=2, clip_far=1), "clip_far"),
        (lambda: d.DepthCamera("c", data="points"), "data of sensor 'c' must be one of"),
        (lambda: d.SpinningLidar("l", pitch_min_angle=0.2, pitch_max_angle=0.1), "pitch_max_angle"),
        (lambda: d.SpinningLidar("l", range_min=5, range_max=5), "range_max"),
        (lambda: d.SpinningLidar("l", yaw_samples=10**5, pitch_samples=10**5), "yaw_samples times"),
        (lambda: d.SpinningLidar("l", spin_direction=1), "spin_direction"),
        (lambda: d.JointSensor("j"), "joint of sensor 'j' must be given: the name of the joint"),
        (lambda: d.ForceTorqueSensor("f"), "joint of sensor 'f' must be given: the name of the joint"),
        (lambda: d.TouchSensor("t", radius=-1), "radius"),
        (lambda: d.RangeSensor("r", range_max=math.inf), "range_max"),
        (lambda: d.SensorSetDescription("", []), "a sensor set's name"),
        (lambda: d.SensorSetDescription("s", [d.Imu("a"), d.RangeSensor("a")]), "several sensors named 'a'"),
        (lambda: d.SensorSetDescription("s", ["imu"]), "must be of RgbCamera"),
        (lambda: d.SensorSetDescription("s", 3), "must be descriptions"),
        (lambda: d.SensorSetDescription("s", [], model=3), "model of sensor set"),
    ],
)
def test_bad_input(make, message):
    with pytest.raises(rbdyn.Error, match=message):
        make()
