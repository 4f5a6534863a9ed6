"""``convert``: a robot or world file in another format."""

from __future__ import annotations

import argparse
import sys
import warnings
from itertools import product
from pathlib import Path
from typing import Any

from rbdyn import io
from rbdyn.algorithms import project_configuration
from rbdyn.cli.robot import add_reading, path_of, reading
from rbdyn.cli.terminal import say
from rbdyn.errors import Error, ExportWarning
from rbdyn.io.formats import format_of
from rbdyn.mechanism import Mechanism
from rbdyn.mechanism.neighbours import carriers
from rbdyn.model import Model
from rbdyn.world import ArticulatedSystem, World

TARGETS = {".urdf": "urdf", ".mjcf": "mjcf", ".xml": "mjcf"}
FORMATS = ("urdf", "mjcf", "world")


def add_to(commands: Any) -> None:
    """Declare the command and its options."""
    command = commands.add_parser(
        "convert",
        help="write a robot or world file in another format",
        description="Write a robot (URDF, MJCF, SDF) or a World (a world file) in another format.  What that cannot "
        "say is said on stderr.",
        allow_abbrev=False,
    )
    command.add_argument("source", metavar="IN", type=path_of, help="a URDF, MJCF, SDF or world file")
    command.add_argument("target", metavar="OUT", type=Path, help="the file to write; .urdf, .mjcf or .xml")
    command.add_argument("--to", choices=FORMATS, help="its format, if the suffix does not say it: .xml is MJCF for a "
                         "robot, and a world file for a World")  # fmt: skip
    command.add_argument("--robot", metavar="NAME", help="which robot of a World becomes a robot file")
    command.add_argument("--meshes", choices=("reference", "write"), default="reference",
                         help="name mesh files where they are, or write them beside OUT")  # fmt: skip
    command.add_argument("--no-dialect", action="store_true", help="of URDF write only what every reader takes")
    command.add_argument("--strict", action="store_true", help="fail where something cannot be read, or said")
    add_reading(command)
    command.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Read, write, and say what was lost."""
    is_world = format_of(args.source) == "world"
    target = args.to or ("world" if is_world and args.target.suffix.lower() == ".xml" else None)
    target = target or TARGETS.get(args.target.suffix.lower())
    if target is None:
        known = ", ".join(TARGETS)
        raise Error(f"OUT: suffix {args.target.suffix!r} is none of {known}; give --to {'|'.join(FORMATS)}")
    if args.robot is not None and not is_world:
        raise Error("--robot is for world files, and IN is none")
    if args.no_dialect and target != "urdf":
        raise Error(f"--no-dialect is for URDF, and OUT is {target}")
    words = {"meshes": args.meshes, "strict": args.strict}
    options = {"strict": args.strict, **reading(args)}
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always", ExportWarning)
        if target == "world":
            io.save_world(_whole(args.source, options) if is_world else _world_of(args.source, options), args.target,
                          **words)  # fmt: skip
        else:
            mechanism = _robot_of(args, options) if is_world else _robot(args.source, "triangles", options)
            if target == "mjcf":
                io.save_mjcf(mechanism, args.target, **words)
            else:
                closed = None if args.no_dialect else _closed(mechanism)
                io.save_urdf(mechanism, args.target, configuration=closed, dialect=not args.no_dialect, **words)
    for warning in said:
        say(f"rbdyn: {warning.message}", sys.stderr)
    say(f"{args.target} written ({target})")
    return 0


def _robot(source: Path, collision: str, options: dict[str, Any]) -> Mechanism:
    """A robot with all its meshes; what the reader has to say is said."""
    mechanism = io.load(source, collision_mesh=collision, visual_meshes=True, **options)
    for text in mechanism.diagnostics:
        say(text, sys.stderr)
    return mechanism


def _whole(source: Path, options: dict[str, Any]) -> World:
    """A World; what the reader has to say is said."""
    world = io.load_world(source, **options)
    for text in io.world_notes(world).diagnostics:
        say(text, sys.stderr)
    return world


def _world_of(source: Path, options: dict[str, Any]) -> World:
    """A World that holds one robot, in the gravity of its file."""
    mechanism = _robot(source, "hull", options)
    world = World(gravity=mechanism.gravity)
    world.add_articulated_system(mechanism)
    return world


def _robot_of(args: argparse.Namespace, options: dict[str, Any]) -> Mechanism:
    """A robot of a world file."""
    source, name = args.source, args.robot
    world = _whole(source, options)
    robots = {obj.name: obj for obj in world.objects if isinstance(obj, ArticulatedSystem)}
    if name is None and len(robots) == 1:
        name = next(iter(robots))
    if name not in robots:
        known = ", ".join(robots) or "none"
        raise Error(f"{source} holds {len(robots)} robots ({known}); give --robot NAME" if name is None
                    else f"{source}: no robot named {name!r}; known: {known}")  # fmt: skip
    others, ties = len(world.objects) - 1, len(world.constraints)
    lost = f"{others} other objects, {ties} constraints, materials and states are left out"
    text = f"of the World only robot {name!r} is written: {lost}"
    if args.strict:
        raise Error(f"{text} (--strict)")
    say(f"rbdyn: {text}", sys.stderr)
    return _filtered(robots[name])


def _filtered(robot: ArticulatedSystem) -> Mechanism:
    """Mechanism of a robot, with the pairs of bodies that its World keeps from colliding."""
    mechanism = robot.mechanism
    mechanism.self_collision, known = robot.self_collision, mechanism.ignored_collisions
    carrier = carriers(mechanism)
    for pair in [pair for pair in robot.ignored_collisions if pair not in known]:  # of all that fixed joints hold
        groups = [[body for body in mechanism.bodies if carrier[body].name == name] for name in pair]
        for a, b in product(*groups):
            mechanism.ignore_collision(a, b)
    return mechanism


def _closed(mechanism: Mechanism) -> Any:
    """A configuration at which loops are closed, in the order of the tree joints; None without loops."""
    if not mechanism.non_tree_joints:
        return None
    model = Model(mechanism)
    given = mechanism.nominal_configuration
    start, at = model.neutral(), 0
    spans = []
    for joint in mechanism.tree_joints:
        n = joint.num_positions
        if joint.num_velocities:
            k = model.joint_q_index(joint.name)
            spans.append((k, n))
            if given is not None and len(given) == mechanism.num_positions:
                start[k : k + n] = given[at : at + n]
        at += n
    q = project_configuration(model, start)
    return [x for k, n in spans for x in q[k : k + n]]
