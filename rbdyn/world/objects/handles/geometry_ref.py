"""GeometryRef: a shape of a robot that collides."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from rbdyn.algorithms.kinematics.forward import body_pose
from rbdyn.collision.shapes import Shape
from rbdyn.errors import Error, RemovedError
from rbdyn.mechanism import Geometry, RigidBody
from rbdyn.spatial.rotations import Array
from rbdyn.spatial.transform import Transform
from rbdyn.world import hints
from rbdyn.world.objects.handles.placed import Placed

if TYPE_CHECKING:
    from rbdyn.world import BodyRef


class ShapeOf(NamedTuple):
    """Which shape: the link, and its name there, or its number if it has none of its own."""

    link: RigidBody
    key: str | int

    @property
    def name(self) -> str:
        """As `ArticulatedSystem.geometry` takes it."""
        return self.key if isinstance(self.key, str) else f"{self.link.name}/{self.key}"

    def place(self) -> int:
        """Its index in the link's list; RemovedError if it is not there any more."""
        shapes = self.link.collision
        if isinstance(self.key, int):
            if self.key < len(shapes):
                return self.key
        else:
            for k, geometry in enumerate(shapes):
                if geometry.name == self.key:
                    return k
        raise RemovedError(f"geometry {self.name!r} was removed from body {self.link.name!r}")


class GeometryRef(Placed):
    """A shape of a robot in a World that collides.

    Made by `ArticulatedSystem.geometry`.
    """

    __slots__ = ()
    kind = "geometry"
    _advice = (hints.GEOMETRY, hints.REF)
    _item: ShapeOf

    @property
    def _key(self) -> Any:
        raise Error(f"{self!r} is no frame of the robot: give its body")

    @property
    def geometry(self) -> Geometry:
        """All of it, the value in the mechanism."""
        return self._thing.link.collision[self._item.place()]

    @property
    def shape(self) -> Shape:
        """One of rbdyn.collision.shapes."""
        return self.geometry.shape

    @shape.setter
    def shape(self, value: Shape) -> None:
        self.set(shape=value)

    @property
    def placement(self) -> Transform:
        """Where it is on its link, a Transform."""
        return self.geometry.pose

    @placement.setter
    def placement(self, value: Transform) -> None:
        self.set(pose=value)

    @property
    def pose(self) -> Array:
        """Homogeneous pose in the world, (4, 4), fresh."""
        pose: Array = body_pose(self._robot._placed, self._item.link) @ self.placement.matrix
        return pose

    def set(self, **values: Any) -> None:
        """Change several attributes of it at once, between steps; what is not given stays.

        Contacts of a shape that is not what it was, or not where it was, are forgotten, and nothing else.

        Parameters
        ----------
        **values
            `shape`, `pose` (a Transform in the link's frame), `material`, `group`, `mask`, `color`.

        Raises
        ------
        MechanismError, CollisionError
            If a value is wrong; nothing changes then.
        BusyError
            While the World steps, or between the halves of a step.
        """
        link = self._thing.link
        self._robot.world._edits.set_geometry(self._robot, link, self._item.place(), **values)

    def remove(self) -> None:
        """Take it off its link, between steps; this handle raises RemovedError from then on."""
        link, robot, place = self._thing.link, self._robot, self._item.place()
        robot.world._edits.remove_geometry(robot, link, place)
        behind = [(key, handle) for key, handle in robot._handles.items() if _is_behind(handle, link, place)]
        for key in [key for key, handle in robot._handles.items() if handle is self]:
            del robot._handles[key]
        for key, handle in behind:
            _move_up(robot, key, handle)
        self._end(f"geometry {self._item.name!r} was removed from body {link.name!r}")

    @property
    def material(self) -> str:
        """Name for the World's pairs of materials."""
        return self.geometry.material

    @material.setter
    def material(self, value: str) -> None:
        self.set(material=value)

    @property
    def group(self) -> int:
        """Collision group, 64 bits."""
        return self.geometry.group

    @group.setter
    def group(self, value: int) -> None:
        self.set(group=value)

    @property
    def mask(self) -> int:
        """Which groups it collides with, 64 bits."""
        return self.geometry.mask

    @mask.setter
    def mask(self, value: int) -> None:
        self.set(mask=value)

    @property
    def body(self) -> BodyRef:
        """BodyRef of its link."""
        return self._robot.body(self._item.link)

    def _of(self, item: Any) -> None:
        self._item = item


def _is_behind(handle: Any, link: RigidBody, place: int) -> bool:
    """Whether a handle is that of a shape without a name on this link, behind this place."""
    item = handle._item if isinstance(handle, GeometryRef) else None
    return item is not None and item.link is link and isinstance(item.key, int) and item.key > place


def _move_up(robot: Any, key: Any, handle: GeometryRef) -> None:
    """A shape before that of a handle has gone: it has a lower number now, and its old name is not its own."""
    del robot._handles[key]
    if not isinstance(key[1], str):
        item = ShapeOf(handle._item.link, int(handle._item.key) - 1)
        handle._follow(robot, item)
        robot._handles[type(handle), item] = handle
