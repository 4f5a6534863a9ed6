"""Edits in a running World: a mass of the quadruped and other numbers, beside MuJoCo and PyBullet."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

import rbdyn
from benchmarks import table
from benchmarks.machine import optional
from benchmarks.timing import by_turns
from rbdyn import models
from rbdyn.collision.shapes import Sphere
from rbdyn.models import QUADRUPED_STANCE
from rbdyn.world import World

COUNT = 200
LIMITS = {"mass of a link": 20.0, "placement of a joint": 100.0}  # [us]
Edit = Callable[[float], Any]


def run(quick: bool) -> None:
    """Print the table of this section."""
    rounds = 3 if quick else 9
    world = World(1e-3)  # it lives as long as it is held; its robots do not hold it
    edits = {"rbdyn": ours(world)}
    for module, peer in (("mujoco", _mujoco), ("pybullet", _pybullet)):
        if optional(module) is None:
            print(f"{module} is not installed: skipped")
        else:
            edits[module] = peer(optional(module))
    rows = []
    for name in edits["rbdyn"]:
        able = {library: mine[name] for library, mine in edits.items() if name in mine}
        seconds = by_turns({library: _loop(edit) for library, edit in able.items()}, COUNT, rounds)
        times = [f"{1e6 * seconds[library]:.1f}" if library in seconds else "-" for library in edits]
        limit = LIMITS.get(name)
        within = "" if limit is None else f"{limit:g}: {'met' if 1e6 * seconds['rbdyn'] <= limit else 'MISSED'}"
        rows.append([name, *times, within])
    table.show(f"edits of the standing quadruped, us each, median of {rounds}", ["edit", *edits, "limit"], rows)


def _loop(edit: Edit) -> Callable[[], None]:
    """COUNT edits, each to another number."""
    numbers = itertools.cycle((1.0, 1.01, 1.02))

    def loop() -> None:
        for _ in range(COUNT):
            edit(next(numbers))

    return loop


def ours(world: World) -> dict[str, Edit]:
    """What is edited, by name: functions of a number near 1."""
    world.add_ground()
    robot = world.add_articulated_system(models.quadruped())
    robot.set_state(QUADRUPED_STANCE.q)
    robot.set_pd_gains(200.0, 4.0)
    world.step(100)
    shank, knee, foot = robot.body("LF_SHANK"), robot.joint("LF_KFE"), robot.geometry("LF_FOOT/0")
    pose = knee.placement

    def mass(x: float) -> None:
        shank.mass = x

    def damping(x: float) -> None:
        knee.damping = x

    def shape(x: float) -> None:
        foot.shape = Sphere(0.03 * x)

    def placement(x: float) -> None:
        knee.placement = rbdyn.Transform(rotation=pose.rotation, translation=x * pose.translation)

    return {"mass of a link": mass, "damping of a joint": damping, "shape of a foot": shape,
            "placement of a joint": placement}  # fmt: skip


def _mujoco(mujoco: Any) -> dict[str, Edit]:
    """`mj_setConst` renews what depends on a mass; it moves `data` to qpos0, so that users keep another one for it."""
    model = mujoco.MjModel.from_xml_path(str(models.path("quadruped")))
    data = mujoco.MjData(model)
    body = mujoco.mj_name2id(model, mujoco.mjtObj.mjOBJ_BODY, "LF_SHANK")

    def mass(x: float) -> None:
        model.body_mass[body] = x
        mujoco.mj_setConst(model, data)

    def damping(x: float) -> None:
        model.dof_damping[8] = x

    def placement(x: float) -> None:
        model.body_pos[body, 2] = -0.3 * x
        mujoco.mj_setConst(model, data)

    return {"mass of a link": mass, "damping of a joint": damping, "placement of a joint": placement}


def _pybullet(bullet: Any) -> dict[str, Edit]:
    client = bullet.connect(bullet.DIRECT)
    robot = bullet.loadURDF(str(models.path("quadruped")), physicsClientId=client)

    def mass(x: float) -> None:
        bullet.changeDynamics(robot, 2, mass=x, physicsClientId=client)

    def damping(x: float) -> None:
        bullet.changeDynamics(robot, 2, jointDamping=x, physicsClientId=client)

    return {"mass of a link": mass, "damping of a joint": damping}
