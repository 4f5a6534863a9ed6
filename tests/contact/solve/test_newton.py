"""Sweeps and the proximal Newton method on random problems: every law holds, whatever the problem."""

import numpy as np
import pytest
from reference.natural_map import natural_map
from scipy.optimize import lsq_linear

from rbdyn.contact import BisectionSolver, Problem


def crowded(rng, unknowns=None, laws=("cone", "unilateral", "bilateral", "box", "disc")):
    """More rows than the island can move in, as of a humanoid that lies on its own arms: blocks, Y, v_free.

    The velocity at zero impulse comes from a motion, so that laws do not contradict one another.
    """
    n = int(unknowns or rng.integers(12, 40))
    cones = int(rng.integers(4, 16)) if "cone" in laws else 0
    blocks = [{"law": "cone", "friction": float(rng.uniform(0.1, 1.5))} for _ in range(cones)]
    for law in ("unilateral", "bilateral", "box"):
        for _ in range(int(rng.integers(0, 6)) if law in laws else 0):
            block = {"law": law, "rows": int(rng.integers(1, 4)) if law != "bilateral" else 1}
            if law == "box":
                block |= {"low": -float(rng.uniform(0.0, 0.4)), "high": float(rng.uniform(0.0, 0.4))}
            blocks.append(block)
    if "disc" in laws and cones:
        for _ in range(int(rng.integers(0, 3))):
            blocks.append({"law": "disc", "rows": int(rng.integers(1, 3)), "friction": float(rng.uniform(0.01, 0.3)),
                           "partner": int(rng.integers(cones))})  # fmt: skip
    rows = 3 * cones + sum(b.get("rows", 1) for b in blocks[cones:])
    Y = rng.normal(size=(rows, n)) * rng.uniform(0.3, 2.0, n)
    mask = rng.random((cones, n)) < 0.4  # a contact moves some joints alone
    Y[: 3 * cones] *= np.repeat(mask | ~mask.any(1)[:, None], 3, axis=0)
    return blocks, Y, Y @ rng.normal(size=n)


@pytest.mark.parametrize("dt", [0.0, 1e-3])
def test_every_law_holds_on_crowded_problems(seed, dt):
    rng = np.random.default_rng(seed)
    for _ in range(10):
        blocks, Y, v = crowded(rng)
        problem = Problem.from_rows(blocks, Y, v, dt=dt)
        solver = BisectionSolver(newton=True, max_iterations=500)
        solver.solve(problem)
        left, velocity = natural_map(problem)
        assert problem.converged and np.abs(left).max() < (1e-6 if dt else 1e-8) * max(1.0, np.abs(v).max())
        assert problem.impulse.ravel() @ (velocity + v) <= 1e-9  # what they do is no gain of energy


def test_contacts_without_friction_never_pull(seed):
    """Some approach and some part: normal impulses are those of non-negative least squares, and friction is zero."""
    rng = np.random.default_rng(seed)
    pulled = 0
    for _ in range(20):
        n = int(rng.integers(2, 9))
        Y = rng.normal(size=(3 * n, 3 * n + 2))
        v = rng.normal(size=3 * n)
        problem = Problem.from_rows([{"law": "cone", "friction": 0.0}] * n, Y, v)
        BisectionSolver(threshold=1e-12).solve(problem)
        lam = problem.impulse.reshape(-1, 3)
        motion = np.linalg.lstsq(Y, v, rcond=None)[0]
        best = lsq_linear(Y[2::3].T, -motion, (0.0, np.inf), tol=1e-14).x
        np.testing.assert_allclose(lam[:, 2], best, atol=1e-7)
        assert not lam[:, :2].any() and (lam[:, 2] >= 0).all()
        pulled += (best < 1e-9).sum()
    assert pulled > 20


def test_velocities_without_friction_are_those_of_a_bounded_least_squares_problem(seed):
    """Least kinetic energy of z + Y^T lam over bounds on lam, by an active-set method of SciPy."""
    rng = np.random.default_rng(seed)
    for _ in range(10):
        blocks, Y, v = crowded(rng, laws=("unilateral", "bilateral", "box"))
        if not blocks:
            continue
        low, high = [], []
        for b in blocks:
            bounds = {"unilateral": (0.0, np.inf), "bilateral": (-np.inf, np.inf)}.get(b["law"])
            low += [(bounds or (b["low"], b["high"]))[0]] * b["rows"]
            high += [(bounds or (b["low"], b["high"]))[1]] * b["rows"]
        z = np.linalg.lstsq(Y, v, rcond=None)[0]
        oracle = lsq_linear(Y.T, -z, (np.array(low), np.array(high)), method="bvls", tol=1e-14)
        problem = Problem.from_rows(blocks, Y, v)
        BisectionSolver(newton=True, max_iterations=500).solve(problem)
        np.testing.assert_allclose(z + Y.T @ problem.impulse.ravel(), z + Y.T @ oracle.x, atol=2e-7)


def test_compliance_is_solved_as_a_spring_beside_the_law(seed):
    """A compliance c of a row is a coordinate of its own with the entry sqrt(c), without compliance."""
    rng = np.random.default_rng(seed)
    for _ in range(6):
        blocks, Y, v = crowded(rng, laws=("unilateral", "bilateral", "box"))
        if not blocks:
            continue
        soft = rng.uniform(0.01, 1.0, len(blocks))
        rows = np.repeat(soft, [b["rows"] for b in blocks])
        beside = np.hstack([Y, np.diag(np.sqrt(rows))])
        plain = Problem.from_rows(blocks, beside, v)
        compliant = Problem.from_rows([b | {"compliance": c} for b, c in zip(blocks, soft, strict=True)], Y, v)
        for problem in (plain, compliant):
            BisectionSolver(newton=True, max_iterations=500).solve(problem)
        np.testing.assert_allclose(compliant.impulse, plain.impulse, atol=1e-6)


def test_bodies_in_a_chain_agree_with_their_dense_matrix(seed):
    """The same problem by bodies (a band of 6 x 6 blocks) and by a square root of its matrix."""
    rng = np.random.default_rng(seed)
    n = 12
    mass, inertia = rng.uniform(0.5, 2.0, n), []
    for _ in range(n):
        root = rng.normal(size=(3, 3))
        inertia.append(root @ root.T + 0.5 * np.eye(3))
    order = rng.permutation(n)
    a, b, frame = order[1:].repeat(2), order[:-1].repeat(2), []
    for _ in a:
        q, _ = np.linalg.qr(rng.normal(size=(3, 3)))
        frame.append(q * np.sign(np.linalg.det(q)))
    bodies = Problem.from_bodies(
        mass, inertia, frame=frame, v_free=rng.normal(size=(len(a), 3)), friction=0.6, single_a=a, single_b=b,
        arm_a=rng.normal(size=(len(a), 3)), arm_b=rng.normal(size=(len(a), 3)))  # fmt: skip
    w, U = np.linalg.eigh(bodies.delassus)
    keep = w > 1e-12 * w[-1]
    dense = Problem.from_rows([{"law": "cone", "friction": 0.6}] * len(a), U[:, keep] * np.sqrt(w[keep]),
                              bodies.v_free.ravel())  # fmt: skip
    for problem in (bodies, dense):
        BisectionSolver(newton=True, max_iterations=500).solve(problem)
        assert problem.converged and np.abs(natural_map(problem)[0]).max() < 2e-8
    np.testing.assert_allclose(
        bodies.delassus @ bodies.impulse.ravel(), bodies.delassus @ dense.impulse.ravel(), atol=1e-6)  # fmt: skip


def test_a_load_that_legs_share_in_any_way_stays_symmetric():
    """A table on four equal legs, cold: each bears a quarter, though other shares would hold it, too."""
    rows = []
    for x, y in ((1.0, 1.0), (1.0, -1.0), (-1.0, -1.0), (-1.0, 1.0)):
        arm = np.array([x, y, -0.5])
        for e in np.eye(3):
            rows.append([*(np.sqrt(0.1) * e), *(np.sqrt(0.3) * np.cross(arm, e))])
    table = Problem.from_rows([{"law": "cone", "friction": 0.5}] * 4, rows, [0.0, 0.0, -1.0] * 4)
    BisectionSolver(newton=True).solve(table)
    np.testing.assert_allclose(table.impulse[:, 2], 2.5, atol=1e-6)


def test_few_steps_end_within_their_bound(seed):
    """Contradictory rows, bounces, one to five steps: impulses stay finite and within cones, and steps are counted."""
    rng = np.random.default_rng(seed)
    for _ in range(150):
        n, most = int(rng.integers(1, 8)), int(rng.integers(1, 6))
        J = rng.normal(size=(3 * n + 2, 3))
        v = J @ rng.normal(size=3) + rng.normal(size=3 * n + 2)
        target = np.zeros(3 * n + 2)
        target[2 : 3 * n : 3] = np.maximum(0.0, -v[2 : 3 * n : 3])
        blocks = [{"law": "cone", "friction": 0.7}] * n + [{"law": "unilateral", "rows": 2}]
        problem = Problem.from_blocks(blocks, J @ J.T, v - target, target=target)
        solver = BisectionSolver(max_iterations=most)
        solver.solve(problem)
        cones = np.ravel(problem.impulse)[: 3 * n].reshape(n, 3)
        assert len(solver.error_history) == problem.iterations <= 13 * most
        assert np.isfinite(problem.impulse).all()
        assert (np.hypot(cones[:, 0], cones[:, 1]) <= 0.7 * cones[:, 2] * (1 + 1e-12)).all()
