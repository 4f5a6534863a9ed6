"""World files: how much processor time 10,000 objects take to write and to read, and how much memory.

    python benchmarks/world_files.py [COUNT]
"""

from __future__ import annotations

import resource
import sys
import time

import numpy as np

import rbdyn
from rbdyn import io


def pile(count: int) -> rbdyn.World:
    """Balls, boxes and capsules in the air over a ground."""
    rng = np.random.default_rng(0)
    world = rbdyn.World()
    world.add_ground()
    for k in range(count - 1):
        if k % 3 == 0:
            body = world.add_sphere(0.1, 1.0)
        else:
            body = world.add_box(0.1, 0.2, 0.3, 1.0) if k % 3 == 1 else world.add_capsule(0.1, 0.2, 1.0)
        quat = rng.normal(size=4)
        body.set_pose(rng.uniform(0, 100, 3), quat / np.linalg.norm(quat))
        body.set_velocity(rng.normal(size=3), rng.normal(size=3))
    return world


def main() -> None:
    """Write and read, with and without the solver's state."""
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 10_000
    start = time.process_time()
    world = pile(count)
    print(f"{count} objects by add_*: {time.process_time() - start:.2f} s")
    for solver_state in (False, True):
        start = time.process_time()
        text = io.world_text(world, solver_state=solver_state)
        written = time.process_time()
        io.load_world(text)
        read = time.process_time()
        what = "with solver state (written, and read back to be sure)" if solver_state else "plain"
        print(f"{what}: {len(text) / 1e6:.1f} MB, written in {written - start:.2f} s, read in {read - written:.2f} s")
    array = f"""<raisim><objects><array idx="i" start="0" end="{count}"><sphere mass="1"><dim radius="0.1"/>
        <state pos="{{@@i * 0.3}} 0 1"/></sphere></array></objects></raisim>"""
    start = time.process_time()
    io.load_world(array)
    print(f"an <array> of {count}: read in {time.process_time() - start:.2f} s")
    print(f"peak memory {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:.0f} MB")


if __name__ == "__main__":
    main()
