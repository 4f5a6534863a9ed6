"""Sketch: what a user draws beside the things of a World: balls and other shapes, lines, arrows, labels."""

from __future__ import annotations

import weakref
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rbdyn.arguments import as_vector, number, shown
from rbdyn.arguments import name as checked_name
from rbdyn.collision.shapes import HalfSpace, Shape, Sphere
from rbdyn.errors import Error, unknown_name
from rbdyn.mechanism.geometry import Color
from rbdyn.scenery.frames import Key
from rbdyn.spatial.transform import Transform
from rbdyn.world import ArticulatedSystem, SingleBody, World

Array = NDArray[np.float64]

KINDS = ("shape", "line", "arrow", "label")
MOST_POINTS = 100_000  # of a line
MOST_LETTERS = 200
BLUE: Color = (0.13, 0.42, 0.85, 1.0)


@dataclass(frozen=True, eq=False)
class Stroke:
    """One thing that was drawn.

    Parameters
    ----------
    name : str
        Unique in its sketch.
    kind : {"shape", "line", "arrow", "label"}
    points : (n, 3) ndarray
        Where a shape or a label is (n = 1), from where to where an arrow goes (2), through which points a line runs; in
        the frame of what it is drawn on [m].  Read-only.
    color : (r, g, b, a)
        0 to 1.
    on : (object, body, link or frame) or None
        What it moves with; None: the world.
    width : float
        Of a line, or of an arrow's shaft [m].
    rotation : (3, 3) ndarray
        Of a shape.  Read-only.
    shape : Shape or None
        What a shape is.
    text : str
        What a label says.
    """

    name: str
    kind: str
    points: Array
    color: Color
    on: Key | None = None
    width: float = 0.0
    rotation: Array | None = None
    shape: Shape | None = None
    text: str = ""


class Sketch:
    """What a user draws into a World: it is seen in the viewer, in pictures and in recordings, and by nothing else.

    ``world.sketch`` is that of a World.  Each thing that is drawn has a name; drawing under the same name again puts
    the new one in the old one's place, so that a loop may call ``world.sketch.arrow("push", start, end)`` in each step.
    Cameras show it in their colours; depths, segmentation and sensors are of real things alone.  It is no part of the
    World's state: snapshots, copies and files are without it.

    Parameters
    ----------
    world : World, optional
        Whose bodies it may be drawn on by handle.

    Attributes
    ----------
    strokes : tuple of Stroke
        What is drawn.
    """

    def __init__(self, world: World | None = None) -> None:
        self._world = None if world is None else weakref.ref(world)
        self._by_name: dict[str, Stroke] = {}
        self._listeners: weakref.WeakSet[Any] = weakref.WeakSet()

    @property
    def strokes(self) -> tuple[Stroke, ...]:
        """What is drawn, in the order in which the names came."""
        return tuple(self._by_name.values())

    # ---- drawing -------------------------------------------------------------------------------------

    def sphere(
        self, name: str, position: ArrayLike, radius: float = 0.05, color: ArrayLike = BLUE, on: Any = None
    ) -> None:
        """A ball.

        Parameters
        ----------
        name : str
            Of what is drawn; what had it before goes.
        position : (3,) array_like
            Of its middle, in the frame of `on` [m].
        radius : float
            [m].
        color : (3,) or (4,) array_like
            Red, green, blue and, if given, opacity, 0 to 1; pictures of cameras are opaque.
        on : SingleBody, BodyRef, FrameRef, (robot, "frame name") or str, optional
            What it moves with, as for a Camera; the world by default.

        Raises
        ------
        Error
            If an argument is wrong; then the sketch is as before.
        """
        self.shape(name, Sphere(number(radius, "radius", above=0.0, unit="[m]")), position, color=color, on=on)

    def shape(
        self, name: str, shape: Shape, pose: Transform | ArrayLike = (0.0, 0.0, 0.0), color: ArrayLike = BLUE,
        on: Any = None,
    ) -> None:  # fmt: skip
        """Any shape, a Mesh too.

        Parameters
        ----------
        name, color, on
            As for `sphere`.
        shape : Shape
            One of rbdyn.collision.shapes that has an end.
        pose : Transform or (3,) array_like
            Where it is, or its origin alone, in the frame of `on` [m].
        """
        if not isinstance(shape, Shape) or isinstance(shape, HalfSpace):
            raise Error(f"shape must be one of rbdyn.collision.shapes that has an end, got {shown(shape)}")
        X = pose.matrix if isinstance(pose, Transform) else np.eye(4)
        at = X[:3, 3] if isinstance(pose, Transform) else as_vector(pose, 3, "pose", "[m]")
        self._put(name, "shape", at.reshape(1, 3), color, on, rotation=_frozen(X[:3, :3]), shape=shape)

    def line(
        self, name: str, points: ArrayLike, width: float = 0.01, color: ArrayLike = BLUE, on: Any = None
    ) -> None:
        """A line through points, straight from one to the next.

        Parameters
        ----------
        name, color, on
            As for `sphere`.
        points : (n, 3) array_like
            n >= 2, in the frame of `on` [m].
        width : float
            [m].
        """
        try:
            at = np.array(points, dtype=np.float64)
        except (TypeError, ValueError):
            at = np.empty(0)
        if at.ndim != 2 or at.shape[1] != 3 or not 2 <= len(at) <= MOST_POINTS or not np.isfinite(at).all():
            raise Error(f"points must be (n, 3) finite numbers [m], n from 2 to {MOST_POINTS}, got {shown(points)}")
        self._put(name, "line", at, color, on, width=number(width, "width", above=0.0, unit="[m]"))

    def arrow(
        self, name: str, start: ArrayLike, end: ArrayLike, width: float = 0.015, color: ArrayLike = BLUE, on: Any = None
    ) -> None:
        """An arrow; one without length is not seen.

        Parameters
        ----------
        name, color, on
            As for `sphere`.
        start, end : (3,) array_like
            In the frame of `on` [m].
        width : float
            Of its shaft [m].
        """
        ends = np.stack([as_vector(start, 3, "start", "[m]"), as_vector(end, 3, "end", "[m]")])
        self._put(name, "arrow", ends, color, on, width=number(width, "width", above=0.0, unit="[m]"))

    def label(
        self, name: str, text: str, position: ArrayLike = (0.0, 0.0, 0.0), color: ArrayLike = (0.1, 0.1, 0.1),
        on: Any = None,
    ) -> None:  # fmt: skip
        """A text; in pictures of cameras it is drawn by Pillow (extra `video`), over everything.

        Parameters
        ----------
        name, color, on
            As for `sphere`.
        text : str
            At most 200 letters.
        position : (3,) array_like
            Of its lower left corner, in the frame of `on` [m].
        """
        if not isinstance(text, str) or not 0 < len(text) <= MOST_LETTERS:
            raise Error(f"text must be a string of 1 to {MOST_LETTERS} letters, got {shown(text)}")
        self._put(name, "label", as_vector(position, 3, "position", "[m]").reshape(1, 3), color, on, text=str(text))

    def _put(self, name: Any, kind: str, points: Array, color: Any, on: Any, **values: Any) -> None:
        """Draw a stroke whose own values are checked."""
        one = Stroke(checked_name(name, "name"), kind, _frozen(points), _color(color), self._key_of(on), **values)
        self._by_name = {**self._by_name, one.name: one}  # a new one: whoever reads the old one may go on
        self._tell()

    def _key_of(self, on: Any) -> Key | None:
        """Object and frame of what a stroke moves with."""
        if on is None:
            return None
        if isinstance(on, str) and self._world is None:
            return "", on
        obj: Any
        if isinstance(on, SingleBody):
            obj, key = on, (on.name, on.name)
        else:
            obj, frame = on if isinstance(on, tuple) and len(on) == 2 else (getattr(on, "robot", None), on)
            if not isinstance(obj, ArticulatedSystem):
                need = 'a single body, a body or frame of a robot, or (robot, "frame name")'
                raise Error(f"on must be {need}, got {shown(on)}")
            key = obj.name, obj.frame(getattr(frame, "name", frame)).name
        if self._world is not None and obj.world is not self._world():
            raise Error(f"on must be of the World that is drawn into; {obj.name!r} is of another")
        return key

    # ---- taking away ---------------------------------------------------------------------------------

    def remove(self, name: str) -> None:
        """Take one away.

        Parameters
        ----------
        name : str
            Of what is drawn.

        Raises
        ------
        UnknownNameError
            If nothing of this name is drawn.
        """
        if name not in self._by_name:
            raise unknown_name("stroke", name, self._by_name, "this sketch")
        self._by_name = {key: one for key, one in self._by_name.items() if key != name}
        self._tell()

    def clear(self) -> None:
        """Take all of it away."""
        self._by_name = {}
        self._tell()

    def listen(self, listener: Any) -> None:
        """Have ``listener.sketched()`` called after each change, as long as somebody else holds the listener.

        Parameters
        ----------
        listener : object
            A recorder, for example.
        """
        self._listeners.add(listener)

    def _tell(self) -> None:
        for listener in list(self._listeners):
            listener.sketched()

    def __contains__(self, name: object) -> bool:
        return name in self._by_name

    def __len__(self) -> int:
        return len(self._by_name)

    def __iter__(self) -> Iterator[Stroke]:
        return iter(self.strokes)

    def __repr__(self) -> str:
        names = ", ".join(list(self._by_name)[:5]) + (", ..." if len(self._by_name) > 5 else "")
        return f"Sketch({len(self._by_name)} strokes{': ' if names else ''}{names})"


_sketches: weakref.WeakKeyDictionary[World, Sketch] = weakref.WeakKeyDictionary()


def sketch_of(world: World) -> Sketch:
    """That of a World, made when it is first asked for."""
    found = _sketches.get(world)
    if found is None:
        found = _sketches.setdefault(world, Sketch(world))
    return found


def strokes_in(world: World) -> tuple[Stroke, ...]:
    """What is drawn in a World, which may never have had a sketch."""
    found = _sketches.get(world)
    return () if found is None else found.strokes


def _frozen(array: Array) -> Array:
    kept = np.array(array)
    kept.flags.writeable = False
    return kept


def _color(value: Any) -> Color:
    """Red, green, blue, opacity."""
    try:
        size = len(value)
    except TypeError:
        size = 0
    if size not in (3, 4):
        raise Error(f"color must be (r, g, b) or (r, g, b, a), 0 to 1, got {shown(value)}")
    numbers = as_vector(value, size, "color").tolist()
    if not all(0.0 <= x <= 1.0 for x in numbers):
        raise Error(f"color must be between 0 and 1, got {shown(value)}")
    r, g, b, a = [*numbers, 1.0][:4]
    return r, g, b, a
