"""Shapes of a user's own, by a support function: against shapes that are built in; and what goes wrong in one."""

import ctypes
import pickle

import numpy as np
import pytest
from collision_scenes import contacts, pose
from scipy import LowLevelCallable
from scipy.spatial.transform import Rotation

import rbdyn
from rbdyn.collision import Box, Capsule, HalfSpace, HeightMap, NativeBackend, Sphere, SupportShape, distance
from rbdyn.errors import CollisionError

HALF = np.array([0.3, 0.2, 0.1])


def corner(d):
    return np.copysign(HALF, d)


def segment(d):
    return 0.0, 0.0, np.copysign(0.25, d[2])


@ctypes.CFUNCTYPE(None, ctypes.POINTER(ctypes.c_double), ctypes.POINTER(ctypes.c_double), ctypes.c_void_p)
def compiled_corner(d, x, user):
    for k in range(3):
        x[k] = HALF[k] if d[k] >= 0.0 else -HALF[k]


BOXES = {"python": SupportShape(corner), "compiled": SupportShape(LowLevelCallable(compiled_corner))}


def random_pose(rng, far):
    return pose(*rng.uniform(-far, far, 3), Rotation.random(random_state=rng).as_matrix())


@pytest.mark.parametrize("name", BOXES)
def test_a_box_is_a_box(name):
    """Distances, and the deepest contact, with what is built in."""
    rng, own, box = np.random.default_rng(1), BOXES[name], Box(2.0 * HALF)
    others = [Sphere(0.2), Capsule(0.1, 0.4), Box((0.4, 0.3, 0.2))]
    touching = 0
    for k in range(60):
        X, Y, other = random_pose(rng, 0.3), random_pose(rng, 0.2), others[k % 3]
        found, same = distance(own, X, other, Y), distance(box, X, other, Y)
        assert found.distance == pytest.approx(same.distance, abs=1e-6 if same.distance < 0 else 1e-12)
        one, two = (contacts(NativeBackend(), (shape, X), (other, Y)) for shape in (own, box))
        assert (len(one) > 0) == (len(two) > 0)
        if len(one):
            touching += 1
            assert one["depth"].max() == pytest.approx(two["depth"].max(), abs=1e-6, rel=0.06)
            assert len(one) == 1
    assert touching > 20


def test_half_space_map_and_rays():
    own, rod = SupportShape(segment, radius=0.1), Capsule(0.1, 0.5)
    X = pose(0.1, 0.2, 0.19, Rotation.from_rotvec([0.7, 0.3, 0.0]).as_matrix())
    one, two = (contacts(NativeBackend(), (HalfSpace(), np.eye(4)), (shape, X)) for shape in (own, rod))
    assert one["depth"][0] == pytest.approx(two["depth"].max(), abs=1e-15)
    ground = HeightMap(np.zeros((3, 3)), (2.0, 2.0))
    assert contacts(NativeBackend(), (ground, np.eye(4)), (own, X))["depth"][0] == pytest.approx(two["depth"].max())
    hits = []
    for shape in (own, rod):
        world = rbdyn.World()
        world.add_single_body([rbdyn.Geometry(shape)], 1.0, np.eye(3)).set_pose(X[:3, 3])
        rng = np.random.default_rng(3)
        origins = X[:3, 3] + rng.normal(size=(300, 3))
        hits.append(world.ray_test_batch(origins, X[:3, 3] - origins + 0.2 * rng.normal(size=(300, 3))))
    assert 50 < hits[0].hit.sum() < 280
    np.testing.assert_array_equal(hits[0].hit, hits[1].hit)
    hit = hits[0].hit
    np.testing.assert_allclose(hits[0].distance[hit], hits[1].distance[hit], atol=2e-12)
    np.testing.assert_allclose(hits[0].normal[hit], hits[1].normal[hit], atol=1e-5)


def test_a_ball_of_ones_own_rolls_and_survives():
    """As a sphere does: a point with a radius; in a snapshot and in a pickle too."""
    paths = []
    for shape in (SupportShape(origin, radius=0.1), Sphere(0.1)):
        world = rbdyn.World(time_step=0.002)
        world.add_ground()
        body = world.add_single_body([rbdyn.Geometry(shape)], 1.0, Sphere(0.1).inertia(1.0))
        body.set_pose((0.0, 0.0, 0.1))
        body.set_velocity((1.0, 0.0, 0.0))
        world.step(100)
        twin = pickle.loads(pickle.dumps(world))
        twin.step(100)
        world.step(100)
        np.testing.assert_array_equal(twin.objects[1].position, body.position)
        paths.append(np.append(body.position, body.angular_velocity))
    np.testing.assert_allclose(paths[0], paths[1], atol=1e-12)
    assert paths[0][0] > 0.28 and paths[0][4] == pytest.approx(7.142857, abs=1e-3)      # 5/7 of the speed: it rolls


def origin(d):
    return np.zeros(3)


def fails(d):
    if abs(d[0]) < 0.99 and abs(d[1]) < 0.99 and abs(d[2]) < 0.99:
        raise ZeroDivisionError("here")
    return corner(d)


def tells_nothing(d):
    return corner(d) if np.count_nonzero(d) == 1 else None


def runs_away(d):
    return corner(d) * (1.0 if np.count_nonzero(d) == 1 else np.nan)


@pytest.mark.parametrize(
    ("function", "error", "message"),
    [
        (fails, ZeroDivisionError, "here"),
        (tells_nothing, CollisionError, "three numbers"),
        (runs_away, CollisionError, "finite"),
    ],
)
def test_what_a_function_raises_is_raised(function, error, message):
    """In a step, a query, a distance, a ray; and the next ones go on."""
    shape, tilted = SupportShape(function), Rotation.from_rotvec([0.4, 0.3, 0.2]).as_matrix()
    world = rbdyn.World()
    world.add_ground()
    body = world.add_single_body([rbdyn.Geometry(shape)], 1.0, np.eye(3))
    body.set_pose((0.0, 0.0, 0.1), rbdyn.Transform(tilted).quat)
    with pytest.raises(error, match=message):
        world.step()
    with pytest.raises(error, match=message):
        distance(shape, pose(0, 0, 1, tilted), Box((1, 1, 1)), np.eye(4))
    with pytest.raises(error, match=message):
        contacts(NativeBackend(), (shape, pose(0, 0, 0.2, tilted)), (Box((0.3, 0.3, 0.3)), np.eye(4)))
    with pytest.raises(error, match=message):
        world.ray_test((1, 1, 1), (-1.0, -0.9, -0.8))
    assert distance(Sphere(0.1), pose(0, 0, 1), Sphere(0.1), np.eye(4)).distance == pytest.approx(0.8)


def test_what_is_no_shape_is_refused():
    for bad, message in (
        (3, "a function of a direction"),
        (lambda d: (1.0, 2.0), "three numbers"),
        (lambda d: (np.inf, 0.0, 0.0), "finite"),
        (lambda d: -np.asarray(d), "farthest points"),
        (origin, "needs a radius"),
        (LowLevelCallable(ctypes.CFUNCTYPE(ctypes.c_double, ctypes.c_double)(abs)), "signature"),
    ):
        with pytest.raises(CollisionError, match=message):
            SupportShape(bad)
    with pytest.raises(CollisionError, match="radius"):
        SupportShape(corner, radius=-1.0)
    with pytest.raises(CollisionError, match="inertia"):
        SupportShape(corner).inertia(1.0)
    with pytest.raises(ZeroDivisionError):
        SupportShape(lambda d: 1 / 0)
