"""Robots that rest, and what constraints hold, fall asleep with all that they touch, and wake by what drives them."""

import copy
import pickle

import numpy as np
import pytest

import rbdyn
from rbdyn import Geometry, Joint, Mechanism, Prismatic, Revolute, RigidBody, SpatialInertia, Transform, World, models
from rbdyn.collision import Box

G = 9.81


def sleepy(time_step=0.002, **settings):
    """A World with ground in which things sleep after 0.1 s."""
    world = World(time_step=time_step, **settings)
    world.sleeping, world.sleep_time = True, 0.1
    world.add_ground()
    return world


def standing(world, name="quadruped", x=0.0):
    """The quadruped in its stance, held by stiff PD control."""
    robot = world.add_articulated_system(models.path("quadruped"), name=name)
    q = np.array(models.QUADRUPED_STANCE.q)
    q[0] += x
    robot.set_state(q)
    robot.set_pd_gains(p=250.0, d=20.0)
    robot.set_pd_target(q)
    return robot


def until_asleep(world, thing, steps=3000):
    for _ in range(steps // 10):
        world.step(10)
        if thing.asleep:
            return
    raise AssertionError(f"{thing.name} never fell asleep")


def state_of(thing):
    return thing.q.tobytes() + thing.v.tobytes()


def slider(friction=5.0, limits=None):
    """A block on a slope that dry friction, or a stop, holds: fixed to the world."""
    m = Mechanism(RigidBody("world"))
    joint = Joint("slide", Prismatic((1, 0, 0)), friction=friction, **({"position_limits": limits} if limits else {}))
    m.attach("world", RigidBody("block", SpatialInertia(1.0, inertia=np.eye(3) * 0.01)), joint,
             Transform(rpy=(0, 0.3, 0), translation=(0, 5, 2)))
    return m


def test_a_standing_quadruped_sleeps_and_keeps_its_bits():
    world = sleepy()
    robot = standing(world)
    until_asleep(world, robot)
    assert not robot.v.any() and not robot.acceleration.any()
    bits, contacts, applied = state_of(robot), len(robot.contacts), robot.applied_force.copy()
    assert contacts == 4
    world.step(500)
    assert robot.asleep and state_of(robot) == bits and len(robot.contacts) == 4
    assert world.contact.iterations == 0, "there is nothing to solve"
    assert np.array_equal(robot.applied_force, applied) and np.abs(applied).max() > 1.0
    weight = sum(robot.contact_force(foot)[2] for foot in ("LF_FOOT", "RF_FOOT", "LH_FOOT", "RH_FOOT"))
    assert weight == pytest.approx(G * robot.total_mass, rel=2e-3)


def test_accelerations_and_wrenches_of_what_sleeps_are_those_of_rest():
    """Joint wrenches bear what hangs on them: of the base's children, all but the base."""
    world = sleepy()
    robot = standing(world)
    until_asleep(world, robot)
    world.step(7)
    assert not robot.body_accelerations.any()
    legs = sum(robot.joint(f"{leg}_HAA").wrench[5] for leg in ("LF", "RF", "LH", "RH"))
    base = robot.body("base").merged_inertia.mass
    assert legs == pytest.approx(-base * G, rel=5e-3) or legs == pytest.approx(base * G, rel=5e-3)


def test_waking_begins_where_it_was():
    """All that is solved is known: contacts and motors begin with their impulses, and nothing moves."""
    world = sleepy()
    robot = standing(world)
    until_asleep(world, robot)
    q = robot.q.copy()
    world.step(100)
    asleep = world.snapshot()
    robot.wake()
    assert not robot.asleep
    world.step()
    warm = world.contact.iterations
    assert np.abs(robot.v).max() < 1e-3
    world.step(20)
    assert np.abs(robot.q - q).max() < 1e-4
    until_asleep(world, robot)
    world.restore(asleep)
    robot.set_state(robot.q)                             # this forgets what it had
    world.step()
    assert warm < world.contact.iterations


def two(world):
    """One that is driven, one that stands apart; both sleep."""
    one, other = standing(world, "one"), standing(world, "other", x=3.0)
    until_asleep(world, one)
    until_asleep(world, other)
    return one, other


DRIVES = {
    "target": lambda r: r.set_pd_target(joints={"LF_KFE": -1.0}),
    "velocity target": lambda r: r.set_pd_target(v=np.zeros(r.nv)),
    "gains": lambda r: r.set_pd_gains(d=3.0),
    "force": lambda r: r.set_generalized_force(joints={"LF_KFE": 3.0}),
    "effort limits": lambda r: r.set_effort_limits(-10.0, 10.0),
    "mode": lambda r: setattr(r, "control_mode", "force"),
    "external force": lambda r: r.set_external_force("base", (0, 0, 50.0)),
    "external torque": lambda r: r.set_external_torque("base", (0, 0, 5.0)),
    "state": lambda r: r.set_state(r.q),
    "base": lambda r: setattr(r, "base_linear_velocity", (0, 0, 0.1)),
    "handle": lambda r: setattr(r.joint("LF_KFE"), "target", -1.0),
    "call": lambda r: r.wake(),
}


@pytest.mark.parametrize("cause", DRIVES)
def test_what_drives_one_wakes_it_alone(cause):
    world = sleepy()
    one, other = two(world)
    bits = state_of(other)
    DRIVES[cause](one)
    assert not one.asleep and other.asleep
    world.step(5)
    assert not one.asleep and other.asleep and state_of(other) == bits
    assert len(one.contacts) == 4 or cause in ("base", "external force")


HEAVY = SpatialInertia(15.0, inertia=np.eye(3))
def test_a_state_that_is_set_behind_the_world_wakes_its_robot():
    """`robot.state.set` is no call of the World's: the next step, or snapshot, sees that it was."""
    world = sleepy()
    one, other = two(world)
    q = one.q.copy()
    q[2] += 0.3
    one.state.set(q)
    twin = copy.deepcopy(world)
    for w in (world, twin):
        w.step(50)
        assert not w.find("one").asleep and w.find("other").asleep
        assert w.find("one").q[2] < q[2] - 0.5 * G * 0.1**2 * 0.9
    assert twin.state_hash() == world.state_hash()


EDITS = {
    "mass": lambda w, r: setattr(r.body("base"), "mass", 15.0),
    "damping": lambda w, r: setattr(r.joint("LF_KFE"), "damping", 0.2),
    "shape": lambda w, r: setattr(r.geometry("LF_FOOT/0"), "shape", rbdyn.collision.Sphere(0.03)),
    "gravity": lambda w, r: setattr(w, "gravity", (0, 0, -5.0)),
    "mechanism": lambda w, r: setattr(r.mechanism.find_body("base"), "inertia", HEAVY),
    "surgery": lambda w, r: r.weld("LF_KFE"),
    "fixed": lambda w, r: r.remove_subtree("LF_HAA"),
}


@pytest.mark.parametrize("cause", EDITS)
def test_edits_wake_everybody(cause):
    world = sleepy()
    one, other = two(world)
    EDITS[cause](world, one)
    world.step()
    assert not one.asleep and not other.asleep
    world.step(200)
    assert np.isfinite(one.q).all() and other.base_position[2] > 0.2


def test_a_box_that_falls_on_a_robot_wakes_it():
    world = sleepy()
    one, other = two(world)
    box = world.add_box(0.1, 0.1, 0.1, mass=2.0)
    box.set_pose(position=(0.0, 0.0, 1.0))
    while one.asleep:
        world.step()
        assert other.asleep and not box.asleep
    assert len(one.contacts) > 4, "in the step in which it touches"
    until_asleep(world, one)
    assert box.asleep and other.asleep
    assert box.position[2] > 0.3, "it lies on the robot"


def test_what_lies_on_a_robot_sleeps_with_it():
    """A box on a table that stands on springs: one island."""
    world = sleepy()
    table = Mechanism(RigidBody("world"))
    table.attach("world", RigidBody("top", SpatialInertia(5.0, inertia=np.eye(3) * 0.1)),
                 Joint("lift", Prismatic((0, 0, 1)), damping=200.0, stiffness=2000.0),
                 Transform(translation=(0, 0, 1.0)))
    table.find_body("top").collision.append(Geometry(Box((1.0, 1.0, 0.1)), name="top/0"))
    robot = world.add_articulated_system(table)
    box = world.add_box(0.2, 0.2, 0.2, mass=1.0)
    box.set_pose(position=(0, 0, 1.15))
    apart = world.add_box(0.2, 0.2, 0.2, mass=1.0)
    apart.set_pose(position=(5, 0, 0.1))
    until_asleep(world, box)
    assert robot.asleep and apart.asleep
    assert robot.q[0] == pytest.approx(-6.0 * G / 2000.0, rel=1e-2)
    box.set_external_force(0, (0, 0, 1.0))
    assert not robot.asleep and not box.asleep and apart.asleep
    until_asleep(world, box)
    robot.set_generalized_force([-400.0])
    assert not box.asleep and apart.asleep
    world.step(300)
    assert robot.q[0] < -0.2 and box.position[2] == pytest.approx(1.15 + robot.q[0], abs=2e-3)


@pytest.mark.parametrize("joint", ["friction", "limit"])
def test_rows_of_joints_hold_what_sleeps_and_begin_anew(joint):
    """Dry friction, or a stop, holds a block on a slope; its force is read while it sleeps."""
    world = sleepy()
    robot = world.add_articulated_system(slider() if joint == "friction" else slider(0.0, (-0.2, 0.1)))
    if joint == "limit":
        robot.set_joint_damping(5.0)
    until_asleep(world, robot)
    down = G * np.sin(0.3)
    force = robot.friction_force if joint == "friction" else robot.limit_force
    assert abs(force[0]) == pytest.approx(down, rel=1e-2)
    bits = state_of(robot)
    world.step(50)
    assert state_of(robot) == bits
    again = robot.friction_force if joint == "friction" else robot.limit_force
    assert again.tobytes() == force.tobytes()
    robot.wake()
    world.step()
    assert world.contact.iterations <= 1, "the row began with what it held"
    assert np.abs(robot.v).max() < 1e-6


def test_a_pendulum_at_its_turning_point_does_not_sleep():
    """It is slow for a moment only, however weak gravity is against the time to sleep."""
    world = World(0.002)
    world.sleeping, world.sleep_time = True, 0.1
    m = Mechanism(RigidBody("world"))
    m.attach("world", RigidBody("rod", SpatialInertia(1.0, com=(0, 0, -1.0), inertia=np.eye(3) * 1e-3)),
             Joint("hinge", Revolute((0, 1, 0))))
    robot = world.add_articulated_system(m)
    robot.set_state([0.1])
    turned = 0
    for _ in range(3000):
        before = robot.v[0]
        world.step()
        turned += before * robot.v[0] < 0
        assert not robot.asleep
    assert turned >= 5
    robot.set_state([0.0], [0.0])
    world.step(60)
    assert robot.asleep, "it hangs straight down"


def test_a_robot_that_flies_does_not_sleep():
    world = World(0.01, gravity=(0, 0, -0.001))
    world.sleeping, world.sleep_time = True, 0.05
    robot = world.add_articulated_system(models.path("quadruped"))
    world.step(80)
    assert not robot.asleep


def test_without_gravity_what_floats_sleeps():
    world = World(0.01, gravity=(0, 0, 0))
    world.sleeping, world.sleep_time = True, 0.05
    robot, other = (world.add_articulated_system(models.path("quadruped"), name=n) for n in "ab")
    other.set_base_pose(position=(5, 0, 0))
    other.set_state(v=np.r_[0.1, np.zeros(other.nv - 1)])
    world.step(30)
    assert robot.asleep and not other.asleep


@pytest.mark.parametrize("what", ["weld", "wire", "spring", "stiff net"])
def test_bodies_on_constraints_sleep_together(what):
    world = sleepy()
    a, b, c = (world.add_box(0.2, 0.2, 0.2, mass=1.0) for _ in range(3))
    for k, box in enumerate((a, b, c)):
        box.set_pose(position=(k * 1.0, 0, 0.1))
    if what == "weld":
        world.add_weld(a, b)
    elif what == "wire":
        world.add_stiff_wire(a, b, length=1.0)
    elif what == "spring":
        world.add_spring(a, b, 100.0, 5.0, length=1.0)
    else:
        world.add_compliant_wire(a, b, length=0.9, stiffness=20.0)
    for _ in range(400):
        world.step()
        assert a.asleep == b.asleep
    assert a.asleep and c.asleep
    a.set_external_force(0, (0, 0, 1.0))
    assert not a.asleep and not b.asleep and c.asleep


def hanging(world, stiff=True):
    """A ball on a wire from the world: nothing touches it, and the wire bears it."""
    ball = world.add_sphere(0.1, mass=2.0)
    ball.set_pose(position=(0, 0, 2.0))
    wire = (world.add_stiff_wire(ball, None, length=1.0, point_b=(0, 0, 3.0)) if stiff else
            world.add_compliant_wire(ball, None, length=1.0, stiffness=2000.0, damping=100.0, point_b=(0, 0, 3.0)))
    return ball, wire


@pytest.mark.parametrize("stiff", [True, False])
def test_what_hangs_on_a_wire_sleeps_and_its_tension_stays(stiff):
    world = sleepy()
    ball, wire = hanging(world, stiff)
    until_asleep(world, ball)
    tension = wire.tension
    assert abs(tension) == pytest.approx(2.0 * G, rel=1e-3)
    bits = ball.position.tobytes()
    world.step(200)
    assert ball.asleep and ball.position.tobytes() == bits and wire.tension == tension
    ball.wake()
    world.step()
    assert np.abs(ball.linear_velocity).max() < 1e-4
    assert abs(wire.tension) == pytest.approx(2.0 * G, rel=1e-3)


CONSTRAINT_EDITS = {
    "length": lambda wire: setattr(wire, "length", 1.2),
    "winch": lambda wire: setattr(wire, "speed", 0.1),
}


@pytest.mark.parametrize("edit", CONSTRAINT_EDITS)
def test_edits_of_a_wire_wake_what_hangs_on_it(edit):
    world = sleepy()
    ball, wire = hanging(world)
    until_asleep(world, ball)
    CONSTRAINT_EDITS[edit](wire)
    world.step(100)
    assert not ball.asleep and ball.position[2] < 2.0 - 1e-3


def test_what_a_winch_lets_down_never_sleeps():
    """Slower than all that counts as slow."""
    world = sleepy()
    ball, wire = hanging(world)
    wire.speed = 1e-4
    world.step(500)
    assert not ball.asleep and ball.position[2] < 2.0 - 5e-5


def test_what_a_law_pulls_at_never_sleeps():
    world = sleepy()
    box = world.add_box(0.2, 0.2, 0.2, mass=1.0)
    box.set_pose(position=(0, 0, 0.1))
    world.add_custom_wire(box, None, law=lambda length, rate: 1.0, point_b=(0, 0, 3.0))
    world.step(300)
    assert not box.asleep and np.abs(box.linear_velocity).max() < 1e-6


def test_removing_what_bears_wakes():
    world = sleepy()
    ball, wire = hanging(world)
    until_asleep(world, ball)
    world.remove(wire)
    world.step(100)
    assert ball.position[2] < 1.9


def test_a_driven_joint_between_bodies_wakes_them():
    world = sleepy()
    base, arm = world.add_box(0.4, 0.4, 0.2, mass=50.0), world.add_box(0.1, 0.1, 0.4, mass=1.0)
    base.set_pose(position=(0, 0, 0.1))
    arm.set_pose(position=(0, 0, 0.6))
    world.ignore_collision(base, arm)
    joint = world.add_joint(base, arm, Joint("turn", Revolute((0, 0, 1))))
    until_asleep(world, arm)
    joint.set_drive(p=20.0, d=2.0, target=0.5)
    assert not arm.asleep and not base.asleep
    world.step(1000)
    assert joint.q == pytest.approx(0.5, abs=1e-2)


def test_a_weld_to_a_root_does_not_put_a_flying_thing_to_sleep():
    """The root of an arm stands, whether the arm sleeps or not: what swings from it on a wire goes on."""
    world = sleepy()
    arm = world.add_articulated_system(slider(50.0))
    ball = world.add_sphere(0.1, mass=1.0)
    ball.set_pose(position=(0.6, 0, 3.0))
    world.add_stiff_wire(ball, (arm, "world"), length=0.6, point_b=(0, 0, 3.0))
    slept = 0
    for _ in range(600):
        world.step()
        slept += arm.asleep
        assert not ball.asleep
        assert np.linalg.norm(ball.position - (0, 0, 3.0)) == pytest.approx(0.6, abs=2e-3)
    assert slept > 100


def test_couplings_of_two_robots_join_them():
    world = sleepy()
    one, other = (world.add_articulated_system(slider(), name=n) for n in ("one", "other"))
    other.set_base_pose(position=(0, 3, 0))
    world.add_coupling({(one, "slide"): 1.0, (other, "slide"): -1.0})
    until_asleep(world, one)
    assert other.asleep
    world.step(10)
    other.set_generalized_force([20.0])
    assert not one.asleep
    world.step(100)
    assert one.q[0] > 1e-3 and one.q[0] == pytest.approx(other.q[0], abs=1e-6)


def crowd():
    """Robots that will sleep, a box on a wire, and a ball that rolls by."""
    world = sleepy()
    for k in range(2):
        standing(world, f"r{k}", x=3.0 * k)
    world.add_articulated_system(slider(), name="slider")
    hanging(world)
    ball = world.add_sphere(0.1, mass=1.0, name="ball")
    ball.set_pose(position=(-3.0, 2.0, 0.1))
    ball.set_velocity(linear=(1.0, 0, 0))
    return world


WAYS = {"restore": lambda w: w, "deepcopy": copy.deepcopy, "pickle": lambda w: pickle.loads(pickle.dumps(w))}


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("when", [30, 300, 700])
def test_snapshots_know_which_robots_sleep(way, when):
    world = crowd()
    world.step(when)
    if when == 700:
        assert world.find("r0").asleep and world.find("slider").asleep
    now, start = world.state_hash(), world.snapshot()
    sleepers = [o.asleep for o in world.objects]
    twin = copy.deepcopy(world) if way == "restore" else WAYS[way](world)
    world.find("r0").set_pd_target(joints={"LF_KFE": -1.2})
    world.step(150)
    end = world.state_hash()
    assert end != now
    if way == "restore":
        world.restore(start)
        twin = world
    assert twin.state_hash() == now and [o.asleep for o in twin.objects] == sleepers
    twin.find("r0").set_pd_target(joints={"LF_KFE": -1.2})
    twin.step(150)
    assert twin.state_hash() == end


def test_as_long_as_nobody_sleeps_bits_are_those_without():
    worlds = [crowd() for _ in range(2)]
    worlds[0].sleeping, worlds[1].sleep_time = False, 1e6
    for world in worlds:
        world.step(400)
    for a, b in zip(worlds[0].objects, worlds[1].objects, strict=True):
        assert a.asleep is False is b.asleep
        if hasattr(a, "q"):
            assert state_of(a) == state_of(b)
        else:
            assert a.position.tobytes() == b.position.tobytes()


def test_those_awake_have_the_bits_of_a_world_without_the_sleepers():
    """A ball, and a robot that walks nowhere, step beside sleepers as if these were not there."""
    world, alone = sleepy(), sleepy()
    standing(world, "still", x=10.0)
    for w in (world, alone):
        mover = standing(w, "mover")
        mover.set_pd_gains(p=80.0, d=2.0)
        w.schedule(lambda w: w.find("mover").set_pd_target(joints={"LF_HFE": 0.3 * np.sin(5 * w.time)}), rate=100.0)
    world.step(1500)
    alone.step(1500)
    assert world.find("still").asleep and not world.find("mover").asleep
    assert state_of(world.find("mover")) == state_of(alone.find("mover"))


def test_half_steps_and_substeps():
    """Also what wakes between the half steps finds its contacts."""
    for parts in (1, 3):
        world = sleepy(substeps=parts)
        robot = standing(world)
        until_asleep(world, robot)
        world.integrate1()
        robot.set_pd_target(joints={"LF_KFE": -1.0})
        assert not robot.asleep
        world.integrate2()
        assert len(robot.contacts) == 4
        assert np.abs(robot.base_linear_velocity[2]) < 0.02
    box = world.add_box(0.1, 0.1, 0.1, mass=1.0)
    box.set_pose(position=(5, 0, 0.05))
    until_asleep(world, box)
    world.integrate1()
    box.set_external_force(0, (0, 0, 1.0))
    world.integrate2()
    assert abs(box.linear_velocity[2]) < 1e-6 and len(box.contacts) == 4


def test_robots_with_loops_sleep():
    """A four-bar that leans on a stop: its loop is eliminated while it moves, and left out while it sleeps."""
    m = Mechanism(RigidBody("world"))
    link = SpatialInertia(1.0, com=(0, 0, 0.25), inertia=np.eye(3) * 0.02)
    m.attach("world", RigidBody("left", link),
             Joint("a", Revolute((0, 1, 0)), damping=2.0, position_limits=(-0.5, 0.5)))
    m.attach("left", RigidBody("top", SpatialInertia(1.0, com=(0.25, 0, 0), inertia=np.eye(3) * 0.02)),
             Joint("b", Revolute((0, 1, 0))), Transform(translation=(0, 0, 0.5)))
    m.attach("world", RigidBody("right", link), Joint("c", Revolute((0, 1, 0))), Transform(translation=(0.5, 0, 0)))
    m.attach("top", "right", Joint("d", Revolute((0, 1, 0))), Transform(translation=(0.5, 0, 0)),
             Transform(translation=(0, 0, 0.5)).inverse())
    world = sleepy()
    robot = world.add_articulated_system(m)
    robot.set_base_pose(position=(0, 0, 2))
    robot.set_generalized_force(joints={"a": 1.0})
    until_asleep(world, robot, 6000)
    assert robot.joint("a").q == pytest.approx(0.5, abs=1e-3)
    bits = state_of(robot)
    other = world.add_box(0.1, 0.1, 0.1, mass=1.0)        # nobody wakes by what comes elsewhere
    other.set_pose(position=(9, 0, 3))
    world.step(50)
    assert robot.asleep and state_of(robot) == bits
    robot.wake()
    world.step(3)
    assert np.abs(robot.loop_error).max() < 1e-6 and np.abs(robot.v).max() < 1e-3


def test_storms_of_robots(seed):
    """Robots and boxes are pushed, driven, edited, added, removed and put back: what sleeps is held by something."""
    rng = np.random.default_rng(seed)
    world = sleepy(0.004)
    robots, slept, kept = [standing(world, "r0")], 0, None
    for k in range(30):
        what, robot = rng.integers(8), robots[rng.integers(len(robots))]
        if what == 0 and len(robots) < 4:
            robots.append(standing(world, f"r{k + 1}", x=float(rng.uniform(-1.5, 1.5))))
        elif what == 1 and len(robots) > 1:
            robots.remove(robot)
            world.remove(robot)
        elif what == 2:
            robot.set_external_force("base", rng.uniform(-300, 300, 3))
        elif what == 3:
            box = world.add_box(0.2, 0.1, 0.1, mass=0.5)
            box.set_pose(position=(*rng.uniform(-1, 1, 2), 1.0))
        elif what == 4 and robot.joints:
            robot.set_pd_target(joints={"LF_KFE": float(rng.uniform(-1.6, -0.8))})
        elif what == 5:
            robot.body("base").mass = float(rng.uniform(5, 20))
        elif what == 6:
            one = world.add_sphere(0.1, mass=1.0)
            one.set_pose(position=(0, 0, 2.5))
            world.add_stiff_wire(one, None, length=0.5, point_b=(0, 0, 3.0))
        elif kept is None:
            kept = world.snapshot(), list(robots)
        else:
            world.restore(kept[0])
            robots, kept = list(kept[1]), None
        world.step(int(rng.integers(20, 300)))
        for thing in world.objects:
            if thing.asleep:
                slept += 1
                assert thing.contacts or thing.name.startswith("sphere"), thing.name
    assert slept > 0


def test_a_joint_between_sleeping_and_standing_keeps_its_reaction():
    world = sleepy()
    arm = world.add_box(0.1, 0.1, 0.1, mass=2.0)
    arm.set_pose(position=(0, 0, 2.0))
    weld = world.add_weld(arm, None)
    until_asleep(world, arm)
    assert weld.wrench[5] in (pytest.approx(2.0 * G, rel=1e-3), pytest.approx(-2.0 * G, rel=1e-3))
