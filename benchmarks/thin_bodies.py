"""Thin bodies against thin walls: how many pass? python -m benchmarks.thin_bodies [seeds]

Light bodies fall by a metre on a table top (a static box, or a mesh of two triangles), turning as they fall, and rods
fly at a wall of 2 mm.  Each count is of `seeds` bodies that ended beyond.  `deep` is how far any went into a ground
that has no other side, at worst.  Then random bodies, 5 to 50 times as long as thick, are thrown at walls at 2 to
50 m/s, turning by up to some 100 rad/s: 40 times `seeds`, without gravity, and what each gains in energy is told, too.
Arms of three long links, joints in all directions, are swung into such walls.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Callable

import numpy as np

import rbdyn
from benchmarks import table
from rbdyn.collision import ConvexHull, Mesh
from rbdyn.world import SingleBody, World

STEPS = (1e-3, 2e-3, 5e-3)  # [s]
MASS, HEIGHT, SPIN = 0.02, 1.0, 5.0  # [kg], [m], [rad/s]
BODIES: dict[str, Callable[[World], SingleBody]] = {
    "rod (capsule)": lambda w: w.add_capsule(0.006, 0.148, MASS),
    "cigar (ellipsoid)": lambda w: w.add_ellipsoid(0.006, 0.006, 0.08, MASS),
    "lens (ellipsoid)": lambda w: w.add_ellipsoid(0.05, 0.05, 0.004, MASS),
    "ruler (box)": lambda w: w.add_box(0.03, 0.002, 0.3, MASS),
    "needle (cylinder)": lambda w: w.add_cylinder(0.002, 0.1, MASS),
    "cone": lambda w: w.add_cone(0.005, 0.1, MASS),
    "coin (cylinder)": lambda w: w.add_cylinder(0.012, 0.002, MASS),
}
KINDS = ("box", "plate", "capsule", "cylinder", "hull", "ellipsoid")
WALLS = ("sheet", "2 mm", "20 mm")
SHEET = Mesh([(-2, -2, 0), (2, -2, 0), (2, 2, 0), (-2, 2, 0)], [(0, 1, 2), (0, 2, 3)])

STANDING_SHEET = Mesh([(0, -6, -6), (0, 6, -6), (0, 6, 6), (0, -6, 6)], [(0, 1, 2), (0, 2, 3)])


def turned(rng: np.random.Generator) -> np.ndarray:
    """Any attitude."""
    quaternion = rng.normal(size=4)
    return np.asarray(quaternion / np.linalg.norm(quaternion))


def drop(make: Callable[[World], SingleBody], dt: float, seed: int, floor: str) -> tuple[bool, float]:
    """Whether a body ends under the floor, and how far it went into it at worst [m]."""
    rng = np.random.default_rng(seed)
    world = World(dt)
    world.set_default_material(0.5)
    if floor == "ground":
        ground = world.add_ground()
    elif floor == "mesh":
        ground = world.add_mesh(SHEET, body_type="static")
    else:
        ground = world.add_box(3.0, 3.0, 0.02, body_type="static")
        ground.set_pose((0.0, 0.0, -0.01))
    body = make(world)
    body.set_pose((0.0, 0.0, HEIGHT), turned(rng))
    body.set_velocity((0.0, 0.0, 0.0), SPIN * rng.normal(size=3))
    deep = 0.0
    for _ in range(round((np.sqrt(2.0 * HEIGHT / 9.81) + 0.5) / dt)):
        world.step()
        deep = max(deep, -world.distance(body, ground).distance) if floor == "ground" else 0.0
    return bool(body.position[2] < 0.0), deep


def throw(dt: float, speed: float, seed: int) -> bool:
    """Whether a rod of 0.3 m passes a wall of 2 mm."""
    rng = np.random.default_rng(seed)
    world = World(dt, gravity=(0.0, 0.0, 0.0))
    world.set_default_material(0.5)
    world.add_box(0.002, 4.0, 4.0, body_type="static")
    rod = world.add_capsule(0.005, 0.3, 1.0)
    rod.set_pose((-0.5 - rng.uniform(0.0, speed * dt), 0.0, 0.0), turned(rng))
    rod.set_velocity((speed, 0.0, 0.0), (0.0, 0.0, 0.0))
    world.step(int(1.5 / speed / dt) + 30)
    return bool(rod.position[0] > 0.05)


def thin_body(world: World, kind: str, rng: np.random.Generator) -> tuple[SingleBody, float]:
    """A random body of .1 to .6 m, 5 to 50 times as long as thick, and its length [m]."""
    length, mass = rng.uniform(0.1, 0.6), np.exp(rng.uniform(np.log(0.01), np.log(10.0)))
    thick = length / np.exp(rng.uniform(np.log(5.0), np.log(50.0)))
    wide = thick * rng.uniform(1.0, 4.0)
    if kind == "box":
        return world.add_box(thick, wide, length, mass), length
    if kind == "plate":
        return world.add_box(thick, length * rng.uniform(0.3, 1.0), length, mass), length
    if kind == "capsule":
        return world.add_capsule(0.5 * thick, length - thick, mass), length
    if kind == "cylinder":
        return world.add_cylinder(0.5 * thick, length, mass), length
    if kind == "ellipsoid":
        return world.add_ellipsoid(0.5 * thick, 0.5 * wide, 0.5 * length, mass), length
    corners = rng.normal(size=(rng.integers(8, 24), 3))
    corners *= 0.5 * np.array([thick, wide, length]) / np.linalg.norm(corners, axis=1)[:, None]
    return world.add_mesh(ConvexHull(corners), mass), length


def wall_of(world: World, kind: str) -> SingleBody:
    """A static wall across x = 0, of 12 m: what flies along it does not come to its rim."""
    if kind == "sheet":
        return world.add_mesh(STANDING_SHEET, body_type="static")
    return world.add_box(0.002 if kind == "2 mm" else 0.02, 12.0, 12.0, body_type="static")


def throw_any(kind: str, wall: str, seed: int, fastest: float = 50.0) -> tuple[bool, float]:
    """Whether a random body ends beyond the wall it flies at, and what share of energy it gains in a step at most."""
    rng = np.random.default_rng([seed, KINDS.index(kind), WALLS.index(wall)])
    dt = float(rng.choice([1e-3, 2e-3, 5e-3]))
    world = World(dt, gravity=(0.0, 0.0, 0.0))
    world.set_default_material(float(rng.choice([0.0, 0.5, 1.0])), restitution=float(rng.choice([0.0, 0.0, 0.5])))
    wall_of(world, wall)
    body, length = thin_body(world, kind, rng)
    speed = np.exp(rng.uniform(np.log(2.0), np.log(fastest)))
    course = rng.normal(size=3) * (1.0, 0.7, 0.7)
    course[0] = abs(course[0]) + 1.0
    velocity = speed * course / np.linalg.norm(course)
    body.set_pose((-length - 0.02 - rng.uniform(0.0, speed * dt), 0.0, 0.0), turned(rng))
    body.set_velocity(velocity, rng.choice([0.0, 10.0, 50.0]) * rng.normal(size=3))
    start = energy = body.kinetic_energy
    gain = 0.0
    for _ in range(round(2.0 / velocity[0] / dt) + 40):
        world.step()
        gain, energy = max(gain, (body.kinetic_energy - energy) / start), body.kinetic_energy
    return bool(body.position[0] > 0.0), gain


def long_arm(links: int = 3, length: float = 0.3) -> str:
    """URDF of an arm whose joints turn about z and y in turn."""
    parts = ['<robot name="arm"><link name="world"/>']
    about = 0.1 * length**2 / 12.0
    for k in range(links):
        parts.append(
            f'<link name="l{k}"><inertial><origin xyz="{0.5 * length} 0 0"/><mass value="0.1"/>'
            f'<inertia ixx="3.6e-6" iyy="{about}" izz="{about}" ixy="0" ixz="0" iyz="0"/></inertial>'
            f'<collision><origin xyz="{0.5 * length} 0 0" rpy="0 1.5707963 0"/><geometry>'
            f'<capsule radius="0.006" length="{length - 0.012}"/></geometry></collision></link>'
            f'<joint name="j{k}" type="continuous"><parent link="{f"l{k - 1}" if k else "world"}"/><child link="l{k}"/>'
            f'<origin xyz="{length if k else 0} 0 0"/><axis xyz="{"0 1 0" if k % 2 else "0 0 1"}"/></joint>')
    return "".join([*parts, "</robot>"])


def swing(wall: str, seed: int, fastest: float) -> bool:
    """Whether some link of an arm that turns at 3 rad/s to `fastest` ends with its end beyond a wall."""
    rng = np.random.default_rng([seed, WALLS.index(wall)])
    dt, away = float(rng.choice([1e-3, 2e-3, 5e-3])), rng.uniform(0.2, 0.6)
    world = World(dt, gravity=(0.0, 0.0, 0.0))
    world.set_default_material(0.5)
    wall_of(world, wall).set_pose((away, 0.0, 0.0))
    arm = world.add_articulated_system(long_arm(), self_collision=False)
    q, v = rng.uniform(-0.6, 0.6, 3), 2.0 * rng.normal(size=3)
    q[0], v[0] = rng.uniform(1.7, 3.0), -np.exp(rng.uniform(np.log(3.0), np.log(fastest)))
    arm.set_state(q, v)
    world.step(round(6.0 / abs(v[0]) / dt) + 50)
    ends = [rbdyn.body_pose(arm.state, f"l{k}")[0] @ (0.3, 0.0, 0.0, 1.0) for k in range(3)]
    return bool(max(ends) > away + 0.02)


def main(seeds: str = "25") -> None:
    """Print the tables."""
    count, rows = int(seeds), []
    for name, make in BODIES.items():
        for dt in STEPS:
            through = [sum(drop(make, dt, s, floor)[0] for s in range(count)) for floor in ("box", "mesh")]
            deep = max(drop(make, dt, s, "ground")[1] for s in range(count))
            rows.append([name, f"{1e3 * dt:g}", *map(str, through), table.number(1e3 * deep)])
    header = ["body", "dt ms", "20 mm box", "mesh", "deep mm"]
    table.show(f"of {count} dropped by a metre, through a table top", header, rows)
    rows = []
    for speed in (5.0, 10.0, 20.0, 50.0):
        rows.append([f"{speed:g}", *(str(sum(throw(dt, speed, s) for s in range(count))) for dt in STEPS)])
    table.show(f"of {count} rods, through a wall of 2 mm", ["m/s", *(f"{1e3 * dt:g} ms" for dt in STEPS)], rows)
    rows = []
    for kind in KINDS:
        passed, gain = Counter[str](), 0.0
        for wall in WALLS:
            for seed in range(40 * count):
                through, more = throw_any(kind, wall, seed)
                passed[wall] += through
                gain = max(gain, more)
        rows.append([kind, *(str(passed[wall]) for wall in WALLS), table.number(gain)])
    table.show(f"of {40 * count} thrown, through walls", ["body", *WALLS, "gain"], rows)
    rows = [[f"{fastest:g}", *(str(sum(swing(wall, s, fastest) for s in range(4 * count))) for wall in WALLS)]
            for fastest in (10.0, 20.0, 40.0)]
    table.show(f"of {4 * count} arms, through walls", ["up to rad/s", *WALLS], rows)


if __name__ == "__main__":
    main(*sys.argv[1:])
