"""Every pair of shapes at random poses, beside an oracle: what a collision backend gets right, as a table.

python -m benchmarks.conformance [native | fcl | coal] [poses]
"""

from __future__ import annotations

import sys

import rbdyn.collision
from rbdyn.testing.conformance import conformance, conformance_table

BACKENDS = {"native": "NativeBackend", "fcl": "FCLBackend", "coal": "CoalBackend"}


def main(name: str = "native", poses: str = "1000") -> None:
    """Print the table of a backend."""
    backend = getattr(rbdyn.collision, BACKENDS[name])()
    print(f"{type(backend).__name__}, {poses} poses of each pair")
    print(conformance_table(conformance(backend, poses=int(poses))))


if __name__ == "__main__":
    main(*sys.argv[1:])
