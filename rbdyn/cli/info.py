"""``info``: what is in a robot file, as the library reads it."""

from __future__ import annotations

import argparse
import math
from collections.abc import Iterator
from typing import Any

from rbdyn.cli.robot import add_robot, load
from rbdyn.cli.terminal import say, shown
from rbdyn.cli.timed import print_table
from rbdyn.mechanism import Joint, Mechanism, RigidBody
from rbdyn.model import Model

HEADINGS = ("body", "joint", "type", "axis", "q", "v", "limits", "speed", "effort", "mass", "shapes")
DEEPEST = 20  # levels of the tree that are indented
WIDEST = 40  # letters of a column that are kept in line


def add_to(commands: Any) -> None:
    """Declare the command and its options."""
    text = "print the tree of a robot file: joints, limits, indices in q and v, masses, shapes, frames"
    command = commands.add_parser("info", help="print what is in a robot file", description=text, allow_abbrev=False)
    add_robot(command)
    command.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Read and print."""
    mechanism = load(args)
    print_table(mechanism.name, list(summary(mechanism)))
    say("")
    print_columns([HEADINGS, *tree(mechanism)])
    say("(rad or m, rad/s or m/s, N m or N, kg)")
    for title, lines in (
        ("loop joints", list(loops(mechanism))),
        ("joints that follow another", list(mimics(mechanism))),
        ("frames", list(frames(mechanism))),
        ("pairs of bodies that never collide", list(apart(mechanism))),
        ("diagnostics", mechanism.diagnostics),
    ):
        if lines:
            say("")
            say(f"{title}:")
            for line in lines:
                say(f"  {line}")
    return 0


def apart(mechanism: Mechanism) -> Iterator[str]:
    """One line for each pair that its file keeps from colliding, or for all of them."""
    if not mechanism.self_collision:
        yield "all"
    for a, b in mechanism.ignored_collisions:
        yield f"{shown(a)} and {shown(b)}"


def summary(mechanism: Mechanism) -> Iterator[tuple[str, str]]:
    """Counts, and the mass."""
    model = Model(mechanism)
    mass = sum(body.inertia.mass for body in mechanism.bodies)
    still = mass - model.total_mass
    loops = len(mechanism.non_tree_joints)
    yield "base", "free" if model.floating_base else "fixed"
    yield "bodies", f"{len(mechanism.bodies) - 1} and the root"
    yield "joints", f"{len(mechanism.tree_joints)} in the tree, {loops} that close loops"
    yield "nq, nv", f"{model.nq}, {model.nv}"
    yield "constraints", str(mechanism.num_constraints)
    yield "mass", f"{mass:.6g} kg" + (f", {still:.6g} kg of it at rest" if still > 1e-9 * mass else "")
    yield "gravity", ", ".join(f"{x:g}" for x in mechanism.gravity) + " m/s^2"


def tree(mechanism: Mechanism) -> Iterator[tuple[str, ...]]:
    """One row a body, indented by its depth; limits in rad, m, s and N."""
    model = Model(mechanism)
    depth = {mechanism.root_body: 0}
    yield (shown(mechanism.root_body.name), *[""] * 8, *contents(mechanism.root_body))
    for joint in mechanism.tree_joints:
        body = mechanism.successor(joint)
        depth[body] = depth[mechanism.predecessor(joint)] + 1
        indent = "  " * min(depth[body], DEEPEST)
        yield (indent + shown(body.name), *about(joint, model), *contents(body))


def contents(body: RigidBody) -> tuple[str, str]:
    """Mass [kg], and how many shapes collide."""
    return f"{body.inertia.mass:.6g}" if body.inertia.mass else "", str(len(body.collision) or "")


def about(joint: Joint, model: Model) -> tuple[str, ...]:
    """Name, type, axis, indices in q and v, and limits of a joint."""
    q = v = ""
    if joint.num_velocities:
        q = span(model.joint_q_index(joint.name), joint.num_positions)
        v = span(model.joint_v_index(joint.name), joint.num_velocities)
    limits = joint.position_limits or ()
    pairs = joint.limits_of_each if joint.joint_type.has_limits else [limits] if limits else []
    between = ", ".join(f"{a:.4g} to {b:.4g}" if any(map(math.isfinite, (a, b))) else "-" for a, b in pairs)
    between = between if any(x not in ", -" for x in between) else ""
    return (
        shown(joint.name),
        joint.joint_type.kind,
        " ".join(f"{x:.4g}" for x in joint.joint_type.main_axis or ()),
        q,
        v,
        between,
        bound(joint.velocity_limit),
        bound(joint.effort_limit),
    )


def span(first: int, count: int) -> str:
    """Indices as Python writes them."""
    return f"{first}:{first + count}" if count > 1 else str(first)


def bound(value: float | None) -> str:
    """A limit, or nothing."""
    return f"{value:.4g}" if value is not None and math.isfinite(value) else ""


def loops(mechanism: Mechanism) -> Iterator[str]:
    """The joints outside the tree."""
    for joint in mechanism.non_tree_joints:
        a, b = mechanism.predecessor(joint), mechanism.successor(joint)
        count = 6 - joint.num_velocities
        yield f"{joint.name} ({joint.joint_type.kind}, {count} constraints): {a.name} to {b.name}"


def mimics(mechanism: Mechanism) -> Iterator[str]:
    """What follows what."""
    for joint in mechanism.joints:
        if joint.mimic is not None:
            yield f"{joint.name} = {joint.mimic.multiplier:g} * {joint.mimic.joint} + {joint.mimic.offset:g}"


def frames(mechanism: Mechanism) -> Iterator[str]:
    """Named frames, and the bodies they are fixed to."""
    for body in mechanism.bodies:
        for name, (_, pose) in body.frames.items():
            yield f"{name} on {body.name} at {', '.join(f'{x:.4g}' for x in pose.translation)} m"


def print_columns(rows: list[tuple[str, ...]]) -> None:
    """Columns as wide as their widest entry, within reason; what is empty throughout is left out."""
    columns = [column for column in zip(*rows, strict=True) if any(column[1:])]
    widths = [min(WIDEST, max(map(len, column))) for column in columns]
    for row in zip(*columns, strict=True):
        say("  ".join(entry.ljust(width) for entry, width in zip(row, widths, strict=True)).rstrip())
