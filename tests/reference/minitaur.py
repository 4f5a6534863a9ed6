"""A robot of the minitaur's topology: a quadruped of four five-bar legs, its file with all motors before all knees.

A leg is two arms, R and L, whose motors are coaxial and whose shins a pin joins at their ends.  <constraints> is the
block of RaiSim's manual, "Closed-loop system".  The upper arms are as long as its angles of -2.2 rad need, so that at
the nominal configuration both shins end in one point of the plane of the leg.
"""

from __future__ import annotations

import numpy as np

LEGS = ("front_right", "front_left", "back_right", "back_left")
SHIN = 0.2  # [m]
ARM = -SHIN * np.cos(2.2)  # [m]; horizontal at the nominal configuration, above whose motor the shins meet
WIDTH = 0.015  # distance of the planes in which the two shins of a leg move [m]
HEIGHT = SHIN * np.sin(2.2)  # of the motors above the ground at the nominal configuration [m]
RIGHT = 0.5 * np.pi
FOOT = 0.005  # radius of the ball at the end of a shin [m]

CONSTRAINTS = """<constraints nominal_config="0 0 0.35 0 0 1 0 -1.5708 -2.2 -1.5708 -2.2 -1.5708 -2.2 -1.5708 -2.2 -1.5708 -2.2 -1.5708 -2.2 -1.5708 -2.2 -1.5708 -2.2">
    <pin body1="lower_leg_front_rightR_link" body2="lower_leg_front_rightL_link" anchor="0.0 0.0 0.2"/>
    <pin body1="lower_leg_front_leftR_link" body2="lower_leg_front_leftL_link" anchor="0.0 0.0 0.2"/>
    <pin body1="lower_leg_back_rightR_link" body2="lower_leg_back_rightL_link" anchor="0.0 0.0 0.2"/>
    <pin body1="lower_leg_back_leftR_link" body2="lower_leg_back_leftL_link" anchor="0.0 0.0 0.2"/>
</constraints>"""  # noqa: E501  as it stands in the manual


def motor(leg, side):
    return f"motor_{leg}{side}_joint"


def knee(leg, side):
    return f"knee_{leg}{side}_joint"


def shin(leg, side):
    return f"lower_leg_{leg}{side}_link"


def _link(name, mass, size, shapes, com=(0.0, 0.0, 0.0)):
    a, b, c = (mass / 12 * (np.dot(size, size) - s * s) for s in size)
    return (
        f'<link name="{name}"><inertial><origin xyz="{_words(com)}"/><mass value="{mass}"/>'
        f'<inertia ixx="{a}" iyy="{b}" izz="{c}" ixy="0" ixz="0" iyz="0"/></inertial>{shapes}</link>'
    )


def _words(numbers):
    return " ".join(map(str, numbers))


def _shape(xyz, geometry):
    return "".join(f'<{role}><origin xyz="{_words(xyz)}"/><geometry>{geometry}</geometry></{role}>'
                   for role in ("visual", "collision"))  # fmt: skip


def _box(size):
    return _shape((0, 0, 0), f'<box size="{_words(size)}"/>')


def _joint(name, kind, parent, child, xyz, rpy=(0, 0, 0), axis=(1, 0, 0)):
    return (
        f'<joint name="{name}" type="{kind}"><parent link="{parent}"/><child link="{child}"/>'
        f'<origin xyz="{_words(xyz)}" rpy="{_words(rpy)}"/><axis xyz="{_words(axis)}"/></joint>'
    )


def urdf(constraints=CONSTRAINTS):
    """The robot's text: links, fixed joints, motors, then hips and knees."""
    chassis, bar = (0.33, 0.1, 0.07), (0.34, 0.02, 0.02)
    links = [_link("base_chassis_link", 3.0, chassis, _box(chassis))]
    sides, motors, knees = [], [], []
    for k, side in enumerate(("right", "left")):
        links.append(_link(f"chassis_{side}", 0.5, bar, _box(bar)))
        y = 0.1 * (-1) ** (k + 1)
        sides.append(_joint(f"chassis_{side}_center", "fixed", "base_chassis_link", f"chassis_{side}", (0, y, 0)))
    for leg in LEGS:
        x = 0.21 if leg.startswith("front") else -0.21
        for arm, turn in (("R", 0.0), ("L", np.pi)):
            hub, upper, lower = f"motor_{leg}{arm}_link", f"upper_leg_{leg}{arm}_link", shin(leg, arm)
            links.append(_link(hub, 0.25, (0.08, 0.08, 0.02), ""))
            links.append(_link(upper, 0.05, (0.01, 0.01, ARM), _box((0.01, 0.01, ARM))))
            foot = _shape((0, 0, SHIN), f'<sphere radius="{FOOT}"/>')
            links.append(_link(lower, 0.05, (0.01, 0.01, SHIN), foot, (0, 0, 0.5 * SHIN)))
            place = (x, 0.5 * WIDTH * (-1 if arm == "R" else 1), 0)
            chassis_link = f"chassis_{leg.split('_')[1]}"
            motors.append(_joint(motor(leg, arm), "continuous", chassis_link, hub, place, (RIGHT, 0, turn), (0, 0, 1)))
            knees.append(_joint(f"hip_{leg}{arm}", "fixed", hub, upper, (0, 0.5 * ARM, 0), (-RIGHT, 0, 0)))
            knees.append(_joint(knee(leg, arm), "continuous", upper, lower, (0, 0, 0.5 * ARM), axis=(0, 1, 0)))
    return f'<robot name="minitaur">{"".join([*links, *sides, *motors, *knees])}{constraints}</robot>'
