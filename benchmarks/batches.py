"""Many states of one robot: rbdyn.batch beside Pinocchio's calls, one at a time and in its pool of one thread."""

from __future__ import annotations

import os
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from benchmarks import table
from benchmarks.libraries import CALLS, Pinocchio, Rbdyn
from benchmarks.machine import optional
from benchmarks.robots import ANYMAL, ROBOTS, Robot
from benchmarks.samples import Array, Sample, draw
from benchmarks.single_calls import WRONG, difference_of
from benchmarks.timing import by_turns
from rbdyn import batch

TARGETS = {"RNEA": 12.0, "ABA": 12.0}  # times Pinocchio
POOLED = {"RNEA": "rneaInParallel", "ABA": "abaInParallel"}
CHECKED = 20  # states whose answers are compared
REPEATED = 8  # calls in a turn with 1,024 states: what the peers' turns leave in the caches counts once


def run(quick: bool) -> None:
    """Print the tables of this section."""
    if optional("pinocchio") is None:
        print("\npinocchio is not installed: no batches beside it")
        return
    for robot in (ANYMAL,) if quick else ROBOTS:
        try:
            _robot(robot, 1024, 3 if quick else 9, REPEATED, tuple(CALLS))
            if not quick:
                _robot(robot, 65536, 3, 1, tuple(POOLED))
        except FileNotFoundError as error:
            print(f"\n{robot.name}: skipped, {error}")


def _robot(robot: Robot, count: int, rounds: int, repeats: int, names: tuple[str, ...]) -> None:
    ours = Rbdyn(robot)
    peer = Pinocchio(robot, ours.model)
    drawn = draw(ours.model, count)
    samples, sets = peer.samples(drawn), (batch.available()[0], "scalar")
    calls = _calls(ours, drawn, robot.tip)
    rows = []
    for name in names:
        wrong = max(
            difference_of(name, _answer(name, calls[name](), k, ours), peer.answer(name, drawn[k]))
            for k in range(CHECKED)
        )
        loops: dict[str, Callable[[], object]] = {isa: partial(_with, isa, calls[name]) for isa in sets}
        loops["pinocchio"] = partial(peer.loops[name], samples)
        if name in POOLED and hasattr(peer.pin, POOLED[name]):
            loops["pool"] = _pooled(peer, name, samples)
        loops = {key: partial(_repeated, loop, repeats) for key, loop in loops.items()}
        seconds = by_turns(loops, count * repeats, rounds)
        best = min(seconds[key] for key in ("pinocchio", "pool") if key in seconds)
        times = [table.number(1e6 * seconds[key]) if key in seconds else "" for key in (*sets, "pinocchio", "pool")]
        ratio = best / seconds[sets[0]]
        verdict = table.verdict(ratio, TARGETS[name]) if name in TARGETS else ""
        rows.append([name, *times, "WRONG" if wrong >= WRONG else table.number(ratio), verdict, f"{wrong:.0e}"])
    header = ["us a state", *sets, "pinocchio", "its pool", "best/ours", "target", "differs by"]
    table.show(f"{robot.name}: {count} states at once, one thread, median of {rounds}", header, rows)


def _repeated(call: Callable[[], object], times: int) -> None:
    for _ in range(times):
        call()


def _calls(ours: Rbdyn, drawn: list[Sample], tip: str) -> dict[str, Callable[[], Any]]:
    """What is timed, by its name in the tables."""
    model = ours.model
    q, v, vd, tau = (np.array([getattr(s, name) for s in drawn]) for name in ("q", "v", "vd", "tau"))
    return {
        "FK": partial(batch.forward_kinematics, model, q),
        "RNEA": partial(batch.inverse_dynamics, model, q, v, vd),
        "ABA": partial(batch.forward_dynamics, model, q, v, tau),
        "CRBA": partial(batch.mass_matrix, model, q),
        "inverse M": partial(batch.inverse_mass_matrix, model, q),
        "Jacobian": partial(batch.point_jacobian_6d, model, q, tip),
        "dRNEA": partial(batch.inverse_dynamics_derivatives, model, q, v, vd),
        "dABA": partial(batch.forward_dynamics_derivatives, model, q, v, tau),
    }


def _with(isa: str, call: Callable[[], object]) -> None:
    """The call by one set of instructions."""
    os.environ["RBDYN_ISA"] = isa
    try:
        call()
    finally:
        del os.environ["RBDYN_ISA"]


def _answer(name: str, results: Any, k: int, ours: Rbdyn) -> Array:
    """That of one state, as `Rbdyn.answer` has it."""
    if name in ("dRNEA", "dABA"):
        return np.array([one[k] for one in results])
    return results[k][0 if ours.model.floating_base else 1 :, :3] if name == "FK" else results[k]


def _pooled(peer: Pinocchio, name: str, samples: list[Sample]) -> Callable[[], object]:
    """Pinocchio's own loop over states, in C++; columns are states."""
    pool = peer.pin.ModelPool(peer.model, 1)
    q, v, x = (np.asfortranarray(np.array([getattr(s, part) for s in samples]).T)
               for part in ("q", "v", "vd" if name == "RNEA" else "tau"))  # fmt: skip
    return partial(getattr(peer.pin, POOLED[name]), 1, pool, q, v, x)
