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


def knocks(rng, rows=2, coordinates=5, judged=True):
    """Coordinates of unit mass with dry friction run into stops that bounce: energy made, as a share, by each of 60."""
    gains = []
    for _ in range(60):
        J = np.vstack([rng.normal(size=(rows, coordinates)), np.eye(coordinates)])
        before, bound = rng.normal(size=coordinates), rng.uniform(0.5, 3.0, coordinates)
        v, target = J @ before, np.zeros(rows + coordinates)
        target[:rows] = np.maximum(0.0, -0.95 * v[:rows])
        blocks = [{"law": "unilateral"}] * rows + [{"law": "box", "low": -b, "high": b} for b in bound]
        problem = Problem.from_rows(blocks, J, v - target, target=target if judged else None)
        solver = BisectionSolver()
        solver.solve(problem)
        after = before + J.T @ problem.impulse
        gains.append((after @ after) / (before @ before) - 1.0)
    return gains


def test_stops_that_bounce_make_no_energy_with_friction(seed):
    """A stop that bounces turns joints round, and friction pushes them on: as with contacts, it bounces less then."""
    assert max(knocks(np.random.default_rng(seed), judged=False)) > 0.01
    gains = knocks(np.random.default_rng(seed))
    assert max(gains) < 1e-5 and min(gains) < -0.1


@SOLVERS
@pytest.mark.parametrize("drive", [{"law": "bilateral"}, {"law": "box", "low": -9.0, "high": 9.0},
                                   {"law": "bilateral", "compliance": 0.01}])  # fmt: skip
def test_what_motors_and_springs_do_is_no_reason_to_bounce_less(make, drive):
    """A cart is driven backwards while a ball on another coordinate, coupled with it, bounces with restitution 1."""
    J = np.array([[0.0, 0.0, 0.0, 0.3], [0.0, 0.0, 0.0, 0.4], [0.2, 0.0, 0.0, 1.0], [1.0, 0.0, 0.0, 0.0]])
    before, target = np.array([0.0, 0.0, 0.0, -1.0]), np.array([0.0, 0.0, 1.0, -5.0])
    problem = Problem.from_rows([{"law": "cone", "friction": 0.0}, drive], J, J @ before - target, target=target)
    make().solve(problem)
    after = before + J.T @ problem.impulse
    assert J[2] @ after == pytest.approx(1.0, abs=1e-6)
    assert after @ after > 10.0
