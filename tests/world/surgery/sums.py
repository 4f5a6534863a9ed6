"""Momentum and energy of all that moves in a World, by way of poses and velocities of bodies alone."""

import numpy as np

import rbdyn


def bodies_of(world):
    """(mass, inertia about the centre of mass in world axes, place, velocity, angular velocity) of each body."""
    for robot in (one for one in world.objects if isinstance(one, rbdyn.ArticulatedSystem)):
        for body in robot.mechanism.bodies[1:]:
            pose = robot.body_pose(body)
            twist = rbdyn.point_velocity_6d(robot.state, body, body.inertia.com)
            R, com = pose[:3, :3], pose[:3, :3] @ body.inertia.com + pose[:3, 3]
            yield body.inertia.mass, R @ body.inertia.inertia @ R.T, com, twist[3:], twist[:3]


def momentum(world):
    """Angular about the world's origin, then linear, (6,) [N m s, N s]."""
    total = np.zeros(6)
    for mass, inertia, place, v, w in bodies_of(world):
        total += [*(inertia @ w + mass * np.cross(place, v)), *(mass * v)]
    return total


def energy(world):
    """Kinetic, without rotors [J]."""
    return sum(0.5 * (mass * v @ v + w @ inertia @ w) for mass, inertia, _, v, w in bodies_of(world))


def motions(world):
    """Pose and twist of each body by name."""
    found = {}
    for robot in (one for one in world.objects if isinstance(one, rbdyn.ArticulatedSystem)):
        for body in robot.mechanism.bodies[1:]:
            found[body.name] = np.concatenate(
                [robot.body_pose(body).ravel(), rbdyn.point_velocity_6d(robot.state, body, (0, 0, 0))]
            )
    return found
