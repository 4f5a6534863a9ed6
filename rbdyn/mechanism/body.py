"""RigidBody: inertia, shapes and body-fixed frames under one name."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from rbdyn.arguments import name as checked_name
from rbdyn.arguments import shown
from rbdyn.errors import MechanismError
from rbdyn.mechanism._parameter import Edited, Parameter
from rbdyn.mechanism._revision import put, put_frame
from rbdyn.mechanism.geometry import Geometry, GeometryList
from rbdyn.spatial.frames import CartesianFrame
from rbdyn.spatial.inertia import SpatialInertia
from rbdyn.spatial.transform import Transform


def _inertia(body: RigidBody, value: object, what: str) -> SpatialInertia:
    """A SpatialInertia; a massless one for None."""
    if value is None:
        return SpatialInertia.zero()
    if not isinstance(value, SpatialInertia):
        raise MechanismError(f"{what} of body {body.name!r} must be a SpatialInertia or None, got {shown(value)}")
    if defect := value.defect_of_moments():
        rule = "all must be 0 or more, and none larger than the sum of the others"
        raise MechanismError(f"{what} of body {body.name!r}: {defect}; {rule} (take_inertia keeps what files hold)")
    return value


def _sensor_sets(body: RigidBody, value: Any, what: str) -> tuple[Any, ...]:
    """A tuple of sensor sets."""
    if isinstance(value, (str, bytes)) or not isinstance(value, Iterable):
        raise MechanismError(f"{what} of body {body.name!r} must be sensor sets, got {shown(value)}")
    items = tuple(value)
    for item in items:
        if not callable(getattr(item, "moved", None)):
            raise MechanismError(f"{what} of body {body.name!r} must be sensor sets, got {shown(item)}")
    return items


class RigidBody(Edited):
    """A rigid body.

    Its frame is its own: attaching, flipping and re-rooting never move it within the body.

    Parameters
    ----------
    name : str
        Unique within a mechanism.
    inertia : SpatialInertia, optional
        None means massless.  A negative principal moment is refused, and one that is larger than the sum of the others;
        what files hold is kept: `take_inertia`.
    collision, visual : iterable of Geometry
        Shapes that collide, and shapes that are only drawn.

    Attributes
    ----------
    frame : CartesianFrame
        The body's own frame.
    frames : dict
        Name -> (CartesianFrame, pose in the body frame), for each `add_frame`.
    """

    _constant = frozenset({"_name", "inertia"})

    def __init__(
        self,
        name: str,
        inertia: SpatialInertia | None = None,
        collision: Iterable[Geometry] = (),
        visual: Iterable[Geometry] = (),
    ) -> None:
        self._name = checked_name(name, "a body's name", error=MechanismError)
        self.inertia = inertia
        self.collision = collision
        self.visual = visual
        self.sensor_sets = ()
        self.frame = CartesianFrame(name)
        self.frames: dict[str, tuple[CartesianFrame, Transform]] = {}

    inertia = Parameter(_inertia, "The body's SpatialInertia, in its own frame.")
    collision = Parameter(GeometryList, "Shapes that collide, a list of Geometry.")
    visual = Parameter(GeometryList, "Shapes that are only drawn, a list of Geometry.")
    sensor_sets = Parameter(
        _sensor_sets, "What its file mounts on it, a tuple of `rbdyn.io.SensorSet`; copied, moved and merged with it."
    )

    def take_inertia(self, inertia: SpatialInertia) -> None:
        """Set the inertia without a judgement, as a file, another body or several of them give it.

        Parameters
        ----------
        inertia : SpatialInertia
            In the body's frame.
        """
        put(self.__dict__, "inertia", inertia, self._revision)

    def scale_mass(self, factor: float) -> None:
        """Multiply the mass and the rotational inertia; the centre of mass stays.

        Parameters
        ----------
        factor : float
            Above 0: new mass over present one, as of the same body with another density.
        """
        self.take_inertia(self.inertia.scaled(factor))

    @property
    def name(self) -> str:
        """Unique within a mechanism; fixed, since others look bodies up by it."""
        return self._name

    def add_frame(self, name: str, pose: Transform) -> CartesianFrame:
        """Fix a named frame at `pose` in the body frame.  Models made before, and robots of Worlds, know it at once.

        Raises
        ------
        MechanismError
            If the body already has a frame of that name, the name is empty, or `pose` is no Transform.
        """
        name = checked_name(name, "a frame's name", error=MechanismError)
        if not isinstance(pose, Transform):
            raise MechanismError(f"pose of frame {name!r} must be a Transform, got {shown(pose)}")
        if name in self.frames or name == self.name:
            raise MechanismError(f"body {self.name!r} already has a frame named {name!r}")
        frame = CartesianFrame(name)
        put_frame(self.frames, name, (frame, pose), self._revision)
        return frame

    def copy(self, name: str | None = None) -> RigidBody:
        """A copy with fresh frames, and another name if given."""
        twin = RigidBody(self.name if name is None else name, None, self.collision, self.visual)
        twin.take_inertia(self.inertia)
        twin.sensor_sets = self.sensor_sets
        for frame_name, (_, pose) in self.frames.items():
            twin.add_frame(frame_name, pose)
        return twin

    def __copy__(self) -> RigidBody:
        return self.copy()

    def __repr__(self) -> str:
        return f"RigidBody({self.name!r}, mass={self.inertia.mass:g})"
