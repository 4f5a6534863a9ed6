"""Meshes that move: they slide over flat ground as their hulls do, whatever that is made of, and come out of it."""

import numpy as np
import pytest
from surfaces import grid_mesh, ring

import rbdyn
from rbdyn.collision import ConvexHull, Mesh

MU, G = 0.3, 9.81
CUBE = [(0, 1, 3), (0, 3, 2), (4, 6, 7), (4, 7, 5), (0, 4, 5), (0, 5, 1), (2, 3, 7), (2, 7, 6), (0, 2, 6), (0, 6, 4),
        (1, 5, 7), (1, 7, 3)]  # fmt: skip
CORNERS = np.array([(x, y, z) for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)])


def block(x, y, z):
    """A closed mesh of twelve triangles."""
    hull = ConvexHull(CORNERS * (x / 2, y / 2, z / 2)).hull
    return Mesh(hull.vertices, hull.triangles)


def coin(n=48):
    """A prism about z, of radius 0.1 and height 0.05 m."""
    a = 2 * np.pi * np.arange(n) / n
    rims = [np.c_[0.1 * np.cos(a), 0.1 * np.sin(a), np.full(n, z)] for z in (-0.025, 0.025)]
    hull = ConvexHull(np.concatenate(rims)).hull
    return Mesh(hull.vertices, hull.triangles)


def ball(n=16):
    """Of radius 0.1 m, closed; it has corners on top and at the bottom."""
    a, b = np.meshgrid(np.arange(2 * n) * np.pi / n, np.pi * np.arange(n + 1) / n, indexing="ij")
    points = 0.1 * np.stack([np.sin(b) * np.cos(a), np.sin(b) * np.sin(a), np.cos(b)], axis=-1)
    hull = ConvexHull(np.unique(points.reshape(-1, 3).round(12), axis=0)).hull
    return Mesh(hull.vertices, hull.triangles)


def uneven_grid():
    """Flat tiles of many sizes, cut either way."""
    rng = np.random.default_rng(1)
    x, y = np.meshgrid(np.linspace(-4, 4, 41), np.linspace(-2, 2, 21), indexing="ij")
    x[1:-1] += rng.uniform(-0.06, 0.06, x[1:-1].shape)
    y[:, 1:-1] += rng.uniform(-0.06, 0.06, y[:, 1:-1].shape)
    return grid_mesh(x, y, 0 * x)


GROUNDS = {
    "plane": lambda w: w.add_ground(),
    "box": lambda w: w.add_box(8, 4, 1, body_type="static").set_pose((0, 0, -0.5)),
    "slab": lambda w: w.add_mesh(block(8, 4, 1), body_type="static").set_pose((0, 0, -0.5)),
    "tiles": lambda w: w.add_mesh(uneven_grid(), body_type="static"),
    "height map": lambda w: w.add_height_map(np.zeros((21, 41)), size=(8.0, 4.0)),
}
BODIES = {"block": (block(0.3, 0.2, 0.1), 0.05), "coin": (coin(), 0.025), "ring": (ring(24, 12), 0.05)}


def slide(ground, mesh, height, friction, steps=250):
    world = rbdyn.World(2e-3)
    world.set_default_material(friction)
    GROUNDS[ground](world)
    body = world.add_mesh(mesh, 1.0)
    body.set_pose((-1.53, 0.037, height))
    body.set_velocity(linear=(1.0, 0.1, 0.0))
    lift = 0.0
    for _ in range(steps):
        world.step()
        lift = max(lift, body.position[2] - height)
    return body, lift


@pytest.mark.parametrize("ground", GROUNDS)
@pytest.mark.parametrize("name", BODIES)
def test_meshes_slide_over_what_is_flat(name, ground):
    """Without friction at one speed, straight on: inner edges push nothing, neither the ground's nor the mesh's."""
    body, lift = slide(ground, *BODIES[name], friction=0.0)
    limit = 1e-2 if (name, ground) == ("ring", "tiles") else 1e-9
    np.testing.assert_allclose(body.linear_velocity, (1.0, 0.1, 0.0), atol=limit)
    np.testing.assert_allclose(body.position[:2], (-1.53 + 0.5, 0.037 + 0.05), atol=limit)
    assert lift < limit


@pytest.mark.parametrize("ground", GROUNDS)
@pytest.mark.parametrize("name", ["block", "coin"])
def test_friction_stops_them_where_it_should(name, ground):
    body, lift = slide(ground, *BODIES[name], friction=MU)
    way = np.linalg.norm(body.position[:2] - (-1.53, 0.037))
    assert way == pytest.approx(1.01 / (2 * MU * G), rel=0.01)          # v^2 / 2 mu g, less half a step of braking
    assert np.abs(body.linear_velocity).max() < 1e-9
    assert lift < 1e-9


SEAMS = [(shape, floor) for shape in ("box", "hull") for floor in ("slabs", "cubes", "one mesh of cubes")]


@pytest.mark.parametrize(("shape", "slabs"), [*SEAMS, ("cylinder", "slabs"), ("cone", "slabs")])
def test_seams_of_flush_meshes_stop_nobody(shape, slabs):
    """Closed meshes side by side: what slides over both is in the upper edge of each one's side, not in the side."""
    world = rbdyn.World(2e-3)
    world.set_default_material(0.0)
    if slabs == "slabs":
        for x in (-2.0, 2.0):
            world.add_mesh(block(4, 4, 1), body_type="static").set_pose((x - 1.0, 0, -0.5))
    elif slabs == "cubes":
        for i in range(-9, 2):
            for j in range(-1, 3):
                world.add_mesh(block(0.2, 0.2, 0.2), body_type="static").set_pose((0.2 * i, 0.2 * j, -0.1))
    else:                                                # whose walls come twice: with the walls of the next one
        places = [(0.2 * i, 0.2 * j, -0.1) for i in range(-9, 2) for j in range(-1, 3)]
        vertices = np.concatenate([(0.1 * CORNERS + place).round(6) for place in places])
        faces = np.concatenate([np.array(CUBE) + 8 * k for k in range(len(places))])
        world.add_mesh(Mesh(vertices, faces), body_type="static")
    body, height = {
        "box": lambda: (world.add_box(0.3, 0.2, 0.1, 1), 0.05),
        "hull": lambda: (world.add_mesh(ConvexHull(CORNERS * (0.15, 0.1, 0.05)), 1.0), 0.05),
        "cylinder": lambda: (world.add_cylinder(0.1, 0.1, 1), 0.05),
        "cone": lambda: (world.add_cone(0.1, 0.1, 1), 0.025),
    }[shape]()
    body.set_pose((-1.53, 0.037, height))
    body.set_velocity(linear=(1.0, 0.1, 0.0))
    world.step(500)
    np.testing.assert_allclose(body.linear_velocity, (1.0, 0.1, 0.0), atol=1e-9)
    assert abs(body.position[2] - height) < 1e-9


@pytest.mark.parametrize("ground", ["box", "slab", "tiles"])
@pytest.mark.parametrize("name", [*BODIES, "ball"])
def test_contacts_of_a_mesh_on_a_face_have_that_normal(name, ground, seed):
    """At any turn, the least push is straight up, by as much as the lowest corner is below."""
    rng = np.random.default_rng(seed)
    mesh = ball() if name == "ball" else BODIES[name][0]
    world = rbdyn.World()
    GROUNDS[ground](world)
    body = world.add_mesh(mesh, 1.0)
    seen = 0
    for _ in range(20):
        R = np.linalg.qr(rng.normal(size=(3, 3)))[0]
        R[:, 0] *= np.linalg.det(R)
        depth = rng.choice([1e-5, 1e-4, 1e-3, 3e-3])
        X = np.eye(4)
        X[:3, :3] = R
        X[:3, 3] = *rng.uniform(-0.5, 0.5, 2), -depth - (body.geometries[0].shape.vertices @ R[2]).min()
        found = world.contacts_at(body, X, margin=1e-6)
        assert found
        for c in found:
            assert abs(c.normal[2]) > 1.0 - 1e-6
        # deep in tiles, one corner of many may be told for the deepest; boxes have faces preferred
        rel = 1e-6 if depth < 3e-3 else 0.1
        assert max(c.depth for c in found) == pytest.approx(depth, rel=rel, abs=2e-5 if ground == "box" else 1e-9)
        seen += len(found)
    assert seen >= 20


def test_a_mesh_that_lies_in_a_mesh_comes_out():
    """As its hull does; contacts say how deep it is."""
    for shape in (ball(), ConvexHull(ball().vertices)):
        world = rbdyn.World(2e-3)
        GROUNDS["slab"](world)
        body = world.add_mesh(shape, 1.0)
        body.set_pose((0.3, 0.7, 0.08))
        world.step(1000)
        assert abs((shape.vertices @ body.rotation[2]).min() + body.position[2]) < 1.1e-5
