"""Step a World for a while, show how far it is, and say what it cost."""

from __future__ import annotations

import time
from dataclasses import dataclass

from rbdyn.cli.progress import Progress
from rbdyn.cli.terminal import say, shown
from rbdyn.errors import Error
from rbdyn.world import World

CHUNK = 64  # steps between two looks at the clock


@dataclass(frozen=True)
class Timing:
    """What a run cost.

    Attributes
    ----------
    steps : int
        How many were made.
    simulated : float
        Time in the World [s].
    elapsed : float
        Time on the wall, stepping alone [s].
    """

    steps: int
    simulated: float
    elapsed: float

    @property
    def rows(self) -> list[tuple[str, str]]:
        """The rows of a report."""
        return [
            ("simulated", f"{self.simulated:g} s in {self.steps} steps"),
            ("real-time factor", f"{self.simulated / self.elapsed:.1f}"),
            ("time per step", f"{1e6 * self.elapsed / self.steps:.2f} us"),
        ]


def run_for(world: World, seconds: float, label: str) -> Timing:
    """Step a World for `seconds` [s], rounded to whole steps, under a progress bar named `label`."""
    ratio = seconds / world.time_step
    if not 0.5 < ratio < 1e15:
        raise Error(f"{seconds:g} s cannot be made of steps of {world.time_step:g} s")
    steps = round(ratio)
    progress = Progress(shown(label), steps)
    elapsed, done = 0.0, 0
    try:
        while done < steps:
            count = min(CHUNK, steps - done)
            start = time.perf_counter()
            world.step(count)
            elapsed += time.perf_counter() - start
            done += count
            progress(done)
    finally:
        progress.close()
    return Timing(steps, steps * world.time_step, elapsed)


def print_table(title: str, rows: list[tuple[str, str]]) -> None:
    """A title and two columns on stdout."""
    width = max(len(name) for name, _ in rows)
    say(title)
    for name, text in rows:
        say(f"  {name:<{width}}  {text}")
