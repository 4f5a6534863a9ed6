"""Worlds to be stepped many at a time: a robot on uneven ground, loops, stops, balls and a wire."""

import numpy as np
from algorithms.four_bar import four_bar

import rbdyn
from rbdyn import models
from rbdyn.collision import HeightMap
from rbdyn.models import QUADRUPED_STANCE


def walker(k=0):
    """A quadruped on flat ground, held to its stance."""
    world = rbdyn.World(time_step=0.002)
    world.add_ground()
    robot = world.add_articulated_system(models.quadruped(), name="quadruped")
    robot.set_state(QUADRUPED_STANCE.q)
    robot.set_pd_gains(120.0, 3.0)
    robot.set_pd_target(QUADRUPED_STANCE.q)
    robot.set_effort_limits(-60.0, 60.0)
    robot.set_joint_limits(joints={f"{leg}_KFE": (-2.5, 2.5) for leg in ("LF", "RF", "LH", "RH")})
    return world


def crowded(k=0):
    """Contacts, limits, loops, wires, ties and balls, on terrain of its own for each k."""
    world = rbdyn.World(time_step=0.004)
    terrain = HeightMap.fractal((31, 31), (12.0, 12.0), z_scale=0.1, frequency=0.4, octaves=3, seed=k)
    world.add_height_map(terrain, position=(0, 0, -terrain.height(0.0, 0.0)))
    robot = world.add_articulated_system(models.quadruped(), name="quadruped")
    robot.set_state(QUADRUPED_STANCE.q + np.eye(robot.nq)[2] * 0.1)
    robot.set_pd_gains(120.0, 3.0)
    robot.set_pd_target(QUADRUPED_STANCE.q)
    robot.set_effort_limits(-50.0, 50.0)
    robot.set_joint_limits(joints={"LF_HFE": (-0.7, 0.7), "RF_HFE": (-0.7, 0.7)})
    robot.set_joint_friction(0.2)
    linkage = world.add_articulated_system(four_bar(), name="linkage")
    linkage.set_base_pose((0.0, 3.0, 1.0))
    balls = [world.add_sphere(0.15, 2.0, name=f"ball_{i}") for i in range(2)]
    for i, ball in enumerate(balls):
        ball.set_pose(position=(0.3 * i - 0.2, 0.1 * i, 1.1 + 0.5 * i))
    world.add_stiff_wire(balls[0], balls[1], length=0.8)
    return world
