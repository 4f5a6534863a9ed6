"""Joints that follow others: gears, fingers, chains of them, against closed forms and dense algebra."""

import numpy as np
import pytest
from world.scenes import World

import rbdyn
from rbdyn import Joint, Mechanism, Mimic, Revolute, RigidBody, SpatialInertia, io, testing
from rbdyn.collision import Sphere
from rbdyn.contact import BisectionSolver
from rbdyn.errors import MechanismError, MimicWarning, UrdfError

Z = rbdyn.Revolute((0, 0, 1))
SET_ANYHOW = pytest.mark.filterwarnings("ignore:joints of .* that follow others start:rbdyn.errors.MimicWarning")


def wheels(*inertias, kind=Z, **mimics):
    """Wheels on axles of their own; mimics by name, as joints a, b, c, ..."""
    mechanism = rbdyn.Mechanism(rbdyn.RigidBody("world"))
    for name, inertia in zip("abcdef", inertias, strict=False):
        body = rbdyn.RigidBody(f"wheel_{name}", rbdyn.SpatialInertia(1.0, (0, 0, 0), inertia * np.eye(3)))
        mechanism.attach(mechanism.root_body, body, rbdyn.Joint(name, kind, mimic=mimics.get(name)))
    return mechanism


@SET_ANYHOW
@pytest.mark.parametrize("dt", [5e-4, 2e-3, 5e-3])
@pytest.mark.parametrize("integrator", ["trapezoid", "semi_implicit", "euler", "rk4"])
def test_geared_flywheels_turn_as_one(dt, integrator):
    first, second, ratio, torque = 0.3, 0.05, -4.0, 2.0
    world = World(dt)
    world.integrator = integrator
    robot = world.add_articulated_system(wheels(first, second, b=rbdyn.Mimic("a", ratio, 0.7)))
    robot.set_state([0.1, 0.7 - 0.4])
    robot.set_generalized_force([torque, 0.0])
    world.step(round(1.0 / dt))
    speed = torque / (first + ratio**2 * second)
    assert robot.v == pytest.approx([speed, ratio * speed], rel=1e-9)
    late = {"trapezoid": 0.0, "rk4": 0.0, "semi_implicit": 0.5, "euler": -0.5}[integrator] * dt
    assert robot.q[0] - 0.1 == pytest.approx(speed * (0.5 + late), rel=1e-9)
    assert robot.q[1] == pytest.approx(ratio * robot.q[0] + 0.7, abs=1e-9)
    assert robot.mimic_force == pytest.approx([-ratio * second * ratio * speed, second * ratio * speed], rel=1e-9)


def test_wheels_that_are_coupled_at_once_share_their_momentum():
    first, second, ratio = 0.3, 0.05, -4.0
    world = World(1e-3)
    robot = world.add_articulated_system(wheels(first, second, b=rbdyn.Mimic("a", ratio)))
    robot.state.set(v=[2.0, 5.0])                                     # behind its back: set_state moves the follower
    world.step()
    both = (first * 2.0 + ratio * second * 5.0) / (first + ratio**2 * second)
    assert robot.v == pytest.approx([both, ratio * both], rel=1e-9)


def test_what_is_off_comes_back_by_positions_alone():
    world = World(1e-3)
    with pytest.warns(MimicWarning, match="'b'"):
        robot = world.add_articulated_system(wheels(0.3, 0.05, b=rbdyn.Mimic("a", 2.0, 0.5)))
    robot.state.set([0.0, 0.55])                                      # behind its back: set_state moves the follower
    offs = []
    for _ in range(200):
        world.step()
        offs.append(robot.q[1] - 2.0 * robot.q[0] - 0.5)
        assert np.abs(robot.v).max() < 1e-12
    assert offs[0] == pytest.approx(0.05 - 1e-3) and offs[-1] == pytest.approx(0.0, abs=1e-7)
    assert (np.diff(offs) <= 0.0).all()
    assert 0.3 * robot.q[0] == pytest.approx(-0.05 * (robot.q[1] - 0.55) * -2.0 * -1.0, abs=1e-6)


@SET_ANYHOW
def test_chains_of_mimics():
    world = World(2e-3)
    robot = world.add_articulated_system(
        wheels(0.3, 0.05, 0.2, b=rbdyn.Mimic("c", 2.0, 0.1), c=rbdyn.Mimic("a", 3.0, -0.2)))
    robot.set_state([0.0, -0.3, -0.2])
    robot.set_generalized_force([1.0, 0.0, 0.0])
    world.step(500)
    speed = 1.0 / (0.3 + 36 * 0.05 + 9 * 0.2)
    assert robot.v == pytest.approx([speed, 6 * speed, 3 * speed], rel=1e-7)
    assert robot.q == pytest.approx(robot.q[0] * np.array([1, 6, 3]) + [0.0, -0.3, -0.2], abs=1e-7)


def test_a_follower_that_meets_its_stop_stops_its_leader():
    world = World(2e-3, gravity=(0, 0, 0))
    mechanism = wheels(0.3, 0.05, b=rbdyn.Mimic("a", -2.0))
    mechanism.find_joint("b").position_limits = (-0.5, 0.5)
    robot = world.add_articulated_system(mechanism)
    robot.set_state(v=[1.0, -2.0])
    for _ in range(300):
        world.step()
        assert robot.q[1] >= -0.5 - 1e-6
        assert robot.q[1] == pytest.approx(-2.0 * robot.q[0], abs=1e-6)
    assert robot.q[0] == pytest.approx(0.25, abs=1e-6) and robot.v == pytest.approx([0.0, 0.0], abs=1e-9)


@SET_ANYHOW
def test_an_arm_with_followers_obeys_constrained_dynamics(seed):
    """One step of the semi-implicit rule: M (v+ - v) / dt + h = J^T lam with J v+ = 0, by dense algebra."""
    rng = np.random.default_rng(seed)
    dt = 1e-3
    world = World(dt)
    world.integrator = "semi_implicit"
    mechanism = testing.rand_tree_mechanism([rbdyn.Revolute] * 4 + [rbdyn.Prismatic, rbdyn.Spherical], seed=seed)
    names = [j.name for j in mechanism.tree_joints if j.num_velocities == 1]
    ratios = rng.uniform(-3, 3, 2)
    for k, ratio in enumerate(ratios):
        mechanism.find_joint(names[k]).mimic = rbdyn.Mimic(names[k + 2], ratio, 0.1)
    robot = world.add_articulated_system(mechanism)
    J = np.zeros((2, robot.nv))
    for k, ratio in enumerate(ratios):
        J[k, robot.model.joint_v_index(names[k])] = 1.0
        J[k, robot.model.joint_v_index(names[k + 2])] = -ratio
    robot.set_state(robot.model.random(seed))
    robot.state.set(v=rng.normal(size=robot.nv))
    M, h, v = rbdyn.mass_matrix(robot.state), rbdyn.bias_forces(robot.state), robot.v
    world.step()
    free = v - dt * np.linalg.solve(M, h)
    X = np.linalg.solve(M, J.T)
    expected = free - X @ np.linalg.solve(J @ X, J @ free)
    assert robot.v == pytest.approx(expected, abs=1e-7 * np.abs(expected).max())
    assert np.abs(expected - free).max() > 1e-2
    assert M @ (robot.v - v) / dt + h == pytest.approx(robot.mimic_force, abs=1e-9 * np.abs(robot.mimic_force).max())


def test_circles_and_strangers_are_named():
    world = World(1e-3)
    for mimics, match in [
        ({"a": rbdyn.Mimic("b"), "b": rbdyn.Mimic("c"), "c": rbdyn.Mimic("a")}, "in a circle: a -> b -> c -> a"),
        ({"a": rbdyn.Mimic("b"), "b": rbdyn.Mimic("a")}, "in a circle: a -> b -> a"),
        ({"b": rbdyn.Mimic("nobody")}, "'b' follows 'nobody', which is not in the mechanism"),
    ]:
        with pytest.raises(MechanismError, match=match):
            world.add_articulated_system(wheels(1.0, 1.0, 1.0, **mimics))
    with pytest.raises(MechanismError, match="has not one coordinate"):
        world.add_articulated_system(wheels(1.0, 1.0, kind=rbdyn.Spherical(), b=rbdyn.Mimic("a")))
    assert world.objects == ()


def test_a_joint_that_follows_itself_is_refused_at_once():
    with pytest.raises(MechanismError, match="mimic of joint 'a' follows that joint itself"):
        rbdyn.Joint("a", rbdyn.Revolute((0, 0, 1)), mimic=rbdyn.Mimic("a"))
    joint = rbdyn.Joint("a", rbdyn.Revolute((0, 0, 1)), mimic=rbdyn.Mimic("b"))
    with pytest.raises(MechanismError, match="itself"):
        joint.mimic = rbdyn.Mimic("a", 2.0)
    assert joint.mimic == rbdyn.Mimic("b")
    link = '<link name="{}"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/>' \
           '</inertial></link>'
    text = (f'<robot name="r">{link.format("one")}{link.format("two")}<joint name="j" type="continuous">'
            '<parent link="one"/><child link="two"/><mimic joint="j"/></joint></robot>')
    with pytest.raises(UrdfError, match="'j'.*itself"):
        io.load_urdf(text)


def test_mimics_of_urdf_act_without_a_word(recwarn):
    link = '<inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>'
    joints = "".join(
        f'<link name="l{k}">{link}</link><joint name="j{k}" type="prismatic"><parent link="base"/>'
        f'<child link="l{k}"/><axis xyz="0 0 1"/><limit lower="-9" upper="9" effort="9" velocity="99"/>{mimic}</joint>'
        for k, mimic in enumerate(["", '<mimic joint="j0" multiplier="-1" offset="0.5"/>']))
    world = World(1e-3)
    mechanism = io.load_urdf(f'<robot name="hand"><link name="base"/>{joints}</robot>', floating=False)
    mechanism.nominal_configuration = (0.2, 0.3)
    robot = world.add_articulated_system(mechanism)
    robot.set_state([0.0, 0.5])
    world.step(100)
    assert robot.q == pytest.approx([0.0, 0.5], abs=1e-12)            # gravity holds the balance
    assert not recwarn.list


@pytest.mark.parametrize("ratio", [1.0, 0.3, 0.1, -0.1, 0.01, 1e-3])
@pytest.mark.parametrize("dt", [2e-3, 5e-4])
@pytest.mark.parametrize("restitution", [0.5, 1.0])
def test_what_is_geared_to_a_bouncing_stop_bounces(ratio, dt, restitution):
    """The leader ran on: what its inertia needs of the follower's stop was taken for a push out of all proportion."""
    m = Mechanism(RigidBody("root"), gravity=(0, 0, 0))
    m.attach("root", RigidBody("A", SpatialInertia(1.0, inertia=0.5 * np.eye(3))), Joint("a", Revolute((0, 0, 1))))
    limits = (-10.0, 0.2 * ratio) if ratio > 0.0 else (0.2 * ratio, 10.0)
    follower = Joint("b", Revolute((0, 0, 1)), mimic=Mimic("a", ratio), position_limits=limits,
                     limit_restitution=restitution)  # fmt: skip
    m.attach("root", RigidBody("B", SpatialInertia(1.0, inertia=0.02 * np.eye(3))), follower)
    world = World(dt, gravity=(0, 0, 0))
    robot = world.add_articulated_system(m)
    robot.set_state(v=[2.0, 2.0 * ratio])
    world.step(round(0.3 / dt))
    np.testing.assert_allclose(robot.v, [-2.0 * restitution, -2.0 * restitution * ratio], rtol=1e-6)
    assert robot.q[1] == pytest.approx(ratio * robot.q[0], abs=1e-6)
    assert world.contact.statistics.unconverged == 0


def followers(seed):
    """Wheels that follow one another in chains, leaders in any place; the leaders, and each ratio and offset."""
    rng = np.random.default_rng(seed)
    order, mimics = rng.permutation(list("abcdef")), {}
    for k, name in enumerate(order[2:], 2):
        mimics[name] = Mimic(order[rng.integers(0, k)], rng.choice([-1, 1]) * rng.uniform(0.3, 2.0), rng.normal())
    return wheels(*rng.uniform(0.1, 0.5, 6), **mimics), order[:2], mimics


def consistent(q, leaders, mimics):
    """Where all joints stand for given leaders, by name: each is asked in turn."""
    places = {name: q["abcdef".index(name)] for name in leaders}

    def place(name):
        if name in places:
            return places[name]
        return mimics[name].multiplier * place(mimics[name].joint) + mimics[name].offset

    return [place(name) for name in "abcdef"]


def test_a_robot_starts_where_leaders_say_which_is_said_once(seed):
    """It began violated, and crept at no velocity until the offsets were reached."""
    mechanism, leaders, mimics = followers(seed)
    world = World(1e-3)
    with pytest.warns(MimicWarning) as said:
        robot = world.add_articulated_system(mechanism, "wheels")
    assert len(said) == 1 and "'wheels'" in str(said[0].message)
    assert {name for name in "abcdef" if f"'{name}'" in str(said[0].message)} <= set(mimics)
    expected = consistent(np.zeros(6), leaders, mimics)
    assert robot.q == pytest.approx(expected, abs=1e-14) and np.abs(expected).max() > 0.3
    start = robot.q
    world.step(50)
    assert robot.q == pytest.approx(start, abs=1e-12)


def test_gears_with_an_offset_do_not_creep():
    world = World(2e-3)
    with pytest.warns(MimicWarning, match="joints of 'world' that follow others start where their leaders say.*: 'b'"):
        robot = world.add_articulated_system(wheels(0.3, 0.05, b=Mimic("a", -2.0, 0.3)))
    np.testing.assert_array_equal(robot.q, [0.0, 0.3])
    world.step(100)
    assert robot.q == pytest.approx([0.0, 0.3], abs=1e-13)


def test_set_state_moves_followers(seed):
    """What q says of them does not count, unless they give way, or are off by what rounding leaves."""
    mechanism, leaders, mimics = followers(seed)
    rng = np.random.default_rng(seed)
    world = World(1e-3)
    with pytest.warns(MimicWarning):
        robot = world.add_articulated_system(mechanism)
    q = rng.normal(size=6)
    robot.set_state(q)
    expected = consistent(q, leaders, mimics)
    assert robot.q == pytest.approx(expected, abs=1e-13) and np.abs(q - expected).max() > 0.1
    near = np.array(expected) + rng.uniform(-1e-5, 1e-5, 6)
    robot.set_state(near)
    np.testing.assert_array_equal(robot.q, near)
    soft = next(iter(mimics))
    robot.set_mimic_softness(joints={soft: 1e-3})
    robot.set_state(q)
    k = "abcdef".index(soft)
    assert robot.q[k] == q[k] != pytest.approx(expected[k], abs=1e-2)


@pytest.mark.parametrize("with_q", [False, True])
def test_set_state_gives_followers_the_velocities_of_their_leaders(seed, with_q):
    """What v says of them does not count either, with the same exceptions."""
    mechanism, leaders, mimics = followers(seed)
    rng = np.random.default_rng(seed)
    with pytest.warns(MimicWarning):
        robot = World(1e-3).add_articulated_system(mechanism)
    q, v = (rng.normal(size=6) if with_q else None), rng.normal(size=6)
    rates = {name: Mimic(mimic.joint, mimic.multiplier) for name, mimic in mimics.items()}
    expected = np.array(consistent(v, leaders, rates))
    robot.set_state(q, v)
    assert robot.v == pytest.approx(expected, abs=1e-13) and np.abs(v - expected).max() > 0.1
    near = expected + rng.uniform(-1e-5, 1e-5, 6)
    robot.set_state(q, near)
    np.testing.assert_array_equal(robot.v, near)
    before = robot.q, robot.v
    for wrong in (np.full(6, np.nan), np.zeros(5)):
        with pytest.raises(rbdyn.StateError):
            robot.set_state(q, wrong)
    np.testing.assert_array_equal((robot.q, robot.v), before)
    soft = next(iter(mimics))
    robot.set_mimic_softness(joints={soft: 1e-3})
    robot.set_state(q, v)
    assert robot.v["abcdef".index(soft)] == v["abcdef".index(soft)]


def test_a_nominal_configuration_that_fits_is_taken_without_a_word(recwarn):
    mechanism = wheels(0.3, 0.05, b=Mimic("a", -2.0, 0.3))
    mechanism.nominal_configuration = (0.2, -0.1)
    robot = World(1e-3).add_articulated_system(mechanism)
    np.testing.assert_array_equal(robot.q, [0.2, -0.1])
    assert not recwarn.list


def test_followers_move_with_their_leaders_however_rough_the_solver_is(seed):
    """A chain of spheres falls on the ground, five joints follow others; laws hold to 1e-3 m/s, mimics to rounding."""
    rng = np.random.default_rng(seed)
    mechanism = Mechanism(RigidBody("world"))
    body, followers = mechanism.root_body, []
    for k in range(9):
        link = RigidBody(f"link{k}", testing.random_inertia(rng))
        link.collision.append(rbdyn.Geometry(Sphere(0.1)))
        leader = {4: "joint0", 5: "joint1", 6: "joint1", 7: "joint2", 8: "joint3"}.get(k)
        mimic = Mimic(leader, float(rng.uniform(-2.0, 2.0))) if leader else None
        joint = Joint(f"joint{k}", Revolute(rng.normal(size=3)), mimic=mimic)
        mechanism.attach(body, link, joint, rbdyn.Transform(translation=(0.4, 0.0, 0.0)))
        body = link
        followers += [joint] if leader else []
    world = World(2e-3, contact=BisectionSolver(threshold=1e-3))
    robot = world.add_articulated_system(mechanism)
    world.add_ground(height=-0.6)
    solved = 0
    for _ in range(400):
        world.step()
        if world.contact.statistics.refined + world.contact.statistics.given_up:
            solved += 1
            for joint in followers:
                v, w = (robot.v[robot.model.joint_v_index(name)] for name in (joint.name, joint.mimic.joint))
                assert v == pytest.approx(joint.mimic.multiplier * w, rel=1e-9, abs=1e-9)
    assert solved > 20
