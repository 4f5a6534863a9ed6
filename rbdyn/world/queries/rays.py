"""World's rays; they are methods of World, written in Python."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rbdyn.arguments import as_array, flag, number, shown, whole
from rbdyn.collision.rays.cast import unit_rows
from rbdyn.errors import Error
from rbdyn.world.queries.hits import RayHits, Seen

if TYPE_CHECKING:
    from rbdyn.world.world import World

Array = NDArray[np.float64]

ALL_BITS = 2**64 - 1


def ray_test(
    world: World,
    origin: ArrayLike,
    direction: ArrayLike,
    length: float = math.inf,
    mask: int = -1,
    exclude: Any = (),
    all: bool = False,
) -> Any:
    """What a ray meets first, as everything is now.

    Shapes are solid: a ray sees where it enters one, and does not see what it begins in, so that a sensor sees out of
    its housing.  Collision shapes are met, not what is drawn; of a mesh or a height map, the triangles.  The World is
    not changed.

    Parameters
    ----------
    origin : (3,) array_like
        World [m].
    direction : (3,) array_like
        World axes, of any length but zero.
    length : float
        How far it goes [m]; as far as there is anything by default.
    mask : int
        Shapes are seen if ``group & mask`` is not zero.
    exclude : WorldObject, str, (robot, "body name") or BodyRef, or several of these in a list
        What it goes through.  A robot alone stands for all of its bodies.
    all : bool
        Whether every shape that it enters is wanted, not the nearest alone.

    Returns
    -------
    hit : RayHit or None
        None if nothing is met.  With `all` a list of RayHit, the nearest first, each shape once.

    Raises
    ------
    Error
        If the direction is zero, or a number is none.
    RemovedError
        If what is excluded is not in this World.
    BusyError
        While the World steps; observers may ask.

    Examples
    --------
    >>> world = rbdyn.World()
    >>> ground = world.add_ground()
    >>> hit = world.ray_test((0, 0, 2), (0, 0, -1), length=5)
    >>> hit.distance, hit.object is ground
    (2.0, True)
    """
    start, along = _rays(origin, direction, many=False)
    if not flag(all, "all"):
        return _hits(world, start, along, length, mask, exclude)[0]
    with world._queries.asking():
        distance, normal, shape = _cast(world, start, along, length, mask, exclude, every=True)
        return list(named_hits(world, distance, start + distance[:, None] * along, normal, shape))


def ray_test_batch(
    world: World,
    origins: ArrayLike,
    directions: ArrayLike,
    length: float = math.inf,
    mask: int = -1,
    exclude: Any = (),
    threads: int = 1,
) -> RayHits:
    """What each of many rays meets first: `ray_test` in one call.

    The interpreter's lock is released; nobody may step or change the World meanwhile.

    Parameters
    ----------
    origins, directions : (n, 3) or (3,) array_like
        World [m], and world axes, of any length but zero.  A single one is that of all rays.
    length, mask, exclude
        As for `ray_test`, of all rays.
    threads : int
        How many share the work, 1 to 256; they change no bit of the result.

    Returns
    -------
    hits : RayHits
        `distance` (n,), `position` and `normal` (n, 3), and what was met.

    Raises
    ------
    Error, RemovedError, BusyError
        As for `ray_test`; if there are not as many origins as directions.

    Examples
    --------
    >>> world = rbdyn.World()
    >>> ground = world.add_ground()
    >>> hits = world.ray_test_batch((0, 0, 1), [(0, 0, -1), (0.6, 0, -0.8), (0, 0, 1)])
    >>> hits.distance.tolist()
    [1.0, 1.25, inf]
    """
    count = whole(threads, "threads", least=1, most=256)
    start, along = _rays(origins, directions, many=True)
    return _hits(world, start, along, length, mask, exclude, count)


def _is_one(given: Any) -> bool:
    """Whether this is a vector, not several; of what is neither, as_array says what is wrong."""
    try:
        return np.ndim(given) == 1
    except ValueError:
        return False


def _rays(origins: Any, directions: Any, many: bool) -> tuple[Array, Array]:
    """Origins and unit directions, (n, 3) each; of one ray, or of as many as are given."""
    names = ("origins", "directions") if many else ("origin", "direction")
    start, along = (
        as_array(given, (None, 3) if many and not _is_one(given) else (3,), name)
        for given, name in zip((origins, directions), names, strict=False)
    )
    start, along = np.atleast_2d(start), np.atleast_2d(along)
    if len(start) != len(along) and 1 not in (len(start), len(along)):
        raise Error(f"there must be as many origins as directions, or one, got {len(start)} and {len(along)}")
    unit, zero = unit_rows(along)
    if zero >= 0:
        raise Error(f"{names[1]} must not be zero, got {shown(along[zero])}")
    start, along = np.broadcast_arrays(start, unit)
    return np.ascontiguousarray(start), np.ascontiguousarray(along)


def _cast(
    world: World, start: Array, along: Array, length: Any, mask: Any, exclude: Any, every: bool, threads: int = 1
) -> Any:
    """What `world._queries.rays` says."""
    if not (isinstance(length, float) and length == math.inf):
        length = number(length, "length", low=0.0, unit="[m]")
    return world._queries.rays(start, along, length, filter_bits(mask), several(exclude), every, threads)


def filter_bits(mask: Any) -> int:
    """64 bits."""
    return whole(mask, "mask", least=-(2**63), most=ALL_BITS) & ALL_BITS


def several(exclude: Any) -> list[Any]:
    """What is left out, in a list."""
    return list(exclude if isinstance(exclude, (list, set, frozenset)) or exclude == () else [exclude])


def _hits(
    world: World, start: Array, along: Array, length: Any, mask: Any, exclude: Any, threads: int = 1
) -> RayHits:
    with world._queries.asking():
        distance, position, normal, index, ids = _cast(world, start, along, length, mask, exclude, False, threads)
        return RayHits(distance, position, normal, index, _seen(world, ids))


def _seen(world: World, ids: Iterable[int]) -> tuple[Seen, ...]:
    """The shapes with these ids in the names of the World."""
    return tuple(Seen(*world._queries.names(int(k))) for k in ids)


def named_hits(world: World, distance: Array, position: Array, normal: Array, shape: NDArray[np.intc]) -> RayHits:
    """Hits in the names of the World, found in the same `asking`."""
    ids, index = np.unique(shape, return_inverse=True)
    missed = int(len(ids) > 0 and ids[0] == -1)
    return RayHits(distance, position, normal, index - missed, _seen(world, ids[missed:]))
