"""Cones beside rows, with normal and tangential mobility coupled: exact visits go to and fro between two answers."""

import numpy as np
import pytest

from rbdyn.contact import BisectionSolver, Problem

MU, CONES, UNILATERAL, BILATERAL, COORDINATES = 1.5, 3, 2, 6, 12


def coupled(seed):
    """G and v_free of three cones, two stops and a weld on one robot."""
    rng = np.random.default_rng(seed)
    J = rng.normal(size=(3 * CONES + UNILATERAL + BILATERAL, COORDINATES)) * np.exp(rng.normal(size=COORDINATES))
    for k in range(CONES):
        J[3 * k + 2] += 1.5 * J[3 * k]
    return J @ J.T, J @ rng.normal(size=COORDINATES)


def missed(G, v_free, lam):
    """By how much each law is missed [m/s]: where a step of projection from lam leads, times the mobility."""
    v, most = v_free + G @ lam, 0.0
    for k in range(3 * CONES, len(lam)):
        law = v[k] if k >= 3 * CONES + UNILATERAL else G[k, k] * (lam[k] - max(0.0, lam[k] - v[k] / G[k, k]))
        most = max(most, abs(law))
    for k in range(0, 3 * CONES, 3):
        g = np.trace(G[k:k + 3, k:k + 3])
        normal = max(0.0, lam[k + 2] - v[k + 2] / g)
        along = lam[k:k + 2] - v[k:k + 2] / g
        along *= min(1.0, MU * normal / max(np.linalg.norm(along), 1e-300))
        most = max(most, g * np.abs(lam[k:k + 3] - [*along, normal]).max())
    return most


BLOCKS = ([{"law": "cone", "friction": MU}] * CONES + [{"law": "unilateral"}] * UNILATERAL
          + [{"law": "bilateral", "rows": BILATERAL}])


@pytest.mark.parametrize("number", [4, 5, 9, 12, 15, 16, 18, 19, 52, 58, 68, 78])
def test_what_went_round_for_ever_is_solved(number):
    G, v_free = coupled(number)
    problem = Problem.from_blocks(BLOCKS, G, v_free)
    solver = BisectionSolver()
    solver.solve(problem)
    assert problem.converged
    assert missed(G, v_free, problem.impulse) < 1e-6
    assert problem.iterations <= 450 and len(solver.error_history) == problem.iterations


def test_nearly_all_are_solved_and_none_makes_energy():
    """Count the problems that are solved, of 100."""
    solved = 0
    for number in range(100):
        G, v_free = coupled(number)
        problem = Problem.from_blocks(BLOCKS, G, v_free)
        BisectionSolver().solve(problem)
        lam = problem.impulse
        assert lam @ (v_free + G @ lam / 2) <= 1e-9 * np.abs(lam).max()
        solved += problem.converged and missed(G, v_free, lam) < 1e-6
    assert solved >= 96


def two_corners(rng):
    """A body of 4 kg that stands on two corners; targets differ by rounding along the line between them."""
    half = rng.uniform(0.05, 0.2)
    low = -rng.uniform(0.05, 0.2)
    turn = np.linalg.qr(rng.normal(size=(3, 3)))[0]
    inertia = turn @ np.diag(rng.uniform(0.05, 0.15, 3)) @ turn.T
    v_free = np.array([[0.0, 0.0, -0.05], [0.0, 0.0, -0.05]]) + 1e-6 * rng.normal(size=(2, 3))
    return Problem.from_bodies(
        [0.25], [np.linalg.inv(inertia)], frame=[np.eye(3)] * 2, v_free=v_free, friction=0.8, single_a=[0, 0],
        arm_a=[[-half, 0.01 * rng.normal(), low], [half, 0.01 * rng.normal(), low]],
    )  # fmt: skip


def test_two_corners_that_push_one_another_converge():
    """No velocities meet both sticking laws: impulses end on a cone's boundary."""
    steps = []
    for seed in range(60):
        problem = two_corners(np.random.default_rng(seed))
        BisectionSolver(threshold=1e-8).solve(problem)
        steps.append(problem.iterations if problem.converged else np.inf)
    assert np.median(steps) <= 60 and np.mean(np.isfinite(steps)) >= 0.95
