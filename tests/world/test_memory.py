"""A World in steady state takes no memory: the C heap's counters do not move, and Python's neither."""

import gc
import tracemalloc

import pytest
from reference.c_heap import growth, heap, needs_mallinfo2
from world.scenes import World, stack, standing_quadruped

import rbdyn


def scene(**options):
    world = World(2e-3, **options)
    world.add_ground()
    standing_quadruped(world)
    for body in stack(world):
        body.set_pose(body.position + [2.0, 0, 0])
    return world


@needs_mallinfo2
@pytest.mark.parametrize("contact", ["bisection", "pgs"])
def test_ten_thousand_steps_allocate_nothing(contact):
    world = scene(contact=contact)
    world.step(500 if contact == "bisection" else 20)
    gc.collect()
    heap()
    world.step(10)
    before = few = many = heap()
    before, growths = heap(), world.contact.allocations
    world.step(10)
    few = heap()
    world.step(10000 if contact == "bisection" else 100)
    many = heap()
    assert before == few == many
    assert world.contact.allocations == growths
    assert len(world.contacts) >= 24


@needs_mallinfo2
def test_flight_allocates_nothing():
    world = World(1e-3)
    robot = standing_quadruped(world)
    robot.set_state(v=[0, 0, 0, 1.0, 2.0, 3.0, *robot.v[6:]])
    world.step(20)
    before = few = many = heap()
    before = heap()
    world.step(10)
    few = heap()
    world.step(5000)
    many = heap()
    assert before == few == many


def test_python_allocates_nothing_in_a_step():
    world = scene()
    world.step(200)
    gc.collect()
    tracemalloc.start()
    try:
        world.step(10)
        before = tracemalloc.get_traced_memory()[0]
        tracemalloc.reset_peak()
        world.step(2000)
        after, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert after - before < 500
    assert peak - before < 2000


@needs_mallinfo2
def test_worlds_of_single_bodies_are_given_back():
    """Making and dropping Worlds does not grow the heap."""

    def use():
        world = World(2e-3)
        world.add_ground()
        stack(world)
        world.step(5)
        world.remove(world.objects[1])
        world.step(5)
        assert world.contacts

    assert growth(use) < 200


@needs_mallinfo2
@pytest.mark.parametrize("what", ["state", "target", "world"])
def test_nothing_is_kept(what):
    world = World(2e-3)
    robot = standing_quadruped(world)
    mechanism, model, q = robot.mechanism, robot.model, robot.q

    def make_world():
        fresh = World(2e-3)
        fresh.add_articulated_system(mechanism)
        fresh.step(3)

    uses = {"state": lambda: rbdyn.State(model), "target": lambda: robot.set_pd_target(q), "world": make_world}
    assert growth(uses[what], 50 if what != "world" else 200) < 200  # caches of names grow now and then
