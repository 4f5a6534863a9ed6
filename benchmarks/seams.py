"""Bodies drawn over seams of flush boxes: the largest force beside that on one box.  python -m benchmarks.seams [quick]

A body slides at a constant speed over a floor, or down a wall that it is pressed against, of two boxes that stand
flush, or are off by some micrometres; its velocity is set anew in each step, and the force is what contacts take from
it.  Crates over a grid of tiles, tiles that move as kinematic bodies, and a robot's link drawn by a motor follow.
"""

from __future__ import annotations

import sys
from collections.abc import Callable

import numpy as np

import rbdyn
from benchmarks import table
from rbdyn.collision import ConvexHull
from rbdyn.world import SingleBody, World

MASS, SIDE, FRICTION = 1.0, 0.1, 0.8  # [kg], [m]
MARGIN = 1e-4  # [m] contact margin of a World
STEPS_OFF = (0.0, 1e-6, -1e-6, 2e-6, -2e-6, 4e-6, -4e-6)  # [m] by which the second box is higher
ANGLES = (0.0, 45.0)  # [degrees] of the seam
MARGINS_A_STEP = (0.1, 0.3, 1.0, 2.0, 3.0)  # way in a step, in margins
TIME_STEPS = (1e-3, 2e-3, 5e-3)  # [s]
LYING = np.array([[1.0, 0.0, 0.0], [0.0, 0.0, -1.0], [0.0, 1.0, 0.0]])  # z axis to -y
CUBE = SIDE / 2 * np.array([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)])


def _hull(world: World) -> SingleBody:
    return world.add_single_body([rbdyn.Geometry(ConvexHull(CUBE))], MASS, MASS * SIDE**2 / 6 * np.eye(3))


# how it is made, half its height [m], its attitude, where it stands: half sides along x and y, radius [m]
Made = tuple[Callable[[World], SingleBody], float, np.ndarray, tuple[float, float, float]]
BODIES: dict[str, Made] = {
    "box": (lambda w: w.add_box(SIDE, SIDE, SIDE, MASS), SIDE / 2, np.eye(3), (SIDE / 2, SIDE / 2, 0.0)),
    "small box": (lambda w: w.add_box(0.04, 0.04, 0.04, MASS), 0.02, np.eye(3), (0.02, 0.02, 0.0)),
    "hull": (_hull, SIDE / 2, np.eye(3), (SIDE / 2, SIDE / 2, 0.0)),
    "cylinder on end": (lambda w: w.add_cylinder(SIDE / 2, SIDE, MASS), SIDE / 2, np.eye(3), (0.0, 0.0, SIDE / 2)),
    "capsule across": (lambda w: w.add_capsule(0.03, 0.1, MASS), 0.03, LYING, (0.0, 0.05, 0.0)),
}


def _start(kind: str, degrees: float, step: float) -> float:
    """Where a body stands 20 steps before its first point is over a seam through the origin: its x [m], negative."""
    c, s = np.cos(np.radians(degrees)), np.sin(np.radians(degrees))
    x, y, r = BODIES[kind][3]
    return float(-(x * c + y * s + r) / c - 20.0 * step)


def _floor(world: World, pieces: int, off: float, degrees: float, body_type: str = "static") -> list[SingleBody]:
    """One box, or two that meet at the origin, the second one higher by `off` [m]; tops at z = 0."""
    c, s = np.cos(np.radians(degrees)), np.sin(np.radians(degrees))
    R = np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]])
    boxes = []
    for x, dz in ((0.0, 0.0),) if pieces == 1 else ((-1.0, 0.0), (1.0, off)):
        box = world.add_box(4.0 / pieces, 4.0, 0.2, body_type=body_type)
        box.set_pose(R @ (x, 0.0, dz - 0.1), R)
        boxes.append(box)
    return boxes


def _draw(world: World, body: SingleBody, direction: np.ndarray, speed: float, way: float) -> float:
    """Draw a body that rests by a way [m] at a constant speed; the largest force against it [N]."""
    peak = 0.0
    for _ in range(round(way / (speed * world.time_step))):
        v = body.linear_velocity
        v = v + (speed - v @ direction) * direction
        body.set_velocity(v, 0.0 * v)  # it slides, and does not roll
        world.step()
        peak = max(peak, MASS * (v - body.linear_velocity) @ direction / world.time_step)
    return float(peak)


def over_floor(
    kind: str,
    dt: float,
    speed: float,
    pieces: int = 2,
    off: float = 0.0,
    degrees: float = 0.0,
    collision: str | None = None,
    tiles: float = 0.0,
) -> float:
    """Largest force against a body that is drawn over the seam [N]; the tiles move against it at `tiles` [m/s]."""
    make, height, attitude, _ = BODIES[kind]
    world = World(dt, collision=collision)
    world.set_default_material(FRICTION)
    boxes = _floor(world, pieces, off, degrees, "kinematic" if tiles else "static")
    body = make(world)
    body.set_pose((_start(kind, degrees, (speed + tiles) * dt), 0.0, height), attitude)
    world.step(round(0.2 / dt))
    if tiles:
        for box in boxes:
            box.set_velocity((-tiles, 0.0, 0.0), (0.0, 0.0, 0.0))
    return _draw(world, body, np.array([1.0, 0.0, 0.0]), speed, 60.0 * speed * dt)


def down_wall(kind: str, dt: float, speed: float, pieces: int = 2, off: float = 0.0) -> float:
    """Largest force against a body that is drawn down a wall, which it is pressed against by its weight in x [N]."""
    make, height, attitude, _ = BODIES[kind]
    world = World(dt, gravity=(-9.81, 0.0, 0.0))
    world.set_default_material(FRICTION)
    R = np.array([[0.0, 0.0, 1.0], [0.0, 1.0, 0.0], [-1.0, 0.0, 0.0]])  # the floor's x axis to -z, z to x
    for x, dz in ((0.0, 0.0),) if pieces == 1 else ((-1.0, 0.0), (1.0, off)):
        wall = world.add_box(4.0 / pieces, 4.0, 0.2, body_type="static")
        wall.set_pose(R @ (x, 0.0, dz - 0.1), R)
    body = make(world)
    body.set_pose(R @ (_start(kind, 0.0, speed * dt), 0.0, height), R @ attitude)
    world.step(round(0.2 / dt))
    return _draw(world, body, np.array([0.0, 0.0, -1.0]), speed, 60.0 * speed * dt)


def over_grid(kind: str, dt: float, speed: float, whole: bool = False) -> float:
    """Largest force against a body drawn askew over tiles of 0.25 m, or over one box [N]."""
    make, height, attitude, _ = BODIES[kind]
    world = World(dt)
    world.set_default_material(FRICTION)
    if whole:
        world.add_box(2.0, 2.0, 0.2, body_type="static").set_pose((0.0, 0.0, -0.1))
    else:
        for i in range(-2, 3):
            for j in range(-2, 3):
                world.add_box(0.25, 0.25, 0.2, body_type="static").set_pose((0.25 * i, 0.25 * j, -0.1))
    body = make(world)
    body.set_pose((-0.35, -0.2, height), attitude)
    world.step(round(0.2 / dt))
    return _draw(world, body, np.array([0.8, 0.6, 0.0]), speed, 0.6)


LINK = """<robot name="slider"><link name="rail"/>
<link name="slide"><inertial><mass value="0.1"/><inertia ixx="1e-3" iyy="1e-3" izz="1e-3" ixy="0" ixz="0" iyz="0"/>
</inertial></link>
<joint name="along" type="prismatic"><parent link="rail"/><child link="slide"/><axis xyz="1 0 0"/>
<limit lower="-1" upper="1" effort="1e4" velocity="10"/></joint>
<link name="foot"><inertial><mass value="1"/><inertia ixx="2e-3" iyy="2e-3" izz="2e-3" ixy="0" ixz="0" iyz="0"/>
</inertial><collision><geometry><box size="0.1 0.1 0.1"/></geometry></collision></link>
<joint name="down" type="prismatic"><parent link="slide"/><child link="foot"/><axis xyz="0 0 1"/>
<limit lower="-1" upper="1" effort="1e4" velocity="10"/></joint></robot>"""


def link_over_floor(dt: float, speed: float, pieces: int) -> tuple[float, float]:
    """A link drawn by a PD target that moves: the largest force of its motor [N], and how far it lags [m]."""
    world = World(dt)
    world.set_default_material(FRICTION)
    _floor(world, pieces, 0.0, 0.0)
    robot = world.add_articulated_system(rbdyn.io.load_urdf(LINK, floating=False))
    start = -SIDE / 2 - 4e-3
    robot.set_state([start, SIDE / 2], [0.0, 0.0])
    robot.set_pd_gains([2000.0, 0.0], [50.0, 0.0])
    peak = lag = 0.0
    for k in range(round(8e-3 / (speed * dt))):
        target = start + speed * dt * k
        robot.set_pd_target([target, 0.0], [speed, 0.0])
        world.step()
        q, v = robot.q, robot.v
        peak = max(peak, 2000.0 * (target + speed * dt - q[0]) + 50.0 * (speed - v[0]))
        lag = max(lag, target + speed * dt - q[0])
    return peak, lag


def worst_ratio(kind: str, dt: float, speed: float, offs: tuple[float, ...] = STEPS_OFF) -> list[float]:
    """Force over seams beside that on one box, the worst of the steps: floor, at 45 degrees, wall, moving tiles."""
    one = [over_floor(kind, dt, speed, 1, degrees=a) for a in ANGLES]
    return [
        *(max(over_floor(kind, dt, speed, 2, off, a) for off in offs) / f for a, f in zip(ANGLES, one, strict=True)),
        max(down_wall(kind, dt, speed, 2, off) for off in offs) / down_wall(kind, dt, speed, 1),
        max(over_floor(kind, dt, speed, 2, off, tiles=speed) for off in offs[:3])
        / over_floor(kind, dt, speed, 1, tiles=speed),
    ]


def run(quick: bool) -> None:
    """Print the tables."""
    steps, ways = (TIME_STEPS[:1], MARGINS_A_STEP[::2]) if quick else (TIME_STEPS, MARGINS_A_STEP)
    rows = []
    for kind in BODIES:
        for dt in steps:
            for way in ways:
                ratios = worst_ratio(kind, dt, way * MARGIN / dt, STEPS_OFF[:3] if quick else STEPS_OFF)
                rows.append([kind, f"{dt * 1e3:g}", f"{way:g}", *(f"{r:.3f}" for r in ratios)])
    table.show(
        "Largest force over a seam beside one box; the worst of pieces that are off by up to 4 um",
        ("body", "dt [ms]", "margins/step", "floor", "45 deg", "wall", "kinematic"),
        rows,
    )
    rows = []
    for kind in BODIES:
        forces = [over_grid(kind, 2e-3, 0.1, whole) for whole in (True, False)]
        rows.append([f"{kind}, tiles of 0.25 m, askew", *(f"{f:.3f}" for f in forces), f"{forces[1] / forces[0]:.3f}"])
    for dt in steps:
        (one, _), (two, lag) = link_over_floor(dt, 0.02, 1), link_over_floor(dt, 0.02, 2)
        rows.append([f"link at 0.02 m/s, dt {dt * 1e3:g} ms, lag {lag * 1e3:.3f} mm", *(f"{f:.3f}" for f in (one, two)),
                     f"{two / one:.3f}"])  # fmt: skip
    table.show("Largest force [N]", ("", "one box", "boxes", "ratio"), rows)


if __name__ == "__main__":
    run("quick" in sys.argv[1:])
