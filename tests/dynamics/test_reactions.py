"""Joint wrenches: their part along the joint is the torque, and every body obeys Newton and Euler."""

import numpy as np
import pytest
from dynamics.systems import random_system
from dynamics.test_centroidal import carrier, momentum_rate
from reference import oracle
from reference.compare import close, nontrivial

import rbdyn


@pytest.fixture(params=range(120), scope="module")
def system(request):
    return random_system(7000 + request.param)


def moved(wrench, origin):
    """A wrench about `origin`, about the world's origin."""
    return np.append(wrench[:3] + np.cross(origin, wrench[3:]), wrench[3:])


def test_the_part_along_the_joint_is_its_torque(system):
    s, model = system, system.model
    vd = s.order(s.vd)
    W = rbdyn.joint_wrenches(s.state, vd, s.external)
    assert W.shape == (model.n_bodies, 6)
    tau = rbdyn.inverse_dynamics(s.state, vd, s.external) - model.array("rotor_inertia") * vd
    nontrivial(tau)
    moving = {j.name for j in s.mechanism.tree_joints if j.num_velocities}
    for name, body, wrench in zip(model.joint_names, model.body_names, W, strict=True):
        if name not in moving:
            continue
        k = model.joint_v_index(name)
        n = s.mechanism.find_joint(name).num_velocities
        S = rbdyn.point_jacobian_6d(s.state, body)[:, k : k + n]
        close(S.T @ wrench, tau[k : k + n], 1e-10, np.abs(tau).max())


def test_newton_and_euler_for_every_body(system):
    """Joint wrench, less those of the children, weight and load make the rate of momentum, the base's included."""
    s, model = system, system.model
    H = oracle.forward_kinematics(s.mechanism, s.q)
    W = rbdyn.joint_wrenches(s.state, s.order(s.vd), s.external)
    origins = [H[name][:3, 3] for name in model.body_names]
    carriers = {b.name: carrier(model, b) for b in s.mechanism.bodies}
    for k in range(model.n_bodies):
        total = moved(W[k], origins[k])
        for child in range(1, model.n_bodies):
            if model.parents[child] == k:
                total -= moved(W[child], origins[child])
        mine = [b for b in s.mechanism.bodies if carriers[b.name] == k]
        for body in mine:
            weight = np.append(np.zeros(3), body.inertia.mass * s.mechanism.gravity)
            total += moved(weight, (H[body.name] @ np.append(body.inertia.com, 1.0))[:3])
            if body.name in s.external:
                total += moved(s.external[body.name], H[body.name][:3, 3])
        expected = momentum_rate(s.mechanism, s.q, s.v, s.vd, {b.name for b in mine})
        close(total, expected, 1e-10, np.abs(W).max())


def test_base_of_a_hanging_weight():
    """At rest the ceiling holds the weight of all, at its lever arm."""
    m = rbdyn.Mechanism(rbdyn.RigidBody("ceiling", rbdyn.SpatialInertia(2.0, (0.1, 0, 0))))
    bob = rbdyn.RigidBody("bob", rbdyn.SpatialInertia(3.0, (0, 0, -0.5)))
    m.attach(m.root_body, bob, rbdyn.Joint("hinge", rbdyn.Revolute((0, 1, 0))), rbdyn.Transform(translation=(1, 0, 0)))
    W = rbdyn.joint_wrenches(rbdyn.State(rbdyn.Model(m)), [0.0])
    g = np.linalg.norm(m.gravity)
    close(W[1], [0, 0, 0, 0, 0, 3 * g], 1e-14)
    close(W[0], [0, -3.2 * g, 0, 0, 0, 5 * g], 1e-14)


def test_doors():
    s = random_system(7001)
    vd = s.order(s.vd)
    out = np.full((s.model.n_bodies, 6), np.nan)
    assert rbdyn.joint_wrenches(s.state, vd, s.external, out) is out
    np.testing.assert_array_equal(out, rbdyn.joint_wrenches(s.state, list(vd), s.external))
    assert np.abs(out - rbdyn.joint_wrenches(s.state, vd)).max() > 1e-3
    for bad in (vd[:-1], vd * np.nan, "vd", None):
        with pytest.raises(rbdyn.Error, match="vd"):
            rbdyn.joint_wrenches(s.state, bad)
    with pytest.raises(rbdyn.StateError, match="out"):
        rbdyn.joint_wrenches(s.state, vd, out=np.zeros(6))
    with pytest.raises(rbdyn.UnknownNameError):
        rbdyn.joint_wrenches(s.state, vd, {"nobody": np.zeros(6)})
    with pytest.raises(rbdyn.Error):
        rbdyn.joint_wrenches(rbdyn.State.__new__(rbdyn.State), vd)


def test_loops_are_refused():
    m = rbdyn.Mechanism(rbdyn.RigidBody("world"))
    link = rbdyn.SpatialInertia(1.0, (0.5, 0, 0), np.eye(3))
    for k in range(2):
        m.attach(m.root_body, rbdyn.RigidBody(f"b{k}", link), rbdyn.Joint(f"j{k}", rbdyn.Revolute((0, 0, 1))))
    m.attach(m.bodies[1], m.bodies[2], rbdyn.Joint("loop", rbdyn.Revolute((0, 0, 1))))
    with pytest.raises(rbdyn.MechanismError, match="loop"):
        rbdyn.joint_wrenches(rbdyn.State(rbdyn.Model(m)), [0.0, 0.0])
