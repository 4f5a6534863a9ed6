"""Mechanisms with closed loops in a World, beside equality constraints of MuJoCo and Drake: time, and loop error."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

import rbdyn
from benchmarks import table
from benchmarks.machine import optional
from benchmarks.samples import Array
from benchmarks.timing import by_turns
from rbdyn import (
    Fixed,
    Floating,
    Joint,
    Mechanism,
    Prismatic,
    Revolute,
    RigidBody,
    SpatialInertia,
    Spherical,
    Transform,
)
from rbdyn.world import World

DT, STEPS = 1e-3, 500
SPEED = 2.0  # [rad/s] or [m/s] of the joints at first, before loops share it
HARD = 2.0  # time steps: MuJoCo's shortest time constant of a constraint

Place = tuple[float, float, float]


def body(name: str, mass: float, size: Place, com: Place = (0.0, 0.0, 0.0)) -> RigidBody:
    """A box of these half sides [m]."""
    x, y, z = (4.0 * s * s for s in size)
    return RigidBody(name, SpatialInertia(mass, com, mass / 12.0 * np.diag([y + z, x + z, x + y])))


def at(*xyz: float) -> Transform:
    """A place."""
    return Transform(translation=xyz)


def pin(m: Mechanism, first: str, second: str, point: Place) -> None:
    """Keep together what is at `point` of the first body in the neutral configuration."""
    state = rbdyn.State(rbdyn.Model(m))
    poses = [Transform.from_matrix(rbdyn.body_pose(state, name)) for name in (first, second)]
    where = poses[0] @ at(*point)
    joint = Joint(f"pin{len(m.non_tree_joints)}", Spherical())
    m.attach(m.find_body(first), m.find_body(second), joint, at(*point), where.inverse() @ poses[1])


def four_bar() -> Mechanism:
    """A crank, a coupler and a rocker."""
    m, hinge = Mechanism(RigidBody("world")), Revolute((0, 1, 0))
    crank = body("crank", 0.5, (0.02, 0.02, 0.1), (0, 0, 0.1))
    coupler = body("coupler", 1.0, (0.3, 0.02, 0.02), (0.3, 0, 0))
    rocker = body("rocker", 0.8, (0.02, 0.02, 0.2), (0, 0, -0.2))
    m.attach(m.root_body, crank, Joint("motor", hinge))
    m.attach(crank, coupler, Joint("knee", hinge), at(0, 0, 0.2))
    m.attach(coupler, rocker, Joint("tip", hinge), at(0.6, 0, 0))
    pin(m, "rocker", "world", (0, 0, -0.4))
    return m


def stewart_platform() -> Mechanism:
    """A platform on six legs that can change their length."""
    m = Mechanism(RigidBody("world"))
    m.attach(m.root_body, body("platform", 20.0, (0.5, 0.5, 0.05)), Joint("platform", Floating()), at(0, 0, 1))
    for k in range(6):
        pair, side = k // 2, 2 * (k % 2) - 1
        a, b = np.deg2rad(120.0 * pair + 15.0 * side), np.deg2rad(120.0 * pair + 45.0 * side)
        foot, ball = np.array([np.cos(a), np.sin(a), 0.0]), np.array([0.6 * np.cos(b), 0.6 * np.sin(b), 1.0])
        z = (ball - foot) / np.linalg.norm(ball - foot)
        x = np.cross((0, 1, 0), z) / np.linalg.norm(np.cross((0, 1, 0), z))
        cylinder = body(f"cylinder{k}", 1.5, (0.03, 0.03, 0.3), (0, 0, 0.3))
        rod = body(f"rod{k}", 0.8, (0.02, 0.02, 0.3), (0, 0, -0.3))
        cross = body(f"cross{k}", 0.2, (0.05, 0.05, 0.05))
        turned = Transform(rotation=np.array([x, np.cross(z, x), z]).T, translation=foot)
        m.attach(m.root_body, cross, Joint(f"x{k}", Revolute((1, 0, 0))), turned)
        m.attach(cross, cylinder, Joint(f"y{k}", Revolute((0, 1, 0))))
        m.attach(cylinder, rod, Joint(f"leg{k}", Prismatic((0, 0, 1))), at(0, 0, float(np.linalg.norm(ball - foot))))
        pin(m, f"rod{k}", "platform", (0, 0, 0))
    return m


def leg(m: Mechanism, pelvis: RigidBody, side: str, y: float) -> None:
    """Hip, knee, shin, tarsus and foot; rods from the thigh to the heel and from a crank to the foot.

    Depth first, which is MuJoCo's order.
    """
    hinge = Revolute((0, 1, 0))
    parts = {
        "roll": (pelvis, Revolute((1, 0, 0)), at(0, y, 0), body(f"{side}_roll", 1.8, (0.05, 0.05, 0.05))),
        "yaw": ("roll", Revolute((0, 0, 1)), at(0, 0, -0.1), body(f"{side}_yaw", 1.2, (0.05, 0.05, 0.05))),
        "thigh": ("yaw", hinge, at(0, 0, -0.1), body(f"{side}_thigh", 5.5, (0.05, 0.05, 0.2), (0, 0, -0.15))),
        "knee": ("thigh", hinge, at(0, 0, -0.35), body(f"{side}_knee", 0.8, (0.05, 0.03, 0.03))),
        "shin": ("knee", hinge, at(0.06, 0, 0), body(f"{side}_shin", 0.6, (0.2, 0.02, 0.02), (0.2, 0, 0))),
        "tarsus": ("shin", hinge, at(0.4, 0, 0), body(f"{side}_tarsus", 0.8, (0.02, 0.02, 0.2), (0, 0, -0.2))),
        "crank": ("tarsus", hinge, at(0, 0, -0.05), body(f"{side}_crank", 0.15, (0.03, 0.01, 0.01), (0.03, 0, 0))),
        "rod": ("crank", hinge, at(0.06, 0, 0), body(f"{side}_rod", 0.1, (0.01, 0.01, 0.17), (0, 0, -0.17))),
        "foot": ("tarsus", hinge, at(0, 0, -0.4), body(f"{side}_foot", 0.3, (0.08, 0.03, 0.02), (0.03, 0, -0.02))),
        "tie": ("thigh", Spherical(), at(0, 0.05, -0.1), body(f"{side}_tie", 0.2, (0.2, 0.01, 0.01), (0.2, 0, 0))),
    }  # fmt: skip
    made: dict[str, RigidBody] = {}
    for name, (parent, kind, place, link) in parts.items():
        m.attach(parent if isinstance(parent, RigidBody) else made[parent], link, Joint(f"{side}_{name}", kind), place)
        made[name] = link
    pin(m, f"{side}_rod", f"{side}_foot", (0, 0, -0.35))
    pin(m, f"{side}_tie", f"{side}_tarsus", (0.46, 0.0, -0.2))


def biped() -> Mechanism:
    """Like Cassie: two legs with two loops each."""
    m = Mechanism(RigidBody("world"))
    pelvis = body("pelvis", 10.0, (0.15, 0.15, 0.1))
    m.attach(m.root_body, pelvis, Joint("base", Floating()), at(0, 0, 1))
    leg(m, pelvis, "left", 0.13)
    leg(m, pelvis, "right", -0.13)
    return m


def mjcf(m: Mechanism, constant: float | None) -> str:
    """The same for MuJoCo, with connect constraints of a time constant [s], its own by default."""

    def numbers(x: Any) -> str:
        return " ".join(f"{v:.17g}" for v in x)

    def placed(pose: Transform) -> str:
        return f'pos="{numbers(pose.translation)}" quat="{numbers(pose.quat)}"'

    def text(joint: Joint) -> str:
        edge, kind = m.edge(joint), joint.joint_type
        J, link = edge.successor.inertia.inertia, edge.successor
        six = numbers([J[0, 0], J[1, 1], J[2, 2], J[0, 1], J[0, 2], J[1, 2]])
        if isinstance(kind, Floating):
            moving = "<freejoint/>"
        elif isinstance(kind, Spherical):
            moving = '<joint type="ball"/>'
        else:
            sort = "hinge" if isinstance(kind, Revolute) else "slide"
            moving = "" if isinstance(kind, Fixed) else f'<joint type="{sort}" axis="{numbers(kind.axis)}"/>'
        inside = "".join(text(child) for child in m.joints_to_children(link))
        mass = f'<inertial pos="{numbers(link.inertia.com)}" mass="{link.inertia.mass}" fullinertia="{six}"/>'
        return f'<body name="{link.name}" {placed(edge.joint_pose)}>{moving}{mass}{inside}</body>'

    stiff = "" if constant is None else f' solref="{constant} 1"'
    pins = "".join(
        f'<connect body1="{m.predecessor(j).name}" body2="{m.successor(j).name}" '
        f'anchor="{numbers(m.edge(j).joint_pose.translation)}"{stiff}/>'
        for j in m.non_tree_joints
    )
    bodies = "".join(text(j) for j in m.joints_to_children(m.root_body))
    return (
        f'<mujoco><compiler balanceinertia="false"/><option timestep="{DT}"/><worldbody>{bodies}</worldbody>'
        f"<equality>{pins}</equality></mujoco>"
    )


def start(m: Mechanism) -> tuple[rbdyn.Model, Array, Array]:
    """The model, closed, in a motion that keeps it so."""
    model = rbdyn.Model(m)
    state = rbdyn.State(model)
    state.set(rbdyn.project_configuration(model, model.neutral()))
    v = rbdyn.project_velocity(state, SPEED * np.random.default_rng(3).normal(size=model.nv))
    return model, state.q.copy(), v


def first_state(m: Mechanism, model: rbdyn.Model, q: Array, v: Array) -> tuple[Array, Array]:
    """q and v as MuJoCo writes them, the base's place in the world."""
    theirs, speeds = rbdyn.convert(model, q, v, to="mujoco")
    first = m.tree_joints[0]
    if isinstance(first.joint_type, Floating):  # MuJoCo's q of it is in the world
        theirs[:3] += m.edge(first).joint_pose.translation
    return theirs, speeds


class Ours:
    """A World."""

    def __init__(self, m: Mechanism, how: str) -> None:
        self.world = World(DT)
        self.robot = self.world.add_articulated_system(m, self_collision=False, loop_constraints=how)
        _, self.q, self.v = start(m)
        self.robot.set_state(self.q, self.v)

    def run(self) -> None:
        """From the start."""
        self.robot.set_state(self.q, self.v)
        self.world.step(STEPS)

    def open(self) -> float:
        """How far loops are open at most on the way [m]."""
        self.robot.set_state(self.q, self.v)
        worst = 0.0
        for _ in range(STEPS):
            self.world.step()
            worst = max(worst, float(np.abs(self.robot.loop_error).max()))
        return worst


class Mujoco:
    """MuJoCo, with loops of a time constant [s]."""

    def __init__(self, mujoco: Any, m: Mechanism, constant: float | None) -> None:
        self.lib = mujoco
        self.model = mujoco.MjModel.from_xml_string(mjcf(m, constant))
        self.data = mujoco.MjData(self.model)
        model, q, v = start(m)
        self.q, self.v = first_state(m, model, q, v)
        self.rows = [(int(a), int(b)) for a, b in zip(self.model.eq_obj1id, self.model.eq_obj2id, strict=True)]

    def begin(self) -> None:
        """At the start."""
        self.lib.mj_resetData(self.model, self.data)
        self.data.qpos[:], self.data.qvel[:] = self.q, self.v

    def run(self) -> None:
        """From the start."""
        self.begin()
        self.lib.mj_step(self.model, self.data, nstep=STEPS)

    def open(self) -> float:
        """How far loops are open at most on the way [m]."""
        self.begin()
        worst = 0.0
        for _ in range(STEPS):
            self.lib.mj_step(self.model, self.data)
            self.lib.mj_kinematics(self.model, self.data)
            for k, pair in enumerate(self.rows):
                ends = [
                    self.data.xpos[b] + self.data.xmat[b].reshape(3, 3) @ self.model.eq_data[k, 3 * i : 3 * i + 3]
                    for i, b in enumerate(pair)
                ]
                worst = max(worst, float(np.abs(ends[0] - ends[1]).max()))
        return worst


MECHANISMS: dict[str, Callable[[], Mechanism]] = {
    "four-bar": four_bar,
    "Stewart platform": stewart_platform,
    "biped with 4 loops": biped,
}


def run(quick: bool) -> None:
    """Print the table of this section."""
    rounds = 2 if quick else 5
    mujoco = optional("mujoco")
    rows = []
    for name, make in MECHANISMS.items():
        makers: dict[str, Callable[[], Any]] = {
            "rbdyn": partial(Ours, make(), "eliminate"),
            "rbdyn, in the problem": partial(Ours, make(), "inloop"),
        }
        if mujoco is not None:
            makers["MuJoCo"] = partial(Mujoco, mujoco, make(), None)
            makers["MuJoCo, hard"] = partial(Mujoco, mujoco, make(), HARD * DT)
        if optional("pydrake") is not None:
            from benchmarks.loops_in_drake import Drake

            m = make()
            makers["Drake, SAP"] = partial(Drake, m, *first_state(m, *start(m)), DT, STEPS)
        sides = {engine: maker() for engine, maker in makers.items()}
        seconds = by_turns({engine: side.run for engine, side in sides.items()}, STEPS, rounds)
        for engine, side in sides.items():
            ratio = "-" if engine == "rbdyn" else table.number(seconds[engine] / seconds["rbdyn"])
            rows.append([name, engine, table.number(1e6 * seconds[engine]), ratio, f"{side.open():.0e}"])
    header = ["mechanism", "engine", "us per step", "peer/ours", "open [m]"]
    table.show(f"closed loops, {STEPS} steps of {1e3 * DT:g} ms, median of {rounds}", header, rows)
    for name in ("mujoco", "pydrake"):
        if optional(name) is None:
            print(f"{name} is not installed: skipped")
