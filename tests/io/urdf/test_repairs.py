"""Faults that can mean one thing only are repaired and noted, as files that ship with Bullet have them."""

import math

import numpy as np
import pytest

from rbdyn.collision.shapes import HalfSpace
from rbdyn.errors import UrdfError
from rbdyn.io import load_urdf

INERTIAL = '<inertial><mass value="1"/><inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial>'
ROBOT = f"""<robot name="r"><link name="world"/><link name="b">{INERTIAL}</link>
<joint name="j" type="revolute"><parent link="world"/><child link="b"/><axis xyz="0 0 1"/>
<origin xyz="1 2 3" rpy="0.1 0.2 0.3"/>
<limit lower="-1.5" upper="1" effort="1" velocity="1"/></joint></robot>"""


@pytest.mark.parametrize(
    ("came", "is_", "line", "says"),
    [
        ('xyz="1 2 3"', 'xyz="1, 2, 3"', 3, "commas between numbers; taken as blanks"),
        ('xyz="1 2 3"', 'xyz="1, 2 3"', 3, "commas between numbers"),
        ('rpy="0.1 0.2 0.3"', 'rpy="0.1 0.2 0.3 0"', 3, "a number too many, 0; ignored"),
        ('lower="-1.5"', 'lower="-1.5."', 4, "a point too many; ignored"),
        ("</robot>", "</robot>\n\0\0", 5, "zero bytes at the end of the file; ignored"),
    ],
)
def test_repaired(came, is_, line, says):
    text = ROBOT.replace(came, is_)
    m = load_urdf(text)
    (note,) = m.diagnostics
    assert note.startswith(f"<text>:{line}: ")
    assert says in note
    right = load_urdf(ROBOT)
    one, other = (r.edge(r.find_joint("j")).joint_pose for r in (m, right))
    assert np.array_equal(one.matrix, other.matrix)
    assert m.find_joint("j").position_limits == right.find_joint("j").position_limits == (-1.5, 1)
    with pytest.raises(UrdfError, match="strict=True"):
        load_urdf(text, strict=True)


@pytest.mark.parametrize(
    ("came", "is_"),
    [
        ('xyz="1 2 3"', 'xyz="1,2,3"'),
        ('xyz="1 2 3"', 'xyz="1,5 2 3"'),
        ('xyz="1 2 3"', 'xyz="1,, 2, 3"'),
        ('xyz="1 2 3"', 'xyz="1 2 3 0"'),
        ('rpy="0.1 0.2 0.3"', 'rpy="0.1 0.2 0.3 1"'),
        ('rpy="0.1 0.2 0.3"', 'rpy="0.1 0.2 0.3 0 0"'),
        ('lower="-1.5"', 'lower="-1..5"'),
        ('lower="-1.5"', 'lower="-1.5.."'),
        ('lower="-1.5"', 'lower="-15..."'),
        ('lower="-1.5"', 'lower="-1,5"'),
        ('lower="-1.5"', 'lower="-1.5,"'),
        ("</robot>", "</robot>\n\0x"),
        ("</robot>", "</robot>\n<robot/>"),
    ],
)
def test_not_repaired(came, is_):
    with pytest.raises(UrdfError, match=r"<text>:\d"):
        load_urdf(ROBOT.replace(came, is_))


def test_a_plane_of_bullets():
    shape = '<collision><origin xyz="0 0 1"/><geometry><plane normal="0 3 4"/></geometry></collision>'
    m = load_urdf(ROBOT.replace('<link name="world"/>', f'<link name="world">{shape}</link>'))
    (geometry,) = m.root_body.collision
    assert geometry.shape == HalfSpace()
    assert np.allclose(geometry.pose.rotation @ (0, 0, 1), (0, 0.6, 0.8), atol=1e-15)
    assert np.allclose(geometry.pose.translation, (0, 0, 1))
    assert math.isclose(np.linalg.det(geometry.pose.rotation), 1.0)
    with pytest.raises(UrdfError, match="normal='0 0 0'"):
        load_urdf(ROBOT.replace('<link name="world"/>', f'<link name="world">{shape}</link>').replace("0 3 4", "0 0 0"))


def test_what_is_said_of_bullets_contact():
    (note,) = load_urdf(ROBOT.replace(INERTIAL, INERTIAL + "<contact/>")).diagnostics
    assert "<contact> in <link> is Bullet's" in note
