"""Ctrl-C in long runs: it comes out, and the World stands at a whole step."""

import signal

import numpy as np
import pytest
from world.scheduler.test_schedules import falling


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="needs interval timers")
@pytest.mark.parametrize("way", ["step", "scheduled", "run", "C function"])
def test_interrupt(way):
    """A signal ends a run of a year, with functions that are called on the way or without."""
    world = falling()
    if way == "scheduled":
        world.schedule(lambda w: w.objects[0].clear_external_forces(), rate=500.0)
    if way == "C function":
        world.schedule(id, rate=500.0)

    def stop(number, frame):
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_REAL, 0.1)
    try:
        with pytest.raises(KeyboardInterrupt):
            world.run(3e7) if way == "run" else world.step(10**10)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0.0)
        signal.signal(signal.SIGALRM, before)
    steps = world.steps
    assert steps > 100
    twin = falling()
    twin.step(steps)
    assert np.array_equal(world.objects[0].position, twin.objects[0].position)
    world.step()
    assert world.steps == steps + 1
