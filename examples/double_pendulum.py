"""A double pendulum
=================

A double pendulum without a World: Mechanism, Model, State, algorithms, and Runge-Kutta by hand.
"""

import numpy as np

import rbdyn


def double_pendulum(length=0.5):
    """Two thin rods of 1 kg that hang from the root and turn about y."""
    mechanism = rbdyn.Mechanism(rbdyn.RigidBody("world"), gravity=(0, 0, -9.81))
    rod = rbdyn.SpatialInertia(mass=1.0, com=(0, 0, -length / 2), inertia=np.diag([1, 1, 1e-3]) * length**2 / 12)
    bar = rbdyn.Geometry(rbdyn.collision.Capsule(0.02, length - 0.04), rbdyn.Transform(translation=rod.com))
    upper, lower = rbdyn.RigidBody("upper", rod, [bar]), rbdyn.RigidBody("lower", rod, [bar])
    below = rbdyn.Transform(translation=(0, 0, -length))
    mechanism.attach(mechanism.root_body, upper, rbdyn.Joint("shoulder", rbdyn.Revolute(axis=(0, 1, 0))))
    mechanism.attach(upper, lower, rbdyn.Joint("elbow", rbdyn.Revolute(axis=(0, 1, 0))), joint_pose=below)
    return mechanism


def rate(state, x):
    """d/dt of x = (q, v), with no torque at the joints."""
    state.set(x[:2], x[2:])
    return np.concatenate([x[2:], rbdyn.forward_dynamics(state, tau=np.zeros(2))])


if __name__ == "__main__":
    state, dt = rbdyn.State(rbdyn.Model(double_pendulum())), 1e-3
    x = np.array([2.0, 0.5, 0.0, 0.0])
    for step in range(5001):
        k1 = rate(state, x)
        if step % 1000 == 0:
            energy = rbdyn.kinetic_energy(state) + rbdyn.potential_energy(state)
            tip = (rbdyn.body_pose(state, "lower") @ [0, 0, -0.5, 1])[:3]
            print(f"t = {step * dt:.0f} s   tip at {tip.round(4)} m   energy {energy:.7f} J")
        k2 = rate(state, x + dt / 2 * k1)
        k3 = rate(state, x + dt / 2 * k2)
        x = x + dt / 6 * (k1 + 2 * k2 + 2 * k3 + rate(state, x + dt * k3))
