"""Warnings about the findings of `checks.pyx`, each with the call that helps."""

from __future__ import annotations

import math
import sys
import warnings
from collections.abc import Iterable, Sequence
from itertools import islice
from typing import TYPE_CHECKING

from rbdyn.errors import MAX_MESSAGE, SetupWarning, near_names

if TYPE_CHECKING:
    from rbdyn.world.objects.articulated_system import ArticulatedSystem
    from rbdyn.world.world import World

SHOWN = 4  # names that one warning gives
MOST = 100  # materials that are compared with known ones: 1 ms each
LETTERS_A_SLIP = 4  # of a name, for one letter that is missing, added, wrong or exchanged with the next one

Outside = tuple[str, str, float, float, float]  # coordinate, its unit, its position or target, its limits
Overlap = tuple[float, str, str, str, str]  # depth [m], two bodies, two shapes


def _warn(text: str) -> None:
    """A SetupWarning about the first line outside of this package that led here."""
    depth, frame = 1, sys._getframe(0)
    while frame.f_back is not None and frame.f_globals.get("__name__", "").split(".")[0] == __name__.split(".")[0]:
        depth, frame = depth + 1, frame.f_back
    warnings.warn(text[:MAX_MESSAGE], SetupWarning, stacklevel=depth)


def _some(texts: Sequence[str]) -> str:
    return ", ".join(texts[:SHOWN]) + (f", ... ({len(texts)} in all)" if len(texts) > SHOWN else "")


def leave_to_another(world: World) -> None:
    """Let a World that is like another one say nothing of what both have by now."""
    world._edits.leave_unchecked()


def long_step(seconds: float) -> None:
    """A step in which bodies move far."""
    _warn(
        f"a step takes {seconds:g} s, in which a body falls by {9.81 / 2.0 * seconds * seconds:.3g} m from rest: "
        "time_step is in seconds, and contact needs 0.001 to 0.01; set world.time_step, or world.substeps"
    )


# ---- joints --------------------------------------------------------------------------------------


def positions(robot: ArticulatedSystem, found: Sequence[Outside]) -> None:
    """Joints that were set beyond their limits."""
    texts = [f"{name} at {_in_units(unit, x, low, high)}" for name, unit, x, low, high in found]
    _warn(
        f"{robot.name!r} has joints beyond their limits: {_some(texts)}.  Steps lead them back by poses alone, at "
        "3 rad/s or 1 m/s at most; call robot.set_state(q) with q within robot.joint_limits, or "
        "robot.set_joint_limits(...)"
        + _degrees(found)
    )


def targets(robot: ArticulatedSystem, found: Sequence[Outside]) -> None:
    """Targets far beyond limits."""
    texts = [f"{name} to {_in_units(unit, x, low, high)}" for name, unit, x, low, high in found]
    _warn(
        f"{robot.name!r} has PD targets far beyond limits: {_some(texts)}.  The joints press against their stops; call "
        "robot.set_pd_target(...) with targets within robot.joint_limits, or robot.set_joint_limits(...)"
        + _degrees(found)
    )


def _in_units(unit: str, x: float, low: float, high: float) -> str:
    return f"{x:.4g} {unit} (limits {low:.4g} to {high:.4g})"


def _degrees(found: Sequence[Outside]) -> str:
    """Advice to convert degrees to radians, for angles of more than a turn."""
    angles = [x for _, unit, x, _, _ in found if unit == "rad" and abs(x) > 2.0 * math.pi]
    return f".  Angles are in rad: np.deg2rad({angles[0]:.4g}) is {math.radians(angles[0]):.4g}" if angles else ""


# ---- overlaps ------------------------------------------------------------------------------------


def overlaps(name: str, found: Sequence[Overlap]) -> None:
    """Bodies of a robot that are in each other where it starts; none, and nothing is said."""
    if not found:
        return
    texts = [f"{a!r} and {b!r} by {1e3 * depth:.3g} mm ({one}, {other})" for depth, a, b, one, other in found]
    _warn(
        f"{name!r} overlaps with itself where it starts: {_some(texts)}.  They push each other apart in the first "
        "steps, and cost time; call add_articulated_system(..., ignore_overlapping=True), or robot.ignore_collision"
        f"({found[0][1]!r}, {found[0][2]!r}), or start elsewhere"
    )


# ---- materials -----------------------------------------------------------------------------------


def shape_material(name: str, meant: str, owners: Sequence[str], friction: float) -> None:
    """A material of shapes that no pair names."""
    _warn(
        f"no pair of materials names {name!r}, the material of {_some(sorted(set(map(repr, owners))))}, which gets the "
        f"friction {friction:g} of the default; did you mean {meant!r}?  Give the shape material={meant!r}, or call "
        f"world.set_material_pair({name!r}, ...)"
    )


def pair_material(name: str, meant: str) -> None:
    """A material of pairs that no shape has."""
    _warn(
        f"no shape has the material {name!r} that a pair names; did you mean {meant!r}?  Call "
        f"world.set_material_pair({meant!r}, ...)"
    )


def misspelt(names: Iterable[str], known: set[str]) -> dict[str, str]:
    """Map each of `names` that is probably a misspelt one of `known` to that one."""
    found = {}
    for name in islice(sorted(set(names) - known), MOST):
        meant = next((one for one in near_names(name, sorted(known)) if is_slip(name, one)), None)
        if meant is not None:
            found[name] = meant
    return found


def is_slip(name: str, known: str) -> bool:
    """Test that two names differ by one letter in four, by case or by punctuation alone; digits must be equal.

    Words are compared one by one, so that "foot_l" is no slip of "foot_r", nor "steel2" of "steel1".
    """
    one, other = _words(name), _words(known)
    if len(one) != len(other):
        return "".join(one) == "".join(other)
    return all(_slips(a, b) <= min(len(a), len(b)) // LETTERS_A_SLIP for a, b in zip(one, other, strict=True))


def _words(name: str) -> list[str]:
    """Runs of letters, in lower case, and single digits."""
    return "".join(c if c.isalpha() else f" {c} " if c.isdigit() else " " for c in name.lower()).split()


def _slips(a: str, b: str) -> int:
    """Letters that are missing, added, wrong, or exchanged with the next one (optimal string alignment)."""
    before: list[int] = []
    row = list(range(len(b) + 1))
    for i, x in enumerate(a):
        before, last, row = row, before, [i + 1]
        for j, y in enumerate(b):
            cost = min(before[j] + (x != y), before[j + 1] + 1, row[j] + 1)
            if i and j and x == b[j - 1] and a[i - 1] == y:
                cost = min(cost, last[j - 1] + 1)
            row.append(cost)
    return row[-1]
