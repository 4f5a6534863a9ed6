"""Snapshots put back what was edited in place: numbers of robots and single bodies, shapes, filters."""

import numpy as np
import pytest

import rbdyn
from rbdyn import Geometry, Transform, models
from rbdyn.collision.shapes import Sphere
from rbdyn.models import QUADRUPED_STANCE
from rbdyn.world import World

TURN = Transform(rpy=(0.05, -0.02, 0.1), translation=(0.01, 0.02, -0.27))
EDITS = [
    lambda r, b: setattr(r.body("LF_FOOT"), "mass", 3.0),
    lambda r, b: setattr(r.joint("LF_KFE"), "damping", 3.0),
    lambda r, b: setattr(r.joint("LF_KFE"), "placement", TURN),
    lambda r, b: setattr(r.joint("LF_KFE"), "local_axis", (0.1, 1.0, 0.0)),
    lambda r, b: setattr(r.geometry("LF_FOOT/0"), "shape", Sphere(0.05)),
    lambda r, b: r.geometry("LF_FOOT/0").set(pose=TURN, material="ice"),
    lambda r, b: r.geometry("LF_FOOT/0").remove(),
    lambda r, b: r.body("RF_FOOT").add_geometry(Geometry(Sphere(0.06))),
    lambda r, b: b.set_inertia(mass=2.0, com=(0.0, 0.02, 0.0)),
    lambda r, b: b.set_geometry(0, shape=Sphere(0.15)),
    lambda r, b: b.add_geometry(Geometry(Sphere(0.3))),
]


@pytest.mark.parametrize("edit", EDITS)
def test_an_edit_is_taken_back(edit):
    world = World(1e-3)
    world.add_ground()
    robot = world.add_articulated_system(models.quadruped())
    robot.set_state(QUADRUPED_STANCE.q)
    robot.set_pd_gains(80.0, 2.0)
    robot.set_joint_damping(0.1)
    body = world.add_sphere(0.1, 1.0)
    body.set_pose((0.0, 2.0, 0.1))
    world.add_stiff_wire((robot, "LF_SHANK"), body, length=3.0)
    world.step(30)
    snapshot = world.snapshot()
    state = world.state_hash()
    M, foot = rbdyn.mass_matrix(robot.state), robot.body("LF_FOOT").pose
    world.step(50)
    q, x, after = robot.q, body.position, world.state_hash()
    for _ in range(2):
        world.restore(snapshot)
        edit(robot, body)
        world.step(20)
        assert world.state_hash() != after
        world.restore(snapshot)
        assert world.state_hash() == state
        assert np.array_equal(rbdyn.mass_matrix(robot.state), M)
        assert np.array_equal(robot.body("LF_FOOT").pose, foot)
        assert robot.joint_damping[8] == 0.1
        twin = rbdyn.State(rbdyn.Model(robot.mechanism))
        twin.set(robot.q)
        assert np.array_equal(rbdyn.mass_matrix(twin), M)
        world.step(50)
        assert world.state_hash() == after
        assert np.array_equal(robot.q, q)
        assert np.array_equal(body.position, x)
    robot.body("LF_FOOT").mass = 1.0                  # and the sums of links are those of now
    twin = rbdyn.State(rbdyn.Model(robot.mechanism))
    twin.set(robot.q)
    assert np.array_equal(rbdyn.mass_matrix(twin), rbdyn.mass_matrix(robot.state))


def test_snapshots_take_in_what_was_edited_of_a_mechanism():
    world = rbdyn.World(1e-3)
    robot = world.add_articulated_system(rbdyn.models.quadruped(), name="dog")
    world.step(3)
    start = world.snapshot()
    for edit in (
        lambda m: setattr(m.find_joint("LF_KFE"), "damping", 2.0),
        lambda m: m.attach("base", rbdyn.RigidBody("box", rbdyn.SpatialInertia(1.0, inertia=np.eye(3))),
                           rbdyn.Joint("hinge", rbdyn.Revolute((0, 1, 0)))),
    ):  # fmt: skip
        edit(robot.mechanism)
        edited = world.snapshot()
        assert world.state_hash() == edited.hash
        world.step()
        world.restore(edited)
        assert world.state_hash() == edited.hash
    assert edited.hash != start.hash
    world.restore(start)
    assert world.state_hash() == start.hash
