"""A double pendulum without a World: Mechanism, Model, State and algorithms, and Runge-Kutta by hand."""

import numpy as np

import rbdyn


def double_pendulum(length=0.5):
    """Two thin rods of 1 kg that hang from the root and turn about y."""
    mechanism = rbdyn.Mechanism(rbdyn.RigidBody("world"), gravity=(0, 0, -9.81))
    rod = rbdyn.SpatialInertia(mass=1.0, com=(0, 0, -length / 2), inertia=np.diag([1, 1, 1e-3]) * length**2 / 12)
    upper, lower = rbdyn.RigidBody("upper", inertia=rod), rbdyn.RigidBody("lower", inertia=rod)
    below = rbdyn.Transform(translation=(0, 0, -length))
    mechanism.attach(mechanism.root_body, upper, rbdyn.Joint("shoulder", rbdyn.Revolute(axis=(0, 1, 0))))
    mechanism.attach(upper, lower, rbdyn.Joint("elbow", rbdyn.Revolute(axis=(0, 1, 0))), joint_pose=below)
    return mechanism


def main(dt=1e-3):
    """Swing for 5 s with the classical Runge-Kutta rule; the energy shows how well."""
    state = rbdyn.State(rbdyn.Model(double_pendulum()))
    state.set(q=[2.0, 0.5], v=[0.0, 0.0])

    def rate(x):
        state.set(x[:2], x[2:])
        return np.concatenate([x[2:], rbdyn.forward_dynamics(state, tau=np.zeros(2))])

    x = np.array([2.0, 0.5, 0.0, 0.0])
    start = rbdyn.potential_energy(state)
    for step in range(1, 5001):
        k1 = rate(x)
        k2 = rate(x + dt / 2 * k1)
        k3 = rate(x + dt / 2 * k2)
        k4 = rate(x + dt * k3)
        x = x + dt / 6 * (k1 + 2 * k2 + 2 * k3 + k4)
        if step % 1000 == 0:
            state.set(x[:2], x[2:])
            drift = rbdyn.kinetic_energy(state) + rbdyn.potential_energy(state) - start
            tip = (rbdyn.body_pose(state, "lower") @ [0, 0, -0.5, 1])[:3]
            print(f"t = {step * dt:.0f} s   tip at {tip.round(4)} m   energy drift {drift:+.1e} J")


if __name__ == "__main__":
    main()
