"""What was attached to a robot's mechanism, named before the next step: handles and setters take it in first."""

import numpy as np
import pytest

import rbdyn
from rbdyn import Joint, Mechanism, RigidBody, SpatialInertia, models
from rbdyn.mechanism.joints import Prismatic, Revolute

BALL = SpatialInertia(0.5, (0.0, 0.0, -0.1), 1e-3 * np.eye(3))


def edited(update=False):
    """A quadruped whose mechanism got a body "x" on a joint "j"."""
    world = rbdyn.World(time_step=0.002)
    robot = world.add_articulated_system(models.quadruped(), name="dog")
    world.step()
    robot.mechanism.attach("base", RigidBody("x", BALL), Joint("j", Revolute((0, 0, 1))))
    if update:
        robot.update()
    return world, robot


SETTERS = {
    "mass": lambda w, r: setattr(r.body("x"), "mass", 0.2),
    "scale": lambda w, r: r.body("x").scale_mass(2.0),
    "limits": lambda w, r: setattr(r.joint("j"), "limits", (-1.0, 1.0)),
    "q": lambda w, r: setattr(r.joint("j"), "q", 0.3),
    "v": lambda w, r: setattr(r.joint("j"), "v", 0.3),
    "target": lambda w, r: setattr(r.joint("j"), "target", 0.3),
    "target velocity": lambda w, r: setattr(r.joint("j"), "target_velocity", 0.3),
    "damping": lambda w, r: setattr(r.joint("j"), "damping", 0.3),
    "set": lambda w, r: r.joint("j").set(rotor_inertia=0.1, axis=(1, 0, 0)),
    "place": lambda w, r: r.joint("j").place(rbdyn.Transform(translation=(0, 0, 0.1))),
    "gains by handle": lambda w, r: setattr(r.joint("j"), "gains", (3.0, 1.0)),
    "force by handle": lambda w, r: r.body("x").set_external_force((1, 2, 3)),
    "gains": lambda w, r: r.set_pd_gains(joints={"j": (3.0, 1.0)}),
    "all gains": lambda w, r: r.set_pd_gains(np.full(19, 3.0), 1.0),
    "targets": lambda w, r: r.set_pd_target(joints={"j": 0.1}),
    "forces": lambda w, r: r.set_generalized_force(joints={"j": 0.1}),
    "efforts": lambda w, r: r.set_effort_limits(joints={"j": 0.1}),
    "joint limits": lambda w, r: r.set_joint_limits(joints={"j": (-1.0, 1.0)}),
    "friction": lambda w, r: r.set_joint_friction(joints={"j": 0.1}),
    "external force": lambda w, r: r.set_external_force("x", (1, 2, 3)),
    "external torque": lambda w, r: r.set_external_torque("j", (1, 2, 3)),
    "weld": lambda w, r: w.add_weld((r, "x"), None),
    "coupling": lambda w, r: w.add_coupling({(r, "j"): 1.0, (r, "LF_KFE"): 2.0}),
    "ignore": lambda w, r: w.ignore_collision((r, "x"), (r, "LF_FOOT")),
    "ignore by handle": lambda w, r: r.ignore_collision("x", "LF_FOOT"),
    "sensor": lambda w, r: r.add_sensor_set("s", [rbdyn.sensors.Imu("imu", update_rate=100.0)], link="x"),
    "weld joint": lambda w, r: r.weld("j"),
}


@pytest.mark.parametrize("name", SETTERS)
def test_a_setter_does_what_it_does_after_update(name):
    hashes = []
    for update in (False, True):
        world, robot = edited(update)
        SETTERS[name](world, robot)
        world.step(5)
        hashes.append(world.state_hash())
    assert hashes[0] == hashes[1]


READINGS = {
    "q": lambda r: r.joint("j").q,
    "v": lambda r: r.joint("j").v,
    "limits": lambda r: r.joint("j").limits,
    "gains": lambda r: r.joint("j").gains,
    "target": lambda r: r.joint("j").target,
    "damping": lambda r: r.joint("j").damping,
    "effort": lambda r: r.joint("j").effort_limits,
    "in tree": lambda r: r.joint("j").in_tree,
    "index": lambda r: r.joint("j").v_index,
    "position": lambda r: r.body("x").position.tolist(),
    "pose": lambda r: r.body_pose("x").tolist(),
    "mass": lambda r: r.body("x").mass,
}


@pytest.mark.parametrize("name", READINGS)
def test_a_handle_reads_what_it_reads_after_update(name):
    pairs = [edited(update) for update in (False, True)]
    found = [READINGS[name](robot) for _, robot in pairs]
    assert found[0] == found[1]


def test_handles_from_before_know_what_an_edit_did_to_them():
    """Of a body that was removed they say so; of a joint behind it they read its new place in q."""
    m = Mechanism(RigidBody("world"))
    for k, before in enumerate(("world", "b0", "world")):
        m.attach(before, RigidBody(f"b{k}", BALL), Joint(f"j{k}", Revolute((1, 0, 0)), position_limits=(-k - 1.0, 1.0)))
    world = rbdyn.World()
    robot = world.add_articulated_system(m)
    gone, kept = robot.joint("j1"), robot.joint("j2")
    kept.q = 0.5
    robot.mechanism.remove_subtree("j1")
    assert kept.q == 0.5 and kept.limits == (-3.0, 1.0)
    with pytest.raises(rbdyn.RemovedError, match="'j1'"):
        gone.limits = (0.0, 1.0)


def test_where_nothing_may_be_edited_the_step_has_its_say():
    """Between the halves control of what is in the step goes on; what came meanwhile is in the next one."""
    world, robot = edited(update=True)
    world.integrate1()
    robot.mechanism.attach("x", RigidBody("y", BALL), Joint("k", Prismatic((0, 0, 1))))
    robot.set_generalized_force(joints={"j": 0.1})
    robot.set_external_force("x", (0, 0, 1))
    with pytest.raises(rbdyn.UnknownNameError):
        robot.set_external_force("y", (0, 0, 1))
    seen = []
    observer = world.add_observer(lambda w: seen.append(robot.generalized_force.tolist()))
    world.integrate2()
    assert seen and len(seen[0]) == 19
    world.remove_observer(observer)
    robot.set_external_force("y", (0, 0, 1))
    assert robot.nv == 20
