"""Robots whose own links touch, and chains that are nearly singular: they fall, and come to rest."""

import importlib.metadata
from pathlib import Path

import numpy as np
import pytest

import rbdyn
from rbdyn.collision import Sphere
from rbdyn.contact import BisectionSolver
from rbdyn.mechanism import Joint, Mechanism, Prismatic, Revolute, RigidBody
from rbdyn.spatial import SpatialInertia, Transform


def robot(name):
    try:
        files = importlib.metadata.files("example-robot-data") or []
    except importlib.metadata.PackageNotFoundError:
        files = []
    found = [Path(f.locate()).resolve() for f in files if str(f).endswith(name)]
    if not found:
        pytest.skip("example-robot-data is not installed")
    return found[0]


def simulate(world, robot, seconds):
    """Largest impulse [N s] and speed on the way."""
    impulse = speed = 0.0
    for _ in range(round(seconds / world.time_step)):
        world.step()
        impulse = max([impulse, *(float(np.linalg.norm(c.impulse)) for c in world.contacts)])
        speed = max(speed, float(np.abs(robot.v).max()))
    return impulse, speed


def test_the_panda_falls_and_rests():
    """No control: it folds onto itself and the ground, link on link two joints apart, and lies still."""
    world = rbdyn.World()
    world.add_ground()
    panda = world.add_articulated_system(robot("panda_description/urdf/panda.urdf"), floating=False)
    impulse, speed = simulate(world, panda, 6.0)
    assert 1.0 < impulse < 1e4 and 1.0 < speed < 100.0
    assert len(world.contacts) > 0 and np.abs(panda.v).max() < 1e-5


def test_wedged_links_are_not_held_by_force():
    """A Centauro dropped in a pose in which legs and pelvis overlap: its weight is 0.9 kN, and it falls at 5 m/s."""
    world = rbdyn.World(2.5e-3)
    world.add_ground()
    centauro = world.add_articulated_system(robot("centauro_description/urdf/centauro.urdf"))
    q = centauro.model.random(1)
    q[:3] = 0.0, 0.0, 1.5
    centauro.set_state(q, np.zeros(centauro.nv))
    impulse, speed = simulate(world, centauro, 1.2)
    assert 50.0 < impulse < 1e4 and 1.0 < speed < 100.0


@pytest.mark.parametrize("dt", [1e-3, 2.5e-3])
def test_a_limp_quadruped_stays_in_one_piece(seed, dt):
    """ANYmal-C in a random pose dropped without control, its links colliding with one another."""
    rng = np.random.default_rng(seed)
    world = rbdyn.World(dt)
    world.add_ground()
    anymal = world.add_articulated_system(robot("anymal_c_simple_description/urdf/anymal.urdf"))
    q = np.array(anymal.q)
    quat = rng.normal(size=4)
    q[2], q[3:7], q[7:] = 0.8, quat / np.linalg.norm(quat), q[7:] + rng.uniform(-0.5, 0.5, 12)
    anymal.set_state(q, np.zeros(anymal.nv))
    impulse, speed = simulate(world, anymal, 2.0)
    assert 1.0 < impulse < 1e4 and speed < 100.0


class Accountant(BisectionSolver):
    """The default solver; notes what its impulses did to the kinetic energy, and how large it was."""

    def __init__(self):
        super().__init__()
        self.gain = self.size = 0.0

    def solve(self, problem):
        super().solve(problem)
        lam, v_free = problem.impulse.reshape(-1), problem.v_free.reshape(-1)
        with_impulse = problem.delassus @ lam
        terms = np.abs(lam * (v_free + with_impulse / 2))
        self.gain = max(self.gain, float(lam @ (v_free + with_impulse / 2)) - 1e-9 * float(terms.sum()))
        self.size = max(self.size, float(terms.sum()))


def near_singular_chain(rng):
    """One to five links on a fixed base, joints nearly parallel or in line, links nearly straight; balls as links."""
    chain = Mechanism(RigidBody("world"))
    last, slope = chain.root_body, 10.0 ** -rng.uniform(1, 12)
    axis = rng.normal(size=3)
    for k in range(int(rng.integers(1, 6))):
        radius = rng.uniform(0.03, 0.07)
        mass = 10.0 ** rng.uniform(-1, 1)
        axis = axis + slope * rng.normal(size=3)
        axis /= np.linalg.norm(axis)
        kind = Revolute(axis=axis) if rng.random() < 0.75 else Prismatic(axis=axis)
        step = np.array([0.12, 0.0, 0.0]) + slope * rng.normal(size=3)
        body = RigidBody(f"link{k}", inertia=SpatialInertia(mass, step / 2, mass * radius**2 * np.eye(3)))
        body.collision.append(rbdyn.mechanism.Geometry(Sphere(radius), Transform(translation=step)))
        place = Transform(translation=step if k else (0.0, 0.0, rng.uniform(0.05, 0.5)))
        chain.attach(last, body, Joint(f"joint{k}", kind), joint_pose=place)
        last = body
    return chain


def dropped_chain(seed, correct, **options):
    """A World with a random chain above the ground, no link in another; None if this seed starts with an overlap."""
    rng = np.random.default_rng(seed)
    world = rbdyn.World(0.002, **options)
    if not correct:
        world.set_erp(0.0, 0.0)
        world.contact_margin = 0.0
    world.add_ground()
    chain = world.add_articulated_system(near_singular_chain(rng))
    chain.set_state(chain.q + 0.3 * rng.normal(size=chain.nq), rng.normal(size=chain.nv))
    world.integrate1()
    apart = max([c.depth for c in world.contacts], default=0.0) <= 1e-5
    world.integrate2()
    return (world, chain) if apart else None


WEDGED_CHAINS = [2854, 3896, 5160, 5359, 6833, 7732, 8000, 8336, 9479]      # friction blocks what hardly moves
HARD_CHAINS = [1284, 2086, 2898, 3371, 3790, 6531, 6799, 6933, 8786, 9129]      # nearly blocked contacts, and deep ones


def test_near_singular_chains_gain_no_energy(seed):
    """Ten chains a seed dropped on the ground and on themselves.

    Position correction is off and contacts begin at touch: then v_free is the bodies' own velocity, and the work of the
    impulses, lam . (v_free + G lam / 2), all that contact does to the energy.
    """
    touched = 0
    for k in [*range(10 * seed, 10 * seed + 10), HARD_CHAINS[seed % 10]]:
        solver = Accountant()
        if made := dropped_chain(k, False, contact=solver):
            made[0].step(150)
            assert solver.gain <= 0.0, k
            touched += solver.size > 1e-6
    assert touched > 0 or seed > 3, "a check that never touched anything"


def test_near_singular_chains_are_pushed_apart_gently(seed):
    """The same with position correction, which may add energy; the impulses stay those of bodies that fall."""
    touched = 0
    for k in [*range(10 * seed, 10 * seed + 10), HARD_CHAINS[seed % 10], HARD_CHAINS[(seed + 4) % 10]]:
        if made := dropped_chain(k, True):
            impulse, speed = simulate(*made, 0.3)
            assert impulse < 1e4 and speed < 1e3, k
            touched += impulse > 0.01
    assert touched > 0 or seed > 3, "a check that never touched anything"


def test_contacts_that_hardly_move_in_some_direction_do_not_wedge():
    """Joints nearly parallel: friction along the direction in which they all but hold still stops them by leverage.

    An exact cone takes 1e4 to 7e5 N s for it, where links of some kilograms move at some metres per second.
    """
    largest = max(simulate(*dropped_chain(k, True), 0.3)[0] for k in WEDGED_CHAINS)
    assert 1.0 < largest < 4e3


@pytest.mark.parametrize("number", [5972, 3247, 1400])
def test_chains_that_whip_through_a_singularity_do_not_explode(number):
    """Joints turn by up to 0.7 rad in a step, and what velocities are worth changes tenfold; 5972 got to 1e281 J."""
    world, chain = dropped_chain(number, False)
    most, least, turn = 0.0, np.inf, 0.0
    for _ in range(150):
        world.step()
        kinetic = rbdyn.kinetic_energy(chain.state)
        energy = kinetic + rbdyn.potential_energy(chain.state)
        most, least, turn = max(most, kinetic), min(least, energy), max(turn, np.abs(chain.v).max() * 0.002)
        assert energy < least + 0.05 * most
    assert turn > 0.15


@pytest.mark.parametrize("dt", [2e-3, 1e-3, 5e-4])
@pytest.mark.parametrize("number", [7441, 5149])
def test_a_contact_does_not_follow_its_bend_where_its_link_hardly_moves(number, dt):
    """Near a singularity that took any energy: 7441 lay down with 0.6 J, and flew up with 37 to 890 J in one step."""
    world, chain = dropped_chain(number, False)
    world.time_step = dt
    most, least = 0.0, np.inf
    for _ in range(round(0.3 / dt)):
        world.step()
        kinetic = rbdyn.kinetic_energy(chain.state)
        energy = kinetic + rbdyn.potential_energy(chain.state)
        most, least = max(most, kinetic), min(least, energy)
        assert energy < least + 0.01 * most
    assert most > 5.0


class Watched(BisectionSolver):
    """Keeps the velocities along contacts that steps began with."""

    def solve(self, problem):
        self.v_start = np.array(problem.v_start).reshape(-1)[:3]
        super().solve(problem)


@pytest.mark.parametrize("friction", [0.0, 0.6])
def test_the_contact_of_a_planar_arm_follows_its_bend(friction):
    """A step looks at a contact half a step back: v_start lacks half of what its velocity changed by in the last one.

    The arm cannot move across its plane; along it, it can be pushed as usual.
    """
    dt, radius, lengths = 1e-3, 0.05, (0.5, 0.4)
    arm, tip = Mechanism(RigidBody("world")), None
    for k, length in enumerate(lengths):
        inertia = SpatialInertia(1.0, (0.0, 0.0, -0.5 * length), 0.02 * np.eye(3))
        link = RigidBody(f"link{k}", inertia=inertia)
        if k == 1:
            link.collision.append(rbdyn.mechanism.Geometry(Sphere(radius), Transform(translation=(0.0, 0.0, -length))))
        place = Transform(translation=(0.0, 0.0, -lengths[0] if k else 0.0))
        arm.attach(tip or arm.root_body, link, Joint(f"hinge{k}", Revolute(axis=(0, 1, 0))), joint_pose=place)
        tip = link
    solver = Watched()
    world = rbdyn.World(dt, gravity=(0, 0, 0), contact=solver)
    world.set_default_material(friction, 0.0, 0.0)
    robot = world.add_articulated_system(arm)
    q, v = np.array([0.7, -1.2]), np.array([0.4, 1.5])
    heights = [lengths[0] * np.cos(q[0]), lengths[1] * np.cos(q.sum())]
    world.add_ground(-sum(heights) - radius + 1e-6)      # that deep
    robot.set_state(q, v)

    def at_contact(q, v):
        """Velocity of the ball's material at its lowest point, world x and z [m/s]."""
        turns, legs = np.cumsum(v), np.array([lengths[0], lengths[1]])
        angle = np.cumsum(q)
        x = -legs * np.cos(angle) * turns                              # from joint to joint: (-sin, -cos) of angle
        z = legs * np.sin(angle) * turns
        return np.array([x.sum() - radius * turns[1], z.sum()])

    world.step()
    before, q, v = q, np.array(robot.q), np.array(robot.v)
    world.step()
    now, then = at_contact(q, v), at_contact(before, v)
    assert np.linalg.norm(now - then) > 1e-4
    seen = np.array([np.linalg.norm(solver.v_start[:2]), solver.v_start[2]])
    mean = 0.5 * (now + then)
    np.testing.assert_allclose(seen, [abs(mean[0]), mean[1]], atol=0.02 * np.linalg.norm(now - then))


def test_a_contact_near_the_axis_of_its_joint_does_not_spin_it():
    """A ball 1 mm from the axis overlaps with a fixed one by 3 cm.

    It takes 1,000 rad/s to part them at 1 m/s, a radian in a step; the correction moves no faster than what would take
    the energy of the link's 2 kg at 1 m/s, 14 rad/s.  It leaves no velocity.
    """
    arm = Mechanism(RigidBody("world"))
    link = RigidBody("link", inertia=SpatialInertia(2.0, (0.0, 0.0, 0.0), 0.01 * np.eye(3)))
    link.collision.append(rbdyn.mechanism.Geometry(Sphere(0.05), Transform(translation=(1e-3, 0.0, 0.0))))
    arm.attach(arm.root_body, link, Joint("hinge", Revolute(axis=(0, 0, 1))))
    world = rbdyn.World(0.001, gravity=(0, 0, 0))
    world.set_default_material(0.0, 0.0, 0.0)
    robot = world.add_articulated_system(arm)
    ball = world.add_sphere(0.05, 1.0)
    ball.set_pose((0.001, 0.07, 0.0))
    ball.body_type = "static"
    fastest = 0.0
    for _ in range(100):
        before = robot.q[0]
        world.step()
        fastest = max(fastest, abs(robot.q[0] - before) / 0.001)
        assert robot.v[0] == 0.0
    assert 0.1 < fastest <= np.sqrt(2.0 / 0.01) * (1.0 + 1e-6)


@pytest.mark.parametrize("restitution", [0.0, 0.5])
def test_a_robot_that_falls_on_limbs_about_to_touch_is_stopped(restitution):
    """A HyQ, limp: while its legs come near one another, the ground must still hold it."""
    rng = np.random.default_rng(0)
    world = rbdyn.World(2e-3)
    world.set_default_material(0.8, restitution)
    world.add_ground()
    one = world.add_articulated_system(robot("/hyq_no_sensors.urdf"), floating=True)
    quaternion = rng.normal(size=4)
    one.set_state(v=rng.normal(size=one.nv))
    one.set_base_pose((0.0, 0.0, 1.2), quaternion / np.linalg.norm(quaternion))
    depths = []
    for _ in range(400):
        world.step()
        depths += [c.depth for c in world.contacts if c.object_a is not c.object_b]
    assert depths
    assert max(depths) < 0.02


@pytest.mark.parametrize(
    "name, seconds", [("kinova.urdf", 0.15), ("tiago_pro.urdf", 0.1), ("pr2.urdf", 0.1), ("icub_reduced.urdf", 0.1)]
)
def test_robots_whose_links_overlap_from_the_start_stay_in_one_piece(name, seconds):
    """Hulls of neighbours but one that overlap in every pose: no velocities part them all; no energy is made of it."""
    world = rbdyn.World(2.5e-3)
    world.add_ground()
    one = world.add_articulated_system(robot("/" + name))
    q = np.array(one.model.neutral())
    if one.model.floating_base:
        q[2] = 1.5
    one.set_state(q, np.zeros(one.nv))
    start = rbdyn.kinetic_energy(one.state) + rbdyn.potential_energy(one.state)
    world.step()
    assert len(world.contacts) > 10
    impulse, _ = simulate(world, one, seconds)
    assert impulse < 1e4
    assert rbdyn.kinetic_energy(one.state) + rbdyn.potential_energy(one.state) < start + 1e-6


@pytest.mark.parametrize("name, number", [("panda_collision.urdf", 1), ("panda_collision.urdf", 3), ("go2.urdf", 1)])
def test_an_overlap_that_no_push_lessens_is_left_alone(name, number):
    """Links that overlap by 34 and 7 mm in every pose: pushes would turn joints to and fro for ever.

    Moved by hand, it is tried anew, and does what it did.
    """
    world = rbdyn.World(2.5e-3, gravity=(0, 0, 0))
    one = world.add_articulated_system(robot("/" + name))
    start, ends = one.model.random(number), []
    if one.model.floating_base:
        start[:3] = 0.0
    for _ in range(2):
        one.set_state(start, np.zeros(one.nv))
        world.step()
        assert np.abs(rbdyn.difference(one.model, start, one.q)).max() > 5e-3, "it is tried"
        world.step(399)
        before = np.array(one.q)
        assert max(c.depth for c in world.contacts_at(one, before)) > 5e-3
        world.step(50)
        assert np.abs(rbdyn.difference(one.model, before, one.q)).max() < 1e-12
        ends.append(before)
    assert np.array_equal(ends[0], ends[1])


@pytest.mark.parametrize("name", ["talos_reduced.urdf", "talos_reduced_box.urdf"])
def test_a_robot_in_trouble_leaves_others_alone(name):
    """It gets one iteration a step; a ball and a crate 100 m away lie there as if it were not."""
    world = rbdyn.World(5e-3)
    world.add_ground()
    ball, crate = world.add_sphere(0.1, 1.0), world.add_box(0.3, 0.3, 0.2, 20.0)
    ball.set_pose((100.0, 0.0, 0.1))
    crate.set_pose((0.0, 100.0, 0.1))
    one = world.add_articulated_system(robot("/" + name))
    q = np.array(one.model.neutral())
    if one.model.floating_base:
        q[2] = 50.0
    one.set_state(q, 5.0 * np.random.default_rng(0).normal(size=one.nv))
    world.contact.configure(max_iterations=1)
    world.step(20)
    unconverged = 0
    for _ in range(80):
        world.step()
        unconverged += not world.contact.converged
        assert sum(c.force_on(ball)[2] for c in ball.contacts) == pytest.approx(9.81, rel=1e-6)
        assert sum(c.force_on(crate)[2] for c in crate.contacts) == pytest.approx(20 * 9.81, rel=1e-3)
    assert unconverged > 0  # there is trouble


@pytest.mark.parametrize("damping", [0.0, 0.5])
def test_pushes_do_not_load_stiff_springs(damping):
    """Solo12 lands on stiff motors at 10 ms; its hulls overlap by 4 mm: that makes no energy, springs included.

    One push, which shows that it parts nothing, leaves a few mJ of 8 J.
    """
    stiffness, weight = 2000.0, 2.5 * 9.81
    world = rbdyn.World(1e-2)
    world.set_default_material(friction=0.8)
    world.add_ground()
    solo = world.add_articulated_system(robot("/solo12.urdf"))
    q = np.array(solo.q)
    q[2], q[7:] = 0.35, np.tile([0.0, 0.8, -1.6], 4)
    solo.set_state(q)
    solo.set_pd_gains(p=stiffness, d=damping)
    solo.set_pd_target(q)
    start, force = rbdyn.potential_energy(solo.state), 0.0
    world.step(3)  # within which it is clear what no push parts
    for _ in range(147):
        world.step()
        force = max([force, *(float(np.linalg.norm(c.force)) for c in world.contacts)])
        in_springs = 0.5 * stiffness * float(np.sum((solo.q[7:] - q[7:]) ** 2))
        assert rbdyn.kinetic_energy(solo.state) + rbdyn.potential_energy(solo.state) + in_springs < 1.001 * start
    assert weight / 4 < force < 10 * weight
    assert np.abs(solo.v).max() < 0.1


def test_a_box_around_a_hand_does_not_hold_fingers_beyond_their_limits():
    """Tiago in flight under PD: its fingers start within their limits, and stay there."""
    world = rbdyn.World(2e-3)
    tiago = world.add_articulated_system(robot("/tiago.urdf"))
    tiago.set_pd_gains(p=200.0, d=10.0)
    unconverged = 0
    for _ in range(250):
        world.step()
        unconverged += not world.contact.converged
    assert max([0.0, *(v.excess for v in tiago.joint_limit_violations())]) < 1e-3
    assert unconverged < 25
