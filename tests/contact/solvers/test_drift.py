"""The drift step: impulses that walk along a direction that moves nothing arrive at once."""

import numpy as np

from rbdyn.contact import BisectionSolver, Problem


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
    """No velocities meet both sticking laws: impulses drift to a cone's boundary, thousands of plain sweeps away."""
    sweeps, plain = [], []
    for seed in range(60):
        problem = two_corners(np.random.default_rng(seed))
        BisectionSolver(threshold=1e-8).solve(problem)
        sweeps.append(problem.iterations if problem.converged else np.inf)
        problem.impulse[:] = 0.0
        BisectionSolver(threshold=1e-8, anderson=False, direct=False, max_iterations=1000, patience=1000).solve(problem)
        plain.append(problem.converged)
    assert np.median(sweeps) <= 60 and np.mean(np.isfinite(sweeps)) >= 0.95
    assert np.mean(plain) < 0.5
