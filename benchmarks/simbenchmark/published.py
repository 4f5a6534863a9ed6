"""What leggedrobotics.github.io/SimBenchmark reports of RaiSim: errors, and microseconds of a step (Core i7-7700HQ).

Solver of 1000 iterations at most, position correction off.  An empty place: not reported.
"""

from __future__ import annotations

RAISIM_ERROR = {
    ("rolling", 1e-3): 4.09e-7,
    ("bouncing", 1e-5): 1.9e-10,
    ("bouncing", 1e-4): 1.9e-6,
    ("bouncing", 1e-3): 1.9e-2,
    ("bouncing", 4e-3): 4.8,
    ("bouncing", 1e-2): 186.0,
    ("216 balls", 1e-4): 1.6e-6,
    ("216 balls", 1e-3): 1.35e-4,
    ("216 balls", 4e-3): 2.1e-3,
    ("216 balls", 1e-2): 1.5e-2,
    ("elastic 216", 1e-4): 1.1e-3,
    ("elastic 216", 1e-3): 8.4,
    ("elastic 216", 4e-3): 264.0,
    ("anymal momentum", 1e-4): 3.9e-7,
    ("anymal momentum", 1e-3): 4.7e-5,
    ("anymal momentum", 1e-2): 5.4e-3,
    ("anymal energy", 1e-4): 1.1e-4,
    ("anymal energy", 1e-3): 1.18e-2,
    ("anymal energy", 1e-2): 1.40,
}

RAISIM_STEP = {  # [us]
    ("rolling", 1e-3): 262.0,
    ("bouncing", 1e-3): 11.8,
    ("216 balls", 1e-3): 151.0,
    ("elastic 216", 1e-3): 65.5,
    ("anymal pd", 5e-3): 8.1,
    ("anymal momentum", 1e-3): 5.8,
    ("anymal energy", 1e-3): 5.0,
}
