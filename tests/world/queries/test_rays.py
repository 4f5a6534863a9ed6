"""Rays: where they enter shapes, by what each shape is; whom they see, and whom they go through."""

import numpy as np
import pytest
from scipy.spatial import ConvexHull as Qhull

import rbdyn
from rbdyn import models
from rbdyn.collision import Box, Capsule, Cone, ConvexHull, Cylinder, Ellipsoid, Sphere
from rbdyn.errors import BusyError, Error, RemovedError, UnknownNameError

CORNERS = np.random.default_rng(4).normal(size=(24, 3)) * (0.4, 0.6, 0.3)
PLANES = Qhull(CORNERS).equations


def within(shape, x):
    """How far points (n, 3) are inside a shape, about: positive inside, zero on the surface, negative outside."""
    if isinstance(shape, Sphere):
        return shape.radius - np.linalg.norm(x, axis=1)
    if isinstance(shape, Box):
        return (np.array(shape.size) / 2 - np.abs(x)).min(axis=1)
    if isinstance(shape, Cylinder):
        return np.minimum(shape.radius - np.hypot(x[:, 0], x[:, 1]), shape.height / 2 - np.abs(x[:, 2]))
    if isinstance(shape, Cone):
        side = (0.4 - x[:, 2]) * 0.625 - np.hypot(x[:, 0], x[:, 1])
        return np.minimum(side / np.hypot(1.0, 0.625), x[:, 2] + 0.4)
    if isinstance(shape, Capsule):
        z = x[:, 2] - np.clip(x[:, 2], -shape.height / 2, shape.height / 2)
        return shape.radius - np.sqrt(x[:, 0] ** 2 + x[:, 1] ** 2 + z**2)
    if isinstance(shape, Ellipsoid):
        return 1.0 - np.linalg.norm(x / shape.radii, axis=1)
    return -(x @ PLANES[:, :3].T + PLANES[:, 3]).max(axis=1)


SHAPES = {
    "sphere": Sphere(0.5),
    "box": Box((0.6, 1.0, 0.3)),
    "cylinder": Cylinder(0.4, 0.9),
    "capsule": Capsule(0.3, 0.8),
    "ellipsoid": Ellipsoid((0.3, 0.6, 0.9)),
    "cone": Cone(0.5, 0.8),
    "hull": ConvexHull(CORNERS),
}


def placed(shape, seed=0, offset=(0.0, 0.0, 0.0)):
    """A World with one shape, turned; its rotation and position."""
    world = rbdyn.World()
    body = world.add_single_body([rbdyn.Geometry(shape)], 1.0, np.eye(3))
    q = np.random.default_rng(seed).normal(size=4)
    body.set_pose(np.add((0.3, -0.2, 0.7), offset), q / np.linalg.norm(q))
    return world, body


@pytest.mark.parametrize("name", SHAPES)
def test_rays_enter_where_the_shape_begins(name, rng_count=3000):
    """Nothing of the ray before the hit is inside, what follows is; a miss has no point inside: asked of the shape."""
    shape = SHAPES[name]
    world, body = placed(shape)
    R, p = body.rotation, body.position
    rng = np.random.default_rng(1)
    origin = p + rng.normal(size=(rng_count, 3)) * 0.9
    direction = rng.normal(size=(rng_count, 3))
    towards = p + 0.25 * rng.normal(size=(rng_count, 3)) - origin
    direction[: rng_count // 2] = towards[: rng_count // 2]
    direction /= np.linalg.norm(direction, axis=1)[:, None]
    hits = world.ray_test_batch(origin, 3.0 * direction, length=4.0)

    def inside(t):
        return within(shape, (origin + t[:, None] * direction - p) @ R)

    begins_inside = inside(np.zeros(rng_count)) > 1e-9
    assert begins_inside.sum() > 20 and 0.15 * rng_count < hits.hit.sum() < 0.8 * rng_count
    assert not (hits.hit & begins_inside).any()
    d = np.where(hits.hit, hits.distance, 4.0)
    steps = np.linspace(0.0, 1.0, 300)[:-1]
    before = np.max([inside(s * d) for s in steps], axis=0)
    assert (before[~begins_inside] < 1e-3).all()  # a miss between two looks is thinner than this
    assert (before[hits.hit] < 1e-12).all()
    np.testing.assert_allclose(inside(d)[hits.hit], 0.0, atol=2e-13)
    assert (inside(d + 1e-7)[hits.hit] > 0.0).mean() > 0.999
    np.testing.assert_allclose(hits.position[hits.hit], (origin + d[:, None] * direction)[hits.hit], atol=1e-15)

    n = (hits.normal @ R)[hits.hit]
    at = ((hits.position - p) @ R)[hits.hit]
    slope = np.stack([(within(shape, at + 1e-6 * e) - within(shape, at - 1e-6 * e)) / 2e-6 for e in np.eye(3)], axis=1)
    slope = -slope / np.linalg.norm(slope, axis=1)[:, None]
    assert (np.abs(slope - n).max(axis=1) < 1e-5).mean() > 0.99  # but for points on edges
    np.testing.assert_allclose(np.linalg.norm(n, axis=1), 1.0, atol=1e-14)
    assert (np.einsum("ij,ij->i", hits.normal, direction)[hits.hit] < 0.0).all()


@pytest.mark.parametrize("name", SHAPES)
def test_far_away_rays_see_the_same(name):
    """From 1e5 m, and of shapes at 1e6 m: to the rounding of the numbers given."""
    rng = np.random.default_rng(2)
    aim = rng.normal(size=(200, 3)) * 0.2
    direction = rng.normal(size=(200, 3))
    direction /= np.linalg.norm(direction, axis=1)[:, None]
    world, body = placed(SHAPES[name])
    near = world.ray_test_batch(body.position + aim - 5.0 * direction, direction)
    assert near.hit.mean() > 0.5
    far = world.ray_test_batch(body.position + aim - 1e5 * direction, direction)
    np.testing.assert_allclose(far.distance - (1e5 - 5.0), near.distance, atol=1e-9)
    away, body = placed(SHAPES[name], offset=(1e6, 0, 0))
    there = away.ray_test_batch(body.position + aim - 5.0 * direction, direction)
    np.testing.assert_allclose(there.distance, near.distance, atol=2e-8)


def scene():
    world = rbdyn.World()
    ground = world.add_ground(material="soil")
    ball = world.add_sphere(0.2, 1.0, material="rubber")
    ball.set_pose((0, 0, 1.0))
    robot = world.add_articulated_system(models.quadruped())
    robot.set_base_pose((5.0, 0.0, 0.8))
    return world, ground, ball, robot


def test_what_is_seen_has_names():
    world, ground, ball, robot = scene()
    hit = world.ray_test((0, 0, 3), (0, 0, -2), length=10)
    assert hit.object is ball and hit.material == "rubber" and hit.distance == pytest.approx(1.8, abs=1e-15)
    np.testing.assert_allclose(hit.position, (0, 0, 1.2), atol=1e-15)
    np.testing.assert_allclose(hit.normal, (0, 0, 1), atol=1e-15)
    foot = robot.frame("LF_FOOT").position
    hit = world.ray_test(foot + (0, 0.5, 0), (0, -1, 0))
    assert (hit.object, hit.link) == (robot, "LF_FOOT") and hit.body == "LF_SHANK"
    hits = world.ray_test((0, 0, 3), (0, 0, -1), all=True)
    assert [h.object for h in hits] == [ball, ground]
    assert [h.distance for h in hits] == pytest.approx([1.8, 3.0], abs=1e-15)
    assert hits[1].material == "soil"


def test_what_rays_go_through():
    world, ground, ball, robot = scene()
    up, down = (0, 0, 3), (0, 0, -1)
    assert world.ray_test(up, down, exclude=ball).object is ground
    assert world.ray_test(up, down, exclude=[ball, ground]) is None
    assert world.ray_test(up, down, length=1.79) is None
    assert world.ray_test(up, (0, 0, 1)) is None
    assert world.ray_test((0, 0, 1.05), down).object is ground  # it begins in the ball
    assert world.ray_test((0, 0, -1), down) is None  # and in the ground
    link = world.ray_test((5, 0, 3), down).link
    assert world.ray_test((5, 0, 3), down, exclude=(robot, link)).link != link
    assert world.ray_test((5, 0, 3), down, exclude=robot.body(link)).link != link
    assert world.ray_test((5, 0, 3), down, exclude=robot).object is ground


def test_masks_choose_groups():
    world = rbdyn.World()
    low, high = world.add_box(1, 1, 0.1, 1.0, group=2), world.add_box(1, 1, 0.1, 1.0, group=4)
    high.set_pose((0, 0, 1))
    for mask, seen in ((-1, high), (4, high), (2, low), (6, high), (2**63, None), (0, None)):
        hit = world.ray_test((0, 0, 3), (0, 0, -1), mask=mask)
        assert (hit and hit.object) is seen


def test_a_batch_is_as_many_single_rays():
    world, *_ = scene()
    rng = np.random.default_rng(0)
    origins, directions = rng.uniform((-1, -1, 0.2), (6, 1, 2), (200, 3)), rng.normal(size=(200, 3))
    hits = world.ray_test_batch(origins, directions, length=5.0)
    assert len(hits) == 200 and 0 < hits.hit.sum() < 200
    for k in range(200):
        hit = world.ray_test(origins[k], directions[k], length=5.0)
        assert (hit is None) == (hits[k] is None) == (not hits.hit[k])
        if hit is None:
            assert hits.distance[k] == np.inf and hits.index[k] == -1 and np.isnan(hits.position[k]).all()
            continue
        assert hit.distance == hits.distance[k] == hits[k].distance
        assert hit.object is hits[k].object is hits.seen[hits.index[k]].object
        assert hit.geometry == hits[k].geometry and (hit.normal == hits.normal[k]).all()
    one = world.ray_test_batch(origins[0], directions, length=5.0)
    assert one.distance[0] == hits.distance[0] and len(one) == 200
    assert len(world.ray_test_batch(np.empty((0, 3)), np.empty((0, 3)))) == 0
    with pytest.raises(IndexError):
        hits[200]
    with pytest.raises(ValueError):
        hits.distance[0] = 0.0


def test_rays_see_things_where_they_are_now_and_change_nothing():
    world, ground, ball, robot = scene()
    twin, *_ = scene()
    for w in (world, twin):
        w.step(20)
    ball.set_pose((2, 0, 1))
    assert world.ray_test((2, 0, 3), (0, 0, -1)).object is ball  # before any step
    q = robot.q.copy()
    q[0] += 10.0
    robot.set_state(q, robot.v)
    assert world.ray_test((15, 0, 3), (0, 0, -1)).object is robot
    assert world.ray_test((5, 0, 3), (0, 0, -1)).object is ground
    q[0] -= 10.0
    robot.set_state(q, robot.v)
    ball.set_pose((0, 0, 1))
    twin.objects[1].set_pose((0, 0, 1))
    twin.objects[2].set_state(q, twin.objects[2].v)
    world.step(50)
    twin.step(50)
    assert world.state_hash() == twin.state_hash()


def test_observers_see_and_a_step_between_its_halves_is_seen():
    world, ground, ball, robot = scene()
    seen = []
    world.add_observer(lambda w: seen.append(w.ray_test((0, 0, 3), (0, 0, -1)).distance))
    world.step(3)
    assert len(seen) == 3 and seen[0] < seen[1] < seen[2]  # it falls
    world.integrate1()
    before = world.ray_test((0, 0, 3), (0, 0, -1)).distance
    world.integrate2()
    assert world.ray_test((0, 0, 3), (0, 0, -1)).distance > before


@pytest.mark.parametrize(
    ("given", "error", "message"),
    [
        ({"origin": (0, 0), "direction": (0, 0, 1)}, Error, r"origin must have shape \(3,\), got shape \(2,\)"),
        ({"origin": (0, 0, np.nan), "direction": (0, 0, 1)}, Error, "origin must be finite, got nan at index 2"),
        ({"origin": (0, 0, 0), "direction": (0, 0, 0)}, Error, "direction must not be zero"),
        ({"origin": (0, 0, 0), "direction": (0, np.inf, 0)}, Error, "direction must be finite"),
        ({"origin": (0, 0, 0), "direction": (0, 0, 1), "length": -1.0}, Error, "length"),
        ({"origin": (0, 0, 0), "direction": (0, 0, 1), "length": np.nan}, Error, "length"),
        ({"origin": (0, 0, 0), "direction": (0, 0, 1), "mask": 0.5}, Error, "mask must be a whole number"),
        ({"origin": (0, 0, 0), "direction": (0, 0, 1), "mask": 2**64}, Error, "mask must be a whole number"),
        ({"origin": (0, 0, 0), "direction": (0, 0, 1), "exclude": 3}, Error, "exclude must be an object"),
        ({"origin": (0, 0, 0), "direction": (0, 0, 1), "exclude": "nobody"}, UnknownNameError, "nobody"),
        ({"origin": (0, 0, 0), "direction": (0, 0, 1), "all": 1}, Error, "all"),
    ],
)
def test_bad_rays_are_named(given, error, message):
    world, *_ = scene()
    hash_before = world.state_hash()
    with pytest.raises(error, match=message):
        world.ray_test(**given)
    assert world.state_hash() == hash_before


def test_removed_objects_are_neither_seen_nor_left_out():
    world, ground, ball, robot = scene()
    world.remove(ball)
    assert world.ray_test((0, 0, 3), (0, 0, -1)).object is ground
    with pytest.raises(RemovedError):
        world.ray_test((0, 0, 3), (0, 0, -1), exclude=ball)
    with pytest.raises(Error, match="as many origins as directions"):
        world.ray_test_batch(np.zeros((2, 3)), np.ones((3, 3)))


def test_tiny_and_long_directions_are_directions():
    world, *_ = scene()
    expected = world.ray_test((0.05, 0, 3), (0, 0.01, -1)).distance
    for size in (1e-310, 1e-200, 1e200):
        assert world.ray_test((0.05, 0, 3), (0, 0.01 * size, -size)).distance == pytest.approx(expected, rel=1e-9)


def test_rays_are_busy_while_a_step_runs():
    world, *_ = scene()
    caught = []

    def law(length, speed):
        with pytest.raises(BusyError):
            world.ray_test((0, 0, 3), (0, 0, -1))
        caught.append(1)
        return 0.0

    world.add_custom_wire(world.objects[1], (world.objects[2], "base"), law=law)
    world.step()
    assert caught
