"""Mass matrices of URDF that `save_urdf(dialect=False)` has written, as Pinocchio and yourdfpy understand it.

Pinocchio computes its own.  yourdfpy reads links and joints alone; of these M is the sum of m Jv^T Jv + Jw^T I Jw over
links, with one column of J a joint.

    PYTHONPATH=tests python -m reference.urdf_readers

compares all robots of example-robot-data and 100 random mechanisms, and prints a table.
"""

from __future__ import annotations

import logging
import pathlib
import tempfile
import warnings

import numpy as np
import pinocchio as pin
import yourdfpy
from reference.dressed import example_robots

import rbdyn
from rbdyn import ExportWarning, io
from rbdyn.mechanism import (
    Fixed,
    Floating,
    Planar,
    Prismatic,
    Revolute,
    SinCosRevolute,
    Spherical,
    SPQuatFloating,
)
from rbdyn.testing.random_mechanisms import random_tree

TYPES = (Fixed, Revolute, SinCosRevolute, Prismatic, Planar, Spherical, Floating, SPQuatFloating)
FREE = (Floating, SPQuatFloating)
SLIDES, TURNS = ("_x", "_y", "_z"), ("_yaw", "_pitch", "_roll")


def turn(axis, angle):
    """Rotation matrix, by Rodrigues' formula."""
    x, y, z = np.asarray(axis) / np.linalg.norm(axis)
    K = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
    return np.eye(3) + np.sin(angle) * K + (1 - np.cos(angle)) * K @ K


def quaternion(yaw, pitch, roll):
    """[w, x, y, z] of Rz(yaw) Ry(pitch) Rx(roll)."""
    (a, b, c), (s, t, u) = np.cos([yaw / 2, pitch / 2, roll / 2]), np.sin([yaw / 2, pitch / 2, roll / 2])
    return np.array([a * b * c + s * t * u, a * b * u - s * t * c, a * t * c + s * b * u, s * b * c - a * t * u])


def angular_columns(yaw, pitch):
    """Angular velocity in the parent's axes for unit rates of yaw, pitch and roll."""
    Rz, Ry = turn((0, 0, 1), yaw), turn((0, 1, 0), pitch)
    return np.column_stack([(0, 0, 1), Rz[:, 1], (Rz @ Ry)[:, 0]])


class Coordinates:
    """A random configuration of a mechanism, and the same in the one-axis joints of the file written from it.

    `values` has the coordinate of each of these joints by name, `columns` is dv/du with their rates u, in that order;
    `base` is the pose (R, p) of a floating base that the file leaves out.
    """

    def __init__(self, mechanism, rng, floating):
        self.model = rbdyn.Model(mechanism)
        self.q, self.values, self.base = self.model.neutral(), {}, None
        blocks = []
        for k, joint in enumerate(j for j in mechanism.tree_joints if j.num_velocities):
            at_q, at_v = self.model.joint_q_index(joint.name), self.model.joint_v_index(joint.name)
            block = np.zeros((self.model.nv, joint.num_velocities))
            block[at_v : at_v + joint.num_velocities] = self._joint(joint, at_q, rng, floating and k == 0)
            blocks.append(block)
        self.columns = np.hstack(blocks)
        state = rbdyn.State(self.model)
        state.set(self.q)
        M = rbdyn.mass_matrix(state)
        self.mass = self.columns.T @ M @ self.columns

    def _joint(self, joint, at, rng, hidden):
        kind, name = joint.joint_type, joint.name
        if isinstance(kind, (Spherical, *FREE)):
            angles = rng.uniform([-3, -1.2, -3], [3, 1.2, 3])
            quat = quaternion(*angles)
            E = angular_columns(angles[0], angles[1])
            if isinstance(kind, Spherical):
                self.q[at : at + 4] = quat
                self.values |= {name + ending: x for ending, x in zip(TURNS, angles, strict=True)}
                return E
            place = rng.uniform(-1, 1, 3)
            quat = quat if quat[0] >= 0 else -quat
            rotation = quat if isinstance(kind, Floating) else quat[1:] / (1 + quat[0])
            self.q[at : at + joint.num_positions] = [*place, *rotation]
            if hidden:
                R = turn((0, 0, 1), angles[0]) @ turn((0, 1, 0), angles[1]) @ turn((1, 0, 0), angles[2])
                self.base = R, place
                return np.kron(np.eye(2), R)  # Pinocchio's rates are in the base's axes
            self.values |= {name + ending: x for ending, x in zip(SLIDES + TURNS, [*place, *angles], strict=True)}
            return np.block([[np.eye(3), np.zeros((3, 3))], [np.zeros((3, 3)), E]])
        x = rng.uniform(-1, 1, joint.num_velocities)
        if isinstance(kind, Planar):
            self.values |= {name + ending: x_i for ending, x_i in zip(("_x", "_y", "_theta"), x, strict=True)}
        else:
            self.values[name] = x[0]
        self.q[at : at + joint.num_positions] = (np.sin(x[0]), np.cos(x[0])) if isinstance(kind, SinCosRevolute) else x
        return np.eye(joint.num_velocities)


def pinocchio_mass(text, coordinates):
    """M in the order of `coordinates`."""
    base = coordinates.base
    model = pin.buildModelFromXML(text, *([pin.JointModelFreeFlyer()] if base else []))
    q, order = pin.neutral(model), []
    if base:
        q[:7] = [*base[1], *pin.Quaternion(base[0]).coeffs()]
        order += range(6)
    for name, x in coordinates.values.items():
        joint = model.joints[model.getJointId(name)]
        q[joint.idx_q : joint.idx_q + joint.nq] = (np.cos(x), np.sin(x)) if joint.nq == 2 else x
        order.append(joint.idx_v)
    assert model.nv == len(order)
    M = pin.crba(model, model.createData(), q)
    return (np.triu(M) + np.triu(M, 1).T)[np.ix_(order, order)]


def yourdfpy_mass(file, coordinates):
    """M of the joints that the file has, in the order of `coordinates`."""
    urdf = yourdfpy.URDF.load(str(file), load_meshes=False, build_scene_graph=False)
    assert urdf.validate(), urdf.errors
    robot = urdf.robot
    children, joint_of = {}, {joint.child: joint for joint in robot.joints}
    for joint in robot.joints:
        children.setdefault(joint.parent, []).append(joint)
    (root,) = (link.name for link in robot.links if link.name not in joint_of)
    place = {name: k for k, name in enumerate(coordinates.values)}
    pose, twist = {root: np.eye(4)}, {root: np.zeros((6, len(place)))}  # of links: J of the world's origin
    waiting = [root]
    while waiting:
        parent = waiting.pop()
        for joint in children.get(parent, ()):
            before = pose[parent] @ (np.eye(4) if joint.origin is None else joint.origin)
            J = twist[parent].copy()
            moved = np.eye(4)
            if joint.type != "fixed":
                x, axis = coordinates.values[joint.name], before[:3, :3] @ joint.axis
                if joint.type == "prismatic":
                    moved[:3, 3] = x * joint.axis
                    J[3:, place[joint.name]] = axis
                else:
                    assert joint.type in ("revolute", "continuous")
                    moved[:3, :3] = turn(joint.axis, x)
                    J[:3, place[joint.name]], J[3:, place[joint.name]] = axis, np.cross(before[:3, 3], axis)
            pose[joint.child], twist[joint.child] = before @ moved, J
            waiting.append(joint.child)
    M = np.zeros((len(place), len(place)))
    for link in robot.links:
        if link.inertial is None:
            continue
        X = pose[link.name] @ (np.eye(4) if link.inertial.origin is None else link.inertial.origin)
        Jw, c = twist[link.name][:3], X[:3, 3]
        Jv = twist[link.name][3:] + np.cross(Jw, c, axisa=0, axisc=0)
        M += link.inertial.mass * Jv.T @ Jv + Jw.T @ X[:3, :3] @ link.inertial.inertia @ X[:3, :3].T @ Jw
    return M


def errors(mechanism, rng, folder):
    """Largest error of M beside its largest number, as Pinocchio and yourdfpy have it of the file that is written."""
    file = pathlib.Path(folder) / "robot.urdf"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ExportWarning)
        io.save_urdf(mechanism, file, dialect=False)
    text = file.read_text("utf-8")
    first = next(joint for joint in mechanism.tree_joints if joint.num_velocities)
    hidden = isinstance(first.joint_type, FREE) and f'name="{first.name}' not in text
    ours = Coordinates(mechanism, rng, hidden)
    n = len(ours.values)
    pairs = [(pinocchio_mass(text, ours), ours.mass)]
    if n:
        pairs.append((yourdfpy_mass(file, ours), ours.mass[-n:, -n:]))
    worst = [float(np.abs(theirs - M).max() / np.abs(M).max()) for theirs, M in pairs]
    return worst[0], worst[-1] if n else 0.0


def random_mechanism(seed):
    """Of all joint types of which chains are made, bodies askew in their joints, no rotors."""
    return random_tree(np.random.default_rng([seed, 44]), 10, TYPES, bool(seed % 2), rotor_inertia=False)


def main():
    logging.disable(logging.WARNING)
    rng = np.random.default_rng(0)
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        for file in example_robots():
            m = io.load_urdf(file, collision_mesh="skip")
            rows.append((pathlib.Path(file).stem, m.num_velocities, *errors(m, rng, folder)))
        for seed in range(100):
            m = random_mechanism(seed)
            rows.append((f"random {seed}", m.num_velocities, *errors(m, rng, folder)))
    print(f"{'robot':32}{'nv':>5}{'Pinocchio':>12}{'yourdfpy':>12}")
    for name, nv, *worst in rows:
        print(f"{name:32}{nv:5}{worst[0]:12.1e}{worst[1]:12.1e}")
    print(f"{len(rows)} robots; largest error of M, relative: {max(row[2] for row in rows):.1e}, "
          f"{max(row[3] for row in rows):.1e}")  # fmt: skip


if __name__ == "__main__":
    main()
