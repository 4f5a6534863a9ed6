"""The Flexible Collision Library (python-fcl) as a backend: an independent answer, and meshes as triangles.

Everything that comes back is checked here, because python-fcl crashes, or answers wrongly, in known
cases: distance to half-spaces and planes and convex against plane crash (never asked); normals of
meshes are reversed or taken from inner edges (`push_out` finds its own); depths are negative
(taken absolute), normals are zero for coincident centres (replaced), contacts repeat (merged).
The sign of a normal is never believed: of both, the one along which the shapes overlap less is right.
What cannot be repaired here: between curved shapes (cylinders above all) at general poses the depth may be
half as large again as the least push; NativeBackend's is exact there.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from rbdyn.arguments import choice, shown
from rbdyn.collision.backend import CollisionBackend
from rbdyn.collision.backends.answers import Found, UntrustedError, between, farthest, is_extreme, numbered, outward
from rbdyn.collision.backends.native import add_native_contacts
from rbdyn.collision.scene import CollisionScene
from rbdyn.collision.shapes import (
    Box,
    Capsule,
    Cone,
    ConvexHull,
    Cylinder,
    Ellipsoid,
    HalfSpace,
    HeightMap,
    Mesh,
    Shape,
    Sphere,
    SupportShape,
)
from rbdyn.errors import CollisionError, missing_extra

try:
    import fcl
except ImportError:
    raise missing_extra("FCLBackend", "python-fcl", "fcl") from None

MOST = 8  # contacts of one pair
NOT_ASKED = (HalfSpace, HeightMap, SupportShape)


def ask(a: object, b: object, most: int) -> list[Any]:
    """What python-fcl reports of two objects, `most` contacts at most; UntrustedError if it fails on its own answer."""
    result = fcl.CollisionResult()
    try:
        fcl.collide(a, b, fcl.CollisionRequest(num_max_contacts=most, enable_contact=True), result)
    except TypeError:  # when it turns a degenerate contact into Python's
        raise UntrustedError from None
    return result.contacts


class FclPairs:
    """One pair of shapes at a time, through python-fcl.

    Parameters
    ----------
    mesh : {"hull", "triangles"}
        Whether a mesh is its convex hull, or its triangles.
    """

    def __init__(self, mesh: str = "hull") -> None:
        self.mesh = choice(mesh, "mesh", ("hull", "triangles"), error=CollisionError)
        self._known: dict[int, tuple[Shape, object]] = {}  # id(shape) -> what must stay alive, and fcl's geometry
        self._triangles: dict[int, tuple[Shape, object]] = {}
        self._surfaces: dict[int, tuple[Shape, object]] = {}
        self._extreme: dict[int, tuple[Shape, object]] = {}

    def __getstate__(self) -> dict[str, str]:
        return {"mesh": self.mesh}  # what was made of shapes is made anew

    def __setstate__(self, state: dict[str, str]) -> None:
        FclPairs.__init__(self, **state)

    def contacts(
        self, shape_a: Shape, pose_a: np.ndarray, shape_b: Shape, pose_b: np.ndarray, margin: float
    ) -> list[Found]:
        """Contacts of two shapes at world poses: (position, normal into a, depth, feature) each.

        UntrustedError for pairs that python-fcl crashes on (half-spaces) or does not have (height maps, own shapes), is
        slow on (two capsules), or may hang on.
        """
        if isinstance(shape_a, NOT_ASKED) or isinstance(shape_b, NOT_ASKED):
            raise UntrustedError
        if isinstance(shape_a, Capsule) and isinstance(shape_b, Capsule):
            raise UntrustedError
        if any(self._remember(self._extreme, shape, is_extreme) for shape in (shape_a, shape_b)):
            raise UntrustedError
        if not (np.isfinite(pose_a).all() and np.isfinite(pose_b).all()):
            raise CollisionError("a pose is not finite")
        if self.mesh == "triangles":
            if isinstance(shape_b, Mesh) and not isinstance(shape_a, Mesh):
                return self._against_mesh(shape_a, pose_a, shape_b, pose_b)
            if isinstance(shape_a, Mesh) and not isinstance(shape_b, Mesh):
                found = self._against_mesh(shape_b, pose_b, shape_a, pose_a)
                return [(x, -n, depth, feature) for x, n, depth, feature in found]
        return self._convex(shape_a, pose_a, shape_b, pose_b, margin)

    # ---- geometry

    def _remember(
        self, store: dict[int, tuple[Shape, object]], shape: Shape, make: Callable[[Any], object]
    ) -> object:
        entry = store.get(id(shape))
        if entry is None or entry[0] is not shape:
            if len(store) >= 4096:
                store.clear()
            entry = store[id(shape)] = (shape, make(shape))
        return entry[1]

    def _object(self, shape: Shape, pose: np.ndarray, triangles: bool = False) -> object:
        if triangles:
            geometry = self._remember(self._triangles, shape, triangle_geometry)
        else:
            geometry = self._remember(self._known, shape, convex_geometry)
        return fcl.CollisionObject(geometry, fcl.Transform(pose[:3, :3], pose[:3, 3]))

    # ---- convex against convex

    def _convex(
        self, shape_a: Shape, pose_a: np.ndarray, shape_b: Shape, pose_b: np.ndarray, margin: float
    ) -> list[Found]:
        a, b = self._object(shape_a, pose_a), self._object(shape_b, pose_b)
        contacts = ask(a, b, MOST)
        found = []
        for contact in contacts:
            normal, overlap = outward(np.array(contact.normal), shape_a, pose_a, shape_b, pose_b)
            depth = abs(contact.penetration_depth)
            depth = depth if depth < overlap else overlap  # also for NaN
            if depth > -margin and np.isfinite(contact.pos).all():
                position = between(np.array(contact.pos), normal, shape_a, pose_a, shape_b, pose_b)
                found.append((position, normal, float(depth)))
        if not contacts and margin > 0.0:
            found = self._gap(a, b, margin)
        return numbered(found, pose_a, 1e-6)

    def _gap(self, a: object, b: object, margin: float) -> list[tuple[np.ndarray, np.ndarray, float]]:
        result = fcl.DistanceResult()
        gap = fcl.distance(a, b, fcl.DistanceRequest(enable_nearest_points=True), result)
        x, y = (np.array(p) for p in result.nearest_points)
        apart = float(np.linalg.norm(x - y))
        if not 0.0 < gap < margin or not 0.0 < apart < 2.0 * margin:
            return []
        return [(0.5 * (x + y), (x - y) / apart, -apart)] if apart < margin else []

    # ---- triangles

    def _against_mesh(self, shape: Shape, pose: np.ndarray, mesh: Mesh, mesh_pose: np.ndarray) -> list[Found]:
        """A convex shape against triangles: which ones and where from FCL, normal and depth from `push_out`.

        A triangle counts if its depth is at most twice that of the shallowest one: the sides
        of a step that a shape stands on are reached too, and would push it sideways.
        """
        contacts = ask(self._object(shape, pose), self._object(mesh, mesh_pose, triangles=True), 64)
        surface = self._remember(self._surfaces, mesh, Surface)
        assert isinstance(surface, Surface)
        X = np.linalg.inv(mesh_pose) @ pose  # everything in the mesh's frame
        found = []
        for contact in contacts:
            triangle = max(contact.b1, contact.b2)  # the mesh may be either; the other one's number is -1
            if not 0 <= triangle < len(mesh.faces):
                raise CollisionError(f"python-fcl reports triangle {triangle} of a mesh of {len(mesh.faces)}")
            hint = np.array(contact.normal) @ mesh_pose[:3, :3]
            normal, depth = push_out(shape, X, surface, triangle, hint)
            if depth > 0.0 and np.isfinite(contact.pos).all():
                found.append((np.array(contact.pos), mesh_pose[:3, :3] @ normal, depth))
        least = min((depth for _, _, depth in found), default=0.0)
        return numbered([f for f in found if f[2] <= 2.0 * least], mesh_pose, 1e-4)[:MOST]


class Surface:
    """The triangles of a mesh with the points around each point, in the mesh's frame."""

    def __init__(self, mesh: Mesh) -> None:
        points, place = np.unique(mesh.vertices, axis=0, return_inverse=True)
        corners = place.reshape(-1)[mesh.faces]
        self.points = points
        self.corners = corners
        self.size = float(np.ptp(points, axis=0).max())
        edges = np.concatenate([corners[:, [k, (k + step) % 3]] for k in range(3) for step in (1, 2)])
        edges = edges[np.argsort(edges[:, 0], kind="stable")]
        self._ends = edges[:, 1]
        self._start = np.searchsorted(edges[:, 0], np.arange(len(points) + 1))

    def reaches_most(self, point: int, direction: np.ndarray) -> bool:
        """Does none of the points around `point` lie farther along a direction?"""
        around = self.points[self._ends[self._start[point] : self._start[point + 1]]]
        return bool(((around - self.points[point]) @ direction).max() <= 1e-6 * self.size)


def push_out(
    shape: Shape, X: np.ndarray, surface: Surface, triangle: int, hint: np.ndarray
) -> tuple[np.ndarray, float]:
    """Direction and length [m] of the least push that frees a convex shape from one triangle, in the mesh's frame.

    Candidates are the triangle's normal, the shape's flat sides, and FCL's normal (`hint`), whose sign is
    not believed.  A direction other than the triangle's normal counts only if it does not lead inwards, and
    the mesh around the triangle's farthest corner reaches no farther: inner edges push nothing.
    """
    corners = surface.corners[triangle]
    a, b, c = points = surface.points[corners]
    normal = np.cross(b - a, c - a)
    area = float(np.linalg.norm(normal))
    if not area > 1e-300:
        return normal, 0.0
    normal /= area
    depth = float(normal @ (a - farthest(shape, X, -normal)))
    outward, offset = shape.flat_sides()
    local = (points - X[:3, 3]) @ X[:3, :3]
    candidates = list(zip(offset - (outward @ local.T).min(axis=1), -outward @ X[:3, :3].T, strict=True))
    length = float(np.linalg.norm(hint))
    if 0.5 < length < 2.0:
        for direction in (hint / length, -hint / length):
            push = float((points @ direction).max() - direction @ farthest(shape, X, -direction))
            candidates.append((push, direction))
    for push, direction in sorted(candidates, key=lambda pair: pair[0]):
        if push >= depth:
            break
        corner = corners[np.argmax(points @ direction)]
        if direction @ normal > -1e-6 and surface.reaches_most(corner, direction):
            return direction, float(push)
    return normal, depth


def convex(shape: ConvexHull | Mesh) -> object:
    """FCL's form of a convex hull."""
    hull = shape.hull
    counted = np.hstack([np.full((len(hull.triangles), 1), 3), hull.triangles]).astype(np.int32)
    return fcl.Convex(hull.vertices, len(hull.triangles), counted.ravel())


GEOMETRY: dict[type[Shape], Callable[[Any], object]] = {
    Sphere: lambda s: fcl.Sphere(s.radius),
    Box: lambda s: fcl.Box(*s.size),
    Capsule: lambda s: fcl.Capsule(s.radius, s.height),
    Cylinder: lambda s: fcl.Cylinder(s.radius, s.height),
    Cone: lambda s: fcl.Cone(s.radius, s.height),
    Ellipsoid: lambda s: fcl.Ellipsoid(*s.radii),
    ConvexHull: convex,
    Mesh: convex,
}


def convex_geometry(shape: Shape) -> object:
    """FCL's form of a convex shape; of a mesh, its convex hull."""
    for cls, make in GEOMETRY.items():
        if isinstance(shape, cls):
            return make(shape)
    raise CollisionError(f"python-fcl has no shape for {shown(shape)}")


def triangle_geometry(shape: Shape) -> object:
    """FCL's bounding-volume tree over the triangles of a mesh, whose indices `Mesh` has checked."""
    assert isinstance(shape, Mesh)
    model = fcl.BVHModel()
    model.beginModel(len(shape.faces), len(shape.vertices))
    model.addSubModel(shape.vertices, shape.faces)
    model.endModel()
    return model


class FCLBackend(CollisionBackend):
    """Every pair through python-fcl, except those it cannot be trusted with.

    Half-spaces, height maps, SupportShapes, capsule pairs and shapes of extreme sizes (thinner than 1e-5 of their size,
    below 0.1 mm, beyond 100 km) take the answer of NativeBackend: FCL crashes or gives one contact on the first, has
    none of the next two, may take a second for one of the fourth, and may never return on the last.  Other pairs give
    one contact, box pairs up to four.
    Slower than NativeBackend by two orders of magnitude: a cross-check.  Shapes that are apart and move are followed
    through the step by NativeBackend, but for meshes: what moves by more than a thickness may pass through those.

    Parameters
    ----------
    margin, filter_rule
        As CollisionBackend.
    mesh : {"hull", "triangles"}
        Whether a mesh is its convex hull, or its triangles.  Triangles are approximate: single
        points, no gaps within a margin, and a shape wholly inside a mesh is not seen.
        Two meshes always meet as hulls, and half-spaces meet the hull.

    Raises
    ------
    MissingExtraError
        On import, if python-fcl is not installed.
    """

    def __init__(self, *, margin: float = 0.0, filter_rule: str = "and", mesh: str = "hull") -> None:
        super().__init__(margin=margin, filter_rule=filter_rule)
        self._pairs = FclPairs(mesh)

    @property
    def mesh(self) -> str:
        """How a `Mesh` collides: "hull" as its convex hull, "triangles" as it is."""
        return self._pairs.mesh

    def detect(self, scene: CollisionScene) -> None:
        """Write this step's contacts into the scene."""
        if not isinstance(scene, CollisionScene):
            raise CollisionError(f"scene must be a CollisionScene, got {shown(scene)}")
        motions = scene.motions
        for id_a, id_b in scene.pairs():
            a, b = scene.shape(id_a), scene.shape(id_b)
            found: list[tuple[Any, Any, float, int]]
            try:
                found = self._pairs.contacts(a, scene.world_pose(id_a), b, scene.world_pose(id_b), scene.margin)
            except UntrustedError:
                add_native_contacts(scene, id_a, id_b)
                continue
            mesh = isinstance(a, Mesh) or isinstance(b, Mesh)
            if not found and not mesh and motions[[scene.body(id_a), scene.body(id_b)]].any():
                add_native_contacts(scene, id_a, id_b)
            for position, normal, depth, feature in found:
                scene.add_contact(id_a, id_b, position, normal, depth, feature)
