"""Contact: one contact of a World, in world axes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from rbdyn.errors import Error

if TYPE_CHECKING:
    from rbdyn.world.object import WorldObject

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Contact:
    """One contact of the latest detection; a value that later steps do not change.

    Attributes
    ----------
    object_a, object_b : WorldObject
        Who touches whom.
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

    def force_on(self, obj: WorldObject) -> Array:
        """Mean contact force on an object over the step.

        Parameters
        ----------
        obj : WorldObject
            `object_a` or `object_b`.

        Returns
        -------
        force : (3,) ndarray
            World axes [N]; zero before `integrate2`.

        Raises
        ------
        Error
            If `obj` has no part in this contact, or touches itself here.
        """
        force = self.impulse / self.time_step
        if obj is self.object_a and obj is self.object_b:
            raise Error(f"{obj!r} touches itself here; its two bodies get opposite forces: see impulse")
        if obj is self.object_a:
            return force
        if obj is self.object_b:
            return -force
        raise Error(f"{obj!r} has no part in the contact of {self.object_a!r} with {self.object_b!r}")
