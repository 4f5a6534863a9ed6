"""Inverse kinematics of joints that follow others: results are configurations that the mimics allow.

Where bodies end up is asked of closed forms and of a World, which puts followers where their leaders say.
"""

import numpy as np
import pytest
from algorithms.four_bar import A, closure, e, four_bar
from reference.compare import nontrivial

import rbdyn
from rbdyn import Mimic, models
from rbdyn.mechanism import Prismatic, Revolute

TIP = (1.0, 0.0, 0.0)


def arm(mimics, limits=None, types=None):
    """Links of 1 m in the plane z = 0, one on the other: `mimics` {number: Mimic}, `limits` {number: pair}."""
    m, types = rbdyn.Mechanism(rbdyn.RigidBody("world")), types or {}
    for k in range(max(mimics) + 1):
        joint = rbdyn.Joint(f"joint{k}", types.get(k, Revolute()), position_limits=(limits or {}).get(k),
                            mimic=mimics.get(k))  # fmt: skip
        link = rbdyn.RigidBody(f"link{k}", rbdyn.SpatialInertia(1.0, (0.5, 0, 0), 0.1 * np.eye(3)))
        m.attach(m.bodies[-1], link, joint, rbdyn.Transform(translation=(float(k > 0), 0, 0)))
    return rbdyn.Model(m)


def tip(angles):
    turned = np.cumsum(angles)
    return np.array([np.cos(turned).sum(), np.sin(turned).sum(), 0.0])


def test_a_target_off_the_curve_is_no_success():
    """f = l: the tip is on a curve, and its nearest point is found among a hundred thousand."""
    model, target = arm({1: Mimic("joint0")}), np.array([1.2, 1.2, 0.0])
    angles = np.linspace(-np.pi, np.pi, 100_001)
    curve = np.array([np.cos(angles) + np.cos(2 * angles), np.sin(angles) + np.sin(2 * angles)]).T
    nearest = np.linalg.norm(curve - target[:2], axis=1).min()
    result = rbdyn.inverse_kinematics(model, [0.0, 0.0], "link1", TIP, target)
    assert not result.success
    assert result.q[0] == result.q[1]
    assert 0.0 <= nearest - result.residual < 1e-7  # angles of 6e-5 rad apart
    nontrivial(nearest, 0.05)


@pytest.mark.parametrize("ratio, offset", [(1.0, 0.0), (-2.0, 0.3), (0.5, -0.4), (3.0, 0.0)])
def test_reachable_targets_are_reached_where_the_mimic_holds(ratio, offset):
    model = arm({1: Mimic("joint0", ratio, offset)})
    for lead in np.linspace(-1.4, 1.4, 9):
        target = tip([lead, ratio * lead + offset])
        result = rbdyn.inverse_kinematics(model, [0.1, 0.0], "link1", TIP, target, attempts=50)
        assert result.success
        assert result.q[1] == ratio * result.q[0] + offset
        np.testing.assert_allclose(tip(result.q), target, atol=1e-9)


def test_limits_of_followers_bound_their_leaders():
    """q_f = -2 q_l + 0.3 within -0.5 to 0.5: l is within -0.1 to 0.4."""
    model = arm({1: Mimic("joint0", -2.0, 0.3)}, {0: (-2.0, 2.0), 1: (-0.5, 0.5)})
    for lead, expected in ((1.5, 0.4), (-1.5, -0.1), (0.25, 0.25)):
        target = tip([lead, -2.0 * lead + 0.3])
        result = rbdyn.inverse_kinematics(model, [0.0, 0.0], "link1", TIP, target, limits=True)
        assert -0.5 <= result.q[1] <= 0.5
        assert result.q[1] == pytest.approx(-2.0 * result.q[0] + 0.3, abs=1e-15)
        assert result.success == (lead == expected)
    only = rbdyn.inverse_kinematics(model, [0.0, 0.0], "link0", TIP, (np.cos(1.5), np.sin(1.5), 0), limits=True)
    assert only.q[0] == pytest.approx(0.4, abs=1e-12)  # also where the follower moves no target
    assert only.q[1] == pytest.approx(-0.5, abs=1e-12)


def test_limits_that_leave_a_leader_no_position_are_refused():
    model = arm({1: Mimic("joint0", 1.0, 3.0)}, {0: (-1.0, 1.0), 1: (-1.0, 1.0)})
    with pytest.raises(rbdyn.Error, match=r"limits: joint 'joint1' follows 'joint0'"):
        rbdyn.inverse_kinematics(model, [0.0, 0.0], "link1", TIP, (1, 1, 0), limits=True)
    assert rbdyn.inverse_kinematics(model, [0.0, 0.0], "link1", TIP, tip([0.5, 3.5])).success


def test_chains_of_mimics():
    """c = -1.5 b + 0.1 and b = 0.5 a + 0.2: a alone is searched; limits of c bound a."""
    mimics = {1: Mimic("joint0", 0.5, 0.2), 2: Mimic("joint1", -1.5, 0.1)}
    model = arm(mimics, {2: (-0.5, 0.5)})
    for a in (-0.6, 0.2, 0.35):
        b = 0.5 * a + 0.2
        target = tip([a, b, -1.5 * b + 0.1])
        result = rbdyn.inverse_kinematics(model, np.zeros(3), "link2", TIP, target, limits=True, attempts=50)
        assert result.success
        np.testing.assert_allclose(result.q, [a, b, -1.5 * b + 0.1], atol=1e-8)
    far = rbdyn.inverse_kinematics(model, np.zeros(3), "link0", TIP, (np.cos(-2), np.sin(-2), 0), limits=True)
    np.testing.assert_allclose(far.q[2], 0.5, atol=1e-12)


def test_a_leader_that_moves_no_target_itself():
    """Two fingers beside each other: the target is of the one that follows."""
    m = rbdyn.Mechanism(rbdyn.RigidBody("world"))
    for name, mimic in (("lead", None), ("follow", Mimic("lead", -1.0, 0.1))):
        joint = rbdyn.Joint(name, Prismatic((0, 1, 0)), position_limits=(-0.5, 0.3), mimic=mimic)
        m.attach(m.root_body, rbdyn.RigidBody(f"{name}_finger"), joint)
    for limits in (False, True):
        result = rbdyn.inverse_kinematics(rbdyn.Model(m), [0, 0], "follow_finger", None, (0, 0.25, 0), limits=limits)
        assert result.success
        np.testing.assert_allclose(result.q, [-0.15, 0.25], atol=1e-12)


def test_a_follower_that_moves_no_target_follows():
    """A follower's q in the start counts for nothing, as for `set_state`."""
    model = arm({1: Mimic("joint0", 2.0, 0.1)})
    result = rbdyn.inverse_kinematics(model, [0.0, 9.0], "link0", TIP, (0.0, 1.0, 0.0))
    np.testing.assert_allclose(result.q, [np.pi / 2, np.pi + 0.1], atol=1e-9)
    none = rbdyn.inverse_kinematics(model, [0.2, 9.0], "world", None, (0, 0, 0))
    np.testing.assert_allclose(none.q, [0.2, 0.5], atol=1e-15)


def test_a_step_is_damped_least_squares_in_the_independent_coordinates():
    """J G with G = d q / d q_leaders by differences; no follower turns by more than a radian a step."""
    model = arm({1: Mimic("joint0", -0.7, 0.2), 3: Mimic("joint2", 0.4)})
    G, start, damping = np.array([[1, 0], [-0.7, 0], [0, 1], [0, 0.4]]), np.array([0.3, 0.5]), 0.5

    def q_of(x):
        return G @ x + [0, 0.2, 0, 0]

    h = 1e-6 * np.eye(2)
    J = np.array([(tip(q_of(start + d)) - tip(q_of(start - d))) / 2e-6 for d in h]).T
    target = tip(q_of(start + [0.1, -0.1]))
    step = J.T @ np.linalg.solve(J @ J.T + damping**2 * np.eye(3), target - tip(q_of(start)))
    result = rbdyn.inverse_kinematics(model, q_of(start), "link3", TIP, target, 0.0, damping, 1, attempts=1)
    np.testing.assert_allclose(result.q, q_of(start + step), atol=1e-8)
    nontrivial(step, 0.01)
    geared = arm({1: Mimic("joint0", 5.0)})
    one = rbdyn.inverse_kinematics(geared, [0.1, 0.5], "link1", TIP, (-2, 0.1, 0), damping=1e-6, max_iter=1, attempts=1)
    assert np.abs(one.q - [0.1, 0.5]).max() <= 1.0 + 1e-12
    nontrivial(one.q - [0.1, 0.5], 0.1)


def test_a_saddle_point_is_left_along_the_mimic():
    """Stretched, and the target on its line: bent by both joints together."""
    model = arm({1: Mimic("joint0", -2.0)})
    result = rbdyn.inverse_kinematics(model, [0.0, 0.0], "link1", TIP, (1.0, 0, 0), attempts=1)
    assert result.success
    np.testing.assert_allclose(np.abs(result.q), [np.pi / 3, 2 * np.pi / 3], atol=1e-9)
    assert result.q[1] == -2.0 * result.q[0]


def test_a_world_agrees_on_where_the_body_is(seed):
    """`set_state` of the result leaves the robot there; targets are of configurations that the robot can have."""
    rng = np.random.default_rng(seed)
    m = models.six_axis_arm()
    names = [joint.name for joint in m.tree_joints if joint.num_velocities]
    for k, leader in ((3, 1), (5, 3)):
        m.find_joint(names[k]).mimic = Mimic(names[leader], rng.uniform(-1, 1), 0.1)
    with pytest.warns(rbdyn.MimicWarning):
        robot = rbdyn.World().add_articulated_system(m)
    for _ in range(5):
        robot.set_state(robot.model.random(rng))
        target = robot.body("tool").pose.copy()
        result = rbdyn.inverse_kinematics(robot, robot.model.neutral(), "tool", None, target, attempts=50)
        assert result.success
        robot.set_state(result.q)
        np.testing.assert_allclose(robot.body("tool").pose, target, atol=1e-8)
        np.testing.assert_array_equal(robot.q, result.q)


@pytest.mark.parametrize("crank", [0.6, 1.3])
def test_a_follower_of_a_joint_in_a_loop(crank):
    """A pointer on the ground turns at twice the crank's angle: its tip says where the four-bar stands."""
    m = four_bar()
    joint = rbdyn.Joint("pointer", Revolute(), mimic=Mimic("motor", 2.0, 0.1))
    m.attach(m.root_body, rbdyn.RigidBody("pointer_link"), joint)
    model = rbdyn.Model(m)
    q, first = model.neutral(), closure(crank + 0.3)
    for name, value in (("motor", crank + 0.3), ("knee", first[0] - crank - 0.3), ("foot", first[1])):
        q[model.joint_q_index(name)] = value
    t = 2.0 * crank + 0.1
    result = rbdyn.inverse_kinematics(model, q, "pointer_link", TIP, (np.cos(t), np.sin(t), 0))
    assert result.success
    t2, t3 = closure(crank)
    found = [result.q[model.joint_q_index(name)] for name in ("motor", "knee", "foot", "pointer")]
    np.testing.assert_allclose(found, (crank, t2 - crank, t3, t), atol=1e-8)


def test_a_follower_in_a_loop():
    """A four-bar whose foot is geared to its crank cannot move: only the target where both hold is reached."""
    angle = 1.2
    t2, t3 = closure(angle)
    m = four_bar()
    m.find_joint("foot").mimic = Mimic("motor", 0.5, t3 - 0.5 * angle)
    model = rbdyn.Model(m)
    q = model.neutral()
    for name, value in (("motor", angle + 0.2), ("knee", t2 - angle), ("foot", t3)):
        q[model.joint_q_index(name)] = value
    there = rbdyn.inverse_kinematics(model, q, "coupler", None, np.append(A * e(angle), 0.0), attempts=1)
    assert there.success
    i, j = model.joint_q_index("motor"), model.joint_q_index("foot")
    np.testing.assert_allclose(there.q[[i, j]], (angle, t3), atol=1e-8)
    away = rbdyn.inverse_kinematics(model, q, "coupler", None, np.append(A * e(angle + 0.4), 0.0))
    assert not away.success
    assert away.residual > 0.01
    assert away.q[j] == 0.5 * away.q[i] + (t3 - 0.5 * angle)


def test_joints_that_follow_in_a_circle_are_refused():
    m = models.double_pendulum()
    first, second = m.tree_joints
    first.mimic, second.mimic = Mimic(second.name), Mimic(first.name)
    with pytest.raises(rbdyn.MechanismError, match="circle"):
        rbdyn.inverse_kinematics(rbdyn.Model(m), [0, 0], m.bodies[-1], None, (0, 0, 0))


def test_a_long_chain_of_mimics_takes_linear_time():
    """Each joint of the chain is looked at once, and not once for each that follows it: seconds, not minutes."""
    m, count = rbdyn.Mechanism(rbdyn.RigidBody("world")), 3000
    for k in range(count):
        joint = rbdyn.Joint(f"slide{k}", Prismatic((1, 0, 0)), mimic=Mimic(f"slide{k + 1}") if k < count - 1 else None)
        m.attach(m.root_body, rbdyn.RigidBody(f"body{k}"), joint)
    result = rbdyn.inverse_kinematics(rbdyn.Model(m), np.zeros(count), "body0", None, (0.7, 0, 0))
    assert result.success
    np.testing.assert_allclose(result.q, 0.7, atol=1e-9)
