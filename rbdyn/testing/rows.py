"""Law tests of the blocks that are no cones: unilateral and bilateral rows, boxes."""

from __future__ import annotations

from typing import Any

import numpy as np

from rbdyn.contact import ContactSolver, Problem
from rbdyn.errors import ContactError


def check_rows(solver: ContactSolver, rng: np.random.Generator, tolerance: float) -> None:
    """Raise ContactError for the first law of rows that `solver` declares and breaks, on one random problem."""
    blocks = random_blocks(rng, [law for law in type(solver).laws if law != "cone"])
    if not blocks:
        return
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
