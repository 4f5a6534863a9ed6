"""Batches: every row has the bits of the algorithm on that state, for each set of instructions, joint type and tail."""

import signal

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
        found["forward_kinematics"].append(rbdyn.forward_kinematics(state))
        found["frame_poses"].append(rbdyn.frame_poses(state, some_frames(model)))
        found["point_jacobian"].append(rbdyn.point_jacobian(state, last_body(model), POINT))
        found["point_jacobian_6d"].append(rbdyn.point_jacobian_6d(state, last_body(model), POINT))
        found["body_spatial_jacobian"].append(rbdyn.body_spatial_jacobian(state, last_body(model)))
        found["center_of_mass"].append(rbdyn.center_of_mass(state))
        found["momentum"].append(rbdyn.momentum(state))
        found["kinetic_energy"].append(rbdyn.kinetic_energy(state))
        found["potential_energy"].append(rbdyn.potential_energy(state))
        found["integrate"].append(rbdyn.integrate(model, state.q, v[k], 0.3))
        found["difference"].append(rbdyn.difference(model, state.q, first_units(model, q)[0]))
        for name in ("inverse_dynamics_derivatives", "forward_dynamics_derivatives"):
            found[name].append(np.array(getattr(rbdyn, name)(state, x[k])))
    return {name: np.array(rows) for name, rows in found.items()}


POINT = (0.1, -0.2, 0.3)


def last_body(model):
    return model.body_names[-1]


def some_frames(model):
    return [model.body_names[0], model.body_names[-1], model.body_names[len(model.body_names) // 2]]


def first_units(model, q):
    """Configurations with quaternions as a State keeps them."""
    state = rbdyn.State(model)
    rows = []
    for row in q:
        state.set(row)
        rows.append(state.q.copy())
    return np.array(rows).reshape(len(q), model.nq)


def to_first(model, q, **options):
    units = first_units(model, q)
    return batch.difference(model, units, np.repeat(units[:1], len(q), axis=0), **options)


def stacked(three):
    return np.stack(three, axis=1)


CALLS = {
    "inverse_dynamics": lambda m, q, v, x, **o: batch.inverse_dynamics(m, q, v, x, **o),
    "forward_dynamics": lambda m, q, v, x, **o: batch.forward_dynamics(m, q, v, x, **o),
    "bias_forces": lambda m, q, v, x, **o: batch.bias_forces(m, q, v, **o),
    "mass_matrix": lambda m, q, v, x, **o: batch.mass_matrix(m, q, **o),
    "inverse_mass_matrix": lambda m, q, v, x, **o: batch.inverse_mass_matrix(m, q, **o),
    "coriolis_matrix": lambda m, q, v, x, **o: batch.coriolis_matrix(m, q, v, **o),
    "forward_kinematics": lambda m, q, v, x, **o: batch.forward_kinematics(m, q, **o),
    "frame_poses": lambda m, q, v, x, **o: batch.frame_poses(m, q, some_frames(m), **o),
    "point_jacobian": lambda m, q, v, x, **o: batch.point_jacobian(m, q, last_body(m), POINT, **o),
    "point_jacobian_6d": lambda m, q, v, x, **o: batch.point_jacobian_6d(m, q, last_body(m), POINT, **o),
    "body_spatial_jacobian": lambda m, q, v, x, **o: batch.body_spatial_jacobian(m, q, last_body(m), **o),
    "center_of_mass": lambda m, q, v, x, **o: batch.center_of_mass(m, q, **o),
    "momentum": lambda m, q, v, x, **o: batch.momentum(m, q, v, **o),
    "kinetic_energy": lambda m, q, v, x, **o: batch.kinetic_energy(m, q, v, **o),
    "potential_energy": lambda m, q, v, x, **o: batch.potential_energy(m, q, **o),
    "integrate": lambda m, q, v, x, **o: batch.integrate(m, first_units(m, q), v, 0.3, **o),
    "difference": lambda m, q, v, x, **o: to_first(m, q, **o),
    "inverse_dynamics_derivatives": lambda *a, **o: stacked(batch.inverse_dynamics_derivatives(*a, **o)),
    "forward_dynamics_derivatives": lambda *a, **o: stacked(batch.forward_dynamics_derivatives(*a, **o)),
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


@pytest.mark.parametrize("isa", batch.available())
def test_large_angles_have_the_bits_of_their_states(isa, monkeypatch):
    """Alone in their lanes, and beside others; every quadrant."""
    monkeypatch.setenv("RBDYN_ISA", isa)
    model = rbdyn.Model(rbdyn.models.six_axis_arm())
    q, v, x = inputs(model, 64)
    q[:32] = np.linspace(-7.0, 7.0, 32 * model.nq).reshape(32, model.nq)
    q[32:40] *= 1e4
    q[41, 2], q[44:48, 1], q[50] = 3e5, -1e9, 1e22
    state = rbdyn.State(model)
    found = batch.inverse_dynamics(model, q, v, x)
    for k in range(64):
        state.set(q[k], v[k])
        assert np.array_equal(bits(found[k]), bits(rbdyn.inverse_dynamics(state, x[k])))


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


def test_tensors_that_cannot_be_read_are_named():
    class Tensor:
        """As one of torch that requires a gradient."""

        def __dlpack__(self, **_):
            raise BufferError("Can't export tensors that require gradient, use tensor.detach()")

        def __dlpack_device__(self):
            return 1, 0

    for arguments, name in [((Tensor(), V, V), "q"), ((Q, Tensor(), V), "v"), ((Q, V, Tensor()), "vd")]:
        with pytest.raises(rbdyn.StateError, match=f"^{name} must be real numbers .*use tensor.detach"):
            batch.inverse_dynamics(QUADRUPED, *arguments)


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


@pytest.mark.parametrize("isa", batch.available())
@pytest.mark.parametrize("row", [0, 13, 299])
@pytest.mark.parametrize("what", ["q", "v", "vd"])
def test_what_is_not_finite_is_named(monkeypatch, isa, row, what):
    monkeypatch.setenv("RBDYN_ISA", isa)
    given = dict(zip(("q", "v", "vd"), inputs(QUADRUPED, 300), strict=True))
    given[what][row, 1] = -np.inf
    for threads in (1, 2):
        with pytest.raises(rbdyn.StateError, match=rf"{what} must be finite, got -inf at index \({row}, 1\)"):
            batch.inverse_dynamics(QUADRUPED, *given.values(), threads=threads)
    if what == "q":
        with pytest.raises(rbdyn.StateError, match=rf"q must be finite, got -inf at index \({row}, 1\)"):
            batch.forward_kinematics(QUADRUPED, given["q"])


def test_instructions_that_are_not_there(monkeypatch):
    monkeypatch.setenv("RBDYN_ISA", "mmx")
    with pytest.raises(rbdyn.Error, match="RBDYN_ISA must be one of .*scalar.* on this machine, got 'mmx'"):
        batch.isa()


def test_three_results_are_written_where_they_should():
    q, v, x = inputs(QUADRUPED, 5)
    out = tuple(np.full((5, 18, 18), np.nan) for _ in range(3))
    for call in (batch.inverse_dynamics_derivatives, batch.forward_dynamics_derivatives):
        wanted = call(QUADRUPED, q, v, x)
        found = call(QUADRUPED, q, v, x, out=out)
        for k in range(3):
            assert found[k] is out[k] and np.array_equal(out[k], wanted[k])
        with pytest.raises(rbdyn.StateError, match="out must be a tuple of three arrays, got 7"):
            call(QUADRUPED, q, v, x, out=7)
        with pytest.raises(rbdyn.StateError, match=r"out\[1\] must be a writable float64 array of shape \(5, 18, 18\)"):
            call(QUADRUPED, q, v, x, out=(out[0], out[1][:4], out[2]))


def test_bad_frames_and_configurations():
    with pytest.raises(rbdyn.UnknownNameError, match="nose"):
        batch.frame_poses(QUADRUPED, Q, ["nose"])
    with pytest.raises(rbdyn.StateError, match="frames must be a sequence of bodies or frames, got 'trunk'"):
        batch.frame_poses(QUADRUPED, Q, "trunk")
    with pytest.raises(rbdyn.StateError, match="point must be finite"):
        batch.point_jacobian(QUADRUPED, Q, QUADRUPED.body_names[-1], (0.0, np.nan, 0.0))
    with pytest.raises(rbdyn.StateError, match="q holds a quaternion, .* not of unit length, in row 1$"):
        batch.integrate(QUADRUPED, FAR, V)
    with pytest.raises(rbdyn.StateError, match="q1 holds a quaternion, .* in row 1$"):
        batch.difference(QUADRUPED, Q, FAR)
    with pytest.raises(rbdyn.StateError, match="dt must be a number"):
        batch.integrate(QUADRUPED, Q, V, float("inf"))
    massless = rbdyn.Model(rbdyn.Mechanism(rbdyn.RigidBody("ground")))
    assert batch.forward_kinematics(massless, np.zeros((2, 0))).shape == (2, 1, 4, 4)
    assert batch.inverse_dynamics(massless, np.zeros((2, 0)), np.zeros((2, 0)), np.zeros((2, 0))).shape == (2, 0)
    with pytest.raises(rbdyn.MechanismError, match="no moving mass"):
        batch.center_of_mass(massless, np.zeros((2, 0)))


def gimbal():
    """Three hinges at one point, of which two are in line at pi / 2: no inertia is left for the first."""
    m = rbdyn.Mechanism(rbdyn.RigidBody("w"))
    body = rbdyn.RigidBody("b", rbdyn.SpatialInertia(1.0, inertia=np.diag([0.1, 0.2, 0.3])))
    axes = {"z": (0, 0, 1), "y": (0, 1, 0), "x": (1, 0, 0)}
    m.attach_in_series(m.root_body, body, [rbdyn.Joint(name, rbdyn.Revolute(axis)) for name, axis in axes.items()])
    return rbdyn.Model(m)


SOLVING = ["forward_dynamics", "inverse_mass_matrix", "forward_dynamics_derivatives"]


@pytest.mark.parametrize("isa", batch.available())
@pytest.mark.parametrize("name", SOLVING)
def test_singular_rows_are_refused_by_number(monkeypatch, isa, name):
    monkeypatch.setenv("RBDYN_ISA", isa)
    model = gimbal()
    q, v, x = inputs(model, 20)
    CALLS[name](model, q, v, x)
    q[13] = 0.1, np.pi / 2, 0.3
    with pytest.raises(rbdyn.MechanismError, match="^row 13: the mass matrix is singular: joint 'z' moves no inertia"):
        CALLS[name](model, q, v, x)


@pytest.mark.parametrize("name", ["inverse_dynamics", "bias_forces", "forward_dynamics"])
def test_rows_that_overflow_are_refused_by_number(name):
    q, v, x = inputs(QUADRUPED, 20)
    v[7] *= 1e200
    with pytest.raises(rbdyn.StateError, match=r"^row 7: .* came out as"):
        CALLS[name](QUADRUPED, q, v, x)


def sliders():
    """Three slides, the way between whose ends no number holds, and a hinge."""
    m, parent = rbdyn.Mechanism(rbdyn.RigidBody("w")), "w"
    for k, kind in enumerate((rbdyn.Prismatic, rbdyn.Prismatic, rbdyn.Revolute, rbdyn.Prismatic)):
        axis = (1, 0, 0) if kind is rbdyn.Prismatic else (0, 0, 1)
        body = rbdyn.RigidBody(f"b{k}", rbdyn.SpatialInertia(1.0, inertia=np.eye(3)))
        m.attach(parent, body, rbdyn.Joint(f"j{k}", kind(axis)))
        parent = body.name
    return rbdyn.Model(m)


@pytest.mark.parametrize("isa", batch.available())
@pytest.mark.parametrize("name", CALLS)
def test_poses_beyond_all_numbers_are_refused_by_number(monkeypatch, isa, name):
    """Jacobians of such a row had no place to be looked at alone: the process ended."""
    monkeypatch.setenv("RBDYN_ISA", isa)
    model = sliders()
    q, v, x = inputs(model, 20)
    q[13] = 1.7e308, 1.7e308, 0.3, 1.7e308
    if name in ("difference", "integrate"):
        v[13] = 1.7e308
        q[0, :2] = -1.7e308
    if name in ("coriolis_matrix", "bias_forces"):
        v[13] = 1e300
    with pytest.raises((rbdyn.StateError, rbdyn.MechanismError), match="^row 13: "):
        CALLS[name](model, q, v, x)


@pytest.mark.parametrize("isa", batch.available())
@pytest.mark.parametrize("name", CALLS)
def test_bad_rows_can_be_nan_instead(monkeypatch, isa, name):
    """All others have the bits that they have without them."""
    monkeypatch.setenv("RBDYN_ISA", isa)
    monkeypatch.setitem(CALLS, "integrate", lambda m, q, v, x, **o: batch.integrate(m, q, v, 0.3, **o))
    monkeypatch.setitem(
        CALLS, "difference", lambda m, q, v, x, **o: batch.difference(m, q, np.repeat(q[:1], len(q), axis=0), **o)
    )
    q, v, x = inputs(QUADRUPED, 30)
    q = first_units(QUADRUPED, q)
    wanted = CALLS[name](QUADRUPED, q, v, x)
    bad_q, bad_v, bad_x = q.copy(), v.copy(), x.copy()
    bad_q[3, 5], bad_q[11, 3:7], bad_q[29, 8] = np.nan, 0.4, np.inf
    bad_v[17, 2] = bad_x[23, 0] = np.nan
    with pytest.raises(rbdyn.StateError):
        CALLS[name](QUADRUPED, bad_q, bad_v, bad_x)
    found = CALLS[name](QUADRUPED, bad_q, bad_v, bad_x, errors="nan")
    bad = np.isnan(found.reshape(30, -1)).all(axis=1)
    assert {3, 11, 29} <= set(np.flatnonzero(bad)) <= {3, 11, 17, 23, 29}
    assert np.array_equal(bits(found[~bad]), bits(wanted[~bad]))
    with pytest.raises(rbdyn.StateError, match="errors must be one of 'raise', 'nan', got 'ignore'"):
        CALLS[name](QUADRUPED, q, v, x, errors="ignore")


def test_a_row_that_moves_no_inertia_can_be_nan():
    model = sliders()
    q, v, x = inputs(model, 20)
    q[13] = 1.7e308, 1.7e308, 0.3, 1.7e308
    found = batch.inverse_mass_matrix(model, q, errors="nan")
    assert np.isnan(found[13]).all() and np.isfinite(np.delete(found, 13, axis=0)).all()


def test_a_tensor_that_is_stored_negated():
    """As an imaginary part of a conjugate is by torch, whose export forgets that."""

    class Negated:
        def __init__(self, array):
            self.array = array

        def resolve_neg(self):
            return -self.array

        def __dlpack__(self, **_):
            raise AssertionError("it was not asked to resolve its sign")

    assert np.array_equal(batch.bias_forces(QUADRUPED, Q, Negated(-V)), batch.bias_forces(QUADRUPED, Q, V))


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="there are no timers here")
def test_an_interrupt_ends_a_long_call():
    def stop(number, frame):
        raise KeyboardInterrupt

    many = 400_000
    q, v = np.repeat(Q[:1], many, axis=0), np.repeat(V[:1], many, axis=0)
    before = signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_REAL, 0.05)
    try:
        with pytest.raises(KeyboardInterrupt):
            while True:
                batch.inverse_dynamics(QUADRUPED, q, v, v)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0.0)
        signal.signal(signal.SIGALRM, before)


def test_derivatives_far_from_the_root_are_not_said_to_lack_inertia():
    """An arm on two slides, 5,000 km away: its accelerations are right, and no digit of their derivatives is."""
    m, parent = rbdyn.Mechanism(rbdyn.RigidBody("w")), "w"
    for k, (kind, axis) in enumerate([(rbdyn.Prismatic, (1, 0, 0)), (rbdyn.Prismatic, (0, 1, 0))]
                                     + [(rbdyn.Revolute, (0, 0, 1))] * 2):  # fmt: skip
        body = rbdyn.RigidBody(f"b{k}", rbdyn.SpatialInertia(1.0, (0.3, 0, 0), 0.1 * np.eye(3)))
        m.attach(parent, body, rbdyn.Joint(f"j{k}", kind(axis)), rbdyn.Transform(translation=(0.5 * (k > 2), 0, 0)))
        parent = body.name
    model = rbdyn.Model(m)
    q = np.array([[0.0, 0.0, 0.3, 0.5], [5e6, 5e6, 0.3, 0.5]])
    v, x = np.ones((2, 4)), np.ones((2, 4))
    accelerations = batch.forward_dynamics(model, q, v, x)
    assert np.allclose(*accelerations, rtol=1e-6)
    with pytest.raises(rbdyn.StateError, match="^row 1: rounding leaves no digit of the derivatives.*nearer"):
        batch.forward_dynamics_derivatives(model, q, v, x)


def test_small_pivots_that_are_none_go_to_single_states():
    """Fingers of 1e-9 kg m^2 on a robot of a ton: right, bit by bit, if not quick."""
    m = rbdyn.Mechanism(rbdyn.RigidBody("w"))
    parent = m.root_body
    for k, mass in enumerate((1000.0, 1e-3, 1e-3)):
        body = rbdyn.RigidBody(f"b{k}", rbdyn.SpatialInertia(mass, (0, 0, 1e-3), 1e-6 * mass * np.eye(3)))
        hinge = rbdyn.Joint(f"j{k}", rbdyn.Revolute((1, 0, 0)))
        m.attach(parent, body, hinge, rbdyn.Transform(translation=(0, 0, 1.0)))
        parent = body
    model = rbdyn.Model(m)
    q, v, x = inputs(model, N)
    for name, wanted in by_states(model, q, v, x).items():
        if name in SOLVING:
            assert np.array_equal(bits(CALLS[name](model, q, v, x) + 0.0), bits(wanted + 0.0)), name


def test_what_is_left_out_and_what_overlaps():
    with pytest.raises(rbdyn.StateError, match="v must"):
        batch.inverse_dynamics(QUADRUPED, Q, None, X)
    with pytest.raises(rbdyn.StateError, match="vd must"):
        batch.inverse_dynamics(QUADRUPED, Q, V, None)
    one = np.zeros((3, 18, 18))
    with pytest.raises(rbdyn.StateError, match="three arrays that do not overlap"):
        batch.inverse_dynamics_derivatives(QUADRUPED, Q, V, X, out=(one, one, one))
    flat = np.lib.stride_tricks.as_strided(np.zeros(18), (3, 18), (0, 8), writeable=True)
    with pytest.raises(rbdyn.StateError, match="out must be a writable float64 array"):
        batch.inverse_dynamics(QUADRUPED, Q, V, X, out=flat)


def test_signs_of_zeros_are_those_of_single_states():
    model = rbdyn.Model(rbdyn.models.double_pendulum())
    q, *_ = inputs(model, 200)
    state = rbdyn.State(model)
    for k, found in enumerate(batch.frame_poses(model, q, model.body_names)):
        state.set(q[k])
        assert np.array_equal(bits(found), bits(rbdyn.frame_poses(state, model.body_names)))
