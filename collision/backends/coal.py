"""Coal, the successor of hpp-fcl, as a backend: a second independent answer.

Everything that comes back is looked at: signs of normals and depths against the support functions of the shapes; what
is not finite, or not a push that frees them, is asked of NativeBackend instead.
What cannot be repaired here: its tolerance is a length, so that shapes of some 0.1 mm have depths that are off by 0.5 %
of their size, and of two capsules that small one contact may be missing.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from rbdyn.arguments import shown
from rbdyn.collision.backend import CollisionBackend
from rbdyn.collision.backends.answers import Found, UntrustedError, is_extreme, numbered, outward
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
    import coal
except ImportError:
    raise missing_extra("CoalBackend", "coal", "coal") from None

NOT_ASKED = (HalfSpace, HeightMap, SupportShape)


def convex(shape: ConvexHull | Mesh) -> object:
    """Coal's form of a convex hull."""
    points, triangles = coal.StdVec_Vec3s(), coal.StdVec_Triangle()
    for vertex in shape.hull.vertices:
        points.append(vertex)
    for i, j, k in shape.hull.triangles.tolist():
        triangles.append(coal.Triangle(i, j, k))
    return coal.Convex(points, triangles)


GEOMETRY: dict[type[Shape], Callable[[Any], object]] = {
    Sphere: lambda s: coal.Sphere(s.radius),
    Box: lambda s: coal.Box(*s.size),
    Capsule: lambda s: coal.Capsule(s.radius, s.height),
    Cylinder: lambda s: coal.Cylinder(s.radius, s.height),
    Cone: lambda s: coal.Cone(s.radius, s.height),
    Ellipsoid: lambda s: coal.Ellipsoid(*s.radii),
    ConvexHull: convex,
    Mesh: convex,
}


class CoalPairs:
    """One pair of shapes at a time, through coal."""

    def __init__(self) -> None:
        self._known: dict[int, tuple[Shape, object]] = {}  # id(shape) -> what must stay alive, and coal's geometry

    def __getstate__(self) -> dict[str, object]:
        return {}  # what was made of shapes is made anew

    def __setstate__(self, state: dict[str, object]) -> None:
        CoalPairs.__init__(self)

    def contacts(
        self, shape_a: Shape, pose_a: np.ndarray, shape_b: Shape, pose_b: np.ndarray, margin: float
    ) -> list[Found]:
        """Contacts of two shapes at world poses: (position, normal into a, depth, feature) each.

        UntrustedError for what coal does not have, or answers wrongly.
        """
        if not (np.isfinite(pose_a).all() and np.isfinite(pose_b).all()):
            raise CollisionError("a pose is not finite")
        a, b = self._geometry(shape_a), self._geometry(shape_b)
        X, Y = (coal.Transform3s(T[:3, :3], T[:3, 3]) for T in (pose_a, pose_b))
        request, result = coal.CollisionRequest(), coal.CollisionResult()
        request.security_margin = margin
        if not coal.collide(a, X, b, Y, request, result):
            return []
        contact = result.getContact(0)
        normal, overlap = outward(-np.array(contact.normal), shape_a, pose_a, shape_b, pose_b)
        depth = -contact.penetration_depth
        if not abs(depth - overlap) < 1e-3 * max(abs(overlap), 1e-3) + 1e-9 or not np.isfinite(contact.pos).all():
            raise UntrustedError
        ask = coal.ContactPatchRequest()
        patches = coal.ContactPatchResult(ask)
        coal.computeContactPatch(a, X, b, Y, result, ask, patches)
        points = [np.array(contact.pos)]
        if patches.numContactPatches() > 0:
            patch = patches.getContactPatch(0)
            points = [np.array(patch.getPoint(i)) for i in range(patch.size())] or points
        return numbered([(x, normal, float(depth)) for x in points if np.isfinite(x).all()], pose_a, 1e-6)

    def _geometry(self, shape: Shape) -> object:
        """Coal's form of a shape, made once; UntrustedError if there is none."""
        entry = self._known.get(id(shape))
        if entry is None or entry[0] is not shape:
            if isinstance(shape, NOT_ASKED) or is_extreme(shape):
                raise UntrustedError
            make = next((make for cls, make in GEOMETRY.items() if isinstance(shape, cls)), None)
            if make is None:
                raise CollisionError(f"coal has no shape for {shown(shape)}")
            if len(self._known) >= 4096:
                self._known.clear()
            entry = self._known[id(shape)] = (shape, make(shape))
        return entry[1]


class CoalBackend(CollisionBackend):
    """Every pair through coal, except those it does not have, or answers wrongly.

    Half-spaces, height maps, SupportShapes, shapes of extreme sizes (thinner than 1e-5 of their size, below 0.1 mm,
    beyond 100 km) and answers that do not free the shapes take that of NativeBackend.  Contacts a pair: the corners of
    coal's patch, all with one depth.  A mesh is its convex hull.  Slower than NativeBackend by two orders of magnitude:
    a cross-check.  Shapes that are apart and move are followed through the step by NativeBackend.

    Parameters
    ----------
    margin : float
        Contacts with a gap below this are reported too [m].
    filter_rule : {"and", "or"}
        Whether both shapes must accept the other, or one is enough.

    Raises
    ------
    MissingExtraError
        On import, if coal is not installed.
    """

    def __init__(self, *, margin: float = 0.0, filter_rule: str = "and") -> None:
        super().__init__(margin=margin, filter_rule=filter_rule)
        self._pairs = CoalPairs()

    @property
    def mesh(self) -> str:
        """How a `Mesh` collides: "hull", as its convex hull."""
        return "hull"

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
            if not found and motions[[scene.body(id_a), scene.body(id_b)]].any():
                add_native_contacts(scene, id_a, id_b)
            for position, normal, depth, feature in found:
                scene.add_contact(id_a, id_b, position, normal, depth, feature)
