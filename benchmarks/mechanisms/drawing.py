"""A random mechanism in a World: a tree of any joints, and on it what each line of FEATURES adds by chance.

Each feature has a source of chance of its own, by its place in FEATURES: a seed without one of them is the same
mechanism otherwise, and what is appended changes none of those before.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

import rbdyn
from rbdyn.collision import shapes
from rbdyn.mechanism import Floating, Geometry, Joint, Mechanism, Planar, Prismatic, Revolute, Spherical
from rbdyn.testing.random_mechanisms import random_transform, random_tree
from rbdyn.world import World
from rbdyn.world.objects.articulated_system import ArticulatedSystem

Array = NDArray[np.float64]
TYPES = (Revolute, Revolute, Revolute, Revolute, Prismatic, Spherical, Planar)
STEPS = (1e-3, 2e-3, 5e-3)  # [s]
HEIGHT = 1.5  # [m] of the root above the ground


@dataclass
class Drawn:
    """A World with one random robot, and what the laws have to know of it."""

    seed: int
    dt: float
    world: World
    mechanism: Mechanism
    q: Array                                   # where it starts, of Model(mechanism)
    friction: float                            # of all contacts
    robot: ArticulatedSystem = None            # type: ignore[assignment]
    features: list[str] = field(default_factory=list)
    joints: list[Joint] = field(default_factory=list)      # of one degree of freedom
    constraints: list[Any] = field(default_factory=list)   # what World.add_... returned


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
    for body in drawn.mechanism.bodies[1:]:
        kind = int(rng.integers(4))
        size = rng.uniform(0.03, 0.15, 3)
        shape = (shapes.Sphere(size[0]), shapes.Box(2 * size), shapes.Capsule(size[0], 2 * size[1]), None)[kind]
        if shape is not None:
            body.collision.append(Geometry(shape, random_transform(rng)))


def _bounce(rng: np.random.Generator, drawn: Drawn) -> None:
    drawn.world.set_default_material(friction=drawn.friction, restitution=rng.uniform(0.1, 1.0))


def _ground(rng: np.random.Generator, drawn: Drawn) -> None:
    drawn.world.add_ground(-HEIGHT)


def _boxes(rng: np.random.Generator, drawn: Drawn) -> None:
    for _ in range(int(rng.integers(1, 4))):
        x, y, z = rng.uniform(0.1, 0.5, 3)
        box = drawn.world.add_box(x, y, z, mass=_log(rng, 0.1, 20.0))
        q = rng.normal(size=4)
        box.set_pose((*rng.uniform(-1.5, 1.5, 2), rng.uniform(-1.0, 3.0)), q / np.linalg.norm(q))
        box.set_velocity(rng.normal(size=3), rng.normal(size=3))


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
    Feature("limits", 0.6, add=_limits),
    Feature("velocity limits", 0.3, add=_velocity_limits),
    Feature("friction", 0.4, add=_friction),
    Feature("damping", 0.3, add=_damping),
    Feature("springs", 0.3, add=_springs),
    Feature("efforts", 0.5, add=_efforts),
    Feature("shapes", 0.6, add=_shapes),
    Feature("ground", 0.6, add=_ground),
    Feature("bounce", 0.3, add=_bounce),
    Feature("boxes", 0.3, place=_boxes),
    Feature("gains", 0.5, place=_gains),
    Feature("push", 0.3, place=_push),
)


def draw(seed: int, dt: float | None = None, without: Collection[str] = ()) -> Drawn:
    """The World of a seed, with a time step of STEPS unless given, and without some features."""
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
    for k, feature in enumerate(FEATURES):
        source = np.random.default_rng([seed, 1002 + k])
        if source.random() < feature.chance and feature.name not in without:
            picked.append((feature, source))
    drawn.features = [feature.name for feature, _ in picked]
    for feature, source in picked:
        if feature.add:
            feature.add(source, drawn)
    drawn.robot = world.add_articulated_system(mechanism)
    _throw(rng, drawn)
    for feature, source in picked:
        if feature.place:
            feature.place(source, drawn)
    return drawn


def _throw(rng: np.random.Generator, drawn: Drawn) -> None:
    """Put the robot where it starts, each joint at some speed within its limit."""
    v = rng.normal(size=drawn.robot.nv)
    for joint in drawn.joints:
        if joint.velocity_limit is not None:
            k = drawn.robot.model.joint_v_index(joint.name)
            v[k] = np.clip(v[k], -joint.velocity_limit, joint.velocity_limit)
    drawn.robot.set_state(drawn.q, v)
