"""Four closed legs walk in place, twice: python -m benchmarks.mechanisms.walking [--seconds S] [--planar].

The loops of one robot are eliminated, those of its twin are rows of the contact problem.  Prints how far the two are
apart, and how far their loops are open.  Each leg is a five-bar linkage of two coaxial motors below a hip that swings
sideways; `--planar` leaves the hips out: then nothing says how four feet share forces sideways, and the two ways part.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

import rbdyn
from rbdyn import Fixed, Joint, Mechanism, Revolute, RigidBody, SpatialInertia, Transform, World
from rbdyn.collision.shapes import Sphere
from rbdyn.contact import BisectionSolver
from rbdyn.world import ArticulatedSystem

THIGH, SHANK, FOOT = 0.1, 0.2, 0.02  # [m]
SPREAD = 1.1  # how far the thighs of a leg stand off the vertical [rad]
CORNERS = {"LF": (0.2, 0.12), "RF": (0.2, -0.12), "LH": (-0.2, 0.12), "RH": (-0.2, -0.12)}  # [m]
PERIOD, LIFT = 0.6, 0.35  # of the gait [s], of a thigh [rad]


def _along(*xyz: float) -> Transform:
    return Transform(translation=xyz)


def _rod(name: str, mass: float, length: float) -> RigidBody:
    """A thin rod along -z of its frame."""
    J = mass * length**2 / 12
    return RigidBody(name, SpatialInertia(mass, (0, 0, -length / 2), np.diag([J, J, 1e-5])))


def closed_legs(hips: bool = True) -> Mechanism:
    """A trunk on four five-bar legs, the shanks of each pinned at its foot."""
    m = Mechanism(RigidBody("root"))
    trunk = RigidBody("trunk", SpatialInertia(5.0, (0, 0, 0), np.diag([0.03, 0.07, 0.09])))
    m.attach(m.root_body, trunk, Joint("base", rbdyn.Floating()))
    hinge = Revolute((0, 1, 0))
    for leg, (x, y) in CORNERS.items():
        hip = RigidBody(f"{leg}_hip_link", SpatialInertia(0.2, (0, 0, 0), 3e-4 * np.eye(3)))
        m.attach(trunk, hip, Joint(f"{leg}_hip", Revolute((1, 0, 0)) if hips else Fixed()), _along(x, y, 0))
        shanks = []
        for side in "ab":
            thigh, shank = _rod(f"{leg}_thigh_{side}", 0.15, THIGH), _rod(f"{leg}_shank_{side}", 0.1, SHANK)
            m.attach(hip, thigh, Joint(f"{leg}_motor_{side}", hinge))
            m.attach(thigh, shank, Joint(f"{leg}_knee_{side}", hinge), _along(0, 0, -THIGH))
            shanks.append(shank)
        shanks[0].collision = [rbdyn.Geometry(Sphere(FOOT), _along(0, 0, -SHANK))]
        m.attach(*shanks, Joint(f"{leg}_pin", hinge), _along(0, 0, -SHANK), _along(0, 0, SHANK))
    return m


class Walker(NamedTuple):
    """A World with the robot, and what it stands on."""

    world: World
    robot: ArticulatedSystem
    stance: np.ndarray  # (nq,)


def walker(how: str, dt: float, hips: bool = True) -> Walker:
    """On its feet, its motors and hips held by PD control; `how` as `loop_constraints`."""
    world = World(dt, contact=BisectionSolver(threshold=1e-10, max_iterations=1000))
    world.add_ground()
    robot = world.add_articulated_system(closed_legs(hips), loop_constraints=how)
    q, knee = robot.model.neutral(), np.arcsin(THIGH * np.sin(SPREAD) / SHANK)
    gains = np.zeros((2, robot.nv))
    for joint in robot.joint_names[1:]:
        sign = 1.0 if joint.endswith("a") else -1.0
        if "motor" in joint:
            q[robot.model.joint_q_index(joint)] = sign * SPREAD
        elif "knee" in joint:
            q[robot.model.joint_q_index(joint)] = -sign * (SPREAD + knee)
        if "knee" not in joint:
            gains[:, robot.model.joint_v_index(joint)] = 60.0, 1.0
    q[2] = THIGH * np.cos(SPREAD) + SHANK * np.cos(knee) + FOOT
    robot.set_state(q)
    robot.set_pd_gains(*gains)
    return Walker(world, robot, q)


def walk(one: Walker, k: int) -> None:
    """Step k: diagonal legs lift by turns."""
    target = one.stance.copy()
    for leg in CORNERS:
        phase = 2 * np.pi * k * one.world.time_step / PERIOD + (np.pi if leg in ("LF", "RH") else 0.0)
        for side, lift in (("a", LIFT), ("b", -LIFT)):
            target[one.robot.model.joint_q_index(f"{leg}_motor_{side}")] += lift * max(0.0, np.sin(phase))
    one.robot.set_pd_target(target)
    one.world.step()


class Moment(NamedTuple):
    """The two robots at the end of a step."""

    time: float
    apart: float  # largest difference of their q [rad or m]
    open: float  # largest loop error of both [rad or m]
    contacts: int
    height: float  # of the trunk [m]


def both_ways(seconds: float, dt: float = 1e-3, hips: bool = True) -> Iterator[Moment]:
    """Walk with eliminated loops and with rows, step by step."""
    pair = [walker(how, dt, hips) for how in ("eliminate", "inloop")]
    for k in range(round(seconds / dt)):
        for one in pair:
            walk(one, k)
        a, b = (one.robot for one in pair)
        opened = max(np.abs(one.robot.loop_error).max() for one in pair)
        yield Moment(k * dt + dt, float(np.abs(a.q - b.q).max()), float(opened), len(pair[0].world.contacts), a.q[2])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seconds", type=float, default=20.0)
    parser.add_argument("--dt", type=float, default=1e-3, help="time step [s]")
    parser.add_argument("--planar", action="store_true", help="legs without hips")
    given = parser.parse_args()
    apart = opened = 0.0
    for moment in both_ways(given.seconds, given.dt, not given.planar):
        apart, opened = max(apart, moment.apart), max(opened, moment.open)
        if round(moment.time / given.dt) % round(1.0 / given.dt) == 0:
            print(f"{moment.time:6.1f} s   apart by {apart:8.1e}   open by {opened:8.1e} rad or m", flush=True)


if __name__ == "__main__":
    main()
