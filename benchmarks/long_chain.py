"""Forward dynamics of 1000 joints in a row, beside MuJoCo, Drake and DART: time and memory."""

from __future__ import annotations

from functools import partial

import numpy as np

import rbdyn
from benchmarks import table
from benchmarks.chains import PEERS, Chain, Rbdyn
from benchmarks.machine import optional
from benchmarks.samples import Array
from benchmarks.timing import by_turns

COUNT = 1000
TARGET = 5.0
WRONG = 1e-6  # residual of an answer that counts as right


def run(quick: bool) -> None:
    """Print the table of this section."""
    rounds = 3 if quick else 7
    rng = np.random.default_rng(2)
    states = [(0.02 * rng.normal(size=COUNT), 0.02 * rng.normal(size=COUNT), rng.normal(size=COUNT)) for _ in range(10)]
    ours = Rbdyn(COUNT)
    chains: list[Chain] = [ours]
    missing = [module for module, _ in PEERS if optional(module) is None]
    chains += [peer(COUNT) for module, peer in PEERS if module not in missing]
    seconds = by_turns({chain.name: partial(chain.run, states) for chain in chains}, len(states), rounds)
    residuals = {chain.name: _residual(ours.model, states[-1], chain.answer) for chain in chains}
    right = [t for name, t in seconds.items() if name != "rbdyn" and residuals[name] < WRONG]
    best = min(right, default=None)
    rows = []
    for chain in chains:
        name, t = chain.name, seconds[chain.name]
        mine = chain is ours
        rows.append(
            [
                name,
                table.number(1e6 * t) if residuals[name] < WRONG else "WRONG",
                "-" if mine else table.number(t / seconds["rbdyn"]),
                table.verdict(best / t if best else None, TARGET) if mine else "",
                f"{residuals[name]:.0e}",
                table.number(None if chain.bytes is None else chain.bytes / 1e6),
            ]
        )
    header = ["engine", "us per call", "peer/ours", "target", "residual", "MB"]
    table.show(f"forward dynamics of a {COUNT}-joint chain, median of {rounds}", header, rows)
    for module in missing:
        print(f"{module} is not installed: skipped")


def _residual(model: rbdyn.Model, state: tuple[Array, Array, Array], vd: Array) -> float:
    """How far Newton-Euler of an answer is from the forces given, relative to gravity's.

    Accelerations themselves are no measure: the mass matrix of such a chain is too ill-conditioned.
    """
    q, v, tau = state
    there = rbdyn.State(model)
    there.set(q, v)
    size = np.abs(rbdyn.bias_forces(there)).max()
    return float(np.abs(rbdyn.inverse_dynamics(there, vd) - tau).max() / size)
