"""Laws of mechanics on random systems: what must hold whatever the numbers are."""

import numpy as np
import pytest
from algorithms.systems import BASES, in_motion, random_system
from reference.compare import close, nontrivial

import rbdyn
from rbdyn.mechanism import Fixed, Floating, Planar, Prismatic, Revolute, SinCosRevolute, Spherical, SPQuatFloating
from rbdyn.testing.random_mechanisms import random_tree

INTERNAL = [Fixed, Revolute, SinCosRevolute, Prismatic, Planar, Spherical]


@pytest.fixture(scope="module")
def system(seed):
    return random_system(seed)


def slope(f, h=1e-3):
    """f'(0) by the seven-point stencil: error h^6."""
    a, b, c = (np.asarray(f(k * h)) - np.asarray(f(-k * h)) for k in (1, 2, 3))
    return (45 * a - 9 * b + c) / (60 * h)


def along(system, vd):
    """A function of time that puts a second State on a curve with velocity v and acceleration vd at t = 0."""
    state = rbdyn.State(system.model)
    q, v = system.state.q.copy(), system.state.v.copy()

    def at(t):
        state.set(rbdyn.integrate(system.model, q, v + 0.5 * t * vd, t), v + t * vd)
        return state

    return at


def test_mass_matrix_is_symmetric_and_positive_definite(system):
    M = rbdyn.mass_matrix(system.state)
    np.testing.assert_array_equal(M, M.T)
    assert np.linalg.eigvalsh(M)[0] > 0
    close(rbdyn.mass_matrix(system.state) @ rbdyn.inverse_mass_matrix(system.state), np.eye(system.model.nv))


def test_forward_dynamics_undoes_inverse_dynamics(system):
    tau = rbdyn.inverse_dynamics(system.state, system.vd, system.external)
    nontrivial(tau)
    close(rbdyn.forward_dynamics(system.state, tau, system.external), system.vd)


def test_inverse_dynamics_is_affine_with_the_columns_of_the_mass_matrix(system):
    h = rbdyn.bias_forces(system.state)
    columns = [rbdyn.inverse_dynamics(system.state, e) - h for e in np.eye(system.model.nv)]
    close(np.array(columns).T, rbdyn.mass_matrix(system.state))


def test_kinetic_energy_is_half_v_M_v(system):
    v = system.state.v
    energy = 0.5 * v @ rbdyn.mass_matrix(system.state) @ v
    nontrivial([energy])
    close(rbdyn.kinetic_energy(system.state), energy)


def test_power_is_the_rate_of_energy(system):
    """dE/dt = tau . v + sum of wrench . twist."""
    s = system
    vd = rbdyn.forward_dynamics(s.state, s.tau, s.external)
    power = s.tau @ s.state.v
    power += sum(wrench @ rbdyn.point_velocity_6d(s.state, name) for name, wrench in s.external.items())
    at = along(s, vd)
    nontrivial([power])
    scale = rbdyn.kinetic_energy(s.state) * (1 + np.abs(vd).max())
    close(slope(lambda t: rbdyn.kinetic_energy(at(t)) + rbdyn.potential_energy(at(t))), power, 1e-8, scale)


def test_gravity_forces_are_the_gradient_of_the_potential(system):
    s = system
    still = rbdyn.State(s.model)
    still.set(s.state.q)
    gravity = rbdyn.bias_forces(still)
    nontrivial(gravity)

    def potential(step):
        still.set(rbdyn.integrate(s.model, s.state.q, step))
        return rbdyn.potential_energy(still)

    close([slope(lambda t, e=e: potential(t * e)) for e in np.eye(s.model.nv)], gravity, 1e-8)


def test_external_wrenches_do_virtual_work(system):
    s = system
    expected = sum(rbdyn.point_jacobian_6d(s.state, name).T @ wrench for name, wrench in s.external.items())
    nontrivial(expected)
    close(rbdyn.bias_forces(s.state) - rbdyn.bias_forces(s.state, s.external), expected)


def test_point_jacobian_is_the_derivative_of_the_point(system):
    s = system
    body, point = s.model.body_names[-1], np.array([0.2, 0.5, -0.4])
    at = along(s, 0 * s.vd)
    velocity = slope(lambda t: (rbdyn.body_pose(at(t), body) @ np.append(point, 1.0))[:3])
    nontrivial(velocity)
    close(rbdyn.point_jacobian(s.state, body, point) @ s.state.v, velocity, 1e-8)
    close(rbdyn.point_velocity(s.state, body, point), velocity, 1e-8)


def test_body_jacobian_and_point_jacobian_differ_by_the_axes(system):
    s = system
    for body in s.mechanism.bodies:
        R = rbdyn.body_pose(s.state, body)[:3, :3]
        J = rbdyn.body_spatial_jacobian(s.state, body)
        close(np.vstack([R @ J[:3], R @ J[3:]]), rbdyn.point_jacobian_6d(s.state, body))


def test_newton_and_euler_for_the_whole(seed):
    """On a floating base without base forces, momentum changes by gravity and external wrenches alone."""
    rng = np.random.default_rng(seed)
    s = in_motion(rng, random_tree(rng, 7, INTERNAL, floating_base=BASES[1 + seed % 2 * 2]))
    s.tau[s.iv[:6]] = 0.0
    at = along(s, rbdyn.forward_dynamics(s.state, s.tau, s.external))
    expected = np.zeros(6)
    weight, com = s.model.total_mass * s.mechanism.gravity, rbdyn.center_of_mass(s.state)
    for wrench, origin in [(np.append(np.zeros(3), weight), com)] + [
        (wrench, rbdyn.body_pose(s.state, name)[:3, 3]) for name, wrench in s.external.items()
    ]:
        expected += np.append(wrench[:3] + np.cross(origin, wrench[3:]), wrench[3:])
    nontrivial(expected)
    close(slope(lambda t: rbdyn.momentum(at(t))), expected, 1e-8, 1e2)


def test_momentum_is_what_the_center_of_mass_carries(system):
    s = system
    at = along(s, 0 * s.vd)
    velocity = slope(lambda t: rbdyn.center_of_mass(at(t)))
    h, com = rbdyn.momentum(s.state), rbdyn.center_of_mass(s.state)
    nontrivial(velocity)
    close(h[3:], s.model.total_mass * velocity, 1e-8)
    close(rbdyn.angular_momentum(s.state), h[:3] - np.cross(com, h[3:]))
    close(rbdyn.angular_momentum(s.state, about=[0, 0, 0]), h[:3])


def chart_rate(system, step, v):
    """Rate of `step` when q = integrate(q0, step) moves at v: the exponential's inverse derivative, to order 3."""
    rate, k = v.copy(), 0
    for joint in system.mechanism.tree_joints:
        k += joint.num_velocities
        if isinstance(joint.joint_type, (Spherical, Floating, SPQuatFloating)):
            turning = system.iv[k - 3 : k]
            u, w = step[turning], v[turning]
            rate[turning] = w - np.cross(u, w) / 2 + np.cross(u, np.cross(u, w)) / 12
    return rate


def runge_kutta(system, tau, dt, steps):
    """The state after `steps` classic fourth-order steps, each in the chart of its start (Munthe-Kaas)."""
    state, model = rbdyn.State(system.model), system.model
    q, v = system.state.q.copy(), system.state.v.copy()

    def rates(step, speed):
        state.set(rbdyn.integrate(model, q, step), speed)
        return chart_rate(system, step, speed), rbdyn.forward_dynamics(state, tau)

    for _ in range(steps):
        u1, a1 = rates(0 * v, v)
        u2, a2 = rates(0.5 * dt * u1, v + 0.5 * dt * a1)
        u3, a3 = rates(0.5 * dt * u2, v + 0.5 * dt * a2)
        u4, a4 = rates(dt * u3, v + dt * a3)
        q = rbdyn.integrate(model, q, u1 + 2 * u2 + 2 * u3 + u4, dt / 6)
        v = v + dt * (a1 + 2 * a2 + 2 * a3 + a4) / 6
    state.set(q, v)
    return state


def energy(state):
    return rbdyn.kinetic_energy(state) + rbdyn.potential_energy(state)


def double_pendulum():
    m = rbdyn.Mechanism(rbdyn.RigidBody("world"))
    upper = rbdyn.RigidBody("upper", rbdyn.SpatialInertia(1.0, (0, 0, -0.5), np.diag([0.09, 0.08, 0.01])))
    lower = rbdyn.RigidBody("lower", rbdyn.SpatialInertia(0.7, (0, 0.1, -0.3), np.diag([0.03, 0.03, 0.01])))
    m.attach(m.root_body, upper, rbdyn.Joint("shoulder", Revolute((0, 1, 0))))
    m.attach(upper, lower, rbdyn.Joint("elbow", Revolute((0, 1, 0))), rbdyn.Transform(translation=(0, 0, -1.0)))
    s = in_motion(np.random.default_rng(0), m)
    s.state.set([1.5, 0.4], [0.5, -1.0])
    return s


def test_double_pendulum_keeps_its_energy():
    """A second of swinging; a fourth-order method with a quarter of the step drifts some 256 times less."""
    s = double_pendulum()
    before = energy(s.state)
    coarse, fine = (runge_kutta(s, np.zeros(2), dt, round(1.0 / dt)) for dt in (0.01, 0.0025))
    assert np.abs(fine.q - s.state.q).max() > 0.5  # it did move
    assert abs(energy(fine) - before) < 1e-8
    assert abs(energy(coarse) - before) > 50 * abs(energy(fine) - before)


@pytest.mark.parametrize("base", BASES[1::2])
def test_tumbling_tree_with_ball_joints_keeps_its_energy(base):
    """No motors, gravity on: all energy stays in kinetic and potential."""
    rng = np.random.default_rng(8)
    s = in_motion(rng, random_tree(rng, 4, [Spherical, Planar, SinCosRevolute], floating_base=base))
    before = energy(s.state)
    end = runge_kutta(s, 0 * s.tau, 0.001, 300)
    assert abs(rbdyn.potential_energy(end) - rbdyn.potential_energy(s.state)) > 1e-2
    close(energy(end), before, 1e-8)


def test_free_floating_tree_keeps_its_momentum():
    """Tumbling without gravity, while the motors of the joints push: the whole only drifts."""
    rng = np.random.default_rng(3)
    mechanism = random_tree(rng, 5, [Revolute, Spherical], floating_base=True)
    mechanism.gravity = (0, 0, 0)
    s = in_motion(rng, mechanism)
    s.tau[s.iv[:6]] = 0.0
    before, com = rbdyn.momentum(s.state), rbdyn.center_of_mass(s.state)
    nontrivial(before)
    end = runge_kutta(s, s.tau, 0.001, 300)
    assert np.abs(end.v - s.state.v).max() > 0.1
    close(rbdyn.momentum(end), before, 1e-8)
    close(rbdyn.center_of_mass(end), com + 0.3 * before[3:] / s.model.total_mass, 1e-8)


def test_turning_the_whole_world_changes_nothing_inside():
    """Root frame turned by R: put R in front of all joints on the root, and turn gravity too."""
    from rbdyn.testing.random_mechanisms import random_transform

    for seed in range(6):
        s = random_system(seed, n=6, floating_base=False)
        turn = rbdyn.Transform(rotation=random_transform(s.rng).rotation)
        m, twin = s.mechanism, rbdyn.Mechanism(s.mechanism.root_body.copy(), turn.rotation @ s.mechanism.gravity)
        for joint in m.tree_joints:
            edge = m.edge(joint)
            pose = turn @ edge.joint_pose if edge.predecessor is m.root_body else edge.joint_pose
            parent = twin.find_body(edge.predecessor.name)
            twin.attach(parent, edge.successor.copy(), joint.copy(), pose, edge.successor_pose)
        state = rbdyn.State(rbdyn.Model(twin))
        state.set(s.state.q, s.state.v)
        close(rbdyn.bias_forces(state), rbdyn.bias_forces(s.state), 1e-12)
        close(rbdyn.forward_dynamics(state, s.tau), rbdyn.forward_dynamics(s.state, s.tau))
        close(rbdyn.momentum(state)[3:], turn.rotation @ rbdyn.momentum(s.state)[3:], 1e-12)


def test_heavier_by_k_needs_k_times_the_force():
    for seed in range(4):
        s = random_system(seed, n=6)
        before = rbdyn.inverse_dynamics(s.state, s.vd)
        for body in s.mechanism.bodies:
            i = body.inertia
            body.inertia = rbdyn.SpatialInertia(3 * i.mass, i.com, 3 * i.inertia)
        for joint in s.mechanism.joints:
            joint.rotor_inertia *= 3
        state = rbdyn.State(rbdyn.Model(s.mechanism))
        state.set(s.state.q, s.state.v)
        close(rbdyn.inverse_dynamics(state, s.vd), 3 * before, 1e-13)
