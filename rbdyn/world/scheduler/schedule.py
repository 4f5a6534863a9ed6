"""Schedule: a function, and at which times it is called."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from functools import lru_cache
from typing import Any

from rbdyn.errors import Error, RemovedError, unknown_name

ROUNDING = 1e-9  # relative: by so much a rate may exceed that of the steps, since 1 / time_step is rounded
FINEST = 10**9  # largest denominator of a rate or a time step: 0.002 means 1/500, and not the float nearest to it


@lru_cache(maxsize=1024)
def exact(value: float) -> Fraction:
    """The fraction that a decimal number stands for."""
    near = Fraction(value).limit_denominator(FINEST)
    return near if near else Fraction(value)


def check_rate(rate: float, time_step: float, what: str) -> None:
    """Error if `what`, a rate [Hz], is above that of the steps: nothing is called twice in a step."""
    if is_too_fast(rate, time_step):
        raise Error(f"{what} must be at most that of the steps, {1.0 / time_step:g} Hz, got {rate:g} Hz")


def is_too_fast(rate: float, time_step: float) -> bool:
    """Test that a rate [Hz] is above that of steps of this length [s]."""
    steps = 1.0 / time_step
    return rate > steps * (1.0 + ROUNDING) or not math.isfinite(steps)


class Schedule:
    """A function that a World calls at a rate; made by `World.schedule`.

    Parameters
    ----------
    scheduler : Scheduler
        That of the World.

    Attributes
    ----------
    name : str
        Unique among the schedules of its World.
    function : callable
        Called with the World.
    rate : float
        Calls a second [Hz].
    phase : float
        Time of a call; the others are whole periods before and after it [s].
    order : int
        Of those that are due at one time, lower numbers are called first; equal ones as they came.
    """

    def __init__(
        self,
        scheduler: Any,
        function: Callable[[Any], object],
        rate: float,
        phase: float,
        order: int,
        name: str,
    ) -> None:
        self._scheduler: Any = scheduler  # None once it is cancelled
        self.function, self.rate, self.phase, self.order, self.name = function, rate, phase, order, name
        self.number = 0  # of its World's, in the order in which they came
        self.count = 0  # of the next call: at phase + count / rate
        self.due = 0  # the first step that begins then, or later

    def set_clock(self, time: Fraction, time_step: float, steps: int) -> None:
        """Count in steps: of length `time_step`, and number `steps` begins at `time`.

        Call n is due at step `steps` + (a + n b) / d, with whole numbers a, b and d: no fraction is taken in a step.
        """
        dt = exact(time_step)
        first, period = (exact(self.phase) - time) / dt, 1 / (exact(self.rate) * dt)
        self._start, self._d = steps, math.lcm(first.denominator, period.denominator)
        self._a, self._b = int(first * self._d), int(period * self._d)
        self._call(self.count)

    def skip_to(self, step: int, beyond: bool) -> None:
        """The next call is the first one at the beginning of `step` or later; with `beyond` later than that."""
        passed = (step - self._start) * self._d - self._a
        self._call(max(0, passed // self._b + 1 if beyond else -(-passed // self._b)))

    def _call(self, count: int) -> None:
        """The next call is of this number."""
        self.count, self.due = count, self._start - -(self._a + count * self._b) // self._d

    @property
    def active(self) -> bool:
        """Whether it is still called."""
        return self._scheduler is not None

    def cancel(self) -> None:
        """Call it no more; a second time changes nothing."""
        if self._scheduler is not None:
            self._scheduler.remove(self)

    def __reduce__(self) -> tuple[object, ...]:
        world = self._scheduler.world() if self._scheduler is not None else None
        if world is None:
            raise RemovedError(f"schedule {self.name!r} is not in a World (any more)")
        return found, (world, self.name)

    def __repr__(self) -> str:
        end = "" if self.active else " (cancelled)"
        return f"Schedule({self.name!r}, rate={self.rate:g} Hz, phase={self.phase:g} s, order={self.order}){end}"


def found(world: Any, name: str) -> Schedule:
    """That of this name; pickles of handles call this."""
    for one in world.schedules:
        if one.name == name:
            schedule: Schedule = one
            return schedule
    raise unknown_name("schedule", name, [one.name for one in world.schedules], "this World")
