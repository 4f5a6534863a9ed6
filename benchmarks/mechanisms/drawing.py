"""A random mechanism in a World: a tree of any joints, and on it what each line of FEATURES adds by chance.

Each feature has a source of chance of its own: a seed without one of them is the same mechanism otherwise.  Shapes do
not overlap at the start, and stand above the ground.
"""

from __future__ import annotations

import warnings
import zlib
from collections.abc import Callable, Collection
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

import rbdyn
from rbdyn.collision import shapes
from rbdyn.mechanism import (
    Fixed,
    Floating,
    Geometry,
    Joint,
    Mechanism,
    Mimic,
    Planar,
    Prismatic,
    Revolute,
    RigidBody,
    Spherical,
)
from rbdyn.spatial import Transform
from rbdyn.testing.random_mechanisms import add_random_loops, random_joint_type, random_transform, random_tree
from rbdyn.world import World
from rbdyn.world.constraints.body_joint import BodyJoint
from rbdyn.world.constraints.wire import Wire
from rbdyn.world.objects.articulated_system import ArticulatedSystem
from rbdyn.world.objects.single_body import SingleBody

Array = NDArray[np.float64]
ELASTIC = ("compliant", "spring")  # kinds of wires that hold energy
TYPES = (Revolute, Revolute, Revolute, Revolute, Prismatic, Spherical, Planar)
STEPS = (1e-3, 2e-3, 5e-3)  # [s]
BOX, NEAR = 0.5, 0.05  # [m] longest side of a box, and how near to one another shapes may start


@dataclass
class Drawn:
    """A World with one random robot, and what the laws have to know of it."""

    seed: int
    dt: float
    world: World
    mechanism: Mechanism
    q: Array  # where it starts, of Model(mechanism)
    friction: float  # of all contacts
    robot: ArticulatedSystem = None  # type: ignore[assignment]
    features: list[str] = field(default_factory=list)
    joints: list[Joint] = field(default_factory=list)  # of one degree of freedom
    occupied: list[tuple[Array, float]] = field(default_factory=list)  # balls about shapes [m]
    pulls: list[tuple[Wire, float]] = field(default_factory=list)  # wires that pull with the same force [N]


Step = Callable[[np.random.Generator, Drawn], None]


class Feature(NamedTuple):
    """What may be on a mechanism, and how often it is; `add` before the World has it, `place` after."""

    name: str
    chance: float
    add: Step | None = None
    place: Step | None = None


def _some(rng: np.random.Generator, drawn: Drawn, share: float) -> list[Joint]:
    """Some of the joints with one degree of freedom."""
    return [joint for joint in drawn.joints if rng.random() < share]


def _log(rng: np.random.Generator, low: float, high: float) -> float:
    """A number between, of any order of magnitude."""
    return float(np.exp(rng.uniform(np.log(low), np.log(high))))


def _poses(drawn: Drawn) -> dict[RigidBody, Transform]:
    """Where the bodies are at the start."""
    state = rbdyn.State(rbdyn.Model(drawn.mechanism))
    state.set(drawn.q)
    poses = {body: rbdyn.body_pose(state, body) for body in drawn.mechanism.bodies}
    return {body: Transform(rotation=T[:3, :3], translation=T[:3, 3]) for body, T in poses.items()}


def _occupy(drawn: Drawn, centre: Array, radius: float) -> bool:
    """Whether a ball is free, which it is not from then on."""
    if any(np.linalg.norm(centre - other) < radius + more + NEAR for other, more in drawn.occupied):
        return False
    drawn.occupied.append((centre, radius))
    return True


def _loops(rng: np.random.Generator, drawn: Drawn) -> None:
    kinds = (Fixed, Revolute, Spherical, Prismatic, Planar)
    add_random_loops(rng, drawn.mechanism, int(rng.integers(1, 4)), kinds, drawn.q, rotor_inertia=False)


def _mimics(rng: np.random.Generator, drawn: Drawn) -> None:
    model = rbdyn.Model(drawn.mechanism)
    for k in range(1, len(drawn.joints)):
        if rng.random() < 0.3:
            source, joint = drawn.joints[int(rng.integers(k))], drawn.joints[k]
            ratio = float(rng.choice([-1.0, 1.0])) * _log(rng, 0.2, 3.0)
            q = [drawn.q[model.joint_q_index(j.name)] for j in (source, joint)]
            joint.mimic = Mimic(source.name, ratio, q[1] - ratio * q[0])


def _limits(rng: np.random.Generator, drawn: Drawn) -> None:
    model = rbdyn.Model(drawn.mechanism)
    for joint in _some(rng, drawn, 0.7):
        q = drawn.q[model.joint_q_index(joint.name)]
        joint.position_limits = (q - rng.uniform(0.02, 1.5), q + rng.uniform(0.02, 1.5))


def _velocity_limits(rng: np.random.Generator, drawn: Drawn) -> None:
    for joint in _some(rng, drawn, 0.5):
        joint.velocity_limit = _log(rng, 0.5, 20.0)


def _friction(rng: np.random.Generator, drawn: Drawn) -> None:
    for joint in _some(rng, drawn, 0.7):
        joint.friction = _log(rng, 1e-2, 20.0)


def _damping(rng: np.random.Generator, drawn: Drawn) -> None:
    for joint in _some(rng, drawn, 0.5):
        joint.damping = _log(rng, 1e-2, 100.0)


def _springs(rng: np.random.Generator, drawn: Drawn) -> None:
    for joint in _some(rng, drawn, 0.4):
        joint.stiffness = _log(rng, 1.0, 1000.0)
        joint.spring_reference = [rng.normal()]


def _efforts(rng: np.random.Generator, drawn: Drawn) -> None:
    for joint in _some(rng, drawn, 0.8):
        joint.effort_limit = _log(rng, 0.1, 100.0)


def _shapes(rng: np.random.Generator, drawn: Drawn) -> None:
    for body, pose in _poses(drawn).items():
        kind, size, place = int(rng.integers(3)), rng.uniform(0.03, 0.15, 3), random_transform(rng)
        shape = (shapes.Sphere(size[0]), shapes.Box(2 * size), shapes.Capsule(size[0], 2 * size[1]))[kind]
        radius = (size[0], float(np.linalg.norm(size)), size[0] + size[1])[kind]
        moves = body is not drawn.mechanism.root_body
        if moves and rng.random() < 0.8 and _occupy(drawn, (pose @ place).translation, radius):
            body.collision.append(Geometry(shape, place))


def _bounce(rng: np.random.Generator, drawn: Drawn) -> None:
    drawn.world.set_default_material(friction=drawn.friction, restitution=rng.uniform(0.1, 1.0))


def _ground(rng: np.random.Generator, drawn: Drawn) -> None:
    lowest = min((centre[2] - radius for centre, radius in drawn.occupied), default=-1.0)
    drawn.world.add_ground(lowest - _log(rng, 0.01, 1.0))


def _boxes(rng: np.random.Generator, drawn: Drawn) -> None:
    for _ in range(int(rng.integers(1, 4))):
        (x, y, z), mass, q = rng.uniform(0.1, BOX, 3), _log(rng, 0.1, 20.0), rng.normal(size=4)
        place, v, w = rng.uniform(-1.5, 1.5, 3) + (0, 0, 1), rng.normal(size=3), rng.normal(size=3)
        if _occupy(drawn, place, 0.5 * float(np.linalg.norm((x, y, z)))):
            box = drawn.world.add_box(x, y, z, mass=mass)
            box.set_pose(place, q / np.linalg.norm(q))
            box.set_velocity(v, w)


def _end(rng: np.random.Generator, drawn: Drawn) -> Any:
    """A box, a link, or the world."""
    boxes = [o for o in drawn.world.objects if isinstance(o, SingleBody) and o.body_type == "dynamic"]
    links = [(drawn.robot, body.name) for body in drawn.mechanism.bodies[1:]]
    choice: list[Any] = [None, *links, *boxes, *boxes]
    return choice[int(rng.integers(len(choice)))]


def _two(rng: np.random.Generator, drawn: Drawn) -> tuple[Any, Any]:
    """Ends on different bodies, the first of which moves."""
    while True:
        a, b = _end(rng, drawn), _end(rng, drawn)
        if a is not None and a != b:
            return a, b


def _wires(rng: np.random.Generator, drawn: Drawn) -> None:
    for _ in range(int(rng.integers(1, 4))):
        (a, b), kind = _two(rng, drawn), str(rng.choice(["stretch_resistant", "compression_resistant", "both"]))
        links = drawn.mechanism.bodies[1:]
        over = (drawn.robot, links[int(rng.integers(len(links)))].name)
        via = [(over, rng.uniform(-0.3, 0.3, 3))] if rng.random() < 0.3 else []
        points = {"point_a": rng.uniform(-0.3, 0.3, 3), "point_b": rng.uniform(-0.3, 0.3, 3)}
        wire = drawn.world.add_stiff_wire(a, b, via=via, stretch_type=kind, **points)  # type: ignore[arg-type]
        if kind == "stretch_resistant":
            wire.length = wire.length * rng.uniform(1.0, 1.5)


def _elastic(rng: np.random.Generator, drawn: Drawn) -> None:
    for _ in range(int(rng.integers(1, 4))):
        (a, b), stiffness, damping = _two(rng, drawn), _log(rng, 1.0, 1e3), _log(rng, 1e-2, 10.0)
        points = {"point_a": rng.uniform(-0.3, 0.3, 3), "point_b": rng.uniform(-0.3, 0.3, 3)}
        kind, share = int(rng.integers(2)), rng.uniform(0.8, 1.2)
        add: Any = (drawn.world.add_compliant_wire, drawn.world.add_spring)[kind]
        wire = add(a, b, stiffness=stiffness, damping=damping, **points)
        wire.length = share * wire.distance


def _links(rng: np.random.Generator, drawn: Drawn) -> None:
    for k in range(int(rng.integers(1, 3))):
        a, b = _two(rng, drawn)
        kind = random_joint_type(rng, (Fixed, Revolute, Spherical, Prismatic, Planar)[int(rng.integers(5))])
        drawn.world.add_joint(a, b, Joint(f"link{k}", kind), random_transform(rng))


def _gains(rng: np.random.Generator, drawn: Drawn) -> None:
    robot, n = drawn.robot, drawn.robot.nv
    p = np.exp(rng.uniform(np.log(1.0), np.log(1e4), n)) * (rng.random(n) < 0.8)
    robot.set_pd_gains(p, rng.uniform(1.0, 3.0) * max(STEPS) * p + (p > 0.0) * rng.random(n))
    away = 0.5 * rng.normal(size=n)
    robot.set_pd_target(rbdyn.integrate(robot.model, robot.q, away), 0.3 * rng.normal(size=n))


def _push(rng: np.random.Generator, drawn: Drawn) -> None:
    mode = drawn.robot.control_mode
    drawn.robot.set_generalized_force(5.0 * rng.normal(size=drawn.robot.nv))
    drawn.robot.control_mode = mode


FEATURES: tuple[Feature, ...] = (
    Feature("loops", 0.3, add=_loops),
    Feature("mimics", 0.2, add=_mimics),
    Feature("limits", 0.6, add=_limits),
    Feature("velocity limits", 0.3, add=_velocity_limits),
    Feature("friction", 0.4, add=_friction),
    Feature("damping", 0.3, add=_damping),
    Feature("springs", 0.3, add=_springs),
    Feature("efforts", 0.5, add=_efforts),
    Feature("shapes", 0.6, add=_shapes),
    Feature("bounce", 0.3, add=_bounce),
    Feature("boxes", 0.3, place=_boxes),
    Feature("ground", 0.6, place=_ground),
    Feature("wires", 0.3, place=_wires),
    Feature("elastic", 0.2, place=_elastic),
    Feature("links", 0.2, place=_links),
    Feature("gains", 0.5, place=_gains),
    Feature("push", 0.3, place=_push),
)


def _couplings(rng: np.random.Generator, drawn: Drawn) -> None:
    free = [joint for joint in drawn.joints if not joint.mimic]
    if len(free) > 1:
        pair = rng.choice(len(free), 2, replace=False)
        terms = {(drawn.robot, free[k].name): float(rng.choice([-1.0, 1.0])) * _log(rng, 0.3, 3.0) for k in pair}
        drawn.world.add_coupling(terms)


def _weights(rng: np.random.Generator, drawn: Drawn) -> None:
    """Custom wires: something that weighs the same at any length pulls."""
    a, b = _two(rng, drawn)
    pull = _log(rng, 0.1, 10.0)
    points: Any = {"point_a": rng.uniform(-0.3, 0.3, 3), "point_b": rng.uniform(-0.3, 0.3, 3)}
    wire = drawn.world.add_custom_wire(a, b, law=lambda stretch, rate: pull, **points)
    drawn.pulls.append((wire, pull))


def _welds(rng: np.random.Generator, drawn: Drawn) -> None:
    drawn.world.add_weld(*_two(rng, drawn))


def _soft(rng: np.random.Generator, drawn: Drawn) -> None:
    """Rows of joints between bodies and of couplings give way."""
    constraint: Any
    for constraint in drawn.world.constraints:
        if not isinstance(constraint, Wire) and rng.random() < 0.7:
            softness, damping = _log(rng, 1e-6, 1e-3), _log(rng, 1e-1, 1e2)
            pair = isinstance(constraint, BodyJoint)  # rotations, ways
            constraint.set_softness((softness, softness) if pair else softness, (damping, damping) if pair else damping)


MORE: tuple[Feature, ...] = (  # on request: seeds are what they were without
    Feature("couplings", 0.4, place=_couplings),
    Feature("weights", 0.4, place=_weights),
    Feature("welds", 0.4, place=_welds),
    Feature("soft", 0.5, place=_soft),
)


def draw(seed: int, dt: float | None = None, without: Collection[str] = (), more: bool = False) -> Drawn:
    """The World of a seed, with a time step of STEPS unless given, without some features, and with those of MORE."""
    rng = np.random.default_rng([seed, 1001])
    base: Any = (False, Floating)[int(rng.integers(2))]
    mechanism = random_tree(rng, int(rng.integers(2, 13)), TYPES, base)
    start = rbdyn.Model(mechanism).random(rng)
    if base:
        start[:3] = 0.0
    world = World(STEPS[int(rng.integers(len(STEPS)))] if dt is None else dt)
    friction = float(rng.choice([0.0, 0.3, 0.8, 1.5]))
    world.set_default_material(friction=friction)
    joints = [j for j in mechanism.tree_joints if j.num_velocities == j.num_positions == 1]
    drawn = Drawn(seed, world.time_step, world, mechanism, start, friction, joints=joints)
    picked = []
    for feature in (*FEATURES, *(MORE if more else ())):
        source = np.random.default_rng([seed, zlib.crc32(feature.name.encode())])
        if source.random() < feature.chance and feature.name not in without:
            picked.append((feature, source))
    drawn.features = [feature.name for feature, _ in picked]
    for feature, source in picked:
        if feature.add:
            feature.add(source, drawn)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", rbdyn.MimicWarning)  # joints that follow others start where those say
        drawn.robot = world.add_articulated_system(mechanism)
    _throw(rng, drawn)
    for feature, source in picked:
        if feature.place:
            feature.place(source, drawn)
    return drawn


def _throw(rng: np.random.Generator, drawn: Drawn) -> None:
    """Put the robot where it starts, at speeds that loops or mimics allow and within the limits."""
    drawn.robot.set_state(drawn.q)
    v = rbdyn.project_velocity(drawn.robot.state, rng.normal(size=drawn.robot.nv))
    at = drawn.robot.model.joint_v_index
    for joint in drawn.joints:
        if joint.mimic:
            v[at(joint.name)] = joint.mimic.multiplier * v[at(joint.mimic.joint)]
    if {"loops", "mimics"} <= set(drawn.features):
        v[:] = 0.0
    speeds = [(at(j.name), j.velocity_limit) for j in drawn.joints if j.velocity_limit]
    most = max((abs(v[k]) / limit for k, limit in speeds), default=0.0)
    drawn.robot.set_state(drawn.q, v / max(most, 1.0))
