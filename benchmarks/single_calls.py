"""Single calls from Python: kinematics and dynamics at many different states, beside Pinocchio and MuJoCo."""

from __future__ import annotations

from functools import partial

import numpy as np

from benchmarks import table
from benchmarks.libraries import CALLS, MuJoCo, Pinocchio, Rbdyn
from benchmarks.machine import optional
from benchmarks.robots import ROBOTS, Robot
from benchmarks.samples import Array, Sample, draw
from benchmarks.timing import by_turns

TARGETS = {
    "FK": 3.0,
    "RNEA": 3.0,
    "ABA": 3.0,
    "CRBA": 2.5,
    "inverse M": 2.5,
    "Jacobian": 2.5,
    "dRNEA": 2.0,
    "dABA": 2.0,
}
WRONG = 1e-6  # largest difference, relative to the largest entry, of an answer that counts as right
CHECKED = 20  # states whose answers are compared
Library = Rbdyn | Pinocchio | MuJoCo


def run(quick: bool) -> None:
    """Print the tables of this section."""
    for robot in ROBOTS:
        try:
            _robot(robot, 500 if quick else 1000, 5 if quick else 15)
        except FileNotFoundError as error:
            print(f"\n{robot.name}: skipped, {error}")


def _robot(robot: Robot, count: int, rounds: int) -> None:
    ours = Rbdyn(robot)
    libraries: list[Library] = [ours]
    notes: list[str] = []
    for module, peer in (("pinocchio", Pinocchio), ("mujoco", MuJoCo)):
        if optional(module) is None:
            notes.append(f"{module} is not installed: skipped")
            continue
        try:
            libraries.append(peer(robot, ours.model))
        except ValueError as error:
            notes.append(f"{module} cannot load {robot.name}: {error}")
    drawn = draw(ours.model, count)
    samples = {library.name: library.samples(drawn) for library in libraries}
    rows = []
    for call in CALLS:
        able = [library for library in libraries if call in library.loops]
        errors = _differences(call, able, drawn[:CHECKED])
        right = [library for library in able if errors[library.name] < WRONG]
        loops = {library.name: partial(library.loops[call], samples[library.name]) for library in right}
        seconds = by_turns(loops, count, rounds) if loops else {}
        rows.append(_row(call, seconds, errors))
    header = ["us per call", "rbdyn", "pinocchio", "mujoco", "pin/ours", "mj/ours", "target, best peer", "differs by"]
    table.show(f"{robot.name}: nv = {ours.model.nv}, {count} states, median of {rounds}", header, rows)
    for note in notes:
        print(note)


def _differences(call: str, libraries: list[Library], drawn: list[Sample]) -> dict[str, float]:
    """Largest relative difference of each library's answers from the reference: Pinocchio, or the first there is."""
    reference = next((library for library in libraries if library.name == "pinocchio"), libraries[-1])
    worst = dict.fromkeys((library.name for library in libraries), 0.0)
    for s in drawn:
        right = reference.answer(call, s)
        for library in libraries:
            worst[library.name] = max(worst[library.name], difference_of(call, library.answer(call, s), right))
    return worst


def difference_of(call: str, answer: Array, right: Array) -> float:
    """Largest difference relative to the largest entry; of each matrix, where the answer is three."""
    axes = (1, 2) if call in ("dRNEA", "dABA") else None
    return float((np.abs(answer - right).max(axis=axes) / np.abs(right).max(axis=axes)).max())


def _row(call: str, seconds: dict[str, float], errors: dict[str, float]) -> list[str]:
    cells = [call]
    for name in ("rbdyn", "pinocchio", "mujoco"):
        wrong = errors.get(name, 0.0) >= WRONG
        cells.append("WRONG" if wrong else table.number(1e6 * seconds[name] if name in seconds else None))
    mine = seconds.get("rbdyn")
    ratios = {name: t / mine for name, t in seconds.items() if name != "rbdyn"} if mine else {}
    cells += [table.number(ratios.get(name)) for name in ("pinocchio", "mujoco")]
    cells.append(table.verdict(min(ratios.values(), default=None), TARGETS[call]))
    others = [f"{errors[name]:.0e}" for name in ("rbdyn", "mujoco") if name in errors]
    return [*cells, " ".join(others)]
