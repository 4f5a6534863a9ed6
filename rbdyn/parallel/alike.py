"""Whether Worlds are alike: the same objects, of the same kinds and sizes, in the same order."""

from __future__ import annotations

import copy
import gc
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from rbdyn.arguments import shown
from rbdyn.errors import Error
from rbdyn.world import ArticulatedSystem, World
from rbdyn.world.registry.setup_warnings import leave_to_another


def built(build: Callable[[int], World], n: int) -> tuple[World, ...]:
    """The Worlds build(0) to build(n - 1); Error, which names it, for one that is none, or not like the first."""
    worlds: list[World] = []
    with _uncollected():
        for k in range(n):
            world = build(k)
            if not isinstance(world, World):
                raise Error(f"build({k}) must return a World, got {shown(world)}")
            worlds.append(world)
    check_alike(worlds)
    return tuple(worlds)


def copies(world: World, n: int) -> tuple[World, ...]:
    """So many copies of it, of which the first says what is probably a mistake."""
    with _uncollected():
        made = tuple(copy.deepcopy(world) for _ in range(n))
    for one in made[1:]:
        leave_to_another(one)
    return made


@contextmanager
def _uncollected() -> Iterator[None]:
    """Without collections of garbage, which go through all Worlds made so far again and again: half of the time."""
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()


def check_alike(worlds: list[World]) -> None:
    """Error that names the first World which is not like the first one, or there twice, and what differs."""
    if len({id(world) for world in worlds}) < len(worlds):
        first = {id(world): k for k, world in reversed(list(enumerate(worlds)))}
        k = next(k for k, world in enumerate(worlds) if first[id(world)] != k)
        raise Error(f"World {k} is World {first[id(worlds[k])]} once more; build must make a new one each time")
    wanted = _shape(worlds[0])
    for k, world in enumerate(worlds[1:], 1):
        if (present := _shape(world)) != wanted:
            raise Error(f"World {k} is not like World 0: {_difference(wanted, present)}")


def _shape(world: World) -> list[tuple[Any, ...]]:
    """Name, kind and size of each object."""
    return [
        (obj.name, "articulated system", obj.nq, obj.nv, obj.body_names, obj.joint_names)
        if isinstance(obj, ArticulatedSystem)
        else (obj.name, "single body")
        for obj in world.objects
    ]


def _difference(wanted: list[tuple[Any, ...]], present: list[tuple[Any, ...]]) -> str:
    """The first one, in words."""
    for then, now in zip(wanted, present, strict=False):
        if then[:2] != now[:2]:
            return f"it has the {now[1]} {now[0]!r} where that has the {then[1]} {then[0]!r}"
        if then != now:
            return f"{now[0]!r} has nq {now[2]}, nv {now[3]} and bodies {shown(now[4])}, not {then[2]}, {then[3]} and {shown(then[4])}"  # noqa: E501
    return f"it has {len(present)} objects, not {len(wanted)}"
