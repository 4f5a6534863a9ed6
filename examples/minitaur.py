"""A quadruped on closed legs
==========================

RaiSim's minitaur: eight motors, eight knees, and four pins that close the legs, in a URDF file.  The file lists all
motors before all knees; `nominal_config` has its numbers depth first, motor, knee, motor, knee.
"""

import math

import numpy as np

import rbdyn

SHIN = 0.2  # [m]
ARM = -SHIN * math.cos(2.2)  # [m]; with knees at -2.2 rad the two shins of a leg meet

LINK = """<link name="{name}"><inertial><origin xyz="0 0 {z}"/><mass value="{mass}"/>
 <inertia ixx="{j}" ixy="0" ixz="0" iyy="{j}" iyz="0" izz="{j}"/></inertial>{shapes}</link>"""
SHAPE = '<{0}><origin xyz="0 0 {1}"/><geometry>{2}</geometry>{3}</{0}>'
JOINT = """<joint name="{name}" type="continuous"><parent link="{parent}"/><child link="{child}"/>
 <origin xyz="{xyz}" rpy="{rpy}"/><axis xyz="0 {axis} 0"/></joint>"""
PIN = '<pin body1="lower_leg_{0}R_link" body2="lower_leg_{0}L_link" anchor="0 0 0.2"/>'
LEGS = {f"{end}_{side}": (x, y) for end, x in (("front", 0.21), ("back", -0.21))
        for side, y in (("right", -0.12), ("left", 0.12))}  # fmt: skip


def link(name: str, mass: float, geometry: str, color: str, z: float = 0.0, tip: str = "") -> str:
    """A link whose shape sits at height z."""
    paint = f'<material name=""><color rgba="{color} 1"/></material>'
    shapes = SHAPE.format("visual", z, geometry, paint)
    if tip:
        shapes += SHAPE.format("collision", 2 * z, tip, "") + SHAPE.format("visual", 2 * z, tip, paint)
    return LINK.format(name=name, mass=mass, j=mass * 0.004, z=z, shapes=shapes)


def minitaur() -> str:
    """The robot's file."""
    links = [link("base", 4.0, '<box size="0.5 0.18 0.07"/>', "0.2 0.3 0.5")]
    motors, knees = [], []
    for leg, (x, y) in LEGS.items():
        for side, offset, yaw in (("R", -0.01, 0.0), ("L", 0.01, math.pi)):
            upper, lower = f"upper_leg_{leg}{side}_link", f"lower_leg_{leg}{side}_link"
            links.append(link(upper, 0.3, f'<box size="0.02 0.01 {ARM}"/>', "0.8 0.8 0.8", ARM / 2))
            links.append(link(lower, 0.05, f'<box size="0.01 0.01 {SHIN}"/>', "0.9 0.6 0.2", SHIN / 2,
                              '<sphere radius="0.01"/>'))  # fmt: skip
            motors.append(JOINT.format(name=f"motor_{leg}{side}", parent="base", child=upper,
                                       xyz=f"{x} {y + offset} 0", rpy=f"0 0 {yaw}", axis=-1))  # fmt: skip
            knees.append(JOINT.format(name=f"knee_{leg}{side}", parent=upper, child=lower,
                                      xyz=f"0 0 {ARM}", rpy="0 0 0", axis=1))  # fmt: skip
    nominal = " ".join(["0 0 0.2 0 0 1 0", *8 * ["-1.5708 -2.2"]])
    pins = f'<constraints nominal_config="{nominal}">{"".join(map(PIN.format, LEGS))}</constraints>'
    return f'<robot name="minitaur">{"".join([*links, *motors, *knees])}{pins}</robot>'


world = rbdyn.World(time_step=0.001)
world.add_ground()
robot = world.add_articulated_system(minitaur())
motors = [name for name in robot.joint_names if name.startswith("motor")]
print(", ".join(robot.joint_names[1:4]), "... in the order of the file")
robot.set_pd_gains(joints=dict.fromkeys(motors, (100.0, 1.0)))
robot.set_pd_target(joints=dict.fromkeys(motors, -1.5708))
world.step(3000)
feet = np.array([robot.body(f"lower_leg_{leg}R_link").point_position((0, 0, SHIN)) for leg in LEGS])
print(f"base at {robot.base_position[2]:.3f} m, feet at {feet[:, 2].round(3).tolist()} m, "
      f"pins open by {np.abs(robot.loop_error).max():.0e} m")  # fmt: skip
