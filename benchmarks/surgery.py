"""Surgery: edits of a mechanism of 1000 bodies, carrying its state across them, and docks in a running World."""

from __future__ import annotations

import gc
import time
from collections.abc import Callable
from statistics import median
from typing import Any

import numpy as np

import rbdyn
from benchmarks import table
from benchmarks.chains import chain
from rbdyn.collision.shapes import Box
from rbdyn.mechanism import Maps
from rbdyn.testing import random_tree

SIZE = 1000  # bodies
LIMIT = 0.05  # [s] an edit
MODULE = 12  # bodies of what is docked in a World
DOCK_LIMIT = 1e-3  # [s] a dock, and an undock


def run(quick: bool) -> None:
    """Print the tables of this section."""
    rounds = 3 if quick else 5
    rows = [_row(name, make, edit, rounds) for name, (make, edit) in EDITS.items()]
    table.show(
        f"surgery on {SIZE} bodies, median of {rounds}",
        ["edit", "ms", f"within {1e3 * LIMIT:g} ms", "ms to carry the state", "ms for the Model before"],
        rows,
    )
    docked, cut = docks(rounds * 20)
    table.show(
        f"surgery in a running World: {MODULE} bodies on {MODULE}, each with a shape, median of {rounds * 20}",
        ["operation", "ms", f"within {1e3 * DOCK_LIMIT:g} ms"],
        [[name, _ms(s), "met" if s <= DOCK_LIMIT else "MISSED"] for name, s in (("dock", docked), ("undock", cut))],
    )


def docks(rounds: int) -> tuple[float, float]:
    """Seconds of docking a module of 12 bodies on another one, and of cutting it off, while the World runs."""
    world = rbdyn.World(1e-3)
    world.add_ground()
    length = MODULE * 0.12
    robot, module = (world.add_articulated_system(_module(name)) for name in ("a", "b"))
    for one, height in ((robot, 1.0), (module, 1.0 + length)):
        q = np.array(one.q)
        q[2] = height
        one.set_state(q)
    docked, cut = [], []
    end = rbdyn.Transform(translation=(0.0, 0.0, 0.12))
    for _ in range(rounds):
        world.step()
        start = time.perf_counter()
        world.merge(robot, f"a{MODULE - 1}", module, "b0", rbdyn.Joint("dock", rbdyn.Fixed()), end, tolerance=1.0)
        docked.append(time.perf_counter() - start)
        world.step()
        start = time.perf_counter()
        module = robot.remove_joint("dock", split=True)
        cut.append(time.perf_counter() - start)
    return median(docked), median(cut)


def _module(name: str) -> rbdyn.Mechanism:
    """A floating chain of boxes."""
    mechanism = rbdyn.Mechanism(rbdyn.RigidBody("world"))
    inertia = rbdyn.SpatialInertia(1.0, (0.0, 0.0, 0.05), 0.01 * np.eye(3))
    for k in range(MODULE):
        body = rbdyn.RigidBody(f"{name}{k}", inertia, [rbdyn.Geometry(Box((0.05, 0.05, 0.05)))])
        kind = rbdyn.Revolute((0, 1, 0) if k % 2 else (1, 0, 0)) if k else rbdyn.Floating()
        pose = rbdyn.Transform(translation=(0.0, 0.0, 0.12 if k else 0.0))
        mechanism.attach(mechanism.bodies[-1], body, rbdyn.Joint(f"{name}_joint{k}", kind, damping=0.1), pose)
    return mechanism


def ring() -> rbdyn.Mechanism:
    """A chain whose last body is joined to the root again."""
    mechanism = chain(SIZE)
    mechanism.attach(mechanism.root_body, mechanism.bodies[-1], rbdyn.Joint("close", rbdyn.Revolute()))
    return mechanism


def half_welded() -> rbdyn.Mechanism:
    """A random tree with as many fixed as revolute joints."""
    return random_tree(np.random.default_rng(0), SIZE, (rbdyn.Fixed, rbdyn.Revolute))


def star() -> rbdyn.Mechanism:
    """A hub on two joints that carries all other bodies."""
    mechanism, hub = rbdyn.Mechanism(rbdyn.RigidBody("world")), rbdyn.RigidBody("hub", rbdyn.SpatialInertia(1.0))
    mechanism.attach(mechanism.root_body, hub, rbdyn.Joint("one", rbdyn.Revolute()))
    for k in range(SIZE - 1):
        arm = rbdyn.RigidBody(f"arm{k}", rbdyn.SpatialInertia(1.0))
        mechanism.attach(hub, arm, rbdyn.Joint(f"arm{k}", rbdyn.Revolute()))
    mechanism.attach(mechanism.root_body, hub, rbdyn.Joint("two", rbdyn.Revolute()))
    return mechanism


def _attach(mechanism: rbdyn.Mechanism) -> Maps:
    return mechanism.attach_mechanism(mechanism.root_body, CHILD, prefix="next_")


def _last(joints: Any) -> rbdyn.Joint:
    return joints[-1]


CHILD = chain(SIZE)
EDITS: dict[str, tuple[Callable[[], rbdyn.Mechanism], Callable[[rbdyn.Mechanism], Any]]] = {
    "attach_mechanism": (lambda: chain(1), _attach),
    "submechanism": (ring, lambda m: m.submechanism(m.root_body)[1]),
    "remove_joint, a loop joint": (ring, lambda m: m.remove_joint(m.non_tree_joints[0])),
    "remove_joint, all re-hung and flipped": (ring, lambda m: m.remove_joint(m.joints[0])),
    "remove_joint, the hub of a star re-hung": (star, lambda m: m.remove_joint(m.joints[0])),
    "remove_joint, split": (lambda: chain(SIZE), lambda m: m.remove_joint(m.joints[SIZE // 2], split=True)),
    "remove_subtree": (lambda: chain(SIZE), lambda m: m.remove_subtree(m.joints[SIZE // 2])),
    "remove_fixed_tree_joints": (half_welded, lambda m: m.remove_fixed_tree_joints()),
    "rebuild_spanning_tree": (ring, lambda m: m.rebuild_spanning_tree()),
    "rebuild_spanning_tree, next_edge": (ring, lambda m: m.rebuild_spanning_tree(next_edge=_last)),
    "maximal_coordinates": (ring, lambda m: m.maximal_coordinates()[1]),
    "replace_joint": (ring, lambda m: m.replace_joint(m.joints[5], rbdyn.Joint("new", rbdyn.Prismatic()))),
}


def _row(
    name: str, make: Callable[[], rbdyn.Mechanism], edit: Callable[[rbdyn.Mechanism], Any], rounds: int
) -> list[str]:
    """Times of one edit, of carrying a state across it, and of compiling the mechanism as it was."""
    edits, carries, models = [], [], []
    for _ in range(rounds):
        mechanism = make()
        state, compiled = _timed(_state, mechanism)
        maps, edited = _timed(edit, mechanism)
        _, carried = _timed(maps.carry, state)
        edits.append(edited)
        carries.append(carried)
        models.append(compiled)
    seconds = median(edits)
    mark = "met" if seconds <= LIMIT else "MISSED"
    return [name, _ms(seconds), mark, _ms(median(carries)), _ms(median(models))]


def _ms(seconds: float) -> str:
    return table.number(1e3 * seconds)


def _state(mechanism: rbdyn.Mechanism) -> rbdyn.State:
    return rbdyn.State(rbdyn.Model(mechanism))


def _timed(call: Callable[[Any], Any], argument: Any) -> tuple[Any, float]:
    """What a call returns, and the processor time it takes."""
    gc.collect()
    gc.disable()
    try:
        start = time.thread_time()
        result = call(argument)
        return result, time.thread_time() - start
    finally:
        gc.enable()
