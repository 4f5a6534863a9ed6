"""The position problem: which rows correct poses, both ways of an error, and only where something is asked."""

import numpy as np
import pytest

from rbdyn.contact import BisectionSolver, PGSSolver, Problem
from rbdyn.testing.poses import pose_speeds


@pytest.fixture(params=[BisectionSolver, PGSSolver])
def solver(request):
    return request.param(threshold=1e-12)


def speeds(solver, blocks, rows, v_free, target):
    """What the position problem moves along each row, once the first problem is solved; and its blocks."""
    problem = Problem.from_rows(blocks, rows, v_free)
    solver.solve(problem)
    return pose_speeds(problem, solver, target)


def random_rows(rng, n):
    return rng.normal(size=(n, n + 3))


def test_a_bilateral_row_corrects_both_ways(solver, seed):
    """Each row of a joint moves as its error asks, whichever its sign, alone and beside others."""
    rng = np.random.default_rng(seed)
    target = np.array([0.3, -0.2, -0.4, 0.1, -0.5])
    blocks = [{"law": "bilateral", "rows": 3}, {"law": "bilateral", "rows": 2}]
    moved, _ = speeds(solver, blocks, random_rows(rng, 5), rng.normal(size=5), target)
    np.testing.assert_allclose(moved, target, atol=1e-9)


def test_an_error_of_one_sign_is_enough(solver):
    """Nothing but negative errors: bilateral rows ask all the same, unilateral ones, whose gap may close, do not."""
    rows = np.eye(2)
    moved, blocks = speeds(solver, [{"law": "bilateral"}, {"law": "unilateral"}], rows, [0.0, 0.0], [-0.1, -0.2])
    assert moved == pytest.approx([-0.1, 0.0], abs=1e-12) and blocks == 1
    moved, blocks = speeds(solver, [{"law": "unilateral"}] * 2, rows, [0.0, 0.0], [-0.1, -0.2])
    assert not moved.any() and blocks == 0


def test_a_unilateral_row_pushes_and_never_pulls(solver):
    """A limit or a taut wire: what parts by itself faster than asked is not held back."""
    moved, _ = speeds(solver, [{"law": "unilateral"}] * 3, np.eye(3), [-1.0, 0.05, 0.5], [0.1, 0.1, 0.1])
    np.testing.assert_allclose(moved, [0.1, 0.05, 0.0], atol=1e-12)


def test_forces_with_bounds_springs_and_what_corrects_nothing_hold_no_pose(solver):
    """A motor, a spring and a row without a target share a body with a joint: it moves as if they were not there."""
    rng = np.random.default_rng(0)
    rows, soft = random_rows(rng, 6), {"compliance": 0.5}
    blocks = [{"law": "bilateral", "rows": 2}, {"law": "box", "low": -5.0, "high": 5.0}, {"law": "bilateral"} | soft,
              {"law": "bilateral"}, {"law": "unilateral"} | soft]
    target = np.array([0.3, -0.2, 0.7, 0.9, -np.inf, 0.4])
    moved, count = speeds(solver, blocks, rows, rng.normal(size=6), target)
    G = rows[:2] @ rows[:2].T
    expected = rows @ rows[:2].T @ np.linalg.solve(G, target[:2])
    assert count == 1
    np.testing.assert_allclose(moved, expected, atol=1e-9)
    assert np.abs(moved[2:] - target[2:]).min() > 1e-3


def test_only_some_rows_of_a_block_may_correct(solver):
    """A block keeps those of its rows that have a target."""
    rng = np.random.default_rng(1)
    rows, target = random_rows(rng, 4), np.array([0.3, -np.inf, -0.2, 0.1])
    moved, _ = speeds(solver, [{"law": "bilateral", "rows": 4}], rows, rng.normal(size=4), target)
    held = [0, 2, 3]
    G = rows[held] @ rows[held].T
    np.testing.assert_allclose(moved, rows @ rows[held].T @ np.linalg.solve(G, target[held]), atol=1e-9)


def test_islands_where_nothing_is_asked_stay_where_they_are(solver):
    """Three islands, of contacts and joints; one of them asks."""
    rng = np.random.default_rng(2)
    own = [rng.normal(size=(5, 6)) for _ in range(3)]
    rows = np.zeros((15, 18))
    for k, part in enumerate(own):
        rows[3 * k : 3 * k + 3, 6 * k : 6 * k + 6] = part[:3]
        rows[9 + 2 * k : 11 + 2 * k, 6 * k : 6 * k + 6] = part[3:]
    blocks = [{"law": "cone", "friction": 0.5}] * 3 + [{"law": "bilateral", "rows": 2}] * 3
    target = np.zeros(15)
    target[[0, 1, 3, 4, 6, 7]] = -np.inf
    target[[2, 5, 8]] = -0.1
    target[11:13] = (0.2, -0.3)
    moved, count = speeds(solver, blocks, rows, rng.normal(size=15) - 0.5, target)
    assert count == 2
    assert not moved[[0, 1, 2, 6, 7, 8, 9, 10, 13, 14]].any()
    np.testing.assert_allclose(moved[11:13], target[11:13], atol=1e-9)


def test_what_the_first_solve_leaves_open_in_a_joint_is_corrected():
    """Two sweeps leave a velocity in a chain of joints: poses do not follow it."""
    rng = np.random.default_rng(3)
    rows, v_free = rng.normal(size=(6, 8)), rng.normal(size=6)
    problem = Problem.from_rows([{"law": "bilateral"}] * 6, rows, v_free)
    BisectionSolver(max_iterations=2, newton=False).solve(problem)
    left = np.array(problem.velocity()).ravel()
    assert np.abs(left).max() > 1e-2
    target = np.array([0.1, 0.0, 0.0, 0.0, 0.0, 0.0])
    moved, _ = pose_speeds(problem, BisectionSolver(threshold=1e-12), target)
    np.testing.assert_allclose(left + moved, target, atol=1e-8)
