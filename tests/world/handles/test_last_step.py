"""What a step knows: wrenches of joints, accelerations and contacts, against Newton's and Euler's laws body by body.

The oracle has positions, rotations and their derivatives in world axes, and knows nothing of spatial vectors.
"""

import numpy as np
import pytest

import rbdyn
from rbdyn import models
from rbdyn.errors import Error, UnknownNameError
from rbdyn.models import QUADRUPED_STANCE
from rbdyn.sensors import ForceTorqueSensor
from rbdyn.world import World
from tests.world import closed_robots
from tests.world.scenes import exact

G = np.array([0.0, 0.0, -9.81])


def standing(integrator="semi_implicit", steps=150, **options):
    """A quadruped that stands on the ground, leans and trembles."""
    world = World(1e-3, contact=exact(), **options)
    world.integrator = integrator
    world.add_ground()
    robot = world.add_articulated_system(models.path("quadruped"))
    robot.set_state(QUADRUPED_STANCE.q)
    robot.set_pd_gains(250.0, 5.0)
    target = np.array(QUADRUPED_STANCE.q)
    target[7:] += 0.02 * np.sin(np.arange(12.0))
    robot.set_pd_target(target)
    world.step(steps)
    return world, robot


def turned(axis, angle):
    K = np.array([[0.0, -axis[2], axis[1]], [axis[2], 0.0, -axis[0]], [-axis[1], axis[0], 0.0]])
    return np.eye(3) + np.sin(angle) * K + (1.0 - np.cos(angle)) * K @ K


def of_quaternion(q):
    w, u = q[0], np.array(q[1:])
    K = np.array([[0.0, -u[2], u[1]], [u[2], 0.0, -u[0]], [-u[1], u[0], 0.0]])
    return (w * w - u @ u) * np.eye(3) + 2.0 * np.outer(u, u) + 2.0 * w * K


def motion(robot, q, v, a):
    """Of every link: (R, p, w, v, alpha, a) of its frame, world axes, by one pass outward."""
    mechanism, model = robot.mechanism, robot.model
    z = np.zeros(3)
    moved = {mechanism.root_body: (np.eye(3), z, z, z, z, z)}
    for joint in mechanism.tree_joints:
        edge = mechanism.edge(joint)
        R, p, w, u, alpha, acc = moved[edge.predecessor]
        arm = R @ edge.joint_pose.translation
        p, u = p + arm, u + np.cross(w, arm)
        acc = acc + np.cross(alpha, arm) + np.cross(w, np.cross(w, arm))
        R = R @ edge.joint_pose.rotation
        if joint.num_velocities == 6:
            k = model.joint_v_index(joint.name)
            assert k == 0
            p, u, acc = q[:3], v[:3], a[:3]
            R, w, alpha = of_quaternion(q[3:7]), v[3:6], a[3:6]
        elif joint.num_velocities == 1:
            k, n = model.joint_v_index(joint.name), model.joint_q_index(joint.name)
            axis = R @ np.array(joint.joint_type.axis)
            if joint.joint_type.kind == "revolute":
                alpha = alpha + a[k] * axis + np.cross(w, v[k] * axis)
                w = w + v[k] * axis
                R = R @ turned(np.array(joint.joint_type.axis), q[n])
            else:
                p = p + q[n] * axis
                acc = acc + a[k] * axis + 2.0 * v[k] * np.cross(w, axis) + q[n] * (
                    np.cross(alpha, axis) + np.cross(w, np.cross(w, axis)))  # fmt: skip
                u = u + v[k] * axis + q[n] * np.cross(w, axis)
        arm = R @ edge.successor_pose.translation
        p, u = p + arm, u + np.cross(w, arm)
        acc = acc + np.cross(alpha, arm) + np.cross(w, np.cross(w, arm))
        moved[edge.successor] = (R @ edge.successor_pose.rotation, p, w, u, alpha, acc)
    return moved


def joints_by_newton_and_euler(robot, q, v, a, outside):
    """Force and moment about the joint that each moving joint transmits: what its link and all beyond need.

    `outside` are (link, force, point, moment), in the world.
    """
    mechanism = robot.mechanism
    moved = motion(robot, q, v, a)
    need = {}                                # of each link: force, and moment about the world's origin
    for link, (R, p, w, _, alpha, acc) in moved.items():
        arm = R @ link.inertia.com
        J = R @ link.inertia.inertia @ R.T
        force = link.inertia.mass * (acc + np.cross(alpha, arm) + np.cross(w, np.cross(w, arm)) - G)
        need[link] = [force, np.cross(p + arm, force) + J @ alpha + np.cross(w, J @ w)]
    for name, force, point, moment in outside:
        link = mechanism.find_body(name)
        need[link][0] = need[link][0] - force
        need[link][1] = need[link][1] - np.cross(point, force) - moment
    found = {}
    for joint in reversed(mechanism.tree_joints):
        edge = mechanism.edge(joint)
        R, p = moved[edge.successor][:2]
        at = p - R @ edge.successor_pose.rotation.T @ edge.successor_pose.translation
        force, moment = need[edge.successor]
        found[joint.name] = np.r_[moment - np.cross(at, force), force]
        need[edge.predecessor][0] = need[edge.predecessor][0] + force
        need[edge.predecessor][1] = need[edge.predecessor][1] + moment
    found["held"] = np.r_[need[mechanism.root_body][1], need[mechanism.root_body][0]]
    return found


def contacts_on(robot):
    z = np.zeros(3)
    for contact in robot.contacts:
        if contact.object_a is robot:
            yield contact.link_a, contact.force, contact.position, z
        if contact.object_b is robot:
            yield contact.link_b, -contact.force, contact.position, z


@pytest.mark.parametrize("integrator", ["semi_implicit", "euler", "trapezoid"])
def test_wrenches_make_inertia_times_acceleration_in_contact(integrator):
    world, robot = standing(integrator)
    q, v = robot.q, robot.v
    push, at, twist = np.array([20.0, -30.0, 10.0]), np.array([0.05, 0.02, -0.1]), np.array([1.0, 2.0, -3.0])
    point = robot.body("RF_THIGH").point_position(at)
    robot.set_external_force("RF_THIGH", push, at)
    robot.set_external_torque("base", twist)
    world.step()
    a = (robot.v - v) / 1e-3
    np.testing.assert_array_equal(robot.start_state.q, q)
    np.testing.assert_array_equal(robot.start_state.v, v)
    np.testing.assert_allclose(robot.acceleration, a, rtol=1e-12, atol=1e-12)
    outside = [*contacts_on(robot), ("RF_THIGH", push, point, np.zeros(3)), ("base", np.zeros(3), point, twist)]
    assert len(outside) == 6
    expected = joints_by_newton_and_euler(robot, q, v, a, outside)
    wrenches = robot.joint_wrenches
    for k, name in enumerate(robot.joint_names):
        np.testing.assert_allclose(wrenches[k], expected[name], atol=1e-9 * max(1.0, np.abs(expected[name]).max()))
        np.testing.assert_array_equal(robot.joint(name).wrench, wrenches[k])
    assert np.abs(wrenches[1:]).max() > 50.0
    # what the motors gave, and the rotors took, is what the joints transmit along their axes
    rotor = robot.model.array("rotor_inertia")
    given = robot.applied_force + robot.passive_force + robot.friction_force + robot.limit_force
    for name in robot.joint_names[1:]:
        joint, k = robot.joint(name), robot.model.joint_v_index(name)
        axis = robot.start_state.model and joint.wrench_in(joint)[:3] @ joint.local_axis
        assert axis == pytest.approx(given[k] - rotor[k] * a[k], abs=1e-8)
    np.testing.assert_allclose(wrenches[0], 0.0, atol=1e-8)  # nobody holds the base
    assert np.abs(robot.external_wrenches).max() > 30.0


def test_accelerations_of_bodies_and_frames_are_those_of_the_start_of_the_step():
    world, robot = standing()
    q, v = robot.q, robot.v
    world.step()
    a = (robot.v - v) / 1e-3
    moved = motion(robot, q, v, a)
    at = np.array([0.1, 0.2, -0.3])
    for name in ("base", "LF_SHANK", "RH_FOOT"):
        link = robot.mechanism.find_body(name)
        R, _, w, _, alpha, acc = moved[link]
        body = robot.body(name)
        np.testing.assert_allclose(body.acceleration, np.r_[alpha, acc], atol=1e-9)
        np.testing.assert_allclose(robot.frame(name).linear_acceleration, acc, atol=1e-9)
        np.testing.assert_allclose(body.angular_acceleration, alpha, atol=1e-9)
        arm = R @ at
        here = acc + np.cross(alpha, arm) + np.cross(w, np.cross(w, arm))
        np.testing.assert_allclose(body.point_acceleration(at), here, atol=1e-9)
        np.testing.assert_allclose(body.point_acceleration(at, expected := None, name), R.T @ here, atol=1e-9)
        np.testing.assert_allclose(body.point_acceleration(at, expected, body), R.T @ here, atol=1e-9)
    np.testing.assert_allclose(robot.body_accelerations, [robot.body(name).acceleration for name in robot.body_names])
    assert np.abs(robot.body_accelerations).max() > 0.1
    np.testing.assert_allclose(robot.frame_accelerations, [frame.acceleration for frame in robot.frames])
    assert np.ptp(robot.frame_accelerations, axis=0).min() > 0.1
    with pytest.raises(Error, match="seen from its start"):
        robot.body("base").point_acceleration(expressed_in=world.add_sphere(0.1, 1.0))
    assert robot.joint("LF_KFE").a == robot.acceleration[robot.model.joint_v_index("LF_KFE")]


def test_what_holds_a_fixed_base_and_what_pulls_at_links():
    """Wires, welds and custom wires: all that World constraints do to an arm is in what its joints transmit."""
    world = World(1e-3, contact=exact())
    world.integrator = "semi_implicit"
    arm = world.add_articulated_system(models.six_axis_arm(), "arm")
    box, ball = world.add_box(0.1, 0.1, 0.1, 0.5), world.add_sphere(0.05, 0.3)
    arm.set_state([0.1, 0.5, -0.7, 0.2, 0.4, 0.3])
    names = arm.body_names
    box.set_pose(arm.body(names[-1]).point_position((0.0, 0.0, 0.1)))
    ball.set_pose(arm.body(names[3]).position + (0.3, 0.0, 0.2))
    weld = world.add_weld((arm, names[-1]), box)
    spring = world.add_spring((arm, names[3]), ball, 200.0, 1.0, length=0.1)
    pull = world.add_custom_wire((arm, names[2]), None, law=lambda length, rate: 7.0, point_b=(1.0, 1.0, 2.0))
    arm.set_pd_gains(100.0, 3.0)
    world.step(40)
    q, v = arm.q, arm.v
    anchors = {name: arm.body(name).position for name in (names[2], names[3])}
    tip, ball_at = box.position, ball.position
    joined = arm.body(names[-1]).position
    world.step()
    a = (arm.v - v) / 1e-3
    on_box = weld.force                      # on its second end, about its frame there
    along = ball_at - anchors[names[3]]
    along /= np.linalg.norm(along)
    wire = np.array([1.0, 1.0, 2.0]) - anchors[names[2]]
    wire /= np.linalg.norm(wire)
    assert pull.tension == 7.0 and abs(spring.tension) > 1.0
    found = joints_by_newton_and_euler(arm, q, v, a, [])
    held = arm.joint_wrenches
    loads = arm.external_wrenches
    total = np.zeros(3)
    for k, name in enumerate(names):
        total += loads[k, 3:]
        if name == names[2]:
            np.testing.assert_allclose(loads[k, 3:], 7.0 * wire, atol=1e-9)
    np.testing.assert_allclose(held[0, 3:], found["held"][3:] - total, atol=1e-8)
    # Newton's law of all of it: base force, weight and loads make the change of momentum
    momentum = sum(link.inertia.mass * (x[5] + np.cross(x[4], x[0] @ link.inertia.com)
                                        + np.cross(x[2], np.cross(x[2], x[0] @ link.inertia.com)))
                   for link, x in motion(arm, q, v, a).items() if link.inertia.mass)  # fmt: skip
    mass = sum(link.inertia.mass for link in arm.mechanism.bodies)
    np.testing.assert_allclose(held[0, 3:] + total + mass * G, momentum, atol=1e-7)
    given = arm.applied_force + arm.passive_force + arm.friction_force + arm.limit_force
    for name in arm.joint_names[1:]:
        k = arm.model.joint_v_index(name)
        along_axis = arm.joint(name).wrench_in(name)[:3] @ arm.joint(name).local_axis
        rotor = arm.model.array("rotor_inertia")[k]
        assert along_axis == pytest.approx(given[k] - rotor * a[k], abs=1e-7)
    assert tip is not None and joined is not None and on_box is not None
    assert np.abs(held).max() > 10.0


@pytest.mark.parametrize("loops", ["eliminate", "inloop"])
def test_loop_joints_are_in_the_wrenches(loops):
    """Closed legs that stand: each joint transmits what its motor gives, and nobody holds the base."""
    world = World(1e-3, contact=exact())
    world.integrator = "semi_implicit"
    world.add_ground()
    robot = world.add_articulated_system(closed_robots.minitaur(), loop_constraints=loops)
    robot.set_state(closed_robots.standing())
    motors = {name: (60.0, 1.0) for name in robot.joint_names if "motor" in name}
    robot.set_pd_gains(0.0, 0.0)
    robot.set_pd_gains(joints=motors)
    world.step(200)
    v = robot.v
    world.step()
    a = (robot.v - v) / 1e-3
    given = robot.applied_force + robot.passive_force + robot.friction_force
    for name in robot.joint_names[1:]:
        k = robot.model.joint_v_index(name)
        along = robot.joint(name).wrench_in(name)[:3] @ robot.joint(name).local_axis
        assert along == pytest.approx(given[k] - robot.model.array("rotor_inertia")[k] * a[k], abs=1e-7)
    np.testing.assert_allclose(robot.joint_wrenches[0], 0.0, atol=1e-6)
    assert np.abs(robot.joint_wrenches).max() > 5.0 and np.abs(given).max() > 0.5
    with pytest.raises(Error, match="loop_force"):
        assert robot.joint(robot.model.loop_names[0]).wrench is None


def test_nothing_is_known_before_a_step_and_after_one_was_set_by_hand():
    world, robot = standing(steps=0)

    def all_zero():
        return not any(np.any(a) for a in (robot.acceleration, robot.joint_wrenches, robot.body_accelerations,
                                           robot.frame_accelerations, robot.external_wrenches,
                                           robot.body("LF_FOOT").acceleration,
                                           robot.implicit_inertia))  # fmt: skip

    assert all_zero()
    np.testing.assert_array_equal(robot.start_state.q, robot.q)
    world.step()
    assert not all_zero()
    robot.set_state(robot.q)
    assert all_zero() and robot.contacts == []
    world.step()
    robot.base_position = (0.0, 0.0, 1.0)
    assert all_zero()
    world.step()
    robot.set_external_force("base", (1e308, 0.0, 0.0))
    with pytest.raises(rbdyn.DivergenceError):
        world.step(10)
    assert all_zero()


@pytest.mark.parametrize("integrator", ["semi_implicit", "euler"])
def test_fixed_joints_transmit_what_the_links_beyond_them_need(integrator):
    """Feet on the ground, fixed to shanks: as the force-torque sensor reads it, whatever the loader merged."""
    world, robot = standing(integrator)
    q, v = robot.q, robot.v
    names = [joint.name for joint in robot.mechanism.tree_joints if joint.joint_type.is_fixed]
    assert len(names) == 4
    sensors = robot.add_sensor_set("s", [ForceTorqueSensor(name, joint=name) for name in names])
    world.step()
    expected = joints_by_newton_and_euler(robot, q, v, (robot.v - v) / 1e-3, list(contacts_on(robot)))
    for name in names:
        joint = robot.joint(name)
        np.testing.assert_allclose(joint.wrench, expected[name], atol=1e-9 * np.abs(expected[name]).max())
        force, torque = (sensors[name].measure()[key] for key in ("force", "torque"))
        R = rbdyn.body_pose(robot.start_state, joint.successor.name)[:3, :3]
        np.testing.assert_allclose(joint.wrench[3:], R @ force, atol=1e-10)
        np.testing.assert_allclose(joint.wrench_in(joint)[3:], R.T @ joint.wrench[3:], atol=1e-10)
        arm = rbdyn.body_pose(robot.start_state, joint.successor.name)[:3, 3]
        arm = arm - rbdyn.body_pose(robot.start_state, robot.mechanism.find_joint(name).frame_after)[:3, 3]
        np.testing.assert_allclose(joint.wrench[:3], R @ torque + np.cross(arm, joint.wrench[3:]), atol=1e-10)
    assert max(np.abs(expected[name]).max() for name in names) > 20.0
    robot.set_external_force("LF_SHANK", (1.0, 0.0, 0.0))  # on the shank with its foot: on which of them is not known
    world.step()
    assert np.isnan(robot.joint("LF_FOOT_FIXED").wrench).all()
    assert np.isfinite(robot.joint("RF_FOOT_FIXED").wrench).all()
    robot.set_state(robot.q)
    assert not robot.joint("RF_FOOT_FIXED").wrench.any()  # no step is known


def shelf(mount):
    """A wall with two boards, one of them on another; a hinge on the upper one."""
    m = rbdyn.Mechanism(rbdyn.RigidBody("world"))
    inertia = rbdyn.SpatialInertia(2.0, (0.1, 0.05, 0.02), 0.01 * np.eye(3))
    board = rbdyn.Geometry(rbdyn.collision.Box((0.4, 0.4, 0.1)), name="board")
    lower, upper, door = (rbdyn.RigidBody(name, inertia) for name in ("lower", "upper", "door"))
    lower.collision.append(board)
    m.attach(m.root_body, lower, rbdyn.Joint("mount", rbdyn.Fixed()), mount)
    above = rbdyn.Transform(rpy=(0.3, 0, 0), translation=(0.3, 0, 1))
    m.attach(lower, upper, rbdyn.Joint("weld", rbdyn.Fixed()), above)
    m.attach(upper, door, rbdyn.Joint("hinge", rbdyn.Revolute((0, 0, 1))), rbdyn.Transform(translation=(0.2, 0.1, 0)))
    return m


def test_what_is_fixed_to_a_placed_root_transmits_weights_and_contacts():
    """Statics by hand: a ball lies on the lower board, whose root stands turned and away from the origin."""
    world = World(1e-3, contact=exact())
    robot = world.add_articulated_system(shelf(rbdyn.Transform(translation=(0.5, -0.2, 0.3))))
    robot.set_base_pose((3.0, 2.0, 1.0), (np.cos(0.4), 0.0, 0.0, np.sin(0.4)))
    robot.joint("hinge").friction = 100.0
    ball = world.add_sphere(0.1, 5.0)
    ball.set_pose(robot.body("lower").position + (0.05, 0.05, 0.15))
    world.step(20)
    assert len(world.contacts) == 1 and abs(robot.contact_force("lower")[2] + 5.0 * 9.81) < 1e-6
    total = np.zeros(6)
    for joint, names, load in (("weld", ("upper", "door"), 0.0), ("mount", ("lower", "upper", "door"), 5.0)):
        at = robot.joint(joint).position
        force, moment = -load * G, np.cross(ball.position - at, -load * G)
        for name in names:
            force, moment = force - 2.0 * G, moment + np.cross(robot.body(name).com_position - at, -2.0 * G)
        total = robot.joint(joint).wrench
        np.testing.assert_allclose(total, [*moment, *force], atol=1e-5)
    assert np.linalg.norm(total[:3]) > 10.0
    base = robot.joint(robot.joint_names[0]).wrench
    np.testing.assert_allclose(base[3:], total[3:], atol=1e-9)


def test_a_placed_base_named_world_says_where_it_stands():
    """The name "world" means the inertial frame; the root of that name stands elsewhere."""
    robot = World().add_articulated_system(shelf(rbdyn.Transform()))
    robot.set_base_pose((3.0, -2.0, 1.5), (np.cos(0.4), 0.0, 0.0, np.sin(0.4)))
    assert robot.body_names[0] == "world"
    assert "fixed base at (3, -2, 1.5) m" in repr(robot)
    np.testing.assert_array_equal(robot.body_pose("world"), np.eye(4))
    np.testing.assert_array_equal(robot.body_pose(robot.joint_names[0])[:3, 3], (3.0, -2.0, 1.5))
    np.testing.assert_array_equal(robot.body_pose(robot.joint_names[0]), robot.body("world").pose)


# ---- contacts ------------------------------------------------------------------------------------------


def test_contacts_of_links_and_their_forces():
    world, robot = standing(steps=400)
    feet = [leg + "_FOOT" for leg in ("LF", "RF", "LH", "RH")]
    forces = {foot: robot.contact_force(foot) for foot in feet}
    assert sum(forces.values())[2] == pytest.approx(robot.total_mass * 9.81, rel=0.05)
    for foot in feet:
        contacts = robot.contacts_of(foot)
        assert len(contacts) == 1 and contacts[0].impulse.any()
        contact = contacts[0]
        side = "a" if contact.object_a is robot else "b"
        assert getattr(contact, f"link_{side}") == foot
        assert getattr(contact, f"geometry_{side}") == foot + "/0"
        assert getattr(contact, f"body_{side}") == foot[:2] + "_SHANK"
        np.testing.assert_array_equal(contact.force_on(robot), forces[foot])
        for name in (foot, foot + "/0", foot[:2] + "_SHANK"):
            np.testing.assert_array_equal(contact.force_on(name), forces[foot])
        np.testing.assert_allclose(contact.velocity_on(robot),
                                   robot.body(foot).point_velocity(contact.position, "world"), atol=1e-15)  # fmt: skip
        np.testing.assert_array_equal(contact.velocity_on("ground_0"), np.zeros(3))
        np.testing.assert_allclose(contact.frame.T @ contact.frame, np.eye(3), atol=1e-14)
        np.testing.assert_array_equal(contact.frame[:, 2], contact.normal)
        assert np.linalg.det(contact.frame) > 0.0
        R = robot.body("base").rotation
        np.testing.assert_allclose(robot.contact_force(foot, "base"), R.T @ forces[foot], atol=1e-12)
        np.testing.assert_array_equal(robot.contact_force(foot[:2] + "_SHANK"), np.zeros(3))
        np.testing.assert_array_equal(robot.contact_force(foot[:2] + "_SHANK", merged=True), forces[foot])
        assert robot.body(foot).contacts[0].position.tolist() == contact.position.tolist()
    assert robot.contacts_of("base") == []
    with pytest.raises(UnknownNameError):
        robot.contacts_of("LF_FOO")
    with pytest.raises(Error, match="has no part"):
        robot.contacts_of("LF_FOOT")[0].force_on("RF_FOOT")
    assert world.contacts


def test_the_velocity_of_a_point_of_a_single_body():
    world = World(1e-3)
    world.add_ground()
    ball = world.add_sphere(0.1, 1.0)
    ball.set_pose((0.0, 0.0, 0.1))
    ball.set_velocity((1.0, 2.0, 0.0), (0.0, 3.0, 0.0))
    world.step()
    contact = ball.contacts[0]
    expected = ball.linear_velocity + np.cross(ball.angular_velocity, contact.position - ball.position)
    np.testing.assert_allclose(contact.velocity_on(ball), expected, atol=1e-15)
    assert np.abs(expected[:2]).min() > 0.1


# ---- the solved problem --------------------------------------------------------------------------------


def test_the_solved_problem_can_be_read_and_solved_again():
    world, robot = standing(steps=200)
    assert World().problem is None
    problem = world.problem
    assert problem.n_cones == 4 and problem.n >= 4
    np.testing.assert_allclose(problem.frame, [c.frame.T for c in world.contacts], atol=1e-15)
    impulses = problem.impulse.reshape(-1)[: 3 * problem.n_cones].reshape(-1, 3)
    for contact, frame, impulse in zip(world.contacts, problem.frame, impulses, strict=True):
        np.testing.assert_allclose(contact.impulse, frame.T @ impulse, atol=1e-15)
    velocities, before = problem.velocity(), problem.impulse.copy()
    assert np.abs(velocities.reshape(-1)[2:12:3]).max() < 1e-6
    world.step(50)                           # it is a copy
    world.remove(robot)
    np.testing.assert_array_equal(problem.velocity(), velocities)
    problem.impulse[:] = 0.0
    exact().solve(problem)
    np.testing.assert_allclose(problem.impulse, before, atol=1e-6)
    assert np.abs(before).max() > 0.05


# ---- the base ------------------------------------------------------------------------------------------


def test_the_base_is_set_one_thing_at_a_time():
    world = World()
    robot = world.add_articulated_system(models.path("quadruped"))
    rng = np.random.default_rng(4)
    robot.set_state(robot.model.random(rng), rng.normal(size=robot.nv))
    q, v = robot.q.copy(), robot.v.copy()
    robot.base_position = (1.0, 2.0, 3.0)
    q[:3] = (1.0, 2.0, 3.0)
    np.testing.assert_array_equal(robot.q, q)
    R = turned(np.array([0.0, 0.6, 0.8]), 0.7)
    robot.base_orientation = R
    np.testing.assert_allclose(robot.base_orientation, (np.cos(0.35), 0.0, 0.6 * np.sin(0.35), 0.8 * np.sin(0.35)))
    np.testing.assert_allclose(robot.body("base").rotation, R, atol=1e-12)
    np.testing.assert_array_equal(robot.q[:3], q[:3])
    robot.base_orientation = (0.0, 1.0, 0.0, 0.0)
    np.testing.assert_array_equal(robot.q[3:7], (0.0, 1.0, 0.0, 0.0))
    robot.base_linear_velocity = (0.1, 0.2, 0.3)
    v[:3] = (0.1, 0.2, 0.3)
    np.testing.assert_array_equal(robot.v, v)
    robot.base_angular_velocity = (4.0, 5.0, 6.0)
    v[3:6] = (4.0, 5.0, 6.0)
    np.testing.assert_array_equal(robot.v, v)
    np.testing.assert_allclose(robot.base_linear_velocity, (0.1, 0.2, 0.3), atol=1e-12)
    np.testing.assert_allclose(robot.base_angular_velocity, (4.0, 5.0, 6.0), atol=1e-12)
    np.testing.assert_array_equal(robot.base_position, (1.0, 2.0, 3.0))
    assert robot.body_type == "dynamic"
    with pytest.raises(Error, match="base_linear_velocity"):
        robot.base_linear_velocity = (1.0, np.nan, 0.0)
    np.testing.assert_array_equal(robot.v, v)


def test_a_base_off_its_joint_gets_the_velocity_it_is_given():
    mechanism = rbdyn.Mechanism(rbdyn.RigidBody("world"))
    base = rbdyn.RigidBody("base", rbdyn.SpatialInertia(1.0, inertia=np.eye(3)))
    pose = rbdyn.Transform(rpy=(0.1, 0.2, 0.3), translation=(0.3, -0.2, 0.1))
    mechanism.attach(mechanism.root_body, base, rbdyn.Joint("free", rbdyn.Floating()), pose, pose)
    world = World()
    robot = world.add_articulated_system(mechanism, "thing")
    rng = np.random.default_rng(1)
    robot.set_state(robot.model.random(rng), rng.normal(size=6))
    spin = robot.base_angular_velocity
    robot.base_linear_velocity = (1.0, 2.0, 3.0)
    np.testing.assert_allclose(robot.body("base").linear_velocity, (1.0, 2.0, 3.0), atol=1e-12)
    np.testing.assert_allclose(robot.base_angular_velocity, spin, atol=1e-12)
    robot.base_angular_velocity = (0.5, 0.6, 0.7)
    np.testing.assert_allclose(robot.body("base").velocity, (0.5, 0.6, 0.7, 1.0, 2.0, 3.0), atol=1e-12)


def test_a_fixed_base_has_a_place_and_no_velocity():
    world = World()
    arm = world.add_articulated_system(models.six_axis_arm(), "arm")
    arm.base_position = (1.0, 2.0, 3.0)
    arm.base_orientation = (np.cos(0.1), 0.0, 0.0, np.sin(0.1))
    np.testing.assert_allclose(arm.base_position, (1.0, 2.0, 3.0))
    np.testing.assert_allclose(arm.body(arm.body_names[0]).rotation, turned(np.array([0.0, 0.0, 1.0]), 0.2))
    np.testing.assert_array_equal(arm.base_linear_velocity, np.zeros(3))
    with pytest.raises(Error, match="fixed base"):
        arm.base_angular_velocity = (0.0, 0.0, 1.0)
    assert arm.model.q_starts.tolist() == [0, 0, 1, 2, 3, 4, 5] == arm.model.v_starts.tolist()


def test_index_maps_are_those_of_names():
    world = World()
    robot = world.add_articulated_system(models.path("quadruped"))
    model = robot.model
    assert model.q_starts.tolist() == [model.joint_q_index(name) for name in model.joint_names]
    assert model.v_starts.tolist() == [model.joint_v_index(name) for name in model.joint_names]


# ---- the damped inverse --------------------------------------------------------------------------------


def test_the_inverse_of_the_step_has_what_is_implicit_in_it():
    """v+ = v + dt (M + E)^-1 (tau - h) of a step in the air, with E the implicit terms: by dense matrices."""
    world = World(2e-3)
    world.integrator = "semi_implicit"
    robot = world.add_articulated_system(models.path("quadruped"))
    rng = np.random.default_rng(5)
    robot.set_state(robot.model.random(rng), rng.normal(size=robot.nv))
    robot.set_pd_gains(30.0, 2.0, limits="explicit")
    q, v, dt = robot.q, robot.v, 2e-3
    error = rbdyn.difference(robot.model, q, robot.pd_target[0])
    h = rbdyn.bias_forces(robot.state)
    p, d = robot.pd_gains
    world.step()
    start, E = robot.start_state, robot.implicit_inertia
    np.testing.assert_allclose(E, dt * (d + robot.joint_damping) + dt * dt * p, atol=1e-15)
    W = rbdyn.inverse_mass_matrix(start, diagonal=E)
    np.testing.assert_allclose(W @ (rbdyn.mass_matrix(start) + np.diag(E)), np.eye(robot.nv), atol=1e-9)
    tau = p * error - d * v - dt * p * v - robot.joint_damping * v
    np.testing.assert_allclose(robot.v, v + dt * W @ (tau - h), atol=1e-9)
    for wrong in (np.full(robot.nv, -1.0), np.ones(3)):
        with pytest.raises(rbdyn.StateError, match="diagonal"):
            rbdyn.inverse_mass_matrix(start, diagonal=wrong)
