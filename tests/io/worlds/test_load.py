"""RaiSim's world files: every element, arrays, includes and templates; and files that are no such thing."""
# ruff: noqa: E501  (the files are text here, line by line)

from __future__ import annotations

import base64
import re
import zlib

import numpy as np
import pytest
from lxml.etree import fromstring
from reference.compare import close

import rbdyn
from rbdyn import WorldFileError, io
from rbdyn.collision import Box, HeightMap, Sphere
from rbdyn.io.worlds import solver_state
from rbdyn.io.worlds.solver_state import digest

ROBOT = """<robot name="cart"><link name="world"/><link name="car"><inertial><mass value="2"/>
<inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>
<joint name="slide" type="prismatic"><parent link="world"/><child link="car"/><axis xyz="1 0 0"/>
<limit lower="-5" upper="5" effort="10" velocity="3"/></joint></robot>"""


def objects(text):
    return io.load_world(f"<raisim><objects>{text}</objects></raisim>").objects


def one(text):
    return objects(text)[0]


def test_a_file_of_raisims(tmp_path):
    """Snake and camel case, materials, wires, a robot by its file, a camera."""
    (tmp_path / "cart.urdf").write_text(ROBOT)
    (tmp_path / "w.xml").write_text("""<raisim version="1.0">
      <material><default friction="0.5" restitution="0.1" restitution_threshold="0.02"/>
        <pair_prop name1="steel" name2="ice" friction="0.05" restitution="0" restitution_threshold="0"/></material>
      <gravity value="0 0 -3.7"/><timeStep value="0.002"/><erp erp="0.3" erp2="0.1"/>
      <objects>
        <ground name="floor" material="ice" collisionGroup="1"><dim height="-0.5"/></ground>
        <box name="crate" mass="2" material="steel" collision_mask="collision[0|4]" appearance="red">
          <dim x="0.1" y="0.2" z="0.3"/>
          <state pos="1 2 3" quat="0 1 0 0" linVel="4 5 6" angVel="7 8 9"/></box>
        <sphere name="ball" mass="1"><dim radius="0.1"/><inertia xx="1" xy="0.1" yy="2" zz="2.5"/></sphere>
        <cylinder name="post" body_type="static"><dim radius="0.1" height="0.4"/></cylinder>
        <articulated_system name="cart" urdf_path="cart.urdf" res_dir=""><state qpos="1.5" qvel="-0.5"/></articulated_system>
      </objects>
      <wire name="rope" type="compliant" length="1.5" stiffness="200" stretch_type="STRETCH_RESISTANT_ONLY">
        <object1 name="crate" local_index="0" pos="0 0 0.15"/><object2 name="cart" frame="car" pos="0 0 0.2"/></wire>
      <camera follow="cart" x="2" y="0" z="1"/>
    </raisim>""")
    world = io.load_world(tmp_path / "w.xml")
    assert world.time_step == 0.002
    assert world.erp == (0.3, 0.1)
    np.testing.assert_array_equal(world.gravity, (0, 0, -3.7))
    assert world.materials.default.numbers[:3] == (0.5, 0.1, 0.02)
    assert world.materials.pair("ice", "steel").friction == 0.05
    floor, crate, ball, post, cart = world.objects
    assert floor.position[2] == -0.5
    assert (crate.mass, crate.geometries[0].shape, crate.geometries[0].mask) == (2.0, Box((0.1, 0.2, 0.3)), 0b10001)
    np.testing.assert_array_equal(crate.orientation, (0, 1, 0, 0))
    np.testing.assert_array_equal(crate.linear_velocity, (4, 5, 6))
    np.testing.assert_array_equal(crate.angular_velocity, (7, 8, 9))
    np.testing.assert_array_equal(ball.inertia, [[1, 0.1, 0], [0.1, 2, 0], [0, 0, 2.5]])
    assert post.body_type == "static"
    assert (cart.q[0], cart.v[0]) == (1.5, -0.5)
    rope = world.find("rope")
    assert (rope.wire_type, rope.length, rope.stiffness, rope.ends[1][1]) == ("compliant", 1.5, 200.0, "car")
    notes = io.world_notes(world)
    assert notes.cameras == [{"follow": "cart", "x": "2", "y": "0", "z": "1"}]
    assert notes.appearances == {"crate": "red"}
    assert notes.diagnostics == []
    io.save_world(world, tmp_path / "again.xml")
    again = io.load_world(tmp_path / "again.xml")
    world.step(100)
    again.step(100)
    np.testing.assert_array_equal(again.objects[1].position, world.objects[1].position)


def test_raisims_default_time_step():
    assert io.load_world("<raisim/>").time_step == 0.005


def test_arrays_are_written_out_and_exclude_their_end():
    """Nested, with expressions, downwards, and by fractions that do not add up exactly."""
    made = objects("""<array idx="i" start="0" end="3"><array idx="k" start="0" end="@@i">
        <sphere name="s_{@@i}_@@k" mass="1"><dim radius="{0.1 + 0.1*@@k}"/><state pos="{@@i} {@@k} 0"/></sphere>
        </array></array>""")
    assert [obj.name for obj in made] == ["s_1_0", "s_2_0", "s_2_1"]
    assert made[2].geometries[0].shape == Sphere(0.2)
    np.testing.assert_array_equal(made[2].position, (2, 1, 0))
    ball = '<sphere mass="1"><dim radius="1"/><state pos="{@@x} 0 0"/></sphere>'
    assert len(objects(f'<array idx="x" start="0" end="1" increment="0.1">{ball}</array>')) == 10
    down = objects(f'<array idx="x" start="3" end="0" increment="-1">{ball}</array>')
    assert [obj.position[0] for obj in down] == [3.0, 2.0, 1.0]


def test_parameters_and_exist():
    """The caller's go before the file's own."""
    text = """<raisim><params><param name="size" value="0.5"/><param name="ice" value="0"/></params><objects>
      <box name="b" mass="{2*@@size}"><dim x="@@size" y="1" z="1"/></box>
      <sphere name="s" mass="1" exist="@@ice"><dim radius="1"/></sphere></objects></raisim>"""
    assert [o.name for o in io.load_world(text).objects] == ["b"]
    other = io.load_world(text, {"size": 3, "ice": 1})
    assert [o.name for o in other.objects] == ["b", "s"]
    assert (other.objects[0].mass, other.objects[0].geometries[0].shape.size[0]) == (6.0, 3.0)
    with pytest.raises(rbdyn.Error, match="nothing uses: colour"):
        io.load_world(text, {"colour": 1}, strict=True)


def test_includes_and_this_dir(tmp_path):
    """Paths are relative to the file that says them; errors name the file and the line there."""
    (tmp_path / "parts").mkdir()
    (tmp_path / "parts" / "a.obj").write_text("v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 1 4 3\n")
    (tmp_path / "parts" / "p.xml").write_text("""<raisim><material><pair_prop name1="a" name2="b" friction="0.1"/></material>
      <objects><mesh name="m" mass="@@mass" file="a.obj" scale="2"/>
      <mesh name="n" mass="1" mesh_file="[THIS_DIR]/a.obj" collision_mode="original_mesh"/></objects></raisim>""")
    (tmp_path / "w.xml").write_text("""<raisim><include value="parts/p.xml"/><objects>
      <sphere name="s" mass="1"><dim radius="1"/></sphere></objects></raisim>""")
    world = io.load_world(tmp_path / "w.xml", {"mass": 3})
    assert sorted(o.name for o in world.objects) == ["m", "n", "s"]
    assert world.find("m").mass == 3.0
    assert type(world.find("n").geometries[0].shape).__name__ == "Mesh"
    assert world.materials.pair("a", "b").friction == 0.1
    with pytest.raises(WorldFileError, match=r"p\.xml:2: <mesh> 'm': mass='@@mass': no parameter named 'mass'"):
        io.load_world(tmp_path / "w.xml")


def test_height_maps(tmp_path):
    (tmp_path / "h.txt").write_text("3 2 4.0 2.0\n0 1 2\n3 4 5\n")
    (tmp_path / "w.xml").write_text("""<raisim><objects><heightmap name="h" text="h.txt"><dim centerX="1" centerY="2"/>
      </heightmap></objects></raisim>""")
    hills = io.load_world(tmp_path / "w.xml").objects[0]
    assert hills.geometries[0].shape == HeightMap([[0, 1, 2], [3, 4, 5]], (4.0, 2.0))
    np.testing.assert_array_equal(hills.position, (1, 2, 0))


def test_height_maps_of_images(tmp_path):
    image = pytest.importorskip("PIL.Image")
    image.fromarray(np.array([[0, 100], [200, 50]], np.uint8)).save(tmp_path / "h.png")
    (tmp_path / "w.xml").write_text("""<raisim><objects><heightmap png="h.png">
      <dim xSize="2" ySize="3" heightScale="0.01" heightOffset="-1"/></heightmap></objects></raisim>""")
    shape = io.load_world(tmp_path / "w.xml").objects[0].geometries[0].shape
    assert shape == HeightMap.from_png(tmp_path / "h.png", (2.0, 3.0), height_scale=0.01, height_offset=-1.0)
    assert sorted(np.round(shape.heights.ravel(), 12)) == [-1.0, -0.5, 0.0, 1.0]


def test_a_compound_and_a_centre_of_mass():
    table = one("""<compound name="t" mass="2"><children><box x="1" y="1" z="0.1"/>
      <child pos="0 0 -0.5"><cylinder radius="0.1" height="1"/></child></children></compound>""")
    assert len(table.geometries) == 2
    ball = one('<sphere mass="1"><dim radius="0.5"/><inertia xx="1" yy="1" zz="1"/><com x="0.1"/>'
               '<state pos="1 0 0" quat="0 0 0 1"/></sphere>')  # fmt: skip
    close(ball.position, (0.9, 0, 0), 1e-15)  # half a turn about z
    np.testing.assert_array_equal(ball.geometries[0].pose.translation, (-0.1, 0, 0))


def test_what_is_not_known_is_said():
    text = '<raisim><wind/><objects><sphere mass="1" colour="red"><dim radius="1"/><fins/></sphere></objects></raisim>'
    said = io.world_notes(io.load_world(text)).diagnostics
    assert said == ["<text>:1: unknown attribute 'colour' of <sphere>; ignored", "<text>:1: unknown tag <fins> in <sphere>; "
                    "ignored", "<text>:1: unknown tag <wind> in <raisim>; ignored"]  # fmt: skip
    with pytest.raises(rbdyn.Error, match="strict=True"):
        io.load_world(text, strict=True)


def test_material_files():
    """RaiSim's, by themselves, as templates, with either root."""
    table = io.load_materials("""<materials><default friction="0.7"/>
      <pair_prop name1="steel" name2="" friction="{@@mu/2}" restitution="0.9" restitution_threshold="0.001"/></materials>""",
      {"mu": 0.8})  # fmt: skip
    assert table.default.friction == 0.7
    assert table.pair("default", "steel").numbers[:3] == (0.4, 0.9, 0.001)


# ---- bad files -----------------------------------------------------------------------------------

BOMB = '<!DOCTYPE r [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;&a;&a;">]><raisim>&b;</raisim>'
SPHERE = '<sphere mass="1"><dim radius="1"/></sphere>'


def inside(text):
    return f"<raisim>\n<objects>\n{text}\n</objects></raisim>"


BAD = {
    "entities": (BOMB, "DOCTYPE and entities are refused"),
    "external": ('<!DOCTYPE r SYSTEM "file:///etc/passwd"><raisim/>', "DOCTYPE"),
    "empty": ("<raisim", "not well-formed"),
    "truncated": ("<raisim><objects><sphere", "not well-formed"),
    "root": ("<robot/>", "the root element is <robot>, needed <raisim>"),
    "deep": ("<raisim>" + "<a>" * 100_000, "nested too deep|not well-formed"),
    "nan": (inside(SPHERE.replace('"1"/>', '"nan"/>')), r":3: <dim>: radius='nan' is not a number"),
    "huge": (inside(SPHERE.replace('mass="1"', 'mass="1e999"')), r":3: <sphere>: mass='1e999' is not a finite"),
    "comma": (inside(SPHERE.replace('mass="1"', 'mass="1,5"')), "decimal comma"),
    "no mass": (inside(SPHERE.replace('mass="1"', "")), "'mass' is missing"),
    "negative": (inside(SPHERE.replace('radius="1"', 'radius="-1"')), r":3: <sphere>: radius must be a number .* above 0, got -1"),
    "unknown": (inside("<sphere_ mass='1'/>"), r":3: <sphere_>: no such object; choices: sphere, box"),
    "twice": (inside(SPHERE.replace("<sphere", "<sphere name='a'") * 2), "name.* 'a'"),
    "body type": (inside(SPHERE.replace("<sphere", "<sphere body_type='soft'")), "no body type named 'soft'; known: dynamic, kinematic, static"),
    "bits": (inside(SPHERE.replace("<sphere", "<sphere collision_mask='collision[64]'")), "bits 0 to 63"),
    "both": (inside('<sphere mass="1"><dim radius="1"/><state lin_vel="1 0 0" linVel="1 0 0"/></sphere>'), "are the same"),
    "quat": (inside('<sphere mass="1"><dim radius="1"/><state quat="0 0 0 0"/></sphere>'), r":3: <state>"),
    "count": (inside('<sphere mass="1"><dim radius="1"/><state pos="1 2"/></sphere>'), "holds 2 values, needed 3"),
    "inertia": (inside('<sphere mass="1"><dim radius="1"/><inertia xx="-1" yy="1" zz="1"/></sphere>'), "inertia"),
    "injection": (inside(SPHERE.replace('mass="1"', 'mass="{__import__(1)}"')), "is not known; choices"),
    "attribute": (inside(SPHERE.replace('mass="1"', 'mass="{pi.real}"')), "expression"),
    "power": (inside(SPHERE.replace('mass="1"', 'mass="{9**9**9}"')), "is not a finite number"),
    "brace": (inside(SPHERE.replace('mass="1"', 'mass="{1"')), "opened and not closed"),
    "array": (inside('<array idx="i" start="0" end="1e9">' + SPHERE + "</array>"), "copies of 2 elements: arrays make at most"),
    "arrays": (inside('<array idx="i" end="1e4"><array idx="j" end="1e4"><a/></array></array>'), "arrays make at most"),
    "endless": (inside('<array idx="i" start="0" end="5" increment="0">' + SPHERE + "</array>"), "increment must not be 0"),
    "idx": (inside('<array idx="1x" end="5">' + SPHERE + "</array>"), "a name must be of letters"),
    "gravity": ('<raisim><gravity value="0 0"/></raisim>', "holds 2 values, needed 3"),
    "gravities": ('<raisim><gravity value="0 0 1"/><gravity value="0 0 1"/></raisim>', "a second <gravity>"),
    "step": ('<raisim><timestep value="-1"/></raisim>', "time_step"),
    "friction": ('<raisim><material><default friction="-1"/></material></raisim>', "friction"),
    "pairs": ('<raisim><material><pair_prop name1="a" name2="b"/><pair_prop name1="b" name2="a"/></material></raisim>',
              "is there twice"),  # fmt: skip
    "erp": ('<raisim><erp erp="2"/></raisim>', "erp"),
    "wire": ('<raisim><wire type="stiff"><object1 name="a"/></wire></raisim>', "'a'"),
    "wires": ('<raisim><wire type="steel"/></raisim>', "choices: stiff, compliant, spring, custom"),
    "law": ('<raisim><wire type="custom"/></raisim>', "is a function, which no file holds"),
    "passwd": ('<raisim><include value="/etc/passwd"/></raisim>', "lies outside|/etc/passwd"),
    "robot": (inside('<articulated_system urdf_path="/etc/passwd"/>'), "lies outside"),
    "mesh": (inside('<mesh mass="1" file="../../../../../etc/passwd.obj"/>'), "no file|lies outside"),
    "mesh format": (inside('<mesh mass="1" file="a.txt"/>'), "'.txt' is not read"),
    "http": (inside('<mesh mass="1" file="http://a/b.obj"/>'), "http"),
    "neither": (inside("<articulated_system/>"), "give urdf_path, or a <mechanism>"),
    "mechanism": (inside("<articulated_system><mechanism/></articulated_system>"), "without a body"),
    "joint type": (inside('<articulated_system><mechanism><body name="a"/><body name="b"/><joint name="j" type="rubber" '
                          'predecessor="a" successor="b"/></mechanism></articulated_system>'), "is no joint type"),  # fmt: skip
    "loose": (inside('<articulated_system><mechanism><body name="a"/><body name="b"/></mechanism></articulated_system>'),
              "no joint leads to body 'b'"),  # fmt: skip
    "kind": (inside('<body mass="1"><inertia xx="1" yy="1" zz="1"/><geometry kind="blob"/></body>'), "is no shape"),
    "faces": (inside('<body mass="1"><inertia xx="1" yy="1" zz="1"/><geometry kind="mesh" faces="0 1 9" '
                     'vertices="0 0 0 1 0 0 0 1 0"/></body>'), "faces"),  # fmt: skip
    "samples": (inside('<body body_type="static"><geometry kind="height_map" size="1 1" samples="9 9" heights="1 2"/></body>'),
                "9 by 9, and there are 2 heights"),  # fmt: skip
    "settings": ('<raisim><settings integrator="magic"/></raisim>', "integrator"),
    "solver": ('<raisim><contact_solver kind="gpu"/></raisim>', "bisection"),
    "state version": ('<raisim><solver_state version="9"/></raisim>', "version='9' is not read"),
    "state bytes": ('<raisim><solver_state version="1"><part>!!</part></solver_state></raisim>', "is damaged"),
    "state pickle": ('<raisim><solver_state version="1"><part>'
                     + base64.b64encode(zlib.compress(b"cos\nsystem\n(S'true'\ntR.")).decode()
                     + "</part></solver_state></raisim>", "is no snapshot of a World"),  # fmt: skip
}


@pytest.mark.parametrize(("text", "said"), BAD.values(), ids=BAD)
def test_bad_files(text, said):
    """One error of this library's own, that says where."""
    with pytest.raises(rbdyn.Error, match=said) as caught:
        io.load_world(text)
    assert str(caught.value).startswith("<text>:")


def test_a_zip_bomb_as_solver_state(monkeypatch):
    monkeypatch.setattr(solver_state, "MAX_BYTES", 1 << 16)
    text = base64.b64encode(zlib.compress(bytes(1 << 24), 9)).decode()
    with pytest.raises(WorldFileError, match="more than 65536 bytes"):
        io.load_world(f'<raisim><solver_state version="1"><part>{text}</part></solver_state></raisim>')


def test_a_solver_state_of_another_world():
    one, two = rbdyn.World(), rbdyn.World()
    one.add_sphere(1.0, 1.0)
    two.add_box(1.0, 1.0, 1.0, 1.0)
    mixed = io.world_text(one, solver_state=True).split("<solver_state")
    other = io.world_text(two).split("</raisim>")[0]
    mixed[1] = re.sub(' of="[0-9a-f]+"', f' of="{digest(fromstring(f"{other}</raisim>".encode()))}"', mixed[1])
    with pytest.raises(WorldFileError, match="does not fit this World"):
        io.load_world(f"{other}<solver_state{mixed[1]}")


def test_files_that_include_one_another(tmp_path):
    (tmp_path / "a.xml").write_text('<raisim><include value="b.xml"/></raisim>')
    (tmp_path / "b.xml").write_text('<raisim>\n<include value="a.xml"/></raisim>')
    with pytest.raises(WorldFileError, match=r"b\.xml:2: <include>: 'a.xml' includes itself"):
        io.load_world(tmp_path / "a.xml")
    (tmp_path / "c.xml").write_text('<raisim><include value="gone.xml"/></raisim>')
    with pytest.raises(rbdyn.PathError, match=r"c\.xml:1: <include>: no file 'gone.xml'"):
        io.load_world(tmp_path / "c.xml")


def test_many_files(tmp_path):
    """2 to the 20th includes are stopped."""
    for k in range(25):
        (tmp_path / f"{k}.xml").write_text(f'<raisim><include value="{k + 1}.xml"/><include value="{k + 1}.xml"/></raisim>')
    (tmp_path / "25.xml").write_text("<raisim/>")
    with pytest.raises(WorldFileError, match="more than"):
        io.load_world(tmp_path / "0.xml")


def test_links_that_lead_out(tmp_path):
    (tmp_path / "in").mkdir()
    (tmp_path / "secret.xml").write_text("<raisim/>")
    (tmp_path / "in" / "link.xml").symlink_to(tmp_path / "secret.xml")
    (tmp_path / "in" / "w.xml").write_text('<raisim><include value="link.xml"/></raisim>')
    with pytest.raises(rbdyn.PathError, match="lies outside"):
        io.load_world(tmp_path / "in" / "w.xml")
    assert io.load_world(tmp_path / "in" / "w.xml", allow_outside=True).objects == ()


def test_large_files(tmp_path):
    (tmp_path / "w.xml").write_bytes(b"<raisim>" + b" " * (100 << 20))
    with pytest.raises(rbdyn.PathError, match="bytes, at most"):
        io.load_world(tmp_path / "w.xml")


# ---- the page's table of what is not read -----------------------------------------------------------

BALLS = "".join(f'<sphere name="{x}" mass="1"><dim radius="0.1"/></sphere>' for x in "ab")
ENDS = '<object1 name="a"/><object2 name="b"/>'


@pytest.mark.parametrize("text, said", [
    ('<raisim><gravity value="0.0, 0.0, -9.81"/></raisim>', "comma"),
    ('<raisim><objects><sphere name="a" mass="1"><dim radius="1"/><state pos="0.0, 0.0, 3.0"/></sphere></objects></raisim>', "comma"),
    ('<raisim><params><height value="0.3"/></params></raisim>', "param name"),
    ('<raisim><objects><array idx="@@i" start="0" end="2"><ground name="g_@@i"/></array></objects></raisim>', "'i'"),
    ('<raisim><objects><heightmap xSize="1" ySize="1" xSample="2" ySample="2" height="0 1 2 3"/></objects></raisim>', "text, png"),
    ('<raisim><objects><heightmap xSize="1" ySize="1"><terrainProperties zScale="3"/></heightmap></objects></raisim>', "text, png"),
    (f'<raisim><objects>{BALLS}</objects><wire type="stiff" stretch_type="stretch_only">{ENDS}</wire></raisim>', "stretch_resistant"),
    (f'<raisim><objects>{BALLS}</objects><wire type="stiff" stretch_type="compression_only">{ENDS}</wire></raisim>', "compression_resistant"),
    (f'<raisim><objects>{BALLS}</objects><wire type="custom">{ENDS}</wire></raisim>', "function"),
    (f"<raisim><objects>{BALLS}{BALLS}</objects></raisim>", "already"),
])  # fmt: skip
def test_what_is_not_read_of_raisims_files(text, said):
    with pytest.raises(WorldFileError, match=said):
        io.load_world(text)


def test_what_is_left_out_of_raisims_files_is_said():
    world = io.load_world("""<raisim><objects><sphere name="s" mass="1" com="1 0 0"><dim radius="0.1"/></sphere>
      <compound name="c" mass="1"><inertia xx="1" yy="1" zz="1"/><children>
        <sphere><dim radius="0.2"/><state pos="1 2 3"/></sphere></children></compound></objects></raisim>""")
    notes = io.world_notes(world).diagnostics
    assert any("'com' of <sphere>" in line for line in notes) and any("<state> in <sphere>" in line for line in notes)
    assert not world.find("c").geometries[0].pose.translation.any()


@pytest.mark.parametrize(
    ("ends", "error"), [('body1="a" body2="c"', "no body named 'c'"), ('body1="a" body2="a"', "both 'a'")]
)
def test_pairs_of_bodies_that_are_not_there(ends, error):
    text = f"""<raisim><objects><articulated_system name="r"><mechanism name="r"><body name="w"/>
<body name="a" mass="1"/><joint name="j" type="fixed" predecessor="w" successor="a"/>
<ignore_collision {ends}/></mechanism></articulated_system></objects></raisim>"""
    with pytest.raises(rbdyn.WorldFileError, match=rf"<text>:3: .*{error}"):
        io.load_world(text)
