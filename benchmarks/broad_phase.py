"""Which of many shapes touch: detection alone, among heaps of moving shapes, and of a few among many that are fixed.

Every look is at other poses than the one before, as in a step.  MuJoCo's figure is mj_collision; python-fcl's a manager
of its own kind of tree, updated, with its default callback that stores what touches.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

import rbdyn
from benchmarks import table
from benchmarks.machine import optional
from benchmarks.samples import Array
from benchmarks.timing import by_turns
from rbdyn.collision import Box, Capsule, NativeBackend, Shape, Sphere

COUNTS = (666, 2000, 10_000)
RADIUS = 0.05  # [m]
SHARE = 0.45  # of the volume that the shapes fill
JITTER = 2e-4  # [m] between two looks

Loops = dict[str, Callable[[], object]]


def run(quick: bool) -> None:
    """Print the tables of this section."""
    counts = COUNTS[:2] if quick else COUNTS
    _heaps(counts, ("spheres", "mixed"))
    _at_rest(counts, 50 if quick else 200)
    _among_fixed(quick)


def heap(n: int, kind: str) -> tuple[list[Shape], list[Array]]:
    """Shapes at random places in a cube, a few contacts each, and their poses at several looks."""
    rng = np.random.default_rng(n)
    shapes: list[Shape] = [Sphere(RADIUS)]
    if kind == "mixed":
        shapes += [Box((1.6 * RADIUS, 1.4 * RADIUS, 1.2 * RADIUS)), Capsule(0.6 * RADIUS, 1.2 * RADIUS)]
    side = (n * 4.0 / 3.0 * np.pi * RADIUS**3 / SHARE) ** (1.0 / 3.0)
    cells = int(np.ceil(n ** (1.0 / 3.0)))
    grid = np.stack(np.meshgrid(*[np.arange(cells)] * 3, indexing="ij"), axis=-1).reshape(-1, 3)[:n]
    places = (grid + 0.5 + rng.uniform(-0.3, 0.3, (n, 3))) * side / cells
    poses = np.tile(np.eye(4), (n, 1, 1))
    q, _ = np.linalg.qr(rng.normal(size=(n, 3, 3)))
    q[:, :, 0] *= np.linalg.det(q)[:, None]
    poses[:, :3, :3], poses[:, :3, 3] = q, places
    looks = []
    for _ in range(4):
        look = poses.copy()
        look[:, :3, 3] += JITTER * rng.normal(size=(n, 3))
        looks.append(look)
    return [shapes[k % len(shapes)] for k in range(n)], looks


def _heaps(counts: tuple[int, ...], kinds: tuple[str, ...]) -> None:
    rows = []
    for kind in kinds:
        for n in counts:
            shapes, looks = heap(n, kind)
            backend = NativeBackend()
            for k, shape in enumerate(shapes):
                backend.add_shape(shape, k)
            loops: Loops = {"rbdyn": lambda b=backend, looks=looks: [b.query(x) for x in looks]}  # type: ignore[misc]
            contacts = len(backend.query(looks[0]))
            _mujoco(loops, shapes, looks)
            _fcl(loops, shapes, looks)
            seconds = by_turns(loops, len(looks), 5)
            peers = ("mujoco", "python-fcl")
            ratios = [seconds[peer] / seconds["rbdyn"] if peer in seconds else None for peer in peers]
            rows.append(
                [f"{n} {kind}", str(contacts), table.number(1e3 * seconds["rbdyn"]),
                 table.number(1e9 * seconds["rbdyn"] / n), *(table.number(r) for r in ratios)]
            )  # fmt: skip
    header = ["heap", "contacts", "ms", "ns a body", "mujoco/rbdyn", "fcl/rbdyn"]
    table.show("one look at a heap, from Python", header, rows)


def _mujoco(loops: Loops, shapes: list[Shape], looks: list[Array]) -> None:
    mujoco = optional("mujoco")
    if mujoco is None:
        return
    spec = mujoco.MjSpec()
    kinds = mujoco.mjtGeom
    for shape in shapes:
        body = spec.worldbody.add_body()
        body.add_freejoint()
        if isinstance(shape, Sphere):
            body.add_geom(type=kinds.mjGEOM_SPHERE, size=[shape.radius, 0, 0])
        elif isinstance(shape, Box):
            body.add_geom(type=kinds.mjGEOM_BOX, size=[0.5 * x for x in shape.size])
        elif isinstance(shape, Capsule):
            body.add_geom(type=kinds.mjGEOM_CAPSULE, size=[shape.radius, 0.5 * shape.height, 0])
    spec.memory = 1 << 29
    model = spec.compile()
    data = mujoco.MjData(model)
    positions = []
    for look in looks:
        q = np.empty((len(shapes), 7))
        q[:, :3] = look[:, :3, 3]
        for k, T in enumerate(look):
            mujoco.mju_mat2Quat(q[k, 3:], np.ascontiguousarray(T[:3, :3]).ravel())
        positions.append(q.ravel())
    geoms = []
    for q in positions:  # what mj_collision reads
        data.qpos[:] = q
        mujoco.mj_kinematics(model, data)
        mujoco.mj_comPos(model, data)
        geoms.append((data.xpos.copy(), data.xmat.copy(), data.xipos.copy(), data.ximat.copy(),
                      data.geom_xpos.copy(), data.geom_xmat.copy()))  # fmt: skip

    def loop() -> None:
        for parts in geoms:
            data.xpos[:], data.xmat[:], data.xipos[:], data.ximat[:], data.geom_xpos[:], data.geom_xmat[:] = parts
            mujoco.mj_collision(model, data)

    loops["mujoco"] = loop


def _fcl(loops: Loops, shapes: list[Shape], looks: list[Array]) -> None:
    fcl = optional("fcl")
    if fcl is None:
        return
    from rbdyn.collision.backends.fcl import convex_geometry

    objects = [fcl.CollisionObject(convex_geometry(shape), fcl.Transform()) for shape in shapes]
    transforms = [[fcl.Transform(T[:3, :3], T[:3, 3]) for T in look] for look in looks]
    manager = fcl.DynamicAABBTreeCollisionManager()
    manager.registerObjects(objects)
    manager.setup()

    def loop() -> None:
        for at in transforms:
            for thing, transform in zip(objects, at, strict=True):
                thing.setTransform(transform)
            manager.update()
            request = fcl.CollisionRequest(num_max_contacts=1 << 20, enable_contact=True)
            manager.collide(fcl.CollisionData(request=request), fcl.defaultCollisionCallback)

    loops["python-fcl"] = loop


# ---- steps -----------------------------------------------------------------------------------


def _at_rest(counts: tuple[int, ...], steps: int) -> None:
    """Spheres that lie on the ground, none asleep, and in a World that lets them sleep."""
    rows = []
    for n in counts:
        loops: Loops = {}
        for name, sleeping in (("awake", False), ("asleep", True)):
            world = rbdyn.World(2e-3)
            world.sleeping = sleeping
            world.add_ground()
            side = int(np.ceil(np.sqrt(n)))
            for k in range(n):
                ball = world.add_sphere(RADIUS, 1.0)
                ball.set_pose((2.5 * RADIUS * (k % side), 2.5 * RADIUS * (k // side), RADIUS))
            world.step(400)
            loops[name] = lambda w=world: w.step(steps)  # type: ignore[misc]
        seconds = by_turns(loops, steps, 5)
        rows.append([f"{n} spheres", *(table.number(1e9 * seconds[k] / n) for k in ("awake", "asleep"))])
    table.show("a step of spheres at rest: ns a sphere", ["scene", "awake", "asleep"], rows)


def _among_fixed(quick: bool) -> None:
    """Ten spheres that roll among boxes that never move."""
    rows: list[list[str]] = []
    steps = 20 if quick else 100
    for n in (0, 1000, 10_000):
        world = rbdyn.World(2e-3)
        world.sleeping = False
        world.add_ground()
        rng = np.random.default_rng(0)
        for place in rng.uniform(-50.0, 50.0, (n, 2)):
            block = world.add_single_body([rbdyn.Geometry(Box((0.3, 0.3, 0.3)))], 1.0, np.eye(3), "static")
            block.set_pose((*place, 0.15))
        for k in range(10):
            ball = world.add_sphere(0.1, 1.0)
            ball.set_pose((k - 5.0, 200.0, 0.1))
            ball.set_velocity((0.1, 0.0, 0.0))
        world.step(10)
        seconds = by_turns({"rbdyn": lambda w=world: w.step(steps)}, steps, 5)["rbdyn"]  # type: ignore[misc]
        rows.append([f"{n} boxes", table.number(1e6 * seconds)])
    table.show("a step of ten spheres among fixed boxes", ["scene", "us"], rows)


