"""Edits and surgery from a second thread: one clear error while the World is at work, and nothing half-changed."""

import collections
import contextlib
import copy
import pickle
import threading
import time

import numpy as np
import pytest
from reference.compiled_model import numbers_of as slow_numbers
from world.scenes import WaitingSolver
from world.surgery.robots import floating

from rbdyn import (
    BusyError,
    Error,
    Fixed,
    Geometry,
    Joint,
    RemovedError,
    RigidBody,
    SpatialInertia,
    Transform,
    UnknownNameError,
    io,
)
from rbdyn.collision import Box, NativeBackend
from rbdyn.model.insides import numbers_of
from rbdyn.world import World

POSE = Transform(translation=(0.1, 0.0, 0.0))
CALLS = {
    "mass": lambda w, a, b: setattr(a.body("a1"), "mass", 2.0),
    "placement": lambda w, a, b: setattr(a.joint("a1_j"), "placement", POSE),
    "axis, by the mechanism": lambda w, a, b: a.joint("a1_j").place(POSE, POSE),
    "damping": lambda w, a, b: setattr(a.joint("a1_j"), "damping", 1.0),
    "shape": lambda w, a, b: setattr(a.geometry("a1/0"), "shape", Box((0.1, 0.1, 0.1))),
    "shape more": lambda w, a, b: a.body("a1").add_geometry(Geometry(Box((0.1, 0.1, 0.1)))),
    "filters": lambda w, a, b: w.ignore_collision(a, b),
    "merge": lambda w, a, b: w.merge(a, "a1", b, "b0", Joint("dock", Fixed())),
    "cut": lambda w, a, b: a.remove_joint("a1_j", split=True),
    "subtree": lambda w, a, b: a.remove_subtree("a1_j"),
    "attach": lambda w, a, b: a.attach(floating("c", 2, 1), "a0", Joint("grip", Fixed())),
    "weld": lambda w, a, b: a.weld("a1_j"),
    "add": lambda w, a, b: w.add_sphere(0.1, 1.0),
    "remove": lambda w, a, b: w.remove(b),
    "restore": lambda w, a, b: w.restore(w.snapshot()),
}


def scene(**backends):
    """Two robots and a ball on the ground."""
    world = World(1e-3, **backends)
    world.add_ground()
    robots = [world.add_articulated_system(floating(letter, 3, 4)) for letter in "ab"]
    for k, robot in enumerate(robots):
        robot.set_base_pose((1.5 * k, 0.0, 1.0))
    world.add_sphere(0.1, 1.0).set_pose((-2.0, 0.0, 0.0999))
    return world, *robots


def seen(world):
    """All that could be half-changed."""
    robots = [one for one in world.objects if hasattr(one, "mechanism")]
    for robot in robots:
        fast, slow = numbers_of(robot.model), slow_numbers(robot.mechanism)
        assert np.array_equal(fast["X_tree"], slow["X_tree"])
        assert np.array_equal(fast["I_b"], slow["I_b"])
        assert fast["frames"] == slow["frames"]
    parts = [[*robot.mechanism.bodies, *robot.mechanism.joints] for robot in robots]
    edges = [[robot.mechanism.edge(joint) for joint in robot.mechanism.joints] for robot in robots]
    shapes = [[list(body.collision) for body in robot.mechanism.bodies] for robot in robots]
    return world.state_hash(), [one.name for one in world.objects], parts, edges, shapes, sorted(world.collision.ids)


def test_every_edit_waits_for_the_end_of_a_step():
    solver = WaitingSolver()
    world, a, b = scene(contact=solver)
    solver.go_on.set()
    world.step()
    solver.go_on.clear()
    solver.entered.clear()
    twin_world, _, _ = scene()
    twin_world.step(2)
    worker = threading.Thread(target=world.step)
    worker.start()
    try:
        assert solver.entered.wait(20)
        for call in CALLS.values():
            with pytest.raises(BusyError, match="stepped by another thread"):
                call(world, a, b)
    finally:
        solver.go_on.set()
        worker.join(20)
    assert not worker.is_alive()
    assert world.state_hash() == twin_world.state_hash()
    for name in ("mass", "placement", "damping", "merge"):
        CALLS[name](world, a, b)
    world.step()
    seen(world)


class Pausing(NativeBackend):
    """Waits in the middle of a surgery, where shapes go to other bodies."""

    def __init__(self):
        super().__init__()
        self.entered, self.go_on = threading.Event(), threading.Event()
        self.pauses = False

    def move_shape(self, *args, **kwargs):
        if self.pauses:
            self.entered.set()
            assert self.go_on.wait(20)
        super().move_shape(*args, **kwargs)


def test_nothing_goes_on_in_the_middle_of_a_surgery():
    backend = Pausing()
    world, a, b = scene(collision=backend)
    world.step()
    backend.pauses = True
    worker = threading.Thread(target=CALLS["merge"], args=(world, a, b))
    worker.start()
    try:
        assert backend.entered.wait(20)
        for call in (world.step, world.integrate1, *(lambda c=c: c(world, a, b) for c in CALLS.values())):
            with pytest.raises(BusyError, match="by another thread"):
                call()
    finally:
        backend.go_on.set()
        worker.join(20)
    assert not worker.is_alive()
    backend.pauses = False
    assert [one.name for one in world.objects if hasattr(one, "mechanism")] == [a.name]
    world.step()
    seen(world)


EXPECTED = (BusyError, RemovedError, UnknownNameError)  # what others are at, or have done, may be said; nothing else


def together(*calls, times=60, most=200_000):
    """Let a thread do each of these lists, round and round, until all got through `times` times."""
    wrong, done, start = [], [0] * len(calls), threading.Barrier(len(calls))

    def work(k):
        start.wait(60)
        for turn in range(most):
            if wrong or min(done) >= times:
                return
            try:
                calls[k][turn % len(calls[k])]()
                done[k] += 1
            except EXPECTED:
                pass
            except BaseException as error:
                wrong.append(error)

    threads = [threading.Thread(target=work, args=(k,)) for k in range(len(calls))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(120)
    assert not any(thread.is_alive() for thread in threads)
    if wrong:
        raise wrong[0]
    assert sum(done) > times


def add_passing(world):
    """A ball of a name that it may have already."""
    try:
        world.add_sphere(0.1, 1.0, name="passing")
    except EXPECTED:
        raise
    except Error as error:
        assert "already has an object named 'passing'" in str(error)


def edits_of(world, a):
    """What may be done at once, by several threads."""
    poses = [Transform(translation=(0.1 + 0.01 * k, 0.0, 0.0)) for k in range(3)]
    return [
        *(lambda p=p: setattr(a.joint("a1_j"), "placement", p) for p in poses),
        lambda: setattr(a.body("a1"), "mass", a.body("a1").mass % 3.0 + 0.5),
        lambda: setattr(a.joint("a1_j"), "damping", a.joint("a1_j").damping % 2.0 + 0.1),
        lambda: world.remove(world.add_sphere(0.1, 1.0)),            # RemovedError: a restore was quicker
        lambda: add_passing(world),
        lambda: world.remove("passing"),
        lambda: world.restore(world.snapshot()),
        lambda: world.set_material_pair("steel", "wood", friction=world.steps % 7 / 7.0),
        world.step,
    ]


@pytest.mark.usefixtures("quick_switches")
def test_threads_that_edit_and_step_leave_a_whole_world():
    """Whatever comes through comes through wholly; all else is a BusyError."""
    world, a, b = scene()
    edits = edits_of(world, a)
    together(edits, edits[::-1], [world.step])
    before = seen(world)
    world.restore(world.snapshot())
    assert seen(world) == before
    world.step(10)
    assert np.isfinite(a.q).all()


@pytest.mark.usefixtures("quick_switches")
def test_a_snapshot_beside_edits_is_of_one_time():
    """Each is whole: going back to it gives the hash that it has."""
    world, a, b = scene()
    snapshots, edits = {}, edits_of(world, a)

    def take():
        one = world.snapshot()
        snapshots[one.hash] = one

    together([take], edits, edits[::-1])
    together([world.state_hash], edits)
    for snapshot in snapshots.values():
        world.restore(snapshot)
        assert seen(world)[0] == snapshot.hash
        world.step()


@pytest.mark.usefixtures("quick_switches")
@pytest.mark.parametrize("way", ["deepcopy", "pickle"])
def test_a_copy_beside_edits_is_of_one_time(way):
    """Each is whole: its robots are what their mechanisms say, and it goes on."""
    world, a, b = scene()
    copies, edits = collections.deque(maxlen=40), edits_of(world, a)
    copied = copy.deepcopy if way == "deepcopy" else lambda one: pickle.loads(pickle.dumps(one))
    together([lambda: copies.append(copied(world))], edits, times=10)
    for one in copies:
        seen(one)
        one.step()


@pytest.mark.usefixtures("quick_switches")
def test_a_text_beside_edits_is_of_one_time():
    """Each can be read, and gives what was there between two edits."""
    world, a, b = scene()
    texts, edits = collections.deque(maxlen=40), edits_of(world, a)
    together([lambda: texts.append(io.world_text(world)), lambda: io.urdf_text(a.mechanism)], edits, edits[::-1])
    for text in texts:
        seen(io.load_world(text))


@pytest.mark.usefixtures("quick_switches")
def test_what_is_read_beside_edits_is_there():
    """Look-ups and queries find what is there, or raise what is expected."""
    world, a, b = scene()
    world.step(3)
    down = [(-2.0, 0.0, 2.0), (0.0, 0.0, -1.0)]
    readers = [
        [lambda: world.ray_test(*down), lambda: world.ray_test(*down, all=True), lambda: world.ray_test_batch(*down)],
        [lambda: world.overlap_test(Box((9.0, 9.0, 9.0)), np.eye(4)), lambda: world.distance("a", "b"),
         lambda: world.nearest(Box((0.1, 0.1, 0.1)), np.eye(4)), lambda: world.contacts_at(b, b.q)],
        [lambda: [(one.body_a, one.impulse) for one in world.contacts], lambda: world.problem, lambda: repr(world),
         lambda: [one.name for one in world.objects], lambda: world.find("passing").contacts],
    ]
    edits = edits_of(world, a)
    for calls in readers:
        together(calls, edits, edits[::-1])
    seen(world)


def edits_of_mechanism(m):
    """Parameters of a mechanism, by themselves: no World knows when."""
    poses = [Transform(translation=(0.1 + 0.01 * k, 0.0, 0.0)) for k in range(3)]
    joint, body = m.find_joint("a1_j"), m.find_body("a1")
    return [
        *(lambda p=p: m.place_joint(joint, p) for p in poses),
        lambda: setattr(joint, "damping", joint.damping % 2.0 + 0.1),
        lambda: setattr(body, "inertia", SpatialInertia(body.inertia.mass % 3.0 + 0.5, (0.0, 0.0, 0.0), np.eye(3))),
        lambda: time.sleep(2e-4),
    ]


@pytest.mark.usefixtures("quick_switches")
def test_steps_beside_edits_of_a_mechanism():
    """A step takes in what was edited until it began, or says that an edit is under way; no Model is stale."""
    world, a, b = scene()

    steps = [world.step, world.integrate1, world.integrate2, world.integrate2, a.update]
    together(steps, edits_of_mechanism(a.mechanism), times=2000)
    with contextlib.suppress(BusyError):                 # where the last one was no first half
        world.integrate2()
    a.update()
    seen(world)


@pytest.mark.usefixtures("quick_switches")
def test_copies_beside_edits_of_a_graph():
    """A copy is of what there was between two edits, or says that the World was edited meanwhile."""
    world, a, _ = scene()
    m = a.mechanism

    def grow():
        if "x" not in {body.name for body in m.bodies}:
            m.attach("a1", RigidBody("x", SpatialInertia(1.0, inertia=np.eye(3))), Joint("xj", Fixed()))

    def shrink():
        if "x" in {body.name for body in m.bodies}:
            m.remove_subtree(m.find_joint("xj"))

    def copied():
        twin = copy.deepcopy(m)
        assert len(twin.bodies) == len(twin.tree_joints) + 1
        assert all(twin.find_body(body.name) is body for body in twin.bodies)

    copies = [copied, lambda: copy.deepcopy(world), lambda: pickle.loads(pickle.dumps(world))]
    together(copies, [grow, shrink], times=40)


def test_a_handle_is_whole_before_others_find_it(monkeypatch):
    """Two threads that ask for it first get the same one, which says what it is asked for."""
    world, a, b = scene()
    kind = type(b.joint("b1_j"))
    told, follow = [], kind._follow

    def ask():
        handle = a.joint("a1_j")
        told.append((handle, handle.damping, handle.name))

    def follow_while_another_asks(self, robot, item):
        monkeypatch.setattr(kind, "_follow", follow)
        thread = threading.Thread(target=ask)
        thread.start()
        thread.join(20)
        follow(self, robot, item)

    monkeypatch.setattr(kind, "_follow", follow_while_another_asks)
    mine = a.joint("a1_j")
    assert told == [(mine, 0.0, "a1_j")]
    assert a.joint("a1_j") is mine
