"""CoalBackend: a second answer behind the same interface, guarded."""

import pickle

import numpy as np
import pytest
from collision_scenes import contacts, pose

import rbdyn
from rbdyn.collision import Box, Cone, Cylinder, HalfSpace, HeightMap, NativeBackend, Sphere, SupportShape
from rbdyn.errors import CollisionError
from rbdyn.testing import check_collision_backend, conformance

pytest.importorskip("coal")
from rbdyn.collision import CoalBackend  # noqa: E402


def test_laws():
    assert len(check_collision_backend(CoalBackend())) == 9


def test_it_agrees_with_the_definition_at_random_poses():
    """Two libraries that share nothing, and the oracle of the least push."""
    for report in conformance(CoalBackend(), ["sphere", "box", "cone", "cylinder", "ellipsoid", "hull"], poses=25):
        assert report.missed == report.phantom == report.invalid == 0
        assert report.overlaps > 5 and np.abs(report.depth_error).max() < 2e-4
        assert max(report.moved, report.far) < 1e-4


def test_a_cone_stands_on_a_box():
    """Through coal, corners of its patch; at the height where the native contacts hold it too."""
    heights = []
    for backend in ("coal", "native"):
        world = rbdyn.World(2e-3, collision=backend)
        table = world.add_box(1.0, 1.0, 0.2, 1.0)
        table.body_type = "static"
        cone = world.add_cone(0.1, 0.2, 1.0)
        cone.set_pose((0.05, 0.02, 0.1 + 0.05 + 1e-4))
        world.step(500)
        heights.append(cone.position)
        assert cone.kinetic_energy < 1e-9
        assert len(world.contacts) >= 3
    np.testing.assert_allclose(heights[0], heights[1], atol=1e-4)
    assert heights[0][2] == pytest.approx(0.15, abs=1e-4)


def test_what_coal_does_not_have_comes_from_native():
    own, ground = SupportShape(lambda d: np.copysign(0.1, d)), HeightMap(np.zeros((3, 3)), (1.0, 1.0))
    for a, b in ((HalfSpace(), Cylinder(0.1, 0.2)), (ground, Box((0.2, 0.2, 0.2))), (own, Sphere(0.1)),
                 (Box((2.1e-7, 0.2, 0.2)), Sphere(0.1))):  # fmt: skip
        one, two = (contacts(backend, (a, np.eye(4)), (b, pose(0.01, 0.02, 0.09))) for backend in
                    (CoalBackend(), NativeBackend()))  # fmt: skip
        assert len(one) > 0
        np.testing.assert_array_equal(one, two)


def test_in_a_world():
    world = rbdyn.World(collision="coal")
    assert isinstance(world.collision, CoalBackend) and world.collision.mesh == "hull"
    world.add_ground()
    ball = world.add_sphere(0.1, 1.0)
    ball.set_pose((0, 0, 0.3))
    twin = pickle.loads(pickle.dumps(world))
    for w in (world, twin):
        w.step(100)
    np.testing.assert_array_equal(twin.objects[1].position, ball.position)
    with pytest.raises(CollisionError, match="body 1"):
        contacts(CoalBackend(), (Cone(0.1, 0.1), np.eye(4)), (Sphere(0.1), pose(np.nan, 0, 0)))
