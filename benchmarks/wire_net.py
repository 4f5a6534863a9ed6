"""A net of 20 beads on 35 ropes that swings from a wall, beside MuJoCo's limited tendons: time a step, and stretch."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import numpy as np

import rbdyn
from benchmarks import table
from benchmarks.machine import optional

COLUMNS, ROWS, GAP, MASS = 5, 4, 0.2, 0.1  # [m], [kg]
DT, SECONDS, STRETCHES = 0.002, 4.0, 20  # how often stretch is looked at
TARGET = 1.0

Cell = tuple[int, int]


def run(quick: bool) -> None:
    """Print the table of this section."""
    steps = round((1.0 if quick else SECONDS) / DT)
    found = {"rbdyn": _measure(*_rbdyn(), steps)}
    if optional("mujoco") is not None:
        found["mujoco (limited tendons)"] = _measure(*_mujoco(), steps)
    ours = found["rbdyn"][0]
    best = min((t for name, (t, _) in found.items() if name != "rbdyn"), default=None)
    rows = []
    for name, (t, stretch) in found.items():
        mine = name == "rbdyn"
        verdict = table.verdict(best / t if best else None, TARGET) if mine else ""
        rows.append([name, table.number(1e6 * t), "-" if mine else table.number(t / ours), verdict, f"{stretch:.1e}"])
    header = ["engine", "us per step", "peer/ours", "target", "largest stretch [m]"]
    table.show(f"a net of {COLUMNS * ROWS} beads on ropes, {1e3 * DT:g} ms steps", header, rows)


def _measure(step: Callable[[int], None], stretch: Callable[[], float], steps: int) -> tuple[float, float]:
    """Seconds a step, and how far some rope is too long at most."""
    seconds, most = 0.0, 0.0
    for _ in range(STRETCHES):
        start = time.thread_time()
        step(steps // STRETCHES)
        seconds += time.thread_time() - start
        most = max(most, stretch())
    return seconds / (steps // STRETCHES * STRETCHES), most


def _ropes() -> list[tuple[Cell, Cell]]:
    """Which beads are neighbours; column -1 is the wall."""
    along = [((i - 1, j), (i, j)) for i in range(COLUMNS) for j in range(ROWS)]
    return along + [((i, j - 1), (i, j)) for i in range(COLUMNS) for j in range(1, ROWS)]


def _rbdyn() -> tuple[Callable[[int], None], Callable[[], float]]:
    world = rbdyn.World(time_step=DT)
    beads = {}
    for cell in np.ndindex(COLUMNS, ROWS):
        beads[cell] = world.add_sphere(0.02, MASS, group=2, mask=1)
        beads[cell].set_pose((GAP * cell[0], GAP * cell[1], 0.0))
    for a, b in _ropes():
        if a in beads:
            world.add_stiff_wire(beads[a], beads[b])
        else:
            world.add_stiff_wire(None, beads[b], point_a=(GAP * a[0], GAP * a[1], 0.0))
    return world.step, lambda: max(float(np.max(wire.error)) for wire in world.constraints)


def _mujoco() -> tuple[Callable[[int], None], Callable[[], float]]:
    import mujoco

    def name(cell: Cell) -> str:
        return f"{cell[0]}_{cell[1]}"

    bodies = "".join(
        f'<body pos="{GAP * i} {GAP * j} 0"><freejoint/><site name="{i}_{j}"/>'
        f'<geom type="sphere" size="0.02" mass="{MASS}" contype="0" conaffinity="0"/></body>'
        for i, j in np.ndindex(COLUMNS, ROWS)
    )
    wall = "".join(f'<site name="-1_{j}" pos="{-GAP} {GAP * j} 0"/>' for j in range(ROWS))
    tendons = "".join(
        f'<spatial limited="true" range="0 {GAP}"><site site="{name(a)}"/><site site="{name(b)}"/></spatial>'
        for a, b in _ropes()
    )
    model: Any = mujoco.MjModel.from_xml_string(
        f'<mujoco><option timestep="{DT}"/><worldbody>{wall}{bodies}</worldbody><tendon>{tendons}</tendon></mujoco>'
    )
    data: Any = mujoco.MjData(model)

    def step(n: int) -> None:
        mujoco.mj_step(model, data, n)

    return step, lambda: float(data.ten_length.max() - GAP)
