"""The objects that move a State with a clock of their own: robots in a World."""

from __future__ import annotations

from typing import Any, Protocol
from weakref import ref


class Owner(Protocol):
    """What may own a State."""

    def _moves(self, state: Any) -> bool:
        """Test that this is the State that it moves."""


# By id of the State.  A WeakKeyDictionary forgets in callbacks written in Python, which lose what signals raise.
_owners: dict[int, tuple[ref[Any], ref[Owner]]] = {}
_forgotten_at = 64  # entries, at which those of States that are gone are dropped


def note_owner(state: Any, owner: Owner) -> None:
    """Note which object moves a State from now on, as long as it says so.

    Parameters
    ----------
    state : State
        What is moved.
    owner : Owner
        Kept by a weak reference.
    """
    global _forgotten_at
    _owners[id(state)] = ref(state), ref(owner)
    if len(_owners) > _forgotten_at:
        for key, (known, _) in list(_owners.items()):
            if known() is None:
                _owners.pop(key, None)
        _forgotten_at = 64 + 2 * len(_owners)


def owner_of(state: Any) -> Owner | None:
    """Find the object that moves a State now; None if its user alone does.

    Parameters
    ----------
    state : State
        Any.
    """
    known, noted = _owners.get(id(state), (None, None))
    owner = noted() if known is not None and noted is not None and known() is state else None
    return owner if owner is not None and owner._moves(state) else None
