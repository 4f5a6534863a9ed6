"""What constraints cannot be: said at once, with what was given, or with the documented meaning; nothing changes."""

import numpy as np
import pytest

from rbdyn import Fixed, Joint, Mechanism, Mimic, Prismatic, Revolute, RigidBody, SpatialInertia, Spherical, Transform
from rbdyn.errors import Error, LoopError, MechanismError, RemovedError, StateError
from rbdyn.world import World


def body(name):
    return RigidBody(name, SpatialInertia(1.0, (0.1, 0, 0), 0.1 * np.eye(3)))


def arm(kind=None, **joint):
    m = Mechanism(RigidBody("world"))
    m.attach(m.root_body, body("link"), Joint("joint", kind or Revolute((0, 1, 0)), **joint))
    return m


def test_limits_the_wrong_way_round():
    with pytest.raises(MechanismError, match=r"joint .joint. must be .lower, upper. with lower <= upper, got .1, -1."):
        Joint("joint", Revolute(), position_limits=(1.0, -1.0))
    robot = World().add_articulated_system(arm())
    with pytest.raises(StateError, match="lower limit 1 is above the upper one -1"):
        robot.set_joint_limits(1.0, -1.0)
    assert np.isinf(robot.joint_limits).all()


def test_limits_crossed_at_the_start_open_smoothly():
    world = World(1e-3, gravity=(0, 0, 0))
    robot = world.add_articulated_system(arm(Prismatic((1, 0, 0)), position_limits=(-0.1, 0.1)))
    robot.set_state([0.3])
    last = 0.3
    while robot.q[0] > 0.1 + 2e-5:
        world.step()
        assert abs(robot.v[0]) < 1e-12 and last - 1.0001e-3 <= robot.q[0] < last      # at most 1 m/s
        last = robot.q[0]
    assert world.steps < 300


def test_loops_that_cannot_close_say_by_how_much():
    m = arm()
    far = Transform(translation=(3, 0, 0))
    m.attach(m.root_body, m.find_body("link"), Joint("far", Spherical()), far, Transform(translation=(-1, 0, 0)))
    world = World()
    with pytest.raises(LoopError, match=r"'far' is still open by 0 rad and 2 m"):
        world.add_articulated_system(m)
    assert world.objects == ()


def test_loops_that_contradict_one_another_are_named_with_their_gaps():
    """Each could be closed by itself: the link may stand at 0.2 or at -0.3 rad, not at both."""
    m = arm()
    for name, angle in (("up", 0.2), ("down", -0.3)):
        half = angle / 2
        place = Transform(quat=(np.cos(half), 0, np.sin(half), 0))
        m.attach(m.root_body, m.find_body("link"), Joint(name, Fixed()), place)
    world = World()
    with pytest.raises(LoopError, match=r"(?s)('up'|'down').*open by 0.\d+ rad"):
        world.add_articulated_system(m)
    assert world.objects == ()


def test_wires_of_no_length_negative_stiffness_and_anchors_on_what_is_gone():
    world = World()
    ball, other = world.add_sphere(0.1, 1.0), world.add_sphere(0.1, 1.0)
    other.set_pose((1, 0, 0))
    gone = world.add_sphere(0.1, 1.0)
    world.remove(gone)
    for call, error, match in (
        (lambda: world.add_stiff_wire(ball, other, 0.0), Error, "length must be .* above 0"),
        (lambda: world.add_compliant_wire(ball, other, 0.0, stiffness=1.0), Error, "length"),
        (lambda: world.add_compliant_wire(ball, other, 1.0, stiffness=-5.0), Error, "stiffness.*-5"),
        (lambda: world.add_spring(ball, other, -1.0), Error, "stiffness.*-1"),
        (lambda: world.add_stiff_wire(ball, gone, 1.0), RemovedError, "removed"),
        (lambda: world.add_weld(gone, ball), RemovedError, "removed"),
        (lambda: world.add_joint(None, gone, Joint("j", Revolute())), RemovedError, "removed"),
    ):
        with pytest.raises(error, match=match):
            call()
    assert world.constraints == ()


@pytest.mark.parametrize("law, match", [
    (lambda stretch, rate: 1 / 0, "ZeroDivisionError"),
    (lambda stretch, rate: float("nan"), "nan"),
    (lambda stretch, rate: "much", "much"),
])
def test_laws_that_raise_or_give_no_number(law, match):
    world = World()
    ball = world.add_sphere(0.1, 1.0)
    world.add_custom_wire(ball, None, 1.0, law=law, point_b=(3, 0, 0))
    with pytest.raises(Error, match=match):
        world.step()
    assert world.steps == 0 and not ball.position.any() and not ball.linear_velocity.any()


def test_mimics_in_a_circle_and_motors_of_no_effort():
    m = Mechanism(RigidBody("world"))
    for name, leader in (("a", "b"), ("b", "c"), ("c", "a")):
        m.attach(m.root_body, body(name), Joint(name, Revolute(), mimic=Mimic(leader)))
    with pytest.raises(MechanismError, match="in a circle: a -> b -> c -> a"):
        World().add_articulated_system(m)
    world = World(1e-3, gravity=(0, 0, 0))
    robot = world.add_articulated_system(arm(effort_limit=0.0))
    robot.set_pd_gains(100.0, 1.0)
    robot.set_pd_target([1.0])
    robot.set_generalized_force([5.0])
    world.step(100)
    assert robot.q[0] == 0.0 and robot.applied_force[0] == 0.0                # a motor of no effort is off
