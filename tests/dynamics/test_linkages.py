"""Linkages that run for ten seconds: loops stay closed, energy stays, and the motion is the right one."""

import numpy as np
import pytest
from dynamics.four_bar import equation, in_motion
from dynamics.stewart_platform import stewart_platform
from reference.compare import nontrivial
from scipy.integrate import solve_ivp

import rbdyn

SECONDS = 10.0
START, RATE = 1.0, -2.0  # crank of the four-bar [rad, rad/s]


def run(state, control=None):
    """The path, kept every 10 ms, the largest loop error along it, and the energies."""
    path = rbdyn.simulate(state, SECONDS, control=control, every=10)
    there, drift, energy = rbdyn.State(state.model), 0.0, []
    for q, v in zip(path.q, path.v, strict=True):
        there.set(q, v)
        drift = max(drift, np.abs(rbdyn.loop_error(there)).max())
        energy.append(rbdyn.kinetic_energy(there) + rbdyn.potential_energy(there))
    assert path.times[-1] == SECONDS
    return path, drift, np.array(energy)


@pytest.fixture(scope="module")
def crank_angle():
    """The crank's angle at 1, 2, ... 10 s by its equation in one coordinate."""

    def rate(_, y):
        m, s, w = equation(y[0])
        return [y[1], -(s * y[1] ** 2 + w) / m]

    seconds = np.arange(1.0, SECONDS + 0.5)
    return solve_ivp(rate, (0, SECONDS), [START, RATE], "DOP853", seconds, rtol=1e-12, atol=1e-12).y[0]


@pytest.mark.parametrize("pins", [(0.0,), (0.0, 0.05), (-0.1, 0.05, 0.1)], ids=len)
def test_four_bar(pins, crank_angle):
    """One pin, or two or three on one hinge axis: redundant constraints change nothing."""
    state, _, _, order = in_motion(START, RATE, pins=pins)
    assert (state.model.num_constraints, rbdyn.dynamics(state).rank) == (5 * len(pins), 2)
    path, drift, energy = run(state)
    angle = path.q[:, order[0]]
    nontrivial(np.ptp(angle), 1.0)
    nontrivial(np.ptp(crank_angle), 1.0)
    assert drift < 1e-6
    assert np.ptp(energy) < 1e-5
    np.testing.assert_allclose(angle[100::100], crank_angle, atol=1e-5)


def test_stewart_platform():
    """Springs in the legs: the energy is that of the bodies and of the springs."""
    model = rbdyn.Model(stewart_platform())
    assert (model.nv, model.num_constraints) == (24, 18)
    legs = [model.joint_v_index(f"leg{k}") for k in range(6)]
    lengths = [model.joint_q_index(f"leg{k}") for k in range(6)]
    stiffness = 2000.0 * (1 + 0.1 * np.arange(6))
    tau = np.zeros(model.nv)

    def springs(_, state):
        tau[legs] = -stiffness * state.q[lengths]
        return tau

    state = rbdyn.State(model)
    assert np.abs(rbdyn.loop_error(state)).max() < 1e-14
    state.set(state.q, np.random.default_rng(0).normal(size=24))
    state.set(state.q, rbdyn.project_velocity(state))
    path, drift, energy = run(state, springs)
    total = energy + 0.5 * (path.q[:, lengths] ** 2 * stiffness).sum(axis=1)
    nontrivial(np.ptp(energy), 1.0)
    assert drift < 1e-6
    assert np.ptp(total) < 1e-5 * np.ptp(energy)
