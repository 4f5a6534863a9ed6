"""Inverse dynamics by chosen motors: round trips, the smallest torques, and what cannot be done."""

import numpy as np
import pytest
from algorithms.loop_systems import looped
from algorithms.systems import random_system
from reference import loop_oracle, oracle
from reference.compare import close, nontrivial

import rbdyn
from rbdyn.mechanism import Revolute


def moving(s):
    return [j.name for j in s.mechanism.tree_joints if j.num_velocities]


def span(s, names):
    """Indices in v of some joints."""
    return np.concatenate(
        [np.arange(s.mechanism.find_joint(n).num_velocities) + s.model.joint_v_index(n) for n in names]
    )


def allowed(s):
    """An orthonormal basis of K v = 0, (nv, n)."""
    _, values, Vt = np.linalg.svd(rbdyn.loop_jacobian(s.state))
    return Vt[np.sum(values > 1e-9) :].T


def test_all_joints_with_motors(seed):
    """The torques give the same motion, and are no larger than those it came from: the shortest of all that do."""
    s = looped(seed, 2)
    vd = rbdyn.forward_dynamics(s.state, s.tau, s.external)
    tau = rbdyn.inverse_dynamics(s.state, vd, s.external, actuated=moving(s))
    close(rbdyn.forward_dynamics(s.state, tau, s.external), vd, 1e-8, floor=max(1.0, abs(vd).max()))
    Z = allowed(s)
    close(tau, Z @ (Z.T @ s.tau), 1e-7, floor=10.0)
    assert np.linalg.norm(tau) <= np.linalg.norm(s.tau) * (1 + 1e-9)


def test_a_free_motion_needs_no_motor(seed):
    """Its torques are rounding next to what moves, and are not held against joints without motors."""
    s = random_system(seed, n=8)
    vd = rbdyn.forward_dynamics(s.state, np.zeros(s.model.nv))
    nontrivial(vd)
    assert np.abs(rbdyn.inverse_dynamics(s.state, vd, actuated=moving(s)[:1])).max() < 1e-9 * np.abs(vd).max()


def test_some_joints_with_motors(seed):
    """Motors that can do it: zero elsewhere, shortest among themselves."""
    s = looped(seed, 2, n=8)
    names = moving(s)
    Z = allowed(s)
    chosen = names
    for name in names:  # leave out what can be spared
        fewer = [n for n in chosen if n != name]
        if fewer and np.linalg.matrix_rank(Z[span(s, fewer)], tol=1e-3) == Z.shape[1] and len(fewer) >= 2:
            chosen = fewer
    vd = rbdyn.forward_dynamics(s.state, s.tau)
    tau = rbdyn.inverse_dynamics(s.state, vd, actuated=chosen)
    rest = np.setdiff1d(np.arange(s.model.nv), span(s, chosen))
    assert (tau[rest] == 0).all()
    expected = np.zeros(s.model.nv)
    expected[span(s, chosen)] = np.linalg.pinv(Z[span(s, chosen)].T, rcond=1e-9) @ Z.T @ s.tau
    close(tau, expected, 1e-6, floor=10.0)
    close(rbdyn.forward_dynamics(s.state, tau), vd, 1e-7, floor=max(1.0, abs(vd).max()))


def test_some_of_those_are_spared():
    spared = 0
    for seed in range(20):
        s = looped(seed, 2, n=8)
        spared += np.linalg.matrix_rank(allowed(s)[span(s, moving(s)[1:])], tol=1e-3) == allowed(s).shape[1]
    assert spared >= 3


def test_trees_with_passive_joints(seed):
    """All joints: plain inverse dynamics.  Some: those motors alone, where the motion came from them."""
    s = random_system(seed, joint_types=[Revolute])
    names = moving(s)
    vd = s.order(s.vd)
    close(rbdyn.inverse_dynamics(s.state, vd, actuated=names), rbdyn.inverse_dynamics(s.state, vd), 1e-11)
    tau = np.zeros(s.model.nv)
    tau[span(s, names[1:])] = 1.0
    vd = rbdyn.forward_dynamics(s.state, tau)
    nontrivial(vd)
    close(rbdyn.inverse_dynamics(s.state, vd, actuated=names[1:]), tau, 1e-8)
    with pytest.raises(rbdyn.MechanismError, match=f"{names[0]!r} lacks actuation"):
        rbdyn.inverse_dynamics(s.state, s.order(s.vd), actuated=names[1:])


def test_free_fall_needs_no_motor():
    """Forces that cancel to rounding are no reason to ask for a motor."""
    s = looped(1, 2, closed=True)
    vd = rbdyn.forward_dynamics(s.state, np.zeros(s.model.nv))
    nontrivial(vd)
    close(rbdyn.inverse_dynamics(s.state, vd, actuated=[]), np.zeros(s.model.nv), 0.0)


def test_oracle_agrees_that_the_torques_do_it(seed):
    s = looped(seed, 1, rotor_inertia=True)
    vd = rbdyn.forward_dynamics(s.state, s.tau)
    tau = rbdyn.inverse_dynamics(s.state, vd, actuated=moving(s))
    rotors, rotor_bias = loop_oracle.rotors_of_loops(s.mechanism, s.q, s.v)
    M = oracle.mass_matrix(s.mechanism, s.q) + rotors
    left = M @ s.tree(vd) + oracle.bias_forces(s.mechanism, s.q, s.v) + rotor_bias - s.tree(tau)
    K = loop_oracle.constraint_rows(s.mechanism, s.q)
    lam = np.linalg.lstsq(K.T, left, rcond=1e-9)[0]
    nontrivial(left)
    close(K.T @ lam, left, 1e-7)


def test_loops_ask_for_motors():
    s = looped(1, 2)
    with pytest.raises(rbdyn.MechanismError, match=r"'loop1', 'loop2'.*actuated="):
        rbdyn.inverse_dynamics(s.state, s.vd)


def test_a_motion_that_opens_a_loop_is_refused():
    s = looped(1, 2)
    out = np.full(s.model.nv, 7.0)
    with pytest.raises(rbdyn.MechanismError, match="vd would open loop joint 'loop"):
        rbdyn.inverse_dynamics(s.state, s.vd, actuated=moving(s), out=out)
    assert (out == 7.0).all()


def test_motors_that_do_not_suffice():
    s = looped(3, 1, n=8)
    vd = rbdyn.forward_dynamics(s.state, s.tau)
    out = np.full(s.model.nv, 7.0)
    with pytest.raises(rbdyn.MechanismError, match="lacks actuation"):
        rbdyn.inverse_dynamics(s.state, vd, actuated=moving(s)[-1:], out=out)
    assert (out == 7.0).all()


def test_a_little_that_motors_lack_is_told():
    """A millionth of the torques: far above rounding."""
    s = random_system(3, joint_types=[Revolute])
    names = moving(s)
    tau = np.zeros(s.model.nv)
    tau[span(s, names[1:])] = 1.0
    tau[span(s, names[:1])] = 1e-6
    vd = rbdyn.forward_dynamics(s.state, tau)
    close(rbdyn.inverse_dynamics(s.state, vd, actuated=names), tau, 1e-9)
    with pytest.raises(rbdyn.MechanismError, match=f"{names[0]!r} lacks actuation, 1e-06"):
        rbdyn.inverse_dynamics(s.state, vd, actuated=names[1:])


@pytest.mark.parametrize("scale", [1e-200, 1e-3, 1e200])
def test_motors_that_do_not_suffice_at_any_scale(scale):
    """Squares of these forces overflow or vanish; what is missing is still missing."""
    s = random_system(2, joint_types=[Revolute])
    s.mechanism.gravity = (0, 0, 0)
    state, names = rbdyn.State(rbdyn.Model(s.mechanism)), moving(s)
    state.set(s.state.q)
    tau = np.zeros(s.model.nv)
    tau[span(s, names[1:])] = 1.0
    vd = rbdyn.forward_dynamics(state, tau)
    close(rbdyn.inverse_dynamics(state, scale * vd, actuated=names[1:]) / scale, tau, 1e-8)
    with pytest.raises(rbdyn.MechanismError, match="lacks actuation"):
        rbdyn.inverse_dynamics(state, scale * vd, actuated=names[2:])


@pytest.mark.parametrize("bad", ["joint1", 3, [3], ["nobody"], [None], [["joint1"]], object()])
def test_bad_names_of_motors(bad):
    s = looped(1, 1)
    with pytest.raises(rbdyn.Error, match="actuated|moving joint|no joint"):
        rbdyn.inverse_dynamics(s.state, s.vd, actuated=bad)


def test_loop_joints_have_no_torque():
    s = looped(1, 1)
    with pytest.raises(rbdyn.MechanismError, match="'loop1', which closes a loop"):
        rbdyn.inverse_dynamics(s.state, s.vd, actuated=["loop1"])


def test_joints_are_taken_too():
    s = looped(2, 1)
    vd = rbdyn.forward_dynamics(s.state, s.tau)
    joints = [j for j in s.mechanism.tree_joints if j.num_velocities]
    a = rbdyn.inverse_dynamics(s.state, vd, actuated=tuple(joints))
    own = vd.copy()
    b = rbdyn.inverse_dynamics(s.state, own, actuated=(j.name for j in joints), out=own)
    assert b is own
    np.testing.assert_array_equal(a, b)
