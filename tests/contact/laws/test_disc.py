"""Discs: moments bounded by the push of a contact, against closed forms and bounded least squares."""

import numpy as np
import pytest
from scipy.optimize import minimize

from rbdyn.contact import BisectionSolver, ContactSolver, PGSSolver, Problem
from rbdyn.errors import ContactError

EXACT = {"threshold": 1e-13, "max_iterations": 20000}
SOLVERS = [lambda: BisectionSolver(**EXACT), lambda: PGSSolver(threshold=1e-13, max_iterations=20000)]
CONE = {"law": "cone", "friction": 0.5}


def solved(make, blocks, G, v_free):
    problem = Problem.from_blocks(blocks, G, v_free)
    make().solve(problem)
    assert problem.converged
    return problem


def disc(a, rows=1, **more):
    return {"law": "disc", "friction": a, "partner": 0, "rows": rows} | more


@pytest.mark.parametrize("make", SOLVERS)
@pytest.mark.parametrize("spin, expected", [(0.1, -0.05), (-0.1, 0.05), (5.0, -0.3), (-5.0, 0.3)])
def test_one_row_is_held_or_resisted_by_its_bound(make, spin, expected):
    """lam_n = 1.5, a = 0.2: up to 0.3 N m s, with a mobility of 2."""
    problem = solved(make, [CONE, disc(0.2)], 2.0 * np.eye(4), [0.0, 0.0, -3.0, spin])
    assert problem.impulse[3] == pytest.approx(expected, rel=1e-14)
    assert problem.velocity()[3] == pytest.approx(spin + 2.0 * expected, abs=1e-14)


@pytest.mark.parametrize("make", SOLVERS)
def test_an_open_contact_resists_nothing(make):
    problem = solved(make, [CONE, disc(0.2), disc(0.2, 2)], 2.0 * np.eye(6), [0.0, 0.0, 3.0, 1.0, 1.0, 1.0])
    np.testing.assert_array_equal(problem.impulse, 0.0)


@pytest.mark.parametrize("make", SOLVERS)
def test_compliance_holds_for_the_sum(make):
    """v + compliance lam = 0: lam = -0.1 / (2 + 0.5)."""
    problem = solved(make, [CONE, disc(0.2, compliance=0.5)], 2.0 * np.eye(4), [0.0, 0.0, -3.0, 0.1])
    assert problem.impulse[3] == pytest.approx(-0.04, rel=1e-14)


@pytest.mark.parametrize("make", SOLVERS)
def test_two_coupled_rows_have_the_least_energy_in_the_disc(make, seed):
    """Inside the cone's push, which they do not change, against a general minimiser."""
    rng = np.random.default_rng(seed)
    A = rng.normal(size=(2, 2))
    G, w = np.diag([2.0, 2.0, 2.0, 0.0, 0.0]), rng.normal(size=2)
    G[3:, 3:] = A @ A.T + 0.01 * np.eye(2)
    problem = solved(make, [CONE, disc(0.1, 2)], G, [0.0, 0.0, -3.0, *w])
    lam, v, r = problem.impulse[3:], problem.velocity()[3:], 0.15
    energy = lambda x: 0.5 * x @ G[3:, 3:] @ x + x @ w  # noqa: E731
    best = minimize(
        energy, np.zeros(2), constraints={"type": "ineq", "fun": lambda x: r * r - x @ x}, options={"ftol": 1e-15}
    )
    assert np.linalg.norm(best.x) > 0.5 * r
    np.testing.assert_allclose(lam, best.x, atol=1e-6 * r)
    if np.linalg.norm(lam) > (1.0 - 1e-9) * r:
        assert abs(v[0] * lam[1] - v[1] * lam[0]) < 1e-12 and v @ lam <= 0.0
    else:
        np.testing.assert_allclose(v, 0.0, atol=1e-12)


@pytest.mark.parametrize("make", SOLVERS)
@pytest.mark.parametrize("second", [0.0, 1e-14, 1e-6])
def test_what_can_hardly_turn_takes_a_bounded_moment(make, second):
    """A hinge: no mobility across its axis, and the moment stays in the disc."""
    G = np.diag([2.0, 2.0, 2.0, 3.0, second])
    problem = solved(make, [CONE, disc(0.2, 2)], G, [0.0, 0.0, -3.0, 4.0, 1.0])
    lam = problem.impulse[3:]
    assert np.linalg.norm(lam) == pytest.approx(0.3, rel=1e-9)
    v = problem.velocity()[3:]
    assert abs(v[0] * lam[1] - v[1] * lam[0]) < 1e-9 and v @ lam < 0.0


def test_the_bound_follows_the_push():
    """A moment that lifts its own contact: both laws hold together, where the push is less than without it."""
    G = np.diag([2.0, 2.0, 2.0, 1.0])
    G[2, 3] = G[3, 2] = 0.8
    problem = solved(SOLVERS[0], [CONE, disc(0.5)], G, [0.0, 0.0, -3.0, -9.0])
    n, m = problem.impulse[2], problem.impulse[3]
    assert m == pytest.approx(0.5 * n, rel=1e-12) and 2.0 * n + 0.8 * m == pytest.approx(3.0, rel=1e-12)
    assert n == pytest.approx(3.0 / 2.4, rel=1e-12)


@pytest.mark.parametrize(
    "blocks, message",
    [
        ([CONE, disc(0.1, 3)], "rows must be 1 or 2"),
        ([CONE, disc(0.1) | {"partner": 1}], "one of the 1 cones"),
        ([CONE, disc(-0.1)], "friction must be >= 0"),
        ([CONE, disc(0.1) | {"partner": 0.0}], "partner must be the number of a cone"),
        ([CONE, disc(0.1), {"law": "unilateral"}], "discs come last"),
    ],
)
def test_what_a_disc_needs(blocks, message):
    rows = sum(3 if b["law"] == "cone" else b.get("rows", 1) for b in blocks)
    with pytest.raises(ContactError, match=message):
        Problem.from_blocks(blocks, np.eye(rows), np.zeros(rows))


def test_a_python_solver_sees_discs_and_is_held_to_them():
    class Own(ContactSolver):
        laws = ("cone", "disc")
        moment = 0.0

        def solve(self, problem):
            assert problem.law.tolist() == [0, 4] and problem.partner.tolist() == [-1, 0]
            assert problem.a.tolist() == [0.5, 0.2] and problem.rows.tolist() == [3, 1]
            problem.impulse[:] = [0.0, 0.0, 1.5, self.moment]

    problem, solver = Problem.from_blocks([CONE, disc(0.2)], 2.0 * np.eye(4), [0.0, 0.0, -3.0, 5.0]), Own()
    solver.moment = -0.3
    solver.step(problem)
    solver.moment = -0.31
    with pytest.raises(ContactError, match=r"a disc: .* no longer than 0\.3 N m s, 0\.2 m times .* contact 0"):
        solver.step(problem)

    class Cones(ContactSolver):
        def solve(self, problem):
            pass

    with pytest.raises(ContactError, match="'disc'"):
        Cones().step(problem)


def test_a_warm_start_keeps_to_what_the_contact_pushes_now():
    """The moment of the step before, in a contact that pushes a hundredth of it."""
    G, solver = 2.0 * np.eye(5), BisectionSolver(max_iterations=1, newton=False)
    for push, most in ((3.0, 0.3), (0.03, 0.003)):
        problem = Problem.from_blocks([CONE, disc(0.2, 2)], G, [0.0, 0.0, -push, 5.0, 3.0], key=[1, 2])
        solver.step(problem)
        assert np.linalg.norm(problem.impulse[3:]) == pytest.approx(most, rel=1e-12)


def test_errors_of_turning_are_measured_as_speeds():
    """1 rad/s at the distance sqrt(2 / 8) m at which the cone's mobility, 2, is that of the disc, 8."""
    G = np.diag([2.0, 2.0, 2.0, 8.0])
    problem = Problem.from_blocks([CONE, disc(0.2)], G, [0.0, 0.0, -3.0, 1.0])
    problem.impulse[2] = 1.5
    BisectionSolver(max_iterations=1, newton=False).solve(problem)
    assert problem.impulse[3] == pytest.approx(-0.125, rel=1e-14)
    assert problem.error == pytest.approx(0.5, rel=1e-12)
