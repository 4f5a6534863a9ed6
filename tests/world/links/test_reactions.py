"""What constraints say that they did is what the motion of the step asks for."""

import numpy as np
import pytest

import rbdyn
from rbdyn import Joint, Transform
from rbdyn.world import World

G, DT = 9.81, 0.001
GRIP, CORNER = np.array([0.4, 0, 0]), np.array([-0.1, -0.05, 0.05])


def arm():
    """Three links, bent."""
    mechanism = rbdyn.Mechanism(rbdyn.RigidBody("base"), gravity=(0, 0, -G))
    parent, pose = mechanism.root_body, Transform()
    for k, axis in enumerate(((0, 1, 0), (1, 0, 0), (0, 1, 1))):
        body = rbdyn.RigidBody(f"link {k}", rbdyn.SpatialInertia(1.0 + k, (0.2, 0, 0.05), np.diag([0.02, 0.05, 0.05])))
        mechanism.attach(parent, body, Joint(f"joint {k}", rbdyn.Revolute(axis)), pose)
        parent, pose = body, Transform(translation=(0.4, 0, 0))
    return mechanism


def scene():
    """A robot and a box on a joint, a rope, a spring, a rubber band, and a rope over the box."""
    world = World(DT)
    robot = world.add_articulated_system(arm(), self_collision=False)
    robot.set_state((0.3, -0.4, 0.5), (0.2, 0.1, -0.3))
    box = world.add_box(0.2, 0.1, 0.1, 2.0, group=2, mask=1)
    box.set_pose((robot.body_pose("link 2") @ [*GRIP, 1])[:3] - CORNER)
    world.add_joint(
        (robot, "link 2"),
        box,
        Joint("ball", rbdyn.Spherical()),
        Transform(translation=GRIP),
        Transform(translation=CORNER),
    )
    world.add_stiff_wire(box, None, point_a=(0.1, 0, 0), point_b=(0.5, 0.5, 1.0))
    world.add_spring(box, (robot, "link 0"), 30.0, 2.0, length=0.1, point_a=(0, 0.05, 0), point_b=(0.1, 0, 0))
    world.add_compliant_wire(box, (robot, "link 1"), 0.1, stiffness=20.0, damping=1.0)
    world.add_stiff_wire(
        (robot, "link 2"), None, point_b=(0, 0, 1.0), via=[(box, (0, 0, 0.05))], ratios=(2, 1), stretch_type="both"
    )
    return world, robot, box


def reach(robot, box, end, points):
    """Where points of an end are."""
    pose = robot.body_pose(end[1]) if isinstance(end, tuple) else np.eye(4)
    if end is box:
        pose[:3, :3], pose[:3, 3] = box.rotation, box.position
    return pose[:3, :3] @ points + pose[:3, 3]


def exerted(world, robot, box, points):
    """What acted in the latest step on whom, where: (end, point, force), at the points of the step's start."""
    joint, *wires = world.constraints
    found = [(box, points[joint][1], joint.wrench[3:]), (joint.ends[0], points[joint][1], -joint.wrench[3:])]
    for wire in wires:
        way = np.diff(points[wire], axis=0)
        pulls = wire.tension * (wire.ratios / np.linalg.norm(way, axis=1))[:, None] * way
        for k, end in enumerate(wire.ends):
            force = (pulls[k] if k < len(pulls) else 0.0) - (pulls[k - 1] if k > 0 else 0.0)
            if wire.wire_type == "spring":
                force = wire.wrench[3:] * (1 if k else -1)
            found.append((end, points[wire][k], force))
    return found


def test_what_acted_is_what_inverse_dynamics_of_the_step_says():
    """Of the robot by its joints' forces, which are 0, and of the box by its momenta; all to 1e-9 of the forces."""
    world, robot, box = scene()
    state, acted = rbdyn.State(robot.model), set()
    for _ in range(400):
        state.set(robot.q, robot.v)
        points = {c: c.points for c in world.constraints[1:]}
        points[world.constraints[0]] = (None, reach(robot, box, box, CORNER))
        place, linear, angular = box.position, box.linear_momentum, box.angular_momentum
        world.step()
        external = {}
        force, moment, size = 2.0 * np.array([0, 0, -G]), np.zeros(3), 1.0
        for end, at, f in exerted(world, robot, box, points):
            size = max(size, np.abs(f).max())
            if end is box:
                force, moment = force + f, moment + np.cross(at - place, f)
            elif end is not None:
                arm_ = at - rbdyn.forward_kinematics(state)[robot.model.body_names.index(end[1])][:3, 3]
                external[end[1]] = external.get(end[1], 0.0) + np.r_[np.cross(arm_, f), f]
        torques = rbdyn.inverse_dynamics(state, (robot.v - state.v) / DT, external)
        assert torques == pytest.approx(np.zeros(3), abs=1e-9 * size)
        assert (box.linear_momentum - linear) / DT == pytest.approx(force, abs=1e-9 * size)
        assert (box.angular_momentum - angular) / DT == pytest.approx(moment, abs=1e-4 * size)  # poses are led back
        acted |= {c.name for c in world.constraints if c.active}
    assert len(acted) == 5


@pytest.mark.parametrize("kind", ["rope", "joint", "spring"])
def test_a_robot_that_floats_and_a_ball_keep_their_momentum_together(kind):
    """What a constraint does to a floating tree is a part of its momentum: linear momentum is exact."""
    world = World(0.002, gravity=(0, 0, 0))
    mechanism = rbdyn.Mechanism(rbdyn.RigidBody("space"), gravity=(0, 0, 0))
    parent, pose = mechanism.root_body, Transform()
    for k, joint_type in enumerate((rbdyn.Floating(), rbdyn.Revolute((0, 1, 0)))):
        body = rbdyn.RigidBody(f"link {k}", rbdyn.SpatialInertia(1.0, (0.1, 0, 0), np.diag([0.01, 0.02, 0.02])))
        mechanism.attach(parent, body, Joint(f"joint {k}", joint_type), pose)
        parent, pose = body, Transform(translation=(0.3, 0, 0))
    robot = world.add_articulated_system(mechanism, self_collision=False)
    robot.set_state(v=(0, 0.5, 0, 0.3, 0, 1.0, 0.5))
    ball = world.add_sphere(0.05, 1.0, group=2, mask=1)
    ball.set_pose((1, 0, 0))
    ball.set_velocity((0, -1.0, 0.2))
    end, hand = (robot, "link 1"), (0.2, 0, 0)
    if kind == "rope":
        world.add_stiff_wire(end, ball, point_a=hand)
    elif kind == "joint":
        world.add_joint(end, ball, Joint("ball joint", rbdyn.Spherical()), Transform(translation=hand))
    else:
        world.add_spring(end, ball, 50.0, point_a=hand)

    def momentum():
        links = [mechanism.find_body(f"link {k}") for k in range(2)]
        masses = [body.inertia.mass for body in links]
        speeds = [rbdyn.point_velocity(robot.state, body.name, (0.1, 0, 0)) for body in links]
        return sum(m * v for m, v in zip(masses, speeds, strict=True)) + ball.linear_momentum

    world.step()
    before, start = momentum(), rbdyn.kinetic_energy(robot.state) + ball.kinetic_energy
    world.step(1000)
    assert momentum() == pytest.approx(before, abs=1e-11)
    if kind != "spring":
        assert rbdyn.kinetic_energy(robot.state) + ball.kinetic_energy == pytest.approx(start, rel=0.02)
        assert np.abs(world.constraints[0].error).max() < 2e-5
