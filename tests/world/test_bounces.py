"""Stops that bounce: in chains and linkages, one or many at once, they give back the energy that came and no more."""

import numpy as np
import pytest
from world.test_loop_springs import energy, four_bar, pin_of

import rbdyn
from rbdyn import Floating, Joint, Mechanism, Revolute, RigidBody, SpatialInertia, Transform, World


def link(name, rng):
    J = rng.normal(size=(3, 3)) * 0.1
    spread = J @ J.T + 0.02 * np.eye(3)
    inertia = np.trace(spread) * np.eye(3) - spread
    return RigidBody(name, SpatialInertia(rng.uniform(0.5, 2.0), rng.normal(size=3) * 0.15, inertia))


def chain(seed, dt, restitution, floating=False, stiffness=0.0, n=5):
    """Links on hinges about random axes, between stops, in motion."""
    rng = np.random.default_rng(seed)
    m = Mechanism(RigidBody("world"), gravity=(0, 0, 0) if floating else (0, 0, -9.81))
    last = m.root_body
    if floating:
        last = link("base", rng)
        m.attach(m.root_body, last, Joint("base", Floating()))
    for k in range(n):
        body, axis = link(f"link{k}", rng), rng.normal(size=3)
        joint = Joint(f"hinge{k}", Revolute(axis / np.linalg.norm(axis)), position_limits=(-0.5, 0.6),
                      limit_restitution=restitution, stiffness=stiffness)  # fmt: skip
        m.attach(last, body, joint, Transform(translation=rng.normal(size=3) * 0.2))
        last = body
    world = World(dt, gravity=(0, 0, 0) if floating else (0, 0, -9.81))
    robot = world.add_articulated_system(m, self_collision=False)
    robot.set_state(v=rng.normal(size=robot.nv) * 2.0)
    return world, robot


def total(robot, stiffness=0.0, height=9.81):
    q = robot.q[-5:]
    lifted = robot.total_mass * height * rbdyn.center_of_mass(robot.state)[2]
    return rbdyn.kinetic_energy(robot.state) + lifted + 0.5 * stiffness * q @ q


def energies(world, robot, seconds, *args):
    """At the end of each step, and how many bounces there were."""
    found, bounces = [total(robot, *args)], 0
    for _ in range(round(seconds / world.time_step)):
        before = robot.v[-5:]
        world.step()
        found.append(total(robot, *args))
        bounces += int(np.sum(before * robot.v[-5:] < -0.01))
    return np.array(found), bounces


@pytest.mark.parametrize("case", range(6))
def test_chains_keep_their_energy(case):
    world, robot = chain(case, 1e-3, 1.0)
    found, bounces = energies(world, robot, 1.5)
    assert np.abs(found - found[0]).max() < 3e-3
    assert bounces > 20


@pytest.mark.parametrize("case", range(3))
def test_chains_with_springs_keep_theirs(case):
    world, robot = chain(case, 1e-3, 1.0, stiffness=15.0)
    found, bounces = energies(world, robot, 1.0, 15.0)
    assert np.abs(found - found[0]).max() < 3e-3
    assert bounces > 5


@pytest.mark.parametrize("case", range(3))
def test_chains_in_space_keep_energy_and_momentum(case):
    world, robot = chain(case, 1e-3, 1.0, floating=True)
    P = rbdyn.momentum(robot.state)[3:]
    found, bounces = energies(world, robot, 1.5, 0.0, 0.0)
    assert np.abs(found - found[0]).max() < 2e-4
    np.testing.assert_allclose(rbdyn.momentum(robot.state)[3:], P, atol=1e-11)
    assert bounces > 5


@pytest.mark.parametrize("case", range(4))
def test_less_than_perfect_stops_never_give(case):
    world, robot = chain(case, 2e-3, 0.6)
    found, bounces = energies(world, robot, 1.5)
    assert np.diff(found).max() < 2e-3
    assert found[-1] < found[0] - 1.0
    assert bounces > 5


@pytest.mark.parametrize("cut", ["pin", "foot"])
def test_a_four_bar_between_stops_keeps_its_energy(cut):
    """Its one degree of freedom turns round: rates come back as they were."""
    world, robot = four_bar(cut, 1e-3, position_limits=(0.7, 1.4), limit_restitution=1.0)
    begin, worst, turned, last = energy(robot), 0.0, 0, robot.v[0]
    for _ in range(2000):
        world.step()
        worst = max(worst, abs(energy(robot) - begin))
        turned += last * robot.v[0] < 0.0
        last = robot.v[0]
        assert pin_of(robot) < 1.4 + 1e-3
    assert worst < 5e-3
    assert turned > 6


def test_stops_met_at_once_all_turn_round():
    """Two arms of a body that floats, alike: both stops are met in the same step, and each rate is reversed."""
    m = Mechanism(RigidBody("world"), gravity=(0, 0, 0))
    trunk = RigidBody("trunk", SpatialInertia(2.0, (0, 0, 0), 0.05 * np.eye(3)))
    m.attach(m.root_body, trunk, Joint("base", Floating()))
    for side, sign in (("left", 1.0), ("right", -1.0)):
        arm = RigidBody(side, SpatialInertia(1.0, (0.3 * sign, 0, 0), np.diag([0.01, 0.13, 0.13])))
        joint = Joint(side, Revolute((0, sign, 0)), position_limits=(-0.4, 0.4), limit_restitution=1.0)
        m.attach(trunk, arm, joint, Transform(translation=(0.2 * sign, 0, 0)))
    world = World(1e-3, gravity=(0, 0, 0))
    robot = world.add_articulated_system(m, self_collision=False)
    robot.set_state(v=[0, 0, 0, 0, 0, 0, 3.0, 3.0])
    begin, bounces = rbdyn.kinetic_energy(robot.state), 0
    for _ in range(1000):
        before = robot.v[6:]
        world.step()
        after = robot.v[6:]
        assert after[0] == pytest.approx(after[1], abs=1e-9)
        if before[0] * after[0] < 0:
            bounces += 1
            np.testing.assert_allclose(after, -before, rtol=2e-2)
        assert rbdyn.kinetic_energy(robot.state) == pytest.approx(begin, rel=1e-4)
    assert bounces > 3


@pytest.mark.parametrize("links", [2, 4, 6])
@pytest.mark.parametrize(("restitution", "friction"), [(0.5, 0.2), (0.5, 0.02), (1.0, 0.0)])
def test_floating_chains_whose_joints_come_to_rest_fly_on(links, restitution, friction):
    """Of joints that stood still the speed was to be changed by 0 / 0; nearly so, by any factor."""
    for seed in range(12):
        rng = np.random.default_rng(seed)
        m = Mechanism(RigidBody("world"), gravity=(0, 0, 0))
        last = link("base", rng)
        m.attach(m.root_body, last, Joint("base", Floating()))
        for k in range(links):
            body, axis = link(f"link{k}", rng), rng.normal(size=3)
            joint = Joint(f"hinge{k}", Revolute(axis / np.linalg.norm(axis)), position_limits=(-0.6, 0.6),
                          limit_restitution=restitution, friction=friction)  # fmt: skip
            m.attach(last, body, joint, Transform(translation=rng.normal(size=3) * 0.1))
            last = body
        world = World(4e-3, gravity=(0, 0, 0))
        robot = world.add_articulated_system(m, self_collision=False)
        robot.set_state(v=3.0 * rng.normal(size=robot.nv))
        start, p = rbdyn.kinetic_energy(robot.state), rbdyn.momentum(robot.state)
        low, rise = start, 0.0
        for _ in range(100):
            world.step(5)
            now = rbdyn.kinetic_energy(robot.state)
            low, rise = min(low, now), max(rise, now - low)
        np.testing.assert_allclose(rbdyn.momentum(robot.state), p, atol=1e-11 * np.abs(p).max() * 500)
        assert rise < 2e-2 * start
        if restitution < 1.0:
            assert now < start
