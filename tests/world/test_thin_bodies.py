"""Thin, long bodies stay on their side of thin walls: where one end hits, the other one is turned in by the blow."""

import numpy as np
import pytest
from world.scenes import World

from benchmarks.thin_bodies import BODIES, KINDS, STEPS, WALLS, drop, swing, throw, throw_any, turned
from rbdyn.collision import ConvexHull


@pytest.mark.parametrize("wall", WALLS)
@pytest.mark.parametrize("kind", KINDS)
def test_what_is_thrown_passes_no_wall_and_gains_no_energy(kind, wall):
    """Random bodies, speeds, spins, frictions, bounces and time steps."""
    for seed in range(12):
        passed, gain = throw_any(kind, wall, seed)
        assert not passed
        assert gain < 1e-3                       # what judges of blows let be


@pytest.mark.parametrize("dt", STEPS)
@pytest.mark.parametrize("name", ["rod (capsule)", "cigar (ellipsoid)", "lens (ellipsoid)", "ruler (box)"])
def test_what_is_dropped_on_a_table_stays_on_it(name, dt):
    """Half of the cigars passed 20 mm at 5 ms, and went 4 cm into the ground."""
    for seed in range(3):
        assert not drop(BODIES[name], dt, seed, "box")[0]
        assert not drop(BODIES[name], dt, seed, "mesh")[0]
        assert drop(BODIES[name], dt, seed, "ground")[1] < 0.003


@pytest.mark.parametrize("speed", [5.0, 10.0, 20.0, 50.0])
def test_rods_do_not_pass_two_millimetres(speed):
    assert not any(throw(dt, speed, seed) for dt in STEPS for seed in range(8))


def test_long_links_do_not_pass_walls():
    """Arms that turn by up to 10 rad/s, and whip round where a link hits."""
    assert not any(swing(wall, seed, 10.0) for wall in WALLS for seed in range(5))


@pytest.mark.parametrize("dt", STEPS)
def test_what_flies_by_is_not_touched(dt):
    """A rod that flies along a wall, or turns beside it with a millimetre to spare, goes on as if there were none."""
    rng = np.random.default_rng(5)
    for _ in range(10):
        world = World(dt, gravity=(0.0, 0.0, 0.0))
        wall = world.add_box(0.002, 4.0, 4.0, body_type="static")
        rod = world.add_capsule(0.005, 0.3, 1.0)
        spin = rng.uniform(0.0, 20.0)
        rod.set_pose((-0.162 if spin > 10.0 else -0.0075, -1.0, 0.0), (np.sqrt(0.5), np.sqrt(0.5), 0.0, 0.0))
        if spin > 10.0:                          # it turns in a plane across the wall's, and its ends come near
            rod.set_velocity((0.0, 10.0, 0.0), (0.0, 0.0, spin))
        else:                                    # it lies along the wall, and turns in its plane
            rod.set_velocity((0.0, 10.0, 0.0), (spin, 0.0, 0.0))
        before, energy = rod.linear_velocity, rod.kinetic_energy
        nearest = 1.0
        for _ in range(round(0.2 / dt)):
            world.step()
            nearest = min(nearest, world.distance(rod, wall).distance)
            assert np.array_equal(rod.linear_velocity, before)
        assert 0.0 < nearest < 0.02
        assert rod.kinetic_energy == pytest.approx(energy, rel=1e-12)


@pytest.mark.parametrize("dt", STEPS)
def test_two_rods_that_hit_each_other_keep_their_momenta(dt):
    """And make no energy, nor go into each other by more than a part of their thickness."""
    rng = np.random.default_rng(9)
    hits = 0
    for _ in range(10):
        world = World(dt, gravity=(0.0, 0.0, 0.0))
        world.set_default_material(0.5)
        rods = [world.add_capsule(0.008, 0.3, mass) for mass in (0.5, 1.0)]
        rods[0].set_pose((-0.5, 0.0, 0.0), turned(rng))
        rods[1].set_pose((0.0, 0.0, 0.0), turned(rng))
        rods[0].set_velocity((8.0, 0.0, 0.0), (0.0, 0.0, 0.0))
        momentum = rods[0].linear_momentum
        energy = start = rods[0].kinetic_energy
        deep = 0.0
        for _ in range(round(0.15 / dt)):
            world.step()
            now = rods[0].kinetic_energy + rods[1].kinetic_energy
            assert now < energy + 1e-3 * start
            energy = now
            deep = max(deep, -world.distance(*rods).distance)
        hits += energy < 0.99 * start
        assert np.allclose(rods[0].linear_momentum + rods[1].linear_momentum, momentum, atol=1e-12)
        assert deep < 0.004
    assert hits > 3


def test_the_far_end_of_a_rod_comes_as_fast_as_the_law_of_the_blow_says():
    """Half as fast again for a slender rod that is nearly level: v 6 s^2 / (1 + 3 s^2), s its sine to the normal."""
    for dt in STEPS:
        world = World(dt, gravity=(0.0, 0.0, 0.0))
        world.add_ground()
        world.set_default_material(0.0)
        rod = world.add_capsule(0.001, 0.3, 1.0)
        tilt = np.radians(80.0)
        rod.set_pose((0.0, 0.0, 0.1), (np.cos(0.5 * tilt), np.sin(0.5 * tilt), 0.0, 0.0))
        rod.set_velocity((0.0, 0.0, -2.0), (0.0, 0.0, 0.0))
        fastest = 0.0
        for _ in range(round(0.1 / dt)):
            world.step()
            lever = np.cross(rod.angular_velocity, 0.15 * rod.rotation[:, 2])
            fastest = max(fastest, abs(lever[2]) - rod.linear_velocity[2])
        assert fastest == pytest.approx(2.0 * 6.0 * np.sin(tilt) ** 2 / (1.0 + 3.0 * np.sin(tilt) ** 2), rel=0.02)


ROLLS_ON_ITS_RIM = pytest.mark.xfail(
    reason="moved by its new velocity where it rolls with restitution 1: 2 % of such discs gain at 1 ms, 7 % at 2 ms",
    strict=False,
)


@pytest.mark.parametrize(
    ("thing", "dt"),
    [
        pytest.param("disc", 0.001, marks=ROLLS_ON_ITS_RIM),
        pytest.param("disc", 0.002, marks=ROLLS_ON_ITS_RIM),
        ("rod", 0.001),
        ("rod", 0.002),
        ("ruler", 0.001),
        ("ruler", 0.002),
    ],
)
def test_thin_bodies_that_bounce_and_wobble_gain_no_energy(thing, dt):
    """A disc that wobbles turns its rim by more than its thickness a step, and goes in by next to nothing."""
    for seed in range(3):
        rng = np.random.default_rng(seed)
        world = World(dt)
        world.add_ground()
        world.set_default_material(0.5, 1.0)
        if thing == "disc":
            body = world.add_cylinder(0.1, 0.002, 0.03)
        elif thing == "rod":
            body = world.add_capsule(0.003, 0.3, 0.03)
        else:
            body = world.add_box(0.3, 0.03, 0.001, 0.03)
        body.set_pose((0.0, 0.0, 0.4), turned(rng))
        body.set_velocity((0.0, 0.0, 0.0), 5.0 * rng.normal(size=3))
        start = least = body.kinetic_energy + body.potential_energy
        gain = 0.0
        for _ in range(round(3.0 / dt)):
            world.step()
            energy = body.kinetic_energy + body.potential_energy
            gain, least = max(gain, energy - least), min(energy, least)
        assert gain < 1e-5 * start


BOUNCING = {name: BODIES[name] for name in ("cigar (ellipsoid)", "lens (ellipsoid)", "ruler (box)", "coin (cylinder)")}


def energy_of(bodies):
    return sum(body.kinetic_energy + body.mass * 9.81 * body.position[2] for body in bodies)


def rise_of_energy(make, dt, seed, friction, walls, count=1):
    """How much energy bodies that bounce without loss gain in any step, at most, as a share of what they begin with."""
    rng = np.random.default_rng(seed)
    world = World(dt)
    world.set_default_material(friction, restitution=1.0)
    world.add_ground()
    for axis in range(2 if walls else 0):
        for side in (-0.3, 0.3):
            wall = world.add_box(*np.where(np.arange(3) == axis, 0.02, 3.0), body_type="static")
            wall.set_pose(np.where(np.arange(3) == axis, side, 0.0))
    bodies = [make(world) for _ in range(count)]
    for k, body in enumerate(bodies):
        body.set_pose((*(rng.uniform(-0.1, 0.1, 2) if count > 1 else (0.0, 0.0)), 0.4 + 0.2 * k), turned(rng))
        body.set_velocity(2.0 * rng.normal(size=3), 10.0 * rng.normal(size=3))
    before = start = energy_of(bodies)
    most = 0.0
    for _ in range(round(1.0 / dt)):
        world.step()
        energy = energy_of(bodies)
        most, before = max(most, (energy - before) / start), energy
    assert before < 1.0001 * start
    assert friction > 0.0 or before > 0.999 * start
    return most


@pytest.mark.parametrize("dt", [1e-3, 5e-3])
@pytest.mark.parametrize("name", BOUNCING)
def test_what_bounces_without_loss_gains_nothing(name, dt):
    """Gravity acts before the blow, and after it where the body does not wait: 8e-4 of a ruler's energy in one step."""
    for seed in range(3):
        assert rise_of_energy(BOUNCING[name], dt, seed, 0.0, walls=False) < 1e-8
        assert rise_of_energy(BOUNCING[name], dt, seed, 0.0, walls=True) < 1e-8


@pytest.mark.parametrize("dt", [1e-3, 5e-3])
@pytest.mark.parametrize("make", [*BOUNCING.values(), lambda w: w.add_box(0.1, 0.08, 0.06, 0.02)])
def test_friction_at_walls_makes_no_energy_of_gravity(make, dt):
    """Friction of a bounce works with the slip before it: not with that which gravity has made by the step's end.

    A tip that touches the ground may be lifted by some micrometres.
    """
    for seed in range(4):
        assert rise_of_energy(make, dt, seed, 0.5, walls=True) < 3e-5


@pytest.mark.parametrize("name", ["cone", "ruler (box)"])
def test_blows_that_sweeps_do_not_solve_make_no_energy(name):
    """Bodies in a corner, with friction on all sides: what is found of their impulses is taken times a share."""
    for number in range(8):
        assert rise_of_energy(BODIES[name], 5e-3 if name == "cone" else 1e-3, number, 0.5, True, 4) < 1e-4


ROD = ConvexHull([(x, y, z) for x in (-0.003, 0.003) for y in (-0.003, 0.003) for z in (-0.125, 0.125)])


LATE = pytest.mark.xfail(reason="chaotic: of six heaps one rests after 2.5 s, with 8e-9 J left after two")


@pytest.mark.parametrize(
    ("count", "dt", "number", "hulls"),
    [
        (6, 0.005, 1, False),
        (6, 0.001, 1, False),
        (10, 0.005, 2, False),
        pytest.param(16, 0.002, 1, False, marks=LATE),
        (10, 0.005, 2, True),
    ],
)
def test_a_heap_of_thin_rods_rests(count, dt, number, hulls):
    """Square rods that cross rest on edges, and rock by 0.06 rad in a step unless all corners of the crossing are told.

    They went into each other until depths were as large as they are thick, were lifted, and fell again, for ever.
    """
    rng = np.random.default_rng(number)
    world = World(dt)
    world.set_default_material(0.5)
    world.add_ground()
    rods = []
    for k in range(count):
        angle, half = 0.5 * rng.uniform(0.0, 2.0 * np.pi), np.sqrt(0.5)
        rods.append(world.add_mesh(ROD, 0.05) if hulls else world.add_box(0.006, 0.006, 0.25, 0.05))
        rods[k].set_pose((*rng.uniform(-0.03, 0.03, 2), 0.02 + 0.012 * k),
                         (half * np.cos(angle), -half * np.sin(angle), half * np.cos(angle), half * np.sin(angle)))
    world.step(round(2.0 / dt))
    assert sum(rod.kinetic_energy for rod in rods) < 1e-12
    assert max(contact.depth for contact in world.contacts) < 1e-4
    assert np.mean([rod.position[2] for rod in rods]) > 0.012


@pytest.mark.parametrize(("dt", "speed"), [(0.005, 1.0), (0.002, 1.0), (0.001, 2.0)])
def test_a_stick_that_spins_fast_keeps_its_energy_and_momentum(dt, speed):
    """Of a stick of 40 : 1 that turns by 0.16 to 0.39 rad a step Newton's method finds no mean spin: 3.6e-3 in 6 s."""
    world = World(dt, gravity=(0.0, 0.0, 0.0))
    stick = world.add_box(0.4, 0.01, 0.01, 0.05)
    stick.set_pose((0.0, 0.0, 0.0), np.array([1.0, 0.3, 0.2, 0.1]) / np.sqrt(1.14))
    stick.set_velocity((0.0, 0.0, 0.0), speed * np.array([40.0, 50.0, 45.0]))
    energy, momentum = stick.kinetic_energy, stick.angular_momentum
    world.step(round(2.0 / dt))
    assert stick.kinetic_energy == pytest.approx(energy, rel=1e-11)
    np.testing.assert_allclose(stick.angular_momentum, momentum, rtol=1e-11)
