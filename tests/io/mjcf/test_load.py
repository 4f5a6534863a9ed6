"""MJCF read through MuJoCo's compiler moves here as it moves in MuJoCo."""
# ruff: noqa: E501  (the files are text here, line by line)

from __future__ import annotations

import sys
import warnings

import numpy as np
import pytest
from algorithms.systems import in_motion
from hypothesis import given, settings
from hypothesis import strategies as st
from reference.compare import close, nontrivial
from reference.dressed import MJCF_TYPES, dressed

import rbdyn
from rbdyn import ExportWarning, MjcfError, io
from rbdyn.collision import Box, Capsule, ConvexHull, Cylinder, Ellipsoid, HalfSpace, HeightMap, Sphere
from rbdyn.io.mjcf import load
from rbdyn.mechanism import Fixed, Floating, Mimic, Prismatic, Revolute, Spherical

mujoco = pytest.importorskip("mujoco")

ROBOT = """<mujoco model="arm">
  <compiler angle="degree" eulerseq="zyx"/>
  <option gravity="1 2 -9"/>
  <default><joint armature="0.1" damping="2"/><geom rgba="0.1 0.2 0.3 1"/>
    <default class="soft"><joint frictionloss="0.3" stiffness="20" springref="30"/></default></default>
  <worldbody>
    <geom name="floor" type="plane" size="1 1 1"/>
    <body name="base" pos="0 0 1" euler="10 20 30"><freejoint name="free"/>
      <geom name="ball" size="0.1" density="500"/>
      <frame pos="0.1 0.2 0.3" quat="1 2 3 4">
        <body name="link" pos="0.1 0.2 0.3" axisangle="1 1 0 40">
          <joint name="turn" axis="1 2 3" pos="0.1 0 0" ref="20" range="-40 50"/>
          <joint name="push" type="slide" class="soft" axis="0 1 0.5" ref="0.1" springref="0.2" actuatorfrcrange="-7 7"/>
          <joint name="roll" type="ball" pos="0 0.1 0" range="0 60"/>
          <geom type="capsule" fromto="0 0 0 0.1 0.2 0.3" size="0.05"/>
          <site name="tip" pos="1 2 3"/></body></frame>
      <body name="fixed" pos="0 0 0.3"><geom type="box" size="0.1 0.2 0.3" contype="0" conaffinity="0"/>
        <body name="end" pos="0.1 0 0"><inertial pos="0.01 0 0" mass="0.5" fullinertia="0.02 0.03 0.04 0.001 0.002 0.003"/>
          <joint name="hinge" axis="0 0 1"/></body></body></body>
    <body name="c"><joint name="c"/><geom type="cylinder" size="0.2 0.3" pos="0.1 0 0"/>
      <body name="d" pos="1 0 0"><joint name="d" type="slide"/><geom type="ellipsoid" size="0.1 0.2 0.3"/></body></body>
  </worldbody>
  <equality><joint joint1="c" joint2="turn" polycoef="0.1 2 0 0 0"/>
    <connect name="pin" body1="end" body2="c" anchor="0.1 0.2 0.3"/>
    <weld name="held" body1="d" body2="base" relpose="0.1 0.2 0.3 1 1 0 0" anchor="0.3 0 0.1"/></equality>
  <contact><exclude body1="link" body2="end"/></contact>
</mujoco>"""


def compare(m, model, rtol=1e-10):
    """Poses, mass matrix and bias forces at a random state: q is MuJoCo's qpos, v by rbdyn.convert."""
    s = in_motion(np.random.default_rng(0), m)
    data = mujoco.MjData(model)
    i = k = 0
    T, Td = np.zeros((2, model.nv, model.nv))
    for joint in m.tree_joints:
        n, d = joint.num_positions, joint.num_velocities
        q, v = s.q[i : i + n], s.v[k : k + d]
        data.qpos[i : i + n] = q
        T[k : k + d, k : k + d] = np.eye(d)
        if isinstance(joint.joint_type, (Spherical, Floating)):
            R = joint.joint_type.pose(q).rotation
            w = v[-3:]
            W = np.array([[0, -w[2], w[1]], [w[2], 0, -w[0]], [-w[1], w[0], 0]])
            T[k + d - 3 : k + d, k + d - 3 : k + d], Td[k + d - 3 : k + d, k + d - 3 : k + d] = R.T, -R.T @ W
        i, k = i + n, k + d
    assert (i, k) == (model.nq, model.nv)
    data.qvel = T @ s.v
    mujoco.mj_forward(model, data)
    for b in range(1, model.nbody):
        name = model.body(b).name
        if name:
            H = np.eye(4)
            H[:3, :3], H[:3, 3] = data.body(name).xmat.reshape(3, 3), data.body(name).xpos
            close(rbdyn.body_pose(s.state, m.find_body(name)), H, rtol)
    M = np.zeros((model.nv, model.nv))
    for column, e in enumerate(np.eye(model.nv)):
        mujoco.mj_mulM(model, data, M[column], e)
    moved = np.zeros(model.nv)
    mujoco.mj_mulM(model, data, moved, Td @ s.v)
    h = T.T @ (data.qfrc_bias + moved)
    nontrivial(M)
    nontrivial(h)
    close(s.tree_matrix(rbdyn.mass_matrix(s.state)), T.T @ M @ T, rtol)
    close(s.tree(rbdyn.bias_forces(s.state)), h, rtol)
    return s, data


def test_a_robot_with_everything():
    """Defaults, classes, frames, several joints a body, anchors, references, inertias that follow from shapes."""
    model = mujoco.MjModel.from_xml_string(ROBOT)
    m = io.load_mjcf(ROBOT)
    compare(m, model)
    assert m.name == "arm"
    turn, push, roll = (m.find_joint(name) for name in ("turn", "push", "roll"))
    close(turn.position_limits, np.deg2rad([-40, 50]), 1e-15)
    assert (turn.rotor_inertia, turn.damping, turn.friction) == (0.1, 2.0, 0.0)
    assert (push.friction, push.stiffness, push.effort_limit) == (0.3, 20.0, 7.0)
    assert push.spring_reference[0] == 0.2
    close(roll.position_limits, (0, np.pi / 3), 1e-15)
    assert m.find_joint("fixed_fixed").joint_type == Fixed()
    close(m.find_body("link").frames["tip"][1].translation, (1, 2, 3), 1e-15)
    at = np.deg2rad(20)
    mimic = m.find_joint("c").mimic
    assert mimic == Mimic("turn", 2.0, mimic.offset)
    close(mimic.offset, 0.1 - 2 * at, 1e-15)
    assert m.diagnostics == []
    assert m.ignored_collisions == (("link", "end"),)


def test_shapes_and_colours():
    m = io.load_mjcf(ROBOT)
    assert isinstance(m.root_body.collision[0].shape, HalfSpace)
    assert m.find_body("base").collision[0].shape == Sphere(0.1)
    assert m.find_body("base").collision[0].name == "ball"
    close(m.find_body("base").collision[0].color, (0.1, 0.2, 0.3, 1), 1e-6)
    assert m.find_body("fixed").visual[0].shape == Box((0.2, 0.4, 0.6))
    assert m.find_body("fixed").collision == []
    assert m.find_body("c").collision[0].shape == Cylinder(0.2, 0.6)
    assert m.find_body("d").collision[0].shape == Ellipsoid((0.1, 0.2, 0.3))
    capsule = m.find_body("link").collision[0]
    assert isinstance(capsule.shape, Capsule)
    close(capsule.shape.height, np.sqrt(0.14), 1e-12)


@pytest.mark.parametrize("name", ["pin", "held"])
def test_loops_are_closed_where_mujocos_are(name):
    """At a random configuration the gap is the one of MuJoCo's constraint."""
    model = mujoco.MjModel.from_xml_string(ROBOT)
    m = io.load_mjcf(ROBOT)
    s, data = compare(m, model)
    edge = m.edge(m.find_joint(name))
    a = rbdyn.body_pose(s.state, edge.predecessor) @ edge.joint_pose.matrix
    b = rbdyn.body_pose(s.state, edge.successor) @ edge.successor_pose.inverse().matrix
    k = model.equality(name).id
    rows = data.efc_pos[: data.ne][data.efc_id[: data.ne] == k]
    nontrivial(rows)
    close((a - b)[:3, 3], rows[:3], 1e-10)


def test_it_starts_at_mujocos_reference():
    m = io.load_mjcf(ROBOT)
    np.testing.assert_array_equal(m.nominal_configuration, mujoco.MjModel.from_xml_string(ROBOT).qpos0)


@given(seed=st.integers(0, 2**32))
@settings(max_examples=15, deadline=None, derandomize=True)
def test_what_is_written_is_read_back(seed):
    """MJCF and back: dynamics, springs, limits and mimics; planar joints come back as slides and a hinge."""
    m = dressed(seed, MJCF_TYPES, successor_poses=True)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ExportWarning)
        text = io.mjcf_text(m)
    r = io.load_mjcf(text)
    compare(r, mujoco.MjModel.from_xml_string(text))
    assert r.num_velocities == m.num_velocities
    for joint in m.tree_joints:
        if joint.num_velocities == 1:
            twin = r.find_joint(joint.name)
            for name in ("position_limits", "effort_limit", "damping", "friction", "stiffness", "rotor_inertia", "mimic"):
                assert getattr(twin, name) == getattr(joint, name), name
            np.testing.assert_array_equal(twin.spring_reference, joint.spring_reference)
    for body in m.bodies[1:]:
        twin = r.find_body(body.name)
        assert len(twin.collision) == len(body.collision)
        for a, b in zip(body.collision, twin.collision, strict=True):
            if isinstance(a.shape, (Box, Sphere, Cylinder, Capsule)):
                for x, y in zip(vars(a.shape).values(), vars(b.shape).values(), strict=True):
                    close(y, x, 1e-15)


def test_meshes_includes_and_height_fields(tmp_path):
    (tmp_path / "meshes").mkdir()
    (tmp_path / "meshes" / "a.obj").write_text("v 0 0 0\nv 1 0 0\nv 0 2 0\nv 0 0 3\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 1 4 3\n")
    (tmp_path / "part.xml").write_text('<mujocoinclude><body name="in"><joint/><geom type="mesh" mesh="a"/></body></mujocoinclude>')
    (tmp_path / "r.xml").write_text("""<mujoco><compiler meshdir="meshes"/>
      <asset><mesh file="a.obj" scale="0.1 0.1 0.1"/><hfield name="h" nrow="2" ncol="3" size="1 2 3 1" elevation="0 1 2 3 4 6"/></asset>
      <worldbody><include file="part.xml"/><geom type="hfield" hfield="h"/></worldbody></mujoco>""")
    m = io.load_mjcf(tmp_path / "r.xml")
    hull = m.find_body("in").collision[0]
    assert isinstance(hull.shape, ConvexHull)
    corners = np.sort(np.round(hull.pose @ np.array(hull.shape.vertices), 6), axis=0)
    close(corners[-1], (0.1, 0.2, 0.3), 1e-6)  # where the file has them, whatever MuJoCo's mesh frame is
    assert m.find_body("in").inertia.mass == pytest.approx(1000 * 0.001, rel=1e-6)
    ground = m.root_body.collision[0].shape
    assert isinstance(ground, HeightMap)
    close(ground.heights, np.array([[3, 4, 6], [0, 1, 2]]) / 2, 1e-6)


def test_a_world_begins_at_the_pose_of_the_file():
    """At MuJoCo's qpos0: the poses of free bodies, and `ref` of joints; not at q = 0."""
    text = """<mujoco><worldbody><body pos="0 1 2" quat="0 1 0 0"><freejoint/><geom size="0.1"/>
      <body pos="0 0 1"><joint name="j" axis="0 1 0" ref="30"/><geom size="0.1" pos="0.3 0 0"/></body></body></worldbody></mujoco>"""
    m = io.load_mjcf(text)
    robot = rbdyn.World().add_articulated_system(m)
    close(robot.q, [0, 1, 2, 0, 1, 0, 0, np.pi / 6], 1e-15)
    m.replace_joint("j", rbdyn.Joint("fixed", rbdyn.Fixed()))  # what the file said is no q of this
    close(rbdyn.World().add_articulated_system(m).q, [0, 0, 0, 1, 0, 0, 0], 1e-15)


def test_a_world_steps_with_it():
    world = rbdyn.World()
    robot = world.add_articulated_system(io.load_mjcf("""<mujoco><worldbody><geom type="plane" size="1 1 1"/>
      <body pos="0 0 1"><freejoint/><geom size="0.1"/></body></worldbody></mujoco>"""))
    world.step(10)
    assert robot.v[2] < 0


BAD = {
    "entities": ('<!DOCTYPE a [<!ENTITY b "c">]><mujoco/>', "DOCTYPE"),
    "root": ("<robot/>", "the root element is <robot>, needed <mujoco>"),
    "truncated": ("<mujoco><worldbody", "not well-formed"),
    "unknown": ("<mujoco>\n<worldbody>\n<bodi/></worldbody></mujoco>", ":3: .*bodi"),
    "attribute": ('<mujoco>\n<worldbody>\n<body nam="a"/></worldbody></mujoco>', ":3: .*nam"),
    "nan": ('<mujoco>\n<worldbody><body pos="nan 0 0"/></worldbody></mujoco>', ":2: <body>: pos='nan 0 0' must be finite"),
    "huge": ('<mujoco><worldbody><body pos="1e999 0 0"/></worldbody></mujoco>', "<text>:1"),
    "comma": ('<mujoco><worldbody><body pos="1,5 0 0"/></worldbody></mujoco>', "<text>:1"),
    "massless": ("<mujoco><worldbody>\n<body><joint/></body></worldbody></mujoco>", ":2: .*mjMINVAL"),
    "size": ('<mujoco><worldbody><geom size="-1"/></worldbody></mujoco>', "size"),
    "names": ('<mujoco><worldbody><body name="a"/><body name="a"/></worldbody></mujoco>', "repeated name 'a'"),
    "copies": ('<mujoco><worldbody><replicate count="1000"><replicate count="1000"><body/></replicate></replicate></worldbody></mujoco>',
               "more than 10000 copies"),
    "count": ('<mujoco><worldbody><replicate count="1e9"><body/></replicate></worldbody></mujoco>', "whole number"),
    "composite": ('<mujoco><worldbody><body><composite type="cable" count="1000000 1 1"/></body></worldbody></mujoco>', "is not read"),
    "deep": ("<mujoco><worldbody>" + "<body>" * 210 + "</body>" * 210 + "</worldbody></mujoco>", "nested 2.. deep"),
    "passwd": ('<mujoco><include file="/etc/passwd"/></mujoco>', "lies outside"),
    "traversal": ('<mujoco><asset><mesh file="../../../../../etc/passwd.obj"/></asset></mujoco>', "no file"),
    "outside": ('<mujoco><asset><mesh name="a" file="/etc/passwd"/></asset></mujoco>', "lies outside"),
}


@pytest.mark.parametrize(("text", "said"), BAD.values(), ids=BAD)
def test_bad_files(text, said):
    with pytest.raises(rbdyn.Error, match=said) as caught:
        io.load_mjcf(text)
    assert str(caught.value).startswith("<text>:")


def test_errors_name_the_file_that_they_are_in(tmp_path):
    (tmp_path / "part.xml").write_text("<mujocoinclude>\n<body>\n<joint typ='hinge'/></body></mujocoinclude>")
    (tmp_path / "r.xml").write_text("<mujoco>\n<worldbody>\n<include file='part.xml'/></worldbody></mujoco>")
    with pytest.raises(MjcfError, match=r"part\.xml:3: "):
        io.load_mjcf(tmp_path / "r.xml")
    (tmp_path / "part.xml").write_text("<mujocoinclude><include file='r.xml'/></mujocoinclude>")
    with pytest.raises(MjcfError, match="includes itself"):
        io.load_mjcf(tmp_path / "r.xml")


MESHES = """<mujoco><asset>
<mesh file="{file}"/></asset><worldbody><body name="b"><joint/>{inertial}<geom type="{type}" mesh="a" {words}/>
<geom size="0.1"/></body></worldbody></mujoco>"""
INERTIAL = '<inertial pos="0 0 0" mass="1" diaginertia="1 1 1"/>'
DRAWN = 'contype="0" conaffinity="0"'


def meshes(tmp_path, file="a.fbx", inertial=INERTIAL, type_="mesh", words=DRAWN, **options):
    (tmp_path / file).write_bytes(b"1234")
    (tmp_path / "r.xml").write_text(MESHES.format(file=file, inertial=inertial, type=type_, words=words))
    return io.load_mjcf(tmp_path / "r.xml", **options)


@pytest.mark.parametrize(
    ("words", "options"),
    [(DRAWN, {}), (DRAWN, {"visual_meshes": True}), ("", {"collision_mesh": "skip"})],
    ids=["drawn", "kept", "skipped"],
)
@pytest.mark.parametrize("inertial", [INERTIAL, None], ids=["inertial", "shapes"])
def test_no_format_of_what_is_only_drawn_is_refused(tmp_path, words, options, inertial):
    words = words if inertial else f'{words} mass="0"'
    m = meshes(tmp_path, words=words, inertial=inertial or "", **options)
    body = m.find_body("b")
    assert ([type(g.shape) for g in body.collision], body.visual) == ([Sphere], [])
    ball = 1000 * 4 / 3 * np.pi * 0.1**3
    assert body.inertia.mass == pytest.approx(1.0 if inertial else ball, rel=1e-12)
    assert len(m.diagnostics) == 1
    assert "r.xml:2: <mesh>: mesh 'a.fbx': format '.fbx' is not read" in m.diagnostics[0]
    assert m.diagnostics[0].endswith("left out where it is only drawn or skipped")


@pytest.mark.parametrize(
    ("case", "said"),
    [
        ({"words": ""}, r"\.glb"),
        ({"inertial": ""}, "an inertia or a size follows from it"),
        ({"inertial": "", "words": "", "collision_mesh": "skip"}, "an inertia or a size follows from it"),
        ({"type_": "box"}, "an inertia or a size follows from it"),
    ],
    ids=["collides", "inertia", "inertia of what is skipped", "fitted"],
)
def test_mesh_formats(tmp_path, case, said):
    with pytest.raises(rbdyn.MeshError, match=rf"r\.xml:2: <mesh>: .*'\.fbx' is not read.*{said}"):
        meshes(tmp_path, **case)


def test_a_package_that_is_missing_is_not_needed_for_what_is_only_drawn(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "trimesh", None)
    m = meshes(tmp_path, "a.ply")
    assert "needs trimesh" in m.diagnostics[0]
    with pytest.raises(rbdyn.MissingExtraError, match=r"r\.xml:2: <mesh>: reading .*a\.ply needs trimesh"):
        meshes(tmp_path, "a.ply", words="")


def test_the_longest_chain():
    def chain(n):
        return "<mujoco><worldbody>" + '<body><joint/><geom size="1"/>' * n + "</body>" * n + "</worldbody></mujoco>"

    assert io.load_mjcf(chain(198)).num_velocities == 198
    with pytest.raises(MjcfError, match="nested 201 deep, at most 200 are read: a chain of 198 bodies"):
        io.load_mjcf(chain(199))
    with pytest.raises(MjcfError, match=r"nested too deep, at most [0-9]+ are read in one another"):
        io.load_mjcf(chain(5000))


def test_a_broken_mesh_is_refused_also_where_it_is_only_drawn(tmp_path):
    with pytest.raises(rbdyn.MeshError, match=r"r\.xml:2: <mesh>: .*a\.msh: not an MSH file"):
        meshes(tmp_path, "a.msh")


def test_what_is_left_out_is_said():
    text = """<mujoco><worldbody><body name="a" gravcomp="1"><joint name="j"/><geom size="1" contype="2"/></body></worldbody>
      <actuator><muscle joint="j"/></actuator><sensor><jointpos joint="j"/></sensor><keyframe><key qpos="1"/></keyframe>
      <equality><joint joint1="j"/></equality></mujoco>"""
    said = "\n".join(io.load_mjcf(text).diagnostics)
    for word in ("<muscle> in <actuator> is not read", "<sensor> is not read", "keyframes 'key0'", "gravcomp of body 'a'",
                 "equality 'equality0' of one joint"):  # fmt: skip
        assert word in said
    with pytest.raises(rbdyn.Error, match="strict=True"):
        io.load_mjcf(text, strict=True)


def test_what_mujoco_warns_of_is_a_diagnostic(recwarn):
    text = """<mujoco><compiler settotalmass="3"/><worldbody><body name="a"><joint/><geom size="1"/></body></worldbody></mujoco>"""
    m = io.load_mjcf(text)
    assert m.find_body("a").inertia.mass == pytest.approx(3.0)
    if any("settotalmass" in str(said.message) for said in warned_by_mujoco(text)):  # not all versions mind it
        assert [line for line in m.diagnostics if line.startswith("<text>:1: ") and "settotalmass" in line]
    assert not recwarn.list


def warned_by_mujoco(text):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        mujoco.MjSpec.from_string(text).compile()
    return caught


def test_joint_types():
    m = io.load_mjcf(ROBOT)
    assert [type(j.joint_type) for j in m.tree_joints] == [
        Floating, Revolute, Prismatic, Spherical, Fixed, Revolute, Revolute, Prismatic,
    ]  # fmt: skip


def test_meshes_without_mujocos_hulls(capfd):
    """What is compiled is what MuJoCo compiles, but for hulls; and points that have none are said, not printed."""
    text = """<mujoco><default><geom contype="3" density="70"/></default><asset><mesh name="a" scale="1 2 1"
      vertex="0 0 0 1 0 0 0 1 0 0 0 1 0.1 0.1 0.1"/></asset><worldbody><geom size="1"/><body><freejoint/>
      <geom type="mesh" mesh="a" conaffinity="2" euler="10 20 30"/><geom size="2"/><geom type="mesh" mesh="a" contype="0"/>
      <geom type="box" mesh="a" contype="5"/></body></worldbody></mujoco>"""
    whole = mujoco.MjModel.from_xml_string(text)
    less = load._without_hulls(mujoco.MjSpec.from_string(text))
    for name in ("geom_contype", "geom_conaffinity", "body_mass", "body_inertia", "body_ipos", "geom_pos", "geom_quat"):
        np.testing.assert_array_equal(getattr(less, name), getattr(whole, name))
    assert whole.mesh_graphadr[0] == 0
    m = io.load_mjcf(text)
    assert m.bodies[1].inertia.mass == pytest.approx(whole.body_mass[1], rel=1e-12)
    assert [type(g.shape) for g in m.bodies[1].collision] == [ConvexHull, Sphere, ConvexHull, Box]
    flat = text.replace("0 0 1 0.1 0.1 0.1", "1 1 0")
    with pytest.raises(MjcfError, match=r"<text>:2: <mesh>: the 4 points lie in a plane"):
        io.load_mjcf(flat)
    text = text.replace('size="1"', 'size="1"/><geom type="mesh" mesh="a"')
    discarding = text.replace("<default>", '<compiler discardvisual="true"/><default>', 1)
    assert len(io.load_mjcf(discarding).bodies[1].collision) == len(io.load_mjcf(text).bodies[1].collision)
    assert capfd.readouterr() == ("", "")
