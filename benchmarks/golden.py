"""Bits of results, before and after a change: python -m benchmarks.golden [--write] [--only TEXT].

golden.txt holds one digest a line: of the state of a scene at every tenth of its 1,000 steps, of a trajectory of
`simulate`, of inverse kinematics, and of each algorithm on five robots.  Bits are those of one build on one kind of
machine (docs/decisions.md): write the file with the code before a change, compare with the code after it.
"""

from __future__ import annotations

import argparse
import hashlib
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

import rbdyn
from benchmarks.robots import ANYMAL, PANDA, TALOS, Robot
from benchmarks.scenes import in_rbdyn
from benchmarks.scenes.types import Scene
from rbdyn.world import World

FILE = Path(__file__).with_suffix(".txt")
UR5 = Robot("UR5", "ur_description/urdf/ur5_robot.urdf", False, "wrist_3_link")
ICUB = Robot("iCub", "icub_description/robots/icub_reduced.urdf", True, "l_wrist_1")
ROBOTS = (ANYMAL, TALOS, PANDA, UR5, ICUB)
STEPS, PIECES = 1000, 10
SCENES = (
    ("standing", 2.5e-3),
    ("limp", 2.5e-3),
    ("air", 1e-3),
    ("stack20", 5e-3),
    ("balls216", 1e-2),
)


def digest(*values: Any) -> str:
    """The first 16 hexadecimal digits of the SHA-256 of the bits of some arrays."""
    sha = hashlib.sha256()
    for value in values:
        sha.update(np.ascontiguousarray(value, dtype=np.float64).tobytes())
    return sha.hexdigest()[:16]


# ---- scenes ----------------------------------------------------------------------------------


def pile(count: int = 50, seed: int = 11) -> World:
    """Boxes of random sizes and poses that fall on one another."""
    rng = np.random.default_rng(seed)
    world = World(5e-3)
    world.add_ground()
    for k in range(count):
        x, y, z = rng.uniform(0.1, 0.3, 3)
        box = world.add_box(x, y, z, mass=800.0 * x * y * z)
        quat = rng.normal(size=4)
        box.set_pose((*rng.uniform(-0.4, 0.4, 2), 0.3 + 0.22 * k), quat / np.linalg.norm(quat))
    return world


def bits_of(world: World) -> str:
    """Digest of everything that moves in a World."""
    values = []
    for obj in world.objects:
        if hasattr(obj, "model"):
            values += [obj.q, obj.v]
        else:
            values += [obj.position, obj.orientation, obj.linear_velocity, obj.angular_velocity]
    return digest(*values)


def scene_entries(name: str, world: World) -> Iterator[tuple[str, str]]:
    """Digests along a scene."""
    for piece in range(PIECES):
        world.step(STEPS // PIECES)
        yield f"scene {name} {(piece + 1) * STEPS // PIECES}", bits_of(world)


# ---- algorithms ------------------------------------------------------------------------------


class Case:
    """A robot in motion."""

    def __init__(self, robot: Robot, seed: int) -> None:
        rng = np.random.default_rng(seed)
        self.model = rbdyn.Model(robot.mechanism())
        self.state = rbdyn.State(self.model)
        self.q, self.q2 = self.model.random(rng), self.model.random(rng)
        self.v, self.vd, self.tau = rng.normal(size=(3, self.model.nv))
        self.state.set(self.q, self.v)
        self.tip, self.other = robot.tip, self.model.body_names[1]
        self.x = rng.normal(size=3)
        self.push = {self.tip: rng.normal(size=6)}


def _inverse_kinematics(c: Case) -> Any:
    goal = rbdyn.State(c.model)
    goal.set(c.q2, np.zeros(c.model.nv))
    found = rbdyn.inverse_kinematics(c.model, c.q, c.tip, None, rbdyn.body_pose(goal, c.tip)[:3, 3])
    return np.append(found.q, found.residual)


def _simulate(c: Case) -> Any:
    state = rbdyn.State(c.model)
    state.set(c.q, 0.1 * c.v)
    run = rbdyn.simulate(state, 0.1, 1e-3)
    return np.concatenate([run.q[-1], run.v[-1]])


CALLS: dict[str, Callable[[Case], Any]] = {
    "forward_kinematics": lambda c: rbdyn.forward_kinematics(c.state),
    "body_velocities": lambda c: rbdyn.body_velocities(c.state),
    "body_accelerations": lambda c: rbdyn.body_accelerations(c.state, c.vd),
    "mass_matrix": lambda c: rbdyn.mass_matrix(c.state),
    "mass_matrix_times": lambda c: rbdyn.mass_matrix_times(c.state, c.vd),
    "inverse_mass_matrix": lambda c: rbdyn.inverse_mass_matrix(c.state),
    "solve_mass_matrix": lambda c: rbdyn.solve_mass_matrix(c.state, c.tau),
    "bias_forces": lambda c: rbdyn.bias_forces(c.state, c.push),
    "inverse_dynamics": lambda c: rbdyn.inverse_dynamics(c.state, c.vd, c.push),
    "forward_dynamics": lambda c: rbdyn.forward_dynamics(c.state, c.tau, c.push),
    "inverse_dynamics_derivatives": lambda c: np.array(rbdyn.inverse_dynamics_derivatives(c.state, c.vd)),
    "forward_dynamics_derivatives": lambda c: np.array(rbdyn.forward_dynamics_derivatives(c.state, c.tau)),
    "coriolis_matrix": lambda c: rbdyn.coriolis_matrix(c.state),
    "momentum": lambda c: rbdyn.momentum(c.state),
    "momentum_matrix": lambda c: rbdyn.momentum_matrix(c.state),
    "momentum_bias": lambda c: rbdyn.momentum_bias(c.state),
    "angular_momentum": lambda c: rbdyn.angular_momentum(c.state, c.x),
    "center_of_mass": lambda c: rbdyn.center_of_mass(c.state),
    "center_of_mass_jacobian": lambda c: rbdyn.center_of_mass_jacobian(c.state),
    "energy": lambda c: [rbdyn.kinetic_energy(c.state), rbdyn.potential_energy(c.state)],
    "joint_wrenches": lambda c: rbdyn.joint_wrenches(c.state, c.vd),
    "point_velocity_6d": lambda c: rbdyn.point_velocity_6d(c.state, c.tip, c.x),
    "point_acceleration_6d": lambda c: rbdyn.point_acceleration_6d(c.state, c.vd, c.tip, c.x),
    "point_jacobian": lambda c: rbdyn.point_jacobian(c.state, c.tip, c.x),
    "point_jacobian_6d": lambda c: rbdyn.point_jacobian_6d(c.state, c.tip, c.x),
    "point_jacobian_dot_6d": lambda c: rbdyn.point_jacobian_dot_6d(c.state, c.tip, c.x),
    "body_spatial_jacobian": lambda c: rbdyn.body_spatial_jacobian(c.state, c.tip),
    "body_spatial_jacobian_dot": lambda c: rbdyn.body_spatial_jacobian_dot(c.state, c.tip),
    "spatial_velocity": lambda c: rbdyn.spatial_velocity(c.state, c.tip, c.other),
    "spatial_acceleration": lambda c: rbdyn.spatial_acceleration(c.state, c.vd, c.tip, c.other),
    "relative_body_spatial_jacobian": lambda c: rbdyn.relative_body_spatial_jacobian(c.state, c.other, c.tip),
    "relative_body_spatial_jacobian_dot": lambda c: rbdyn.relative_body_spatial_jacobian_dot(c.state, c.other, c.tip),
    "relative_point_jacobian_6d": lambda c: rbdyn.relative_point_jacobian_6d(c.state, c.other, c.tip),
    "relative_point_jacobian_dot_6d": lambda c: rbdyn.relative_point_jacobian_dot_6d(c.state, c.other, c.tip),
    "relative_point_jacobian_dot_6d in a moving frame": lambda c: rbdyn.relative_point_jacobian_dot_6d(
        c.state, c.other, c.tip, c.tip
    ),
    "relative_point_velocity_6d": lambda c: rbdyn.relative_point_velocity_6d(c.state, c.other, c.tip),
    "relative_point_acceleration_6d": lambda c: rbdyn.relative_point_acceleration_6d(c.state, c.vd, c.other, c.tip),
    "sparse_point_jacobian_6d": lambda c: rbdyn.sparse_point_jacobian_6d(c.state, c.tip, c.x).values,
    "integrate": lambda c: rbdyn.integrate(c.model, c.q, c.v, 0.1),
    "difference": lambda c: rbdyn.difference(c.model, c.q, c.q2),
    "inverse_kinematics": _inverse_kinematics,
    "simulate": _simulate,
}


def entries(only: str) -> Iterator[tuple[str, str]]:
    """Name and digest of everything that is watched, where the name holds the text `only`."""
    for robot in ROBOTS:
        cases = None
        for call, compute in CALLS.items():
            name = f"{call} {robot.name}"
            if only in name:
                cases = cases or [Case(robot, seed) for seed in range(3)]
                yield name, digest(*(compute(c) for c in cases))
    for scene, dt in SCENES:
        if only in f"scene {scene}":
            yield from scene_entries(scene, in_rbdyn.build(Scene(scene, dt, 0, 0, 0, 1, None, ())).world)
    if only in "scene pile50":
        yield from scene_entries("pile50", pile())


def main() -> int:
    """Write the digests, or compare with those written: 1 if one differs."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.golden", description=__doc__)
    parser.add_argument("--write", action="store_true", help="write golden.txt instead of comparing with it")
    parser.add_argument("--only", default="", help="entries whose name holds this text")
    options = parser.parse_args()
    if options.write:
        FILE.write_text("".join(f"{value}  {name}\n" for name, value in entries("")))
        return 0
    known = {name: value for value, name in (line.split("  ", 1) for line in FILE.read_text().splitlines())}
    seen = differ = 0
    for name, value in entries(options.only):
        seen += 1
        if known.get(name) != value:
            differ += 1
            print(f"differs: {name}")
    print(f"{seen - differ} of {seen} digests are equal to those in {FILE.name}")
    return 1 if differ else 0


if __name__ == "__main__":
    sys.exit(main())
