"""What the C library's allocator has given out, for tests of memory: glibc's own counters."""

import ctypes
import gc
import sys

import pytest


class Mallinfo2(ctypes.Structure):
    _fields_ = [(name, ctypes.c_size_t) for name in (
        "arena", "ordblks", "smblks", "hblks", "hblkhd", "usmblks", "fsmblks", "uordblks", "fordblks", "keepcost")]


mallinfo2 = getattr(ctypes.CDLL(None), "mallinfo2", None) if sys.platform.startswith("linux") else None
needs_mallinfo2 = pytest.mark.skipif(mallinfo2 is None, reason="needs glibc 2.33")
if mallinfo2 is not None:
    mallinfo2.restype = Mallinfo2


def heap():
    """Bytes in use and mapped, of glibc's allocator, and its number of blocks."""
    info = mallinfo2()
    return info.uordblks, info.hblks, info.hblkhd, info.arena


def growth(use, n=50):
    """Bytes that stay in use after each of n calls, after ten that may fill caches."""
    for _ in range(10):
        use()
    gc.collect()
    before = heap()[0]
    for _ in range(n):
        use()
    gc.collect()
    return (heap()[0] - before) / n
