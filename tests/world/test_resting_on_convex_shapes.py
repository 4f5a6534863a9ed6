"""What stands or lies on a convex shape is held up in every step; what stands on a point topples, and is held too."""

import numpy as np
import pytest

from rbdyn import Geometry, World
from rbdyn.collision import Box, Capsule, Cone, ConvexHull, Cylinder, Ellipsoid, Sphere

DT, G = 0.01, 9.81
RING = 2 * np.pi / 9 * np.arange(9)
FLOORS = {                                                              # their upper side is 0.1 m above their origin
    "box": Box((1.3, 1.3, 0.2)),
    "hull": ConvexHull([[x, y, z] for x in (-0.7, 0.7) for y in (-0.6, 0.6) for z in (-0.1, 0.1)]),
    "frustum": ConvexHull([[r * np.cos(t), r * np.sin(t), z] for t in RING for r, z in ((0.5, 0.1), (1, -0.1))]),
    "cylinder": Cylinder(0.8, 0.2),
}
LYING = np.array([[0, 0, 1.0], [0, 1, 0], [-1, 0, 0]])
RESTING = {                                                             # shape, height of its origin, rotation
    "sphere": (Sphere(0.05), 0.05, np.eye(3)),
    "ellipsoid": (Ellipsoid((0.1, 0.2, 0.05)), 0.05, np.eye(3)),
    "capsule": (Capsule(0.05, 0.2), 0.05, LYING),
    "cylinder": (Cylinder(0.1, 0.08), 0.04, np.eye(3)),
    "roll": (Cylinder(0.05, 0.2), 0.05, LYING),
    "box": (Box((0.2, 0.1, 0.08)), 0.04, np.eye(3)),
    "cone": (Cone(0.1, 0.08), 0.04, np.eye(3)),
    "prism": (ConvexHull([[np.cos(t) / 9, np.sin(t) / 9, z] for t in RING for z in (-0.04, 0.04)]), 0.04, np.eye(3)),
}


def on_floor(floor, shape, height, R=None, at=(0.0, 0.0), floor_first=True):
    world = World(DT)
    bodies = {}
    for name in ("floor", "body") if floor_first else ("body", "floor"):
        if name == "floor":
            slab = world.add_single_body([Geometry(FLOORS[floor])], 1.0, np.eye(3), body_type="static")
            slab.set_pose(position=(0, 0, -0.1))
        else:
            bodies[name] = world.add_single_body([Geometry(shape)], 1.0, 0.004 * np.eye(3))
            bodies[name].set_pose(position=(*at, height), orientation=np.eye(3) if R is None else R)
    return world, bodies["body"]


@pytest.mark.parametrize("floor", FLOORS)
@pytest.mark.parametrize("kind", RESTING)
def test_what_lies_on_a_convex_shape_never_falls(kind, floor):
    shape, height, R = RESTING[kind]
    for seed in range(4):
        at = np.random.default_rng(seed).uniform(-0.1, 0.1, 2)
        world, body = on_floor(floor, shape, height, R, at, floor_first=seed % 2 == 0)
        for _ in range(150):
            world.step()
            assert body.linear_velocity[2] > -0.05 * G * DT
        assert body.position[2] == pytest.approx(height, abs=1e-5)


@pytest.mark.parametrize("floor", ["half-space", *FLOORS])
def test_an_upright_capsule_topples_as_fast_as_it_must_and_keeps_its_contact(floor):
    """An inverted pendulum that rolls: (I + m h^2) a = m g (h - r) a for an angle a; 2e-6 m grow by e^(5.9 t)."""
    radius, high, tilt = 0.05, 0.1, 1e-6
    R = np.array([[np.cos(tilt), 0, np.sin(tilt)], [0, 1, 0], [-np.sin(tilt), 0, np.cos(tilt)]])
    if floor == "half-space":
        world = World(DT)
        world.add_ground()
        body = world.add_single_body([Geometry(Capsule(radius, 0.1))], 1.0, 0.004 * np.eye(3))
        body.set_pose(position=(0, 0, high), orientation=R)
    else:
        world, body = on_floor(floor, Capsule(radius, 0.1), high, R)
    rate = np.sqrt(G * (high - radius) / (0.004 + high**2))
    angle = []
    for _ in range(150):
        world.integrate1()
        assert len(world.contacts) == 1
        world.integrate2()
        angle.append(np.arcsin(body.rotation[0, 2]))
    assert np.log(angle[-1] / angle[49]) / (100 * DT) == pytest.approx(rate, rel=0.01)
