"""Inverse kinematics from where the gradient vanishes, for robots that stand anywhere, and how often it succeeds.

Where bodies end up is asked of the oracle, which shares no code with the search.
"""

import numpy as np
import pytest
from algorithms.systems import layout
from reference import oracle

import rbdyn
from rbdyn import Joint, Mechanism, Model, RigidBody, State, Transform, models
from rbdyn.mechanism import Planar, Prismatic, Revolute, SinCosRevolute, Spherical
from rbdyn.spatial.rotations import random_quat, random_rotation
from rbdyn.testing.random_mechanisms import ALL_TYPES, random_tree

INERTIA = rbdyn.SpatialInertia(1.0, inertia=np.eye(3))


def pose(model, q, body):
    """Of a body whose root stands at the origin."""
    return oracle.forward_kinematics(model.mechanism, q[layout(model, model.mechanism)[0]])[body]


def straight_arm(kinds, lengths, limits=None):
    """Links on one line when q is neutral; the tip is at (length, 0, 0) of the last."""
    m, reach = Mechanism(RigidBody("world")), 0.0
    for k, (kind, length) in enumerate(zip(kinds, lengths, strict=True)):
        joint = Joint(f"joint{k}", kind() if isinstance(kind, type) else kind)
        if limits is not None:
            joint.position_limits = limits
        m.attach(m.bodies[-1], RigidBody(f"link{k}", INERTIA), joint, Transform(translation=(reach, 0, 0)))
        reach = length
    return Model(m)


def tip(model, q, n, length):
    return pose(model, q, f"link{n - 1}") @ [length, 0.0, 0.0, 1.0]


ARMS = {
    "hinges": [Revolute((0, 0, 1))] * 2,
    "three hinges": [Revolute((0, 0, 1)), Revolute((0, 0, -1)), Revolute((0, 0, 1))],
    "hinges both ways": [Revolute((0, 0, 1)), Revolute((0, 1, 0)), Revolute((0, 0, 1)), Revolute((0, 1, 0))],
    "balls": [Spherical] * 2,
    "hinge, ball": [Revolute((0, 1, 0)), Spherical],
    "sines": [SinCosRevolute((0, 0, 1))] * 3,
}


@pytest.mark.parametrize("kinds", ARMS.values(), ids=ARMS)
@pytest.mark.parametrize("share", [0.9, 0.5, 0.2, -0.4, -0.9])
def test_a_straight_arm_reaches_along_its_line(kinds, share, seed):
    """J^T e = 0 exactly, nearer to the shoulder and behind it: the first attempt gets there."""
    rng = np.random.default_rng([seed, 3])
    n = len(kinds)
    lengths = rng.uniform(0.95, 1.0) * np.ones(n)
    model = straight_arm(kinds, lengths)
    target = np.array([share * lengths.sum(), 0.0, 0.0])
    state = State(model)
    J = rbdyn.point_jacobian(state, f"link{n - 1}", (lengths[-1], 0, 0))
    assert np.abs(J.T @ (target - (lengths.sum(), 0, 0))).max() < 1e-15
    result = rbdyn.inverse_kinematics(
        model, model.neutral(), f"link{n - 1}", (lengths[-1], 0, 0), target, attempts=1, max_iter=100
    )
    assert result.success
    np.testing.assert_allclose(tip(model, result.q, n, lengths[-1])[:3], target, atol=1e-9)


@pytest.mark.parametrize("limits", [(0.0, 2.6), (-2.6, 0.0), (-0.1, 2.6)])
def test_a_knee_that_is_straight_at_its_limit_bends_the_way_it_can(limits):
    """The hip turns freely; the knee's limit is where the leg is straight: no force holds it there."""
    m = Mechanism(RigidBody("world"))
    thigh, shank = RigidBody("thigh", INERTIA), RigidBody("shank", INERTIA)
    m.attach(m.root_body, thigh, Joint("hip", Revolute((0, 0, 1))))
    knee = Joint("knee", Revolute((0, 0, 1)), position_limits=limits)
    m.attach(thigh, shank, knee, Transform(translation=(1, 0, 0)))
    model = Model(m)
    result = rbdyn.inverse_kinematics(model, [0, 0], "shank", (1, 0, 0), (1.2, 0, 0), limits=True, attempts=1)
    assert result.success
    assert limits[0] <= result.q[1] <= limits[1]
    np.testing.assert_allclose(abs(result.q[1]), 2 * np.arccos(0.6), atol=1e-9)


@pytest.mark.parametrize("way, limits", [(1.0, (0.0, 1.0)), (-1.0, (-1.0, 0.0))])
def test_a_straight_arm_on_a_slide_that_wants_beyond_its_limit(way, limits):
    """The slide is held at either limit and cannot help; the arm bends all the same, and nothing else moves."""
    m = Mechanism(RigidBody("world"))
    slide = Joint("slide", Prismatic((way, 0, 0)), position_limits=limits)
    m.attach(m.root_body, RigidBody("carriage", INERTIA), slide)
    for k in range(2):
        place = Transform(translation=(float(k), 0, 0))
        m.attach(m.bodies[-1], RigidBody(f"link{k}", INERTIA), Joint(f"joint{k}", Revolute((0, 0, 1))), place)
    result = rbdyn.inverse_kinematics(Model(m), np.zeros(3), "link1", (1, 0, 0), (1.2, 0, 0), limits=True, attempts=1)
    assert result.success and limits[0] <= result.q[0] <= limits[1]
    x = way * result.q[0]
    assert abs(result.q[2]) == pytest.approx(2 * np.arccos((1.2 - x) / 2), abs=1e-8)


def test_a_pose_on_the_line_of_a_straight_arm():
    """Rotation and position in one error: a six-axis arm that is stretched straight up, and told to come down."""
    m = Mechanism(RigidBody("world"))
    for k, (axis, z) in enumerate(
        [((0, 0, 1), 0.2), ((0, 1, 0), 0.2), ((0, 1, 0), 0.5), ((0, 0, 1), 0.3), ((0, 1, 0), 0.2), ((0, 0, 1), 0.1)]
    ):
        place = Transform(translation=(0, 0, z))
        m.attach(m.bodies[-1], RigidBody(f"link{k}", INERTIA), Joint(f"joint{k}", Revolute(axis)), place)
    model = Model(m)
    target = Transform(translation=(0, 0, 1.1)).matrix
    assert pose(model, np.zeros(6), "link5")[2, 3] == pytest.approx(1.5)
    result = rbdyn.inverse_kinematics(model, np.zeros(6), "link5", None, target, attempts=1)
    assert result.success
    np.testing.assert_allclose(pose(model, result.q, "link5"), target, atol=1e-9)


def test_the_nearest_point_of_the_reach_is_no_saddle():
    """A minimum stays where it is, at its limits too."""
    model = straight_arm(ARMS["three hinges"], [1.0, 1.0, 1.0])
    result = rbdyn.inverse_kinematics(model, np.zeros(3), "link2", (1, 0, 0), (5.0, 0, 0))
    assert not result.success and result.residual == 2.0
    np.testing.assert_array_equal(result.q, np.zeros(3))
    held = straight_arm(ARMS["three hinges"], [1.0, 1.0, 1.0], limits=(0.3, 0.5))
    start = np.array([0.5, 0.3, 0.5])
    result = rbdyn.inverse_kinematics(held, start, "link2", (1, 0, 0), (-20.0, 20.0, 0), limits=True, attempts=1)
    assert not result.success and (result.q >= 0.3).all() and (result.q <= 0.5).all()


def test_a_dead_centre_of_a_closed_loop():
    """A crank and its rod on one line, the slider wanted nearer: a later attempt gets there, with closed loops."""
    m = Mechanism(RigidBody("world"))
    crank, rod, slider = (RigidBody(name, INERTIA) for name in ("crank", "rod", "slider"))
    m.attach(m.root_body, crank, Joint("motor", Revolute((0, 0, 1))))
    m.attach(crank, rod, Joint("knee", Revolute((0, 0, 1))), Transform(translation=(0.4, 0, 0)))
    m.attach(m.root_body, slider, Joint("rail", Prismatic((1, 0, 0))), Transform(translation=(1.4, 0, 0)))
    m.attach(rod, slider, Joint("pin", Revolute((0, 0, 1))), Transform(translation=(1.0, 0, 0)))
    model = Model(m)
    result = rbdyn.inverse_kinematics(model, np.zeros(3), "slider", None, (1.1, 0, 0))
    assert result.success
    there = State(model)
    there.set(result.q)
    assert np.abs(rbdyn.loop_error(there)).max() < 1e-9
    cosine = (0.4**2 + 1.1**2 - 1.0) / (2 * 0.4 * 1.1)  # of the crank, by the law of cosines
    assert np.cos(result.q[model.joint_q_index("motor")]) == pytest.approx(cosine, abs=1e-8)


# ---- a base that stands anywhere ------------------------------------------------------------------------------------


@pytest.mark.parametrize("floating", [False, True])
def test_targets_of_a_robot_are_in_world_axes(seed, floating):
    """A random tree with a placed root: the oracle's pose, moved by the base, is the target."""
    rng = np.random.default_rng([seed, 9])
    kinds = [kind for kind in ALL_TYPES if kind.num_velocities]
    m = random_tree(rng, 6, [Revolute, Spherical, Planar, *kinds], floating_base=floating)
    while not (Model(m).nv > 2):
        m = random_tree(rng, 6, kinds, floating_base=floating)
    state = State(Model(m))
    world = rbdyn.World()
    robot = world.add_articulated_system(m)
    base = Transform(random_rotation(rng), translation=rng.normal(size=3))
    if floating:
        base = Transform()
    else:
        robot.set_base_pose(base.translation, base.rotation)
    model, body, point = robot.model, m.bodies[-1].name, 0.3 * rng.normal(size=3)
    frame = Transform(translation=point).matrix
    aim = base.matrix @ pose(model, rbdyn.integrate(model, robot.q, 0.3 * rng.normal(size=model.nv)), body) @ frame
    before = robot.q
    given = [robot, robot.state, robot.state.copy()]
    results = [rbdyn.inverse_kinematics(one, start, body, point, aim) for one in given for start in (None, before)]
    for result in results:
        np.testing.assert_array_equal(result.q, results[0].q)
    found = base.matrix @ pose(model, results[0].q, body) @ frame
    assert results[0].success
    np.testing.assert_allclose(found, aim, atol=1e-9)
    assert np.abs(rbdyn.difference(model, before, results[0].q)).max() > 0.01
    np.testing.assert_array_equal(robot.q, before)
    robot.set_state(results[0].q)
    np.testing.assert_allclose(rbdyn.body_pose(robot, body) @ frame, aim, atol=1e-9)
    moved = rbdyn.inverse_kinematics(state.model, before, body, point, np.linalg.inv(base.matrix) @ aim)
    np.testing.assert_allclose(rbdyn.difference(model, moved.q, results[0].q), 0.0, atol=1e-6)


def test_a_placed_arm_that_its_target_asks_to_stay():
    """The tip where it is: no step.  The same numbers for a Model mean another place."""
    robot = rbdyn.World().add_articulated_system(models.six_axis_arm())
    robot.set_base_pose((1.0, 0.0, 2.0))
    robot.set_state([0.1, 0.5, 0.8, 0.1, 0.6, 0.1])
    there = robot.body("tool").pose
    result = rbdyn.inverse_kinematics(robot, None, "tool", None, there)
    assert result.success and result.iterations == 0
    assert not rbdyn.inverse_kinematics(robot.model, robot.q, "tool", None, there, attempts=2).success
    # "world" is the inertial frame, the root of that name stands elsewhere
    fixed = rbdyn.inverse_kinematics(robot, None, ["world", robot.mechanism.root_body], None, [(0, 0, 0), (1, 0, 2)])
    assert fixed.success and fixed.iterations == 0


def test_what_has_no_state_is_refused_by_name():
    model = Model(models.six_axis_arm())
    for bad in (None, "arm", models.six_axis_arm(), object()):
        with pytest.raises(rbdyn.Error, match="model must be a Model, a State, or a robot in a World"):
            rbdyn.inverse_kinematics(bad, np.zeros(6), "tool", None, (0.4, 0.1, 0.5))
    with pytest.raises(rbdyn.StateError, match="q_init"):
        rbdyn.inverse_kinematics(model, None, "tool", None, (0.4, 0.1, 0.5))
    with pytest.raises(rbdyn.StateError, match="q_init"):
        rbdyn.inverse_kinematics(State(model), np.zeros(5), "tool", None, (0.4, 0.1, 0.5))


# ---- how often ----------------------------------------------------------------------------------------------------


def rbdl_chain():
    """Of RBDL's tests, KinematicsFixture: z, y, z and x axes."""
    m = Mechanism(RigidBody("world"))
    axes = [(0, 0, 1), (0, 1, 0), (0, 0, 1), (1, 0, 0)]
    places = [(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, -1)]
    for k, (axis, place) in enumerate(zip(axes, places, strict=True)):
        joint = Joint(f"j{k}", Revolute(axis))
        m.attach(m.bodies[-1], RigidBody(f"b{k}", INERTIA), joint, Transform(translation=place))
    return Model(m)


def test_the_chain_of_rbdl():
    """The first attempt ends in a local minimum 0.7 m away."""
    model = rbdl_chain()
    start = (0.2, 0.1, 0.1, 0.0)
    first = rbdyn.inverse_kinematics(model, start, "b3", (1, 0, 0), (1.3, 0, 0), attempts=1, max_iter=200)
    assert not first.success and first.residual == pytest.approx(0.7)
    result = rbdyn.inverse_kinematics(model, start, "b3", (1, 0, 0), (1.3, 0, 0))
    assert result.success
    np.testing.assert_allclose(pose(model, result.q, "b3") @ [1, 0, 0, 1], [1.3, 0, 0, 1], atol=1e-9)


def quadruped_leg():
    return Model(rbdyn.io.load_urdf(models.path("quadruped"), floating=False))


def seven_axis_arm():
    """Shoulder, elbow and wrist of a person: three, one and three axes, with limits like theirs."""
    m = Mechanism(RigidBody("world"))
    axes = [(0, 1, 0), (1, 0, 0), (0, 0, 1), (0, 1, 0), (0, 0, 1), (1, 0, 0), (0, 1, 0)]
    limits = [(-3.1, 1.0), (-0.5, 2.5), (-1.5, 1.5), (-2.5, 0.0), (-1.5, 1.5), (-0.6, 0.6), (-1.2, 1.2)]
    for k, (axis, limit) in enumerate(zip(axes, limits, strict=True)):
        place = Transform(translation=(0, 0, {3: -0.3, 4: -0.25}.get(k, 0.0)))
        joint = Joint(f"joint{k}", Revolute(axis), position_limits=limit)
        m.attach(m.bodies[-1], RigidBody(f"link{k}", INERTIA), joint, place)
    m.bodies[-1].add_frame("palm", Transform(translation=(0, 0, -0.1)))
    return Model(m)


ROBOTS = {  # model, frame, point, whether its rotation counts
    "six-axis arm": (lambda: Model(models.six_axis_arm()), "tool", (0, 0, 0), True),
    "seven-axis arm": (seven_axis_arm, "link6", (0, 0, -0.1), True),
    "quadruped leg": (quadruped_leg, "LF_FOOT", (0, 0, 0), False),
    "RBDL's chain": (rbdl_chain, "b3", (1, 0, 0), False),
}


@pytest.mark.parametrize("start", ["neutral", "random"])
@pytest.mark.parametrize("robot", ROBOTS)
def test_random_poses_within_the_limits_are_reached(robot, start):
    """100 of them, by default: 97 and more, none beyond a limit, and where the oracle says so."""
    make, body, point, turned = ROBOTS[robot]
    model, rng = make(), np.random.default_rng(7)
    frame = Transform(translation=point).matrix
    lower, upper = model.array("lower"), model.array("upper")
    reached = 0
    for _ in range(100):
        aim = pose(model, model.random(rng), body) @ frame
        q = model.neutral() if start == "neutral" else model.random(rng)
        result = rbdyn.inverse_kinematics(model, q, body, point, aim if turned else aim[:3, 3], limits=True)
        assert (result.q >= lower).all() and (result.q <= upper).all()
        found = pose(model, result.q, body) @ frame
        error = np.abs(found - aim if turned else found[:3, 3] - aim[:3, 3]).max()
        assert result.success == (error < 2e-9)
        reached += result.success
    assert reached >= 97


def test_other_joints_stay_where_they_are():
    """Only joints that move the target start elsewhere in later attempts, and a floating base does not."""
    model = quadruped_leg()
    rng = np.random.default_rng(1)
    leg = [model.joint_q_index(name) for name in model.joint_names if name.startswith("LF")]
    others = np.setdiff1d(np.arange(model.nq), leg)
    assert len(leg) == 3 and len(others) == 9
    start, moved = model.random(rng), 0
    for _ in range(10):
        far = rng.normal(size=3) + (0, 0, 3)
        result = rbdyn.inverse_kinematics(model, start, "LF_FOOT", None, far, limits=True, attempts=5)
        assert not result.success and result.iterations > 5
        np.testing.assert_array_equal(result.q[others], start[others])
        moved += not np.array_equal(result.q[leg], start[leg])
    assert moved
    floating = Model(models.quadruped())
    start = floating.random(rng)
    start[:3] = (100.0, -50.0, 3.0)
    start[3:7] = random_quat(rng)
    result = rbdyn.inverse_kinematics(floating, start, "LF_FOOT", None, (0, 0, 0), max_iter=0, attempts=10)
    np.testing.assert_array_equal(result.q[:7], start[:7])


def test_joints_that_move_no_target_are_moved_within_their_limits_too():
    model = straight_arm([Revolute((0, 0, 1))] * 3, [1.0, 1.0, 1.0], limits=(0.1, 0.5))
    result = rbdyn.inverse_kinematics(model, [0.2, 3.0, -4.0], "link0", (1, 0, 0), tip_of(0.3), limits=True)
    assert result.success
    np.testing.assert_allclose(result.q, [0.3, 0.5, 0.1], atol=1e-12)


def tip_of(angle):
    """Of one link of 1 m."""
    return np.cos(angle), np.sin(angle), 0.0


def test_a_later_attempt_counts_only_if_it_is_better():
    """Targets out of reach: the nearest q of the first attempt stays, not another of the same error."""
    model = straight_arm(ARMS["three hinges"], [1.0, 1.0, 1.0])
    for start in ([0.1, 0.2, -0.1], [-0.4, 0.3, 0.2]):
        one = rbdyn.inverse_kinematics(model, start, "link2", (1, 0, 0), (4.0, 0.5, 0), max_iter=200, attempts=1)
        many = rbdyn.inverse_kinematics(model, start, "link2", (1, 0, 0), (4.0, 0.5, 0), max_iter=200)
        assert not one.success and many.iterations > one.iterations
        np.testing.assert_array_equal(many.q, one.q)
