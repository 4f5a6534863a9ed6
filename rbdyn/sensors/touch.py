"""Contact and touch sensors."""

from __future__ import annotations

from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from rbdyn.sensors.descriptions import ContactSensor, TouchSensor
from rbdyn.sensors.noise import with_noise
from rbdyn.sensors.sensor import MountedSensor

Array = NDArray[np.float64]


class MountedContact(MountedSensor):
    """The force of all contacts of its link, mean over the latest step, and whether there is one.

    Parameters
    ----------
    mount, description, seed
        As for every sensor.
    """

    description: ContactSensor
    _values_of: ClassVar[dict[str, tuple[int, ...] | None]] = {"force": (3,), "in_contact": ()}

    def _measured(self, dt: float) -> dict[str, Array]:
        link = self._mount.link
        force = self.pose[:3, :3].T @ link.contact_force()
        touching = any(contact.impulse.any() for contact in link.contacts)
        return {"force": with_noise(force, self.description.noise, self._rng), "in_contact": np.array(float(touching))}

    @property
    def force(self) -> Array:
        """On the link, along the sensor's axes, (3,) read-only [N]."""
        return self["force"]

    @property
    def in_contact(self) -> bool:
        """Whether something pressed on the link."""
        return bool(self["in_contact"])


class MountedTouch(MountedSensor):
    """How hard contacts of its link within a ball about it press: the sum of their normal forces in the latest step.

    Parameters
    ----------
    mount, description, seed
        As for every sensor.
    """

    description: TouchSensor
    _values_of: ClassVar[dict[str, tuple[int, ...] | None]] = {"force": ()}

    def _measured(self, dt: float) -> dict[str, Array]:
        link, center = self._mount.link, self.position
        near = [c for c in link.contacts if np.linalg.norm(c.position - center) <= self.description.radius]
        total = np.array(sum(float(c.force @ c.normal) for c in near))
        return {"force": with_noise(total, self.description.noise, self._rng).reshape(())}

    @property
    def force(self) -> float:
        """Sum of the normal forces [N]."""
        return float(self["force"])
