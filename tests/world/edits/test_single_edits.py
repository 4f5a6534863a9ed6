"""Single bodies that are edited in a World, against bodies that were added so and against momentum."""

import numpy as np
import pytest

from rbdyn import Geometry, Joint, Spherical, Transform
from rbdyn.collision.shapes import Box, Capsule, Sphere
from rbdyn.errors import BusyError, Error, MechanismError
from rbdyn.world import World

INERTIA = np.diag([0.02, 0.03, 0.025])


def dropped(mass=1.0, inertia=INERTIA, shapes=None):
    world = World(1e-3)
    world.add_ground()
    items = shapes or [Geometry(Box((0.2, 0.3, 0.25))), Geometry(Sphere(0.1), Transform(translation=(0.15, 0, 0)))]
    body = world.add_single_body(items, mass, inertia, name="body")
    start(body)
    return world, body


def start(body):
    body.set_pose((0, 0, 0.3), np.array((9, 3, 1, 2)) / 95**0.5)
    body.set_velocity((0.5, 0, -1), (1, 2, 3))


def course(world, body, count=300):
    states = []
    for _ in range(count):
        world.step()
        states.append(np.r_[body.position, body.orientation, body.linear_velocity, body.angular_velocity])
    return np.array(states)


@pytest.mark.parametrize("numbers", [{"mass": 3.0}, {"inertia": 2.0 * INERTIA}, {"inertia": 0.01 * np.eye(3)}])
def test_it_moves_as_one_that_was_added_so(numbers):
    world, body = dropped()
    world.step(400)
    for name, value in numbers.items():
        setattr(body, name, value)
    start(body)
    states = course(world, body)
    assert (states == course(*dropped(**numbers))).all()
    assert not (states == course(*dropped())).all()


@pytest.mark.parametrize(
    "change",
    [
        {"shape": Box((0.1, 0.4, 0.3))},
        {"shape": Capsule(0.15, 0.2)},
        {"pose": Transform(rpy=(0.3, 0.2, 0.1), translation=(0, 0, 0.1))},
        {"shape": Sphere(0.2), "pose": Transform(translation=(0.1, 0, 0)), "group": 2, "mask": 1},
    ],
)
def test_shapes_are_exchanged(change):
    world, body = dropped()
    world.step(400)
    body.set_geometry(0, **change)
    start(body)
    states = course(world, body)
    assert (states == course(*dropped(shapes=body.geometries))).all()
    assert not (states == course(*dropped())).all()


def test_shapes_come_and_go():
    world, body = dropped()
    world.step(400)
    first = body.geometries[0]
    body.remove_geometry(0)
    assert len(body.geometries) == 1
    body.add_geometry(first)
    body.add_geometry(Geometry(Sphere(0.3)))
    body.remove_geometry(2)
    start(body)
    np.testing.assert_allclose(course(world, body, 100), course(*dropped(), 100), atol=1e-6)
    for _ in range(len(body.geometries)):
        body.remove_geometry(0)
    world.step(2000)
    assert body.position[2] < -5.0
    assert world.contacts == []
    with pytest.raises(Error, match="no geometry"):
        body.remove_geometry(0)


def test_contacts_of_other_shapes_stand():
    world = World(1e-3)
    world.add_ground()
    boxes = [world.add_box(0.2, 0.2, 0.2, 1.0) for _ in range(2)]
    for k, box in enumerate(boxes):
        box.set_pose((k, 0, 0.1))
    world.step(50)
    assert len(world.contacts) == 8
    boxes[0].set_geometry(0, shape=Box((0.2, 0.2, 0.2001)))
    assert len(world.contacts) == 4
    assert all(c.object_a is boxes[1] or c.object_b is boxes[1] for c in world.contacts)
    assert boxes[1].contacts[0].impulse[2] != 0.0
    boxes[0].mass = 1.5
    boxes[1].set_geometry(0, material="rubber")
    assert len(world.contacts) == 4
    world.step(50)
    assert abs(sum(c.impulse[2] for c in boxes[0].contacts)) == pytest.approx(1.5 * 9.81e-3, rel=1e-3)


def test_a_new_centre_of_mass_keeps_shapes_motion_and_what_hangs():
    world = World(1e-3, gravity=(0, 0, 0))
    body = world.add_single_body([Geometry(Box((0.2, 0.3, 0.25)))], 1.0, INERTIA)
    world.add_stiff_wire(body, None, point_a=(0.1, 0.1, 0.1), point_b=(1.0, 0.0, 0.0))
    joint = world.add_joint(None, body, Joint("hinge", Spherical()))
    start(body)
    R, p, v, w = body.rotation, body.position, body.linear_velocity, body.angular_velocity
    corner = p + R @ body.geometries[0].pose.translation
    error, ends = joint.error, world.constraints[0].distance if hasattr(world.constraints[0], "distance") else 0.0
    c = np.array([0.05, -0.02, 0.03])
    body.set_inertia(mass=2.0, com=c)
    np.testing.assert_allclose(body.position, p + R @ c)
    np.testing.assert_allclose(body.linear_velocity, v + np.cross(w, R @ c))
    np.testing.assert_allclose(body.position + body.rotation @ body.geometries[0].pose.translation, corner)
    np.testing.assert_allclose(joint.error, error, atol=1e-15)
    if ends:
        assert world.constraints[0].distance == pytest.approx(ends, abs=1e-15)


def test_forces_given_before_act_where_they_did():
    """A force at a point of the body, and a centre of mass that goes elsewhere: the torque about it is another."""
    world = World(1e-4, gravity=(0, 0, 0))
    body = world.add_single_body([Geometry(Sphere(0.1))], 2.0, np.eye(3))
    body.set_external_force(0, (0, 0, 5.0), point=(0.2, 0, 0))
    body.set_inertia(com=(0.1, 0, 0))
    world.step()
    assert body.angular_velocity[1] == pytest.approx(-5.0 * 0.1 * 1e-4, rel=1e-6)


BAD = [
    (lambda b: setattr(b, "mass", 0.0), "mass must be.*above 0"),
    (lambda b: setattr(b, "mass", -1.0), "mass must be"),
    (lambda b: setattr(b, "mass", np.nan), "mass must be"),
    (lambda b: setattr(b, "inertia", np.diag([1.0, 1.0, 3.0])), "triangle inequality"),
    (lambda b: setattr(b, "inertia", -np.eye(3)), "positive definite"),
    (lambda b: setattr(b, "inertia", np.eye(2)), "inertia"),
    (lambda b: b.set_inertia(mass=2.0, com=(0, np.nan, 0)), "com"),
    (lambda b: b.set_geometry(2, shape=Sphere(1.0)), "index of a geometry.*at most 1|0 to 1"),
    (lambda b: b.set_geometry(True, shape=Sphere(1.0)), "index of a geometry"),
    (lambda b: b.set_geometry(0, shape=3.0), "shape of a Geometry"),
    (lambda b: b.set_geometry(0, size=3.0), "'size'.*shape, pose"),
    (lambda b: b.add_geometry(Sphere(1.0)), "must be a Geometry"),
]


@pytest.mark.parametrize(("call", "match"), BAD)
def test_bad_edits_change_nothing(call, match):
    world, body = dropped()
    other, twin = dropped()
    world.step(100)
    other.step(100)
    with pytest.raises((Error, MechanismError), match=match):
        call(body)
    assert (course(world, body, 50) == course(other, twin, 50)).all()


def test_not_between_the_halves():
    world, body = dropped()
    world.integrate1()
    for call in (lambda: setattr(body, "mass", 2.0), lambda: body.set_geometry(0, shape=Sphere(1.0)),
                 lambda: body.add_geometry(Geometry(Sphere(1.0))), lambda: body.remove_geometry(0)):
        with pytest.raises(BusyError, match="integrate2"):
            call()
    assert body.mass == 1.0
    assert len(body.geometries) == 2
