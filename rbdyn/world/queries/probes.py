"""World's queries by shape: what one would meet, touch or be near to; they are methods of World, written in Python."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rbdyn.arguments import as_array, number, shown
from rbdyn.collision.shapes import Shape
from rbdyn.errors import Error
from rbdyn.world.queries.hits import RayHit, RayHits, Seen, Separation
from rbdyn.world.queries.rays import filter_bits, named_hits, several

if TYPE_CHECKING:
    from rbdyn.world.objects.contact import Contact
    from rbdyn.world.objects.object import WorldObject
    from rbdyn.world.world import World

Array = NDArray[np.float64]


def _poses(pose: Any, name: str) -> Array:
    """(n, 4, 4); whether they are rigid is looked at later."""
    array = as_array(pose, (4, 4) if _depth(pose) == 2 else (None, 4, 4), name)
    return np.ascontiguousarray(array.reshape(-1, 4, 4))


def _depth(given: Any) -> int:
    """How many axes it has; -1 if rows are of different lengths, as `as_array` then says."""
    try:
        return np.ndim(given)
    except ValueError:
        return -1


def shape_cast(
    world: World, shape: Shape, pose: ArrayLike, displacement: ArrayLike, mask: int = -1, exclude: Any = ()
) -> RayHit | None:
    """What a shape meets first as it is shifted, without turning; as everything is now.

    A sphere, a box or a capsule as well as any other shape with an end.  The World is not changed.

    Parameters
    ----------
    shape : Shape
        Any but a half-space, a height map or a Compound: of that ask part by part.
    pose : (4, 4) array_like
        Where it begins, world [m].
    displacement : (3,) array_like
        How far it is shifted, world axes [m].
    mask, exclude
        As for `ray_test`.

    Returns
    -------
    hit : RayHit or None
        None if nothing is met.  `distance` is how far it gets [m], 0 if it touches something at the start, `position`
        where it touches, and `normal` that of the surface there.

    Raises
    ------
    CollisionError
        If the shape or the pose is none, or the shape is without end.
    Error, RemovedError, BusyError
        As for `ray_test`.

    Examples
    --------
    >>> import numpy as np
    >>> world = rbdyn.World()
    >>> ground = world.add_ground()
    >>> pose = np.eye(4)
    >>> pose[2, 3] = 2.0
    >>> world.shape_cast(rbdyn.collision.Sphere(0.5), pose, (0, 0, -3)).distance
    1.5
    """
    return _cast(world, shape, as_array(pose, (4, 4), "pose"), as_array(displacement, (3,), "displacement"), mask,
                 exclude)[0]  # fmt: skip


def shape_cast_batch(
    world: World, shape: Shape, poses: ArrayLike, displacements: ArrayLike, mask: int = -1, exclude: Any = ()
) -> RayHits:
    """What a shape meets first on each of many ways: `shape_cast` in one call.

    Parameters
    ----------
    shape : Shape
        Any but a half-space, a height map or a Compound: of that ask part by part.
    poses : (n, 4, 4) or (4, 4) array_like
        Where it begins, world [m].  A single one is that of all ways.
    displacements : (n, 3) or (3,) array_like
        How far it is shifted, world axes [m].  Likewise.
    mask, exclude
        As for `ray_test`, of all of them.

    Returns
    -------
    hits : RayHits
        `distance` (n,), `position` and `normal` (n, 3), and what was met.

    Raises
    ------
    CollisionError, Error, RemovedError, BusyError
        As for `shape_cast`; if there are not as many poses as displacements.
    """
    return _cast(world, shape, poses, displacements, mask, exclude)


def _cast(world: World, shape: Shape, poses: Any, displacements: Any, mask: Any, exclude: Any) -> RayHits:
    starts = _poses(poses, "poses")
    ways = np.atleast_2d(as_array(displacements, (3,) if _depth(displacements) == 1 else (None, 3), "displacements"))
    n = max(len(starts), len(ways)) if min(len(starts), len(ways)) else 0
    if {len(starts), len(ways)} - {1, n}:
        raise Error(f"there must be as many poses as displacements, or one, got {len(starts)} and {len(ways)}")
    ways = np.ascontiguousarray(np.broadcast_to(ways, (n, 3)))
    length = np.sqrt(np.einsum("ij,ij->i", ways, ways))
    with world._queries.asking():
        share, found, ids = world._queries.casts(shape, starts, ways, filter_bits(mask), several(exclude))
        distance = np.where(np.isfinite(share), np.where(np.isfinite(share), share, 0.0) * length, np.inf)
        return named_hits(world, distance, found[:, 4:7].copy(), found[:, 7:].copy(), ids)


def nearest(
    world: World, shape: Shape, pose: ArrayLike, reach: float = math.inf, mask: int = -1, exclude: Any = ()
) -> RayHit | None:
    """What is nearest to a shape at a pose, as everything is now.

    Parameters
    ----------
    shape : Shape
        Any but a half-space, a height map or a Compound (of which ask part by part); a small sphere for a point.
    pose : (4, 4) array_like
        Where it is, world [m].
    reach : float
        What is farther is not looked for [m].
    mask, exclude
        As for `ray_test`.

    Returns
    -------
    hit : RayHit or None
        None if there is nothing.  `distance` is signed, negative if they overlap [m]; `position` is that of the object
        which is nearest to the shape, and `normal` leads from there to it.

    Raises
    ------
    CollisionError, Error, RemovedError, BusyError
        As for `shape_cast`.
    """
    return nearest_batch(world, shape, as_array(pose, (4, 4), "pose"), reach, mask, exclude)[0]


def nearest_batch(
    world: World, shape: Shape, poses: ArrayLike, reach: float = math.inf, mask: int = -1, exclude: Any = ()
) -> RayHits:
    """What is nearest to a shape at each of many poses: `nearest` in one call.

    Parameters
    ----------
    shape : Shape
        Any but a half-space, a height map or a Compound: of that ask part by part.
    poses : (n, 4, 4) array_like
        World [m].
    reach, mask, exclude
        As for `nearest`.

    Returns
    -------
    hits : RayHits
        `distance` (n,), infinite if there is nothing, `position` and `normal` (n, 3), and what is nearest.

    Raises
    ------
    CollisionError, Error, RemovedError, BusyError
        As for `shape_cast`.
    """
    far = reach if isinstance(reach, float) and reach == math.inf else number(reach, "reach", unit="[m]")
    places = _poses(poses, "poses")
    with world._queries.asking():
        found, ids = world._queries.nearest(shape, places, filter_bits(mask), several(exclude), far)
        return named_hits(world, found[:, 0].copy(), found[:, 4:7].copy(), found[:, 7:].copy(), ids)


def overlap_test(
    world: World, shape: Shape, pose: ArrayLike, margin: float = 0.0, mask: int = -1, exclude: Any = ()
) -> list[Seen]:
    """What a shape at a pose touches, as everything is now: with a Box, what is in it.

    Parameters
    ----------
    shape : Shape
        Any but a half-space, a height map or a Compound: of that ask part by part.
    pose : (4, 4) array_like
        Where it is, world [m].
    margin : float
        What is no farther than this counts too [m].
    mask, exclude
        As for `ray_test`.

    Returns
    -------
    found : list of Seen
        (object, body, link, geometry, material) of each shape, in the order in which they were added.  A mesh or a
        height map is its surface: what is wholly within does not touch it.

    Raises
    ------
    CollisionError, Error, RemovedError, BusyError
        As for `shape_cast`.
    """
    return overlap_test_batch(world, shape, as_array(pose, (4, 4), "pose"), margin, mask, exclude)[0]


def overlap_test_batch(
    world: World, shape: Shape, poses: ArrayLike, margin: float = 0.0, mask: int = -1, exclude: Any = ()
) -> list[list[Seen]]:
    """What a shape touches at each of many poses: `overlap_test` in one call.

    Parameters
    ----------
    shape : Shape
        Any but a half-space, a height map or a Compound: of that ask part by part.
    poses : (n, 4, 4) array_like
        World [m].
    margin, mask, exclude
        As for `overlap_test`.

    Returns
    -------
    found : list of n lists of Seen

    Raises
    ------
    CollisionError, Error, RemovedError, BusyError
        As for `shape_cast`.
    """
    reach = number(margin, "margin", low=0.0, unit="[m]")
    starts = _poses(poses, "poses")
    with world._queries.asking():
        found = world._queries.near(shape, starts, filter_bits(mask), several(exclude), reach)
        seen = {k: Seen(*world._queries.names(k)) for k in {k for ids in found for k in ids}}
    return [[seen[k] for k in ids] for ids in found]


def distance(world: World, a: Any, b: Any) -> Separation | None:
    """Signed distance and closest points of two objects, as they are now.

    Parameters
    ----------
    a, b : WorldObject, str, (robot, "body name") or BodyRef
        Which; a robot alone stands for all of its bodies.

    Returns
    -------
    separation : Separation or None
        Of the two shapes that are nearest; None if an object has no shape, or both are without end.

    Raises
    ------
    Error, RemovedError, BusyError
        If one of them is nothing of this World, or the World steps.

    Examples
    --------
    >>> world = rbdyn.World()
    >>> ground, ball = world.add_ground(), world.add_sphere(0.5, 1.0)
    >>> ball.set_pose(position=(0, 0, 2))
    >>> world.distance(ball, ground).distance
    1.5
    """
    with world._queries.asking():
        found, id_a, id_b = world._queries.between(a, b)
        if id_a < 0:
            return None
        names_a, names_b = (Seen(*world._queries.names(k)) for k in (id_a, id_b))
    row = found[0]
    return Separation(float(row[0]), row[1:4].copy(), row[4:7].copy(), row[7:].copy(), names_a, names_b)


def contacts_at(world: World, obj: WorldObject, at: ArrayLike, margin: float = 0.0) -> list[Contact]:
    """Contacts that an object would have elsewhere, all others as they are now; nothing is moved.

    Filters count as in a step.  Backends of your own are not asked: shapes meet as in NativeBackend, at rest.

    Parameters
    ----------
    obj : WorldObject
        A robot, or a single body.
    at : (nq,) or (4, 4) array_like
        Configuration of the robot, as `robot.q`; or pose of the single body, world [m].
    margin : float
        Contacts with a gap below this are reported too [m].

    Returns
    -------
    contacts : list of Contact
        Their impulses are zero; velocities are of no meaning.

    Raises
    ------
    StateError, CollisionError
        If there is no such configuration, or pose.
    Error, RemovedError, BusyError
        If it is no object of this World, or the World steps.
    """
    rows = [_place(obj, at, several=False)]
    answer: list[list[Contact]] = world._queries.contacts_at(obj, rows, number(margin, "margin", unit="[m]"), False)
    return answer[0]


def collides_at(world: World, obj: WorldObject, at: ArrayLike, margin: float = 0.0) -> NDArray[np.bool_]:
    """Whether an object would touch anything, or itself, at each of many configurations: for planners.

    Parameters
    ----------
    obj : WorldObject
        A robot, or a single body.
    at : (n, nq) or (n, 4, 4) array_like
        Configurations, or poses, as for `contacts_at`.
    margin : float
        Gaps below this count too [m].

    Returns
    -------
    collides : (n,) ndarray of bool

    Raises
    ------
    StateError, CollisionError, Error, RemovedError, BusyError
        As for `contacts_at`.
    """
    rows = _place(obj, at, several=True)
    found = world._queries.contacts_at(obj, rows, number(margin, "margin", unit="[m]"), True)
    return np.array(found, dtype=bool)


def _place(obj: Any, at: Any, several: bool) -> Any:
    """A configuration, or a pose; or several."""
    if not hasattr(obj, "set_pose") and not hasattr(obj, "nq"):
        raise Error(f"obj must be a robot or a single body of this World, got {shown(obj)}")
    wanted: tuple[int | None, ...] = (obj.nq,) if hasattr(obj, "nq") else (4, 4)
    return as_array(at, (None, *wanted) if several else wanted, "at")
