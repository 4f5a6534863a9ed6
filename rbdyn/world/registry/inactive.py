"""What a mechanism asks for and a World does not do yet: said once, when it is added, instead of passed over."""

from __future__ import annotations

import warnings
from collections.abc import Iterable

import numpy as np

from rbdyn.errors import InactiveFeatureWarning
from rbdyn.mechanism import Joint
from rbdyn.model import Model

SHOWN = 5  # joints named of each kind


def inactive_features(model: Model) -> dict[str, list[str]]:
    """What does not act -> names of the joints that ask for it; empty where everything acts."""
    loops = model.mechanism.non_tree_joints
    return {
        what: names
        for what, names in (
            ("mimic of loop joints", [j.name for j in loops if j.mimic is not None]),
            ("limits of loop joints",
             [j.name for j in loops if j.num_velocities > 1 and j.position_limits is not None]),
            ("limits of loop joints beyond half a turn", [j.name for j in loops if turns_on(j)]),
            ("velocity limits of loop joints",
             [j.name for j in loops if j.num_velocities > 1 and _finite((j.velocity_limit,))]),
            ("no-load speeds of loop joints", [j.name for j in loops if j.no_load_speed is not None]),
        )
        if names
    }


def turns_on(joint: Joint) -> bool:
    """Whether a limit lies beyond the half turn that the poses of two bodies can tell of an angle."""
    limits = np.array(joint.limits_of_each).ravel()
    return joint.joint_type.motion == "revolute" and bool((np.isfinite(limits) & (abs(limits) > np.pi)).any())


def _finite(limits: Iterable[float | None] | None) -> bool:
    return limits is not None and any(x is not None and np.isfinite(x) for x in limits)


def warn_of_inactive_features(robot: str, model: Model, stacklevel: int) -> None:
    """One InactiveFeatureWarning that names the robot, what does not act, and the first joints that ask for it."""
    inactive = inactive_features(model)
    if inactive:
        text = "; ".join(f"{what} of {_some(names)}" for what, names in inactive.items())
        warnings.warn(f"{robot!r} asks for what does not act in a World yet: {text}"[:1900], InactiveFeatureWarning,
                      stacklevel=stacklevel)


def _some(names: list[str]) -> str:
    shown = ", ".join(repr(name[:60]) for name in names[:SHOWN])
    return shown if len(names) <= SHOWN else f"{shown}, ... ({len(names)} joints)"
