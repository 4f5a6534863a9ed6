"""Tasks of a sweep, as worker processes see them."""

from __future__ import annotations

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


def run_tasks(function: Callable[..., Any], tasks: list[tuple[int, Any]], seed: int) -> tuple[list[Outcome], float]:
    """Outcomes of tasks (number, parameters), one after the other, and how long they took [s]."""
    began = time.perf_counter()
    outcomes: list[Outcome] = []
    for index, item in tasks:
        try:
            outcomes.append((index, function(item, generator(seed, index))))
        except Exception as error:
            outcomes.append((index, failure_of(error)))
    return outcomes, time.perf_counter() - began


def failure_of(error: BaseException) -> Failure:
    """What an exception says, in text: itself it might not survive the way home."""
    try:
        message = str(error)
    except Exception:  # a __str__ that fails
        message = "?"
    return Failure(type(error).__name__, message, "".join(traceback.format_exception(error)))
