"""Pairs of shapes, one after the other: contacts of shapes that touch, and of shapes that are near.

Ours and MuJoCo's are of one detection over all pairs at once: MuJoCo is told the pairs, ours finds them, and what the
same detection takes when all are far apart is taken off.  python-fcl and coal are called from Python pair by pair, as
their users do.  Counts say how many contacts a pair has, with rbdyn, python-fcl, coal and MuJoCo.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from benchmarks import table
from benchmarks.machine import optional
from benchmarks.samples import Array
from benchmarks.timing import by_turns
from rbdyn.collision import (
    Box,
    Capsule,
    Cone,
    ConvexHull,
    Cylinder,
    Ellipsoid,
    HalfSpace,
    Mesh,
    NativeBackend,
    Shape,
    Sphere,
)
from rbdyn.collision.distance import distance
from rbdyn.testing.conformance import samples

APART = 10.0  # [m] between two pairs
REPEATS = 5  # of each loop, one after the other
DEEP, GAP = 0.01, 0.15  # shares of a size by which shapes overlap, or are apart, at most
PRIMITIVES = ("half_space", "sphere", "box", "capsule", "cylinder", "cone", "ellipsoid")

Loops = dict[str, Callable[[], object]]


def run(quick: bool) -> None:
    """Print the tables of this section."""
    for title, least, most in (("touch", -DEEP, -0.01 * DEEP), ("are near, but apart", 0.02 * GAP, GAP)):
        _show(title, least, most, 50 if quick else 300, 3 if quick else 7)


def poses(a: Shape, b: Shape, n: int, least: float, most: float, seed: int = 0) -> tuple[Array, Array]:
    """Random poses of n pairs, their distance from `least` to `most` of the size; each pair far from all others."""
    rng = np.random.default_rng(seed)
    flat = isinstance(b, HalfSpace)
    X, Y = (np.tile(np.eye(4), (n, 1, 1)) for _ in range(2))
    X[:, :3, :3], Y[:, :3, :3] = _rotations(rng, n), np.eye(3) if flat else _rotations(rng, n)
    along = rng.normal(size=(n, 3))
    along /= np.linalg.norm(along, axis=1)[:, None]
    along[:] = (0.0, 0.0, 1.0) if flat else along
    X[:, :3, 3] = 1.0 * along
    solid = ConvexHull(a.vertices) if isinstance(a, Mesh) else a
    other = ConvexHull(b.vertices) if isinstance(b, Mesh) else b
    for _ in range(4):  # until they all but touch
        apart = distance(solid, X, other, Y)
        X[:, :3, 3] += -apart.distance[:, None] * along
    apart = distance(solid, X, other, Y)
    gap = min(0.1, *(s.data().radius for s in (a, b) if not isinstance(s, HalfSpace))) * rng.uniform(least, most, n)
    X[:, :3, 3] += (gap - apart.distance)[:, None] * apart.normal
    side = np.ceil(np.sqrt(n))
    k = np.arange(n)
    offset = APART * np.stack([k % side, k // side, np.zeros(n)], axis=1)
    X[:, :3, 3] += offset
    Y[:, :3, 3] += 0.0 if flat else offset
    return X, Y


def _rotations(rng: np.random.Generator, n: int) -> Array:
    q, _ = np.linalg.qr(rng.normal(size=(n, 3, 3)))
    q[:, :, 0] *= np.linalg.det(q)[:, None]
    return q


def _show(title: str, least: float, most: float, n: int, rounds: int) -> None:
    shapes, rows = samples(), []
    for name_b, name_a in itertools.combinations_with_replacement(shapes, 2):
        a, b = shapes[name_a], shapes[name_b]
        if isinstance(a, HalfSpace):
            continue
        X, Y = poses(a, b, n, least, most)
        loops: Loops = {}
        counts = {"rbdyn": _native(loops, a, X, b, Y)}
        for peer, add in (("python-fcl", _fcl), ("coal", _coal), ("mujoco", _mujoco)):
            counts[peer] = add(loops, a, X, b, Y)
        seconds = by_turns({name: partial(_repeated, loop) for name, loop in loops.items()}, REPEATS * n, rounds)
        whole = seconds["rbdyn"]
        seconds["rbdyn"] = max(whole - seconds["apart"], 1e-9)
        ratio = {peer: seconds[peer] / seconds["rbdyn"] if peer in seconds else None for peer in counts}
        goal = 20.0 if name_a in PRIMITIVES and name_b in PRIMITIVES else None
        rows.append(
            [f"{name_b}, {name_a}", table.number(1e9 * whole), table.number(1e9 * seconds["rbdyn"]),
             table.number(ratio["python-fcl"]), table.verdict(ratio["python-fcl"], goal),
             table.number(ratio["coal"]), table.number(ratio["mujoco"]), table.verdict(ratio["mujoco"], 1.0),
             " ".join("-" if c is None else f"{c:.1f}" for c in counts.values())]
        )  # fmt: skip
    header = ["pair", "all, ns", "pair, ns", "fcl/rbdyn", "goal", "coal/rbdyn", "mujoco/rbdyn", "goal", "contacts"]
    table.show(f"{n} pairs that {title}", header, rows)


def _repeated(loop: Callable[[], object]) -> None:
    """Several times, so that caches are warm for all alike, whatever ran before."""
    for _ in range(REPEATS):
        loop()


def _native(loops: Loops, a: Shape, X: Array, b: Shape, Y: Array) -> float:
    backend = NativeBackend()
    n = len(X)
    at = np.concatenate([X, Y[:1] if isinstance(b, HalfSpace) else Y])
    for k in range(n):
        backend.add_shape(a, k)
    for k in range(len(at) - n):
        backend.add_shape(b, n + k, dynamic=not isinstance(b, HalfSpace))
    away = at.copy()
    away[:n, 2, 3] += 3.0
    loops["rbdyn"] = lambda: backend.query(at)
    loops["apart"] = lambda: backend.query(away)
    assert len(backend.query(away)) == 0
    return len(backend.query(at)) / n


# ---- peers -----------------------------------------------------------------------------------


def _fcl(loops: Loops, a: Shape, X: Array, b: Shape, Y: Array) -> float | None:
    fcl = optional("fcl")
    if fcl is None or (isinstance(b, HalfSpace) and isinstance(a, (Mesh, ConvexHull))):
        return None
    from rbdyn.collision.backends.fcl import convex_geometry, triangle_geometry

    def geometry(s: Shape) -> Any:
        if isinstance(s, HalfSpace):
            return fcl.Halfspace(np.array([0.0, 0.0, 1.0]), 0.0)
        return triangle_geometry(s) if isinstance(s, Mesh) else convex_geometry(s)

    shared = geometry(a), geometry(b)
    pairs = [
        tuple(fcl.CollisionObject(g, fcl.Transform(T[:3, :3], T[:3, 3])) for g, T in zip(shared, both, strict=True))
        for both in zip(X, Y, strict=True)
    ]
    request = fcl.CollisionRequest(num_max_contacts=8, enable_contact=True)

    def loop() -> int:
        count = 0
        for one, other in pairs:
            result = fcl.CollisionResult()
            fcl.collide(one, other, request, result)
            count += len(result.contacts)
        return count

    loops["python-fcl"] = loop
    return loop() / len(X)


def _coal(loops: Loops, a: Shape, X: Array, b: Shape, Y: Array) -> float | None:
    coal = optional("coal")
    if coal is None:
        return None
    from rbdyn.collision.backends.coal import GEOMETRY

    def geometry(s: Shape) -> Any:
        if isinstance(s, HalfSpace):
            return coal.Halfspace(np.array([0.0, 0.0, 1.0]), 0.0)
        if not isinstance(s, Mesh):
            return GEOMETRY[type(s)](s)
        return coal_mesh(coal, s)

    one, other = geometry(a), geometry(b)
    pairs = [tuple(coal.Transform3s(T[:3, :3], T[:3, 3]) for T in both) for both in zip(X, Y, strict=True)]
    request, result = coal.CollisionRequest(), coal.CollisionResult()
    request.num_max_contacts = 8

    def loop() -> int:
        count = 0
        for at, there in pairs:
            result.clear()
            coal.collide(one, at, other, there, request, result)
            count += result.numContacts()
        return count

    loops["coal"] = loop
    return loop() / len(X)


def coal_mesh(coal: Any, mesh: Mesh) -> Any:
    """Coal's tree over the triangles of a mesh."""
    model = coal.BVHModelOBBRSS()
    model.beginModel(len(mesh.faces), len(mesh.vertices))
    model.addVertices(mesh.vertices)
    model.addTriangles(mesh.faces.astype(np.int64))
    model.endModel()
    return model


def _mujoco(loops: Loops, a: Shape, X: Array, b: Shape, Y: Array) -> float | None:
    """Pairs named in the model, so that no broad phase has to find them; meshes are hulls to it."""
    mujoco = optional("mujoco")
    if mujoco is None or isinstance(a, Cone) or isinstance(b, Cone):
        return None
    spec = mujoco.MjSpec()
    flat = isinstance(b, HalfSpace)
    for name, shape in (("a", a), ("b", b)):
        if isinstance(shape, (ConvexHull, Mesh)):
            hull = shape.hull
            spec.add_mesh(name=name, uservert=hull.vertices.ravel(), userface=hull.triangles.ravel())
    data_of = {}
    for name, shape, at in (("a", a, X), ("b", b, Y[:1] if flat else Y)):
        for k in range(len(at)):
            body = spec.worldbody if isinstance(shape, HalfSpace) else spec.worldbody.add_body(name=f"{name}{k}")
            geom = body.add_geom(name=f"{name}{k}g", contype=0, conaffinity=0)
            _set_geom(mujoco, geom, shape, name)
            if not isinstance(shape, HalfSpace):
                body.add_freejoint()
                data_of[f"{name}{k}"] = at[k]
    for k in range(len(X)):
        spec.add_pair(geomname1=f"a{k}g", geomname2="b0g" if flat else f"b{k}g")
    model = spec.compile()
    data = mujoco.MjData(model)
    quat = np.empty(4)
    for name, T in data_of.items():
        body = model.body(name)
        geom = body.geomadr[0]
        at = model.jnt_qposadr[body.jntadr[0]]
        # the geometry of a mesh is turned to its principal axes, about its centroid: undo that
        G, g = np.empty(9), model.geom_pos[geom]
        mujoco.mju_quat2Mat(G, model.geom_quat[geom])
        R = T[:3, :3]
        if isinstance(a if name[0] == "a" else b, (ConvexHull, Mesh)):
            mesh = model.geom_dataid[geom]
            M = np.empty(9)
            mujoco.mju_quat2Mat(M, model.mesh_quat[mesh])
            R = T[:3, :3] @ M.reshape(3, 3) @ G.reshape(3, 3).T
            data.qpos[at : at + 3] = T[:3, :3] @ model.mesh_pos[mesh] + T[:3, 3] - R @ g
        else:
            data.qpos[at : at + 3] = T[:3, 3]
        mujoco.mju_mat2Quat(quat, R.ravel())
        data.qpos[at + 3 : at + 7] = quat
    mujoco.mj_kinematics(model, data)
    mujoco.mj_comPos(model, data)
    loops["mujoco"] = lambda: mujoco.mj_collision(model, data)
    mujoco.mj_collision(model, data)
    return data.ncon / len(X)


def _set_geom(mujoco: Any, geom: Any, shape: Shape, mesh: str) -> None:
    kinds = mujoco.mjtGeom
    if isinstance(shape, HalfSpace):
        geom.type, geom.size = kinds.mjGEOM_PLANE, [0, 0, 1]
    elif isinstance(shape, Sphere):
        geom.type, geom.size = kinds.mjGEOM_SPHERE, [shape.radius, 0, 0]
    elif isinstance(shape, Box):
        geom.type, geom.size = kinds.mjGEOM_BOX, [0.5 * x for x in shape.size]
    elif isinstance(shape, Ellipsoid):
        geom.type, geom.size = kinds.mjGEOM_ELLIPSOID, list(shape.radii)
    elif isinstance(shape, (Capsule, Cylinder)):
        geom.type = kinds.mjGEOM_CAPSULE if isinstance(shape, Capsule) else kinds.mjGEOM_CYLINDER
        geom.size = [shape.radius, 0.5 * shape.height, 0]
    else:
        geom.type, geom.meshname = kinds.mjGEOM_MESH, mesh
