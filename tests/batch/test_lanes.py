"""One source, every width that this processor has: lanes give the bits of one state, those of the algorithms."""

import numpy as np
import pytest

import rbdyn
import rbdyn.models
from rbdyn.batch.instruction_sets import available, lanes_of
from rbdyn.batch.lanes1 import Lanes as OneLane
from rbdyn.testing import rand_floating_tree_mechanism, rand_tree_mechanism

WIDE = [name for name in available() if name != "scalar"]
ALL = [
    rbdyn.Revolute,
    rbdyn.SinCosRevolute,
    rbdyn.Prismatic,
    rbdyn.Planar,
    rbdyn.Spherical,
    rbdyn.Floating,
    rbdyn.SPQuatFloating,
    rbdyn.Helical,
    rbdyn.Universal,
]


MODELS = {
    "quadruped": lambda: rbdyn.Model(rbdyn.models.quadruped()),
    "humanoid": lambda: rbdyn.Model(rand_floating_tree_mechanism([rbdyn.Revolute] * 38, seed=5)),
    "arm": lambda: rbdyn.Model(rbdyn.models.six_axis_arm()),
    "all types": lambda: rbdyn.Model(rbdyn.rand_chain_mechanism(ALL, 3)),
}
MODELS |= {f"tree {k}": (lambda k=k: rbdyn.Model(rand_tree_mechanism(ALL * 2, seed=k))) for k in range(4)}


def outputs(lanes, q, v, x, bodies):
    """Everything that lanes compute, by name."""
    lanes.set(q, v)
    found = {f"jacobian {b}": lanes.jacobian(b, 0.1, -0.2, 0.3) for b in bodies}
    found["R"], found["p"] = lanes.poses()
    found["velocities"] = lanes.velocities()
    for name in ("mass_matrix", "inverse_mass_matrix", "coriolis_matrix"):
        found[name] = getattr(lanes, name)()
    for name in ("inverse_dynamics", "forward_dynamics", "solve_mass_matrix"):
        found[name] = getattr(lanes, name)(x)
    return found


def bits(a):
    return np.ascontiguousarray(a).view(np.uint64)


def random_inputs(model, width, seed):
    rng = np.random.default_rng(seed)
    q = np.stack([model.random(rng) for _ in range(width)], axis=-1)
    return q, rng.normal(size=(model.nv, width)), rng.normal(size=(model.nv, width))


@pytest.mark.parametrize("name", MODELS)
@pytest.mark.parametrize("isa", WIDE)
def test_lanes_have_the_bits_of_one_state(name, isa):
    model = MODELS[name]()
    lanes = lanes_of(isa)
    width = lanes.WIDTH
    wide, one = lanes.Lanes(model.capsule()), OneLane(model.capsule())
    q, v, x = random_inputs(model, width, 7)
    bodies = range(1, model.n_bodies, 3)
    together = outputs(wide, q, v, x, bodies)
    for k in range(width):
        alone = outputs(one, q[:, k : k + 1], v[:, k : k + 1], x[:, k : k + 1], bodies)
        for what, value in together.items():
            assert np.isfinite(value).all() and np.abs(value).max() > 1e-6, what
            assert np.array_equal(bits(value[..., k : k + 1]), bits(alone[what])), f"{what}, lane {k}"


@pytest.mark.parametrize("name", MODELS)
def test_one_lane_has_the_bits_of_the_algorithms(name):
    model = MODELS[name]()
    q, v, x = random_inputs(model, 1, 8)
    state = rbdyn.State(model)
    state.set(q[:, 0], v[:, 0])
    q[:, 0] = state.q  # unit quaternions to the last bit
    found = outputs(OneLane(model.capsule()), q, v, x, [])
    expected = {
        "inverse_dynamics": rbdyn.inverse_dynamics(state, x[:, 0]),
        "forward_dynamics": rbdyn.forward_dynamics(state, x[:, 0]),
        "solve_mass_matrix": rbdyn.solve_mass_matrix(state, x[:, 0]),
        "mass_matrix": rbdyn.mass_matrix(state),
        "inverse_mass_matrix": rbdyn.inverse_mass_matrix(state),
        "coriolis_matrix": rbdyn.coriolis_matrix(state),
    }
    for what, value in expected.items():
        assert np.array_equal(found[what][..., 0], value), what


def test_what_lanes_refuse():
    model = rbdyn.Model(rbdyn.models.six_axis_arm())
    one = OneLane(model.capsule())
    with pytest.raises(rbdyn.StateError, match=r"q must have shape \(6, 1\), got \(6, 2\)"):
        one.set(np.zeros((6, 2)), np.zeros((6, 1)))
    with pytest.raises(rbdyn.StateError, match="body must be from 0 to"):
        one.jacobian(99, 0, 0, 0)
    with pytest.raises(rbdyn.StateError, match="without a model"):
        OneLane.__new__(OneLane).poses()
    with pytest.raises(rbdyn.StateError, match="twice"):
        one.__init__(model.capsule())
    with pytest.raises((TypeError, ValueError)):
        OneLane(model)


def test_lanes_keep_their_model():
    """The capsule outlives the Model's name."""
    one = OneLane(rbdyn.Model(rbdyn.models.six_axis_arm()).capsule())
    one.set(np.full((6, 1), 0.3), np.zeros((6, 1)))
    state = rbdyn.State(rbdyn.Model(rbdyn.models.six_axis_arm()))
    state.set(np.full(6, 0.3))
    assert np.array_equal(one.mass_matrix()[..., 0], rbdyn.mass_matrix(state))
