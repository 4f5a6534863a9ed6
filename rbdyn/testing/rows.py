"""Law tests of the blocks that are no cones: unilateral and bilateral rows, boxes, discs."""

from __future__ import annotations

from typing import Any

import numpy as np

from rbdyn.contact import ContactSolver, Problem
from rbdyn.errors import ContactError


def check_rows(solver: ContactSolver, rng: np.random.Generator, tolerance: float) -> None:
    """Raise ContactError for the first law of rows that `solver` declares and breaks, on random problems."""
    blocks = random_blocks(rng, [law for law in type(solver).laws if law not in ("cone", "disc")])
    if blocks:
        check_mixture(solver, rng, blocks, tolerance)
    if {"cone", "disc"} <= set(type(solver).laws):
        check_discs(solver, rng, tolerance)


def check_mixture(
    solver: ContactSolver, rng: np.random.Generator, blocks: list[dict[str, Any]], tolerance: float
) -> None:
    """Raise ContactError for the first of these blocks whose law the solver breaks."""
    rows = np.array([block.get("rows", 1) for block in blocks])
    n = int(rows.sum())
    A = rng.normal(size=(n, 2 * n))
    G, v_free = A @ A.T / (2 * n) + 0.2 * np.eye(n), rng.normal(size=n)
    problem = Problem.from_blocks(blocks, G, v_free, key=np.arange(1, len(blocks) + 1))
    solver.reset()
    solver.solve(problem)
    lam, end = np.array(problem.impulse), np.cumsum(rows)
    if not np.isfinite(lam).all():
        raise ContactError(f"law 'finite' fails: impulse holds {lam[~np.isfinite(lam)][0]}")
    v = v_free + G @ lam + np.repeat([block["compliance"] for block in blocks], rows) * lam
    for block, stop, count in zip(blocks, end, rows, strict=True):
        r = slice(stop - count, stop)
        low, high = bounds(block)
        mobility = G.diagonal()[r]
        off = float(np.abs((lam[r] - np.clip(lam[r] - v[r] / mobility, low, high)) * mobility).max())
        if not off <= tolerance * float(np.abs(v_free).max()):
            raise ContactError(f"law {block['law']!r} fails on a mixture of rows: off by {off:.3g} m/s")


def check_discs(solver: ContactSolver, rng: np.random.Generator, tolerance: float) -> None:
    """Raise ContactError for a disc, beside the cone that bounds it, whose law the solver breaks, or energy made."""
    cones, sizes = 2, np.array([1, 2, 2, 1])
    blocks: list[dict[str, Any]] = [{"law": "cone", "friction": rng.uniform(0.2, 1.0)} for _ in range(cones)]
    for k, size in enumerate(sizes):
        soft, a = (0.0, 0.3)[k % 2], rng.uniform(0.0, 0.6)
        blocks.append({"law": "disc", "friction": a, "partner": k % cones, "rows": int(size), "compliance": soft})
    n = 3 * cones + int(sizes.sum())
    A = rng.normal(size=(n, 2 * n))
    G, v_free = A @ A.T / (2 * n) + 0.2 * np.eye(n), rng.normal(size=n)
    v_free[2 : 3 * cones : 3] -= 1.0
    problem = Problem.from_blocks(blocks, G, v_free, key=np.arange(1, len(blocks) + 1))
    solver.reset()
    solver.solve(problem)
    lam = np.array(problem.impulse)
    v, first = v_free + G @ lam, 3 * cones
    for block, size in zip(blocks[cones:], sizes, strict=True):
        r = slice(first, first + size)
        radius = block["friction"] * lam[3 * block["partner"] + 2]
        off = disc_error(lam[r], v[r] + block["compliance"] * lam[r], radius, float(G.diagonal()[r].max()))
        if not off <= tolerance * float(np.abs(v_free).max()):
            raise ContactError(f"law 'disc' fails on {size} rows beside {cones} cones: off by {off:.3g}")
        first += size
    gain, size = 0.5 * float(lam @ (v + v_free)), float(np.abs(lam * (v + v_free)).sum())
    if not gain <= 1e-6 * size:
        raise ContactError(f"law 'energy' fails on discs beside {cones} cones: {gain:.3g} J were made")


def disc_error(lam: np.ndarray, v: np.ndarray, radius: float, mobility: float) -> float:
    """How far a step against the velocity, cut to the disc, leads away from these impulses [m/s]."""
    to = lam - v / mobility
    to = to * min(1.0, radius / max(float(np.linalg.norm(to)), 1e-300))
    return float(np.abs(to - lam).max()) * mobility


def random_blocks(rng: np.random.Generator, laws: list[str]) -> list[dict[str, Any]]:
    """Two blocks of each law, rigid and compliant."""
    blocks: list[dict[str, Any]] = []
    for law in laws:
        for compliance in (0.0, 0.3):
            block: dict[str, Any] = {"law": law, "rows": int(rng.integers(1, 4)), "compliance": compliance}
            if law == "box":
                block |= {"low": -rng.uniform(0.0, 0.5), "high": rng.uniform(0.0, 0.5)}
            blocks.append(block)
    return blocks


def bounds(block: dict[str, Any]) -> tuple[float, float]:
    """Between which impulses the law of a block keeps its rows."""
    if block["law"] == "box":
        return block["low"], block["high"]
    return (0.0 if block["law"] == "unilateral" else -np.inf), np.inf
