"""Terrain: bodies at rest on it, beside the plane, and rays into it; MuJoCo does the same where it is installed."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

import rbdyn
from benchmarks import table
from benchmarks.machine import optional
from benchmarks.samples import Array
from benchmarks.timing import by_turns
from rbdyn import models
from rbdyn.collision import HeightMap, Mesh

SIZE = 10.0  # [m] of the terrain, along x and y
SIDE = 0.2  # [m] of the boxes at rest
STEP = 2e-3


def run(quick: bool) -> None:
    """Print the tables of this section."""
    _standing(quick)
    _resting(quick)
    _rays(quick)


def hills(n: int) -> Array:
    """Heights over n by n points, up to 0.5 m."""
    x, y = np.meshgrid(np.linspace(0.0, 12.0, n), np.linspace(0.0, 12.0, n))
    return 0.3 * np.sin(x) * np.cos(0.8 * y) + 0.15 * np.sin(2.7 * x + 1.9 * y) + 0.05 * np.cos(7.0 * x - 6.0 * y)


def mesh_of(heights: Array) -> Mesh:
    """The triangles of a height map."""
    n = len(heights)
    x, y = np.meshgrid(np.linspace(-0.5, 0.5, n) * SIZE, np.linspace(-0.5, 0.5, n) * SIZE)
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
