"""Snapshots, going back, reset with a first step, copies; and many quadrupeds in one World."""

from __future__ import annotations

import copy
import pickle
from functools import partial
from typing import Any

import numpy as np

import rbdyn
from benchmarks import table
from benchmarks.machine import optional
from benchmarks.scenes import in_mujoco, in_rbdyn
from benchmarks.scenes.contest import SCENES
from benchmarks.timing import by_turns
from rbdyn import models
from rbdyn.models import QUADRUPED_STANCE

mj: Any = optional("mujoco")
LIMIT = 20.0  # [us] a snapshot of a quadruped
LINEAR = 1.1  # times the share of one quadruped, at most
COUNTS = (1, 64, 256)


def run(quick: bool) -> None:
    """Print the tables of this section."""
    _snapshots(quick)
    _many(quick)


def _repeated(call: Any, calls: int) -> None:
    for _ in range(calls):
        call()


def _snapshots(quick: bool) -> None:
    """A standing ANYmal, as in the scene of that name."""
    scene = next(one for one in SCENES if one.name == "standing")
    world = in_rbdyn.build(scene).world
    world.step(400)
    taken = world.snapshot()

    def episode() -> None:
        world.reset()
        world.step()

    ours = {
        "snapshot": world.snapshot,
        "restore": partial(world.restore, taken),
        "reset": world.reset,
        "reset and first step": episode,
        "state_hash": world.state_hash,
        "pickle": partial(pickle.dumps, world),
        "deepcopy": partial(copy.deepcopy, world),
    }
    calls = 20 if quick else 100
    seconds = by_turns(
        {name: partial(_repeated, call, calls) for name, call in ours.items()}, calls, 5 if quick else 15
    )
    peers: dict[str, float] = {}
    if mj is not None:
        simulation = in_mujoco.build(scene)
        simulation.step(400)
        model, data, other = simulation.model, simulation.data, mj.MjData(simulation.model)

        def mj_episode() -> None:
            mj.mj_resetData(model, data)
            mj.mj_step(model, data)

        theirs = {
            "snapshot": partial(mj.mj_copyData, other, model, data),
            "restore": partial(mj.mj_copyData, data, model, other),
            "reset": partial(mj.mj_resetData, model, data),
            "reset and first step": mj_episode,
            "deepcopy": partial(copy.deepcopy, data),
        }
        peers = by_turns({name: partial(_repeated, call, calls) for name, call in theirs.items()}, calls, 5)
    rows = []
    for name, passed in seconds.items():
        target = (
            f"{LIMIT:g} us {'met' if 1e6 * passed <= LIMIT else 'MISSED'}" if name in ("snapshot", "restore") else ""
        )
        ratio = f"{peers[name] / passed:.2f}" if name in peers else "-"
        rows.append(
            [name, table.number(1e6 * passed), target, table.number(1e6 * peers[name]) if name in peers else "-", ratio]
        )
    table.show(
        f"snapshots of a standing ANYmal, {taken.nbytes} bytes",
        ["call", "us", "target", "mujoco us", "ratio"],
        rows,
    )


def crowd(count: int) -> rbdyn.World:
    """Quadrupeds that stand side by side."""
    world = rbdyn.World(2e-3)
    world.add_ground()
    for k in range(count):
        robot = world.add_articulated_system(models.quadruped(), name=f"dog{k}")
        q = QUADRUPED_STANCE.q.copy()
        q[:2] += 2.0 * (k % 16), 2.0 * (k // 16)
        robot.set_state(q)
        robot.set_pd_gains(200.0, 4.0)
        robot.set_pd_target(q)
    world.step(500)
    return world


def _many(quick: bool) -> None:
    """Time of a step for each quadruped."""
    worlds = {count: crowd(count) for count in (COUNTS[:2] if quick else COUNTS)}
    loops = {str(count): partial(world.step, max(1, 256 // count)) for count, world in worlds.items()}
    seconds = by_turns(loops, 1, 5 if quick else 9)
    each = {count: seconds[str(count)] / max(1, 256 // count) / count for count in worlds}
    rows = []
    for count, passed in each.items():
        share = passed / each[1]
        kept = worlds[count].snapshot
        taking = by_turns({"it": partial(_repeated, kept, 20)}, 20, 5)["it"] / count
        verdict = "" if count == 1 else f"{LINEAR:g}x {'met' if share <= LINEAR else 'MISSED'}"
        rows.append([str(count), table.number(1e6 * passed), f"{share:.2f}", verdict, table.number(1e6 * taking)])
    table.show(
        "quadrupeds that stand in one World, 2 ms",
        ["robots", "us a step and robot", "of one alone", "target", "us a snapshot and robot"],
        rows,
    )
    assert all(np.isfinite(world.find("dog0").q).all() for world in worlds.values())
