"""Problems made by hand: what they hold, and what they refuse."""

import itertools

import numpy as np
import pytest
from reference.contact_system import System, random_matrix

from rbdyn.contact import BisectionSolver, ContactView, Problem
from rbdyn.errors import ContactError


def test_one_contact_by_hand():
    """A ball of 2 kg at 3 m/s down, friction 0.5, sliding at 4 m/s."""
    p = Problem(np.eye(3) / 2, [[4.0, 0.0, -3.0]], 0.5, dt=0.01)
    assert isinstance(p, ContactView) and p.n == len(p) == 1 and p.dt == 0.01
    BisectionSolver().solve(p)
    np.testing.assert_allclose(p.impulse, [[-3.0, 0.0, 6.0]], rtol=1e-15)
    np.testing.assert_allclose(p.velocity(), [[2.5, 0.0, 0.0]], atol=1e-15)


def test_arrays_are_copies_and_read_only():
    G, v, mu = np.eye(6), np.full((2, 3), -1.0), np.array([0.2, 0.4])
    p = Problem(G, v, mu, key=[3, 8])
    G[:], v[:], mu[:] = 0, 0, 0
    np.testing.assert_array_equal(p.delassus, np.eye(6))
    np.testing.assert_array_equal(p.v_free, -1)
    np.testing.assert_array_equal(p.friction, [0.2, 0.4])
    np.testing.assert_array_equal(p.key["id_b"], [3, 8])
    np.testing.assert_array_equal(p.frame, [np.eye(3)] * 2)
    for name in ("delassus", "v_free", "friction", "key", "frame"):
        assert not getattr(p, name).flags.writeable
        with pytest.raises(AttributeError):
            setattr(p, name, 0)


def test_impulse_is_the_warm_start():
    G, v = random_matrix(np.random.default_rng(0), 6)
    v[:, 2] = -np.abs(v[:, 2])
    p = Problem(G, v, 0.5)
    BisectionSolver(threshold=1e-13).solve(p)
    solution = p.impulse.copy()
    BisectionSolver(max_iterations=1).solve(p)
    np.testing.assert_allclose(p.impulse, solution, atol=1e-12)
    p.impulse = np.zeros((6, 3))
    BisectionSolver(max_iterations=1).solve(p)
    assert np.abs(p.impulse - solution).max() > 1e-3
    for bad in (np.zeros((5, 3)), np.full((6, 3), np.nan), "none"):
        with pytest.raises(ContactError, match="^impulse must"):
            p.impulse = bad


@pytest.mark.parametrize("rank", [1, 2, 4, 5])
def test_singular_matrices_are_allowed(rank):
    A = np.random.default_rng(rank).normal(size=(6, rank))
    p = Problem(A @ A.T, np.full((2, 3), -0.1), 0.5)
    np.testing.assert_allclose(p.delassus, A @ A.T, atol=1e-13 * np.abs(A @ A.T).max())
    BisectionSolver().solve(p)
    assert np.isfinite(p.impulse).all()


BODY = {"frame": [np.eye(3)], "v_free": [[0, 0, -1.0]], "friction": 0.5, "single_a": [0], "arm_a": [[0, 0, 0.0]]}


@pytest.mark.parametrize(
    "change, message",
    [
        ({"v_free": [0, 0, -1]}, r"^v_free must have shape \(\?, 3\) \[m/s\], got \(3,\)"),
        ({"v_free": [[0, 0, np.nan]]}, r"^v_free must be finite \[m/s\], got .*nan.* at index \(0, 2\)"),
        ({"v_free": [[0, 0, 1j]]}, "^v_free must hold real numbers"),
        ({"v_free": [[0, 0, "x"]]}, "^v_free must hold real numbers"),
        ({"v_free": [[0, 0], [1]]}, "^v_free must be an array .* ragged"),
        ({"friction": -0.1}, "^friction must be >= 0"),
        ({"friction": np.nan}, "^friction must be finite"),
        ({"friction": [0.1, 0.2]}, r"^friction must have shape \(1,\)"),
        ({"frame": [np.ones((3, 3))]}, "^frame must hold orthonormal axes"),
        ({"frame": np.eye(3)}, "^frame must have shape"),
        ({"dt": -0.01}, "^dt must be >= 0"),
        ({"dt": True}, "^dt must hold real numbers"),
        ({"key": [-1]}, "^key must hold 1 whole numbers >= 0"),
        ({"key": [1.5]}, "^key must hold"),
        ({"single_a": [1]}, "^single_a must hold whole numbers from -1"),
        ({"single_a": [0.5]}, "^single_a must hold whole numbers"),
        ({"single_b": [-2]}, "^single_b must hold whole numbers"),
        ({"arm_a": [[0, 0]]}, "^arm_a must have shape"),
        ({"rows": np.zeros((2, 3, 4))}, "^rows must have shape"),
        ({"inverse_mass": [-1.0]}, "^inverse_mass must be >= 0"),
        ({"inverse_inertia": [np.eye(2)]}, "^inverse_inertia must have shape"),
        ({"inverse_inertia": [np.diag([1, 1, -1])]}, "^inverse_inertia must be positive semi-definite"),
        ({"inverse_inertia": [np.triu(np.ones((3, 3)))]}, "^inverse_inertia must be symmetric"),
    ],
)
def test_bodies_name_the_bad_argument(change, message):
    arguments = {"inverse_mass": [1.0], "inverse_inertia": [np.eye(3)]} | BODY
    Problem.from_bodies(**arguments)
    with pytest.raises(ContactError, match=message):
        Problem.from_bodies(**(arguments | change))


@pytest.mark.parametrize(
    "G, message",
    [
        (np.eye(4), r"^delassus must have shape \(3, 3\)"),
        (np.full((3, 3), np.inf), "^delassus must be finite"),
        (np.array([[1, 1, 0], [0, 1, 0], [0, 0, 1.0]]), "^delassus must be symmetric"),
        (np.diag([1, 1, -1.0]), "^delassus must be positive semi-definite"),
        (np.array([[1, 2, 0], [2, 1, 0], [0, 0, 1.0]]), "^delassus must be positive semi-definite"),
    ],
)
def test_matrices_are_checked(G, message):
    with pytest.raises(ContactError, match=message):
        Problem(G, [[0, 0, -1]], 0.5)


def test_a_problem_is_made_once():
    p = Problem(np.eye(3), [[0, 0, -1]], 0.5)
    with pytest.raises(ContactError, match="cannot be initialised twice"):
        p.__init__(np.eye(6), [[0, 0, -1]] * 2, 0.5)
    assert p.n == 1
    with pytest.raises(TypeError, match="cannot be pickled"):
        p.__reduce__()


def test_random_garbage_never_crashes():
    """Every combination of odd arguments either works or raises a ContactError or TypeError."""
    odd = [None, np.nan, [], [[]], np.zeros((2, 3)), np.eye(3), "x", object(), np.zeros((1, 3), object), 1e308]
    for G, v, mu in itertools.product(odd, repeat=3):
        try:
            p = Problem(G, v, mu)
        except (ContactError, TypeError):
            continue
        BisectionSolver().step(p)


def test_huge_and_tiny_values_stay_finite():
    for scale, speed in itertools.product((1e-300, 1e-28, 1e28, 1e300), (1e-320, 1e-30, 1e30, 1e300)):
        system = System(np.random.default_rng(1), 2, 3)
        with np.errstate(all="ignore"):
            G = np.nan_to_num(system.delassus() * scale)
        p = Problem(np.eye(9) * scale if np.abs(G).max() > 1e299 else G, system.v_free() * speed, 0.5)
        BisectionSolver().solve(p)
        assert np.isfinite(p.impulse).all() and (p.impulse[:, 2] >= 0).all()
