"""Cameras, lidars and IMUs, beside MuJoCo's renderer (EGL, in software), PyBullet's TinyRenderer and MuJoCo's rays.

All of it on one thread: rbdyn and PyBullet draw in the caller's; Mesa's software rasteriser is told to.
"""

from __future__ import annotations

import math
import subprocess
import sys
from collections.abc import Callable
from typing import Any

import numpy as np

import rbdyn
from benchmarks import table
from benchmarks.machine import optional
from benchmarks.samples import Array
from benchmarks.timing import by_turns
from rbdyn import models
from rbdyn.collision import Mesh, Sphere
from rbdyn.scenery import Camera, Style, look
from rbdyn.sensors import Imu, SpinningLidar

SIZES = ((320, 240), (640, 480), (1280, 720))
FOV = math.radians(45.0)
EYE, TARGET = (3.2, -2.6, 1.9), (0.0, 0.0, 0.4)
GOAL = 6.0  # [ms] rgb and depth of 14,000 triangles at 640 x 480


def run(quick: bool) -> None:
    """Print the tables of this section."""
    _cameras(quick)
    _lidar(quick)
    _imu(quick)


def places() -> Array:
    """Of fifteen balls of 960 triangles each, (15, 3)."""
    return np.array([(0.7 * i - 1.4, 0.7 * j - 0.7, 0.3 + 0.15 * (i + j)) for i in range(5) for j in range(3)])


def ball() -> Mesh:
    """Triangles, so that all engines draw the same."""
    return Mesh(*Sphere(0.28).triangles(32))


def our_world() -> rbdyn.World:
    """A ground and the balls."""
    world, shape = rbdyn.World(), ball()
    world.add_ground()
    for place in places():
        world.add_mesh(shape, 1.0).set_pose(position=place)
    return world


# ---- cameras ---------------------------------------------------------------------------------


def _cameras(quick: bool) -> None:
    world, shots = our_world(), 3 if quick else 10
    peers: dict[str, Callable[[int, int], Callable[[], object]]] = {
        "rbdyn, rgb and depth": lambda w, h: _ours(world, w, h, Style.plain()),
        "rbdyn, depth": lambda w, h: _our_depth(world, w, h),
        "rbdyn, rgb with shadows, 2 x 2 samples": lambda w, h: _ours(world, w, h, Style()),
    }
    if _has_egl():
        peers |= {"mujoco (EGL), rgb": _mujoco(False), "mujoco (EGL), depth": _mujoco(True)}
    else:
        print("\nmujoco's renderer does not run here: no EGL (libegl1, libgl1-mesa-dri)")
    if optional("pybullet"):
        peers["pybullet TinyRenderer, all"] = _bullet()
    rows = {name: [name] for name in peers}
    for width, height in SIZES:
        shots_of = {name: make(width, height) for name, make in peers.items()}
        loops = {name: (lambda shot=shot: [shot() for _ in range(shots)]) for name, shot in shots_of.items()}
        for name, seconds in by_turns(loops, shots, 3).items():
            rows[name].append(table.number(1e3 * seconds))
    title = "a picture of 14,400 triangles on a ground [ms]"
    table.show(title, ["", *(f"{w} x {h}" for w, h in SIZES)], list(rows.values()))
    took = float(rows["rbdyn, rgb and depth"][2])
    print(f"goal: rgb and depth of 640 x 480 under {GOAL:g} ms: {'met' if took < GOAL else 'MISSED'}")


def _camera(width: int, height: int) -> Camera:
    return Camera(width=width, height=height, position=EYE, target=TARGET, vertical_fov=FOV, near=0.1, far=50.0)


def _ours(world: rbdyn.World, width: int, height: int, style: Style) -> Callable[[], object]:
    camera = _camera(width, height)

    def shot() -> object:
        view = look(world, camera, style=style)
        return view.rgb, view.depth if style.antialias == 1 else None

    return shot


def _our_depth(world: rbdyn.World, width: int, height: int) -> Callable[[], object]:
    camera = _camera(width, height)
    return lambda: world.render(camera, "depth")


def _has_egl() -> bool:
    """Whether MuJoCo can draw without a display; asked in another process, as a failure may end it."""
    if not optional("mujoco"):
        return False
    code = (
        "import mujoco; m = mujoco.MjModel.from_xml_string('<mujoco/>'); r = mujoco.Renderer(m, 8, 8);"
        "d = mujoco.MjData(m); mujoco.mj_forward(m, d); r.update_scene(d); r.render()"
    )
    return subprocess.run([sys.executable, "-c", code], capture_output=True, check=False).returncode == 0


def _mujoco_model(width: int, height: int) -> tuple[Any, Any, Any]:
    import mujoco

    shape = ball()
    spec = mujoco.MjSpec()
    spec.visual.global_.offwidth, spec.visual.global_.offheight = width, height
    spec.visual.global_.fovy = math.degrees(FOV)
    spec.visual.map.znear, spec.visual.map.zfar = 0.1, 50.0
    spec.stat.extent = 1.0
    spec.add_mesh(name="ball", uservert=shape.vertices.ravel(), userface=shape.faces.ravel())
    spec.worldbody.add_geom(type=mujoco.mjtGeom.mjGEOM_PLANE, size=[0, 0, 1])
    spec.worldbody.add_light(pos=[0, 0, 5], dir=[-0.3, 0.4, -1], castshadow=False)
    for place in places():
        body = spec.worldbody.add_body(pos=place)
        body.add_freejoint()
        body.add_geom(type=mujoco.mjtGeom.mjGEOM_MESH, meshname="ball", mass=1.0)
    model = spec.compile()
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    return mujoco, model, data


def _mujoco(depth: bool) -> Callable[[int, int], Callable[[], object]]:
    def make(width: int, height: int) -> Callable[[], object]:
        mujoco, model, data = _mujoco_model(width, height)
        renderer = mujoco.Renderer(model, height, width)
        if depth:
            renderer.enable_depth_rendering()
        camera = mujoco.MjvCamera()
        way = np.array(TARGET) - np.array(EYE)
        camera.lookat[:] = TARGET
        camera.distance = np.linalg.norm(way)
        camera.azimuth = math.degrees(math.atan2(way[1], way[0]))
        camera.elevation = math.degrees(math.asin(way[2] / camera.distance))

        def shot() -> object:
            renderer.update_scene(data, camera)
            return renderer.render()

        return shot

    return make


def _bullet() -> Callable[[int, int], Callable[[], object]]:
    import pybullet

    client = pybullet.connect(pybullet.DIRECT)
    shape = ball()
    seen = pybullet.createVisualShape(
        pybullet.GEOM_MESH,
        vertices=shape.vertices.tolist(),
        indices=shape.faces.ravel().tolist(),
        physicsClientId=client,
    )
    for place in places():
        pybullet.createMultiBody(1.0, -1, seen, place.tolist(), physicsClientId=client)
    floor = pybullet.createVisualShape(pybullet.GEOM_BOX, halfExtents=[25, 25, 0.01], physicsClientId=client)
    pybullet.createMultiBody(0.0, -1, floor, [0, 0, -0.01], physicsClientId=client)

    def make(width: int, height: int) -> Callable[[], object]:
        view = pybullet.computeViewMatrix(EYE, TARGET, (0, 0, 1))
        lens = pybullet.computeProjectionMatrixFOV(math.degrees(FOV), width / height, 0.1, 50.0)
        return lambda: pybullet.getCameraImage(
            width, height, view, lens, renderer=pybullet.ER_TINY_RENDERER, shadow=0, physicsClientId=client
        )

    return make


# ---- lidars ----------------------------------------------------------------------------------


def _lidar(quick: bool) -> None:
    """64 x 1024 rays amid the balls."""
    world = our_world()
    root, body = rbdyn.RigidBody("world"), rbdyn.RigidBody("body", rbdyn.SpatialInertia(1.0, inertia=np.eye(3)))
    mechanism = rbdyn.Mechanism(root)
    mechanism.attach(root, body, rbdyn.Joint("ROOT", rbdyn.Floating()))
    robot = world.add_articulated_system(mechanism, name="carrier")
    at = (0.35, 0.35, 1.6)
    robot.set_base_pose(position=at)
    described = SpinningLidar(
        "lidar", yaw_samples=1024, pitch_samples=64, pitch_min_angle=-0.9, pitch_max_angle=0.2, range_max=50.0
    )
    lidar = robot.add_sensor_set("set", [described]).sensor("lidar")
    ranges = lidar.measure()["ranges"]
    loops: dict[str, Callable[[], object]] = {"rbdyn, lidar.measure()": lidar.measure}
    apart = None
    if optional("mujoco"):
        rays = np.ascontiguousarray(lidar.directions(lidar.yaw).reshape(-1, 3))
        loops["mujoco, mj_multiRay"], theirs = _mujoco_rays(at, rays)
        met = np.isfinite(ranges.ravel()) & (theirs >= 0)
        apart = float(np.median(np.abs(ranges.ravel()[met] - theirs[met])))
    seconds = by_turns(loops, 1, 3 if quick else 7)
    rows = [
        [name, table.number(1e3 * t), table.number(t / seconds["rbdyn, lidar.measure()"])]
        for name, t in seconds.items()
    ]
    table.show("a lidar of 64 x 1024 rays, fifteen meshes", ["", "ms", "/ rbdyn"], rows)
    print(f"median of the distances between their hits: {table.number(apart)} m")


def _mujoco_rays(at: tuple[float, float, float], rays: Array) -> tuple[Callable[[], object], Array]:
    mujoco, model, data = _mujoco_model(8, 8)
    n = len(rays)
    geom, distance, origin = np.zeros(n, np.int32), np.zeros(n), np.array(at)

    def loop() -> None:
        mujoco.mj_multiRay(model, data, origin, rays.ravel(), None, 1, -1, geom, distance, None, n, 50.0)

    loop()
    return loop, distance.copy()


# ---- IMUs ------------------------------------------------------------------------------------


def _imu(quick: bool) -> None:
    """What an IMU that measures at every step adds to a standing quadruped's."""
    steps = 200 if quick else 1000
    loops = {}
    for name, count in (("no sensor", 0), ("an IMU at every step", 1), ("four of them", 4)):
        world = rbdyn.World(time_step=2e-3)
        world.add_ground()
        robot = world.add_articulated_system(models.quadruped())
        robot.set_state(models.QUADRUPED_STANCE.q)
        robot.set_pd_gains(200.0, 4.0)
        robot.set_pd_target(models.QUADRUPED_STANCE.q)
        if count:
            robot.add_sensor_set("set", [Imu(f"imu{k}", update_rate=500.0) for k in range(count)])
        world.step(500)
        loops[name] = lambda w=world: w.step(steps)
    seconds = by_turns(loops, steps, 5)
    rows = [[n, table.number(1e6 * t), table.number(1e6 * (t - seconds["no sensor"]))] for n, t in seconds.items()]
    table.show("a standing quadruped: step [us]", ["", "step", "more"], rows)
