"""What a bad robot file becomes: an error of the right class that says where, which element and which value."""

import pytest

from rbdyn.errors import Error, FileError, PathError, UrdfError
from rbdyn.io import load_urdf

GOOD = """<robot name="r">
<link name="base">
<inertial>
<origin xyz="0 0 0" rpy="0 0 0"/>
<mass value="1"/>
<inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/>
</inertial>
<visual>
<geometry>
<box size="1 2 3"/>
</geometry>
<material name="m"><color rgba="1 0 0 1"/></material>
</visual>
<collision>
<geometry>
<capsule radius="0.1" height="0.5"/>
</geometry>
</collision>
</link>
<link name="tip">
<inertial><mass value="1"/><inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial>
</link>
<joint name="hinge" type="revolute">
<parent link="base"/>
<child link="tip"/>
<origin xyz="1 0 0"/>
<axis xyz="0 0 1"/>
<limit lower="-1" upper="1" effort="5" velocity="6"/>
<dynamics damping="0.1" friction="0.2"/>
</joint>
</robot>
"""

MASS, INERTIA, BOX = '<mass value="1"/>\n', '<inertia ixx="1"', "<box size="
CAPSULE = '<capsule radius="0.1" height="0.5"/>'
JOINT, TYPE, AXIS = '<joint name="hinge"', 'type="revolute"', '<axis xyz="0 0 1"/>'
LIMIT, DYNAMICS = '<limit lower="-1" upper="1"', '<dynamics damping="0.1"'
TIP = '<link name="tip">'
NEW_LINK = '<link name="x"/>\n'


def hinge(name, parent, child, kind="fixed"):
    return f'<joint name="{name}" type="{kind}"><parent link="{parent}"/><child link="{child}"/></joint>'


# what is replaced, by what, the line of the error, what the message must hold
CASES = [
    # numbers
    (MASS, '<mass value="0,5"/>\n', 5, ["<mass> of link 'base'", "'0,5'", "decimal comma"]),
    (MASS, '<mass value="1.0kg"/>\n', 5, ["'1.0kg'", "kg"]),
    (MASS, '<mass value="nan"/>\n', 5, ["'nan'", "finite"]),
    (MASS, '<mass value="inf"/>\n', 5, ["'inf'", "finite"]),
    (MASS, '<mass value="1e400"/>\n', 5, ["'1e400'", "finite"]),
    (MASS, '<mass value="1e31"/>\n', 5, ["'1e31'", "no physical value"]),
    (MASS, '<mass value="0x10"/>\n', 5, ["'0x10'", "hexadecimal"]),
    (MASS, '<mass value="1_000"/>\n', 5, ["'1_000'", "underscore"]),
    (MASS, '<mass value="\u0661"/>\n', 5, ["ASCII"]),
    (MASS, '<mass value=""/>\n', 5, ["''", "empty"]),
    (MASS, '<mass value="@@mass"/>\n', 5, ["'@@mass'", "no parameter named 'mass'", "params={...}"]),
    (MASS, '<mass value="{1+2}"/>\n', 5, ["'{1+2}'", "params={...}"]),
    (MASS, '<mass value="${m}"/>\n', 5, ["'${m}'", "xacro"]),
    (MASS, '<mass value="-1"/>\n', 5, ["'-1'", "must not be negative"]),
    (MASS, '<mass value="1 2"/>\n', 5, ["'1 2'", "one number"]),
    (MASS, "<mass/>\n", 5, ["<mass> of link 'base'", "'value' is missing"]),
    (MASS, "", 3, ["<inertial> of link 'base'", "<mass> is missing"]),
    (MASS, MASS.strip() + MASS, 5, ["a second <mass>", "line 5"]),
    (INERTIA, '<inertia ixx="a"', 6, ["<inertia> of link 'base'", "ixx='a'"]),
    (INERTIA, '<inertia ixx=""', 6, ["ixx=''"]),
    ('iyy="1" iyz="0" izz="1"/>\n</inertial>', 'iyz="0" izz="1"/>\n</inertial>', 6, ["'iyy' is missing"]),
    ('<inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/>\n', "", 3, ["<inertia> is missing"]),
    (
        '<origin xyz="0 0 0" rpy="0 0 0"/>',
        '<origin xyz="0 0" rpy="0 0 0"/>',
        4,
        ["'0 0'", "holds 2 values", "3 numbers"],
    ),
    ('<origin xyz="0 0 0" rpy="0 0 0"/>', '<origin xyz="0 0 0 0"/>', 4, ["holds 4 values"]),
    ('<origin xyz="0 0 0" rpy="0 0 0"/>', '<origin xyz="0,0,0"/>', 4, ["'0,0,0'", "blanks, not commas"]),
    ('<origin xyz="0 0 0" rpy="0 0 0"/>', '<origin rpy="0 0 nan"/>', 4, ["'nan'"]),
    ('<origin xyz="0 0 0" rpy="0 0 0"/>', '<origin rpy="0 0 0" quat_xyzw="0 0 0 1"/>', 4, ["rpy or quat_xyzw"]),
    ('<origin xyz="0 0 0" rpy="0 0 0"/>', '<origin quat_xyzw="0 0 0 0"/>', 4, ["of length 1"]),
    ('<origin xyz="0 0 0" rpy="0 0 0"/>', "<origin/><origin/>", 4, ["a second <origin>"]),
    ('<origin xyz="0 0 0" rpy="0 0 0"/>', '<origin xyz="1e308 0 0"/>', 4, ["xyz='1e308 0 0'", "1e+30"]),
    # shapes
    (BOX, "<box sizes=", 10, ["<box> of link 'base'", "'size' is missing"]),
    ('size="1 2 3"', 'size="1 2"', 10, ["'1 2'", "3 numbers"]),
    (CAPSULE, '<box size="1 0 3"/>', 16, ["size[1]", "above 0", "0.0"]),
    ('size="1 2 3"', 'size="1 -2 3"', 10, ["-2.0"]),
    ('<box size="1 2 3"/>', '<sphere radius="-0.1"/>', 10, ["<sphere> of link 'base'", "radius", "-0.1"]),
    ('<box size="1 2 3"/>', "<sphere/>", 10, ["'radius' is missing"]),
    ('<box size="1 2 3"/>', '<cylinder radius="1" length="-1"/>', 10, ["length", "'-1'", "above 0"]),
    ('<box size="1 2 3"/>', '<cylinder radius="1"/>', 10, ["'length' is missing"]),
    (
        '<box size="1 2 3"/>',
        '<cube size="1"/>',
        10,
        ["<cube> of link 'base'", "no such shape", "sphere, cylinder, capsule"],
    ),
    ('<box size="1 2 3"/>', '<spher radius="1"/>', 10, ["did you mean 'sphere'?"]),
    ('<box size="1 2 3"/>', "", 9, ["<geometry> of link 'base'", "0 shapes"]),
    ('<box size="1 2 3"/>', '<box size="1 2 3"/><sphere radius="1"/>', 9, ["2 shapes"]),
    ('<box size="1 2 3"/>', "<mesh/>", 10, ["<mesh> of link 'base'", "'filename' is missing"]),
    ('<box size="1 2 3"/>', '<mesh filename=" "/>', 10, ["filename=' ' is empty"]),
    ('<box size="1 2 3"/>', '<mesh filename="a.stl" scale="1"/>', 10, ["scale='1' holds 1 value", "3 numbers"]),
    (CAPSULE, '<mesh filename="a.stl" scale="1 0 1"/>', 16, ["scale='1 0 1'", "zero"]),
    (CAPSULE, '<mesh filename="a.stl" scale="1 0 1 1"/>', 16, ["scale='1 0 1 1'", "zero"]),
    ('<box size="1 2 3"/>', '<mesh filename="a.stl" scale="1 1 1 1 1"/>', 10, ["5 values", "3 numbers"]),
    ("<geometry>\n<box", "<geometry/><geometry>\n<box", 9, ["a second <geometry>"]),
    ('radius="0.1" height="0.5"', 'radius="0.1"', 16, ["<capsule> of link 'base'", "'height' or 'length'"]),
    ('radius="0.1" height="0.5"', 'radius="0.1" height="0.5" length="0.4"', 16, ["'0.5'", "'0.4'", "differ"]),
    ('radius="0.1" height="0.5"', 'height="0.5"', 16, ["'radius' is missing"]),
    ('radius="0.1" height="0.5"', 'radius="0.1" height="0"', 16, ["height", "'0'", "above 0"]),
    ('rgba="1 0 0 1"', 'rgba="1 0 0"', 12, ["'1 0 0'", "4 numbers"]),
    ('rgba="1 0 0 1"', 'rgb="1 0 0 1"', 12, ["'rgba' is missing"]),
    # links and joints as a tree
    ('<link name="base">', "<link>", 2, ["<link>", "'name' is missing"]),
    ('<link name="base">', '<link name="">', 2, ["name='' is empty"]),
    (TIP, '<link name="base">', 20, ["a link named 'base'", "<text>:2"]),
    (TIP, NEW_LINK + TIP, 20, ["2 root links", "'base'", "'x'"]),
    ('<child link="tip"/>', '<child link="tipp"/>', 23, ["<child> of joint 'hinge'", "'tipp'", "did you mean 'tip'"]),
    (
        '<parent link="base"/>',
        '<parent link="bass"/>',
        23,
        ["<parent> of joint 'hinge'", "'bass'", "did you mean 'base'"],
    ),
    ('<parent link="base"/>', '<parent link="tip"/>', 23, ["joint 'hinge'", "'tip' to itself"]),
    ('<parent link="base"/>\n', "", 23, ["<joint> of joint 'hinge'", "<parent> is missing"]),
    ('<child link="tip"/>\n', "", 23, ["<child> is missing"]),
    ('<child link="tip"/>', "<child/>", 25, ["<child> of joint 'hinge'", "'link' is missing"]),
    ('<child link="tip"/>', '<child link="tip"/><child link="tip"/>', 25, ["a second <child>"]),
    ("</robot>", hinge("hinge", "tip", "x") + NEW_LINK + "</robot>", 31, ["a joint named 'hinge'", "<text>:23"]),
    ("</robot>", hinge("k", "base", "tip") + "</robot>", 31, ["'tip' is the child of two joints", "'hinge'", "'k'"]),
    ("</robot>", hinge("k", "tip", "base") + "</robot>", 23, ["'hinge', 'k' form a loop", "base -> tip -> base"]),
    (
        "</robot>",
        hinge("k", "x", "y") + hinge("l", "y", "x") + '<link name="x"/><link name="y"/></robot>',
        31,
        ["form a loop"],
    ),
    (JOINT, "<joint", 23, ["<joint>", "'name' is missing"]),
    (TYPE, "", 23, ["joint 'hinge'", "'type' is missing"]),
    (TYPE, 'type="revolut"', 23, ["'revolut'", "did you mean 'revolute'", "spherical"]),
    (TYPE, 'type="Revolute"', 23, ["'Revolute'", "did you mean 'revolute'"]),
    (TYPE, 'type="hinge"', 23, ["'hinge'", "prismatic"]),
    # joint content
    (TYPE, 'type="screw"', 23, ["'screw'", 'type="helical"', "metres per radian"]),
    (TYPE, 'type="helical"', 27, ["<axis> of joint 'hinge'", "needs its pitch [m/rad]", 'pitch="0.01"']),
    (TYPE, 'type="helical" pitch="1"', 27, ["needs its pitch"]),
    (AXIS, '<axis xyz="0 0 0"/>', 27, ["<axis> of joint 'hinge'", "'0 0 0'", "must not be zero"]),
    (AXIS, '<axis xyz="0 0 1e-9"/>', 27, ["zero"]),
    (AXIS, '<axis xyz="0 0"/>', 27, ["'0 0'", "3 numbers"]),
    (AXIS, '<axis xyz="x y z"/>', 27, ["'x' is not a number"]),
    (LIMIT, '<limit lower="-1rad" upper="1"', 28, ["'-1rad'", "rad"]),
    (LIMIT, '<limit lower="nan" upper="inf"', 28, ["'nan'"]),
    (LIMIT, '<limit lower="-infinite" upper="1"', 28, ["'-infinite'"]),
    ('effort="5"', 'effort="-5"', 28, ["effort='-5'", "negative"]),
    ('velocity="6"', 'velocity="-6"', 28, ["velocity='-6'", "negative"]),
    ('velocity="6"', 'velocity="fast"', 28, ["'fast'"]),
    (DYNAMICS, '<dynamics damping="-0.1"', 29, ["<dynamics> of joint 'hinge'", "damping='-0.1'", "negative"]),
    (DYNAMICS, '<dynamics rotor_inertia="-1"', 29, ["rotor_inertia='-1'"]),
    (DYNAMICS, '<dynamics stiffness="-1"', 29, ["stiffness='-1'"]),
    (DYNAMICS, '<dynamics stiffness="1" spring_mount="1 0 0 0"', 29, ["'1 0 0 0'", "needed 1 number"]),
    ('friction="0.2"', 'friction="much"', 29, ["'much'"]),
    (
        DYNAMICS,
        '<mimic joint="hinge"/><dynamics damping="0.1"',
        29,
        ["<mimic> of joint 'hinge'", "cannot follow itself"],
    ),
    (DYNAMICS, '<mimic/><dynamics damping="0.1"', 29, ["<mimic> of joint 'hinge'", "'joint' is missing"]),
    # not supported yet, and not to be dropped
    (
        "</robot>",
        '<constraints><equality body1="base" body2="tip" anchor="0 0 0"/></constraints></robot>',
        31,
        ["<equality>", "not supported yet"],
    ),
    # the document
    ("</link>\n<link", "\n<link", 31, ["not well-formed XML"]),
    ("</robot>", "", 32, ["not well-formed XML"]),
    ('<robot name="r">', '<robot name="r" name="s">', 1, ["not well-formed XML", "name"]),
    ('<robot name="r">', "<!DOCTYPE robot>\n" + '<robot name="r">', 1, ["DOCTYPE"]),
    ('<robot name="r">', '\n<!DOCTYPE r [<!ENTITY m "1">]>' + '<robot name="r">', 2, ["DOCTYPE"]),
    ('<robot name="r">', '<robot name="&r;">', 1, ["not well-formed XML"]),
    ("</robot>", "</robot><robot/>", 31, ["not well-formed XML"]),
    (GOOD, "<sdf version='1.6'><model/></sdf>", 1, ["<sdf>", "needed <robot>"]),
    (GOOD, '<robot name="r"/>', 1, ["robot 'r' has no links"]),
    (GOOD, "<", 1, ["not well-formed XML"]),
    (GOOD, '<robot name="r">' + "<a>" * 5000, 1, ["nested too deep"]),
    (GOOD, '<robot name="' + "x" * 11_000_000 + '"/>', 1, ["too long"]),
    (GOOD, '<robot name="r">\0</robot>', 1, ["not well-formed XML"]),
]


@pytest.mark.parametrize("old, new, line, tokens", CASES, ids=range(len(CASES)))
def test_says_where_and_what(old, new, line, tokens):
    assert GOOD.count(old) >= 1
    text = GOOD.replace(old, new, 1)
    with pytest.raises(UrdfError) as caught:
        load_urdf(text)
    message = str(caught.value)
    assert message.startswith(f"<text>:{line}: "), message
    for token in tokens:
        assert token in message, message
    assert len(message) < 2000


def test_the_good_one_is_good():
    m = load_urdf(GOOD, strict=True)
    assert m.find_joint("hinge").position_limits == (-1, 1)


def test_every_error_is_also_a_value_error_and_a_file_error():
    for base in (Error, ValueError, FileError):
        with pytest.raises(base):
            load_urdf(GOOD.replace("revolute", "x"))
    with pytest.raises(FileNotFoundError):
        load_urdf("/no/such/robot.urdf")
    assert issubclass(PathError, FileError)


@pytest.mark.parametrize("encoding", ["shift_jis", "no-such-code"])
def test_odd_encodings_are_refused(encoding):
    text = f'<?xml version="1.0" encoding="{encoding}"?><!DOCTYPE r [<!ENTITY a "b">]><robot name="&a;"/>'
    with pytest.raises(UrdfError, match="UTF-8"):
        load_urdf(text.encode())


def test_an_entity_bomb_costs_nothing():
    levels = "".join(f'<!ENTITY a{i} "{f"&a{i - 1};" * 10}">' for i in range(1, 12))
    text = f'<?xml version="1.0"?><!DOCTYPE r [<!ENTITY a0 "0123456789">{levels}]><robot name="&a11;"/>'
    with pytest.raises(UrdfError, match="DOCTYPE"):
        load_urdf(text)
    with pytest.raises(UrdfError, match="DOCTYPE"):
        load_urdf(text.replace('"1.0"', '"1.0" encoding="UTF-16"').encode("utf-16"))


def test_an_external_entity_is_not_read(tmp_path):
    secret = tmp_path / "secret.txt"
    secret.write_text("s3cret")
    text = f'<!DOCTYPE r [<!ENTITY x SYSTEM "{secret.as_uri()}">]><robot name="r"><link name="a"/>&x;</robot>'
    with pytest.raises(UrdfError) as caught:
        load_urdf(text)
    assert "s3cret" not in str(caught.value)


def test_too_many_tags_are_refused(monkeypatch):
    monkeypatch.setattr("rbdyn.io.safe_xml.MAX_TAGS", 10)
    with pytest.raises(UrdfError, match="tags of XML, at most 10"):
        load_urdf(GOOD)


def test_too_many_links_are_refused(monkeypatch):
    monkeypatch.setattr("rbdyn.io.tree.MAX_LINKS", 1)
    with pytest.raises(UrdfError, match="2 links, at most 1"):
        load_urdf(GOOD)


def test_long_chains_and_wide_stars_need_no_recursion():
    links = "".join(f'<link name="l{i}"/>' for i in range(1500))
    chain = "".join(hinge(f"j{i}", f"l{i - 1}", f"l{i}") for i in range(1499, 0, -1))
    assert len(load_urdf(f'<robot name="r">{links}{chain}</robot>').bodies) == 1501
    star = "".join(hinge(f"j{i}", "l0", f"l{i}") for i in range(1, 1500))
    assert len(load_urdf(f'<robot name="r">{links}{star}</robot>').bodies) == 1501
    loop = chain + hinge("j0", "l1499", "l0")
    with pytest.raises(UrdfError, match=r"form a loop: .* -> \.\.\."):
        load_urdf(f'<robot name="r">{links}{loop}</robot>')
