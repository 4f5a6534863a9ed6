"""Meshes that are read and yet will not do."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from rbdyn.cli.check.bodies import place_of
from rbdyn.collision.shapes import Mesh
from rbdyn.mechanism import Mechanism

LARGE, SMALL = 50.0, 1e-4  # m: beyond, the unit of a mesh is probably another


def odd_meshes(mechanism: Mechanism) -> Iterator[tuple[str, str]]:
    """What is odd in the meshes of a robot, once for each file: levels and texts."""
    seen: set[int] = set()
    for body in mechanism.bodies:
        for item in (*body.collision, *body.visual):
            if isinstance(item.shape, Mesh) and id(item.shape) not in seen:
                seen.add(id(item.shape))
                place = place_of(mechanism, body)
                yield from ((level, f"{place}link {body.name!r}: {text}") for level, text in odd_mesh(item.shape))


def odd_mesh(mesh: Mesh) -> Iterator[tuple[str, str]]:
    """What is odd in a mesh: levels and texts."""
    name = f"mesh {mesh.path}" if mesh.path else "a mesh"
    corners = mesh.vertices[mesh.faces]
    normals = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    across = float(np.linalg.norm(np.ptp(mesh.vertices, axis=0)))
    flat = np.linalg.norm(normals, axis=1) <= 1e-12 * across**2
    if flat.all():
        yield "warning", f"{name}: all its {len(flat)} triangles are without area"
        return
    if flat.any():
        yield "note", f"{name}: {int(flat.sum())} of {len(flat)} triangles are without area"
    spread = np.linalg.svd(mesh.vertices - mesh.vertices.mean(axis=0), compute_uv=False)
    if len(spread) < 3 or spread[2] <= 1e-9 * spread[0]:
        yield "note", f"{name}: it is flat, and has no hull: it collides as its triangles"
    if not SMALL < across < LARGE:
        yield "warning", f"{name}: it is {across:.3g} m across: is its unit the metre?"
    volume = float(np.einsum("ij,ij->", corners[:, 0], normals)) / 6.0
    if _is_closed(mesh.faces) and volume < 0.0:
        yield "warning", f"{name}: its faces look inwards (a volume of {volume:.3g} m^3)"


def _is_closed(faces: np.ndarray) -> bool:
    """Whether each edge is there once in either direction."""
    edges = faces[:, [0, 1, 1, 2, 2, 0]].reshape(-1, 2).astype(np.int64)
    there = edges[:, 0] << 32 | edges[:, 1]
    back = edges[:, 1] << 32 | edges[:, 0]
    return len(np.unique(there)) == len(there) and np.array_equal(np.sort(there), np.sort(back))
