"""Triangles -> OBJ text, number for number."""

from __future__ import annotations

from io import StringIO

import numpy as np

from rbdyn.io.meshes.merge import Faces, Vertices


def obj_text(vertices: Vertices, faces: Faces) -> str:
    """An OBJ file of triangles; every coordinate is read back exactly.

    Parameters
    ----------
    vertices : (n, 3) ndarray of float
        [m].
    faces : (m, 3) ndarray of int
        Corner numbers from 0; in the file they count from 1.
    """
    out = StringIO()
    for x, y, z in np.asarray(vertices, float).tolist():
        out.write(f"v {x!r} {y!r} {z!r}\n")
    for a, b, c in (np.asarray(faces) + 1).tolist():
        out.write(f"f {a} {b} {c}\n")
    return out.getvalue()
