"""Bad arguments: each is refused by name, before anything has changed; what merely looks unusual is converted."""

import copy
import inspect

import numpy as np
import pytest
from algorithms.calls import OUTPUTS
from algorithms.systems import random_system

import rbdyn
from rbdyn.mechanism import Floating, Planar, Prismatic, Revolute, SinCosRevolute, Spherical, SPQuatFloating


@pytest.fixture(scope="module")
def system():
    s = random_system(21, n=6, joint_types=[Revolute, Planar, Spherical, Prismatic], floating_base=True)
    assert s.model.nq > s.model.nv > 6
    return s


# name of the argument -> a call with a value for it; and how long a good value is
VECTORS = {
    "vd": (lambda s, x, **k: rbdyn.inverse_dynamics(s.state, x, **k), "nv"),
    "tau": (lambda s, x, **k: rbdyn.forward_dynamics(s.state, x, **k), "nv"),
    "x": (lambda s, x, **k: rbdyn.mass_matrix_times(s.state, x, **k), "nv"),
    "b": (lambda s, x, **k: rbdyn.solve_mass_matrix(s.state, x, **k), "nv"),
    "v": (lambda s, x, **k: rbdyn.integrate(s.model, s.state.q, x, 0.1, **k), "nv"),
    "q": (lambda s, x, **k: rbdyn.integrate(s.model, x, s.state.v, 0.1, **k), "nq"),
    "q0": (lambda s, x, **k: rbdyn.difference(s.model, x, s.state.q, **k), "nq"),
    "q1": (lambda s, x, **k: rbdyn.difference(s.model, s.state.q, x, **k), "nq"),
    "point": (lambda s, x, **k: rbdyn.point_velocity(s.state, "body2", x, **k), 3),
    "about": (lambda s, x, **k: rbdyn.angular_momentum(s.state, x, **k), 3),
}
SETTERS = {
    "q": (lambda s, x: s.state.set(x, s.v), "nq"),
    "v": (lambda s, x: s.state.set(s.state.q, x), "nv"),
}


def good(system, name, size):
    if name.startswith("q"):
        return system.model.random(np.random.default_rng(1))
    return np.random.default_rng(1).normal(size=getattr(system.model, size) if isinstance(size, str) else size)


def with_entry(x, value, dtype=float):
    x = x.astype(dtype)
    x[1] = value
    return x


BAD = {
    "too short": lambda x: x[:-1],
    "too long": lambda x: np.append(x, 0.0),
    "empty": lambda x: [],
    "a row": lambda x: x[None],
    "a column": lambda x: x[:, None],
    "a scalar": lambda x: 1.0,
    "0-d": lambda x: np.array(1.0),
    "NaN": lambda x: with_entry(x, np.nan),
    "inf": lambda x: with_entry(x, np.inf),
    "-inf in a list": lambda x: with_entry(x, -np.inf).tolist(),
    "NaN in float32": lambda x: with_entry(x, np.nan, np.float32),
    "overflow": lambda x: with_entry(x, 1e400 if np.longdouble(1e300) ** 2 < np.inf else np.inf, np.longdouble),
    "booleans": lambda x: x > 0,
    "complex": lambda x: x + 0j,
    "text": lambda x: "1.0",
    "texts": lambda x: [str(v) for v in x],
    "bytes": lambda x: x.tobytes(),
    "ragged": lambda x: [[1.0], [1.0, 2.0], *x[2:]],
    "objects": lambda x: np.array([object()] * len(x)),
    "None inside": lambda x: [None, *x[1:]],
    "a dict": lambda x: dict(enumerate(x)),
    "a set": lambda x: set(x),
    "dates": lambda x: np.arange(len(x)).astype("datetime64[s]"),
    "records": lambda x: np.zeros(len(x), [("a", float)]),
}


def refused(call, name):
    """A kind error, of rbdyn's own or Python's TypeError, that names the argument."""
    with pytest.raises((rbdyn.Error, TypeError)) as caught:
        call()
    assert name in str(caught.value), f"the message does not name {name}: {caught.value}"


@pytest.mark.parametrize("bad", BAD)
@pytest.mark.parametrize("name", VECTORS)
def test_bad_vectors_are_refused_by_name(system, name, bad):
    call, size = VECTORS[name]
    refused(lambda: call(system, BAD[bad](good(system, name, size))), name)


@pytest.mark.parametrize("bad", BAD)
@pytest.mark.parametrize("name", SETTERS)
def test_a_refused_state_leaves_the_old_one(system, name, bad):
    call, size = SETTERS[name]
    q, v, h = system.state.q.copy(), system.state.v.copy(), rbdyn.bias_forces(system.state)
    refused(lambda: call(system, BAD[bad](good(system, name, size))), name)
    np.testing.assert_array_equal(system.state.q, q)
    np.testing.assert_array_equal(system.state.v, v)
    np.testing.assert_array_equal(rbdyn.bias_forces(system.state), h)


def strided(x):
    wide = np.full(3 * len(x), np.nan)
    wide[::3] = x
    return wide[::3]


def read_only(x):
    x = x.copy()
    x.flags.writeable = False
    return x


UNUSUAL = {
    "list": list,
    "tuple": tuple,
    "list of numpy numbers": lambda x: [np.float32(v) if v == np.float32(v) else v for v in x],
    "strided": strided,
    "reversed": lambda x: x[::-1].copy()[::-1],
    "read-only": read_only,
    "column of a matrix": lambda x: np.column_stack([x, x])[:, 1],
    "long double": lambda x: x.astype(np.longdouble),
    "big-endian": lambda x: x.astype(">f8"),
    "memoryview": lambda x: memoryview(x.copy()),
    "subclass": lambda x: x.view(type("Mine", (np.ndarray,), {})),
    "unaligned": lambda x: np.frombuffer(b"\0" + x.tobytes(), np.uint8)[1:].view(np.float64),
}


@pytest.mark.parametrize("kind", UNUSUAL)
@pytest.mark.parametrize("name", VECTORS)
def test_unusual_vectors_mean_what_they_say(system, name, kind):
    """Never the wrong number: the same bits as from a plain array."""
    call, size = VECTORS[name]
    x = good(system, name, size)
    np.testing.assert_array_equal(call(system, UNUSUAL[kind](x)), call(system, x))


@pytest.mark.parametrize("dtype", [np.float32, np.float16, np.int64, np.int8, np.uint8])
def test_other_number_types_are_converted(system, dtype):
    x = np.arange(system.model.nv).astype(dtype)
    expected = rbdyn.mass_matrix_times(system.state, x.astype(float))
    np.testing.assert_array_equal(rbdyn.mass_matrix_times(system.state, x), expected)


@pytest.mark.parametrize("dt", [np.nan, np.inf, None, "0.1", 1j, [0.1, 0.2]])
def test_bad_time_steps(system, dt):
    with pytest.raises((rbdyn.Error, TypeError)):
        rbdyn.integrate(system.model, system.state.q, system.state.v, dt)


def chain(*kinds):
    """Joints of these types one after the other, compiled."""
    m = rbdyn.Mechanism(rbdyn.RigidBody("world"))
    for k, kind in enumerate(kinds):
        ball = rbdyn.RigidBody(f"ball{k}", rbdyn.SpatialInertia(1.0, inertia=np.eye(3)))
        m.attach(m.bodies[-1], ball, rbdyn.Joint(f"joint{k}", kind))
    return rbdyn.Model(m)


@pytest.mark.parametrize("norm", [0.0, 1e-300, 0.5, 2.0, 1e200])
def test_quaternions_must_be_of_unit_length(norm):
    model = chain(Floating())
    state = rbdyn.State(model)
    with pytest.raises(rbdyn.StateError, match=r"q\[3:7\]"):
        state.set([1, 2, 3, norm, 0, 0, 0], np.zeros(6))
    np.testing.assert_array_equal(state.q, model.neutral())
    state.set([1, 2, 3, 1 + 1e-5, 0, 0, 0], np.zeros(6))
    assert abs(np.linalg.norm(state.q[3:]) - 1) < 1e-15


@pytest.mark.parametrize("pair", [(0.0, 0.0), (1e-300, 0.0), (0.6, 0.81), (1.0, 1.0), (1e200, 1e200)])
def test_sines_and_cosines_must_be_of_unit_length(pair):
    model = chain(Prismatic(), SinCosRevolute(), Revolute())
    state = rbdyn.State(model)
    with pytest.raises(rbdyn.StateError, match=r"pair \[sine, cosine\] of length .* at q\[1:3\]; it must be 1"):
        state.set([1, *pair, 2])
    np.testing.assert_array_equal(state.q, [0, 0, 1, 0])
    state.set([1, 0.6004, 0.8, 2])
    assert abs(np.linalg.norm(state.q[1:3]) - 1) < 1e-15
    np.testing.assert_allclose(state.q[1] / state.q[2], 0.6004 / 0.8, rtol=1e-15)


@pytest.mark.parametrize("length", [0.0, 1e-300, 0.5, 1 - 1e-15, 1.0, 1 + 1e-9, 3.0, 1e9, 1e160, 1e300])
def test_any_projection_is_a_rotation_and_comes_back_within_length_1(length):
    model = chain(SPQuatFloating())
    state = rbdyn.State(model)
    for axis in (np.array([0.6, 0.0, -0.8]), np.array([1.0, 2.0, 2.0]) / 3.0):
        p = length * axis
        state.set([1, 2, 3, *p])
        kept = np.array(state.q)
        assert np.linalg.norm(kept[3:]) <= 1 + 1e-15
        if length < 1:
            np.testing.assert_array_equal(kept[3:], p)
        angle = 4 * np.arctan(length)
        K = np.cross(np.eye(3), axis)
        expected = np.eye(3) + np.sin(angle) * K + (1 - np.cos(angle)) * K @ K
        np.testing.assert_allclose(rbdyn.body_pose(state, "ball0")[:3, :3], expected, atol=1e-14)
        state.set(kept)
        np.testing.assert_array_equal(state.q, kept)  # no bit changes when set again


# ---- out= ---------------------------------------------------------------------------------------------------------

WRONG_OUT = {
    "too small": lambda x: np.zeros([n - 1 for n in x.shape]),
    "too large": lambda x: np.zeros([n + 1 for n in x.shape]),
    "one dimension more": lambda x: np.zeros((1, *x.shape)),
    "flat": lambda x: np.zeros(x.size + (x.ndim == 1)),
    "float32": lambda x: np.zeros(x.shape, np.float32),
    "integers": lambda x: np.zeros(x.shape, int),
    "complex": lambda x: np.zeros(x.shape, complex),
    "objects": lambda x: np.zeros(x.shape, object),
    "read-only": lambda x: read_only(np.zeros(x.shape)),
    "a list": lambda x: np.zeros(x.shape).tolist(),
    "text": lambda x: "out",
    "a number": lambda x: 1.0,
    "memoryview": lambda x: memoryview(np.zeros(x.shape)),
}


def test_every_function_with_an_out_is_in_the_table():
    public = {name: getattr(rbdyn, name) for name in rbdyn.__all__}
    with_out = {n for n, f in public.items() if not isinstance(f, type) and "out" in inspect.signature(f).parameters}
    two_results = {"relative_body_spatial_jacobian_and_dot", "relative_point_jacobian_and_dot_6d"}
    on_loops = {"loop_jacobian", "loop_bias", "loop_error"}  # test_loops_doors.py
    assert with_out - two_results - on_loops == set(OUTPUTS)


def test_what_comes_in_may_lie_in_what_comes_out():
    """Of functions that zero their output before they write to it."""
    s = random_system(12, n=8)
    wrench = np.arange(1.0, 7.0)
    for name, given, call in (
        ("body_accelerations", s.vd, lambda x, out: rbdyn.body_accelerations(s.state, x, out=out)),
        ("joint_wrenches", s.vd, lambda x, out: rbdyn.joint_wrenches(s.state, x, out=out)),
        ("external", wrench, lambda x, out: rbdyn.joint_wrenches(s.state, s.vd, {"body2": x}, out=out)),
    ):
        expected = call(given, None)
        out = np.empty_like(expected)
        inside = out.ravel()[: len(given)]
        inside[:] = given
        np.testing.assert_array_equal(call(inside, out), expected, err_msg=name)
        assert np.abs(expected - call(np.zeros(len(given)), None)).max() > 0.1, name


@pytest.mark.parametrize("name", OUTPUTS)
def test_out_is_filled_and_returned(system, name):
    expected = OUTPUTS[name](system, None)
    assert expected.dtype == np.float64
    out = np.full(expected.shape, np.nan)
    assert OUTPUTS[name](system, out) is out
    np.testing.assert_array_equal(out, expected)
    assert OUTPUTS[name](system, None) is not OUTPUTS[name](system, None)


@pytest.mark.parametrize("wrong", WRONG_OUT)
@pytest.mark.parametrize("name", OUTPUTS)
def test_a_wrong_out_is_refused_and_not_touched(system, name, wrong):
    out = WRONG_OUT[wrong](OUTPUTS[name](system, None))
    before = copy.deepcopy(out) if not isinstance(out, memoryview) else out.tobytes()
    refused(lambda: OUTPUTS[name](system, out), "out")
    assert np.array_equal(np.asarray(out), np.asarray(before)) or out.tobytes() == before


@pytest.mark.parametrize("layout", ["strided", "fortran", "big-endian"])
@pytest.mark.parametrize("name", OUTPUTS)
def test_an_out_in_another_layout_is_filled_rightly_or_refused(system, name, layout):
    expected = OUTPUTS[name](system, None)
    if layout == "strided":
        out = np.zeros((*expected.shape[:-1], 2 * expected.shape[-1]))[..., ::2]
    elif layout == "fortran":
        out = np.zeros(expected.shape, order="F")
    else:
        out = np.zeros(expected.shape, ">f8")
    try:
        OUTPUTS[name](system, out)
    except (rbdyn.Error, TypeError) as error:
        assert "out" in str(error)
        assert not out.any()
    else:
        np.testing.assert_array_equal(out, expected)




@pytest.mark.parametrize(
    "name", ["vd", "x", "tau", "b", "q"]
)
def test_out_may_be_the_input(system, name):
    call, size = VECTORS[name]
    x = good(system, name, size)
    expected = call(system, x)
    assert call(system, x, out=x) is x
    np.testing.assert_array_equal(x, expected)


def test_results_are_fresh_and_views_are_read_only(system):
    M = rbdyn.mass_matrix(system.state)
    expected = M.copy()
    M[:] = 0
    np.testing.assert_array_equal(rbdyn.mass_matrix(system.state), expected)
    for view in (system.state.q, system.state.v):
        with pytest.raises(ValueError, match="read-only"):
            view[0] = 1.0
    for copied in (system.model.neutral, lambda: system.model.gravity):
        value = copied()
        value[:] = 7.0
        assert not np.array_equal(copied(), value)


# ---- names and wrenches -------------------------------------------------------------------------------------------

BY_BODY = {
    "body_pose": lambda s, b: rbdyn.body_pose(s.state, b),
    "point_velocity": lambda s, b: rbdyn.point_velocity(s.state, b, [0, 0, 0]),
    "point_velocity_6d": lambda s, b: rbdyn.point_velocity_6d(s.state, b, [0, 0, 0]),
    "point_jacobian": lambda s, b: rbdyn.point_jacobian(s.state, b, [0, 0, 0]),
    "point_jacobian_6d": lambda s, b: rbdyn.point_jacobian_6d(s.state, b, [0, 0, 0]),
    "body_spatial_jacobian": lambda s, b: rbdyn.body_spatial_jacobian(s.state, b),
    "external of inverse_dynamics": lambda s, b: rbdyn.inverse_dynamics(s.state, s.vd, {b: np.zeros(6)}),
    "external of forward_dynamics": lambda s, b: rbdyn.forward_dynamics(s.state, s.tau, {b: np.zeros(6)}),
    "external of bias_forces": lambda s, b: rbdyn.bias_forces(s.state, {b: np.zeros(6)}),
}


@pytest.mark.parametrize("name", BY_BODY)
def test_unknown_bodies(system, name):
    call = BY_BODY[name]
    with pytest.raises(rbdyn.UnknownNameError, match="body2") as caught:
        call(system, "bodi2")
    assert isinstance(caught.value, KeyError)
    foreign = rbdyn.RigidBody("body2")  # same name, another body
    for bad in ("", "nobody", foreign, None, 3, 1.5, ("body2",), b"body2", rbdyn.CartesianFrame("body2")):
        with pytest.raises((rbdyn.Error, TypeError)):
            call(system, bad)


def test_unknown_joints(system):
    for bad in ("joint99", "body1", "", None, 3):
        for call in (system.model.joint_q_index, system.model.joint_v_index):
            with pytest.raises((rbdyn.UnknownNameError, TypeError)):
                call(bad)
    with pytest.raises(KeyError, match="joint1"):
        system.model.joint_q_index("join1")


@pytest.mark.parametrize(
    "bad",
    [[0.0] * 5, [0.0] * 7, [[0.0] * 6], [np.nan] * 6, [np.inf] * 6, [True] * 6, [1j] * 6, "wrench", None, 1.0],
)
def test_bad_wrenches_name_the_body(system, bad):
    for call in (
        lambda e: rbdyn.inverse_dynamics(system.state, system.vd, e),
        lambda e: rbdyn.forward_dynamics(system.state, system.tau, e),
        lambda e: rbdyn.bias_forces(system.state, e),
    ):
        before = call(None)
        refused(lambda call=call: call({"body1": np.ones(6), "body2": bad}), "body2")
        np.testing.assert_array_equal(call(None), before)  # nothing of the refused load is left behind


@pytest.mark.parametrize("bad", [[1.0] * 6, "body1", 3, {"body1"}])
def test_external_must_be_a_dict(system, bad):
    with pytest.raises((rbdyn.Error, TypeError)):
        rbdyn.bias_forces(system.state, bad)


def test_no_external_wrench_is_none(system):
    np.testing.assert_array_equal(rbdyn.bias_forces(system.state, {}), rbdyn.bias_forces(system.state))
