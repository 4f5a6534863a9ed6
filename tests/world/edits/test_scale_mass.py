"""A body of another density: mass and inertia change together, and the centre of mass stays."""

import numpy as np
import pytest

import rbdyn
from rbdyn import Joint, Mechanism, Revolute, RigidBody, SpatialInertia, Transform
from rbdyn.collision import Box


def solid(name, rng):
    """A box off its frame's origin, turned: no entry of its inertia is 0."""
    inertia = SpatialInertia.from_shape(Box(tuple(rng.uniform(0.1, 1.0, 3))), mass=float(rng.uniform(1.0, 5.0)))
    place = Transform(rpy=rng.uniform(-1, 1, 3), translation=rng.uniform(-0.5, 0.5, 3))
    return RigidBody(name, inertia.transformed(place))


def arm(seed, factor=1.0):
    """Two links and a tool that a fixed joint holds; `factor` is that of the density of link 1 and of the tool."""
    rng = np.random.default_rng(seed)
    bodies = [solid(name, rng) for name in ("link 0", "link 1", "tool")]
    place = Transform(rpy=(0.3, -0.2, 0.5), translation=(0.4, 0.1, -0.2))
    for body in bodies[1:]:
        body.take_inertia(SpatialInertia(factor * body.inertia.mass, body.inertia.com, factor * body.inertia.inertia))
    m = Mechanism(RigidBody("world"))
    m.attach("world", bodies[0], Joint("a", Revolute((0, 1, 0))))
    m.attach("link 0", bodies[1], Joint("b", Revolute((1, 0, 0))), joint_pose=place)
    m.attach("link 1", bodies[2], Joint("bolts", rbdyn.Fixed()), joint_pose=place)
    return m


def test_links_of_a_robot_are_scaled_whole(seed):
    factor, q = 0.4 + 0.7 * seed, [0.4, -0.9]
    world = rbdyn.World()
    robot, wanted = world.add_articulated_system(arm(seed), "given"), world.add_articulated_system(arm(seed, factor))
    before = rbdyn.mass_matrix(robot.state)
    com = robot.body("link 1").com.copy()
    for name in ("link 1", "tool"):
        robot.body(name).scale_mass(factor)
        assert robot.body(name).mass == pytest.approx(wanted.body(name).mass, rel=1e-14)
        assert np.allclose(robot.body(name).inertia, wanted.body(name).inertia, rtol=1e-13, atol=0)
    assert np.array_equal(robot.body("link 1").com, com)
    for one in (robot, wanted):
        one.set_state(q)
    assert np.allclose(rbdyn.mass_matrix(robot.state), rbdyn.mass_matrix(wanted.state), rtol=1e-12, atol=1e-12)
    assert abs(rbdyn.mass_matrix(robot.state) - before).max() > 0.01
    world.step(100)
    assert np.allclose(robot.q, wanted.q, rtol=0, atol=1e-12) and np.allclose(robot.v, wanted.v, rtol=0, atol=1e-11)
    assert robot.mechanism.find_body("tool").inertia == robot.body("tool").spatial_inertia


def test_mass_alone_leaves_the_inertia(seed):
    robot, _world = (world := rbdyn.World()).add_articulated_system(arm(seed)), world
    link = robot.body("link 1")
    inertia = link.inertia.copy()
    link.mass = 2.0 * link.mass
    assert np.array_equal(link.inertia, inertia)
    link.scale_mass(0.5)
    assert np.array_equal(link.inertia, 0.5 * inertia)


def test_a_body_of_a_mechanism_is_scaled(seed):
    body = solid("body", np.random.default_rng(seed))
    old = body.inertia
    body.scale_mass(3.0)
    assert body.inertia.mass == 3.0 * old.mass and np.array_equal(body.inertia.com, old.com)
    assert np.allclose(body.inertia.matrix, 3.0 * old.matrix, rtol=1e-13, atol=1e-13)


def test_a_single_body_is_scaled(seed):
    world = rbdyn.World()
    box, plate = world.add_box(0.1, 0.2, 0.3, 2.0), world.add_box(1, 1, 1, body_type="static")
    inertia, mass = box.inertia.copy(), plate.mass
    box.scale_mass(1.5 + seed)
    assert box.mass == 2.0 * (1.5 + seed) and np.allclose(box.inertia, (1.5 + seed) * inertia, rtol=1e-15, atol=0)
    plate.scale_mass(2.0)
    assert plate.mass == 2.0 * mass


@pytest.mark.parametrize("factor", [0.0, -1.0, np.nan, np.inf, "2", None])
def test_other_factors_change_nothing(factor):
    world = rbdyn.World()
    robot, box = world.add_articulated_system(arm(0)), world.add_box(0.1, 0.1, 0.1, 1.0)
    for thing in (robot.body("link 1"), robot.mechanism.find_body("link 1"), box):
        with pytest.raises(rbdyn.Error, match="factor"):
            thing.scale_mass(factor)
    assert robot.body("link 1").spatial_inertia == arm(0).find_body("link 1").inertia and box.mass == 1.0


def test_not_between_the_halves():
    world = rbdyn.World()
    robot = world.add_articulated_system(arm(0))
    world.integrate1()
    with pytest.raises(rbdyn.BusyError):
        robot.body("link 1").scale_mass(2.0)
    world.integrate2()
    assert robot.body("link 1").mass == arm(0).find_body("link 1").inertia.mass
