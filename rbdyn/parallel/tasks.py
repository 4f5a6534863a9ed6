"""Tasks of a sweep, as worker processes see them."""

from __future__ import annotations

import multiprocessing
import os
import pickle
import secrets
import threading
import time
import traceback
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np


@dataclass(frozen=True)
class Failure:
    """What a task ended with instead of a result.

    Attributes
    ----------
    kind : str
        Name of the exception's class.
    message : str
        What it said.
    traceback : str
        Where, in the worker; empty if the worker is gone.
    """

    kind: str
    message: str
    traceback: str = ""

    def __str__(self) -> str:
        return f"{self.kind}: {self.message}"


Outcome = tuple[int, Any]
"""Number of a task, and its result or Failure."""


def generator(seed: int, index: int) -> np.random.Generator:
    """The random numbers of a task: they depend on seed and number alone."""
    return np.random.default_rng(np.random.SeedSequence(seed, spawn_key=(index,)))


def run_tasks(
    function: Callable[..., Any], tasks: list[tuple[int, Any]], seed: int, home: tuple[str, int]
) -> tuple[list[Outcome], float]:
    """Outcomes of tasks (number, parameters), one after the other, and how long they took [s].

    Results that are to travel to another process, their `home`, are packed here, each by itself: one that cannot be is
    a failure of its task alone, and not of what carries the others.
    """
    began, travels = time.perf_counter(), home != here()
    outcomes: list[Outcome] = []
    for index, item in tasks:
        try:
            result = function(item, generator(seed, index))
            outcomes.append((index, pack(result) if travels else result))
        except (Exception, SystemExit) as error:
            outcomes.append((index, failure_of(error)))
    return outcomes, time.perf_counter() - began


_TOKEN = secrets.token_hex(8)  # processes of other machines may have the same number


def here() -> tuple[str, int]:
    """Which process this is, of all that may work for one sweep."""
    return _TOKEN, os.getpid()


@dataclass(frozen=True)
class Packed:
    """A result as it travels."""

    content: bytes


def pack(result: Any) -> Packed:
    """For the way home, by pickle; by cloudpickle where a cluster has it, which knows what a script itself defines."""
    try:
        return Packed(pickle.dumps(result, protocol=pickle.HIGHEST_PROTOCOL))
    except Exception as error:
        try:
            import cloudpickle  # noqa: PLC0415  clusters bring it
        except ImportError:
            raise error from None
        return Packed(cloudpickle.dumps(result))


def unpacked(value: Any) -> Any:
    """What was packed, or the Failure that it is when it cannot be read."""
    if not isinstance(value, Packed):
        return value
    try:
        return pickle.loads(value.content)  # noqa: S301  from a process of our own
    except Exception as error:
        return failure_of(error)


def why_lost(function: bytes) -> str:
    """What hinders a worker process to find a pickled function; empty if nothing does."""
    try:
        pickle.loads(function)  # noqa: S301  from a process of our own
    except Exception as error:
        return f"{type(error).__name__}: {error}"
    return ""


def end_with_parent() -> None:
    """Let this worker process end when the one that made it is gone: nobody would ever give it work."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        threading.Thread(target=_end_after, args=(parent,), daemon=True).start()


def _end_after(parent: Any) -> None:
    parent.join()
    os._exit(1)


def failure_of(error: BaseException) -> Failure:
    """What an exception says, in text: itself it might not survive the way home."""
    try:
        message = str(error)
    except Exception:  # a __str__ that fails
        message = "?"
    return Failure(type(error).__name__, message, "".join(traceback.format_exception(error)))
