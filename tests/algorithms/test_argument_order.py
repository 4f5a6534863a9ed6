"""Arguments that change other arguments while they are read: the State stays what it was, or what was checked."""

import numpy as np
import pytest

import rbdyn


class Reads:
    """An argument that does something while it is read as an array."""

    def __init__(self, numbers, action):
        self.numbers, self.action = numbers, action

    def __array__(self, dtype=None, copy=None):
        self.action()
        return np.asarray(self.numbers, dtype=dtype)


def _nan(a):
    a[0] = np.nan


def _grown(a):
    a.resize(10**6, refcheck=False)


def _shrunk(a):
    a.resize(1, refcheck=False)


def _retyped(a):
    a.dtype = np.int64


@pytest.mark.parametrize("change", [_nan, _grown, _shrunk, _retyped])
def test_a_configuration_changed_by_the_velocity(change):
    state = rbdyn.State(rbdyn.Model(rbdyn.rand_chain_mechanism([rbdyn.Revolute] * 4, 1)))
    before = state.q.copy(), state.v.copy()
    q = np.full(4, 0.25)
    with pytest.raises(rbdyn.StateError, match="^q must"):
        state.set(q, Reads(np.ones(4), lambda: change(q)))
    assert np.array_equal(state.q, before[0]) and np.array_equal(state.v, before[1])


@pytest.mark.parametrize("change", [_nan, _grown, _shrunk, _retyped])
@pytest.mark.parametrize("call", [rbdyn.integrate, rbdyn.difference])
def test_a_configuration_changed_by_what_follows(call, change):
    model = rbdyn.Model(rbdyn.rand_chain_mechanism([rbdyn.Revolute] * 4, 1))
    q = np.full(4, 0.25)
    with pytest.raises(rbdyn.StateError, match="^q0? must"):
        call(model, q, Reads(np.ones(4), lambda: change(q)))


@pytest.mark.parametrize("change", [_nan, _grown, _shrunk])
@pytest.mark.parametrize("call", [rbdyn.inverse_dynamics, rbdyn.forward_dynamics, rbdyn.dynamics, rbdyn.joint_wrenches])
def test_a_vector_changed_by_a_wrench(call, change):
    model = rbdyn.Model(rbdyn.rand_chain_mechanism([rbdyn.Revolute] * 4, 1))
    x = np.full(4, 0.25)
    with pytest.raises(rbdyn.StateError, match="^(vd|tau) must"):
        call(rbdyn.State(model), x, external={model.body_names[1]: Reads(np.ones(6), lambda: change(x))})
