"""PNG files, with nothing but the standard library.  ISO/IEC 15948: eight bits, rows without a filter but "up"."""

from __future__ import annotations

import os
import struct
import zlib
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from rbdyn.arguments import shown
from rbdyn.errors import Error

COLOR_TYPES = {1: 0, 3: 2, 4: 6}  # channels: grey, red green blue, and alpha


def png_bytes(picture: NDArray[np.uint8]) -> bytes:
    """A picture, (h, w, 3) or (h, w, 4) or grey (h, w), of uint8, as a PNG file holds it."""
    if not isinstance(picture, np.ndarray) or picture.dtype != np.uint8 or picture.ndim not in (2, 3):
        raise Error(f"picture must be an array of uint8, (h, w) or (h, w, 3 or 4), got {shown(picture)}")
    height, width, channels = *picture.shape[:2], picture.shape[2] if picture.ndim == 3 else 1
    if channels not in COLOR_TYPES or height == 0 or width == 0:
        raise Error(f"picture must have pixels of 1, 3 or 4 numbers, got shape {picture.shape}")
    rows = picture.reshape(height, -1)
    filtered = np.empty((height, 1 + rows.shape[1]), dtype=np.uint8)
    filtered[:, 0] = 2  # each byte is what it is more than the one above: pictures have calm columns
    filtered[0, 1:], filtered[1:, 1:] = rows[0], rows[1:] - rows[:-1]
    header = struct.pack(">IIBBBBB", width, height, 8, COLOR_TYPES[channels], 0, 0, 0)
    parts = [(b"IHDR", header), (b"IDAT", zlib.compress(filtered.tobytes(), 6)), (b"IEND", b"")]
    return b"\x89PNG\r\n\x1a\n" + b"".join(_chunk(*part) for part in parts)


def _chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def write_png(path: str | os.PathLike[str], picture: NDArray[np.uint8]) -> None:
    """Write a picture to a PNG file.

    Parameters
    ----------
    path : str or os.PathLike
        The file.
    picture : (h, w, 3) ndarray of uint8
        Or (h, w, 4), or grey (h, w).

    Raises
    ------
    Error
        If it is no picture; OSError if the file cannot be written.
    """
    Path(path).write_bytes(png_bytes(picture))
