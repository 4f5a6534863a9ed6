"""The oracle against Pinocchio, on random trees that are built twice; and against itself by finite differences."""

import numpy as np
import pytest
from reference import oracle
from reference.compare import close, nontrivial

from rbdyn.mechanism import SinCosRevolute, SPQuatFloating
from rbdyn.testing.random_mechanisms import random_tree


def random_motion(rng, mechanism):
    q = np.concatenate([[], *(j.joint_type.random(rng) for j in mechanism.tree_joints)])
    v, vd = rng.normal(size=(2, mechanism.num_velocities))
    names = [b.name for b in mechanism.bodies[1:]]
    external = {str(name): rng.normal(size=6) for name in rng.choice(names, 3, replace=False)}
    return q, v, vd, external


def system(seed):
    rng = np.random.default_rng(seed)
    mechanism = random_tree(rng, int(rng.integers(4, 12)), floating_base=bool(seed % 2))
    return mechanism, *random_motion(rng, mechanism)


def test_agrees_with_pinocchio(seed):
    pytest.importorskip("pinocchio")
    from reference.pinocchio_twin import PinocchioTwin

    mechanism, q, v, vd, external = system(seed)
    twin = PinocchioTwin(mechanism)
    close(oracle.mass_matrix(mechanism, q), twin.mass_matrix(q), 1e-12)
    expected = twin.inverse_dynamics(q, v, vd, external)
    nontrivial(expected)
    close(oracle.inverse_dynamics(mechanism, q, v, vd, external), expected, 1e-12)
    zero = 0 * vd
    nontrivial(twin.inverse_dynamics(q, v, zero) - twin.inverse_dynamics(q, zero, zero))  # Coriolis terms at work
    kinetic, potential = twin.energies(q, v)
    close(oracle.kinetic_energy(mechanism, q, v) - 0.5 * oracle.rotors(mechanism) @ v**2, kinetic, 1e-12)
    close(oracle.potential_energy(mechanism, q), potential, 1e-12)
    close(oracle.momentum(mechanism, q, v), twin.momentum(q, v), 1e-12)
    close(oracle.center_of_mass(mechanism, q), twin.center_of_mass(q), 1e-12)
    poses = twin.poses(q)
    for name, pose in oracle.forward_kinematics(mechanism, q).items():
        close(pose, poses[name], 1e-12)
    name, point = mechanism.bodies[-1].name, np.array([0.3, -0.2, 0.7])
    close(oracle.body_jacobian(mechanism, q, name, point), twin.jacobian(q, name, point), 1e-12)


def turned_by(quat, w):
    """exp(w) quat."""
    angle = np.linalg.norm(w)
    s, x = np.cos(angle / 2), 0.5 * np.sinc(angle / (2 * np.pi)) * w
    return np.append(s * quat[0] - x @ quat[1:], s * quat[1:] + quat[0] * x + np.cross(x, quat[1:]))


def quaternion_of_projection(p):
    """[w, x, y, z] from half the angle, which is twice the arctangent of |p|."""
    length = np.linalg.norm(p)
    half = 2 * np.arctan(length)
    return np.append(np.cos(half), np.sin(half) / length * p)


def moved(mechanism, q, step):
    """q after the small displacement `step`, joint by joint."""
    out, i, k = [], 0, 0
    for joint in mechanism.tree_joints:
        n, d = joint.num_positions, joint.num_velocities
        qj, sj = q[i : i + n], step[k : k + d]
        if isinstance(joint.joint_type, SPQuatFloating):
            quat = turned_by(quaternion_of_projection(qj[3:]), sj[3:])
            qj = np.append(qj[:3] + sj[:3], quat[1:] / (1 + quat[0]))
        elif isinstance(joint.joint_type, SinCosRevolute):
            qj = np.array([[np.cos(sj[0]), np.sin(sj[0])], [-np.sin(sj[0]), np.cos(sj[0])]]) @ qj
        elif n > d:
            qj = np.append(qj[:-4] + sj[:-3], turned_by(qj[-4:], sj[-3:]))
        else:
            qj = qj + sj
        out.append(qj)
        i, k = i + n, k + d
    return np.concatenate([[], *out])


def test_jacobians_and_their_rates_are_derivatives(seed):
    """Five-point differences along the manifold: independent of the arithmetic with infinitesimals."""
    mechanism, q, v, vd, _ = system(seed)
    name, point = mechanism.bodies[-1].name, np.array([0.3, -0.2, 0.7])
    h = 2e-3

    def slope(f):
        return (8 * (f(h) - f(-h)) - (f(2 * h) - f(-2 * h))) / (12 * h)

    def jacobian(t):
        return oracle.body_jacobian(mechanism, moved(mechanism, q, t * v), name, point)

    def pose(t):
        return oracle.forward_kinematics(mechanism, moved(mechanism, q, t * v))[name]

    J, Jd = jacobian(0.0), oracle.body_jacobian_dot(mechanism, q, v, name, point)
    nontrivial(Jd)
    close(Jd, slope(jacobian), 1e-8)
    rate, R = slope(pose), pose(0.0)[:3, :3]
    close((J @ v)[3:], (rate @ np.append(point, 1.0))[:3], 1e-8)
    close(oracle.cross_matrix((J @ v)[:3]), rate[:3, :3] @ R.T, 1e-8)
    close(oracle.point_acceleration_6d(mechanism, q, v, vd, name, point), J @ vd + Jd @ v, 1e-12)


def test_a_pendulum_on_paper():
    """A point mass m on a rod l, turning about y: M = m l^2 + rotor, tau = M vd + m g l sin(q)."""
    from rbdyn.mechanism import Joint, Mechanism, Revolute, RigidBody
    from rbdyn.spatial import SpatialInertia

    m, length, rotor, q, v, vd = 1.7, 0.6, 0.2, 0.8, 1.3, -0.4
    mechanism = Mechanism(RigidBody("world"))
    bob = RigidBody("bob", SpatialInertia(m, com=(0, 0, -length)))
    mechanism.attach(mechanism.root_body, bob, Joint("hinge", Revolute((0, 1, 0)), rotor_inertia=rotor))
    M = m * length**2 + rotor
    close(oracle.mass_matrix(mechanism, [q]), [[M]], 1e-15)
    expected = [M * vd + m * 9.81 * length * np.sin(q)]
    close(oracle.inverse_dynamics(mechanism, [q], np.array([v]), np.array([vd])), expected, 1e-15)
    close(oracle.momentum(mechanism, [q], [v])[1], m * length**2 * v, 1e-15)
    close(oracle.momentum(mechanism, [q], [v])[3], -m * length * np.cos(q) * v, 1e-15)
