"""What may be edited of objects while they are in a World; methods of the objects, written in Python."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from numpy.typing import ArrayLike

from rbdyn.algorithms.self_collisions import ALWAYS, SelfCollisions
from rbdyn.algorithms.self_collisions import sample_self_collisions as sampled
from rbdyn.arguments import flag, number, whole
from rbdyn.mechanism import Geometry, RigidBody

if TYPE_CHECKING:
    from rbdyn.world.objects.articulated_system import ArticulatedSystem
    from rbdyn.world.objects.single_body import SingleBody


def update(robot: ArticulatedSystem) -> None:
    """Take in now what was edited of `robot.mechanism`: parameters of its bodies and joints, and shapes.

    Steps and handles do so by themselves; algorithms on `robot.state` need it.

    Raises
    ------
    StaleModelError
        If the graph of the mechanism was edited.
    MechanismError
        If the mass matrix is singular; the robot stays as it was then, and its World does not step.
    """
    robot.world._edits.renew(robot)


def ignore_collision(robot: ArticulatedSystem, body_a: str | RigidBody, body_b: str | RigidBody) -> None:
    """Two of its bodies never collide with one another from now on; `allow_collision` undoes it.

    Bodies that fixed joints hold to one another are one here.

    Parameters
    ----------
    body_a, body_b : str, RigidBody or BodyRef
        Which.

    Raises
    ------
    Error
        If they are on one body, which never collides with itself.
    BusyError
        While the World steps, or between the halves of a step.
    """
    robot.world.ignore_collision(_part(robot, body_a), _part(robot, body_b))


def allow_collision(robot: ArticulatedSystem, body_a: str | RigidBody, body_b: str | RigidBody) -> None:
    """Undo `ignore_collision`, and what the robot's file says of these bodies.

    Bodies joined by a joint collide only with `collide_with_parent`.

    Parameters
    ----------
    body_a, body_b : str, RigidBody or BodyRef
        Which.
    """
    robot.world.allow_collision(_part(robot, body_a), _part(robot, body_b))


@property  # type: ignore[misc]
def ignored_collisions(robot: ArticulatedSystem) -> tuple[tuple[str, str], ...]:
    """Pairs of its bodies that `ignore_collision`, ``ignore_overlapping=True`` or its file keep apart, by name.

    In the order of the bodies.  Pairs that a joint joins are not in it, unless they were named.
    """
    return robot.world._edits.ignored_of(robot)


def sample_self_collisions(
    robot: ArticulatedSystem, samples: int = 10_000, seed: int = 0, always_share: float = ALWAYS
) -> SelfCollisions:
    """Count in how many random configurations two of its bodies collide; the robot stays where it is.

    ``for pair in found.always: robot.ignore_collision(*pair)`` keeps apart what overlaps in every pose;
    ``rbdyn.io.save_srdf(robot.mechanism, path, found.reasons)`` writes an SRDF.

    Parameters
    ----------
    samples, seed, always_share
        As of `rbdyn.sample_self_collisions`.

    Returns
    -------
    found : rbdyn.SelfCollisions

    Raises
    ------
    LoopError
        If its loops close in none of the samples.
    """
    robot.update()
    return sampled(robot.mechanism, samples, seed, always_share)


def _part(robot: ArticulatedSystem, body: Any) -> Any:
    return (robot, body) if isinstance(body, (str, RigidBody)) else body


def set_collision_filter(robot: ArticulatedSystem, group: int | None = None, mask: int | None = None) -> None:
    """Give all shapes of the robot a group or a mask, or both; what is not given stays.

    Parameters
    ----------
    group, mask : int, optional
        64 bits: A and B collide if each one's group meets the other's mask.

    Raises
    ------
    MechanismError
        If one of them is no such number; nothing changes then.
    BusyError
        While the World steps, or between the halves of a step.
    """
    values: dict[str, Any] = {name: value for name, value in (("group", group), ("mask", mask)) if value is not None}
    if not values:
        return

    def edit() -> None:
        robot.update()
        bodies = [body for body in robot.mechanism.bodies if body.collision]
        new = [(body, [replace(item, **values) for item in body.collision]) for body in bodies]
        for body, items in new:
            body.collision[:] = items
        robot.update()

    robot.world._as_one(edit)


@property  # type: ignore[misc]
def self_collision(robot: ArticulatedSystem) -> bool:
    """Whether its bodies collide with one another; can be set between steps."""
    return robot.world._edits.filters_of(robot)[0]


@self_collision.setter
def self_collision(robot: ArticulatedSystem, value: bool) -> None:
    robot.world._edits.set_filters(robot, self_collision=flag(value, "self_collision"))


@property  # type: ignore[misc]
def collide_with_parent(robot: ArticulatedSystem) -> bool:
    """Whether bodies that a joint joins collide with one another; can be set between steps."""
    return robot.world._edits.filters_of(robot)[1]


@collide_with_parent.setter
def collide_with_parent(robot: ArticulatedSystem, value: bool) -> None:
    robot.world._edits.set_filters(robot, collide_with_parent=flag(value, "collide_with_parent"))


@property  # type: ignore[misc]
def contacts_per_self_pair(robot: ArticulatedSystem) -> int | None:
    """Contacts that two bodies of the robot have at most with one another, the deepest; None for all of them.

    RaiSim's setAllowedNumberOfInternalContactsBetweenTwoBodies, whose default is 1.  Can be set between steps.
    """
    return robot.world._edits.filters_of(robot)[2] or None


@contacts_per_self_pair.setter
def contacts_per_self_pair(robot: ArticulatedSystem, value: int | None) -> None:
    most = 0 if value is None else whole(value, "contacts_per_self_pair", least=1, most=2**30)
    robot.world._edits.set_filters(robot, contacts_per_self_pair=most)


def set_inertia(
    body: SingleBody, mass: float | None = None, inertia: ArrayLike | None = None, com: ArrayLike | None = None
) -> None:
    """Change the inertia of the body between steps; what is not given stays, also when the mass alone changes.

    Parameters
    ----------
    mass : float, optional
        [kg], above 0 for a dynamic body.
    inertia : (3, 3) array_like, optional
        About the centre of mass, body axes [kg m^2].
    com : (3,) array_like, optional
        Where the centre of mass is to be, in the present body frame [m].  The frame goes there; shapes, and
        constraints that hang on the body, stay where they are, and so does its motion.

    Raises
    ------
    Error
        If no body has such an inertia; nothing changes then.
    BusyError
        While the World steps, or between the halves of a step.
    """
    body.world._edits.set_single(body, mass, com, inertia)


def scale_mass(body: SingleBody, factor: float) -> None:
    """Multiply mass and inertia of the body between steps, as of another density.

    Parameters
    ----------
    factor : float
        Above 0: new mass over present one.

    Raises
    ------
    Error
        If the factor is not above 0, or the products are those of no body; nothing changes then.
    BusyError
        While the World steps, or between the halves of a step.
    """
    k = number(factor, "factor", above=0.0)
    body.set_inertia(mass=k * body.mass, inertia=k * body.inertia if body.inertia.any() else None)


def set_geometry(body: SingleBody, index: int, **values: Any) -> None:
    """Change one of `geometries` between steps; mass and inertia stay as they are.

    Contacts of a shape that is not what it was, or not where it was, are forgotten, and nothing else.

    Parameters
    ----------
    index : int
        Which.
    **values
        `shape`, `pose` (a Transform in the body frame), `material`, `group`, `mask`, `name`, `color`.

    Raises
    ------
    MechanismError, CollisionError
        If a value is wrong; nothing changes then.
    """
    body.world._edits.set_geometry(body, None, index, **values)


def add_geometry(body: SingleBody, geometry: Geometry) -> None:
    """Add a shape between steps; mass and inertia stay as they are.

    Parameters
    ----------
    geometry : Geometry
        With its pose in the body frame.
    """
    body.world._edits.add_geometry(body, None, geometry)


def remove_geometry(body: SingleBody, index: int) -> None:
    """Take one of `geometries` away between steps; those behind it move up.

    Parameters
    ----------
    index : int
        Which.
    """
    body.world._edits.remove_geometry(body, None, index)
