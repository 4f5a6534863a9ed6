"""Linkages that run for ten seconds: loops stay closed, energy stays, and the motion is the right one."""

import numpy as np
import pytest
from dynamics.linkages import (
    COUPLER,
    CRANK,
    DENSITY,
    ROCKER,
    four_bar,
    four_bar_angles,
    four_bar_q,
    stewart_platform,
)
from reference.compare import nontrivial
from scipy.integrate import solve_ivp

import rbdyn

SECONDS = 10.0
START = 1.0  # crank angle at rest [rad]


def run(model, q, v=None, step=1e-3, control=None):
    """States every 10 ms, and the largest loop error among them."""
    state = rbdyn.State(model)
    state.set(q, v)
    path = rbdyn.simulate(state, SECONDS, time_step=step, control=control, every=10)
    there, drift, energy = rbdyn.State(model), 0.0, []
    for q_now, v_now in zip(path.q, path.v, strict=True):
        there.set(q_now, v_now)
        drift = max(drift, np.abs(rbdyn.loop_error(there)).max())
        energy.append(rbdyn.kinetic_energy(there) + rbdyn.potential_energy(there))
    return path, drift, np.array(energy)


def minimal_coordinate(theta, rate):
    """Effective inertia I and potential V of the four-bar in its crank angle, T = I rate^2 / 2."""
    h = 1e-5
    angles = np.array(four_bar_angles(theta))
    ratios = (np.array(four_bar_angles(theta + h)) - four_bar_angles(theta - h)) / (2 * h)
    x = [np.cos(a) for a in angles]
    z = [np.sin(a) for a in angles]
    masses = DENSITY * np.array([CRANK, COUPLER, ROCKER])
    centre_rates = (
        CRANK / 2 * np.array([-z[0], x[0]]) * ratios[0],
        CRANK * np.array([-z[0], x[0]]) * ratios[0] + COUPLER / 2 * np.array([-z[1], x[1]]) * ratios[1],
        ROCKER / 2 * np.array([-z[2], x[2]]) * ratios[2],
    )
    spins = masses * np.array([CRANK, COUPLER, ROCKER]) ** 2 / 12 * ratios**2
    inertia = sum(m * u @ u for m, u in zip(masses, centre_rates, strict=True)) + spins.sum()
    heights = (CRANK / 2 * z[0], CRANK * z[0] + COUPLER / 2 * z[1], ROCKER / 2 * z[2])
    return inertia, 9.81 * float(masses @ heights)


def ode(_, y, h=1e-4):
    """I theta'' + I' theta'^2 / 2 + V' = 0."""
    theta, rate = y
    inertia, _ = minimal_coordinate(theta, rate)
    (I1, V1), (I0, V0) = minimal_coordinate(theta + h, rate), minimal_coordinate(theta - h, rate)
    slope_I, slope_V = (I1 - I0) / (2 * h), (V1 - V0) / (2 * h)
    return [rate, -(0.5 * slope_I * rate**2 + slope_V) / inertia]


@pytest.fixture(scope="module")
def crank_angle():
    """The crank angle at 1, 2, ... 10 s by the equation of one coordinate."""
    times = np.arange(1.0, SECONDS + 0.5)
    return solve_ivp(ode, (0, SECONDS), [START, 0.0], "DOP853", times, rtol=1e-9, atol=1e-9).y[0]


@pytest.mark.parametrize("pins", [(0.0,), (0.0, 0.05), (-0.1, 0.05, 0.1)])
def test_four_bar(pins, crank_angle):
    """One pin, or two or three on one hinge axis: redundant constraints change nothing."""
    model = rbdyn.Model(four_bar(pins))
    path, drift, energy = run(model, four_bar_q(model, START))
    assert rbdyn.dynamics(rbdyn.State(model)).rank <= 2
    angle = -path.q[:, model.joint_q_index("crank_hinge")]
    nontrivial(np.ptp(angle), 0.5)
    assert drift < 1e-6
    kinetic = energy.max() - energy.min()
    assert kinetic < 1e-5
    seconds = [np.argmin(np.abs(path.times - t)) for t in range(1, 11)]
    np.testing.assert_allclose(angle[seconds], crank_angle, atol=1e-4)


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
    v = rbdyn.project_velocity(state)
    path, drift, energy = run(model, model.neutral(), v, control=springs)
    total = energy + 0.5 * (path.q[:, lengths] ** 2 * stiffness).sum(axis=1)
    nontrivial(np.ptp(energy), 1.0)
    assert drift < 1e-6
    assert np.ptp(total) < 1e-4 * np.ptp(energy)
