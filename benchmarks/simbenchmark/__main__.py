"""python -m benchmarks.simbenchmark [--full] [--only NAME]: errors and times beside RaiSim's published ones."""

from __future__ import annotations

import argparse
import warnings

from benchmarks.machine import describe, pin_to_one_core

NAMES = ("rolling", "bouncing", "216 balls", "elastic 216", "anymal pd", "anymal momentum", "anymal energy")


def main() -> None:
    """Run the scenes and print their table."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.simbenchmark", description=__doc__)
    parser.add_argument("--full", action="store_true", help="the small time steps, too: an hour")
    parser.add_argument("--only", choices=NAMES, help="one scene alone")
    options = parser.parse_args()
    pin_to_one_core()
    from benchmarks.simbenchmark import report  # numpy after the threads are set

    print(describe())
    warnings.simplefilter("ignore")  # the robot's velocity limits, which no scene asks for
    report.show([options.only] if options.only else NAMES, options.full)


if __name__ == "__main__":
    main()
