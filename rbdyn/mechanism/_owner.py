"""Whose part a body or a joint is: it belongs to one mechanism, or to none."""

from __future__ import annotations

import weakref
from collections.abc import Iterable
from typing import Protocol

from rbdyn.errors import MechanismError
from rbdyn.mechanism._parameter import Change
from rbdyn.mechanism._revision import Revision
from rbdyn.mechanism.body import RigidBody
from rbdyn.mechanism.joint import Joint

Part = RigidBody | Joint


class Owner(Protocol):
    """What a mechanism is here: it has a name, and counts the edits of its parts."""

    name: str
    _revision: Revision


def check_free(part: Part, mechanism: Owner) -> None:
    """MechanismError if `part` is part of another mechanism that still lives."""
    other = owner_of(part)
    if other is not None and other is not mechanism:
        kind = "body" if isinstance(part, RigidBody) else "joint"
        raise MechanismError(
            f"{kind} {part.name!r} is part of mechanism {other.name!r} already; attach a copy: {part.name}.copy()"
        )


def owner_of(part: Part) -> Owner | None:
    """The mechanism that it is part of; None if there is none that lives."""
    counter = part._revision
    return counter.owner() if counter is not None and counter.owner is not None else None


def claims(parts: Iterable[Part], mechanism: Owner) -> list[Change]:
    """Changes that make the parts those of `mechanism`: its edit counter counts their changes."""
    counter = mechanism._revision
    if counter.owner is None:
        counter.owner = weakref.ref(mechanism)
    return [(part.__dict__, "_revision", counter) for part in parts]


def releases(parts: Iterable[Part]) -> list[Change]:
    """Changes that make the parts nobody's."""
    return [(part.__dict__, "_revision", None) for part in parts]
