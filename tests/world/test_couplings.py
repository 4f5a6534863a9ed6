"""Couplings a x1 + b x2 + ... = c of joint coordinates, of one robot and of two."""

import numpy as np
import pytest
from world.scenes import World
from world.test_mimics import wheels

import rbdyn
from rbdyn.errors import Error, RemovedError, UnknownNameError


@pytest.mark.parametrize("dt", [5e-4, 2e-3, 5e-3])
@pytest.mark.parametrize("integrator", ["trapezoid", "semi_implicit", "euler", "rk4"])
def test_wheels_of_two_robots_turn_as_geared(dt, integrator):
    """x_a = -4 x_b + 0.2: torque / (I_a + I_b / 16), and what the gear carries on either side."""
    first, second, torque = 0.3, 0.05, 2.0
    world = World(dt)
    world.integrator = integrator
    engine = world.add_articulated_system(wheels(first), name="engine")
    load = world.add_articulated_system(wheels(second), name="load")
    gear = world.add_coupling({(engine, "a"): 1.0, (load, "a"): 4.0}, 0.2)
    engine.set_state([0.2])
    engine.set_generalized_force([torque])
    world.step(round(1.0 / dt))
    speed = torque / (first + second / 16)
    assert engine.v[0] == pytest.approx(speed, rel=1e-9) and load.v[0] == pytest.approx(-speed / 4, rel=1e-9)
    assert engine.q[0] + 4 * load.q[0] == pytest.approx(0.2, abs=1e-9)
    assert gear.error == pytest.approx(0.0, abs=1e-9) and gear.active
    assert gear.force[0] == pytest.approx(-second * speed / 16, rel=1e-9)
    assert engine.mimic_force == pytest.approx(gear.force) and load.mimic_force == pytest.approx(4 * gear.force)


def test_a_differential_shares_its_torque():
    """x_a - x_b / 2 - x_c / 2 = 0: the same torque on both, whatever they carry."""
    inertia, light, heavy, torque = 0.2, 0.05, 0.8, 1.5
    world = World(1e-3)
    robot = world.add_articulated_system(wheels(inertia, light, heavy))
    coupling = world.add_coupling({(robot, "a"): 1.0, (robot, "b"): -0.5, (robot, "c"): -0.5}, name="differential")
    robot.set_generalized_force([torque, 0.0, 0.0])
    world.step(500)
    M, J = np.diag([inertia, light, heavy]), np.array([1.0, -0.5, -0.5])
    X = np.linalg.solve(M, J)
    free = np.array([torque / inertia, 0, 0])
    assert robot.v == pytest.approx(0.5 * (free - X * (J @ free) / (J @ X)), rel=1e-9)
    assert robot.mimic_force[1] == pytest.approx(robot.mimic_force[2])
    assert world.find is not None and coupling in world.constraints and coupling.offset == 0.0


def test_one_coordinate_alone_is_locked_and_moved():
    world = World(1e-3)
    robot = world.add_articulated_system(wheels(0.3, kind=rbdyn.Prismatic((0, 0, 1))))
    robot.set_state([0.1])
    lock = world.add_coupling({(robot, "a"): 1.0})
    world.step(100)
    assert robot.q[0] == pytest.approx(0.1, abs=1e-12) and lock.force[0] == pytest.approx(9.81)
    lock.offset = 0.15
    world.step()
    assert robot.q[0] == pytest.approx(0.1 + 1e-3) and robot.v[0] == pytest.approx(0.0, abs=1e-12)
    world.step(300)
    assert robot.q[0] == pytest.approx(0.15, abs=1e-7)
    world.remove(lock)
    world.step(100)
    assert robot.v[0] == pytest.approx(-0.981)
    with pytest.raises(RemovedError):
        lock.offset = 1.0


def test_a_coupling_leaves_with_its_robots():
    world = World(1e-3)
    one, other = (world.add_articulated_system(wheels(1.0), name=n) for n in ("one", "other"))
    coupling = world.add_coupling({(one, "a"): 1.0, (other, "a"): 1.0})
    assert coupling.ends == ((one, "a"), (other, "a")) and coupling.coefficients[one, "a"] == 1.0
    world.remove(other)
    assert world.constraints == ()
    with pytest.raises(RemovedError):
        coupling.error  # noqa: B018
    world.step()


def test_bad_couplings_are_named():
    world = World(1e-3)
    robot = world.add_articulated_system(wheels(1.0, 1.0))
    ball = world.add_articulated_system(wheels(1.0, kind=rbdyn.Spherical()), name="ball")
    stranger = World(1e-3).add_articulated_system(wheels(1.0))
    for terms, offset, match in [
        ({}, None, "coefficients must be a dict"), ([1], None, "coefficients must be a dict"),
        ({"a": 1.0}, None, "a coordinate must be"), ({(robot, "a", 1): 1.0}, None, "a coordinate must be"),
        ({(robot, "a"): 0.0}, None, "the coefficient of 'a' must not be 0"),
        ({(robot, "a"): np.nan}, None, "the coefficient of 'a'"), ({(robot, "a"): 1.0}, np.inf, "offset"),
        ({(ball, "a"): 1.0}, None, "has not one coordinate"),
    ]:
        with pytest.raises(Error, match=match):
            world.add_coupling(terms, offset)
    with pytest.raises(UnknownNameError, match="'z'"):
        world.add_coupling({(robot, "z"): 1.0})
    with pytest.raises(RemovedError):
        world.add_coupling({(stranger, "a"): 1.0})
    assert world.constraints == ()
