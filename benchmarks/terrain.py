"""Terrain: bodies at rest on it, beside the plane, and rays into it; MuJoCo does the same where it is installed."""

from __future__ import annotations

from collections.abc import Callable
from time import perf_counter
from typing import Any

import numpy as np

import rbdyn
from benchmarks import table
from benchmarks.machine import optional
from benchmarks.samples import Array
from benchmarks.timing import by_turns
from rbdyn import models
from rbdyn.collision import ConvexHull, HeightMap, Mesh

SIZE = 10.0  # [m] of the terrain, along x and y
SIDE = 0.2  # [m] of the boxes at rest
STEP = 2e-3


def run(quick: bool) -> None:
    """Print the tables of this section."""
    _standing(quick)
    _resting(quick)
    _fine_grids(quick)
    _noise(3 if quick else 20)
    _rays(quick)


def hills(n: int) -> Array:
    """Heights over n by n points, up to 0.5 m."""
    x, y = np.meshgrid(np.linspace(0.0, 12.0, n), np.linspace(0.0, 12.0, n))
    return 0.3 * np.sin(x) * np.cos(0.8 * y) + 0.15 * np.sin(2.7 * x + 1.9 * y) + 0.05 * np.cos(7.0 * x - 6.0 * y)


def mesh_of(heights: Array, size: float = SIZE) -> Mesh:
    """The triangles of a square height map of this size [m]."""
    n = len(heights)
    x, y = np.meshgrid(np.linspace(-0.5, 0.5, n) * size, np.linspace(-0.5, 0.5, n) * size)
    at = np.arange(n * n).reshape(n, n)
    a, b, c, d = at[:-1, :-1].ravel(), at[:-1, 1:].ravel(), at[1:, 1:].ravel(), at[1:, :-1].ravel()
    return Mesh(np.stack([x, y, heights], axis=-1).reshape(-1, 3), np.concatenate([np.c_[a, b, c], np.c_[a, c, d]]))


# ---- at rest ---------------------------------------------------------------------------------


def _grounds() -> dict[str, Callable[[rbdyn.World], object]]:
    flat = np.zeros((101, 101))
    return {
        "plane": lambda world: world.add_ground(),
        "height map": lambda world: world.add_height_map(flat, size=(SIZE, SIZE)),
        "mesh": lambda world: world.add_mesh(mesh_of(flat), body_type="static"),
    }


def _standing(quick: bool) -> None:
    """The bundled quadruped in its stance."""
    worlds = {}
    for name, add in _grounds().items():
        worlds[name] = world = rbdyn.World(STEP)
        add(world)
        robot = world.add_articulated_system(models.quadruped())
        robot.set_state(models.QUADRUPED_STANCE.q)
        robot.set_pd_gains(200.0, 4.0)
        robot.set_pd_target(models.QUADRUPED_STANCE.q)
        world.step(1000)
    steps = 200 if quick else 1000
    seconds = by_turns({name: lambda w=world: w.step(steps) for name, world in worlds.items()}, steps, 5)
    rows = [
        [name, table.number(1e6 * t), table.number(t / seconds["plane"]), str(len(worlds[name].contacts))]
        for name, t in seconds.items()
    ]
    table.show("a quadruped stands: step", ["ground", "us", "/ plane", "contacts"], rows)


def _resting(quick: bool) -> None:
    """Sixteen boxes."""
    loops: dict[str, Callable[[], object]] = {}
    creep: dict[str, Callable[[], float]] = {}
    steps = 100 if quick else 500
    places = [(0.713 * i - 1.2, 0.687 * j - 1.1, 0.5 * SIDE) for i in range(4) for j in range(4)]
    for name, add in _grounds().items():
        world = rbdyn.World(STEP)
        add(world)
        boxes = [world.add_box(SIDE, SIDE, SIDE, 1.0) for _ in places]
        for box, place in zip(boxes, places, strict=True):
            box.set_pose(position=place)
        world.step(500)
        loops[f"rbdyn, {name}"] = lambda w=world: w.step(steps)  # type: ignore[misc]
        creep[f"rbdyn, {name}"] = lambda b=boxes: max(float(np.linalg.norm(x.linear_velocity)) for x in b)  # type: ignore[misc]
    mujoco = optional("mujoco")
    for name in ("plane", "height map") if mujoco else ():
        model, data = _mujoco_boxes(mujoco, name, places)
        mujoco.mj_step(model, data, 500)
        loops[f"mujoco, {name}"] = lambda m=model, d=data: mujoco.mj_step(m, d, steps)  # type: ignore[misc]
        creep[f"mujoco, {name}"] = lambda d=data: float(np.abs(d.qvel.reshape(-1, 6)[:, :3]).max())  # type: ignore[misc]
    seconds = by_turns(loops, steps, 5)
    rows = [
        [
            name,
            table.number(1e6 * t),
            table.number(t / seconds["rbdyn, " + name.split(", ")[1]]),
            f"{creep[name]():.0e}",
        ]
        for name, t in seconds.items()
    ]
    table.show("sixteen boxes at rest: step", ["engine, ground", "us", "/ rbdyn", "creep [m/s]"], rows)


def _mujoco_boxes(mujoco: Any, ground: str, places: list[tuple[float, float, float]]) -> tuple[Any, Any]:
    floor = '<geom type="plane" size="5 5 1"/>' if ground == "plane" else '<geom type="hfield" hfield="h"/>'
    half = SIDE / 2
    bodies = "".join(
        f'<body pos="{x} {y} {z}"><freejoint/><geom type="box" size="{half} {half} {half}" mass="1"/></body>'
        for x, y, z in places
    )
    asset = f'<asset><hfield name="h" nrow="101" ncol="101" size="{SIZE / 2} {SIZE / 2} 1 1"/></asset>'
    model = mujoco.MjModel.from_xml_string(
        f'<mujoco><option timestep="{STEP}"/>{asset}<worldbody>{floor}{bodies}</worldbody></mujoco>'
    )
    return model, mujoco.MjData(model)


# ---- fine grids and noise ----------------------------------------------------------------------


def _fine_grids(quick: bool) -> None:
    """A foot of 26 x 13 cm, 20 kg, at rest on cells of 5 mm: flat ones, flat ones with a step under it, noise."""
    step = np.zeros((201, 201))
    step[:, 105:] = -0.05
    rng = np.random.default_rng(0)
    grounds = {"plane": None, "flat": np.zeros((201, 201)), "edge of a step": step,
               "2 mm of noise": rng.uniform(-1e-3, 1e-3, (201, 201))}  # fmt: skip
    loops: dict[str, Callable[[], object]] = {}
    worlds, steps = {}, 20 if quick else 100
    for name, heights in grounds.items():
        for kind in ("height map", "mesh") if heights is not None else ("",):
            world = rbdyn.World(STEP)
            if heights is None:
                world.add_ground()
            elif kind == "mesh":
                world.add_mesh(mesh_of(heights, 1.0), body_type="static")
            else:
                world.add_height_map(HeightMap(heights, (1.0, 1.0)))
            world.add_box(0.26, 0.13, 0.05, 20.0).set_pose(position=(0.0, 0.003, 0.027))
            world.step(100)
            worlds[f"{name}, {kind}" if kind else name] = world
    for name, world in worlds.items():
        loops[name] = lambda w=world: w.step(steps)  # type: ignore[misc]
    seconds = by_turns(loops, steps, 5)
    rows = [[name, table.number(1e6 * t), str(len(worlds[name].contacts))] for name, t in seconds.items()]
    table.show("a foot at rest on cells of 5 mm: step", ["ground", "us", "contacts"], rows)


def _noise(seeds: int) -> None:
    """Bodies of 20 kg and the bundled quadruped, put down on cells of 2 cm with 2 mm of noise, 5 s later.

    The quadruped has stiffer motors than in its stance above: with those it sways, on a plane as well, for 10 s.
    """
    rows = []
    for name in ("box", "hull", "quadruped"):
        for kind in ("height map", "mesh"):
            speeds, contacts, seconds = [], [], 0.0
            for seed in range(seeds):
                world, speed = _on_noise(name, kind, seed)
                start = perf_counter()
                world.step(round(5.0 / world.time_step))
                seconds += perf_counter() - start
                fastest = 0.0
                for _ in range(50):
                    world.step()
                    fastest = max(fastest, speed())
                speeds.append(fastest)
                contacts.append(len(world.contacts))
            at_rest = sum(v < 1e-6 for v in speeds)
            rows.append([f"{name}, {kind}", f"{at_rest} of {seeds}", f"{max(speeds):.0e}", str(max(contacts)),
                         table.number(1e6 * seconds / seeds / round(5.0 / world.time_step))])  # fmt: skip
    header = ["body, ground", "below 1e-6 m/s", "fastest [m/s]", "contacts", "us a step"]
    table.show("at rest on noise after 5 s", header, rows)


def _on_noise(name: str, kind: str, seed: int) -> tuple[rbdyn.World, Callable[[], float]]:
    """A World of the default time step, and the largest speed in it [m/s, rad/s]."""
    rng = np.random.default_rng(seed)
    heights, world = rng.uniform(-1e-3, 1e-3, (101, 101)), rbdyn.World()
    if kind == "mesh":
        world.add_mesh(mesh_of(heights, 2.0), body_type="static")
    else:
        world.add_height_map(HeightMap(heights, (2.0, 2.0)))
    (x, y), angle = rng.uniform(-0.3, 0.3, 2), rng.uniform(0.0, np.pi)
    if name == "quadruped":
        robot = world.add_articulated_system(models.quadruped())
        q = models.QUADRUPED_STANCE.q.copy()
        q[:3] += (x, y, 0.003)
        robot.set_state(q)
        robot.set_pd_gains(2000.0, 100.0)
        robot.set_pd_target(models.QUADRUPED_STANCE.q)
        return world, lambda: float(np.abs(robot.v).max())
    if name == "hull":
        corners = 2.0 * np.mgrid[:2, :2, :2].reshape(3, -1).T - 1.0
        cut = np.concatenate([corners * np.where(np.arange(3) == k, 0.9, 1.0) for k in range(3)])
        hull = ConvexHull(cut * (0.2, 0.15, 0.1))
        inertia = hull.inertia(20.0)
        body = world.add_single_body([rbdyn.Geometry(hull)], 20.0, 0.5 * (inertia + inertia.T))
    else:
        body = world.add_box(0.4, 0.3, 0.2, 20.0)
    body.set_pose((x, y, 0.103), (np.cos(angle), 0.0, 0.0, np.sin(angle)))
    return world, lambda: float(max(np.linalg.norm(body.linear_velocity), np.linalg.norm(body.angular_velocity)))


# ---- rays ------------------------------------------------------------------------------------


def _rays(quick: bool) -> None:
    """Rays of a lidar above the middle."""
    count = 2000 if quick else 20_000
    rng = np.random.default_rng(0)
    o = np.array([0.3, -0.2, 2.0])
    d = np.stack([np.cos(a := rng.uniform(0, 2 * np.pi, count)), np.sin(a), -rng.uniform(0.05, 1.0, count)], axis=1)
    d /= np.linalg.norm(d, axis=1)[:, None]
    mujoco = optional("mujoco")
    rows = []
    for name, n, kind in (("height map", 200, "map"), ("height map", 2000, "map"), ("mesh", 128, "mesh")):
        heights = hills(n)
        world = rbdyn.World()
        if kind == "map":
            world.add_height_map(HeightMap(heights, (SIZE, SIZE)))
        else:
            world.add_mesh(mesh_of(heights), body_type="static")
        loops: dict[str, Callable[[], object]] = {"rbdyn": lambda w=world: w.ray_test_batch(o, d, 20.0)}  # type: ignore[misc]
        distance = world.ray_test_batch(o, d, 20.0).distance
        apart = None
        if mujoco:
            loops["mujoco"], theirs = _mujoco_rays(mujoco, heights, kind, o, d)
            both = (theirs >= 0) & np.isfinite(distance)
            apart = float(np.median(np.abs(theirs[both] - distance[both])))
        seconds = by_turns(loops, count, 5)
        ratio = seconds["mujoco"] / seconds["rbdyn"] if mujoco else None
        triangles = 2 * (n - 1) ** 2
        rows.append(
            [f"{name}, {triangles} triangles", table.number(1e9 * seconds["rbdyn"]), table.number(ratio),
             table.verdict(ratio, 1.0), table.number(apart)]
        )  # fmt: skip
    header = ["surface", "ns a ray", "mujoco/rbdyn", "target", "apart [m], median"]
    table.show(f"{count} rays from above", header, rows)


def _mujoco_rays(mujoco: Any, heights: Array, kind: str, o: Array, d: Array) -> tuple[Callable[[], object], Array]:
    """A loop over all rays, and their distances.  MuJoCo keeps heights in single precision."""
    n, low, high = len(heights), float(heights.min()), float(heights.max())
    spec = mujoco.MjSpec()
    if kind == "map":
        field = spec.add_hfield(name="h", nrow=n, ncol=n, size=[SIZE / 2, SIZE / 2, high - low, 1.0])
        field.userdata = ((heights - low) / (high - low)).ravel()
        spec.worldbody.add_geom(type=mujoco.mjtGeom.mjGEOM_HFIELD, hfieldname="h", pos=[0, 0, low])
    else:
        ours = mesh_of(heights)
        shell = mujoco.mjtMeshInertia.mjMESH_INERTIA_SHELL
        spec.add_mesh(name="m", uservert=ours.vertices.ravel(), userface=ours.faces.ravel(), inertia=shell)
        spec.worldbody.add_geom(type=mujoco.mjtGeom.mjGEOM_MESH, meshname="m")
    model = spec.compile()
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    count = len(d)
    geom, distance = np.zeros(count, np.int32), np.zeros(count)

    def loop() -> None:
        mujoco.mj_multiRay(model, data, o, d.ravel(), None, 1, -1, geom, distance, None, count, 20.0)

    try:
        loop()
    except TypeError:  # before version 3.4 there was no array of normals

        def loop() -> None:
            mujoco.mj_multiRay(model, data, o, d.ravel(), None, 1, -1, geom, distance, count, 20.0)

        loop()
    return loop, distance.copy()
