"""A four-bar linkage against its equation of motion in one coordinate."""

import numpy as np
import pytest
from algorithms.four_bar import closure, equation, in_motion
from reference.compare import close, nontrivial

import rbdyn

ANGLES = np.linspace(-3.0, 3.0, 13)


@pytest.mark.parametrize("t1", ANGLES)
@pytest.mark.parametrize("rotor", [0.0, 0.4])
def test_accelerations(t1, rotor):
    rate, torque = 1.7, 2.5
    state, first, second, order = in_motion(t1, rate, rotor)
    close(rbdyn.loop_error(state), np.zeros(5), 1e-13)
    close(rbdyn.loop_jacobian(state) @ state.v, np.zeros(5), 1e-13)
    m, s, w = equation(t1, rotor)
    t1dd = (torque - s * rate**2 - w) / m
    nontrivial([s * rate**2, w, t1dd], 0.1)
    tau = np.zeros(3)
    tau[order[0]] = torque
    close(rbdyn.forward_dynamics(state, tau), first * t1dd + second * rate**2, 1e-11)
    assert rbdyn.dynamics(state, tau).rank == 2  # three of the five rows are out of the plane


@pytest.mark.parametrize("t1", ANGLES)
@pytest.mark.parametrize("rotor", [0.0, 0.4])
def test_torque_of_the_one_motor(t1, rotor):
    rate, t1dd = 1.7, -3.0
    state, first, second, order = in_motion(t1, rate, rotor)
    m, s, w = equation(t1, rotor)
    expected = np.zeros(3)
    expected[order[0]] = m * t1dd + s * rate**2 + w
    nontrivial(expected)
    vd = first * t1dd + second * rate**2
    close(rbdyn.inverse_dynamics(state, vd, actuated=["motor"]), expected, 1e-11)


@pytest.mark.parametrize("t1", ANGLES)
def test_all_motors_share_the_work_by_the_smallest_torques(t1):
    """The same power along t1, tau.q' = T, by the shortest tau: parallel to q'."""
    rate, t1dd = 1.7, -3.0
    state, first, second, _ = in_motion(t1, rate)
    m, s, w = equation(t1)
    vd = first * t1dd + second * rate**2
    expected = first * (m * t1dd + s * rate**2 + w) / (first @ first)
    close(rbdyn.inverse_dynamics(state, vd, actuated=["motor", "knee", "foot"]), expected, 1e-11)


@pytest.mark.parametrize("t1", ANGLES)
def test_assembly(t1):
    """The loop closes again on the branch where it was, and a velocity becomes one of the one coordinate."""
    state, first, _, _ = in_motion(t1, 0.0)
    model = state.model
    start = state.q + [0.02, -0.03, 0.04]
    q = rbdyn.project_configuration(model, start)
    t2, t3 = closure(q[0] if model.joint_names[1] == "motor" else q[model.joint_q_index("motor")])
    i, j, k = (model.joint_q_index(name) for name in ("motor", "knee", "foot"))
    turn = np.array([q[i] + q[j] - t2, q[k] - t3])
    close(np.exp(1j * turn), np.ones(2), 1e-11)
    assert np.abs(q - start).max() > 1e-3
    v = rbdyn.project_velocity(state, [1.0, 2.0, -1.0])
    M = rbdyn.mass_matrix(state)
    share = first @ M @ [1.0, 2.0, -1.0] / (first @ M @ first)
    nontrivial(share)
    close(v, share * first, 1e-11)
