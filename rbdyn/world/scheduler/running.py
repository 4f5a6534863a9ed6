"""Running a World for some time, with functions that are called on the way: methods of World."""

from __future__ import annotations

import math
import sys
import time
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any

from rbdyn.arguments import flag, number, shown
from rbdyn.errors import Error, missing_extra
from rbdyn.world.arguments import label
from rbdyn.world.scheduler.schedule import Schedule, check_rate, exact
from rbdyn.world.scheduler.scheduler import Scheduler

if TYPE_CHECKING:
    from rbdyn.world.world import World

LOOK = 0.1  # [s] between two looks of a progress bar


def schedule(
    world: World,
    function: Callable[[World], object],
    rate: float,
    phase: float = 0.0,
    order: int = 0,
    name: str | None = None,
) -> Schedule:
    """Call a function while the World runs: a controller, a sensor, a recorder.

    It is called with the World, between two steps: at the beginning of the first step whose time is phase + k /
    rate or later, for every whole number k.  So where the rate divides that of the steps it is called at exact
    multiples, and otherwise at the first step that is not too early.  It is never called twice in a step: a longer
    time step than 1 / rate is refused while it is scheduled.  Times are counted in whole steps and do not drift.
    It may do everything that may be done between steps (set, add, remove, edit), but `step`, `run` and `restore`;
    what it schedules begins with the next step.

    What it raises comes out of `step` or `run`: the World stands at a whole step, and going on calls what was left.

    Parameters
    ----------
    function : callable
        Called with this World.
    rate : float
        Calls a second, above 0 and at most 1 / time_step [Hz].
    phase : float, optional
        Time of the first call [s], >= 0; calls that lie in the past are not made up for.
    order : int, optional
        Of those that are due at one time lower numbers are called first; equal ones as they came.
    name : str, optional
        Unique among the schedules of this World; "schedule_0" or the like by default.

    Returns
    -------
    schedule : Schedule
        ``schedule.cancel()`` ends the calls.

    Raises
    ------
    Error
        If an argument is refused, or the name is taken; nothing is scheduled then.
    BusyError
        While the World steps, or between the halves of a step.

    Examples
    --------
    >>> world = World(time_step=0.002)
    >>> times = []
    >>> camera = world.schedule(lambda w: times.append(round(w.time, 6)), rate=30.0)
    >>> world.run(0.1)
    >>> times
    [0.0, 0.034, 0.068]
    """
    if not callable(function):
        raise Error(f"function must be callable with the World, got {shown(function)}")
    rate = number(rate, "rate", above=0.0, unit="[Hz]")
    phase = number(phase, "phase", low=0.0, unit="[s]")
    if isinstance(order, bool) or not isinstance(order, int):
        raise Error(f"order must be an int, got {shown(order)}")
    check_rate(rate, world.time_step, "rate")
    made: Schedule = world._as_one(partial(_add, world, function, rate, phase, order, name))
    return made


def _add(world: World, function: Any, rate: float, phase: float, order: int, name: str | None) -> Schedule:
    """A new schedule, under its name."""
    scheduler = _scheduler_of(world)
    names = {one.name for one in scheduler.schedules}
    if name is None:
        name = f"schedule_{scheduler.added}"
        while name in names:
            name += "_"
    elif label(name, "name") in names:
        raise Error(f"this World already has a schedule named {shown(name)}")
    return scheduler.add(function, rate, phase, order, str(name))


def _scheduler_of(world: World) -> Scheduler:
    """That of the World, made when it is first needed; BusyError while a step runs."""
    world._check_settable()
    inside = world._insides
    if inside.scheduler is None:
        inside.scheduler = Scheduler(world)
    scheduler: Scheduler = inside.scheduler
    return scheduler


def run(world: World, duration: float, progress: bool = False) -> None:
    """Advance by some time: as many steps as reach it.

    Parameters
    ----------
    duration : float
        [s]; the World takes the least number of steps that is not shorter.
    progress : bool, optional
        Show a progress bar (tqdm) if standard error is a terminal.

    Raises
    ------
    DivergenceError, BusyError
        As `step` does.
    """
    duration = number(duration, "duration", low=0.0, unit="[s]")
    bar_wanted = flag(progress, "progress")
    world._check_settable()
    count = math.ceil(exact(duration) / exact(world.time_step))
    if bar_wanted and sys.stderr.isatty():
        _run_with_bar(world, count)
    else:
        world.step(count)


def _run_with_bar(world: World, count: int) -> None:
    """Step in pieces of about a tenth of a second."""
    try:
        from tqdm import tqdm
    except ImportError:
        raise missing_extra("world.run(progress=True)", "tqdm", "progress") from None
    with tqdm(total=count, unit="step", file=sys.stderr) as bar:
        piece = 1
        while count > 0:
            began = time.perf_counter()
            piece = min(piece, count)
            world._take(piece, bar.n == 0)
            bar.update(piece)
            count -= piece
            took = time.perf_counter() - began
            piece = max(1, min(4 * piece, int(piece * LOOK / max(took, 1e-6))))


def _schedules(world: World) -> tuple[Schedule, ...]:
    """What is scheduled, tuple of Schedule, in the order of their calls."""
    world._check_made()
    scheduler = world._insides.scheduler
    return () if scheduler is None else tuple(scheduler.schedules)


schedules = property(_schedules)
