"""Poses of an SDF model: each is relative to another frame, by name, until the model's own."""

from __future__ import annotations

from dataclasses import dataclass

from rbdyn.errors import SdfError
from rbdyn.io.diagnostics import did_you_mean
from rbdyn.io.numbers import shown
from rbdyn.spatial.transform import Transform

MODEL = "__model__"
SEPARATOR = "::"  # between a nested model and a name in it


@dataclass(frozen=True)
class Placed:
    """A frame as the file says it."""

    where: str
    pose: Transform
    relative_to: str  # name of a frame


class Frames:
    """The frames of one model or world, and where they are in it.

    Parameters
    ----------
    where : str
        "file:line" of the model.
    root : str
        The name of its own frame.
    """

    def __init__(self, where: str, root: str = MODEL) -> None:
        self._said: dict[str, Placed] = {root: Placed(where, Transform(), "")}
        self._known: dict[str, Transform] = {root: Transform()}

    def add(self, name: str, where: str, pose: Transform, relative_to: str) -> None:
        """A link, joint or frame; names are of one kind."""
        if name in self._said:
            raise SdfError(f"{where}: the name {shown(name)} already stands at {self._said[name].where}")
        if name.startswith("__") and name.endswith("__"):
            raise SdfError(f"{where}: {shown(name)}: names between double underscores are SDF's own")
        self._said[name] = Placed(where, pose, relative_to)

    def pose(self, name: str, where: str) -> Transform:
        """Pose of a frame in the model or world; SdfError if it is not there, or hangs on itself."""
        chain: dict[str, Placed] = {}  # in order, and quick to look up
        at = name
        while at not in self._known:
            if at not in self._said:
                place = chain[next(reversed(chain))].where if chain else where
                if SEPARATOR in at:
                    raise SdfError(f"{place}: {shown(at)} is a frame inside another model, which are not read")
                raise SdfError(f"{place}: no frame named {shown(at)}{did_you_mean(at, self._said)}")
            if at in chain:
                raise SdfError(f"{where}: frames are relative to one another in a circle: {' -> '.join([*chain, at])}")
            chain[at] = self._said[at]
            at = chain[at].relative_to
        for frame, said in reversed(chain.items()):
            self._known[frame] = self._known[said.relative_to] @ said.pose
        return self._known[name]
