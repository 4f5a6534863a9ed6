"""Marks in pictures: ties and strokes as shapes that are drawn with the things, and as labels."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rbdyn.collision.shapes import Capsule, Cone, Cylinder, Shape
from rbdyn.mechanism.geometry import Color
from rbdyn.scenery.frames import FramePlace, Key, pose_of
from rbdyn.scenery.sketch import Stroke
from rbdyn.scenery.ties import Tie
from rbdyn.spatial.rotations import rotation_to_z

Array = NDArray[np.float64]

MARKS = ("sketch", "wires", "loops")  # what pictures may show beside the things
WIRE: Color = (0.16, 0.16, 0.18, 1.0)
LOOP: Color = (0.72, 0.16, 0.60, 1.0)
WIRE_SHARE, LOOP_SHARE, AXIS_SHARE = 0.004, 0.005, 0.06  # of the size of what is seen: radii, and half of an axis
HEAD_RADIUS, HEAD_LENGTH = 2.5, 6.0  # of an arrow, in radii of its shaft


class Mark(NamedTuple):
    """A shape of a mark: where it is in the world, (4, 4), and its colour."""

    shape: Shape
    pose: Array
    color: Color


class Label(NamedTuple):
    """A text, where it is in the world, (3,), and its colour."""

    text: str
    position: Array
    color: Color


class Marks(NamedTuple):
    """What is to be drawn beside the things."""

    shapes: tuple[Mark, ...] = ()
    labels: tuple[Label, ...] = ()


def place_of(stroke: Stroke, frames: Mapping[Key, FramePlace], carriers: Array) -> Array | None:
    """World pose (4, 4) of what a stroke is drawn on; None if that is not here (any more)."""
    if stroke.on is None:
        return np.eye(4)
    found = frames.get(stroke.on)
    if found is None and not stroke.on[0]:  # a name alone, of a mechanism without a World
        found = next((place for (_, name), place in frames.items() if name == stroke.on[1]), None)
    X = None if found is None else pose_of(found, carriers)
    return X if X is not None and np.isfinite(X).all() else None


def marks_of(
    ties: Iterable[Tie], strokes: Iterable[Stroke], frames: Mapping[Key, FramePlace], carriers: Array, size: float
) -> Marks:
    """What ties and strokes look like, of poses of the carriers; `size` is that of what is seen [m]."""
    shapes: list[Mark] = []
    labels: list[Label] = []
    for tie in ties:
        shapes += _tie(tie, carriers, size)
    for one in strokes:
        X = place_of(one, frames, carriers)
        if X is None:
            continue
        at = one.points @ X[:3, :3].T + X[:3, 3]
        if one.kind == "label":
            labels.append(Label(one.text, at[0], one.color))
        elif one.kind == "shape":
            assert one.shape is not None and one.rotation is not None
            pose = X.copy()
            pose[:3, :3], pose[:3, 3] = X[:3, :3] @ one.rotation, at[0]
            shapes.append(Mark(one.shape, pose, one.color))
        elif one.kind == "arrow":
            shapes += _arrow(at[0], at[1], 0.5 * one.width, one.color)
        else:
            shapes += _line(at, 0.5 * one.width, one.color)
    return Marks(tuple(shapes), tuple(labels))


def size_of(ties: Iterable[Tie], carriers: Array, size: float) -> float:
    """How large things of this size are together with their ties [m]."""
    points = [tie.points(carriers) for tie in ties]
    spans = [0.5 * float(np.linalg.norm(np.ptp(p, axis=0))) for p in points if np.isfinite(p).all()]
    return max([size, *spans])


def _tie(tie: Tie, carriers: Array, size: float) -> Iterator[Mark]:
    """A wire along its points; of a loop the axis on either body, and a line from one point to the other."""
    if tie.kind == "wires":
        yield from _line(tie.points(carriers), WIRE_SHARE * size, WIRE)
        return
    yield from _line(tie.points(carriers), LOOP_SHARE * size, LOOP)
    for axis in tie.axes(carriers, AXIS_SHARE * size):
        yield from _line(axis, LOOP_SHARE * size, LOOP)


def _line(points: Array, radius: float, color: Color) -> Iterator[Mark]:
    for a, b in zip(points[:-1], points[1:], strict=True):
        length, X = _along(a, b)
        if length > 0.0:
            yield Mark(Capsule(radius, length), X, color)


def _arrow(start: Array, end: Array, radius: float, color: Color) -> Iterator[Mark]:
    """A shaft and a head, which is shorter where the arrow is."""
    length, _ = _along(start, end)
    if not length > 0.0:
        return
    head = min(HEAD_LENGTH * radius, 0.6 * length)
    neck = end + (start - end) * (head / length)
    yield Mark(Cylinder(radius, length - head), _along(start, neck)[1], color)
    yield Mark(Cone(HEAD_RADIUS * radius, head), _along(neck, end)[1], color)


def _along(a: Array, b: Array) -> tuple[float, Array]:
    """Length, and the pose in the middle with z from a to b."""
    way = b - a
    length = float(np.linalg.norm(way))
    X = np.eye(4)
    X[:3, 3] = 0.5 * (a + b)
    if length > 0.0:
        X[:3, :3] = rotation_to_z(way / length).T
    return length, X
