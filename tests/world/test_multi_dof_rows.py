"""Delassus rows through Spherical and Planar joints with rotor inertia, damping or PD gains (C25)."""

import numpy as np
import pytest
from world.test_delassus import chain_of_balls, check_step, drop_until_it_touches, recording_world

import rbdyn
from rbdyn.testing.random_mechanisms import rand_floating_tree_mechanism


@pytest.mark.parametrize("gains", [0.0, 20.0])
@pytest.mark.parametrize("types", [[rbdyn.Spherical] * 20, [rbdyn.Planar, rbdyn.Revolute] * 15])
def test_a_chain_of_joints_of_several_degrees_of_freedom(types, gains):
    rng = np.random.default_rng(2)
    world = recording_world()
    robot = world.add_articulated_system(chain_of_balls(types, 4), self_collision=False)
    world.gravity = robot.mechanism.gravity
    robot.set_state(robot.model.random(rng), rng.normal(size=robot.nv))
    robot.set_pd_gains(gains, 0.1 * gains)
    for name in (robot.body_names[len(types)], robot.body_names[len(types) // 2], robot.body_names[3]):
        ball = world.add_sphere(0.3, rng.uniform(0.5, 3))
        direction = rng.normal(size=3)
        ball.set_pose(robot.body_pose(name)[:3, 3] + 0.49 * direction / np.linalg.norm(direction))
        ball.set_velocity(rng.normal(size=3), rng.normal(size=3))
    check_step(world, [robot, *world.objects[1:]], 3, tolerance=1e-11)


def test_random_floating_trees(seed):
    rng = np.random.default_rng(seed)
    kinds = [rbdyn.Revolute, rbdyn.Prismatic, rbdyn.Spherical, rbdyn.Planar, rbdyn.Fixed] * 3
    mechanism = rand_floating_tree_mechanism(kinds, seed)
    for body in mechanism.bodies[1:]:
        body.collision.append(rbdyn.Geometry(rbdyn.collision.Sphere(0.3), name=body.name))
    world = recording_world()
    world.add_ground()
    robot = world.add_articulated_system(mechanism, self_collision=bool(seed % 2))
    robot.set_state(robot.model.random(rng))
    robot.set_pd_gains(20.0, 2.0)
    q = drop_until_it_touches(world, robot, 1, depth=0.4)
    robot.set_state(q, rng.normal(size=robot.nv))
    check_step(world, [robot], 2, tolerance=1e-11)


