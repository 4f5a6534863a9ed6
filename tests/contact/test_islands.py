"""Islands of a problem: what shares no moving body is solved as if it were alone, bit for bit."""

import numpy as np
import pytest

from rbdyn.contact import BisectionSolver, PGSSolver, Problem


def group(rng, bodies, contacts):
    """Arguments of contacts among some bodies, and with body 0, which does not move."""
    a = rng.integers(1, bodies, contacts)
    b = (a + rng.integers(1, bodies, contacts)) % bodies
    frame = [np.linalg.qr(rng.normal(size=(3, 3)))[0] for _ in range(contacts)]
    return {
        "frame": np.array([R * np.linalg.det(R) for R in frame]), "v_free": rng.normal(size=(contacts, 3)),
        "friction": rng.uniform(0.2, 1.0, contacts), "single_a": a, "single_b": b,
        "arm_a": 0.2 * rng.normal(size=(contacts, 3)), "arm_b": 0.2 * rng.normal(size=(contacts, 3)),
        "rows": 0.5 * rng.normal(size=(contacts, 3, 3)),
    }  # fmt: skip


def merged(groups, sizes, order):
    """All groups in one problem, the immovable body shared; `order` names the group of each contact."""
    place, taken, at = [], [0] * len(groups), np.cumsum([0, *[len(g["v_free"]) for g in groups]])
    for k in order:
        place.append(at[k] + taken[k])
        taken[k] += 1
    together = {name: np.concatenate([g[name] for g in groups]) for name in groups[0] if name != "rows"}
    width = [g["rows"].shape[2] for g in groups]
    rows = np.zeros((at[-1], 3, sum(width)))
    first_body, first_row = 0, 0
    for k, g in enumerate(groups):
        for side in ("single_a", "single_b"):
            moved = np.where(g[side] > 0, g[side] + first_body, 0)
            together[side][at[k] : at[k + 1]] = moved
        rows[at[k] : at[k + 1], :, first_row : first_row + width[k]] = g["rows"]
        first_body += sizes[k] - 1
        first_row += width[k]
    masses = np.concatenate([[0.0], *[np.linspace(0.5, 2.0, n - 1) for n in sizes]])
    inertias = np.concatenate([np.zeros((1, 3, 3)), *[np.tile(8.0 * np.eye(3), (n - 1, 1, 1)) for n in sizes]])
    together = {name: value[place] for name, value in together.items()}
    return Problem.from_bodies(masses, inertias, rows=rows[place], **together), place


@pytest.mark.parametrize("make", [BisectionSolver, PGSSolver, lambda: BisectionSolver(max_iterations=12)])
@pytest.mark.parametrize("parity", [0, 1])
def test_bits_of_an_island_do_not_depend_on_others(seed, make, parity):
    """Three groups that share only an immovable body: together, interleaved, and each by itself."""
    rng = np.random.default_rng(seed)
    sizes, contacts = (4, 6, 2), (9, 5, 1)
    groups = [group(rng, n, m) for n, m in zip(sizes, contacts, strict=True)]
    expected, sweeps, errors, converged = [], [], [], []
    for g, n, m in zip(groups, sizes, contacts, strict=True):
        alone, _ = merged([g], [n], [0] * m)
        solver = make()
        solver.parity = parity
        solver.solve(alone)
        expected.append(alone.impulse.copy())
        sweeps.append(alone.iterations)
        errors.append(alone.error)
        converged.append(alone.converged)
    problem, place = merged(groups, sizes, rng.permutation(np.repeat([0, 1, 2], contacts)))
    solver = make()
    solver.parity = parity
    solver.solve(problem)
    np.testing.assert_array_equal(problem.impulse, np.concatenate(expected)[place])
    assert np.abs(problem.impulse).max() > 0.1
    assert problem.iterations == max(sweeps) and problem.error == max(errors)
    assert problem.converged == all(converged)
    if isinstance(solver, BisectionSolver):
        assert len(solver.error_history) == max(sweeps) and solver.error_history[0] > 0.0


@pytest.mark.parametrize("make", [BisectionSolver, PGSSolver])
def test_rows_are_sorted_with_the_cones_of_their_island(make):
    """A cone, a motor and a stop on each of two coordinate systems, listed by turns; closed forms for each."""
    cone = {"law": "cone", "friction": 0.5}
    blocks = [cone, cone, {"law": "box", "low": -0.1, "high": 0.1}, {"law": "unilateral"}, {"law": "unilateral"},
              {"law": "bilateral", "rows": 2}]  # fmt: skip
    v = [0.0, 0.0, -1.0, 0.0, 0.0, -2.0, 3.0, -4.0, -5.0, 6.0, 7.0]
    G = np.diag([1.0, 1.0, 1.0, 2.0, 2.0, 2.0, 1.0, 2.0, 1.0, 2.0, 2.0])
    G[2, 6] = G[6, 2] = 0.25  # the first cone and the motor
    G[5, 7] = G[7, 5] = -0.5  # the second cone and the first stop
    problem = Problem.from_blocks(blocks, G, v)
    make().solve(problem)
    assert problem.converged
    lam = problem.impulse
    # the motor gives all it has; the second cone and its stop push both: (2 a - b / 2, 2 b - a / 2) = (2, 4)
    expected = [0.0, 0.0, 1.025, 0.0, 0.0, 4.0 / 2.5 * 1.0, -0.1, 0.0, 5.0, -3.0, -3.5]
    a, b = np.linalg.solve([[2.0, -0.5], [-0.5, 2.0]], [2.0, 4.0])
    expected[5], expected[7] = a, b
    np.testing.assert_allclose(lam, expected, atol=1e-7)


def test_an_island_that_contradicts_itself_leaves_the_others_exact():
    """A ball squeezed by two walls, and one on a floor beside it: the second is held to rounding, in two sweeps."""
    x, y, z = np.eye(3)
    problem = Problem.from_bodies(
        [0.5, 0.5], [5.0 * np.eye(3)] * 2, frame=[[y, z, x], [x, y, z], [y, -z, -x]], friction=0.0,
        v_free=[[0.0, 0.0, -1.0], [0.0, 0.0, -0.7], [0.0, 0.0, -1.0]], single_a=[0, 1, 0],
        target=[[0.0, 0.0, 1.0], [0.0, 0.0, 0.0], [0.0, 0.0, 1.0]],
        arm_a=[[-0.1, 0.0, 0.0], [0.0, 0.0, -0.1], [0.1, 0.0, 0.0]],
    )  # fmt: skip
    BisectionSolver().solve(problem)
    assert problem.impulse[1, 2] == pytest.approx(1.4, rel=1e-14)
    assert problem.impulse[0, 2] > 1.0 and not problem.converged
