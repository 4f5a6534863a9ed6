"""Restitution makes no energy, however many contacts, stops and coordinates it is coupled with."""

import numpy as np
import pytest

from rbdyn.contact import BisectionSolver, PGSSolver, Problem

SOLVERS = pytest.mark.parametrize("make", [BisectionSolver, PGSSolver])


class Blow:
    """Random coordinates of unit mass that run into contacts, and into stops, which do not bounce."""

    def __init__(self, rng, contacts, coordinates, restitution, friction, stops=0):
        blocks = [{"law": "cone", "friction": friction}] * contacts + [{"law": "unilateral"}] * stops
        self.J = rng.normal(size=(3 * contacts + stops, coordinates))
        self.before = rng.normal(size=coordinates)
        v = self.J @ self.before
        self.target = np.zeros_like(v)
        normal = slice(2, 3 * contacts, 3)
        self.target[normal] = -np.broadcast_to(restitution, contacts) * v[normal]  # of those that part, too
        self.problem = Problem.from_blocks(blocks, self.J @ self.J.T, v - self.target, target=self.target)

    def gain(self, solver):
        """The energy made, as a share of what there was."""
        solver.solve(self.problem)
        self.after = self.before + self.J.T @ np.asarray(self.problem.impulse).reshape(-1)
        return (self.after @ self.after) / (self.before @ self.before) - 1.0


@SOLVERS
@pytest.mark.parametrize(
    ("contacts", "coordinates", "restitution", "stops"),
    [(1, 3, 0.9, 0), (1, 6, 1.0, 0), (2, 6, 0.9, 2), (3, 6, 0.9, 0), (3, 6, (0.0, 0.5, 1.0), 0), (3, 9, 0.9, 3),
     (6, 9, 1.0, 0)],
)  # fmt: skip
def test_coupled_blows_make_no_energy(make, seed, contacts, coordinates, restitution, stops):
    """Up to 20 times the energy was made before they were judged together, and 75 times by a solver without a judge."""
    rng = np.random.default_rng(seed)
    gains = [Blow(rng, contacts, coordinates, restitution, 0.8, stops).gain(make()) for _ in range(60)]
    assert max(gains) < 1e-5
    assert np.mean(gains) > -0.7 and np.min(gains) < -0.05


@SOLVERS
@pytest.mark.parametrize("restitution", [0.4, 1.0])
def test_blows_without_friction_keep_their_restitution(make, seed, restitution):
    """Moreau: of the energy that impulses take without a bounce, (1 - e^2) is lost; nothing is lowered."""
    rng = np.random.default_rng(seed)
    for _ in range(10):
        blow = Blow(rng, 3, 12, restitution, 0.0)
        gain = blow.gain(make())
        lam = np.asarray(blow.problem.impulse).reshape(-1)
        taken = lam @ (blow.J @ (blow.J.T @ lam)) / (blow.before @ blow.before) / (1 + restitution)
        assert gain == pytest.approx(-(1 - restitution) * taken, abs=1e-7)
        v = blow.J @ blow.after
        pushed = lam[2::3] > 0
        np.testing.assert_allclose(v[2::3][pushed], blow.target[2::3][pushed], atol=1e-6)


@SOLVERS
def test_what_is_asked_for_beyond_a_bounce_stays(make):
    """A target of more than what comes in is no bounce: it is met, and makes the energy that it takes."""
    problem = Problem(np.eye(3), [[0.0, 0.0, -3.0]], 0.5, target=[[0.0, 0.0, 2.0]])
    make().solve(problem)
    np.testing.assert_allclose(problem.impulse, [[0.0, 0.0, 3.0]], rtol=1e-12)
