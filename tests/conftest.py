"""Order of the files, and seeds.

A test or a fixture that takes `seed` gets four of them, 0 to 3, or as many as the variable SEEDS says.  What takes half
of the suite's time is marked slow: `make test` leaves it out, `make check` does not.
"""

import gc
import os
import pathlib
import sys

import hypothesis  # noqa: F401  before gc.freeze, as it asks who refers to what it registers
import pytest

SEEDS = int(os.environ.get("SEEDS", "4"))
if SEEDS < 1:
    raise pytest.UsageError(f"SEEDS must be 1 or more, got {SEEDS}")


TESTS = pathlib.Path(__file__).parent
# Each takes 10 s or more on one core: builds, processes that are started, interrupts at every moment, optimisers.
SLOW = [
    *("collision/test_closest_by_scipy.py", "collision/test_conformance.py", "collision/test_decompose.py"),
    *("collision/test_oracles.py", "contact/solve/test_towers.py", "io/test_hostile.py", "io/test_joint_order.py"),
    *("io/xacro/test_load_xacro.py", "laws/test_junk.py", "laws/test_memory_safety.py", "mechanism/test_interrupts.py"),
    *("parallel/test_sweep.py", "repository/test_examples.py", "repository/test_packaging.py"),
    *("world/edits/test_interrupts.py", "world/links/test_nets_and_chains.py"),
]


def pytest_collection_modifyitems(items):
    """Mark what is slow; begin with packaging, which compiles the library, so that no process waits for it."""
    slow = {TESTS / path for path in SLOW}
    for item in items:
        if item.path in slow:
            item.add_marker(pytest.mark.slow)
    items.sort(key=lambda item: item.path.name != "test_packaging.py")


def pytest_collection_finish():
    """What pytest holds of thousands of tests lives until the end: no collection goes through it again."""
    gc.collect()
    gc.freeze()


def pytest_generate_tests(metafunc):
    if "seed" in metafunc.fixturenames:
        metafunc.parametrize("seed", range(SEEDS), scope="module")


@pytest.fixture
def quick_switches():
    """Threads take turns every 10 us, so that each meets the others in the middle of what they do."""
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-5)
    yield
    sys.setswitchinterval(interval)
