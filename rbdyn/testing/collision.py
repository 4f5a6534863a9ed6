"""Law tests for collision backends: run them on a backend of your own.

The interface is this suite.  Every law is a statement of geometry with a known answer; the first
one that a backend breaks is raised by name.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

import numpy as np

from rbdyn.arguments import shown
from rbdyn.collision.backend import CollisionBackend
from rbdyn.collision.shapes import Box, Capsule, HalfSpace, Shape, Sphere
from rbdyn.errors import CollisionError

SAMPLES: tuple[Shape, ...] = (HalfSpace(), Sphere(0.1), Box((0.2, 0.2, 0.2)), Capsule(0.1, 0.4))
KINDS = {sample.kind: sample for sample in SAMPLES}
ORIGIN = np.eye(4)


def at(x: float, y: float, z: float, rotation: np.ndarray | None = None) -> np.ndarray:
    """A pose (4, 4): a translation [m], and a rotation if given."""
    pose = np.eye(4)
    pose[:3, 3] = x, y, z
    if rotation is not None:
        pose[:3, :3] = rotation
    return pose


def turn(axis: int, angle: float) -> np.ndarray:
    """Rotation matrix about a coordinate axis [rad]."""
    R = np.eye(3)
    i, j = (axis + 1) % 3, (axis + 2) % 3
    R[i, i] = R[j, j] = np.cos(angle)
    R[j, i] = np.sin(angle)
    R[i, j] = -R[j, i]
    return R


Case = tuple[str, Shape, np.ndarray, Shape, np.ndarray, float, tuple[float, float, float]]


def closed_forms() -> list[Case]:
    """Pairs with their largest depth [m] and the normal into the first shape."""
    ball, cube, rod = Sphere(0.1), Box((0.2, 0.2, 0.2)), Capsule(0.1, 0.4)
    ground = HalfSpace()
    up, side = (0.0, 0.0, 1.0), (1.0, 0.0, 0.0)
    lying = turn(1, np.pi / 2)
    root2 = np.sqrt(2.0)
    diagonal = (1 / root2, 0.0, 1 / root2)
    return [
        ("sphere, half-space", ball, at(0.3, 0.2, 0.08), ground, ORIGIN, 0.02, up),
        ("box, half-space", cube, at(0.3, 0.2, 0.09), ground, ORIGIN, 0.01, up),
        ("box on its edge, half-space", cube, at(0, 0, 0.1, turn(1, np.pi / 4)), ground, ORIGIN, 0.1 * (root2 - 1), up),
        ("capsule lying, half-space", rod, at(0, 0, 0.095, lying), ground, ORIGIN, 0.005, up),
        ("capsule standing, half-space", rod, at(0, 0, 0.28), ground, ORIGIN, 0.02, up),
        ("sphere, sphere", ball, at(0.12, 0, 0.12), ball, ORIGIN, 0.2 - 0.12 * root2, diagonal),
        ("sphere, face of a box", ball, at(0.05, 0.03, 0.18), cube, ORIGIN, 0.02, up),
        ("sphere, edge of a box", ball, at(0.16, 0.03, 0.16), cube, ORIGIN, 0.1 - 0.06 * root2, diagonal),
        ("sphere inside a box", ball, at(0.06, 0.01, 0.02), cube, ORIGIN, 0.14, side),
        ("sphere, capsule's side", ball, at(0.19, 0, 0.1), rod, ORIGIN, 0.01, side),
        ("sphere, capsule's end", ball, at(0, 0, 0.38), rod, ORIGIN, 0.02, up),
        ("capsules crossed", rod, at(0, 0.02, 0.19, lying), rod, at(0, 0, 0, turn(0, np.pi / 2)), 0.01, up),
        ("capsules side by side", rod, at(0.1, 0, 0.19, lying), rod, at(0, 0, 0, lying), 0.01, up),
        ("capsules end to end", rod, at(0, 0, 0.58), rod, ORIGIN, 0.02, up),
        ("capsule on a box", rod, at(0, 0, 0.19, lying), cube, ORIGIN, 0.01, up),
        ("box on a box", cube, at(0.04, 0.03, 0.195), cube, ORIGIN, 0.005, up),
        ("box edge across box edge", cube, at(0, 0, 0.2 * root2 - 0.01, turn(1, np.pi / 4)),
         cube, at(0, 0, 0, turn(0, np.pi / 4)), 0.01, up),
    ]  # fmt: skip


class Laboratory:
    """An empty backend, and scenes made in it one after the other.

    Parameters
    ----------
    backend : CollisionBackend
        Under test.
    rng : numpy.random.Generator
        For random motions.
    sample : Shape
        A bounded shape that the backend knows, about 0.1 m in each direction from its centre.
    """

    def __init__(self, backend: CollisionBackend, rng: np.random.Generator, sample: Shape) -> None:
        self.backend = backend
        self.rng = rng
        self.sample = sample

    def contacts(self, *parts: tuple[Shape, np.ndarray], swap: bool = False) -> np.ndarray:
        """Contacts of shapes, one a body, at world poses; the backend is empty again afterwards."""
        order = parts[::-1] if swap else parts
        ids = [self.backend.add_shape(shape, body) for body, (shape, _) in enumerate(order)]
        try:
            return self.backend.query(np.array([pose for _, pose in order]))
        finally:
            for id in ids:
                self.backend.remove_shape(id)

    def motion(self) -> np.ndarray:
        """A random rigid motion."""
        Q, R = np.linalg.qr(self.rng.normal(size=(3, 3)))
        Q *= np.sign(np.diag(R))
        Q[:, 0] *= np.linalg.det(Q)
        x, y, z = self.rng.uniform(-3.0, 3.0, 3)
        return at(x, y, z, Q)


def demand(holds: bool, law: str, what: str) -> None:
    """Raise CollisionError naming the law, unless it holds."""
    if not holds:
        raise CollisionError(f"the backend breaks the law {law!r}: {what}")


def law_closed_forms(lab: Laboratory, cases: list[Case]) -> None:
    """Depth and normal have their closed-form values."""
    for name, a, X_a, b, X_b, depth, normal in cases:
        found = lab.contacts((a, X_a), (b, X_b))
        demand(len(found) > 0, "closed forms", f"{name}: no contact")
        deepest = found[np.argmax(found["depth"])]
        demand(abs(deepest["depth"] - depth) < 1e-6, "closed forms",
               f"{name}: depth {deepest['depth']:.9g}, expected {depth:.9g}")  # fmt: skip
        demand(np.abs(deepest["normal"] - normal).max() < 1e-3, "closed forms",
               f"{name}: normal {deepest['normal']}, expected {normal} (into shape A)")  # fmt: skip


def law_record(lab: Laboratory, cases: list[Case]) -> None:
    """Records are sorted, finite, with unit normals and the right bodies; the same question has the same answer."""
    for name, a, X_a, b, X_b, *_ in cases:
        found = lab.contacts((a, X_a), (b, X_b))
        again = lab.contacts((a, X_a), (b, X_b))
        for field in ("position", "normal", "depth", "feature"):
            demand(np.isfinite(found[field]).all(), "record", f"{name}: {field} is not finite")
            demand(np.array_equal(found[field], again[field]), "record", f"{name}: {field} differs when asked again")
        demand(np.abs(np.linalg.norm(found["normal"], axis=1) - 1.0).max() < 1e-9, "record", f"{name}: normal not unit")
        demand(bool((found["shape_a"] < found["shape_b"]).all()), "record", f"{name}: shape_a is not the smaller id")
        demand(bool((found["body_a"] == 0).all() and (found["body_b"] == 1).all()), "record", f"{name}: wrong bodies")
        demand(bool((np.diff(found["feature"]) > 0).all()), "record", f"{name}: features repeat: {found['feature']}")


def height_of(shape: Shape, X: np.ndarray, n: np.ndarray) -> float:
    """How far a shape reaches along n, world [m]."""
    if isinstance(shape, HalfSpace):
        return float(n @ X[:3, 3])
    return float(n @ (X[:3, 3] + X[:3, :3] @ shape.farthest(X[:3, :3].T @ n)))


def law_positions(lab: Laboratory, cases: list[Case]) -> None:
    """Every contact lies between the surfaces along its normal, and by both shapes."""
    for name, a, X_a, b, X_b, *_ in cases:
        for c in lab.contacts((a, X_a), (b, X_b)):
            n, x = c["normal"], c["position"]
            low, high = -height_of(a, X_a, -n), height_of(b, X_b, n)
            room = 1e-6 + 0.5 * abs(high - low)
            demand(abs(n @ x - 0.5 * (low + high)) <= room, "positions",
                   f"{name}: position {x} does not lie between the surfaces along the normal {n}")  # fmt: skip
            for shape, X in ((a, X_a), (b, X_b)):
                if not isinstance(shape, HalfSpace):
                    away = float(np.linalg.norm(x - X[:3, 3]))
                    demand(away <= shape.data().radius + room, "positions", f"{name}: position {x} is beside a shape")


def law_swap(lab: Laboratory, cases: list[Case]) -> None:
    """The order in which shapes are added turns the normal, and nothing else."""
    for name, a, X_a, b, X_b, *_ in cases:
        one = lab.contacts((a, X_a), (b, X_b))
        two = lab.contacts((a, X_a), (b, X_b), swap=True)
        demand(len(one) == len(two), "swap", f"{name}: {len(one)} contacts, swapped {len(two)}")
        demand(abs(one["depth"].max() - two["depth"].max()) < 1e-6, "swap", f"{name}: depths differ")
        demand(np.abs(one["normal"][0] + two["normal"][0]).max() < 1e-3, "swap", f"{name}: normals are not opposite")


def law_rigid_motion(lab: Laboratory, cases: list[Case]) -> None:
    """Moving the whole scene moves the contacts with it."""
    for name, a, X_a, b, X_b, depth, normal in cases:
        M = lab.motion()
        still, moved = lab.contacts((a, X_a), (b, X_b)), lab.contacts((a, M @ X_a), (b, M @ X_b))
        deepest = moved[np.argmax(moved["depth"])] if len(moved) else None
        demand(deepest is not None and len(still) == len(moved), "rigid motion", f"{name}: {len(still)} contacts, "
               f"after a motion {len(moved)}")  # fmt: skip
        assert deepest is not None
        demand(abs(deepest["depth"] - depth) < 1e-6, "rigid motion", f"{name}: depth {deepest['depth']:.9g}")
        demand(np.abs(deepest["normal"] - M[:3, :3] @ normal).max() < 1e-3, "rigid motion", f"{name}: normal")


def law_sphere_drop(lab: Laboratory, cases: list[Case]) -> None:
    """A sphere at height z over the ground has depth r - z, the point between the surfaces, and none above r."""
    for z in (0.3, 0.1001, 0.0999, 0.05, 0.0, -0.02):
        found = lab.contacts((HalfSpace(), ORIGIN), (Sphere(0.1), at(0.5, -0.2, z)))
        demand(len(found) == (1 if z < 0.1 else 0), "sphere drop", f"{len(found)} contacts at height {z}")
        if z < 0.1:
            demand(abs(found["depth"][0] - (0.1 - z)) < 1e-9, "sphere drop", f"depth {found['depth'][0]} at height {z}")
            middle = (0.5, -0.2, 0.5 * (z - 0.1))
            demand(np.abs(found["position"][0] - middle).max() < 1e-9, "sphere drop",
                   f"position {found['position'][0]}, expected {middle}")  # fmt: skip


def law_support(lab: Laboratory, cases: list[Case]) -> None:
    """A box that lies on something has contacts around its centre: it can stand."""
    box = Box((0.3, 0.2, 0.1))
    for name, base, height in (("ground", HalfSpace(), 0.0), ("box", Box((1.0, 1.0, 0.2)), 0.1)):
        for angle in lab.rng.uniform(0.0, 6.0, 5):
            X = at(0.1, 0.05, height + 0.049, turn(2, angle) @ turn(0, 1e-6))
            found = lab.contacts((base, ORIGIN), (box, X))
            arms = found["position"][:, :2] - X[:2, 3]
            for phi in np.linspace(0.0, 2.0 * np.pi, 24, endpoint=False):
                reach = (arms @ (np.cos(phi), np.sin(phi))).max(initial=-1.0)
                demand(reach > 0.05, "support", f"box on {name}: the contacts do not surround its centre")


def law_filters(lab: Laboratory, cases: list[Case]) -> None:
    """Groups, masks, exclusions, static shapes and shapes of one body are kept apart as the filters say."""
    backend, shape = lab.backend, lab.sample
    poses = np.array([ORIGIN, at(0.0, 0.0, 0.15)])
    rule = backend.filter_rule

    def count(what: str, expected: int) -> None:
        found = len(backend.query(poses))
        wanted = "some" if expected else "none"
        demand(min(found, 1) == expected, "filters", f"{what}: {found} contacts, expected {wanted}")

    a, b = backend.add_shape(shape, 0), backend.add_shape(shape, 1)
    try:
        count("defaults", 1)
        for group_a, mask_a, group_b, mask_b in ((1, 2, 2, 1), (1, 2, 4, 1), (1 << 63, -1, 1, -1), (1, 0, 1, -1)):
            backend.set_group(a, group_a, mask_a)
            backend.set_group(b, group_b, mask_b)
            accepts = bool(group_b & mask_a), bool(group_a & mask_b)
            for backend.filter_rule in ("and", "or"):
                expected = all(accepts) if backend.filter_rule == "and" else any(accepts)
                count(f"groups {group_a}, {group_b}, masks {mask_a}, {mask_b}, {backend.filter_rule}", int(expected))
            backend.filter_rule = rule
        backend.set_group(a, 1, -1)
        backend.set_group(b, 1, -1)
        backend.exclude(1, 0)
        count("excluded bodies", 0)
        backend.allow(0, 1)
        count("allowed again", 1)
        backend.set_dynamic(0, False)
        count("one of two static", 1)
        backend.set_dynamic(1, False)
        count("both static", 0)
        backend.set_dynamic(1, True)
        backend.remove_shape(b)
        b = backend.add_shape(shape, 0, pose=at(0, 0, 0.1))
        demand(b != a, "filters", "two shapes have one id")
        count("two shapes on one body", 0)
    finally:
        backend.filter_rule = rule
        backend.remove_shape(a)
        backend.remove_shape(b)
        backend.allow(0, 1)


def law_bad_pose(lab: Laboratory, cases: list[Case]) -> None:
    """A pose that is not finite raises CollisionError naming the body."""
    for value in (np.nan, np.inf):
        try:
            lab.contacts((lab.sample, ORIGIN), (lab.sample, at(value, 0.0, 0.0)))
        except CollisionError as error:
            demand("body 1" in str(error), "bad pose", f"the message does not name body 1: {error}")
        else:
            demand(False, "bad pose", f"{value} was accepted")


LAWS: dict[str, Callable[[Laboratory, list[Case]], None]] = {
    "closed forms": law_closed_forms,
    "record": law_record,
    "positions": law_positions,
    "swap": law_swap,
    "rigid motion": law_rigid_motion,
    "sphere drop": law_sphere_drop,
    "support": law_support,
    "filters": law_filters,
    "bad pose": law_bad_pose,
}
NEEDS = {"sphere drop": {"sphere", "half_space"}, "support": {"box", "half_space"}}


def check_collision_backend(
    backend: CollisionBackend, shapes: Iterable[str] = tuple(KINDS), seed: int = 0
) -> list[str]:
    """Run every law on a collision backend.

    Parameters
    ----------
    backend : CollisionBackend
        Empty, with margin 0; it is empty again afterwards.
    shapes : iterable of {"half_space", "sphere", "box", "capsule"}
        The kinds of shape that the backend knows, one of them bounded: it is asked about no others, and laws that
        need others are left out.
    seed : int
        Of the random motions.

    Returns
    -------
    laws : list of str
        The laws that were checked.

    Raises
    ------
    CollisionError
        Naming the first law that is broken, or if the backend is not empty.
    """
    known = {shapes} if isinstance(shapes, str) else set(shapes)
    if not isinstance(backend, CollisionBackend):
        raise CollisionError(f"backend must be a CollisionBackend, got {shown(backend)}")
    if not known <= set(KINDS):
        raise CollisionError(f"shapes must be among {sorted(KINDS)}, got {shown(sorted(map(str, known)))}")
    bounded = [KINDS[kind] for kind in KINDS if kind in known and kind != HalfSpace.kind]
    if not bounded:
        raise CollisionError(f"shapes must name a bounded one of {sorted(KINDS)}, got {shown(sorted(known))}")
    if len(backend) or backend.margin != 0.0:
        raise CollisionError(f"backend must be empty with margin 0, has {len(backend)} shapes, margin {backend.margin}")
    cases = [case for case in closed_forms() if {case[1].kind, case[3].kind} <= known]
    checked = []
    for name, law in LAWS.items():
        if NEEDS.get(name, set()) <= known:
            law(Laboratory(backend, np.random.default_rng(seed), bounded[0]), cases)
            checked.append(name)
    return checked
