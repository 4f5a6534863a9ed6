"""A solve that does not converge, or leaps too far, must not make energy."""

import numpy as np
import pytest

import rbdyn
from rbdyn import contact

SHAPES = {
    "box": lambda w: w.add_box(0.2, 0.3, 0.4, 1.0),
    "cube": lambda w: w.add_box(0.2, 0.2, 0.2, 1.0),
    "cylinder": lambda w: w.add_cylinder(0.1, 0.3, 1.0),
    "capsule": lambda w: w.add_capsule(0.1, 0.3, 1.0),
}


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("law", ["coulomb", "raisim"])
def test_random_drops_gain_no_energy(shape, law):
    """Bodies dropped with a spin: a step adds no more than the lift of what went in, and they come to rest.

    Nobody is faster than 3.5 m/s: 3.5 mm deep after a step, a fifth of which is 7 mJ for 1 kg.
    """
    unconverged = 0
    for seed in range(20):
        rng = np.random.default_rng(seed)
        world = rbdyn.World(0.001, contact=contact.BisectionSolver(friction_law=law))
        world.add_ground()
        body = SHAPES[shape](world)
        q = rng.normal(size=4)
        body.set_pose((0, 0, 0.4), q / np.linalg.norm(q))
        body.set_velocity(0.5 * rng.normal(size=3), 3 * rng.normal(size=3))
        before = start = body.kinetic_energy + body.potential_energy
        for _ in range(1000):
            world.step()
            now = body.kinetic_energy + body.potential_energy
            assert now - before < 7e-3
            before = now
            unconverged += not world.contact.converged
        assert now < start - 0.5
    assert unconverged < 0.1 * 20 * 1000


@pytest.mark.parametrize("n", [20, 60])
def test_boxes_in_one_place_part_slowly(n):
    """Redundant contacts of the worst kind, n boxes at one pose: their poses part, they stay at rest."""
    world = rbdyn.World(0.002)
    world.add_ground()
    boxes = [world.add_box(0.1, 0.1, 0.1, 1.0) for _ in range(n)]
    for box in boxes:
        box.set_pose((0, 0, 0.05))
    world.step()
    assert len(world.contacts) > n
    assert max(np.abs(box.linear_velocity).max() for box in boxes) < 0.1
    assert len({tuple(box.position.round(6)) for box in boxes}) > 1


@pytest.mark.parametrize("restitution, gained", [(1.0, 1e-9), (0.5, 1e-9), (0.0, 1e-9)])
def test_blows_with_friction_gain_no_energy(restitution, gained):
    """Boxes that spin fast hit the ground, no gravity: Newton's law of restitution alone would add up to 70 %."""
    turned = 0
    for seed in range(100):
        rng = np.random.default_rng(seed)
        world = rbdyn.World(1e-3, gravity=(0, 0, 0))
        world.set_default_material(friction=rng.uniform(0.1, 1.5), restitution=restitution)
        world.add_ground()
        box = world.add_box(*rng.uniform(0.05, 0.5, 3), 1.0)
        q = rng.normal(size=4)
        box.set_velocity([*(2 * rng.normal(size=2)), -2 * abs(rng.normal()) - 0.3], 8 * rng.normal(size=3))
        box.set_pose((0, 0, 0.4), q / np.linalg.norm(q))
        start, down = box.kinetic_energy, box.linear_velocity[2]
        for _ in range(400):
            world.step()
            assert box.kinetic_energy <= start * (1.0 + gained)
        turned += box.linear_velocity[2] > down + 1e-6
    assert turned > 80


@pytest.mark.parametrize("dt", [2e-3, 5e-3])
def test_random_drops_stay_below_their_energy(dt):
    """Any shape, friction, restitution and spin: never above the energy of the start, never deeper than one step."""
    for seed in range(60):
        rng = np.random.default_rng(seed)
        world = rbdyn.World(dt)
        world.add_ground()
        world.set_default_material(friction=rng.uniform(0, 1.2), restitution=rng.choice([0.0, 0.5, 1.0]))
        body = list(SHAPES.values())[seed % 4](world)
        q = rng.normal(size=4)
        body.set_pose((0, 0, rng.uniform(0.5, 1)), q / np.linalg.norm(q))
        body.set_velocity(rng.normal(size=3), 5 * rng.normal(size=3))
        start, way = body.kinetic_energy + body.potential_energy, 0.0
        for _ in range(round(1.0 / dt)):
            fastest = np.linalg.norm(body.linear_velocity) + 0.3 * np.linalg.norm(body.angular_velocity)
            way = max(way, fastest * dt)
            world.step()
            assert body.kinetic_energy + body.potential_energy <= start * (1 + 1e-9)
            assert max([0.0, *(c.depth for c in world.contacts)]) < way + 1e-3


@pytest.mark.parametrize("dt", [1e-3, 1e-2])
def test_a_free_box_keeps_energy_and_momentum_to_rounding(dt):
    """Thin and thick boxes at some 10 rad/s about no principal axis."""
    for seed in range(5):
        rng = np.random.default_rng(seed)
        world = rbdyn.World(dt, gravity=(0, 0, 0))
        box = world.add_box(*rng.uniform(0.05, 0.5, 3), 1.0)
        box.set_velocity(rng.normal(size=3), 8 * rng.normal(size=3))
        energy, momentum, way = box.kinetic_energy, box.angular_momentum, box.rotation
        for _ in range(20):
            world.step(50)
            assert box.kinetic_energy == pytest.approx(energy, rel=1e-11)
            assert box.angular_momentum == pytest.approx(momentum, rel=1e-11, abs=1e-12)
        assert np.abs(box.rotation - way).max() > 0.1


def test_a_free_rod_spins_on():
    """The energy of a fast spin is kept: 0.8 rad a step about every axis at once."""
    world = rbdyn.World(0.002, gravity=(0, 0, 0))
    rod = world.add_box(0.1, 0.2, 0.6, 1.0)
    rod.set_velocity((0, 0, 0), (250.0, 200.0, 250.0))
    energy, momentum = rod.kinetic_energy, rod.angular_momentum
    world.step(2000)
    assert rod.kinetic_energy == pytest.approx(energy, rel=0.1)
    np.testing.assert_allclose(rod.angular_momentum, momentum, rtol=1e-9)


def test_a_double_pendulum_that_strikes_the_ground_gains_no_energy():
    """Restitution 1, friction 1, one contact: forces of the step made the bounce look like more than what comes in."""
    inertia = rbdyn.SpatialInertia(1.0, (0, 0, -0.25), np.diag([0.02, 0.02, 0.001]))
    arm = rbdyn.Mechanism(rbdyn.RigidBody("world"))
    bodies = [rbdyn.RigidBody(name, inertia=inertia) for name in ("upper", "lower")]
    tip = rbdyn.Transform(translation=(0, 0, -0.5))
    bodies[1].collision.append(rbdyn.Geometry(rbdyn.collision.Sphere(0.05), tip))
    arm.attach(arm.root_body, bodies[0], rbdyn.Joint("one", rbdyn.Revolute((0, 1, 0))))
    arm.attach(bodies[0], bodies[1], rbdyn.Joint("two", rbdyn.Revolute((0, 1, 0))), joint_pose=tip)
    world = rbdyn.World(1e-6, gravity=(0, 0, 0))
    world.add_ground(height=-0.8)
    world.set_default_material(friction=1.0, restitution=1.0)
    robot = world.add_articulated_system(arm)
    robot.set_state([0.7475831282, -0.0504498521], [-0.021634, -1.6835936])
    before = rbdyn.kinetic_energy(robot.state)
    world.step()
    assert abs(world.contacts[0].impulse[2]) > 0.01
    assert 0.05 < rbdyn.kinetic_energy(robot.state) <= before * (1 + 1e-9)


def throw(seed, dt, spin, friction, gravity):
    """A cube that spins about any axis falls on the ground and bounces once, e = 1; its energy over the one before."""
    rng = np.random.default_rng(seed)
    q, axis = rng.normal(size=4), rng.normal(size=3)
    world = rbdyn.World(dt, gravity=(0.0, 0.0, -gravity))
    world.add_ground()
    world.set_default_material(friction=friction, restitution=1.0)
    cube = world.add_box(0.1, 0.1, 0.1, 1.0)
    cube.set_pose((0.0, 0.0, 0.25), q / np.linalg.norm(q))
    cube.set_velocity((0.0, 0.0, -3.0), spin * axis / np.linalg.norm(axis))
    begin = cube.kinetic_energy + cube.potential_energy
    world.step(round(0.12 / dt))
    assert cube.linear_velocity[2] > -1.0  # it has bounced
    return (cube.kinetic_energy + cube.potential_energy) / begin


@pytest.mark.parametrize(("spin", "dt"), [(100.0, 4e-3), (50.0, 8e-3), (200.0, 2e-3)])
@pytest.mark.parametrize("gravity", [0.0, 9.81])
def test_perfect_bounces_of_spinning_cubes_gain_no_energy(spin, dt, gravity):
    """Two of five gained up to 76 %: a blow late in the step asked for more than came at its start, and no guard held.

    What falls during the step moves by rounded times: m g v dt of potential energy are left open with gravity.
    """
    room = 1.0 * gravity * 6.0 * dt / 10.0  # [J] over the least energy there is
    shares = [throw(seed, dt, spin, 0.5, gravity) for seed in range(60)]
    assert max(shares) < 1.0 + 1e-6 + room
    assert 0.6 < np.mean(shares) < 0.97  # friction takes some, and the guard no more than it must
    assert throw(3, dt, spin, 0.0, gravity) == pytest.approx(1.0, abs=1e-9 + room)
