"""What limits, friction and motors in all joints of a standing quadruped cost."""

from __future__ import annotations

from functools import partial

import rbdyn
from benchmarks import table
from benchmarks.timing import by_turns
from rbdyn import models
from rbdyn.models import QUADRUPED_STANCE

TARGET = 1.3  # times as long as without, at most
FRICTION = {"friction": 0.2, "much friction": 5.0}  # [N m]; the knees carry 20


def standing(limits: bool = False, motors: bool = False, friction: float = 0.0) -> rbdyn.World:
    """It stands on its feet since two seconds; each joint has what is asked for."""
    mechanism = models.quadruped()
    for joint in mechanism.tree_joints:
        joint.friction = friction if joint.num_velocities == 1 else 0.0
        if not limits:
            joint.position_limits = joint.velocity_limit = None
        if not motors:
            joint.effort_limit = None
    world = rbdyn.World(2e-3)
    world.add_ground()
    robot = world.add_articulated_system(mechanism)
    robot.set_state(QUADRUPED_STANCE.q)
    robot.set_pd_gains(200.0, 4.0)
    robot.set_pd_target(QUADRUPED_STANCE.q)
    world.step(1000)
    return world


def run(quick: bool) -> None:
    """Print the table of this section."""
    worlds = {"nothing": standing(), "limits": standing(limits=True), "motors": standing(motors=True)}
    for name, friction in FRICTION.items():
        worlds[name] = standing(friction=friction)
        worlds[f"all, {name}"] = standing(True, True, friction)
    calls = 200
    seconds = by_turns({name: partial(world.step, calls) for name, world in worlds.items()}, calls, 5 if quick else 21)
    rows = []
    for name, world in worlds.items():
        ratio = seconds[name] / seconds["nothing"]
        sweeps = world.contact.statistics.iterations / calls
        verdict = "" if name == "nothing" else f"{TARGET}x {'met' if ratio <= TARGET else 'MISSED'}"
        rows.append([name, table.number(1e6 * seconds[name]), f"{ratio:.2f}", verdict, f"{sweeps:.1f}"])
    table.show("a quadruped stands, 2 ms", ["in its 12 joints", "us a step", "of without", "target", "sweeps"], rows)
