"""What the C library's allocator has handed out, where it can be asked (glibc 2.33 and later)."""

from __future__ import annotations

import ctypes
import gc

FIELDS = (
    "arena", "ordblks", "smblks", "hblks", "hblkhd", "usmblks", "fsmblks", "uordblks", "fordblks", "keepcost",
)  # fmt: skip


class _Mallinfo2(ctypes.Structure):
    """struct mallinfo2, man 3 mallinfo."""

    _fields_ = [(name, ctypes.c_size_t) for name in FIELDS]


def bytes_in_use() -> int | None:
    """Bytes that malloc has given and not got back, mapped blocks included; None where it cannot be asked."""
    gc.collect()
    try:
        mallinfo2 = ctypes.CDLL(None).mallinfo2
    except (AttributeError, OSError):
        return None
    mallinfo2.restype = _Mallinfo2
    info = mallinfo2()
    return int(info.uordblks + info.hblkhd)
