"""Contact: one contact of a World, in world axes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from rbdyn.errors import Error

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

    @property
    def objects(self) -> tuple[WorldObject, WorldObject]:
        """Objects A and B."""
        return self.object_a, self.object_b

    @property
    def bodies(self) -> tuple[str, str]:
        """Names of the bodies of A and B."""
        return self.body_a, self.body_b

    def force_on(self, obj: WorldObject | str) -> Array:
        """Mean contact force on an object over the step.

        Parameters
        ----------
        obj : WorldObject or str
            `object_a` or `object_b`, or its name.

        Returns
        -------
        force : (3,) ndarray
            World axes [N], fresh; zero before `integrate2`.

        Raises
        ------
        Error
            If `obj` has no part in this contact, or is in contact with itself here.
        """
        force = self.impulse / self.time_step
        if isinstance(obj, str):
            obj = next((one for one in self.objects if one.name == obj), obj)
        if obj is self.object_a and obj is self.object_b:
            raise Error(f"{_name(obj)} is in contact with itself here; its two bodies get opposite forces: see impulse")
        if obj is self.object_a:
            return force
        if obj is self.object_b:
            return -force
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
