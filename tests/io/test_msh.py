"""MSH files are what MuJoCo makes of them, or refused."""

import struct
from pathlib import Path

import numpy as np
import pytest

from rbdyn import io
from rbdyn.errors import MeshError
from rbdyn.io.meshes.msh import read_msh

POINTS = np.array([(0, 0, 0), (1, 0, 0), (0, 2, 0), (0, 0, 3), (0.1, 0.1, 0.1)])
FACES = np.array([(0, 2, 1), (0, 1, 3), (0, 3, 2), (1, 2, 3)])


def msh(vertices=POINTS, faces=FACES, normals=0, texture=0, counts=None):
    vertices, faces = np.asarray(vertices, "<f4").reshape(-1, 3), np.asarray(faces, "<i4").reshape(-1, 3)
    head = counts or (len(vertices), normals, texture, len(faces))
    beside = np.full(3 * normals + 2 * texture, np.nan, "<f4")  # nobody reads them
    return struct.pack("<4i", *head) + vertices.tobytes() + beside.tobytes() + faces.tobytes()


@pytest.mark.parametrize("beside", [(0, 0), (5, 0), (0, 5), (5, 5)])
def test_vertices_and_faces(tmp_path, beside):
    (tmp_path / "a.MSH").write_bytes(msh(POINTS, FACES, *beside))
    mesh = io.load_mesh(tmp_path / "a.MSH")
    np.testing.assert_array_equal(mesh.vertices[mesh.faces], POINTS[FACES])
    assert mesh.volume == pytest.approx(1.0)  # 1 * 2 * 3 / 6: the corners look outwards
    assert len(mesh.vertices) == 4, "no face has the fifth"


def test_without_faces_it_is_a_hull():
    vertices, faces = read_msh(msh(faces=[]), "x.msh")
    np.testing.assert_array_equal(vertices, POINTS[:4])
    assert {frozenset(f) for f in faces.tolist()} == {frozenset(f) for f in FACES.tolist()}


NAN, FAR = POINTS.copy(), POINTS.copy()
NAN[2, 1], FAR[4, 0] = np.nan, np.inf
BAD = [
    (b"", "not an MSH file: 0 bytes"),
    (b"junk", "not an MSH file: 4 bytes"),
    (b"$MeshFormat\n4.1 0 8\n$EndMeshFormat\n", "an MSH file of Gmsh, which is not read"),
    (msh() + b"x", "has 124 bytes, this one 125"),
    (msh(counts=(5, 0, 0, 5)), "has 136 bytes, this one 124"),
    (msh(counts=(5, 5, 0, 4)), "has 184 bytes"),
    (msh(counts=(-1, 0, 0, 4)), "of -1 vertices, .* is impossible"),
    (msh(counts=(2**31 - 1,) * 4), "has 94489280484 bytes"),
    (msh([], []), "the mesh has no vertices"),
    (msh(NAN), "vertex 2 is not finite"),
    (msh(FAR), "vertex 4 is not finite"),
    (msh()[:16] + b"\1\0\x80\x7f" + msh()[20:], "vertex 0 is not finite"),  # a NaN of which processors complain
    (msh(faces=[(0, 1, 2), (0, 1, 5)]), r"face 1 is \[0, 1, 5\], and there are 5 vertices"),
    (msh(faces=[(0, -1, 2)]), r"face 0 is \[0, -1, 2\]"),
    (msh(faces=[(0, 1, 2**31 - 1)]), "face 0"),
    (msh(POINTS * (1, 1, 0), []), "the mesh has no faces, and the 5 points lie in a plane"),
    (msh(POINTS[:3], []), "the mesh has no faces, and points must be"),
]


@pytest.mark.parametrize(("data", "text"), BAD, ids=range(len(BAD)))
def test_bad_files(data, text):
    with pytest.raises(MeshError, match=f"^x.msh: .*{text}"):
        read_msh(data, "x.msh")


def test_every_truncation_is_refused():
    data = msh()
    for n in range(len(data)):
        with pytest.raises(MeshError):
            read_msh(data[:n], "x.msh")


@pytest.mark.parametrize("faces", [FACES, []], ids=["faces", "points"])
def test_in_a_robot_it_is_what_mujoco_reads(tmp_path, faces):
    mujoco = pytest.importorskip("mujoco")
    data = msh(faces=faces)
    text = """<mujoco><asset><mesh name="m" file="a.msh" scale="1 2 1"/></asset><worldbody><body name="b"><joint/>
    <geom type="mesh" mesh="m"/></body></worldbody></mujoco>"""
    (tmp_path / "a.msh").write_bytes(data)
    (tmp_path / "r.xml").write_text(text)
    model = mujoco.MjModel.from_xml_string(text, {"a.msh": data})
    body = io.load_mjcf(tmp_path / "r.xml").find_body("b")
    assert body.inertia.mass == pytest.approx(model.body_mass[1], rel=1e-6)
    assert body.inertia.mass == pytest.approx(2000.0, rel=1e-6)
    np.testing.assert_allclose(body.inertia.com, model.body_ipos[1], atol=1e-6)
    shape = body.collision[0]
    corners = np.sort(np.round(shape.pose @ np.array(shape.shape.vertices), 6), axis=0)
    np.testing.assert_allclose(corners[-1], (1, 4, 3), atol=1e-6)


def test_a_file_of_mujocos_own():
    """Each triangle where MuJoCo has it."""
    mujoco = pytest.importorskip("mujoco")
    file = Path(mujoco.__file__).parent / "testdata" / "abdomen_1_body.msh"
    if not file.is_file():
        pytest.skip("this MuJoCo brings no MSH file")
    mesh = io.load_mesh(file)
    text = """<mujoco><asset><mesh name="m" file="a.msh"/></asset><worldbody><body><joint/>
    <geom type="mesh" mesh="m"/></body></worldbody></mujoco>"""
    model = mujoco.MjModel.from_xml_string(text, {"a.msh": file.read_bytes()})
    turned = np.zeros(9)
    mujoco.mju_quat2Mat(turned, model.mesh_quat[0])
    corners = model.mesh_vert @ turned.reshape(3, 3).T + model.mesh_pos[0]
    assert len(mesh.faces) > 100
    np.testing.assert_allclose(mesh.vertices[mesh.faces], corners[model.mesh_face], atol=1e-5)
