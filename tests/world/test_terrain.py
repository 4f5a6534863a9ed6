"""Bodies and robots on meshes and height maps, in motion."""

import pickle

import numpy as np
import pytest
from surfaces import flat_mesh, grid_mesh
from world.scenes import standing_quadruped

import rbdyn
from rbdyn.collision import Box, Capsule, Cone, ConvexHull, Cylinder, Ellipsoid, HeightMap, Mesh, Sphere
from rbdyn.contact import MaterialPair

HULL = ConvexHull(np.random.default_rng(3).normal(size=(20, 3)) * 0.1)
SHAPES = {
    "sphere": Sphere(0.1),
    "box": Box((0.3, 0.2, 0.1)),
    "capsule": Capsule(0.05, 0.3),
    "cylinder": Cylinder(0.1, 0.2),
    "ellipsoid": Ellipsoid((0.1, 0.15, 0.2)),
    "cone": Cone(0.15, 0.2),
    "hull": HULL,
}
LYING = rbdyn.Transform(rotation=[[1, 0, 0], [0, 0, -1], [0, 1, 0]])


def ground(world, kind, n=81, size=8.0):
    if kind == "height_map":
        return world.add_height_map(np.zeros((n, n + 2)), size=(size, size + 0.1))
    return world.add_mesh(flat_mesh(n, size), body_type="static")


def drop(world, shape, position, orientation=(1, 0, 0, 0), group=1):
    c = shape.centroid
    inertia = shape.inertia(1.0) - (c @ c * np.eye(3) - np.outer(c, c))
    geometry = rbdyn.Geometry(shape, rbdyn.Transform(translation=-c), "", "default", group, 1)
    body = world.add_single_body([geometry], 1.0, inertia)
    body.set_pose(position=position, orientation=np.array(orientation) / np.linalg.norm(orientation))
    return body


def energy(body):
    return body.kinetic_energy + body.potential_energy


@pytest.mark.parametrize("kind", ["height_map", "mesh"])
@pytest.mark.parametrize("name", ["box", "cylinder", "cone", "hull"])
def test_what_stands_rests(kind, name):
    """Dropped on its side, in 6 s it stands, neither creeps nor sinks, and no step made more energy than rounding."""
    world = rbdyn.World(2e-3)
    ground(world, kind)
    body = drop(world, SHAPES[name], (0.013, 0.022, 0.25))
    before, gained = energy(body), 0.0
    for _ in range(1500):
        world.step()
        gained, before = gained + max(energy(body) - before, 0.0), energy(body)
    position = body.position
    world.step(1500)
    assert np.linalg.norm(body.position - position) < 3e-6
    assert body.kinetic_energy < 1e-16
    assert gained < 1e-6


@pytest.mark.parametrize("kind", ["height_map", "mesh"])
@pytest.mark.parametrize("name", ["box", "cylinder", "cone", "hull"])
def test_what_lands_gains_no_energy(kind, name):
    """But for lifts, of which there are none without correction of depths: no step makes more than rounding."""
    world = rbdyn.World(2e-3)
    world.set_erp(0.0)
    ground(world, kind)
    body = drop(world, SHAPES[name], (0.013, 0.022, 0.25))
    before, gained = energy(body), 0.0
    for _ in range(1500):
        world.step()
        gained, before = gained + max(energy(body) - before, 0.0), energy(body)
    assert gained < 1e-9


@pytest.mark.parametrize("kind", ["height_map", "mesh"])
@pytest.mark.parametrize("name", ["sphere", "cylinder", "capsule", "box"])
def test_what_rolls_or_slides_over_flat_tiles_goes_straight(kind, name):
    """Over 20 tiles: beside its way by no more than 1e-6 of it, no hop, no speed lost; a box without friction."""
    shape = {"sphere": Sphere(0.1), "cylinder": Cylinder(0.1, 0.3), "capsule": Capsule(0.1, 0.3)}.get(
        name, Box((0.3, 0.2, 0.1))
    )
    world = rbdyn.World(2e-3)
    ground(world, kind)
    turned = name in ("cylinder", "capsule")
    geometry = rbdyn.Geometry(shape, LYING if turned else rbdyn.Transform())
    body = world.add_single_body([geometry], 1.0, 0.004 * np.eye(3))
    if name == "box":
        world.materials.default = MaterialPair(friction=0.0)
    v = np.array([1.0, 0.0 if turned else 0.3, 0.0])
    body.set_pose(position=(-1.013, 0.0217, 0.05 if name == "box" else 0.1))
    body.set_velocity(linear=v, angular=(0, 0, 0) if name == "box" else (-10 * v[1], 10 * v[0], 0))
    start = body.position.copy()
    for _ in range(1000):
        world.step()
        way = body.position - start
        assert abs(np.cross(v / np.linalg.norm(v), way)[2]) < 1e-6 * 2.0
        assert abs(way[2]) < 1e-6
    assert np.linalg.norm(way) == pytest.approx(2.0 * np.linalg.norm(v), rel=1e-6)


@pytest.mark.parametrize("kind", ["height_map", "mesh"])
@pytest.mark.parametrize("name", ["box", "hull"])
def test_what_lies_on_noise_rests(kind, name, seed):
    """20 kg on cells of 2 cm with 2 mm of noise, after 5 s: below 1e-6 m/s, for good."""
    rng = np.random.default_rng(seed)
    heights = rng.uniform(-1e-3, 1e-3, (51, 51))
    world = rbdyn.World(2e-3)
    if kind == "height_map":
        world.add_height_map(heights, size=(1.0, 1.0))
    else:
        x, y = np.meshgrid(np.linspace(-0.5, 0.5, 51), np.linspace(-0.5, 0.5, 51), indexing="ij")
        world.add_mesh(grid_mesh(x, y, heights.T), body_type="static")
    half = np.array([0.15, 0.1, 0.1])
    shape = Box(2.0 * half) if name == "box" else ConvexHull(half * (2.0 * np.mgrid[:2, :2, :2].reshape(3, -1).T - 1.0))
    body = world.add_single_body([rbdyn.Geometry(shape)], 20.0, np.diag([0.14, 0.22, 0.22]))
    angle = rng.uniform(0.0, np.pi)
    body.set_pose([*rng.uniform(-0.1, 0.1, 2), 0.103], [np.cos(angle), 0.0, 0.0, np.sin(angle)])
    world.step(2500)
    for _ in range(50):
        world.step()
        assert np.linalg.norm(body.linear_velocity) < 1e-6
        assert np.linalg.norm(body.angular_velocity) < 1e-5


def valley():
    x = np.array([[-4.0, -4.0], [0.0, 0.0], [4.0, 4.0]])
    return grid_mesh(x, np.array([[-4.0, 4.0]] * 3), np.abs(x)), lambda x, y: abs(x)


def bowl():
    r, a = np.meshgrid(np.linspace(0, 2, 25), np.linspace(0, 2 * np.pi, 49), indexing="ij")
    return grid_mesh(r * np.cos(a), r * np.sin(a), 0.5 * r * r), lambda x, y: 0.5 * (x * x + y * y)


def hills():
    x, y = np.meshgrid(np.linspace(-4, 4, 101), np.linspace(-4, 4, 101))
    h = 0.3 * np.sin(2.1 * x + 0.4) * np.cos(1.7 * y) + 0.1 * np.sin(5 * x - 3 * y) + 0.04 * np.sin(11 * x + 9 * y)
    terrain = HeightMap(h, (8.0, 8.0))
    return terrain, lambda x, y: float(terrain.height(x, y))


@pytest.mark.parametrize("make", [valley, bowl, hills])
def test_nothing_falls_through_and_nothing_gains(make):
    """40 bodies of all shapes, thrown: the middle of none gets below the ground, none has more energy than before."""
    surface, height = make()
    rng = np.random.default_rng(1)
    world = rbdyn.World(2e-3)
    if isinstance(surface, Mesh):
        world.add_mesh(surface, body_type="static")
    else:
        world.add_height_map(surface)
    bodies = []
    for k in range(40):
        shape = list(SHAPES.values())[k % 6]
        body = drop(world, shape, (*rng.uniform(-1.2, 1.2, 2), 2.0 + rng.uniform(0, 1)), rng.normal(size=4), group=2)
        body.set_velocity(linear=rng.normal(size=3), angular=3 * rng.normal(size=3))
        bodies.append(body)
    start = [energy(b) for b in bodies]
    for _ in range(100):
        world.step(15)
        for body, e in zip(bodies, start, strict=True):
            x, y, z = body.position
            if max(abs(x), abs(y)) < 3.8 and (make is not bowl or np.hypot(x, y) < 1.8):
                assert z > height(x, y)
            assert energy(body) <= e * (1 + 1e-9)


def white_noise(rng, n=41):
    """Heights that have nothing to do with their neighbours': spikes and holes of 60 degrees and more."""
    return HeightMap(rng.uniform(-0.15, 0.15, (n, n)), (3.0, 3.0))


def spikes(rng):
    """The same as a mesh."""
    x, y = np.meshgrid(*2 * [np.linspace(-1.5, 1.5, 41)], indexing="ij")
    return grid_mesh(x, y, rng.uniform(-0.15, 0.15, x.shape))


def soup(rng, n=60):
    """Triangles that cut one another, each of them two-sided."""
    t = rng.uniform(-1, 1, (n, 1, 3)) * (1, 1, 0.4) + 0.2 * rng.normal(size=(n, 3, 3))
    return Mesh(t.reshape(-1, 3), np.arange(3 * n).reshape(-1, 3))


@pytest.mark.parametrize("make", [white_noise, spikes, soup])
def test_nothing_is_said_to_be_deep_in_wild_ground(make, seed):
    """Bodies of all shapes, meshes among them, fall on it: they were said to be in it by up to 110 mm, and are not."""
    rng = np.random.default_rng(seed)
    world = rbdyn.World(2e-3)
    surface = make(rng)
    if isinstance(surface, Mesh):
        world.add_mesh(surface, body_type="static")
    else:
        world.add_height_map(surface)
    world.add_ground(-1.2)
    shapes = [*SHAPES.values(), Mesh(HULL.hull.vertices, HULL.hull.triangles)]
    bodies = []
    for k in range(16):
        place = (*rng.uniform(-1.0, 1.0, 2), 1.2 + 0.1 * (k // 4))
        bodies.append(drop(world, shapes[k % len(shapes)], place, rng.normal(size=4), group=2))
        bodies[-1].set_velocity(angular=3 * rng.normal(size=3))
    start, deepest, seen = sum(energy(b) for b in bodies), 0.0, 0
    for _ in range(450):
        world.step()
        deepest = max([deepest, *(c.depth for c in world.contacts)])
        seen += len(world.contacts)
        assert sum(energy(b) for b in bodies) <= start * (1 + 1e-9)
    assert seen > 1000
    assert deepest < 0.01


def test_a_robot_stands_on_a_height_map_as_on_the_plane():
    """The bundled quadruped on flat tiles: same height, same forces of its feet."""
    forces = []
    robots = []
    for kind in ("plane", "height_map"):
        world = rbdyn.World(2e-3)
        world.add_ground() if kind == "plane" else ground(world, kind, 61, 6.0)
        robot = standing_quadruped(world)
        world.step(1000)
        forces.append(sum(c.impulse[2] for c in world.contacts) / 2e-3)
        robots.append(robot)
    np.testing.assert_allclose(robots[1].q, robots[0].q, atol=1e-6)
    assert abs(forces[1]) == pytest.approx(abs(forces[0]), rel=1e-6)


def ring(n=20, m=10):
    """A torus about z, of radii 0.3 and 0.1 m, closed."""
    a, b = np.meshgrid(np.arange(n) * 2 * np.pi / n, np.arange(m) * 2 * np.pi / m, indexing="ij")
    r = 0.3 + 0.1 * np.cos(b)
    points = np.stack([r * np.cos(a), r * np.sin(a), 0.1 * np.sin(b)], axis=-1).reshape(-1, 3)
    i, j = (x.ravel() for x in np.meshgrid(np.arange(n), np.arange(m), indexing="ij"))
    k, h = (i + 1) % n, (j + 1) % m
    quads = np.c_[i * m + j, k * m + j, k * m + h, i * m + h]
    return Mesh(points, np.concatenate([quads[:, :3], quads[:, [0, 2, 3]]]))


@pytest.mark.parametrize("kind", ["plane", "box", "height_map", "mesh"])
def test_rings_of_triangles_come_to_lie_on_the_ground(kind):
    """Meshes that move: three rings, thrown, lie flat in the end, none lower, and none has more energy than before."""
    world = rbdyn.World(2e-3)
    if kind == "plane":
        world.add_ground()
    elif kind == "box":
        slab = world.add_single_body([rbdyn.Geometry(Box((8.0, 8.0, 1.0)))], 0.0, np.zeros((3, 3)), "static")
        slab.set_pose((0, 0, -0.5))
    else:
        ground(world, kind, 41)
    rings = [world.add_mesh(ring(), 1.0) for _ in range(3)]
    for k, body in enumerate(rings):
        q = np.array([1.0, 0.3 * k, 0.2, 0.0])
        body.set_pose(position=(k - 1.0, 0.3 * k, 0.5), orientation=q / np.linalg.norm(q))
    start = [energy(b) for b in rings]
    for _ in range(50):
        world.step(20)
        assert all(energy(b) <= e * (1 + 1e-9) for b, e in zip(rings, start, strict=True))
    lowest = 0.1 * np.sin(np.arange(10) * 2 * np.pi / 10).max()
    for body in rings:
        assert lowest - 1e-3 < body.position[2] < 0.4
    assert min(b.position[2] for b in rings) < lowest + 0.02


def test_terrain_is_saved_and_put_back():
    """A snapshot and a pickled World go on to the bit."""
    world = rbdyn.World(2e-3)
    world.add_height_map(hills()[0])
    world.add_mesh(ring(), body_type="static").set_pose((0.5, 0.5, 0.5))
    bodies = [drop(world, shape, (0.4 * k - 1.0, 0.5, 1.0)) for k, shape in enumerate(SHAPES.values())]
    world.step(300)
    assert len(world.contacts) > 3
    note, copied = world.snapshot(), pickle.loads(pickle.dumps(world))
    world.step(200)
    later = world.state_hash()
    world.restore(note)
    world.step(200)
    copied.step(200)
    assert world.state_hash() == later == copied.state_hash()
    assert all(np.isfinite(b.position).all() for b in bodies)


def test_bad_arguments_are_named():
    world = rbdyn.World()
    for call, word in (
        (lambda: world.add_height_map(np.zeros((3, 3))), "size"),
        (lambda: world.add_height_map(HeightMap(np.zeros((3, 3)), (1, 1)), (1, 1)), "size"),
        (lambda: world.add_height_map(np.zeros((3, 3)), (1, 1), position=1.0), "position"),
        (lambda: world.add_height_map(np.zeros((3, 3)), (1, 1), position=(1.0, 2.0, 3.0, 4.0)), "position"),
        (lambda: world.add_single_body([rbdyn.Geometry(hills()[0])], 1.0, np.eye(3)), "HeightMap"),
        (lambda: world.add_mesh(flat_mesh()), "mass"),
        (lambda: world.add_mesh(Sphere(0.1), 1.0), "mesh"),
        (lambda: world.add_mesh(flat_mesh(), 1.0), "plane"),
        (lambda: world.add_mesh(flat_mesh(), body_type="heavy"), "body type"),
    ):
        with pytest.raises(rbdyn.Error, match=word):
            call()
    assert world.objects == ()


def test_a_mesh_body_has_the_mass_properties_of_its_shape(tmp_path):
    """About its centre of mass, wherever the mesh is; of an open one, those of its hull."""
    corners = np.array([(x, y, z) for x in (0, 0.4) for y in (0, 0.2) for z in (1.0, 1.6)])
    hull = ConvexHull(corners)
    closed = Mesh(hull.hull.vertices, hull.hull.triangles)
    opened = Mesh(hull.hull.vertices, hull.hull.triangles[1:])
    box = Box((0.4, 0.2, 0.6)).inertia(3.0)
    for shape in (hull, closed, opened):
        world = rbdyn.World()
        body = world.add_mesh(shape, 3.0)
        np.testing.assert_allclose(body.inertia, box, atol=1e-12)
        np.testing.assert_allclose(body.geometries[0].pose.translation, [-0.2, -0.1, -1.3], atol=1e-12)
        assert body.mass == 3.0
