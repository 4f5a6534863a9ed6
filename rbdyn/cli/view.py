"""``view``: a robot file, or a recording, in the browser."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import Any

from rbdyn.cli.robot import HELP, add_reading, load, path_of
from rbdyn.cli.terminal import say
from rbdyn.errors import Error
from rbdyn.recording import load_recording
from rbdyn.recording.records import MAGIC
from rbdyn.viewer import view


def add_to(commands: Any) -> None:
    """Declare the command and its options."""
    command = commands.add_parser(
        "view",
        help="show a robot file, or a recording, in the browser",
        description="Show a robot with sliders for its joints, or play a recording, in the browser, until Ctrl-C.",
        allow_abbrev=False,
    )
    command.add_argument("file", metavar="ROBOT.urdf", help=f"{HELP}; or a recording")
    command.add_argument("--fixed", action="store_true", help="fix the base")
    add_reading(command)
    command.add_argument("--port", type=int, help="where to listen, on 127.0.0.1; any that is free by default")
    command.add_argument("--seconds", type=float, help="how long; until Ctrl-C by default")
    command.add_argument("--no-browser", action="store_true", help="open none")
    command.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Read, show, wait."""
    if args.seconds is not None and not 0.0 <= args.seconds < 1e9:
        raise Error(f"--seconds must be 0 or more, got {args.seconds:g}")
    with view(source_in(args), port=args.port, open_browser=False if args.no_browser else None) as viewer:
        say(f"{viewer.address}  (Ctrl-C ends it)")
        sys.stdout.flush()
        viewer.run(args.seconds)
    return 0


def source_in(args: argparse.Namespace) -> Any:
    """The robot, or the recording."""
    file = Path(args.file)
    if is_recording(file):
        return load_recording(file)
    args.robot = path_of(args.file)
    mechanism = load(args, visual_meshes=True)
    for text in mechanism.diagnostics:
        say(text, sys.stderr)
    return mechanism


def is_recording(file: Path) -> bool:
    """By what the file begins with."""
    try:
        with file.open("rb") as opened:
            head = opened.read(len(MAGIC))
    except (OSError, ValueError):
        return False
    return head == MAGIC or head[:4] == b"PK\x03\x04"
