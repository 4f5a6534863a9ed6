"""Numbers of recordings over time, drawn by matplotlib."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from rbdyn.arguments import choice, shown
from rbdyn.errors import Error, missing_extra
from rbdyn.recording.names import chosen_joints, only_robot
from rbdyn.spatial.rotations import Array

Lines = Iterator[tuple[str, Array]]  # label, numbers

CHOICES = ("joint_positions", "joint_velocities", "energies", "contact_forces", "positions")
AXES = {
    "joint_positions": "position [rad or m]",
    "joint_velocities": "velocity [rad/s or m/s]",
    "energies": "energy [J]",
    "contact_forces": "contact force [N]",
    "positions": "position [m]",
}


def plot(
    recording: Any,
    what: str,
    joints: str | Sequence[str] | None = None,
    robot: str | None = None,
    bodies: str | Sequence[str] | None = None,
    axes: Any = None,
) -> Any:
    """What `Recording.plot` does."""
    choice(what, "what", CHOICES)
    if joints is not None and not what.startswith("joint"):
        raise Error(f"joints are of joint_positions and joint_velocities, not of {what}")
    if bodies is not None and what not in ("contact_forces", "positions"):
        raise Error(f"bodies are of contact_forces and positions, not of {what}")
    drawn = list(lines(recording, what, joints, robot, bodies))
    if axes is None:
        axes = new_axes()
    elif not hasattr(axes, "plot"):
        raise Error(f"axes must be matplotlib's, got {shown(axes)}")
    for label, values in drawn:
        axes.plot(recording.time, values, label=label)
    axes.set_xlabel("time [s]")
    axes.set_ylabel(AXES[what])
    axes.grid(True, alpha=0.3)
    if drawn:
        axes.legend(fontsize="small", ncols=1 + len(drawn) // 8)
    return axes


def new_axes() -> Any:
    """Of a figure of their own."""
    try:
        from matplotlib import pyplot
    except ImportError:
        raise missing_extra("plot", "matplotlib", "plot") from None
    return pyplot.subplots(figsize=(8.0, 4.0), layout="constrained")[1]


def lines(
    recording: Any,
    what: str,
    joints: str | Sequence[str] | None,
    robot: str | None,
    bodies: str | Sequence[str] | None,
) -> Lines:
    """What is drawn."""
    if what.startswith("joint"):
        name = only_robot(recording.objects, robot)
        chosen = [joint.name for joint in chosen_joints(recording.objects[name], joints)]
        values = recording.joint_positions if what == "joint_positions" else recording.joint_velocities
        yield from zip(chosen, values(chosen, name).T, strict=True)
    elif what == "energies":
        kinetic, potential = recording.kinetic_energy(robot), recording.potential_energy(robot)
        yield "kinetic", kinetic
        yield "potential, from the start", potential - potential[np.isfinite(potential)][:1]
        yield "sum", kinetic + potential - potential[np.isfinite(potential)][:1]
    elif what == "contact_forces":
        for body in chosen_bodies(bodies, recording.robots or tuple(recording.objects)):
            yield body, np.linalg.norm(recording.contact_forces(body), axis=1)
    else:
        for body in chosen_bodies(bodies, tuple(recording.objects)):
            for axis, values in zip("xyz", recording.positions(body).T, strict=True):
                yield f"{body} {axis}", values


def chosen_bodies(bodies: str | Sequence[str] | None, default: tuple[str, ...]) -> list[str]:
    """Names that were given, or these."""
    if bodies is None:
        return list(default)
    try:
        return [bodies] if isinstance(bodies, str) else list(bodies)
    except TypeError:
        raise Error(f"bodies must be a name or a sequence of names, got {shown(bodies)}") from None
