"""COLLADA files, through pycollada (an optional package).

As ROS programs do: the node transforms and the unit of the file are applied, its up-axis is not.
"""

from __future__ import annotations

import io
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

from rbdyn.errors import Error, MeshError, missing_extra
from rbdyn.io.meshes.dae_guard import check_growth
from rbdyn.io.meshes.merge import Faces, Notes, Vertices, merge_vertices
from rbdyn.io.safe_xml import check_prolog

MAX_TRIANGLES = 10_000_000


def read_dae(
    data: bytes, name: str, notes: Notes | None = None, take: Callable[[Any], None] | None = None
) -> tuple[Vertices, Faces]:
    """Vertices [m] and faces of all triangles in a COLLADA scene.

    Parameters
    ----------
    data : bytes
        The file.  Archives (.zae), DOCTYPE and entities are refused before pycollada sees them; images are not read.
    name : str
        For messages.
    notes : list of (int, str), optional
        Left as it is.
    take : callable, optional
        Called with pycollada's document, if its materials can be read.

    Raises
    ------
    MissingExtraError
        If pycollada is not installed.
    MeshError
        If the file is malformed, empty, or holds a number that is not finite.
    """
    try:
        import collada  # noqa: F401
    except ImportError:
        raise missing_extra(f"reading {name}", "pycollada", "mesh") from None
    if data[:2] == b"PK":
        raise MeshError(f"{name}: this is a zip archive; only plain COLLADA files are read")
    check_prolog(data, name, MeshError)
    try:
        with warnings.catch_warnings(), np.errstate(all="ignore"):  # what is not finite is found below
            warnings.simplefilter("ignore", PendingDeprecationWarning)  # pycollada uses numpy.matrix
            check_growth(_tree(data))
            document = colored = _parse(data)
            if document.errors:  # a lost texture takes its geometry along: read again, without any materials
                document = _parse(_without_materials(data))
            _check_positions(document)
            corners = _triangles(document)
            unit = float(document.assetInfo.unitmeter or 1.0)
            if take is not None and not colored.errors:
                take(colored)
    except Error as error:
        raise MeshError(f"{name}: {error}") from None
    except RecursionError:
        raise MeshError(f"{name}: COLLADA nodes are nested too deep") from None
    except Exception as error:  # pycollada lets errors of many kinds out of malformed files
        raise MeshError(f"{name}: malformed COLLADA file: {type(error).__name__}: {str(error)[:200]}") from None
    if not corners:
        raise MeshError(f"{name}: the mesh has no triangles")
    points = np.concatenate(corners) * unit
    if not np.isfinite(points).all():
        raise MeshError(f"{name}: a vertex is not finite")
    return merge_vertices(points)


def _parse(data: bytes) -> Any:
    import collada
    from collada.common import DaeBrokenRefError, DaeUnsupportedError

    return collada.Collada(io.BytesIO(data), ignore=[DaeUnsupportedError, DaeBrokenRefError])


def _tree(data: bytes) -> Any:
    from lxml import etree

    return etree.fromstring(
        data, etree.XMLParser(resolve_entities=False, no_network=True, load_dtd=False, huge_tree=True)
    )


def _without_materials(data: bytes) -> bytes:
    from lxml import etree

    root = _tree(data)
    etree.strip_elements(
        root, "{*}bind_material", "{*}library_materials", "{*}library_effects", "{*}library_images", with_tail=False
    )
    return bytes(etree.tostring(root))


def _check_positions(document: Any) -> None:
    """ValueError for a vertex that is not a number: pycollada would read it as 0."""
    root = document.xmlnode.getroot()
    used = {str(i.get("source")).lstrip("#") for i in root.iter("{*}input") if i.get("semantic") == "POSITION"}
    for source in root.iter("{*}source"):
        if source.get("id") in used:
            for numbers in source.iter("{*}float_array"):
                if "n" in (numbers.text or "").lower():  # only nan and inf are written with an n
                    raise ValueError("a vertex is not finite")


def _triangles(document: Any) -> list[Vertices]:
    """The corners of every triangle set and polygon set of the scene, in its frame and unit."""
    corners: list[Vertices] = []
    count = 0
    for geometry in document.scene.objects("geometry"):
        for primitive in geometry.primitives():
            flat = primitive.triangleset() if hasattr(primitive, "triangleset") else primitive
            index = getattr(flat, "vertex_index", None)
            if index is None or np.ndim(index) != 2 or index.shape[1] != 3:
                continue  # lines and points
            vertices = np.asarray(flat.vertex, dtype=np.float64)
            if index.size and (index.min() < 0 or index.max() >= len(vertices)):
                raise ValueError(f"vertex index out of range: {index.max()} of {len(vertices)}")
            count += len(index)
            if count > MAX_TRIANGLES:
                raise Error(f"its scene has more than {MAX_TRIANGLES} triangles")
            if index.size:
                corners.append(vertices[index.reshape(-1)])
    return corners
