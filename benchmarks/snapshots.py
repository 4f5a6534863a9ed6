"""Snapshots, going back, reset with a first step, copies; and many quadrupeds in one World."""

from __future__ import annotations

import copy
import pickle
from functools import partial
from importlib import resources
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
ROBOT_STEPS = 8192  # in a round


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


def crowd_in_mujoco(count: int) -> tuple[Any, Any]:
    """The same in MuJoCo, with its defaults and implicit drives, as they are here: its model and data."""
    text = resources.files("rbdyn.models").joinpath("quadruped.urdf").read_text(encoding="utf-8")
    whole = mj.MjSpec()
    whole.option.timestep, whole.option.integrator = 2e-3, mj.mjtIntegrator.mjINT_IMPLICITFAST
    whole.worldbody.add_geom(type=mj.mjtGeom.mjGEOM_PLANE, size=[0.0, 0.0, 1.0])
    stance = QUADRUPED_STANCE.q
    for k in range(count):
        robot = mj.MjSpec.from_string(text)
        robot.worldbody.first_body().add_freejoint()
        for geom in robot.geoms:
            geom.contype, geom.conaffinity = 1, 0
        for joint in [one for one in robot.joints if one.type == mj.mjtJoint.mjJNT_HINGE]:
            motor = robot.add_actuator(name=joint.name, target=joint.name, trntype=mj.mjtTrn.mjTRN_JOINT)
            motor.gainprm[0], motor.biastype = 200.0, mj.mjtBias.mjBIAS_AFFINE
            motor.biasprm[1:3] = -200.0, -4.0
        place = whole.worldbody.add_frame(pos=[2.0 * (k % 16), 2.0 * (k // 16), 0.0])
        whole.attach(robot, prefix=f"dog{k}/", frame=place)
    model = whole.compile()
    data = mj.MjData(model)
    for k, q in enumerate(data.qpos.reshape(count, len(stance))):
        q[2:] = stance[2:]
        q[:2] += stance[:2]
        data.ctrl[12 * k : 12 * k + 12] = stance[7:]
    mj.mj_step(model, data, 500)
    return model, data


def _many(quick: bool) -> None:
    """Time of a step for each quadruped; rounds are long, so that cold caches at their start do not count."""
    counts = COUNTS[:2] if quick else COUNTS
    worlds = {count: crowd(count) for count in counts}
    steps = {count: ROBOT_STEPS // count for count in counts}
    rounds = 5 if quick else 9
    seconds = by_turns({str(count): partial(world.step, steps[count]) for count, world in worlds.items()}, 1, rounds)
    each = {count: seconds[str(count)] / steps[count] / count for count in counts}
    theirs: dict[int, float] = {}
    if mj is not None:
        peers = {count: crowd_in_mujoco(count) for count in counts}
        their_steps = {count: max(1, steps[count] // 16) for count in counts}
        loops = {str(count): partial(mj.mj_step, *peer, their_steps[count]) for count, peer in peers.items()}
        passed = by_turns(loops, 1, 3)
        theirs = {count: passed[str(count)] / their_steps[count] / count for count in counts}
    rows = []
    for count, mine in each.items():
        share = mine / each[1]
        kept = worlds[count].snapshot
        taking = by_turns({"it": partial(_repeated, kept, 20)}, 20, 5)["it"] / count
        verdict = "" if count == 1 else f"{LINEAR:g}x {'met' if share <= LINEAR else 'MISSED'}"
        peer = [table.number(1e6 * theirs[count]), f"{theirs[count] / mine:.2f}"] if theirs else ["-", "-"]
        rows.append(
            [str(count), table.number(1e6 * mine), f"{share:.2f}", verdict, *peer, table.number(1e6 * taking)]
        )
    table.show(
        "quadrupeds that stand in one World, 2 ms",
        ["robots", "us a step and robot", "of one alone", "target", "mujoco us", "ratio", "us a snapshot and robot"],
        rows,
    )
    assert all(np.isfinite(world.find("dog0").q).all() for world in worlds.values())
    for count, (_, data) in peers.items() if theirs else ():
        heights = data.qpos.reshape(count, -1)[:, 2]
        assert ((heights > 0.45) & (heights < 0.55)).all(), "the peer's quadrupeds stand as well"
