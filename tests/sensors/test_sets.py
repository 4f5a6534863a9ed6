"""Sensor sets: rates, sources, look-ups, snapshots, copies, and what happens when a robot changes or goes."""

import copy
import pickle
from types import SimpleNamespace

import numpy as np
import pytest
from sensors.machines import free_body

import rbdyn
from rbdyn import models
from rbdyn.collision import Box
from rbdyn.sensors import (
    ContactSensor,
    DepthCamera,
    ForceTorqueSensor,
    Imu,
    JointSensor,
    Noise,
    SensorSetDescription,
    SpinningLidar,
    TouchSensor,
)
from rbdyn.sensors.board import mount_described
from rbdyn.spatial.transform import Transform

NOISY = Noise("gaussian", 0.0, 0.1)


def dog(**values):
    world = rbdyn.World(time_step=0.002)
    world.add_ground()
    robot = world.add_articulated_system(models.quadruped(), name="dog")
    robot.set_base_pose(position=(0, 0, 0.6))
    sensors = [
        Imu("imu", update_rate=100.0, acc_noise=NOISY, acc_bias_walk=0.2),
        JointSensor("knee", joint=robot.joint_names[2], update_rate=250.0, velocity_noise=NOISY),
        SpinningLidar("lidar", yaw_samples=12, update_rate=20.0),
    ]
    robot.add_sensor_set("body", sensors, seed=4)
    return world, robot


def test_names_and_look_ups_are_those_of_raisim():
    world, robot = dog()
    imu = robot.sensor_set("body").sensor("imu")
    assert imu is robot.sensor_sets["body"]["imu"] and imu.full_name == "dog/body/imu" and imu.type == "imu"
    assert [s.name for s in robot.sensor_set("body").sensors] == ["imu", "knee", "lidar"]
    assert robot.sensor_set("body").description.sensors[0] == imu.description
    assert (robot.sensor_set("body").link, imu.world, imu.robot) == ("base", world, robot)
    for ask in (lambda: robot.sensor_set("boddy"), lambda: robot.sensor_set("body").sensor("imo"), lambda: imu["x"]):
        with pytest.raises(rbdyn.UnknownNameError):
            ask()
    described = SensorSetDescription("other", [Imu("imu")], model="X", serial_number="9")
    made = robot.add_sensor_set(described, link="LF_SHANK")
    assert (made.model, made.serial_number, made.link) == ("X", "9", "LF_SHANK")


def test_sensors_measure_at_their_rates_and_say_when():
    world, robot = dog()
    imu, knee = robot.sensor_set("body")["imu"], robot.sensor_set("body")["knee"]
    assert imu.time_stamp < 0 and "no measurement" in repr(imu)
    with pytest.raises(rbdyn.Error, match="has not measured linear_acceleration yet"):
        imu.linear_acceleration  # noqa: B018
    stamps = {0.0}
    for _ in range(25):
        world.step()
        stamps.add(imu.time_stamp)
    assert sorted(stamps) == pytest.approx([0.0, 0.01, 0.02, 0.03, 0.04])
    assert knee.time_stamp == pytest.approx(0.048)
    imu.update_rate = 0.0
    world.step(20)
    assert imu.time_stamp == pytest.approx(0.04)
    imu.update_rate = 500.0
    world.step(2)
    assert imu.time_stamp == pytest.approx(world.time - 0.002)
    imu.measure()
    assert imu.time_stamp == world.time


def test_what_hardware_measured_can_be_put_in():
    world, robot = dog()
    imu = robot.sensor_set("body")["imu"]
    imu.set(time_stamp=12.5, linear_acceleration=(1, 2, 3), orientation=(1, 0, 0, 0))
    world.step(20)
    assert imu.source == "manual" and imu.time_stamp == 12.5 and imu.linear_acceleration.tolist() == [1, 2, 3]
    imu.source = "simulation"
    world.step(20)
    assert imu.time_stamp < 1.0 and imu.linear_acceleration.tolist() != [1, 2, 3]
    before = imu.values
    for bad in ({"linear_acceleration": (1, 2)}, {"orientation": (np.nan,) * 4}, {"angular_velocity": "fast"}):
        with pytest.raises(rbdyn.Error):
            imu.set(**bad, **({"orientation": (0, 1, 0, 0)} if "orientation" not in bad else {}))
    assert all(np.array_equal(before[k], imu.values[k]) for k in before)
    with pytest.raises(rbdyn.UnknownNameError, match="linear_acceleration"):
        imu.set(linear_acc=(1, 2, 3))
    with pytest.raises(ValueError, match="read-only"):
        imu.angular_velocity[0] = 3.0


def test_joint_contact_and_touch_sensors_read_what_the_robot_says():
    world = rbdyn.World()
    world.add_ground()
    robot = world.add_articulated_system(free_body(collision=[rbdyn.Geometry(Box((0.4, 0.4, 0.2)))]))
    robot.set_base_pose(position=(0, 0, 0.1))
    R = Transform(rpy=(0, np.pi / 2, 0))
    corner = Transform(translation=(0.2, 0.2, -0.1))
    some = robot.add_sensor_set(
        "s", [ContactSensor("c", R), TouchSensor("all"), TouchSensor("corner", corner, radius=0.1)]
    )
    assert not some["c"].measure()["in_contact"] and some["all"].measure()["force"] == 0.0
    world.step(1000)
    for one in some.sensors:
        one.measure()
    weight = 1.5 * 9.81
    assert some["c"].in_contact and np.abs(some["c"].force - R.matrix[:3, :3].T @ (0, 0, weight)).max() < 1e-6
    assert some["all"].force == pytest.approx(weight) and some["corner"].force == pytest.approx(weight / 4, rel=1e-3)
    arm = world.add_articulated_system(models.six_axis_arm(), name="arm")
    joint = arm.joint_names[2]
    arm.set_generalized_force(joints={joint: 3.0})
    sensor = arm.add_sensor_set("s", [JointSensor("j", joint=joint)])["j"]
    world.step(5)
    sensor.measure()
    ref = arm.joint(joint)
    assert (sensor.position[0], sensor.velocity[0], sensor.force[0]) == (ref.q, ref.v, 3.0) and ref.v != 0.0


def states(robot):
    return {
        s.name: (s.time_stamp, {k: x.copy() for k, x in s.values.items()}) for s in robot.sensor_set("body").sensors
    }


def same(a, b):
    return all(
        a[n][0] == b[n][0] and a[n][1].keys() == b[n][1].keys()
        and all(np.array_equal(a[n][1][k], b[n][1][k]) for k in a[n][1])
        for n in a
    )  # fmt: skip


@pytest.mark.parametrize("through", ["own", "bytes", "copy", "pickle"])
def test_snapshots_and_copies_take_sensors_along(through):
    """Noise, biases, rates and measurements go on from there as they did."""
    world, robot = dog()
    world.step(37)
    snapshot = world.snapshot()
    then = states(robot)
    other = world
    if through == "copy":
        other = copy.deepcopy(world)
    elif through == "pickle":
        other = pickle.loads(pickle.dumps(world))
    world.step(80)
    later = states(robot)
    assert not same(then, later)
    if through == "own":
        world.restore(snapshot)
    elif through == "bytes":
        other, _ = dog()
        other.step(5)
        other.restore(type(snapshot).from_bytes(bytes(snapshot)))
    twin = other.find("dog")
    assert same(states(twin), then)
    if other is not world:
        assert twin.sensor_set("body") is not robot.sensor_set("body")
        assert twin.sensor_set("body")["imu"].robot is twin
    other.step(80)
    assert same(states(twin), later)
    assert other.state_hash() == world.state_hash()


def test_a_snapshot_needs_the_sensors_that_it_has():
    world, robot = dog()
    world.step()
    data = bytes(world.snapshot())
    other = rbdyn.World(time_step=0.002)
    other.add_ground()
    other.add_articulated_system(models.quadruped(), name="dog")
    with pytest.raises(rbdyn.SnapshotError, match="sensors"):
        other.restore(type(world.snapshot()).from_bytes(data))
    other.find("dog").add_sensor_set("body", [Imu("imu")])
    with pytest.raises(rbdyn.SnapshotError, match="knee"):
        other.restore(type(world.snapshot()).from_bytes(data))


def test_images_are_not_in_snapshots():
    world, robot = dog()
    eye = robot.add_sensor_set("eyes", [DepthCamera("d", width=80, height=60, update_rate=10.0)])["d"]
    world.step(2)
    snapshot = world.snapshot()
    assert snapshot.nbytes + len(bytes(snapshot)) < 1_000_000
    world.restore(snapshot)
    assert eye.time_stamp < 0 and eye.values == {}
    eye.measure()


def test_a_removed_robot_s_sensors_say_so_and_the_world_goes_on():
    world, robot = dog()
    sets = robot.sensor_set("body")
    world.step(10)
    snapshot = world.snapshot()
    world.remove(robot)
    world.step(100)
    for ask in (sets["imu"].measure, lambda: sets["imu"].pose, lambda: sets["imu"].world, sets.remove):
        with pytest.raises(rbdyn.RemovedError):
            ask()
    world.restore(snapshot)
    world.step(100)
    assert sets["imu"].time_stamp == pytest.approx(0.21, abs=0.011)


def test_a_link_that_is_cut_off_takes_its_sensors_with_it():
    world, robot = dog()
    link = robot.body_names[3]
    foot = robot.add_sensor_set("foot", [Imu("imu", update_rate=100.0)], link=link)["imu"]
    world.step(10)
    stamp = foot.time_stamp
    robot.remove_subtree(robot.joint_names[1])
    world.step(20)
    assert foot.time_stamp == stamp
    with pytest.raises(rbdyn.RemovedError, match=link):
        foot.measure()
    assert robot.sensor_set("body")["imu"].time_stamp > stamp


def test_a_set_can_be_taken_off():
    world, robot = dog()
    sets = robot.sensor_set("body")
    world.step(3)
    sets.remove()
    assert robot.sensor_sets == {} and not world.schedules
    with pytest.raises(rbdyn.RemovedError, match="taken off"):
        sets["imu"].measure()
    robot.add_sensor_set("body", [Imu("imu", update_rate=100.0)])
    world.step(3)


def test_what_a_file_described_is_mounted():
    """By the names of its values; bodies carry them as `sensor_sets`."""
    noise = SimpleNamespace(type="gaussian", mean=0.0, stddev=0.1)
    imu = SimpleNamespace(name="imu", type="imu", acc_limit=5.0, update_rate=100.0, acc_noise=noise)
    lidar = SimpleNamespace(name="lidar", type="spinning_lidar", yaw_samples=7, update_rate=4000.0, model="VLP")
    eye = SimpleNamespace(name="eye", type="rgb", width=8, height=6, horizontal_fov=1.0, clip_near=0.0, clip_far=9.0)
    said = SimpleNamespace(name="head", kind="pair", sensors=(imu, lidar, eye), serial_number="12", moved=lambda: said)
    world = rbdyn.World(time_step=0.002)
    robot = world.add_articulated_system(models.quadruped(), name="dog")
    robot.mechanism.find_body("LF_SHANK").sensor_sets = (said,)
    with pytest.warns(rbdyn.InactiveFeatureWarning, match="head/lidar"):
        mount_described(robot)
    mounted = robot.sensor_set("head")
    assert (mounted.link, mounted.serial_number) == ("LF_SHANK", "12")
    assert mounted["imu"].description.acc_limit == 5.0 and mounted["imu"].description.acc_noise.stddev == 0.1
    assert mounted["eye"].measure()["image"].shape == (6, 8, 3)
    assert mounted["lidar"].description.yaw_samples == 7 and mounted["lidar"].update_rate == 500.0
    world.step(2)
    assert mounted["imu"].time_stamp == 0.0 and mounted["lidar"].time_stamp == 0.002


@pytest.mark.parametrize(
    "add, error",
    [
        (lambda r: r.add_sensor_set("body", [Imu("imu")]), "already has a sensor set named 'body'"),
        (lambda r: r.add_sensor_set("new", [Imu("imu")], link="tail"), "no body named 'tail'"),
        (lambda r: r.add_sensor_set("new", [Imu("imu"), JointSensor("j", joint="tail")]), "tail"),
        (lambda r: r.add_sensor_set("new", [ForceTorqueSensor("f", joint="tail")]), "tail"),
        (lambda r: r.add_sensor_set("new", [JointSensor("j", joint="ROOT2")]), "ROOT2"),
        (lambda r: r.add_sensor_set("new", [Imu("imu", update_rate=5000.0)]), "at most that of the steps, 500 Hz"),
        (lambda r: r.add_sensor_set("new", [Imu("imu")], seed=-1), "seed"),
        (lambda r: r.add_sensor_set(3), "description must be"),
        (lambda r: r.add_sensor_set("s", Imu("imu")), r"sensors must be a sequence of .*; write \[\.\.\.\]"),
        (lambda r: r.add_sensor_set(SensorSetDescription("new", []), [Imu("imu")]), "sensors are in the description"),
        (lambda r: r.add_sensor_set("new", ["imu"]), "must be of"),
        (lambda r: setattr(r.sensor_set("body")["imu"], "update_rate", 501.0), "at most that of the steps"),
        (lambda r: setattr(r.sensor_set("body")["imu"], "source", "hardware"), "source must be one of"),
    ],
)
def test_bad_input_changes_nothing(add, error):
    world, robot = dog()
    before = (set(robot.sensor_sets), [s.name for s in world.schedules], world.state_hash())
    with pytest.raises(rbdyn.Error, match=error):
        add(robot)
    assert (set(robot.sensor_sets), [s.name for s in world.schedules], world.state_hash()) == before
    world.step(5)


def test_sensors_can_be_asked_by_observers_and_not_in_the_middle_of_a_step():
    world, robot = dog()
    imu = robot.sensor_set("body")["imu"]
    seen = []
    world.add_observer(lambda w: seen.append(imu.measure()["angular_velocity"].copy()))
    world.step(3)
    assert len(seen) == 3
    world.integrate1()
    with pytest.raises(rbdyn.BusyError):
        robot.add_sensor_set("new", [Imu("imu")])
    world.integrate2()


def test_asking_for_the_sets_changes_nothing():
    world = rbdyn.World()
    dog = world.add_articulated_system(models.quadruped(), name="dog")
    before = world.state_hash()
    assert dog.sensor_sets == {}
    assert world.state_hash() == before


@pytest.mark.parametrize("back", ["restore", "reset", "bytes"])
def test_a_set_that_came_since_is_taken_off(back):
    """The World is what it was: the name is free, and a set that is mounted again measures."""
    world = rbdyn.World()
    robot = world.add_articulated_system(models.quadruped(), name="dog")
    world.step()
    world.set_reset_state()
    taken = world.snapshot()
    late = robot.add_sensor_set("head", [Imu("imu", update_rate=100.0)], link="base")
    bare = robot.add_sensor_set("bare", [])
    world.run(0.1)
    {"restore": lambda: world.restore(taken), "reset": world.reset,
     "bytes": lambda: world.restore(rbdyn.world.Snapshot.from_bytes(bytes(taken)))}[back]()  # fmt: skip
    assert world.state_hash() == taken.hash
    assert robot.sensor_sets == {} and world.schedules == () and late.removed and bare.removed
    with pytest.raises(rbdyn.RemovedError, match="not on 'dog' in the snapshot that is back"):
        late["imu"].measure()
    again = robot.add_sensor_set("head", [Imu("imu", update_rate=100.0)], link="base")
    world.run(0.1)
    assert again["imu"].time_stamp > 0.09


def test_sets_that_were_there_come_back():
    """Taken off, or exchanged for another of the name: under the old handle, with rate and measurement of then."""
    world, robot = dog()
    body = robot.sensor_set("body")
    world.step(30)
    taken, stamp = world.snapshot(), body["imu"].time_stamp
    world.step(20)
    expected = world.state_hash()
    robot.remove_sensor_set("body")
    other = robot.add_sensor_set("body", [JointSensor("knee", joint=robot.joint_names[2], update_rate=50.0)])
    world.step(7)
    world.restore(taken)
    assert robot.sensor_sets == {"body": body} and not body.removed and other.removed
    assert world.state_hash() == taken.hash and body["imu"].time_stamp == stamp and body["imu"].update_rate == 100.0
    world.step(20)
    assert world.state_hash() == expected and body["imu"].time_stamp > stamp


def test_a_set_can_be_taken_off_by_name():
    world, robot = dog()
    body = robot.sensor_set("body")
    with pytest.raises(rbdyn.UnknownNameError, match="no sensor set named 'bodi'.*'body'"):
        robot.remove_sensor_set("bodi")
    world.integrate1()
    with pytest.raises(rbdyn.BusyError, match="integrate2"):
        robot.remove_sensor_set("body")
    assert not body.removed and len(world.schedules) == 3
    world.integrate2()
    robot.remove_sensor_set("body")
    assert body.removed and world.schedules == () and robot.sensor_sets == {}
