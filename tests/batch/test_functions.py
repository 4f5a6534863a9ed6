"""Batches: every row has the bits of the algorithm on that state, for each set of instructions, joint type and tail."""

import numpy as np
import pytest
from batch.test_lanes import ALL, MODELS

import rbdyn
import rbdyn.models
from rbdyn import batch

N = 11  # a tail for every width


def bits(a):
    return np.ascontiguousarray(a, np.float64).view(np.uint64)


def inputs(model, n, seed=1):
    rng = np.random.default_rng(seed)
    q = np.array([model.random(rng) for _ in range(n)]).reshape(n, model.nq)
    return q, rng.normal(size=(n, model.nv)), rng.normal(size=(n, model.nv))


def by_states(model, q, v, x):
    """The same, one state after the other."""
    found = {name: [] for name in CALLS}
    state = rbdyn.State(model)
    for k in range(len(q)):
        state.set(q[k], v[k])
        found["inverse_dynamics"].append(rbdyn.inverse_dynamics(state, x[k]))
        found["forward_dynamics"].append(rbdyn.forward_dynamics(state, x[k]))
        found["bias_forces"].append(rbdyn.bias_forces(state))
        found["mass_matrix"].append(rbdyn.mass_matrix(state))
        found["inverse_mass_matrix"].append(rbdyn.inverse_mass_matrix(state))
        found["coriolis_matrix"].append(rbdyn.coriolis_matrix(state))
    return {name: np.array(rows) for name, rows in found.items()}


CALLS = {
    "inverse_dynamics": lambda m, q, v, x, **o: batch.inverse_dynamics(m, q, v, x, **o),
    "forward_dynamics": lambda m, q, v, x, **o: batch.forward_dynamics(m, q, v, x, **o),
    "bias_forces": lambda m, q, v, x, **o: batch.bias_forces(m, q, v, **o),
    "mass_matrix": lambda m, q, v, x, **o: batch.mass_matrix(m, q, **o),
    "inverse_mass_matrix": lambda m, q, v, x, **o: batch.inverse_mass_matrix(m, q, **o),
    "coriolis_matrix": lambda m, q, v, x, **o: batch.coriolis_matrix(m, q, v, **o),
}


@pytest.mark.parametrize("isa", batch.available())
@pytest.mark.parametrize("name", MODELS)
def test_every_row_has_the_bits_of_its_state(name, isa, monkeypatch):
    monkeypatch.setenv("RBDYN_ISA", isa)
    assert batch.isa() == isa
    model = MODELS[name]()
    q, v, x = inputs(model, N)
    for what, wanted in by_states(model, q, v, x).items():
        found = CALLS[what](model, q, v, x)
        assert found.shape == wanted.shape and np.abs(wanted).max() > 1e-6
        assert np.array_equal(bits(found + 0.0), bits(wanted + 0.0)), what


@pytest.mark.parametrize("n", [0, 1, 3, 4, 5, 8, 9, 200])
@pytest.mark.parametrize("threads", [1, 3])
def test_any_number_of_rows_and_threads(n, threads):
    model = rbdyn.Model(rbdyn.models.quadruped())
    q, v, x = inputs(model, 200)
    full = {name: call(model, q, v, x) for name, call in CALLS.items()}
    for name, call in CALLS.items():
        found = call(model, q[:n], v[:n], x[:n], threads=threads)
        assert np.array_equal(bits(found), bits(full[name][:n]))


def test_arrays_of_all_kinds():
    model = rbdyn.Model(rbdyn.models.six_axis_arm())
    q, v, x = inputs(model, N)
    q, v, x = (a.astype(np.float32).astype(np.float64) for a in (q, v, x))
    wanted = batch.inverse_dynamics(model, q, v, x)
    strided, frozen = np.repeat(q, 2, axis=0)[::2], v.copy()
    frozen.setflags(write=False)
    out = np.zeros_like(wanted)
    for given in (
        (strided, frozen, x.tolist()),
        (q.astype(np.float32), v.astype(np.float32), x.astype(">f8")),
        (np.asfortranarray(q), v, x),
    ):
        assert np.array_equal(batch.inverse_dynamics(model, *given, out=out), wanted)
    assert batch.inverse_dynamics(model, q, v, x, out=out) is out
    torch = pytest.importorskip("torch", reason="torch is not installed")
    assert np.array_equal(batch.inverse_dynamics(model, *map(torch.from_numpy, (q, v, x))), wanted)


def test_quaternions_are_made_of_unit_length():
    model = rbdyn.Model(rbdyn.rand_chain_mechanism(ALL, 3))
    q, v, x = inputs(model, N)
    almost = q * (1.0 + 1e-4 * np.arange(N)[:, None] / N)
    state = rbdyn.State(model)
    for k in range(N):
        state.set(almost[k], v[k])
        assert np.array_equal(batch.inverse_dynamics(model, almost, v, x)[k], rbdyn.inverse_dynamics(state, x[k]))


QUADRUPED = rbdyn.Model(rbdyn.models.quadruped())
Q, V, X = inputs(QUADRUPED, 3)
FAR = Q.copy()
FAR[1, 3:7] *= 1.5
HOLE = V.copy()
HOLE[2, 5] = np.nan
BAD = [
    ((QUADRUPED, Q[:, :5], V, X), {}, r"q must have shape \(\?, 19\), got shape \(3, 5\)"),
    ((QUADRUPED, Q[0], V, X), {}, r"q must have shape \(\?, 19\)"),
    ((QUADRUPED, Q, V[:2], X), {}, r"v must have shape \(3, 18\), got shape \(2, 18\)"),
    ((QUADRUPED, Q, HOLE, X), {}, r"v must be finite, got nan at index \(2, 5\)"),
    ((QUADRUPED, FAR, V, X), {}, "q holds a quaternion, or .* that is not of unit length, in row 1$"),
    ((QUADRUPED, Q, V, X), {"out": np.zeros((3, 17))}, r"out must be a writable float64 array of shape \(3, 18\)"),
    ((QUADRUPED, Q, V, X), {"threads": 0}, "threads must be a whole number"),
    ((3, Q, V, X), {}, "model must be a Model, got 3"),
]


@pytest.mark.parametrize("arguments, options, match", BAD)
def test_bad_arguments(arguments, options, match):
    with pytest.raises(rbdyn.Error, match=match):
        batch.inverse_dynamics(*arguments, **options)


@pytest.mark.parametrize("isa", batch.available())
@pytest.mark.parametrize("bad", [0, 13, 299])
def test_the_row_of_a_bad_quaternion_is_named(monkeypatch, isa, bad):
    monkeypatch.setenv("RBDYN_ISA", isa)
    q, v, x = inputs(QUADRUPED, 300)
    q[bad, 3:7] = 0.0
    for threads in (1, 2):
        with pytest.raises(rbdyn.StateError, match=rf"in row {bad}$"):
            batch.forward_dynamics(QUADRUPED, q, v, x, threads=threads)
        with pytest.raises(rbdyn.StateError, match=rf"in row {bad}$"):
            batch.mass_matrix(QUADRUPED, q, threads=threads)


def test_instructions_that_are_not_there(monkeypatch):
    monkeypatch.setenv("RBDYN_ISA", "mmx")
    with pytest.raises(rbdyn.Error, match="RBDYN_ISA must be one of .*scalar.* on this machine, got 'mmx'"):
        batch.isa()
