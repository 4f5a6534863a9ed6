"""Filters that a mechanism brings into a World: they act, and go on through edits, surgery, snapshots and copies."""

import copy
import pickle

import numpy as np
import pytest

from rbdyn import Fixed, Floating, Geometry, Joint, Mechanism, Revolute, RigidBody, SpatialInertia, Transform, World
from rbdyn.collision import CollisionBackend, NativeBackend, native_contacts
from rbdyn.collision.shapes import Sphere
from rbdyn.parallel import VectorWorld


class OwnBackend(CollisionBackend):
    """In Python: what the native one finds for each pair."""

    def detect(self, scene):
        for a, b in scene.pairs():
            for contact in native_contacts(scene, a, b):
                scene.add_contact(a, b, *contact)


BACKENDS = {"native": lambda: NativeBackend(margin=1e-4), "fcl": lambda: "fcl", "coal": lambda: "coal",
            "own": lambda: OwnBackend(margin=1e-4)}  # fmt: skip


def ball(name, pairs=()):
    item = Geometry(Sphere(0.1), Transform(translation=(0, 0, 0.001 * ord(name[-1]))), name=name, pairs=pairs)
    return RigidBody(name, SpatialInertia(1.0, inertia=0.1 * np.eye(3)), [item])


def heap(labels=("a-b",), prefix=""):
    """Balls in one place: a carries b and c on hinges, d is fixed to c, e hangs on d.  a and b share a label."""
    m = Mechanism(RigidBody("world"))
    labelled = {"a": [prefix + one for one in labels], "b": [prefix + one for one in labels]}
    for name, parent, kind in (("a", "world", Floating()), ("b", "a", Revolute((1, 0, 0))),
                               ("c", "a", Revolute((0, 1, 0))), ("d", "c", Fixed()),
                               ("e", "d", Revolute((0, 0, 1)))):  # fmt: skip
        parent = parent if parent == "world" else prefix + parent
        m.attach(parent, ball(prefix + name, labelled.get(name, ())), Joint(f"{prefix}{name}_j", kind))
    m.ignore_collision(prefix + "b", prefix + "d")
    m.ignore_collision(prefix + "b", prefix + "e")
    return m


HEAP = {("a", "b"), ("b", "c"), ("a", "e")}                # of a-b c-b b-d b-e a-e: neighbours, ignored, and a label


def touching(world):
    """Pairs of links that have contacts now, where the robots stand; overlaps that were left alone among them."""
    world.snapshot()                                       # takes in what was edited
    for robot in world.objects:
        if hasattr(robot, "mechanism"):
            robot.set_state(robot.q, robot.v)
    world.integrate1()
    pairs = {tuple(sorted((c.link_a, c.link_b))) for c in world.contacts}
    world.integrate2()
    return pairs


def scene(mechanism=None, backend="native", **options):
    world = World(1e-6, gravity=(0, 0, 0), collision=BACKENDS[backend]())
    return world, world.add_articulated_system(heap() if mechanism is None else mechanism, "robot", **options)


@pytest.mark.parametrize("backend", BACKENDS)
def test_they_act(backend):
    if backend in ("fcl", "coal"):
        pytest.importorskip(backend)
    world, robot = scene(backend=backend)
    assert touching(world) == HEAP
    assert robot.ignored_collisions == (("b", "d"), ("b", "e"))
    robot.self_collision = False
    assert touching(world) == {("a", "b")}                 # the label says so
    robot.self_collision = True
    robot.allow_collision("b", "e")
    assert touching(world) == HEAP | {("b", "e")}
    robot.allow_collision("b", "c")                        # c and d are one here
    assert touching(world) == HEAP | {("b", "e"), ("b", "d")}
    assert robot.ignored_collisions == ()
    assert robot.mechanism.ignored_collisions == ()
    robot.ignore_collision("b", "c")
    assert touching(world) == {("a", "b"), ("a", "e"), ("b", "e")}


def test_self_collision_of_the_mechanism():
    m = heap(labels=())
    m.self_collision = False
    world, robot = scene(m)
    assert not robot.self_collision
    assert touching(world) == set()
    world, robot = scene(m, self_collision=True)
    assert touching(world) == HEAP - {("a", "b")}


def test_edits_of_the_mechanism_act_at_the_next_step():
    world, robot = scene()
    assert touching(world) == HEAP
    robot.mechanism.ignore_collision("b", "c")
    assert touching(world) == HEAP - {("b", "c")}
    assert robot.q.shape == (10,)
    robot.mechanism.allow_collision("b", "d")
    assert touching(world) == (HEAP | {("b", "d")}) - {("b", "c")}
    robot.mechanism.find_body("b").collision[0] = Geometry(Sphere(0.1), name="b")
    assert touching(world) == {("b", "d"), ("a", "e")}     # without its label
    robot.mechanism.find_body("d").collision.clear()
    assert touching(world) == {("a", "e")}
    robot.mechanism.find_body("d").collision.append(Geometry(Sphere(0.1), name="d"))
    assert touching(world) == {("b", "d"), ("a", "e")}
    robot.body("b").geometries[0].set(pairs=["a-b"])
    assert touching(world) == {("a", "b"), ("b", "d"), ("a", "e")}


@pytest.mark.parametrize("copied", [copy.deepcopy, lambda world: pickle.loads(pickle.dumps(world))])
def test_copies(copied):
    world, robot = scene()
    other = copied(world)
    assert touching(other) == HEAP
    robot.allow_collision("b", "e")
    assert touching(other) == HEAP
    other.objects[0].allow_collision("b", "d")
    assert touching(other) == HEAP | {("b", "d")}
    assert touching(world) == HEAP | {("b", "e")}


def test_snapshots():
    world, robot = scene()
    before = world.snapshot()
    robot.allow_collision("b", "d")
    robot.body("b").geometries[0].set(pairs=[])
    robot.mechanism.self_collision = False
    later = world.snapshot()
    assert touching(world) == {("b", "c"), ("b", "d"), ("a", "e")}
    world.restore(before)
    assert touching(world) == HEAP
    assert robot.ignored_collisions == (("b", "d"), ("b", "e"))
    assert robot.mechanism.self_collision
    world.restore(later)
    assert touching(world) == {("b", "c"), ("b", "d"), ("a", "e")}
    robot.mechanism.ignore_collision("b", "d")
    assert touching(world) == {("b", "c"), ("a", "e")}


def test_many_worlds():
    world, _ = scene()
    worlds = VectorWorld(world, 3)
    worlds.step()
    alone = copy.deepcopy(world)
    alone.step()
    np.testing.assert_array_equal(worlds.find("robot").q[2], alone.objects[0].q)


def test_numbers_of_shapes_that_are_given_again():
    """A shape that comes under the number of one that had a label has none."""
    world, robot = scene()
    world.remove(robot)
    m = heap(labels=())
    for a, b in m.ignored_collisions:
        m.allow_collision(a, b)
    world.add_articulated_system(m, "robot")
    assert touching(world) == (HEAP - {("a", "b")}) | {("b", "d"), ("b", "e")}


def test_robots_that_are_joined_and_cut():
    world = World(1e-6, gravity=(0, 0, 0))
    one = world.add_articulated_system(heap(), "one")
    other = world.add_articulated_system(heap(prefix="x"), "other")
    other.set_base_pose((0, 0, 5.0))
    own = {tuple(sorted(("x" + a, "x" + b))) for a, b in HEAP}
    assert touching(world) == HEAP | own
    before = world.snapshot()
    world.merge(one, "a", other, "xa", Joint("dock", Fixed()), Transform(translation=(0, 0, 5.0)))
    assert touching(world) == HEAP | own
    assert set(one.ignored_collisions) == {("b", "d"), ("b", "e"), ("xb", "xd"), ("xb", "xe")}
    part = one.remove_joint("dock", split=True)
    assert touching(world) == HEAP | own
    assert set(part.ignored_collisions) == {("xb", "xd"), ("xb", "xe")}
    world.restore(before)
    assert touching(world) == HEAP | own
    one.mechanism.attach_mechanism("e", heap(prefix="y"), Transform(translation=(0, 0, -5.0)))
    new = {tuple(sorted(("y" + a, "y" + b))) for a, b in HEAP}
    assert touching(world) == HEAP | own | new
    one.mechanism.remove_subtree("ya_j")
    assert touching(world) == HEAP | own


def test_a_label_holds_within_one_robot():
    world, _ = scene(heap(labels=("x",)))
    m = Mechanism(RigidBody("world"))
    m.attach("world", ball("f", ["x"]), Joint("f_j", Floating()))
    m.find_body("f").collision[0] = Geometry(Sphere(0.1), name="f", mask=0, pairs=["x"])
    world.add_articulated_system(m, "other")
    assert touching(world) == HEAP


class Failing(NativeBackend):
    """Fails once, at the call of `exclude` with this number."""

    left = -1

    def exclude(self, a, b):
        self.left -= 1
        if self.left == 0:
            raise MemoryError("told to fail")
        super().exclude(a, b)


def test_a_surgery_that_fails_leaves_them():
    """Whichever call fails, of joining two robots and of cutting them apart."""
    backend = Failing(margin=1e-4)
    world = World(1e-6, gravity=(0, 0, 0), collision=backend)
    one = world.add_articulated_system(heap(), "one")
    other = world.add_articulated_system(heap(prefix="x"), "other")
    other.set_base_pose((0, 0, 5.0))
    before = touching(world)
    assert before == HEAP | {tuple(sorted(("x" + a, "x" + b))) for a, b in HEAP}

    def until_it_works(call):
        failed = 0
        while True:
            backend.left = failed + 1
            try:
                call()
            except MemoryError:
                failed += 1
                names = one.ignored_collisions
                assert touching(world) == before
                assert one.ignored_collisions == names
            else:
                backend.left = -1
                return failed

    dock = lambda: Joint("dock", Fixed())  # noqa: E731
    up = Transform(translation=(0, 0, 5.0))
    assert until_it_works(lambda: world.merge(one, "a", other, "xa", dock(), up)) >= 6
    assert touching(world) == before
    assert until_it_works(lambda: one.remove_joint("dock", split=True)) >= 6
    assert touching(world) == before
