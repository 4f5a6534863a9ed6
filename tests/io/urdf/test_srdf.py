"""SRDF: pairs of links that never collide, of files and texts; written and read again."""

import pytest

import rbdyn
from rbdyn import io
from rbdyn.errors import Error, ExportWarning, PathError, UnknownNameError, UrdfError

BALL = '<collision><geometry><sphere radius="0.2"/></geometry></collision>'
INERTIAL = '<inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>'


def joint(name, parent, child, kind="continuous"):
    return (f'<joint name="{name}" type="{kind}"><parent link="{parent}"/><child link="{child}"/>'
            '<axis xyz="0 0 1"/></joint>')  # fmt: skip


LINKS = "".join(f'<link name="{name}">{INERTIAL}{BALL}</link>' for name in "abcd")
TREE = joint("ab", "a", "b") + joint("bc", "b", "c") + joint("cd", "c", "d", "fixed")
ROBOT = f'<robot name="r">{LINKS}{TREE}</robot>'
SRDF = """<robot name="r">
  <group name="arm"><chain base_link="a" tip_link="d"/></group>
  <group_state name="home" group="arm"/>
  <disable_collisions link1="a" link2="b" reason="Adjacent"/>
  <disable_collisions link1="a" link2="c" reason="Never"/>
  <disable_collisions link1="c" link2="d" reason="Adjacent"/>
  <disable_collisions link1="d" link2="a"/>
</robot>"""


def touching(mechanism):
    world = rbdyn.World()
    world.add_articulated_system(mechanism)
    world.integrate1()
    return {tuple(sorted((c.link_a, c.link_b))) for c in world.contacts}


def test_pairs_of_a_file_and_of_a_text(tmp_path):
    (tmp_path / "r.urdf").write_text(ROBOT)
    (tmp_path / "r.srdf").write_text(SRDF)
    assert touching(io.load_urdf(ROBOT)) == {("a", "c"), ("a", "d")}
    for srdf in (SRDF, tmp_path / "r.srdf", str(tmp_path / "r.srdf"), SRDF.encode()):
        mechanism = io.load_urdf(tmp_path / "r.urdf", srdf=srdf, strict=True)
        assert mechanism.ignored_collisions == (("a", "c"), ("a", "d"))
        assert touching(mechanism) == set()
    world = rbdyn.World()
    robot = world.add_articulated_system(tmp_path / "r.urdf", srdf=SRDF)
    assert robot.ignored_collisions == (("a", "c"), ("a", "d"))
    assert io.load(ROBOT, srdf=SRDF).ignored_collisions == mechanism.ignored_collisions


def test_one_link_of_a_rigid_group():
    """d is fixed to c: what is said of c does not hold for d."""
    assert touching(io.load_urdf(ROBOT, srdf=SRDF.replace('link1="d"', 'link1="b"'))) == {("a", "d")}


def test_default_collisions():
    text = """<robot name="r"><disable_default_collisions link="d"/><enable_collisions link1="a" link2="d"/></robot>"""
    assert io.load_urdf(ROBOT, srdf=text).ignored_collisions == (("b", "d"), ("c", "d"))


@pytest.mark.parametrize(("text", "error"), [
    (SRDF.replace('link2="c"', 'link2="cc"'), r"^<text>:5: .*no link named 'cc'; did you mean 'c'"),
    (SRDF.replace('link1="d"', 'link1="a"'), r"^<text>:7: .*both 'a'"),
    (SRDF.replace('link2="b" ', ""), r"^<text>:4: .*link2"),
    (ROBOT, r"^<text>:1: .*<link> in an SRDF: is this the URDF"),
    ("<sdf/>", r"^<text>:1: .*<sdf>, needed <robot>"),
    ('<robot name="r"><disable_default_collisions link="x"/></robot>', r"^<text>:1: .*no link named 'x'"),
])  # fmt: skip
def test_errors_have_a_place(text, error):
    with pytest.raises(UrdfError, match=error):
        io.load_urdf(ROBOT, srdf=text)
    mechanism = io.load_urdf(ROBOT)
    mechanism.ignore_collision("b", "d")
    with pytest.raises(UrdfError, match=error):
        io.apply_srdf(mechanism, text)
    assert mechanism.ignored_collisions == (("b", "d"),)


def test_what_is_odd_is_said(tmp_path):
    with pytest.raises(PathError):
        io.load_urdf(ROBOT, srdf=tmp_path / "none.srdf")
    odd = SRDF.replace('name="r"', 'name="other"').replace("group_state", "groupstate")
    lines = io.load_urdf(ROBOT, srdf=odd).diagnostics
    assert any(line.startswith("<text>:1: ") and "'other'" in line for line in lines)
    assert any(line.startswith("<text>:3: ") and "groupstate" in line for line in lines)
    with pytest.raises(UrdfError, match="'other'"):
        io.load_urdf(ROBOT, srdf=odd, strict=True)


def test_round_trip(tmp_path):
    mechanism = io.load_urdf(ROBOT, srdf=SRDF)
    io.save_srdf(mechanism, tmp_path / "r.srdf", {("b", "d"): "Never"})
    text = (tmp_path / "r.srdf").read_text()
    assert text.count('reason="Adjacent"') == 4            # ab, bc, bd by the group of c and d, cd
    again = io.load_urdf(ROBOT, srdf=tmp_path / "r.srdf", strict=True)
    assert set(again.ignored_collisions) - {("b", "d")} == set(mechanism.ignored_collisions)
    assert io.load_urdf(ROBOT, srdf=io.srdf_text(mechanism)).ignored_collisions == mechanism.ignored_collisions
    with pytest.raises(UnknownNameError):
        io.srdf_text(mechanism, {("a", "x"): "Never"})
    with pytest.raises(Error, match="must be a Mechanism"):
        io.srdf_text(ROBOT)


def test_a_urdf_holds_its_pairs():
    """In dialect: <disable_collisions> in <robot>; without it they are left out; the warning names save_srdf."""
    mechanism = io.load_urdf(ROBOT, srdf=SRDF)
    with pytest.warns(ExportWarning, match="pairs of links that never collide.*save_srdf"):
        text = io.urdf_text(mechanism)
    assert io.load_urdf(text, strict=True).ignored_collisions == mechanism.ignored_collisions
    with pytest.warns(ExportWarning, match="pairs of links that never collide.*left out"):
        assert "disable" not in io.urdf_text(mechanism, dialect=False)
    mechanism.self_collision = False
    with pytest.warns(ExportWarning, match="dialect"):
        again = io.load_urdf(io.urdf_text(mechanism))
    assert touching(again) == set()
    with pytest.raises(UrdfError, match=r":1: .*no link named 'x'"):
        io.load_urdf(ROBOT.replace("</robot>", '<disable_collisions link1="a" link2="x"/></robot>'))
