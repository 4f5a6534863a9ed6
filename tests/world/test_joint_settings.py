"""What is set of joints while a World runs, and what acted on them: read, and added up to Newton's law."""

import numpy as np
import pytest
from world.scenes import World, standing_quadruped

import rbdyn
from rbdyn import models, testing
from rbdyn.errors import RemovedError, StateError, UnknownNameError


def arm(seed=0, world=None):
    """Six joints and a ball joint, all of it acted on by everything."""
    rng = np.random.default_rng(seed)
    kinds = [rbdyn.Revolute, rbdyn.Prismatic, rbdyn.Spherical, rbdyn.Revolute, rbdyn.Helical, rbdyn.Revolute]
    mechanism = testing.rand_tree_mechanism(kinds, seed=seed)
    for joint in mechanism.tree_joints:
        joint.friction, joint.damping, joint.stiffness = rng.uniform(0, 3), rng.uniform(0, 1), rng.uniform(0, 20)
        joint.effort_limit = rng.uniform(1, 30)
        if joint.num_velocities == 1:
            joint.position_limits, joint.velocity_limit = (-0.1, 0.1), 1.0
    robot = world.add_articulated_system(mechanism)
    robot.set_state(v=4.0 * rng.normal(size=robot.nv))
    robot.set_pd_gains(100.0, 5.0)
    robot.set_generalized_force(rng.normal(size=robot.nv))
    return robot


@pytest.mark.parametrize("integrator", ["semi_implicit", "euler"])
@pytest.mark.parametrize("meaning", ["motor", "explicit"])
def test_forces_add_up_to_newtons_law(seed, integrator, meaning):
    world = World(2e-3)
    world.integrator = integrator
    robot = arm(seed, world)
    robot.set_pd_gains(*robot.pd_gains, limits=meaning)
    seen = np.zeros(5)
    for _ in range(150):
        state, v = robot.state.copy(), robot.v
        world.step()
        left = rbdyn.mass_matrix(state) @ (robot.v - v) / world.time_step + rbdyn.bias_forces(state)
        forces = np.array([robot.applied_force, robot.passive_force, robot.limit_force, robot.friction_force,
                           robot.velocity_limit_force])
        seen = np.maximum(seen, np.abs(forces).max(axis=1))
        assert forces.sum(axis=0) == pytest.approx(left, abs=1e-9 * np.abs(forces).max())
        low, high = robot.effort_limits
        if meaning == "motor":
            assert (robot.applied_force <= high * (1 + 1e-9)).all() and (robot.applied_force >= low * (1 + 1e-9)).all()
        assert (np.abs(robot.friction_force) <= robot.joint_friction[0] * (1 + 1e-9)).all()
    assert (seen > 0.1).all()


def test_what_is_set_acts_and_is_read():
    world = World(1e-3, gravity=(0, 0, 0))
    robot = world.add_articulated_system(models.quadruped())
    assert robot.joint_limits[0][8] == -2.6 and robot.velocity_limits[8] == 12.0 and not robot.joint_friction[0].any()
    robot.set_joint_limits(-0.5, joints={"LF_KFE": (-0.2, 0.1), "RF_KFE": None})
    (lower, upper), free = robot.joint_limits, robot.model.joint_v_index("RF_KFE")
    assert lower[7:10].tolist() == [-0.5, -0.2, -0.5] and upper[7:10].tolist() == [2.0, 0.1, 0.7]
    assert not np.isfinite([lower[free], upper[free]]).any() and not np.isfinite(lower[:6]).any()
    robot.set_joint_limits(*robot.joint_limits, restitution=0.25)
    assert robot.joint_limits[0].tolist() == lower.tolist() and (robot.limit_restitution[6:] == 0.25).all()
    robot.set_velocity_limits(9.0, joints={"LF_KFE": 3.0, "LF_HFE": None})
    assert robot.velocity_limits[6:9].tolist() == [9.0, np.inf, 3.0]
    robot.set_joint_friction(0.1, joints={"LF_KFE": (0.2, 0.3)})
    assert robot.joint_friction[0][7:9].tolist() == [0.1, 0.2] and robot.joint_friction[1][7:9].tolist() == [0.1, 0.3]
    robot.set_joint_damping(np.arange(18.0), joints={"LF_KFE": 0.5})
    assert robot.joint_damping[[0, 8, 9]].tolist() == [0.0, 0.5, 9.0]
    robot.set_joint_springs(2.0, joints={"LF_KFE": (4.0, 0.5)})
    robot.add_spring("LF_KFE", 4.0, [1.0])
    assert robot.joint_springs[0][7:9].tolist() == [2.0, 8.0] and robot.joint_springs[1][9] == pytest.approx(0.75)
    robot.set_joint_limits(-np.inf, np.inf)
    robot.set_joint_friction(0.0)
    robot.set_joint_damping(0.0, joints={"LF_KFE": 1.0})
    robot.set_joint_springs(0.0, joints={"LF_KFE": 400.0})
    world.step(3000)
    assert robot.q[9] == pytest.approx(0.75, abs=1e-5)
    joint = robot.mechanism.find_joint("LF_KFE")
    assert (joint.position_limits, joint.friction, joint.stiffness) == ((-2.6, 2.6), 0.0, 0.0)
    rbdyn.mass_matrix(robot.state)                            # not stale


def settings(robot):
    pairs = robot.joint_limits + robot.joint_friction + robot.joint_springs
    return np.concatenate([*pairs, robot.limit_restitution, robot.velocity_limits, robot.joint_damping])


def test_bad_settings_are_named_and_change_nothing():
    world = World(1e-3)
    robot = world.add_articulated_system(models.quadruped())
    nan = np.full(18, np.nan)
    before = settings(robot)
    for call, match in [
        (lambda: robot.set_joint_limits(1.0, -1.0), "'LF_HAA': the lower limit 1 is above the upper one -1"),
        (lambda: robot.set_joint_limits(joints={"LF_HFE": (0, 1), "LF_KFE": (1, 0)}), "'LF_KFE': the lower limit"),
        (lambda: robot.set_joint_limits(joints={"LF_KFE": 1.0}), "must be .lower, upper."),
        (lambda: robot.set_joint_limits(joints={"ROOT": (0, 1)}), "'ROOT' .floating."),
        (lambda: robot.set_joint_limits(np.zeros(18)), "'ROOT' .floating. has none"),
        (lambda: robot.set_joint_limits(np.zeros(3)), "or 18 of them"),
        (lambda: robot.set_joint_limits(nan), r"lower\[0\]"),
        (lambda: robot.set_joint_limits(restitution=1.5), "restitution .*at most 1"),
        (lambda: robot.set_joint_limits(joints=[1, 2]), "dict of joint names"),
        (lambda: robot.set_velocity_limits(-1.0), "limit .*at least 0"),
        (lambda: robot.set_velocity_limits([[1], [2, 3]]), "or 18 of them"),
        (lambda: robot.set_velocity_limits(joints={"LF_KFE": "fast"}), "'LF_KFE'.*'fast'"),
        (lambda: robot.set_joint_friction(1.0, 0.5), "static friction 0.5 is less than friction 1"),
        (lambda: robot.set_joint_friction(np.inf), "friction must be a number"),
        (lambda: robot.set_joint_friction(joints={"LF_KFE": (1, 2, 3)}), "friction or .friction, static."),
        (lambda: robot.set_joint_damping(joints={"LF_KFE": -1.0}), "damping of joint 'LF_KFE'"),
        (lambda: robot.set_joint_springs(reference=np.zeros(19)), "reference of joint 'ROOT'"),
        (lambda: robot.set_joint_springs(joints={"LF_KFE": (1.0, [1.0, 2.0])}), "reference of joint 'LF_KFE'"),
        (lambda: robot.add_spring("LF_KFE", 0.0), "stiffness .*above 0"),
    ]:
        with pytest.raises(StateError, match=match):
            call()
    with pytest.raises(UnknownNameError, match="LF_KFE"):
        robot.set_joint_damping(joints={"LF_KNEE": 1.0})
    np.testing.assert_array_equal(settings(robot), before)
    world.remove(robot)
    with pytest.raises(RemovedError):
        robot.set_joint_damping(1.0)
    with pytest.raises(RemovedError):
        robot.joint_limit_violations()


def test_a_joint_with_three_axes_takes_one_reference():
    world = World(1e-3)
    mechanism = rbdyn.Mechanism(rbdyn.RigidBody("world"))
    body = rbdyn.RigidBody("ball", rbdyn.SpatialInertia(1.0, (0, 0, 0), np.eye(3)))
    mechanism.attach(mechanism.root_body, body, rbdyn.Joint("socket", rbdyn.Spherical()))
    robot = world.add_articulated_system(mechanism)
    robot.add_spring("socket", 2.0, [0.6, 0.8, 0.0, 0.0])
    robot.add_spring("socket", 1.0, [0.6, 0.8, 0.0, 0.0])
    assert robot.joint_springs[0].tolist() == [3.0] * 3
    with pytest.raises(StateError, match="another reference"):
        robot.add_spring("socket", 1.0)
    with pytest.raises(StateError, match="cannot have this"):
        robot.set_joint_limits(joints={"socket": (-1.0, 1.0)})


def slider(**joint):
    mechanism = rbdyn.Mechanism(rbdyn.RigidBody("world"))
    body = rbdyn.RigidBody("cart", rbdyn.SpatialInertia(2.0, (0, 0, 0), 0.01 * np.eye(3)))
    mechanism.attach(mechanism.root_body, body, rbdyn.Joint("rail", rbdyn.Prismatic((1, 0, 0)), **joint))
    return mechanism


@pytest.mark.parametrize("share", [0.0, 0.4, 1.0])
@pytest.mark.parametrize("end", [-1, 1])
def test_stops_give_back_their_share(share, end):
    """At 3 m/s from one metre away, to and fro between stops 2 m apart."""
    world = World(1e-3, gravity=(0, 0, 0))
    robot = world.add_articulated_system(slider(position_limits=(-1.0, 1.0), limit_restitution=share))
    robot.set_state([0.0], [3.0 * end])
    impulses = []
    for _ in range(500):
        world.step()
        impulses += [x[:2] + x[3:] for x in robot.joint_limit_violations() if x.impulse > 0.0]
    assert robot.v[0] == pytest.approx(-3.0 * end * share, abs=1e-12)
    assert {x[:2] for x in impulses} == {("rail", "upper" if end > 0 else "lower")}
    assert sum(x[2] for x in impulses) == pytest.approx(2.0 * 3.0 * (1.0 + share))
    assert share == 0.0 or len(impulses) == 1
    assert robot.q[0] * end == pytest.approx(1.0 - 3.0 * share * (0.5 - 1.0 / 3.0), abs=3e-3 * (1.0 + share))
    assert robot.joint_limit_violations() == [] or share == 0.0


def test_limits_that_close_in_on_a_joint_lead_it_back_smoothly():
    world = World(1e-3, gravity=(0, 0, 0))
    robot = world.add_articulated_system(slider())
    robot.set_state([0.05], [0.0])
    world.step()
    robot.set_joint_limits(-0.01, 0.0)
    (violation,) = robot.joint_limit_violations()
    assert violation == ("rail", "upper", pytest.approx(0.05), 0.0)
    ways, places = [], [robot.q[0]]
    for _ in range(100):
        world.step()
        places.append(robot.q[0])
        assert robot.v[0] == 0.0
    ways = -np.diff(places)
    assert (ways >= -1e-15).all() and ways.max() <= 1e-3 * (1 + 1e-9)      # at 1 m/s at most
    assert robot.q[0] == pytest.approx(0.0, abs=2e-5)


def test_a_standing_robot_tells_what_its_stops_carry():
    """Knees that rest on their stops: they are no contacts."""
    world = World(1e-3)
    world.add_ground()
    robot = standing_quadruped(world)
    knees = [k for k in robot.joint_names if k.endswith("KFE")]
    q = robot.q
    robot.set_joint_limits(joints={k: (q[robot.model.joint_q_index(k)] - 0.01, 2.6) for k in knees})
    robot.set_pd_gains(*(np.where(np.isin(np.arange(18) % 3, [2]), 0.0, g) for g in robot.pd_gains))
    world.step(1000)
    found = robot.joint_limit_violations()
    assert {x.joint for x in found} <= set(knees) and len(found) >= 2
    assert all(abs(x.excess) < 1e-4 for x in found)
    assert all(len(c.objects) == 2 for c in robot.contacts)
    total = sum(abs(c.impulse[2]) for c in robot.contacts) / world.time_step
    assert total == pytest.approx(robot.total_mass * 9.81, rel=1e-3)
    assert np.abs(robot.limit_force).sum() == pytest.approx(sum(x.impulse for x in found) / world.time_step)
