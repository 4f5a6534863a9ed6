"""Pace: when a World may take its next step, so that its time is not ahead of the clock's."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable

NAP = 0.02  # [s] after which somebody who waits looks again whether he must
NEAR = 1e-5  # [s] that nobody waits for
LATE = 0.2  # [s] by which a World may be behind without catching up


class Pace:
    """A clock that can be slowed, stopped and let go on by single steps.

    Parameters
    ----------
    speed : float
        Seconds of the World for a second of the clock.

    Attributes
    ----------
    speed : float
        The same.
    paused : bool
        Whether the World's time stands.
    """

    def __init__(self, speed: float) -> None:
        self.speed, self.paused = speed, False
        self._allowed = 0
        self._lock = threading.Lock()
        self._start: tuple[float, float, float] | None = None  # clock, World's time and speed when counting began

    def allow(self, steps: int) -> None:
        """Let so many steps be done although it is paused."""
        with self._lock:
            self._allowed += steps

    def _take(self) -> bool:
        """Use up one of these."""
        with self._lock:
            if self._allowed <= 0:
                return False
            self._allowed -= 1
            return True

    def _ahead(self, world_time: float) -> float:
        """By how much the World's time is ahead of the clock's [s of the clock]; counting begins anew if it is late."""
        now = time.monotonic()
        if self._start is None or self._start[2] != self.speed or world_time < self._start[1]:
            self._start = now, world_time, self.speed
        ahead = (world_time - self._start[1]) / self.speed - (now - self._start[0])
        if ahead < -LATE:
            self._start = now, world_time, self.speed
        return ahead

    def may_step(self, world_time: float, time_step: float) -> bool:
        """Whether a step may be done now."""
        if self.paused:
            self._start = None
            return self._take()
        return self._ahead(world_time) <= 0.0

    def wait(self, world_time: float, ended: Callable[[], bool]) -> None:
        """Return when the World, at this time after a step, may go on; at once when `ended`."""
        while not ended():
            if self.paused:
                self._start = None
                if self._take():
                    return
                time.sleep(NAP)
                continue
            ahead = self._ahead(world_time)
            if ahead <= NEAR:
                return
            time.sleep(min(ahead, NAP))
