"""Closed mechanisms on stops: springs of any stiffness make no energy there."""

import numpy as np
import pytest

import rbdyn
from rbdyn import Joint, Mechanism, Prismatic, Revolute, RigidBody, SpatialInertia, Transform

RAIL = {"position_limits": (0.0, 0.2)}
SOFT_RAIL = {**RAIL, "limit_softness": (1e-5, 10.0)}


def bar(name, length, mass=0.5):
    return RigidBody(name, SpatialInertia(mass, (length / 2, 0, 0), 5e-4 * np.eye(3)))


def hinge(name, **options):
    return Joint(name, Revolute((0, 1, 0)), **options)


def along(x):
    return Transform(translation=(x, 0, 0))


def four_bar_on_a_rail(stiffness, rail):
    """A carriage that rests on the end of its rail, with a four-bar on it whose crank has a spring."""
    m = Mechanism(RigidBody("ground"))
    m.attach(m.root_body, bar("carriage", 0.0, 10.0), Joint("rail", Prismatic((0, 0, 1)), **rail))
    m.attach("carriage", bar("crank", 0.1), hinge("motor", stiffness=stiffness))
    m.attach("crank", bar("coupler", 0.5), hinge("knee"), along(0.1))
    m.attach("carriage", bar("rocker", 0.3), hinge("foot"), along(0.4))
    m.attach("coupler", "rocker", hinge("pin"), along(0.5), along(-0.3))
    return m


@pytest.mark.parametrize("rail", [RAIL, SOFT_RAIL])
@pytest.mark.parametrize(("stiffness", "dt"), [(1500.0, 1e-3), (1500.0, 5e-3), (1e4, 2e-3), (1e5, 1e-3), (1e5, 5e-3)])
def test_a_stiff_spring_in_a_loop_on_a_stop_makes_no_energy(stiffness, dt, rail):
    world = rbdyn.World(dt)
    robot = world.add_articulated_system(four_bar_on_a_rail(stiffness, rail), self_collision=False)
    q = rbdyn.project_configuration(robot.model, [0.0, 0.8, -0.4, 1.2])
    robot.set_state(q)
    robot.set_joint_springs(joints={"motor": (stiffness, [q[1]])})

    def energy():
        stored = 0.5 * stiffness * (robot.q[1] - q[1]) ** 2
        return rbdyn.kinetic_energy(robot.state) + rbdyn.potential_energy(robot.state) + stored

    start, highest, loops, fastest = energy(), -np.inf, 0.0, 0.0
    for _ in range(round(1.0 / dt)):
        world.step()
        highest, loops = max(highest, energy()), max(loops, np.abs(robot.loop_error).max())
        fastest = max(fastest, np.abs(robot.v).max())
    assert highest - start < 1e-6
    assert loops < 1e-9
    assert fastest > 1e-3                                  # the linkage gives way to its weight
    assert robot.q[0] == pytest.approx(0.0, abs=2e-3)      # and the carriage stands on its stop


@pytest.mark.parametrize(("stiffness", "dt"), [(1500.0, 5e-3), (1e4, 2e-3)])
def test_so_it_is_where_the_stop_is_of_the_joint_that_closes_the_loop(stiffness, dt):
    """The linkage begins at the stop, and its weight takes it away and brings it back."""
    mechanism = four_bar_on_a_rail(stiffness, {})
    mechanism.replace_joint(mechanism.find_joint("rail"), Joint("rail", rbdyn.Fixed()))
    world = rbdyn.World(dt)
    robot = world.add_articulated_system(mechanism, self_collision=False)
    q = rbdyn.project_configuration(robot.model, [0.8, -0.4, 1.2])
    robot.set_state(q)
    begin = robot.loop_position("pin")
    mechanism.find_joint("pin").position_limits = (begin, begin + 1.0)
    world = rbdyn.World(dt)
    robot = world.add_articulated_system(mechanism, self_collision=False)
    robot.set_state(q)
    robot.set_joint_springs(joints={"motor": (stiffness, [q[0]])})

    def energy():
        stored = 0.5 * stiffness * (robot.q[0] - q[0]) ** 2
        return rbdyn.kinetic_energy(robot.state) + rbdyn.potential_energy(robot.state) + stored

    start, highest, lowest, fastest = energy(), -np.inf, np.inf, 0.0
    for _ in range(round(1.0 / dt)):
        world.step()
        highest, lowest = max(highest, energy()), min(lowest, robot.loop_position("pin"))
        fastest = max(fastest, np.abs(robot.v).max())
    assert highest - start < 1e-7
    assert lowest > begin - 1e-6
    assert fastest > 1e-2


def turned(x, angle, tilt=0.0):
    return Transform(translation=(x, 0, 0), rpy=(0, angle, 0)) @ Transform(rpy=(tilt, 0, 0))


@pytest.mark.parametrize("dt", [1e-3, 5e-3])
@pytest.mark.parametrize("tilt", [1e-7, 1e-6, 1e-4])
def test_what_loops_hold_is_pushed_by_no_stop(tilt, dt):
    """A pin that is tilted by next to nothing locks a four-bar, beyond its limits; a row of which loops leave only
    rounding would ask for 1e12 N m to turn by rounding."""
    m = Mechanism(RigidBody("ground"))
    beyond = {"position_limits": (-2.0, -0.6)}
    m.attach(m.root_body, bar("carriage", 0.0, 10.0), Joint("base", rbdyn.Floating()))
    m.attach("carriage", bar("crank", 0.1), hinge("motor", **beyond), turned(0.0, 0.8105407746918593))
    m.attach("crank", bar("coupler", 0.5), hinge("knee"), turned(0.1, -0.4010860727752452))
    m.attach("carriage", bar("rocker", 0.3), hinge("foot", **beyond), turned(0.4, 1.1315409688294487, tilt))
    m.attach("coupler", "rocker", Joint("pin", rbdyn.Spherical()), along(0.5), along(-0.3))
    world = rbdyn.World(dt)
    robot = world.add_articulated_system(m, self_collision=False)
    for _ in range(200):
        world.step()
        assert np.abs(robot.limit_force).max() < 1.0
        assert np.abs(robot.loop_error).max() < 1e-11
    assert robot.v[2] == pytest.approx(-9.81 * 200 * dt, rel=1e-9)
    assert np.abs(robot.q[7:]).max() < 1e-6                # locked
