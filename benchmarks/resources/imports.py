"""Import time in fresh processes."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from statistics import median

from benchmarks import table
from benchmarks.machine import optional

ROOT = Path(__file__).resolve().parents[2]
PROGRAM = """
import time
wall, processor = time.perf_counter(), time.process_time()
import {}
print(time.perf_counter() - wall, time.process_time() - processor)
"""
MODULES = ("numpy", "rbdyn", "pinocchio", "mujoco")


def run(quick: bool) -> None:
    """Print the table of this section."""
    rounds = 5 if quick else 15
    modules = [module for module in MODULES if optional(module) is not None]
    seconds: dict[str, list[tuple[float, float]]] = {module: [] for module in modules}
    for _ in range(rounds):
        for module in modules:
            seconds[module].append(_fresh(module))
    columns = {module: zip(*seconds[module], strict=True) for module in modules}
    rows = [[module, *(f"{1e3 * median(column):.0f}" for column in columns[module])] for module in modules]
    table.show(f"import in fresh processes, median of {rounds}", ["module", "wall ms", "processor ms"], rows)


def _fresh(module: str) -> tuple[float, float]:
    """Wall and processor seconds that `import module` takes in a new interpreter."""
    command = [sys.executable, "-c", PROGRAM.format(module)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    wall, processor = done.stdout.split()
    return float(wall), float(processor)
