"""A step allocates nothing: what 10 and 100,000 steps of the standing scene leave and reach."""

from __future__ import annotations

import tracemalloc

from benchmarks import table
from benchmarks.resources.heap import bytes_in_use
from benchmarks.scenes import SCENES
from benchmarks.scenes.in_rbdyn import WorldSimulation, build

FEW, MANY = 10, 100_000


def run(quick: bool) -> None:
    """Print the table of this section."""
    scene = next(scene for scene in SCENES if scene.name == "standing")
    try:
        simulation = build(scene)
    except FileNotFoundError as error:
        print(f"\nallocations: skipped, {error}")
        return
    simulation.step(1000)  # buffers have grown to what the scene needs
    rows = []
    for steps in (FEW, MANY // 10 if quick else MANY):
        left = _left(simulation, steps)
        rows.append([str(steps), "-" if left is None else str(left), str(_peak(simulation, steps))])
    header = ["steps", "bytes left on the heap", "peak bytes of Python objects"]
    table.show("allocations of the standing scene (equal rows: a step allocates nothing)", header, rows)


def _left(simulation: WorldSimulation, steps: int) -> int | None:
    """Bytes of malloc that these steps keep."""
    before = bytes_in_use()
    simulation.step(steps)
    after = bytes_in_use()
    return None if before is None or after is None else after - before


def _peak(simulation: WorldSimulation, steps: int) -> int:
    """Most bytes that Python and numpy held during these steps, over those before."""
    tracemalloc.start()
    try:
        start = tracemalloc.get_traced_memory()[0]
        simulation.step(steps)
        return tracemalloc.get_traced_memory()[1] - start
    finally:
        tracemalloc.stop()
