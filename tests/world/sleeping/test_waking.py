"""What sleeps wakes by all that could move it, and nothing hangs in the air."""

import numpy as np
import pytest

import rbdyn
from rbdyn import World
from rbdyn.collision import Box

G = 9.81


def scene():
    """A table, two boxes on one another on it, and a box apart; all sleep."""
    world = World(time_step=0.005)
    world.sleeping, world.sleep_time = True, 0.1
    ground = world.add_ground()
    table = shelf(world, 1.0, 1.0, 0.5, "table")
    table.set_pose(position=(0.0, 0.0, 0.25))
    lower = world.add_box(0.2, 0.2, 0.2, mass=1.0, name="lower")
    lower.set_pose(position=(0.0, 0.0, 0.6))
    upper = world.add_box(0.2, 0.2, 0.2, mass=1.0, name="upper")
    upper.set_pose(position=(0.0, 0.0, 0.8))
    apart = world.add_box(0.2, 0.2, 0.2, mass=1.0, name="apart")
    apart.set_pose(position=(3.0, 0.0, 0.1))
    world.step(60)
    assert lower.asleep and upper.asleep and apart.asleep
    return world, ground, table, lower, upper, apart


def shelf(world, x, y, z, name=None):
    """A box that never moves."""
    box = world.add_box(x, y, z, mass=1.0, name=name)
    box.body_type = "static"
    return box


def drop_ball(world, lower):
    ball = world.add_sphere(0.1, mass=1.0)
    ball.set_pose(position=(0.0, 0.0, 1.0005))
    ball.set_velocity(linear=(0.0, 0.0, -0.2))


LOCAL = {
    "force": lambda w, b: b.set_external_force(0, (0.0, 0.0, 1.0)),
    "torque": lambda w, b: b.set_external_torque(0, (0.0, 0.1, 0.0)),
    "pose": lambda w, b: b.set_pose(position=b.position),
    "velocity": lambda w, b: b.set_velocity(linear=(0.1, 0.0, 0.0)),
    "call": lambda w, b: b.wake(),
    "contact": drop_ball,
}


@pytest.mark.parametrize("cause", LOCAL)
@pytest.mark.parametrize("which", ["lower", "upper"])
def test_what_moves_one_wakes_its_island_alone(cause, which):
    world, _, _, lower, upper, apart = scene()
    LOCAL[cause](world, world.find(which))
    world.step()
    assert not lower.asleep and not upper.asleep
    assert apart.asleep
    world.step(400)
    assert apart.asleep
    assert lower.asleep and upper.asleep, "it falls asleep again"


EDITS = {
    "mass": lambda w: setattr(w.find("lower"), "mass", 2.0),
    "inertia": lambda w: w.find("lower").set_inertia(inertia=np.eye(3) * 0.02),
    "shape": lambda w: w.find("lower").set_geometry(0, shape=Box((0.1, 0.1, 0.1))),
    "type": lambda w: setattr(w.find("upper"), "body_type", "static"),
    "gravity": lambda w: setattr(w, "gravity", (0.0, 0.0, -5.0)),
    "default material": lambda w: w.set_default_material(0.0),
    "material pair": lambda w: w.set_material_pair("default", "default", 0.0),
    "time step": lambda w: setattr(w, "time_step", 0.001),
    "substeps": lambda w: setattr(w, "substeps", 2),
    "integrator": lambda w: setattr(w, "integrator", "euler"),
    "erp": lambda w: w.set_erp(0.5),
    "slop": lambda w: setattr(w, "contact_slop", 1e-4),
    "margin": lambda w: setattr(w, "contact_margin", 1e-3),
    "solver": lambda w: w.set_contact_solver_param(max_iterations=10),
    "filter": lambda w: w.ignore_collision("lower", "table"),
    "weld": lambda w: w.add_weld(w.find("lower"), w.find("apart")),
    "removed body": lambda w: w.remove("upper"),
    "removed support": lambda w: w.remove("table"),
    "new static body": lambda w: shelf(w, 0.3, 0.3, 0.3),
    "moved support": lambda w: w.find("table").set_pose(position=(0.0, 0.0, 0.2)),
    "support turned": lambda w: w.find("table").set_pose(orientation=(0.995, 0.0998, 0.0, 0.0)),
    "robot": lambda w: w.add_articulated_system(rbdyn.models.six_axis_arm()),
    "shape of the backend": lambda w: w.collision.remove_shape(sorted(w.collision.ids)[1]),
    "off": lambda w: setattr(w, "sleeping", False),
    "threshold": lambda w: setattr(w, "sleep_speed", 1e-4),
    "time": lambda w: setattr(w, "sleep_time", 1.0),
}


@pytest.mark.parametrize("cause", EDITS)
def test_edits_wake_everybody(cause):
    world, _, _, lower, _, apart = scene()
    EDITS[cause](world)
    assert not (lower.asleep or apart.asleep) or cause == "shape of the backend"     # which nobody hears of before
    world.step()
    assert not lower.asleep and not apart.asleep


def make_kinematic(world):
    table = world.find("table")
    table.body_type = "kinematic"
    world.step(200)
    assert world.find("lower").asleep                   # on what could move, and does not
    table.set_velocity(linear=(0.0, 0.0, -30.0))


TAKEN_AWAY = {
    "removed": lambda w: w.remove("table"),
    "moved down": lambda w: w.find("table").set_pose(position=(0.0, 0.0, -5.0)),
    "moved aside": lambda w: w.find("table").set_pose(position=(9.0, 0.0, 0.25)),
    "shrunk": lambda w: w.find("table").set_geometry(0, shape=Box((0.1, 0.1, 0.1))),
    "ignored": lambda w: (w.ignore_collision("lower", "table"), w.ignore_collision("upper", "table")),
    "driven down": make_kinematic,
    "scheduled": lambda w: w.schedule(lambda world: world.remove("table"), rate=0.001, phase=w.time),
}


@pytest.mark.parametrize("how", TAKEN_AWAY)
def test_nothing_hangs_in_the_air(how):
    """What it stood on is gone: it falls freely, g t^2 / 2."""
    world, _, _, lower, upper, apart = scene()
    TAKEN_AWAY[how](world)
    z = lower.position[2], upper.position[2]
    world.step(20)
    assert lower.position[2] == pytest.approx(z[0] - 0.5 * G * 0.1**2, abs=3e-3)
    assert upper.position[2] == pytest.approx(z[1] - 0.5 * G * 0.1**2, abs=3e-3)
    assert apart.position[2] == pytest.approx(0.1, abs=1e-3)


def test_the_lower_box_is_pulled_away():
    world, _, _, lower, upper, _ = scene()
    lower.set_pose(position=(0.0, 5.0, 0.1))
    z = upper.position[2]
    world.step(20)
    assert upper.position[2] == pytest.approx(z - 0.5 * G * 0.1**2, abs=1e-3)


def test_a_force_between_the_half_steps_wakes():
    """It acts in that very step, and what it acts on stands on its contacts."""
    world, _, _, lower, upper, apart = scene()
    world.integrate1()
    upper.set_external_force(0, (2.0, 0.0, 0.0))
    world.integrate2()
    assert not lower.asleep and apart.asleep
    assert upper.linear_velocity[0] == pytest.approx(0.0, abs=1e-6)      # friction holds it
    assert sum(c.force_on(upper)[0] for c in upper.contacts) == pytest.approx(-2.0, rel=1e-3)
    assert abs(upper.linear_velocity[2]) < 1e-6 and abs(lower.linear_velocity[2]) < 1e-6


def test_forces_given_in_each_step_keep_awake():
    world, _, _, lower, upper, _ = scene()
    for _ in range(60):
        upper.set_external_force(0, (0.0, 0.0, 0.5))
        world.step()
        assert not lower.asleep and not upper.asleep
    world.step(60)
    assert lower.asleep


def test_a_couple_of_forces_keeps_awake():
    """Two forces whose sum is zero, at two points."""
    world, *_, apart = scene()
    for _ in range(60):
        apart.set_external_force(0, (0.0, 0.1, 0.0), point=(0.1, 0.0, 0.0))
        apart.set_external_force(0, (0.0, -0.1, 0.0), point=(-0.1, 0.0, 0.0))
        world.step()
    assert not apart.asleep


def test_a_pile_wakes_part_by_part():
    """Forty towers of five boxes; a ball rolls into one after the other."""
    world = World(time_step=0.005)
    world.sleeping, world.sleep_time = True, 0.1
    world.add_ground()
    towers = []
    for i in range(40):
        towers.append([])
        for k in range(5):
            box = world.add_box(0.2, 0.2, 0.2, mass=0.2)
            box.set_pose(position=(1.0 * (i % 8), 1.0 * (i // 8), 0.1 + 0.2 * k))
            towers[-1].append(box)
    world.step(30)
    assert all(box.asleep for row in towers for box in row)
    ball = world.add_sphere(0.15, mass=20.0)
    ball.set_pose(position=(-1.0, 0.0, 0.15))
    ball.set_velocity(linear=(4.0, 0.0, 0.0), angular=(0.0, 4.0 / 0.15, 0.0))
    woken, first = [], {}
    for k in range(400):
        world.step()
        for i, row in enumerate(towers):
            if i not in first and not all(box.asleep for box in row):
                first[i] = k
        woken.append(sum(not box.asleep for row in towers for box in row))
    hit = [i for i in range(8) if i in first]
    assert hit[:3] == [0, 1, 2] and first[0] < first[1] < first[2]
    assert woken[0] == 0 and 0 < max(woken) < 200
    for i, row in enumerate(towers):
        if i not in first:
            assert [box.position[2] for box in row] == pytest.approx([0.1, 0.3, 0.5, 0.7, 0.9], abs=1e-3)
    assert_nothing_hangs(world)


def assert_nothing_hangs(world, steps=40, most=2e-3):
    """Awake, and without all that was awake already, what slept stays where it is: something bears it."""
    before = {obj: obj.position for obj in world.objects if obj.asleep}
    start = world.snapshot()
    for obj in world.objects:
        if obj not in before and obj.body_type == "dynamic":
            world.remove(obj)
    world.sleeping = False
    world.step(steps)
    for obj, position in before.items():
        assert np.abs(obj.position - position).max() < most, obj
    world.restore(start)
    assert {obj for obj in world.objects if obj.asleep} == set(before)
    return len(before)


@pytest.mark.parametrize("collision", ["native", "fcl"])
def test_storms_of_edits_leave_nothing_in_the_air(seed, collision):
    if collision == "fcl":
        pytest.importorskip("fcl")
    rng = np.random.default_rng(seed)
    world = World(time_step=0.005, collision=collision)
    world.sleeping, world.sleep_time = True, 0.1
    world.set_default_material(0.7, torsional_friction=0.01, rolling_friction=0.01)
    world.add_ground()
    shelves = [shelf(world, 0.8, 0.8, 0.1) for _ in range(3)]
    for k, one in enumerate(shelves):
        one.set_pose(position=(0.5 * k, 0.0, 0.5 + 0.6 * k))
    bodies, slept, snapshot = [], 0, None
    for _ in range(40):
        what = rng.integers(9)
        if what <= 2 or len(bodies) < 6:
            body = world.add_box(0.2, 0.15, 0.1, mass=0.5) if rng.random() < 0.7 else world.add_sphere(0.1, mass=0.3)
            body.set_pose(position=(*rng.uniform(-0.3, 1.3, 2), rng.uniform(0.3, 2.5)))
            bodies.append(body)
        elif what == 3:
            world.remove(bodies.pop(rng.integers(len(bodies))))
        elif what == 4:
            shelves[rng.integers(3)].set_pose(position=rng.uniform((0.0, -0.3, 0.2), (1.0, 0.3, 2.0)))
        elif what == 5:
            bodies[rng.integers(len(bodies))].mass = float(rng.uniform(0.2, 2.0))
        elif what == 6:
            bodies[rng.integers(len(bodies))].set_external_force(0, rng.uniform(-20, 20, 3))
        elif what == 7:
            bodies[rng.integers(len(bodies))].set_pose(position=rng.uniform((-0.3, -0.3, 0.3), (1.3, 0.3, 2.5)))
        elif snapshot is None:
            snapshot = world.snapshot(), list(bodies)
        else:
            world.restore(snapshot[0])
            bodies, snapshot = list(snapshot[1]), None
        world.step(int(rng.integers(1, 120)))
        slept += assert_nothing_hangs(world)
    assert slept > 0


@pytest.mark.parametrize("kind", ["weld", "joint", "rod", "spring", "welded robot"])
def test_what_hangs_on_a_lift_wakes_when_the_lift_moves(kind):
    """It sleeps where it hangs; no contact tells that the lift was given a velocity."""
    world = rbdyn.World(2e-3)
    world.sleeping = True
    lift = world.add_box(1, 1, 0.1, body_type="kinematic")
    lift.set_pose((0, 0, 2.0))
    if kind == "welded robot":
        mechanism = rbdyn.Mechanism(rbdyn.RigidBody("root"))
        hung = rbdyn.RigidBody("hung", rbdyn.SpatialInertia(1.0, inertia=0.01 * np.eye(3)))
        mechanism.attach("root", hung, rbdyn.Joint("free", rbdyn.Floating()))
        thing = world.add_articulated_system(mechanism)
        thing.set_base_pose((0, 0, 1.0))
        world.add_weld(lift, (thing, "hung"))
    else:
        thing = world.add_box(0.2, 0.2, 0.2, 1.0)
        thing.set_pose((0, 0, 1.0))
        {
            "weld": lambda: world.add_weld(lift, thing),
            "joint": lambda: world.add_joint(lift, thing, rbdyn.Joint("j", rbdyn.Revolute((0, 0, 1)), friction=0.1)),
            "rod": lambda: world.add_stiff_wire(lift, thing, stretch_type="both"),
            "spring": lambda: world.add_spring(lift, thing, 100.0, 20.0),
        }[kind]()
    height = (lambda: thing.base_position[2]) if kind == "welded robot" else (lambda: thing.position[2])
    world.run(5.0)
    assert thing.asleep
    before = height()
    lift.set_velocity(linear=(0, 0, 0.5))
    world.run(2.0)
    assert not thing.asleep
    assert height() - before == pytest.approx(1.0, abs=1e-3)
