"""The objects that move a State with a clock of their own: robots in a World."""

from __future__ import annotations

from typing import Any, Protocol
from weakref import WeakKeyDictionary, ref


class Owner(Protocol):
    """What may own a State."""

    def _moves(self, state: Any) -> bool:
        """Test that this is the State that it moves."""


_owners: WeakKeyDictionary[Any, ref[Owner]] = WeakKeyDictionary()


def note_owner(state: Any, owner: Owner) -> None:
    """Note which object moves a State from now on, as long as it says so.

    Parameters
    ----------
    state : State
        What is moved.
    owner : Owner
        Kept by a weak reference.
    """
    _owners[state] = ref(owner)


def owner_of(state: Any) -> Owner | None:
    """Find the object that moves a State now; None if its user alone does.

    Parameters
    ----------
    state : State
        Any.
    """
    noted = _owners.get(state)
    owner = None if noted is None else noted()
    return owner if owner is not None and owner._moves(state) else None
