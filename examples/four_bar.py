"""A four-bar linkage
==================

A closed loop: a four-bar linkage, its loop joint held by multipliers.
"""

import numpy as np

import rbdyn


def bar(name: str, length: float) -> rbdyn.RigidBody:
    """A bar along x, 2 kg per metre."""
    mass = 2.0 * length
    inertia = mass * length**2 / 12 * np.diag([1e-3, 1.0, 1.0])
    shape = rbdyn.Geometry(rbdyn.collision.Box((length, 0.04, 0.04)), rbdyn.Transform(translation=(length / 2, 0, 0)))
    return rbdyn.RigidBody(name, rbdyn.SpatialInertia(mass, (length / 2, 0, 0), inertia), [shape])


def four_bar() -> rbdyn.Mechanism:
    """Crank 0.3 m, coupler 0.8 m, rocker 0.6 m, on a ground of 0.7 m."""
    m = rbdyn.Mechanism(rbdyn.RigidBody("ground"))
    crank, coupler, rocker = bar("crank", 0.3), bar("coupler", 0.8), bar("rocker", 0.6)
    hinge = rbdyn.Revolute(axis=(0, 1, 0))

    def at(x: float) -> rbdyn.Transform:
        return rbdyn.Transform(translation=(x, 0, 0))

    m.attach(m.root_body, crank, rbdyn.Joint("crank_hinge", hinge))
    m.attach(crank, coupler, rbdyn.Joint("coupler_hinge", hinge), at(0.3))
    m.attach(m.root_body, rocker, rbdyn.Joint("rocker_hinge", hinge), at(0.7))
    m.attach(coupler, rocker, rbdyn.Joint("pin", hinge), at(0.8), at(-0.6))  # rocker is inside: this closes a loop
    return m


def main() -> rbdyn.State:
    """Close the loop from a guess, let it swing, and drive it."""
    m = four_bar()
    model = rbdyn.Model(m)
    state = rbdyn.State(model)
    state.set(rbdyn.project_configuration(model, [-1.0, 0.9, -1.8]))
    print(f"{m.num_velocities} joint rates, {m.num_constraints} constraints, rank {rbdyn.dynamics(state).rank}")

    start = rbdyn.kinetic_energy(state) + rbdyn.potential_energy(state)
    rbdyn.simulate(state, duration=10.0)
    end = rbdyn.kinetic_energy(state) + rbdyn.potential_energy(state)
    print(f"after 10 s: the loop is open by {np.abs(rbdyn.loop_error(state)).max():.0e}, energy {end - start:+.0e} J")

    vd = rbdyn.forward_dynamics(state, np.zeros(model.nv))
    torque = rbdyn.inverse_dynamics(state, vd, actuated=["crank_hinge"])
    print(f"a motor on the crank needs {torque.round(9)} N m for the motion it has anyway")
    return state


if __name__ == "__main__":
    state = main()
