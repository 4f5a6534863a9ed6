"""The scenes in MuJoCo."""

from __future__ import annotations

from typing import Any

import numpy as np

from benchmarks.machine import optional
from benchmarks.robots import ANYMAL, mujoco_urdf
from benchmarks.scenes.in_rbdyn import anymal_start
from benchmarks.scenes.types import (
    AIR_HEIGHT,
    BALL_MASS,
    BALL_RADIUS,
    CUBE,
    CUBE_MASS,
    FEET,
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
)

mj: Any = optional("mujoco")
HARD_SOLREF = 0.005  # [s]


class MjSimulation:
    """An mjModel and its mjData, and what to look at."""

    def __init__(self, model: Any, data: Any, is_robot: bool, is_stack: bool) -> None:
        self.model, self.data, self.is_robot, self.is_stack = model, data, is_robot, is_stack
        self.scratch = mj.MjData(model)
        self.foot_geoms = _foot_geoms(model) if is_robot else []
        mj.mj_forward(model, data)
        self.feet = self._feet()

    def step(self, n: int) -> None:
        mj.mj_step(self.model, self.data, n)

    def observe(self) -> dict[str, float]:
        d = self.data
        distances = d.contact.dist[: d.ncon]
        touching = distances <= TOUCHING
        seen = {
            "contacts": float(touching.sum()),
            "depth mm": 1e3 * float(max(-distances.min(initial=0.0), 0.0)),
            "iterations": float(d.solver_niter.sum()),
        }
        if self.is_robot:
            seen["energy J"] = self._energy()
            seen["slip mm"] = 1e3 * float(np.linalg.norm(self._feet() - self.feet, axis=1).max())
        if self.is_stack:
            seen["top m"] = float(d.qpos[-5])
        return seen

    def mark_feet(self) -> None:
        """Slip counts from here."""
        self.feet = self._feet()

    def _feet(self) -> Array:
        """Where the feet are on the ground [m], (4, 2)."""
        return np.array(self.data.geom_xpos[self.foot_geoms, :2])

    def _energy(self) -> float:
        """Kinetic and potential energy [J] of the present state, computed beside the simulation."""
        mj.mj_copyData(self.scratch, self.model, self.data)
        mj.mj_forward(self.model, self.scratch)
        mj.mj_energyPos(self.model, self.scratch)
        mj.mj_energyVel(self.model, self.scratch)
        return float(self.scratch.energy.sum())


def _foot_geoms(model: Any) -> list[int]:
    """The sphere of each foot, in the order of FEET."""
    spheres = np.flatnonzero(model.geom_type == mj.mjtGeom.mjGEOM_SPHERE)
    by_leg = {model.body(model.geom_bodyid[k]).name[:2]: int(k) for k in spheres}
    return [by_leg[leg] for leg in FEET]


def build(scene: Scene, hard: bool = False, solver: str = "Newton") -> MjSimulation:
    """A scene at its start, with MuJoCo's defaults or its hard settings."""
    if scene.name in ("standing", "limp", "air"):
        spec = _anymal(scene.name)
    elif scene.name == "stack20":
        spec = _stack()
    else:
        spec = _balls(scene.name)
    spec.option.timestep = scene.dt
    model = spec.compile()
    model.opt.solver = getattr(mj.mjtSolver, f"mjSOL_{solver.upper()}")
    if hard:
        model.opt.cone = mj.mjtCone.mjCONE_ELLIPTIC
        model.opt.impratio = 10.0
        model.opt.noslip_iterations = 3
        model.geom_solref[:, 0] = HARD_SOLREF
    data = mj.MjData(model)
    if scene.name in ("standing", "limp", "air"):
        _place(model, data, scene.name)
    return MjSimulation(model, data, scene.name in ("standing", "limp", "air"), scene.name == "stack20")


def _plane(spec: Any, friction: float) -> None:
    plane = spec.worldbody.add_geom(type=mj.mjtGeom.mjGEOM_PLANE, size=[0.0, 0.0, 1.0])
    plane.friction[0] = friction


def _anymal(name: str) -> Any:
    spec = mj.MjSpec.from_string(mujoco_urdf(ANYMAL))
    for geom in spec.geoms:  # robot against ground only
        geom.contype, geom.conaffinity = 1, 0
        geom.friction[0] = FRICTION
    for joint in spec.joints:
        joint.damping[:] = 0.0
        joint.limited = 0
        if name == "standing" and joint.type == mj.mjtJoint.mjJNT_HINGE:
            joint.damping[0] = KD
            motor = spec.add_actuator(name=joint.name, target=joint.name, trntype=mj.mjtTrn.mjTRN_JOINT)
            motor.gainprm[0] = KP
            motor.biastype = mj.mjtBias.mjBIAS_AFFINE
            motor.biasprm[1] = -KP
    if name != "air":
        _plane(spec, FRICTION)
    return spec


def _place(model: Any, data: Any, name: str) -> None:
    """ANYmal in its stance: positions, speeds, targets."""
    rb_model, q = anymal_start()
    data.qpos[:7] = q[:7]
    if name == "air":
        data.qpos[2] = AIR_HEIGHT
    speeds = air_speeds(rb_model.nv - 6)
    for k, joint in enumerate(rb_model.joint_names[1:]):
        angle = q[rb_model.joint_q_index(joint)]
        data.joint(joint).qpos = angle
        if name == "air":
            data.joint(joint).qvel = speeds[k]
        if name == "standing":
            data.actuator(joint).ctrl = angle


def _stack() -> Any:
    spec = mj.MjSpec()
    _plane(spec, FRICTION)
    for z in cube_heights():
        body = spec.worldbody.add_body(pos=[0.0, 0.0, z])
        body.add_freejoint()
        cube = body.add_geom(type=mj.mjtGeom.mjGEOM_BOX, size=[CUBE / 2] * 3, mass=CUBE_MASS)
        cube.friction[0] = FRICTION
    return spec


def _balls(name: str) -> Any:
    in_tray = name == "balls666"
    spec = mj.MjSpec()
    spec.memory = 1 << 30
    _plane(spec, TRAY_FRICTION)
    if in_tray:
        for x, y in ((1, 0), (-1, 0), (0, 1), (0, -1)):
            wall = spec.worldbody.add_geom(
                type=mj.mjtGeom.mjGEOM_PLANE, size=[0.0, 0.0, 1.0], pos=[-x * TRAY / 2, -y * TRAY / 2, 0.0]
            )
            half = 0.5**0.5  # a quarter turn takes the plane's normal from z to (x, y, 0)
            wall.quat = [half, -y * half, x * half, 0.0]
    for position in ball_grid(666, 10) if in_tray else ball_grid(216, 6):
        body = spec.worldbody.add_body(pos=position)
        body.add_freejoint()
        body.add_geom(type=mj.mjtGeom.mjGEOM_SPHERE, size=[BALL_RADIUS, 0.0, 0.0], mass=BALL_MASS)
    for geom in spec.geoms:
        geom.condim = 3 if in_tray else 1
        geom.friction[0] = TRAY_FRICTION
    return spec
