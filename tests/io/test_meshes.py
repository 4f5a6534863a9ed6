"""Mesh files: what is written is what is read, and nothing malformed gets in."""

import struct

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rbdyn.collision.shapes import Mesh
from rbdyn.errors import Error, MeshError, PathError
from rbdyn.io import convex_hull, load_mesh, load_urdf
from rbdyn.io.mesh_shapes import scaled
from rbdyn.io.meshes.merge import merge_vertices
from rbdyn.io.meshes.obj import read_obj
from rbdyn.io.meshes.stl import read_stl


def ball(n=40, seed=0):
    """A closed mesh, outward, with float32 coordinates."""
    rng = np.random.default_rng(seed)
    points = rng.normal(size=(n, 3))
    points = (points / np.linalg.norm(points, axis=1)[:, None]).astype(np.float32).astype(float)
    return convex_hull(points)


def binary_stl(corners, header=b"", count=None):
    corners = np.asarray(corners, dtype="<f4").reshape(-1, 3, 3)
    body = b"".join(struct.pack("<3f", 0, 0, 0) + c.tobytes() + b"\0\0" for c in corners)
    return header.ljust(80, b"\0") + struct.pack("<I", len(corners) if count is None else count) + body


def ascii_stl(corners, name="thing"):
    facets = "".join(
        "facet normal 0 0 0\n outer loop\n"
        + "".join(f"  vertex {x!r} {y!r} {z!r}\n" for x, y, z in triangle)
        + " endloop\nendfacet\n"
        for triangle in np.reshape(corners, (-1, 3, 3)).tolist()
    )
    return f"solid {name}\n{facets}endsolid {name}\n".encode()


def obj(vertices, faces):
    lines = [f"v {x!r} {y!r} {z!r}" for x, y, z in vertices.tolist()]
    return "\n".join([*lines, *(f"f {a + 1} {b + 1}//7 {c + 1}/3" for a, b, c in faces.tolist())]).encode()


def same_surface(a, b):
    """Whether two meshes have the same triangles, in the same order."""
    return np.array_equal(a[0][a[1]], b[0][b[1]])


def volume(vertices, faces):
    a, b, c = (vertices[faces[:, k]] for k in range(3))
    return np.einsum("ij,ij->", a, np.cross(b, c)) / 6


@pytest.mark.parametrize("header", [b"", b"solid looks like text but is not"])
def test_stl_round_trips(tmp_path, header):
    vertices, faces = ball()
    corners = vertices[faces]
    for name, data in (("b.stl", binary_stl(corners, header)), ("a.STL", ascii_stl(corners))):
        (tmp_path / name).write_bytes(data)
        mesh = load_mesh(tmp_path / name)
        assert same_surface((mesh.vertices, mesh.faces), (vertices, faces))
        assert len(mesh.vertices) == len(vertices), "equal corners are merged"
        assert mesh.path == str(tmp_path / name)


def test_ascii_stl_forms():
    one = ascii_stl([[0, 0, 0, 1, 0, 0, 0, 1, 0]])
    two = one + one.replace(b"vertex 0 0 0", b"vertex 0 0 -2")
    assert len(read_stl(two, "x")[1]) == 2
    for form in (one.upper(), one.replace(b"\n", b"\r\n"), b"  \n" + one, one.rstrip(), one.replace(b" thing", b"")):
        assert same_surface(read_stl(form, "x"), read_stl(one, "x"))


SIGNALS = b"\1\0\x80\x7f"  # a NaN in single precision of which processors complain


BAD_STL = [
    (b"", "not an STL file"),
    (b"junk", "not an STL file"),
    (binary_stl([])[:84], "no triangles"),
    (binary_stl(np.zeros((2, 9)))[:-1], "truncated"),
    (binary_stl(np.zeros((2, 9))) + b"x", "truncated"),
    (binary_stl(np.zeros((2, 9)), count=2**31), "107374182484 bytes"),
    (binary_stl([[0, 0, 0, 1, 0, 0, 0, 1, np.nan]]), "triangle 0 has a corner that is not finite"),
    (binary_stl([[0, 0, 0, 1, 0, 0, 0, 1, 2]])[:-6] + SIGNALS + b"\0\0", "triangle 0 has a corner that is not finite"),
    (binary_stl([[0] * 9, [0, 0, 0, 1, 0, 0, 0, 1, np.inf]]), "triangle 1"),
    (b"solid x\nendsolid x\n", "no triangles"),
    (b"solid x\n", "x.stl:1: .*'endsolid'"),
    (ascii_stl(np.eye(3)).replace(b"endsolid thing\n", b""), "endsolid"),
    (ascii_stl(np.eye(3)).replace(b"vertex 1.0 0.0 0.0", b"vertex nan 0 0"), "x.stl:2: "),
    (ascii_stl(np.eye(3)).replace(b"vertex 1.0 0.0 0.0", b"vertex 1,5 0 0"), "x.stl:2: "),
    (ascii_stl(np.eye(3)).replace(b"vertex 1.0 0.0 0.0", b"vertex 1e400 0 0"), "not finite"),
    (ascii_stl(np.eye(3)).replace(b"vertex 1.0 0.0 0.0", b"vertex 0x1 0 0"), "x.stl:2: "),
    (ascii_stl(np.eye(3)).replace(b"vertex 1.0 0.0 0.0", b"vertex 1 0"), "x.stl:2: "),
    (ascii_stl(np.eye(3)) + b"garbage", "x.stl:10: .*'solid'"),
]


@pytest.mark.parametrize("data, text", BAD_STL, ids=range(len(BAD_STL)))
def test_bad_stl(data, text):
    with pytest.raises(MeshError, match=text):
        read_stl(data, "x.stl")


def test_every_truncation_of_a_binary_stl_is_refused():
    data = binary_stl(ball(8)[0][ball(8)[1]])
    for n in range(len(data)):
        with pytest.raises(MeshError):
            read_stl(data[:n], "x.stl")


def test_obj_round_trip(tmp_path):
    vertices, faces = ball()
    (tmp_path / "m.obj").write_bytes(obj(vertices, faces))
    mesh = load_mesh(tmp_path / "m.obj")
    assert np.array_equal(mesh.vertices, vertices)
    assert np.array_equal(mesh.faces, faces)


def test_obj_polygons_negative_indices_and_the_rest():
    text = """# a comment
mtllib ../../secret.mtl
o thing
v 0 0 0 # corner
v 1 0 0 1.0
v 1 1 \\
0
v 0 1 0 0.5 0.5 0.5
vn 0 0 1
vt 0 0
usemtl m
s off
f -4 -3 -2 -1
v 0 0 1
f 1/1/1 2//1 -1
"""
    vertices, faces = read_obj(text.encode(), "x.obj")
    assert vertices.shape == (5, 3)
    assert faces.tolist() == [[0, 1, 2], [0, 2, 3], [0, 1, 4]]
    assert read_obj(b"\xef\xbb\xbf" + text.replace("\n", "\r\n").encode(), "x.obj")[1].tolist() == faces.tolist()


THREE = b"v 0 0 0\nv 1 0 0\nv 0 1 0\n"
BAD_OBJ = [
    (b"", "no faces"),
    (THREE, "no faces .3 vertices"),
    (THREE + b"f 1 2 4\n", "x.obj:4: vertex index 4 is out of range: 3 vertices"),
    (THREE + b"f 1 2 0\n", "x.obj:4: vertex index 0"),
    (THREE + b"f 1 2 -4\n", "x.obj:4: vertex index -4"),
    (THREE + b"f 1 2 2147483648\n", "x.obj:4: vertex index 2147483648"),
    (THREE + b"f 1 2 99999999999999\n", "x.obj:4: '99999999999999' is not a face corner"),
    (THREE + b"f 1 2\n", "x.obj: the mesh has no faces"),
    (THREE + b"f 1 2 x\n", "x.obj:4: 'x' is not a face corner"),
    (THREE + b"f 1 2 3/a\n", "x.obj:4: '3/a'"),
    (b"v 0 0\n", "x.obj:1: a vertex has 2 numbers"),
    (b"v 0 0 nan\n", "x.obj:1: 'nan' is not a number"),
    (b"v 0 0 1,5\n", "decimal comma"),
    (b"v 0 0 1e400\n", "finite"),
    (b"v 0 0 0 2\n", "rational"),
    (b"curv 0 1 1 2\n", "unknown statement 'curv'"),
    (b"<html>", "unknown statement '<html>'"),
    (b"v 0 0 0\n\xff\xfe", "x.obj:2: not a text file"),
    (b"f 1 2 3\n" + THREE, "x.obj:1: vertex index 1 is out of range: 0 vertices"),
]


def test_faces_of_fewer_than_3_corners_are_left_out_and_said_so(tmp_path):
    file = tmp_path / "thin.obj"
    file.write_bytes(THREE + b"f 1 2\nf 1 2 3\nf 3\n")
    with pytest.warns(UserWarning, match=r"thin.obj:4: a face of fewer than 3 corners \(2 such faces\); left out"):
        assert load_mesh(file).faces.tolist() == [[0, 1, 2]]
    text = (
        '<robot name="r"><link name="a"><collision><geometry><mesh filename="thin.obj"/></geometry></collision></link>'
    )
    notes = load_urdf(text + "</robot>", base_dir=tmp_path, collision_mesh="triangles").diagnostics
    assert [n for n in notes if n.startswith(f"{file}:4: a face of fewer")]


@pytest.mark.parametrize("data, text", BAD_OBJ, ids=range(len(BAD_OBJ)))
def test_bad_obj(data, text):
    with pytest.raises(MeshError, match=text):
        read_obj(data, "x.obj")


def test_collada(tmp_path):
    """Unit and node transform are applied; the expected box is a closed form."""
    pytest.importorskip("collada")
    trimesh = pytest.importorskip("trimesh")
    box = trimesh.creation.box((1, 2, 3))
    data = box.export(file_type="dae")
    data = data if isinstance(data, bytes) else data.encode()
    (tmp_path / "m.dae").write_bytes(data)
    mesh = load_mesh(tmp_path / "m.dae")
    np.testing.assert_allclose(np.ptp(mesh.vertices, axis=0), [1, 2, 3], atol=1e-9)
    assert mesh.faces.shape == (12, 3)
    np.testing.assert_allclose(volume(mesh.vertices, mesh.faces), 6, atol=1e-9)
    for bad in (data[: len(data) // 2], b"PK\x03\x04", b"", b"<a/>", b"<!DOCTYPE a><COLLADA/>"):
        (tmp_path / "bad.dae").write_bytes(bad)
        with pytest.raises(MeshError, match="bad.dae"):
            load_mesh(tmp_path / "bad.dae")


TRIANGLE = """<?xml version="1.0" encoding="utf-8"?>
<COLLADA xmlns="http://www.collada.org/2005/11/COLLADASchema" version="1.4.1">
<asset><unit name="centimeter" meter="0.01"/><up_axis>Y_UP</up_axis></asset>
<library_geometries><geometry id="g"><mesh>
<source id="p"><float_array id="pa" count="9">1 0 0 0 2 0 0 0 3</float_array><technique_common>
<accessor source="#pa" count="3" stride="3"><param name="X" type="float"/><param name="Y" type="float"/>
<param name="Z" type="float"/></accessor></technique_common></source>
<vertices id="v"><input semantic="POSITION" source="#p"/></vertices>
<triangles count="1" material="m"><input semantic="VERTEX" source="#v" offset="0"/><p>0 1 2</p></triangles>
</mesh></geometry></library_geometries>
<library_visual_scenes><visual_scene id="s"><node id="n"><translate>100 200 300</translate>
<instance_geometry url="#g"><bind_material><technique_common><instance_material symbol="m" target="#lost"/>
</technique_common></bind_material></instance_geometry></node></visual_scene></library_visual_scenes>
<scene><instance_visual_scene url="#s"/></scene></COLLADA>
"""


def test_collada_units_transforms_and_lost_materials(tmp_path):
    pytest.importorskip("collada")
    (tmp_path / "m.dae").write_text(TRIANGLE)
    mesh = load_mesh(tmp_path / "m.dae")
    np.testing.assert_allclose(mesh.vertices, [[1.01, 2, 3], [1, 2.02, 3], [1, 2, 3.03]], atol=1e-6)  # Y_UP is ignored
    (tmp_path / "m.dae").write_text(TRIANGLE.replace("0 0 3<", "0 0 nan<"))
    with pytest.raises(MeshError):
        load_mesh(tmp_path / "m.dae")
    (tmp_path / "m.dae").write_text(TRIANGLE.replace("0 1 2<", "0 1 3<"))
    with pytest.raises(MeshError):
        load_mesh(tmp_path / "m.dae")


def test_a_missing_extra_names_the_pip_line(tmp_path, monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "collada", None)
    (tmp_path / "m.dae").write_text("<COLLADA/>")
    with pytest.raises(ImportError, match=r'pip install "rbdyn\[mesh\]"'):
        load_mesh(tmp_path / "m.dae")


def test_load_mesh_refuses(tmp_path):
    for name in ("a.fbx", "a", "a.stl.txt"):
        (tmp_path / name).write_bytes(b"x")
        with pytest.raises(MeshError, match=r"choices: \.stl, \.obj, \.msh, \.dae"):
            load_mesh(tmp_path / name)
    with pytest.raises(PathError, match="no such file"):
        load_mesh(tmp_path / "gone.stl")


# ---- values ----------------------------------------------------------------------------------------


@settings(deadline=None)
@given(st.lists(st.tuples(*[st.integers(-2, 2)] * 3), min_size=3, max_size=60))
def test_merging_keeps_the_surface(points):
    corners = np.array(points[: len(points) // 3 * 3], dtype=float) * -0.5  # makes negative zeros, too
    vertices, faces = merge_vertices(corners)
    assert np.array_equal(vertices[faces].reshape(-1, 3), corners)
    assert len(vertices) == len({tuple(c) for c in corners})
    assert list(dict.fromkeys(faces.ravel().tolist())) == list(range(len(vertices))), "order of first appearance"


def test_hull_of_a_cloud():
    rng = np.random.default_rng(3)
    corners = np.array([(x, y, z) for x in (0, 1) for y in (0, 2) for z in (0, 3)], dtype=float)
    cloud = np.vstack([rng.uniform((0.1, 0.1, 0.1), (0.9, 1.9, 2.9), (50, 3)), corners])
    vertices, faces = convex_hull(cloud)
    assert np.array_equal(vertices, corners)
    assert volume(vertices, faces) == pytest.approx(6, rel=1e-14)  # positive: the faces look outwards
    assert len(faces) == 12


@pytest.mark.parametrize(
    "points",
    [
        np.zeros((5, 3)),
        [(0, 0, 0)] * 3,
        np.random.default_rng(0).random((9, 3)) * (1, 1, 0),
        np.full((5, 3), np.nan),
        "abcd",
        [[1, 2], [3]],
        np.zeros((4, 2)),
    ],
)
def test_hull_refuses(points):
    with pytest.raises(MeshError):
        convex_hull(points)


@pytest.mark.parametrize("scale", [(2, 3, 4), (-1, 1, 1), (-2, -1, 3), (-1, -1, -1), (1, 1, 1)])
def test_scaling_keeps_faces_outwards(scale):
    mesh = Mesh(*ball())
    after = scaled(mesh, tuple(map(float, scale)))
    before = volume(mesh.vertices, mesh.faces)
    assert before > 1
    assert volume(after.vertices, after.faces) == pytest.approx(before * abs(np.prod(scale)), rel=1e-12)


@settings(max_examples=300, deadline=None)
@given(st.binary(max_size=400), st.sampled_from([read_stl, read_obj]), st.data())
def test_noise_raises_only_our_errors(noise, reader, data):
    good = {
        read_stl: ascii_stl(np.eye(3)) if noise[:1] < b"\x80" else binary_stl(np.eye(3)),
        read_obj: THREE + b"f 1 2 3\n",
    }
    text = bytearray(good[reader])
    place = data.draw(st.integers(0, len(text)))
    text[place : place + data.draw(st.integers(0, 20))] = noise[:20]
    for candidate in (bytes(text), noise):
        try:
            vertices, faces = reader(candidate, "x")
        except Error:
            continue
        assert np.isfinite(vertices).all()
        assert faces.min() >= 0
        assert faces.max() < len(vertices)


@pytest.mark.parametrize("form", ["ascii.ply", "binary.ply", "scene.glb"])
def test_ply_and_glb(tmp_path, form):
    """What trimesh writes is what comes back; poses of a scene's nodes are applied."""
    trimesh = pytest.importorskip("trimesh")
    ball = trimesh.creation.icosphere(subdivisions=1, radius=0.5)
    file = tmp_path / form
    if form.endswith("glb"):
        scene = trimesh.Scene()
        scene.add_geometry(ball, transform=trimesh.transformations.translation_matrix([1, 2, 3]))
        scene.add_geometry(trimesh.creation.box((2, 2, 2)))
        scene.export(file)
    else:
        ball.export(file, encoding=form.split(".")[0])
    mesh = load_mesh(file)
    expected = ball.vertices + (1, 2, 3) if form.endswith("glb") else ball.vertices
    mine = mesh.vertices[np.linalg.norm(mesh.vertices - expected.mean(axis=0), axis=1) < 0.6]
    assert len(mine) == len(ball.vertices) == 42
    assert np.allclose(sorted(mine.tolist()), sorted(expected.tolist()), atol=1e-6)
    assert len(mesh.faces) == 80 + 12 * form.endswith("glb")
    a, b, c = (mesh.vertices[mesh.faces[:, k]] for k in range(3))
    volume = np.einsum("ij,ij->", a, np.cross(b, c)) / 6
    assert volume == pytest.approx(ball.volume + 8 * form.endswith("glb"), rel=1e-6)


BAD_TRIMESH = [
    ("a.ply", b"solid", "it does not start with 'ply'"),
    ("a.ply", b"ply\nformat ascii 1.0\nelement vertex 1000000000\nend_header\n", "element vertex 1000000000"),
    ("a.ply", b"ply\nformat ascii 1.0\nelement vertex -1\nend_header\n", "element vertex -1"),
    ("a.ply", b"ply" + b" " * 200_000, "no end_header"),
    ("a.ply", b"ply\nformat ascii 1.0\nend_header\n", "a.ply: "),
    ("a.glb", b"glTF", "it does not start with"),
    ("a.glb", b"glTF\2\0\0\0\xff\0\0\0\xff\xff\0\0JSON{}", "no JSON, or longer"),
    ("a.glb", b"glTF\2\0\0\0\x16\0\0\0\2\0\0\0JSON[]", "its JSON is no object"),
]


@pytest.mark.parametrize(("name", "data", "says"), BAD_TRIMESH)
def test_bad_ply_and_glb(tmp_path, name, data, says):
    pytest.importorskip("trimesh")
    (tmp_path / name).write_bytes(data)
    with pytest.raises(MeshError) as error:
        load_mesh(tmp_path / name)
    assert says in str(error.value)
