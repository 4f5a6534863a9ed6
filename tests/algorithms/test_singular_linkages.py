"""Linkages that pass singular poses, where they gain a freedom: no energy from nothing, and loops stay closed."""

import numpy as np
import pytest

import rbdyn

CRANK, COUPLER = 1.0, 2.0  # lengths [m]; the ground is as long as the coupler, the rocker as the crank


def parallelogram(v0):
    """Four thin rods in the x-y plane, without gravity, the crank at 0.7 rad and turning at v0; flat at 0 and pi."""

    def rod(name, length):
        moment = length**2 / 12
        inertia = rbdyn.SpatialInertia(1.0, (length / 2, 0, 0), np.diag([1e-3, moment, moment]))
        return rbdyn.RigidBody(name, inertia)

    linkage = rbdyn.Mechanism(rbdyn.RigidBody("ground"), gravity=(0, 0, 0))
    crank, coupler, rocker = rod("crank", CRANK), rod("coupler", COUPLER), rod("rocker", CRANK)
    hinge = rbdyn.Revolute((0, 0, 1))
    linkage.attach(linkage.root_body, crank, rbdyn.Joint("a", hinge))
    linkage.attach(crank, coupler, rbdyn.Joint("b", hinge), joint_pose=rbdyn.Transform(translation=(CRANK, 0, 0)))
    ground = rbdyn.Transform(translation=(COUPLER, 0, 0))
    linkage.attach(linkage.root_body, rocker, rbdyn.Joint("c", hinge), joint_pose=ground)
    linkage.attach(
        coupler,
        rocker,
        rbdyn.Joint("d", hinge),
        joint_pose=rbdyn.Transform(translation=(COUPLER, 0, 0)),
        successor_pose=rbdyn.Transform(translation=(-CRANK, 0, 0)),
    )
    state = rbdyn.State(rbdyn.Model(linkage))
    state.set([0.7, -0.7, 0.7], [v0, -v0, v0])
    assert np.abs(rbdyn.loop_error(state)).max() < 1e-12
    assert np.abs(rbdyn.loop_jacobian(state) @ state.v).max() < 1e-12
    return state


@pytest.mark.parametrize("v0", [3.0, 4.5, 6.0, 8.0, 10.0, -7.0])
def test_a_parallelogram_gains_no_energy_where_it_is_flat(v0):
    """The crank goes round; every half turn all rods lie on one line, and what it does there may cost energy."""
    state = parallelogram(v0)
    start = rbdyn.kinetic_energy(state)
    turned = 0.0
    for _ in range(40):
        before = state.q[0]
        rbdyn.simulate(state, 0.1, 1e-3)
        turned += abs(state.q[0] - before)
        assert rbdyn.kinetic_energy(state) < 1.001 * start
        assert np.abs(rbdyn.loop_error(state)).max() < 1e-3
    assert turned > 2.0 * np.pi
