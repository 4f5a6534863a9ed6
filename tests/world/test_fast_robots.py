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


ARM = (  # of each link: mass, centre of mass, moments of inertia; its joint; where that is, and how it stands
    (0.1335, (-0.037, -0.181, 0.189), (0.0019, 0.0065, 0.0080), ("j0", rbdyn.Revolute((1, 0, 0))),
     (-0.1591, 0.3183, -0.4626), (0.0969, -0.0864, -0.0502)),
    (0.2332, (0.0567, 0.0218, -0.072), (0.00134, 0.00188, 0.00298), ("j1", rbdyn.Planar()),
     (0.23, 0.0321, 0.2362), (0.1976, 0.2151, -0.0488)),
    (0.2091, (-0.0741, -0.0562, 0.0655), (0.00196, 0.00366, 0.00371),
     ("j2", rbdyn.Revolute((-0.3063, 0.2026, -0.9301))),
     (0.1575, -0.0326, -0.1155), (0.4012, 0.0246, 0.6129)),
    (0.1014, (0.0715, -0.001, 0.08), (0.00023, 0.0009, 0.00108), ("j3", rbdyn.Spherical()),
     (0.1082, 0.1466, -0.0098), (0.4179, 1.2486, -0.9952)),
    (0.7847, (-0.0569, -0.06, 0.04), (0.00298, 0.0055, 0.0066), ("j4", rbdyn.Revolute((0.8654, -0.3230, -0.3830))),
     (0.1959, 0.0837, 0.0447), (-0.442, -1.3932, 0.3221)),
    (8.651, (-0.1064, -0.027, -0.1688), (0.143, 0.352, 0.385), ("j5", rbdyn.Prismatic((0, 0, 1))),
     (0.2479, -0.4356, -0.4014), (0.8402, -0.5825, 0.0775)),
)  # fmt: skip
AT = [-0.1974, -0.6868, -2.0014, -1.8277, 0.11493544, 0.50966211, -0.01562243, -0.68516418, -0.52014471, 2.4513, 7.399]
SPEEDS = [4.582, -2.295, 0.658, -2.295, 0, 12.82, -14.51, 3.975, 13.84, 21.34]
GAINS = [50.78, 95.86, 95.86, 5.406, 22.25, 6.788, 64.23, 66.31, 29.23, 284.1]
DAMPING = [1.115, 2.105, 2.105, 0.119, 0.489, 0.149, 1.41, 1.456, 0.642, 6.238]
TARGET = [-0.1374, 0, 0, 0, 0.0959, 1, 0, 0, 0, 0.8854, 0.3397]


@pytest.mark.parametrize("push", [0.5, 0.8, 0.9, 1.0])
def test_joints_that_fly_past_a_limit_in_parts_of_a_step_are_seen_to(push):
    """1.2 kN on a light link of an arm that PD control holds at a limit: in one step of 5 ms its joints turn by most of
    a radian, as the Runge-Kutta method has it too.  With forces of joints that stand at their limits, while they fly
    past them, the kinetic energy became 1e13 J, or no number."""
    energies = []
    for integrator in ("trapezoid", "rk4"):
        m = rbdyn.Mechanism(rbdyn.RigidBody("world"))
        last = m.root_body
        for k, (mass, com, moments, (name, kind), place, rpy) in enumerate(ARM):
            options = {"position_limits": (-0.1481, 0.11493544)} if name == "j2" else {}
            options |= {"rotor_inertia": 20.92} if name == "j5" else {}
            body = rbdyn.RigidBody(f"link{k}", rbdyn.SpatialInertia(mass, com, np.diag(moments)))
            m.attach(last, body, rbdyn.Joint(name, kind, **options), rbdyn.Transform(translation=place, rpy=rpy))
            last = body
        world = rbdyn.World(5e-3)
        world.integrator = integrator
        robot = world.add_articulated_system(m, self_collision=False)
        robot.set_state(AT, SPEEDS)
        robot.set_pd_gains(GAINS, DAMPING)
        robot.set_pd_target(TARGET)
        robot.set_external_force("link2", push * np.array([931.5, -9.8, 733.8]))
        world.step()
        energies.append(rbdyn.kinetic_energy(robot.state))
    assert energies[0] == pytest.approx(energies[1], rel=0.02)
