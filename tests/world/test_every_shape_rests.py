"""Every shape on every level ground: dropped, it comes to rest and stays; set down, it stays; aslant over edges.

`python -m benchmarks.resting` looks at the same for longer, at more shapes, and prints what it measures.
"""

import numpy as np
import pytest
from surfaces import flat_mesh, ring

import rbdyn
from rbdyn.collision import Box, Capsule, Compound, Cone, ConvexHull, Cylinder, Ellipsoid, Mesh, Sphere

DT = 2e-3
HALF = np.sqrt(0.5)
HULL = ConvexHull(np.random.default_rng(3).normal(size=(20, 3)) * 0.1)
GROUNDS = ("half_space", "box", "height_map", "mesh")


def stool():
    up = np.eye(4)
    up[2, 3] = 0.1
    return Compound([Box((0.3, 0.2, 0.05)), (Cylinder(0.05, 0.2), up)])


SHAPES = {
    "sphere": (Sphere(0.1), (1, 0, 0, 0)),
    "box": (Box((0.3, 0.2, 0.1)), (1, 0, 0, 0)),
    "capsule": (Capsule(0.05, 0.3), (HALF, HALF, 0, 0)),
    "cylinder": (Cylinder(0.1, 0.2), (1, 0, 0, 0)),
    "lying cylinder": (Cylinder(0.1, 0.2), (HALF, HALF, 0, 0)),
    "cone": (Cone(0.15, 0.2), (1, 0, 0, 0)),
    "ellipsoid": (Ellipsoid((0.1, 0.15, 0.2)), (HALF, 0, HALF, 0)),
    "hull": (HULL, None),
    "mesh": (Mesh(HULL.hull.vertices, HULL.hull.triangles), None),
    "ring": (ring(12, 8), (1, 0, 0, 0)),
    "compound": (stool(), (1, 0, 0, 0)),
}


def level(world, kind):
    """A ground whose top is at height 0."""
    if kind == "half_space":
        world.add_ground()
    elif kind == "box":
        world.add_box(8.0, 8.0, 1.0, body_type="static").set_pose((0, 0, -0.5))
    elif kind == "height_map":
        world.add_height_map(np.zeros((41, 43)), size=(8.0, 8.2))
    else:
        world.add_mesh(flat_mesh(41, 8.0), body_type="static")


def body_of(world, shape):
    if isinstance(shape, Compound):
        return world.add_compound(shape, 1.0)
    if isinstance(shape, Mesh | ConvexHull):
        return world.add_mesh(shape, 1.0)
    c = shape.centroid
    inertia = shape.inertia(1.0) - (c @ c * np.eye(3) - np.outer(c, c))
    return world.add_single_body([rbdyn.Geometry(shape, rbdyn.Transform(translation=-c))], 1.0, inertia)


def lowest(body):
    """Height of its lowest point."""
    heights = []
    for geometry in body.geometries:
        R = body.rotation @ geometry.pose.rotation
        points = geometry.shape.vertices if isinstance(geometry.shape, Mesh) else geometry.shape.farthest(-R[2])
        heights.append((points @ R[2]).min() + body.position[2] + body.rotation[2] @ geometry.pose.translation)
    return min(heights)


def energy(body):
    return body.kinetic_energy + body.potential_energy


@pytest.mark.parametrize("ground", GROUNDS)
@pytest.mark.parametrize("name", SHAPES)
def test_what_is_dropped_comes_to_rest_and_stays(name, ground):
    """Tilted, with friction that ends rolling and spinning: after 6 s no creep, no energy, and the ground holds it."""
    world = rbdyn.World(DT)
    world.sleeping = False
    world.set_default_material(0.8, torsional_friction=0.01, rolling_friction=0.01)
    level(world, ground)
    body = body_of(world, SHAPES[name][0])
    q = np.array([0.99, 0.1, 0.05, 0.02])
    body.set_pose((0.013, 0.022, 0.3), q / np.linalg.norm(q))
    before = start = energy(body)
    for _ in range(30):
        world.step(100)
        assert energy(body) <= start * (1 + 1e-12)
        assert energy(body) < before + 1e-4                     # it may be pushed out of overlaps
        before = energy(body)
    position = body.position
    for _ in range(500):
        world.step()
        assert energy(body) < before + 1e-10
        before = energy(body)
    assert np.linalg.norm(body.position - position) < 1e-6
    assert before < 0.8 * start and abs(lowest(body)) < 1.1e-5     # overlaps of 10 um are let be
    assert sum(c.force_on(body)[2] for c in world.contacts) == pytest.approx(9.81, rel=1e-6)


@pytest.mark.parametrize("ground", GROUNDS)
@pytest.mark.parametrize("name", [name for name, (_, pose) in SHAPES.items() if pose is not None])
def test_what_is_set_down_stays(name, ground):
    """Round things too, without friction against rolling: nothing pushes them."""
    world = rbdyn.World(DT)
    world.sleeping = False
    level(world, ground)
    shape, turned = SHAPES[name]
    body = body_of(world, shape)
    body.set_pose((0.013, 0.022, 1.0), turned)
    body.set_pose((0.013, 0.022, 1.0 - lowest(body)), turned)
    start, position = energy(body), body.position
    world.step(1000)
    assert np.linalg.norm(body.position - position) < 2e-8
    assert energy(body) < start + 1e-8
    assert sum(c.force_on(body)[2] for c in world.contacts) == pytest.approx(9.81, rel=1e-6)


@pytest.mark.parametrize("ground", ["height_map", "mesh"])
@pytest.mark.parametrize("name", ["sphere", "lying cylinder", "capsule", "box", "cylinder", "hull of a box"])
def test_what_goes_aslant_over_internal_edges_goes_straight(name, ground):
    """Rolls, or slides without friction, 2 m over 20 edges at 17 degrees to them: aside and up by less than 1e-6."""
    corners = np.array([(x, y, z) for x in (-0.15, 0.15) for y in (-0.1, 0.1) for z in (-0.05, 0.05)])
    shape, turned = SHAPES.get(name, (ConvexHull(corners), (1, 0, 0, 0)))
    rolls = name in ("sphere", "lying cylinder", "capsule")
    world = rbdyn.World(DT)
    if not rolls:
        world.set_default_material(friction=0.0)
    level(world, ground)
    body = body_of(world, shape)
    c, s, (w, x, _, _) = np.cos(0.15), np.sin(0.15), turned
    turned = (c * w, c * x, s * x, s * w)
    body.set_pose((-0.013, 0.0217, 1.0), turned)
    body.set_pose((-0.013, 0.0217, 1.0 - lowest(body)), turned)
    along = np.array([np.cos(0.3), np.sin(0.3), 0.0])
    spin = 1.0 / body.position[2] if rolls else 0.0
    body.set_velocity(along, spin * np.array([-along[1], along[0], 0.0]))
    start = body.position
    for _ in range(1000):
        world.step()
        way = body.position - start
        assert abs(np.cross(along, way)[2]) < 1e-6 * 2.0 and abs(way[2]) < 1e-6
    assert along @ way == pytest.approx(2.0, rel=1e-6)
