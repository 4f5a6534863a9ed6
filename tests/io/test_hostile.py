"""Files that were made to hurt: each is one error of ours, with its place, in a bounded time and 500 MB.

Each is read in a process of its own, which the system ends beyond that.
"""

import functools
import gc
import math
import os
import struct
import sys
import time
from pathlib import Path

import pytest

from rbdyn.errors import Error, FileError
from rbdyn.io import load_mesh, load_mjcf, load_sdf, load_sensor_set, load_urdf, load_world

resource = pytest.importorskip("resource", reason="limits of processes are POSIX's")
pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="reads /proc")

MEMORY = 500 << 20
COUNT = 30_000_000  # a reader may take as long as Python takes to count this far: 1 s of a quick processor
LINK = '<link name="a"/>'


def robot(inside, head=""):
    return f'{head}<robot name="r">{inside}</robot>'


@functools.cache
def seconds():
    """Processor time for one reader [s], on this machine as it is now: no slow or busy machine fails a test."""
    start = time.process_time()
    sum(1 for _ in range(COUNT))
    return math.ceil(time.process_time() - start)


def limited(function):
    """The text of the Error that it raises; anything else fails."""
    most = seconds()
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        code = 3
        gc.freeze()  # what the tests before it left is not the reader's to go through
        try:
            pages = int(Path("/proc/self/statm").read_text().split()[0])
            resource.setrlimit(resource.RLIMIT_AS, (pages * os.sysconf("SC_PAGE_SIZE") + MEMORY,) * 2)
            resource.setrlimit(resource.RLIMIT_CPU, (most, most + 1))
            function()
            text, code = "nothing was raised", 1
        except Error as error:
            text, code = f"{type(error).__name__}: {error}", 0
        except BaseException as error:
            text, code = f"{type(error).__name__}: {error}", 2
        finally:
            os.write(writer, text.encode("utf-8", "replace")[:60_000])
            os._exit(code)
    os.close(writer)
    with os.fdopen(reader, "rb") as pipe:
        text = pipe.read().decode("utf-8")
    _, status = os.waitpid(child, 0)
    assert status == 0, f"it ended with {status}: {text[:500]}"
    assert len(text) < 2000
    return text


def chain(n, kind="fixed"):
    links = "".join(f'<link name="l{i}"/>' for i in range(n))
    return robot(links + "".join(
        f'<joint name="j{i}" type="{kind}"><parent link="l{i}"/><child link="l{i + 1}"/></joint>' for i in range(n - 1)
    ))  # fmt: skip


def mimics(n, letters):
    parts = [LINK]
    for i in range(n):
        parts.append(f'<link name="l{i}"/><joint name="{"j" * letters}{i}" type="continuous"><parent link="a"/>')
        parts.append(f'<child link="l{i}"/><mimic joint="{"k" * letters}{i}"/></joint>')
    return robot("".join(parts))


BOMB = "".join(f'<!ENTITY {b} "&{a};&{a};&{a};&{a};">' for a, b in zip("abcdefghij", "bcdefghijk", strict=True))
EXTERNAL = '<!DOCTYPE r [<!ENTITY x SYSTEM "file:///etc/passwd">]>'
PIN = '<pin body1="a" body2="b" anchor="0 0 0"/>'
MASS = '<link name="a"><inertial><mass value="{}"/><inertia ixx="1" iyy="1" izz="1"/></inertial></link>'

TEXTS = {  # what is read, and what is said of it
    "entity bomb": (lambda: robot("&k;", f'<!DOCTYPE r [<!ENTITY a "aaaa">{BOMB}]>'), ":1: DOCTYPE and entities"),
    "external entity": (lambda: robot("&x;", EXTERNAL), ":1: DOCTYPE and entities are refused"),
    "external subset": (lambda: robot(LINK, '<!DOCTYPE r SYSTEM "http://a/b.dtd">'), ":1: DOCTYPE"),
    "DOCTYPE far down": (lambda: robot(LINK, "\n" * 100_000 + "<!DOCTYPE r>"), ":100001: DOCTYPE"),
    "100 MB": (lambda: robot(" " * 100_000_000), ":1: 100000024 bytes of XML, at most"),
    "30 MB of text": (lambda: robot("x" * 30_000_000), "a text is too long"),
    "depth 100,000": (lambda: robot("<a>" * 100_000 + "</a>" * 100_000), "nested too deep"),
    "a million tags": (lambda: robot("<a/>" * 1_000_000), "1000002 tags of XML, at most 400000"),
    "300,000 tags": (lambda: robot("<a/>" * 300_000), "has no links"),
    "100,000 different tags": (lambda: robot("".join(f"<a{i}/>" for i in range(100_000))), "has no links"),
    "3 million attributes": (
        lambda: robot("".join(f'<a b="" c="" d="" e="" f="{i}"/>' for i in range(600_000))),
        "at most",
    ),
    "100,000 links": (lambda: robot(LINK * 100_000), "a robot of more than 10000 <link>"),
    "a chain of 20,000": (lambda: chain(20_000), "a robot of more than 10000 <link>"),
    "100,000 materials": (lambda: robot('<material name="m"/>' * 100_000 + LINK), "more than 20000 <material>"),
    "100,000 shapes": (
        lambda: robot(f'<link name="a">{"<collision/>" * 100_000}</link>'),
        "a robot of more than 20000 <collision>",
    ),
    "100,000 pins": (
        lambda: robot(f'{LINK}<constraints nominal_config="1">{PIN * 100_000}</constraints>'),
        "10000 <pin>",
    ),
    "a long vector": (lambda: robot(MASS.format("1 " * 4_000_000)), "too long"),
    "a long number": (lambda: robot(MASS.format("1" * 5_000_000)), "too long"),
    "encodings: none such": (lambda: b'<?xml version="1.0" encoding="klingon"?><robot/>', ":1: the encoding"),
    "encodings: not its own": (
        lambda: b'<?xml version="1.0" encoding="utf-8"?><robot name="\xff"/>',
        "not well-formed",
    ),
    "encodings: half a mark": (lambda: b"\xff\xfe<", ":1:"),
    "lone surrogates": (lambda: robot('<link name="\ud800"/>'), ":1: the text holds characters that are not Unicode"),
    "zero bytes inside": (lambda: robot("\0" + LINK), ":1: not well-formed"),
    "decimal comma": (
        lambda: robot(MASS.format("1,5")),
        ":1: <mass> of link 'a': value='1,5' is not a number (decimal comma",
    ),
    "nan": (lambda: robot(MASS.format("nan")), "'nan' is not a number"),
    "1e999": (lambda: robot(MASS.format("1e999")), "'1e999' is not a finite number"),
    "two of a name": (lambda: robot(LINK * 2), ":1: a link named 'a' already stands at <text>:1"),
    "two roots": (lambda: robot(LINK + '<link name="b"/>'), ":1: robot 'r' has 2 root links"),
    "a cycle": (
        lambda: (
            chain(3000)[: -len("</robot>")]
            + '<joint name="z" type="fixed"><parent link="l2999"/><child link="l0"/></joint></robot>'
        ),
        ":1: joints 'j0'",
    ),
    "10,000 unknown parents": (
        lambda: robot(LINK + '<joint name="j" type="fixed"><parent link="p"/><child link="a"/></joint>' * 9_999),
        "a joint named 'j' already stands",
    ),
    "a mimic of itself": (lambda: mimics(1, 1).replace('"k0"', '"j0"'), "a joint cannot follow itself"),
}


@pytest.mark.parametrize("name", TEXTS)
def test_texts(name):
    make, says = TEXTS[name]
    text = make()
    said = limited(lambda: load_urdf(text, text=True))
    assert says in said
    assert said.startswith("UrdfError: <text>:")


@pytest.mark.parametrize(("count", "letters"), [(1500, 5), (400, 2000)], ids=["many", "long"])
def test_mimics_of_unknown_leaders(count, letters):
    """They are noted, so that they are read; within the same bounds."""
    text = mimics(count, letters)

    def read():
        notes = load_urdf(text).diagnostics
        raise FileError(f"{sum('no joint named' in n for n in notes)} notes")

    assert limited(read) == f"FileError: {count} notes"


TEMPLATES = {
    "9**9**9": "{9**9**9}",
    "import": "{__import__('os').system('true')}",
    "attributes": "{pi.__class__}",
    "open brace": "{1",
    "nested braces": "{{1}}",
    "deep": "{" + "(" * 1500 + "}",
    "long": "{" + "1+" * 500_000 + "1}",
    "many powers": "{" + "2**" * 400 + "2}",
    "a string times a number": "{'a'*10**9}",
    "endless": "{exp(exp(exp(100)))}",
}


@pytest.mark.parametrize("name", TEMPLATES)
def test_templates(name):
    text = robot(MASS.format(TEMPLATES[name]))
    said = limited(lambda: load_urdf(text, params={}))
    assert said.startswith("UrdfError: <text>:1: <mass>: value=")


def test_templates_that_grow():
    text = robot("".join(f'<link name="{i}{"@@x" * 300}"/>' for i in range(100)))
    assert "grows to more than" in limited(lambda: load_urdf(text, params={"x": "y" * 4096}))


DAE = """<?xml version="1.0"?><COLLADA xmlns="http://www.collada.org/2005/11/COLLADASchema" version="1.4.1">
<asset><unit meter="{unit}"/></asset><library_geometries><geometry id="g"><mesh><source id="p">
<float_array id="pa" count="9">0 0 0 1 0 0 0 1 0</float_array><technique_common>
<accessor source="#pa" count="3" stride="3">
<param name="X" type="float"/><param name="Y" type="float"/><param name="Z" type="float"/></accessor></technique_common>
</source><vertices id="v"><input semantic="POSITION" source="#p"/></vertices><polylist count="1">
<input semantic="VERTEX" source="#v" offset="0"/><vcount>{count}</vcount><p>0 1 2</p></polylist></mesh></geometry>
</library_geometries><library_nodes>{nodes}</library_nodes><library_visual_scenes><visual_scene id="s">
<node><instance_node url="#n0"/></node></visual_scene></library_visual_scenes><scene>
<instance_visual_scene url="#s"/></scene></COLLADA>"""
LEAF = '<node id="n0"><instance_geometry url="#g"/></node>'


def dae(unit="1", count="3", nodes=LEAF):
    return DAE.format(unit=unit, count=count, nodes=nodes).encode()


def doubling(n):
    twice = '<node id="n{}"><instance_node url="#n{}"/><instance_node url="#n{}"/></node>'
    return "".join(twice.format(i, i + 1, i + 1) for i in range(n)) + LEAF.replace("n0", f"n{n}")


FACET = b"facet normal 0 0 1 outer loop vertex 0 0 0 vertex 1 0 0 vertex 0 1 0 endloop endfacet\n"
TRIANGLE = b"v 0 0 0\nv 1 0 0\nv 0 1 0\n"
MESHES = {
    "vcount.dae": (lambda: dae(count="2000000000"), "<vcount> claims 2e+09 corners, and <p> has 3 numbers"),
    "doubling.dae": (lambda: dae(nodes=doubling(60)), "instantiated more than 20000 times"),
    "circle.dae": (lambda: dae(nodes='<node id="n0"><instance_node url="#n0"/></node>'), "node 'n0' contains itself"),
    "unit0.dae": (lambda: dae(unit="0"), "a unit must be above 0"),
    "mirror.dae": (lambda: dae(unit="-1"), "a unit must be above 0"),
    "deep.dae": (lambda: dae(nodes="<node>" * 100_000 + "</node>" * 100_000), "malformed COLLADA file"),
    "bomb.dae": (lambda: dae().replace(b"?>", b'?><!DOCTYPE a [<!ENTITY b "c">]>', 1), ":1: DOCTYPE"),
    "zip.dae": (lambda: b"PK\3\4" + b"\0" * 100, "this is a zip archive"),
    "long.stl": (
        lambda: b"solid a\n" + FACET.replace(b"1 0 0", b"1" * 900_000 + b" 0 0") + FACET * 2000,
        ":2: ASCII STL",
    ),
    "digits.stl": (lambda: b"solid a\nfacet normal 0 0 1 outer loop vertex " + b"1" * 5_000_000, ":2: ASCII STL"),
    "blanks.stl": (lambda: b"solid a\n" + b" " * 10_000_000 + b"facet", ":2: ASCII STL"),
    "solids.stl": (lambda: b"solid a\nendsolid a\n" * 300_000, "has no triangles"),
    "lying.stl": (
        lambda: b"\0" * 80 + b"\xff\xff\xff\xff" + b"\0" * 500,
        "of 4294967295 triangles has 214748364834 bytes",
    ),
    "truncated.stl": (lambda: b"\0" * 80 + b"\2\0\0\0" + b"\0" * 70, "has 184 bytes, this one 154"),
    "lying.msh": (lambda: b"\xff\xff\xff\x7f" * 4 + b"\0" * 500, "2147483647 vertices, 2147483647 normals"),
    "negative.msh": (lambda: b"\xff" * 16 + b"\0" * 500, "of -1 vertices, -1 normals"),
    "cancelling.msh": (lambda: struct.pack("<4i", 4, -4, 0, 0), "is impossible"),
    "zeros.msh": (lambda: bytes(16), "the mesh has no vertices"),
    "number.obj": (lambda: b"v " + b"1" * 900_000 + b" 0 0\n", ":1: '1111"),
    "line.obj": (lambda: TRIANGLE + b"f " + b"1 2 3 " * 2_000_000, ":4: a line of 12000002 characters"),
    "continued.obj": (lambda: b"v 0 0 0 \\\n" * 2_000_000, ":1001: a statement goes on over more than 1000 lines"),
    "index.obj": (lambda: TRIANGLE + b"f 1 2 4294967297\n", ":4: vertex index 4294967297 is out of range"),
    "nan.obj": (lambda: b"v nan 0 0\n", ":1: 'nan' is not a number"),
}


@pytest.mark.parametrize("name", MESHES)
def test_meshes(name, tmp_path):
    if name.endswith("dae"):
        pytest.importorskip("collada", reason="pycollada is not installed")
    make, says = MESHES[name]
    file = tmp_path / name
    file.write_bytes(make())
    said = limited(lambda: load_mesh(file))
    assert says in said
    assert said.startswith(f"MeshError: {file}")


def test_a_mesh_that_is_too_large(tmp_path):
    file = tmp_path / "huge.stl"
    with file.open("wb") as stream:
        stream.truncate(1 << 40)
    assert "has 1099511627776 bytes, at most 536870912 are read" in limited(lambda: load_mesh(file))


@pytest.mark.parametrize("name", ["/dev/zero", "/dev/stdin", "pipe", "."])
def test_what_never_ends_is_not_read(name, tmp_path):
    os.mkfifo(tmp_path / "pipe")
    file = tmp_path / name
    for read in (load_urdf, load_sensor_set):
        said = limited(lambda read=read: read(file))
        assert "not a regular file" in said


@pytest.mark.parametrize("name", [b"\xff.urdf", b"a\nb.urdf", b"\xe2\x80\xae.urdf", b"x" * 250 + b".urdf"])
def test_names_of_files(name, tmp_path):
    file = os.fsencode(tmp_path) + b"/" + name
    path = Path(os.fsdecode(file))
    path.write_bytes(b"<robot")
    assert "not well-formed XML" in limited(lambda: load_urdf(path))


def mjcf(inside):
    return f"<mujoco>{inside}</mujoco>"


def sdf(inside):
    return f'<sdf version="1.9"><model name="m">{inside}</model></sdf>'


def world(inside):
    return f'<raisim version="1">{inside}</raisim>'


BODY = '<body><joint/><geom size="1"/></body>'
COPIES = '<replicate count="99"><replicate count="99"><body/><body/></replicate></replicate>'
FIELD = '<asset><hfield name="h" nrow="{0}" ncol="{0}" size="1 1 1 1"/></asset>'
LEVELS = "".join(f'<array idx="{c}" start="0" end="90">' for c in "abcdefg")
SPHERE = '<sphere mass="1"><dim radius="1"/></sphere>'
PAIR = '<pair_prop name1="a{0}" name2="b{0}" friction="1"/>'
FORMATS = {
    "mjcf: entity bomb": (load_mjcf, lambda: f'<!DOCTYPE r [<!ENTITY a "aa">{BOMB}]>{mjcf("&k;")}', ":1: DOCTYPE"),
    "mjcf: 100 MB": (load_mjcf, lambda: mjcf(" " * 100_000_000), "bytes of XML, at most"),
    "mjcf: depth 100,000": (load_mjcf, lambda: mjcf("<a>" * 100_000 + "</a>" * 100_000), "nested too deep"),
    "mjcf: many bodies": (
        load_mjcf,
        lambda: mjcf(f"<worldbody>{'<body/>' * 100_000}</worldbody>"),
        "more than 10000 <body>",
    ),
    "mjcf: many geoms": (
        load_mjcf,
        lambda: mjcf(f"<worldbody>{'<geom/>' * 100_000}</worldbody>"),
        "more than 20000 <geom>",
    ),
    "mjcf: copies": (load_mjcf, lambda: mjcf(f"<worldbody>{COPIES}</worldbody>"), "10000 <body>, copies counted"),
    "mjcf: copies of copies": (
        load_mjcf,
        lambda: mjcf('<worldbody><replicate count="101"><replicate count="99"/></replicate></worldbody>'),
        "<replicate> makes more than 10000 copies",
    ),
    "mjcf: heights": (load_mjcf, lambda: mjcf(FIELD.format(30_000)), "30000 times 30000 heights, at most 20000000"),
    "mjcf: endless heights": (load_mjcf, lambda: mjcf(FIELD.format(2_000_000_000)), "heights, at most 20000000"),
    "mjcf: flat points": (
        load_mjcf,
        lambda: mjcf(f'<asset><mesh name="a" vertex="{"1 2 3 " * 200_000}"/></asset>'),
        "the 200000 points lie in a plane",
    ),
    "mjcf: a long key": (
        load_mjcf,
        lambda: mjcf(f'<worldbody>{BODY}</worldbody><keyframe><key name="nominal" qpos="{"1 " * 10**6}"/></keyframe>'),
        "qpos has 1000000 numbers, needed 1",
    ),
    "sdf: entity bomb": (load_sdf, lambda: f'<!DOCTYPE r [<!ENTITY a "aa">{BOMB}]>{sdf("&k;")}', ":1: DOCTYPE"),
    "sdf: depth 100,000": (load_sdf, lambda: sdf("<a>" * 100_000 + "</a>" * 100_000), "nested too deep"),
    "sdf: many links": (load_sdf, lambda: sdf('<link name="a"/>' * 100_000), "more than 10000 <link>"),
    "sdf: many shapes": (
        load_sdf,
        lambda: sdf(f'<link name="a">{"<visual><geometry><empty/></geometry></visual>" * 60_000}</link>'),
        "more than 20000 <visual>",
    ),
    "sdf: frames in a circle": (
        load_sdf,
        lambda: sdf('<link name="a"/>' + "".join(
            f'<frame name="f{i}" attached_to="f{(i + 1) % 20_000}"/>' for i in range(20_000)
        )),  # fmt: skip
        "frames are attached to one another in a circle",
    ),
    "world: entity bomb": (load_world, lambda: f'<!DOCTYPE r [<!ENTITY a "aa">{BOMB}]>{world("&k;")}', ":1: DOCTYPE"),
    "world: a billion": (
        load_world,
        lambda: world(f'<objects><array idx="i" start="0" end="1000000000">{SPHERE}</array></objects>'),
        "arrays make at most 60000 elements",
    ),
    "world: arrays in arrays": (
        load_world,
        lambda: world(f"<objects>{LEVELS}{SPHERE}{'</array>' * 7}</objects>"),
        "arrays make at most 60000 elements",
    ),
    "world: a power": (
        load_world,
        lambda: world('<objects><array idx="i" start="0" end="{9**9**9}"/></objects>'),
        "is not a finite number",
    ),
    "world: many pairs": (
        load_world,
        lambda: world(f"<material>{''.join(map(PAIR.format, range(50_001)))}</material>"),
        "more than 50000 pairs",
    ),
    "world: a state": (
        load_world,
        lambda: world(f'<solver_state version="1"><part>{"A" * 9_000_000}</part></solver_state>'),
        "it is damaged",
    ),
}


@pytest.mark.parametrize("name", FORMATS)
def test_other_formats(name):
    read, make, says = FORMATS[name]
    if read is load_mjcf:
        pytest.importorskip("mujoco")
    pytest.importorskip("scipy.spatial")  # before memory is counted, as mujoco
    text = make()
    said = limited(lambda: read(text))
    assert says in said
    assert "<text>:" in said


def test_many_frames_on_one_another():
    """Of 8,000, each on the one before: their number has no square here."""
    frames = "".join(f'<frame name="f{i + 1}" attached_to="f{i}"/>' for i in range(8_000))
    text = sdf(f'<link name="f0"/>{frames}')

    def read():
        raise FileError(str(len(load_sdf(text).find_body("f0").frames)))

    assert limited(read) == "FileError: 8000"


@pytest.mark.parametrize(
    ("fault", "count"),
    [
        ('<x{} y="1"/>', 100_000),
        ("{} <x/>", 100_000),
        ('<visual x{0}="1"><geometry><empty/></geometry><y{0}/></visual>', 20_000),
    ],
)
def test_many_words_that_sdf_does_not_know(fault, count):
    """At most the first 2,000 are said, and misspelt ones compared with some words only."""
    text = sdf(f"<link name='a'><inertial/>{''.join(map(fault.format, range(count)))}</link>")

    def read():
        raise FileError(f"some lines: {0 < len(load_sdf(text).diagnostics) < 2_002}")

    assert limited(read) == "FileError: some lines: True"


WIDE = {
    "urdf": (load_urdf, '<robot name="r"><link name="a" {}/></robot>'),
    "template": (lambda text: load_urdf(text, params={"x": 1}), '<robot name="r" {}><link name="a"/></robot>'),
    "sdf": (load_sdf, '<sdf version="1.7"><model name="r"><link name="a" {}><inertial/></link></model></sdf>'),
    "mjcf": (load_mjcf, '<mujoco><worldbody><body><joint/><geom size="1" {}/></body></worldbody></mujoco>'),
    "world": (
        load_world,
        '<raisim><objects><sphere name="s" mass="1" {}><dim radius="1"/></sphere></objects></raisim>',
    ),
    "array": (load_world, '<raisim><objects><array idx="i" start="0" end="2" {}/></objects></raisim>'),
    "camera": (load_world, "<raisim><camera {}/></raisim>"),
}


@pytest.mark.parametrize("name", WIDE)
def test_elements_of_very_many_attributes(name):
    """32,000 of them took 3 to 90 s, in time that grew with their square; a thousand are read, or reported."""
    load, text = WIDE[name]

    def wide(count, value="1"):
        return text.format(" ".join(f'a{k}="{value}"' for k in range(count)))

    with pytest.raises(FileError, match=r"<text>:1: <\w+> has \d+ attributes, at most 1000 of an element are read"):
        load(wide(32_000, "{1}" if name in ("template", "world", "array") else "1"))
    if name != "mjcf":  # MuJoCo refuses what it does not know
        load(wide(900))
