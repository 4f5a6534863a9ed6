"""What a user of RaiSim reaches for at a joint, set while a World runs: each acts, and as its closed form says."""

import numpy as np
import pytest

import rbdyn
from rbdyn import Joint, Mechanism, Prismatic, Revolute, RigidBody, SpatialInertia, Spherical, Transform, io
from rbdyn.world import World

DT, INERTIA = 1e-3, 0.4


def wheel(kind=None, **joint):
    """A World without gravity, and a robot with one wheel on a joint."""
    mechanism = Mechanism(RigidBody("world"))
    body = RigidBody("wheel", SpatialInertia(2.0, (0, 0, 0), INERTIA * np.eye(3)))
    mechanism.attach(mechanism.root_body, body, Joint("axle", kind or Revolute((0, 0, 1)), **joint))
    world = World(DT, gravity=(0, 0, 0))
    return world, world.add_articulated_system(mechanism)


# ---- passive elements ----------------------------------------------------------------------------


def test_a_rotor_is_added_to_what_turns():
    world, robot = wheel()
    robot.joint("axle").rotor_inertia = 0.1
    robot.set_generalized_force([2.0])
    world.step(500)
    assert robot.v[0] == pytest.approx(2.0 * 0.5 / (INERTIA + 0.1), rel=1e-10)


def test_damping_slows_as_the_implicit_rule_says():
    world, robot = wheel()
    robot.set_joint_damping(0.6)
    robot.set_state(v=[3.0])
    world.step(1000)
    x = DT * 0.6 / INERTIA
    assert robot.v[0] == pytest.approx(3.0 * ((1 - x / 2) / (1 + x / 2)) ** 1000, rel=1e-10)
    assert robot.v[0] == pytest.approx(3.0 * np.exp(-0.6 / INERTIA), rel=1e-6)


def test_springs_add_up_and_swing_with_their_period():
    world, robot = wheel()
    robot.add_spring("axle", 30.0, [0.2])
    robot.add_spring("axle", 10.0, [0.2])
    robot.set_state([0.7])
    period = 2 * np.pi * np.sqrt(INERTIA / 40.0)
    world.step(round(5 * period / DT))
    assert robot.q[0] - 0.2 == pytest.approx(0.5 * np.cos(world.time * 2 * np.pi / period), abs=1e-4)


def test_a_ball_spring_turns_back_about_the_axis_of_its_error():
    world, robot = wheel(Spherical())
    robot.set_joint_springs(8.0, reference=[1.0, 0.0, 0.0, 0.0])
    axis = np.array([1.0, 2.0, -2.0]) / 3.0
    robot.set_state([np.cos(0.2), *(np.sin(0.2) * axis)])
    world.step()
    assert robot.v == pytest.approx(-DT * 8.0 * 0.4 / INERTIA * axis, rel=1e-3)


def test_dry_friction_holds_and_brakes():
    world, robot = wheel()
    robot.set_joint_friction(0.5, 0.8)
    robot.set_generalized_force([0.79])
    world.step(100)
    assert robot.v[0] == 0.0 and robot.friction_force[0] == pytest.approx(-0.79)
    robot.set_generalized_force([0.81])
    world.step(100)
    assert robot.v[0] == pytest.approx((0.81 - 0.5) * 0.1 / INERTIA)


# ---- control -------------------------------------------------------------------------------------


def test_gains_and_targets_are_set_apart_and_act():
    world, robot = wheel()
    robot.set_pd_gains(p=20.0)
    robot.set_pd_gains(d=4.0)
    robot.set_pd_target([0.5])
    robot.set_pd_target(v=[0.3])
    assert [g.tolist() for g in robot.pd_gains] == [[20.0], [4.0]]
    assert [t.tolist() for t in robot.pd_target] == [[0.5], [0.3]]
    world.step(10_000)
    assert robot.q[0] == pytest.approx(0.5 + 4.0 * 0.3 / 20.0, rel=1e-9)      # where the two balance


def test_a_control_mode_turns_gains_off_and_on():
    world, robot = wheel()
    robot.set_pd_gains(20.0, 4.0)
    robot.set_pd_target([0.5])
    robot.control_mode = "force"
    world.step(100)
    assert robot.q[0] == 0.0 and robot.applied_force[0] == 0.0
    robot.control_mode = "pd_plus_feedforward"
    world.step()
    assert robot.applied_force[0] == pytest.approx(10.0, rel=0.02)


def test_feed_forward_persists_until_it_is_changed():
    world, robot = wheel()
    robot.set_generalized_force([1.5])
    world.step(200)
    assert robot.v[0] == pytest.approx(1.5 * 0.2 / INERTIA)
    robot.set_generalized_force([0.0])
    world.step(200)
    assert robot.v[0] == pytest.approx(1.5 * 0.2 / INERTIA)


@pytest.mark.parametrize("meaning", ["motor", "explicit"])
def test_what_an_actuator_applies_stays_within_its_limits(meaning):
    world, robot = wheel()
    robot.set_pd_gains(500.0, 5.0, limits=meaning)
    robot.set_pd_target([1.0])
    robot.set_effort_limits(-1.0, 2.0)
    seen = []
    for _ in range(2000):
        world.step()
        seen.append(robot.applied_force[0])
    assert max(seen) == pytest.approx(2.0, rel=0.01)
    assert meaning == "explicit" or (max(seen) == 2.0 and min(seen) == -1.0)
    assert [x.tolist() for x in robot.effort_limits] == [[-1.0], [2.0]]


def test_a_quaternion_target_is_approached_about_one_axis():
    world, robot = wheel(Spherical())
    robot.set_pd_gains(6.0, 0.0)
    axis = np.array([2.0, -1.0, 2.0]) / 3.0
    robot.set_pd_target([np.cos(0.3), *(np.sin(0.3) * axis)])
    world.step()
    assert robot.v / DT == pytest.approx(6.0 * 0.6 / INERTIA * axis, rel=1e-3)


# ---- limits --------------------------------------------------------------------------------------


def test_a_stop_is_set_read_and_tells_what_it_did():
    world, robot = wheel()
    robot.set_joint_limits(-0.5, 0.3)
    robot.set_generalized_force([2.0])
    world.step(1000)
    assert robot.q[0] == pytest.approx(0.3, abs=1e-9) and robot.v[0] == pytest.approx(0.0, abs=1e-12)
    assert [x.tolist() for x in robot.joint_limits] == [[-0.5], [0.3]]
    (violation,) = robot.joint_limit_violations()
    assert (violation.joint, violation.end) == ("axle", "upper")
    assert violation.impulse == pytest.approx(2.0 * DT)
    assert robot.limit_force[0] == pytest.approx(-2.0)
    assert world.contacts == []


def test_a_speed_limit_is_set_read_and_holds():
    world, robot = wheel()
    robot.set_velocity_limits(1.5)
    robot.set_generalized_force([2.0])
    world.step(1000)
    assert robot.v[0] == pytest.approx(1.5) and robot.velocity_limit_force[0] == pytest.approx(-2.0)
    assert robot.velocity_limits.tolist() == [1.5]


# ---- loops ---------------------------------------------------------------------------------------

ROD = '<link name="{}"><inertial><origin xyz="0.25 0 0"/><mass value="1"/>' \
      '<inertia ixx="0.001" iyy="0.02" izz="0.02" ixy="0" ixz="0" iyz="0"/></inertial></link>'
TURN = '<joint name="{}" type="continuous"><parent link="{}"/><child link="{}"/><origin xyz="{} 0 0"/>' \
       '<axis xyz="0 1 0"/></joint>'


def triangle():
    """Two rods of 0.5 m that hang from 0 and from 0.6 m, and are pinned at their tips: a truss that cannot move."""
    apex = np.arccos(0.6)
    text = ('<robot name="truss"><link name="world"/>' + ROD.format("a") + ROD.format("b")
            + TURN.format("left", "world", "a", 0) + TURN.format("right", "world", "b", 0.6)
            + f'<constraints nominal_config="{apex} {np.pi - apex}"><pin body1="a" body2="b" anchor="0.5 0 0"/>'
            '</constraints></robot>')
    return io.load_urdf(text, floating=False)


@pytest.mark.parametrize("how", ["eliminate", "inloop"])
def test_a_pin_of_a_file_closes_a_loop_and_bears_what_statics_says(how):
    mechanism = triangle()
    (pin,) = mechanism.non_tree_joints
    assert isinstance(pin.joint_type, Spherical)
    world = World(DT)
    robot = world.add_articulated_system(mechanism, loop_constraints=how)
    assert robot.model.num_constraints == 3
    world.step(200)
    assert np.abs(robot.loop_error).max() < 1e-10 and np.abs(robot.v).max() < 1e-9
    # each rod alone: its weight in the middle, the pin's push at the tip; by symmetry the push is level
    push = robot.loop_force(pin)[3:]
    assert np.linalg.norm(push) == pytest.approx(0.5 * 9.81 * 0.3 / 0.4, rel=1e-6)


def test_loop_joints_of_other_types_take_the_rows_that_they_block():
    mechanism = triangle()
    (pin,) = mechanism.non_tree_joints
    tip = Transform(translation=(0.5, 0, 0))
    for kind, rows in ((Revolute((0, 1, 0)), 5), (Prismatic((0, 1, 0)), 5), (Spherical(), 3)):
        two = triangle()
        state = rbdyn.State(rbdyn.Model(two))
        state.set(np.array(two.nominal_configuration))
        a, b = two.find_body("a"), two.find_body("b")
        place = np.linalg.inv(rbdyn.body_pose(state, "b")) @ rbdyn.body_pose(state, "a")
        other = Transform(rotation=place[:3, :3], translation=place[:3, 3]) @ tip
        two.attach(a, b, Joint("more", kind), tip, other.inverse())
        assert rbdyn.Model(two).num_constraints == 3 + rows


# ---- wires ---------------------------------------------------------------------------------------


def test_a_stiff_wire_bends_and_does_not_stretch():
    world = World(DT, gravity=(0, 0, 0))
    ball = world.add_sphere(0.05, 2.0)
    ball.set_pose((0.5, 0, 0))
    wire = world.add_stiff_wire(ball, None, 0.8)
    ball.set_velocity((-1.0, 0, 0))
    world.step(100)
    assert wire.tension == 0.0 and ball.linear_velocity[0] == -1.0
    ball.set_velocity((3.0, 0, 0))
    world.step(500)
    assert wire.distance == pytest.approx(0.8, abs=1e-9) and abs(ball.linear_velocity[0]) < 1e-12


def test_a_compliant_wire_pulls_by_its_stretch_and_a_custom_one_by_its_law():
    world = World(DT)
    for x, add in ((0.0, world.add_compliant_wire), (1.0, world.add_custom_wire)):
        ball = world.add_sphere(0.05, 2.0)
        ball.set_pose((x, 0, -1.0))
        options = {"stiffness": 200.0, "damping": 20.0} if add == world.add_compliant_wire else {
            "law": lambda length, rate: max(0.0, 200.0 * (length - 1.0) + 20.0 * rate)}
        add(ball, None, 1.0, point_b=(x, 0, 0), **options)
    world.step(4000)
    for wire in world.constraints:
        assert wire.distance - 1.0 == pytest.approx(2.0 * 9.81 / 200.0, rel=1e-6)
        assert wire.tension == pytest.approx(2.0 * 9.81, rel=1e-6)
