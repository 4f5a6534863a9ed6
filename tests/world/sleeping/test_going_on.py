"""Snapshots, copies, pickles and reset know who sleeps, and go on bit for bit."""

import copy
import pickle

import pytest

from rbdyn import World
from rbdyn.world.snapshot.snapshot import Snapshot


def scene():
    """Two towers that sleep, and a ball on its way to one of them."""
    world = World(time_step=0.005)
    world.sleeping, world.sleep_time = True, 0.1
    world.add_ground()
    for x in (0.0, 1.0):
        for k in range(3):
            world.add_box(0.2, 0.2, 0.2, mass=1.0, name=f"{x:g}, {k}").set_pose(position=(x, 0.0, 0.1 + 0.2 * k))
    ball = world.add_sphere(0.1, mass=3.0, name="ball")
    ball.set_pose(position=(-1.6, 0.0, 0.1))
    ball.set_velocity(linear=(3.0, 0.0, 0.0))
    return world


def asleep(world):
    return [obj.name for obj in world.objects if obj.asleep]


def said(world):
    """All that can be read of it."""
    bodies = [(obj.name, obj.asleep, obj.position.tobytes(), obj.orientation.tobytes(), obj.linear_velocity.tobytes())
              for obj in world.objects]
    contacts = [(c.object_a.name, c.object_b.name, c.position.tobytes(), c.impulse.tobytes()) for c in world.contacts]
    return bodies, contacts, world.state_hash()


def test_the_scene_is_one():
    world = scene()
    world.step(60)
    assert len(asleep(world)) == 6
    world.step(100)
    assert 0 < len(asleep(world)) < 6


WAYS = {
    "restore": lambda w: w,
    "deepcopy": copy.deepcopy,
    "pickle": lambda w: pickle.loads(pickle.dumps(w)),
}


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("when", [10, 20, 21, 60, 118, 125, 160, 400])
def test_it_goes_on_with_the_same_bits(way, when):
    world = scene()
    world.step(when)
    start, now = world.snapshot(), said(world)
    twin = copy.deepcopy(world) if way == "restore" else WAYS[way](world)
    world.step(80)
    end = said(world)
    assert end != now
    if way == "restore":
        world.restore(start)
        twin = world
    assert said(twin) == now
    twin.step(80)
    assert said(twin) == end


def test_bytes_go_into_a_world_built_alike():
    world = scene()
    world.step(70)
    data = bytes(world.snapshot())
    other = scene()
    other.restore(Snapshot.from_bytes(data))
    assert said(other) == said(world) and len(asleep(other)) == 6
    world.step(80)
    other.step(80)
    assert said(other) == said(world)


def test_reset_wakes_and_sleeps_as_it_was():
    world = scene()
    world.step(60)
    world.set_reset_state()
    now = said(world)
    world.step(200)
    world.reset()
    assert said(world) == now


def test_a_snapshot_after_an_edit_says_that_all_are_awake():
    world = scene()
    world.step(60)
    world.gravity = (0.0, 0.0, -9.0)
    twin = copy.deepcopy(world)
    assert not asleep(world) and not asleep(twin)
    world.step(40)
    twin.step(40)
    assert said(world) == said(twin)


def test_a_wake_call_between_steps_is_in_snapshots():
    world = scene()
    world.step(60)
    world.find("1, 0").wake()
    twin = copy.deepcopy(world)
    assert said(twin) == said(world) and len(asleep(twin)) == 3
    world.step(40)
    twin.step(40)
    assert said(twin) == said(world)


def test_half_steps_are_whole_steps():
    one, two = scene(), scene()
    for _ in range(200):
        one.step()
        two.integrate1()
        two.integrate2()
    assert said(one) == said(two) and 0 < len(asleep(one)) < 6
