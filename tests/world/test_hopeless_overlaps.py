"""Shapes of one robot that are in each other from the start: parted if they can be, else no contact till they part."""

import numpy as np
import pytest

import rbdyn
from rbdyn import World
from rbdyn.collision import ConvexHull, Sphere, distance
from rbdyn.mechanism import Joint, Mechanism, Prismatic, Revolute, RigidBody

RADIUS = 0.1


def body(name, radius=None):
    """A kilogramme, with a sphere around its origin."""
    link = RigidBody(name, inertia=rbdyn.SpatialInertia(1.0, (0, 0, 0), 0.01 * np.eye(3)))
    if radius is not None:
        link.collision.append(rbdyn.Geometry(Sphere(radius)))
    return link


def two_sliders(limits_a, limits_b):
    """Two balls on rails along x, on a carriage; without gravity or friction."""
    mechanism = Mechanism(RigidBody("world"))
    carriage = body("carriage")
    mechanism.attach(mechanism.root_body, carriage, Joint("lift", Prismatic((0, 0, 1))))
    for name, limits in (("a", limits_a), ("b", limits_b)):
        mechanism.attach(carriage, body(name, RADIUS), Joint(name, Prismatic((1, 0, 0)), position_limits=limits))
    world = World(2e-3, gravity=(0, 0, 0))
    world.set_default_material(friction=0.0)
    return world, world.add_articulated_system(mechanism)


def push(world, robot, force, steps):
    """Push b along x [N]."""
    for _ in range(steps):
        robot.set_generalized_force((0.0, 0.0, force))
        world.step()


def test_what_stops_keep_in_each_other_is_no_contact_until_it_has_parted():
    """Stops let a go no further left, b no further right: b passes through a in the end, and not back."""
    world, robot = two_sliders((0.0, 1.0), (-1.0, 0.15))
    robot.set_state((0.0, 0.0, 0.15), np.zeros(3))
    push(world, robot, -1.0, 1)
    assert robot.q[2] == pytest.approx(0.15, abs=1e-4) and any(c.impulse.any() for c in world.contacts)
    push(world, robot, -1.0, 999)
    assert robot.q[2] < -2.5 * RADIUS  # through, and out again
    gaps = []
    for _ in range(3000):
        push(world, robot, 4.0, 1)
        gaps.append(robot.q[1] - robot.q[2] - 2.0 * RADIUS)
    assert min(gaps) == pytest.approx(0.0, abs=1e-4)  # it carries a along


def test_what_can_part_is_parted():
    """With room on one side the same two go apart, and stay so."""
    world, robot = two_sliders((0.0, 1.0), (-1.0, 1.0))
    robot.set_state((0.0, 0.0, 0.15), np.zeros(3))
    push(world, robot, -1.0, 2000)
    assert robot.q[2] - robot.q[1] == pytest.approx(2.0 * RADIUS, abs=1e-4)


def test_what_came_together_by_itself_stays_in_contact():
    """Pressed from a gap, for as long as you like."""
    world, robot = two_sliders((0.0, 1.0), (-1.0, 0.3))
    robot.set_state((0.0, 0.0, 0.25), np.zeros(3))
    push(world, robot, -50.0, 3000)
    assert robot.q[2] - robot.q[1] == pytest.approx(2.0 * RADIUS, abs=1e-4)


def three_links():
    """A pendulum of three links whose last one lies in the first in every pose."""
    mechanism = Mechanism(RigidBody("world"))
    last, at = mechanism.root_body, 0.0
    for name, radius in (("upper", 0.2), ("middle", None), ("lower", 0.2)):
        link = body(name, radius)
        joint = Joint(name, Revolute(axis=(0, 1, 0)))
        mechanism.attach(last, link, joint, joint_pose=rbdyn.Transform(translation=(0.0, 0.0, at)))
        last, at = link, -0.1
    return mechanism


def test_links_that_overlap_in_every_pose_swing_as_if_they_did_not():
    """Once it is clear that no push parts them they move as a robot that does not collide with itself."""
    world = World(1e-3)
    robot = world.add_articulated_system(three_links())
    world.step()
    assert world.contacts
    world.step(1499)
    assert not world.contacts
    ghost = World(1e-3)
    twin = ghost.add_articulated_system(three_links(), self_collision=False)
    robot.set_state(robot.q, (1.0, 0.5, -0.5))
    world.step(1500)  # they are asked anew
    twin.set_state(robot.q, robot.v)
    start = robot.q
    examined = 0
    for _ in range(200):
        world.step()
        examined += bool(world.contacts)
    ghost.step(200)
    assert examined < 20
    assert robot.q == pytest.approx(twin.q, abs=1e-3) and np.abs(robot.q - start).max() > 1e-2


# ---- an oracle that examines every pair in every step ----------------------------------------------

LINKS = 6


def entangled_arm(rng):
    """Links of random hulls, of which some overlap in every pose, some where they start, some never."""
    mechanism = Mechanism(RigidBody("world"))
    last = mechanism.root_body
    for k in range(LINKS):
        link = body(f"link_{k}")
        cloud = rng.normal(size=(30, 3)) * rng.uniform(0.03, 0.12, 3)
        link.collision.append(rbdyn.Geometry(ConvexHull(cloud)))
        axis = rng.normal(size=3)
        joint = Joint(f"joint_{k}", Revolute(axis=axis / np.linalg.norm(axis)))
        mechanism.attach(last, link, joint, joint_pose=rbdyn.Transform(translation=rng.uniform(-0.15, 0.15, 3)))
        last = link
    return mechanism


def distances(robot, hulls):
    """Signed distance of each two links that are not joined [m]."""
    poses = [robot.body_pose(f"link_{k}") for k in range(LINKS)]
    return {
        (i, j): distance(hulls[i], poses[i], hulls[j], poses[j]).distance for j in range(LINKS) for i in range(j - 1)
    }


def linked(contact):
    """Numbers of the two links that touch."""
    return tuple(sorted(int(str(name)[-1]) for name in (contact.body_a, contact.body_b)))


@pytest.mark.filterwarnings("ignore::rbdyn.errors.SetupWarning")
def test_only_overlaps_that_are_left_alone_are_passed_over(seed):
    """Overlaps are listed, unless they were there at first, pushes part them not, and they have not parted since."""
    rng = np.random.default_rng(seed)
    world = World(1e-3)
    mechanism = entangled_arm(rng)
    hulls = [b.collision[0].shape for b in mechanism.bodies if b.collision]
    robot = world.add_articulated_system(mechanism)
    robot.set_state(rng.uniform(-1.0, 1.0, LINKS), rng.normal(size=LINKS))
    idle = set()
    for step in range(600):
        apart = distances(robot, hulls)
        world.integrate1()
        found = {linked(c) for c in world.contacts}
        inside = {pair for pair, d in apart.items() if d < -2.0 * world.contact_slop}
        assert inside - found <= idle, step
        world.integrate2()
        pushed = {linked(c) for c in world.contacts if c.impulse.any()}
        idle = (idle | (found - pushed)) - pushed - {pair for pair, d in apart.items() if d > 0.0}
