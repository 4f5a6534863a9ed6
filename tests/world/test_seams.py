"""Over seams of flush shapes bodies slide as over one; what stands out stops them."""

import numpy as np
import pytest

import rbdyn
from benchmarks.seams import BODIES, SIDE, STEPS_OFF, down_wall, link_over_floor, over_floor, over_grid
from rbdyn.collision import Box, ConvexHull, HeightMap, Mesh, NativeBackend

MARGIN = 1e-4
G, FRICTION = 9.81, 0.8
SPEEDS = ((1e-3, 0.02), (1e-3, 0.1), (2e-3, 0.1), (5e-3, 0.002), (5e-3, 0.06))  # dt [s], speed [m/s]


@pytest.mark.parametrize(("dt", "speed"), SPEEDS)
@pytest.mark.parametrize("kind", BODIES)
def test_a_seam_takes_no_more_force_than_friction(kind, dt, speed):
    for degrees in (0.0, 45.0):
        for off in STEPS_OFF:
            assert over_floor(kind, dt, speed, 2, off, degrees) < 1.01 * FRICTION * G


@pytest.mark.parametrize(
    ("collision", "kind"),
    [("fcl", "box"), *((name, kind) for name in ("native", "coal") for kind in ("box", "hull", "cylinder on end"))],
)
def test_no_contact_at_a_seam_has_another_normal(collision, kind):
    """python-fcl gives hulls and cylinders on one box normals up to 78 degrees off: it is asked for boxes alone."""
    if collision != "native":
        pytest.importorskip(collision)
    make, height, attitude, _ = BODIES[kind]
    world = rbdyn.World(1e-3, collision=collision)
    for x in (-1.0, 1.0):
        world.add_box(2.0, 4.0, 0.2, body_type="static").set_pose((x, 0.0, -0.1))
    body = make(world)
    body.set_pose((-SIDE / 2 - 5e-4, 0.0, height), attitude)
    world.step(100)
    for _ in range(50):
        body.set_velocity((0.02, 0.0, body.linear_velocity[2]), (0.0, 0.0, 0.0))
        world.step()
        assert len(world.contacts) > 0
        assert min(abs(contact.normal[2]) for contact in world.contacts) > np.cos(np.radians(3.0))


@pytest.mark.parametrize("kind", BODIES)
def test_the_seam_of_a_wall_and_of_moving_tiles_takes_no_more_force(kind):
    for off in (0.0, 2e-6, -2e-6):
        assert down_wall(kind, 1e-3, 0.05, 2, off) < 1.01 * FRICTION * G
        assert over_floor(kind, 1e-3, 0.05, 2, off, tiles=0.05) < 1.01 * FRICTION * G


@pytest.mark.parametrize("kind", BODIES)
def test_a_grid_of_tiles_takes_no_more_force(kind):
    assert over_grid(kind, 2e-3, 0.1) < 1.01 * over_grid(kind, 2e-3, 0.1, whole=True)


def test_a_link_drawn_over_a_seam_lags_as_over_one_box():
    (one, lag_one), (two, lag_two) = link_over_floor(1e-3, 0.02, 1), link_over_floor(1e-3, 0.02, 2)
    assert two == pytest.approx(one, rel=0.01)
    assert lag_two == pytest.approx(lag_one, rel=0.01)


def drawn_against(high, side=0.1, speed=0.1):
    """How far a box gets that is drawn against a second floor tile higher by `high` [m] by 1.5 mu m g."""
    world = rbdyn.World(1e-3)
    world.set_default_material(0.2)
    for x, dz in ((-1.0, 0.0), (1.0, high)):
        world.add_box(2.0, 4.0, 0.2, body_type="static").set_pose((x, 0.0, dz - 0.1))
    box = world.add_box(side, side, side, 1.0)
    box.set_pose((-0.5 * side - 5e-3, 0.0, 0.5 * side))
    world.step(50)
    for _ in range(500):
        box.set_external_force(0, (1.5 * 0.2 * G, 0.0, 0.0))
        world.step()
    return box.position[0] + 0.5 * side, np.linalg.norm(box.linear_velocity)


@pytest.mark.parametrize("side", [0.04, 0.1, 1.0])
@pytest.mark.parametrize("high", [2e-4, 1e-3, 1e-2])
def test_a_curb_stops_a_box(high, side):
    front, speed = drawn_against(high, side)
    assert abs(front) < MARGIN
    assert speed < 1e-6


def test_a_box_falls_onto_an_edge_between_two_tiles():
    """Tipped by 45 degrees it lands on its edge, on the seam, and rests on a face in the end."""
    world = rbdyn.World(1e-3)
    world.set_default_material(0.5)
    for x in (-1.0, 1.0):
        world.add_box(2.0, 4.0, 0.2, body_type="static").set_pose((x, 0.0, -0.1))
    box = world.add_box(0.1, 0.1, 0.1, 1.0)
    angle = np.pi / 4 + 0.05
    box.set_pose((0.0, 0.0, 0.3), (np.cos(angle / 2), 0.0, np.sin(angle / 2), 0.0))
    lowest = np.inf
    for _ in range(2000):
        world.step()
        lowest = min(lowest, box.position[2])
    assert lowest > 0.05 - 2 * MARGIN
    assert box.position[2] == pytest.approx(0.05, abs=MARGIN)
    assert np.linalg.norm(box.linear_velocity) < 1e-6


def test_a_ball_rests_between_two_beams():
    """In a gap of 2 mm between beams of one height it touches both edges, by the law of levers with half its weight."""
    world = rbdyn.World(1e-3)
    for x in (-0.101, 0.101):
        world.add_box(0.2, 1.0, 0.1, body_type="static").set_pose((x, 0.0, -0.05))
    ball = world.add_sphere(0.05, 1.0)
    ball.set_pose((0.0, 0.0, np.sqrt(0.05**2 - 0.001**2)))
    world.step(500)
    assert len(world.contacts) == 2
    assert ball.position == pytest.approx([0.0, 0.0, np.sqrt(0.05**2 - 0.001**2)], abs=2e-5)
    for contact in world.contacts:
        assert abs(contact.normal[0]) == pytest.approx(0.02, rel=0.01)


@pytest.mark.parametrize("case", [16, 48, 60, 70])
def test_a_hull_that_tumbles_fast_goes_into_no_tile(case):
    """It comes down by a centimetre a step, turning: what holds one corner holds no other one by itself."""
    rng = np.random.default_rng(case)
    world = rbdyn.World(5e-3)
    world.set_default_material(0.5)
    tiles = [world.add_box(0.1, 0.1, 0.2, body_type="static") for _ in range(25)]
    for k, tile in enumerate(tiles):
        tile.set_pose((0.1 * (k // 5 - 2), 0.1 * (k % 5 - 2), -0.1))
    shape = ConvexHull(0.05 * rng.normal(size=(12, 3)))
    hull = world.add_single_body([rbdyn.Geometry(shape)], 1.0, 1e-3 * np.eye(3))
    attitude = rng.normal(size=4)
    hull.set_pose((0.0, 0.0, 0.25), attitude / np.linalg.norm(attitude))
    hull.set_velocity((0.0, 0.0, -2.0), 10.0 * rng.normal(size=3))
    deepest = 0.0
    for _ in range(60):
        world.step()
        deepest = max(deepest, -min(world.distance(hull, tile).distance for tile in tiles))
    assert deepest < 1e-3


# ---- contacts alone ------------------------------------------------------------------------------


def contacts(tiles, shape, at, **options):
    """Contacts of a shape on body 1 with shapes of body 0, which is not dynamic."""
    backend = NativeBackend(margin=MARGIN, **options)
    for tile, where in tiles:
        X = np.eye(4)
        X[:3, 3] = where
        backend.add_shape(tile, 0, X, dynamic=False)
    backend.add_shape(shape, 1)
    X = np.stack([np.eye(4)] * 2)
    X[1, :3, 3] = at
    return backend.query(X)


TILES = [(Box((2.0, 2.0, 0.2)), (-1.0, 0.0, -0.1)), (Box((2.0, 2.0, 0.2)), (1.0, 0.0, -0.1))]


def test_only_what_another_shape_holds_is_left_out():
    """50 um before the next tile, and 30 um above: with both tiles only (0, 0, 1), also if they come the other way."""
    at = (-0.02 - 5e-5, 0.0, 0.02 + 3e-5)
    for tiles in (TILES, TILES[::-1]):
        found = contacts(tiles, Box((0.04, 0.04, 0.04)), at)
        assert len(found) == 4
        np.testing.assert_allclose(np.abs(found["normal"]), [[0.0, 0.0, 1.0]] * 4, atol=1e-12)
    assert len(contacts(TILES[1:], Box((0.04, 0.04, 0.04)), at)) > 0


def test_walls_and_steps_stay():
    box = Box((0.04, 0.04, 0.04))
    wall = (Box((2.0, 2.0, 0.2)), (1.0, 0.0, 0.0))
    step = (Box((2.0, 2.0, 0.2)), (1.0, 0.0, -0.1 + 2e-4))
    for other in (wall, step):
        found = contacts([TILES[0], other], box, (-0.02 - 5e-5, 0.0, 0.02))
        assert {round(abs(n)) for n in found["normal"][:, 0]} == {0, 1}


def test_tiles_that_move_apart_from_each_other_are_told_apart():
    backend = NativeBackend(margin=MARGIN)
    for body, (tile, where) in enumerate(TILES):
        X = np.eye(4)
        X[:3, 3] = where
        backend.add_shape(tile, body, X, dynamic=False)
    backend.add_shape(Box((0.04, 0.04, 0.04)), 2)
    X = np.stack([np.eye(4)] * 3)
    X[2, :3, 3] = -0.02 - 5e-5, 0.0, 0.02
    motions = np.zeros((3, 6))
    motions[:2, 3] = -2e-5
    assert len(backend.query(X, motions)) == 4
    motions[1, 3] = -4e-5
    assert len(backend.query(X, motions)) > 4


def test_flush_meshes_and_maps_are_one_surface_with_boxes():
    corners, faces = Box((2.0, 2.0, 0.2)).triangles()
    mesh, map_ = Mesh(corners, faces), HeightMap(np.zeros((3, 3)), (2.0, 2.0))
    at = (-0.02 - 5e-5, 0.0, 0.02 + 3e-5)
    for first, second in (((mesh, -0.1), TILES[1]), (TILES[0], (mesh, -0.1)), ((map_, 0.0), TILES[1])):
        tiles = [
            (tile, (x, 0.0, where)) if np.isscalar(where) else (tile, where)
            for x, (tile, where) in zip((-1.0, 1.0), (first, second), strict=True)
        ]
        found = contacts(tiles, Box((0.04, 0.04, 0.04)), at)
        np.testing.assert_allclose(np.abs(found["normal"]), [[0.0, 0.0, 1.0]] * len(found), atol=1e-12)
        assert len(found) >= 4
