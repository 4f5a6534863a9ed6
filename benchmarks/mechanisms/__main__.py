"""python -m benchmarks.mechanisms [--seeds FIRST END] [--dt DT] [--without FEATURE ...] [--more]: laws, by chance."""

from __future__ import annotations

import argparse
from collections import Counter

from benchmarks import table
from benchmarks.machine import pin_to_one_core
from benchmarks.mechanisms.drawing import FEATURES, MORE
from benchmarks.mechanisms.laws import BOUNDS, Verdict, judge

SHOWN = 6  # seeds of a law


def main() -> None:
    """Run the seeds and print how often each law was broken, and where most."""
    names = [feature.name for feature in (*FEATURES, *MORE)]
    parser = argparse.ArgumentParser(prog="python -m benchmarks.mechanisms", description=__doc__)
    parser.add_argument("--seeds", type=int, nargs=2, default=(0, 1000), metavar=("FIRST", "END"))
    parser.add_argument("--seconds", type=float, default=2.0, help="of each World")
    parser.add_argument("--dt", type=float, help="one time step for all, instead of 1, 2 or 5 ms")
    parser.add_argument("--without", nargs="*", default=(), choices=names, metavar="FEATURE", help=", ".join(names))
    parser.add_argument("--more", action="store_true", help="couplings, weights, welds and rows that give way, too")
    options = parser.parse_args()
    verdicts = [judge(k, options.dt, options.without, options.seconds, options.more) for k in range(*options.seeds)]
    report(verdicts)


def report(verdicts: list[Verdict]) -> None:
    """Counts by feature, and the worst seeds of each law."""
    count = Counter(name for v in verdicts for name in v.features)
    broken = Counter(name for v in verdicts if v.broken for name in v.features)
    rows = [[name, str(count[name]), str(broken[name])] for name in count]
    table.show(f"{len(verdicts)} random mechanisms", ["with", "drawn", "of these broken"], rows)
    rows = []
    for law, bound in BOUNDS.items():
        by_size = sorted(verdicts, key=lambda v: -v.worst[law])
        bad = [v for v in by_size if law in v.broken]
        seeds = " ".join(f"{v.seed}({table.number(v.worst[law])})" for v in bad[:SHOWN])
        rows.append([law, table.number(bound), str(len(bad)), table.number(by_size[0].worst[law]), seeds])
    failed = [v for v in verdicts if v.error]
    rows.append(["error", "-", str(len(failed)), "-", " ".join(str(v.seed) for v in failed[:SHOWN])])
    slow = sorted(verdicts, key=lambda v: -v.seconds)
    rows.append(["time", "-", "-", table.number(slow[0].seconds), " ".join(str(v.seed) for v in slow[:SHOWN])])
    table.show("laws", ["law", "bound", "broken", "largest", "seeds"], rows)
    for v in failed[:SHOWN]:
        print(f"seed {v.seed}, dt {v.dt:g}, {', '.join(v.features)}: {v.error}")
    share = sum(v.converged for v in verdicts) / max(len(verdicts), 1)
    print(f"{share:.4%} of the steps converged, all of them of {sum(v.converged == 1.0 for v in verdicts)} mechanisms")
    print(f"{sum(bool(v.broken) for v in verdicts)} of {len(verdicts)} broke a law")


if __name__ == "__main__":
    pin_to_one_core()
    main()
