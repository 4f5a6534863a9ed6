"""The laws of mechanisms on random trees and on random mechanisms with loops."""

from dataclasses import dataclass

import numpy as np
import pytest
from algorithms.systems import layout
from reference import loop_oracle
from reference.compare import close, nontrivial

import rbdyn
from rbdyn.mechanism import Fixed, Floating, Planar, Prismatic, Revolute, Spherical
from rbdyn.testing.random_mechanisms import add_random_loops, random_transform, random_tree


@dataclass
class Case:
    """A mechanism in motion on its loops, with accelerations that obey them."""

    rng: np.random.Generator
    mechanism: rbdyn.Mechanism
    model: rbdyn.Model
    state: rbdyn.State
    tau: np.ndarray
    external: dict[str, np.ndarray]
    vd: np.ndarray

    @property
    def joints(self):
        """Names of the joints that have a q."""
        return [j.name for j in self.mechanism.tree_joints if j.num_velocities]

    def at(self, t):
        """Another State, on a curve with this one's velocity and acceleration at t = 0."""
        q, v = self.state.q, self.state.v
        there = rbdyn.State(self.model)
        there.set(rbdyn.integrate(self.model, q, v + 0.5 * t * self.vd, t), v + t * self.vd)
        return there

    def pick(self):
        """A body, the root included."""
        return self.mechanism.bodies[int(self.rng.integers(len(self.mechanism.bodies)))]


def slope(f, h=1e-3):
    """f'(0) by the seven-point stencil: error h^6."""
    a, b, c = (np.asarray(f(k * h)) - np.asarray(f(-k * h)) for k in (1, 2, 3))
    return (45 * a - 9 * b + c) / (60 * h)


def draw(kind, seed):
    """A mechanism of 3 to 9 joints; with loops, one or two of them, at least two freedoms left."""
    rng = np.random.default_rng([seed, len(kind)])
    while True:
        n = int(rng.integers(3, 7)) if kind == "tree" else int(rng.integers(5, 10))
        mechanism = random_tree(rng, n, floating_base=bool(seed % 2))
        if kind == "loops":
            model = rbdyn.Model(mechanism)
            q = model.random(rng)
            types = [Fixed, Revolute, Prismatic, Planar, Spherical, Floating]
            add_random_loops(rng, mechanism, int(rng.integers(1, 3)), types, q)
        for joint in mechanism.joints:
            if isinstance(joint.joint_type, Planar):  # its linear rotors move with its before-frame: flips change them
                joint.rotor_inertia = 0.0
        model = rbdyn.Model(mechanism)
        state = rbdyn.State(model)
        state.set(model.random(rng) if kind == "tree" else q, rng.normal(size=model.nv))
        free = model.nv
        if kind == "loops":
            K = rbdyn.loop_jacobian(state)
            singular = np.linalg.svd(K, compute_uv=False) if K.size else np.zeros(0)
            free -= int((singular > 1e-6).sum())
            if ((singular > 1e-9) & (singular < 1e-2)).any():
                continue  # too near a singular configuration for tolerances of 1e-9
            state.set(q, rbdyn.project_velocity(state))
        if free >= 2 and np.abs(rbdyn.coriolis_matrix(state)).max() > 1e-3:
            return rng, mechanism, model, state


@pytest.fixture(params=["tree", "loops"], scope="module")
def case(request, seed):
    rng, mechanism, model, state = draw(request.param, seed)
    nontrivial(state.v)
    external = {b.name: rng.normal(size=6) for b in mechanism.bodies[1:4]}
    tau = rng.normal(size=model.nv)
    vd = rbdyn.forward_dynamics(state, tau, external)
    return Case(rng, mechanism, model, state, tau, external, vd)


def accelerations(state, vd, names):
    """Spatial accelerations in the world, {name: (6,)}."""
    return {name: rbdyn.spatial_acceleration(state, vd, name, "world", "world") for name in names}


def same_motion(before, after, names, rtol=1e-9):
    """Poses and twists of the bodies agree."""
    for name in names:
        close(rbdyn.body_pose(after, name), rbdyn.body_pose(before, name), rtol)
        close(rbdyn.point_velocity_6d(after, name), rbdyn.point_velocity_6d(before, name), rtol)


def same_answer(before, after, external, names, rtol=1e-7):
    """Without motor forces, under the same wrenches, every body accelerates as before."""
    nontrivial(before.v)
    close(rbdyn.kinetic_energy(after), rbdyn.kinetic_energy(before), 1e-9)
    old, new = (
        accelerations(s, rbdyn.forward_dynamics(s, np.zeros(s.model.nv), external), names) for s in (before, after)
    )
    scale = max(1.0, *(np.abs(old[name]).max() for name in names))
    for name in names:
        close(new[name], old[name], rtol, scale)


def test_mass_matrix_is_the_derivative_of_inverse_dynamics(case):
    """On loops: between any two accelerations that they allow, with every joint actuated, up to loop forces."""
    s = case
    M = rbdyn.mass_matrix(s.state)
    if not s.model.has_loops:
        h = rbdyn.inverse_dynamics(s.state, np.zeros(s.model.nv))
        columns = [rbdyn.inverse_dynamics(s.state, e) - h for e in np.eye(s.model.nv)]
        close(np.array(columns).T, M)
        return
    iq, iv = layout(s.model, s.mechanism)
    M[np.ix_(iv, iv)] += loop_oracle.rotors_of_loops(s.mechanism, s.state.q[iq], s.state.v[iv])[0]
    K = rbdyn.loop_jacobian(s.state)
    other = s.vd + s.rng.normal(size=s.model.nv) @ null_space(K).T
    nontrivial(other - s.vd)
    taus = [rbdyn.inverse_dynamics(s.state, vd, actuated=s.joints) for vd in (s.vd, other)]
    rest = taus[1] - taus[0] - M @ (other - s.vd)
    close(rest @ null_space(K), np.zeros(s.model.nv), 1e-8, np.abs(M).max())


def null_space(K):
    """Projector onto the velocities that the loops allow, (nv, nv)."""
    return np.eye(K.shape[1]) - np.linalg.pinv(K, rcond=1e-9) @ K


def test_coriolis_matrix_is_skew_against_the_rate_of_mass(case):
    s = case
    C = rbdyn.coriolis_matrix(s.state)
    rate = slope(lambda t: rbdyn.mass_matrix(s.at(t)))
    nontrivial(rate)
    S = rate - 2 * C
    close(S, -S.T, 1e-8, np.abs(C).max())
    bias = rbdyn.bias_forces(s.state)
    still = rbdyn.State(s.model)
    still.set(s.state.q)
    close(C @ s.state.v + rbdyn.bias_forces(still), bias, 1e-10)


def test_power_is_the_rate_of_energy(case):
    """dE/dt = tau . v + wrenches . twists: what holds the loops does no work."""
    s = case
    power = s.tau @ s.state.v
    power += sum(wrench @ rbdyn.point_velocity_6d(s.state, name) for name, wrench in s.external.items())

    def energy(t):
        there = s.at(t)
        return rbdyn.kinetic_energy(there) + rbdyn.potential_energy(there)

    close(slope(energy), power, 1e-7, abs(rbdyn.kinetic_energy(s.state)) * (1 + np.abs(s.vd).max()))


def test_jacobians_give_velocities_and_their_rates_accelerations(case):
    s = case
    point = s.rng.normal(size=3)
    body = s.mechanism.bodies[-1]
    velocity = slope(lambda t: (rbdyn.body_pose(s.at(t), body) @ np.append(point, 1.0))[:3])
    J = rbdyn.point_jacobian(s.state, body, point)
    close(J @ s.state.v, velocity, 1e-8)
    acceleration = slope(lambda t: rbdyn.point_velocity(s.at(t), body, point))
    J_dot = rbdyn.point_jacobian_dot(s.state, body, point)
    close(J @ s.vd + J_dot @ s.state.v, acceleration, 1e-7, np.abs(s.vd).max())
    close(rbdyn.point_acceleration(s.state, s.vd, body, point), J @ s.vd + J_dot @ s.state.v, 1e-9, np.abs(s.vd).max())
    twist = rbdyn.spatial_velocity(s.state, body, "world")
    G, G_dot = rbdyn.body_spatial_jacobian(s.state, body), rbdyn.body_spatial_jacobian_dot(s.state, body)
    close(G @ s.state.v, twist)
    rate = slope(lambda t: rbdyn.spatial_velocity(s.at(t), body, "world"))
    close(G @ s.vd + G_dot @ s.state.v, rate, 1e-7, np.abs(s.vd).max())


def test_inverse_dynamics_undoes_forward_dynamics(case):
    s = case
    scale = np.abs(rbdyn.mass_matrix(s.state)).max() * np.abs(s.vd).max()
    if not s.model.has_loops:
        close(rbdyn.inverse_dynamics(s.state, s.vd, s.external), s.tau, 1e-9, scale)
        return
    tau = rbdyn.inverse_dynamics(s.state, s.vd, s.external, actuated=s.joints)
    close(rbdyn.forward_dynamics(s.state, tau, s.external), s.vd, 1e-7)


def test_relative_jacobians_compose(case):
    """a in c = a in b + b in c, in the axes and at the origin of one frame."""
    s = case
    a, b, c, frame = (s.pick() for _ in range(4))
    whole = rbdyn.relative_body_spatial_jacobian(s.state, a, c, frame)
    parts = [rbdyn.relative_body_spatial_jacobian(s.state, *pair, frame) for pair in ((a, b), (b, c))]
    close(parts[0] + parts[1], whole)
    close(whole @ s.state.v, rbdyn.spatial_velocity(s.state, a, c, frame))
    close(
        whole @ s.vd + rbdyn.relative_body_spatial_jacobian_dot(s.state, a, c, frame) @ s.state.v,
        rbdyn.spatial_acceleration(s.state, s.vd, a, c, frame),
        1e-9,
        np.abs(s.vd).max(),
    )


def test_maximal_coordinates_accelerate_alike(case):
    s = case
    flat, maps = s.mechanism.maximal_coordinates()
    assert len(flat.tree_joints) == len(s.mechanism.bodies) - 1
    assert flat.num_velocities == 6 * len(flat.tree_joints)
    names = [b.name for b in s.mechanism.bodies]
    after = maps.carry(s.state)
    same_motion(s.state, after, names)
    same_answer(s.state, after, s.external, names)


def test_removing_fixed_joints_keeps_the_mass_matrix(case):
    s = case
    copy = s.mechanism.copy()
    fixed = [j for j in copy.tree_joints if isinstance(j.joint_type, Fixed)]
    maps = copy.remove_fixed_tree_joints()
    assert len(maps.bodies) == len(fixed)
    assert not any(isinstance(j.joint_type, Fixed) for j in copy.tree_joints)
    there = rbdyn.State(rbdyn.Model(copy))
    there.set(s.state.q, s.state.v)
    close(rbdyn.mass_matrix(there), rbdyn.mass_matrix(s.state), 1e-12)
    names = [b.name for b in s.mechanism.bodies]
    same_motion(s.state, there, names)
    same_answer(s.state, there, s.external, names)


def test_reversed_joints_keep_the_motion(case):
    """On loops another spanning tree, of joints taken at random; a tree gets a floating joint to its farthest body."""
    s = case
    names = [b.name for b in s.mechanism.bodies]
    copy = s.mechanism.copy()
    far = max(copy.bodies, key=lambda b: len(copy.path(copy.root_body, b)))
    if not s.model.has_loops:
        copy.attach(copy.root_body, far, rbdyn.Joint("other_base", Floating()), random_transform(s.rng))
    before = rbdyn.State(rbdyn.Model(copy))
    before.set(s.state.q, s.state.v)
    if s.model.has_loops:
        maps = copy.rebuild_spanning_tree(next_edge=lambda frontier: frontier[int(s.rng.integers(len(frontier)))])
    else:
        maps = copy.rebuild_spanning_tree(
            next_edge=lambda frontier: next((j for j in frontier if j.name == "other_base"), frontier[-1])
        )
        assert copy.joint_to_parent(far).name == "other_base"
        assert maps.joints
    after = maps.carry(before)
    for old, new in maps.joints.items():
        assert old.name == new.name
        if old.num_velocities == 1 and old.name in s.joints:
            q = [state.q[state.model.joint_q_index(old.name)] for state in (s.state, after)]
            assert q[0] == q[1]
    same_motion(s.state, after, names)
    same_answer(s.state, after, s.external, names)
