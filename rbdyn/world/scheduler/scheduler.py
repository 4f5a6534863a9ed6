"""Scheduler: the schedules of one World, and how far time has come for them."""

from __future__ import annotations

import weakref
from collections.abc import Callable
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from rbdyn.errors import BusyError, Error
from rbdyn.held_signals import held_signals
from rbdyn.mechanism._revision import put_all
from rbdyn.world.scheduler.schedule import Schedule, exact, is_too_fast

if TYPE_CHECKING:
    from rbdyn.world.world import World


class Scheduler:
    """Calls what is due at the beginning of a step, when the World stands at a whole one.

    Times are fractions, of whole numbers of steps since the time step was set: nothing drifts.
    """

    def __init__(self, world: World) -> None:
        self.world = weakref.ref(world)
        self.schedules: list[Schedule] = []  # in the order of their calls
        self.added = 0  # since there were none
        self.calling = False
        self.start(world)

    # ---- the clock ----------------------------------------------------------------------------

    def start(self, world: World) -> None:
        """Begin at the time of the World: nothing is scheduled, and nothing that was is remembered."""
        self.time_step, self.steps, self.time = world.time_step, world.steps, exact(world.time)

    def follow(self, world: World) -> None:
        """The World may have got another time step since this was asked last."""
        if world.time_step == self.time_step:
            return
        with held_signals:
            self.time += (world.steps - self.steps) * exact(self.time_step)
            self.time_step, self.steps = world.time_step, world.steps
            for one in self.schedules:
                one.set_clock(self.time, self.time_step, self.steps)

    def check_time_step(self, time_step: float) -> None:
        """Error if a schedule asks for more calls a second than there would be steps of this length [s]."""
        fast = [one for one in self.schedules if is_too_fast(one.rate, time_step)]
        if fast:
            least = min(1.0 / one.rate for one in fast)
            names = ", ".join(f"{one.name!r} ({one.rate:g} Hz)" for one in fast)
            raise Error(
                f"time_step must be at most {least:g} s, the period of what is scheduled, got {time_step:g} s: "
                f"{names}; cancel it first, or schedule it at a lower rate (of a sensor: set its update_rate)"
            )

    # ---- coming and going ---------------------------------------------------------------------

    def add(self, function: Callable[[Any], object], rate: float, phase: float, order: int, name: str) -> Schedule:
        """A new one, from now on; from the next step on if a scheduled function asks for it."""
        made = Schedule(self, function, rate, phase, order, name)
        world = self.world()
        assert world is not None
        if not self.schedules:
            self.start(world)
        self.follow(world)
        made.set_clock(self.time, self.time_step, self.steps)
        made.skip_to(world.steps, self.calling)
        made.number = self.added
        self.added += 1
        self.schedules.append(made)
        self.sort()
        return made

    def blank(self, function: Callable[[Any], object]) -> Schedule:
        """One that `put_back` fills in."""
        return Schedule(self, function, 1.0, 0.0, 0, "")

    def remove(self, schedule: Schedule) -> None:
        """Call it no more."""
        left = [one for one in self.schedules if one is not schedule]
        put_all(
            [
                (self.__dict__, "schedules", left),
                (self.__dict__, "added", self.added if left else 0),
                (schedule.__dict__, "_scheduler", None),
            ]
        )

    def sort(self) -> None:
        """In the order of their calls."""
        self.schedules.sort(key=lambda one: (one.order, one.number))

    # ---- while the World runs -----------------------------------------------------------------

    def check_not_calling(self, what: str) -> None:
        """BusyError in a scheduled function."""
        if self.calling:
            raise BusyError(
                f"a scheduled function of this World may not call {what}; it may do all else that may be "
                "done between steps"
            )

    def begin_half(self, world: World) -> None:
        """The first half of a step begins."""
        self.check_not_calling("integrate1")
        self.call_due(world)

    def call_due(self, world: World) -> None:
        """Call what is due; each at most once.  What one of them raises comes out; the others are called next time."""
        self.follow(world)
        step = world.steps
        while due := next((one for one in self.schedules if one.due <= step), None):
            due.skip_to(step, True)
            world._call_scheduled(due.function)

    def run(self, world: World, count: int, first: bool) -> None:
        """Take `count` steps, with calls at the beginning of those at which something is due.

        `first` of a call of `step`: statistics begin anew.
        """
        self.check_not_calling("step")
        while count > 0:
            self.call_due(world)
            self.follow(world)  # what was called may have set another time step
            free = min([one.due - world.steps for one in self.schedules], default=count)
            steps = min(count, max(free, 1))
            world._go(steps, first)
            count -= steps
            first = False

    # ---- in snapshots -------------------------------------------------------------------------

    def noted(self) -> dict[str, Any] | None:
        """The clock and all schedules, in numbers and words; not the functions.  None: there are none."""
        if not self.schedules:
            return None
        said = [[one.name, one.rate, one.phase, one.order, one.number, one.count] for one in self.schedules]
        clock = [self.time_step, self.steps, str(self.time), self.added]
        return {"clock": clock, "schedules": said}

    def put_back(self, note: dict[str, Any], schedules: list[Schedule]) -> None:
        """These schedules, as `noted` had them."""
        for one in self.schedules:
            one._scheduler = None
        self.time_step, self.steps, time, self.added = note["clock"]
        self.time = Fraction(time)
        for one, (one.name, one.rate, one.phase, one.order, one.number, one.count) in zip(  # noqa: B020
            schedules, note["schedules"], strict=True
        ):
            one._scheduler = self
            one.set_clock(self.time, self.time_step, self.steps)
        self.schedules = list(schedules)
