"""Welds and joints between bodies of a World, against bodies that are one, mechanisms, and closed forms."""

import math

import numpy as np
import pytest

import rbdyn
from rbdyn import Joint, Transform
from rbdyn.errors import Error, RemovedError
from rbdyn.world import World

G = 9.81


def brick(world, size, mass, position=(0, 0, 0)):
    body = world.add_box(*size, mass, group=2, mask=1)
    body.set_pose(position)
    return body


def momenta(bodies):
    """Of several bodies together, about the origin."""
    linear = sum(b.linear_momentum for b in bodies)
    return linear, sum(b.angular_momentum + np.cross(b.position, b.linear_momentum) for b in bodies)


def energy(bodies):
    return sum(b.kinetic_energy + b.potential_energy for b in bodies)


def two_as_one(world):
    """Two bricks, 0.25 m and 0.75 m from their common centre, as one body."""
    a, b = ((0.4, 0.2, 0.1), 3.0, np.array([-0.25, 0, 0])), ((0.2, 0.3, 0.2), 1.0, np.array([0.75, 0, 0]))
    inertia = np.zeros((3, 3))
    for (x, y, z), mass, place in (a, b):
        inertia += mass / 12 * np.diag([y * y + z * z, x * x + z * z, x * x + y * y])
        inertia += mass * (place @ place * np.eye(3) - np.outer(place, place))
    return world.add_single_body([], 4.0, inertia)


def tumbling(dt, welded):
    world = World(dt, gravity=(0, 0, 0))
    spin = np.array([0.5, 2.0, 1.0])
    if not welded:
        body = two_as_one(world)
        body.set_velocity((0.3, 0, 0), spin)
        return world, [body], None
    one, other = brick(world, (0.4, 0.2, 0.1), 3.0, (-0.25, 0, 0)), brick(world, (0.2, 0.3, 0.2), 1.0, (0.75, 0, 0))
    for body in (one, other):
        body.set_velocity(np.array([0.3, 0, 0]) + np.cross(spin, body.position), spin)
    return world, [one, other], world.add_weld(one, other)


def test_welded_bodies_move_as_one():
    world, reference, _ = tumbling(0.0001, False)
    world.step(10000)
    ways = []
    for dt in (0.005, 0.002, 0.0005):
        world, bodies, weld = tumbling(dt, True)
        before, start = momenta(bodies), energy(bodies)
        for _ in range(round(1.0 / dt)):
            world.step()
            assert np.abs(weld.error).max() < 2e-5
        linear, angular = momenta(bodies)
        assert linear == pytest.approx(before[0], abs=1e-11)
        assert angular == pytest.approx(before[1], abs=2 * dt * dt)  # poses that are led back
        assert energy(bodies) == pytest.approx(start, rel=40 * dt * dt + 1e-9)
        ways.append(np.linalg.norm(bodies[0].rotation - reference[0].rotation))
        centre = (3 * bodies[0].position + bodies[1].position) / 4
        assert centre == pytest.approx([0.3, 0, 0], abs=1e-9)
    assert ways[0] < 1e-2 and ways[0] / ways[1] > 2.0 and ways[1] / ways[2] > 2.5  # at least of first order


def test_a_weld_carries_what_statics_says():
    """A shelf on a wall: its weight, and the moment of it about where it is fixed."""
    world = World(0.001)
    shelf = brick(world, (0.6, 0.2, 0.02), 2.0, (0.3, 0, 1.0))
    weld = world.add_weld(None, shelf, Transform(translation=(0.3, 0, 1.0)))
    world.step(20)
    assert weld.wrench == pytest.approx([0, 0, 0, 0, 0, 2.0 * G], abs=1e-9)
    assert weld.force == pytest.approx([0, 0, 0, 0, 0, 2.0 * G], abs=1e-9)
    assert weld.ends == (None, shelf) and weld.active and weld.joint is None
    world.remove(weld)
    joint = world.add_joint(None, shelf, Joint("bracket", rbdyn.Fixed()), Transform(translation=(0, 0, 1.0)))
    world.step(20)
    assert joint.wrench == pytest.approx([0, -0.3 * 2.0 * G, 0, 0, 0, 2.0 * G], abs=1e-9)
    assert shelf.position == pytest.approx([0.3, 0, 1.0], abs=1e-9)


def swing(dt, make):
    """Times at which a rod that falls from the level passes below."""
    world, angle = make(dt)
    times = []
    while len(times) < 5:
        before = angle()
        world.step()
        now = angle()
        if before * now <= 0 and before != now:
            times.append(world.time - dt * now / (now - before))
    return (times[4] - times[0]) / 4


def rod_on_a_world_joint(dt):
    world = World(dt)
    rod = brick(world, (1.0, 0.05, 0.05), 2.0, (0.5, 0, 0))
    world.add_joint(None, rod, Joint("pivot", rbdyn.Revolute((0, 1, 0))))
    return world, lambda: rod.position[0]


def test_a_pendulum_on_a_world_joint_has_the_period_of_the_closed_form_to_second_order():
    """K(1/sqrt 2) sqrt(I / (m g l)) for a quarter of the swing."""
    inertia = 2.0 * (1.0 + 0.05**2) / 12 + 2.0 * 0.25
    half = 2 * 1.8540746773013719 * math.sqrt(inertia / (2.0 * G * 0.5))
    errors = [abs(swing(dt, rod_on_a_world_joint) / half - 1) for dt in (0.005, 0.002, 0.0005)]
    assert errors[0] < 1e-3
    assert errors[0] / errors[1] > 4.5 and errors[1] / errors[2] > 10


def test_a_world_joint_and_a_mechanism_agree():
    """The same rod in a mechanism: the difference is of first order."""
    gaps = []
    for dt in (0.004, 0.001):
        world, _ = rod_on_a_world_joint(dt)
        mechanism = rbdyn.Mechanism(rbdyn.RigidBody("wall"), gravity=(0, 0, -G))
        inertia = 2.0 / 12 * np.diag([2 * 0.05**2, 1.0 + 0.05**2, 1.0 + 0.05**2])
        body = rbdyn.RigidBody("rod", rbdyn.SpatialInertia(2.0, (0.5, 0, 0), inertia))
        mechanism.attach(mechanism.root_body, body, Joint("pivot", rbdyn.Revolute((0, 1, 0))))
        robot = world.add_articulated_system(mechanism)
        world.step(round(1.0 / dt))
        tip = robot.body_pose("rod") @ [0.5, 0, 0, 1]
        gaps.append(np.linalg.norm(world.objects[0].position - tip[:3]))
    assert gaps[0] < 0.02 and gaps[0] / gaps[1] > 3.0


def linkage(dt):
    """A parallelogram crank of three bodies on four hinges that turns without gravity, past its dead points."""
    world = World(dt, gravity=(0, 0, 0))
    one, other = brick(world, (0.05, 0.05, 0.4), 1.0, (0, 0, 0.2)), brick(world, (0.05, 0.05, 0.4), 1.0, (0.6, 0, 0.2))
    coupler = brick(world, (0.6, 0.05, 0.05), 1.0, (0.3, 0, 0.4))
    for k, (a, b, place) in enumerate(
        ((None, one, (0, 0, 0)), (None, other, (0.6, 0, 0)), (one, coupler, (0, 0, 0.2)), (other, coupler, (0, 0, 0.2)))
    ):
        world.add_joint(a, b, Joint(f"hinge {k}", rbdyn.Revolute((0, 1, 0))), Transform(translation=place))
    for crank in (one, other):
        crank.set_velocity((1.2, 0, 0), (0, 6.0, 0))
    coupler.set_velocity((2.4, 0, 0), (0, 0, 0))
    return world, [one, other, coupler]


@pytest.mark.parametrize("dt", [0.002, 0.001])
def test_a_linkage_of_world_joints_turns_past_its_dead_points_and_keeps_its_energy(dt):
    """Twenty rows hold 17 of 18 freedoms; about ten turns in ten seconds."""
    world, bodies = linkage(dt)
    start = energy(bodies)
    for _ in range(round(5 / dt)):
        world.step()
    assert energy(bodies) == pytest.approx(start, rel=1e-3)
    assert max(np.abs(joint.error).max() for joint in world.constraints) < 1e-5


@pytest.mark.parametrize("dt", [0.005, 0.002, 0.001])
@pytest.mark.parametrize(
    "masses", [[0.3] * 10, [0.01] * 9 + [10.0], [10.0] + [0.01] * 9], ids=["equal", "end", "start"]
)
def test_chains_of_ball_joints_stay_whole_and_make_no_energy(dt, masses):
    """Links of 10 cm, let go from the level; masses of 1 to 1000.  Light links swing faster than steps tell."""
    world = World(dt)
    links = []
    for k, mass in enumerate(masses):
        links.append(brick(world, (0.1, 0.03, 0.03), mass, (0.1 * k + 0.05, 0, 0)))
        place = Transform(translation=(0.05 if k else 0.0, 0, 0))
        world.add_joint(links[k - 1] if k else None, links[k], Joint(f"joint {k}", rbdyn.Spherical()), place)
    depth = sum(masses) * G * 0.5
    for k in range(round(3 / dt)):
        world.step()
        if k % 10 == 0:
            assert energy(links) < 0.01 * depth + 0.15
    assert max(np.abs(joint.error[:3]).max() for joint in world.constraints) < 0.02


TYPES = [
    (rbdyn.Fixed(), 6),
    (rbdyn.Revolute((1, 2, 2)), 5),
    (rbdyn.Prismatic((0, 1, 1)), 5),
    (rbdyn.Helical((1, 0, 1), 0.1), 5),
    (rbdyn.Planar((1, 0, 0), (0, 1, 0)), 3),
    (rbdyn.Spherical(), 3),
    (rbdyn.Universal((1, 0, 1), (0, 1, 0)), 4),
]


@pytest.mark.parametrize("kind, rows", TYPES, ids=lambda x: type(x).__name__ if isinstance(x, rbdyn.JointType) else "")
@pytest.mark.parametrize("integrator", ["trapezoid", "semi_implicit"])
def test_joints_of_every_type_hold_what_they_block_and_let_go_what_they_do_not(kind, rows, integrator):
    """Two tumbling bricks: momenta are exact, energy stays, the joint stays closed."""
    rng = np.random.default_rng(5)
    world = World(0.001, gravity=(0, 0, 0))
    world.integrator = integrator
    one, other = brick(world, (0.4, 0.2, 0.1), 3.0), brick(world, (0.2, 0.3, 0.2), 1.0, (0.6, 0.1, 0))
    pose = Transform(quat=(0.8, 0.6, 0, 0), translation=(0.3, 0.1, 0.05))
    joint = world.add_joint(one, other, Joint("link", kind), pose)
    assert joint.impulse.shape == joint.error.shape == (rows,)
    for body in (one, other):
        body.set_velocity(rng.normal(size=3), rng.normal(size=3))
    before = momenta([one, other])
    world.step()
    start, relative = energy([one, other]), one.rotation.T @ other.rotation
    for _ in range(600):
        world.step()
        assert np.abs(joint.error).max() < 2e-5
    linear, angular = momenta([one, other])
    assert linear == pytest.approx(before[0], abs=1e-11)
    assert angular == pytest.approx(before[1], abs=5e-6)
    assert energy([one, other]) == pytest.approx(start, rel=2e-4)
    moved = np.linalg.norm(one.rotation.T @ other.rotation - relative)
    assert (moved < 1e-4) == (type(kind).__name__ in ("Fixed", "Prismatic"))


def test_a_door_on_two_hinges_swings_as_on_one():
    """Five rows of ten are redundant."""
    doors = []
    for hinges in ((0.5,), (0.1, 0.9)):
        world = World(0.001)
        door = brick(world, (0.8, 0.04, 1.0), 20.0, (0.4, 0, 0.5))
        door.set_velocity((0, 0.8, 0), (0, 0, 2.0))
        joints = [
            world.add_joint(
                None, door, Joint(f"hinge {z}", rbdyn.Revolute((0, 0, 1))), Transform(translation=(0, 0, z))
            )
            for z in hinges
        ]
        world.step(2000)
        assert door.angular_velocity == pytest.approx([0, 0, 2.0], abs=2e-3)
        assert sum(joint.wrench[5] for joint in joints) == pytest.approx(20.0 * G, rel=1e-6)
        assert max(np.abs(joint.error).max() for joint in joints) < 1e-5
        assert max(np.abs(joint.force).max() for joint in joints) < 5e3
        doors.append(door)
    assert doors[0].position == pytest.approx(doors[1].position, abs=2e-3)


def test_a_box_welded_twice_is_welded():
    world = World(0.001)
    box = brick(world, (0.2, 0.2, 0.2), 1.0)
    welds = [world.add_weld(None, box), world.add_weld(None, box)]
    world.step(3000)
    assert box.position == pytest.approx([0, 0, 0], abs=1e-9)
    assert sum(weld.wrench for weld in welds) == pytest.approx([0, 0, 0, 0, 0, G], abs=1e-6)
    assert max(np.abs(weld.force).max() for weld in welds) < 20.0


def arm(load=None):
    """Two links; with a load, that is part of the second."""
    mechanism = rbdyn.Mechanism(rbdyn.RigidBody("base"), gravity=(0, 0, -G))
    parent, pose = mechanism.root_body, Transform()
    for k in range(2):
        body = rbdyn.RigidBody(f"link {k}", rbdyn.SpatialInertia(1.0, (0.25, 0, 0), np.diag([0.01, 0.03, 0.03])))
        mechanism.attach(parent, body, Joint(f"joint {k}", rbdyn.Revolute((0, 1, 0.2 * k))), pose)
        parent, pose = body, Transform(translation=(0.5, 0, 0))
    if load is not None:
        mechanism.attach(parent, load, Joint("grip", rbdyn.Fixed()), pose)
    return mechanism


def test_a_robot_with_a_welded_box_moves_as_with_the_box_in_its_hand():
    gaps = []
    for dt in (0.002, 0.0005):
        world = World(dt)
        robot = world.add_articulated_system(arm(), self_collision=False)
        box = brick(world, (0.2, 0.1, 0.1), 2.0, (1.0, 0, 0))
        weld = world.add_weld((robot, "link 1"), box)
        inertia = 2.0 / 12 * np.diag([0.02, 0.05, 0.05])
        whole = arm(rbdyn.RigidBody("box", rbdyn.SpatialInertia(2.0, (0, 0, 0), inertia)))
        twin = world.add_articulated_system(whole, self_collision=False)
        for system in (robot, twin):
            system.set_state(v=(0.5, -1.0))
        box.set_velocity(*reversed(np.split(rbdyn.point_velocity_6d(twin.state, "box", (0, 0, 0)), 2)))
        world.step(round(0.5 / dt))
        gaps.append(np.abs(robot.q - twin.q).max())
        assert np.abs(weld.error).max() < 1e-4
    assert gaps[0] < 0.02 and gaps[0] / gaps[1] > 2.5


def test_two_robots_hold_hands():
    """Hand in hand, mirrored arms stay mirrored, and what one hand exerts the other bears."""
    world = World(0.001)
    left = world.add_articulated_system(arm(), self_collision=False, name="left")
    right = world.add_articulated_system(arm(), self_collision=False, name="right")
    right.set_base_pose((2.0, 0, 0), (0, 0, 0, 1))
    joint = world.add_joint(
        (left, "link 1"), (right, "link 1"), Joint("hands", rbdyn.Spherical()), Transform(translation=(0.5, 0, 0))
    )
    for _ in range(1000):
        world.step()
        assert np.abs(joint.error).max() < 1e-4
    grip = np.array([0.5, 0, 0, 1])
    assert left.body_pose("link 1") @ grip == pytest.approx(right.body_pose("link 1") @ grip, abs=1e-4)


def test_what_is_elsewhere_is_led_there_and_gets_no_velocity():
    world = World(0.001, gravity=(0, 0, 0))
    box = brick(world, (0.2, 0.2, 0.2), 1.0, (0.3, 0, 0))
    weld = world.add_weld(None, box, Transform(quat=(0.8, 0, 0.6, 0)))
    world.step(2000)
    assert np.abs(weld.error).max() < 1e-6
    assert np.abs(np.r_[box.linear_velocity, box.angular_velocity]).max() < 1e-9


def test_bad_joints_are_named():
    world = World()
    robot = world.add_articulated_system(arm(), name="arm")
    box = brick(world, (0.2, 0.2, 0.2), 1.0)
    hinge = Joint("hinge", rbdyn.Revolute((0, 0, 1)))
    for call, message in (
        (lambda: world.add_weld(box, box), "must connect two bodies"),
        (lambda: world.add_weld(robot, box), "which body of 'arm'"),
        (lambda: world.add_weld(None, box, (0, 0, 1)), "pose must be a Transform"),
        (lambda: world.add_joint(None, box, rbdyn.Revolute((0, 0, 1))), "joint must be a Joint"),
        (lambda: world.add_joint(None, box, Joint("free", rbdyn.Floating())), "hold nothing"),
        (lambda: world.add_joint(None, box, hinge, np.eye(4)), "pose_a"),
        (lambda: world.add_joint(None, box, Joint("m", hinge.joint_type, mimic=rbdyn.Mimic("n"))), "'m' has mimic"),
    ):
        with pytest.raises(Error, match=message):
            call()
    weld = world.add_weld(None, box)
    world.remove(box)
    with pytest.raises(RemovedError):
        assert weld.error
