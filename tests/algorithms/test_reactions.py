"""Joint wrenches: their part along the joint is the torque, and every body obeys Newton and Euler."""

import numpy as np
import pytest
from algorithms.loop_systems import looped
from algorithms.systems import random_system
from algorithms.test_centroidal import carrier, momentum_rate
from reference import oracle
from reference.compare import close, nontrivial

import rbdyn


@pytest.fixture(scope="module")
def system(seed):
    return random_system(seed)


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


def test_entry_points():
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


@pytest.fixture
def closed(seed):
    """A closed system whose multipliers are unique; with its torques, accelerations and multipliers."""
    attempt = 100 * seed
    while True:
        s = looped(attempt, 1 + seed % 2, n=9)
        for joint in s.mechanism.joints:
            if isinstance(joint.joint_type, rbdyn.Planar):  # its rotors move with its before-frame: flips change them
                joint.rotor_inertia = 0.0
        s.model, state = rbdyn.Model(s.mechanism), s.state
        s.state = rbdyn.State(s.model)
        s.state.set(state.q, state.v)
        tau = np.random.default_rng(seed).normal(size=s.model.nv)
        result = rbdyn.dynamics(s.state, tau, s.external)
        if 0 < s.model.num_constraints == result.rank:
            nontrivial(result.multipliers)
            return s, tau, result
        attempt += 1


def test_with_loops_the_part_along_the_joint_is_its_torque(closed):
    s, tau, result = closed
    W = rbdyn.joint_wrenches(s.state, result.vd, s.external, multipliers=result.multipliers)
    transmitted = tau - s.model.array("rotor_inertia") * result.vd
    for joint in s.mechanism.tree_joints:
        if joint.num_velocities:
            body = s.mechanism.edge(joint).successor
            k = s.model.joint_v_index(joint.name)
            S = rbdyn.point_jacobian_6d(s.state, body)[:, k : k + joint.num_velocities]
            wrench = W[s.model.body_names.index(body.name)]
            close(S.T @ wrench, transmitted[k : k + joint.num_velocities], 1e-9, np.abs(W).max())


def test_another_spanning_tree_has_the_same_reactions(closed):
    """What was a loop joint is one of the tree then, and the other way round."""
    s = closed[0]
    before = rbdyn.dynamics(s.state, external=s.external)
    old = rbdyn.joint_wrenches(s.state, before.vd, s.external, multipliers=before.multipliers)
    names, edges = s.model.body_names, {j: s.mechanism.edge(j) for j in s.mechanism.tree_joints}
    state = s.mechanism.rebuild_spanning_tree(next_edge=lambda joints: joints[-1]).carry(s.state)
    after = rbdyn.dynamics(state, external=s.external)
    new = rbdyn.joint_wrenches(state, after.vd, s.external, multipliers=after.multipliers)
    assert state.model.joint_names != s.model.joint_names
    kept = {edges[j].successor.name for j in s.mechanism.tree_joints if edges.get(j) == s.mechanism.edge(j)}
    for name in kept & set(names) & set(state.model.body_names):
        close(new[state.model.body_names.index(name)], old[names.index(name)], 1e-8, np.abs(old).max())


def test_loops_need_their_multipliers(closed):
    s, _, result = closed
    with pytest.raises(rbdyn.MechanismError, match=r"needs multipliers.*dynamics\(state"):
        rbdyn.joint_wrenches(s.state, result.vd)
    for bad in (result.multipliers[:-1], result.multipliers * np.nan, "lambda"):
        with pytest.raises(rbdyn.StateError, match="multipliers"):
            rbdyn.joint_wrenches(s.state, result.vd, multipliers=bad)


def test_a_tree_has_no_multipliers():
    s = random_system(1)
    with pytest.raises(rbdyn.StateError, match=r"multipliers must have shape \(0,\)"):
        rbdyn.joint_wrenches(s.state, s.order(s.vd), multipliers=[1.0])
