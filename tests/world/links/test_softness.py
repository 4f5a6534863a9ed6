"""Rows that give way: welds, joints and loops as springs with dampers, against closed forms."""

import math

import numpy as np
import pytest
from algorithms.four_bar import four_bar, in_motion

import rbdyn
from rbdyn import Joint, Prismatic, Revolute, Transform
from rbdyn.errors import Error
from rbdyn.world import World

G = 9.81


def hung(dt, softness, damping=0.0, mass=2.0, gravity=(0, 0, -G)):
    """A body welded to the world, softly."""
    world = World(dt, gravity=gravity)
    body = world.add_box(0.2, 0.2, 0.2, mass)
    weld = world.add_weld(None, body)
    weld.set_softness(softness, damping)
    return world, body, weld


@pytest.mark.parametrize("dt", [5e-4, 5e-3, 0.05])
def test_a_soft_weld_gives_way_by_its_softness_times_the_force(dt):
    for softness in (1e-3, 1e-6):
        world, body, weld = hung(dt, softness, 2.0 * math.sqrt(2.0 / softness))
        world.step(max(600, round(3.0 / dt)))
        assert body.position[2] == pytest.approx(-2.0 * G * softness, rel=1e-9)
        assert weld.force[5] == pytest.approx(2.0 * G, rel=1e-9)
        assert weld.error == pytest.approx([0, 0, 0, 0, 0, -2.0 * G * softness], abs=1e-12)


def test_rotations_give_way_by_theirs():
    """An arm of 0.3 m welded at its end: moment times softness, and the end stays where it is."""
    world = World(1e-3)
    body = world.add_box(0.1, 0.1, 0.1, 2.0)
    body.set_pose((0.3, 0, 0))
    weld = world.add_weld(None, body, Transform(translation=(0.3, 0, 0)))
    weld.set_softness((1e-4, 0.0), (40.0, 0.0))
    assert weld.softness == (1e-4, 0.0) and weld.softness_damping == (40.0, 0.0)
    end = Transform(translation=(-0.3, 0, 0))
    hinge = world.add_joint(None, body, Joint("end", Revolute((0, 1, 0))), Transform(), end)
    world.remove(weld)
    soft = world.add_weld(None, body, Transform(translation=(0.3, 0, 0)))
    soft.set_softness((1e-4, 1e6), (40.0, 0.0))
    world.step(4000)
    angle = 2.0 * math.asin(body.orientation[2])
    assert angle == pytest.approx(2.0 * G * 0.3 * math.cos(angle) * 1e-4, rel=1e-4)
    assert hinge.q == pytest.approx(angle, rel=1e-9)


def test_a_mass_on_a_soft_weld_swings_with_its_frequency():
    """Its phase and amplitude are those of sqrt(k / m), to first order: friction of the step is dt w^2 / 4."""
    k, m, way = 800.0, 2.0, 0.01
    w = math.sqrt(k / m)
    errors = []
    for dt in (1e-3, 5e-4, 2.5e-4):
        world, body, _ = hung(dt, 1.0 / k, gravity=(0, 0, 0))
        body.set_pose((way, 0, 0))
        worst = 0.0
        for n in range(1, round(0.6 / dt) + 1):
            world.step()
            worst = max(worst, abs(body.position[0] - way * math.cos(w * n * dt)))
        errors.append(worst / way)
    assert errors[2] < 0.05
    assert errors[0] / errors[1] == pytest.approx(2.0, rel=0.15)
    assert errors[1] / errors[2] == pytest.approx(2.0, rel=0.15)


def test_damping_decays_as_its_closed_form():
    """e^(-c t / 2 m): of the amplitude between two passages, beside that of the step."""
    k, m, c = 800.0, 2.0, 6.0
    errors = []
    for dt in (4e-4, 2e-4, 1e-4):
        world, body, _ = hung(dt, 1.0 / k, c, gravity=(0, 0, 0))
        body.set_velocity((1.0, 0, 0))
        w = math.sqrt(k / m - (c / (2 * m)) ** 2)
        worst = 0.0
        for n in range(1, round(0.5 / dt) + 1):
            world.step()
            t = n * dt
            worst = max(worst, abs(body.position[0] * w - math.exp(-c * t / (2 * m)) * math.sin(w * t)))
        errors.append(worst)
    assert errors[2] < 0.02
    assert errors[0] / errors[1] == pytest.approx(2.0, rel=0.15)
    assert errors[1] / errors[2] == pytest.approx(2.0, rel=0.15)


@pytest.mark.parametrize("dt", [1e-3, 1e-2, 0.1])
@pytest.mark.parametrize("softness", [1e-2, 1e-4, 1e-8, 1e-14])
def test_it_makes_no_energy_at_any_time_step(dt, softness):
    world, body, _ = hung(dt, softness, gravity=(0, 0, 0))
    body.set_pose((0.02, 0.01, 0))
    energy = 0.5 * (0.02**2 + 0.01**2) / softness
    for _ in range(200):
        world.step()
        now = body.kinetic_energy + 0.5 * (body.position @ body.position) / softness
        assert now <= energy * (1 + 1e-9) + 1e-300
        energy = now


def test_what_is_not_soft_stays_where_it_is():
    world, body, weld = hung(1e-3, 0.0)
    world.step(100)
    assert np.abs(weld.error).max() < 1e-12
    weld.set_softness(1e-3, 50.0)
    world.step(2000)
    assert weld.error[5] == pytest.approx(-2.0 * G * 1e-3, rel=1e-6)
    weld.set_softness(0.0)
    world.step(400)
    assert np.abs(weld.error).max() < 1e-6


def test_a_soft_joint_between_robots_is_a_spring_between_them():
    """Two carts on rails, welded softly: static under a force on one, the other held by a stop of its rail."""
    world = World(1e-3, gravity=(0, 0, 0))
    carts = []
    for name, limits in (("a", None), ("b", (-1.0, 0.0))):
        m = rbdyn.Mechanism(rbdyn.RigidBody("root"))
        body = rbdyn.RigidBody("cart", rbdyn.SpatialInertia(1.0, (0, 0, 0), 0.1 * np.eye(3)))
        m.attach(m.root_body, body, Joint("rail", Prismatic((1, 0, 0)), limits))
        carts.append(world.add_articulated_system(m, name))
    weld = world.add_weld((carts[0], "cart"), (carts[1], "cart"))
    weld.set_softness(1e-4, 100.0)
    carts[0].set_generalized_force([30.0])
    world.step(2000)
    assert carts[0].q[0] - carts[1].q[0] == pytest.approx(30.0 * 1e-4, rel=1e-6)
    assert carts[1].q[0] == pytest.approx(0.0, abs=1e-6)


def test_a_loop_gives_way():
    """A beam that is held by its hinge, and by a soft loop joint at its end: the lever says how far it sinks."""
    m = rbdyn.Mechanism(rbdyn.RigidBody("wall"))
    beam = rbdyn.RigidBody("beam", rbdyn.SpatialInertia(2.0, (0.3, 0, 0), 0.1 * np.eye(3)))
    m.attach(m.root_body, beam, Joint("hinge", Revolute((0, 1, 0))))
    tip = Transform(translation=(0.6, 0, 0))
    m.attach(m.root_body, beam, Joint("prop", rbdyn.Spherical()), tip, tip.inverse())
    world = World(1e-3)
    robot = world.add_articulated_system(m, loop_constraints="inloop")
    robot.set_loop_softness("prop", 1e-4, 300.0)
    world.step(3000)
    angle = robot.q[0]
    sunk = 0.6 * math.sin(angle)
    assert sunk == pytest.approx(2.0 * G * 0.3 / 0.6 * 1e-4, rel=1e-3)
    assert robot.loop_force("prop")[5] == pytest.approx(2.0 * G / 2, rel=1e-4)
    hard = World(1e-3)
    twin = hard.add_articulated_system(m, loop_constraints="inloop")
    hard.step(100)
    assert abs(twin.q[0]) < 1e-11


def test_a_linkage_with_a_stiff_pin_moves_as_with_a_rigid_one():
    state = in_motion(0.9, 3.0)[0]
    ends = []
    for softness in (0.0, 1e-8):
        world = World(1e-3, gravity=(0, -9.81, 0))
        robot = world.add_articulated_system(four_bar(), loop_constraints="inloop")
        robot.set_state(state.q, state.v)
        if softness:
            robot.set_loop_softness("pin0", (softness, softness), 1e3)
        world.step(400)
        ends.append(robot.q)
    assert ends[1] == pytest.approx(ends[0], abs=5e-3)
    assert np.abs(ends[0] - state.q).max() > 0.2


def test_bad_softness_is_refused():
    _, _, weld = hung(1e-3, 1e-3)
    for soft, damped, words in (
        (-1.0, 0.0, "softness must"), (1e-3, -1.0, "damping must"), ((1, 2, 3), 0.0, "softness must"),
        (0.0, 5.0, "needs a softness"), (math.nan, 0.0, "softness must"),
    ):  # fmt: skip
        with pytest.raises(Error, match=words):
            weld.set_softness(soft, damped)
    assert weld.softness == (0.0, 1e-3)
    robot = World().add_articulated_system(four_bar())
    with pytest.raises(Error, match='loop_constraints="inloop"'):
        robot.set_loop_softness("pin0", 1e-3)


def test_a_snapshot_holds_motors_and_softness():
    world, body, weld = hung(1e-3, 1e-3, 5.0)
    wheel = world.add_cylinder(0.3, 0.1, 4.0)
    wheel.set_pose((1, 0, 0))
    axle = world.add_joint(None, wheel, Joint("axle", Revolute((0, 0, 1))), Transform(translation=(1, 0, 0)))
    robot = world.add_articulated_system(four_bar(), loop_constraints="inloop")
    axle.set_drive(p=3.0, d=1.0, target=0.5)
    robot.set_loop_drive("pin0", force=2.0)
    robot.set_loop_softness("pin0", 1e-6, 10.0)
    world.step(20)
    kept = world.snapshot()
    world.step(30)
    end = (*body.position, axle.q, axle.drive_force, robot.loop_drive_force("pin0"), *robot.q)
    axle.set_drive(target=-0.5, force=9.0)
    robot.set_loop_drive("pin0", force=-7.0)
    robot.set_loop_softness("pin0", 1e-4)
    weld.set_softness(0.0)
    world.restore(kept)
    assert axle.drive["target"] == 0.5 and robot.loop_drive("pin0")["force"] == 2.0
    world.step(30)
    again = (*body.position, axle.q, axle.drive_force, robot.loop_drive_force("pin0"), *robot.q)
    np.testing.assert_array_equal(again, end)


def test_a_coupling_gives_way_by_its_softness_times_what_it_bears():
    """Two wheels on a gear 1 : -3, one held by its stop, a torque on the other: off by softness times load."""
    world = World(1e-3, gravity=(0, 0, 0))
    wheels = []
    for name, limits in (("a", None), ("b", (0.0, 3.0))):
        m = rbdyn.Mechanism(rbdyn.RigidBody("root"))
        m.attach(m.root_body, rbdyn.RigidBody("wheel", rbdyn.SpatialInertia(1.0, (0, 0, 0), 0.1 * np.eye(3))),
                 Joint("axle", Revolute((0, 0, 1)), limits))
        wheels.append(world.add_articulated_system(m, name))
    gear = world.add_coupling({(wheels[0], "axle"): 1.0, (wheels[1], "axle"): 3.0})
    gear.set_softness(2e-3, 5.0)
    assert gear.softness == (2e-3, 5.0)
    wheels[0].set_generalized_force([4.0])
    world.step(2000)
    assert gear.error == pytest.approx(4.0 * 2e-3, rel=1e-6)
    assert wheels[0].q[0] == pytest.approx(4.0 * 2e-3, rel=1e-3)
    assert gear.force[0] == pytest.approx(-4.0, rel=1e-6)
    gear.set_softness(0.0)
    world.step(300)
    assert abs(gear.error) < 1e-6
    with pytest.raises(Error, match="softness must"):
        gear.set_softness(-1.0)


def test_a_world_finds_constraints_by_name():
    world, body, weld = hung(1e-3, 0.0)
    assert world.find(weld.name) is weld and world.find(body.name) is body
    with pytest.raises(rbdyn.UnknownNameError, match=weld.name):
        world.find(weld.name[:-1])


def test_loops_give_way_as_before_when_their_robot_is_rebuilt():
    """The beam of above is given a tip without weight, which changes nothing: it hangs where it hung."""
    m = rbdyn.Mechanism(rbdyn.RigidBody("wall"))
    beam = rbdyn.RigidBody("beam", rbdyn.SpatialInertia(2.0, (0.3, 0, 0), 0.1 * np.eye(3)))
    m.attach(m.root_body, beam, Joint("hinge", Revolute((0, 1, 0))))
    tip = Transform(translation=(0.6, 0, 0))
    m.attach(m.root_body, beam, Joint("prop", rbdyn.Spherical()), tip, tip.inverse())
    world = World(1e-3)
    robot = world.add_articulated_system(m, loop_constraints="inloop")
    robot.set_loop_softness("prop", 1e-4, 300.0)
    world.step(3000)
    before = robot.q[0]
    assert 0.6 * math.sin(before) == pytest.approx(2.0 * G * 0.3 / 0.6 * 1e-4, rel=1e-3)
    robot.attach(rbdyn.RigidBody("knob"), "beam", Joint("knob_mount", rbdyn.Fixed()))
    world.step(3000)
    assert robot.q[0] == pytest.approx(before, rel=1e-6)
    robot.remove_subtree("knob_mount")
    world.step(1000)
    assert robot.q[0] == pytest.approx(before, rel=1e-6)
