"""The laws that a random mechanism is held to, step by step: each gives a number that has to stay below its bound."""

from __future__ import annotations

import time
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

import rbdyn
from benchmarks.mechanisms import rows
from benchmarks.mechanisms.drawing import ELASTIC, Array, Drawn, draw
from rbdyn.errors import Error
from rbdyn.mechanism import Floating, Spherical
from rbdyn.world.constraints.wire import Wire
from rbdyn.world.objects.single_body import SingleBody

BOUNDS = {
    "limit": 1e-3,  # [rad, m] beyond a stop
    "speed": 1e-6,  # share by which a velocity limit is passed, beyond what the step says that it left: see `_left`
    "effort": 1e-9,  # [N m, N] by which an effort limit is passed
    "open": 1.0,  # of loops, joints between bodies, mimics and wires, in what a step may open: see `_allowed`
    "cone": 1e-6,  # contact impulses out of their friction cones, of the normal ones
    "pull": 1e-12,  # [N s] of contact impulses that pull
    "depth": 2e-2,  # [m] of contacts, beyond what bodies overlapped at the start
    "stop": 1.0,  # of joints from stops that push them, in what a step may open
    "slide": 1e-3,  # of dry friction that is too large, or not all there against a motion
    "slack": 1.0,  # of wires that pull, in what a step may open
    "energy": 1.0,  # that came from nothing, in what a step may err by: see `_allowed`
    "wild": 1e3,  # [rad/s, m/s] of any velocity
}


def _allowed(stride: float, least: float) -> float:
    """What positions [rad, m], or shares of the energy, may err by if the fastest joint turned by `stride` in a step.

    A point 1 m away from a hinge leaves the tangent along which a step moves it by half the stride's square.
    """
    return least + stride**2


def _fastest(drawn: Drawn, boxes: Sequence[SingleBody]) -> float:
    """How fast a joint or a box turns, or slides: of a rotation in space the angular speed, about whatever axis."""
    robot = drawn.robot
    speeds = [float(np.linalg.norm(w)) for box in boxes for w in (box.linear_velocity, box.angular_velocity)]
    for joint in drawn.mechanism.tree_joints:
        if joint.num_velocities:
            first = robot.model.joint_v_index(joint.name)
            parts = np.split(robot.v[first : first + joint.num_velocities], [3] if joint.num_velocities == 6 else [])
            whole = isinstance(joint.joint_type, (Floating, Spherical))
            speeds += [float(np.linalg.norm(part) if whole else np.abs(part).max()) for part in parts]
    return max(speeds, default=0.0)


@dataclass
class Verdict:
    """What a run of one seed came to."""

    seed: int
    dt: float
    features: list[str]
    worst: dict[str, float] = field(default_factory=lambda: dict.fromkeys(BOUNDS, 0.0))
    error: str = ""
    converged: float = 1.0  # share of the steps
    seconds: float = 0.0  # of processor time for a second of the World

    @property
    def broken(self) -> list[str]:
        """Names of the laws that do not hold."""
        names = [name for name, value in self.worst.items() if not value <= BOUNDS[name]]
        return ["error", *names] if self.error else names


def _gives_way(constraint: Any) -> bool:
    """Whether its rows are springs."""
    return not isinstance(constraint, Wire) and constraint.softness[0] > 0.0


def _strain(constraint: Any) -> float:
    """Energy in rows that give way, all alike [J]."""
    return float(0.5 * np.sum(np.square(constraint.error)) / constraint.softness[0])


class Account:
    """A balance of energy: the most by which it ever rose above its lowest [J]."""

    def __init__(self, start: float) -> None:
        self.lowest = start
        self.work = self.gained = 0.0

    def enter(self, energy: float, work: float) -> None:
        """Book what there is, and what actuators did meanwhile [J]."""
        self.work += work
        left = energy - self.work
        self.lowest = min(self.lowest, left)
        self.gained = max(self.gained, left - self.lowest)


class Ledger:
    """Energy: what is there, what actuators brought, and the most that appeared from nothing.

    Velocities are those of a step's end in flight, and of its middle where constraints act: there positions are ahead
    by half a step, and an oscillator that neither gains nor loses, x+ = x + dt v+, v+ = v - dt w^2 x, swings by
    w dt / 2 of its energy, v^2 + w^2 x (x - dt v) being constant.  So there are two accounts, with potentials and
    inertias of the end and of the middle, and nothing came from nothing that one of them does not show.
    """

    def __init__(self, drawn: Drawn) -> None:
        self.drawn = drawn
        self.joints = [(j, drawn.robot.model.joint_q_index(j.name)) for j in drawn.joints if j.stiffness]
        self.boxes = [o for o in drawn.world.objects if isinstance(o, SingleBody) and o.body_type == "dynamic"]
        self.elastic = [c for c in drawn.world.constraints if isinstance(c, Wire) and c.wire_type in ELASTIC]
        self.soft = [c for c in drawn.world.constraints if _gives_way(c)]
        self.stored = self.potential()
        self.end, self.middle = (Account(self.kinetic() + self.stored) for _ in range(2))
        self.turned = 0.0
        self.q = drawn.robot.q.copy()
        self.way = np.zeros(drawn.robot.nv)
        self.between = rbdyn.State(drawn.robot.model)

    def kinetic(self) -> float:
        """Of all that moves [J]."""
        return float(rbdyn.kinetic_energy(self.drawn.robot.state)) + sum(box.kinetic_energy for box in self.boxes)

    def kinetic_between(self, way: Array) -> float:
        """Of all that moves, with the robot half way back along `way` [J]."""
        robot = self.drawn.robot
        self.between.set(rbdyn.integrate(robot.model, robot.q, -0.5 * way), robot.v)
        return float(rbdyn.kinetic_energy(self.between)) + sum(box.kinetic_energy for box in self.boxes)

    def potential(self) -> float:
        """Of gravity and springs [J]."""
        state = self.drawn.robot.state
        total = rbdyn.potential_energy(state) + sum(box.potential_energy for box in self.boxes)
        for joint, k in self.joints:
            total += 0.5 * joint.stiffness * (state.q[k] - joint.spring_reference[0]) ** 2
        for wire in self.elastic:
            stretch = wire.distance - wire.length
            if wire.wire_type == "spring" or stretch > 0.0:
                total += 0.5 * wire.stiffness * stretch**2
        total += sum(pull * wire.distance for wire, pull in self.drawn.pulls)
        return float(total) + sum(_strain(constraint) for constraint in self.soft)

    def enter(self) -> float:
        """Book a step; returns the share of what was turned over that appeared from nothing."""
        robot = self.drawn.robot
        way = rbdyn.difference(robot.model, self.q, robot.q)
        kinetic, stored, done = self.kinetic(), self.potential(), float(robot.applied_force @ way)
        half = 0.5 * float(robot.applied_force @ (way + self.way))
        self.end.enter(kinetic + stored, done)
        self.middle.enter(self.kinetic_between(way) + 0.5 * (stored + self.stored), half)
        self.q, self.way, self.stored = robot.q.copy(), way, stored
        self.turned = max(self.turned, kinetic) + abs(done)
        return min(self.end.gained, self.middle.gained) / max(self.turned, 1.0)


def _ends(drawn: Drawn) -> tuple[Array, Array, Array, Array]:
    """Indices in q and v, and limits, of joints that have them."""
    model = drawn.robot.model
    limits = [
        (model.joint_q_index(j.name), model.joint_v_index(j.name), *j.position_limits)
        for j in drawn.joints
        if j.position_limits
    ]
    table = np.array(limits).reshape(-1, 4)
    return table[:, 0].astype(int), table[:, 1].astype(int), table[:, 2], table[:, 3]


def _speeds(drawn: Drawn) -> tuple[Array, Array]:
    """Index in v and largest speed of joints that have one."""
    rows = [(drawn.robot.model.joint_v_index(j.name), j.velocity_limit) for j in drawn.joints if j.velocity_limit]
    table = np.array(rows).reshape(-1, 2)
    return table[:, 0].astype(int), table[:, 1]


def _over(x: Array) -> float:
    """The largest entry, or 0; NaN counts."""
    return float(np.max(x, initial=0.0))


def _pair(contact: Any) -> tuple[str, str]:
    """The geometries of a contact between parts of one robot."""
    return f"{contact.link_a}/{contact.geometry_a}", f"{contact.link_b}/{contact.geometry_b}"


def _hold(found: Sequence[Any], seen: dict[tuple[str, str], float]) -> list[Any]:
    """The contacts that hold; `seen` has how deep parts of one robot were in each other when they were first seen.

    What was more than a millimetre deep then, and does not part easily, is no contact (docs/contact.md).
    """
    now: dict[tuple[str, str], float] = {}
    for contact in found:
        if contact.object_a is contact.object_b:
            now[_pair(contact)] = max(contact.depth, now.get(_pair(contact), 0.0))
    for pair in set(seen) - set(now):
        del seen[pair]
    for pair, depth in now.items():
        seen.setdefault(pair, depth)
    return [c for c in found if c.object_a is not c.object_b or seen[_pair(c)] <= 1e-3]


def _contacts(drawn: Drawn, worst: dict[str, float], start: float, seen: dict[tuple[str, str], float]) -> None:
    """Cones, and how deep things are in one another."""
    found = drawn.world.contacts
    if not found:
        return
    impulse = np.array([c.impulse for c in found])
    normal = np.array([c.normal for c in found])
    along = (impulse * normal).sum(1)
    across = np.linalg.norm(impulse - along[:, None] * normal, axis=1)
    scale = max(_over(along), 1e-9)
    worst["cone"] = max(worst["cone"], _over(across - drawn.friction * along) / scale)
    worst["pull"] = max(worst["pull"], _over(-along))
    worst["depth"] = max(worst["depth"], _over(np.array([c.depth for c in _hold(found, seen)])) - start)


def _rows(drawn: Drawn, worst: dict[str, float], apart: float, allowed: float) -> None:
    """Complementarity: stops, dry friction and wires."""
    worst["stop"] = max(worst["stop"], apart / allowed)
    worst["slide"] = max(worst["slide"], rows.friction(drawn))
    worst["slack"] = max(worst["slack"], rows.wires(drawn) / allowed)


def _mimics(drawn: Drawn) -> tuple[Array, Array, Array, Array]:
    """Index in q of joints that follow, and of those that lead; multipliers and offsets."""
    at = drawn.robot.model.joint_q_index
    rows = [(at(j.name), at(j.mimic.joint), j.mimic.multiplier, j.mimic.offset) for j in drawn.joints if j.mimic]
    table = np.array(rows).reshape(-1, 4)
    return table[:, 0].astype(int), table[:, 1].astype(int), table[:, 2], table[:, 3]


def _is_rigid(constraint: Any) -> bool:
    """Whether what it demands is to be met."""
    return constraint.wire_type == "stiff" if isinstance(constraint, Wire) else not _gives_way(constraint)


def _open(drawn: Drawn) -> float:
    """How far loops and constraints between bodies are from what they demand."""
    loops = rbdyn.loop_error(drawn.robot.state) if drawn.mechanism.non_tree_joints else np.zeros(0)
    rigid = [c for c in drawn.world.constraints if _is_rigid(c)]
    return max(_over(np.abs(loops)), *(_over(np.abs(np.atleast_1d(c.error))) for c in rigid), 0.0)


def _left(drawn: Drawn, before: float) -> float:
    """How far velocities [rad/s, m/s] may be off, as steps say: a few are not solved to the end, to 1e-5 at most.

    A fifth of what is beyond a limit of speed is taken back in each step.
    """
    return max(0.8 * before, min(drawn.world.contact.statistics.worst_error, 1e-5))


def judge(
    seed: int, dt: float | None = None, without: Collection[str] = (), seconds: float = 2.0, more: bool = False
) -> Verdict:
    """Run a seed and hold it to the laws."""
    drawn = draw(seed, dt, without, more)
    verdict = Verdict(seed, drawn.dt, drawn.features)
    worst, robot = verdict.worst, drawn.robot
    ledger = Ledger(drawn)
    at, dof, lower, upper = _ends(drawn)
    fast, bound = _speeds(drawn)
    follows, leads, ratio, offset = _mimics(drawn)
    passed = depth = left = 0.0
    fastest = _fastest(drawn, ledger.boxes)
    converged = 0
    seen: dict[tuple[str, str], float] = {}
    try:
        for _ in range(round(seconds / drawn.dt)):
            before, began = robot.q.copy(), time.process_time()
            drawn.world.step()
            passed += time.process_time() - began
            q, v = robot.q, robot.v
            worst["limit"] = max(worst["limit"], _over(lower - q[at]), _over(q[at] - upper))
            left = _left(drawn, left)
            worst["speed"] = max(worst["speed"], _over((np.abs(v[fast]) - left) / bound - 1.0))
            low, high = robot.effort_limits
            applied = robot.applied_force
            worst["effort"] = max(worst["effort"], _over(applied - high), _over(low - applied))
            flying = [w for box in ledger.boxes for w in (box.linear_velocity, box.angular_velocity)]
            worst["wild"] = max(worst["wild"], *(_over(np.abs(w)) for w in (v, *flying)))
            fastest = max(fastest, _fastest(drawn, ledger.boxes))
            stride = fastest * drawn.dt
            opened = max(_open(drawn), _over(np.abs(q[follows] - ratio * q[leads] - offset)))
            worst["open"] = max(worst["open"], opened / _allowed(stride, 2e-4))
            apart = rows.stops(drawn, lower, upper, before, at, dof)
            _rows(drawn, worst, apart, _allowed(stride, 2e-4))
            converged += bool(drawn.world.contact.converged)
            worst["energy"] = ledger.enter() / _allowed(stride, 0.02)
            if drawn.world.steps == 1:
                depth = max([0.0, *(c.depth for c in drawn.world.contacts)])
            _contacts(drawn, worst, depth, seen)
            if not np.isfinite(v).all() or worst["wild"] > 1e6:
                raise ArithmeticError(f"wild at {drawn.world.time:.3f} s")
    except (Error, ArithmeticError) as error:
        verdict.error = f"{type(error).__name__}: {str(error)[:200]}"
    verdict.converged = converged / max(drawn.world.steps, 1)
    verdict.seconds = passed / max(drawn.world.time, drawn.dt)
    return verdict
