"""Stiff wires: ropes, struts and rods between points of bodies, against closed forms."""

import math

import numpy as np
import pytest

import rbdyn
from rbdyn.errors import Error
from rbdyn.world import World

G = 9.81


def energy(*bodies):
    return sum(body.kinetic_energy + body.potential_energy for body in bodies)


def balls(world, *masses_and_places):
    bodies = []
    for mass, place in masses_and_places:
        bodies.append(world.add_sphere(0.05, mass))
        bodies[-1].set_pose(place)
    return bodies


def slider(mass):
    """A body that moves along z."""
    mechanism = rbdyn.Mechanism(rbdyn.RigidBody("rail"), gravity=(0, 0, -G))
    body = rbdyn.RigidBody("cart", rbdyn.SpatialInertia(mass, (0, 0, 0), np.eye(3)))
    mechanism.attach(mechanism.root_body, body, rbdyn.Joint("z", rbdyn.Prismatic((0, 0, 1))))
    return mechanism


def swing(dt, swings):
    """Times at which a ball on a rope, released from the level, passes below; its energies; the largest stretch."""
    world = World(dt)
    (ball,) = balls(world, (2.0, (1, 0, 0)))
    rope = world.add_stiff_wire(ball, None)
    times, energies, stretch = [], [], 0.0
    while len(times) < swings:
        before = ball.position[0]
        world.step()
        now = ball.position[0]
        if (before > 0) != (now > 0):
            times.append(world.time - dt * now / (now - before))
        energies.append(energy(ball))
        stretch = max(stretch, abs(rope.stretch))
    return np.array(times), np.array(energies), stretch


def test_a_rope_pendulum_has_the_period_of_the_closed_form_to_second_order_and_keeps_its_energy():
    half = 2 * 1.8540746773013719 / math.sqrt(G)  # 2 K(sin 45 deg) sqrt(l / g)
    errors = []
    for dt in (0.005, 0.002, 0.0005):
        times, energies, stretch = swing(dt, 9)
        errors.append(abs((times[8] - times[0]) / 8 - half))
        assert stretch < 1.1e-5
        quarter = len(energies) // 4
        first, last = energies[:quarter].mean(), energies[-quarter:].mean()
        assert abs(last - first) < 0.5 * dt  # of 39 J; it swings by the half step of the velocity
    assert errors[0] < 4e-5 * half
    assert errors[0] / errors[1] > 5.5  # (5 / 2)^2 = 6.25
    assert errors[1] / errors[2] > 12  # 16


@pytest.mark.parametrize("dt", [0.0005, 0.002, 0.005])
@pytest.mark.parametrize("restitution", [0.0, 0.5, 1.0])
def test_a_rope_that_becomes_taut_hands_momentum_on_exactly(dt, restitution):
    """Newton: along the rope both move with the common velocity, and part by the share of the old speed."""
    world = World(dt, gravity=(0, 0, 0))
    one, other = balls(world, (1.0, (0, 0, 0)), (3.0, (0.4, 0, 0)))
    other.set_velocity((2.0, 0, 0))
    rope = world.add_stiff_wire(one, other, 1.0, restitution=restitution)
    taut, longest = None, 0.0
    for _ in range(round(0.4 / dt)):
        world.step()
        longest = max(longest, rope.distance)
        if rope.active and taut is None:
            taut = world.time
    assert taut == pytest.approx(0.3, abs=1.01 * dt)
    assert longest <= 1.0 + 1e-12
    common = 3.0 * 2.0 / 4.0
    assert one.linear_velocity[0] == pytest.approx(common + 0.75 * 2.0 * restitution, abs=1e-12)
    assert other.linear_velocity[0] == pytest.approx(common - 0.25 * 2.0 * restitution, abs=1e-12)


@pytest.mark.parametrize("dt", [0.0005, 0.002, 0.005])
def test_a_falling_ball_caught_by_its_rope_keeps_what_is_across_the_rope(dt):
    """It falls straight down beside the point where the rope hangs; what is along the rope is lost."""
    world = World(dt)
    (ball,) = balls(world, (2.0, (0.6, 0, 0)))
    rope = world.add_stiff_wire(ball, None, 1.0)
    while not rope.active or rope.stretch < -1e-9:
        world.step()
        assert rope.stretch <= 2e-6  # of third order in the step
    world.step()
    speed = math.sqrt(2 * G * 0.8)
    assert ball.linear_velocity == pytest.approx(0.6 * speed * np.array([-0.8, 0, -0.6]), abs=20 * dt)
    assert abs(ball.linear_velocity[1]) == 0.0


@pytest.mark.parametrize("dt", [0.0005, 0.002, 0.005])
def test_an_atwood_machine_falls_at_the_closed_form_acceleration(dt):
    world = World(dt)
    heavy, light = balls(world, (3.0, (-0.5, 0, -1)), (1.0, (0.5, 0, -1)))
    wire = world.add_stiff_wire(heavy, light, via=[(None, (-0.5, 0, 0)), (None, (0.5, 0, 0))])
    world.step(round(0.4 / dt))
    assert heavy.linear_velocity[2] / 0.4 == pytest.approx(-G / 2, rel=1e-10)
    assert light.linear_velocity[2] / 0.4 == pytest.approx(G / 2, rel=1e-10)
    assert wire.tension == pytest.approx(2 * 3.0 * 1.0 / 4.0 * G, rel=1e-10)
    assert abs(heavy.position[2] + 1 + G / 4 * 0.16) < 1.01 * G / 4 * 0.4 * dt  # of first order
    assert wire.distance == pytest.approx(3.0, abs=1e-10)


@pytest.mark.parametrize("robot", [False, True])
def test_a_block_and_tackle_shares_the_load_by_its_ratio(robot):
    """A mass on two falls of the rope against one on a single fall: T = 3 g / (1 / m_a + 4 / m_b)."""
    world = World(0.001)
    (single,) = balls(world, (1.0, (0, 0, -1)))
    if robot:
        block = world.add_articulated_system(slider(5.0))
        block.set_base_pose((1, 0, -1))
        end = (block, "cart")
    else:
        (end,) = balls(world, (5.0, (1, 0, -1)))
    wire = world.add_stiff_wire(single, end, via=[(None, (0, 0, 0)), (None, (1, 0, 0))], ratios=[1, 1, 2])
    assert wire.length == pytest.approx(4.0)
    world.step(100)
    tension = 3 * G / (1 / 1.0 + 4 / 5.0)
    assert wire.tension == pytest.approx(tension, rel=1e-9)
    assert single.linear_velocity[2] == pytest.approx((tension / 1.0 - G) * 0.1, rel=1e-9)
    down = world.objects[1].v[0] if robot else end.linear_velocity[2]
    assert down == pytest.approx((2 * tension / 5.0 - G) * 0.1, rel=1e-9)


def test_a_winch_lifts_what_hangs_on_it():
    world = World(0.001)
    (load,) = balls(world, (2.0, (0, 0, -1)))
    wire = world.add_stiff_wire(load, None)
    for _ in range(500):
        wire.length = wire.length - 0.0004
        world.step()
    assert load.position[2] == pytest.approx(-0.8, abs=2e-3)
    assert wire.tension == pytest.approx(2.0 * G, rel=0.2)


@pytest.mark.parametrize("kind, sign", [("compression_resistant", 1), ("both", 1), ("both", -1)])
def test_struts_push_and_rods_do_both(kind, sign):
    """A rigid rod carries the weight of a ball standing on it, or hanging from it."""
    world = World(0.001)
    (ball,) = balls(world, (2.0, (0, 0, sign * 1.0)))
    rod = world.add_stiff_wire(ball, None, stretch_type=kind)
    world.step(50)
    assert rod.force == pytest.approx(-sign * 2.0 * G, rel=1e-9)
    assert ball.position == pytest.approx([0, 0, sign], abs=1e-9)
    assert rod.active and rod.stretch_type == kind


def test_a_wire_turns_a_rigid_body_that_it_pulls_beside_its_centre():
    """T (1 / m + r^2 / I) = the speed at which the point would have left: a level rod that falls on one rope."""
    world = World(0.001)
    rod = world.add_box(1.0, 0.1, 0.1, 1.0)
    wire = world.add_stiff_wire(rod, None, point_a=(0.5, 0, 0), point_b=(0.5, 0, 1.0))
    world.step()
    inertia = (1.0 + 0.01) / 12
    tension = G / (1 + 0.25 / inertia)
    assert wire.tension == pytest.approx(tension, rel=1e-12)
    assert rod.angular_velocity[1] == pytest.approx(-(-0.5 * tension) / inertia * 0.001 * -1, rel=1e-9)
    assert rod.linear_velocity[2] == pytest.approx((tension - G) * 0.001, rel=1e-12)


def test_newtons_cradle_swings_on():
    """Five balls on two wires each: blow after blow the end balls rise as the first did; no energy is made."""
    world = World(0.001)
    world.set_default_material(friction=0.0, restitution=1.0)
    found = []
    for k in range(5):
        (ball,) = balls(world, (1.0, (0.101 * k, 0, 0)))
        for y in (-0.4, 0.4):
            world.add_stiff_wire(ball, None, point_b=(0.101 * k, y, 1))
        found.append(ball)
    found[0].set_pose((-math.sin(0.4), 0, 1 - math.cos(0.4)))
    start, most, highest = energy(*found), -1.0, np.zeros(5)
    for k in range(10000):
        world.step()
        most = max(most, energy(*found))
        if k > 8000:
            highest = np.maximum(highest, [ball.position[2] for ball in found])
    assert most < start + 0.01 * start
    assert highest[[0, 4]] == pytest.approx(1 - math.cos(0.4), rel=0.1)
    assert max(abs(wire.stretch) for wire in world.constraints) < 2e-5
    assert max(abs(ball.position[1]) for ball in found) < 1e-6


def test_a_spinning_dumbbell_keeps_its_momenta_and_its_energy():
    world = World(0.002, gravity=(0, 0, 0))
    one, other = balls(world, (1.0, (-0.75, 0, 0)), (3.0, (0.25, 0, 0)))
    one.set_velocity((0, -3.0, 0.5))
    other.set_velocity((0, 1.0, 0.5))
    rope = world.add_stiff_wire(one, other)
    tension = 1.0 * 3.0**2 / 0.75

    def momenta():
        return [
            sum(b.linear_momentum for b in (one, other)),
            sum(np.cross(b.position, b.linear_momentum) for b in (one, other)),
        ]

    before, start = momenta(), energy(one, other)
    for _ in range(2500):
        world.step()
        assert abs(rope.stretch) < 2e-5
    assert momenta()[0] == pytest.approx(before[0], abs=1e-12)
    assert momenta()[1] == pytest.approx(before[1], abs=1e-10)
    assert energy(one, other) == pytest.approx(start, rel=1e-4)
    assert rope.tension == pytest.approx(tension, rel=1e-3)


@pytest.mark.parametrize("dt", [5e-4, 2e-3, 5e-3])
@pytest.mark.parametrize("kind", ["stretch_resistant", "both"])
def test_a_winch_lifts_with_its_speed_and_what_is_cut_flies_on(dt, kind):
    """The first step is a blow, m v + m g dt; then the rope carries m g; cut, the load is thrown at v."""
    world, m, v = World(dt), 2.0, 0.5
    load = world.add_sphere(0.1, m)
    rope = world.add_stiff_wire(None, load, point_a=(0, 0, 3), stretch_type=kind)
    rope.speed = -v
    world.step()
    assert rope.impulse == pytest.approx(m * v + m * G * dt, rel=1e-9)
    world.step(round(1.0 / dt) - 1)
    assert load.linear_velocity == pytest.approx([0, 0, v], abs=1e-9)
    assert load.position[2] == pytest.approx(v, abs=1e-9)
    assert (rope.length, rope.tension) == pytest.approx((3.0 - v, m * G), abs=1e-8)
    world.remove(rope)
    top = load.position[2]
    world.step(round(0.05 / dt))
    assert load.position[2] - top == pytest.approx(v * 0.05 - 0.5 * G * 0.05**2, abs=1e-9)


def test_a_winch_lets_out_stops_at_its_end_and_is_for_stiff_wires():
    world = World(1e-3)
    load = world.add_sphere(0.1, 2.0)
    rope = world.add_stiff_wire(None, load, point_a=(0, 0, 0.2))
    rope.speed = 0.5
    world.step(400)
    assert load.linear_velocity[2] == pytest.approx(-0.5, abs=1e-9)
    rope.speed = -1.0
    world.step(1000)
    assert rope.speed == 0.0 and 0.0 < rope.length < 2e-3
    band = world.add_compliant_wire(None, load, 1.0, stiffness=10.0)
    with pytest.raises(Error, match="only stiff wires have winches; .* is compliant"):
        band.speed = 1.0
    with pytest.raises(Error, match="speed must be a number .*finite, got nan"):
        rope.speed = np.nan
    assert band.speed == rope.speed == 0.0


def test_a_rod_does_not_bounce():
    world = World(1e-3)
    ball = world.add_sphere(0.1, 2.0)
    with pytest.raises(Error, match='resists "both" .* restitution must be 0, got 0.5'):
        world.add_stiff_wire(None, ball, point_a=(0, 0, 1), stretch_type="both", restitution=0.5)
    assert not world.constraints


def test_a_step_that_fails_in_its_second_part_takes_the_winch_back():
    world, asked = World(1e-3), []

    def law(length, rate):
        asked.append(length)
        if len(asked) % 2 == 0:
            raise ValueError("no more")
        return 0.0

    world.substeps = 2
    load = world.add_sphere(0.1, 2.0)
    rope = world.add_stiff_wire(None, load, point_a=(0, 0, 3))
    rope.speed = -1.0
    world.add_custom_wire(None, load, law=law, point_a=(1, 0, 0))
    with pytest.raises(Error, match="raised ValueError: no more"):
        world.step()
    assert len(asked) == 2 and rope.length == 3.0 and load.linear_velocity[2] == 0.0
