"""Joints that follow others and give way: gears that twist by what they bear, against closed forms."""

import copy
import math

import numpy as np
import pytest

from rbdyn import Joint, Mechanism, Mimic, Revolute, RigidBody, SpatialInertia
from rbdyn.errors import MechanismError, StateError
from rbdyn.world import World

FIRST, SECOND = 0.3, 0.05


def wheels(mimic, held=False):
    """Two wheels on axles of their own; b follows a, and is held by its stop if asked."""
    m = Mechanism(RigidBody("world"))
    for name, inertia in (("a", FIRST), ("b", SECOND)):
        body = RigidBody(f"wheel_{name}", SpatialInertia(1.0, (0, 0, 0), inertia * np.eye(3)))
        limits = (0.0, 3.0) if held and name == "b" else None
        m.attach(m.root_body, body, Joint(name, Revolute((0, 0, 1)), limits, mimic=mimic if name == "b" else None))
    return m


@pytest.mark.parametrize("integrator", ["trapezoid", "semi_implicit", "euler", "rk4"])
@pytest.mark.parametrize("ratio", [1.0, -4.0])
def test_a_soft_gear_twists_by_its_softness_times_the_torque(ratio, integrator):
    """The wheel that follows is held by a stop: on it the torque acts by the ratio."""
    softness, torque = 2e-3, -math.copysign(6.0, ratio)
    world = World(1e-3, gravity=(0, 0, 0))
    world.integrator = integrator
    robot = world.add_articulated_system(wheels(Mimic("a", ratio, 0.0, softness, 5.0), held=True))
    robot.set_generalized_force([torque, 0.0])
    world.step(4000)
    load = torque / ratio
    assert load < 0.0
    assert robot.q[1] - ratio * robot.q[0] == pytest.approx(-load * softness, rel=1e-9)
    assert robot.q[1] == pytest.approx(0.0, abs=1e-5)
    assert robot.mimic_force == pytest.approx([-torque, load], rel=1e-9)


def swing(dt, softness, damping, ratio, seconds, twist=0.02):
    """How a twist goes on: (n,), and the worst rise of the energy in a step beside its start."""
    world = World(dt, gravity=(0, 0, 0))
    robot = world.add_articulated_system(wheels(Mimic("a", ratio)))
    robot.set_mimic_softness(joints={"b": (softness, damping)})
    robot.set_state([0.0, twist])
    twists, energies = [twist], [0.5 * twist**2 / softness]
    for _ in range(round(seconds / dt)):
        world.step()
        twists.append(robot.q[1] - ratio * robot.q[0])
        energies.append(0.5 * (FIRST * robot.v[0] ** 2 + SECOND * robot.v[1] ** 2 + twists[-1] ** 2 / softness))
    return np.array(twists), np.array(energies)


def test_flywheels_on_a_soft_gear_swing_with_their_frequency():
    """w^2 = k (1 / I_b + ratio^2 / I_a); of second order in the time step, and momentum stays."""
    ratio, k = -2.0, 40.0
    w = math.sqrt(k * (1.0 / SECOND + ratio**2 / FIRST))
    errors = []
    for dt in (2e-3, 1e-3, 5e-4):
        twists, _ = swing(dt, 1.0 / k, 0.0, ratio, 0.5)
        errors.append(np.abs(twists - 0.02 * np.cos(w * dt * np.arange(len(twists)))).max() / 0.02)
    assert errors[2] < 0.01
    assert np.log2(np.array(errors[:-1]) / errors[1:]).min() > 1.9


@pytest.mark.parametrize("dt", [1e-3, 1e-2, 0.1])
@pytest.mark.parametrize("softness", [1e-1, 1e-3, 1e-6, 1e-12])
def test_damped_soft_gears_come_to_rest(dt, softness):
    _, energies = swing(dt, softness, 2.0, 3.0, 1000 * dt)
    assert (energies <= energies[0] * (1 + 1e-9)).all() and energies[-1] < 1e-3 * energies[0]


def test_without_softness_it_is_a_gear():
    ends = []
    for softness in (0.0, 1e-10):
        world = World(1e-3, gravity=(0, 0, 0))
        robot = world.add_articulated_system(wheels(Mimic("a", -4.0, 0.0, softness)))
        robot.set_generalized_force([2.0, 0.0])
        world.step(500)
        ends.append(np.array(robot.q))
    assert ends[0] == pytest.approx(ends[1], abs=1e-6) and abs(ends[0][1]) > 0.5


def test_softness_of_gears_goes_on_through_surgery_and_copies_and_ends_with_the_gear():
    world = World(1e-3, gravity=(0, 0, 0))
    robot = world.add_articulated_system(wheels(Mimic("a", 2.0)))
    robot.set_mimic_softness(1e-3, 0.5)
    assert robot.mimic_softness[0].tolist() == [0.0, 1e-3] and robot.mimic_softness[1].tolist() == [0.0, 0.5]
    kept = world.snapshot()
    robot.attach(RigidBody("tool", SpatialInertia(0.1, (0, 0, 0), 1e-3 * np.eye(3))), "wheel_a",
                 Joint("c", Revolute((1, 0, 0))))
    b = robot.model.joint_v_index("b")
    assert robot.mimic_softness[0][b] == 1e-3 and robot.mimic_softness[1][b] == 0.5
    [twin] = copy.deepcopy(world).objects
    assert twin.mimic_softness[0][b] == 1e-3
    robot.joint("b").set(mimic=Mimic("a", 3.0))               # another gear
    assert not robot.mimic_softness[0].any()
    world.restore(kept)
    assert robot.mimic_softness[0].tolist() == [0.0, 1e-3]
    robot.joint("b").set(mimic=Mimic("a", 2.0, softness=1e-2))
    assert robot.mimic_softness[0].tolist() == [0.0, 1e-2]
    robot.joint("b").set(damping=0.1)
    assert robot.mimic_softness[0].tolist() == [0.0, 1e-2]


def test_bad_softness_of_gears_is_refused():
    for numbers, words in (((-1.0, 0.0), "softness of a Mimic"), ((0.0, 1.0), "needs a softness"),
                           ((1e-3, -1.0), "damping")):  # fmt: skip
        with pytest.raises(MechanismError, match=words):
            Mimic("a", 1.0, 0.0, *numbers)
    robot = World().add_articulated_system(wheels(Mimic("a")))
    for call, words in (
        (lambda: robot.set_mimic_softness(joints={"a": 1e-3}), "'a' .*joints with a mimic follow others"),
        (lambda: robot.set_mimic_softness([1e-3, 0.0]), "'a' .*has none"),
        (lambda: robot.set_mimic_softness(damping=1.0), "'b': damping 1 needs"),
    ):
        with pytest.raises(StateError, match=words):
            call()
