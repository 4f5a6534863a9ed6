"""A robot file as a template
==========================

A robot file as a template, with modules: two vehicles of one text that differ as their parameters say.
"""

import math

import numpy as np

import rbdyn
from rbdyn.io import load_urdf

VEHICLE = """<robot name="@@name">
<link name="chassis"><inertial><mass value="@@mass"/>
 <inertia ixx="{@@mass*@@width**2/12}" ixy="0" ixz="0" iyy="{@@mass*@@length**2/12}" iyz="0"
  izz="{@@mass*(@@length**2 + @@width**2)/12}"/></inertial>
 <collision><geometry><box size="@@length @@width 0.1"/></geometry></collision></link>
</robot>"""
WHEEL = """<link name="{name}"><inertial><mass value="1"/>
 <inertia ixx="{{(3*@@radius**2 + 0.01)/12}}" ixy="0" ixz="0" iyy="{{@@radius**2/2}}" iyz="0"
  izz="{{(3*@@radius**2 + 0.01)/12}}"/></inertial>
 <collision><origin rpy="{{pi/2}} 0 0"/>
  <geometry><cylinder radius="@@radius" length="0.1"/></geometry></collision></link>
<joint name="{name}_drive" type="continuous"><parent link="chassis"/><child link="{name}"/><axis xyz="0 1 0"/>
 <origin xyz="{{{x}*@@length/2}} {{{y}*(@@width/2 + 0.06)}} 0"/></joint>"""
CAMERA = """<link name="camera"><inertial><mass value="0.2"/>
 <inertia ixx="1e-4" ixy="0" ixz="0" iyy="1e-4" iyz="0" izz="1e-4"/></inertial></link>
<joint name="mount" type="fixed"><parent link="chassis"/><child link="camera"/><origin xyz="0 0 0.2"/></joint>"""

CORNERS = {"front_left": (1, 1), "front_right": (1, -1), "rear_left": (-1, 1), "rear_right": (-1, -1)}
wheels = [WHEEL.format(name=name, x=x, y=y) for name, (x, y) in CORNERS.items()]
small = {"name": "small", "mass": 4, "length": 0.4, "width": 0.3, "radius": 0.1}
large = {"name": "large", "mass": 12, "length": 1.0, "width": 0.6, "radius": 0.25}

for params, modules in ((small, wheels), (large, [*wheels, CAMERA])):
    world = rbdyn.World(time_step=0.002)
    world.add_ground()
    robot = world.add_articulated_system(VEHICLE, params=params, modules=modules)
    robot.base_position = (0.0, 0.0, params["radius"])
    robot.set_pd_gains(joints={f"{name}_drive": (0.0, 10.0) for name in CORNERS})
    v = np.zeros(robot.nv)
    v[6:] = 2 * math.pi / 5  # a turn of the wheels in five seconds
    robot.set_pd_target(v=v)
    world.step(1000)
    start = robot.base_position[0]
    world.step(500)
    speed = robot.base_position[0] - start
    rolling = 2 * math.pi * params["radius"] / 5
    print(f"{params['name']}: {robot.total_mass:.1f} kg, {speed:.3f} m/s, rolling says {rolling:.3f} m/s")

try:
    load_urdf(VEHICLE, params=small | {"mass": "heavy"})
except rbdyn.Error as error:
    print(error)
