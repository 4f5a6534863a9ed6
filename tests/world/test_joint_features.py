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


# ---- robots that float, and limits of ball joints ----------------------------------------------------------------


def test_targets_have_the_size_of_q_gains_that_of_v_and_bases_none():
    mechanism = Mechanism(RigidBody("world"))
    base, arm = (RigidBody(name, SpatialInertia(2.0, (0, 0, 0), INERTIA * np.eye(3))) for name in ("base", "arm"))
    mechanism.attach(mechanism.root_body, base, Joint("floats", rbdyn.Floating()))
    mechanism.attach(base, arm, Joint("ball", Spherical()))
    world = World(DT, gravity=(0, 0, 0))
    robot = world.add_articulated_system(mechanism)
    robot.set_pd_gains(20.0, 3.0)
    assert [gain.tolist() for gain in robot.pd_gains] == [[0] * 6 + [20] * 3, [0] * 6 + [3] * 3]
    target = robot.q.copy()
    target[:3], target[7:] = 5.0, (np.cos(0.2), 0.0, 0.0, np.sin(0.2))
    robot.set_pd_target(target)
    assert [len(x) for x in robot.pd_target] == [11, 9]
    world.step(3000)
    assert robot.q[7:] == pytest.approx(target[7:], abs=1e-6)
    assert robot.q[:3] == pytest.approx(np.zeros(3), abs=1e-12)                   # nothing pulls the base along
    turn = 2 * np.arctan2(robot.q[6], robot.q[3])
    assert turn == pytest.approx(-0.2, abs=1e-6)                                    # alike inertias share the turn


def test_a_ball_joint_has_one_largest_angle_and_tells_the_impulse_along_its_axis():
    """RaiSim's limits of a ball joint: {angle, NOT_USED}."""
    world, robot = wheel(Spherical())
    robot.set_ball_limits("axle", angle=0.4)
    axis = np.array([2.0, -1.0, 2.0]) / 3.0
    robot.set_generalized_force(3.0 * axis)
    world.step(2000)
    assert robot.q[1:] == pytest.approx(np.sin(0.2) * axis, abs=1e-9)
    (violation,) = robot.joint_limit_violations()
    assert violation.joint == "axle" and violation.impulse == pytest.approx(3.0 * DT, rel=1e-9)
    assert robot.limit_force == pytest.approx(-3.0 * axis, rel=1e-9)
    assert world.contacts == []


# ---- what files say --------------------------------------------------------------------------------------


LINK = ('<link name="{}"><inertial><origin xyz="{}"/><mass value="2"/><inertia ixx="{}" iyy="{}" izz="{}" ixy="0" '
        'ixz="0" iyz="0"/></inertial></link>')


def wheel_of_a_file(inside, kind="continuous"):
    """The same wheel from a urdf, with what stands inside its joint."""
    link = LINK.format("wheel", "0 0 0", *[INERTIA] * 3)
    text = (f'<robot name="r"><link name="world"/>{link}<joint name="axle" type="{kind}"><parent link="world"/>'
            f'<child link="wheel"/><axis xyz="0 0 1"/>{inside}</joint></robot>')
    world = World(DT, gravity=(0, 0, 0))
    return world, world.add_articulated_system(io.load_urdf(text, floating=False))


ARM = '<robot name="arm"><link name="world"/>' + "".join(
    LINK.format(f"l{k}", "0.3 0.1 0.2", 0.1, 0.2, 0.25)
    + f'<joint name="j{k}" type="continuous"><parent link="{parent}"/><child link="l{k}"/><origin xyz="0.4 0 0.1"/>'
      f'<axis xyz="{axis}"/><dynamics rotor_inertia="ROTOR"/></joint>'
    for k, (parent, axis) in enumerate([("world", "0 0 1"), ("l0", "0 1 0"), ("l1", "1 0 0")])) + "</robot>"


def test_a_rotor_of_a_file_is_added_to_what_turns_and_to_no_gyroscopic_term():
    world, robot = wheel_of_a_file('<dynamics rotor_inertia="0.1"/>')
    assert robot.joint("axle").rotor_inertia == 0.1
    robot.set_generalized_force([2.0])
    world.step(500)
    assert robot.v[0] == pytest.approx(2.0 * 0.5 / (INERTIA + 0.1), rel=1e-10)
    arms = [io.load_urdf(ARM.replace("ROTOR", f"{J}"), floating=False) for J in (0.0, 0.3)]
    states = [rbdyn.State(rbdyn.Model(arm)) for arm in arms]
    for state in states:
        state.set([0.3, -0.8, 0.5], [1.0, 2.0, -3.0])
    more = rbdyn.mass_matrix(states[1]) - rbdyn.mass_matrix(states[0])
    np.testing.assert_allclose(more, np.diag([0.3, 0.3, 0.3]), atol=1e-15)
    np.testing.assert_allclose(*(rbdyn.bias_forces(state) for state in states), atol=1e-14)
    assert np.abs(rbdyn.bias_forces(states[0])).max() > 1.0


def test_damping_of_a_file_slows():
    world, robot = wheel_of_a_file('<dynamics damping="0.6"/>')
    assert robot.joint_damping.tolist() == [0.6]
    robot.set_state(v=[3.0])
    world.step(1000)
    assert robot.v[0] == pytest.approx(3.0 * np.exp(-0.6 / INERTIA), rel=1e-6)
    assert robot.passive_force[0] == pytest.approx(-0.6 * robot.v[0], rel=2e-3)


def test_a_spring_of_a_file_pulls_to_its_mount():
    world, robot = wheel_of_a_file('<dynamics stiffness="40" spring_mount="0.2"/>')
    assert [x.tolist() for x in robot.joint_springs] == [[40.0], [0.2]]
    robot.set_state([0.7])
    world.step(round(2.5 * 2 * np.pi * np.sqrt(INERTIA / 40.0) / DT))
    assert robot.q[0] - 0.2 == pytest.approx(0.5 * np.cos(world.time * np.sqrt(40.0 / INERTIA)), abs=1e-4)


def test_a_spring_of_a_ball_joint_takes_a_quaternion_for_its_mount():
    mount = "0.95533648912 0.29552020666 0 0"
    world, robot = wheel_of_a_file(f'<dynamics stiffness="8" spring_mount="{mount}"/>', "spherical")
    robot.set_state([np.cos(0.5), np.sin(0.5), 0.0, 0.0])                     # 1 rad about x; the spring asks for 0.6
    world.step()
    assert robot.v == pytest.approx([-DT * 8.0 * 0.4 / INERTIA, 0.0, 0.0], rel=1e-3, abs=1e-12)


def test_friction_of_a_file_holds_and_brakes():
    world, robot = wheel_of_a_file('<dynamics friction="0.5"/>')
    robot.set_generalized_force([0.49])
    world.step(100)
    assert abs(robot.v[0]) < 1e-15
    robot.set_generalized_force([0.0])
    robot.set_state(v=[1.0])
    world.step(500)
    assert robot.v[0] == pytest.approx(1.0 - 0.5 * 0.5 / INERTIA)


def test_limits_of_a_file_act():
    world, robot = wheel_of_a_file('<limit lower="-0.5" upper="0.3" effort="2" velocity="1.5"/>', "revolute")
    robot.set_pd_gains(0.0, 1e3)
    robot.set_pd_target(v=[9.0])
    world.step(100)
    assert robot.applied_force[0] == 2.0 and robot.v[0] == pytest.approx(2.0 * 0.1 / INERTIA)
    robot.set_state([-0.5], [0.0])
    world.step(400)
    assert robot.v[0] == pytest.approx(1.5, rel=1e-9) and robot.velocity_limit_force[0] == pytest.approx(-2.0)
    world.step(1000)
    assert robot.q[0] == pytest.approx(0.3, abs=1e-9) and robot.v[0] == pytest.approx(0.0, abs=1e-9)


def test_equal_limits_of_a_file_hold_nothing():
    """As in RaiSim; no effort and no velocity are no limits of them."""
    world, robot = wheel_of_a_file('<limit lower="0.2" upper="0.2"/>', "revolute")
    robot.set_generalized_force([40.0])
    world.step(200)
    assert robot.v[0] == pytest.approx(40.0 * 0.2 / INERTIA) and robot.q[0] == pytest.approx(0.5 * robot.v[0] * 0.2)


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


@pytest.mark.parametrize("how", ["eliminate", "inloop"])
@pytest.mark.parametrize(("kind", "rows"), [
    (Revolute((0, 1, 0)), 5), (Prismatic((1, 0, 0)), 5), (rbdyn.Helical((1, 0, 0), 0.02), 5), (Spherical(), 3),
    (rbdyn.Fixed(), 6), (rbdyn.Planar((1, 0, 0), (0, 0, 1)), 3)])
def test_loop_joints_of_every_type_hold_what_they_block(kind, rows, how):
    """A body that floats, tied to a world that pushes and turns it: it moves along what the joint leaves it alone."""
    mechanism = Mechanism(RigidBody("world"), gravity=(0, 0, 0))
    body = RigidBody("body", SpatialInertia(2.0, (0, 0, 0), np.diag([0.3, 0.4, 0.5])))
    mechanism.attach(mechanism.root_body, body, Joint("floats", rbdyn.Floating()))
    mechanism.attach(mechanism.root_body, body, Joint("loop", kind))
    assert rbdyn.Model(mechanism).num_constraints == rows
    world = World(DT, gravity=(0, 0, 0))
    robot = world.add_articulated_system(mechanism, loop_constraints=how)
    for _ in range(200):
        robot.set_external_force("body", (3.0, 2.0, -1.0))
        robot.set_external_torque("body", (0.2, 0.4, -0.3))
        world.step()
        assert np.abs(robot.loop_error).max() < 1e-9
    K = rbdyn.loop_jacobian(robot.state)
    assert np.abs(K @ robot.v).max() < 1e-9
    free = 6 - np.linalg.matrix_rank(K, tol=1e-9)
    assert free == 6 - rows and (np.abs(robot.v).max() > 0.01) == (free > 0)


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
