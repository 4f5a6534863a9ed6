"""Meshes and height maps beside others: trees built and asked, rays, a robot that stands, a hull that rolls.

Embree (by embreex, single precision) builds a tree and shoots rays; coal builds one and meets shapes with it; MuJoCo
shoots rays, and stands on a height field.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

import rbdyn
from benchmarks import table
from benchmarks.machine import optional
from benchmarks.narrow_phase import coal_mesh
from benchmarks.robots import ANYMAL
from benchmarks.samples import Array
from benchmarks.scenes import in_mujoco
from benchmarks.scenes.in_rbdyn import anymal_start
from benchmarks.scenes.types import FRICTION, KD, KP
from benchmarks.terrain import SIZE, hills, mesh_of
from benchmarks.timing import by_turns
from rbdyn.collision import Box, ConvexHull, HeightMap, Mesh, NativeBackend
from rbdyn.collision.shapes.bounding_tree import bounding_tree

Loops = dict[str, Callable[[], object]]
STEP = 2.5e-3


def run(quick: bool) -> None:
    """Print the tables of this section."""
    _building((224,) if quick else (224, 708), 1 if quick else 3)
    _asking((224,) if quick else (224, 708))
    _rays(quick)
    _patches((200, 1000) if quick else (200, 1000, 4000))
    _standing(200 if quick else 1000)
    _rolling(200 if quick else 1000)


# ---- trees -----------------------------------------------------------------------------------


def _building(counts: tuple[int, ...], rounds: int) -> None:
    embree, coal = optional("embreex.rtcore_scene"), optional("coal")
    rows = []
    for n in counts:
        mesh = mesh_of(hills(n))
        corners = mesh.vertices[mesh.faces].astype(np.float32)
        loops: Loops = {
            "tree": lambda m=mesh: bounding_tree(m.vertices, m.faces),  # type: ignore[misc]
            "all": lambda m=mesh: Mesh(m.vertices, m.faces).data(),  # type: ignore[misc]
        }
        if embree:
            loops["embree"] = lambda c=corners: _embree(c)  # type: ignore[misc]
        if coal:
            loops["coal"] = lambda m=mesh: coal_mesh(coal, m)  # type: ignore[misc]
        seconds = by_turns(loops, 1, rounds)
        rows.append(
            [f"{len(mesh.faces)} triangles", *(table.number(1e3 * seconds[k]) for k in ("tree", "all")),
             *(table.number(seconds[k] / seconds["tree"] if k in seconds else None) for k in ("embree", "coal"))]
        )  # fmt: skip
    table.show("building: ms", ["mesh", "tree", "Mesh, ready", "embree/tree", "coal/tree"], rows)


def _embree(corners: Array) -> Any:
    from embreex.mesh_construction import TriangleMesh
    from embreex.rtcore_scene import EmbreeScene

    scene = EmbreeScene()
    TriangleMesh(scene, corners)
    scene.run(np.zeros((1, 3), np.float32), np.ones((1, 3), np.float32))  # the tree is built at the first ray
    return scene


def _asking(counts: tuple[int, ...]) -> None:
    """Boxes of three triangles' size that lie on the surface, at random places and turns."""
    coal, rows = optional("coal"), []
    for n in counts:
        mesh, rng = mesh_of(hills(n)), np.random.default_rng(0)
        side = 3.0 * SIZE / n
        k = 200
        shape = Box((side, side, side))
        at = mesh.vertices[rng.choice(len(mesh.vertices), k)]
        poses = np.tile(np.eye(4), (k, 1, 1))
        q, _ = np.linalg.qr(rng.normal(size=(k, 3, 3)))
        q[:, :, 0] *= np.linalg.det(q)[:, None]
        poses[:, :3, :3] = q
        poses[:, :3, 3] = at + (0.0, 0.0, 0.55 * side)
        backend = NativeBackend()
        backend.add_shape(mesh, 0, dynamic=False)
        for i in range(k):
            backend.add_shape(shape, i + 1, group=2, mask=1)
        every = np.concatenate([np.eye(4)[None], poses])
        loops: Loops = {"rbdyn": lambda b=backend, e=every: b.query(e)}  # type: ignore[misc]
        found = len(backend.query(every)) / k
        theirs = None
        if coal:
            model, box = coal_mesh(coal, mesh), coal.Box(side, side, side)
            transforms = [coal.Transform3s(T[:3, :3], T[:3, 3]) for T in poses]
            here = coal.Transform3s.Identity()
            request = coal.CollisionRequest()
            request.num_max_contacts = 100

            def loop(
                model: Any = model,
                box: Any = box,
                transforms: Any = transforms,
                here: Any = here,
                request: Any = request,
            ) -> int:
                count = 0
                for T in transforms:
                    result = coal.CollisionResult()
                    coal.collide(model, here, box, T, request, result)
                    count += result.numContacts()
                return count

            loops["coal"] = loop
            theirs = loop() / k
        seconds = by_turns(loops, k, 5)
        ratio = seconds["coal"] / seconds["rbdyn"] if coal else None
        rows.append(
            [f"{len(mesh.faces)} triangles", table.number(1e6 * seconds["rbdyn"]), table.number(ratio),
             table.number(found), table.number(theirs)]
        )  # fmt: skip
    header = ["mesh", "us a box", "coal/rbdyn", "contacts", "coal's"]
    table.show("boxes on a mesh", header, rows)


# ---- rays ------------------------------------------------------------------------------------


def _rays(quick: bool) -> None:
    """Rays of a lidar, beside embree: a mesh of 32,000 triangles, and height maps as meshes of the same triangles."""
    if optional("embreex.rtcore_scene") is None:
        return
    count = 5000 if quick else 28_800
    rng = np.random.default_rng(0)
    o = np.tile([0.3, -0.2, 2.0], (count, 1))
    a = rng.uniform(0, 2 * np.pi, count)
    d = np.stack([np.cos(a), np.sin(a), -rng.uniform(0.05, 1.0, count)], axis=1)
    d /= np.linalg.norm(d, axis=1)[:, None]
    rows = []
    for name, n in (("mesh", 128), ("height map", 200), *(() if quick else (("height map", 2000),))):
        heights = hills(n)
        mesh = mesh_of(heights)
        world = rbdyn.World()
        if name == "mesh":
            world.add_mesh(mesh, body_type="static")
        else:
            world.add_height_map(HeightMap(heights, (SIZE, SIZE)))
        scene = _embree(mesh.vertices[mesh.faces].astype(np.float32))
        o32, d32 = o.astype(np.float32), d.astype(np.float32)
        loops: Loops = {
            "rbdyn": lambda w=world: w.ray_test_batch(o, d, 100.0),  # type: ignore[misc]
            "embree": lambda s=scene, o32=o32, d32=d32: s.run(o32, d32, query="DISTANCE"),  # type: ignore[misc]
        }
        ours = world.ray_test_batch(o, d, 100.0).distance
        theirs = scene.run(o32, d32, query="DISTANCE")
        both = np.isfinite(ours) & (theirs < 1e30)
        apart = float(np.median(np.abs(ours[both] - theirs[both])))
        seconds = by_turns(loops, count, 7)
        ratio = seconds["embree"] / seconds["rbdyn"]
        rows.append(
            [f"{name}, {len(mesh.faces)} triangles", table.number(1e9 * seconds["rbdyn"]), table.number(ratio),
             table.verdict(ratio, 0.5), table.number(apart)]
        )  # fmt: skip
    header = ["surface", "ns a ray", "embree/rbdyn", "goal", "apart [m], median"]
    table.show(f"{count} rays, distances, normals and what is hit; embree distances alone", header, rows)


def _patches(counts: tuple[int, ...]) -> None:
    """Heights that change between two steps, five by five points; MuJoCo writes them into its model in place."""
    mujoco, rows = optional("mujoco"), []
    for n in counts:
        heights = np.random.default_rng(0).uniform(0.0, 0.1, (n, n))
        world = rbdyn.World(STEP)
        ground = world.add_height_map(HeightMap(heights, (SIZE, SIZE)))
        world.add_sphere(0.1, 1.0).set_pose(position=(0.0, 0.0, 0.5))
        part = np.zeros((5, 5))

        def ours(world: rbdyn.World = world, ground: Any = ground, part: Array = part) -> None:
            ground.set_geometry(0, shape=ground.geometries[0].shape.patched(part, 10, 10))
            world.step()

        loops: Loops = {"patch": ours, "step": world.step}
        if mujoco:
            loops["mujoco"] = _mujoco_patch(mujoco, heights)
        seconds = by_turns(loops, 1, 15)
        theirs = 1e6 * seconds["mujoco"] if "mujoco" in seconds else None
        own = seconds["patch"] - seconds["step"], seconds["step"]
        rows.append([f"{n} x {n}", *(table.number(1e6 * each) for each in own), table.number(theirs)])
    header = ["height map", "a patch", "a step of a ball above", "mujoco, patch and step"]
    table.show("terrain that changes, us", header, rows)


def _mujoco_patch(mujoco: Any, heights: Array) -> Callable[[], object]:
    n = len(heights)
    spec = mujoco.MjSpec()
    spec.add_hfield(name="ground", nrow=n, ncol=n, size=[SIZE / 2, SIZE / 2, 1.0, 0.1], userdata=heights.ravel())
    spec.worldbody.add_geom(type=mujoco.mjtGeom.mjGEOM_HFIELD, hfieldname="ground")
    ball = spec.worldbody.add_body(pos=[0.0, 0.0, 2.0])
    ball.add_freejoint()
    ball.add_geom(type=mujoco.mjtGeom.mjGEOM_SPHERE, size=[0.1, 0.0, 0.0])
    model = spec.compile()
    data, at = mujoco.MjData(model), model.hfield_data.reshape(n, n)

    def loop() -> None:
        at[10:15, 10:15] = 0.0
        mujoco.mj_step(model, data)

    return loop


# ---- steps -----------------------------------------------------------------------------------


def _standing(steps: int) -> None:
    """ANYmal in its stance, on the plane, a height map, and a mesh; MuJoCo on its plane and height field."""
    flat = np.zeros((101, 101))
    loops: Loops = {}
    for name in ("plane", "height map", "mesh"):
        world = rbdyn.World(STEP)
        world.set_default_material(friction=FRICTION)
        if name == "plane":
            world.add_ground()
        elif name == "height map":
            world.add_height_map(HeightMap(flat, (SIZE, SIZE)))
        else:
            world.add_mesh(mesh_of(flat), body_type="static")
        _, q = anymal_start()
        robot = world.add_articulated_system(ANYMAL.mechanism(), self_collision=False)
        robot.set_state(q)
        robot.set_pd_gains(KP, KD)
        robot.set_pd_target(q)
        world.step(1000)
        loops[f"rbdyn, {name}"] = lambda w=world: w.step(steps)  # type: ignore[misc]
    mujoco = optional("mujoco")
    for name in ("plane", "height map") if mujoco else ():
        model, data = _mujoco_standing(mujoco, name)
        mujoco.mj_step(model, data, 1000)
        loops[f"mujoco, {name}"] = lambda m=model, d=data: mujoco.mj_step(m, d, steps)  # type: ignore[misc]
    seconds = by_turns(loops, steps, 5)
    rows = []
    for name, t in seconds.items():
        engine, ground = name.split(", ")
        rows.append([name, table.number(1e6 * t), table.number(t / seconds[f"{engine}, plane"]),
                     table.number(t / seconds[f"rbdyn, {ground}"])])  # fmt: skip
    table.show("ANYmal stands: step", ["engine, ground", "us", "/ its plane", "/ rbdyn"], rows)


def _mujoco_standing(mujoco: Any, ground: str) -> tuple[Any, Any]:
    spec = in_mujoco._anymal("standing")
    if ground != "plane":
        plane = next(g for g in spec.geoms if g.type == mujoco.mjtGeom.mjGEOM_PLANE)
        spec.delete(plane)
        field = spec.add_hfield(name="h", nrow=101, ncol=101, size=[SIZE / 2, SIZE / 2, 1.0, 1.0])
        field.userdata = np.zeros(101 * 101)
        geom = spec.worldbody.add_geom(type=mujoco.mjtGeom.mjGEOM_HFIELD, hfieldname="h")
        geom.friction[0] = FRICTION
    spec.option.timestep = STEP
    model = spec.compile()
    data = mujoco.MjData(model)
    in_mujoco._place(model, data, "standing")
    return model, data


def _rolling(steps: int) -> None:
    """A hull of 60 corners rolls down a slope of 100,000 triangles, flat or with 0.2 mm of noise, and down a plane."""
    rng = np.random.default_rng(1)
    points = rng.normal(size=(60, 3))
    hull = ConvexHull(0.15 * points / np.linalg.norm(points, axis=1)[:, None])
    rows, first = [], None
    rough = np.random.default_rng(0).uniform(-1e-4, 1e-4, (224, 224))
    for name, heights in (("plane", None), ("flat mesh", 0.0 * rough), ("rough mesh", rough)):
        world = rbdyn.World(2e-3, gravity=(2.0, 0.0, -9.6))
        if heights is None:
            world.add_ground()
        else:
            world.add_mesh(mesh_of(heights), body_type="static")
        c, mass = hull.centroid, 1.0
        inertia = hull.inertia(mass) - (c @ c * np.eye(3) - np.outer(c, c))
        geometry = rbdyn.Geometry(hull, rbdyn.Transform(translation=-c))
        body = world.add_single_body([geometry], mass, 0.5 * (inertia + inertia.T))
        start = np.array([-0.45 * SIZE, 0.0, 0.16])

        def loop(world: rbdyn.World = world, body: rbdyn.SingleBody = body, start: Array = start) -> None:
            body.set_pose(start)
            body.set_velocity((1.0, 0.0, 0.0), (0.0, 6.0, 0.0))
            world.step(steps)

        seconds = by_turns({"rbdyn": loop}, steps, 5)["rbdyn"]
        first = first or seconds
        way = float(body.position[0] - start[0])
        rows.append([name, table.number(1e6 * seconds), table.number(seconds / first), table.number(way)])
    table.show("a hull rolls: step", ["ground", "us", "/ plane", "way [m]"], rows)
