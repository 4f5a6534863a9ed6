"""Many loops in one mechanism, apart, nested and shared, against the dense equations of motion with multipliers."""

import numpy as np
import pytest
from reference.compare import close, nontrivial

import rbdyn
from rbdyn import Fixed, Floating, Joint, Mechanism, Revolute, RigidBody, SpatialInertia, Spherical, Transform
from rbdyn.mechanism import Prismatic
from rbdyn.testing.random_mechanisms import ALL_TYPES, add_random_loops, random_inertia, random_transform


def x(distance, y=0.0):
    return Transform(translation=(distance, y, 0))


def ladder(cells, seed, rotors=False, floating=False):
    """Cells of two rails and a rung, each on the rung before and closed by a ball or a pin; arms hang from every third.

    An arm of two joints is free, and so is the joint between the third and the fourth cell.
    """
    rng = np.random.default_rng([seed, 5])
    m = Mechanism(RigidBody("world"), gravity=(1.0, -9.81, 2.0))
    rung, angles = m.root_body, {}

    def attach(parent, name, kind, pose):
        body = RigidBody(name, random_inertia(rng))
        m.attach(parent, body, Joint(f"{name}_joint", kind, rotor_inertia=0.1 * rotors), joint_pose=pose)
        return body

    if floating:
        rung = RigidBody("base", random_inertia(rng))
        m.attach(m.root_body, rung, Joint("base_joint", Floating()))
    for k in range(cells):
        if k == 3:
            rung = attach(rung, "bridge", Prismatic((0, 0, 1)), random_transform(rng))
        hinge, angle = Revolute((0, 0, 1)), 0.5 * rng.normal()
        right = attach(rung, f"right{k}", hinge, x(0.0, 0.3))
        left = attach(rung, f"left{k}", hinge, Transform())
        rung = attach(left, f"rung{k}", hinge, x(0.5))
        angles |= {f"right{k}_joint": angle, f"left{k}_joint": angle, f"rung{k}_joint": -angle}
        pin = Joint(f"pin{k}", (Spherical(), Revolute((0, 0, 1)))[k % 2], rotor_inertia=0.2 * rotors)
        m.attach(rung, right, pin, x(0.0, 0.3), x(-0.5))
        if k % 3 == 0:
            upper = attach(rung, f"upper{k}", Spherical(), random_transform(rng))
            attach(upper, f"lower{k}", Revolute((1, 0, 0)), x(0.4))
    model = rbdyn.Model(m)
    q = model.random(rng)
    for name, angle in angles.items():
        q[model.joint_q_index(name)] = angle
    return m, q


def dense(state, tau, rotors=None):
    """Accelerations and shortest multipliers by least squares on the whole system of equations."""
    M, K = rbdyn.mass_matrix(state), rbdyn.loop_jacobian(state)
    right = tau - rbdyn.bias_forces(state)
    goal = -rbdyn.loop_bias(state) - 20.0 * K @ state.v - 100.0 * rbdyn.loop_error(state)
    W = np.linalg.inv(np.linalg.cholesky(M))                   # axes in which M is the identity
    y = np.linalg.lstsq(K @ W.T, goal - K @ np.linalg.solve(M, right), rcond=1e-9)[0]
    vd = np.linalg.solve(M, right) + W.T @ y
    return vd, np.linalg.lstsq(K.T, M @ vd - right, rcond=1e-9)[0]


def moving(m, q, seed, closed=True):
    rng = np.random.default_rng([seed, 6])
    state = rbdyn.State(rbdyn.Model(m))
    v = rng.normal(size=state.model.nv)
    state.set(q, v)
    state.set(q, rbdyn.project_velocity(state) if closed else v)
    return state, rng.normal(size=state.model.nv)


@pytest.mark.parametrize("cells", [1, 4, 7])
@pytest.mark.parametrize("floating", [False, True])
def test_ladders_move_as_the_dense_equations_say(seed, cells, floating):
    m, q = ladder(cells, seed, floating=floating)
    state, tau = moving(m, q, seed)
    close(rbdyn.loop_error(state), np.zeros(state.model.num_constraints), 1e-12)
    result = rbdyn.dynamics(state, tau)
    vd, lam = dense(state, tau)
    nontrivial(vd)
    close(result.vd, vd, 1e-8)
    close(result.multipliers, lam, 1e-8)
    assert result.rank == np.linalg.matrix_rank(rbdyn.loop_jacobian(state), tol=1e-9)
    close(rbdyn.forward_dynamics(state, tau), result.vd, 1e-12)


@pytest.mark.parametrize("floating", [False, True])
def test_a_projected_velocity_is_the_nearest_in_kinetic_energy(seed, floating):
    m, q = ladder(5, seed, floating=floating)
    state, v = moving(m, q, seed, closed=False)
    M, K = rbdyn.mass_matrix(state), rbdyn.loop_jacobian(state)
    W = np.linalg.inv(np.linalg.cholesky(M))
    nearest = v - W.T @ np.linalg.pinv(K @ W.T, rcond=1e-9) @ (K @ v)
    nontrivial(nearest - v)
    close(rbdyn.project_velocity(state, v), nearest, 1e-8)


def test_rotors_of_loop_joints_share_in_the_motion(seed):
    """Energy of the whole, rotors of pins included, changes at the rate at which forces do work."""
    m, q = ladder(4, seed, rotors=True)
    m.gravity = (0, 0, 0)
    state, tau = moving(m, q, seed)
    vd = rbdyn.forward_dynamics(state, tau)
    energies = []
    h = 1e-4
    for s in (-2, -1, 1, 2):
        there = rbdyn.State(state.model)
        at = rbdyn.integrate(state.model, q, s * h * state.v + 0.5 * (s * h) ** 2 * vd)
        there.set(at, state.v + s * h * vd)
        energies.append(rbdyn.kinetic_energy(there))
    rate = (energies[0] - 8 * energies[1] + 8 * energies[2] - energies[3]) / (12 * h)
    assert rate == pytest.approx(tau @ state.v, rel=1e-5, abs=1e-5 * energies[0])


def test_loops_across_one_another(seed):
    """Random loops between any bodies: groups of all sizes, some of which hold all of the tree."""
    rng = np.random.default_rng([seed, 7])
    m, q = ladder(4, seed)
    add_random_loops(rng, m, 2, [t for t in ALL_TYPES if t is not Fixed][:6], q, rotor_inertia=False)
    state, tau = moving(m, q, seed)
    result, (vd, lam) = rbdyn.dynamics(state, tau), dense(state, tau)
    close(result.vd, vd, 1e-6)
    close(result.multipliers, lam, 1e-6)


def test_configurations_of_ladders_are_closed_by_short_steps(seed):
    m, q = ladder(5, seed)
    model = rbdyn.Model(m)
    moved = rbdyn.integrate(model, q, 1e-3 * np.random.default_rng(seed).normal(size=model.nv))
    state = rbdyn.State(model)
    state.set(moved)
    K, e = rbdyn.loop_jacobian(state), rbdyn.loop_error(state)
    nontrivial(e, 1e-5)
    step = rbdyn.difference(model, moved, rbdyn.project_configuration(model, moved))
    close(step, -np.linalg.pinv(K, rcond=1e-8) @ e, 0.02)


def test_a_rod_without_mass_moves_with_its_loop():
    """A parallelogram whose coupler weighs nothing: two equal pendulums, each on its own."""
    rod = SpatialInertia(2.0, (0.0, -0.4, 0), np.diag([0.01, 0.01, 0.01]))
    m = Mechanism(RigidBody("world"), gravity=(0, -9.81, 0))
    a, b, coupler = RigidBody("a", rod), RigidBody("b", rod), RigidBody("coupler")
    m.attach(m.root_body, a, Joint("left", Revolute((0, 0, 1))))
    m.attach(m.root_body, b, Joint("right", Revolute((0, 0, 1))), x(0.7))
    m.attach(a, coupler, Joint("pin", Revolute((0, 0, 1))), x(0.0, -1.0))
    m.attach(coupler, b, Joint("last", Revolute((0, 0, 1))), x(0.7), Transform(translation=(0, 1.0, 0)))
    state = rbdyn.State(rbdyn.Model(m))
    q = state.model.neutral()
    for name, angle in (("left", 0.4), ("right", 0.4), ("pin", -0.4)):
        q[state.model.joint_q_index(name)] = angle
    state.set(q)
    assert np.abs(rbdyn.loop_error(state)).max() < 1e-12
    swing = -2.0 * 9.81 * 0.4 * np.sin(0.4) / (2.0 * 0.4**2 + 0.01)
    vd = rbdyn.forward_dynamics(state, np.zeros(3))
    close([vd[state.model.joint_v_index(name)] for name in ("left", "right", "pin")], [swing, swing, -swing], 1e-10)
