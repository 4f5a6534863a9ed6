"""Simulation of mechanisms with loops: the four-bar's own equation, energy, order, and loops that close again."""

import numpy as np
from algorithms import four_bar
from algorithms.loop_systems import looped
from reference.compare import close, nontrivial
from scipy.integrate import solve_ivp

import rbdyn


def energy(state):
    return rbdyn.kinetic_energy(state) + rbdyn.potential_energy(state)


def open_by(state):
    """The largest position error of the loops [rad, m]."""
    return np.abs(rbdyn.loop_error(state)).max()


def test_four_bar_moves_as_its_equation_in_one_coordinate_says():
    """m t1'' + s t1'^2 + w = 0, written out by hand in four_bar.py; the crank goes round."""

    def rate(_, y):
        m, s, w = four_bar.equation(y[0])
        return [y[1], -(s * y[1] ** 2 + w) / m]

    state, *_, order = four_bar.in_motion(0.5, 14.0)
    exact = solve_ivp(rate, (0, 1.0), [0.5, 14.0], "DOP853", rtol=1e-11, atol=1e-11).y[:, -1]
    start = energy(state)
    rbdyn.simulate(state, 1.0, 5e-4)
    nontrivial(exact[0] - 0.5, 2 * np.pi)
    t, d, _ = four_bar.derivatives(exact[0])
    turns = state.q[order] - [t[0], t[1] - t[0], t[2]]
    close(turns, 2 * np.pi * np.round(turns / (2 * np.pi)), 1e-7)
    close(state.v[order], exact[1] * np.array([d[0], d[1] - d[0], d[2]]), 1e-7)
    close(energy(state), start, 1e-8)
    assert open_by(state) < 1e-8


def test_fourth_order_energy_and_closure(seed):
    """Half the step, a sixteenth of the error, in configuration, energy and closure.

    Without rotors on loop joints: kinetic_energy knows those of the tree only.
    """
    system = looped(seed, rotor_inertia=False)
    before = energy(system.state)
    ends = []
    for n in (25, 50, 100, 800):
        state = system.state.copy()
        rbdyn.simulate(state, 0.1, 0.1 / n, every=n)
        ends.append((state, abs(energy(state) - before), open_by(state)))
    fine = ends[-1][0]
    errors = [
        max(np.abs(rbdyn.difference(system.model, s.q, fine.q)).max(), np.abs(s.v - fine.v).max())
        for s, *_ in ends[:-1]
    ]
    nontrivial(fine.v - system.state.v, 0.01)
    assert errors[-1] < 1e-11 or errors[1] / errors[2] > 11, errors
    for k in (1, 2):
        assert ends[2][k] < 1e-10 or ends[1][k] / ends[2][k] > 9, [end[k] for end in ends]
        assert ends[3][k] < 1e-7


def test_open_loops_close_as_the_gains_say():
    """Rows decay like (1 + w t) exp(-w t), w^2 = stiffness, damping 2 w; without gains they stay open."""
    left = {}
    for gains in ((100.0, 20.0), (400.0, 40.0), (0.0, 0.0)):
        state, *_, order = four_bar.in_motion(0.5, 0.0)
        q = np.array(state.q)
        q[order[1]] += 1e-4
        state.set(q)
        start = open_by(state)
        rbdyn.simulate(state, 0.5, 1e-3, stiffness=gains[0], damping=gains[1])
        left[gains[0]] = open_by(state) / start
    close(left[100.0], (1 + 5) * np.exp(-5), 0.01)
    close(left[400.0], (1 + 10) * np.exp(-10), 0.001)
    assert left[0.0] > 0.5


def test_control_works_on_loops():
    """The change of energy is the motor's work."""
    state, *_, order = four_bar.in_motion(0.5, 3.0)
    before = energy(state)
    push = np.zeros(3)
    push[order[0]] = 2.0
    times, q, _ = rbdyn.simulate(state, 0.4, 5e-4, lambda t, s: push)
    work = 2.0 * (q[-1, order[0]] - q[0, order[0]])
    nontrivial(work, 0.5)
    close(energy(state) - before, work, 1e-8)
