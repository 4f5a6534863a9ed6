"""The robot that a command is about."""

from __future__ import annotations

import argparse
from pathlib import Path

from rbdyn import models
from rbdyn.io import load_urdf, load_xacro
from rbdyn.mechanism import Mechanism

HELP = f"a URDF or xacro file, or one of the bundled robots: {', '.join(models.NAMES)}"


def add_robot(command: argparse.ArgumentParser) -> None:
    """Declare the argument, and what can be done to the robot when it is read."""
    command.add_argument("robot", metavar="ROBOT.urdf", type=_file, help=HELP)
    command.add_argument("--fixed", action="store_true", help="fix the base")


def load(args: argparse.Namespace) -> Mechanism:
    """Read the robot."""
    read = load_xacro if args.robot.suffix.lower() == ".xacro" else load_urdf
    return read(args.robot, floating=False if args.fixed else None)


def _file(text: str) -> Path:
    """A file goes before a bundled robot of the same name."""
    file = Path(text)
    return models.path(text) if text in models.NAMES and not file.exists() else file
