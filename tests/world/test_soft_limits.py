"""Position limits that give way: springs with dampers that push alone, against closed forms."""

import copy
import math
import pickle

import numpy as np
import pytest

import rbdyn
from rbdyn import Fixed, Joint, Mechanism, Prismatic, Revolute, RigidBody, SpatialInertia, Spherical, Transform
from rbdyn.errors import MechanismError, StateError
from rbdyn.world import World

G = 9.81


def slider(mass=2.0, axis=(0, 0, 1), name="rail", kind=Prismatic, **joint):
    m = Mechanism(RigidBody("root"))
    body = RigidBody("cart", SpatialInertia(mass, (0, 0, 0), 0.1 * np.eye(3)))
    m.attach(m.root_body, body, Joint(name, kind(axis), **joint))
    return m


def weightless(dt, **joint):
    world = World(dt, gravity=(0, 0, 0))
    return world, world.add_articulated_system(slider(axis=(1, 0, 0), **joint))


@pytest.mark.parametrize("integrator", ["trapezoid", "semi_implicit", "euler", "rk4"])
@pytest.mark.parametrize("solver", ["bisection", "pgs"])
@pytest.mark.parametrize("softness", [1e-3, 1e-6])
def test_what_rests_on_a_soft_stop_sinks_by_its_softness_times_the_force(softness, solver, integrator):
    world = World(1e-3, contact=solver)
    world.integrator = integrator
    damping = 2.0 * math.sqrt(2.0 / softness)
    robot = world.add_articulated_system(slider(position_limits=(-0.1, 0.1), limit_softness=(softness, damping)))
    world.step(1500)
    assert robot.q[0] == pytest.approx(-0.1 - 2.0 * G * softness, abs=1e-12)
    assert robot.limit_force == pytest.approx([2.0 * G], rel=1e-9)
    [passed] = robot.joint_limit_violations()
    assert passed.end == "lower" and passed.excess == pytest.approx(2.0 * G * softness, rel=1e-6)


@pytest.mark.parametrize("end", [-1.0, 1.0])
@pytest.mark.parametrize("dt", [5e-4, 5e-3, 0.02])
def test_a_hinge_turns_beyond_its_soft_stop_by_its_softness_times_the_torque(dt, end):
    world = World(dt, gravity=(0, 0, 0))
    robot = world.add_articulated_system(slider(kind=Revolute, position_limits=(-0.3, 0.3)))
    robot.set_limit_softness(0.02, 2.0)
    robot.set_generalized_force([end * 4.0])
    world.step(round(8.0 / dt))
    assert robot.q[0] == pytest.approx(end * (0.3 + 4.0 * 0.02), abs=1e-12)


def test_a_mass_bounces_off_a_soft_stop_with_the_period_of_the_spring():
    """It is inside for half a period and comes out as fast as it went in, in order of the time step."""
    k, m, v = 800.0, 2.0, 0.5
    w = math.sqrt(k / m)
    errors = []
    for dt in (1e-3, 5e-4, 2.5e-4):
        world, robot = weightless(dt, position_limits=(0.0, 10.0))
        robot.set_limit_softness(joints={"rail": 1.0 / k})
        robot.set_state([0.0], [-v])
        worst = 0.0
        for n in range(1, round(1.5 * math.pi / w / dt)):
            world.step()
            t = n * dt
            inside = -v / w * math.sin(w * t) if w * t < math.pi else v * (t - math.pi / w)
            worst = max(worst, abs(robot.q[0] - inside) * w / v)
        errors.append((worst, abs(robot.v[0] / v - 1.0)))
    errors = np.array(errors)
    assert (errors[2] < 0.03).all() and (errors[:, 1] > 0.0).all()
    assert errors[0] / errors[1] == pytest.approx(2.0, rel=0.15)
    assert errors[1] / errors[2] == pytest.approx(2.0, rel=0.15)


def test_a_damped_stop_throws_back_what_its_closed_form_says():
    """m x'' + c x' + k x = 0 until it pushes no more: k x + c x' = 0, with x' at that time."""
    k, m, c, v = 800.0, 2.0, 30.0, 0.5
    a, w = c / (2 * m), math.sqrt(k / m - (c / (2 * m)) ** 2)
    # x = v/w e^(-a t) sin(w t);  k x + c x' = 0:  tan(w t) = c w / (c a - k)
    t = (math.atan(c * w / (c * a - k)) + math.pi) / w
    out = v * math.exp(-a * t) * (math.cos(w * t) - a / w * math.sin(w * t))
    assert 0.2 < -out / v < 0.6
    errors = []
    for dt in (4e-4, 2e-4, 1e-4):
        world, robot = weightless(dt, position_limits=(0.0, 10.0), limit_softness=(1.0 / k, c))
        robot.set_state([0.0], [-v])
        world.step(round(0.3 / dt))
        errors.append(abs(robot.v[0] + out) / v)
    assert errors[2] < 0.01 and errors[2] < 0.6 * errors[1] < 0.36 * errors[0] / 0.6


@pytest.mark.parametrize("dt", [1e-3, 1e-2, 0.1])
@pytest.mark.parametrize("softness", [1e-2, 1e-4, 1e-8, 1e-14])
@pytest.mark.parametrize("damping", [0.0, 20.0])
def test_soft_stops_make_no_energy_at_any_time_step(dt, softness, damping):
    """To and fro between two of them, met anywhere within a step."""
    for gap in (0.0, 0.00317, 0.0213):
        world, robot = weightless(dt, position_limits=(-gap, 0.05), limit_softness=(softness, damping))
        robot.set_state([0.0], [-0.7])
        energy = 0.5 * 2.0 * 0.7**2
        for _ in range(300):
            world.step()
            passed = max(0.0, -gap - robot.q[0], robot.q[0] - 0.05)
            now = robot.v[0] ** 2 + 0.5 * passed**2 / softness
            assert now <= energy * (1 + 1e-9) + 1e-300
            energy = now


def test_it_does_not_pull_nor_brake_before_it_is_met():
    world, robot = weightless(1e-3, position_limits=(0.0, 10.0), limit_softness=(1e-2, 500.0))
    robot.set_state([3e-3], [-1.0])
    world.step(2)
    assert robot.v[0] == pytest.approx(-1.0, abs=1e-12)          # 1 mm away, and heavily damped
    robot.set_state([-1e-3], [2.0])
    world.step(1)
    assert robot.limit_force[0] == 0.0 and robot.v[0] == pytest.approx(2.0, abs=1e-12)


def test_a_cone_of_a_ball_joint_gives_way():
    """A torque across the axis leans on the cone, one along it on the twist."""
    m = Mechanism(RigidBody("root"))
    joint = Joint("ball", Spherical(), cone_limit=0.4, twist_limits=(-0.2, 0.3), limit_softness=(0.01, 3.0))
    m.attach(m.root_body, RigidBody("body", SpatialInertia(1.0, (0, 0, 0), 0.1 * np.eye(3))), joint)
    for torque, end, limit in (((3.0, 0, 0), "cone", 0.4), ((0, 0, 2.0), "upper twist", 0.3)):
        world = World(1e-3, gravity=(0, 0, 0))
        robot = world.add_articulated_system(m)
        robot.set_generalized_force(torque)
        world.step(6000)
        [passed] = robot.joint_limit_violations()
        angle = 2.0 * math.acos(robot.q[0])
        assert passed.end == end and angle == pytest.approx(limit + 0.01 * max(torque), abs=1e-9)


@pytest.mark.parametrize("loops", ["eliminate", "inloop"])
def test_a_limit_of_a_loop_joint_gives_way(loops):
    """Two carts on one rail, a loop joint between them, whose way is the difference of theirs."""
    m = Mechanism(RigidBody("root"))
    a, b = (RigidBody(name, SpatialInertia(1.0, (0, 0, 0), 0.1 * np.eye(3))) for name in "ab")
    m.attach(m.root_body, a, Joint("first", Prismatic((1, 0, 0)), (0.0, 5.0)))
    m.attach(m.root_body, b, Joint("second", Prismatic((1, 0, 0))))
    m.attach(a, b, Joint("between", Prismatic((1, 0, 0)), (-0.5, 0.1), limit_softness=(1e-3, 50.0)))
    world = World(1e-3, gravity=(0, 0, 0))
    robot = world.add_articulated_system(m, loop_constraints=loops)
    robot.set_generalized_force([0.0, -40.0])
    world.step(4000)
    assert robot.q == pytest.approx([0.0, -0.5 - 0.04], abs=1e-6)
    assert robot.loop_position("between") == pytest.approx(-0.54, abs=1e-6)


def test_a_limit_of_a_joint_between_bodies_gives_way():
    world = World(1e-3)
    box = world.add_box(0.2, 0.2, 0.2, 2.0)
    rail = Joint("rail", Prismatic((0, 0, 1)), position_limits=(-0.05, 1.0), limit_softness=(1e-3, 80.0))
    lift = world.add_joint(None, box, rail)
    world.step(3000)
    assert lift.q == pytest.approx(-0.05 - 2.0 * G * 1e-3, abs=1e-9)
    assert box.position[2] == pytest.approx(lift.q, abs=1e-12)


def test_a_robot_on_a_soft_stop_follows_a_contact_and_gravity_too():
    """An arm on its soft stop with a box on it: the torques of both."""
    m = Mechanism(RigidBody("root"))
    arm = RigidBody("arm", SpatialInertia(1.0, (0.5, 0, 0), 0.1 * np.eye(3)))
    m.attach(m.root_body, arm, Joint("hinge", Revolute((0, 1, 0)), (-1.0, 0.0), limit_softness=(1e-3, 100.0)))
    world = World(1e-3)
    robot = world.add_articulated_system(m)
    world.step(3000)
    angle = robot.q[0]
    assert angle == pytest.approx(1e-3 * G * 0.5 * math.cos(angle), rel=1e-9)
    ball = world.add_sphere(0.05, 3.0)
    ball.set_pose((1.0, 0, 0.5))
    weld = world.add_weld((robot, "arm"), ball)
    world.step(4000)
    lever = ball.position[0]
    assert robot.q[0] == pytest.approx(1e-3 * G * (0.5 * math.cos(robot.q[0]) + 3.0 * lever), rel=1e-5)
    assert weld.error == pytest.approx(np.zeros(6), abs=1e-6)


def pendulum_pair():
    """Two links on one base that floats."""
    m = Mechanism(RigidBody("world"))
    base = RigidBody("base", SpatialInertia(5.0, (0, 0, 0), 0.2 * np.eye(3)))
    m.attach(m.root_body, base, Joint("free", rbdyn.Floating()))
    for name in ("left", "right"):
        body = RigidBody(name, SpatialInertia(1.0, (0.1, 0, 0), 0.05 * np.eye(3)))
        m.attach(base, body, Joint(f"{name}_hinge", Revolute((0, 1, 0)), (-0.1, 0.1)))
    return m


def test_softness_goes_on_through_surgery_snapshots_and_copies():
    world = World(1e-3, gravity=(0, 0, 0))
    robot = world.add_articulated_system(pendulum_pair())
    robot.set_limit_softness(joints={"left_hinge": (1e-2, 3.0), "right_hinge": 2e-2})

    def said(robot, name):
        k = robot.model.joint_v_index(name)
        return robot.limit_softness[0][k], robot.limit_softness[1][k]

    def keeps(robot):
        return said(robot, "left_hinge") == (1e-2, 3.0) and said(robot, "right_hinge") == (2e-2, 0.0)

    robot.set_generalized_force(joints={"left_hinge": 5.0, "right_hinge": 5.0})
    robot.attach(RigidBody("tool", SpatialInertia(0.1, (0, 0, 0), 1e-3 * np.eye(3))), "left",
                 Joint("tool_mount", Fixed()), Transform(translation=(0.1, 0, 0)))
    assert keeps(robot)
    robot.replace_joint("tool_mount", Joint("swivel", Revolute((1, 0, 0))))
    assert keeps(robot)
    world.step(20)
    kept = world.snapshot()
    twin = copy.deepcopy(world)
    other = pickle.loads(pickle.dumps(world))
    world.step(200)
    end = np.array(robot.q)
    assert end[7:9].max() > 0.1
    for copied in (twin, other):
        [same] = copied.objects
        assert keeps(same)
        copied.step(200)
        np.testing.assert_array_equal(same.q, end)
    robot.set_limit_softness(0.0, 0.0)
    world.restore(kept)
    assert keeps(robot)
    world.step(200)
    np.testing.assert_array_equal(robot.q, end)
    part = robot.remove_joint("right_hinge", split=True)
    assert said(robot, "left_hinge") == (1e-2, 3.0)
    part.set_state(v=np.zeros(part.nv))
    world.merge(robot, "base", part, "right", Joint("right_hinge", Revolute((0, 1, 0)), (-0.1, 0.1)))
    assert said(robot, "left_hinge") == (1e-2, 3.0) and said(robot, "right_hinge") == (0.0, 0.0)


def test_what_the_mechanism_says_acts_when_it_changes():
    world, robot = weightless(1e-3, position_limits=(-0.1, 0.1))
    robot.joint("rail").set(limit_softness=(1e-3, 20.0))
    assert robot.limit_softness[0] == 1e-3 and robot.limit_softness[1] == 20.0
    assert robot.mechanism.find_joint("rail").limit_softness == (1e-3, 20.0)
    robot.set_generalized_force([10.0])
    world.step(6000)
    assert robot.q[0] == pytest.approx(0.11, abs=1e-9)
    robot.mechanism.find_joint("rail").limit_softness = 2e-3
    world.step()
    assert robot.limit_softness[0] == 2e-3 and robot.limit_softness[1] == 0.0
    robot.joint("rail").set(limit_softness=0.0)
    world.step(1000)
    assert robot.q[0] == pytest.approx(0.1, abs=1e-4)


def test_bad_softness_of_limits_is_refused():
    for bad, words in ((-1.0, "limit_softness .*at least 0"), ((1e-3, -1.0), "damping .*at least 0"),
                       ((0.0, 1.0), "needs a softness"), ((1, 2, 3), "softness, damping"),
                       ("soft", "softness, damping"), (math.inf, "limit_softness"),
                       (math.nan, "limit_softness")):  # fmt: skip
        with pytest.raises(MechanismError, match=words):
            slider(limit_softness=bad)
    with pytest.raises(MechanismError, match="bounce as springs do; its limit_restitution must be 0, not 0.5"):
        slider(limit_softness=1e-3, limit_restitution=0.5)
    joint = Joint("rail", Prismatic((1, 0, 0)), limit_softness=1e-3)
    with pytest.raises(MechanismError, match="limit_restitution .*give way"):
        joint.limit_restitution = 0.5
    with pytest.raises(MechanismError, match="Floating joint has no position limits"):
        Joint("base", rbdyn.Floating(), limit_softness=1e-3)
    _, robot = weightless(1e-3, position_limits=(-0.1, 0.1))
    for call, words in (
        (lambda: robot.set_limit_softness(-1.0), "softness .*at least 0"),
        (lambda: robot.set_limit_softness(damping=1.0), "'rail': damping 1 needs a softness"),
        (lambda: robot.set_limit_softness(joints={"rail": (1, 2, 3)}), "softness or .softness, damping."),
        (lambda: robot.set_limit_softness(joints={"rail": math.nan}), "softness in joints"),
    ):
        with pytest.raises(StateError, match=words):
            call()
    assert not robot.limit_softness[0].any() and not robot.limit_softness[1].any()
    robot.set_joint_limits(restitution=0.5)
    with pytest.raises(StateError, match="restitution of its limits must be 0, not 0.5"):
        robot.set_limit_softness(1e-3)
    robot.set_joint_limits(restitution=0.0)
    robot.set_limit_softness(1e-3)
    with pytest.raises(StateError, match="restitution must be 0 where limits give way, got 0.5 for joint 'rail'"):
        robot.set_joint_limits(restitution=0.5)


def flung_slider(gravity, softness):
    """A slider that two hinges fling out to its stop."""
    m = Mechanism(RigidBody("world"))
    inertia = SpatialInertia(5.0, (-0.1, 0.1, 0.05), 0.1 * np.eye(3))
    m.attach(m.root_body, RigidBody("arm", inertia), Joint("first", Revolute((0, 1, 0))))
    at = rbdyn.Transform(translation=(0.2, 0, 0.2))
    m.attach("arm", RigidBody("forearm", inertia), Joint("second", Revolute((0, 0, 1))), at)
    slider = Joint("slider", rbdyn.Prismatic((1, 0, 0)), position_limits=(-0.2, 0.2), limit_softness=(softness, 0.0))
    m.attach("forearm", RigidBody("car", SpatialInertia(5.0, (0.1, 0.05, 0), 0.1 * np.eye(3))), slider,
             rbdyn.Transform(translation=(0.2, 0, 0)))  # fmt: skip
    return m


@pytest.mark.parametrize("integrator", ["trapezoid", "rk4"])
@pytest.mark.parametrize("gravity", [0.0, G])
def test_a_soft_stop_makes_no_energy_where_what_it_stops_is_flung_about(gravity, integrator):
    """The middle of a step is as it goes on, pressed into its stop, and not stopped there: the Coriolis forces of a
    slider that stands still would have made as much energy as there was, at any time step."""
    softness, gains = 1e-3, []
    for dt in (2e-3, 1e-3, 5e-4):
        world = World(dt, gravity=(0, 0, -gravity))
        world.integrator = integrator
        robot = world.add_articulated_system(flung_slider(gravity, softness), self_collision=False)
        robot.set_state(np.zeros(3), [3.0, 3.0, 0.0])

        def energy(robot=robot):
            pressed = max(abs(robot.q[2]) - 0.2, 0.0)
            return rbdyn.kinetic_energy(robot.state) + rbdyn.potential_energy(robot.state) + 0.5 * pressed**2 / softness

        start, most, deepest = energy(), 0.0, 0.0
        for _ in range(round(1.0 / dt)):
            world.step()
            most, deepest = max(most, energy() - start), max(deepest, abs(robot.q[2]))
        assert deepest > 0.21                              # it was pressed
        gains.append(most / start)
    assert gains[0] < 1e-4
    assert gains[2] < max(gains[0] / 8.0, 1e-12)
