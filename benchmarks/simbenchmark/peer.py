"""The scenes in MuJoCo, as far as it has what they ask for: a restitution it has not."""

from __future__ import annotations

from typing import Any

import numpy as np

from benchmarks.machine import optional
from benchmarks.robots import mujoco_urdf
from benchmarks.scenes.types import Array
from benchmarks.simbenchmark import scenes

mj: Any = optional("mujoco")


def empty(dt: float, friction: float | None) -> Any:
    """A specification with a ground, unless friction is None."""
    spec = mj.MjSpec()
    spec.memory = 1 << 28
    spec.option.timestep = dt
    spec.option.cone = mj.mjtCone.mjCONE_ELLIPTIC
    if friction is not None:
        ground = spec.worldbody.add_geom(type=mj.mjtGeom.mjGEOM_PLANE, size=[0.0, 0.0, 1.0])
        ground.friction[0] = friction
    return spec


def add(spec: Any, name: str, place: Any, friction: float, mass: float, **geometry: Any) -> None:
    """A free body of one geometry."""
    body = spec.worldbody.add_body(name=name, pos=place)
    body.add_freejoint()
    geom = body.add_geom(mass=mass, **geometry)
    geom.friction[0] = friction
    geom.condim = 3 if friction > 0.0 else 1


class Compiled:
    """A model and its data."""

    def __init__(self, spec: Any) -> None:
        self.model = spec.compile()
        self.data = mj.MjData(self.model)
        mj.mj_forward(self.model, self.data)

    def step(self, n: int) -> None:
        mj.mj_step(self.model, self.data, n)


class Rolling(Compiled):
    """As in bodies.py.  Of two frictions MuJoCo takes the larger one."""

    def __init__(self, dt: float) -> None:
        spec = empty(dt, scenes.ON_GROUND)
        box, height = mj.mjtGeom.mjGEOM_BOX, 0.5 * scenes.BOX[2]
        add(spec, "box", [0.0, 0.0, height], scenes.ON_GROUND, scenes.BOX_MASS, type=box, size=np.array(scenes.BOX) / 2)
        ball, size = mj.mjtGeom.mjGEOM_SPHERE, [scenes.ROLLER_RADIUS, 0.0, 0.0]
        for k, place in enumerate(scenes.rollers()):
            add(spec, f"ball{k}", place, scenes.ON_BOX, scenes.ROLLER_MASS, type=ball, size=size)
        super().__init__(spec)
        self.data.body("box").xfrc_applied[:3] = scenes.PUSH * scenes.PUSH_AXIS

    def error(self, t: float) -> float:
        exact = scenes.rolling_speeds(t)
        speeds = self.data.qvel[:3], self.data.qvel[-6:-3]
        return sum(float(((v - x * scenes.PUSH_AXIS) ** 2).sum()) for v, x in zip(speeds, exact, strict=True))


class Piled(Compiled):
    """As in bodies.py."""

    def __init__(self, dt: float) -> None:
        spec, ball = empty(dt, 0.0), mj.mjtGeom.mjGEOM_SPHERE
        for k, place in enumerate(scenes.balls()):
            add(spec, f"ball{k}", place, 0.0, scenes.BALL_MASS, type=ball, size=[scenes.BALL_RADIUS, 0.0, 0.0])
        super().__init__(spec)

    def error(self, t: float) -> float:
        return scenes.overlaps(self.data.qpos.reshape(-1, 7)[:, :3])


def anymal(dt: float, integrator: str, gravity: float) -> Any:
    """The robot alone, without limits and damping."""
    spec = mj.MjSpec.from_string(mujoco_urdf(scenes.ANYMAL_B))
    spec.option.timestep, spec.option.gravity = dt, [0.0, 0.0, -gravity]
    spec.option.integrator = getattr(mj.mjtIntegrator, f"mjINT_{integrator.upper()}")
    for joint in spec.joints:
        joint.damping[:] = 0.0
        joint.limited = 0
    for geom in spec.geoms:  # not with itself
        geom.contype, geom.conaffinity, geom.condim = 1, 2, 1
    return spec


class Hit(Compiled):
    """As in anymal.py."""

    def __init__(self, dt: float, integrator: str = "Euler") -> None:
        spec = anymal(dt, integrator, 0.0)
        body = spec.worldbody.add_body(name="ball", pos=[0.0, -scenes.HIT_FROM, scenes.START_HEIGHT])
        body.add_freejoint()
        size = [scenes.HIT_RADIUS, 0.0, 0.0]
        body.mass, body.explicitinertial = scenes.HIT_MASS, True
        body.inertia = [0.4 * scenes.HIT_MASS * scenes.HIT_RADIUS**2] * 3
        ball = body.add_geom(type=mj.mjtGeom.mjGEOM_SPHERE, size=size)
        ball.contype, ball.conaffinity, ball.condim = 2, 1, 1
        super().__init__(spec)
        self.data.qpos[2] = scenes.START_HEIGHT
        self.data.qvel[-5] = scenes.HIT_SPEED
        self.scratch = mj.MjData(self.model)
        self.start = self.momentum()

    def momentum(self) -> Array:
        """Linear [N s]."""
        mj.mj_copyData(self.scratch, self.model, self.data)
        mj.mj_forward(self.model, self.scratch)
        mj.mj_subtreeVel(self.model, self.scratch)
        mass: Array = self.model.body_subtreemass[0] * self.scratch.subtree_linvel[0]
        return mass

    def error(self, t: float) -> float:
        return float(((self.momentum() - self.start) ** 2).sum())


class Thrown(Compiled):
    """As in anymal.py."""

    def __init__(self, dt: float, integrator: str = "Euler") -> None:
        super().__init__(anymal(dt, integrator, scenes.G))
        self.data.qpos[2] = scenes.START_HEIGHT
        self.scratch = mj.MjData(self.model)
        self.data.xfrc_applied[1, 2] = 2.0 * scenes.G * self.model.body_subtreemass[1]
        self.step(round(scenes.THROW_TIME / dt))
        self.data.xfrc_applied[:] = 0.0
        self.start = self.energy()

    def energy(self) -> float:
        """[J]"""
        mj.mj_copyData(self.scratch, self.model, self.data)
        for compute in (mj.mj_forward, mj.mj_energyPos, mj.mj_energyVel):
            compute(self.model, self.scratch)
        return float(self.scratch.energy.sum())

    def error(self, t: float) -> float:
        return (self.energy() - self.start) ** 2
