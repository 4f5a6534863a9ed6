"""What must not change a bit: threads, objects far away, and 10^4 cycles of going back; memory does not grow."""

import gc
import resource
import signal
import threading

import numpy as np
import pytest
from world.snapshot import worlds

from rbdyn import models
from rbdyn.contact import BisectionSolver
from rbdyn.errors import SnapshotError
from rbdyn.models import QUADRUPED_STANCE
from rbdyn.world import World


def piles(threads):
    """Piles that tumble, a quadruped that strides and one that hangs on a wire, island by island."""
    world = World(2.5e-3, contact=BisectionSolver(threads=threads))
    world.add_ground()
    rng = np.random.default_rng(8)
    for k in range(24):
        box = world.add_box(*rng.uniform(0.1, 0.25, 3), mass=1.0)
        quat = rng.normal(size=4)
        box.set_pose((3.0 * (k % 3) + rng.uniform(-0.1, 0.1), 5.0, 0.2 + 0.25 * (k // 3)), quat / np.linalg.norm(quat))
    for k, name in enumerate(("dog", "other")):
        robot = world.add_articulated_system(models.quadruped(), name=name)
        q = QUADRUPED_STANCE.q.copy()
        q[0] = 2.0 * k
        robot.set_state(q)
        robot.set_pd_gains(120.0, 3.0)
        robot.set_pd_target(q)
    world.add_stiff_wire(None, (world.find("other"), "base"), point_a=(2.0, 0.0, 1.5), length=0.9)
    return world


def test_threads_change_no_bit():
    """One thread and two come to the same hash, from snapshot to snapshot."""
    one, two = piles(1), piles(2)
    for k in range(8):
        for world in (one, two):
            worlds.stride(world)
            world.step(40)
        assert one.state_hash() == two.state_hash(), k
        two.restore(two.snapshot())


def test_calls_of_step_are_no_part_of_the_hash():
    """Forty steps in one call and in forty lead to the same state; what solvers counted since a call is restored."""
    one, many = piles(1), piles(1)
    one.step(40)
    for _ in range(40):
        many.step()
    assert one.contact.statistics.steps == 40
    assert many.contact.statistics.steps == 1
    assert one.state_hash() == many.state_hash()
    one.restore(many.snapshot())
    assert one.contact.statistics == many.contact.statistics
    one.step()
    assert one.state_hash() != many.state_hash()


def test_a_far_island_changes_no_bit():
    """A pile that tumbles far away, comes and goes, leaves robot and ball the bits that they have without it."""
    alone, beside = worlds.walking(), worlds.walking()
    rng = np.random.default_rng(2)
    made = []
    for k in range(60):
        if k % 3 == 0:
            made.append(beside.add_box(0.2, 0.15, 0.1, 2.0))
            made[-1].set_pose((50.0 + rng.uniform(0.0, 0.1), 50.0, 0.5 + 0.1 * len(made)))
        if k % 7 == 6:
            beside.remove(made.pop(0))
        if k % 20 == 19:
            beside.restore(beside.snapshot())
        for world in (alone, beside):
            worlds.stride(world)
            world.step(5)
        for name in ("dog", "sphere_2"):
            a, b = alone.find(name), beside.find(name)
            where = (a.q, a.v) if name == "dog" else (a.position, a.orientation, a.linear_velocity, a.angular_velocity)
            there = (b.q, b.v) if name == "dog" else (b.position, b.orientation, b.linear_velocity, b.angular_velocity)
            assert all(np.array_equal(x, y) for x, y in zip(where, there, strict=True)), k


@pytest.mark.parametrize("coming", [False, True])
def test_memory_does_not_grow(coming):
    """Over many cycles of snapshot and restore, also with objects that come and go between them."""
    world = worlds.walking()
    world.step(40)
    start = world.snapshot()

    def cycle():
        if coming:
            extra = world.add_sphere(0.1, 1.0)
            world.find("dog")
            world.remove("dog")
        one = world.snapshot()
        world.restore(start)
        world.restore(one)
        world.restore(start)
        if coming:
            assert extra not in world.objects

    for _ in range(300):
        cycle()
    gc.collect()
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    for _ in range(1000 if coming else 30_000):
        cycle()
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 2000
    assert world.state_hash() == start.hash


def test_storm():
    """Random coming, going, setting, stepping and going back: each snapshot has its hash, and goes on as it did."""
    for seed in range(6):
        rng = np.random.default_rng(seed)
        world = worlds.tied() if seed % 2 else worlds.tumbling(seed)
        kept = []
        for _ in range(150):
            what = int(rng.integers(9))
            bodies = [obj for obj in world.objects if hasattr(obj, "set_velocity") and obj.body_type == "dynamic"]
            if what == 0:
                box = world.add_box(*rng.uniform(0.05, 0.2, 3), mass=float(rng.uniform(0.5, 2.0)))
                box.set_pose((*rng.uniform(-0.5, 0.5, 2), rng.uniform(0.3, 2.0)))
            elif what == 1 and len(world.objects) > 4:
                world.remove(world.objects[int(rng.integers(1, len(world.objects)))])
            elif what == 2 and len(world.objects) < 25:
                robot = world.add_articulated_system(models.double_pendulum())
                robot.set_base_pose(position=(*rng.uniform(-2.0, 2.0, 2), 3.0))
            elif what == 3 and len(bodies) > 1:
                a, b = rng.choice(len(bodies), 2, replace=False)
                world.add_compliant_wire(bodies[a], bodies[b], stiffness=50.0)
            elif what == 4 and bodies:
                bodies[int(rng.integers(len(bodies)))].set_velocity(rng.normal(size=3))
            elif what == 5:
                world.set_material_pair("default", "default", float(rng.uniform(0.1, 1.0)))
            elif what == 6 and kept:
                one, following, steps = kept[int(rng.integers(len(kept)))]
                world.restore(one)
                assert world.state_hash() == one.hash
                world.step(steps)
                assert world.state_hash() == following, (seed, steps)
            elif what == 7:
                one, steps = world.snapshot(), int(rng.integers(1, 12))
                world.step(steps)
                kept.append((one, world.state_hash(), steps))
            else:
                world.step(int(rng.integers(1, 6)))
        assert len(kept) > 5


def models_world():
    """A box, a ball and a dog after some steps."""
    world = World(2e-3)
    world.add_ground()
    world.add_box(0.2, 0.2, 0.2, mass=1.0, name="box").set_pose((1.0, 0.0, 0.3))
    world.add_sphere(0.1, mass=1.0, name="ball").set_pose((2.0, 0.0, 0.3))
    world.add_articulated_system(models.quadruped(), name="dog")
    world.step(5)
    return world


def test_what_nobody_used_yet_is_in_no_hash():
    """Who looks at the random generator, or has ended all schedules, has changed nothing."""
    world = models_world()
    before = world.snapshot()
    draws = world.random
    schedule = world.schedule(lambda w: None, rate=50.0)
    schedule.cancel()
    assert world.state_hash() == before.hash
    first = draws.random()
    assert world.state_hash() != before.hash
    world.restore(before)
    assert world.state_hash() == before.hash
    assert world.random is draws
    assert draws.random() == first                        # the same generator, as it was


def test_schedules_begin_alike_whatever_was_scheduled_before():
    calls = []
    for used in (False, True):
        world = models_world()
        if used:
            world.schedule(lambda w: None, rate=7.0).cancel()
        world.step(13)
        world.time_step = 0.003
        times = []
        world.schedule(lambda w, times=times: times.append(w.time), rate=30.0, phase=0.01)
        world.run(0.5)
        calls.append(times)
    assert calls[0] == calls[1]
    assert len(calls[0]) > 10


def test_hashes_know_who_collides_with_whom():
    world = models_world()
    box, ball, dog = world.find("box"), world.find("ball"), world.find("dog")
    before = world.snapshot()
    hashes = {before.hash}
    edits = (
        lambda: world.ignore_collision(box, ball),
        lambda: world.ignore_collision((dog, "LF_SHANK"), ball),
        lambda: setattr(dog, "self_collision", not dog.self_collision),
        lambda: setattr(dog, "collide_with_parent", True),
        lambda: setattr(dog, "contacts_per_self_pair", 1),
    )
    for edit in edits:
        edit()
        assert world.state_hash() not in hashes
        hashes.add(world.state_hash())
        world.restore(before)
        assert world.state_hash() == before.hash
    other = models_world()
    other.ignore_collision(other.find("box"), other.find("ball"))
    with pytest.raises(SnapshotError, match="pairs that never collide are others there"):
        other.restore(before)


@pytest.mark.parametrize("wait", [0.1] + [0.003 * k for k in range(1, 13)])
def test_ctrl_c_leaves_the_world_as_if_it_had_been_told_to_stop_there(wait):
    """At whichever step: contacts, counters and what follows are those of a World that took as many steps."""
    world, other = models_world(), models_world()
    before = signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell's background jobs start without one
    try:
        with pytest.raises(KeyboardInterrupt):
            threading.Timer(wait, signal.raise_signal, (signal.SIGINT,)).start()
            world.step(10**9)
    finally:
        signal.signal(signal.SIGINT, before)
    other.step(world.steps - other.steps)
    assert world.state_hash() == other.state_hash()
    world.step(20)
    other.step(20)
    assert world.state_hash() == other.state_hash()
