"""Options of commands that let a run be seen and recorded."""

from __future__ import annotations

import argparse
import contextlib
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from rbdyn.cli.terminal import say
from rbdyn.errors import MissingExtraError
from rbdyn.recording.writers import WRITERS
from rbdyn.world import World


def add_seeing(command: argparse.ArgumentParser) -> None:
    """Declare them."""
    command.add_argument("--view", action="store_true", help="show it in the browser, in real time, until Ctrl-C")
    command.add_argument(
        "--record",
        metavar="FILE",
        help=f"save what happened: {', '.join(WRITERS)}, or any other suffix for a recording as it is written",
    )


@contextlib.contextmanager
def recorded(world: World, file: str | None, **options: Any) -> Iterator[None]:
    """Record a World while this lasts, if a file is asked for, and save it then."""
    if file is None:
        yield
        return
    plain = Path(file).suffix.lower() not in WRITERS
    if not plain:
        Path(file).touch()  # OSError before the run, and not after it
    with world.record(contacts=True, path=file if plain else None) as recorder:
        yield
    if not plain:
        recorder.save(file, **options)
    say(f"  saved {file}: {len(recorder)} frames")


def shown_until_closed(world: World) -> int:
    """Step a World in real time, in the browser, until Ctrl-C."""
    with world.view() as viewer:
        say(f"  {viewer.address}  (Ctrl-C ends it)")
        sys.stdout.flush()
        viewer.run()
    return 0


def saved_as(recorder: Any, files: dict[str, dict[str, Any]]) -> Iterator[tuple[str, str]]:
    """Save a recording to some files; (name, what became of it), a missing extra is no error."""
    for file, options in files.items():
        try:
            with tempfile.TemporaryDirectory(dir=Path(file).resolve().parent) as room:
                part = Path(room) / Path(file).name
                recorder.save(part, **options)
                part.replace(file)
        except MissingExtraError as error:
            yield file, f"not written: {error}"
        else:
            yield file, f"written, {Path(file).stat().st_size // 1024} kB"
