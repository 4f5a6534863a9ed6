"""`check`: every fault of robot files is found, with its place, and the exit code says so."""

import json

import numpy as np
import pytest

from rbdyn import models
from rbdyn.cli.main import main

INERTIAL = '<inertial><origin xyz="{com}"/><mass value="{mass}"/><inertia {moments} ixy="0" ixz="0" iyz="0"/>'
INERTIAL += "</inertial>"
EVEN = 'ixx="0.01" iyy="0.01" izz="0.01"'


def link(name, inside="", com="0 0 0", mass=1, moments=EVEN):
    return f'<link name="{name}">{INERTIAL.format(com=com, mass=mass, moments=moments)}{inside}</link>\n'


def shape(what, xyz="0 0 0", kind="collision"):
    return f'<{kind}><origin xyz="{xyz}"/><geometry>{what}</geometry></{kind}>'


def joint(name, parent, child, xyz="0 0 0", kind="continuous"):
    ends = f'<parent link="{parent}"/><child link="{child}"/><origin xyz="{xyz}"/><axis xyz="0 0 1"/>'
    return f'<joint name="{name}" type="{kind}">{ends}</joint>\n'


BOX, BALL = '<box size="0.4 0.4 0.4"/>', '<sphere radius="0.2"/>'
GOOD = link("a", shape(BOX)) + link("b", shape(BALL)) + joint("j", "a", "b", "1 0 0")
CUBE = np.array([(x, y, z) for x in (0, 1) for y in (0, 1) for z in (0, 1)]) - 0.5
FACES = [(0, 1, 3), (0, 3, 2), (4, 6, 7), (4, 7, 5), (0, 4, 5), (0, 5, 1), (2, 3, 7), (2, 7, 6), (0, 2, 6), (0, 6, 4)]
FACES += [(1, 5, 7), (1, 7, 3)]


def obj(vertices, faces):
    lines = [f"v {x} {y} {z}" for x, y, z in vertices]
    return "\n".join([*lines, *(f"f {a + 1} {b + 1} {c + 1}" for a, b, c in faces)])


@pytest.fixture
def report(tmp_path, capsys):
    """Checks a robot of these elements and gives exit code and report."""

    def check(elements, *options, name="r.urdf"):
        file = tmp_path / name
        file.write_text(f'<robot name="r">\n{elements}</robot>' if name.endswith("urdf") else elements)
        code = main(["check", str(file), "--json", *options])
        (found,) = json.loads(capsys.readouterr().out)
        assert found["file"] == str(file)
        return code, found

    return check


def test_a_good_robot(report):
    code, found = report(GOOD)
    assert code == 0
    assert (found["verdict"], found["findings"], found["format"]) == ("read", [], "URDF")
    assert (found["robot"], found["base"], found["links"], found["joints"]) == ("r", "free", 2, 2)
    assert (found["nq"], found["nv"], found["mass"], found["collision shapes"]) == (8, 7, 2, 2)


ODD = [
    (link("a", shape(BOX), com="0.5 0 0"), 2, "link 'a': its centre of mass lies 0.3 m outside its shapes"),
    (link("a", shape(BOX, "0.5 0 0"), com="0 0.3 0"), 2, "its centre of mass lies 0.316 m outside"),
    (link("a", shape(BOX, kind="visual"), moments='ixx="1" iyy="1" izz="1"'), 2, "gyration of 1 m is too much"),
    (link("a", moments='ixx="0" iyy="0" izz="0"'), 2, "link 'a' of 1 kg has no moments of inertia: it is a point"),
    (link("a", moments='ixx="1" iyy="1" izz="0"'), 2, "has no moment of inertia about one of its axes"),
    (link("a", moments='ixx="1" iyy="1" izz="3"'), 2, "break the triangle inequality"),
    (link("a", moments='ixx="1" iyy="1" izz="-1"'), 2, "a principal moment of inertia is negative"),
    (GOOD.replace('"1 0 0"/><axis', '"1 0 0" rot="1"/><axis'), 4, "unknown attribute 'rot' of <origin>; ignored"),
    (GOOD + "<gadget/>", 5, "unknown tag <gadget> in <robot>; ignored"),
    (link("a", shape('<mesh filename="none.stl"/>')), 2, "no file 'none.stl'"),
    ('<link name="a"/>', 2, "link 'a' has no mass and nothing behind it"),
]


@pytest.mark.parametrize(("elements", "line", "says"), ODD)
def test_what_is_odd(report, elements, line, says):
    code, found = report(elements)
    assert found["verdict"] == "read, with warnings"
    texts = [f for f in found["findings"] if says in f["text"]]
    assert len(texts) == 1, found["findings"]
    assert texts[0]["level"] == "warning"
    assert texts[0]["where"] == f"{found['file']}:{line}"
    assert code == 0
    assert report(elements, "--strict")[0] == 1


HINGE = GOOD.replace("continuous", "revolute").replace("</joint>", '<limit lower="{}" upper="{}"/></joint>')
LIMITS = [
    (-90, 90, "warning", "joint 'j': limits of -90 and 90 rad: are these degrees?"),
    (0, 170, "warning", "joint 'j': limits of 0 and 170 rad: are these degrees?"),
    (0.5, 2, "note", "joint 'j': its neutral position, 0, is outside its limits, 0.5 to 2"),
    (-3, -0.07, "note", "joint 'j': its neutral position, 0, is outside its limits, -3 to -0.07"),
    (-12, 12, None, ""),
    (-13.5, 13.5, None, ""),  # whole turns and more, which no protractor shows
    (-1000, 1000, None, ""),
    (0, 2, None, ""),
]


@pytest.mark.parametrize(("low", "high", "level", "says"), LIMITS)
def test_limits_that_are_odd(report, low, high, level, says):
    _, found = report(HINGE.format(low, high))
    if level is None:
        assert found["findings"] == []
    else:
        (one,) = found["findings"]
        assert one["level"] == level and says in one["text"]


WRONG = [
    (link("a") + link("b"), 3, "2 root links"),
    (GOOD.replace('child link="b"', 'child link="c"'), 4, "no link named 'c'"),
    (link("a", mass="1,5"), 2, "decimal comma"),
    (link("a") + link("a"), 3, "already stands at"),
]


@pytest.mark.parametrize(("elements", "line", "says"), WRONG)
def test_what_is_wrong(report, elements, line, says):
    code, found = report(elements)
    assert code == 1
    assert found["verdict"] == "refused"
    (error,) = found["findings"]
    assert (error["level"], error["where"]) == ("error", f"{found['file']}:{line}")
    assert says in error["text"]


MESHES = [
    (obj(CUBE, FACES), None),
    (obj(CUBE, [f[::-1] for f in FACES]), ("warning", "its faces look inwards (a volume of -1 m^3)")),
    (obj(CUBE * 1000, FACES), ("warning", "1.73e+03 m across: is its unit the metre?")),
    (obj(CUBE, [*FACES, (0, 1, 1)]), ("note", "1 of 13 triangles are without area")),
    (obj(CUBE * (1, 0, 0), FACES), ("warning", "all its 12 triangles are without area")),
]


@pytest.mark.parametrize(("text", "expected"), MESHES)
def test_meshes(report, tmp_path, capsys, text, expected):
    (tmp_path / "m.obj").write_text(text)
    _, found = report(link("a", shape('<mesh filename="m.obj" scale="0.5 0.5 0.5"/>', kind="visual")), "--no-meshes")
    assert found["findings"] == []
    assert main(["check", str(tmp_path / "m.obj"), "--json"]) == 0
    (alone,) = json.loads(capsys.readouterr().out)
    assert (alone["format"], alone["vertices"]) == ("mesh", 8)
    _, found = report(link("a", shape('<mesh filename="m.obj"/>', kind="visual")))
    for findings in (alone["findings"], [f for f in found["findings"] if "mesh " in f["text"]]):
        assert [f["level"] for f in findings] == ([expected[0]] if expected else [])
        assert all(expected[1] in f["text"] and "m.obj" in f["text"] for f in findings)


def test_a_malformed_mesh_does_not_hide_the_rest(report, tmp_path):
    (tmp_path / "m.stl").write_text("solid a\nfacet")
    code, found = report(link("a", shape('<mesh filename="m.stl"/>'), moments='ixx="1" iyy="1" izz="3"'))
    assert code == 1
    assert [f["level"] for f in found["findings"]] == ["error", "warning"]
    assert "ASCII STL" in found["findings"][0]["text"]
    assert "triangle inequality" in found["findings"][1]["text"]


CHAIN = link("a", shape(BOX)) + link("b", shape(BOX)) + link("c", shape(BALL)) + joint("j", "a", "b", "0.3 0 0")


def test_overlaps(report):
    """Links that are joined may overlap; of others the depth is told: a ball about a point on the face of a box."""
    _, found = report(CHAIN + joint("k", "b", "c", "-0.1 0 0"))
    (overlap,) = found["findings"]
    assert overlap["text"] == "links 'a' and 'c' overlap by 200 mm at the neutral pose"
    assert report(CHAIN + joint("k", "b", "c", "0.1 0 0"))[1]["findings"] == []  # it touches


def test_links_on_fixed_joints_are_one(report):
    text = CHAIN.replace("continuous", "fixed") + joint("k", "b", "c", "-0.3 0 0")
    assert report(text)[1]["findings"] == []


def test_modules_parameters_and_folders(report, tmp_path):
    (tmp_path / "res").mkdir()
    (tmp_path / "res" / "m.obj").write_text(obj(CUBE, FACES))
    mesh = shape('<mesh filename="m.obj"/>')
    (tmp_path / "res" / "extra.xml").write_text(link("b", mesh, mass="@@m") + joint("j", "a", "b", "3 0 0"))
    options = ["--module", "extra.xml", "--param", "m=2.5", "--resource-dir", str(tmp_path / "res")]
    code, found = report(link("a"), *options[:4])
    assert code == 1
    assert "no module 'extra.xml'" in found["findings"][0]["text"]
    code, found = report(link("a"), *options)
    assert (code, found["findings"], found["mass"], found["links"]) == (0, [], 3.5, 2)


def test_sensor_sets(report):
    text = '<sensor_set name="s"><link><sensor name="i" type="{}"/></link></sensor_set>'
    code, found = report(text.format("imu"), name="s.xml")
    assert (code, found["format"], found["sensors"]) == (0, "sensor set", 1)
    assert report(text.format("sonar"), name="s.xml")[0] == 1


def test_for_people(tmp_path, capsys):
    bad, good = tmp_path / "bad.urdf", tmp_path / "good.urdf"
    bad.write_text(f'<robot name="r">\n{link("a")}{link("b")}</robot>')
    good.write_text(f'<robot name="r">\n{GOOD}</robot>')
    assert main(["check", str(bad), str(good)]) == 1
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == f"{bad}: refused"
    assert lines[1].startswith(f"  error: {bad}:3: robot 'r' has 2 root links")
    assert lines[2] == f"{good}: read"
    assert lines[-1] == "2 files: 1 refused, 1 read"
    assert main(["check", "--quiet", str(good)]) == 0
    assert capsys.readouterr().out == ""


def test_a_file_that_is_not_there(report, tmp_path, capsys):
    assert main(["check", str(tmp_path / "none.urdf")]) == 1
    assert "no such file" in capsys.readouterr().out
    assert main(["check", str(tmp_path)]) == 1
    assert main(["check", "x", "--param", "novalue"]) == 2


@pytest.mark.parametrize("name", models.NAMES)
def test_bundled_robots_are_faultless(name, capsys):
    assert main(["check", "--strict", str(models.path(name))]) == 0


MJCF = """<mujoco><default><geom contype="1" conaffinity="0"/></default><worldbody>
  <geom name="floor" type="plane" size="9 9 1" conaffinity="1"/>
  <body name="a" pos="0 0 0.5"><freejoint/><geom size="0.2"/>
    <body name="b" pos="0 0.1 0"><joint name="j"/><geom size="0.1"/>
      <body name="c"><joint name="k"/><geom size="0.1" {c}/></body></body></body>
</worldbody><actuator><motor joint="j"/></actuator></mujoco>"""
SDF = '<sdf version="1.9"><model name="m"><link name="ball"><sensor name="s" type="imu"/></link></model></sdf>'


def test_mjcf(report):
    """Links that groups and masks keep apart do not stand in one another; the pose is that of the file."""
    pytest.importorskip("mujoco")
    code, found = report(MJCF.format(c=""), name="r.xml")
    assert (code, found["format"], found["base"], found["nv"]) == (0, "MJCF", "free", 8)
    assert found["findings"] == []
    _, found = report(MJCF.format(c='conaffinity="1"'), name="r.xml")
    assert any("links 'a' and 'c' overlap by" in finding["text"] for finding in found["findings"])


def test_sdf(report):
    code, found = report(SDF, name="r.sdf")
    assert (code, found["format"], found["nv"]) == (0, "SDF", 6)
    assert any("<sensor>" in finding["text"] for finding in found["findings"])
    code, found = report(SDF, "--fixed", "--param", "a=1", name="r.sdf")
    assert (code, found["verdict"]) == (1, "refused")
    assert "--fixed, --param: for URDF and xacro alone" in found["findings"][0]["text"]


def test_what_is_no_robot(report):
    code, found = report("<a/>", name="r.xml")
    assert (code, found["verdict"]) == (1, "refused")
    assert "its root element is <a>, needed one of" in found["findings"][0]["text"]


def test_worlds_and_materials(report):
    ball = '<sphere mass="1"><dim radius="1"/></sphere>'
    code, found = report(f"<raisim>\n<gravty/>\n<objects>{ball}</objects></raisim>", name="w.xml")
    assert (code, found["verdict"], found["format"], found["objects"]) == (0, "read, with warnings", "world", 1)
    (finding,) = found["findings"]
    assert finding["where"].endswith("w.xml:2") and "unknown tag <gravty>" in finding["text"]
    code, found = report("<raisim><objects>\n<sphere/></objects></raisim>", name="w.xml")
    assert (code, found["verdict"]) == (1, "refused") and found["findings"][0]["where"].endswith("w.xml:2")
    code, found = report('<?xml version="1.0"?><!-- a --><material><default friction="0.1"/></material>', name="m.xml")
    assert (code, found["verdict"], found["format"], found["pairs"]) == (0, "read", "materials", 0)
    code, found = report('<material>\n<default friction="-1"/></material>', name="m.xml")
    assert code == 1 and found["findings"][0]["where"].endswith("m.xml:2")


def test_a_flat_mesh_is_said_to_be_flat(report, tmp_path):
    (tmp_path / "flat.obj").write_text("v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nf 1 2 3\nf 1 3 4\n")
    code, found = report(link("a", shape('<mesh filename="flat.obj"/>')))
    assert code == 0 and any("it is flat, and has no hull" in one["text"] for one in found["findings"])


def test_a_mesh_that_is_only_drawn_refuses_no_robot(report, tmp_path):
    (tmp_path / "skin.obj").write_text("not a mesh")
    code, found = report(link("a", shape('<mesh filename="skin.obj"/>', kind="visual")))
    assert (code, found["verdict"]) == (0, "read, with warnings")
    assert any("skin.obj" in one["text"] and "(it is only drawn)" in one["text"] for one in found["findings"])


ARM = ("".join(link(name, shape(BALL)) for name in "abcd")
       + joint("ab", "a", "b", "1 0 0") + joint("bc", "b", "c", "-0.9 0 0")
       + joint("cd", "c", "d", "9 0 0"))  # fmt: skip


def test_pairs_that_always_or_never_collide(report, tmp_path):
    """c turns about b so that it is within 0.1 m of a in few poses; d is never near anything."""
    code, found = report(ARM, "--samples", "300")
    assert code == 0
    pairs = found["self-collisions"]
    assert pairs["samples"] == 300
    assert pairs["never"] == [["a", "d"], ["b", "d"]]
    assert pairs["always"] == []
    notes = [one["text"] for one in found["findings"] if one["level"] == "note"]
    assert notes == [f"link {name!r} never collides with 'd', in 300 sampled configurations" for name in "ab"]
    srdf = tmp_path / "r.srdf"
    code, found = report(ARM, "--samples", "300", "--write-srdf", str(srdf))
    assert code == 0
    text = srdf.read_text()
    assert text.count('reason="Never"') == 2
    assert text.count('reason="Adjacent"') == 3
    assert text.count('reason="Default"') == 1             # a and c, in the pose of the file
    warned = [one["text"] for one in found["findings"] if one["level"] == "warning"]
    assert any("'a' and 'c' overlap" in line for line in warned)
    _, found = report(ARM, "--srdf", str(srdf))
    assert found["findings"] == []
    assert main(["check", str(srdf), str(srdf), "--write-srdf", "x"]) == 2
