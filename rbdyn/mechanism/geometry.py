"""Geometry: a shape on a body; and the list of those that a body has."""

from __future__ import annotations

import copy
from collections.abc import Iterable, Iterator, MutableSequence, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, SupportsIndex, overload

from rbdyn.arguments import as_vector, shown, whole
from rbdyn.arguments import name as checked_name
from rbdyn.collision.shapes import Compound, Shape
from rbdyn.errors import MechanismError
from rbdyn.mechanism._revision import put_all
from rbdyn.spatial.transform import Transform

if TYPE_CHECKING:
    from rbdyn.mechanism._parameter import Edited

BITS = (-(2**63), 2**64 - 1)  # what 64 bits hold, with a sign or without
Color = tuple[float, float, float, float]


def _material(value: object) -> str:
    """A name; "" is RaiSim's name of the default material."""
    unnamed = isinstance(value, str) and not value
    return "default" if unnamed else checked_name(value, "material of a Geometry", error=MechanismError)


@dataclass(frozen=True)
class Geometry:
    """A shape on a body.

    Parameters
    ----------
    shape : Shape
        One of rbdyn.collision.shapes.
    pose : Transform
        Pose of the shape in the body frame.
    name : str
        "LINK/0", "LINK/1", ... for a robot read from a file; may be empty.
    material : str
        Material name for the World's pair table; "default" unless said otherwise, which "" means too.
    group, mask : int
        64-bit collision group and mask: A and B collide if each one's group meets the other's mask.
    color : (r, g, b, a), optional
        For drawing, 0 to 1.
    pairs : sequence of str
        Labels.  Shapes of one robot that share a label collide, whatever groups, masks, joints and
        `Mechanism.ignore_collision` say: `<pair>` of MJCF.

    Raises
    ------
    MechanismError
        If one of them is something else.
    """

    shape: Shape
    pose: Transform = field(default_factory=Transform)
    name: str = ""
    material: str = "default"
    group: int = 1
    mask: int = -1
    color: Color | None = None
    pairs: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if not isinstance(self.shape, Shape):
            kinds = ", ".join(kind.__name__ for kind in Shape.__subclasses__())
            raise MechanismError(f"shape of a Geometry must be one of {kinds}, got {shown(self.shape)}")
        if isinstance(self.shape, Compound):
            raise MechanismError("a Compound is several shapes, a Geometry each: Geometry.parts_of makes them")
        if not isinstance(self.pose, Transform):
            raise MechanismError(f"pose of a Geometry must be a Transform, got {shown(self.pose)}")
        if not isinstance(self.name, str):
            raise MechanismError(f"name of a Geometry must be a string, got {shown(self.name)}")
        values = {
            "name": str(self.name),
            "material": _material(self.material),
            "group": whole(self.group, "group of a Geometry", *BITS, error=MechanismError),
            "mask": whole(self.mask, "mask of a Geometry", *BITS, error=MechanismError),
            "color": _color(self.color),
            "pairs": _labels(self.pairs),
        }
        for key, value in values.items():
            object.__setattr__(self, key, value)

    def __deepcopy__(self, memo: dict[int, object]) -> Geometry:
        """Itself: it cannot change."""
        return self

    @classmethod
    def parts_of(
        cls, compound: Compound, pose: Transform | None = None, name: str = "", **values: Any
    ) -> list[Geometry]:
        """A geometry for each part of a compound.

        Parameters
        ----------
        compound : Compound
            Several shapes in one frame.
        pose : Transform, optional
            Pose of that frame in the body frame; the identity by default.
        name : str
            Names are "name/0", "name/1", ...; empty if this is.
        **values
            `material`, `group`, `mask` and `color` of all of them.

        Returns
        -------
        geometries : list of Geometry
        """
        if not isinstance(compound, Compound):
            raise MechanismError(f"compound must be a Compound, got {shown(compound)}")
        frame = Transform() if pose is None else pose
        return [
            cls(shape, frame @ Transform(X[:3, :3], translation=X[:3, 3]), f"{name}/{k}" if name else "", **values)
            for k, (shape, X) in enumerate(compound.parts)
        ]

    def moved(self, pose: Transform) -> Geometry:
        """This geometry on a body in whose frame the present body has pose `pose`."""
        return replace(self, pose=pose @ self.pose)


def _labels(values: Any) -> tuple[str, ...]:
    """Names in order, each once."""
    if isinstance(values, (str, bytes)) or not isinstance(values, Iterable):
        raise MechanismError(f"pairs of a Geometry must be a sequence of labels, got {shown(values)}")
    return tuple(sorted({checked_name(one, "a label in pairs of a Geometry", error=MechanismError) for one in values}))


def _color(color: Any) -> Color | None:
    """Four numbers from 0 to 1, or None."""
    if color is None:
        return None
    what = "color of a Geometry"
    r, g, b, a = as_vector(color, 4, what, "(r, g, b, a)", error=MechanismError).tolist()
    if not all(0.0 <= x <= 1.0 for x in (r, g, b, a)):
        raise MechanismError(f"{what} must be between 0 and 1, got {shown(color)}")
    return r, g, b, a


class GeometryList(MutableSequence[Geometry]):
    """The shapes of a body.  It takes nothing but Geometry values, and a change of it is an edit of the mechanism.

    Parameters
    ----------
    body : RigidBody
        Whose shapes these are.
    items : iterable of Geometry
        The shapes to begin with.
    what : str
        Name of the list, for messages.
    """

    __slots__ = ("_body", "_items", "_what")

    def __init__(self, body: Edited, items: object, what: str) -> None:
        self._body, self._what = body, what
        self._items = self._checked(items)

    def _checked(self, items: object) -> list[Geometry]:
        """All of `items`, or MechanismError."""
        name = getattr(self._body, "name", "")
        try:
            checked = list(items)  # type: ignore[call-overload]
        except TypeError:
            need = "a sequence of Geometry values"
            raise MechanismError(f"{self._what} of body {name!r} must be {need}, got {shown(items)}") from None
        for item in checked:
            if type(item) is not Geometry:
                raise MechanismError(f"{self._what} of body {name!r} must hold Geometry values, got {shown(item)}")
        return checked

    def __deepcopy__(self, memo: dict[int, Any]) -> GeometryList:
        """As the usual way copies it, in half the calls: every body has two."""
        made = GeometryList.__new__(GeometryList)
        memo[id(self)] = made
        made._body, made._what = copy.deepcopy(self._body, memo), self._what
        made._items = self._items.copy()
        return made

    def __len__(self) -> int:
        return len(self._items)

    def __iter__(self) -> Iterator[Geometry]:
        return iter(self._items)

    @overload
    def __getitem__(self, index: SupportsIndex) -> Geometry: ...
    @overload
    def __getitem__(self, index: slice) -> list[Geometry]: ...
    def __getitem__(self, index: SupportsIndex | slice) -> Geometry | list[Geometry]:
        return self._items[index]

    @overload
    def __setitem__(self, index: SupportsIndex, value: Geometry) -> None: ...
    @overload
    def __setitem__(self, index: slice, value: Iterable[Geometry]) -> None: ...
    def __setitem__(self, index: SupportsIndex | slice, value: Geometry | Iterable[Geometry]) -> None:
        items = self._items.copy()
        if isinstance(index, slice):
            items[index] = self._checked(value)
        else:
            items[index] = self._checked([value])[0]
        self._put(items)

    def _put(self, items: list[Geometry]) -> None:
        """Make these the shapes; an edit."""
        counter = self._body._revision
        put_all([(self, "_items", items)] if counter is None else [(self, "_items", items), (counter, None, None)])

    def __delitem__(self, index: SupportsIndex | slice) -> None:
        items = self._items.copy()
        del items[index]
        self._put(items)

    def insert(self, index: SupportsIndex, value: Geometry) -> None:
        """Put `value` before the shape at `index`."""
        items = self._items.copy()
        items.insert(index, *self._checked([value]))
        self._put(items)

    def clear(self) -> None:
        """Take all shapes away."""
        self._put([])

    def reverse(self) -> None:
        """Turn the order round."""
        self._put(self._items[::-1])

    def extend(self, values: Iterable[Geometry]) -> None:
        """Put `values` at the end: all of them, or none if one is no Geometry."""
        self._put([*self._items, *self._checked(values)])

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Sequence) and not isinstance(other, str) and self._items == list(other)

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return repr(self._items)
