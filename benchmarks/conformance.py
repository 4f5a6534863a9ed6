"""Every pair of shapes at random poses, beside an oracle: what a collision backend gets right, as a table.

    python -m benchmarks.conformance [native | fcl | coal] [poses] [word]     # a word that the pairs must have

Each pair is printed as soon as it is known, and at the end the worst of the pairs of each kind, as docs/collision.md
shows them.
"""

from __future__ import annotations

import itertools
import sys

import numpy as np

import rbdyn.collision
from rbdyn.testing.conformance import HEAD, NAMES, PairReport, report_of, samples

BACKENDS = {"native": "NativeBackend", "fcl": "FCLBackend", "coal": "CoalBackend"}
KINDS = (
    "half-space and any",
    "spheres, boxes, capsules",
    "cylinder, cone, ellipsoid and convex",
    "hull and convex",
    "mesh and convex",
    "two meshes",
)


def kind_of(pair: tuple[str, str]) -> str:
    """The line of the summary in which a pair is counted."""
    if "half_space" in pair:
        return KINDS[0]
    if pair.count("mesh") == 2:
        return KINDS[5]
    if "mesh" in pair:
        return KINDS[4]
    if "hull" in pair:
        return KINDS[3]
    return KINDS[2] if set(pair) & {"cylinder", "cone", "ellipsoid"} else KINDS[1]


def summary(reports: list[PairReport]) -> str:
    """A line a kind of pair: sums of what is counted, the median of medians, the worst of the rest."""
    lines = []
    for kind in KINDS:
        some = [report for report in reports if kind_of(report.pair) == kind]
        if not some:
            continue
        counts = [sum(getattr(r, name) for r in some) for name in ("overlaps", "missed", "phantom", "invalid")]
        errors = [np.abs(r.depth_error) for r in some if len(r.depth_error)]
        numbers = [np.median([np.median(e) for e in errors]), max(e.max() for e in errors)] if errors else [0.0, 0.0]
        numbers.append(max((float(r.push_excess.max()) for r in some if len(r.push_excess)), default=0.0))
        numbers += [max(getattr(r, name) for r in some) for name in ("moved", "scaled", "far")]
        lines.append(f"| {kind} | " + " | ".join([*map(str, counts), *(f"{x:.0e}" for x in numbers)]) + " |")
    return "\n".join(lines)


def main(name: str = "native", poses: str = "1000", word: str = "") -> None:
    """Print the tables of a backend."""
    backend = getattr(rbdyn.collision, BACKENDS[name])()
    print(f"{type(backend).__name__}, {poses} poses of each pair\n{HEAD}", flush=True)
    shapes, reports = samples(), []
    for a, b in itertools.combinations_with_replacement(NAMES, 2):
        if (a, b) == ("half_space", "half_space") or word not in f"{a}, {b}":
            continue
        reports.append(report_of(backend, (a, b), shapes[a], shapes[b], int(poses), 0))
        print(reports[-1].row(), flush=True)
    print("\n" + summary(reports))


if __name__ == "__main__":
    main(*sys.argv[1:])
