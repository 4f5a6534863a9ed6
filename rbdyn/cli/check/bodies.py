"""Masses that do not fit the shapes that bear them."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from rbdyn.errors import CollisionError
from rbdyn.mechanism import Geometry, Mechanism, RigidBody

OUTSIDE = 0.1  # of the shapes' diagonal: how far a centre of mass may lie from their box
SPREAD = 1.5  # times half the diagonal: the largest radius of gyration that is not odd


def odd_bodies(mechanism: Mechanism) -> Iterator[str]:
    """What is odd in masses; what no body can have is in the diagnostics of the reader."""
    for body in mechanism.bodies:
        if body.inertia.mass > 0.0:
            box = box_of([*body.collision, *body.visual])
            found = [*_moments(body), *(_against_shapes(body, *box) if box is not None else ())]
            yield from (f"{place_of(mechanism, body)}link {body.name!r}{text}" for text in found)


def place_of(mechanism: Mechanism, body: RigidBody) -> str:
    """ "file:line: " of a link; empty if it has none."""
    said = mechanism.description
    place = said.links.get(body.name) if said is not None else None
    return f"{place}: " if place else ""


def _moments(body: RigidBody) -> Iterator[str]:
    moments = np.linalg.eigvalsh(body.inertia.inertia)
    if moments[2] <= 0.0:
        yield f" of {body.inertia.mass:g} kg has no moments of inertia: it is a point"
    elif 0.0 <= moments[0] < 1e-9 * moments[2]:
        yield (
            f" of {body.inertia.mass:g} kg has no moment of inertia about one of its axes: "
            f"principal moments {', '.join(f'{m:.3g}' for m in moments)} kg m^2"
        )


def _against_shapes(body: RigidBody, low: np.ndarray, high: np.ndarray) -> Iterator[str]:
    inertia, diagonal = body.inertia, float(np.linalg.norm(high - low))
    away = float(np.linalg.norm(inertia.com - np.clip(inertia.com, low, high)))
    if away > OUTSIDE * diagonal:
        yield (
            f": its centre of mass lies {away:.3g} m outside its shapes, which are {diagonal:.3g} m "
            "across"
        )
    spread = float(np.sqrt(np.linalg.eigvalsh(inertia.inertia)[2] / inertia.mass))
    if spread > SPREAD * 0.5 * diagonal:
        yield (
            f": a radius of gyration of {spread:.3g} m is too much for shapes that are "
            f"{diagonal:.3g} m across: is its inertia in kg m^2?"
        )


def box_of(geometries: list[Geometry]) -> tuple[np.ndarray, np.ndarray] | None:
    """Least and largest coordinates of shapes in the link's frame [m]; None without shapes, or if one has no end."""
    lows, highs = [], []
    for item in geometries:
        try:
            low, high = item.shape.bounding_box()
        except CollisionError:
            return None
        corners = np.array([(x, y, z) for x in (low[0], high[0]) for y in (low[1], high[1]) for z in (low[2], high[2])])
        placed = corners @ item.pose.rotation.T + item.pose.translation
        lows.append(placed.min(axis=0))
        highs.append(placed.max(axis=0))
    return (np.min(lows, axis=0), np.max(highs, axis=0)) if lows else None
