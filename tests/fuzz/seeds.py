"""Right inputs of each reader, from which wrong ones are made; and pieces that are put into them."""

import json
import struct
import zlib

from format_seeds import FORMATS

INERTIAL = """<inertial><origin xyz="0 0 1" rpy="1 0 0"/><mass value="1"/>
<inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial>"""
DIALECT = f"""<?xml version="1.0"?>
<robot name="r"><material name="paint"><color rgba="1 0 0 1"/></material>
<link name="world"/><link name="b" sensor="s.xml" model="m" serial_number="7">{INERTIAL}
<visual><geometry><sphere radius="1"/></geometry><material name="paint"/></visual>
<collision><origin quat_xyzw="0 0 0 1"/><geometry><capsule radius="1" height="2"/></geometry>
<material><contact name="steel"/></material></collision>
<collision><geometry><mesh filename="a.stl" scale="1 1 1"/></geometry></collision>
<collision><geometry><plane normal="0 0 1"/></geometry></collision></link>
<link name="c">{INERTIAL}<collision><geometry><cylinder radius="1" length="2"/></geometry></collision></link>
<link name="d">{INERTIAL}<collision><geometry><box size="1 2 3"/></geometry></collision></link>
<joint name="j" type="spherical"><parent link="world"/><child link="b"/><limit lower="0" upper="1"/>
<dynamics rotor_inertia="0.1" stiffness="5" spring_mount="1 0 0 0" damping="1" friction="2"/></joint>
<joint name="k" type="revolute"><parent link="b"/><child link="c"/><axis xyz="0 0 1"/>
<limit lower="-1" upper="1" effort="1" velocity="1"/><safety_controller k_velocity="1"/></joint>
<joint name="l" type="helical"><parent link="c"/><child link="d"/><origin xyz="1 0 0" rpy="0 1 0"/>
<axis xyz="0 0 1" pitch="0.1"/><mimic joint="k" multiplier="2" offset="1"/></joint>
<constraints nominal_config="1 0 0 0 0 0"><pin body1="d" body2="b" anchor="0 0 1"/></constraints>
<disable_collisions link1="b" link2="d"/></robot>"""
TEMPLATE = f"""<robot name="@@name"><link name="a">{INERTIAL}</link><link name="{{@@side}}_b">
<inertial><mass value="{{@@mass*2 + sqrt(@@width)**2}}"/><inertia ixx="{{1/3}}" ixy="0" ixz="0" iyy="{{exp(0)}}" iyz="0"
 izz="{{-(-1)}}"/></inertial><collision><geometry><box size="@@width {{@@width/2}} {{pi}}"/></geometry></collision>
</link>
<joint name="j" type="prismatic"><parent link="a"/><child link="{{@@side}}_b"/><axis xyz="{{cos(0)}} {{sin(0)}} 0"/>
<limit lower="{{-@@width}}" upper="{{log(@@mass)}}" effort="1" velocity="1"/></joint></robot>"""
PARAMS = {"name": "r", "side": "left", "mass": 3.0, "width": "0.4"}
MODULE = f"""<!-- m -->\n<link name="x">{INERTIAL}</link>
<joint name="y" type="continuous"><parent link="base"/><child link="x"/><axis xyz="0 1 0"/></joint>\n"""
SENSORS = f"""<sensor_set name="s"><origin xyz="0 0 1"/><link>{INERTIAL}
<sensor name="c" type="rgb" update_rate="30"><camera horizontal_fov="1.2"><image width="64" height="36"/>
<clip near="0.1" far="100"/><noise type="gaussian" mean="0.0" stddev="0.007"/></camera></sensor>
<sensor name="d" type="depth"><data type="coordinates"/><camera horizontal_fov="1.2"><image width="6" height="3"/>
<clip near="0.1" far="10"/></camera></sensor>
<sensor name="i" type="imu"><limit acc_limit="50" ang_vel_limit="40"/></sensor>
<sensor name="l" type="spinning_lidar"><yaw samples="5"/><pitch samples="6" min_angle="-0.1" max_angle="0.9"/>
<spin direction="clockwise" rate="10"/><range min="0.3" max="20"/></sensor></link></sensor_set>"""
EXPRESSION = "{2*(@@width - 0.1)**2 + sin(pi/3)/cos(1) - log(exp(@@mass))} @@side {@@name}"
POINTS = ((0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1))
FACES = ((0, 2, 1), (0, 1, 3), (1, 2, 3), (0, 3, 2))


def _ascii_stl() -> str:
    facets = [
        "facet normal 0 0 1\nouter loop\n"
        + "".join("vertex {} {} {}\n".format(*POINTS[k]) for k in face)
        + "endloop\nendfacet\n"
        for face in FACES
    ]
    return f"solid a\n{''.join(facets)}endsolid a\n"


def _binary_stl() -> bytes:
    facets = [struct.pack("<12fH", 0, 0, 1, *POINTS[f[0]], *POINTS[f[1]], *POINTS[f[2]], 0) for f in FACES]
    return b"binary".ljust(80, b"\0") + struct.pack("<I", len(facets)) + b"".join(facets)


def _msh() -> bytes:
    points = b"".join(struct.pack("<3f", *p) for p in POINTS)
    normals, texture = points, b"".join(struct.pack("<2f", *p[:2]) for p in POINTS)
    return struct.pack("<4i", 4, 4, 4, 4) + points + normals + texture + b"".join(struct.pack("<3i", *f) for f in FACES)


def _obj() -> str:
    vertices = "".join("v {} {} {}\n".format(*p) for p in POINTS)
    return f"# a\nmtllib a.mtl\no a\n{vertices}vt 0 0\nvn 0 0 1\nusemtl b\n" + "".join(
        f"f {a + 1}/1/1 {b + 1}//1 {c + 1}\n" for a, b, c in FACES
    )


def _dae() -> str:
    numbers = " ".join(str(x) for p in POINTS for x in p)
    faces = " ".join(str(k) for f in FACES for k in f)
    source = '<source id="p"><float_array id="pa" count="12">{}</float_array><technique_common>' + (
        '<accessor source="#pa" count="4" stride="3"><param name="X" type="float"/><param name="Y" type="float"/>'
        '<param name="Z" type="float"/></accessor></technique_common></source>'
    )
    return f"""<?xml version="1.0"?>
<COLLADA xmlns="http://www.collada.org/2005/11/COLLADASchema" version="1.4.1"><asset><unit meter="0.01"/></asset>
<library_geometries><geometry id="g"><mesh>{source.format(numbers)}
<vertices id="v"><input semantic="POSITION" source="#p"/></vertices>
<triangles count="4"><input semantic="VERTEX" source="#v" offset="0"/><p>{faces}</p></triangles>
<polylist count="1"><input semantic="VERTEX" source="#v" offset="0"/><vcount>4</vcount><p>0 1 2 3</p></polylist>
</mesh></geometry></library_geometries><library_nodes><node id="o"><instance_geometry url="#g"/></node></library_nodes>
<library_visual_scenes><visual_scene id="s"><node id="n"><matrix>1 0 0 1 0 1 0 2 0 0 1 3 0 0 0 1</matrix>
<instance_node url="#o"/></node><node><rotate>0 0 1 90</rotate><instance_geometry url="#g"/></node></visual_scene>
</library_visual_scenes><scene><instance_visual_scene url="#s"/></scene></COLLADA>"""


def _ply() -> str:
    head = "ply\nformat ascii 1.0\nelement vertex 4\nproperty float x\nproperty float y\nproperty float z\n"
    faces = "".join("3 {} {} {}\n".format(*f) for f in FACES)
    points = "".join("{} {} {}\n".format(*p) for p in POINTS)
    return f"{head}element face 4\nproperty list uchar int vertex_indices\nend_header\n{points}{faces}"


def _binary_ply() -> bytes:
    head = _ply().split("end_header\n")[0].replace("ascii", "binary_little_endian") + "end_header\n"
    points = b"".join(struct.pack("<3f", *p) for p in POINTS)
    return head.encode() + points + b"".join(struct.pack("<B3i", 3, *f) for f in FACES)


def _glb() -> bytes:
    points = b"".join(struct.pack("<3f", *p) for p in POINTS)
    body = points + b"".join(struct.pack("<3I", *f) for f in FACES)
    views = [{"buffer": 0, "byteOffset": 0, "byteLength": 48}, {"buffer": 0, "byteOffset": 48, "byteLength": 48}]
    accessors = [
        {"bufferView": 0, "componentType": 5126, "count": 4, "type": "VEC3", "min": [0, 0, 0], "max": [1, 1, 1]},
        {"bufferView": 1, "componentType": 5125, "count": 12, "type": "SCALAR"},
    ]
    document = {
        "asset": {"version": "2.0"},
        "scene": 0,
        "scenes": [{"nodes": [0, 1]}],
        "nodes": [{"mesh": 0, "translation": [1, 2, 3]}, {"mesh": 0, "children": [2]}, {"mesh": 0, "scale": [2, 2, 2]}],
        "meshes": [{"primitives": [{"attributes": {"POSITION": 0}, "indices": 1}]}],
        "accessors": accessors,
        "bufferViews": views,
        "buffers": [{"byteLength": len(body)}],
    }
    text = json.dumps(document).encode()
    text += b" " * (-len(text) % 4)
    chunks = struct.pack("<I4s", len(text), b"JSON") + text + struct.pack("<I4s", len(body), b"BIN\0") + body
    return b"glTF" + struct.pack("<II", 2, 12 + len(chunks)) + chunks


def _png() -> bytes:
    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    rows = b"".join(b"\0" + bytes([10 * k + j for j in range(4)]) for k in range(4))
    head = chunk(b"IHDR", struct.pack(">IIBBBBB", 4, 4, 8, 0, 0, 0, 0))
    return b"\x89PNG\r\n\x1a\n" + head + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b"")



SEEDS: dict[str, list[bytes]] = {
    "urdf": [DIALECT.encode(), DIALECT.replace("\n", "\r\n").encode("utf-16")],
    "template": [TEMPLATE.encode()],
    "expression": [EXPRESSION.encode()],
    "module": [MODULE.encode(), f'<?xml version="1.0"?><robot name="m">{MODULE}</robot>'.encode()],
    "sensors": [SENSORS.encode()],
    "stl": [_ascii_stl().encode(), _binary_stl()],
    "obj": [_obj().encode()],
    "msh": [_msh(), struct.pack("<4i", 4, 0, 0, 0) + b"".join(struct.pack("<3f", *p) for p in POINTS)],
    "dae": [_dae().encode()],
    "ply": [_ply().encode(), _binary_ply()],
    "glb": [_glb()],
    "png": [_png()],
    "heights": [b"3 3 2.0 1.0\n0 0.5 1\n1 2 3\n0.1 0.2 0.3\n"],
    **FORMATS,
}
WORDS = [
    "", '"', "<", ">", "/>", "&", "&#0;", "&amp;", "&x;", "<!--", "-->", "]]>", "<![CDATA[", "<?x", "?>", "\0",
    "\ufeff", "<!DOCTYPE a>", '<!DOCTYPE a [<!ENTITY x "y">]>', "\u0661", "\ud800", "\U0001f916", "\r", "\n", "\t",
    " ", "nan", "inf", "-inf", "1e308", "-1e308", "1e-320", "1e999", "1e30", "-0", "0", "0 0 0", "1_0", "0x1",
    "0,5", "1.", ".", "-1", "1e", "+", "--1", "9" * 400, "0." + "3" * 400, "@@x", "@@", "@@name", "{", "}", "{1}",
    "{{1}}", "{9**9**9}", "{1/0}", "{__import__('os')}", "**", "(" * 60, "$(find x)", "${a}", "x" * 3000,
    "<a>" * 300, "</a>" * 300, 'name="b"', 'name=""', 'link="c"', 'link="world"', 'type="floating"',
    'type="planar"', 'type="fixed"', "joint", "link", "<link/>", '<link name="z"/>', "<inertial/>", "<geometry/>",
    "<mimic/>", '<mimic joint="k"/>', "<constraints><pin/>", "package://", "http://", "file:///etc/passwd", "../",
    "../../../../etc/passwd", "/dev/zero", "model://x/y.stl", "facet", "endsolid", "solid", "vertex", "v ", "f ",
    "f 1 2", "f -1 -2 -3", "f 1/2/3 9 9", "\\\n", "#", "<node>", '<instance_node url="#o"/>',
    "<vcount>9999999999</vcount>", "count", "#g", "#s", "#p", "4000000000",
]  # fmt: skip
TOKENS = [word.encode("utf-8", "surrogatepass") for word in WORDS]
TOKENS += [b"\xff", b"\xff\xfe", b"\xef\xbb\xbf", b"\xff\xff\xff\xff", b"\x00\x00\xc0\x7f", b"\x7f\x80\x00\x00"]
TOKENS += [b"PK\x03\x04"]
