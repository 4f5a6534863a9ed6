"""Random reachable targets for inverse kinematics: how many are reached, and how long one takes.

A target is the pose of a tip at a random configuration within the position limits, or its position alone.  rbdyn stays
within the limits, with the default number of attempts.  Pinocchio is asked by the loop of its documentation, which
knows no limits: damped least-squares steps of a tenth until the error is below 1e-4, 1,000 at most.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

import rbdyn
from benchmarks import table
from benchmarks.machine import optional
from benchmarks.robots import Robot
from benchmarks.samples import Array
from rbdyn import Joint, Mechanism, Model, Revolute, RigidBody, SpatialInertia, Transform

POSES, QUICK_POSES = 500, 100
PINOCCHIO_POSES = 50  # of them: its loop runs in Python
GOAL_RATE, GOAL_TIME = 97.0, 2.0  # [%] of targets, [ms] median
EPS, STEPS, DT, DAMPING = 1e-4, 1000, 0.1, 1e-12  # of Pinocchio's loop

PANDA = Robot("Panda", "panda_description/urdf/panda.urdf", False, "panda_hand_tcp")
UR5 = Robot("UR5", "ur_description/urdf/ur5_robot.urdf", False, "tool0")
ANYMAL_LEG = Robot("ANYmal-C, leg", "anymal_c_simple_description/urdf/anymal.urdf", False, "LF_FOOT")
TALOS_ARM = Robot("Talos, torso and arm", "talos_data/robots/talos_reduced.urdf", False, "arm_left_7_link")
ICUB_ARM = Robot("iCub, torso and arm", "icub_description/robots/icub_reduced.urdf", False, "l_hand")


def rbdl_chain() -> Mechanism:
    """Axes z, y, z and x, as in KinematicsFixture of RBDL's tests."""
    m = Mechanism(RigidBody("world"))
    axes = ((0, 0, 1), (0, 1, 0), (0, 0, 1), (1, 0, 0))
    places = ((0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, -1))
    for k, (axis, place) in enumerate(zip(axes, places, strict=True)):
        body = RigidBody(f"body{k}", SpatialInertia(1.0, inertia=np.eye(3)))
        m.attach(m.bodies[-1], body, Joint(f"joint{k}", Revolute(axis)), Transform(translation=place))
    m.bodies[-1].add_frame("tip", Transform(translation=(1, 0, 0)))
    return m


@dataclass(frozen=True)
class Case:
    """A robot, its tip, and whether the tip's rotation is asked for."""

    name: str
    mechanism: Callable[[], Mechanism]
    tip: str
    turned: bool
    robot: Robot | None = None


def of_file(robot: Robot, turned: bool) -> Case:
    """A case of a robot file."""
    return Case(robot.name, robot.mechanism, robot.tip, turned, robot)


CASES = (
    of_file(PANDA, True),
    of_file(UR5, True),
    Case("RBDL's chain", rbdl_chain, "tip", False),
    of_file(ANYMAL_LEG, False),
    of_file(TALOS_ARM, True),
    of_file(ICUB_ARM, True),
)


def targets(model: Model, case: Case, count: int) -> list[Array]:
    """Poses of the tip at random configurations within the limits."""
    rng, state, found = np.random.default_rng(0), rbdyn.State(model), []
    for _ in range(count):
        state.set(model.random(rng))
        found.append(rbdyn.body_pose(state, case.tip))
    return found


def solve(model: Model, case: Case, aims: list[Array], start: str) -> tuple[float, float]:
    """Share of the targets that are reached within the limits [%], and median time [ms]."""
    rng, state, reached, times = np.random.default_rng(1), rbdyn.State(model), 0, []
    lower, upper = model.array("lower"), model.array("upper")
    for aim in aims:
        q = model.neutral() if start == "neutral" else model.random(rng)
        target = aim if case.turned else aim[:3, 3]
        began = time.thread_time()
        result = rbdyn.inverse_kinematics(model, q, case.tip, None, target, limits=True)
        times.append(time.thread_time() - began)
        state.set(result.q)
        found = rbdyn.body_pose(state, case.tip)
        gap = found - aim if case.turned else found[:3, 3] - target
        inside = bool((result.q >= lower).all() and (result.q <= upper).all())
        reached += result.success and inside and float(np.abs(gap).max()) < 1e-8
    return 100.0 * reached / len(aims), 1e3 * float(np.median(times))


class Pinocchio:
    """The loop of Pinocchio's documentation."""

    def __init__(self, pin: Any, case: Case) -> None:
        assert case.robot is not None
        self.pin, self.turned = pin, case.turned
        self.model = pin.buildModelFromUrdf(str(case.robot.path))
        self.data, self.frame = self.model.createData(), self.model.getFrameId(case.tip)

    def step(self, q: Array, aim: Any) -> tuple[Array, Array]:
        """Error and velocity at q."""
        pin, model, data = self.pin, self.model, self.data
        pin.framesForwardKinematics(model, data, q)
        here = data.oMf[self.frame]
        if self.turned:
            to = here.actInv(aim)
            error = pin.log(to).vector
            J = -pin.Jlog6(to.inverse()) @ pin.computeFrameJacobian(model, data, q, self.frame)
        else:
            error = here.rotation.T @ (aim.translation - here.translation)
            J = -pin.computeFrameJacobian(model, data, q, self.frame)[:3]
        return error, -J.T @ np.linalg.solve(J @ J.T + DAMPING * np.eye(len(J)), error)

    def solve(self, aims: list[Array], start: str) -> tuple[float, float, float]:
        """Share of the targets that are reached, with and without limits [%], and median time [ms]."""
        pin, model, reached, inside, times = self.pin, self.model, 0, 0, []
        pin.seed(1)
        for aim in aims[:PINOCCHIO_POSES]:
            q = pin.neutral(model) if start == "neutral" else pin.randomConfiguration(model)
            place, began = pin.SE3(aim), time.thread_time()
            for _ in range(STEPS):
                error, v = self.step(q, place)
                if np.linalg.norm(error) < EPS:
                    reached += 1
                    inside += bool((q >= model.lowerPositionLimit).all() and (q <= model.upperPositionLimit).all())
                    break
                q = pin.integrate(model, q, DT * v)
            times.append(time.thread_time() - began)
        count = len(aims[:PINOCCHIO_POSES])
        return 100.0 * inside / count, 100.0 * reached / count, 1e3 * float(np.median(times))


def run(quick: bool) -> None:
    """Print the table."""
    pin, rows = optional("pinocchio"), []
    for case in CASES:
        model = Model(case.mechanism())
        aims = targets(model, case, QUICK_POSES if quick else POSES)
        for start in ("neutral", "random"):
            rate, ms = solve(model, case, aims, start)
            good = "met" if rate >= GOAL_RATE and ms < GOAL_TIME else "MISSED"
            row = [case.name, "pose" if case.turned else "position", start, f"{rate:.1f}", f"{ms:.3f}", good]
            if pin is None or case.robot is None:
                row += ["-"] * 3
            else:
                row += [f"{x:.{n}f}" for x, n in zip(Pinocchio(pin, case).solve(aims, start), (0, 0, 1), strict=True)]
            rows.append(row)
    table.show(
        f"Inverse kinematics: {QUICK_POSES if quick else POSES} random reachable targets within limits; goal at least "
        f"{GOAL_RATE:g} % in under {GOAL_TIME:g} ms (median)",
        ("robot", "target", "start", "rbdyn %", "ms", "goal", "Pinocchio, in limits %", "anywhere %", "ms"),
        rows,
    )
