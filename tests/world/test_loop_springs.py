"""Springs, motors, rotors and dampers of eliminated loop joints: in flight of second order, as those of the tree."""

import numpy as np
import pytest

import rbdyn
from rbdyn import Floating, Joint, Mechanism, Revolute, RigidBody, SpatialInertia, Spherical, Transform, World

SPRING = {"stiffness": 200.0, "spring_reference": [2.0]}


def at(x, y=0.0):
    return Transform(translation=(x, y, 0))


def bar(name, length):
    return RigidBody(name, SpatialInertia(1.0, (length / 2, 0, 0), np.diag([0.01, 0.1, 0.1])))


def four_bar(cut, dt, *, floating=False, knee=None, effort=None, **asks):
    """The linkage of docs/loops.md, cut at its pin or at the rocker's foot; its crank turns at 6 rad/s."""
    m = Mechanism(RigidBody("ground"), gravity=(0, 0, 0) if floating else (0, -9.81, 0))
    root, crank, coupler, rocker = m.root_body, bar("crank", 0.4), bar("coupler", 1.1), bar("rocker", 0.8)
    if floating:
        root = bar("frame", 1.0)
        m.attach(m.root_body, root, Joint("base", Floating()))
    m.attach(root, crank, Joint("motor", Revolute()))
    m.attach(crank, coupler, Joint("knee", Revolute(), **(knee or {})), at(0.4))
    pin, foot = Joint("pin", Revolute(), **asks), Joint("foot", Revolute())
    if effort is not None:
        pin.effort_limit = effort
    if cut == "pin":
        m.attach(root, rocker, foot, at(1.0))
        m.attach(coupler, rocker, pin, at(1.1), at(-0.8))
    else:
        m.attach(coupler, rocker, pin, at(1.1), at(-0.8))
        m.attach(root, rocker, foot, at(1.0))
    world = World(dt, gravity=(0, 0, 0) if floating else (0, -9.81, 0))
    robot = world.add_articulated_system(m, self_collision=False)
    q, v = start(cut)
    base = (np.eye(7)[3], np.array([0.1, -0.2, 0.3, 0.4, 1.5, -0.7])) if floating else ((), ())
    robot.set_state(np.append(base[0], q), np.append(base[1], v))
    return world, robot


def start(cut):
    """The same place and motion for both cuts: the pin's angle is what foot = motor + knee + pin says."""
    m = four_bar_model()
    q = rbdyn.project_configuration(m, [1.0, -0.5, 1.5])
    state = rbdyn.State(m)
    state.set(q)
    v = rbdyn.project_velocity(state, [6.0, 0.0, 0.0])
    if cut == "pin":
        return q, v
    return [q[0], q[1], q[2] - q[0] - q[1]], [v[0], v[1], v[2] - v[0] - v[1]]


def four_bar_model():
    m = Mechanism(RigidBody("ground"))
    crank, coupler, rocker = bar("crank", 0.4), bar("coupler", 1.1), bar("rocker", 0.8)
    m.attach(m.root_body, crank, Joint("motor", Revolute()))
    m.attach(crank, coupler, Joint("knee", Revolute()), at(0.4))
    m.attach(m.root_body, rocker, Joint("foot", Revolute()), at(1.0))
    m.attach(coupler, rocker, Joint("pin", Revolute()), at(1.1), at(-0.8))
    return rbdyn.Model(m)


def pin_of(robot):
    return robot.loop_position("pin") if "pin" in robot.model.loop_names else robot.q[-1]


def pin_rate(robot):
    return robot.loop_velocity("pin") if "pin" in robot.model.loop_names else robot.v[-1]


def energy(robot, stiffness=0.0, rest=0.0):
    """Of bodies, rotors, gravity and a spring on the pin [J]."""
    height = 0.0 if robot.nv > 3 else rbdyn.center_of_mass(robot.state)[1]
    stored = 0.5 * stiffness * (pin_of(robot) - rest) ** 2
    return rbdyn.kinetic_energy(robot.state) + robot.total_mass * 9.81 * height + stored


def drift(world, robot, seconds, *spring):
    """The largest error of the energy on the way [J]."""
    begin, worst = energy(robot, *spring), 0.0
    for _ in range(round(seconds / world.time_step)):
        world.step()
        worst = max(worst, abs(energy(robot, *spring) - begin))
    return worst


@pytest.mark.parametrize("drive", [False, True])
def test_a_spring_on_the_pin_keeps_the_energy_of_a_four_bar(drive):
    """Of 149 J, in motion by up to 0.05 rad in a step; a motor with a gain alone is such a spring."""
    worst = []
    for dt in (2e-3, 1e-3, 5e-4):
        world, robot = four_bar("pin", dt, **({} if drive else SPRING))
        if drive:
            robot.set_loop_drive("pin", p=200.0, target=2.0)
        worst.append(drift(world, robot, 2.0, 200.0, 2.0))
    assert worst[1] < 1e-2
    assert worst[0] / worst[1] == pytest.approx(4.0, rel=0.3)
    assert worst[1] / worst[2] == pytest.approx(4.0, rel=0.3)


def test_a_rotor_on_the_pin_keeps_the_energy_of_a_four_bar():
    worst = []
    for dt in (4e-3, 2e-3, 1e-3):
        world, robot = four_bar("pin", dt, rotor_inertia=0.4)
        worst.append(drift(world, robot, 2.0))
    assert worst[2] < 2e-3
    assert worst[0] / worst[1] == pytest.approx(4.0, rel=0.3)
    assert worst[1] / worst[2] == pytest.approx(4.0, rel=0.3)


def test_a_four_bar_in_space_keeps_energy_and_momentum():
    worst = []
    for dt in (4e-3, 2e-3):
        world, robot = four_bar("pin", dt, floating=True, stiffness=20.0, spring_reference=[2.0])
        P, L = rbdyn.momentum(robot.state)[3:], angular_momentum(robot)
        worst.append(drift(world, robot, 2.0, 20.0, 2.0))
        np.testing.assert_allclose(rbdyn.momentum(robot.state)[3:], P, atol=1e-11)
        np.testing.assert_allclose(angular_momentum(robot), L, atol=1e-11)
    assert worst[1] < 1e-2
    assert worst[0] / worst[1] == pytest.approx(4.0, rel=0.4)


def angular_momentum(robot):
    h = rbdyn.momentum(robot.state)
    return h[:3] - np.cross(rbdyn.center_of_mass(robot.state), h[3:])


@pytest.mark.parametrize("what", ["spring", "damper", "rotor", "motor", "limited motor"])
def test_both_cuts_move_alike_to_second_order(what):
    """Each from the other, by time steps; with an effort limit that is reached now and then, as closely."""
    asks = {"spring": SPRING, "damper": {"damping": 3.0}, "rotor": {"rotor_inertia": 0.4}}.get(what, {})
    effort = 20.0 if what == "limited motor" else None
    apart, reached = [], set()
    for dt in (2e-3, 1e-3, 5e-4):
        world, robot = four_bar("pin", dt, effort=effort, **asks)
        other, twin = four_bar("foot", dt, effort=effort, **asks)
        if "motor" in what:
            robot.set_loop_drive("pin", p=60.0, d=2.0, target=1.5)
            gains = np.zeros((2, 3))
            gains[:, 2] = 60.0, 2.0
            twin.set_pd_gains(*gains)
            twin.set_pd_target([0, 0, 1.5])
        worst = 0.0
        for _ in range(round(0.5 / dt)):
            world.step()
            other.step()
            worst = max(worst, abs(robot.q[0] - twin.q[0]))
            reached.add(abs(robot.loop_drive_force("pin")) == 20.0)
        apart.append(worst)
    assert apart[2] < 3e-5
    assert apart[0] / apart[1] > 3.0
    if effort is None:
        assert apart[0] / apart[2] == pytest.approx(16.0, rel=0.4)
    else:
        assert reached == {True, False}


def test_a_fast_spring_loses_nothing_where_rows_act_beside_it():
    """Friction as good as none in another joint gives the step rows: the bound on fast motions takes no energy."""
    for cut in ("pin", "foot"):
        world, robot = four_bar(cut, 4e-3, knee={"friction": 1e-9}, **SPRING)
        assert drift(world, robot, 1.0, 200.0, 2.0) < 0.25
        assert np.abs(robot.v).max() * 4e-3 > 0.02


def test_a_motor_that_impulses_drive_to_its_limit_gives_no_more():
    """A stop on the knee is hit while the motor holds the pin: the limit holds, and it is read so."""
    world, robot = four_bar("pin", 1e-3, effort=15.0, knee={"position_limits": (-1.2, 0.3)})
    robot.set_loop_drive("pin", p=100.0, d=20.0, target=pin_of(robot))
    forces = []
    for _ in range(500):
        world.step()
        forces.append(robot.loop_drive_force("pin"))
        assert robot.loop_force("pin")[2] == pytest.approx(forces[-1], abs=1e-9)
    assert max(np.abs(forces)) == 15.0
    assert min(np.abs(forces)) < 10.0
    assert -1.2 - 1e-6 < robot.q[1] < 0.3 + 1e-6


@pytest.mark.parametrize("asks", [{"damping": 0.4}, {"rotor_inertia": 0.3}])
def test_a_ball_that_closes_a_loop_moves_as_one_of_the_tree(asks):
    twins = []
    for loop in (True, False):
        m = Mechanism(RigidBody("world"))
        J = np.diag([0.2, 0.15, 0.1]) + 0.32 * np.eye(3)
        bob = RigidBody("bob", SpatialInertia(2.0, (0.1, 0.05, -0.4), J))
        if loop:
            m.attach(m.root_body, bob, Joint("base", Floating()))
        m.attach(m.root_body, bob, Joint("ball", Spherical(), **asks))
        world = World(4e-3)
        robot = world.add_articulated_system(m)
        robot.set_state(v=[0, 0, 0, 2.0, -1.0, 3.0] if loop else [2.0, -1.0, 3.0])
        world.step(200)
        twins.append(rbdyn.body_pose(robot.state, "bob"))
    np.testing.assert_allclose(twins[0], twins[1], atol=1e-11)
    assert np.abs(twins[0][:3, :3] - np.eye(3)).max() > 0.3
