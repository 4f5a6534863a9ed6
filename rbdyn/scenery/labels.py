"""Labels in pictures, written by Pillow."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from rbdyn.errors import missing_extra
from rbdyn.scenery.camera import Camera
from rbdyn.scenery.marks import Label

LETTERS = 32  # lines of text that a picture would hold
SMALLEST = 10  # pixels of a letter's height


def write_labels(
    rgb: NDArray[np.uint8], labels: Sequence[Label], camera: Camera, optical_pose: NDArray[np.float64]
) -> None:
    """Write labels into a picture, over whatever is there; those behind the camera are not seen.

    Parameters
    ----------
    rgb : (height, width, 3) ndarray of uint8
        Changed in place.
    labels : sequence of Label
        What to write.
    camera : Camera
        Whose picture it is.
    optical_pose : (4, 4) ndarray
        Of the camera's optical axes in the world [m].
    """
    try:
        from PIL import Image, ImageDraw, ImageFont
    except ImportError:
        raise missing_extra("a label in a picture (show=() leaves it out)", "pillow", "video") from None
    picture = Image.fromarray(rgb)
    pen = ImageDraw.Draw(picture)
    font = ImageFont.load_default(max(SMALLEST, camera.height // LETTERS))
    fx, fy, cx, cy = camera.intrinsics  # type: ignore[misc]
    for label in labels:
        x, y, z = (label.position - optical_pose[:3, 3]) @ optical_pose[:3, :3]
        if camera.near <= z <= camera.far:
            at = fx * x / z + cx, fy * y / z + cy
            if max(map(abs, at)) < 1e6:  # far outside, where its numbers are no pixels
                pen.text(at, label.text, fill=tuple(round(255 * c) for c in label.color[:3]), font=font, anchor="ls")
    rgb[:] = np.asarray(picture)
