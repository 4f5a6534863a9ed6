"""Compare the kernels of each joint type with the type's own definition, when the package is imported.

A type that a function of dispatch.pxd does not know falls to that function's general case, which is right for some
types and a wrong number for others.  So each function is evaluated once for each type, and compared with what
`JointType.pose` and `JointType.motion_subspace` say; rates are compared with central differences.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np

from rbdyn.errors import MechanismError
from rbdyn.mechanism.joints import TYPES, JointType
from rbdyn.model.joints.bench import JointBench
from rbdyn.spatial.rotations import Array, matrix_from_rotvec

TABLE = "rbdyn/model/joints/dispatch.pxd"
EXACT = 1e-9  # of numbers of order 1
STEP = 1e-4  # of central differences, which are off by some 1e-8
DIFFERENCE = 1e-6  # of numbers of order 1, for those

Compared = tuple[str, Any, Any, float]  # name of a function, what it gives, what the definition says, tolerance


def check_kernels(types: Iterable[type[JointType]] = TYPES) -> None:
    """Raise MechanismError naming the type and the function if a kernel of a type is missing or differs."""
    for cls in types:
        if cls.num_velocities:
            for name, found, wanted, tolerance in _compared(cls):
                if not (np.abs(np.subtract(found, wanted)) <= tolerance).all():
                    raise MechanismError(
                        f"joint type {cls.__name__}: {name} of {TABLE} does not know it, or does not agree with "
                        f"{cls.__name__}.pose and motion_subspace; give it a line there (docs/extending.md)"
                    )


def _cross(a: Array, b: Array) -> Array:
    """a x b of motion vectors."""
    return np.concatenate([np.cross(a[:3], b[:3]), np.cross(a[:3], b[3:]) + np.cross(a[3:], b[:3])])


class _Definition:
    """A joint as its type says, in the axes that kernels work in."""

    def __init__(self, joint_type: JointType) -> None:
        self.type, self.turn = joint_type, joint_type.canonical_rotation()

    def pose(self, q: Array) -> tuple[Array, Array]:
        """Rotation and translation of the after-frame in the before-frame."""
        pose = self.type.pose(q)
        return self.turn @ pose.rotation @ self.turn.T, self.turn @ pose.translation

    def columns(self, q: Array) -> Array:
        """S in body coordinates."""
        S = self.type.motion_subspace(q)
        return np.concatenate([self.turn @ S[:3], self.turn @ S[3:]])


def _compared(cls: type[JointType]) -> Iterator[Compared]:
    """Every function of dispatch.pxd, at a random place of a random joint of the type."""
    rng = np.random.default_rng(0)
    tree = np.eye(4)
    tree[:3, :3], tree[:3, 3] = matrix_from_rotvec(np.array([0.3, -0.5, 0.8])), (0.4, -0.2, 0.7)
    joint_type = cls.random_type(matrix_from_rotvec(np.array([0.7, 0.2, -0.4])), rng)
    bench, definition = JointBench(joint_type, tree), _Definition(joint_type)
    q, v = joint_type.random(rng), rng.uniform(0.5, 1.0, cls.num_velocities)
    yield from _manifold(bench, definition, q, v)
    yield from _columns(bench, definition, tree, q, v)
    yield from _rates(bench, definition, tree, q, v)
    yield from _loop(bench, definition, q, v)


def _manifold(bench: JointBench, definition: _Definition, q: Array, v: Array) -> Iterator[Compared]:
    """The exponential map."""
    behind, ahead = (bench.integrate(q, v, h) for h in (-STEP, STEP))
    (R0, p0), (R1, p1), (R, _) = definition.pose(behind), definition.pose(ahead), definition.pose(q)
    W = R.T @ (R1 - R0) / (2.0 * STEP)
    twist = np.concatenate([(W[2, 1], W[0, 2], W[1, 0]), R.T @ (p1 - p0) / (2.0 * STEP)])
    yield "integrate_joint", twist, definition.columns(q) @ v, DIFFERENCE
    yield "difference_joint", bench.difference(q, bench.integrate(q, v, 0.3)), 0.3 * v, EXACT


def _columns(bench: JointBench, definition: _Definition, tree: Array, q: Array, v: Array) -> Iterator[Compared]:
    """What depends on q alone."""
    S, (R, p) = definition.columns(q), definition.pose(q)
    bench.put(q, v)
    E, r = bench.transform()
    yield "joint_transform", E, R.T @ tree[:3, :3].T, EXACT
    yield "joint_transform", r, tree[:3, 3] + tree[:3, :3] @ p, EXACT
    yield "joint_motion", bench.motion(v), S @ v, EXACT
    start = np.arange(1.0, 7.0)
    yield "add_joint_motion", bench.motion(v, start), start + S @ v, EXACT
    yield "joint_force", bench.force(start), S.T @ start, EXACT
    h, hx = np.array([0.3, -0.1, 0.2]), np.array([[0.0, -0.2, -0.1], [0.2, 0.0, -0.3], [0.1, 0.3, 0.0]])
    inertia = np.array([[1.0, 0.1, 0.2], [0.1, 1.5, -0.1], [0.2, -0.1, 0.8]])
    A = np.block([[inertia, hx], [hx.T, 2.0 * np.eye(3)]])
    momenta, U, D = bench.inertia(2.0, h, inertia)
    yield "momentum_column", momenta, A @ S, EXACT
    yield "joint_inertia", U, A @ S, EXACT
    yield "joint_inertia", D, np.tril(S.T @ A @ S), EXACT
    n = definition.type.num_translations
    turned = tree[:3, :3]
    columns, translations = bench.columns(turned)
    yield "joint_columns_from", columns, np.concatenate([turned.T @ S[:3], turned.T @ S[3:]]), EXACT
    yield "joint_columns_from", translations, n, 0.0
    yield "translations", bench.translations(), n, 0.0
    rotations = v[n:]
    turn = np.linalg.norm(rotations) if len(rotations) == 3 else max(rotations, default=0.0)
    yield "joint_turn", bench.turn(v), turn, EXACT


def _rates(bench: JointBench, definition: _Definition, tree: Array, q: Array, v: Array) -> Iterator[Compared]:
    """How columns change."""
    S, n, turned = definition.columns(q), definition.type.num_translations, tree[:3, :3]
    behind, ahead = (bench.integrate(q, v, h) for h in (-STEP, STEP))
    rate = (definition.columns(ahead) - definition.columns(behind)) / (2.0 * STEP)
    velocity, own = np.arange(1.0, 7.0), S @ v
    bench.put(q, v)
    yield "joint_bias", bench.bias(velocity), rate @ v + _cross(velocity, own), DIFFERENCE
    spin = np.concatenate([own[:3], np.zeros(3)])
    there = rate + np.array([_cross(spin, s) for s in S.T]).T
    there = np.concatenate([turned.T @ there[:3], turned.T @ there[3:]])
    yield "joint_column_rates", bench.column_rates(turned), there, DIFFERENCE
    free = len(v) - 3 if len(v) - n == 3 else len(v)  # from here on axes are fixed in the parent
    for k, unit in enumerate(np.eye(len(v))):
        bench.put(q, unit)
        turn = np.concatenate([S[:3, k], np.zeros(3)])
        carried = [_cross(turn, s) if k < j < free else np.zeros(6) for j, s in enumerate(S.T)]
        yield "has_3dof_rotation", bench.column_rates(np.eye(3)), np.array(carried).T, EXACT


def _loop(bench: JointBench, definition: _Definition, q: Array, v: Array) -> Iterator[Compared]:
    """As a joint outside the tree, which is closed."""
    (R, p), allowed = definition.pose(q), bench.allowed()
    yield "allowed_directions", allowed.sum(), len(v), 0.0

    def velocity(q: Array) -> Array:
        """(w, d') in the before-frame."""
        S, R = definition.columns(q), definition.pose(q)[0]
        return np.concatenate([R @ S[:3], R @ S[3:]])

    seen = np.array([bench.row_motion(R, s) for s in velocity(q).T]).T
    yield "loop_rows", seen[~allowed], np.zeros((6 - len(v), len(v))), EXACT
    yield "loop_rows", seen[allowed].T @ seen[allowed], np.eye(len(v)), EXACT
    behind, ahead = (bench.integrate(q, v, h) for h in (-STEP, STEP))
    (R0, R1), (v0, v1) = [definition.pose(x)[0] for x in (behind, ahead)], [velocity(x) @ v for x in (behind, ahead)]
    rate = (bench.row_motion(R1, v1) - bench.row_motion(R0, v0)) / (2.0 * STEP)
    yield "row_rate", bench.row_rate(R, velocity(q) @ v, (v1 - v0) / (2.0 * STEP)), rate, DIFFERENCE
    f, a = np.arange(1.0, 7.0), np.array([0.3, -0.4, 0.9, 0.5, -0.7, 0.2])
    yield "row_force", bench.row_force(R, f) @ a, f @ bench.row_motion(R, a), EXACT
    errors = []
    for h in (-STEP, 0.0, STEP):
        C = matrix_from_rotvec(h * a[:3]) @ R
        errors.append(bench.row_motion(C, np.concatenate([bench.rotation_error(C, p[2]), np.zeros(3)]))[:3])
    blocked = ~allowed[:3]
    yield "loop_rotation_error", errors[1][blocked], 0.0, EXACT
    wanted = bench.row_motion(R, np.concatenate([a[:3], np.zeros(3)]))[:3]
    yield "loop_rotation_error", (errors[2] - errors[0])[blocked] / (2.0 * STEP), wanted[blocked], DIFFERENCE
    if len(q) == 1:
        yield "loop_joint_coordinate", bench.coordinate(R, p[2]), q[0], EXACT
