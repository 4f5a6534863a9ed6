"""Handles: bodies, joints, frames and geometry of a robot, against matrices written out and differences in q."""

import copy
import pickle

import numpy as np
import pytest

import rbdyn
from rbdyn import models
from rbdyn.errors import Error, MechanismError, RemovedError, StateError, UnknownNameError
from rbdyn.world import World

WORLD_AND_OTHERS = ("world", "base", "LF_THIGH", "RH_KFE")


def random_state(robot, seed):
    rng = np.random.default_rng(seed)
    robot.set_state(robot.model.random(rng), rng.normal(size=robot.nv))
    return rng


@pytest.fixture
def robot():
    world = World()
    world.add_ground()
    made = world.add_articulated_system(models.path("quadruped"))
    random_state(made, 3)
    yield made  # the World is kept until then


@pytest.fixture
def other(robot):
    return robot.world.add_articulated_system(rbdyn.models.six_axis_arm(), "arm")


def rates(robot, function, step=1e-6):
    """Of a function of q along the present velocity, by central differences; the state is what it was."""
    q, v = robot.q, robot.v
    values = []
    for sign in (1.0, -1.0):
        robot.set_state(rbdyn.integrate(robot.model, q, v, sign * step), v)
        values.append(function())
    robot.set_state(q, v)
    return (values[0] - values[1]) / (2.0 * step)


# ---- finding ---------------------------------------------------------------------------------------


def test_a_handle_is_taken_where_names_are(robot):
    shank, knee = robot.body("LF_SHANK"), robot.joint("LF_KFE")
    assert robot.body(shank) is shank
    assert robot.joint(knee) is knee
    assert robot.frame(robot.frame("LF_FOOT")) is robot.frame("LF_FOOT")
    assert robot.contacts_of(shank) == []
    np.testing.assert_array_equal(robot.contact_force(shank), np.zeros(3))
    robot.set_pd_target(joints={knee: 0.4})
    assert robot.pd_target[0][robot.model.joint_q_index("LF_KFE")] == 0.4
    robot.set_joint_friction(joints={knee: 0.7})
    assert robot.joint("LF_KFE").friction == 0.7
    robot.set_external_force(shank, (1.0, 2.0, 3.0))
    robot.set_external_torque(robot.frame("LF_FOOT"), (0.0, 0.0, 1.0))
    weld = robot.world.add_weld(shank, None)
    assert weld.ends == ((robot, "LF_SHANK"), None)


def test_handles_of_others_and_numbers_are_no_names(robot, other):
    hand = other.bodies[-1]
    for take in (robot.body, robot.contact_force, lambda one: robot.set_external_force(one, (0, 0, 1))):
        with pytest.raises(Error, match=f"handle of another robot, not of '{robot.name}'"):
            take(hand)
    with pytest.raises(Error, match="handle of another robot"):
        robot.set_pd_target(joints={other.joints[0]: 0.1})
    with pytest.raises(UnknownNameError, match="no body named '3'"):
        robot.body(3)
    with pytest.raises(UnknownNameError, match="no joint named '5'"):
        robot.joint(5)
    robot.world.remove(other)
    with pytest.raises(RemovedError):
        robot.body(hand)
    with pytest.raises(RemovedError):
        robot.world.add_weld(hand, None)


def test_one_handle_for_one_thing(robot):
    assert robot.body("LF_SHANK") is robot.body("LF_SHANK") is robot.body(robot.mechanism.find_body("LF_SHANK"))
    assert robot.joint("LF_KFE") is robot.joint(robot.mechanism.find_joint("LF_KFE"))
    assert robot.frame("LF_KFE") is robot.frame("after_LF_KFE")
    assert robot.frame("LF_KFE") is robot.frame(robot.mechanism.find_joint("LF_KFE").frame_after)
    assert robot.geometry("LF_FOOT/0") is robot.body("LF_FOOT").geometries[0]
    assert [one.name for one in robot.bodies] == [one.name for one in robot.mechanism.bodies[1:]]
    assert [one.name for one in robot.joints] == list(robot.joint_names)
    assert [one.name for one in robot.geometries][:3] == ["base/0", "LF_THIGH/0", "LF_SHANK/0"]
    assert robot.body("LF_SHANK").robot is robot
    assert repr(robot.joint("LF_KFE")) == "JointRef('LF_KFE' of 'quadruped')"


@pytest.mark.parametrize("kind", ["body", "joint", "frame", "geometry"])
def test_unknown_names_are_told_the_nearest(robot, kind):
    near = {"body": "LF_SHANK", "joint": "LF_KFE", "frame": "LF_KFE", "geometry": "LF_SHANK/0"}[kind]
    with pytest.raises(UnknownNameError, match=near):
        getattr(robot, kind)(near.lower())
    with pytest.raises(Error):
        getattr(robot, kind)(["a", "list"])


def test_things_of_other_mechanisms_are_refused(robot, other):
    with pytest.raises(Error, match="tool"):
        robot.body(other.mechanism.find_body("tool"))
    with pytest.raises(Error, match="shoulder"):
        robot.joint(other.mechanism.find_joint("shoulder"))
    with pytest.raises(UnknownNameError):
        robot.frame(other.mechanism.find_frame("tool"))


def test_handles_of_a_removed_robot_say_so(robot):
    body, joint, shape = robot.body("LF_SHANK"), robot.joint("LF_KFE"), robot.geometry("LF_FOOT/0")
    robot.world.remove(robot)
    for read in (lambda: body.position, lambda: body.mass, lambda: body.children, lambda: joint.q, lambda: joint.gains,
                 lambda: joint.rotor_inertia, lambda: shape.shape, lambda: shape.pose, lambda: robot.body("LF_SHANK"),
                 lambda: robot.frames, lambda: robot.body_poses, lambda: body.robot,
                 lambda: setattr(joint, "target", 0.0)):  # fmt: skip
        with pytest.raises(RemovedError, match="quadruped"):
            read()
    assert (body.name, joint.name, shape.name) == ("LF_SHANK", "LF_KFE", "LF_FOOT/0")


def test_a_handle_that_lost_its_thing_says_what_became_of_it(robot):
    body = robot.body("LF_SHANK")
    body._end("body 'LF_SHANK' was cut off with 'module'")
    with pytest.raises(RemovedError, match="cut off with 'module'"):
        assert body.position is None
    assert "removed" in repr(body)


def test_handles_of_a_copy_are_its_own(robot):
    held = robot.world, robot.body("LF_SHANK"), robot.joint("LF_KFE"), robot.geometry("LF_SHANK/0")
    for world, *handles in (copy.deepcopy(held), pickle.loads(pickle.dumps(held))):
        twin = world.find(robot.name)
        for handle, own in zip(handles, held[1:], strict=True):
            assert handle.robot is twin and handle is not own and handle.name == own.name
        assert handles[0] is twin.body("LF_SHANK")
    assert copy.copy(held[1]) is held[1]
    with pytest.raises(Error, match="made by a robot"):
        type(robot.body("LF_SHANK"))()


# ---- where things are ---------------------------------------------------------------------------------


def written_out(robot, leg):
    """World pose of a shank of the quadruped from its q alone: base, then the three joints of the leg."""

    def turned(axis, angle):
        K = np.cross(np.eye(3), axis)
        return np.eye(3) + np.sin(angle) * K + (1.0 - np.cos(angle)) * K @ K

    w, x, y, z = robot.q[3:7]
    u = np.array([x, y, z])
    R = (w * w - u @ u) * np.eye(3) + 2.0 * np.outer(u, u) + 2.0 * w * np.cross(np.eye(3), u)
    p = robot.q[:3]
    for name in ("HAA", "HFE", "KFE"):
        joint = robot.mechanism.find_joint(f"{leg}_{name}")
        here = robot.mechanism.edge(joint).joint_pose
        p, R = p + R @ here.translation, R @ here.rotation
        R = R @ turned(np.array(joint.joint_type.axis), robot.q[robot.model.joint_q_index(joint.name)])
    return R, p


@pytest.mark.parametrize("leg", ["LF", "RH"])
def test_poses_are_those_of_the_chain(robot, leg):
    R, p = written_out(robot, leg)
    body = robot.body(f"{leg}_SHANK")
    np.testing.assert_allclose(body.position, p, atol=1e-12)
    np.testing.assert_allclose(body.rotation, R, atol=1e-12)
    np.testing.assert_allclose(body.pose, np.block([[R, p[:, None]], [np.zeros(3), 1.0]]), atol=1e-12)
    np.testing.assert_allclose(rbdyn.Transform(quat=body.orientation).rotation, R, atol=1e-12)
    foot = robot.mechanism.edge(robot.mechanism.find_joint(f"{leg}_FOOT_FIXED")).joint_pose
    np.testing.assert_allclose(robot.body(f"{leg}_FOOT").position, R @ foot.translation + p, atol=1e-12)
    shape = robot.mechanism.find_body(f"{leg}_SHANK").collision[0]
    handle = robot.geometry(f"{leg}_SHANK/0")
    np.testing.assert_allclose(handle.position, R @ shape.pose.translation + p, atol=1e-12)
    np.testing.assert_allclose(handle.rotation, R @ shape.pose.rotation, atol=1e-12)
    assert (handle.shape, handle.material, handle.group, handle.mask) == (shape.shape, shape.material, 1, -1)
    assert np.abs(p).min() > 1e-3


def test_arrays_of_all_are_those_of_each(robot):
    bodies = [robot.body(name) for name in robot.body_names]
    np.testing.assert_array_equal(robot.body_poses, [one.pose for one in bodies])
    np.testing.assert_array_equal(robot.body_positions, [one.position for one in bodies])
    np.testing.assert_allclose(robot.body_velocities, [one.velocity for one in bodies], atol=1e-13)
    np.testing.assert_array_equal(robot.body_orientations, [one.orientation for one in bodies])
    np.testing.assert_array_equal(robot.frame_poses, [one.pose for one in robot.frames])
    assert robot.frame_poses.shape == (52, 4, 4)


def test_velocities_of_all_frames_are_those_of_what_is_seen_of_them(robot):
    """Central differences of their poses along the motion."""
    q, v, h, seen = robot.q, robot.v, 1e-5, []
    velocities = robot.frame_velocities
    assert velocities.shape == (52, 6)
    for side in (-1.0, 1.0):
        robot.set_state(rbdyn.integrate(robot.model, q, v, side * h), v)
        seen.append(robot.frame_poses)
        robot.set_state(q, v)
    rate = (seen[1] - seen[0]) / (2.0 * h)
    np.testing.assert_allclose(velocities[:, 3:], rate[:, :3, 3], atol=1e-7)
    turning = rate[:, :3, :3] @ robot.frame_poses[:, :3, :3].transpose(0, 2, 1)
    np.testing.assert_allclose(velocities[:, :3], turning[:, [2, 0, 1], [1, 2, 0]], atol=1e-7)
    assert np.ptp(velocities, axis=0).min() > 0.1


def test_a_fixed_base_stands_where_it_was_put_and_world_is_the_inertial_frame(other):
    other.set_base_pose((1.0, 2.0, 3.0), (0.0, 0.0, 0.0, 1.0))
    base = other.bodies[0]
    np.testing.assert_allclose(base.position, (1.0, 2.0, 3.0))
    np.testing.assert_array_equal(other.frame("world").pose, np.eye(4))
    assert other.joint(other.joint_names[0]).name == other.joint_names[0]
    np.testing.assert_allclose(other.joint(other.joint_names[0]).position, (1.0, 2.0, 3.0))


# ---- how things move -----------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["base", "LF_SHANK", "LF_FOOT", "RH_THIGH"])
def test_velocities_are_rates_of_positions(robot, name):
    body = robot.body(name)
    np.testing.assert_allclose(body.linear_velocity, rates(robot, lambda: body.position), atol=1e-7)
    spin = rates(robot, lambda: body.rotation) @ body.rotation.T
    np.testing.assert_allclose(body.angular_velocity, (spin[2, 1], spin[0, 2], spin[1, 0]), atol=1e-7)
    np.testing.assert_array_equal(body.velocity, np.r_[body.angular_velocity, body.linear_velocity])
    assert np.abs(body.velocity).min() > 1e-3


@pytest.mark.parametrize("given", [None, *WORLD_AND_OTHERS])
@pytest.mark.parametrize("wanted", WORLD_AND_OTHERS)
def test_points_and_results_in_any_frame(robot, given, wanted):
    body, point = robot.body("LF_SHANK"), np.array([0.1, -0.2, 0.3])
    T = np.eye(4) if given == "world" else robot.body_pose(given or "LF_SHANK")
    R = np.eye(3) if wanted == "world" else robot.body_pose(wanted)[:3, :3]
    at = T[:3, :3] @ point + T[:3, 3]
    fixed = np.linalg.inv(body.pose) @ np.r_[at, 1.0]

    origin = np.zeros(3) if wanted == "world" else robot.body_pose(wanted)[:3, 3]
    np.testing.assert_allclose(body.point_position(point, given, wanted), R.T @ (at - origin), atol=1e-12)
    velocity = rates(robot, lambda: (body.pose @ fixed)[:3])
    np.testing.assert_allclose(body.point_velocity(point, given, wanted), R.T @ velocity, atol=1e-7)
    J = body.jacobian(point, given, wanted)
    np.testing.assert_allclose(J[3:] @ robot.v, R.T @ velocity, atol=1e-7)
    np.testing.assert_allclose(J[:3] @ robot.v, R.T @ body.angular_velocity, atol=1e-12)
    sparse = body.jacobian(point, given, wanted, sparse=True)
    np.testing.assert_allclose(sparse.dense(), J, atol=1e-15)
    assert len(sparse.columns) == 9
    # R stays: it is the rate in world axes, seen in those of the frame
    rate = rates(robot, lambda: R.T @ body.jacobian(fixed[:3])[3:] @ robot.v)
    np.testing.assert_allclose(body.jacobian_dot(point, given, wanted)[3:] @ robot.v, rate, atol=1e-6)
    np.testing.assert_allclose(body.jacobian_dot(point, given, wanted, sparse=True).dense(),
                               body.jacobian_dot(point, given, wanted), atol=1e-15)  # fmt: skip
    assert np.abs(rate).min() > 1e-3


def test_frames_may_be_handles_of_other_robots_and_single_bodies(robot, other):
    ball = robot.world.add_sphere(0.1, 1.0)
    ball.set_pose((1.0, 2.0, 3.0), (0.5, 0.5, 0.5, 0.5))
    foot = robot.body("LF_FOOT")
    x = ball.rotation.T @ (foot.position - (1.0, 2.0, 3.0))
    np.testing.assert_allclose(foot.pose_in(ball)[:3, 3], x, atol=1e-12)
    np.testing.assert_allclose(foot.pose_in(other.body("tool")), np.linalg.inv(other.body_pose("tool")) @ foot.pose,
                               atol=1e-12)  # fmt: skip
    np.testing.assert_array_equal(foot.pose_in("world"), foot.pose)
    elsewhere = World()
    with pytest.raises(Error, match="another one"):
        foot.pose_in(elsewhere.add_articulated_system(models.path("quadruped")).body("base"))
    for wrong in (3, None, [1.0]):
        with pytest.raises(Error, match="frame must be a frame"):
            foot.pose_in(wrong)
    with pytest.raises(UnknownNameError):
        foot.jacobian(expressed_in="nowhere")


def test_forces_may_be_given_in_any_frame(robot):
    """By what they do: the same force in other axes, at the same point in another frame, leads to the same end."""
    ends = []
    body, q, v = robot.body("LF_SHANK"), robot.q, robot.v
    force, torque, at = np.array([3.0, -4.0, 5.0]), np.array([0.3, 0.1, -0.2]), np.array([0.02, 0.03, -0.1])
    for frame in ("world", "LF_SHANK", "RH_KFE"):
        robot.set_state(q, v)
        R = np.eye(3) if frame == "world" else robot.body_pose(frame)[:3, :3]
        body.set_external_force(R.T @ force, body.point_position(at, expressed_in=frame), frame, expressed_in=frame)
        body.set_external_torque(R.T @ torque, expressed_in=robot.frame(frame))
        robot.world.step()
        ends.append(robot.v)
    robot.set_state(q, v)
    robot.set_external_force("LF_SHANK", force, at)
    robot.set_external_torque("LF_SHANK", torque)
    robot.world.step()
    for end in ends:
        np.testing.assert_allclose(end, robot.v, atol=1e-9)
    robot.set_state(q, v)
    robot.world.step()
    assert np.abs(robot.v - ends[0]).max() > 1e-2


# ---- inertia -------------------------------------------------------------------------------------------


def test_inertia_of_a_link_of_what_is_merged_and_of_all_beyond(robot):
    link = robot.body("LF_SHANK")
    assert (link.mass, robot.body("LF_FOOT").mass) == (0.5, 0.15)
    np.testing.assert_allclose(link.com, (0.0, 0.0, -0.13), atol=0.02)
    merged = link.merged_inertia
    foot = robot.body("LF_FOOT")
    at = (link.pose_in(foot)[:3, :3].T @ -link.pose_in(foot)[:3, 3]) + foot.com
    assert merged.mass == pytest.approx(0.65)
    np.testing.assert_allclose(merged.com, (0.5 * link.com + 0.15 * at) / 0.65, atol=1e-12)
    arms = [link.com - merged.com, at - merged.com]
    total = sum(J + m * (a @ a * np.eye(3) - np.outer(a, a))
                for J, m, a in zip((link.inertia, foot.inertia), (0.5, 0.15), arms, strict=True))  # fmt: skip
    np.testing.assert_allclose(merged.inertia, total, atol=1e-12)
    thigh = robot.body("LF_THIGH").composite_inertia
    assert thigh.mass == pytest.approx(robot.body("LF_THIGH").mass + 0.65)
    both = robot.body("LF_THIGH").mass * robot.body("LF_THIGH").com_position + 0.65 * link.point_position(merged.com)
    np.testing.assert_allclose(robot.body("LF_THIGH").point_position(thigh.com), both / thigh.mass, atol=1e-12)
    assert foot.carrier is link and link.carrier is link and foot.index == robot.body_names.index("LF_SHANK")
    assert foot.parent is link and link.children == (foot,) and link.joint is robot.joint("LF_KFE")


# ---- joints --------------------------------------------------------------------------------------------


def test_joints_know_their_numbers_and_take_new_ones(robot):
    joint, k = robot.joint("RF_HFE"), robot.model.joint_v_index("RF_HFE")
    assert (joint.v_index, joint.q_index) == (k, k + 1)
    joint.q, joint.v = 0.3, -0.7
    assert robot.q[k + 1] == joint.q == 0.3 and robot.v[k] == joint.v == -0.7
    axis = np.array(joint.predecessor.rotation @ joint.placement.rotation @ joint.local_axis)
    np.testing.assert_allclose(joint.axis, axis, atol=1e-12)
    np.testing.assert_allclose(joint.axis_in(joint.predecessor), (0.0, 1.0, 0.0), atol=1e-12)
    joint.limits, joint.velocity_limit, joint.effort_limits = (-0.5, 0.6), 4.0, (-3.0, 5.0)
    assert (joint.limits, joint.velocity_limit, joint.effort_limits) == ((-0.5, 0.6), 4.0, (-3.0, 5.0))
    joint.effort_limits = 7.0
    assert [a[k] for a in robot.effort_limits] == [-7.0, 7.0]
    joint.limits, joint.velocity_limit = None, None
    assert joint.limits == (-np.inf, np.inf) and joint.velocity_limit == np.inf
    joint.gains, joint.target, joint.target_velocity, joint.force = (40.0, 1.0), 0.2, 0.1, -2.0
    assert (joint.gains, joint.target, joint.target_velocity, joint.force) == ((40.0, 1.0), 0.2, 0.1, -2.0)
    assert (robot.pd_gains[0][k], robot.pd_target[0][k + 1], robot.generalized_force[k]) == (40.0, 0.2, -2.0)
    assert np.count_nonzero(robot.pd_gains[0]) == np.count_nonzero(robot.generalized_force) == 1
    assert (joint.damping, joint.stiffness, joint.friction, joint.rotor_inertia) == (
        robot.joint_damping[k], 0.0, robot.joint_friction[0][k], robot.model.array("rotor_inertia")[k])  # fmt: skip


def test_joints_of_several_degrees_of_freedom_have_arrays(robot):
    base = robot.joint("ROOT")
    np.testing.assert_array_equal(base.q, robot.q[:7])
    np.testing.assert_array_equal(base.v, robot.v[:6])
    base.v = np.arange(6.0)
    np.testing.assert_array_equal(robot.v[:6], np.arange(6.0))
    assert base.gains[0].shape == (6,) and base.target.shape == (7,)
    with pytest.raises(ValueError):
        base.q[0] = 1.0
    with pytest.raises(Error, match="has no axis"):
        assert base.axis is None
    with pytest.raises(Error, match="it is fixed"):
        assert robot.joint("LF_FOOT_FIXED").q is None


@pytest.mark.parametrize("act", [
    lambda robot, bad: setattr(robot.joint("LF_HFE"), "q", bad),
    lambda robot, bad: setattr(robot.joint("LF_HFE"), "target", bad),
    lambda robot, bad: setattr(robot.joint("LF_HFE"), "force", bad),
    lambda robot, bad: setattr(robot.joint("LF_HFE"), "effort_limits", bad),
    lambda robot, bad: setattr(robot.joint("LF_HFE"), "gains", (bad, 1.0)),
    lambda robot, bad: robot.set_pd_target(joints={"LF_HFE": 0.1, "RF_HFE": bad}),
    lambda robot, bad: robot.set_pd_gains(joints={"LF_HFE": (1.0, 2.0), "RF_HFE": (1.0, bad)}),
    lambda robot, bad: robot.set_generalized_force(joints={"LF_HFE": 1.0, "RF_HFE": bad}),
    lambda robot, bad: robot.set_effort_limits(joints={"LF_HFE": 1.0, "RF_HFE": (bad, 1.0)}),
])  # fmt: skip
@pytest.mark.parametrize("bad", [np.nan, "x", [1.0, 2.0, 3.0], None, {}])
def test_nothing_changes_where_a_number_is_wrong(robot, act, bad):
    before = robot.q, *robot.pd_target, *robot.pd_gains, robot.generalized_force, *robot.effort_limits
    if act(robot, 0.0) is None:  # what is right is taken
        robot.set_state(before[0])
        robot.set_pd_target(before[1], before[2])
        robot.set_pd_gains(before[3], before[4])
        robot.set_generalized_force(before[5])
        robot.set_effort_limits(before[6], before[7])
    if bad is None and any("gains" in str(name) for name in act.__code__.co_names + act.__code__.co_consts):
        return  # None: what is not given stays
    with pytest.raises((StateError, MechanismError)):
        act(robot, bad)
    after = robot.q, *robot.pd_target, *robot.pd_gains, robot.generalized_force, *robot.effort_limits
    for a, b in zip(before, after, strict=True):
        np.testing.assert_array_equal(a, b)


def test_gains_apart_and_single_joints_by_name(robot):
    robot.set_pd_gains(30.0, 2.0)
    robot.set_pd_gains(p=50.0)
    robot.set_pd_gains(joints={"LF_HFE": (None, 9.0)})
    k = robot.model.joint_v_index("LF_HFE")
    expected = np.r_[np.zeros(6), np.full(12, 2.0)]
    expected[k] = 9.0
    np.testing.assert_array_equal(robot.pd_gains[0], np.r_[np.zeros(6), np.full(12, 50.0)])
    np.testing.assert_array_equal(robot.pd_gains[1], expected)
    target = robot.pd_target[0].copy()
    robot.set_pd_target(joints={"LF_HFE": 0.4})
    target[k + 1] = 0.4
    np.testing.assert_array_equal(robot.pd_target[0], target)
    robot.set_generalized_force(joints={"LF_HFE": 3.0})
    robot.set_generalized_force(joints={"RF_HFE": 4.0})
    assert np.flatnonzero(robot.generalized_force).tolist() == [k, robot.model.joint_v_index("RF_HFE")]
    with pytest.raises(UnknownNameError, match="LF_HFE"):
        robot.set_pd_target(joints={"LF_HFF": 0.4})
    with pytest.raises(StateError, match="dict of joint names"):
        robot.set_pd_target(joints=[0.4])
