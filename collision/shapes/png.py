"""Grey values of PNG files, through Pillow (an optional package)."""

from __future__ import annotations

import os
import stat
import struct
import warnings
from pathlib import Path

import numpy as np

from rbdyn.arguments import shown
from rbdyn.errors import CollisionError, PathError, missing_extra

MOST_PIXELS = 10_000  # along either side: 800 MB of heights
MOST_BYTES = 256 << 20
SIGNATURE = b"\x89PNG\r\n\x1a\n"
COLOURS = {2: "RGB colours", 3: "a palette", 4: "grey with alpha", 6: "RGB colours with alpha"}


def png_values(path: str | os.PathLike[str]) -> np.ndarray:
    """Pixel values of a grey image, (rows, columns), the top row first: 0 to 255 of 8 bit, to 65535 of 16 bit.

    CollisionError names the file if it is no such image; MissingExtraError if Pillow is not installed; PathError if the
    file cannot be read.
    """
    if not isinstance(path, (str, os.PathLike)):
        raise CollisionError(f"path must be the path of a PNG file, got {shown(path)}")
    name = os.fsdecode(path)
    try:
        from PIL import Image
    except ImportError:
        raise missing_extra(f"reading {name}", "Pillow", "png") from None
    check_file(path)
    with Path(path).open("rb") as file:
        _check_header(file.read(26), name)
        file.seek(0)
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", Image.DecompressionBombWarning)  # the size is checked already
                with Image.open(file, formats=["PNG"]) as image:
                    image.load()
                    values = np.array(image)
        except Exception as error:  # Pillow lets errors of many kinds out of malformed files
            raise CollisionError(f"{name}: malformed PNG file: {type(error).__name__}: {str(error)[:200]}") from None
    return values


def check_file(path: str | os.PathLike[str]) -> None:
    """CollisionError for a pipe, device or folder, which may never end, or more than MOST_BYTES."""
    try:
        status = Path(path).stat()
    except (OSError, ValueError) as error:
        why = getattr(error, "strerror", None) or error
        raise PathError(f"path: {os.fsdecode(path)!r:.300} cannot be read: {why}") from None
    if not stat.S_ISREG(status.st_mode):
        raise CollisionError(f"{os.fsdecode(path)} is not a regular file")
    if status.st_size > MOST_BYTES:
        raise CollisionError(f"{os.fsdecode(path)} has {status.st_size} bytes, at most {MOST_BYTES} are read")


def _check_header(header: bytes, name: str) -> None:
    """CollisionError, unless a file that begins so is a grey PNG of a size to be read.

    Source: Portable Network Graphics (W3C), section 11.2.1.
    """
    if header[:8] != SIGNATURE or header[12:16] != b"IHDR" or len(header) < 26:
        raise CollisionError(f"{name}: this is no PNG file, or only the beginning of one")
    columns, rows, bits, colour = struct.unpack(">IIBB", header[16:26])
    if colour != 0:
        kind = COLOURS.get(colour, f"colours of unknown type {colour}")
        raise CollisionError(f"{name}: a height map must be a greyscale PNG, this one has {kind}")
    if bits not in (8, 16):
        raise CollisionError(f"{name}: a height map must be a PNG of 8 or 16 bit, this one has {bits}")
    if not (2 <= rows <= MOST_PIXELS and 2 <= columns <= MOST_PIXELS):
        raise CollisionError(
            f"{name}: a height map must have 2 by 2 to {MOST_PIXELS} by {MOST_PIXELS} pixels, this one has "
            f"{columns} by {rows}"
        )
