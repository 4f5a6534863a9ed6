"""Robots of public files beside MuJoCo with the same model: time of detection and of steps, and their quality.

    python -m benchmarks.robots_people_use [--robots Go2 G1] [--scenes standing limp] [--dt 0.001] [--repetitions 3]

Each robot is on a ground plane, and collides with itself: it stands under PD control at a nominal pose, follows
targets around that pose that are drawn anew every 20 ms with a standard deviation of 0.1 and 0.3 rad, or is limp.
Both engines get the same targets, gains, effort limits and collision filters.  MuJoCo gets URDF robots as
`io.save_mjcf` writes them, with the hulls of their meshes, and loads MJCF robots from the same file as rbdyn.  Its
integrator is implicitfast, multiccd is off; all else, and all of the World, is the default.

The engines run by turns of 20 ms, in processor time.  A turn counts with its median over the repetitions, a run with
the mean of its turns after the first 0.25 s.  Detection of rbdyn is `World.integrate1` less that of the same robot
without shapes, which is kinematics and the call.  Detection of MuJoCo is `mj_collision`, called once more before the
step, less that of an empty model.

A scene that takes longer than 4 s is not repeated.  Quality is looked at after each turn of the first repetition.
The residual is that of the natural map of the laws in `World.problem`, computed here in NumPy from the impulses of the
step.
"""

from __future__ import annotations

import argparse
import tempfile
import time
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, partial
from pathlib import Path
from statistics import fmean, median
from typing import Any, NamedTuple

import numpy as np

import rbdyn
from benchmarks import table
from benchmarks.limp import energy_of
from benchmarks.machine import optional, pin_to_one_core
from benchmarks.robots import ANYMAL, PANDA, Robot, menagerie
from benchmarks.samples import Array
from benchmarks.scenes.types import TOUCHING
from rbdyn import io
from rbdyn.collision import CollisionBackend, HalfSpace, distance
from rbdyn.contact import Problem
from rbdyn.errors import DivergenceError, Error, ExportWarning, InactiveFeatureWarning, SetupWarning
from rbdyn.mechanism import Mechanism

mj: Any = optional("mujoco")

DURATION, DROPPED, HELD = 2.5, 0.25, 0.02  # [s] of a run, of its untimed start, between two targets
DT = 1e-3  # [s]
DROP = 0.3  # [m] from the lowest point of a hand to the ground
SCENES: dict[str, float | None] = {"standing": 0.0, "noise 0.1": 0.1, "noise 0.3": 0.3, "limp": None}  # [rad]
LONG = 4.0  # [s] a scene that takes longer is not repeated
UNSOLVED = 1e-4  # [m/s] residual beyond which a step counts as unsolved
GOALS = {  # [us] of detection at most
    ("G1", "limp"): 45.0,
    **{(robot, scene): most for robot, most in (("Go2", 12.0), ("Solo12", 10.0), ("Talos", 60.0)) for scene in SCENES},
}
OURS, PYRAMIDAL, ELLIPTIC = "rbdyn", "mujoco", "mujoco elliptic"


@dataclass(frozen=True)
class Used:
    """A robot, how it is held, and where it stands.

    Parameters
    ----------
    name : str
        In the table.
    path : callable
        Returns the file; FileNotFoundError without it.
    stiffness, damping : float
        PD gains of every joint [N m/rad], [N m s/rad].
    pose : mapping of str to float
        Angle [rad] of the joints whose names hold the key.
    floating : bool
        Whether a URDF's base is free.
    hand : bool
        Whether it is held DROP above the ground.
    """

    name: str
    path: Callable[[], Path]
    stiffness: float
    damping: float
    pose: Mapping[str, float] = field(default_factory=dict)
    floating: bool = True
    hand: bool = False

    def mechanism(self) -> Mechanism:
        """Read the file."""
        path = self.path()
        return io.load_mjcf(path) if path.suffix == ".xml" else io.load_urdf(path, floating=self.floating)


def _urdf(file: str) -> Callable[[], Path]:
    return lambda: Robot("", file, True, "").path


CROUCH_G1 = {"hip_pitch": -0.1, "knee": 0.3, "ankle_pitch": -0.2, "shoulder_pitch": 0.2, "elbow": 0.6}
ROBOTS = (
    Used("Go2", _urdf("go2_description/urdf/go2.urdf"), 60.0, 2.0, {"thigh": 0.9, "calf": -1.8}),
    Used("Solo12", _urdf("solo_description/robots/solo12.urdf"), 6.0, 0.2, {"HFE": 0.8, "KFE": -1.6}),
    Used("ANYmal-C", lambda: ANYMAL.path, 200.0, 4.0,
         {"F_HFE": 0.4, "F_KFE": -0.8, "H_HFE": -0.4, "H_KFE": 0.8}),
    Used("Spot", partial(menagerie, "boston_dynamics_spot/spot.xml"), 300.0, 8.0, {"_hy": 1.04, "_kn": -1.8}),
    Used("G1", _urdf("g1_description/urdf/g1_29dof_rev_1_0.urdf"), 100.0, 3.0, CROUCH_G1),
    Used("G1 (MJCF)", partial(menagerie, "unitree_g1/g1.xml"), 100.0, 3.0, CROUCH_G1),
    Used("H1", partial(menagerie, "unitree_h1/h1.xml"), 200.0, 5.0, {"hip_pitch": -0.4, "knee": 0.8, "ankle": -0.4}),
    Used("Talos", _urdf("talos_data/robots/talos_full_v2.urdf"), 1000.0, 20.0, {
        "leg_left_3": -0.411354, "leg_left_4": 0.859395, "leg_left_5": -0.448041, "leg_left_6": -0.001708,
        "leg_right_3": -0.411354, "leg_right_4": 0.859395, "leg_right_5": -0.448041, "leg_right_6": -0.001708,
        "arm_left_1": 0.25847, "arm_left_2": 0.173046, "arm_left_4": -0.525366, "arm_left_7": 0.1,
        "arm_right_1": -0.25847, "arm_right_2": -0.173046, "arm_right_4": -0.525366, "arm_right_7": 0.1}),
    Used("Panda", lambda: PANDA.path, 600.0, 50.0, {
        "panda_joint2": -0.785, "panda_joint4": -2.356, "panda_joint6": 1.571, "panda_joint7": 0.785}, floating=False),
    Used("UR5", _urdf("ur_description/urdf/ur5_robot.urdf"), 500.0, 50.0, {
        "shoulder_lift": -1.57, "elbow": 1.57, "wrist_1": -1.57, "wrist_2": -1.57}, floating=False),
    Used("Allegro", _urdf("allegro_hand_description/urdf/allegro_right_hand.urdf"), 1.0, 0.05, {
        "joint_12": 0.3}, floating=False, hand=True),
    Used("Shadow", partial(menagerie, "shadow_hand/right_hand.xml"), 1.0, 0.05, hand=True),
)  # fmt: skip


# ---- the engines ---------------------------------------------------------------------------------


class Turn(NamedTuple):
    """Mean seconds of a step in one turn of an engine."""

    detection: float
    step: float


class Look(NamedTuple):
    """Figures of one moment.

    contacts: that touch.  passed: how far a joint is beyond a stop [rad or m].  energy [J].
    """

    contacts: int
    passed: float
    energy: float


class Ours:
    """The robot in a World, and the joints that both engines drive.

    Parameters
    ----------
    used : Used
        Which robot.
    mechanism : Mechanism
        It, read.
    dt : float
        Time step [s].
    limp : bool
        Whether it has no control.
    """

    def __init__(self, used: Used, mechanism: Mechanism, dt: float, limp: bool) -> None:
        self.world = rbdyn.World(dt)
        self.robot = robot = self.world.add_articulated_system(mechanism)
        self.model = robot.model
        self.start = self._nominal(used)
        free = [j.name for j in mechanism.tree_joints if j.num_velocities == 6]
        self.free = self.model.joint_q_index(free[0]) if free else None
        robot.set_state(self.start, np.zeros(robot.nv))
        low = min((distance(g.shape, g.pose, HalfSpace(), np.eye(4)).distance for g in robot.geometries), default=0.0)
        self.floor, self.unconverged = 0.0, 0
        if self.free is not None:
            self.start[self.free + 2] -= low
            robot.set_state(self.start, np.zeros(robot.nv))
        elif used.hand:
            self.floor = low - DROP
        self.world.add_ground(height=self.floor)
        self.driven = [j.name for j in mechanism.tree_joints if j.num_velocities == j.num_positions == 1]
        self.at = np.array([self.model.joint_q_index(name) for name in self.driven])
        self.lower, self.upper = ([limits[self.model.joint_v_index(n)] for n in self.driven]
                                  for limits in robot.joint_limits)  # fmt: skip
        if not limp:
            gains = dict.fromkeys(self.driven, (used.stiffness, used.damping))
            robot.set_pd_gains(joints=gains)
            robot.set_pd_target(self.start)

    def _nominal(self, used: Used) -> Array:
        q = self.model.neutral()
        for name in self.model.joint_names:
            angles = [angle for part, angle in used.pose.items() if part in name]
            if angles:
                q[self.model.joint_q_index(name)] = angles[-1]
        return q

    def aim(self, offset: Array) -> None:
        """Move the target by these angles off the nominal pose."""
        target = self.start.copy()
        target[self.at] += offset
        self.robot.set_pd_target(target)

    def turn(self, steps: int) -> Turn:
        """Step, timed."""
        clock, first, second = time.thread_time_ns, self.world.integrate1, self.world.integrate2
        solver = self.world.contact
        detection = whole = 0
        for _ in range(steps):
            began = clock()
            first()
            detected = clock()
            second()
            whole += clock() - began
            detection += detected - began
            self.unconverged += not solver.converged
        return Turn(1e-9 * detection / steps, 1e-9 * whole / steps)

    def look(self) -> Look:
        q = self.robot.q[self.at]
        touching = sum(c.depth >= -TOUCHING for c in self.world.contacts)
        return Look(touching, float(np.max([self.lower - q, q - self.upper])), energy_of(self.robot))


class Theirs:
    """Run a robot in MuJoCo, with the targets that rbdyn gets.

    Parameters
    ----------
    ours : Ours
        At its start.
    path : Path
        The robot as MJCF.
    used : Used
        Which robot.
    elliptic : bool
        Whether friction cones are elliptic.
    limp : bool
        Whether it has no control.
    """

    def __init__(self, ours: Ours, path: Path, used: Used, elliptic: bool, limp: bool) -> None:
        spec = mj.MjSpec.from_file(str(path))
        for item in [*spec.keys, *spec.sensors, *spec.actuators]:
            spec.delete(item)
        spec.worldbody.add_geom(type=mj.mjtGeom.mjGEOM_PLANE, size=[0.0, 0.0, 1.0], pos=[0.0, 0.0, ours.floor])
        most = ours.robot.effort_limits[1]
        for name in [] if limp else ours.driven:
            motor = spec.add_actuator(name=name, target=name, trntype=mj.mjtTrn.mjTRN_JOINT)
            motor.gainprm[0] = used.stiffness
            motor.biastype = mj.mjtBias.mjBIAS_AFFINE
            motor.biasprm[1:3] = -used.stiffness, -used.damping
            effort = most[ours.model.joint_v_index(name)]
            if np.isfinite(effort):
                motor.forcelimited, motor.forcerange = True, [-effort, effort]
        spec.option.timestep = ours.world.time_step
        spec.option.integrator = mj.mjtIntegrator.mjINT_IMPLICITFAST
        if elliptic:
            spec.option.cone = mj.mjtCone.mjCONE_ELLIPTIC
        self.model = m = spec.compile()
        m.opt.disableflags |= getattr(mj.mjtDisableBit, "mjDSBL_MULTICCD", 0)  # versions without it have it off
        self.data = mj.MjData(m)
        self.at = np.array([m.joint(name).qposadr[0] for name in ours.driven])
        self.data.qpos[self.at] = ours.start[ours.at]
        if ours.free is not None:
            base = int(m.jnt_qposadr[m.jnt_type == mj.mjtJoint.mjJNT_FREE][0])
            self.data.qpos[base : base + 7] = ours.start[ours.free : ours.free + 7]
        self.lower, self.upper = ours.lower, ours.upper
        self.nominal, self.limp = ours.start[ours.at], limp
        self.scratch = mj.MjData(m)
        if not limp:
            self.data.ctrl[:] = self.nominal

    def aim(self, offset: Array) -> None:
        """Move the target by these angles off the nominal pose."""
        self.data.ctrl[:] = self.nominal + offset

    def turn(self, steps: int) -> Turn:
        """Step, timed; where shapes are is known before contacts are looked for once more."""
        clock, m, d, place, detect, step = (
            time.thread_time_ns, self.model, self.data, mj.mj_kinematics, mj.mj_collision, mj.mj_step)  # fmt: skip
        detection = whole = 0
        for _ in range(steps):
            place(m, d)
            began = clock()
            detect(m, d)
            detected = clock()
            step(m, d)
            whole += clock() - detected
            detection += detected - began
        return Turn(1e-9 * detection / steps, 1e-9 * whole / steps)

    def look(self) -> Look:
        m, d = self.model, self.data
        q, copy = d.qpos[self.at], self.scratch
        mj.mj_copyData(copy, m, d)
        mj.mj_forward(m, copy)
        mj.mj_energyPos(m, copy)
        mj.mj_energyVel(m, copy)
        touching = int((d.contact.dist[: d.ncon] <= TOUCHING).sum())
        return Look(touching, float(np.max([self.lower - q, q - self.upper])), float(copy.energy.sum()))


# ---- what may collide, and what a call costs -----------------------------------------------------


class _Counting(CollisionBackend):
    """Counts the pairs that filters let through; finds no contacts."""

    found = 0

    def detect(self, scene: Any) -> None:
        self.found = len(scene.pairs())


def our_pairs(mechanism: Mechanism) -> int:
    """Pairs of shapes that may collide, those with the ground among them."""
    backend = _Counting()
    world = rbdyn.World(DT, collision=backend)
    world.contact_margin = 1e3
    world.add_articulated_system(mechanism)
    world.add_ground()
    world.integrate1()
    return backend.found


def their_pairs(m: Any) -> int:
    """Count the pairs that may collide by MuJoCo's rules: bits, welds, parents, exclusions, named pairs."""
    weld = m.body_weldid[m.geom_bodyid]
    parent = m.body_weldid[m.body_parentid[weld]]
    a, b = np.triu_indices(m.ngeom, 1)
    bits = (m.geom_contype[a] & m.geom_conaffinity[b]) | (m.geom_contype[b] & m.geom_conaffinity[a])
    far = (weld[a] != weld[b]) & ~((weld[a] != 0) & (weld[b] != 0) & ((parent[a] == weld[b]) | (parent[b] == weld[a])))
    low = np.minimum(m.geom_bodyid[a], m.geom_bodyid[b]) << 16
    kept = ~np.isin(low + np.maximum(m.geom_bodyid[a], m.geom_bodyid[b]), m.exclude_signature)
    named = {frozenset(pair) for pair in zip(m.pair_geom1, m.pair_geom2, strict=True)}
    found = {frozenset(pair) for pair in zip(a[(bits != 0) & far & kept], b[(bits != 0) & far & kept], strict=True)}
    return len(found | named)


@cache
def empty_call() -> float:
    """Seconds of `mj_collision` with nothing in it."""
    model = mj.MjModel.from_xml_string("<mujoco/>")
    data, clock, taken = mj.MjData(model), time.thread_time_ns, []
    for _ in range(2000):
        began = clock()
        mj.mj_collision(model, data)
        taken.append(clock() - began)
    return 1e-9 * median(taken)


def without_shapes(mechanism: Mechanism, dt: float) -> float:
    """Seconds of `integrate1` of the robot without shapes."""
    bare = mechanism.copy()
    for body in bare.bodies:
        body.collision.clear()
    world, clock, taken = rbdyn.World(dt, gravity=(0.0, 0.0, 0.0)), time.thread_time_ns, []
    world.add_articulated_system(bare)
    world.add_ground()
    for _ in range(2000):
        began = clock()
        world.integrate1()
        taken.append(clock() - began)
        world.integrate2()
    return 1e-9 * median(taken)


# ---- quality -------------------------------------------------------------------------------------

CONE, UNILATERAL, BILATERAL, BOX, DISC = range(5)  # of contact/problem.pxd


def residual(problem: Problem | None) -> float:
    """Largest component of the natural map |lam - P(lam - (v + s) / g)| g [m/s]; 0 where all laws hold.

    P projects on the set of a law, g is the mean of a block's diagonal of the Delassus matrix, and s is mu |v_t| along
    the normal of a cone: with it the optimality of a cone is Coulomb's law.
    """
    if problem is None or not len(problem):
        return 0.0
    lam, G = problem.impulse.ravel(), problem.delassus
    v, worst = G @ lam + problem.v_free.ravel(), 0.0
    laws = zip(problem.law, problem.first_row, problem.rows, problem.partner, problem.a, problem.b,
               problem.compliance, strict=True)  # fmt: skip
    for law, first, rows, partner, a, b, softness in laws:
        at = slice(first, first + rows)
        g = max(float(np.diag(G)[at].mean()) + softness, 1e-12)
        x, w = lam[at], v[at] + softness * lam[at]
        if law == CONE:
            w = w + (0.0, 0.0, a * np.hypot(w[0], w[1]))
        y = x - w / g
        if law == CONE:
            nearest = _in_cone(y, a)
        elif law == UNILATERAL:
            nearest = np.maximum(y, 0.0)
        elif law == BOX:
            nearest = np.clip(y, a, b)
        elif law == DISC:
            most, size = a * lam[problem.first_row[partner] + 2], float(np.linalg.norm(y))
            nearest = y * min(1.0, most / size) if size > 0.0 else y
        else:
            nearest = y
        worst = max(worst, g * float(np.abs(x - nearest).max()))
    return worst


def _in_cone(y: Array, mu: float) -> Array:
    """The point of the friction cone nearest to y."""
    t, n = np.hypot(y[0], y[1]), y[2]
    if t <= mu * n:
        return y
    if mu * t <= -n:
        return np.zeros(3)
    push = (mu * t + n) / (1.0 + mu * mu)
    return np.array([y[0] * mu * push / t, y[1] * mu * push / t, push])


# ---- runs ----------------------------------------------------------------------------------------


@dataclass
class Scene:
    """A robot in one scene, made anew for each run.

    Parameters
    ----------
    used : Used
        Which robot.
    mechanism : Mechanism
        It, read.
    path : Path
        It as MJCF.
    noise : float or None
        Standard deviation of the targets [rad]; None: limp.
    dt : float
        Time step [s].
    """

    used: Used
    mechanism: Mechanism
    path: Path
    noise: float | None
    dt: float

    def engines(self) -> dict[str, Any]:
        """All engines at the start."""
        limp = self.noise is None
        ours = Ours(self.used, self.mechanism, self.dt, limp)
        made: dict[str, Any] = {OURS: ours}
        if mj is not None:
            made[PYRAMIDAL] = Theirs(ours, self.path, self.used, False, limp)
            made[ELLIPTIC] = Theirs(ours, self.path, self.used, True, limp)
        return made

    def run(self, engines: dict[str, Any], turn: Callable[[str, Any, int], None]) -> None:
        """Go on by turns, with the same targets for all."""
        rng, steps = np.random.default_rng(0), round(HELD / self.dt)
        for _ in range(round(DURATION / HELD)):
            offset = (self.noise or 0.0) * rng.standard_normal(len(engines[OURS].driven))
            for name, engine in engines.items():
                if self.noise:
                    engine.aim(offset)
                turn(name, engine, steps)


@dataclass
class Measured:
    """Seconds of a step of each engine, and what was seen of the first repetition after each turn."""

    seconds: dict[str, Turn]
    looks: dict[str, list[Look]]
    residuals: list[float]
    unconverged: float  # share of the steps


def measure(scene: Scene, repetitions: int) -> Measured:
    """Repeat a scene; once if that takes long."""
    runs: list[dict[str, list[Turn]]] = []
    looks: dict[str, list[Look]] = {}
    residuals: list[float] = []

    def one(name: str, engine: Any, steps: int) -> None:
        runs[-1].setdefault(name, []).append(engine.turn(steps))
        if len(runs) == 1:
            looks.setdefault(name, []).append(engine.look())
            if name == OURS:
                residuals.append(residual(engine.world.problem))

    began = time.process_time()
    while len(runs) < repetitions and (not runs or time.process_time() - began < LONG):
        runs.append({})
        engines = scene.engines()
        scene.run(engines, one)
    dropped = round(DROPPED / HELD)

    def mean(name: str, part: int) -> float:
        turns = [[turn[part] for turn in run[name]] for run in runs]
        return fmean(median(same) for same in list(zip(*turns, strict=True))[dropped:])

    seconds = {name: Turn(mean(name, 0), mean(name, 1)) for name in runs[0]}
    return Measured(seconds, looks, residuals[dropped:], engines[OURS].unconverged / engines[OURS].world.steps)


# ---- the table -----------------------------------------------------------------------------------

HEADER = ["scene", "pairs", "contacts", "detection us", "mujoco", "ratio", "step us", "mujoco", "ratio", "elliptic",
          "ratio", "residual", "largest", "unsolved %", "unconverged %", "passed", "mujoco", "energy J",
          "mujoco"]  # fmt: skip


def both(ours: Any, theirs: Any) -> str:
    """Two figures in one cell."""
    return f"{ours} / {theirs}"


class Row(NamedTuple):
    """A line of the table, and its times of detection [us]."""

    cells: list[str]
    ours: float
    theirs: float | None


def row(scene: Scene, name: str, repetitions: int, bare: float, pairs: str) -> Row:
    """Measure one scene."""
    found = measure(scene, repetitions)
    us = {engine: Turn(1e6 * t.detection, 1e6 * t.step) for engine, t in found.seconds.items()}
    detection, step = us[OURS].detection - 1e6 * bare, us[OURS].step
    peer, elliptic = us.get(PYRAMIDAL), us.get(ELLIPTIC)
    looks, theirs = found.looks[OURS], found.looks.get(PYRAMIDAL)
    contacts = [f"{median(one.contacts for one in seen):.0f}" if seen else "-" for seen in (looks, theirs)]
    least = None if peer is None else peer.detection - 1e6 * empty_call()
    cells = [name, pairs, both(*contacts), table.number(detection), table.number(least)]
    cells += [_ratio(least, detection), table.number(step)]
    for other in (peer, elliptic):
        cells += [table.number(other and other.step), _ratio(other and other.step, step)]
    late = found.residuals
    cells += [f"{median(late):.0e}", f"{max(late):.0e}", f"{100 * fmean(r > UNSOLVED for r in late):.1f}",
              f"{100 * found.unconverged:.1f}"]  # fmt: skip
    cells += [f"{max(0.0, *(one.passed for one in seen)):.0e}" if seen else "-" for seen in (looks, theirs)]
    cells += [table.number(seen[-1].energy - seen[0].energy) if seen else "-" for seen in (looks, theirs)]
    return Row(cells, detection, least)


def _ratio(theirs: float | None, ours: float) -> str:
    return "-" if theirs is None else table.number(theirs / max(ours, 1e-9))


def contest(used: Used, scenes: Sequence[str], dt: float, repetitions: int) -> list[tuple[str, Row]]:
    """Print the table of a robot."""
    try:
        mechanism = used.mechanism()
    except FileNotFoundError as error:
        print(f"\n{used.name}: not found, {error}", flush=True)
        return []
    rows: list[tuple[str, Row]] = []
    cells: list[list[str]] = []
    with tempfile.TemporaryDirectory() as folder:
        path = used.path()
        if path.suffix != ".xml" and mj is not None:
            path = Path(folder) / "robot.xml"
            io.save_mjcf(mechanism, path, meshes="write", actuators="none")
        bare = without_shapes(mechanism, dt)
        pairs = None
        for name in scenes:
            scene = Scene(used, mechanism, path, SCENES[name], dt)
            if pairs is None:
                theirs = their_pairs(scene.engines()[PYRAMIDAL].model) if mj is not None else "-"
                pairs = both(our_pairs(mechanism), theirs)
            try:
                measured = row(scene, name, repetitions, bare, pairs)
            except DivergenceError as error:
                cells.append([name, pairs, str(error)[:60], *["-"] * (len(HEADER) - 3)])
                continue
            rows.append((name, measured))
            cells.append(measured.cells)
    table.show(f"{used.name}: dt {1e3 * dt:g} ms, {DURATION:g} s", HEADER, cells)
    return rows


def verdicts(found: dict[str, list[tuple[str, Row]]]) -> None:
    """Print which goals of detection are missed."""
    compared = [(robot, scene, r) for robot, rows in found.items() for scene, r in rows if r.theirs is not None]
    missed = [f"{robot} {scene} {r.ours:.1f} / {r.theirs:.1f}" for robot, scene, r in compared if r.ours > r.theirs]
    print(f"\ndetection at most MuJoCo's: {len(compared) - len(missed)} of {len(compared)} scenes"
          + (f"; missed (us, rbdyn / mujoco): {', '.join(missed)}" if missed else ""))  # fmt: skip
    for robot, rows in found.items():
        for scene, r in rows:
            most = GOALS.get((robot, scene))
            if most is not None and r.ours > most:
                print(f"detection {robot} {scene}: {r.ours:.1f} us, goal {most:g} MISSED")


def compare(robots: Sequence[Used], scenes: Sequence[str], dt: float, repetitions: int) -> None:
    """Print the table of every robot, and what is missed."""
    with warnings.catch_warnings():
        for category in (InactiveFeatureWarning, SetupWarning, ExportWarning):
            warnings.simplefilter("ignore", category)
        found = {}
        for used in robots:
            try:
                found[used.name] = contest(used, scenes, dt, repetitions)
            except (Error, ValueError) as error:
                print(f"\n{used.name}: not compared, {str(error)[:200]}", flush=True)
    verdicts(found)


def run(quick: bool) -> None:
    """Print the tables of this section."""
    print(
        "\nrobots that people use; two figures in a cell are rbdyn / mujoco; multiccd is off; residual [m/s]: median,\n"
        f"largest, share beyond {UNSOLVED:g}; passed: furthest beyond a stop [rad or m]; energy: end less start"
    )
    if mj is None:
        print("mujoco is not installed: rbdyn is shown alone")
    chosen = [used for used in ROBOTS if not quick or used.name in ("Go2", "G1", "Panda")]
    compare(chosen, list(SCENES), DT, 1 if quick else 3)


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.robots_people_use", description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)  # fmt: skip
    names = [used.name for used in ROBOTS]
    parser.add_argument("--robots", nargs="+", choices=names, default=names, help="all by default")
    parser.add_argument("--scenes", nargs="+", choices=list(SCENES), default=list(SCENES), help="all by default")
    parser.add_argument("--dt", type=float, default=DT, help="time step [s]")
    parser.add_argument("--repetitions", type=int, default=3, help="of each run")
    options = parser.parse_args()
    pin_to_one_core()
    compare([used for used in ROBOTS if used.name in options.robots], options.scenes, options.dt, options.repetitions)


if __name__ == "__main__":
    main()
