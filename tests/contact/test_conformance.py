"""The law tests of rows pass what is right, and name what solvers that are wrong in one thing break."""

import numpy as np
import pytest

from rbdyn.contact import BisectionSolver, PGSSolver, Problem
from rbdyn.contact.laws import LAW_NAMES
from rbdyn.errors import ContactError
from rbdyn.testing import check_contact_solver


class Wrong(BisectionSolver):
    """Right, but for `spoil`, which changes the impulses (m,) of a problem that has rows."""

    def solve(self, problem):
        start = np.array(problem.impulse).ravel()
        super().solve(problem)
        if problem.n > problem.n_cones:
            lam = np.array(problem.impulse).ravel()
            self.spoil(problem, lam, start)
            problem.impulse[:] = lam.reshape(problem.impulse.shape)

    def rows(self, problem, law):
        """Which rows belong to blocks of a law."""
        own = np.repeat(np.asarray(problem.law) == LAW_NAMES.index(law), problem.rows)
        assert len(own) == problem.n_rows
        return own


def blocks_of(problem):
    """The blocks as `Problem.from_blocks` takes them."""
    blocks = []
    for k, law in enumerate(problem.law):
        name, a, b = LAW_NAMES[law], float(problem.a[k]), float(problem.b[k])
        block = {"law": name, "compliance": float(problem.compliance[k])}
        if name != "cone":
            block["rows"] = int(problem.rows[k])
        block |= {"cone": {"friction": a}, "box": {"low": a, "high": b}}.get(name, {})
        if name == "disc":
            block |= {"friction": a, "partner": int(problem.partner[k])}
        blocks.append(block)
    return blocks


def solved(problem, change, rows=slice(None)):
    """The impulses of the problem with changed blocks; of some of its rows, without the others."""
    blocks = [change(block) for block in blocks_of(problem)]
    keep = np.arange(problem.n_rows)[rows]
    other = Problem.from_blocks([b for b in blocks if b], np.asarray(problem.delassus)[np.ix_(keep, keep)],
                                np.asarray(problem.v_free).ravel()[keep])
    BisectionSolver().solve(other)
    return np.array(other.impulse).ravel()


class Pulls(Wrong):
    def spoil(self, problem, lam, start):
        own = self.rows(problem, "unilateral")
        lam[own & (lam == 0.0)] = -1e-3


class Unbounded(Wrong):
    def spoil(self, problem, lam, start):
        def change(block):
            return block | {"low": -1e9, "high": 1e9} if block["law"] == "box" else block

        lam[:] = solved(problem, change)


class Rigid(Wrong):
    def spoil(self, problem, lam, start):
        lam[:] = solved(problem, lambda block: block | {"compliance": 0.0})


class Fights(Wrong):
    """Redundant rows against one another: no velocity shows it."""

    def spoil(self, problem, lam, start):
        if self.rows(problem, "bilateral").all():
            values, vectors = np.linalg.eigh(np.asarray(problem.delassus) + np.diag(np.repeat(problem.compliance,
                                                                                             problem.rows)))
            if values[0] < 1e-9 * values[-1]:
                lam += 1e3 * vectors[:, 0]


class Apart(Wrong):
    """Contacts first, as if there were no rows; then rows, as if there were no contacts."""

    def spoil(self, problem, lam, start):
        cones = 3 * problem.n_cones
        if cones > 0 and not self.rows(problem, "disc").any():
            lam[:cones] = solved(problem, lambda b: b if b["law"] == "cone" else None, slice(0, cones))
            lam[cones:] = solved(problem, lambda b: None if b["law"] == "cone" else b, slice(cones, None))


class Wide(Wrong):
    def spoil(self, problem, lam, start):
        lam[self.rows(problem, "disc")] *= 1.2


class Stuck(Wrong):
    """Keeps a tenth of the impulses that it began with twice."""

    def spoil(self, problem, lam, start):
        lam += 0.1 * start


class Slippery(Wrong):
    """Forgets friction where there are rows."""

    def spoil(self, problem, lam, start):
        if problem.n_cones > 0:
            lam[:] = solved(problem, lambda block: block | {"friction": 0.0} if block["law"] == "cone" else block)


class Restless(Wrong):
    def spoil(self, problem, lam, start):
        lam[self.rows(problem, "bilateral")] *= 1.0 - 1e-4


class Nothing(Wrong):
    def spoil(self, problem, lam, start):
        lam[self.rows(problem, "bilateral")] = np.nan


@pytest.mark.parametrize("make, law, where", [
    (Pulls, "unilateral", "unilateral rows"),
    (Unbounded, "box", "box rows"),
    (Rigid, "unilateral|bilateral", "compliant"),
    (Fights, "redundancy", "redundant bilateral rows"),
    (Apart, "signorini|dissipation|cone|unilateral|bilateral|box", "rows beside 2 contacts"),
    (Wide, "disc", "discs beside 2 contacts"),
    (Stuck, "unilateral|bilateral", "rows"),
    (Slippery, "dissipation", "beside 2 contacts"),
    (Restless, "bilateral", "bilateral rows"),
    (Nothing, "finite", "bilateral rows"),
])  # fmt: skip
def test_what_is_wrong_in_one_thing_is_told_which(make, law, where):
    with pytest.raises(ContactError, match=f"^law '({law})' fails on .*{where}"):
        check_contact_solver(make(), seeds=3)


@pytest.mark.parametrize("options, where", [
    ({"max_iterations": 2}, "rows|contacts"),
    ({"max_iterations": 12}, "rows|contacts"),
    ({"alpha_init": 0.01, "alpha_min": 0.01}, "rows|contacts"),
])  # fmt: skip
def test_what_stops_too_early_fails(options, where):
    with pytest.raises(ContactError, match=f"^law '.*' fails on .*({where})"):
        check_contact_solver(BisectionSolver(newton=False, **options), seeds=3)


@pytest.mark.parametrize("make", [
    BisectionSolver, PGSSolver, lambda: BisectionSolver(local_solver="bisection"),
    lambda: BisectionSolver(friction_law="raisim"),
])  # fmt: skip
def test_built_in_solvers_pass(make):
    check_contact_solver(make(), seeds=8)


def test_only_the_laws_that_a_solver_declares_are_asked_of_it():
    """Without boxes and discs, whatever it would do with them."""

    class Some(Unbounded):
        laws = ("cone", "unilateral", "bilateral")

        def spoil(self, problem, lam, start):
            assert not (self.rows(problem, "box") | self.rows(problem, "disc")).any()

    check_contact_solver(Some(), seeds=2)


def test_the_judge_knows_solutions_in_closed_form():
    """Two carts of 1000 and 1 kg that meet a wall: exact impulses pass, a hundred-thousandth more does not."""
    from rbdyn.testing.rows import RowCase, judge

    J, mass = np.array([[1.0, 0.0], [-1.0, 1.0]]), np.array([1000.0, 1.0])
    case = RowCase("carts", [{"law": "unilateral"}, {"law": "bilateral"}], J / np.sqrt(mass), J @ [-2.0, -2.0])
    exact = np.array([2.0 * 1001.0, 2.0])
    judge(case, exact, "coulomb", 1e-9, 1e-9)
    with pytest.raises(ContactError, match="^law '(unilateral|bilateral)' fails on carts"):
        judge(case, exact * (1.0 + 1e-5), "coulomb", 1e-9, 1e-9)
