"""What constraints of a World have in common: ends, names, coming and going, failed steps, bad input, solvers."""

import numpy as np
import pytest

import rbdyn
from rbdyn import contact, models
from rbdyn.errors import BusyError, ContactError, DivergenceError, Error, RemovedError, UnknownNameError
from rbdyn.world import World
from rbdyn.world.constraints.constraint import Constraint


def hung(world, *places):
    """Balls on ropes of their own, 1 m below the world's points."""
    found = []
    for place in places:
        ball = world.add_sphere(0.05, 1.0)
        ball.set_pose(place)
        found.append((ball, world.add_stiff_wire(ball, None, point_b=np.add(place, (0, 0, 1)))))
    return found


def test_a_constraint_says_what_it_hangs_on_and_the_world_lists_it():
    world = World()
    robot = world.add_articulated_system(models.six_axis_arm())
    ball = world.add_sphere(0.1, 1.0)
    last = robot.body_names[-1]
    wire = world.add_stiff_wire((robot, last), ball, 1.0, via=[(None, (0, 0, 3))], name="rope")
    assert wire.ends == ((robot, last), None, ball)
    assert world.constraints == (wire,) and wire.name == "rope" and wire.world is world
    assert isinstance(wire, Constraint) and "rope" in repr(wire)
    assert wire.points[0] == pytest.approx(robot.body_pose(last)[:3, 3])
    assert wire.points[1] == pytest.approx([0, 0, 3])
    assert wire.force == 0.0 and not wire.active


def test_points_of_robots_follow_their_bodies_and_frames():
    """A point is given in the frame of the body as the mechanism has it, whatever was merged."""
    world = World()
    robot = world.add_articulated_system(models.six_axis_arm())
    robot.set_state(np.linspace(0.2, 1.0, robot.nq))
    point = np.array([0.03, -0.02, 0.05])
    for name in robot.body_names[1:]:
        wire = world.add_stiff_wire((robot, name), None, point_a=point, point_b=(0, 0, 9))
        pose = robot.body_pose(name)
        assert wire.points[0] == pytest.approx(pose[:3, :3] @ point + pose[:3, 3], abs=1e-12)


def test_what_is_removed_raises_and_others_stay_as_they_are():
    world = World(0.001)
    (first, one), (second, two), (third, three) = hung(world, (0, 0, 0), (2, 0, 0), (4, 0, 0))
    world.step(20)
    world.remove(first)
    assert world.constraints == (two, three)
    for read in (lambda: one.force, lambda: one.ends, lambda: one.distance, lambda: one.world, lambda: one.active):
        with pytest.raises(RemovedError, match="wire_0"):
            read()
    assert "removed" in repr(one)
    world.remove(two)
    world.step(100)
    assert second.position[2] < -0.04
    assert third.position == pytest.approx([4, 0, 0], abs=1e-9)
    assert three.tension == pytest.approx(9.81, rel=1e-9)
    world.remove(three.name)
    with pytest.raises(RemovedError):
        world.remove(three)
    world.step(100)
    assert third.position[2] < -0.04 and world.constraints == ()


def test_constraints_on_a_removed_robot_leave_and_other_robots_keep_theirs():
    world = World(0.001)
    mechanism = rbdyn.Mechanism(rbdyn.RigidBody("base"))
    body = rbdyn.RigidBody("bob", rbdyn.SpatialInertia(1.0, (0, 0, 0), np.eye(3)))
    mechanism.attach(mechanism.root_body, body, rbdyn.Joint("free", rbdyn.Floating()))
    first = world.add_articulated_system(mechanism, name="first")
    second = world.add_articulated_system(mechanism, name="second")
    one, two = (world.add_stiff_wire((robot, "bob"), None, point_b=(0, 0, 1)) for robot in (first, second))
    world.step(10)
    world.remove(first)
    world.step(100)
    assert world.constraints == (two,) and two.ends == ((second, "bob"), None)
    assert two.tension == pytest.approx(9.81, rel=1e-9)
    assert second.body_pose("bob")[:3, 3] == pytest.approx([0, 0, 0], abs=1e-9)
    with pytest.raises(RemovedError):
        assert one.tension


def test_names_are_unique_among_objects_and_constraints():
    world = World()
    ball = world.add_sphere(0.1, 1.0, name="ball")
    world.add_stiff_wire(ball, None, 1.0, name="rope")
    with pytest.raises(Error, match="already has an object named 'ball'"):
        world.add_stiff_wire(ball, None, 1.0, name="ball")
    with pytest.raises(Error, match="already has a constraint named 'rope'"):
        world.add_sphere(0.1, 1.0, name="rope")
    assert len(world.constraints) == 1 and len(world.objects) == 1


@pytest.mark.parametrize("substeps", [1, 3])
def test_a_step_that_fails_leaves_no_trace(substeps):
    world = World(0.001, substeps=substeps)
    ((ball, wire),) = hung(world, (0, 0, 0))
    other = world.add_sphere(0.1, 1.0)
    other.set_pose((5, 0, 0))
    world.step(20)
    before = wire.impulse, wire.force, wire.stretch, wire.active
    other.set_external_force(0, (1e308, 0, 0))
    other.set_external_force(0, (1e308, 0, 0))
    ball.set_external_force(0, (0, 0, -1e3))
    with pytest.raises(DivergenceError):
        world.step()
    assert (wire.impulse, wire.force, wire.stretch, wire.active) == before
    world.step()
    assert wire.tension == pytest.approx(9.81, rel=1e-9)


def test_moving_by_hand_repeats_itself_bit_for_bit():
    """Also where a load stiffens what light bodies do across it."""
    world = World(0.002)
    found = hung(world, (0, 0, 0), (1, 0, 0))
    world.add_stiff_wire(found[0][0], found[1][0])
    heavy, link = world.add_sphere(0.05, 1000.0), world.add_box(0.1, 0.1, 0.1, 0.1)
    heavy.set_pose((0, 0, -2))
    link.set_pose((0, 0, -1))
    world.add_stiff_wire(found[0][0], link)
    world.add_joint(link, heavy, rbdyn.Joint("eye", rbdyn.Spherical()), rbdyn.Transform(translation=(0, 0, -0.05)))
    found += [(heavy, None), (link, None)]
    places = [body.position for body, _ in found]

    def run():
        for k, (ball, _) in enumerate(found):
            ball.set_pose(places[k], (1, 0, 0, 0))
            ball.set_velocity((0.3, 0.2 * k, 0), (0, 0, 0))
        world.step(200)
        return np.concatenate([np.r_[b.position, b.linear_velocity] for b, _ in found])

    assert (run() == run()).all()


def test_a_wire_joins_two_islands():
    """A push on one of two balls that rest on the ground moves the other if a wire says so."""
    for joined in (False, True):
        world = World(0.001)
        world.add_ground()
        balls = []
        for x in (0.0, 1.0):
            balls.append(world.add_sphere(0.1, 1.0))
            balls[-1].set_pose((x, 0, 0.1))
        if joined:
            world.add_stiff_wire(*balls)
        world.step(3)
        balls[0].set_external_force(0, (-50.0, 0, 0))
        world.step()
        assert (balls[1].linear_velocity[0] < -1e-3) == joined


def test_a_solver_that_takes_contacts_alone_is_refused_by_name():
    class Mine(contact.ContactSolver):
        def solve(self, problem):
            problem.converged = True

    world = World(contact=Mine())
    hung(world, (0, 0, 0))
    with pytest.raises(ContactError, match="Mine.*unilateral"):
        world.step()


def test_a_constraint_belongs_to_one_world_and_one_moment():
    world, elsewhere = World(), World()
    ball, foreign = world.add_sphere(0.1, 1.0), elsewhere.add_sphere(0.1, 1.0)
    with pytest.raises(RemovedError, match="sphere_0"):
        world.add_stiff_wire(ball, foreign, 1.0)
    wire = world.add_stiff_wire(ball, None, 1.0)
    with pytest.raises(RemovedError):
        elsewhere.remove(wire)
    gone = world.add_sphere(0.1, 1.0)
    world.remove(gone)
    with pytest.raises(RemovedError):
        world.add_stiff_wire(ball, gone, 1.0)
    world.integrate1()
    with pytest.raises(BusyError):
        world.add_stiff_wire(ball, None, 1.0)
    with pytest.raises(BusyError):
        wire.length = 2.0
    world.integrate2()
    assert world.constraints == (wire,)


def test_bad_input_is_named():
    world = World()
    robot = world.add_articulated_system(models.six_axis_arm(), name="arm")
    ball, other = world.add_sphere(0.1, 1.0), world.add_sphere(0.1, 1.0)
    last = robot.body_names[-1]
    for arguments, options, message in (
        ((ball, None, 0.0), {}, "length must be a number .* above 0"),
        ((ball, None, float("nan")), {}, "length"),
        ((ball, other), {}, "in one place"),
        ((ball, ball, 1.0), {}, "must connect two bodies"),
        ((None, None, 1.0), {}, "must connect two bodies"),
        ((robot, ball, 1.0), {}, f"which body of 'arm'.*{last}"),
        ((3, ball, 1.0), {}, "a must be a single body"),
        ((ball, (robot,), 1.0), {}, "b must be a single body"),
        ((ball, None, 1.0), {"restitution": 1.5}, "restitution"),
        ((ball, None, 1.0), {"stretch_type": "bendy"}, "stretch_resistant"),
        ((ball, None, 1.0), {"point_a": (0, 0)}, "point_a"),
        ((ball, None, 1.0), {"via": [(None,)]}, r"via\[0\]"),
        ((ball, None, 1.0), {"via": 3}, "via"),
        ((ball, None, 1.0), {"ratios": [1, 2]}, "ratios"),
        ((ball, None, 1.0), {"ratios": [-1]}, "ratios must be above 0"),
        ((ball, None, 1.0), {"name": ""}, "name"),
    ):
        with pytest.raises((Error, TypeError), match=message):
            world.add_stiff_wire(*arguments, **options)
    with pytest.raises(UnknownNameError, match=last):
        world.add_stiff_wire((robot, last + "x"), ball, 1.0)
    with pytest.raises(Error, match="made by a World"):
        Constraint()
    assert world.constraints == ()
    world.step(2)
