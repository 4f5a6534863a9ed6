"""The scenes in rbdyn."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

import rbdyn
from benchmarks.robots import ANYMAL
from benchmarks.scenes.types import (
    AIR_HEIGHT,
    BALL_MASS,
    BALL_RADIUS,
    CUBE,
    CUBE_MASS,
    FEET,
    FOOT_RADIUS,
    FRICTION,
    KD,
    KP,
    TOUCHING,
    TRAY,
    TRAY_FRICTION,
    Array,
    Scene,
    air_speeds,
    ball_grid,
    cube_heights,
    stance,
)
from rbdyn.collision import HalfSpace
from rbdyn.world import World


class WorldSimulation:
    """A World, and what to look at."""

    def __init__(self, world: World, robot: Any = None, bodies: Sequence[Any] = ()) -> None:
        self.world, self.robot, self.bodies = world, robot, bodies
        self.feet = self._feet()

    def step(self, n: int) -> None:
        self.world.step(n)

    def observe(self) -> dict[str, float]:
        contacts = [c for c in self.world.contacts if c.depth >= -TOUCHING]
        seen = {
            "contacts": float(len(contacts)),
            "depth mm": 1e3 * max((c.depth for c in contacts), default=0.0),
            "iterations": float(getattr(self.world.contact, "iterations", 0)),
        }
        if self.robot is not None:
            state = self.robot.state
            seen["energy J"] = rbdyn.kinetic_energy(state) + rbdyn.potential_energy(state)
            seen["slip mm"] = 1e3 * float(np.linalg.norm(self._feet() - self.feet, axis=1).max())
        if self.bodies:
            seen["top m"] = float(self.bodies[-1].position[2])
        return seen

    def mark_feet(self) -> None:
        """Slip counts from here."""
        self.feet = self._feet()

    def _feet(self) -> Array:
        """Where the feet are on the ground [m], (4, 2)."""
        if self.robot is None:
            return np.zeros((4, 2))
        return np.array([self.robot.body_pose(f"{leg}_FOOT")[:2, 3] for leg in FEET])


def anymal_start() -> tuple[rbdyn.Model, Array]:
    """The model, and q (nq,) of the nominal stance with the feet on the ground."""
    model = rbdyn.Model(ANYMAL.mechanism())
    q = model.neutral()
    for name in model.joint_names[1:]:
        q[model.joint_q_index(name)] = stance(name)
    state = rbdyn.State(model)
    state.set(q)
    q[2] += FOOT_RADIUS - min(rbdyn.body_pose(state, f"{leg}_FOOT")[2, 3] for leg in FEET)
    return model, q


def build(scene: Scene) -> WorldSimulation:
    """A scene at its start."""
    world = World(scene.dt)
    if scene.name in ("standing", "limp", "air"):
        return _anymal(world, scene.name)
    if scene.name == "stack20":
        return _stack(world)
    return _balls(world, scene.name)


def _anymal(world: World, name: str) -> WorldSimulation:
    _, q = anymal_start()
    robot = world.add_articulated_system(ANYMAL.mechanism(), self_collision=False)
    v = np.zeros(robot.nv)
    if name == "air":
        q[2] = AIR_HEIGHT
        v[6:] = air_speeds(robot.nv - 6)
    else:
        world.add_ground()
        world.set_default_material(friction=FRICTION)
    robot.set_state(q, v)
    if name == "standing":
        robot.set_pd_gains(KP, KD)
        robot.set_pd_target(q)
    return WorldSimulation(world, robot)


def _stack(world: World) -> WorldSimulation:
    world.set_default_material(friction=FRICTION)
    world.add_ground()
    cubes = []
    for z in cube_heights():
        cube = world.add_box(CUBE, CUBE, CUBE, CUBE_MASS)
        cube.set_pose(position=(0.0, 0.0, z))
        cubes.append(cube)
    return WorldSimulation(world, bodies=cubes)


def _balls(world: World, name: str) -> WorldSimulation:
    in_tray = name == "balls666"
    world.set_default_material(friction=TRAY_FRICTION if in_tray else 0.0)
    world.add_ground()
    if in_tray:
        for x, y in ((1, 0), (-1, 0), (0, 1), (0, -1)):
            pose = rbdyn.Transform(rpy=(-y * np.pi / 2, x * np.pi / 2, 0.0))
            wall = rbdyn.Geometry(HalfSpace(), pose)
            body = world.add_single_body([wall], 0.0, np.zeros((3, 3)), body_type="static")
            body.set_pose(position=(-x * TRAY / 2, -y * TRAY / 2, 0.0))
    for position in ball_grid(666, 10) if in_tray else ball_grid(216, 6):
        world.add_sphere(BALL_RADIUS, BALL_MASS).set_pose(position=position)
    return WorldSimulation(world)
