"""Filters of what is in a World: pairs that never collide, robots with themselves, few contacts a pair; any backend."""

import numpy as np
import pytest

import rbdyn
from rbdyn import Geometry, Joint, Mechanism, Revolute, RigidBody, SpatialInertia, Transform, models
from rbdyn.collision import CollisionBackend, NativeBackend, native_contacts
from rbdyn.collision.shapes import Box, Sphere
from rbdyn.errors import BusyError, Error, MechanismError, RemovedError, UnknownNameError
from rbdyn.world import World


class OwnBackend(CollisionBackend):
    """In Python: what the native one finds for each pair."""

    def detect(self, scene):
        for a, b in scene.pairs():
            for contact in native_contacts(scene, a, b):
                scene.add_contact(a, b, *contact)


BACKENDS = {"native": lambda: NativeBackend(margin=1e-4), "fcl": lambda: "fcl", "own": lambda: OwnBackend(margin=1e-4)}


def link(name, size=0.2):
    return RigidBody(name, SpatialInertia(1.0, (0, 0, 0), 0.01 * np.eye(3)), [Geometry(Box((size, size, size)))])


def folded():
    """Four boxes on hinges that all overlap: a chain of three, and one welded to the last."""
    m = Mechanism(RigidBody("world"))
    bodies = [link(name) for name in "abcd"]
    last = m.root_body
    for k, body in enumerate(bodies[:3]):
        joint = Joint(f"j{k}", Revolute((0, 1, 0)))
        m.attach(last, body, joint, joint_pose=Transform(translation=(0.03, 0.02, 0.01), rpy=(0.1, 0.2, 0.3)))
        last = body
    m.attach(last, bodies[3], Joint("weld", rbdyn.Fixed()), joint_pose=Transform(translation=(0.0, 0.0, 0.25)))
    return m


def scene(backend="native", **options):
    world = World(1e-3, gravity=(0, 0, 0), collision=BACKENDS[backend]())
    robot = world.add_articulated_system(folded(), "robot", **options)
    return world, robot


def touching(world):
    """Pairs of bodies that have contacts now."""
    world.integrate1()
    pairs = {tuple(sorted((c.body_a, c.body_b))) for c in world.contacts}
    world.integrate2()
    return pairs


@pytest.mark.parametrize("backend", BACKENDS)
def test_robots_with_themselves(backend):
    if backend == "fcl":
        pytest.importorskip("fcl")
    world, robot = scene(backend)
    start = robot.q
    assert touching(world) == {("a", "c")}
    robot.collide_with_parent = True
    assert robot.collide_with_parent
    robot.set_state(start, np.zeros(3))
    assert touching(world) == {("a", "b"), ("b", "c"), ("a", "c")}
    robot.ignore_collision("a", "d")                  # d is one with c
    robot.set_state(start, np.zeros(3))
    assert touching(world) == {("a", "b"), ("b", "c")}
    robot.self_collision = False
    assert touching(world) == set()
    robot.self_collision = True
    robot.collide_with_parent = False
    robot.set_state(start, np.zeros(3))
    assert touching(world) == set()
    robot.allow_collision(robot.body("c"), robot.mechanism.find_body("a"))
    assert touching(world) == {("a", "c")}


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("most", [1, 2, 3])
def test_few_contacts_a_pair(backend, most):
    """The deepest stay, in their order; those with others and of the other robot are not counted."""
    if backend == "fcl":
        pytest.importorskip("fcl")
    world, robot = scene(backend)
    other = world.add_articulated_system(folded(), "other")
    other.set_base_pose((0.0, 0.01, 0.4))
    world.integrate1()
    every = [(c.body_a, c.body_b, c.object_a.name, c.object_b.name, c.depth, tuple(c.position)) for c in world.contacts]
    world.integrate2()
    start = [one.q for one in (robot, other)]
    for one, q in zip((robot, other), start, strict=True):
        one.set_state(0 * q, np.zeros(3))
    robot.contacts_per_self_pair = most
    assert robot.contacts_per_self_pair == most
    assert other.contacts_per_self_pair is None
    world.integrate1()
    left = [(c.body_a, c.body_b, c.object_a.name, c.object_b.name, c.depth, tuple(c.position)) for c in world.contacts]
    own = sorted((c for c in every if c[2] == c[3] == "robot"), key=lambda c: -c[4])
    expected = [c for c in every if c not in own or c in own[:most]]
    assert left == expected
    assert len(own) > most or backend == "fcl"
    world.integrate2()
    robot.contacts_per_self_pair = None
    for one, q in zip((robot, other), start, strict=True):
        one.set_state(0 * q, np.zeros(3))
    world.integrate1()
    assert len(world.contacts) == len(every)


def test_options_of_adding():
    world, robot = scene(collide_with_parent=True, contacts_per_self_pair=1, group=4, mask=6)
    assert (robot.collide_with_parent, robot.contacts_per_self_pair, robot.self_collision) == (True, 1, True)
    assert {(g.group, g.mask) for g in robot.geometries} == {(4, 6)}
    assert folded().find_body("a").collision[0].group == 1
    assert len(world.contacts) == 0
    world.step()
    assert len(world.contacts) == 3
    file = world.add_articulated_system(models.path("quadruped"), group=8)
    assert {(g.group, g.mask) for g in file.geometries} == {(8, -1)}
    mine = folded()
    world.add_articulated_system(mine, group=16)
    assert mine.find_body("a").collision[0].group == 1             # the user's own is not touched


def test_groups_of_a_robot_while_it_runs():
    world = World(1e-3)
    world.add_ground(group=2)
    robot = world.add_articulated_system(models.quadruped())
    robot.set_state(models.QUADRUPED_STANCE.q)
    world.step(5)
    assert len(world.contacts) == 4
    robot.set_collision_filter(mask=1)
    world.step()
    assert world.contacts == []
    robot.set_collision_filter(group=3, mask=2)
    assert robot.mechanism.find_body("base").collision[0].group == 3
    robot.set_state(models.QUADRUPED_STANCE.q)
    world.step()
    assert len(world.contacts) == 4
    before = [(g.group, g.mask) for g in robot.geometries]
    with pytest.raises(MechanismError, match="mask of a Geometry"):
        robot.set_collision_filter(group=1, mask=2**70)
    assert [(g.group, g.mask) for g in robot.geometries] == before


@pytest.mark.parametrize("backend", BACKENDS)
def test_any_two_things_may_ignore_one_another(backend):
    if backend == "fcl":
        pytest.importorskip("fcl")
    world, robot = scene(backend, self_collision=False)
    ground, ball = world.add_ground(-0.05), world.add_sphere(0.2, 1.0, name="ball")
    ball.set_pose((0.0, 0.0, 0.05))
    start = robot.q, ball.position

    def now():
        robot.set_state(start[0], np.zeros(3))
        ball.set_pose(start[1])
        ball.set_velocity((0, 0, 0), (0, 0, 0))
        return touching(world)

    on_ground = {("a", "ground_1"), ("b", "ground_1"), ("c", "ground_1")}
    on_ball = {("a", "ball"), ("b", "ball"), ("ball", "c")}
    between = {("ball", "ground_1")}
    name = ground.name
    on_ground = {tuple(sorted((x, name))) for x in "abc"}
    between = {tuple(sorted(("ball", name)))}
    assert now() == on_ground | on_ball | between
    world.ignore_collision(robot, ground)
    assert now() == on_ball | between
    world.allow_collision((robot, "b"), ground)
    assert now() == on_ball | between | {tuple(sorted(("b", name)))}
    world.ignore_collision("ball", ground)
    world.ignore_collision(robot.body("d"), ball)     # the one that c carries
    assert now() == (on_ball - {("ball", "c")}) | {tuple(sorted(("b", name)))}
    for a, b in ((ground, robot), (ball, ground), (ball, (robot, "c"))):
        world.allow_collision(a, b)
        world.allow_collision(a, b)
    assert now() == on_ground | on_ball | between


def test_what_is_ignored_leaves_with_its_object():
    """Body handles of what was removed are given to what comes next, which collides."""
    world = World(1e-3)
    ground = world.add_ground()
    for _ in range(3):
        ball = world.add_sphere(0.1, 1.0)
        ball.set_pose((0, 0, 0.1))
        world.step()
        assert len(world.contacts) == 1
        world.ignore_collision(ball, ground)
        world.step()
        assert world.contacts == []
        world.remove(ball)
        robot = world.add_articulated_system(models.quadruped())
        robot.set_state(models.QUADRUPED_STANCE.q)
        world.step()
        assert len(world.contacts) == 4
        robot.contacts_per_self_pair = 1
        world.ignore_collision(robot, ground)
        world.step()
        assert world.contacts == []
        world.remove(robot)


def test_snapshots_know_filters():
    world, robot = scene()
    ball = world.add_sphere(0.2, 1.0)
    taken = world.snapshot()
    robot.collide_with_parent, robot.contacts_per_self_pair = True, 1
    world.ignore_collision(ball, robot)
    world.step()
    world.restore(taken)
    assert (robot.collide_with_parent, robot.contacts_per_self_pair) == (False, None)
    pairs = touching(world)
    assert ("a", "c") in pairs
    assert len(pairs) == 4


@pytest.mark.parametrize(
    ("call", "kind", "match"),
    [
        (lambda w, r, b: w.ignore_collision(r, 3), Error, "b must be an object"),
        (lambda w, r, b: w.ignore_collision((r, "a", 1), b), Error, "a must be an object"),
        (lambda w, r, b: w.ignore_collision((r, "x"), b), UnknownNameError, "'x'"),
        (lambda w, r, b: w.ignore_collision((b, "x"), r), UnknownNameError, "'x'"),
        (lambda w, r, b: w.ignore_collision("nobody", b), UnknownNameError, "'nobody'"),
        (lambda w, r, b: w.ignore_collision(b, b), Error, "itself"),
        (lambda w, r, b: r.ignore_collision("c", "d"), Error, "one body"),
        (lambda w, r, b: w.ignore_collision(World().add_sphere(1, 1), b), RemovedError, "not in this World"),
        (lambda w, r, b: setattr(r, "self_collision", 1), Error, "self_collision"),
        (lambda w, r, b: setattr(r, "collide_with_parent", None), Error, "collide_with_parent"),
        (lambda w, r, b: setattr(r, "contacts_per_self_pair", 0), Error, "contacts_per_self_pair"),
        (lambda w, r, b: setattr(r, "contacts_per_self_pair", 1.5), Error, "contacts_per_self_pair"),
    ],
)
def test_bad_filters_are_named(call, kind, match):
    world, robot = scene()
    ball = world.add_sphere(0.1, 1.0)
    revision = world.collision.ids, robot.self_collision, robot.collide_with_parent, robot.contacts_per_self_pair
    with pytest.raises(kind, match=match):
        call(world, robot, ball)
    assert revision == (
        world.collision.ids, robot.self_collision, robot.collide_with_parent, robot.contacts_per_self_pair)


def test_not_between_the_halves():
    world, robot = scene()
    ball = world.add_sphere(0.1, 1.0)
    world.integrate1()
    for call in (lambda: world.ignore_collision(robot, ball), lambda: world.allow_collision(robot, ball),
                 lambda: setattr(robot, "self_collision", False), lambda: robot.set_collision_filter(group=3),
                 lambda: setattr(robot, "contacts_per_self_pair", 1)):
        with pytest.raises(BusyError):
            call()
    assert Sphere(0.1).radius == 0.1


def on_the_world(kind="slide", base=True, backend="native"):
    """A world with a floor, a base fixed to it, and a box over both on one joint, all in one another; and by a loop."""
    floor = Geometry(Box((4.0, 4.0, 0.2)), Transform(translation=(0.0, 0.0, -0.1)))
    m = Mechanism(RigidBody("ground", collision=[floor]))
    if base:
        m.attach(m.root_body, link("base", 0.3), Joint("foot", rbdyn.Fixed()))
    joint = {"slide": rbdyn.Prismatic((0, 0, 1)), "hinge": Revolute((1, 0, 0)), "weld": rbdyn.Floating()}[kind]
    m.attach(m.root_body, link("box", 0.2), Joint("lift", joint), Transform(translation=(0.0, 0.0, 0.05)))
    if kind == "weld":
        m.attach("box", m.root_body, Joint("hold", rbdyn.Fixed()), Transform(translation=(0.0, 0.0, -0.05)))
    m.attach("box", link("lid", 0.2), Joint("turn", Revolute((0, 0, 1))))
    world = World(2e-3, gravity=(0, 0, 0), collision=BACKENDS[backend]())
    return world, world.add_articulated_system(m, "robot")


def met(world):
    """Pairs of links that have contacts now, by the names of their shapes' links."""
    world.integrate1()
    pairs = {tuple(sorted((c.body_a, c.body_b))) for c in world.contacts}
    world.integrate2()
    return pairs


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("kind", ["slide", "hinge"])
@pytest.mark.parametrize("base", [True, False])
def test_what_is_on_one_joint_of_the_world_meets_its_floor(kind, base, backend):
    """Links that a joint joins never meet: the base and the box.  The world is none: all but what is fixed to it meets
    its floor, as in Drake; `collide_with_parent` lets links meet as well."""
    if backend == "fcl":
        pytest.importorskip("fcl")
    world, robot = on_the_world(kind, base, backend)
    start = robot.q
    robot.ignore_collision("lid", "ground")
    assert met(world) == {("box", "ground")}
    robot.collide_with_parent = True
    robot.set_state(start, 0 * robot.v)
    assert met(world) == {("box", "ground"), ("box", "lid")}
    shapes = len(world.collision)
    robot.collide_with_parent = False
    robot.ignore_collision("box", "ground")
    robot.set_state(start, 0 * robot.v)
    assert met(world) == set()
    robot.allow_collision("box", "ground")
    robot.self_collision = False
    robot.set_state(start, 0 * robot.v)
    assert met(world) == set()
    robot.self_collision = True
    robot.set_state(start, 0 * robot.v)
    assert met(world) == {("box", "ground")} and len(world.collision) == shapes


def test_what_a_loop_fixes_to_the_world_does_not_meet_its_floor():
    world, robot = on_the_world("weld")
    robot.ignore_collision("lid", "ground")
    assert met(world) == set()


def test_a_box_on_a_slide_lands_on_the_floor_of_its_file():
    """It fell for ever; the depth at which it rests is that of a box which floats, on the same floor."""
    heights = []
    for joint in ('<joint type="slide" axis="0 0 1"/>', "<freejoint/>"):
        world = World(2e-3)
        robot = world.add_articulated_system(f"""<mujoco><worldbody><geom type="plane" size="5 5 .1"/><body pos="0 0 1"
            name="b">{joint}<geom type="box" size=".1 .1 .1" mass="1"/></body></worldbody></mujoco>""")
        world.run(1.5)
        heights.append(robot.body("b").position[2])
        assert np.abs(robot.v).max() < 1e-6
    assert heights == pytest.approx([0.1, 0.1], abs=1e-4)


def test_the_floor_stays_the_floor():
    """Through shapes that come, surgery that fails and succeeds, snapshots, copies and pickles."""
    import copy

    world, robot = on_the_world("slide")
    robot.ignore_collision("lid", "ground")
    expected = {("box", "ground")}
    start = world.snapshot()
    robot.body("ground").add_geometry(Geometry(Sphere(0.1), Transform(translation=(0.0, 0.0, 0.1))))
    robot.body("base").add_geometry(Geometry(Sphere(0.1), Transform(translation=(0.0, 0.0, 0.1))))
    assert met(world) == expected
    assert any(np.linalg.norm(c.position) < 0.25 and c.position[2] > 0.01 for c in world.contacts)   # with the new ball
    world.restore(start)
    assert met(copy.deepcopy(world)) == expected
    hinge = Joint("hinge", Revolute((0, 1, 0)))
    robot.attach(link("hat", 0.1), "base", hinge, Transform(translation=(2.0, 0.0, 1.0)))
    assert met(world) == expected
    robot.remove_subtree("lift")
    assert met(world) == set()
    world.restore(start)
    assert met(world) == expected
    world.remove(robot)
    other = World(2e-3, gravity=(0, 0, 0))
    del other
    again = world.add_articulated_system(folded(), "again")          # others have these numbers of bodies now
    assert met(world) == {("a", "c")} and again.nv == 3
