"""Joints and wires beside closed forms: errors at four time steps, and the order with which they fall."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from benchmarks import table
from benchmarks.motions import joints, wires
from benchmarks.motions.compared import PHASES, Compared

STEPS = (5e-4, 1e-3, 2e-3, 5e-3)  # [s]
ROUNDING = 1e-9  # of the quantity itself, or of 1 if that is less: errors below are no matter of the time step

Motion = Callable[[float], dict[str, Compared]]

MOTIONS: dict[str, Motion] = {
    "pendulum on its stop": joints.stop_without_bounce,
    "pendulum off its stop": joints.stop_with_bounce,
    "stick-slip oscillator": joints.stick_slip,
    "torque-limited motor": joints.motor,
    "the same with a curve": joints.motor_with_curve,
    "geared flywheels": joints.flywheels,
    "screw that holds": joints.screw_that_holds,
    "screw that returns": joints.screw_that_returns,
    "screw that turns down": joints.screw_that_turns_down,
    "rope pendulum, taut": wires.swinging_rope,
    "rope pendulum, slack": wires.rope_pendulum,
    "rope between two balls": wires.sudden_rope,
    "Atwood's machine": wires.atwood,
}


def measure(motion: Motion, steps: tuple[float, ...] = STEPS) -> dict[str, list[Compared]]:
    """Each quantity at each time step."""
    runs = [motion(dt) for dt in steps]
    return {name: [run[name] for run in runs] for name in runs[0]}


def order(found: list[Compared], steps: tuple[float, ...] = STEPS) -> float | None:
    """Slope of log error over log dt; None where all errors are rounding."""
    if all(one.error <= ROUNDING * max(1.0, abs(one.exact)) for one in found):
        return None
    errors = [max(one.error, 1e-300) for one in found]
    return float(np.polyfit(np.log(steps), np.log(errors), 1)[0])


def run(quick: bool) -> None:
    """Print the table of this section."""
    rows = []
    for name, motion in MOTIONS.items():
        for quantity, found in measure(motion).items():
            slope = order(found)
            told = "exact" if slope is None else f"{slope:.2f}"
            errors = [f"{one.error:.1e}" for one in found]
            rows.append([f"{name}: {quantity}", table.number(found[-1].exact, 4), *errors, told])
    header = ["closed form", "is", *(f"{1e3 * dt:g} ms" for dt in STEPS), "order"]
    table.show(f"mean errors over {PHASES} phases of events within a step, and their order in it", header, rows)
