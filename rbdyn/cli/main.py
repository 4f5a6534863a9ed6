"""The parser, and what an error becomes: one line on stderr and an exit code, never a traceback."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence

from rbdyn.cli import check, convert, demo, info, simulate, view
from rbdyn.cli.terminal import say
from rbdyn.errors import DivergenceError, Error
from rbdyn.version import __version__

COMMANDS = (demo, info, check, convert, simulate, view)
DIVERGED, USAGE, INTERRUPTED = 1, 2, 130


def parser() -> argparse.ArgumentParser:
    """All commands and their options."""
    top = argparse.ArgumentParser(
        prog="rbdyn", description="Rigid-body dynamics with hard contact.", allow_abbrev=False
    )
    top.add_argument("--version", action="version", version=f"rbdyn {__version__}")
    commands = top.add_subparsers(title="commands", metavar="COMMAND")
    for command in COMMANDS:
        command.add_to(commands)
    return top


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; without one, print the help.

    Parameters
    ----------
    arguments : sequence of str, optional
        Without the program's name; those of the process by default.

    Returns
    -------
    code : int
        0, or 1 if a simulation diverged or `check` refused a file, 2 for a file or option that will not do, 130 after
        Ctrl-C.
    """
    top = parser()
    try:
        args = top.parse_args(arguments)
    except SystemExit as end:  # argparse has said what was wrong, or printed the help or the version
        return int(end.code or 0)
    if not hasattr(args, "run"):
        top.print_help()
        return 0
    try:
        return int(args.run(args))
    except Error as error:
        say(f"rbdyn: error: {error}", sys.stderr)
        return DIVERGED if isinstance(error, DivergenceError) else USAGE
    except OSError as error:
        if isinstance(error, BrokenPipeError):  # the reader, such as head, has read enough
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            return 0
        say(f"rbdyn: error: {error}", sys.stderr)
        return USAGE
    except KeyboardInterrupt:
        print("rbdyn: stopped", file=sys.stderr)
        return INTERRUPTED
