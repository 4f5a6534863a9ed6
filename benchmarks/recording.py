"""Recordings: what a frame costs the step, whether files survive kill -9; and what the viewer's updates take."""

from __future__ import annotations

import signal
import subprocess
import sys
import tempfile
import textwrap
import time
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

import rbdyn
from benchmarks import table
from benchmarks.machine import optional
from benchmarks.snapshots import crowd
from benchmarks.timing import by_turns

SHARE = 5.0  # [%] of a step that recording may take
RATE = 60.0  # frames a second for 100 robots
KILLS = 50
WRITER = """
    import rbdyn, sys
    from rbdyn import models
    world = rbdyn.World(0.002)
    world.add_ground()
    dog = world.add_articulated_system(models.quadruped(), name="dog")
    dog.set_state(models.QUADRUPED_STANCE.q)
    world.record(every=1, contacts=True, path=sys.argv[1])
    print("go", flush=True)
    world.step(10**9)
"""


def run(quick: bool) -> None:
    """Print the tables of this section."""
    with tempfile.TemporaryDirectory() as folder:
        _steps(quick, Path(folder))
        _kills(4 if quick else KILLS, Path(folder))
    _viewer(quick)


def _steps(quick: bool, folder: Path) -> None:
    """A standing quadruped, recorded in some ways."""
    ways: dict[str, dict[str, Any] | None] = {
        "not recorded": None,
        "every 10th step": {"every": 10},
        "every 5th, the default": {},
        "every step": {"every": 1},
        "every step, contacts": {"every": 1, "contacts": True},
    }
    worlds = {name: crowd(1) for name in ways}
    recorders = [worlds[name].record(path=folder / name, **way) for name, way in ways.items() if way is not None]
    steps = 1000 if quick else 4000
    loops = {name: partial(world.step, steps) for name, world in worlds.items()}
    seconds = by_turns(loops, steps, 7 if quick else 25)
    plain = seconds["not recorded"]
    rows = []
    for name, passed in seconds.items():
        share = 100.0 * (passed / plain - 1.0)
        target = f"{SHARE:g} % {'met' if share <= SHARE else 'MISSED'}" if ways[name] is not None else ""
        rows.append([name, table.number(1e6 * passed), f"{share:.1f} %" if target else "", target])
    table.show("a standing quadruped, 2 ms", ["recorded", "us a step", "more", "target"], rows)
    for recorder in recorders:
        recorder.stop()


def _kills(count: int, folder: Path) -> None:
    """Processes that record, killed at a random moment."""
    rng = np.random.default_rng(0)
    whole, frames = 0, []
    for k in range(count):
        path = folder / f"killed{k}"
        _kill(path, float(rng.uniform(0.0, 0.3)))
        found = rbdyn.load_recording(path)
        whole += found.steps.tolist() == list(range(len(found))) and not found.complete
        frames.append(len(found))
        path.unlink()
    damaged = _damaged(folder, count)
    rows = [
        ["killed and read", f"{whole} of {count}"],
        ["frames in them", f"{min(frames)} to {max(frames)}"],
        ["with a byte changed, and found", f"{damaged} of {count}"],
        ["replayed to the same hash", f"{_replayed(folder)}"],
    ]
    table.show("files of recordings", ["what", "how many"], rows)


def _kill(path: Path, delay: float) -> None:
    with subprocess.Popen(
        [sys.executable, "-c", textwrap.dedent(WRITER), str(path)], stdout=subprocess.PIPE
    ) as process:
        assert process.stdout is not None
        process.stdout.readline()
        time.sleep(delay)
        process.send_signal(signal.SIGKILL)


def _damaged(folder: Path, count: int) -> int:
    """How many changed bytes are found."""
    world = crowd(1)
    with world.record(path=folder / "good", every=1, contacts=True):
        world.step(200)
    good, rng, found = (folder / "good").read_bytes(), np.random.default_rng(1), 0
    for _ in range(count):
        bad = bytearray(good)
        bad[int(rng.integers(len(bad)))] ^= 1 << int(rng.integers(8))
        (folder / "bad").write_bytes(bad)
        try:
            found += not rbdyn.load_recording(folder / "bad").complete
        except rbdyn.RecordingError:
            found += 1
    return found


def _replayed(folder: Path) -> str:
    world = crowd(1)
    with world.record(path=folder / "played", every=1, contacts=True):
        world.step(500)
    end = world.state_hash()
    return "yes" if rbdyn.load_recording(folder / "played").replay(crowd(1)) == end else "NO"


def _viewer(quick: bool) -> None:
    """A frame: from the World's memory to messages for the browser."""
    if optional("viser") is None:
        print("\nviser is not installed: no viewer to time")
        return
    from rbdyn.viewer.canvas import Canvas
    from rbdyn.viewer.server import start_server, stop_server
    from rbdyn.viewer.sources import WorldSource

    rows = []
    for count in (1, 10) if quick else (1, 100):
        world = crowd(count)
        source, server = WorldSource(world), start_server(None)
        try:
            canvas = Canvas(server)
            canvas.show(_frame(world, source))
            n = 20 if quick else 60

            def update(world: Any = world, source: Any = source, canvas: Any = canvas, n: int = n) -> None:
                for _ in range(n):
                    canvas.show(_frame(world, source))

            def step(world: Any = world, n: int = n) -> None:
                for _ in range(n):
                    world.step()

            seconds = by_turns({"both": update, "step": step}, n, 5)
        finally:
            stop_server(server)
            source.close()
        passed = seconds["both"] - seconds["step"]
        target = f"{RATE:g} {'met' if 1.0 / passed >= RATE else 'MISSED'}" if count == 100 else ""
        rows.append([str(count), table.number(1e3 * passed), table.number(1.0 / passed), target])
    table.show("the viewer's updates", ["quadrupeds", "ms a frame", "frames a second", "target"], rows)


def _frame(world: Any, source: Any) -> Any:
    """That of a step."""
    source.tap.ask()
    world.step()
    return source.next()
