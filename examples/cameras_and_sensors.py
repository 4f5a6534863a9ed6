"""Cameras and sensors
===================

A robot with an IMU, a depth camera and a lidar before a wall of boxes, and a picture of it all.

With the name of a file for the picture, it writes that too.
"""

import sys

import numpy as np

import rbdyn
from rbdyn import models
from rbdyn.scenery import Camera, look
from rbdyn.sensors import DepthCamera, Imu, SpinningLidar


def build() -> tuple[rbdyn.World, rbdyn.ArticulatedSystem]:
    """A quadruped that stands two metres before a wall."""
    world = rbdyn.World(time_step=0.002)
    world.add_ground()
    for k in range(12):
        box = world.add_box(0.3, 0.39, 0.3, mass=2.0)
        box.set_pose(position=(2.15, 0.4 * (k % 4) - 0.6, 0.15 + 0.3 * (k // 4)))
    robot = world.add_articulated_system(models.path("quadruped"), name="dog")
    robot.set_state(models.QUADRUPED_STANCE.q)
    robot.set_pd_gains(p=250.0, d=10.0)
    robot.set_pd_target(models.QUADRUPED_STANCE.q)
    return world, robot


def main() -> rbdyn.World:
    """Print what the sensors measure, and write a picture if a file is named."""
    world, robot = build()
    front, top = rbdyn.Transform(translation=(0.31, 0, 0)), rbdyn.Transform(translation=(0, 0, 0.2))
    sensors = robot.add_sensor_set(
        "head",
        [
            Imu("imu", update_rate=500.0),
            DepthCamera("depth", front, update_rate=30.0, width=80, height=60),
            SpinningLidar("lidar", top, update_rate=10.0, yaw_samples=360),
        ],
        link="base",
    )
    world.run(1.0)
    imu, depth, lidar = (sensors[name] for name in ("imu", "depth", "lidar"))
    print(f"imu    feels {np.linalg.norm(imu.linear_acceleration):.3f} m/s^2 at {imu.time_stamp:.3f} s")
    print(f"depth  sees the wall {depth.depth[30, 40]:.3f} m before it, at {depth.time_stamp:.3f} s")
    points = lidar.scan("world")
    print(f"lidar  meets {len(points)} points, the nearest {lidar.ranges.min():.3f} m away")
    view = look(world, Camera.looking_at(world, width=320, height=240))
    print(f"camera sees {len(np.unique(view.segmentation))} shapes")
    if len(sys.argv) > 1:
        view.save_png(sys.argv[1])
    return world


if __name__ == "__main__":
    world = main()
