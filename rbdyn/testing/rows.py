"""Law tests of the blocks that are no cones: unilateral and bilateral rows, boxes, discs, alone and beside contacts."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from rbdyn.contact import ContactSolver, Problem
from rbdyn.errors import ContactError
from rbdyn.testing.friction import cone_excess, slip_error

LINES = ("unilateral", "bilateral", "box")
MASSES = (1000.0, 1.0, 1e-3)  # of a chain: as uneven as sweeps can take that go along it
MORE = 10.0  # times the least impulses: as much as redundant rows may hold against one another

Blocks = list[dict[str, Any]]


@dataclass
class RowCase:
    """Blocks, and the numbers needed to judge their impulses without the code under test."""

    name: str
    blocks: Blocks
    columns: np.ndarray  # (m, k) J M^-1/2
    v_free: np.ndarray  # (m,) [m/s]
    redundant: bool = False

    @property
    def cones(self) -> int:
        """How many of the blocks."""
        return sum(block["law"] == "cone" for block in self.blocks)

    def problem(self) -> Problem:
        """What a solver is given."""
        keys = np.arange(1, len(self.blocks) + 1)
        return Problem.from_rows(self.blocks, self.columns, self.v_free, key=keys)

    def places(self) -> list[slice]:
        """The rows of each block."""
        sizes = [3 if block["law"] == "cone" else block.get("rows", 1) for block in self.blocks]
        ends = np.cumsum(sizes)
        return [slice(int(end - size), int(end)) for size, end in zip(sizes, ends, strict=True)]


def check_rows(
    solver: ContactSolver, rng: np.random.Generator, law: str, tolerance: float, energy_tolerance: float
) -> None:
    """Raise ContactError for the first law of rows that `solver` declares and breaks, on random problems."""
    for case in row_cases(rng, set(type(solver).laws)):
        problem = case.problem()
        solver.reset()
        solver.solve(problem)
        judge(case, np.array(problem.impulse).ravel(), law, tolerance, energy_tolerance)
        for _ in range(2):  # from the impulses before, and the other way round
            solver.step(problem)
            judge(case, np.array(problem.impulse).ravel(), law, tolerance, energy_tolerance)


def row_cases(rng: np.random.Generator, laws: set[str]) -> Iterator[RowCase]:
    """Each of these laws alone, rigid, compliant, redundant, of uneven masses; all together; beside contacts."""
    lines = [law for law in LINES if law in laws]
    for law in lines:
        for size in (1, 3):
            yield coupled(rng, f"{size} {law} rows", [block_of(rng, law, size)])
            yield coupled(rng, f"{size} compliant {law} rows", [block_of(rng, law, size, 0.3)])
        yield redundant(rng, law, apart=False)
        yield redundant(rng, law, apart=True)
        yield chain(rng, law)
    blocks = [block_of(rng, law, int(rng.integers(1, 4)), soft) for law in lines for soft in (0.0, 0.3)]
    if blocks:
        yield coupled(rng, "a mixture of rows", blocks)
    if "cone" not in laws:
        return
    cones: Blocks = [{"law": "cone", "friction": rng.uniform(0.2, 1.0)} for _ in range(2)]
    if blocks:
        yield coupled(rng, "rows beside 2 contacts", cones + blocks)
    if "disc" in laws:
        yield coupled(rng, "discs beside 2 contacts", cones + discs(rng))
        yield coupled(rng, "rows and discs beside 2 contacts", cones + blocks + discs(rng))


def block_of(rng: np.random.Generator, law: str, rows: int, compliance: float = 0.0) -> dict[str, Any]:
    """A block with random bounds, if its law has some."""
    block: dict[str, Any] = {"law": law, "rows": rows, "compliance": compliance}
    if law == "box":
        block |= {"low": -rng.uniform(0.0, 0.5), "high": rng.uniform(0.0, 0.5)}
    return block


def discs(rng: np.random.Generator) -> Blocks:
    """Two of the first contact and two of the second, rigid and compliant."""
    sizes, soft = (1, 2, 2, 1), (0.0, 0.3, 0.0, 0.3)
    return [
        {"law": "disc", "friction": rng.uniform(0.0, 0.6), "partner": k % 2, "rows": size, "compliance": soft[k]}
        for k, size in enumerate(sizes)
    ]


def coupled(rng: np.random.Generator, name: str, blocks: Blocks) -> RowCase:
    """Blocks that a random matrix of moderate condition couples; contacts that come."""
    case = RowCase(name, blocks, np.zeros((0, 0)), np.zeros(0))
    n = case.places()[-1].stop
    case.columns = np.hstack([rng.normal(size=(n, 2 * n)) / np.sqrt(2 * n), np.sqrt(0.2) * np.eye(n)])
    case.v_free = rng.normal(size=n)
    case.v_free[2 : 3 * case.cones : 3] -= 1.0
    return case


def redundant(rng: np.random.Generator, law: str, *, apart: bool) -> RowCase:
    """Rows that are there twice, and one that is the sum of two: in one block, or in several."""
    two = rng.normal(size=(2, 4))
    columns = np.vstack([two, two, two.sum(axis=0)])
    blocks = [block_of(rng, law, 1) for _ in range(5)] if apart else [block_of(rng, law, 5)]
    name = f"redundant {law} rows" + (", a block each" if apart else " of one block")
    return RowCase(name, blocks, columns, columns @ rng.normal(size=4), redundant=True)


def chain(rng: np.random.Generator, law: str) -> RowCase:
    """Each mass is joined to a much heavier one, the first to the world."""
    n = len(MASSES)
    J = np.eye(n) - np.eye(n, k=-1)
    blocks = [block_of(rng, law, 1) for _ in range(n)]
    columns = J / np.sqrt(MASSES)
    for block, mobility in zip(blocks, (columns**2).sum(axis=1), strict=True):
        if law == "box":
            block["low"], block["high"] = block["low"] / mobility, block["high"] / mobility
    return RowCase(f"a chain of {law} rows, masses as 1000 to 1 to 0.001", blocks, columns, J @ rng.normal(size=n))


def judge(case: RowCase, lam: np.ndarray, law: str, tolerance: float, energy_tolerance: float) -> None:
    """Raise ContactError for the first law that these impulses break."""
    if not np.isfinite(lam).all():
        raise ContactError(f"law 'finite' fails on {case.name}: impulse holds {lam[~np.isfinite(lam)][0]}")
    change = case.columns.T @ lam
    v, mobility = case.v_free + case.columns @ change, (case.columns**2).sum(axis=1)
    small = tolerance * float(np.abs(case.v_free).max())
    placed = list(zip(case.blocks, case.places(), strict=True))
    for block, r in placed[case.cones :] + placed[: case.cones]:  # a wrong row is seen in contacts beside it, too
        if block["law"] == "cone":
            name, off = cone_error(case, lam, v, r, law, small)
        elif block["law"] == "disc":
            name, off = "disc", disc_error(case, block, lam, v, r, float(mobility[r].max()))
        else:
            name, off = block["law"], line_error(block, lam[r], v[r], mobility[r])
        if not off <= small:
            raise ContactError(f"law {name!r} fails on {case.name}: off by {off:.3g} m/s, {small:.3g} allowed")
    gain, most = 0.5 * float(lam @ (v + case.v_free)), energy_tolerance * float(np.abs(case.v_free).max()) ** 2
    if not gain <= most / float(mobility.min()):
        raise ContactError(f"law 'energy' fails on {case.name}: {gain:.3g} J were made")
    least = np.linalg.lstsq(case.columns.T, change, rcond=None)[0]
    if case.redundant and not np.abs(lam).max() <= MORE * float(np.abs(least).max()) + small:
        raise ContactError(f"law 'redundancy' fails on {case.name}: impulses of {np.abs(lam).max():.3g} N s, where "
                           f"{np.abs(least).max():.3g} do the same")


def cone_error(
    case: RowCase, lam: np.ndarray, v: np.ndarray, r: slice, law: str, small: float
) -> tuple[str, float]:
    """Which law of a contact is worst kept, and how far it is off [m/s]."""
    block = case.columns[r] @ case.columns[r].T
    mu, impulse, own = case.blocks[r.start // 3]["friction"], lam[r], v[r]
    errors = {
        "signorini": abs(min(float(own[2]), float(impulse[2] * block[2, 2]))),
        "cone": float(cone_excess(impulse, mu) * block[2, 2]),
        "dissipation": slip_error(block, mu, impulse, own, law, small),
    }
    return max(errors.items(), key=lambda item: item[1])


def line_error(block: dict[str, Any], lam: np.ndarray, v: np.ndarray, mobility: np.ndarray) -> float:
    """How far a step against the velocity, cut to the bounds, leads away from these impulses [m/s]."""
    low, high = bounds(block)
    soft = block.get("compliance", 0.0)
    slope = mobility + soft
    return float(np.abs((lam - np.clip(lam - (v + soft * lam) / slope, low, high)) * slope).max())


def bounds(block: dict[str, Any]) -> tuple[float, float]:
    """Between which impulses the law of a block keeps its rows."""
    if block["law"] == "box":
        return block["low"], block["high"]
    return (0.0 if block["law"] == "unilateral" else -np.inf), np.inf


def disc_error(
    case: RowCase, block: dict[str, Any], lam: np.ndarray, v: np.ndarray, r: slice, mobility: float
) -> float:
    """The same, cut to the disc."""
    radius = block["friction"] * max(0.0, float(lam[3 * block["partner"] + 2]))
    slope = mobility + block.get("compliance", 0.0)
    to = lam[r] - (v[r] + block.get("compliance", 0.0) * lam[r]) / slope
    to = to * min(1.0, radius / max(float(np.linalg.norm(to)), 1e-300))
    return float(np.abs(to - lam[r]).max()) * slope
