"""RaiSim's sensors, from a file to readings: types and rates in XML, names and look-ups, IMUs without a switch.

One test for each of the three capabilities: what a file says (21.1), what it is looked up by (21.2), and that an IMU
needs no inverse dynamics to be turned on (21.3).
"""

import numpy as np
import pytest

import rbdyn

ROBOT = """<robot name="cart"><link name="world"/>
<link name="trunk"><inertial><mass value="2"/>
<inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial></link>
<joint name="slide" type="prismatic"><parent link="world"/><child link="trunk"/><axis xyz="1 0 0"/>
<limit lower="-10" upper="10" effort="100" velocity="100"/></joint>
<link name="eye" sensor="rig.xml"/>
<joint name="mount" type="fixed"><parent link="trunk"/><child link="eye"/><origin xyz="0 0 0.5"/></joint></robot>"""
RIG = """<sensor_set name="rig"><link>
<sensor name="color" type="rgb" update_rate="50"><camera horizontal_fov="1.2"><image width="12" height="8"/>
<clip near="0.1" far="20"/></camera></sensor>
<sensor name="depth" type="depth" update_rate="25"><camera horizontal_fov="1.2"><image width="12" height="8"/>
<clip near="0.1" far="20"/></camera></sensor>
<sensor name="imu" type="imu" update_rate="100"/>
<sensor name="lidar" type="spinning_lidar" update_rate="10"><yaw samples="36"/>
<pitch samples="2" min_angle="-0.4" max_angle="0.0"/><range min="0.1" max="50"/></sensor>
</link></sensor_set>"""


@pytest.fixture
def cart(tmp_path):
    (tmp_path / "rig.xml").write_text(RIG)
    (tmp_path / "cart.urdf").write_text(ROBOT)
    world = rbdyn.World(0.01)
    wall = world.add_box(1.0, 20.0, 20.0, 1.0, name="wall")
    wall.set_pose((4.5, 0.0, 0.0))
    wall.body_type = "static"
    return world, world.add_articulated_system(tmp_path / "cart.urdf", name="cart")


def test_a_file_says_types_and_rates(cart):
    """Each measures as often as the file says, what its type says, from where the file puts it."""
    world, robot = cart
    stamps = {name: set() for name in ("color", "depth", "imu", "lidar")}
    for _ in range(100):
        world.step()
        for name, seen in stamps.items():
            seen.add(robot.sensor_set("eye")[name].time_stamp)
    assert {name: len(seen - {-1.0}) for name, seen in stamps.items()} == {
        "color": 50, "depth": 25, "imu": 100, "lidar": 10}  # fmt: skip
    rig = robot.sensor_set("eye")
    assert [one.type for one in rig.sensors] == ["rgb", "depth", "imu", "spinning_lidar"]
    np.testing.assert_allclose(rig["depth"].position, (robot.q[0], 0.0, 0.5), atol=1e-12)
    assert rig["color"].image.shape == (8, 12, 3)
    np.testing.assert_allclose(rig["depth"].depth, 4.0, atol=1e-6)  # the wall
    assert np.nanmin(rig["lidar"].ranges) == pytest.approx(4.0)


def test_it_is_looked_up_by_names(cart):
    """RaiSim's getSensorSet and getSensorSets: a set is called as its link."""
    _, robot = cart
    assert list(robot.sensor_sets) == ["eye"]
    assert robot.sensor_sets["eye"] is robot.sensor_set("eye")
    assert robot.sensor_set("eye").sensor("imu").full_name == "cart/eye/imu"
    with pytest.raises(rbdyn.UnknownNameError, match="eye"):
        robot.sensor_set("front")
    with pytest.raises(rbdyn.UnknownNameError, match="imu"):
        robot.sensor_set("eye").sensor("gps")


def test_an_imu_needs_no_switch(cart):
    """A cart of 2 kg, pushed by 6 N, in gravity: it feels 3 m/s^2 along, and g up."""
    world, robot = cart
    robot.set_generalized_force([6.0])
    world.step(5)
    imu = robot.sensor_set("eye")["imu"]
    np.testing.assert_allclose(imu.linear_acceleration, (3.0, 0.0, 9.81), atol=1e-9)
