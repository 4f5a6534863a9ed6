"""Unilateral, bilateral and box blocks against closed forms, and against bounded least squares."""

import numpy as np
import pytest
from scipy.optimize import lsq_linear

from rbdyn.contact import BisectionSolver, ContactSolver, PGSSolver, Problem
from rbdyn.errors import ContactError

EXACT = {"threshold": 1e-13, "max_iterations": 20000}
SOLVERS = [lambda: BisectionSolver(**EXACT), lambda: PGSSolver(threshold=1e-13, max_iterations=20000)]
MOTOR = {"law": "box", "low": -0.5, "high": 0.25}


def solved(make, blocks, G, v_free, **options):
    problem = Problem.from_blocks(blocks, G, v_free, **options)
    make().solve(problem)
    assert problem.converged
    return problem


@pytest.mark.parametrize("make", SOLVERS)
@pytest.mark.parametrize("v, expected", [(-3.0, 1.5), (3.0, 0.0)])
def test_one_unilateral_row(make, v, expected):
    """G lam + v >= 0 with lam >= 0: -v / G where it pushes, 0 where it would pull."""
    problem = solved(make, [{"law": "unilateral"}], [[2.0]], [v])
    assert problem.impulse[0] == pytest.approx(expected, rel=1e-14)
    assert problem.velocity()[0] == pytest.approx(max(v, 0.0), abs=1e-14)


@pytest.mark.parametrize("make", SOLVERS)
@pytest.mark.parametrize("v, expected", [(-3.0, 0.25), (3.0, -0.5), (0.4, -0.2), (-0.4, 0.2)])
def test_one_box_row(make, v, expected):
    """A motor: it stops the velocity within its bounds, and stays at the bound it meets."""
    assert solved(make, [MOTOR], [[2.0]], [v]).impulse[0] == pytest.approx(expected, rel=1e-14)


@pytest.mark.parametrize("make", SOLVERS)
def test_compliance_is_a_spring_in_series(make):
    """v + compliance lam = 0: lam = -v_free / (G + compliance), for every law."""
    for block in ({"law": "unilateral"}, {"law": "bilateral"}, {"law": "box", "low": -9.0, "high": 9.0}):
        problem = solved(make, [block | {"compliance": 0.5}], [[2.0]], [-3.0])
        assert problem.impulse[0] == pytest.approx(1.2, rel=1e-14)
        assert problem.velocity()[0] == pytest.approx(-0.6, rel=1e-12)


@pytest.mark.parametrize("make", SOLVERS)
def test_a_compliant_contact_sticks_and_slides(make):
    """G = 2: lam_n = 3 / 2.5; friction holds v_t = 0.5 with 0.2 N s, and gives way to v_t = 9."""
    cone = {"law": "cone", "friction": 0.5, "compliance": 0.5}
    problem = solved(make, [cone], 2.0 * np.eye(3), [0.3, -0.4, -3.0])
    np.testing.assert_allclose(problem.impulse[0], [-0.12, 0.16, 1.2], rtol=1e-6)
    np.testing.assert_allclose(problem.velocity()[0], [0.06, -0.08, -0.6], rtol=1e-6)
    problem = solved(make, [cone], 2.0 * np.eye(3), [9.0, 0.0, -3.0])
    np.testing.assert_allclose(problem.impulse[0], [-0.6, 0.0, 1.2], rtol=1e-6, atol=1e-9)


@pytest.mark.parametrize("rows", range(1, 7))
def test_a_bilateral_block_is_solved_at_one_visit(rows):
    """Coupled rows together: exact after one sweep, whatever their condition."""
    rng = np.random.default_rng(rows)
    A = rng.normal(size=(rows, rows)) * 10.0 ** rng.uniform(-2, 2, rows)[:, None]
    G, v = A @ A.T, rng.normal(size=rows)
    problem = Problem.from_blocks([{"law": "bilateral", "rows": rows}], G, v)
    solver = BisectionSolver(max_iterations=1)
    solver.solve(problem)
    expected = np.linalg.solve(G, -v)
    np.testing.assert_allclose(problem.impulse, expected, rtol=1e-6)
    assert np.abs(expected).min() > 1e-6


@pytest.mark.parametrize("make", SOLVERS)
def test_redundant_rows_are_allowed(make):
    """Six rows of rank 3, over and over from a warm start: velocities vanish, impulses stay."""
    rng = np.random.default_rng(1)
    A = rng.normal(size=(6, 3))
    v = A @ rng.normal(size=3)
    solver, first = make(), None
    for _ in range(20):
        problem = Problem.from_blocks([{"law": "bilateral", "rows": 6}], A @ A.T, v, key=[1])
        solver.step(problem)
        assert problem.converged and np.abs(problem.velocity()).max() < 1e-12
        first = problem.impulse.copy() if first is None else first
        np.testing.assert_allclose(problem.impulse, first, atol=1e-12)
    assert np.abs(first).max() > 0.1


def test_contradictory_redundant_rows_do_not_grow():
    """The same row twice with different targets: one is met, and the impulse stays where it is."""
    solver = BisectionSolver()
    for _ in range(20):
        problem = Problem.from_blocks([{"law": "bilateral", "rows": 2}], np.ones((2, 2)), [-1.0, -1.5], key=[1])
        solver.step(problem)
        assert problem.impulse.sum() == pytest.approx(1.0, rel=1e-12)


@pytest.mark.parametrize("make", SOLVERS)
def test_mixtures_are_bounded_least_squares(make, seed):
    """Without cones the problem is min |Y^T lam + u|^2 / 2 + lam C lam / 2 within bounds, as scipy solves it."""
    rng = np.random.default_rng(seed)
    blocks, low, high, soft = [], [], [], []
    for _ in range(8):
        law = rng.choice(["unilateral", "bilateral", "box"])
        rows = int(rng.integers(1, 4))
        block = {"law": str(law), "rows": rows, "compliance": float(rng.choice([0.0, 0.3]))}
        bounds = {"unilateral": (0.0, np.inf), "bilateral": (-np.inf, np.inf), "box": (-0.3, 0.2)}[str(law)]
        if law == "box":
            block |= {"low": -0.3, "high": 0.2}
        blocks.append(block)
        low += [bounds[0]] * rows
        high += [bounds[1]] * rows
        soft += [block["compliance"]] * rows
    n = len(low)
    Y, u = rng.normal(size=(n, n + 2)) / np.sqrt(n), rng.normal(size=n + 2)
    problem = solved(make, blocks, Y @ Y.T, Y @ u)
    A = np.vstack([Y.T, np.diag(np.sqrt(soft))])
    best = lsq_linear(A, np.concatenate([-u, np.zeros(n)]), (low, high), method="bvls", tol=1e-14, max_iter=1000)
    assert best.success
    np.testing.assert_allclose(problem.impulse, best.x, atol=1e-7 * np.abs(best.x).max())
    at_bound = np.minimum(np.abs(best.x - low), np.abs(best.x - high)) < 1e-9
    assert at_bound.any() and (np.abs(best.x) > 0.01).any()


@pytest.mark.parametrize("make", SOLVERS)
def test_contacts_beside_other_laws(make, seed):
    """Every law holds at the solution of a mixture with cones, and no energy is made."""
    rng = np.random.default_rng(seed)
    cones, n = 3, 3 * 3 + 4
    blocks = [{"law": "cone", "friction": 0.5}] * cones
    blocks += [{"law": "unilateral"}, {"law": "bilateral", "rows": 2}, MOTOR]
    A = rng.normal(size=(n, n + 3)) / np.sqrt(n)
    v_free = rng.normal(size=n)
    v_free[2:9:3] -= 1.0
    problem = solved(make, blocks, A @ A.T, v_free)
    lam, v = problem.impulse, v_free + A @ A.T @ problem.impulse
    np.testing.assert_allclose(problem.velocity(), v, atol=1e-12)
    for i in range(cones):
        (x, y, p), (vx, vy, vn) = lam[3 * i : 3 * i + 3], v[3 * i : 3 * i + 3]
        assert abs(min(p, vn)) < 1e-9 and np.hypot(x, y) <= 0.5 * p * (1 + 1e-12)
        if np.hypot(x, y) < 0.5 * p * (1 - 1e-9):
            assert np.hypot(vx, vy) < 1e-9
        else:
            assert abs(vx * y - vy * x) < 1e-9 and vx * x + vy * y <= 1e-9
    assert abs(min(lam[9], v[9])) < 1e-9
    np.testing.assert_allclose(v[10:12], 0.0, atol=1e-9)
    assert -0.5 <= lam[12] <= 0.25
    assert abs(v[12]) < 1e-9 or (lam[12] == 0.25 and v[12] < 0) or (lam[12] == -0.5 and v[12] > 0)
    assert lam @ (v_free + v) / 2 < 0.0


@pytest.mark.parametrize("ratio", [1e-4, 1.0, 1e4])
def test_mass_ratios(ratio):
    """A heavy body hung on a light one by two bilateral rows: both velocities vanish."""
    J, W = np.array([[1.0, 0.0], [-1.0, 1.0]]), np.diag([1.0, 1.0 / ratio])
    problem = solved(SOLVERS[0], [{"law": "bilateral", "rows": 2}], J @ W @ J.T, [-1.0, 0.0])
    np.testing.assert_allclose(problem.impulse, [1.0 + ratio, ratio], rtol=1e-9)


def test_warm_start_by_key():
    """Blocks find their impulses again, clamped to what the law allows now; a change of rows starts from zero."""
    class Shows(ContactSolver):
        laws = ("cone", "unilateral", "bilateral", "box")

        def solve(self, problem):
            self.given = problem.impulse.copy()
            problem.impulse[:] = self.values

    blocks = [{"law": "unilateral"}, {"law": "bilateral", "rows": 2}, {"law": "box", "low": -1.0, "high": 1.0}]
    solver = Shows()
    solver.values = [2.0, 3.0, -4.0, 0.75]
    solver.step(Problem.from_blocks(blocks, np.eye(4), [-20.0, -20.0, 20.0, -20.0], key=[3, 5, 9]))
    assert not solver.given.any()
    blocks = [{"law": "bilateral", "rows": 2}, {"law": "box", "low": -1.0, "high": 0.5}, {"law": "bilateral"}]
    solver.values = [0.0] * 4
    state = solver.get_state()
    solver.step(Problem.from_blocks(blocks, np.eye(4), [-20.0, 20.0, -20.0, 0.0], key=[5, 9, 11]))
    np.testing.assert_array_equal(solver.given, [3.0, -4.0, 0.5, 0.0])
    solver.set_state(state)
    blocks = [{"law": "bilateral", "rows": 3}, {"law": "box", "low": -1.0, "high": 0.5}]
    solver.step(Problem.from_blocks(blocks, np.eye(4), np.zeros(4), key=[5, 9]))
    np.testing.assert_array_equal(solver.given, [0.0, 0.0, 0.0, 0.5])


# ---- who takes what, and what is refused --------------------------------------------------------------------------


def test_a_solver_that_does_not_take_a_law_is_named():
    class Cones(ContactSolver):
        def solve(self, problem):
            problem.impulse[:] = 0.0

    with pytest.raises(ContactError, match=r"^Cones takes the laws cone .*; block 0 of the problem is of law 'box'"):
        Cones().step(Problem.from_blocks([MOTOR], [[1.0]], [1.0]))
    with pytest.raises(ContactError, match=r"^Odd\.laws must name some of"):
        type("Odd", (ContactSolver,), {"laws": ("cone", "spring")})()


@pytest.mark.parametrize("impulse, message", [(0.3, "box allows 0.25"), (np.nan, "box"), (-0.6, "box allows -0.5")])
def test_a_python_solver_outside_a_law_is_told_so(impulse, message):
    class Writes(ContactSolver):
        laws = ("box",)

        def solve(self, problem):
            problem.impulse[:] = impulse

    place = "at row 0 of block 0 of 1"
    with pytest.raises(ContactError, match=rf"^Writes\.solve\(\) wrote impulse .* {place}: a {message}"):
        Writes().step(Problem.from_blocks([MOTOR], [[1.0]], [9.0 if impulse < 0 else -9.0]))


@pytest.mark.parametrize(
    "block, message",
    [
        ({"law": "spring"}, "must be a dict with 'law'"),
        ({"law": "box", "low": 0.1, "high": 1.0}, "low <= 0 <= high"),
        ({"law": "bilateral", "rows": 7}, "rows must be a whole number from 1 to 6"),
        ({"law": "cone", "rows": 3}, "has .*rows.*; known: .*friction"),
        ({"law": "unilateral", "compliance": -1.0}, "compliance and friction must be >= 0"),
        (3, "must be a dict"),
    ],
)
def test_bad_blocks_are_named(block, message):
    with pytest.raises(ContactError, match=rf"^blocks\[0\].*{message}"):
        Problem.from_blocks([block], [[1.0]], [1.0])


def test_cones_come_first():
    with pytest.raises(ContactError, match="cones come first"):
        Problem.from_blocks([MOTOR, {"law": "cone", "friction": 0.5}], np.eye(4), np.zeros(4))


def test_blocks_and_rows_are_arrays():
    problem = Problem.from_blocks([{"law": "cone", "friction": 0.5}, {"law": "bilateral", "rows": 2}, MOTOR], np.eye(6),
                                  -np.arange(6.0), key=[7, 2, 4])
    assert problem.n == 3 and problem.n_cones == 1 and problem.n_rows == 6
    assert problem.law.tolist() == [0, 2, 3] and problem.first_row.tolist() == [0, 3, 5]
    assert problem.rows.tolist() == [3, 2, 1] and problem.a.tolist() == [0.5, 0.0, -0.5]
    assert problem.b.tolist() == [0.0, 0.0, 0.25] and problem.key["id_b"].tolist() == [7, 2, 4]
    assert problem.impulse.shape == problem.v_free.shape == (6,) and problem.friction.tolist() == [0.5]
    assert problem.delassus.shape == (6, 6)


# ---- the impulse array is the caller's own ------------------------------------------------------------------------


@pytest.mark.parametrize("harm", ["strides", "resize", "dtype"])
def test_a_harmed_impulse_array_is_an_error_or_right(harm):
    """Its own memory: whatever is done to it, nothing is read or written outside."""
    problem = Problem(np.eye(6), [[0.0, 0.0, -1.0]] * 2, 0.5)
    array = problem.impulse
    try:
        if harm == "strides":
            array.strides = (8, 8)
        elif harm == "resize":
            array.resize((100000, 3), refcheck=False)
        else:
            array.dtype = np.int64
    except (ValueError, AttributeError, DeprecationWarning):
        pass
    try:
        BisectionSolver().solve(problem)
        problem.velocity()
    except ContactError as error:
        assert "impulse must keep its shape" in str(error)
