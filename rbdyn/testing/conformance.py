"""What a collision backend says of each pair of shapes at random poses, beside an oracle that shares nothing with it.

The oracle is the definition: the least push that frees one convex shape of another is the least, over all directions,
of how far the one reaches beyond the other.  It is looked for over a lattice of directions, and then around the best.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

import numpy as np

from rbdyn.arguments import shown, whole
from rbdyn.collision.backend import CollisionBackend
from rbdyn.collision.distance import distance
from rbdyn.collision.shapes import (
    Box,
    Capsule,
    Cone,
    ConvexHull,
    Cylinder,
    Ellipsoid,
    HalfSpace,
    Mesh,
    Shape,
    Sphere,
)
from rbdyn.errors import CollisionError

NAMES = ("half_space", "sphere", "box", "capsule", "cylinder", "cone", "ellipsoid", "hull", "mesh")
LATTICE = 400  # directions
ROUNDS = 14  # of looks around the best direction, each at half the distance
AROUND = 12  # directions of such a look
DEEP, SHALLOW = 0.3, 0.01  # shares of the smaller size by which shapes overlap at most; the second of meshes
GAP = 0.15  # by which they are apart at most
SURE = 1e-5  # share of the smaller size beyond which the oracle's word counts
SCALES, FAR = (1e-3, 1e3), 1e6  # of lengths; [m] from the origin


def samples() -> dict[str, Shape]:
    """A shape of each kind, about 0.1 m in each direction from its centre."""
    cloud = np.random.default_rng(3).normal(size=(20, 3)) * (0.11, 0.09, 0.08)
    hull = ConvexHull(cloud)
    shapes = (
        HalfSpace(),
        Sphere(0.1),
        Box((0.2, 0.3, 0.15)),
        Capsule(0.08, 0.2),
        Cylinder(0.1, 0.2),
        Cone(0.12, 0.25),
        Ellipsoid((0.1, 0.15, 0.08)),
        hull,
        Mesh(hull.hull.vertices, hull.hull.triangles),
    )
    return dict(zip(NAMES, shapes, strict=True))


@dataclass
class PairReport:
    """What was found of one pair of shapes.

    Parameters
    ----------
    pair : (str, str)
        Names of the shapes.
    poses, overlaps : int
        At how many they were looked at, and at how many of these they overlap.
    missed, phantom : int
        Overlaps without a contact; contacts of positive depth where the shapes are apart.
    depth_error : (poses,) ndarray
        Depth less the least push that frees them, where both are known: shares of the smaller size.
    push_excess : (poses,) ndarray
        The push along the normal that frees them, less the least one: likewise.
    moved, swapped, scaled, far : float
        By how much a depth differs at worst after a rigid motion, with the shapes in the other order, at 1e-3 and 1e3
        of the size, and 1e6 m from the origin: shares of the smaller size.
    invalid : int
        Answers that are not finite, not of unit normal, not between the surfaces, or an error.
    """

    pair: tuple[str, str]
    poses: int = 0
    overlaps: int = 0
    missed: int = 0
    phantom: int = 0
    invalid: int = 0
    depth_error: np.ndarray = field(default_factory=lambda: np.empty(0))
    push_excess: np.ndarray = field(default_factory=lambda: np.empty(0))
    moved: float = 0.0
    swapped: float = 0.0
    scaled: float = 0.0
    far: float = 0.0

    def row(self) -> str:
        """One line of `conformance_table`."""
        error = np.abs(self.depth_error)
        middle, worst = (float(np.median(error)), float(error.max())) if len(error) else (0.0, 0.0)
        excess = float(self.push_excess.max()) if len(self.push_excess) else 0.0
        numbers = (middle, worst, excess, self.moved, self.swapped, self.scaled, self.far)
        name = f"{self.pair[0]}, {self.pair[1]}"
        counts = f"{self.overlaps:8d} {self.missed:6d} {self.phantom:7d} {self.invalid:7d}"
        return f"{name:24s} {counts} " + " ".join(f"{x:8.0e}" for x in numbers)


HEAD = (
    f"{'pair':24s} {'overlaps':>8s} {'missed':>6s} {'phantom':>7s} {'invalid':>7s} "
    + " ".join(f"{name:>8s}" for name in ("depth", "worst", "push", "moved", "swapped", "scaled", "far"))
)  # fmt: skip


def conformance_table(reports: Iterable[PairReport]) -> str:
    """The reports of `conformance` as text, a line a pair; errors are shares of the smaller shape's radius.

    Parameters
    ----------
    reports : iterable of PairReport
        What `conformance` returned.

    Returns
    -------
    table : str

    Raises
    ------
    CollisionError
        If they are none.
    """
    rows = list(reports) if isinstance(reports, Iterable) else [reports]
    for report in rows:
        if not isinstance(report, PairReport):
            raise CollisionError(f"reports must hold PairReport values, got {shown(report)}")
    return "\n".join([HEAD, *(report.row() for report in rows)])


def conformance(
    backend: CollisionBackend,
    shapes: Mapping[str, Shape] | Iterable[str] = NAMES,
    poses: int = 200,
    seed: int = 0,
) -> list[PairReport]:
    """Ask a backend for every pair of shapes at random poses, and compare each answer with the definition.

    Nothing is demanded here: the reports say what is so.  `check_collision_backend` demands.

    Parameters
    ----------
    backend : CollisionBackend
        Empty, with margin 0; it is empty again afterwards.
    shapes : mapping from names to convex Shape or Mesh, or iterable of names
        What to pair with what; by default samples of all kinds, "half_space", "sphere", "box", "capsule", "cylinder",
        "cone", "ellipsoid", "hull" and "mesh".  A Mesh must be the boundary of a convex solid.
    poses : int
        Of each pair.
    seed : int
        Of the poses.

    Returns
    -------
    reports : list of PairReport
        One for each pair; two half-spaces, which never meet, make none.

    Raises
    ------
    CollisionError
        If an argument is wrong.
    """
    if not isinstance(backend, CollisionBackend):
        raise CollisionError(f"backend must be a CollisionBackend, got {shown(backend)}")
    if len(backend) or backend.margin != 0.0:
        raise CollisionError(f"backend must be empty with margin 0, has {len(backend)} shapes, margin {backend.margin}")
    count = whole(poses, "poses", least=1, error=CollisionError)
    if isinstance(shapes, Mapping):
        known = dict(shapes)
    else:
        names = [shapes] if isinstance(shapes, str) else list(shapes)
        if not set(names) <= set(NAMES):
            raise CollisionError(f"shapes must be among {', '.join(NAMES)}, got {shown(names)}")
        every = samples()
        known = {name: every[name] for name in names}
    pairs = [
        (a, b)
        for a, b in itertools.combinations_with_replacement(known, 2)
        if not (isinstance(known[a], HalfSpace) and isinstance(known[b], HalfSpace))
    ]
    return [
        report_of(backend, pair, known[pair[0]], known[pair[1]], count, seed) for pair in pairs
    ]


# ---- the oracle ------------------------------------------------------------------------------


def reach(shape: Shape, directions: np.ndarray) -> np.ndarray:
    """How far a convex shape reaches along directions (..., 3), in its own frame [m]."""
    x, y, z = np.moveaxis(directions, -1, 0)
    if isinstance(shape, Sphere):
        return np.full(x.shape, shape.radius) * np.linalg.norm(directions, axis=-1)
    if isinstance(shape, Box):
        return np.asarray(np.abs(directions) @ (0.5 * np.array(shape.size)))
    if isinstance(shape, Capsule):
        return np.asarray(shape.radius * np.linalg.norm(directions, axis=-1) + 0.5 * shape.height * np.abs(z))
    if isinstance(shape, Cylinder):
        return np.asarray(shape.radius * np.hypot(x, y) + 0.5 * shape.height * np.abs(z))
    if isinstance(shape, Cone):
        return np.asarray(np.maximum(shape.radius * np.hypot(x, y) - 0.5 * shape.height * z, 0.5 * shape.height * z))
    if isinstance(shape, Ellipsoid):
        return np.asarray(np.linalg.norm(directions * np.array(shape.radii), axis=-1))
    if isinstance(shape, (ConvexHull, Mesh)):
        return np.asarray((directions @ shape.vertices.T).max(axis=-1))
    flat = directions.reshape(-1, 3)
    return np.array([d @ shape.farthest(d) for d in flat]).reshape(x.shape)


def _push(a: Shape, X: np.ndarray, b: Shape, Y: np.ndarray, n: np.ndarray) -> np.ndarray:
    """How far a at poses X (k, 4, 4) must go along n (k, m, 3) to be free of b at Y [m]."""
    beyond_a = reach(a, -np.einsum("kmi,kij->kmj", n, X[:, :3, :3])) - np.einsum("kmi,ki->km", n, X[:, :3, 3])
    if isinstance(b, HalfSpace):
        return beyond_a + np.einsum("kmi,ki->km", n, Y[:, :3, 3])
    beyond_b = reach(b, np.einsum("kmi,kij->kmj", n, Y[:, :3, :3])) + np.einsum("kmi,ki->km", n, Y[:, :3, 3])
    return np.asarray(beyond_a + beyond_b)


def _least_push(
    a: Shape, X: np.ndarray, b: Shape, Y: np.ndarray, hints: np.ndarray, starts: int = 6
) -> tuple[np.ndarray, np.ndarray]:
    """The least over all directions (k,) [m], negative if they are apart, and that direction (k, 3).

    It is looked for around the hints (k, m, 3), too.
    """
    if isinstance(b, HalfSpace):
        return _push(a, X, b, Y, Y[:, None, :3, 2])[:, 0], Y[:, :3, 2]
    k = np.arange(LATTICE) + 0.5
    z, phi = 1.0 - 2.0 * k / LATTICE, np.pi * (1.0 + 5.0**0.5) * k
    lattice = np.stack([np.sqrt(1.0 - z * z) * np.cos(phi), np.sqrt(1.0 - z * z) * np.sin(phi), z], axis=1)
    every = np.broadcast_to(lattice, (len(X), LATTICE, 3))
    values = _push(a, X, b, Y, every)
    order = np.argsort(values, axis=1)[:, :starts]
    begin = np.concatenate([np.take_along_axis(every, order[..., None], axis=1), hints], axis=1)
    least, along = np.full(len(X), np.inf), np.zeros((len(X), 3))
    angle = 2.0 * np.pi * np.arange(AROUND) / AROUND
    rows = np.arange(len(X))
    for s in range(begin.shape[1]):
        n, spread = begin[:, s], 0.12
        best = _push(a, X, b, Y, n[:, None])[:, 0]
        for _ in range(ROUNDS):
            u = np.cross(n, np.eye(3)[np.abs(n).argmin(axis=1)])
            u /= np.linalg.norm(u, axis=1)[:, None]
            w = np.cross(n, u)
            ring = np.cos(angle)[None, :, None] * u[:, None] + np.sin(angle)[None, :, None] * w[:, None]
            ring = n[:, None] + spread * ring
            ring /= np.linalg.norm(ring, axis=2)[..., None]
            found = _push(a, X, b, Y, ring)
            at = found.argmin(axis=1)
            better = found[rows, at] < best
            n = np.where(better[:, None], ring[rows, at], n)
            best = np.where(better, found[rows, at], best)
            spread = spread * 0.5
        along = np.where((best < least)[:, None], n, along)
        least = np.minimum(least, best)
    return least, along


def _parting(a: Shape, X: np.ndarray, b: Shape, Y: np.ndarray) -> np.ndarray:
    """Normals that `distance` names (k, 3), as hints: whether a plane parts two shapes is seen, whoever names it."""
    solid_a, solid_b = (ConvexHull(s.vertices) if isinstance(s, Mesh) else s for s in (a, b))
    return distance(solid_a, X, solid_b, Y).normal


# ---- random poses, and the backend's answers ---------------------------------------------------


def _size(a: Shape, b: Shape) -> float:
    """Radius of the smaller of two [m]."""
    return min(np.inf if isinstance(s, HalfSpace) else s.data().radius for s in (a, b))


def _rotations(rng: np.random.Generator, n: int) -> np.ndarray:
    q = rng.normal(size=(n, 4))
    w, x, y, z = (q / np.linalg.norm(q, axis=1)[:, None]).T
    rows = [
        [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
        [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
        [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
    ]
    return np.moveaxis(np.array(rows), 2, 0)


def _poses(rng: np.random.Generator, a: Shape, b: Shape, n: int) -> tuple[np.ndarray, np.ndarray]:
    """Random poses at which the shapes overlap, or are apart, by about as much as was said above."""
    X, Y = (np.tile(np.eye(4), (n, 1, 1)) for _ in range(2))
    X[:, :3, :3], Y[:, :3, :3] = _rotations(rng, n), _rotations(rng, n)
    shallow = isinstance(a, Mesh) or isinstance(b, Mesh)
    gap = _size(a, b) * rng.uniform(-(SHALLOW if shallow else DEEP), GAP * (0.1 if shallow else 1.0), n)
    along = rng.normal(size=(n, 3))
    along /= np.linalg.norm(along, axis=1)[:, None]
    if isinstance(b, HalfSpace):
        along = Y[:, :3, 2]
    X[:, :3, 3] += 1.2 * _push(a, X, b, Y, along[:, None]) * along
    for _ in range(2):  # to where they all but touch, and from there
        push, out = _least_push(a, X, b, Y, along[:, None], starts=1)
        X[:, :3, 3] += push[:, None] * out
    X[:, :3, 3] += gap[:, None] * out
    return X, Y


def _deepest(
    backend: CollisionBackend, a: Shape, X: np.ndarray, b: Shape, Y: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray, int]:
    """Depth (not a number: no contact), normal into a, and position of the deepest contact at each pose; errors.

    Surfaces have contacts of several normals, each where it is: of these the one along which the whole is freed first.
    """
    surface = any(isinstance(s, Mesh) for s in (a, b)) and not any(isinstance(s, HalfSpace) for s in (a, b))
    ids = backend.add_shape(a, 0), backend.add_shape(b, 1)
    n = len(X)
    depth, normal, position, errors = np.full(n, np.nan), np.zeros((n, 3)), np.zeros((n, 3)), 0
    try:
        for k in range(n):
            try:
                found = backend.query(np.array([X[k], Y[k]]))
            except CollisionError:
                errors += 1
                continue
            if len(found):
                m = found["normal"]
                push = _push(a, X[k : k + 1], b, Y[k : k + 1], m[None])[0] if surface else -found["depth"]
                one = found[np.argmin(push)]
                depth[k], normal[k], position[k] = one["depth"], one["normal"], one["position"]
    finally:
        for shape_id in ids:
            backend.remove_shape(shape_id)
    return depth, normal, position, errors


def report_of(
    backend: CollisionBackend, pair: tuple[str, str], a: Shape, b: Shape, poses: int, seed: int
) -> PairReport:
    """Everything of one pair."""
    if isinstance(a, HalfSpace):
        a, b = b, a
    rng = np.random.default_rng([seed, *pair[0].encode(), *pair[1].encode()])
    size = _size(a, b)
    X, Y = _poses(rng, a, b, poses)
    depth, normal, position, errors = _deepest(backend, a, X, b, Y)
    report = PairReport(pair, poses, invalid=errors)
    met = np.isfinite(depth)
    unit = np.abs(np.linalg.norm(normal, axis=1) - 1.0) < 1e-6
    n = np.where(unit[:, None], normal, (0.0, 0.0, 1.0))
    push = _push(a, X, b, Y, n[:, None])[:, 0]
    least, _ = _least_push(a, X, b, Y, n[:, None])
    odd = ~(np.abs(np.where(met, depth, 0.0) - np.maximum(least, 0.0)) < SURE * size)
    if odd.any():  # a closer look, from many directions
        near = _parting(a, X[odd], b, Y[odd])
        hints = np.stack([n[odd], near], axis=1)
        least[odd] = np.minimum(least[odd], _least_push(a, X[odd], b, Y[odd], hints, starts=80)[0])
    beyond = np.einsum("ki,ki->k", n, position) - (_top(b, Y, n) - 0.5 * push)
    report.invalid += int((met & (~unit | ~np.isfinite(position).all(axis=1) | (np.abs(beyond) > 0.02 * size))).sum())
    report.overlaps = int((least > 0.0).sum())
    report.missed = int((~met & (least > SURE * size)).sum())
    report.phantom = int((met & (depth > SURE * size) & (least < -SURE * size)).sum())
    sure = met & (least > 0.0)
    report.depth_error, report.push_excess = (depth - least)[sure] / size, (push - least)[sure] / size
    few = np.flatnonzero(sure)[: max(10, poses // 20)]
    _compare_moved(backend, report, a, X[few], b, Y[few], depth[few], rng)
    return report


def _top(b: Shape, Y: np.ndarray, n: np.ndarray) -> np.ndarray:
    """The coordinate along n (k, 3) of b's farthest point [m]."""
    if isinstance(b, HalfSpace):
        return np.einsum("ki,ki->k", n, Y[:, :3, 3])
    return np.asarray(reach(b, np.einsum("ki,kij->kj", n, Y[:, :3, :3])) + np.einsum("ki,ki->k", n, Y[:, :3, 3]))


def _compare_moved(
    backend: CollisionBackend,
    report: PairReport,
    a: Shape,
    X: np.ndarray,
    b: Shape,
    Y: np.ndarray,
    depth: np.ndarray,
    rng: np.random.Generator,
) -> None:
    """The same scenes elsewhere, in the other order, and at other sizes."""
    if len(X) == 0:
        return
    size = _size(a, b)

    def worst(found: np.ndarray, scale: float = 1.0) -> float:
        return float(np.nan_to_num(np.abs(found / scale - depth), nan=np.inf).max() / size)

    M = np.tile(np.eye(4), (len(X), 1, 1))
    M[:, :3, :3], M[:, :3, 3] = _rotations(rng, len(X)), rng.uniform(-3.0, 3.0, (len(X), 3))
    report.moved = worst(_deepest(backend, a, M @ X, b, M @ Y)[0])
    report.swapped = worst(_deepest(backend, b, Y, a, X)[0])
    far = np.eye(4)
    far[:3, 3] = FAR
    report.far = worst(_deepest(backend, a, far @ X, b, far @ Y)[0])
    for scale in SCALES:
        big, large = scaled(a, scale), scaled(b, scale)
        U, V = X.copy(), Y.copy()
        U[:, :3, 3] *= scale
        V[:, :3, 3] *= scale
        report.scaled = max(report.scaled, worst(_deepest(backend, big, U, large, V)[0], scale))


def scaled(shape: Shape, s: float) -> Shape:
    """A shape of another size; CollisionError for what is not known here."""
    if isinstance(shape, HalfSpace):
        return shape
    if isinstance(shape, Sphere):
        return Sphere(s * shape.radius)
    if isinstance(shape, Box):
        return Box((s * shape.size[0], s * shape.size[1], s * shape.size[2]))
    for kind in (Capsule, Cylinder, Cone):
        if isinstance(shape, kind):
            return kind(s * shape.radius, s * shape.height)
    if isinstance(shape, Ellipsoid):
        return Ellipsoid((s * shape.radii[0], s * shape.radii[1], s * shape.radii[2]))
    if isinstance(shape, ConvexHull):
        return ConvexHull(s * shape.vertices)
    if isinstance(shape, Mesh):
        return Mesh(s * shape.vertices, shape.faces)
    raise CollisionError(f"a {shape.kind} cannot be made larger here")
