"""Scenes and plain mechanics that the World's tests share."""

from __future__ import annotations

import site
import sys
import threading
from pathlib import Path

import numpy as np

import rbdyn
from rbdyn import models
from rbdyn.contact import BisectionSolver
from rbdyn.models import QUADRUPED_STANCE
from rbdyn.world import World

G = 9.81


def exact(friction_law="coulomb", **options):
    """The default solver, driven to rounding."""
    settings = {"threshold": 1e-14, "max_iterations": 5000} | options
    return BisectionSolver(friction_law=friction_law, **settings)


class WaitingSolver(BisectionSolver):
    """Says when a solve has begun, and ends it when it may go on."""

    def __init__(self):
        super().__init__()
        self.entered, self.go_on = threading.Event(), threading.Event()

    def solve(self, problem):
        self.entered.set()
        assert self.go_on.wait(20)
        super().solve(problem)


def tilted(angle, direction=0.0):
    """Gravity of an incline whose slope falls along `direction` in the plane z = 0."""
    down = np.array([np.cos(direction), np.sin(direction), 0.0]) * np.sin(angle)
    return G * (down - [0.0, 0.0, np.cos(angle)])


def random_quat(rng):
    q = rng.normal(size=4)
    return q / np.linalg.norm(q)


def skew(r):
    return np.array([[0.0, -r[2], r[1]], [r[2], 0.0, -r[0]], [-r[1], r[0], 0.0]])


def energy(*bodies):
    return sum(b.kinetic_energy + b.potential_energy for b in bodies)


def linear_momentum(bodies):
    return sum(b.mass * b.linear_velocity for b in bodies)


def angular_momentum(bodies, positions=None):
    """About the origin; with `positions`, of the present velocities at those places."""
    positions = [b.position for b in bodies] if positions is None else positions
    pairs = zip(bodies, positions, strict=True)
    return sum(np.cross(r, b.mass * b.linear_velocity) + b.angular_momentum for b, r in pairs)


def standing_quadruped(world, kp=200.0, kd=4.0, **options):
    """The bundled quadruped in its stance, holding it."""
    robot = world.add_articulated_system(models.quadruped(), **options)
    robot.set_state(QUADRUPED_STANCE.q)
    robot.set_pd_gains(kp, kd)
    robot.set_pd_target(QUADRUPED_STANCE.q)
    return robot


def stack(world, n=5, side=0.2, depth=5e-6):
    """Cubes of mass 1 .. n, the lightest lowest, each this deep in the one below: less than the slop of 1e-5 m."""
    boxes = []
    for k in range(n):
        boxes.append(world.add_box(side, side, side, k + 1.0))
        boxes[-1].set_pose(position=(0.0, 0.0, side * (k + 0.5) - depth * (k + 1)))
    return boxes


def anymal_c():
    """ANYmal-C of the package example-robot-data, or None."""
    for root in {Path(folder) for folder in (*site.getsitepackages(), *sys.path) if folder.endswith("-packages")}:
        found = root / "cmeel.prefix/share/example-robot-data/robots/anymal_c_simple_description/urdf/anymal.urdf"
        if found.is_file():
            return found
    return None


FEET = ("LF_FOOT", "RF_FOOT", "LH_FOOT", "RH_FOOT")


def anymal_stance(robot, clearance=0.0):
    """HAA 0, HFE +-0.4, KFE -+0.8, feet (balls of 0.03 m) at this height above the ground."""
    q = robot.model.neutral()
    for name in robot.joint_names[1:]:
        bend = {"HAA": 0.0, "HFE": 0.4, "KFE": -0.8}[name[-3:]]
        q[robot.model.joint_q_index(name)] = bend if name[1] == "F" else -bend
    robot.set_state(q)
    q[2] += clearance + 0.03 - min(robot.body_pose(foot)[2, 3] for foot in FEET)
    robot.set_state(q)
    return q


def own_inertias(robot):
    """(nv,) pivots of the mass matrix where the robot is at its start: what a degree of freedom moves [kg m^2 or kg].

    Those before it rest, those after it are free.
    """
    state = rbdyn.State(robot.model)
    nominal = robot.mechanism.nominal_configuration
    if nominal is not None:
        state.set(nominal)
    M = rbdyn.mass_matrix(state)
    return np.array([1.0 / np.linalg.inv(M[k:, k:])[0, 0] for k in range(len(M))])


def damping_thetas(robot, damp, dt, theta):
    """(nv,) where in the step damping acts: such that it alone turns no velocity round."""
    own, stiff = own_inertias(robot), (1.0 - theta) * dt * damp
    return np.where(stiff > own, 1.0 - own / np.maximum(dt * damp, 1e-300), theta)


def dense_system(world, objects, start):
    """Contact Jacobian (3n, nv) and implicit mass matrix of a World at the start of its latest step.

    `objects` are the dynamic ones, `start` their configurations then.  Built from the list of contacts and from
    rbdyn's mass matrix and point Jacobian, which the World's rows do not use.  Normals point into object A.
    """
    columns, at, blocks = {}, 0, []
    for obj, q in zip(objects, start, strict=True):
        if hasattr(obj, "model"):
            state = rbdyn.State(obj.model)
            state.set(q)
            dt = world.time_step
            theta, gamma = {"trapezoid": (0.5, 0.5), "semi_implicit": (1.0, 1.0), "euler": (0.5, 0.0)}[world.integrator]
            if world.integrator == "trapezoid" and any(obj in (c.object_a, c.object_b) for c in world.contacts):
                gamma = 1.0  # what is in contact moves by its new velocity
            kp, kd = obj.pd_gains if obj.control_mode != "force" else (0.0, 0.0)
            stiff, damp = obj.model.array("stiffness") + kp, obj.model.array("damping") + kd
            late = damping_thetas(obj, damp, dt, theta)
            blocks.append(rbdyn.mass_matrix(state) + np.diag(late * dt * damp + theta * gamma * dt * dt * stiff))
            columns[obj] = (at, state)
        else:
            p, R = q
            block = np.zeros((6, 6))
            block[:3, :3], block[3:, 3:] = obj.mass * np.eye(3), R @ obj.inertia @ R.T
            blocks.append(block)
            columns[obj] = (at, p)
        at += len(blocks[-1])
    M = np.zeros((at, at))
    for block, (first, _) in zip(blocks, columns.values(), strict=True):
        M[first : first + len(block), first : first + len(block)] = block
    J = np.zeros((len(world.contacts), 3, at))
    for k, c in enumerate(world.contacts):
        for obj, body, sign in ((c.object_a, c.body_a, 1.0), (c.object_b, c.body_b, -1.0)):
            if obj not in columns:
                continue
            first, where = columns[obj]
            if hasattr(obj, "model"):
                H = rbdyn.body_pose(where, body)
                local = H[:3, :3].T @ (c.position - H[:3, 3])
                J[k, :, first : first + obj.nv] += sign * rbdyn.point_jacobian(where, body, local)
            else:
                J[k, :, first : first + 6] += sign * np.hstack([np.eye(3), -skew(c.position - where)])
    return J, M


__all__ = [name for name in dir() if not name.startswith("_")] + ["World"]


def about_centre(state):
    """Angular momentum about the centre of mass, and linear momentum, (6,)."""
    return np.append(rbdyn.angular_momentum(state, rbdyn.center_of_mass(state)), rbdyn.momentum(state)[3:])


def middle_of_step(before, acceleration, dt):
    """The State at which a step of second order takes its forces, from the one at its start and the acceleration there.

    u_m = u + dt a / 2 and q_m = q (+) dt u_m / 2.
    """
    state = before.copy()
    v = before.v + 0.5 * dt * acceleration
    state.set(rbdyn.integrate(before.model, before.q, v, 0.5 * dt), v)
    return state
