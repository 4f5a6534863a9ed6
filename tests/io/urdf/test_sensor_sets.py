"""Sensor sets: the files that links name, where they are looked for, and what they say."""

import math

import numpy as np
import pytest

import rbdyn
from rbdyn.errors import PathError, UrdfError
from rbdyn.io import CameraSpec, ImuSpec, LidarSpec, Noise, load_sensor_set, load_urdf

INERTIAL = '<inertial><mass value="{}"/><inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial>'
ROBOT = f"""<robot name="r"><link name="base">{INERTIAL.format(5)}</link>
<link name="eye" sensor="rig.xml" model="D9" serial_number="007"/>
<joint name="neck" type="fixed"><parent link="base"/><child link="eye"/><origin xyz="1 0 0"/></joint></robot>"""
RIG = """<?xml version="1.0"?>
<sensor_set name="rig">
 <origin xyz="0 0 0.5" rpy="0 0 1.5707963267948966"/>
 <link>
  <inertial><mass value="0.25"/><inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial>
  <visual><geometry><box size="1 1 1"/></geometry></visual>
  <collision><geometry><sphere radius="0.1"/></geometry></collision>
  <sensor name="color" type="rgb" update_rate="30">
   <origin xyz="0.1 0 0"/>
   <camera horizontal_fov="1.2"><image width="640" height="360"/><clip near="0.1" far="100"/>
    <noise type="Gaussian" mean="0.5" stddev="0.007"/></camera>
  </sensor>
  <sensor name="depth" type="depth" update_rate="15">
   <data type="coordinates"/>
   <camera horizontal_fov="1.5"><image width="64" height="48"/><clip near="0.01" far="10"/></camera>
  </sensor>
  <sensor name="imu" type="imu"><limit acc_limit="50" ang_vel_limit="40"/></sensor>
  <sensor name="lidar" type="spinning_lidar" update_rate="10">
   <model name="ring"/><yaw samples="512"/><pitch samples="64" min_angle="-0.1" max_angle="0.9"/>
   <spin direction="clockwise" rate="12"/><range min="0.3" max="20"/>
  </sensor>
 </link>
</sensor_set>
"""


@pytest.fixture
def robot(tmp_path):
    folder = tmp_path / "robot" / "urdf"
    folder.mkdir(parents=True)
    (folder / "r.urdf").write_text(ROBOT)
    return folder / "r.urdf"


def test_all_kinds(robot):
    (robot.parent / "rig.xml").write_text(RIG)
    eye = load_urdf(robot).find_body("eye")
    (rig,) = eye.sensor_sets
    assert (rig.name, rig.kind, rig.file, rig.model, rig.serial_number) == ("eye", "rig", "rig.xml", "D9", "007")
    color, depth, imu, lidar = rig.sensors
    assert isinstance(color, CameraSpec)
    assert (color.type, color.width, color.height, color.horizontal_fov) == ("rgb", 640, 360, 1.2)
    assert (color.clip_near, color.clip_far, color.update_rate) == (0.1, 100, 30)
    assert color.noise == Noise("gaussian", 0.5, 0.007)
    assert np.allclose(color.pose.translation, (0, 0.1, 0.5), atol=1e-15)  # the set's origin, then its own
    assert (depth.type, depth.data, depth.noise, color.data) == ("depth", "coordinates", Noise(), "depth")
    assert isinstance(imu, ImuSpec)
    assert (imu.acc_limit, imu.ang_vel_limit, imu.update_rate, imu.type) == (50, 40, 0, "imu")
    assert isinstance(lidar, LidarSpec)
    assert (lidar.model, lidar.yaw_samples, lidar.pitch_samples, lidar.type) == ("ring", 512, 64, "spinning_lidar")
    assert (lidar.pitch_min_angle, lidar.pitch_max_angle) == (-0.1, 0.9)
    assert (lidar.spin_direction, lidar.spinning_rate, lidar.range_min, lidar.range_max) == ("clockwise", 12, 0.3, 20)


def test_the_link_gets_what_the_set_weighs_and_looks_like(robot):
    (robot.parent / "rig.xml").write_text(RIG)
    m = load_urdf(robot)
    eye = m.find_body("eye")
    assert eye.inertia.mass == 0.25
    assert np.allclose(eye.inertia.com, (0, 0, 0.5))
    assert [g.name for g in eye.collision] == [g.name for g in eye.visual] == ["eye/0"]
    assert np.allclose(eye.collision[0].pose.translation, (0, 0, 0.5))
    assert m.diagnostics == []


def test_a_link_with_a_mass_of_its_own_keeps_it(robot):
    (robot.parent / "rig.xml").write_text(RIG)
    robot.write_text(ROBOT.replace('number="007"/>', f'number="007">{INERTIAL.format(2)}</link>'))
    m = load_urdf(robot)
    assert m.find_body("eye").inertia.mass == 2
    assert [w for w in m.diagnostics if "rig.xml:5" in w and "of its own" in w]


def test_raisims_defaults():
    text = """<sensor_set><link><sensor name="i" type="imu"/><sensor name="l" type="spinning_lidar"/></link>
    </sensor_set>"""
    imu, lidar = load_sensor_set(text, "hand").sensors
    assert imu == ImuSpec("i")
    assert (imu.acc_limit, imu.ang_vel_limit) == (math.inf, math.inf)
    assert lidar == LidarSpec("l")
    assert (lidar.yaw_samples, lidar.pitch_samples, lidar.range_max, lidar.spinning_rate) == (1, 1, 100, 10)
    assert lidar.spin_direction == "counterclockwise"
    assert load_sensor_set(text, "hand").name == "hand"


PLACES = ["urdf/rig.xml", "urdf/sensor/rig.xml", "urdf/sensors/rig.xml", "rig.xml", "sensors/rig.xml"]


def test_raisims_order_of_places(robot):
    for place in reversed(PLACES):
        file = robot.parent.parent / place
        file.parent.mkdir(exist_ok=True)
        file.write_text(RIG.replace('name="rig"', f'name="{place}"'))
        assert load_urdf(robot).find_body("eye").sensor_sets[0].kind == place


@pytest.mark.parametrize("folder", ["urdf/sensors", "sensors"])
def test_meshes_beside_the_sensor_file(robot, folder):
    place = robot.parent.parent / folder
    place.mkdir()
    (place / "eye.obj").write_text("v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 1 4 3\n")
    (place / "rig.xml").write_text(RIG.replace('<box size="1 1 1"/>', '<mesh filename="eye.obj" scale="2 2 2"/>'))
    m = load_urdf(robot, visual_meshes=True)
    assert m.diagnostics == []
    (shape,) = m.find_body("eye").visual
    assert shape.shape.vertices.max() == 2
    (robot.parents[2] / "secret.obj").write_text("")
    (place / "eye.obj").unlink()
    (place / "eye.obj").symlink_to(robot.parents[2] / "secret.obj")
    with pytest.raises(PathError, match="lies outside"):
        load_urdf(robot, visual_meshes=True)


def test_a_missing_file(robot):
    m = load_urdf(robot)
    (note,) = [w for w in m.diagnostics if "rig.xml" in w]
    assert note.startswith(f"{robot}:2: <link> of link 'eye': sensor: no file 'rig.xml'; searched")
    (rig,) = m.find_body("eye").sensor_sets
    assert (rig.sensors, rig.file, rig.model) == ((), "rig.xml", "D9")
    assert load_urdf(robot, on_missing_sensor="skip").diagnostics == []
    with pytest.raises(PathError, match="r.urdf:2"):
        load_urdf(robot, on_missing_sensor="error")
    with pytest.raises(UrdfError, match="r.urdf:2"):
        load_urdf(robot, strict=True)


@pytest.mark.parametrize("name", ["../../secret.xml", "/etc/passwd", "sensors/../../../secret.xml"])
def test_it_leads_nowhere_else(robot, name):
    (robot.parent / "sensors").mkdir()
    (robot.parents[2] / "secret.xml").write_text(RIG)
    robot.write_text(ROBOT.replace("rig.xml", name))
    with pytest.raises(PathError, match="lies outside"):
        load_urdf(robot)


def test_a_link_out_is_refused(robot):
    secret = robot.parents[2] / "secret.xml"
    secret.write_text(RIG)
    for place in PLACES:
        file = robot.parent.parent / place
        file.parent.mkdir(exist_ok=True)
        file.symlink_to(secret)
        with pytest.raises(PathError, match="lies outside"):
            load_urdf(robot)
        assert load_urdf(robot, allow_outside=True).find_body("eye").sensor_sets[0].sensors
        file.unlink()


def sensor(text, kind="imu"):
    return f'<sensor_set name="s"><link>\n<sensor name="x" type="{kind}">{text}</sensor></link></sensor_set>'


CAMERA = '<camera horizontal_fov="{}"><image width="{}" height="4"/><clip near="{}" far="1"/></camera>'


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("<robot/>", "<text>:1: <robot>: the root element of a sensor file must be <sensor_set>"),
        ("<sensor_set/>", "<link> is missing"),
        ('<sensor_set><link>\n<sensor type="imu"/></link></sensor_set>', "<text>:2: <sensor>"),
        (sensor("", "radar"), "<text>:2: <sensor> of sensor 'x': type='radar' is not a type of sensor; choices: rgb"),
        (sensor("", "IMU"), "did you mean 'imu'?"),
        (sensor("", "rgb"), "<camera> is missing"),
        (sensor(CAMERA.format(4, 4, 0.1), "rgb"), "horizontal_fov='4' must lie between 0 and 3.1"),
        (sensor(CAMERA.format(1, 0, 0.1), "rgb"), "width='0' must be a whole number"),
        (sensor(CAMERA.format(1, 1.5, 0.1), "rgb"), "width='1.5' must be a whole number"),
        (sensor(CAMERA.format(1, 10**9, 0.1), "rgb"), "must be a whole number from 1 to 65536"),
        (sensor(CAMERA.format(1, 4, 2), "rgb"), "needed 0 < near < far"),
        (sensor(CAMERA.format("nan", 4, 1), "depth"), "horizontal_fov='nan' is not a number"),
        (sensor('<limit acc_limit="0"/>'), "acc_limit='0' must be above 0"),
        (sensor('<noise type="gaussian" stddev="-1"/>'), "stddev='-1' must not be negative"),
        (sensor('<range min="2" max="1"/>', "spinning_lidar"), "needed 0 <= min < max"),
        (sensor('<pitch samples="2" min_angle="1" max_angle="0"/>', "spinning_lidar"), "min_angle <= max_angle"),
        (sensor('<spin rate="-1"/>', "spinning_lidar"), "rate='-1' must not be negative"),
        (sensor("").replace("<sensor name", '<sensor name="x" type="imu"/><sensor name'), "a second sensor named 'x'"),
        (sensor("").replace("<sensor name", '<sensor update_rate="-1" name'), "update_rate='-1' must not be negative"),
        ('<!DOCTYPE a><sensor_set name="s"><link/></sensor_set>', "DOCTYPE"),
    ],
)
def test_bad_files(text, says):
    with pytest.raises(UrdfError) as error:
        load_sensor_set(text)
    assert says in str(error.value)
    assert str(error.value).startswith("<text>:")


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("<update_rate>60</update_rate>", "unknown tag <update_rate> in <sensor>"),
        ('<noise type="pink"/>', "type='pink' is no noise; none is taken"),
        ('<limit acc_limits="5"/>', "unknown attribute 'acc_limits' of <limit>; did you mean 'acc_limit'?"),
    ],
)
def test_what_is_not_known_is_noted(robot, text, says):
    (robot.parent / "rig.xml").write_text(sensor(text))
    (note,) = [w for w in load_urdf(robot).diagnostics if "rig.xml" in w]
    assert note.startswith(f"{robot.parent / 'rig.xml'}:2: ")
    assert says in note
    with pytest.raises(UrdfError, match="strict=True"):
        load_sensor_set(sensor(text), strict=True)


def test_words_of_sensors_without_a_file():
    (note,) = load_urdf(f'<robot name="r"><link name="a" model="D9">{INERTIAL.format(1)}</link></robot>').diagnostics
    assert note == "<text>:1: model of link 'a' belongs to a sensor set, and it names none; ignored"


def test_sets_go_with_their_bodies(robot):
    (robot.parent / "rig.xml").write_text(RIG)
    m = load_urdf(robot)
    twin = m.copy()
    assert twin.find_body("eye").sensor_sets == m.find_body("eye").sensor_sets
    m.remove_fixed_tree_joints()
    (rig,) = m.find_body("base").sensor_sets
    assert rig.name == "eye"
    assert np.allclose(rig.sensors[0].pose.translation, (1, 0.1, 0.5), atol=1e-15)
    host = rbdyn.Mechanism(rbdyn.RigidBody("world"))
    host.attach_mechanism("world", twin, prefix="left_")
    (rig,) = host.find_body("left_eye").sensor_sets
    assert rig.name == "left_eye"
    assert np.allclose(rig.sensors[0].pose.translation, (0, 0.1, 0.5), atol=1e-15)


def test_sensor_sets_of_a_body_are_checked():
    with pytest.raises(rbdyn.MechanismError, match="sensor_sets of body 'b' must be sensor sets, got 3"):
        rbdyn.RigidBody("b").sensor_sets = 3
    with pytest.raises(rbdyn.MechanismError, match="must be sensor sets, got 'x'"):
        rbdyn.RigidBody("b").sensor_sets = ["x"]
