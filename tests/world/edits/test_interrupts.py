"""Ctrl-C at any moment of any edit: the World is what it was, or what the edit makes of it, and goes on."""

import functools
import signal

import numpy as np
import pytest
from interrupting import check_released, interrupted, interrupted_after, lines_of, raised
from world.surgery.robots import floating

from rbdyn import Fixed, Geometry, Joint, Revolute, Transform
from rbdyn.collision import Box, Compound, ConvexHull
from rbdyn.io import load_world, save_world
from rbdyn.sensors import Imu
from rbdyn.world import World

POSE = Transform(translation=(0.1, 0.02, -0.03))
TABLE = Compound([Box((1, 1, 0.1)), (Box((0.1, 0.1, 0.7)), np.eye(4))])
HEIGHTS = np.arange(12.0).reshape(3, 4) / 9.0 - 5.0
CORNERS = np.array([(x, y, z) for x in (-0.2, 0.2) for y in (-0.1, 0.1) for z in (-0.1, 0.3)])


def scene():
    """Two floating robots, balls, constraints, materials and a schedule, some steps on."""
    world = World(1e-3)
    world.add_ground(name="ground")
    for k, letter in enumerate("ab"):
        robot = world.add_articulated_system(floating(letter, 3, 4), name=letter)
        robot.set_base_pose((1.5 * k, 0.0, 1.0))
    for k in range(3):
        world.add_sphere(0.1, 1.0, material="steel", name=f"ball{k}").set_pose((-2.0 - k, 0.0, 0.0999))
    world.add_spring(world.find("ball0"), world.find("ball1"), 10.0, name="spring")
    world.add_weld((world.find("a"), "a2"), world.find("ball2"), name="weld")
    world.find("b").weld("b1_j")
    world.ignore_collision(world.find("b"), world.find("ball0"))
    world.set_material_pair("steel", "default", friction=0.4)
    world.schedule(_count, 500.0)
    world.step(2)
    return world


def parts(world):
    return world, world.find("a"), world.find("b"), world.find("ball0")


EDITS = {
    "ground": lambda w, a, b, ball: w.add_ground(-0.5),
    "sphere": lambda w, a, b, ball: w.add_sphere(0.1, 1.0, material="new"),
    "box": lambda w, a, b, ball: w.add_box(0.1, 0.2, 0.3, 1.0),
    "compound": lambda w, a, b, ball: w.add_compound(TABLE, 2.0),
    "height map": lambda w, a, b, ball: w.add_height_map(HEIGHTS, (2.0, 2.0), (1.0, 2.0)),
    "hull": lambda w, a, b, ball: w.add_mesh(ConvexHull(CORNERS), 1.0),
    "robot": lambda w, a, b, ball: w.add_articulated_system(
        floating("c", 3, 2), collide_with_parent=True, contacts_per_self_pair=2),
    "robot of text": lambda w, a, b, ball: w.add_articulated_system(
        "<robot name='r'><link name='l'><inertial><mass value='1'/><inertia ixx='1' iyy='1' izz='1' ixy='0' ixz='0' "
        "iyz='0'/></inertial><collision><geometry><box size='1 1 1'/></geometry></collision></link></robot>"),
    "add weld": lambda w, a, b, ball: w.add_weld(ball, (b, "b1")),
    "add joint": lambda w, a, b, ball: w.add_joint(ball, (b, "b1"), Joint("hinge", Revolute((0, 0, 1)))),
    "add wire": lambda w, a, b, ball: w.add_stiff_wire(ball, (b, "b1"), 4.0),
    "add custom wire": lambda w, a, b, ball: w.add_custom_wire(ball, (b, "b1"), law=_law),
    "remove ball": lambda w, a, b, ball: w.remove(ball),
    "remove robot": lambda w, a, b, ball: w.remove(a),
    "remove by name": lambda w, a, b, ball: w.remove("spring"),
    "merge": lambda w, a, b, ball: w.merge(a, "a1", b, "b0", Joint("dock", Fixed())),
    "merge a copy": lambda w, a, b, ball: w.merge(a, "a1", b, "b0", Joint("dock", Fixed()), prefix="p_"),
    "merge a ball": lambda w, a, b, ball: w.merge(a, "a1", ball, "ball0", Joint("dock", Fixed())),
    "attach": lambda w, a, b, ball: a.attach(floating("c", 2, 1), "a0", Joint("grip", Fixed())),
    "cut": lambda w, a, b, ball: a.remove_joint("a1_j", split=True),
    "subtree": lambda w, a, b, ball: a.remove_subtree("a1_j"),
    "replace": lambda w, a, b, ball: a.replace_joint("a1_j", Joint("other", Revolute((0, 1, 0))), tolerance=10.0),
    "weld": lambda w, a, b, ball: a.weld("a1_j"),
    "unweld": lambda w, a, b, ball: b.unweld("b1_j"),
    "mass": lambda w, a, b, ball: setattr(a.body("a1"), "mass", 2.0),
    "mass of a ball": lambda w, a, b, ball: setattr(ball, "mass", 2.0),
    "com of a ball": lambda w, a, b, ball: ball.set_inertia(com=(0.01, 0.02, 0.0)),
    "placement": lambda w, a, b, ball: setattr(a.joint("a1_j"), "placement", POSE),
    "damping": lambda w, a, b, ball: setattr(a.joint("a1_j"), "damping", 1.0),
    "shape": lambda w, a, b, ball: setattr(a.geometry("a1/0"), "shape", Box((0.1, 0.1, 0.1))),
    "shape of a ball": lambda w, a, b, ball: ball.set_geometry(0, shape=Box((0.2, 0.2, 0.2)), material="wood"),
    "add shape": lambda w, a, b, ball: a.body("a1").add_geometry(Geometry(Box((0.1, 0.1, 0.1)))),
    "remove shape": lambda w, a, b, ball: a.geometry("a1/0").remove(),
    "filters": lambda w, a, b, ball: w.ignore_collision(a, b),
    "own filters": lambda w, a, b, ball: setattr(a, "self_collision", False),
    "body type": lambda w, a, b, ball: setattr(ball, "body_type", "kinematic"),
    "pair": lambda w, a, b, ball: w.set_material_pair("steel", "steel", friction=0.1),
    "default pair": lambda w, a, b, ball: w.set_default_material(friction=0.1),
    "solver": lambda w, a, b, ball: w.set_contact_solver_param(max_iterations=20),
    "pose": lambda w, a, b, ball: ball.set_pose((0.0, 0.0, 3.0), (0.6, 0.8, 0.0, 0.0)),
    "base": lambda w, a, b, ball: a.set_base_pose((0.0, 0.0, 3.0), (0.6, 0.8, 0.0, 0.0)),
    "state": lambda w, a, b, ball: a.set_state(v=np.ones(a.nv)),
    "gains": lambda w, a, b, ball: a.set_pd_gains(10.0, 1.0),
    "target": lambda w, a, b, ball: a.set_pd_target(a.q),
    "gravity": lambda w, a, b, ball: setattr(w, "gravity", (0.0, 1.0, -3.0)),
    "time step": lambda w, a, b, ball: setattr(w, "time_step", 2e-3),
    "step": lambda w, a, b, ball: w.step(),
    "mechanism": lambda w, a, b, ball: (_double(a.mechanism.find_body("a1")), a.update()),
    "graph": lambda w, a, b, ball: (a.mechanism.remove_subtree("a1_j"), a.update()),
    "groups": lambda w, a, b, ball: a.set_collision_filter(group=2, mask=3),
    "limits": lambda w, a, b, ball: setattr(a.joint("a1_j"), "damping", 0.3),
    "frame": lambda w, a, b, ball: a.mechanism.find_body("a1").add_frame("tip", POSE),
    "wire": lambda w, a, b, ball: setattr(w.find("spring"), "length", 3.0),
    "schedule": lambda w, a, b, ball: w.schedule(len, 100.0),
    "cancel": lambda w, a, b, ball: w.schedules[0].cancel(),
    "sensors": lambda w, a, b, ball: a.add_sensor_set("eyes", [Imu("imu")], link="a1"),
    "force": lambda w, a, b, ball: a.set_external_force("a1", (1.0, 2.0, 3.0)),
    "seed": lambda w, a, b, ball: setattr(w, "random", 7),
    "sleep": lambda w, a, b, ball: setattr(w, "sleeping", True),
    "restore": lambda w, a, b, ball: w.restore(w.first),
    "reset": lambda w, a, b, ball: w.reset(),
}


def _double(body):
    body.inertia = body.inertia.with_mass(2.0 * body.inertia.mass)


def _count(world):
    world.random.random()


def _law(length, rate):
    return length


def edited(name):
    """A World before the edit, and a call that does it."""
    world = scene()
    if name == "step":
        world.schedules[0].cancel()  # calls of functions are no part of the step
    if name in ("restore", "reset"):
        first = world.snapshot()
        if name == "reset":
            world.set_reset_state(first)
        a, b, ball = parts(world)[1:]
        ball.mass = 3.0
        a.body("a1").mass = 5.0
        world.remove(world.find("ball1"))
        world.merge(a, "a1", b, "b0", Joint("dock", Fixed()))
        world.add_box(0.1, 0.1, 0.1, 1.0)
        world.set_material_pair("steel", "steel", friction=0.3)
        call = functools.partial(world.restore, first) if name == "restore" else world.reset
        return world, call
    return world, functools.partial(EDITS[name], *parts(world))


def seen(world):
    """All that says what it is."""
    robots = [one for one in world.objects if hasattr(one, "mechanism")]
    shapes = [[(g.name, g.shape.kind) for g in body.collision] for r in robots for body in r.mechanism.bodies]
    numbers = [(body.name, repr(body.inertia)) for r in robots for body in r.mechanism.bodies]
    joints = [(j.name, j.damping, r.mechanism.edge(j).joint_pose.matrix.tolist()) for r in robots
              for j in r.mechanism.joints]
    singles = [(one.name, one.mass, [g.shape.kind for g in one.geometries]) for one in world.objects
               if not hasattr(one, "mechanism")]
    return (world.state_hash(), [one.name for one in world.objects], [one.name for one in world.constraints],
            shapes, numbers, joints, singles, sorted(world.collision.ids))


@functools.cache
def outcomes(name):
    """What there is before the edit, and after it; how many moments it has."""
    edited(name)[1]()                                    # what is done once, such as imports, is done
    world, call = edited(name)
    before = seen(world)
    moments = lines_of(call)
    return before, seen(world), moments


def check_whole(world, name):
    """The World is as before or after the edit, and works."""
    before, after, _ = outcomes(name)
    check_released(*(one.mechanism for one in world.objects if hasattr(one, "mechanism")))
    now = seen(world)
    assert now in (before, after), [k for k in range(len(now)) if now[k] not in (before[k], after[k])]
    snapshot = world.snapshot()
    world.step(2)
    end = seen(world)
    world.restore(snapshot)
    assert seen(world) == now
    world.step(2)
    assert seen(world) == end
    world.add_sphere(0.1, 1.0)
    for obj in world.objects[::-1]:
        world.remove(obj)
    assert world.collision.ids == () or list(world.collision.ids) == []
    return now == after


@pytest.mark.parametrize("name", EDITS)
def test_an_interrupt_at_any_moment_leaves_a_whole_world(name, seed):
    """Moments that are counted; make nightly meets 100,000 of them."""
    _, _, moments = outcomes(name)
    rng = np.random.default_rng([seed, *name.encode()])
    for at in rng.integers(moments, size=5):
        world, call = edited(name)
        interrupted(call, at)
        check_whole(world, name)


@pytest.mark.parametrize("sent", [False, True], ids=["traced", "sent"])
@pytest.mark.parametrize("name", EDITS)
def test_what_raises_at_any_moment_leaves_a_whole_world(name, sent, seed):
    """No handler of a signal, so that nothing holds it off: a trace function, and an exception of another thread."""
    _, _, moments = outcomes(name)
    rng = np.random.default_rng([seed, sent, *name.encode()])
    for at in rng.integers(moments, size=4):
        world, call = edited(name)
        raised(call, at, sent)
        check_whole(world, name)


@pytest.mark.parametrize("name", ["restore", "reset"])
def test_what_raises_in_a_restore_leaves_a_whole_world(name, seed):
    """Every 40th moment; make nightly meets all of them."""
    _, _, moments = outcomes(name)
    for at in range(seed % 40, moments, 40):
        world, call = edited(name)
        raised(call, at)
        check_whole(world, name)


def test_a_raise_at_any_moment_of_loading_a_world(tmp_path, seed):
    """Nothing is left behind: the same file is read as ever."""
    path = tmp_path / "scene.xml"
    world = scene()
    world.remove(world.find("b"))                        # a file says no welded joints, and no functions
    world.schedules[0].cancel()
    save_world(world, path)
    load_world(path)
    moments = lines_of(lambda: load_world(path))
    expected = load_world(path).state_hash()
    rng = np.random.default_rng(seed)
    for at in rng.integers(moments, size=6):
        for interrupt in (interrupted, raised, lambda call, k: raised(call, k, True)):
            interrupt(lambda: load_world(path), at)
            check_released()
        assert load_world(path).state_hash() == expected


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="needs interval timers")
@pytest.mark.parametrize("name", ["sphere", "remove ball", "merge", "cut", "restore", "placement", "shape", "filters"])
def test_an_interrupt_at_any_time_leaves_a_whole_world(name, seed):
    """Moments of the clock, which come within compiled code, too."""
    rng = np.random.default_rng([seed, *name.encode()])
    for _ in range(5):
        world, call = edited(name)
        interrupted_after(call, 10.0 ** rng.uniform(-5.5, -2.5))
        check_whole(world, name)


def test_a_handler_sees_a_whole_world():
    """What a handler does with the World in the middle of an edit is done after it."""
    world = scene()
    told = []

    number = signal.SIGINT
    before = signal.signal(number, lambda *_: told.append((world.objects[-1].name, world.state_hash())))
    try:
        def edit():
            signal.raise_signal(number)
            assert told == []
            made = world.add_sphere(0.1, 1.0, name="last")
            assert told == []
            return made

        ball = world._as_one(edit)
    finally:
        signal.signal(number, before)
    assert told == [("last", world.state_hash())]
    assert ball.name == "last"


def test_handlers_are_the_same_after_an_edit():
    """An edit leaves the handlers of signals as they are, and one that is set within it stays."""
    world = scene()
    before = signal.getsignal(signal.SIGINT)

    def edit():
        assert signal.getsignal(signal.SIGINT) is before
        world.add_sphere(0.1, 1.0)

    try:
        world._as_one(edit)
        assert signal.getsignal(signal.SIGINT) is before
        came = []
        world._as_one(lambda: signal.signal(signal.SIGINT, lambda *_: came.append(1)))
        signal.raise_signal(signal.SIGINT)
        assert came == [1]
    finally:
        signal.signal(signal.SIGINT, before)
