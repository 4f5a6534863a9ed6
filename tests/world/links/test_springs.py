"""Springs, compliant wires and custom wires, against closed forms."""

import math

import numpy as np
import pytest

import rbdyn
from rbdyn.errors import BusyError, Error
from rbdyn.world import World

G = 9.81


def ball(world, mass, place, velocity=(0, 0, 0)):
    body = world.add_sphere(0.05, mass, group=2, mask=1)
    body.set_pose(place)
    body.set_velocity(velocity)
    return body


def energy(bodies, springs=()):
    kinetic = sum(b.kinetic_energy + b.potential_energy for b in bodies)
    return kinetic + sum(0.5 * s.stiffness * s.stretch**2 for s in springs)


@pytest.mark.parametrize("kind", ["spring", "wire", "custom"])
def test_two_balls_on_a_spring_swing_as_the_closed_form_to_second_order(kind):
    """x = a cos(w t), w^2 = k (1 / m1 + 1 / m2), about a rest length of 1 m."""
    k, a, m1, m2 = 200.0, 0.1, 1.0, 3.0
    w = math.sqrt(k * (1 / m1 + 1 / m2))
    errors = []
    for dt in (0.005, 0.002, 0.0005):
        world = World(dt, gravity=(0, 0, 0))
        one, other = ball(world, m1, (0, 0, 0)), ball(world, m2, (0, 0, 1.0 + a))
        if kind == "spring":
            spring = world.add_spring(one, other, k, length=1.0)
        elif kind == "wire":
            spring = world.add_compliant_wire(one, other, 1.0, stiffness=k, stretch_type="both")
        else:
            spring = world.add_custom_wire(one, other, 1.0, law=lambda length, rate: k * (length - 1.0))
        world.step(round(1.0 / dt))
        errors.append(abs(spring.stretch - a * math.cos(w)) / a)
        assert m1 * one.linear_velocity == pytest.approx(-m2 * other.linear_velocity, abs=1e-12)
    if kind == "custom":
        assert errors[2] < 0.03 and errors[1] / errors[2] > 3  # explicit: of first order
    else:
        assert errors[0] < 0.02
        assert errors[0] / errors[1] > 5.5 and errors[1] / errors[2] > 13


@pytest.mark.parametrize("length", [0.0, 0.5, 1.5])
def test_an_orbit_on_a_spring_keeps_energy_and_angular_momentum_to_second_order(length):
    """A ball that a spring to the world leads around."""
    gaps = []
    for dt in (0.004, 0.001):
        world = World(dt, gravity=(0, 0, 0))
        body = ball(world, 2.0, (1, 0, 0), (0.2, 3.0, 0))
        spring = world.add_spring(body, None, 30.0, length=length)
        start = energy([body], [spring])
        most = 0.0
        for _ in range(round(5 / dt)):
            world.step()
            most = max(most, abs(energy([body], [spring]) / start - 1))
        turn = np.cross(body.position, body.linear_momentum)
        assert turn == pytest.approx([0, 0, 6.0], abs=300 * dt * dt)
        gaps.append(most)
    assert gaps[0] < 2e-3
    assert gaps[1] < 1e-12 or gaps[0] / gaps[1] > 12


@pytest.mark.parametrize("stiffness", [1e2, 1e6, 1e12])
@pytest.mark.parametrize("integrator", ["trapezoid", "semi_implicit"])
@pytest.mark.parametrize("length", [0.0, 1.0])
def test_springs_are_stable_at_any_stiffness(stiffness, integrator, length):
    """Steps of 10 ms, a mass ratio of 100: springs too stiff to be seen swinging come to rest where they should."""
    world = World(0.01)
    world.integrator = integrator
    one, other = ball(world, 1.0, (0, 0, 0), (0.3, 0.2, 0)), ball(world, 0.01, (0, 0, -length))
    springs = [
        world.add_spring(None, one, stiffness, length=0.0),
        world.add_spring(one, other, stiffness, length=length),
    ]
    start = 0.5 * 0.13 + 0.01 * 0.5 * (0.09 + 0.04)
    most = max((world.step(), energy([one, other], springs))[1] for _ in range(1000))
    assert most + G * 0.01 * length < start + 1e-3 or stiffness == 1e12  # there a rounding of positions is worth joules
    assert np.linalg.norm(one.position) < 0.21
    if stiffness > 1e2:
        assert np.linalg.norm(one.position) < 1e-4
        assert springs[0].force == pytest.approx(1.01 * G, rel=1e-3)
        assert energy([one, other], springs) + G * 0.01 * length < 1e-3


@pytest.mark.parametrize("dt", [0.0005, 0.002, 0.005])
def test_a_damped_spring_dies_out_at_the_closed_forms_rate(dt):
    k, c, m = 100.0, 2.0, 1.0
    world = World(dt, gravity=(0, 0, 0))
    body = ball(world, m, (0, 0, -1.1))
    spring = world.add_spring(None, body, k, c, 1.0)
    world.step(round(1.0 / dt))
    gamma = c / (2 * m)
    w = math.sqrt(k / m - gamma**2)
    exact = 0.1 * math.exp(-gamma) * (math.cos(w) + gamma / w * math.sin(w))
    assert spring.stretch == pytest.approx(exact, abs=30 * dt * dt)


def test_a_compliant_wire_pulls_and_never_pushes():
    """A ball thrown up on a rubber band flies freely, and is thrown back without loss."""
    world = World(0.0005)
    body = ball(world, 1.0, (0, 0, -0.5), (0, 0, -2.0))
    wire = world.add_compliant_wire(None, body, 1.0, stiffness=500.0)
    pulls, lowest = [], 0.0
    start, before = energy([body]), -0.5
    for _ in range(3000):
        world.step()
        pulls.append(wire.tension)
        before, slack = wire.stretch, max(wire.stretch, before) < -1e-3      # all through the step: forces are means
        if slack:
            assert wire.tension == 0.0 and not wire.active
            assert energy([body]) == pytest.approx(start, abs=0.02)
        lowest = max(lowest, wire.stretch)
    assert min(pulls) == 0.0
    # m v^2 / 2 + m g (h + s) = k s^2 / 2
    deepest = (G + math.sqrt(G * G + 2 * 500.0 * (2.0 + G * 0.5))) / 500.0
    assert lowest == pytest.approx(deepest, rel=1e-3)


def test_a_hanging_weight_stretches_what_it_hangs_on():
    """At rest k s = m g, for a spring, a wire over a pulley, and a wire on a robot's body."""
    world = World(0.002)
    one, other = ball(world, 2.0, (0, 0, -1)), ball(world, 2.0, (3, 0, -1))
    mechanism = rbdyn.Mechanism(rbdyn.RigidBody("rail"), gravity=(0, 0, -G))
    body = rbdyn.RigidBody("cart", rbdyn.SpatialInertia(2.0, (0, 0, 0), np.eye(3)))
    mechanism.attach(mechanism.root_body, body, rbdyn.Joint("z", rbdyn.Prismatic((0, 0, 1))))
    robot = world.add_articulated_system(mechanism)
    found = [
        world.add_spring(None, one, 400.0, 20.0, point_a=(0, 0, 0)),
        world.add_compliant_wire(
            other, None, stiffness=400.0, damping=20.0, point_b=(5, 0, 0), via=[(None, (3, 0, 0))]
        ),
        world.add_compliant_wire((robot, "cart"), None, stiffness=400.0, damping=20.0, point_b=(0, 0, 1)),
        world.add_spring((robot, "cart"), None, 400.0, 20.0, point_b=(0, 0, 1)),
    ]
    world.step(3000)
    for spring, share in zip(found, (1, 1, 0.5, 0.5), strict=True):
        assert spring.stretch == pytest.approx(share * 2.0 * G / 400.0, rel=1e-6)
        assert spring.force == pytest.approx(share * 2.0 * G, rel=1e-6)


def test_a_spring_turns_bodies_that_it_pulls_beside_their_centres():
    """A rod between two equal springs beside its centre: w^2 = 2 k r^2 / I for small turns, to second order."""
    errors = []
    for dt in (0.004, 0.001):
        world = World(dt, gravity=(0, 0, 0))
        rod = world.add_box(1.0, 0.1, 0.1, 1.0)
        for x in (-0.5, 0.5):
            world.add_spring(rod, None, 50.0, length=1.0, point_a=(x, 0, 0), point_b=(x, 0, 1.0))
            world.add_spring(rod, None, 50.0, length=1.0, point_a=(x, 0, 0), point_b=(x, 0, -1.0))
        rod.set_velocity(angular=(0, 0.05, 0))
        inertia = 1.01 / 12
        w = math.sqrt(4 * 50.0 * 0.25 / inertia)
        times = []
        while len(times) < 8:
            before = rod.rotation[0, 2]
            world.step()
            now = rod.rotation[0, 2]
            if before * now < 0:
                times.append(world.time - dt * now / (now - before))
        errors.append(abs((times[7] - times[0]) / 7 * w / math.pi - 1))
    assert errors[0] < 2e-3 and errors[0] / errors[1] > 8


def test_a_custom_wire_asks_its_law_once_a_step_and_applies_what_it_says():
    """A constant pull, as an external force does it: v = T t / m, to rounding."""
    asked = []

    def law(length, rate):
        asked.append((length, rate))
        return 3.0

    world = World(0.01, gravity=(0, 0, 0), substeps=2)
    one = ball(world, 2.0, (0, 0, 0))
    wire = world.add_custom_wire(one, None, 1.0, law=law, point_b=(10, 0, 0))
    assert wire.law is law and wire.wire_type == "custom"
    world.step(10)
    assert len(asked) == 20
    assert asked[0] == pytest.approx((10.0, 0.0)) and asked[-1][1] == pytest.approx(-1.5 * 0.095)
    assert one.linear_velocity == pytest.approx([0.15, 0, 0], rel=1e-12)
    assert one.position == pytest.approx([0.5 * 1.5 * 0.01, 0, 0], rel=1e-9)
    assert wire.tension == 3.0 and wire.active and wire.impulse == pytest.approx(3.0 * 0.005)
    one.set_external_force(0, (-3.0, 0, 0))
    world.step()
    assert one.linear_velocity == pytest.approx([0.15, 0, 0], rel=1e-12)
    world.step()
    assert one.linear_velocity == pytest.approx([0.165, 0, 0], rel=1e-12)


@pytest.mark.parametrize("substeps", [1, 2])
def test_laws_that_fail_are_named_and_the_step_is_not_done(substeps):
    says = {"value": 1.0}

    def law(length, rate):
        if isinstance(says["value"], Exception):
            raise says["value"]
        return says["value"]

    world = World(0.01, gravity=(0, 0, 0), substeps=substeps)
    one = ball(world, 1.0, (0, 0, 0))
    wire = world.add_custom_wire(one, None, 1.0, law=law, point_b=(10, 0, 0), name="puller")
    world.step(3)
    before = one.position, one.linear_velocity, wire.tension
    for value, message in (
        (float("nan"), "law of wire 'puller' returns"),
        (float("inf"), "law of wire 'puller' returns"),
        ("much", "law of wire 'puller' returns"),
        (None, "law of wire 'puller' returns"),
        (RuntimeError("no rope"), "law of wire 'puller' raised RuntimeError: no rope"),
    ):
        says["value"] = value
        with pytest.raises(Error, match=message):
            world.step()
        assert one.position == pytest.approx(before[0], abs=0) and wire.tension == before[2]
    says["value"] = KeyboardInterrupt()
    world.remove(wire)
    world.add_custom_wire(one, None, 1.0, law=lambda length, rate: world.step() or 0.0, point_b=(10, 0, 0))
    with pytest.raises(Error, match="BusyError"):
        world.step()
    assert one.linear_velocity == pytest.approx(before[1], abs=0)


def test_bad_springs_are_named():
    world = World()
    one, other = ball(world, 1.0, (0, 0, 0)), ball(world, 1.0, (1, 0, 0))
    for call, message in (
        (lambda: world.add_spring(one, other, -1.0), "stiffness"),
        (lambda: world.add_spring(one, other, 1.0, -1.0), "damping"),
        (lambda: world.add_spring(one, other, 0.0), "do nothing"),
        (lambda: world.add_spring(one, other, 1.0, length=-0.1), "length"),
        (lambda: world.add_spring(one, one, 1.0), "must connect two bodies"),
        (lambda: world.add_compliant_wire(one, other, stiffness=float("nan")), "stiffness"),
        (lambda: world.add_compliant_wire(one, other, 0.0, stiffness=1.0), "length"),
        (lambda: world.add_custom_wire(one, other, law=3.0), "law must be a function"),
    ):
        with pytest.raises(Error, match=message):
            call()
    assert world.constraints == ()
    spring = world.add_spring(one, other, 10.0, 2.0)
    assert (spring.stiffness, spring.damping, spring.length, spring.wire_type) == (10.0, 2.0, 1.0, "spring")
    spring.length = 0.0
    world.integrate1()
    with pytest.raises(BusyError):
        spring.length = 1.0


@pytest.mark.parametrize("k", [1e3, 1e4, 1e5, 1e6])
@pytest.mark.parametrize("dt", [5e-3, 2e-3, 1e-3, 5e-4])
def test_a_bungee_gains_nothing_and_loses_little_that_steps_can_see(k, dt):
    """It gained up to 279 % in the steps in which the band gets taut or slack; m g h comes back by k s^2 / 2."""
    world = World(dt)
    body = ball(world, 1.0, (0, 0, -0.5))
    wire = world.add_compliant_wire(None, body, 1.0, stiffness=k)

    def total():
        return energy([body]) + 9.81 + 0.5 * k * max(0.0, wire.stretch) ** 2

    start = total()
    assert start == pytest.approx(0.5 * 9.81)
    for _ in range(round(5.0 / dt)):
        world.step()
        assert total() < start * (1.0 + 1e-6)
    bounces, turn = 5.0, k * dt * dt                   # of a second each; (w dt)^2
    if turn < 0.5:
        assert total() > start * (1.0 - bounces * 0.1 * turn**1.5)


@pytest.mark.parametrize(("k", "dt"), [(1e4, 5e-3), (1e5, 2e-3), (1e6, 1e-3)])
@pytest.mark.parametrize("aside", [0.0, 0.3])
def test_two_bands_that_take_turns_gain_nothing(k, dt, aside):
    """A ball between two bands, slack in the middle, grew 60-fold in 20 s: one lets go as the other gets hold."""
    world = World(dt, gravity=(0, 0, 0))
    body = ball(world, 1.0, (0, 0, 0), (1.0, aside, 0.0))
    wires = [world.add_compliant_wire(None, body, 1.0, stiffness=k, point_a=(x, 0, 0)) for x in (-1, 1)]

    def total():
        return body.kinetic_energy + sum(0.5 * k * max(0.0, wire.stretch) ** 2 for wire in wires)

    start = total()
    for _ in range(round(5.0 / dt)):
        world.step()
        assert total() < start * (1.0 + 1e-3)
