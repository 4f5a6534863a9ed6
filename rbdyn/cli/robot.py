"""The robot that a command is about."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from rbdyn import models
from rbdyn.errors import Error
from rbdyn.io import formats
from rbdyn.mechanism import Fixed, Joint, Mechanism

HELP = f"a URDF, xacro, MJCF or SDF file, or one of the bundled robots: {', '.join(models.NAMES)}"


def add_robot(command: argparse.ArgumentParser) -> None:
    """Declare the argument, and what can be done to the robot when it is read."""
    command.add_argument("robot", metavar="ROBOT", type=path_of, help=HELP)
    command.add_argument("--fixed", action="store_true", help="fix the base")
    add_reading(command)


def add_reading(command: argparse.ArgumentParser) -> None:
    """Declare how robot files are read."""
    command.add_argument(
        "--resource-dir", metavar="DIR", action="append", default=[], help="a folder of meshes and packages"
    )
    command.add_argument("--allow-outside", action="store_true", help="files that it names may lie anywhere")
    command.add_argument("--model", metavar="NAME", help="which model of an SDF file")
    command.add_argument(
        "--param", metavar="NAME=VALUE", action="append", default=[], type=pair, help="a template's parameter"
    )
    command.add_argument("--module", metavar="FILE", action="append", default=[], type=Path, help="a URDF module")
    command.add_argument("--srdf", metavar="FILE", type=Path, help="pairs of links that never collide, of a URDF")


def reading(args: argparse.Namespace) -> dict[str, Any]:
    """What was given of that, as options of the readers."""
    options = {
        "resource_dirs": args.resource_dir,
        "allow_outside": args.allow_outside,
        "model": args.model,
        "params": args.param,
        "modules": args.module,
        "srdf": args.srdf,
    }
    return {name: value for name, value in options.items() if value}


def pair(text: str) -> tuple[str, str]:
    """NAME=VALUE."""
    name, sign, value = text.partition("=")
    if not sign:
        raise Error(f"--param takes NAME=VALUE, got {text!r:.100}")
    return name, value


def load(args: argparse.Namespace, visual_meshes: bool = False) -> Mechanism:
    """Read the robot; the meshes that it shows, too, if they are to be seen."""
    mechanism = formats.load(args.robot, visual_meshes=visual_meshes, **reading(args))
    if args.fixed:
        for joint in mechanism.joints_to_children(mechanism.root_body):
            if joint.joint_type.is_floating:
                mechanism.replace_joint(joint, Joint(joint.name, Fixed()))
    return mechanism


def path_of(text: str) -> Path:
    """A file goes before a bundled robot of the same name."""
    file = Path(text)
    return models.path(text) if text in models.NAMES and not file.exists() else file
