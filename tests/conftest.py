"""Order of the files, and seeds.

A test or a fixture that takes `seed` gets four of them, 0 to 3, or as many as the variable SEEDS says.
"""

import gc
import os
import sys

import hypothesis  # noqa: F401  before gc.freeze, as it asks who refers to what it registers
import pytest

SEEDS = int(os.environ.get("SEEDS", "4"))
if SEEDS < 1:
    raise pytest.UsageError(f"SEEDS must be 1 or more, got {SEEDS}")


def pytest_collection_modifyitems(items):
    """Packaging compiles the library: it begins first, so that no process waits for it in the end."""
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
