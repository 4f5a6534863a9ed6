"""GeometryRef: a shape of a robot that collides."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from rbdyn.algorithms.kinematics.forward import body_pose
from rbdyn.collision.shapes import Shape
from rbdyn.errors import Error, RemovedError
from rbdyn.mechanism import Geometry, RigidBody
from rbdyn.spatial.rotations import Array
from rbdyn.spatial.transform import Transform
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

    @property
    def placement(self) -> Transform:
        """Where it is on its link, a Transform."""
        return self.geometry.pose

    @property
    def pose(self) -> Array:
        """Homogeneous pose in the world, (4, 4), fresh."""
        pose: Array = body_pose(self._robot._placed, self._item.link) @ self.placement.matrix
        return pose

    @property
    def material(self) -> str:
        """Name for the World's pairs of materials."""
        return self.geometry.material

    @property
    def group(self) -> int:
        """Collision group, 64 bits."""
        return self.geometry.group

    @property
    def mask(self) -> int:
        """Which groups it collides with, 64 bits."""
        return self.geometry.mask

    @property
    def body(self) -> BodyRef:
        """BodyRef of its link."""
        return self._robot.body(self._item.link)

    def _of(self, item: Any) -> None:
        self._item = item
