"""python -m benchmarks [--quick] [--only NAME] [--page]: run from the repository's root."""

from __future__ import annotations

import argparse
import contextlib
import importlib
import io
import sys
import time
from pathlib import Path

from benchmarks.machine import describe, pin_to_one_core

PAGE = Path(__file__).resolve().parents[1] / "docs" / "benchmarks.txt"  # what docs/benchmarks.md shows

RESOURCES = ("memory", "allocations", "imports")  # sections in a folder of that name
SECTIONS = (
    "single_calls",
    "ladders",
    "scenes",
    "robots_people_use",
    "flight",
    "order",
    "closed_forms",
    "piles",
    "joint_rows",
    "limits",
    "loops",
    "inverse_kinematics",
    "held",
    "long_chain",
    "narrow_phase",
    "broad_phase",
    "terrain",
    "sight",
    "surfaces",
    "wire_net",
    "surgery",
    "snapshots",
    "recording",
    "edits",
    "files",
    "batches",
    "vector_worlds",
    "control",
    *RESOURCES,
)


class Copied(io.StringIO):
    """What is printed, kept; and printed at once, all the same."""

    def write(self, text: str) -> int:
        sys.__stdout__.write(text)
        sys.__stdout__.flush()
        return super().write(text)


def main() -> None:
    """Run the sections in order and print their tables."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="fewer states, repetitions and scenes")
    parser.add_argument("--only", choices=SECTIONS, help="one section alone")
    parser.add_argument("--page", action="store_true", help=f"also write what is printed to docs/{PAGE.name}")
    options = parser.parse_args()
    pin_to_one_core()
    with contextlib.redirect_stdout(Copied()) as copied:
        run(options)
    if options.page:
        PAGE.write_text(copied.getvalue())


def run(options: argparse.Namespace) -> None:
    """The sections that are asked for."""
    print(describe())
    print("Ratios are peer / rbdyn: above 1, rbdyn is faster.  Compare ratios of one run, never times of two.")
    start = time.perf_counter()
    for name in [options.only] if options.only else SECTIONS:
        room = "benchmarks.resources" if name in RESOURCES else "benchmarks"
        importlib.import_module(f"{room}.{name}").run(options.quick)
    print(f"\n{time.perf_counter() - start:.0f} s in all")


if __name__ == "__main__":
    main()
