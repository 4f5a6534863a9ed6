"""Robots whose joints turn by tenths of a radian in a step: they neither explode nor gain energy."""

import importlib.metadata
from pathlib import Path

import numpy as np
import pytest

import rbdyn
from rbdyn import io
from rbdyn.collision import Sphere
from rbdyn.mechanism import Geometry, Joint, Mechanism, Revolute, RigidBody
from rbdyn.spatial import SpatialInertia, Transform


def robot(name):
    try:
        files = importlib.metadata.files("example-robot-data") or []
    except importlib.metadata.PackageNotFoundError:
        files = []
    found = [Path(f.locate()).resolve() for f in files if str(f).endswith("/" + name)]
    if not found:
        pytest.skip("example-robot-data is not installed")
    return found[0]


def energy(system):
    return rbdyn.kinetic_energy(system.state) + rbdyn.potential_energy(system.state)


def whip(links, rng):
    """Links on hinges that are all but parallel, and nearly straight: it has velocities of little energy."""
    chain = Mechanism(RigidBody("world"))
    last, axis = chain.root_body, np.array([0.0, 0.0, 1.0])
    for k in range(links):
        axis = axis + 0.01 * rng.normal(size=3)
        step = np.array([0.2, 0.0, 0.0])
        body = RigidBody(f"link{k}", inertia=SpatialInertia(2.0 ** -k, step / 2, 2.0 ** -k * 1e-3 * np.eye(3)))
        place = Transform(translation=step if k else (0.0, 0.0, 0.0))
        chain.attach(last, body, Joint(f"joint{k}", Revolute(axis=axis / np.linalg.norm(axis))), joint_pose=place)
        last = body
    return chain


@pytest.mark.parametrize("dt", [2e-3, 5e-3])
def test_a_whip_keeps_its_energy(seed, dt):
    """Up to 70 rad/s at its joints to begin with, several times that on the way; nothing acts on it but its base."""
    rng = np.random.default_rng(seed)
    world = rbdyn.World(dt, gravity=(0, 0, 0))
    one = world.add_articulated_system(whip(4, rng))
    one.set_state(rng.uniform(-1, 1, 4), rng.uniform(-70, 70, 4))
    start, fastest = energy(one), 0.0
    for _ in range(round(0.5 / dt)):
        world.step()
        fastest = max(fastest, np.abs(one.v).max() * dt)
        assert energy(one) == pytest.approx(start, rel=0.05)
    assert fastest > 0.125


def test_parts_of_a_step_are_driven_as_a_whole():
    """A wheel that turns by a radian in a step: a motor's torque, damping and PD control do what closed forms say."""
    def wheel(**options):
        alone = Mechanism(RigidBody("world"))
        body = RigidBody("rim", inertia=SpatialInertia(1.0, (0, 0, 0), 0.5 * np.eye(3)))
        alone.attach(alone.root_body, body, Joint("hub", Revolute(axis=(0, 0, 1)), **options))
        world = rbdyn.World(0.01)
        return world, world.add_articulated_system(alone)

    world, one = wheel()
    one.set_state([0.0], [100.0])
    one.set_generalized_force([3.0])
    world.step(50)
    assert one.v[0] == pytest.approx(100.0 + 3.0 / 0.5 * 0.5, rel=1e-12)
    assert one.q[0] == pytest.approx(100.0 * 0.5 + 0.5 * 6.0 * 0.25, rel=1e-12)
    world, one = wheel(damping=0.2)
    one.set_state([0.0], [100.0])
    world.step(50)
    assert one.v[0] == pytest.approx(100.0 * np.exp(-0.2 / 0.5 * 0.5), rel=1e-5)


def test_a_limp_robot_that_beats_itself_keeps_its_momentum(seed):
    """In free fall, its joints at up to 60 rad/s, link against link at 5 ms: no energy is made, and no momentum."""
    rng = np.random.default_rng(seed)
    world = rbdyn.World(5e-3, gravity=(0, 0, 0))
    one = world.add_articulated_system(io.load_urdf(robot("anymal_c_simple_description/urdf/anymal.urdf")))
    q, v = one.model.random(seed), rng.uniform(-60, 60, one.nv)
    q[:3], v[:6] = 0.0, rng.normal(size=6)
    one.set_state(q, v)
    before, start = rbdyn.momentum(one.state), energy(one)
    least = start
    for _ in range(100):
        world.step()
        assert energy(one) <= least + 1e-3 * start
        least = min(least, energy(one))
    assert rbdyn.momentum(one.state) == pytest.approx(before, abs=1e-12 * start)
    assert least < 0.6 * start, "its links and stops take none"


def test_what_others_push_is_not_slowed():
    """A ball that hits an arm gives it energy: as much at 5 ms, a quarter of a radian a step, as at 0.1 ms."""
    ends = []
    for dt in (5e-3, 1e-4):
        world = rbdyn.World(dt, gravity=(0, 0, 0))
        world.set_default_material(0.0, 0.0, 0.0)
        arm = Mechanism(RigidBody("world"))
        link = RigidBody("link", inertia=SpatialInertia(0.1, (0.2, 0, 0), 1e-3 * np.eye(3)))
        link.collision.append(Geometry(Sphere(0.05), Transform(translation=(0.2, 0.0, 0.0))))
        arm.attach(arm.root_body, link, Joint("hinge", Revolute(axis=(0, 0, 1))))
        one = world.add_articulated_system(arm)
        ball = world.add_sphere(0.05, 5.0)
        ball.set_pose((0.2, -0.11, 0.0))
        ball.set_velocity((0.0, 10.0, 0.0))
        world.step(round(0.02 / dt))
        ends.append(one.v[0])
    assert ends[0] == pytest.approx(ends[1], rel=1e-2) and ends[0] > 40.0


def test_an_arm_thrown_on_the_ground_bounces_without_gain():
    """A free UR5, any speed, restitution 1, no friction: what a blow leaves is bounded with the momentum it brings."""
    rng = np.random.default_rng(2)
    world = rbdyn.World(2e-3)
    world.set_default_material(friction=0.0, restitution=1.0)
    world.add_ground()
    arm = io.load_urdf(robot("ur5_robot.urdf"), floating=True)
    for joint in arm.tree_joints:
        joint.velocity_limit = None
    one = world.add_articulated_system(arm)
    one.set_state(v=rng.normal(size=one.nv))
    quaternion = rng.normal(size=4)
    one.set_base_pose((0.0, 0.0, 1.2), quaternion / np.linalg.norm(quaternion))
    start = lowest = energy(one)
    blows = 0
    for _ in range(500):
        world.step()
        blows += any(np.linalg.norm(c.impulse) > 0.0 for c in world.contacts)
        now = energy(one)
        assert now < lowest + 0.01 * start
        lowest = min(lowest, now)
    assert blows > 5


def test_a_limp_whip_with_damping_gains_no_more_than_a_thousandth(seed):
    """At up to 60 rad/s and 5 ms; damping is an implicit term, its parts are of order 2 and gained up to 2 %."""
    rng = np.random.default_rng(seed)
    chain = Mechanism(RigidBody("world"))
    last = chain.root_body
    for k in range(6):
        axis, step = rng.normal(size=3), np.array([0.1, 0.0, 0.0])
        mass = 4.0
        body = RigidBody(f"link{k}", inertia=SpatialInertia(mass, step / 2, 1e-4 * mass * np.eye(3)))
        joint = Joint(f"joint{k}", Revolute(axis=axis / np.linalg.norm(axis)), damping=0.003 * (k > 1))
        chain.attach(last, body, joint, joint_pose=Transform(translation=step))
        last = body
    world = rbdyn.World(5e-3)
    one = world.add_articulated_system(chain)
    one.set_state(rng.uniform(-2, 2, 6), rng.uniform(-60, 60, 6))
    for _ in range(60):
        before, kinetic = energy(one), rbdyn.kinetic_energy(one.state)
        world.step()
        assert energy(one) <= before + 1.1e-3 * kinetic + 1e-3
