"""Numbers of shapes that were removed are given again, and bring nothing of the shape before."""

import copy
import pickle

import numpy as np
import pytest

import rbdyn
from rbdyn import Fixed, Joint, Mechanism, Revolute, RigidBody, SpatialInertia
from rbdyn.world import World


def pile(world, n=3):
    """Boxes on one another, which press on what they stand."""
    world.add_ground()
    boxes = [world.add_box(0.2, 0.2, 0.1, 1.0) for _ in range(n)]
    for k, box in enumerate(boxes):
        box.set_pose((0.003 * k, 0, 0.05 + 0.1 * k))
    return boxes


def top(world, number=2):
    """A box on so many others, which turns and slides."""
    box = world.add_box(0.1, 0.1, 0.1, 2.0, name="new")
    box.set_pose((0.02, 0.01, 0.1 * number + 0.05), (np.cos(0.2), 0, 0, np.sin(0.2)))
    box.set_velocity((0.5, 0, 0), (0, 0, 1))
    return box


def path(world, obj, steps=60):
    """Where an object goes, and how many sweeps that took."""
    rows = []
    for _ in range(steps):
        world.step()
        rows.append([*obj.position, *obj.linear_velocity, *obj.angular_velocity, world.contact.iterations])
    return np.array(rows)


def test_cycles_of_one_object_take_no_numbers():
    world = World(1e-3)
    boxes = pile(world)
    before = world.collision.ids
    for _ in range(300):
        world.remove(world.add_sphere(0.1, 1.0))
        boxes[1].add_geometry(rbdyn.Geometry(rbdyn.collision.Sphere(0.02)))
        boxes[1].remove_geometry(1)
    world.add_sphere(0.1, 1.0)
    assert world.collision.ids == [*before, before[-1] + 1]


def test_who_comes_last_and_stays_keeps_numbers_few():
    """First in, first out: the oldest of 10 goes whenever one comes."""
    world = World(1e-3)
    world.add_ground()
    queue = [world.add_sphere(0.1, 1.0) for _ in range(10)]
    largest = 0
    for _ in range(500):
        world.remove(queue.pop(0))
        queue.append(world.add_sphere(0.1, 1.0))
        largest = max(largest, *world.collision.ids)
        assert len(set(world.collision.ids)) == 11
    assert 64 < largest <= 2 * 11 + 64


def test_a_number_given_again_brings_no_warm_start_nor_contact():
    """What stands where another one stood moves as it does in a World in which there never was another one."""
    world, fresh = World(1e-3), World(1e-3)
    gone = pile(world, 1)[0]
    pile(fresh, 0)
    world.step(40)
    fresh.step(40)
    number = world.collision.ids[-1]
    assert len(world.contacts) == 4
    world.remove(gone)
    one, other = top(world, 0), top(fresh, 0)
    assert world.collision.ids == fresh.collision.ids and world.collision.ids[-1] == number
    assert world.contacts == [] and one.contacts == []
    way = path(world, one)
    np.testing.assert_array_equal(way, path(fresh, other))
    assert way[:, -1].max() > 1 and abs(way[-1, 2] - 0.05) < 1e-3


def test_a_removed_shape_is_forgotten_at_once():
    world = World(1e-3)
    boxes = pile(world)
    world.step(40)
    kept = [contact for contact in world.contacts if boxes[2] not in contact.objects]
    keys = world.contact.get_state()["key"]
    number = world.collision.ids[-1]
    assert (keys["id_b"] == number).any() and 0 < len(kept) < len(world.contacts)
    world.remove(boxes[2])
    left = world.contact.get_state()
    np.testing.assert_array_equal(left["key"], keys[keys["id_b"] != number])
    assert len(left["impulse"]) == len(left["key"]) == len(kept)
    top(world)
    assert [contact.position.tolist() for contact in world.contacts] == [contact.position.tolist() for contact in kept]


def hinge(name, upper):
    """A heavy arm on a hinge that gravity presses on its stop."""
    mechanism = Mechanism(RigidBody(f"{name}_root"))
    inertia = SpatialInertia(3.0, (0.3, 0, 0), 0.02 * np.eye(3))
    mechanism.attach(mechanism.root_body, RigidBody(f"{name}0", inertia), Joint(
        f"{name}_hinge", Revolute((0, 1, 0)), position_limits=(-upper, upper)))
    mechanism.attach(f"{name}0", RigidBody(f"{name}1", inertia), Joint(f"{name}_fixed", Fixed()))
    return mechanism


def test_a_robot_that_comes_brings_nothing_of_the_one_that_went():
    world = World(1e-3)
    robot = world.add_articulated_system(hinge("a", 0.2))
    robot.set_state([0.2])
    world.step(20)
    assert len(world.contact.get_state()["block_key"]) == 1
    world.remove(robot)
    assert len(world.contact.get_state()["block_key"]) == 0
    other = world.add_articulated_system(hinge("b", 0.2))
    other.set_state([0.2])
    assert world.contact.get_state()["row_impulse"].size == 0


def test_a_group_is_not_left_to_the_next_one():
    world = World(1e-3)
    world.add_ground()
    ghost = world.add_sphere(0.1, 1.0, group=2, mask=0)
    ghost.set_pose((0, 0, 0.05))
    world.step()
    assert world.contacts == []
    world.remove(ghost)
    ball = world.add_sphere(0.1, 1.0)
    ball.set_pose((0, 0, 0.05))
    world.step()
    assert len(world.contacts) == 1


def test_back_to_before_a_number_was_given_again():
    world = World(1e-3)
    boxes = pile(world)
    world.step(30)
    start = world.snapshot()
    way = path(world, boxes[2])
    world.restore(start)
    world.remove(boxes[2])
    other = top(world)
    world.step(10)
    world.restore(start)
    assert world.state_hash() == start.hash
    np.testing.assert_array_equal(path(world, boxes[2]), way)
    with pytest.raises(rbdyn.RemovedError):
        other.position  # noqa: B018


@pytest.mark.parametrize("twin_of", [copy.deepcopy, lambda world: pickle.loads(pickle.dumps(world))])
def test_a_copy_gives_the_same_numbers(twin_of):
    world = World(1e-3)
    boxes = pile(world)
    world.step(20)
    world.remove(boxes[1])
    twin = twin_of(world)
    ways = [path(one, top(one, 3)) for one in (world, twin)]
    assert twin.collision.ids == world.collision.ids and twin.state_hash() == world.state_hash()
    np.testing.assert_array_equal(*ways)


def test_a_number_that_somebody_took_from_the_backend_is_given_again():
    world = World(1e-3)
    robot = world.add_articulated_system(rbdyn.models.path("quadruped"))
    ball = world.add_sphere(0.1, 1.0)
    world.collision.remove_shape(world.collision.ids[-1])
    other = world.add_sphere(0.2, 1.0)
    assert ball.geometries == () and len(other.geometries) == 1
    world.remove(ball)
    assert [world.collision.shape(world.collision.ids[-1])] == [other.geometries[0].shape]
    world.remove(other)
    count = len(world.collision.ids)
    world.collision.remove_shape(world.collision.ids[-1])
    world.add_sphere(0.3, 1.0)
    assert len(world.collision.ids) == count
    world.remove(robot)
    assert len(world.collision.ids) == 1
