"""What rests, asleep and awake: processor time of a step once all that can sleep does."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from statistics import fmean

from benchmarks import table
from benchmarks.machine import optional
from benchmarks.piles.engines.engine import Engine
from benchmarks.piles.engines.rbdyn import RbdynEngine
from benchmarks.piles.scenes import Thing, field, stack

SETTLING = 120  # steps, after which what rests has fallen asleep
SCENES = {
    "1000 boxes at rest": lambda: field(ball=False),
    "the same and a ball": field,
    "stack 20 at rest": lambda: stack(ball=False),
}


def engines() -> Iterator[tuple[str, Callable[[list[Thing]], Engine]]]:
    """rbdyn awake and asleep, and a peer awake."""
    yield "rbdyn", RbdynEngine
    yield "rbdyn, sleeping", lambda things: RbdynEngine(things, sleeping=True)
    if optional("mujoco") is not None:
        from benchmarks.piles.engines.mujoco import MujocoEngine

        yield "mujoco Newton", MujocoEngine


def cost(engine: Engine, steps: int) -> float:
    """Mean of a step [ms] after it has settled."""
    for _ in range(SETTLING):
        engine.step()
    start = time.process_time()
    for _ in range(steps):
        engine.step()
    return 1e3 * (time.process_time() - start) / steps


def compare(quick: bool) -> None:
    """The table."""
    rows = []
    for name, things in SCENES.items():
        ours = 0.0
        for engine, build in engines():
            took = fmean(cost(build(things()), 50 if quick else 200) for _ in range(1 if quick else 3))
            ours = ours or took
            rows.append([name, engine, table.number(took), table.number(took / ours)])
    table.show("asleep", ["scene", "engine", "mean ms", "of rbdyn awake"], rows)
