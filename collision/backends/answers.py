"""What other libraries say of contacts, looked at before it is believed."""

from __future__ import annotations

import numpy as np

from rbdyn.collision.shapes import Shape

Found = tuple[np.ndarray, np.ndarray, float, int]


class UntrustedError(Exception):
    """A library has no answer for a pair."""


def farthest(shape: Shape, pose: np.ndarray, direction: np.ndarray) -> np.ndarray:
    """The point of a convex shape that reaches farthest along a world direction."""
    return pose[:3, :3] @ shape.farthest(direction @ pose[:3, :3]) + pose[:3, 3]


def is_extreme(shape: Shape) -> bool:
    """Whether a shape is thinner than 1e-5 of its size, or of no usual size: a library may then never return."""
    known = shape.data()
    sides = (b + e + known.ball for b, e in zip(known.box, known.ellipsoid, strict=True))
    return not 1e-4 < known.radius < 1e5 or min(sides) < 1e-5 * known.radius


def overlap_along(
    normal: np.ndarray, shape_a: Shape, pose_a: np.ndarray, shape_b: Shape, pose_b: np.ndarray
) -> float:
    """How far a must move along `normal` to be free of b [m]."""
    return float(normal @ (farthest(shape_b, pose_b, normal) - farthest(shape_a, pose_a, -normal)))


def outward(
    normal: np.ndarray, shape_a: Shape, pose_a: np.ndarray, shape_b: Shape, pose_b: np.ndarray
) -> tuple[np.ndarray, float]:
    """The unit normal into a and the overlap along it: of both signs the one that frees a sooner.

    A normal without a length is replaced by the best of the shapes' axes and of the line of centres.
    """
    length = float(np.linalg.norm(normal))
    if 0.5 < length < 2.0:
        candidates = [normal / length]
    else:
        candidates = [*pose_a[:3, :3].T, *pose_b[:3, :3].T]
        line = pose_a[:3, 3] - pose_b[:3, 3]
        if np.linalg.norm(line) > 1e-12:
            candidates.append(line / np.linalg.norm(line))
    signed = [s * n for n in candidates for s in (-1.0, 1.0)]
    overlaps = [overlap_along(n, shape_a, pose_a, shape_b, pose_b) for n in signed]
    best = int(np.argmin(overlaps))
    return signed[best], overlaps[best]


def between(
    x: np.ndarray, normal: np.ndarray, shape_a: Shape, pose_a: np.ndarray, shape_b: Shape, pose_b: np.ndarray
) -> np.ndarray:
    """A point, put between the two shapes along `normal` if it does not lie there."""
    low, high = normal @ farthest(shape_a, pose_a, -normal), normal @ farthest(shape_b, pose_b, normal)
    return np.asarray(x + (np.clip(normal @ x, min(low, high), max(low, high)) - normal @ x) * normal)


def numbered(found: list[tuple[np.ndarray, np.ndarray, float]], pose: np.ndarray, near: float) -> list[Found]:
    """Contacts without repetitions, numbered by their place in the frame `pose`, so that numbers keep."""
    local = [tuple(np.round((x - pose[:3, 3]) @ pose[:3, :3], 4)) for x, _, _ in found]
    kept: list[Found] = []
    for k in sorted(range(len(found)), key=local.__getitem__):
        x, normal, depth = found[k]
        if all(np.abs(x - y).max() > near or normal @ other < 0.999 for y, other, _, _ in kept):
            kept.append((x, normal, depth, len(kept)))
    return kept
