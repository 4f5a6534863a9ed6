"""One editor at a time, who comes to an end: a second thread that edits a mechanism meanwhile gets an error.

Handlers of signals wait until then, so that Ctrl-C finds the edit not begun or complete.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import wraps
from typing import Concatenate, ParamSpec, Protocol, TypeVar

from rbdyn.errors import BusyError
from rbdyn.held_signals import held_signals


class Editable(Protocol):
    """What has a name and a lock."""

    name: str
    _lock: threading.RLock


P = ParamSpec("P")
T = TypeVar("T")
E = TypeVar("E", bound=Editable)


@contextmanager
def editing(mechanism: Editable) -> Iterator[None]:
    """Keep other threads, and handlers of signals, from editing `mechanism`; BusyError if a thread does already."""
    with held_signals:
        if not mechanism._lock.acquire(blocking=False):
            raise BusyError(
                f"mechanism {mechanism.name!r} is edited by another thread; give each thread a copy of its own"
            )
        try:
            yield
        finally:
            mechanism._lock.release()


def edit(method: Callable[Concatenate[E, P], T]) -> Callable[Concatenate[E, P], T]:
    """A method that edits its mechanism, or needs it to stay as it is."""

    @wraps(method)
    def alone(self: E, /, *args: P.args, **kwargs: P.kwargs) -> T:
        with editing(self):
            return method(self, *args, **kwargs)

    return alone
