"""What a World calls while it runs: when, in which order, and what happens when a call fails."""

import sys
import types
from fractions import Fraction

import numpy as np
import pytest
from world.snapshot import worlds

import rbdyn
from rbdyn.sensors import Imu
from rbdyn.world import World


def falling(time_step=2e-3):
    world = World(time_step)
    world.add_sphere(0.1, 1.0).set_pose((0.0, 0.0, 100.0))
    return world


@pytest.mark.parametrize("rate, every", [(500.0, 1), (250.0, 2), (100.0, 5), (20.0, 25), (12.5, 40)])
def test_exact_multiples_where_the_rate_divides(rate, every):
    """Over 10,000 steps the calls are every so many steps, for a time step that no float is."""
    world, steps = falling(), []
    world.schedule(lambda w: steps.append(w.steps), rate=rate)
    world.step(9000)
    for _ in range(1000):
        world.step()
    assert steps == list(range(0, 10_000, every))


@pytest.mark.parametrize(
    "rate, phase", [(30.0, 0.0), (166.5, 0.0), (7.7, 0.013), (0.9, 0.5), (60.0, 0.1), (239.9, 0.0)]
)
@pytest.mark.parametrize("time_step", [2e-3, 1e-3, 2.5e-3, 1 / 240])
def test_first_step_that_is_not_too_early(rate, phase, time_step):
    """Call k is at the first step whose time is phase + k / rate or later, in whole numbers."""
    world, steps = falling(time_step), []
    world.schedule(lambda w: steps.append(w.steps), rate=rate, phase=phase)
    for n in (1, 17, 400, 1, 1200):
        world.step(n)
    step = Fraction(str(time_step)) if time_step != 1 / 240 else Fraction(1, 240)
    expected = []
    for k in range(10_000):
        at = -((-(Fraction(str(phase)) + k / Fraction(str(rate)))) // step)
        if at >= 1619:
            break
        if not expected or at != expected[-1]:
            expected.append(int(at))
    assert steps == expected


@pytest.mark.parametrize("dt", [0.002, 1 / 30, 0.1, 1 / 499])
def test_at_most_as_often_as_the_steps(dt):
    """The rate of the steps is allowed however 1 / time_step is rounded, more is refused and changes nothing."""
    world, steps = rbdyn.World(dt), []
    with pytest.raises(rbdyn.Error, match=f"rate must be at most that of the steps, {1 / dt:g} Hz, got"):
        world.schedule(print, rate=1.0001 / dt)
    assert world.schedules == ()
    for rate in (1 / dt, np.nextafter(1 / dt, np.inf)):
        world.schedule(lambda w: steps.append(w.steps), rate=rate)
    world.step(20)
    assert steps == [k for k in range(20) for _ in range(2)]


def test_order():
    """Lower orders first, equal ones as they came; each at its own rate."""
    world, calls = falling(), []

    def note(what):
        return lambda w: calls.append((w.steps, what))

    world.schedule(note("recorder"), rate=250.0, order=2)
    world.schedule(note("second"), rate=500.0)
    world.schedule(note("third"), rate=500.0)
    world.schedule(note("first"), rate=125.0, order=-1, phase=0.004)
    world.step(4)
    assert calls == [
        (0, "second"), (0, "third"), (0, "recorder"), (1, "second"), (1, "third"),
        (2, "first"), (2, "second"), (2, "third"), (2, "recorder"), (3, "second"), (3, "third"),
    ]  # fmt: skip


def test_phase_and_beginning_in_the_middle():
    """One that comes later begins at the next of its times, not at those that have passed."""
    world, steps = falling(), []
    world.step(7)
    world.schedule(lambda w: steps.append(w.steps), rate=100.0, phase=0.004)
    world.step(20)
    assert steps == [7, 12, 17, 22]
    world = falling()
    world.schedule(lambda w: steps.append(w.time), rate=10.0, phase=1.0)
    steps.clear()
    world.step(601)
    assert steps == [1.0, 1.1, 1.2]


def test_time_step_that_changes():
    """Times stay what they are when the time step changes on the way."""
    world, times = falling(), []
    world.schedule(lambda w: times.append(round(w.time, 9)), rate=100.0)
    world.step(13)
    world.time_step = 5e-3
    world.step(3)
    world.time_step = 1e-3
    world.step(20)
    assert times == [0.0, 0.01, 0.02, 0.031, 0.041, 0.05, 0.06]


def test_random_rates_and_time_steps_by_fractions(seed):
    """Each call at the first step that begins when it is due, or later."""
    rng = np.random.default_rng(seed)
    world, time, found = rbdyn.World(0.001), Fraction(0), []
    rates, phases = rng.choice([3, 7.5, 30, 90.9, 240], 4), rng.choice([0.0, 0.001, 0.0125, 1 / 3, 0.07], 4)
    for k, (rate, phase) in enumerate(zip(rates, phases, strict=True)):
        world.schedule(lambda w, k=k: found.append((k, w.steps)), rate=rate, phase=phase)
    exact = [(Fraction(str(rates[k])), Fraction(phases[k]).limit_denominator(10**9)) for k in range(4)]
    calls, wanted = [0] * 4, []
    for dt in rng.choice([0.001, 0.0025, 1 / 240, 0.004], 5):
        world.time_step = dt
        for n in rng.integers(1, 60, 4):
            world.step(int(n))
            for step in range(world.steps - int(n), world.steps):
                for k, (rate, phase) in enumerate(exact):
                    if phase + calls[k] / rate <= time:
                        calls[k] = (time - phase) * rate // 1 + 1
                        wanted.append((k, step))
                time += Fraction(dt).limit_denominator(10**9)
    assert found == wanted and len(found) > 100


def test_calls_are_between_steps():
    """What is set there acts in the step that begins; objects may come and go; statistics are of the whole call."""
    world, made = falling(), []
    ball = world.objects[0]

    def act(w):
        ball.set_external_force(0, (2.0, 0.0, 0.0))
        made.append(w.add_sphere(0.1, 1.0))
        made[-1].set_pose((10.0 * len(made), 5.0, 0.0))
        if len(made) > 1:
            w.remove(made[-2])

    world.schedule(act, rate=250.0)
    world.step(10)
    assert len(made) == 5 and len(world.objects) == 2
    assert ball.linear_velocity[0] == pytest.approx(5 * 2.0 * 2e-3, rel=1e-14)
    assert world.contact.statistics.steps == 10


def test_same_motion_as_by_hand():
    """A scheduled controller moves a robot as a loop around `step` does, bit for bit."""
    scheduled, by_hand = worlds.walking(), worlds.walking()
    scheduled.schedule(worlds.stride, rate=200.0)
    scheduled.step(400)
    for k in range(400):
        if k % 2 == 0:
            worlds.stride(by_hand)
        by_hand.step()
    assert np.array_equal(scheduled.find("dog").q, by_hand.find("dog").q)


def test_cancel():
    """A cancelled one is called no more, also by one that is called before it."""
    world, calls = falling(), []
    second = world.schedule(lambda w: calls.append("second"), rate=500.0, order=1)
    first = world.schedule(lambda w: (calls.append("first"), second.cancel()), rate=500.0)
    assert world.schedules == (first, second)
    world.step(2)
    assert calls == ["first", "first"] and world.schedules == (first,)
    first.cancel()
    first.cancel()
    world.step(2)
    assert len(calls) == 2 and not first.active and "(cancelled)" in repr(first)


def test_scheduling_in_a_call():
    """What is scheduled by a scheduled function begins with the next step: that ends, even if it schedules itself."""
    world, steps = falling(), []

    def again(w):
        steps.append(w.steps)
        mine.pop().cancel()
        mine.append(w.schedule(again, rate=500.0))

    mine = [world.schedule(again, rate=500.0)]
    world.step(5)
    assert steps == [0, 1, 2, 3, 4]


def test_a_call_that_fails():
    """Its exception comes out, the World stands at a whole step, and going on calls what was left."""
    world, calls = falling(), []

    def fails(w):
        calls.append(("fails", w.steps))
        if w.steps == 4:
            raise RuntimeError("sensor unplugged")

    world.schedule(fails, rate=250.0)
    world.schedule(lambda w: calls.append(("next", w.steps)), rate=250.0, order=1)
    with pytest.raises(RuntimeError, match="unplugged"):
        world.step(10)
    assert world.steps == 4 and calls[-1] == ("fails", 4)
    twin = falling()
    twin.step(4)
    assert np.array_equal(world.objects[0].position, twin.objects[0].position)
    calls.clear()
    world.step(3)
    assert calls == [("next", 4), ("fails", 6), ("next", 6)] and world.steps == 7


def test_half_steps():
    """integrate1() begins a step too."""
    world, steps = falling(), []
    world.schedule(lambda w: steps.append(w.steps), rate=250.0)
    for _ in range(5):
        world.integrate1()
        world.integrate2()
    assert steps == [0, 2, 4]


@pytest.mark.parametrize("what", ["step", "run", "integrate1", "restore", "reset"])
def test_what_a_call_may_not_do(what):
    """It may not step or go back; it says so, and nothing has changed."""
    world = falling()
    world.step(2)
    taken = world.snapshot()
    arguments = {"run": (0.01,), "restore": (taken,)}.get(what, ())
    handle = world.schedule(lambda w: getattr(w, what)(*arguments), rate=500.0)
    with pytest.raises(rbdyn.BusyError, match="a scheduled function of this World may not call"):
        world.step(3)
    assert world.steps == 2
    handle.cancel()
    world.step(1)


@pytest.mark.parametrize(
    "arguments, match",
    [
        ({"rate": 0.0}, "rate must be a number .* above 0, got"),
        ({"rate": -5.0}, "rate must be a number .* above 0, got"),
        ({"rate": float("nan")}, "rate must be"),
        ({"rate": float("inf")}, "rate must be"),
        ({"rate": "fast"}, "rate must be"),
        ({"rate": 10.0, "phase": -1.0}, "phase must be"),
        ({"rate": 10.0, "phase": float("nan")}, "phase must be"),
        ({"rate": 10.0, "order": 0.5}, "order must be an int, got 0.5"),
        ({"rate": 10.0, "order": True}, "order must be an int, got True"),
        ({"rate": 10.0, "name": ""}, "name"),
        ({"rate": 10.0, "name": "taken"}, "already has a schedule named 'taken'"),
    ],
)
def test_bad_arguments(arguments, match):
    """Each is named, and nothing is scheduled."""
    world = falling()
    world.schedule(print, rate=1.0, name="taken")
    with pytest.raises(rbdyn.Error, match=match):
        world.schedule(print, **arguments)
    with pytest.raises(rbdyn.Error, match="function must be callable with the World, got 3"):
        world.schedule(3, rate=1.0)
    assert [one.name for one in world.schedules] == ["taken"]
    world.integrate1()
    with pytest.raises(rbdyn.BusyError, match="integrate2"):
        world.schedule(print, rate=1.0)


def test_in_snapshots():
    """Going back brings back who is called, and when next."""
    world, steps = falling(), []
    camera = world.schedule(lambda w: steps.append(w.steps), rate=70.0, name="camera")
    world.step(20)
    taken = world.snapshot()
    steps.clear()
    world.step(40)
    first = list(steps)
    world.restore(taken)
    camera.cancel()
    late = world.schedule(print, rate=0.001, phase=5.0, name="late")
    world.time_step = 3e-3
    world.restore(taken)
    assert camera.active and not late.active and world.schedules == (camera,)
    assert world.state_hash() == taken.hash
    steps.clear()
    world.step(40)
    assert steps == first
    twin = falling()
    with pytest.raises(rbdyn.SnapshotError, match="its schedule 'camera' is not in this World"):
        twin.restore(rbdyn.world.Snapshot.from_bytes(bytes(taken)))
    twin.schedule(lambda w: steps.append(-w.steps), rate=1.0, name="camera")
    twin.restore(rbdyn.world.Snapshot.from_bytes(bytes(taken)))
    steps.clear()
    twin.step(40)
    assert steps == [-k for k in first]


@pytest.mark.parametrize("duration, steps", [(0.1, 50), (0.0, 0), (1e-3, 1), (0.3, 150), (0.1001, 51)])
def test_run(duration, steps):
    """As many steps as reach the time, and no more for what rounding adds."""
    world = falling()
    world.run(duration)
    assert world.steps == steps


def test_run_refuses():
    """Bad durations are named."""
    for wrong in (-1.0, float("nan"), float("inf"), "long"):
        with pytest.raises(rbdyn.Error, match="duration must be"):
            falling().run(wrong)
    with pytest.raises(rbdyn.Error, match="progress must be True or False"):
        falling().run(1.0, progress=3)


class Terminal:
    """Standard error that is a terminal, or is none."""

    def __init__(self, real):
        self.real = real

    def isatty(self):
        return self.real

    def write(self, text):
        raise AssertionError("nothing is to be written here")

    def flush(self):
        pass


def test_progress(monkeypatch):
    """A bar counts all steps, on a terminal only; without tqdm it is said how to get it."""
    shown = []

    class Bar:
        def __init__(self, total, unit, file):
            self.total, self.n = total, 0
            shown.append(self)

        def __enter__(self):
            return self

        def __exit__(self, *args):
            pass

        def update(self, n):
            self.n += n

    monkeypatch.setitem(sys.modules, "tqdm", types.SimpleNamespace(tqdm=Bar))
    monkeypatch.setattr(sys, "stderr", Terminal(False))
    world, calls = falling(), []
    world.schedule(lambda w: calls.append(w.steps), rate=100.0)
    world.run(2.0, progress=True)
    assert shown == [] and world.steps == 1000
    monkeypatch.setattr(sys, "stderr", Terminal(True))
    world.run(2.0, progress=True)
    assert [(bar.n, bar.total) for bar in shown] == [(1000, 1000)] and world.steps == 2000
    assert calls == list(range(0, 2000, 5)) and world.contact.statistics.steps == 1000
    monkeypatch.setitem(sys.modules, "tqdm", None)
    with pytest.raises(rbdyn.MissingExtraError, match=r"rbdyn\[progress\]"):
        world.run(1.0, progress=True)
    assert world.steps == 2000


def test_a_time_step_longer_than_a_period_is_refused():
    """1000 Hz cannot be kept in steps of 10 ms: the schedule and the sensor are named, and nothing changes."""
    world = rbdyn.World(time_step=1e-3)
    robot = world.add_articulated_system(rbdyn.models.quadruped(), name="dog")
    control = world.schedule(lambda w: None, rate=1000.0, name="control")
    imu = robot.add_sensor_set("head", [Imu("imu", update_rate=500.0)])["imu"]
    world.step(3)
    before = world.state_hash()
    for dt in (1.001e-3, 0.01):
        with pytest.raises(rbdyn.Error, match=r"time_step must be at most 0.001 s.*'control' \(1000 Hz\)"):
            world.time_step = dt
    assert world.time_step == 1e-3 and world.state_hash() == before
    control.cancel()
    world.time_step = 2e-3
    with pytest.raises(rbdyn.Error, match=r"at most 0.002 s.*'sensor dog/head/imu' \(500 Hz\)"):
        world.time_step = 2.5e-3
    imu.update_rate = 400.0
    world.time_step = 2.5e-3
    world.step(2)
    assert imu.time_stamp == pytest.approx(world.time - 2.5e-3)


def test_schedules_since_a_snapshot_leave_no_trace():
    """What was scheduled since is cancelled; scheduled again, all goes on as it did the first time, names too."""
    world = falling()
    taken, calls, hashes, names = world.snapshot(), [], [], []
    for _ in range(2):
        late = world.schedule(lambda w: calls.append(w.steps), rate=100.0)
        world.step(20)
        hashes.append(world.state_hash())
        names.append(late.name)
        world.restore(taken)
        assert not late.active and world.state_hash() == taken.hash
    assert hashes[0] == hashes[1] and names == ["schedule_0"] * 2
    assert calls == [0, 5, 10, 15] * 2
