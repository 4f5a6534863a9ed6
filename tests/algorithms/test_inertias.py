"""Inertias of all bodies at once: those of one body, and in the world the sums that they must give."""

import numpy as np
import pytest
from algorithms.systems import random_system
from reference.compare import close

import rbdyn
from rbdyn import Transform, models


@pytest.fixture
def system(seed):
    return random_system(seed)


def in_world(state, name, inertia):
    """An inertia of a body's frame, about its centre of mass, world axes."""
    return inertia.transformed(Transform.from_matrix(rbdyn.body_pose(state, name)))


def test_composite_inertias_are_those_of_each_body(system):
    model, state = system.model, system.state
    here, world = rbdyn.composite_inertias(state), rbdyn.composite_inertias(state, "world")
    assert here.mass.shape == (len(model.body_names),) and here.inertia.shape == (len(model.body_names), 3, 3)
    for k, name in enumerate(model.body_names):
        one = rbdyn.composite_inertia(state, name)
        close(here.mass[k], one.mass)
        close(here.com[k], one.com)
        close(here.inertia[k], one.inertia)
        moved = in_world(state, name, one)
        close(world.com[k], moved.com)
        close(world.inertia[k], moved.inertia)


def test_bodies_in_the_world_have_the_energy_and_centre_of_all(system):
    """1/2 sum m v^2 + w I w over the moving bodies is the kinetic energy; the mean of their centres the whole's."""
    model, state = system.model, system.state
    bodies = rbdyn.body_inertias(state, expressed_in="world")
    velocity, pose = rbdyn.body_velocities(state), rbdyn.forward_kinematics(state)
    energy, first, mass = 0.0, np.zeros(3), 0.0
    for k in range(len(model.body_names)):
        if not velocity[k].any():
            continue
        w, v = velocity[k, :3], velocity[k, 3:] + np.cross(velocity[k, :3], bodies.com[k] - pose[k, :3, 3])
        energy += 0.5 * (bodies.mass[k] * v @ v + w @ bodies.inertia[k] @ w)
        first, mass = first + bodies.mass[k] * bodies.com[k], mass + bodies.mass[k]
    assert energy > 0.0
    close(energy, rbdyn.kinetic_energy(state) - rotors(system))
    close(first / mass, rbdyn.center_of_mass(state))


def rotors(system):
    """Kinetic energy of rotors."""
    return 0.5 * float(system.model.array("rotor_inertia") @ np.asarray(system.state.v) ** 2)


def test_of_a_robot_with_what_fixed_joints_hold():
    world = rbdyn.World()
    robot = world.add_articulated_system(models.path("quadruped"))
    bodies = robot.body_inertias()
    shank = robot.body_names.index("LF_SHANK")
    assert bodies.mass[shank] == pytest.approx(robot.body("LF_SHANK").mass + robot.body("LF_FOOT").mass, rel=1e-14)
    assert bodies.mass[shank] != robot.body("LF_SHANK").mass
    for k, name in enumerate(robot.body_names):
        close(bodies.inertia[k], robot.body(name).merged_inertia.inertia)
        close(bodies.com[k], robot.body(name).merged_inertia.com)
    assert robot.composite_inertias().mass[0] == pytest.approx(robot.total_mass, rel=1e-14)
    with pytest.raises(rbdyn.Error, match="expressed_in"):
        robot.body_inertias("LF_SHANK")
    assert robot.frames[robot.frame("LF_KFE").index] is robot.frame("LF_KFE")
