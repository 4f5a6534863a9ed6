"""VectorBody: the single bodies of one name in many Worlds."""

from __future__ import annotations

from typing import Any, cast

import numpy as np
from numpy.typing import ArrayLike

from rbdyn.errors import StateError
from rbdyn.parallel.fleet import Fleet, Many
from rbdyn.parallel.selection import Where, chosen, rows_of
from rbdyn.spatial.rotations import Array
from rbdyn.world import SingleBody


class VectorBody(Many):
    """The single bodies of one name in many Worlds; found by `VectorWorld.find`.

    It has the names of `SingleBody`, with a row for each World, in fresh arrays.

    Parameters
    ----------
    owner : VectorWorld
        Whose they are.
    name : str
        That all of them bear.

    Attributes
    ----------
    name : str
        See above.
    """

    __slots__ = ("__weakref__", "_bodies", "_owner", "name")
    _kind_of_one, _all_of_them = SingleBody, "body[k]"

    def __init__(self, owner: Fleet, name: str) -> None:
        self._owner, self.name = owner, name
        self._bodies: list[SingleBody] = [cast(SingleBody, world.find(name)) for world in owner.worlds]

    def __len__(self) -> int:
        return len(self._bodies)

    def __getitem__(self, k: int) -> SingleBody:
        return self._bodies[k]

    def __repr__(self) -> str:
        return f"VectorBody({self.name!r}, in {len(self)} Worlds)"

    @property
    def position(self) -> Array:
        """Centres of mass, (n, 3), world, fresh [m]."""
        return np.array([body.position for body in self._bodies])

    @property
    def orientation(self) -> Array:
        """Quaternions [w, x, y, z], (n, 4), fresh."""
        return np.array([body.orientation for body in self._bodies])

    @property
    def linear_velocity(self) -> Array:
        """Velocities of the centres of mass, (n, 3), world axes, fresh [m/s]."""
        return np.array([body.linear_velocity for body in self._bodies])

    @property
    def angular_velocity(self) -> Array:
        """Angular velocities, (n, 3), world axes, fresh [rad/s]."""
        return np.array([body.angular_velocity for body in self._bodies])

    def _each(self, where: Where, method: Any, **given: tuple[ArrayLike | None, int]) -> None:
        """Call a method of each with a row of what is given."""
        numbers = chosen(where, len(self))
        values = {
            name: rows_of(value, len(numbers), (width,), name, error=StateError)
            for name, (value, width) in given.items()
            if value is not None
        }
        self._owner._each(numbers, lambda world, **row: method(world.find(self.name), **row), **values)
        self._owner._goes_on(numbers)

    def set_pose(
        self, position: ArrayLike | None = None, orientation: ArrayLike | None = None, where: Where = None
    ) -> None:
        """Move bodies, as `SingleBody.set_pose`; what is not given stays.

        Parameters
        ----------
        position : (m, 3) or (3,) array_like, optional
            Centres of mass, world [m].
        orientation : (m, 4) or (4,) array_like, optional
            Quaternions [w, x, y, z].
        where : optional
            Which Worlds.
        """
        self._each(where, SingleBody.set_pose, position=(position, 3), orientation=(orientation, 4))

    def set_velocity(
        self, linear: ArrayLike | None = None, angular: ArrayLike | None = None, where: Where = None
    ) -> None:
        """Set velocities, as `SingleBody.set_velocity`; what is not given stays.

        Parameters
        ----------
        linear : (m, 3) or (3,) array_like, optional
            Of the centres of mass, world axes [m/s].
        angular : (m, 3) or (3,) array_like, optional
            World axes [rad/s].
        where : optional
            Which Worlds.
        """
        self._each(where, SingleBody.set_velocity, linear=(linear, 3), angular=(angular, 3))

    def set_external_force(self, force: ArrayLike, where: Where = None) -> None:
        """Apply a force at the centre of mass for one step, as `SingleBody.set_external_force`.

        Parameters
        ----------
        force : (m, 3) or (3,) array_like
            World axes [N].
        where : optional
            Which Worlds.
        """
        numbers = chosen(where, len(self))
        force = rows_of(force, len(numbers), (3,), "force", error=StateError)
        self._owner._each(
            numbers, lambda world, force: world.find(self.name).set_external_force(0, force), force=force
        )
