"""BodyRef: a body of a robot, or a link that a fixed joint merged into one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from rbdyn.algorithms.momentum.centroidal import composite_inertia
from rbdyn.arguments import as_vector, flag
from rbdyn.mechanism import Geometry, RigidBody
from rbdyn.spatial.inertia import SpatialInertia
from rbdyn.spatial.rotations import Array
from rbdyn.world import hints
from rbdyn.world.objects.contact import Contact
from rbdyn.world.objects.handles.frames_given import turned_from, turned_into
from rbdyn.world.objects.handles.moving import Moving

if TYPE_CHECKING:
    from rbdyn.world import GeometryRef, JointRef


class BodyRef(Moving):
    """A body of a robot in a World; links on fixed joints are bodies too, which move with `carrier`.

    Made by `ArticulatedSystem.body`.  Mass, centre of mass and inertia are the link's own; `merged_inertia` has the
    links that fixed joints hold to it as well, `composite_inertia` all that hangs on it.
    """

    __slots__ = ()
    kind = "body"
    _advice = (hints.BODY, hints.MOVING, hints.REF)
    _item: RigidBody

    def _of(self, item: Any) -> None:
        self._item = self._frame = item

    # ---- inertia ---------------------------------------------------------------------------------

    @property
    def mass(self) -> float:
        """Of the link alone [kg]; setting it leaves `inertia` as it is: `scale_mass` changes both."""
        return self._thing.inertia.mass

    @mass.setter
    def mass(self, value: float) -> None:
        self._robot.world._edits.set_body(self._robot, self._thing, value)

    @property
    def com(self) -> Array:
        """Centre of mass of the link, in its frame, (3,) read-only [m]."""
        return self._thing.inertia.com

    @com.setter
    def com(self, value: ArrayLike) -> None:
        self.set_inertia(com=value)

    @property
    def inertia(self) -> Array:
        """Of the link about its centre of mass, its axes, (3, 3) read-only [kg m^2]."""
        return self._thing.inertia.inertia

    @inertia.setter
    def inertia(self, value: ArrayLike) -> None:
        self.set_inertia(inertia=value)

    def set_inertia(
        self, mass: float | None = None, com: ArrayLike | None = None, inertia: ArrayLike | None = None
    ) -> None:
        """Change the link's inertia between steps; what is not given stays, also when the mass alone changes.

        What depends on it is renewed at once, that of the body that carries the link too; velocities stay.

        Parameters
        ----------
        mass : float, optional
            [kg], 0 or more.
        com : (3,) array_like, optional
            Centre of mass in the link's frame [m].
        inertia : (3, 3) array_like, optional
            About the centre of mass, in the link's axes [kg m^2].

        Raises
        ------
        Error
            If no body has such an inertia; nothing changes then.
        MechanismError
            If the mass matrix would be singular; nothing changes then.
        BusyError
            While the World steps, or between the halves of a step.
        """
        self._robot.world._edits.set_body(self._robot, self._thing, mass, com, inertia)

    def scale_mass(self, factor: float) -> None:
        """Multiply the link's mass and inertia between steps; its centre of mass stays.

        Parameters
        ----------
        factor : float
            Above 0: new mass over present one, as of the same link with another density.

        Raises
        ------
        Error
            If the factor is not above 0; nothing changes then.
        MechanismError
            If the mass matrix would be singular; nothing changes then.
        BusyError
            While the World steps, or between the halves of a step.

        Examples
        --------
        >>> robot.body("LF_SHANK").scale_mass(1.2)  # doctest: +SKIP
        """
        self._robot.world._edits.scale_body(self._robot, self._thing, factor)

    @property
    def spatial_inertia(self) -> SpatialInertia:
        """Mass, centre of mass and inertia of the link in one."""
        return self._thing.inertia

    @property
    def merged_inertia(self) -> SpatialInertia:
        """Of the link and all that fixed joints of the tree hold beyond it, in its frame."""
        mechanism, total = self._mechanism, self._item.inertia
        for joint in mechanism.joints_to_children(self._item):
            if joint.joint_type.is_fixed:
                edge = mechanism.edge(joint)
                beyond = self._robot.body(edge.successor).merged_inertia
                total = total + beyond.transformed(edge.joint_pose @ edge.successor_pose)
        return total

    @property
    def composite_inertia(self) -> SpatialInertia:
        """Of `carrier` and all that hangs on it, in the frame of this body, at the present configuration."""
        return composite_inertia(self._robot._placed, self._item)

    @property
    def com_position(self) -> Array:
        """Centre of mass of the link in the world, (3,), fresh [m]."""
        return self.point_position(self._item.inertia.com)

    # ---- where it stands in the mechanism ----------------------------------------------------------

    @property
    def carrier(self) -> BodyRef:
        """The one of `body_names` that it moves with: itself, unless a fixed joint holds it."""
        model = self._robot._placed.model
        return self._robot.body(model.body_names[model.body_of(self._item)])

    @property
    def index(self) -> int:
        """Of `carrier` in `body_names`."""
        return int(self._robot._placed.model.body_of(self._item))

    @property
    def joint(self) -> JointRef | None:
        """The joint of the tree that holds it; None for the root."""
        mechanism = self._mechanism
        return None if self._item is mechanism.root_body else self._robot.joint(mechanism.joint_to_parent(self._item))

    @property
    def parent(self) -> BodyRef | None:
        """The link that it hangs on; None for the root."""
        mechanism = self._mechanism
        return None if self._item is mechanism.root_body else self._robot.body(mechanism.parent(self._item))

    @property
    def children(self) -> tuple[BodyRef, ...]:
        """The links that hang on it by joints of the tree."""
        mechanism = self._mechanism
        joints = mechanism.joints_to_children(self._item)
        return tuple(self._robot.body(mechanism.successor(joint)) for joint in joints)

    @property
    def geometries(self) -> tuple[GeometryRef, ...]:
        """Its shapes that collide."""
        return tuple(one for one in self._robot.geometries if one.body is self)

    def add_geometry(self, geometry: Geometry) -> GeometryRef:
        """Add a shape that collides, between steps; inertia stays as it is.

        Parameters
        ----------
        geometry : Geometry
            With its pose in the link's frame.

        Returns
        -------
        geometry : GeometryRef
            Its handle.
        """
        self._robot.world._edits.add_geometry(self._robot, self._thing, geometry)
        return self.geometries[-1]

    # ---- contacts ----------------------------------------------------------------------------------

    @property
    def contacts(self) -> list[Contact]:
        """Contacts of the link's own shapes, of the latest detection, list of Contact."""
        return self.contacts_with()

    def contacts_with(self, merged: bool = False) -> list[Contact]:
        """Contacts of the link, of the latest detection.

        Parameters
        ----------
        merged : bool
            Whether those of all links that move with it count too.

        Returns
        -------
        contacts : list of Contact
        """
        robot = self.robot
        if flag(merged, "merged"):
            return robot.world._contacts_on(robot, None, self.carrier.name)
        return robot.world._contacts_on(robot, self.name, None)

    def contact_force(self, expressed_in: Any = "world", merged: bool = False) -> Array:
        """Mean contact force on the link over the latest step.

        Parameters
        ----------
        expressed_in : str, handle or SingleBody
            Whose axes the result has, now.
        merged : bool
            Whether contacts of all links that move with it count too.

        Returns
        -------
        force : (3,) ndarray of float64
            [N], fresh; zero before `integrate2`.
        """
        total, robot = np.zeros(3), self.robot
        for contact in self.contacts_with(merged):
            sides = ((contact.object_a, contact.link_a, contact.body_a, 1.0),
                     (contact.object_b, contact.link_b, contact.body_b, -1.0))  # fmt: skip
            for obj, link, body, sign in sides:
                if obj is robot and (body == self.carrier.name if merged else link == self.name):
                    total += sign * contact.force
        return turned_into(robot, expressed_in, total)

    # ---- forces ------------------------------------------------------------------------------------

    def set_external_force(
        self, force: ArrayLike, point: ArrayLike | None = None, frame: Any = None, expressed_in: Any = "world"
    ) -> None:
        """Apply a force for one step; the forces of one step add up.

        Parameters
        ----------
        force : (3,) array_like
            In the axes of `expressed_in` [N].
        point : (3,) array_like, optional
            Where, in `frame` [m].  By default the centre of mass (with what is merged into it) of one of `body_names`,
            and the origin of a merged link.
        frame : str, handle or SingleBody, optional
            Its own frame by default.
        expressed_in : str, handle or SingleBody
            Whose axes the force is given in, now.
        """
        f = turned_from(self._robot, expressed_in, as_vector(force, 3, "force"))
        self._robot.set_external_force(self._item, f, self._own(point, frame))

    def set_external_torque(self, torque: ArrayLike, expressed_in: Any = "world") -> None:
        """Apply a torque for one step; the torques of one step add up.

        Parameters
        ----------
        torque : (3,) array_like
            In the axes of `expressed_in` [N m].
        expressed_in : str, handle or SingleBody
            Whose axes the torque is given in, now: the body itself for one in body axes.
        """
        n = turned_from(self._robot, expressed_in, as_vector(torque, 3, "torque"))
        self._robot.set_external_torque(self._item, n)
