"""``simulate``: a robot file falls on level ground, or hangs, or holds its posture."""

from __future__ import annotations

import argparse
import math
import sys
import warnings
from typing import Any

from rbdyn.cli.robot import add_robot, load
from rbdyn.cli.seeing import add_seeing, recorded, shown_until_closed
from rbdyn.cli.terminal import say
from rbdyn.cli.timed import print_table, run_for
from rbdyn.collision import HalfSpace, HeightMap
from rbdyn.errors import Error, InactiveFeatureWarning, SetupWarning
from rbdyn.mechanism import Mechanism
from rbdyn.world import ArticulatedSystem, Contact, World

GAINS = (100.0, 5.0)  # [N m/rad or N/m], [N m s/rad or N s/m]


def add_to(commands: Any) -> None:
    """Declare the command and its options."""
    command = commands.add_parser(
        "simulate",
        help="simulate a robot file",
        description="Simulate a robot file.  A robot with a free base starts in the pose of its file, or the neutral "
        "configuration, on level ground or above; one with a fixed base hangs at the origin, without a ground; a file "
        "with a floor of its own gets no other.",
        allow_abbrev=False,
    )
    add_robot(command)
    command.add_argument("--seconds", type=_positive, default=4.0, help="simulated time [s], default 4")
    command.add_argument("--dt", type=_positive, default=0.002, help="time step [s], default 0.002")
    command.add_argument(
        "--pd",
        type=_not_negative,
        nargs="*",
        metavar="P D",
        help="hold the joints where they start, with these gains [N m/rad and N m s/rad], "
        f"default {GAINS[0]:g} {GAINS[1]:g}",
    )
    add_seeing(command)
    command.set_defaults(run=run)


def _number(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not math.isfinite(value):
        raise argparse.ArgumentTypeError(f"{text!r} is not a finite number")
    return value


def _positive(text: str) -> float:
    value = _number(text)
    if value <= 0:
        raise argparse.ArgumentTypeError(f"must be above 0, got {text}")
    return value


def _not_negative(text: str) -> float:
    value = _number(text)
    if value < 0:
        raise argparse.ArgumentTypeError(f"must not be negative, got {text}")
    return value


def run(args: argparse.Namespace) -> int:
    """Load, step, report."""
    if args.pd is not None and len(args.pd) not in (0, 2):
        raise Error(f"--pd takes two gains, P and D, or none for the default; got {len(args.pd)}")
    mechanism = load(args, visual_meshes=args.view or args.record is not None)
    for text in mechanism.diagnostics:
        say(text, sys.stderr)
    world = World(time_step=args.dt, gravity=mechanism.gravity)
    with warnings.catch_warnings(record=True) as notes:
        warnings.simplefilter("always", InactiveFeatureWarning)
        robot = world.add_articulated_system(mechanism)
    for note in notes:
        say(str(note.message), sys.stderr)
    free = robot.model.floating_base
    floor = has_floor(mechanism)
    if free and not floor:
        world.add_ground()
        x, y, z = robot.base_position
        robot.set_base_pose((x, y, z + depth_at_start(mechanism)), robot.base_orientation)
    if args.pd is not None:
        robot.set_pd_gains(*(args.pd or GAINS))
        robot.set_pd_target(robot.q)
    with warnings.catch_warnings(record=True) as notes:
        warnings.simplefilter("always", SetupWarning)
        world.step(0)
    for note in notes:
        say(str(note.message), sys.stderr)
    if args.view:
        with recorded(world, args.record):
            return shown_until_closed(world)
    with recorded(world, args.record):
        timing = run_for(world, args.seconds, mechanism.name)
    body = robot.body_names[0 if free else -1]
    x, y, z = robot.body_pose(body)[:3, 3]
    lift = sum(_lift(contact, robot) for contact in robot.contacts)
    print_table(
        f"{mechanism.name}, moving mass {robot.total_mass:.6g} kg, {robot.nv} degrees of freedom, "
        f"{'free' if free else 'fixed'} base",
        [
            *timing.rows,
            (f"position of {body}", f"{x:.4f}, {y:.4f}, {z:.4f} m"),
            ("largest |v|", f"{max(map(abs, robot.v), default=0.0):.3g} m/s or rad/s"),
            ("contacts", str(len(robot.contacts))),
            ("gravity", ", ".join(f"{x:g}" for x in world.gravity) + " m/s^2"),
            ("lifted by contacts", f"{lift:.2f} N of {max(0.0, -world.gravity[2] * robot.total_mass):.2f} N"),
        ],
    )
    return 0


def _lift(contact: Contact, robot: ArticulatedSystem) -> float:
    """Force upwards on what moves of the robot, from outside or from what its own root carries [N]."""
    if contact.object_a is not contact.object_b:
        return float(contact.force_on(robot)[2])
    root = robot.mechanism.root_body.name
    up = float(contact.force[2])
    return up * (contact.body_b == root) - up * (contact.body_a == root)


def has_floor(mechanism: Mechanism) -> bool:
    """Whether the root itself carries a floor: a half-space or a height map."""
    return any(isinstance(geometry.shape, (HalfSpace, HeightMap)) for geometry in mechanism.root_body.collision)


def depth_at_start(mechanism: Mechanism) -> float:
    """How far the robot reaches below z = 0 where it starts [m]."""
    probe = World()
    probe.add_ground()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", InactiveFeatureWarning)
        warnings.simplefilter("ignore", SetupWarning)
        robot = probe.add_articulated_system(mechanism, self_collision=False)
        probe.integrate1()
    return max((contact.depth for contact in robot.contacts), default=0.0)
