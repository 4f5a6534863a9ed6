"""Meshes in convex pieces: they fill the mesh, whatever way it is given, and are the same from the cache."""

import importlib.util
import pickle
import sys

import numpy as np
import pytest

from rbdyn.collision import ConvexHull, Mesh
from rbdyn.collision.shapes import decomposition as module
from rbdyn.errors import CollisionError, Error, MissingExtraError
from rbdyn.io import load_urdf

if importlib.util.find_spec("coacd") is None:
    pytest.skip("coacd is not installed", allow_module_level=True)


def torus(R=0.5, r=0.15, n=16, m=8):
    u, v = (a.ravel() for a in np.meshgrid(np.arange(n), np.arange(m), indexing="ij"))
    a, b = 2 * np.pi * u / n, 2 * np.pi * v / m
    points = np.stack([(R + r * np.cos(b)) * np.cos(a), (R + r * np.cos(b)) * np.sin(a), r * np.sin(b)], axis=1)
    corner = [(u + i) % n * m + (v + j) % m for i, j in ((0, 0), (1, 0), (1, 1), (0, 1))]
    faces = [np.stack([corner[k] for k in ks], axis=1) for ks in ((0, 1, 2), (0, 2, 3))]
    return Mesh(points, np.concatenate(faces))


def angle():
    """An L of two squares 1 by 1 on and beside a third, 1 high: 3 m^3, and two pieces at the least."""
    outline = [(0, 0), (2, 0), (2, 1), (1, 1), (1, 2), (0, 2)]
    points = [(x, y, z) for z in (0, 1) for x, y in outline]
    top = [(0, 1, 2), (0, 2, 3), (0, 3, 4), (0, 4, 5)]
    sides = [(k, (k + 1) % 6, (k + 1) % 6 + 6) for k in range(6)] + [(k, (k + 1) % 6 + 6, k + 6) for k in range(6)]
    return Mesh(points, [t[::-1] for t in top] + [tuple(c + 6 for c in t) for t in top] + sides)


def inside(pieces, points):
    """How many pieces hold each point."""
    sides = [(p.flat_sides()) for p in pieces]
    return sum((points @ normals.T <= offsets + 1e-9).all(axis=1).astype(int) for normals, offsets in sides)


def same(a, b):
    return len(a) == len(b) and all(p.vertices.tobytes() == q.vertices.tobytes() for p, q in zip(a, b, strict=True))


COMPUTED = module._computed
ANSWERS = {}


def answer(*args):
    """What coacd says, whose process takes half a second; asked once."""
    key = pickle.dumps(args)
    if key not in ANSWERS or sys.modules.get("coacd", True) is None:
        ANSWERS[key] = COMPUTED(*args)
    return ANSWERS[key]


@pytest.fixture(params=[answer], ids=["asked once"])
def fresh(request, monkeypatch):
    """Nothing remembered; runs are counted."""
    runs = []

    def counted(*args):
        runs.append(args)
        return request.param(*args)

    monkeypatch.setattr(module, "_known", {})
    monkeypatch.setattr(module, "_computed", counted)
    return runs


def no_coacd(monkeypatch):
    monkeypatch.setitem(sys.modules, "coacd", None)


def test_a_torus_becomes_pieces_around_its_hole():
    mesh = torus()
    pieces = mesh.decompose(threshold=0.1)
    assert len(pieces) > 3
    assert all(isinstance(p, ConvexHull) for p in pieces)
    low, high = mesh.vertices.min(axis=0), mesh.vertices.max(axis=0)
    corners = np.concatenate([p.vertices for p in pieces])
    assert (corners >= low).all()
    assert (corners <= high).all()
    # of the union, by points over the box; the mesh's own volume is that of its triangles
    points = np.random.default_rng(0).uniform(low, high, (100_000, 3))
    held = inside(pieces, points)
    volume = (held > 0).mean() * np.prod(high - low)
    assert volume == pytest.approx(mesh.volume, rel=0.15)
    assert sum(p.volume for p in pieces) == pytest.approx(volume, rel=0.05), "they hardly overlap"
    assert mesh.convex_hull().volume > 1.5 * volume
    axis = np.linalg.norm(points[:, :2], axis=1) < 0.25
    assert axis.sum() > 1000
    assert not held[axis].any(), "the hole is open"


def test_an_angle_becomes_two_pieces():
    pieces = angle().decompose()
    assert len(pieces) == 2
    assert sum(p.volume for p in pieces) == pytest.approx(3.0, rel=0.01)
    assert sorted(round(p.volume) for p in pieces) == [1, 2]
    where = np.array([[0.5, 1.5, 0.5], [1.5, 0.5, 0.5], [0.5, 0.5, 0.5], [1.2, 1.2, 0.5], [1.8, 1.8, 0.5]])
    assert (inside(pieces, where) > 0).tolist() == [True, True, True, False, False]


def test_size_place_and_how_faces_are_given_do_not_matter():
    mesh = angle()
    here = mesh.decompose()
    small = Mesh(mesh.vertices * 2.0**-30 + 1e-3, mesh.faces).decompose()
    far = Mesh(mesh.vertices + [100.0, 0.0, -50.0], mesh.faces).decompose()
    soup = Mesh(mesh.vertices[mesh.faces].reshape(-1, 3), np.arange(mesh.faces.size).reshape(-1, 3)).decompose()
    assert len(small) == len(far) == len(soup) == 2
    assert sum(p.volume for p in small) == pytest.approx(3.0 * 2.0**-90, rel=0.01)
    assert sum(p.volume for p in soup) == pytest.approx(3.0, rel=0.01)
    for a, b in zip(here, far, strict=True):
        assert b.centroid - a.centroid == pytest.approx([100.0, 0.0, -50.0], abs=1e-6)


def test_most_pieces():
    (one,) = angle().decompose(most=1)
    assert one.volume == pytest.approx(3.5, rel=0.01), "its hull"
    assert len(torus().decompose(threshold=0.2, most=3)) == 3


@pytest.mark.parametrize("fresh", [COMPUTED], ids=["asked each time"], indirect=True)
def test_the_same_seed_gives_the_same_bits(fresh, capfd):
    first = torus(n=12, m=6).decompose(threshold=0.2, seed=3)
    assert torus(n=12, m=6).decompose(threshold=0.2, seed=3) is first
    module._known.clear()
    again = torus(n=12, m=6).decompose(threshold=0.2, seed=3)
    assert len(fresh) == 2
    assert again is not first
    assert same(first, again)
    assert not same(first, torus(n=12, m=6).decompose(threshold=0.2, seed=4))
    assert capfd.readouterr() == ("", "")
    assert "coacd" not in sys.modules, "loaded, it spoils how other libraries of C++ read numbers"


def test_what_is_stored_is_not_computed_again(fresh, tmp_path, monkeypatch):
    folder = tmp_path / "a" / "b"
    pieces = angle().decompose(cache=folder)
    (file,) = folder.iterdir()
    assert file.suffix == ".npz"
    module._known.clear()
    assert same(pieces, angle().decompose(cache=str(folder)))
    assert len(fresh) == 1
    angle().decompose(threshold=0.5, cache=folder)
    assert len(fresh) == 2, "other settings"
    assert len(list(folder.iterdir())) == 2
    module._known.clear()
    no_coacd(monkeypatch)
    assert same(pieces, angle().decompose(cache=folder))
    with pytest.raises(MissingExtraError, match=r"Mesh.decompose needs coacd.*rbdyn\[mesh\]"):
        angle().decompose(seed=1, cache=folder)
    with pytest.raises(MissingExtraError):
        Mesh(angle().vertices * 2.0, angle().faces).decompose(cache=folder)


def test_what_is_remembered_is_stored_too(fresh, tmp_path):
    pieces = angle().decompose()
    assert angle().decompose(cache=tmp_path) is pieces
    assert len(list(tmp_path.iterdir())) == 1
    assert len(fresh) == 1


def test_another_version_of_coacd_computes_anew(fresh, tmp_path, monkeypatch):
    angle().decompose(cache=tmp_path)
    module._known.clear()
    monkeypatch.setattr(module, "_version", lambda: "99.0")
    angle().decompose(cache=tmp_path)
    assert len(fresh) == 2
    assert len(list(tmp_path.glob("*-99.0.npz"))) == 1


def damaged(data):
    """Ways in which a file may be wrong."""
    middle = len(data) // 2
    yield b""
    yield b"not an archive"
    yield data[:middle]
    yield data[:middle] + bytes([data[middle] ^ 255]) + data[middle + 1 :]


def test_a_damaged_file_is_computed_anew(fresh, tmp_path):
    pieces = angle().decompose(cache=tmp_path)
    (file,) = tmp_path.iterdir()
    good = file.read_bytes()
    bad = list(damaged(good))
    vertices = np.concatenate([p.vertices for p in pieces])
    flat = np.zeros((8, 3))
    for arrays in (
        {"vertices": vertices},
        {"vertices": vertices, "start": [0, 8]},
        {"vertices": vertices, "start": [0.0, len(vertices)]},
        {"vertices": vertices * np.nan, "start": [0, len(vertices)]},
        {"vertices": flat, "start": [0, 8]},
        {"vertices": np.array([None]), "start": [0, 1]},
    ):
        np.savez(tmp_path / "x.npz", **arrays)
        bad.append((tmp_path / "x.npz").read_bytes())
        (tmp_path / "x.npz").unlink()
    for k, data in enumerate(bad):
        file.write_bytes(data)
        assert module._read(file) is None, k
    assert len(fresh) == 1
    module._known.clear()
    assert same(pieces, angle().decompose(cache=tmp_path))
    assert len(fresh) == 2
    assert [f.name for f in tmp_path.iterdir()] == [file.name], "no parts are left"
    assert same(pieces, module._read(file)), "mended"


def test_a_process_keeps_so_many(fresh, monkeypatch):
    monkeypatch.setattr(module, "REMEMBERED", 2)
    for seed in (0, 1, 2):
        angle().decompose(seed=seed)
    angle().decompose(seed=2)
    assert len(fresh) == 3
    angle().decompose(seed=0)
    assert len(fresh) == 4
    assert len(module._known) == 2


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("threshold", 0.001),
        ("threshold", 1.5),
        ("threshold", "0.1"),
        ("threshold", float("nan")),
        ("most", 0),
        ("most", -2),
        ("most", 2.0),
        ("most", True),
        ("seed", -1),
        ("seed", 2**32),
        ("seed", 0.5),
        ("cache", 3),
        ("cache", ""),
        ("cache", "a\0b"),
        ("cache", __file__),
    ],
)
def test_arguments_are_checked(name, value, fresh):
    with pytest.raises(CollisionError, match=f"^{name} must be .*, got "):
        angle().decompose(**{name: value})
    assert not fresh


def test_a_flat_mesh_is_refused():
    with pytest.raises(CollisionError, match="lie in one plane"):
        Mesh([[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0]], [[0, 1, 2], [0, 2, 3]]).decompose()


def test_where_coacd_ends_its_process_there_is_an_error(monkeypatch):
    monkeypatch.setattr(
        module, "WORKER", "import os, sys; print('no such luck', file=sys.stderr, flush=True); os.abort()"
    )
    with pytest.raises(CollisionError, match="coacd fails on this mesh of 20 triangles: no such luck"):
        angle().decompose(seed=77)


# ---- robots


ROBOT = """<robot name="r"><link name="l">
<collision><geometry><box size="1 1 1"/></geometry></collision>
<collision><origin xyz="0 0 2"/><geometry><mesh filename="angle.obj"/></geometry></collision>
<collision><geometry><mesh filename="{}.obj" scale="2 2 2"/></geometry></collision>
</link></robot>"""


def write_obj(path, mesh):
    lines = ["v {} {} {}".format(*v) for v in mesh.vertices] + ["f {} {} {}".format(*(f + 1)) for f in mesh.faces]
    path.write_text("\n".join(lines) + "\n")


@pytest.fixture
def robot(tmp_path):
    write_obj(tmp_path / "angle.obj", angle())
    (tmp_path / "flat.obj").write_text("v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nf 1 2 3 4\n")
    file = tmp_path / "r.urdf"
    file.write_text(ROBOT.format("angle"))
    return file


def test_a_robots_meshes_become_pieces(robot):
    found = load_urdf(robot, collision_mesh="decompose").find_body("l").collision
    assert [g.name for g in found] == ["l/0", "l/1/0", "l/1/1", "l/2/0", "l/2/1"]
    volumes = [g.shape.volume for g in found[1:]]
    assert sum(volumes[:2]) == pytest.approx(3.0, rel=0.01)
    assert sum(volumes[2:]) == pytest.approx(24.0, rel=0.01)
    assert found[1].pose.translation.tolist() == found[2].pose.translation.tolist() == [0.0, 0.0, 2.0]
    assert all(isinstance(g.shape, ConvexHull) for g in found[1:])


def test_a_flat_mesh_of_a_robot_collides_as_triangles(robot):
    robot.write_text(ROBOT.format("flat"))
    m = load_urdf(robot, collision_mesh="decompose")
    assert [g.name for g in m.find_body("l").collision] == ["l/0", "l/1/0", "l/1/1", "l/2"]
    assert isinstance(m.find_body("l").collision[3].shape, Mesh)
    assert any("lie in one plane" in line and "triangles are taken" in line for line in map(str, m.diagnostics))


def test_robots_need_coacd_only_for_pieces(robot, fresh, monkeypatch):
    no_coacd(monkeypatch)
    assert len(load_urdf(robot).find_body("l").collision) == 3
    with pytest.raises(MissingExtraError, match=r"rbdyn\[mesh\]"):
        load_urdf(robot, collision_mesh="decompose")
    with pytest.raises(
        Error, match="collision_mesh must be one of 'hull', 'decompose', 'triangles', 'skip', got 'box'"
    ):
        load_urdf(robot, collision_mesh="box")
