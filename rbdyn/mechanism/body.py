"""RigidBody: inertia, geometry and body-fixed frames under one name."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace

from rbdyn.collision.shapes import Shape
from rbdyn.errors import MechanismError
from rbdyn.mechanism._parameter import Edited, Parameter
from rbdyn.spatial.frames import CartesianFrame
from rbdyn.spatial.inertia import SpatialInertia
from rbdyn.spatial.rotations import _shown
from rbdyn.spatial.transform import Transform


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
        "LINK/0", "LINK/1", ... for a robot read from a file.
    material : str
        Material name for the World's pair table; "default" unless said otherwise.
    group, mask : int
        64-bit collision group and mask: A and B collide if each one's group meets the other's mask.
    color : (r, g, b, a), optional
        For drawing, 0 to 1.
    """

    shape: Shape
    pose: Transform = field(default_factory=Transform)
    name: str = ""
    material: str = "default"
    group: int = 1
    mask: int = -1
    color: tuple[float, float, float, float] | None = None

    def moved(self, pose: Transform) -> Geometry:
        """This geometry on a body in whose frame the present body has pose `pose`."""
        return replace(self, pose=pose @ self.pose)


def _inertia(body: RigidBody, value: object, what: str) -> SpatialInertia:
    """A SpatialInertia; a massless one for None."""
    if value is None:
        return SpatialInertia.zero()
    if not isinstance(value, SpatialInertia):
        raise MechanismError(f"{what} of body {body.name!r} must be a SpatialInertia or None, got {value!r}")
    return value


class RigidBody(Edited):
    """A rigid body.

    Its frame is its own: attaching, flipping and re-rooting never move it within the body.

    Parameters
    ----------
    name : str
        Unique within a mechanism.
    inertia : SpatialInertia, optional
        None means massless.
    collision, visual : iterable of Geometry
        Shapes that collide, and shapes that are only drawn.

    Attributes
    ----------
    frame : CartesianFrame
        The body's own frame.
    frames : dict
        Name -> (CartesianFrame, pose in the body frame), for each `add_frame`.
    """

    def __init__(
        self,
        name: str,
        inertia: SpatialInertia | None = None,
        collision: Iterable[Geometry] = (),
        visual: Iterable[Geometry] = (),
    ) -> None:
        if not isinstance(name, str) or not name:
            raise MechanismError(f"a body's name must be a non-empty string, got {name!r}")
        self._name = name
        self.inertia = inertia
        self.collision = list(collision)
        self.visual = list(visual)
        for item in (*self.collision, *self.visual):
            if not isinstance(item, Geometry):
                raise MechanismError(f"geometry of body {name!r} must be Geometry values, got {item!r}")
        self.frame = CartesianFrame(name)
        self.frames: dict[str, tuple[CartesianFrame, Transform]] = {}

    inertia = Parameter(_inertia, "The body's SpatialInertia, in its own frame.")

    @property
    def name(self) -> str:
        """Unique within a mechanism; fixed, since others look bodies up by it."""
        return self._name

    def add_frame(self, name: str, pose: Transform) -> CartesianFrame:
        """Fix a named frame at `pose` in the body frame.  Models made before do not know it.

        Raises
        ------
        MechanismError
            If the body already has a frame of that name, the name is empty, or `pose` is no Transform.
        """
        if not isinstance(name, str) or not name:
            raise MechanismError(f"a frame's name must be a non-empty string, got {_shown(name)}")
        if not isinstance(pose, Transform):
            raise MechanismError(f"pose of frame {name!r} must be a Transform, got {_shown(pose)}")
        if name in self.frames or name == self.name:
            raise MechanismError(f"body {self.name!r} already has a frame named {name!r}")
        frame = CartesianFrame(name)
        self.frames[name] = (frame, pose)
        return frame

    def copy(self, name: str | None = None) -> RigidBody:
        """A copy with fresh frames, and another name if given."""
        twin = RigidBody(name or self.name, self.inertia, self.collision, self.visual)
        for frame_name, (_, pose) in self.frames.items():
            twin.add_frame(frame_name, pose)
        return twin

    def __copy__(self) -> RigidBody:
        return self.copy()

    def __repr__(self) -> str:
        return f"RigidBody({self.name!r}, mass={self.inertia.mass:g})"
