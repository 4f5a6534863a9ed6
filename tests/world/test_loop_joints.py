"""What acts along loop joints: a mechanism cut at one joint and at another moves alike."""

import math

import numpy as np
import pytest

import rbdyn
from rbdyn import Joint, Mechanism, Prismatic, Revolute, RigidBody, SpatialInertia, Transform, World
from rbdyn.errors import Error, UnknownNameError

WAYS = ("eliminate", "inloop")
ASKED = {
    "spring": {"stiffness": 30.0, "spring_reference": [0.4]},
    "damper": {"damping": 0.8},
    "friction": {"friction": 0.9},
    "rotor": {"rotor_inertia": 0.4},
    "stops": {"position_limits": (-0.3, 0.45)},
    "bounce": {"position_limits": (-0.3, 0.45), "limit_restitution": 0.5},
    "slow": {"velocity_limit": 1.2},
}


def at(x, y=0.0):
    return Transform(translation=(x, y, 0))


def bar(name, length, mass=1.0):
    return RigidBody(name, SpatialInertia(mass, (length / 2, 0, 0), np.diag([0.01, 0.1, 0.1])))


def swing(dt, loop, how="eliminate", **asks):
    """A pendulum about z: hung on a joint of the tree, or floating in the plane and hung by a loop joint."""
    m = Mechanism(RigidBody("ground"), gravity=(0, -9.81, 0))
    bob, hinge = bar("bob", 0.6, 2.0), Joint("hinge", Revolute((0, 0, 1)), **asks)
    if loop:
        m.attach(m.root_body, bob, Joint("base", rbdyn.Planar((1, 0, 0), (0, 1, 0))))
    m.attach(m.root_body, bob, hinge)
    world = World(dt, gravity=(0, -9.81, 0))
    return world, world.add_articulated_system(m, loop_constraints=how)


def start(robot, q, v):
    """The pendulum at an angle and rate."""
    given = ([q], [v]) if robot.nv == 1 else (rbdyn.project_configuration(robot.model, [0, 0, q]), [0, 0, v])
    robot.set_state(*given)


def angle(robot):
    return robot.q[0] if robot.nv == 1 else robot.loop_position("hinge")


@pytest.mark.parametrize("how", WAYS)
@pytest.mark.parametrize("what", ASKED)
def test_a_pendulum_on_a_loop_joint_moves_as_the_one_on_a_joint_of_the_tree(what, how):
    apart = []
    for dt in (2e-3, 5e-4):
        world, robot = swing(dt, True, how, **ASKED[what])
        other, twin = swing(dt / 4, False, **ASKED[what])
        start(robot, 0.2, 1.0)
        start(twin, 0.2, 1.0)
        worst = 0.0
        for _ in range(round(0.6 / dt)):
            world.step()
            other.step(4)
            worst = max(worst, abs(angle(robot) - angle(twin)))
        apart.append(worst)
        assert robot.loop_velocity("hinge") == pytest.approx(robot.v[2], abs=1e-9)
    assert apart[1] < 20 * 5e-4 and apart[1] < max(0.6 * apart[0], 1e-4)


@pytest.mark.parametrize("how", WAYS)
def test_a_motor_of_a_loop_joint_drives_as_one_of_the_tree(how):
    apart = []
    for dt in (2e-3, 1e-3):
        world, robot = swing(dt, True, how, effort_limit=25.0)
        other, twin = swing(dt / 4, False, effort_limit=25.0)
        robot.set_loop_drive("hinge", p=60.0, d=2.0, target=0.9, velocity=0.2, force=3.0)
        twin.set_pd_gains(60.0, 2.0)
        twin.set_pd_target([0.9], [0.2])
        twin.set_generalized_force([3.0])
        worst, strongest = 0.0, 0.0
        for _ in range(round(1.0 / dt)):
            world.step()
            other.step(4)
            worst = max(worst, abs(angle(robot) - angle(twin)))
            strongest = max(strongest, abs(robot.loop_drive_force("hinge")))
        apart.append(worst)
        assert strongest == pytest.approx(25.0, rel=1e-9)
        assert robot.loop_drive_force("hinge") == pytest.approx(twin.applied_force[0], abs=0.2)
        assert robot.loop_force("hinge")[2] == pytest.approx(robot.loop_drive_force("hinge"), abs=1e-9)
    assert apart[1] < 0.01 and apart[1] < 0.6 * apart[0]


def test_in_flight_springs_and_motors_of_loop_joints_are_of_second_order():
    """Against a mechanism with the joint in its tree, at a step 20 times as short."""
    asks = {"stiffness": 30.0, "spring_reference": [0.4], "damping": 0.3}
    other, twin = swing(5e-5, False, **asks)
    start(twin, 0.2, 2.0)
    twin.set_pd_gains(20.0, 0.5)
    twin.set_pd_target([0.7])
    other.step(12000)
    errors = []
    for dt in (4e-3, 2e-3, 1e-3):
        world, robot = swing(dt, True, **asks)
        start(robot, 0.2, 2.0)
        robot.set_loop_drive("hinge", p=20.0, d=0.5, target=0.7)
        world.step(round(0.6 / dt))
        errors.append(abs(angle(robot) - angle(twin)))
    assert errors[2] < 1e-4
    assert errors[0] / errors[1] == pytest.approx(4.0, rel=0.25)
    assert errors[1] / errors[2] == pytest.approx(4.0, rel=0.25)


def fallen(kind, dt, restitution):
    """4 kg on a rail that ends 0.3 m below, on a joint of the tree or on a loop joint: heights in 10 s."""
    m = Mechanism(RigidBody("world"))
    load = RigidBody("load", SpatialInertia(4.0, (0, 0, 0), 0.1 * np.eye(3)))
    rail = Joint("rail", Prismatic((0, 0, 1)), position_limits=(-0.3, 50.0), limit_restitution=restitution)
    if kind == "loop":
        m.attach(m.root_body, load, Joint("free", rbdyn.Floating()))
    m.attach(m.root_body, load, rail)
    world = World(dt)
    robot = world.add_articulated_system(m)
    heights = []
    for _ in range(round(10.0 / dt)):
        world.step()
        heights.append(robot.loop_position("rail") if kind == "loop" else robot.q[0])
    return np.array(heights), rbdyn.kinetic_energy(robot.state) + 4.0 * 9.81 * heights[-1]


@pytest.mark.parametrize("dt", [1e-3, 5e-3])
def test_a_stop_of_a_loop_joint_gives_back_what_came_and_no_more(dt):
    heights, energy = fallen("loop", dt, 1.0)
    assert abs(energy) < 1e-9
    assert np.abs(np.sort(heights)[-10:]).max() < 1e-4
    np.testing.assert_allclose(heights, fallen("tree", dt, 1.0)[0], atol=1e-9)


def test_a_stop_of_a_loop_joint_brings_a_ball_to_rest():
    """From 0.3 m with a restitution of 0.8: apexes 0.64^n of it above the stop."""
    heights, energy = fallen("loop", 1e-3, 0.8)
    apexes = [b for a, b, c in zip(heights[:-2], heights[1:-1], heights[2:], strict=True) if a < b >= c][:4]
    np.testing.assert_allclose(apexes, -0.3 + 0.3 * 0.64 ** np.arange(1, 5), atol=5e-4)
    assert heights[-1] == pytest.approx(-0.3, abs=2e-5)
    assert energy == pytest.approx(-4.0 * 9.81 * 0.3, abs=1e-3)


def four_bar(cut, dt, how, **asks):
    """A linkage whose joint "pin" asks for something: cut there, or at the rocker's foot."""
    m = Mechanism(RigidBody("ground"), gravity=(0, -9.81, 0))
    crank, coupler, rocker = bar("crank", 0.4), bar("coupler", 1.1), bar("rocker", 0.8)
    hinge = Revolute((0, 0, 1))
    m.attach(m.root_body, crank, Joint("motor", hinge))
    m.attach(crank, coupler, Joint("knee", hinge), at(0.4))
    pin, foot = Joint("pin", hinge, **asks), Joint("foot", hinge)
    if cut == "pin":
        m.attach(m.root_body, rocker, foot, at(1.0))
        m.attach(coupler, rocker, pin, at(1.1), at(-0.8))
        guess = [1.0, -0.5, 1.5]
    else:
        m.attach(coupler, rocker, pin, at(1.1), at(-0.8))
        m.attach(m.root_body, rocker, foot, at(1.0))
        guess = None
    world = World(dt, gravity=(0, -9.81, 0))
    robot = world.add_articulated_system(m, loop_constraints=how)
    if guess is None:
        one = four_bar("pin", dt, how)[1]
        guess = [*one.q[:2], one.loop_position("pin")]
    robot.set_state(rbdyn.project_configuration(robot.model, guess), np.zeros(3))
    return world, robot


@pytest.mark.parametrize("how", WAYS)
@pytest.mark.parametrize("what", ["spring", "damper", "friction", "motor", "slow"])
def test_a_four_bar_moves_alike_wherever_it_is_cut(what, how):
    asks = {
        "spring": {"stiffness": 25.0, "spring_reference": [1.0]}, "damper": {"damping": 2.0},
        "friction": {"friction": 1.5}, "motor": {}, "slow": {"velocity_limit": 0.7},
    }[what]  # fmt: skip
    ends = []
    for dt in (2e-3, 1e-3):
        world, robot = four_bar("pin", dt, how, **asks)
        other, twin = four_bar("foot", dt / 4, "eliminate", **asks)
        if what == "motor":
            robot.set_loop_drive("pin", p=30.0, d=3.0, target=1.2)
            gains = np.zeros((2, 3))
            gains[:, 2] = 30.0, 3.0
            twin.set_pd_gains(*gains)
            twin.set_pd_target([0, 0, 1.2])
        worst = 0.0
        for _ in range(round(0.5 / dt)):
            world.step()
            other.step(4)
            worst = max(worst, abs(robot.q[0] - twin.q[0]))
        ends.append(worst)
        plain_world, plain = four_bar("pin", dt, how)
        plain_world.step(round(0.5 / dt))
    assert ends[1] < 0.01 and ends[1] < 0.7 * ends[0]
    assert abs(plain.q[0] - robot.q[0]) > 0.02


def test_a_slide_that_closes_a_loop_is_driven():
    """A rod from the world to a crank's tip, which pushes with a force: virtual work of one coordinate."""
    m = Mechanism(RigidBody("ground"), gravity=(0, 0, 0))
    crank, rod = bar("crank", 0.5), RigidBody("rod", SpatialInertia(0.2, (0, 0, 0), 1e-3 * np.eye(3)))
    m.attach(m.root_body, crank, Joint("crank", Revolute((0, 0, 1))))
    slider = RigidBody("slider", SpatialInertia(0.1, (0, 0, 0), 1e-3 * np.eye(3)))
    m.attach(m.root_body, rod, Joint("foot", Revolute((0, 0, 1))), at(1.0))
    m.attach(crank, slider, Joint("tip", Revolute((0, 0, 1))), at(0.5))
    m.attach(rod, slider, Joint("slide", Prismatic((1, 0, 0))))
    world = World(1e-4, gravity=(0, 0, 0))
    robot = world.add_articulated_system(m, self_collision=False)
    q = rbdyn.project_configuration(robot.model, [1.2, 2.6, 1.4])
    robot.set_state(q, np.zeros(3))
    way = robot.loop_position("slide")
    tip = 0.5 * np.array([math.cos(robot.q[0]), math.sin(robot.q[0])])
    foot = np.array([1.0, 0.0])
    assert abs(way) == pytest.approx(np.linalg.norm(tip - foot), abs=1e-9)
    K = rbdyn.loop_jacobian(robot.state)
    slope = (tip - foot) @ np.array([-tip[1], tip[0]]) / way       # d(way)/d(crank)
    free = np.linalg.svd(K)[2][-1]
    free /= free[0]
    tau = np.array([7.0 * slope, 0.0, 0.0])
    inertia = free @ rbdyn.mass_matrix(robot.state) @ free
    robot.set_loop_drive("slide", force=7.0)
    world.step()
    assert robot.loop_drive_force("slide") == pytest.approx(7.0, rel=1e-6)
    assert robot.v[0] / 1e-4 == pytest.approx(tau[0] / inertia, rel=1e-3)
    assert robot.loop_velocity("slide") == pytest.approx(slope * robot.v[0], rel=1e-3)


def test_drives_of_loop_joints_are_named_and_checked():
    _, robot = swing(1e-3, True)
    with pytest.raises(UnknownNameError, match="no loop joint named 'base'"):
        robot.set_loop_drive("base", p=1.0)
    with pytest.raises(Error, match="p must"):
        robot.set_loop_drive("hinge", p=-1.0)
    with pytest.raises(Error, match="lower <= 0 <= upper"):
        robot.set_loop_drive("hinge", p=2.0, effort_limits=-1.0)
    assert robot.loop_drive("hinge")["p"] == 0.0
    start(robot, 0.7, 0.0)
    robot.set_loop_drive("hinge", p=5.0)
    assert robot.loop_drive("hinge")["target"] == pytest.approx(0.7)
