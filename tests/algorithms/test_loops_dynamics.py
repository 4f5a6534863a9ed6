"""Accelerations and forces of mechanisms with loops, against Gauss's principle, trees and energy."""

import numpy as np
import pytest
from algorithms.loop_systems import LOOP_TYPES, double, looped, moved
from algorithms.systems import random_system
from reference import loop_oracle, oracle
from reference.compare import close, nontrivial

import rbdyn
from rbdyn.mechanism import Fixed, Floating, Planar, Prismatic, Revolute, Spherical
from rbdyn.testing.random_mechanisms import ALL_TYPES, add_random_loops, random_inertia, random_transform, random_tree


def stabilisation(s, stiffness, damping):
    """-damping K v - stiffness e, in the library's rows."""
    return -damping * rbdyn.loop_jacobian(s.state) @ s.state.v - stiffness * rbdyn.loop_error(s.state)


@pytest.mark.parametrize("loops", [1, 3])
def test_against_gauss(seed, loops):
    """Accelerations and the multipliers' generalized forces, rotors of loop joints included."""
    s = looped(seed, loops)
    vd, lam = loop_oracle.dynamics(s.mechanism, s.q, s.v, s.tau, s.external)
    nontrivial(vd)
    nontrivial(lam)
    result = rbdyn.dynamics(s.state, s.order(s.tau), s.external)
    close(s.tree(result.vd), vd, 1e-8)
    K = s.tree(rbdyn.loop_jacobian(s.state))
    push = loop_oracle.constraint_rows(s.mechanism, s.q).T @ lam
    close(K.T @ result.multipliers, push, 1e-8)
    close(np.linalg.norm(result.multipliers), np.linalg.norm(lam), 1e-6)
    np.testing.assert_array_equal(rbdyn.forward_dynamics(s.state, s.order(s.tau), s.external), result.vd)


@pytest.mark.parametrize("joint_type", LOOP_TYPES)
def test_each_joint_type_against_gauss(joint_type, seed):
    s = looped(seed, 1, joint_types=[joint_type])
    vd, lam = loop_oracle.dynamics(s.mechanism, s.q, s.v, s.tau)
    nontrivial(lam)
    close(s.tree(rbdyn.forward_dynamics(s.state, s.order(s.tau))), vd, 1e-8)


@pytest.mark.parametrize(("stiffness", "damping"), [(100.0, 20.0), (0.0, 0.0), (7.0, 0.0), (0.0, 3.0)])
def test_rows_accelerate_as_the_stabilisation_says(seed, stiffness, damping):
    """K vd + k = -damping K v - stiffness e where the loops do not contradict one another."""
    s = looped(seed, 1, n=8, joint_types=[Revolute, Spherical, Prismatic], closed=False)
    result = rbdyn.dynamics(s.state, s.tau, stiffness=stiffness, damping=damping)
    K = rbdyn.loop_jacobian(s.state)
    if result.rank < len(K):
        K = K[:0]
    expected = stabilisation(s, stiffness, damping)[: len(K)]
    if stiffness and len(K):
        nontrivial(expected, 0.1)
    close(K @ result.vd + rbdyn.loop_bias(s.state)[: len(K)], expected, 1e-9, floor=max(1.0, abs(result.vd).max()))


def test_most_of_those_have_full_rank():
    full = 0
    for seed in range(8):
        s = looped(seed, 1, n=8, joint_types=[Revolute, Spherical, Prismatic], closed=False)
        full += rbdyn.dynamics(s.state).rank == s.model.num_constraints
    assert full >= 3


def test_newton_holds_for_the_whole(seed):
    """M vd + h = tau + K^T lambda without rotors in the loops."""
    s = looped(seed, 2, closed=False, rotor_inertia=False)
    result = rbdyn.dynamics(s.state, s.tau, s.external)
    left = rbdyn.mass_matrix(s.state) @ result.vd + rbdyn.bias_forces(s.state, s.external)
    nontrivial(result.multipliers)
    close(left, s.tau + rbdyn.loop_jacobian(s.state).T @ result.multipliers, 1e-9, floor=abs(left).max() + 1)


def energy(state):
    """Kinetic and potential energy [J]."""
    return rbdyn.kinetic_energy(state) + rbdyn.potential_energy(state)


def test_rotors_of_loop_joints_have_kinetic_energy(seed):
    s = looped(seed, 2, closed=False)
    M_rotors, _ = loop_oracle.rotors_of_loops(s.mechanism, s.q, s.state.v[s.iv])
    v = s.state.v
    tree = 0.5 * v @ rbdyn.mass_matrix(s.state) @ v
    rotors = 0.5 * v[s.iv] @ M_rotors @ v[s.iv]
    close(rbdyn.kinetic_energy(s.state), tree + rotors)
    assert seed != 1 or rotors > 1e-3 * tree


def test_loops_do_no_work(seed):
    """Where the loops are closed and stay closed, energy changes by tau.v alone."""
    s = looped(seed, 2)
    vd = rbdyn.forward_dynamics(s.state, s.tau)
    v = s.state.v.copy()
    h = 1e-5
    at = []
    for dt in (-h, h):
        state = moved(s, dt, v + 0.5 * dt * vd)
        state.set(state.q, v + dt * vd)
        at.append(energy(state))
    expected = s.tau @ v
    nontrivial(vd)
    close((at[1] - at[0]) / (2 * h), expected, 1e-5, floor=max(1.0, abs(vd).max()))


def test_a_loop_attached_twice_changes_nothing(seed):
    """But that both share the load."""
    once, twice = looped(seed, 2), looped(seed, 2, twice=True)
    twice.state.set(once.state.q, once.state.v)
    a, b = rbdyn.dynamics(once.state, once.tau), rbdyn.dynamics(twice.state, once.tau)
    twin = twice.model.loop_rows["loop1_again"]
    assert twice.model.num_constraints > once.model.num_constraints
    if a.rank == once.model.num_constraints:
        assert b.rank == a.rank
    close(b.vd, a.vd, 1e-8, floor=max(1.0, abs(a.vd).max()))
    close(b.multipliers[twice.model.loop_rows["loop1"]], b.multipliers[twin], 1e-8, floor=abs(a.multipliers).max())
    nontrivial(b.multipliers[twin])


def test_multipliers_are_the_shortest(seed):
    """Against the pseudo-inverse of K^T, with loops doubled and none of their rotors."""
    s = looped(seed, 2, closed=False, twice=True, rotor_inertia=False)
    result = rbdyn.dynamics(s.state, s.tau)
    K = rbdyn.loop_jacobian(s.state)
    push = rbdyn.mass_matrix(s.state) @ result.vd + rbdyn.bias_forces(s.state) - s.tau
    expected = np.linalg.pinv(K.T, rcond=1e-9) @ push
    assert result.rank == np.linalg.matrix_rank(K, tol=1e-9) < len(K)
    nontrivial(expected)
    close(result.multipliers, expected, 1e-7)


def planar_loop():
    """A pendulum of two links about parallel axes, its tip held by a third: three rows are redundant."""
    m = rbdyn.Mechanism(rbdyn.RigidBody("world"))
    link = rbdyn.SpatialInertia(1.0, (0.5, 0, 0), np.eye(3) * 0.1)
    along = rbdyn.Transform(translation=(1, 0, 0))
    bodies = [rbdyn.RigidBody(name, link) for name in ("crank", "coupler", "rocker")]
    m.attach(m.root_body, bodies[0], rbdyn.Joint("j1", Revolute((0, 1, 0))))
    m.attach(bodies[0], bodies[1], rbdyn.Joint("j2", Revolute((0, 1, 0))), along)
    m.attach(m.root_body, bodies[2], rbdyn.Joint("j3", Revolute((0, 1, 0))), rbdyn.Transform(translation=(1, 0, 0)))
    m.attach(bodies[1], bodies[2], rbdyn.Joint("pin", Revolute((0, 1, 0))), along, along.inverse())
    return m


def test_rows_out_of_the_plane_carry_nothing():
    model = rbdyn.Model(planar_loop())
    state = rbdyn.State(model)
    state.set([-1.2, 1.2, -1.2])  # a parallelogram
    close(rbdyn.loop_error(state), np.zeros(5), 1e-14)
    result = rbdyn.dynamics(state, [1.0, 2.0, 3.0])
    assert result.rank == 2
    nontrivial(result.multipliers)
    close(np.abs(result.multipliers).min(), 0.0, 1e-12)
    assert np.sum(np.abs(result.multipliers) > 1e-6) == 2


def maximal(mechanism, state):
    """Every body on a joint of its own to the world, the real joints as loops; and its state in the same motion."""
    m = rbdyn.Mechanism(rbdyn.RigidBody(mechanism.root_body.name, mechanism.root_body.inertia), mechanism.gravity)
    twin = {mechanism.root_body: m.root_body}
    q, v = {}, {}
    for body in mechanism.bodies[1:]:
        twin[body] = rbdyn.RigidBody(body.name, body.inertia)
        m.attach(m.root_body, twin[body], rbdyn.Joint(f"free_{body.name}", Floating()))
        pose = rbdyn.Transform(rotation=rbdyn.body_pose(state, body)[:3, :3])
        q[body.name] = [*rbdyn.body_pose(state, body)[:3, 3], *pose.quat]
        twist = rbdyn.point_velocity_6d(state, body)
        v[body.name] = [*twist[3:], *twist[:3]]
    for joint in mechanism.tree_joints:
        edge = mechanism.edge(joint)
        m.attach(twin[edge.predecessor], twin[edge.successor], joint.copy(), edge.joint_pose, edge.successor_pose)
    model = rbdyn.Model(m)
    free = rbdyn.State(model)
    q_free, v_free = np.zeros(model.nq), np.zeros(model.nv)
    for name in q:
        iq, iv = model.joint_q_index(f"free_{name}"), model.joint_v_index(f"free_{name}")
        q_free[iq : iq + 7], v_free[iv : iv + 6] = q[name], v[name]
    free.set(q_free, v_free)
    return free


def test_maximal_coordinates_move_as_the_tree(seed):
    """A tree, and the same bodies held together by loop joints alone: same accelerations, rotors included."""
    s = random_system(seed, joint_types=ALL_TYPES)
    tree_vd = rbdyn.forward_dynamics(s.state, np.zeros(s.model.nv), s.external)
    free = maximal(s.mechanism, s.state)
    close(rbdyn.loop_error(free), np.zeros(free.model.num_constraints), 1e-13, floor=1.0)
    result = rbdyn.dynamics(free, None, s.external)
    assert result.rank == free.model.num_constraints
    for body in s.mechanism.bodies[1:]:
        expected = rbdyn.point_acceleration_6d(s.state, tree_vd, body.name)
        at = free.model.joint_v_index(f"free_{body.name}")
        actual = np.concatenate([result.vd[at + 3 : at + 6], result.vd[at : at + 3]])
        close(actual, expected, 1e-8, floor=max(1.0, abs(tree_vd).max()))
    nontrivial(tree_vd)


def test_multipliers_are_what_the_joints_of_the_tree_transmit(seed):
    """In the before-frame's axes, at the after-frame's origin, along what the joint blocks."""
    s = random_system(seed, 8, [Fixed, Spherical, Prismatic((0, 0, 1)), Revolute((0, 0, 1)), Planar()])
    tau = np.zeros(s.model.nv)
    vd = rbdyn.forward_dynamics(s.state, tau)
    wrenches = dict(zip(s.model.body_names, rbdyn.joint_wrenches(s.state, vd), strict=True))
    free = maximal(s.mechanism, s.state)
    result = rbdyn.dynamics(free)
    names = {Revolute: [0, 1, 3, 4, 5], Prismatic: [0, 1, 2, 3, 4], Planar: [0, 1, 5], Spherical: [3, 4, 5]}
    seen = 0
    for joint in free.model.mechanism.non_tree_joints:
        edge = free.model.mechanism.edge(joint)
        if type(joint.joint_type) not in names or edge.successor.name not in wrenches:
            continue
        if any(isinstance(j.joint_type, Fixed) for j in s.mechanism.joints_to_children(body_of(s, edge.successor))):
            continue  # the bond of merged bodies has its own multipliers
        W = wrenches[edge.successor.name]
        arm = rbdyn.body_pose(free, joint.frame_after)[:3, 3] - rbdyn.body_pose(free, edge.successor.name)[:3, 3]
        R = rbdyn.body_pose(free, joint.frame_before)[:3, :3]
        six = np.concatenate([R.T @ (W[:3] - np.cross(arm, W[3:])), R.T @ W[3:]])
        rows = free.model.loop_rows[joint.name]
        close(result.multipliers[rows], six[names[type(joint.joint_type)]], 1e-8, floor=10.0)
        nontrivial(six)
        seen += 1
    assert seen > 0


def body_of(s, body):
    return s.mechanism.find_body(body.name)


def test_loops_on_merged_bodies(seed):
    """Ends on bodies that hang on fixed joints, or on the root and what is fixed to it."""
    rng = np.random.default_rng([seed, 5])
    m = random_tree(rng, 4, [Revolute, Spherical, Prismatic])
    for k, parent in enumerate([m.bodies[-1], m.root_body, m.bodies[1]]):
        flange, tip = (rbdyn.RigidBody(f"{name}{k}", random_inertia(rng)) for name in ("flange", "tip"))
        m.attach(parent, flange, rbdyn.Joint(f"weld{k}", Fixed()), random_transform(rng), random_transform(rng))
        m.attach(flange, tip, rbdyn.Joint(f"bond{k}", Fixed()), random_transform(rng), random_transform(rng))
    q = rbdyn.Model(m).random(rng)
    a, b = m.find_body("tip0"), m.find_body("tip1")
    plain = rbdyn.State(rbdyn.Model(m))
    plain.set(q)
    A, B = rbdyn.body_pose(plain, a), rbdyn.body_pose(plain, b)
    gap = np.linalg.inv(B) @ A
    gap = rbdyn.Transform(rotation=gap[:3, :3], translation=gap[:3, 3])
    m.attach(b, a, rbdyn.Joint("loop", Revolute((1, 2, 3)), rotor_inertia=0.3), gap)
    model = rbdyn.Model(m)
    state = rbdyn.State(model)
    v = rng.normal(size=model.nv)
    state.set(q, v)
    close(rbdyn.loop_error(state), np.zeros(5), 1e-13)
    tau = rng.normal(size=model.nv)
    vd, _ = loop_oracle.dynamics(m, q, v, tau, None, orthonormal(m, state, q))
    nontrivial(vd)
    close(rbdyn.forward_dynamics(state, tau), vd, 1e-8)


def orthonormal(mechanism, state, q):
    """The damping's part of the stabilisation, in the oracle's rows."""
    return -20.0 * loop_oracle.constraint_rows(mechanism, q) @ state.v


def test_a_loop_between_bodies_that_cannot_move_is_allowed():
    """All rows are zero: nothing happens, and nothing is carried."""
    m = planar_loop()
    m.attach(m.root_body, rbdyn.RigidBody("post"), rbdyn.Joint("weld", Fixed()))
    state = rbdyn.State(rbdyn.Model(m))
    before = rbdyn.forward_dynamics(state, [1, 2, 3])
    m.attach(m.find_body("post"), m.root_body, rbdyn.Joint("nothing", Spherical()))
    state = rbdyn.State(rbdyn.Model(m))
    result = rbdyn.dynamics(state, [1, 2, 3])
    close(result.vd, before, 1e-13)
    close(result.multipliers[state.model.loop_rows["nothing"]], np.zeros(3), 0.0)


def test_a_free_loop_joint_with_a_rotor_adds_inertia_only():
    """A floating loop joint blocks nothing; its rotor resists all six motions."""
    m = rbdyn.Mechanism(rbdyn.RigidBody("world"))
    body = rbdyn.RigidBody("body", rbdyn.SpatialInertia(2.0, (0, 0, 0), np.eye(3)))
    m.attach(m.root_body, body, rbdyn.Joint("base", Floating()))
    m.attach(m.root_body, body, rbdyn.Joint("loop", Floating(), rotor_inertia=3.0))
    state = rbdyn.State(rbdyn.Model(m))
    result = rbdyn.dynamics(state, [1, 0, 0, 1, 0, 0])
    assert result.rank == 0 and result.multipliers.shape == (0,)
    close(result.vd, [0.2, 0, -2 * 9.81 / 5, 0.25, 0, 0], 1e-14)


@pytest.mark.parametrize("inertia", [1e-12, 1e-6, 1e6, 1e12])
def test_rotors_of_any_size(inertia):
    """A tiny one does nothing, a huge one stops its joint; neither spoils the rank."""
    m = planar_loop()
    reference = rbdyn.State(rbdyn.Model(m))
    q = [-1.2, 1.2, -1.2]
    reference.set(q)
    expected = rbdyn.forward_dynamics(reference, [1, 2, 3])
    m.find_joint("pin").rotor_inertia = inertia
    state = rbdyn.State(rbdyn.Model(m))
    state.set(q)
    result = rbdyn.dynamics(state, [1, 2, 3])
    assert result.rank == 2
    nontrivial(expected)
    if inertia < 1:
        close(result.vd, expected, 1e-5)
    else:
        close(result.vd, np.zeros(3), 1e-4)


@pytest.mark.parametrize("scale", [1e-9, 1e-3, 1e3, 1e9])
def test_masses_of_any_size(scale):
    """All inertias and torques scaled alike: the same accelerations, the multipliers scaled."""
    s = looped(3, 2, rotor_inertia=False)
    before = rbdyn.dynamics(s.state, s.tau)
    for body in s.mechanism.bodies:
        a = body.inertia
        body.inertia = rbdyn.SpatialInertia(scale * a.mass, a.com, scale * a.inertia)
    for joint in s.mechanism.tree_joints:
        joint.rotor_inertia = scale * joint.rotor_inertia
    state = rbdyn.State(rbdyn.Model(s.mechanism))
    state.set(s.state.q, s.state.v)
    after = rbdyn.dynamics(state, scale * s.tau)
    assert after.rank == before.rank
    close(after.vd, before.vd, 1e-9)
    close(after.multipliers / scale, before.multipliers, 1e-9)


def test_contradicting_loops_are_met_half_way():
    """Two pins that want one link's tip in two places pull it between them, and nothing blows up."""
    m = rbdyn.Mechanism(rbdyn.RigidBody("world"), gravity=(0, 0, 0))
    body = rbdyn.RigidBody("body", rbdyn.SpatialInertia(1.0, (0, 0, 0), np.eye(3)))
    m.attach(m.root_body, body, rbdyn.Joint("base", Floating()))
    for name, x in (("left", -1.0), ("right", 1.0)):
        m.attach(m.root_body, body, rbdyn.Joint(name, Spherical()), rbdyn.Transform(translation=(x, 0.0, 0.0)))
    state = rbdyn.State(rbdyn.Model(m))
    state.set([0.5, 0, 0, 1, 0, 0, 0])
    result = rbdyn.dynamics(state)
    assert result.rank == 3
    close(result.vd, [-50.0, 0, 0, 0, 0, 0], 1e-12)


def test_trees_give_what_forward_dynamics_gives():
    s = random_system(6)
    result = rbdyn.dynamics(s.state, s.tau, s.external)
    np.testing.assert_array_equal(result.vd, rbdyn.forward_dynamics(s.state, s.tau, s.external))
    assert result.multipliers.shape == (0,) and result.rank == 0
    close(s.tree(result.vd), oracle.forward_dynamics(s.mechanism, s.q, s.v, s.tree(s.tau), s.external), 1e-9)


def test_integrated_loops_stay_closed(seed):
    """0.4 s of motion by Runge and Kutta: errors stay small, energy is kept."""
    rng = np.random.default_rng([seed, 6])
    m = random_tree(rng, 6, [Revolute])
    q = rbdyn.Model(m).random(rng)
    add_random_loops(rng, m, 1, [Spherical], q, rotor_inertia=False)
    model = rbdyn.Model(m)
    state = rbdyn.State(model)
    state.set(q)
    start = rbdyn.kinetic_energy(state) + rbdyn.potential_energy(state)
    h, worst = 1e-3, 0.0
    for _ in range(400):
        q, v = state.q.copy(), state.v.copy()
        k, kv = [], []
        for c in (0.0, 0.5, 0.5, 1.0):
            vi = v + c * h * (k[-1] if k else 0)
            state.set(rbdyn.integrate(model, q, (kv[-1] if kv else v), c * h), vi)
            k.append(rbdyn.forward_dynamics(state, np.zeros(model.nv)))
            kv.append(vi)
        mean = (kv[0] + 2 * kv[1] + 2 * kv[2] + kv[3]) / 6
        state.set(rbdyn.integrate(model, q, mean, h), v + h * (k[0] + 2 * k[1] + 2 * k[2] + k[3]) / 6)
        worst = max(worst, np.abs(rbdyn.loop_error(state)).max())
    assert rbdyn.kinetic_energy(state) > 0.1
    assert worst < 1e-3
    close(rbdyn.kinetic_energy(state) + rbdyn.potential_energy(state), start, 1e-3, floor=30.0)


def test_the_doubled_joint_is_one_more():
    s = looped(1, 1)
    n = s.model.num_constraints
    double(s.mechanism, s.mechanism.non_tree_joints[0])
    assert rbdyn.Model(s.mechanism).num_constraints == 2 * n
