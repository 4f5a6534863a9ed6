"""What a good robot file becomes."""

import math
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rbdyn.collision.shapes import Box, Capsule, Cylinder, Sphere
from rbdyn.errors import Error, UrdfError
from rbdyn.io import load_urdf
from rbdyn.mechanism import Fixed, Floating, Helical, Planar, Prismatic, Revolute, Spherical


def inertial(**changes):
    """An <inertial> of mass 1 and unit inertia; a moment of None is left out."""
    moments = {"ixx": 1, "ixy": 0, "ixz": 0, "iyy": 1, "iyz": 0, "izz": 1} | changes
    attributes = " ".join(f'{k}="{v}"' for k, v in moments.items() if v is not None)
    return f'<inertial><mass value="1"/><inertia {attributes}/></inertial>'


INERTIAL = inertial()

DIALECT = """<?xml version="1.0"?>
<robot name="whip">
  <link name="world"/>
  <link name="base">
    <inertial>
      <origin xyz="0.1 0.2 0.3" rpy="0 0 1.5707963267948966"/>
      <mass value="2"/>
      <inertia ixx="1" ixy="0" ixz="0" iyy="2" iyz="0" izz="2.5"/>
    </inertial>
    <visual>
      <geometry><sphere radius="0.5"/></geometry>
      <material name="red"/>
    </visual>
    <collision>
      <origin xyz="0 0 1"/>
      <geometry><capsule radius="0.1" height="0.4"/></geometry>
      <material><contact name="steel"/></material>
    </collision>
    <collision>
      <geometry><capsule radius="0.1" length="0.3"/></geometry>
    </collision>
  </link>
  <link name="tip">
    <inertial><mass value="1"/><inertia ixx="1" ixy="0.1" ixz="0" iyy="1" iyz="0" izz="1"/></inertial>
    <collision><geometry><box size="1 2 3"/></geometry></collision>
    <collision><geometry><cylinder radius="0.1" length="2"/></geometry></collision>
  </link>
  <joint name="weld" type="fixed">
    <parent link="world"/><child link="base"/>
  </joint>
  <joint name="ball" type="spherical">
    <parent link="base"/><child link="tip"/>
    <origin xyz="0 0 -0.24"/>
    <axis xyz="0 1 0"/>
    <dynamics rotor_inertia="0.0001" spring_mount="0.70710678118 0 0.70710678118 0" stiffness="500.0" damping="3."/>
  </joint>
  <material name="red"><color rgba="1 0 0 0.5"/></material>
</robot>
"""


def one_joint(joint, links="", **options):
    """A floating link "a" that carries a link "b" by `joint`, given as its type, attributes and content."""
    kind, content = joint
    text = (
        f'<robot name="r"><link name="a">{INERTIAL}</link><link name="b">{INERTIAL}</link>{links}'
        f'<joint name="j" type="{kind}"><parent link="a"/><child link="b"/>{content}</joint></robot>'
    )
    mechanism = load_urdf(text, **options)
    return mechanism.find_joint("j"), mechanism


def test_raisim_dialect():
    m = load_urdf(DIALECT)
    assert m.name == "whip"
    assert m.diagnostics == []
    assert [b.name for b in m.bodies] == ["world", "base", "tip"]
    assert m.root_body.name == "world"
    ball = m.find_joint("ball")
    assert isinstance(ball.joint_type, Spherical)
    assert (ball.rotor_inertia, ball.stiffness, ball.damping) == (1e-4, 500.0, 3.0)
    np.testing.assert_allclose(ball.spring_reference, [math.sqrt(0.5), 0, math.sqrt(0.5), 0], atol=1e-15)
    assert m.edge(ball).joint_pose.translation.tolist() == [0, 0, -0.24]
    capsule, other = m.find_body("base").collision
    assert capsule.shape == Capsule(0.1, 0.4)
    assert other.shape == Capsule(0.1, 0.3)
    assert (capsule.name, other.name) == ("base/0", "base/1")
    assert (capsule.material, other.material) == ("steel", "default")
    assert capsule.pose.translation.tolist() == [0, 0, 1]
    assert m.find_body("base").visual[0].shape == Sphere(0.5)
    assert m.find_body("base").visual[0].color == (1, 0, 0, 0.5)
    assert [g.shape for g in m.find_body("tip").collision] == [Box((1, 2, 3)), Cylinder(0.1, 2)]


def test_inertia_is_turned_into_the_link_frame():
    inertia = load_urdf(DIALECT).find_body("base").inertia
    assert inertia.mass == 2
    assert inertia.com.tolist() == [0.1, 0.2, 0.3]
    np.testing.assert_allclose(inertia.inertia, np.diag([2, 1, 2.5]), atol=1e-12)  # x and y change places
    assert load_urdf(DIALECT).find_body("world").inertia.mass == 0


# ---- the root rule ---------------------------------------------------------------------------------


@pytest.mark.parametrize("floating, kind", [(None, Floating), (True, Floating), (False, Fixed)])
def test_any_root_but_world_hangs_on_the_joint_root(floating, kind):
    m = load_urdf(f'<robot name="r"><link name="base">{INERTIAL}</link></robot>', floating=floating)
    assert [b.name for b in m.bodies] == ["world", "base"]
    assert isinstance(m.find_joint("ROOT").joint_type, kind)
    assert m.tree_joints[0].name == "ROOT"


@pytest.mark.parametrize("floating", [None, False])
def test_a_root_named_world_is_the_fixed_base(floating):
    m = load_urdf(DIALECT, floating=floating)
    assert m.root_body.name == "world"
    assert [j.name for j in m.joints] == ["weld", "ball"]


def test_a_world_can_be_freed():
    m = load_urdf(DIALECT, floating=True)
    assert [b.name for b in m.bodies] == ["universe", "world", "base", "tip"]
    assert isinstance(m.find_joint("ROOT").joint_type, Floating)
    assert m.num_velocities == 9


def test_world_is_case_sensitive_and_names_stay_unique():
    text = f'<robot name="r"><link name="World">{INERTIAL}</link><link name="world">{INERTIAL}</link>'
    text += '<joint name="ROOT" type="fixed"><parent link="World"/><child link="world"/></joint></robot>'
    m = load_urdf(text)
    assert [b.name for b in m.bodies] == ["universe", "World", "world"]
    assert [j.name for j in m.joints] == ["ROOT_", "ROOT"]


def test_file_order_but_parents_first():
    links = "".join(f'<link name="{n}">{INERTIAL}</link>' for n in "dcba")
    joint = '<joint name="{0}" type="continuous"><parent link="{1}"/><child link="{2}"/></joint>'
    joints = joint.format("j3", "c", "d") + joint.format("j2", "a", "c") + joint.format("j1", "a", "b")
    m = load_urdf(f'<robot name="r">{joints}{links}</robot>')
    assert [j.name for j in m.joints] == ["ROOT", "j2", "j3", "j1"]  # j3 must wait for j2, then comes first
    assert [b.name for b in m.bodies] == ["world", "a", "c", "d", "b"]


@settings(deadline=None)
@given(st.data())
def test_order_of_random_trees(data):
    """Greedy: at each step the earliest joint of the file whose parent is there; so a sorted file keeps its order."""
    n = data.draw(st.integers(2, 12))
    pairs = [(data.draw(st.integers(0, k - 1)), k) for k in range(1, n)]
    pairs = data.draw(st.permutations(pairs))
    links = "".join(f'<link name="l{k}">{INERTIAL}</link>' for k in range(n))
    joint = '<joint name="j{1}" type="continuous"><parent link="l{0}"/><child link="l{1}"/></joint>'
    m = load_urdf(f'<robot name="r">{links}{"".join(joint.format(*pair) for pair in pairs)}</robot>')
    expected, there = [], {0}
    while len(expected) < n - 1:
        pair = next(p for p in pairs if p[0] in there and p[1] not in there)
        expected.append(f"j{pair[1]}")
        there.add(pair[1])
    assert [j.name for j in m.joints[1:]] == expected


# ---- joints ----------------------------------------------------------------------------------------


def test_joint_types_and_axes():
    limit = '<limit lower="-1" upper="2" effort="3" velocity="4"/>'
    revolute, _ = one_joint(("revolute", f'<axis xyz="0 3 4"/>{limit}'))
    assert revolute.joint_type == Revolute((0.0, 0.6, 0.8))
    assert (revolute.position_limits, revolute.effort_limit, revolute.velocity_limit) == ((-1, 2), 3, 4)
    prismatic, _ = one_joint(("prismatic", limit))
    assert prismatic.joint_type == Prismatic((1, 0, 0))  # URDF's default axis
    continuous, _ = one_joint(("continuous", '<axis xyz="0 0 -1"/><limit effort="3" velocity="4"/>'))
    assert continuous.joint_type == Revolute((0, 0, -1))
    assert continuous.position_limits is None
    assert continuous.effort_limit == 3
    assert isinstance(one_joint(("floating", ""))[0].joint_type, Floating)
    assert isinstance(one_joint(("fixed", '<axis xyz="0 0 0"/>'))[0].joint_type, Fixed)


def test_a_helical_joint_advances_by_its_pitch():
    """q = 2 rad of a left-hand thread of 0.05 m/rad; limits are angles; pitch 0, or elsewhere, is noted."""
    limit = '<limit lower="-1" upper="7" effort="3"/>'
    joint, m = one_joint(("helical", f'<axis xyz="0 0 2" pitch="-0.05"/>{limit}<dynamics spring_mount="0.5"/>'))
    assert joint.joint_type == Helical((0, 0, 1), -0.05)
    assert (joint.position_limits, joint.effort_limit, joint.spring_reference.tolist()) == ((-1, 7), 3, [0.5])
    np.testing.assert_allclose(joint.joint_type.pose([2.0]).translation, (0, 0, -0.1), atol=1e-16)
    assert one_joint(("helical", '<axis xyz="0 0 1" pitch="0.05"/>'))[0].position_limits is None
    joint, m = one_joint(("helical", '<axis xyz="0 0 1" pitch="0"/>'))
    assert joint.joint_type.pitch == 0.0
    assert any("pitch 0: the joint turns and does not advance" in text for text in m.diagnostics)
    joint, m = one_joint(("prismatic", '<axis xyz="0 0 1" pitch="0.05"/>'))
    assert any("pitch belongs to helical joints; ignored" in text for text in m.diagnostics)


@pytest.mark.parametrize("pitch", ["nan", "inf", "", "0.01 m", "1e31", "1,5"])
def test_what_is_no_pitch(pitch):
    with pytest.raises(UrdfError, match=r":\d+: <axis> of joint 'j': pitch="):
        one_joint(("helical", f'<axis xyz="0 0 1" pitch="{pitch}"/>'))


@pytest.mark.parametrize("normal", [(1, 0, 0), (0, 1, 0), (0, 0, 1), (0, 0, -1), (0.48, 0.6, 0.64), (-1, 0, 0)])
def test_planar_axis_is_the_normal(normal):
    joint, _ = one_joint(("planar", f'<axis xyz="{" ".join(map(str, normal))}"/>'))
    assert isinstance(joint.joint_type, Planar)
    np.testing.assert_allclose(np.cross(joint.joint_type.x_axis, joint.joint_type.y_axis), normal, atol=1e-12)


def test_limits_that_mean_none():
    joint, m = one_joint(("revolute", '<limit lower="0.5" upper="0.5" effort="-1" velocity="0"/>'))
    assert (joint.position_limits, joint.effort_limit, joint.velocity_limit) == (None, None, None)
    assert len([w for w in m.diagnostics if "limit" in w]) == 3
    joint, m = one_joint(("revolute", ""))
    assert joint.position_limits is None
    assert any("without <limit>" in w for w in m.diagnostics)
    joint, m = one_joint(("continuous", '<limit lower="-1" upper="1"/>'))
    assert joint.position_limits is None
    assert any("continuous" in w and "ignored" in w for w in m.diagnostics)
    joint, m = one_joint(("revolute", '<limit lower="-1" upper="1" effort="0"/>'))
    assert joint.effort_limit == 0
    assert any("no motor" in w for w in m.diagnostics)


def test_the_largest_float_means_no_limit():
    joint, m = one_joint(("prismatic", '<limit lower="-1.7976931348623157e308" upper="1e308" effort="1e300"/>'))
    assert joint.position_limits == (-math.inf, 1e308)


def test_spherical_limit_is_an_angle():
    assert one_joint(("spherical", '<limit lower="0" upper="1.2"/>'))[0].position_limits == (0, 1.2)
    joint, m = one_joint(("spherical", '<limit lower="-1" upper="1.2"/>'))
    assert joint.position_limits is None
    assert any("largest angle" in w for w in m.diagnostics)


def test_passive_elements():
    content = '<dynamics damping="1" friction="2" rotor_inertia="3" stiffness="4" spring_mount="0.5"/>'
    joint, _ = one_joint(("continuous", content))
    assert (joint.damping, joint.friction, joint.rotor_inertia, joint.stiffness) == (1, 2, 3, 4)
    assert joint.spring_reference.tolist() == [0.5]


def test_mimic_is_kept():
    leader = f'<link name="c">{INERTIAL}</link>'
    leader += '<joint name="k" type="continuous"><parent link="b"/><child link="c"/></joint>'
    joint, m = one_joint(("continuous", '<mimic joint="k" multiplier="-2" offset="0.1"/>'), leader)
    assert (joint.mimic.joint, joint.mimic.multiplier, joint.mimic.offset) == ("k", -2, 0.1)
    assert not m.diagnostics
    joint, m = one_joint(("continuous", '<mimic joint="kk"/>'), leader)
    assert joint.mimic is None
    assert any("did you mean 'k'" in w for w in m.diagnostics)


def test_many_unknown_leaders_are_compared_with_few_names(monkeypatch):
    """Comparing each of n misspelt names with n others took a minute for a file of half a megabyte."""
    import difflib

    from rbdyn.io import diagnostics

    compared = []
    monkeypatch.setattr(difflib, "get_close_matches", lambda name, known, **_: compared.append(len(known)) or [])
    monkeypatch.setattr(diagnostics, "MAX_COMPARED", 150)
    names = range(1, 100)
    links = "".join(f'<link name="l{k}"/>' for k in (0, *names))
    ends = '<parent link="l0"/><child link="l{0}"/>'
    follower = f'<joint name="j{{0}}" type="continuous">{ends}<mimic joint="x{{0}}"/></joint>'
    m = load_urdf(f'<robot name="r">{links}{"".join(follower.format(k) for k in names)}</robot>')
    assert len([text for text in m.diagnostics if "no joint named" in text]) == 99
    assert compared == [99, 99]


def test_quaternion_origin():
    content = '<origin xyz="1 2 3" quat_xyzw="0 0 0.7071067811865476 0.7071067811865476"/>'
    joint, m = one_joint(("continuous", content))
    np.testing.assert_allclose(m.edge(joint).joint_pose.rpy, [0, 0, math.pi / 2], atol=1e-12)


def shaped(tag, shape, more=""):
    """A robot of one link "a" with one shape."""
    return f'<robot name="r"><link name="a"><{tag}><geometry>{shape}</geometry>{more}</{tag}></link></robot>'


# ---- warnings --------------------------------------------------------------------------------------

WARNED = [
    ('<robot><link name="a"/></robot>', "<robot> has no name"),
    ('<robot name="r"><link name="a"/><gazebo/><gazebo/></robot>', "<gazebo> in <robot> is for other programs"),
    ('<robot name="r"><link name="a"/><gazebo/><gazebo/></robot>', "(2 times, first here)"),
    ('<robot name="r"><link name="a"><colision/></link></robot>', "unknown tag <colision>"),
    ('<robot name="r"><link name="a"><colision/></link></robot>', "did you mean 'collision'"),
    ('<robot name="r"><link name="a" kind="x"/></robot>', "unknown attribute 'kind' of <link>"),
    ('<robot name="r"><link name="a">hello</link></robot>', "text 'hello' inside <link>"),
    ('<robot name="r"><link name="a" sensor="s.xml"/></robot>', "link 'a': sensor: no file 's.xml'; searched nowhere"),
    ('<robot name="r"><link name="a"/></robot>', "link 'a' has no mass"),
    ('<robot name="r" xmlns:xacro="x"><link name="a"/><xacro:if/></robot>', "load_xacro"),
    (f'<robot name="r"><link name="a">{inertial(ixy=None)}</link></robot>', "ixy is missing; 0 is taken"),
    (f'<robot name="r"><link name="a">{inertial(izz=3)}</link></robot>', "break the triangle inequality"),
    (f'<robot name="r"><link name="a">{inertial(ixy=2)}</link></robot>', "a principal moment of inertia is negative"),
    (shaped("visual", '<sphere radius="1"/>', '<material name="m"/>'), "material 'm' of link 'a' is not defined"),
    (shaped("collision", '<mesh filename="x.stl"/>'), "<mesh> of geometry 'a/0': no file 'x.stl'"),
    (f'<robot name="r"><link name="world">{INERTIAL}</link></robot>', "its mass of 1 kg does not move"),
    (
        f'<robot name="r"><link name="a">{inertial()}</link><link name="world"/><joint name="j" type="fixed">'
        '<parent link="a"/><child link="world"/></joint></robot>',
        "link 'world' is not the root, 'a' is",
    ),
    *(
        (f'<robot name="r"><link name="{name}">{INERTIAL}</link></robot>',
         f"root link {name!r} floats: only 'world', spelt so, is the fixed base; floating=False fixes it")
        for name in ("World", "WORLD", "world_link", "worldFrame")
    ),
]


@pytest.mark.parametrize("text, expected", WARNED)
def test_silent_choices_are_noted_with_their_line(text, expected):
    m = load_urdf("\n\n" + text)
    hits = [w for w in m.diagnostics if expected in w]
    assert len(hits) == 1, m.diagnostics
    assert hits[0].startswith("<text>:3: ")


@pytest.mark.parametrize("floating", [True, False])
def test_a_root_called_like_the_world_is_no_surprise_to_those_who_say_how_it_moves(floating):
    assert load_urdf(f'<robot name="r"><link name="World">{INERTIAL}</link></robot>', floating).diagnostics == []


@pytest.mark.parametrize("text, expected", WARNED)
def test_strict_turns_notes_into_errors(text, expected):
    with pytest.raises(UrdfError, match=r"^<text>:1: .*\(strict=True\)$"):
        load_urdf(text, strict=True)


def test_axis_length_is_noted():
    joint, m = one_joint(("continuous", '<axis xyz="0 0 2"/>'))
    assert joint.joint_type == Revolute((0, 0, 1))
    assert any("has length 2; normalised" in w for w in m.diagnostics)


def test_massless_movable_leaf():
    def warned(extra):
        _, m = one_joint(("continuous", ""), f'<link name="c"/>{extra}')
        return any("link 'c' has no mass and nothing behind it" in w for w in m.diagnostics)

    hinge = '<joint name="k" type="continuous"><parent link="b"/><child link="c"/></joint>'
    weld = '<joint name="w" type="fixed"><parent link="c"/><child link="d"/></joint>'
    assert warned(hinge)
    assert not warned(hinge.replace("continuous", "fixed"))
    assert not warned(f'{hinge}{weld}<link name="d">{INERTIAL}</link>')
    assert warned(f'{hinge}{weld}<link name="d"/>')


# ---- text forms ------------------------------------------------------------------------------------

PLAIN = '<robot name="r"><link name="\u00e4\u4e2d"/></robot>'


@pytest.mark.parametrize(
    "source",
    [
        PLAIN,
        "\ufeff" + PLAIN,
        "  \r\n\t" + PLAIN,
        '<?xml version="1.0" encoding="UTF-16"?>' + PLAIN,
        "\n<?xml version='1.0'?>" + PLAIN,
        PLAIN.encode(),
        b"\xef\xbb\xbf" + PLAIN.encode(),
        ('<?xml version="1.0" encoding="UTF-16"?>' + PLAIN).encode("utf-16"),
        PLAIN.replace(">", ">\r\n<!-- c --><?pi x?>", 1),
        PLAIN.replace('name="r"', 'name="r" xmlns="http://www.ros.org"'),
    ],
)
def test_text_forms(source):
    assert load_urdf(source).bodies[1].name == "\u00e4\u4e2d"


def test_paths_and_the_text_flag(tmp_path):
    file = tmp_path / "robot.urdf"
    file.write_text(DIALECT)
    for form in (file, str(file), str(file).encode()):
        assert load_urdf(form).name == "whip"
    assert load_urdf(str(file), text=False).name == "whip"
    assert load_urdf(DIALECT, text=True).name == "whip"
    with pytest.raises(UrdfError):
        load_urdf(str(file), text=True)
    with pytest.raises(FileNotFoundError):
        load_urdf(DIALECT, text=False)
    with pytest.raises(Error, match="text=True"):
        load_urdf(file, text=True)


def test_errors_name_the_file_and_the_line(tmp_path):
    file = tmp_path / "robot.urdf"
    file.write_text(
        '<robot name="r">\n\n<link name="l1">' + "<inertial><mass value='0,5'/><inertia/></inertial></link></robot>"
    )
    with pytest.raises(UrdfError) as caught:
        load_urdf(file)
    expected = f"{file}:3: <mass> of link 'l1': value='0,5' is not a number (decimal comma?)"
    assert str(caught.value) == expected


@pytest.mark.parametrize(
    "options",
    [
        {"params": 3},
        {"params": {"a b": 1}},
        {"modules": ["m.xml"]},
        {"modules": "m.xml"},
        {"modules": [3]},
        {"modules": None},
        {"base_dir": "/no/such/folder"},
        {"allow_outside": 1},
        {"on_missing_sensor": "ignore"},
        {"floating": 1},
        {"on_missing_mesh": "ignore"},
        {"collision_mesh": "box"},
    ],
)
def test_options_are_checked(options):
    with pytest.raises(Error, match=next(iter(options))):
        load_urdf(DIALECT, **options)


@pytest.mark.parametrize(
    "source", [None, 3, ["<robot/>"], "", " \n", b"", "/no/such/robot.urdf", "robot.urdf\0", "x" * 5000]
)
def test_sources_are_checked(source):
    with pytest.raises(Error):
        load_urdf(source)


def test_loading_twice_gives_separate_mechanisms():
    a, b = load_urdf(DIALECT), load_urdf(DIALECT)
    assert a.bodies[1] is not b.bodies[1]
    assert a.joints[0] is not b.joints[0]


def test_no_extra_is_imported_before_it_is_needed():
    import subprocess
    import sys

    code = "import sys, rbdyn.io; print([m for m in ('lxml', 'scipy', 'trimesh', 'collada') if m in sys.modules])"
    root = Path(__file__).parents[2]
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=root)
    assert done.stdout.strip() == "[]"
