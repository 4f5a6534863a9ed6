"""Timing by turns: A B A B ..., so that a machine that drifts, drifts for all.

Seconds are of the thread's processor time: what other processes take from the core is not counted.
"""

from __future__ import annotations

import gc
import time
from collections.abc import Callable, Mapping
from statistics import median


def by_turns(loops: Mapping[str, Callable[[], object]], calls: int, rounds: int) -> dict[str, float]:
    """Median seconds per call of each loop; every loop makes `calls` calls.  The first round warms up."""
    seconds: dict[str, list[float]] = {name: [] for name in loops}
    gc.disable()
    try:
        for turn in range(rounds + 1):
            for name, loop in loops.items():
                start = time.thread_time()
                loop()
                passed = time.thread_time() - start
                if turn:
                    seconds[name].append(passed / calls)
    finally:
        gc.enable()
    return {name: median(values) for name, values in seconds.items()}
