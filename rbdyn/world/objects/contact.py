"""Contact: one contact of a World, in world axes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from rbdyn.errors import Error
from rbdyn.world.objects.single_body import SingleBody

if TYPE_CHECKING:
    from rbdyn.world.objects.object import WorldObject

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False, repr=False)
class Contact:
    """One contact of the latest detection; a value that later steps do not change, with read-only arrays.

    Attributes
    ----------
    object_a, object_b : WorldObject
        The two objects in contact.
    body_a, body_b : str
        Names of the bodies; of a single body, the object's own name.
    geometry_a, geometry_b : str
        Names of the collision shapes.
    position : (3,) ndarray
        World [m].
    normal : (3,) ndarray
        Unit vector into object A, world axes.
    depth : float
        Penetration [m], negative for a gap.
    impulse : (3,) ndarray
        On object A in the latest step, world axes [N s]; zero before `integrate2`.
    time_step : float
        [s].
    link_a, link_b : str
        Names of the links that the shapes belong to: a body, or what a fixed joint merged into it.
    """

    object_a: WorldObject
    object_b: WorldObject
    body_a: str
    body_b: str
    geometry_a: str
    geometry_b: str
    position: Array
    normal: Array
    depth: float
    impulse: Array
    time_step: float
    link_a: str
    link_b: str

    @property
    def objects(self) -> tuple[WorldObject, WorldObject]:
        """Objects A and B."""
        return self.object_a, self.object_b

    @property
    def bodies(self) -> tuple[str, str]:
        """Names of the bodies of A and B."""
        return self.body_a, self.body_b

    @property
    def force(self) -> Array:
        """Mean force on object A over the step, world axes, (3,), fresh [N]; zero before `integrate2`."""
        force: Array = self.impulse / self.time_step
        return force

    @property
    def frame(self) -> Array:
        """The contact's axes in the world, (3, 3), fresh: two tangents and the normal, its columns."""
        n = self.normal
        t = np.eye(3)[np.abs(n).argmin()]
        t = t - (t @ n) * n
        t /= np.sqrt(t @ t)
        return np.stack([t, np.cross(n, t), n], axis=1)

    def force_on(self, obj: WorldObject | str) -> Array:
        """Mean contact force on an object over the step.

        Parameters
        ----------
        obj : WorldObject or str
            `object_a` or `object_b`, or its name; or the name of one of the two links, bodies or shapes.

        Returns
        -------
        force : (3,) ndarray
            World axes [N], fresh; zero before `integrate2`.

        Raises
        ------
        Error
            If `obj` has no part in this contact, or is in contact with itself here.
        """
        return self.force if self._side(obj) == 0 else -self.force

    def velocity_on(self, obj: WorldObject | str) -> Array:
        """Velocity of the point of an object that is at `position`, as the object moves now.

        Parameters
        ----------
        obj
            As for `force_on`.

        Returns
        -------
        velocity : (3,) ndarray
            World axes [m/s], fresh.
        """
        side = self._side(obj)
        thing: Any = self.objects[side]
        if not isinstance(thing, SingleBody):
            velocity: Array = thing.body(self.bodies[side]).point_velocity(self.position, frame="world")
            return velocity
        return thing.linear_velocity + np.cross(thing.angular_velocity, self.position - thing.position)

    def _side(self, obj: WorldObject | str) -> int:
        """0 for A, 1 for B."""
        names = ((self.object_a.name, self.link_a, self.body_a, self.geometry_a),
                 (self.object_b.name, self.link_b, self.body_b, self.geometry_b))  # fmt: skip
        for k in range(4 if isinstance(obj, str) else 1):
            sides = [one is obj or (isinstance(obj, str) and name[k] == obj)
                     for one, name in zip(self.objects, names, strict=True)]  # fmt: skip
            if all(sides):
                raise Error(f"{_name(obj)} is in contact with itself here; its two bodies get opposite forces: name "
                            "one of them")  # fmt: skip
            if any(sides):
                return sides.index(True)
        raise Error(f"{_name(obj)} has no part in the contact of {_name(self.object_a)} with {_name(self.object_b)}")

    def __repr__(self) -> str:
        one, other = (_name(obj, body) for obj, body in zip(self.objects, self.bodies, strict=True))
        force = np.linalg.norm(self.impulse) / self.time_step
        at = ", ".join(f"{x:.4g}" for x in self.position)
        gap = f"{self.depth:.3g} m deep" if self.depth >= 0 else f"gap {-self.depth:.3g} m"
        return f"Contact({one} with {other}, {force:.4g} N, {gap}, at ({at}) m)"


def _name(obj: object, body: str = "") -> str:
    """An object's name, with that of its body where it has several."""
    name = getattr(obj, "name", obj)
    return f"{name!r}" if body in ("", name) else f"{name!r} ({body})"
