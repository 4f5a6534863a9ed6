"""The robot that a command is about."""

from __future__ import annotations

import argparse
from pathlib import Path

from rbdyn import models
from rbdyn.io import formats
from rbdyn.mechanism import Fixed, Joint, Mechanism

HELP = f"a URDF, xacro, MJCF or SDF file, or one of the bundled robots: {', '.join(models.NAMES)}"


def add_robot(command: argparse.ArgumentParser) -> None:
    """Declare the argument, and what can be done to the robot when it is read."""
    command.add_argument("robot", metavar="ROBOT", type=path_of, help=HELP)
    command.add_argument("--fixed", action="store_true", help="fix the base")


def load(args: argparse.Namespace, visual_meshes: bool = False) -> Mechanism:
    """Read the robot; the meshes that it shows, too, if they are to be seen."""
    mechanism = formats.load(args.robot, visual_meshes=visual_meshes)
    if args.fixed:
        for joint in mechanism.joints_to_children(mechanism.root_body):
            if joint.joint_type.is_floating:
                mechanism.replace_joint(joint, Joint(joint.name, Fixed()))
    return mechanism


def path_of(text: str) -> Path:
    """A file goes before a bundled robot of the same name."""
    file = Path(text)
    return models.path(text) if text in models.NAMES and not file.exists() else file
