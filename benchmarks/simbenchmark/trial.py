"""One engine in one scene: what every scene offers, and how it is judged and timed."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import NamedTuple, Protocol

import numpy as np


class Trial(Protocol):
    """A scene at its start."""

    def step(self, n: int) -> None:
        """Advance by n steps."""

    def error(self, t: float) -> float:
        """The scene's measure of quality in the present state, at time t [s]."""


class Outcome(NamedTuple):
    """What a trial came to."""

    error: float  # mean of the measure over all steps
    step: float  # CPU seconds of a step


def judge(build: Callable[[], Trial], dt: float, duration: float, timed: int = 20000) -> Outcome:
    """The mean error before every step of one run; the time of a second one, in which nobody looks."""
    n = round(duration / dt)
    trial, errors = build(), np.zeros(n)
    for i in range(n):
        errors[i] = trial.error(i * dt)
        trial.step(1)
    return Outcome(float(errors.mean()), clock(build(), min(n, timed)))


def clock(trial: Trial, n: int) -> float:
    """CPU seconds of a step, over n of them."""
    start = time.thread_time()
    trial.step(n)
    return (time.thread_time() - start) / n
