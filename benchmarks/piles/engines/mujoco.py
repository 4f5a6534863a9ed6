"""MuJoCo, with its default solver, another one, or its hard settings."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from benchmarks.machine import optional
from benchmarks.piles.engines.engine import Motion
from benchmarks.piles.scenes import DT, FRICTION, Thing

mj: Any = optional("mujoco")


class MujocoEngine:
    """An mjModel and its mjData."""

    def __init__(self, things: Sequence[Thing], solver: str = "NEWTON", hard: bool = False) -> None:
        spec = mj.MjSpec()
        spec.memory = 1 << 30
        spec.option.timestep = DT
        spec.worldbody.add_geom(type=mj.mjtGeom.mjGEOM_PLANE, size=[0.0, 0.0, 1.0])
        for thing in things:
            self._add(spec, thing)
        for geom in spec.geoms:
            geom.friction[0] = FRICTION
        self.model = spec.compile()
        self.model.opt.solver = getattr(mj.mjtSolver, f"mjSOL_{solver}")
        if hard:
            self.model.opt.cone = mj.mjtCone.mjCONE_ELLIPTIC
            self.model.opt.impratio = 10.0
            self.model.geom_solref[:, 0] = 2.0 * DT
        self.data = mj.MjData(self.model)
        self.free = np.array([not thing.static for thing in things])
        self.data.qvel.reshape(-1, 6)[:, :3] = [thing.velocity for thing in things if not thing.static]
        mj.mj_forward(self.model, self.data)

    def _add(self, spec: Any, thing: Thing) -> None:
        body = spec.worldbody.add_body(pos=thing.position, quat=thing.orientation)
        half = [0.5 * s for s in thing.size]
        size = {"box": half, "sphere": [thing.size[0], 0, 0]}.get(thing.shape, [thing.size[0], half[-1], 0.0])
        body.add_geom(type=getattr(mj.mjtGeom, f"mjGEOM_{thing.shape.upper()}"), size=size, mass=thing.mass)
        if not thing.static:
            body.add_freejoint()
            body.explicitinertial = True
            body.mass = thing.mass
            body.inertia = thing.inertia()
            body.ipos, body.iquat = np.zeros(3), np.array([1.0, 0.0, 0.0, 0.0])

    def step(self) -> None:
        mj.mj_step(self.model, self.data)

    def motion(self) -> Motion:
        seen = Motion.empty(len(self.free))
        seen.position[:] = self.data.xpos[1:]
        seen.orientation[:] = self.data.xquat[1:]
        q, v = self.data.qpos.reshape(-1, 7), self.data.qvel.reshape(-1, 6)
        seen.position[self.free], seen.orientation[self.free] = q[:, :3], q[:, 3:]
        seen.velocity[self.free] = v[:, :3]
        for row, quat, w in zip(np.flatnonzero(self.free), q[:, 3:], v[:, 3:], strict=True):
            mj.mju_rotVecQuat(seen.spin[row], w, quat)
        return seen
