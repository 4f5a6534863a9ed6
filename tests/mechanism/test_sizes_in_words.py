"""Who gives too many numbers or too few reads what they are."""

import numpy as np
import pytest

import rbdyn
from rbdyn import Fixed, Floating, Mechanism, Model, Revolute, RigidBody, SPQuatFloating, State
from rbdyn.mechanism import Spherical
from rbdyn.testing.random_mechanisms import rand_chain_mechanism


@pytest.mark.parametrize(
    ("types", "q", "v"),
    [
        ([Floating] + [Revolute] * 12, "7 of the floating base, then 12 of 12 joints",
         "6 of the floating base, then 12 of 12 joints"),
        ([SPQuatFloating, Spherical], "6 of the floating base, then 4 of 1 joint",
         "6 of the floating base, then 3 of 1 joint"),
        ([Fixed, Revolute, Fixed, Spherical], "5 of 2 joints", "4 of 2 joints"),
        ([Floating], "7 of the floating base", "6 of the floating base"),
        ([Revolute, Floating], "8 of 2 joints", "7 of 2 joints"),
        ([], "no joints", "no joints"),
    ],
)  # fmt: skip
def test_sizes_in_words(types, q, v):
    model = Model(rand_chain_mechanism(types))
    assert (model.q_layout, model.v_layout) == (q, v)
    state = State(model)
    with pytest.raises(rbdyn.StateError, match=rf"q must have shape \({model.nq},\): {q}; got shape"):
        state.set(np.zeros(model.nq + 1))
    with pytest.raises(rbdyn.StateError, match=rf"v must have shape \({model.nv},\): {v}; got shape"):
        state.set(v=np.zeros(model.nv + 1))


def test_a_model_of_nothing():
    assert Model(Mechanism(RigidBody("world"))).q_layout == "no joints"
