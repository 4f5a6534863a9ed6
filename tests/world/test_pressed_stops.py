"""A motor that presses a joint against its stop moves nothing: the robot goes as one whose joint is welded."""

import numpy as np
import pytest

import rbdyn
from rbdyn import io

ROBOT = """<robot name="two">
  <link name="base">
    <inertial><origin xyz=".05 0 .02"/><mass value="3"/>
      <inertia ixx=".05" iyy=".08" izz=".06" ixy="0" ixz="0" iyz="0"/></inertial>
    {shape}
  </link>
  <link name="arm"><inertial><origin xyz=".2 .1 0"/><mass value="1"/>
    <inertia ixx=".01" iyy=".02" izz=".02" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <link name="tip"><inertial><origin xyz="0 .1 0"/><mass value=".5"/>
    <inertia ixx=".002" iyy=".003" izz=".004" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <joint name="elbow" type="{kind}"><parent link="base"/><child link="arm"/><origin xyz=".1 0 0"/>
    <axis xyz="0 1 .3"/><limit lower="-1" upper="0" effort="1e9" velocity="1e9"/></joint>
  <joint name="wrist" type="{kind}"><parent link="arm"/><child link="tip"/><origin xyz=".2 .1 0"/>
    <axis xyz="1 0 .2"/><limit lower="-1" upper="0" effort="1e9" velocity="1e9"/>{mimic}</joint>
</robot>"""
BALL = '<collision><geometry><sphere radius=".3"/></geometry></collision>'


def go(torque, dt, *, seconds=0.5, ground=False, mimic=False):
    """Pose and kinetic energy of the base after some time; welded where there is no torque."""
    world = rbdyn.World(dt)
    kind, follow = ("revolute", '<mimic joint="elbow" multiplier="-2"/>' * mimic) if torque else ("fixed", "")
    text = ROBOT.format(shape=BALL * ground, kind=kind, mimic=follow)
    robot = world.add_articulated_system(io.load_urdf(text, floating=True))
    if ground:
        world.add_ground()
        world.set_default_material(friction=0.0)
        robot.set_base_pose((0.0, 0.0, 0.3))
    else:
        world.gravity = (0.0, 0.0, 0.0)
    robot.set_state(v=[0.0, 0.0, 0.0, 4.0, 6.0, -5.0, *np.zeros(robot.nv - 6)])
    if torque:
        robot.set_generalized_force([*np.zeros(6), *([torque] * (robot.nv - 6))])
    world.step(round(seconds / dt))
    return robot.q[:7], rbdyn.kinetic_energy(robot.state)


@pytest.mark.parametrize("dt", [1e-3, 5e-3])
@pytest.mark.parametrize("torque", [10.0, 100.0, 2000.0])
@pytest.mark.parametrize("ground", [False, True])
@pytest.mark.parametrize("mimic", [False, True])
def test_it_tumbles_as_one_body(torque, dt, ground, mimic):
    """At 5 ms 100 N m had turned another one by 3e-2 rad in a second, and 2000 N m brought 3.7 J of 5.8."""
    expected, energy = go(0.0, dt, ground=ground)
    q, found = go(torque, dt, ground=ground, mimic=mimic)
    np.testing.assert_allclose(q, expected, atol=1e-6)
    assert found == pytest.approx(energy, rel=1e-6)
