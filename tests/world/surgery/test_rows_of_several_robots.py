"""Surgery on one of several robots whose joints have rows: what acted in all the others acts on as it did."""

import numpy as np
import pytest

import rbdyn
from rbdyn import (
    Fixed,
    Joint,
    Mechanism,
    Mimic,
    Revolute,
    RigidBody,
    SpatialInertia,
    Spherical,
    Transform,
    World,
    models,
)


def tool():
    m = Mechanism(RigidBody("claw"))
    body = RigidBody("finger", SpatialInertia(0.1, inertia=0.001 * np.eye(3)))
    m.attach("claw", body, Joint("knuckle", Revolute((0, 1, 0))))
    return m


def arm_with_a_follower():
    m = Mechanism(RigidBody("root"))
    for k in range(3):
        joint = Joint(f"joint{k}", Revolute((0, 1, 0)), mimic=Mimic("joint0", 0.5) if k == 2 else None)
        body = RigidBody(f"body{k}", SpatialInertia(1.0, (0.1, 0, 0), 0.02 * np.eye(3)))
        m.attach("root" if k == 0 else f"body{k - 1}", body, joint, Transform(translation=(0.2, 0, 0)))
    return m


def arm_with_a_ball():
    m = Mechanism(RigidBody("root"))
    for k, kind in enumerate((Spherical(), Revolute((0, 1, 0)))):
        joint = Joint(f"joint{k}", kind, **({"cone_limit": 0.2} if k == 0 else {}))
        body = RigidBody(f"body{k}", SpatialInertia(1.0, (0.2, 0, 0), 0.02 * np.eye(3)))
        m.attach("root" if k == 0 else f"body{k - 1}", body, joint, Transform(translation=(0.2, 0, 0)))
    return m


def rubbing(world):
    robot = world.add_articulated_system(models.six_axis_arm(), mask=0)
    robot.set_joint_friction(20.0)
    return robot


def at_limits(world):
    m = arm_with_a_follower()
    for joint in m.tree_joints:
        joint.mimic, joint.position_limits = None, (-0.05, 0.05)
    return world.add_articulated_system(m, mask=0)


KINDS = {
    "friction": rubbing,
    "limits": at_limits,
    "followers": lambda world: world.add_articulated_system(arm_with_a_follower(), mask=0),
    "balls": lambda world: world.add_articulated_system(arm_with_a_ball(), mask=0),
}

EDITS = {
    "attach": lambda world, robot: robot.attach(tool(), robot.body_names[-1], Joint("wrist", Fixed())),
    "cut": lambda world, robot: robot.remove_subtree(robot.joint_names[-1]),
    "weld": lambda world, robot: robot.weld(robot.joint_names[-1]),
    "dock": lambda world, robot: world.merge(
        robot, robot.body_names[-1], world.find("ball"), world.find("ball"), Joint("grip", Spherical())
    ),
}


def scene(kind, count):
    world = World(1e-3)
    robots = [KINDS[kind](world) for _ in range(count)]
    ball = world.add_sphere(0.05, 0.1, name="ball")
    ball.set_pose((3, 3, 3))
    world.step(399)
    world.integrate1()
    assert world.problem.n >= count  # rows that act on each of them
    world.integrate2()
    return world, robots


@pytest.mark.parametrize("edit", EDITS)
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(("count", "which"), [(2, 0), (2, 1), (3, 0), (3, 1)])
def test_the_others_go_on_as_they_did(kind, edit, count, which):
    """It was refused for all but the last one: what the solver knew of its rows was no longer in order."""
    world, robots = scene(kind, count)
    twin, same = scene(kind, count)
    EDITS[edit](world, robots[which])
    others = [k for k in range(count) if k != which]
    for _ in range(20):
        world.step()
        twin.step()
        for k in others:
            np.testing.assert_allclose(robots[k].q, same[k].q, atol=1e-14)
            np.testing.assert_allclose(robots[k].v, same[k].v, atol=1e-14)
    assert world.contact.statistics.unconverged == 0
    assert np.isfinite(robots[which].q).all()
    assert rbdyn.kinetic_energy(robots[which].state) < 1e3
