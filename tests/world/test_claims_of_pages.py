"""Sentences of the manual that say how large an error is, in which order numbers come, or whose axes are meant."""

import numpy as np
import pytest

import rbdyn
from rbdyn import Geometry, Joint, Mechanism, Revolute, RigidBody, SpatialInertia, Transform, models
from rbdyn.collision import Box, Sphere

G = 9.81


def still(world):
    robot = world.add_articulated_system(models.path("quadruped"), name="dog")
    robot.set_state(models.QUADRUPED_STANCE.q)
    return robot


# ---- contact.md ----------------------------------------------------------------------------------


def rolled(dt, seconds=1.0, tilt=0.2, **speeds):
    """How far a solid ball rolls down an incline, beside the closed form [m]; and by how much its energy is off."""
    world = rbdyn.World(time_step=dt, gravity=(G * np.sin(tilt), 0.0, -G * np.cos(tilt)))
    world.add_ground()
    ball = world.add_sphere(0.1, 2.0)
    ball.set_pose(position=(0, 0, 0.1))
    ball.set_velocity(**speeds)
    energy = ball.kinetic_energy + ball.potential_energy
    v = ball.linear_velocity[0]
    world.step(round(seconds / dt))
    exact = v * seconds + 0.5 * 5 / 7 * G * np.sin(tilt) * seconds**2
    return ball.position[0] - exact, ball.kinetic_energy + ball.potential_energy - energy, ball


@pytest.mark.parametrize("dt", [0.004, 0.001])
def test_what_rolls_from_rest_is_half_a_step_ahead(dt):
    ahead, energy, ball = rolled(dt)
    acceleration = 5 / 7 * G * np.sin(0.2)
    assert ahead == pytest.approx(0.5 * acceleration * dt * 1.0, rel=1e-3)
    assert ball.linear_velocity[0] == pytest.approx(acceleration, rel=1e-6)
    assert energy == pytest.approx(-0.5 * 2.0 * G * np.sin(0.2) * acceleration * dt, rel=1e-2)


# ---- control.md ----------------------------------------------------------------------------------


def stiff(rule, damping, p=1e12, dt=0.01):
    """Two links led to targets 0.1 rad off: how far they are from these after 2 s, and how fast they were meanwhile."""
    world = rbdyn.World(time_step=dt)
    world.integrator = rule
    robot = world.add_articulated_system(models.double_pendulum())
    robot.set_pd_gains(p=p, d=damping * p * dt)
    robot.set_pd_target([0.1, 0.1])
    speeds = []
    for _ in range(200):
        world.step()
        speeds.append(abs(robot.v).max())
    return abs(robot.q - 0.1).max(), max(speeds)


@pytest.mark.parametrize("rule, damping", [("semi_implicit", 0.0), ("trapezoid", 0.5), ("euler", 1.0)])
def test_gains_of_any_size_lead_to_the_target(rule, damping):
    off, _ = stiff(rule, damping)
    assert off < 1e-10


def test_stiff_gains_without_damping_swing_on_or_diverge():
    fast, faster = stiff("trapezoid", 0.0, p=1e8), stiff("trapezoid", 0.0, p=1e12)
    assert fast[0] > 1e-3 and faster[0] > 1e-3 and faster[1] > 20.0 * fast[1]
    for rule, damping in (("euler", 0.0), ("rk4", 0.0), ("rk4", 1.0)):
        with pytest.raises(rbdyn.DivergenceError):
            stiff(rule, damping)


# ---- constraints.md ------------------------------------------------------------------------------


def opened(dt):
    """How far a hinge opens on which a box begins at 20 rad/s [m]."""
    world = rbdyn.World(time_step=dt)
    box = world.add_box(0.2, 0.1, 0.1, 1.0)
    hinge = world.add_joint(None, box, Joint("hinge", Revolute((0, 1, 0))), Transform(translation=(-0.1, 0, 0)))
    box.set_velocity(linear=(0, 0, -2.0), angular=(0, 20.0, 0))
    errors = []
    for _ in range(round(1.0 / dt)):
        world.step()
        errors.append(np.abs(hinge.error).max())
    return max(errors)


def test_joints_between_bodies_open_by_what_a_step_turns():
    coarse, fine = opened(0.004), opened(0.002)
    assert coarse == pytest.approx(6e-5, rel=0.1) and fine == pytest.approx(8e-6, rel=0.1)
    assert 6.0 < coarse / fine < 10.0


def test_softness_of_rotations_comes_first(seed):
    rng = np.random.default_rng(seed)
    turning, giving = 10.0 ** rng.uniform(-4, -3, 2)
    damping = (0.05 / turning, 0.05 / giving)
    world = rbdyn.World(time_step=0.002)
    box = world.add_box(0.2, 0.2, 0.2, 2.0)
    mount = world.add_weld(None, box)
    mount.set_softness((turning, giving), damping=damping)
    assert mount.softness == (turning, giving) and mount.softness_damping == damping
    for _ in range(1000):
        box.set_external_torque(0, (0, 0, 0.5))
        world.step()
    assert box.position[2] == pytest.approx(-giving * 2.0 * G, rel=1e-6)
    angle = 2.0 * np.arctan2(box.orientation[3], box.orientation[0])
    assert angle == pytest.approx(turning * 0.5, rel=1e-6)


def test_one_number_is_of_translations():
    world = rbdyn.World(time_step=0.002)
    mount = world.add_weld(None, world.add_box(0.2, 0.2, 0.2, 2.0))
    mount.set_softness(1e-4, damping=100.0)
    assert mount.softness == (0.0, 1e-4) and mount.softness_damping == (0.0, 100.0)


# ---- sight.md ------------------------------------------------------------------------------------


def test_a_contact_sensor_reads_along_its_own_axes():
    from rbdyn.sensors import ContactSensor

    world = rbdyn.World(time_step=0.002)
    world.add_ground()
    m = Mechanism(RigidBody("world"))
    ball = RigidBody("ball", SpatialInertia.from_shape(Sphere(0.1), mass=1.0), [Geometry(Sphere(0.1))])
    m.attach("world", ball, Joint("base", rbdyn.Floating()))
    robot = world.add_articulated_system(m)
    robot.set_state(q=[0, 0, 0.1, 1, 0, 0, 0])
    turned = Transform(rpy=(np.pi / 2, 0, 0))
    sensors = robot.add_sensor_set("feel", [ContactSensor("c", turned)], link="ball")
    world.step(50)
    sensors["c"].measure()
    assert np.abs(sensors["c"].force - turned.rotation.T @ (0, 0, G)).max() < 1e-6      # (0, 9.81, 0)
    assert sensors["c"].force[1] == pytest.approx(G, rel=1e-6) and sensors["c"].in_contact


def test_a_force_torque_sensor_is_told_its_joint_and_sits_on_its_child():
    from rbdyn.sensors import ForceTorqueSensor

    world = rbdyn.World()
    robot = still(world)
    with pytest.raises(rbdyn.Error, match="joint"):
        ForceTorqueSensor("knee")
    sensors = robot.add_sensor_set("legs", [ForceTorqueSensor("knee", joint="LF_KFE")], link="base")
    assert np.array_equal(sensors["knee"].pose, robot.joint("LF_KFE").successor.pose)


# ---- raisim.md -----------------------------------------------------------------------------------


def moving(seed):
    """A robot whose second moving body hangs on a link that a fixed joint turns and shifts."""
    rng = np.random.default_rng(seed)

    def link(name):
        return RigidBody(name, SpatialInertia.from_shape(Box((0.1, 0.2, 0.3)), mass=1.0))

    def place():
        return Transform(rpy=rng.uniform(-1, 1, 3), translation=rng.uniform(-1, 1, 3))

    m = Mechanism(RigidBody("world"))
    m.attach("world", link("arm"), Joint("shoulder", Revolute((0, 0, 1))), joint_pose=place())
    fixed, wrist = place(), place()
    m.attach("arm", link("flange"), Joint("bolts", rbdyn.Fixed()), joint_pose=fixed)
    m.attach("flange", link("hand"), Joint("wrist", Revolute((0, 1, 0))), joint_pose=wrist)
    world = rbdyn.World()
    robot = world.add_articulated_system(m)
    robot.set_state(rng.uniform(-1, 1, 2), rng.uniform(-1, 1, 2))
    return robot, fixed @ wrist, world                       # which lives as long as it is held


def test_places_of_joints_on_moving_bodies(seed):
    robot, place, _world = moving(seed)
    wrist = robot.joint("wrist")
    pose = robot.frame("before_wrist").pose_in(wrist.predecessor.carrier)
    assert wrist.predecessor.name == "flange" and wrist.predecessor.carrier.name == "arm"
    assert np.abs(pose - place.matrix).max() < 1e-12
    assert np.abs(wrist.axis_in(wrist.predecessor.carrier) - place.rotation @ (0, 1, 0)).max() < 1e-12
    assert np.abs(wrist.placement.translation - place.translation).max() > 0.1


def test_joints_of_a_fixed_base_are_those_with_coordinates(seed):
    robot, _, _world = moving(seed)
    assert [joint.name for joint in robot.joints] == ["shoulder", "wrist"]
    assert robot.joint_names[1:] == ("shoulder", "wrist") and len(robot.joint_names) == 3


def test_a_sparse_jacobian_of_a_point_in_the_world(seed):
    robot, _, _world = moving(seed)
    hand, p = robot.body("hand"), np.array([1.0, 0.0, 0.5])
    J = hand.jacobian(p, frame="world", sparse=True)
    v = hand.linear_velocity + np.cross(hand.angular_velocity, p - hand.position)
    assert np.abs(J.linear.values @ robot.v[J.linear.columns] - v).max() < 1e-12
    assert np.abs(hand.jacobian(p)[3:] - hand.jacobian(p, frame="world")[3:]).max() > 0.1


def test_gaps_are_in_the_list_of_contacts():
    world = rbdyn.World(time_step=0.005)
    world.add_ground()
    ball = world.add_sphere(0.1, 1.0)
    ball.set_pose(position=(0, 0, 0.10005))
    ball.set_velocity(linear=(0, 0, 1.0))
    world.step()
    (gap,) = ball.contacts
    assert gap.depth < 0 and not gap.impulse.any()


def test_filter_rules():
    for rule, meets in (("and", False), ("or", True)):
        world = rbdyn.World(collision=rbdyn.collision.NativeBackend(filter_rule=rule))
        world.add_ground(group=1, mask=2)
        ball = world.add_sphere(0.1, 1.0, group=4, mask=1)
        ball.set_pose(position=(0, 0, 0.0999))
        world.step()
        assert bool(ball.contacts) == meets


def test_limits_of_efforts_in_the_other_order_are_refused():
    robot = still(rbdyn.World())
    with pytest.raises(rbdyn.Error):
        robot.set_effort_limits(60.0, -40.0)


def test_targets_begin_where_control_does():
    robot = still(rbdyn.World())
    robot.set_pd_gains(p=100.0, d=1.0)
    assert np.array_equal(robot.pd_target[0], robot.q) and robot.q[7:].any()


# ---- rigidbodydynamics.md ------------------------------------------------------------------------


def test_what_is_not_given_stays():
    state = rbdyn.State(rbdyn.Model(models.double_pendulum()))
    state.set(q=[0.3, 0.4], v=[1.0, 2.0])
    state.set(q=[0.5, 0.6])
    assert state.v.tolist() == [1.0, 2.0]
    state.set(v=[3.0, 4.0])
    assert state.q.tolist() == [0.5, 0.6] and state.v.tolist() == [3.0, 4.0]
