"""Rows that contradict one another, redundant rows, rows of many masses: least squares, and small impulses."""

import numpy as np
import pytest
from scipy.optimize import nnls

from rbdyn.contact import BisectionSolver, Problem


def solved(blocks, rows, v_free, dt=0.0):
    """Velocities and impulses of a problem, and the problem."""
    problem = Problem.from_rows(blocks, rows, v_free, dt=dt)
    BisectionSolver().solve(problem)
    return np.array(problem.velocity()).ravel(), np.array(problem.impulse).ravel(), problem


@pytest.mark.parametrize("scale", [1.0, 3.0])
def test_joints_that_contradict_one_another_meet_half_way(scale):
    """One freedom held twice, at velocities 0.2 apart: least squares, each row in units of its own mobility.

    Sweeps go to and fro between the two, and impulses grow by what the rows contradict one another at each of them.
    """
    v, lam, problem = solved([{"law": "bilateral"}] * 2, [[1.0], [scale]], [1.0, scale * 1.2])
    np.testing.assert_allclose(v, [-0.1, 0.1 * scale], atol=1e-8)
    assert lam[0] + scale * lam[1] == pytest.approx(-1.1, abs=1e-8)
    assert np.abs(lam).max() < 50.0 and not problem.converged


def test_contradictions_of_many_joints_are_least_squares(seed):
    """Twelve rows on five coordinates, one bilateral block each, against numpy's least squares."""
    rng = np.random.default_rng(seed)
    rows, v_free = rng.normal(size=(12, 5)) * 10.0 ** rng.uniform(-1.0, 1.0, (12, 1)), rng.normal(size=12)
    v_free = rows @ rng.normal(size=5) + 1e-3 * v_free * np.linalg.norm(rows, axis=1)
    v, lam, _ = solved([{"law": "bilateral"}] * 12, rows, v_free)
    weight = 1.0 / np.linalg.norm(rows, axis=1)
    x = np.linalg.lstsq(weight[:, None] * rows, -weight * v_free, rcond=None)[0]
    np.testing.assert_allclose(weight * v, weight * (v_free + rows @ x), atol=2e-8)
    assert np.abs(lam / weight).max() < 100.0


def test_redundant_stops_against_non_negative_least_squares(seed):
    """Forty stops on six coordinates: lam minimises |Y^T lam + x|, velocities are unique."""
    rng = np.random.default_rng(seed)
    rows, x = rng.normal(size=(40, 6)) * 10.0 ** rng.uniform(-0.7, 0.7, 6), rng.normal(size=6)
    v, lam, problem = solved([{"law": "unilateral"}] * 40, rows, rows @ x)
    oracle, _ = nnls(rows.T, -x, maxiter=10_000)
    np.testing.assert_allclose(v, rows @ (x + rows.T @ oracle), atol=1e-6)
    assert problem.converged and lam.min() >= 0.0
