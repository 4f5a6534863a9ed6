"""Inverse kinematics with closed loops: loops stay closed, targets are met, or missed by as little as loops allow."""

import numpy as np
import pytest
from algorithms.four_bar import A, closure, e, four_bar
from algorithms.loop_systems import looped
from algorithms.stewart_platform import stewart_platform
from reference.compare import nontrivial

import rbdyn


def opening(model, q):
    state = rbdyn.State(model)
    state.set(q)
    return np.abs(rbdyn.loop_error(state)).max()


@pytest.mark.parametrize(
    ("rpy", "position"),
    [((0.1, -0.2, 0.3), (0.1, 0.05, 1.2)), ((0, 0, 0.5), (0.2, -0.2, 0.9)), ((0.3, 0.3, -0.6), (0, 0, 1.4))],
)
def test_legs_of_a_stewart_platform(rpy, position):
    """A leg is as long as the way from its foot to its ball on the platform."""
    model = rbdyn.Model(stewart_platform())
    pose = rbdyn.Transform(rpy=rpy, translation=position)
    result = rbdyn.inverse_kinematics(model, model.neutral(), "platform", None, pose)
    assert result.success
    assert opening(model, result.q) < 1e-9
    legs, state = np.zeros(6), rbdyn.State(model)
    for k in range(6):
        edge = model.mechanism.edge(model.mechanism.find_joint(f"ball{k}"))
        ball = edge.successor_pose.inverse().translation
        foot = rbdyn.body_pose(state, f"x{k}")[:3, 3]
        drawn_in = np.linalg.norm(ball + (0, 0, 1.0) - foot)
        legs[k] = np.linalg.norm(position + pose.rotation @ ball - foot) - drawn_in
    nontrivial(legs)
    np.testing.assert_allclose([result.q[model.joint_q_index(f"leg{k}")] for k in range(6)], legs, atol=1e-9)


def test_poses_that_random_loops_can_reach(seed):
    s = looped(seed, 1 + seed % 3)
    rng = np.random.default_rng(seed)
    nearby = rbdyn.integrate(s.model, s.state.q, 0.3 * rng.normal(size=s.model.nv))
    goal = rbdyn.project_configuration(s.model, nearby)
    there = rbdyn.State(s.model)
    there.set(goal)
    body = s.model.body_names[-1]
    result = rbdyn.inverse_kinematics(s.model, s.state.q, body, None, rbdyn.body_pose(there, body))
    assert result.success
    assert opening(s.model, result.q) < 1e-9


@pytest.mark.parametrize("angle", [0.3, 1.5, -2.0])
def test_a_point_of_the_coupler(angle):
    """One point of its curve tells the crank's angle."""
    model = rbdyn.Model(four_bar())
    t2, t3 = closure(angle)
    point = np.append(A * e(angle) + 0.5 * e(t2) + 0.2 * e(t2 + np.pi / 2), 0.0)
    start = model.neutral()
    first = closure(angle + 0.4)
    for name, value in (("motor", angle + 0.4), ("knee", first[0] - angle - 0.4), ("foot", first[1])):
        start[model.joint_q_index(name)] = value
    result = rbdyn.inverse_kinematics(model, start, "coupler", (0.5, 0.2, 0.0), point)
    assert result.success
    found = [result.q[model.joint_q_index(name)] for name in ("motor", "knee", "foot")]
    np.testing.assert_allclose(found, (angle, t2 - angle, t3), atol=1e-8)


@pytest.mark.parametrize("pins", [(0.0,), (0.0, 0.3)])
@pytest.mark.parametrize("target", [(0.9, 1.5, 0.0), (-0.4, 0.9, 0.0)])
def test_a_point_that_the_coupler_cannot_reach(pins, target):
    """The nearest point of its curve, found among ten thousand of them; two pins make redundant loops."""
    model = rbdyn.Model(four_bar(pins=pins))
    q = model.neutral()
    t2, t3 = closure(1.2)
    for name, value in (("motor", 1.2), ("knee", t2 - 1.2), ("foot", t3)):
        q[model.joint_q_index(name)] = value
    result = rbdyn.inverse_kinematics(model, q, "coupler", (0.5, 0.0, 0.0), target, max_iter=200)
    curve = [A * e(t) + 0.5 * e(closure(t)[0]) for t in np.linspace(0.0, 2 * np.pi, 10_001)]
    nearest = np.linalg.norm(np.array(curve) - target[:2], axis=1).min()
    assert nearest > 0.1
    assert not result.success
    assert result.residual == pytest.approx(nearest, abs=1e-6)
    assert opening(model, result.q) < 1e-9


def test_limits_hold_and_loops_too():
    m = four_bar()
    m.find_joint("motor").position_limits = (0.9, 1.4)
    model = rbdyn.Model(m)
    t2, t3 = closure(1.2)
    q = model.neutral()
    for name, value in (("motor", 1.2), ("knee", t2 - 1.2), ("foot", t3)):
        q[model.joint_q_index(name)] = value
    target = np.append(A * e(2.0), 0.0)  # the crank's tip at 2 rad, out of its limits
    result = rbdyn.inverse_kinematics(model, q, "coupler", None, target, limits=True, max_iter=200)
    assert not result.success
    assert result.q[model.joint_q_index("motor")] == pytest.approx(1.4, abs=1e-9)
    assert result.q[model.joint_q_index("motor")] <= 1.4
    assert result.residual == pytest.approx(np.linalg.norm(A * (e(1.4) - e(2.0))), abs=1e-9)
    assert opening(model, result.q) < 1e-9


def test_loops_that_cannot_be_closed_are_no_success():
    m = rbdyn.Mechanism(rbdyn.RigidBody("world"))
    link = rbdyn.RigidBody("link", rbdyn.SpatialInertia(1.0, (0.5, 0, 0), np.eye(3)))
    m.attach(m.root_body, link, rbdyn.Joint("hinge", rbdyn.Revolute((0, 0, 1))))
    m.attach(m.root_body, link, rbdyn.Joint("far", rbdyn.Spherical()), rbdyn.Transform(translation=(3.0, 0, 0)))
    result = rbdyn.inverse_kinematics(rbdyn.Model(m), [0.4], "link", None, (0, 0, 0))
    assert not result.success
    assert result.residual >= 3.0
