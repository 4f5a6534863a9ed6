"""Which files a robot file may name, and which it may not."""

import os
import sys
from pathlib import Path

import pytest

from rbdyn.collision.shapes import ConvexHull, Mesh
from rbdyn.errors import FileError, MeshError, PathError
from rbdyn.io import load_mesh, load_urdf
from rbdyn.io.paths import FileFinder, MissingFileError, read_regular

TETRAHEDRON = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 3 1 4\n"


def robot(filename, tag="collision", scale=""):
    geometry = f'<geometry><mesh filename="{filename}"{scale}/></geometry>'
    return f'<robot name="r">\n<link name="l"><{tag}>{geometry}</{tag}></link></robot>'


@pytest.fixture
def package(tmp_path):
    """A package "bot" with urdf/ and meshes/, a neighbour "other", and a file outside."""
    for folder in ("ws/bot/urdf", "ws/bot/meshes", "ws/other/meshes", "elsewhere"):
        (tmp_path / folder).mkdir(parents=True)
    (tmp_path / "ws/bot/package.xml").write_text("<package/>")
    for file in ("ws/bot/urdf/near.obj", "ws/bot/meshes/a.obj", "ws/other/meshes/b.obj", "elsewhere/c.obj", "ws/d.obj"):
        (tmp_path / file).write_text(TETRAHEDRON)
    return tmp_path


def shapes(package, filename, **options):
    file = package / "ws/bot/urdf/bot.urdf"
    file.write_text(robot(filename))
    m = load_urdf(file, **options)
    return [g.shape for g in m.find_body("l").collision], m.diagnostics


@pytest.mark.parametrize(
    "filename",
    [
        "near.obj",
        "./near.obj",
        "../meshes/a.obj",
        "package://bot/meshes/a.obj",
        "package:///bot/meshes/a.obj",
        "model://bot/meshes/a.obj",
        "package://other/meshes/b.obj",
        "{root}/ws/bot/meshes/a.obj",
        "file://{root}/ws/bot/meshes/a.obj",
        "file://near.obj",
        "../urdf/../meshes/a.obj",
    ],
)
def test_found(package, filename):
    found, warnings = shapes(package, filename.format(root=package))
    assert len(found) == 1
    assert isinstance(found[0], ConvexHull)
    assert not [w for w in warnings if "<mesh>" in w]


@pytest.mark.parametrize(
    "filename",
    [
        "../../d.obj",
        "../../../elsewhere/c.obj",
        "{root}/elsewhere/c.obj",
        "file://{root}/elsewhere/c.obj",
        "package://bot/../../elsewhere/c.obj",
        "package://bot/../other/../d.obj",
        "link.obj",
        "folder/c.obj",
        "/etc/passwd.obj/..",
    ],
)
def test_outside_is_refused_even_if_it_is_there(package, filename):
    (package / "ws/bot/urdf/link.obj").symlink_to(package / "elsewhere/c.obj")
    (package / "ws/bot/urdf/folder").symlink_to(package / "elsewhere")
    with pytest.raises(FileError) as caught:
        shapes(package, filename.format(root=package))
    message = str(caught.value)
    assert message.startswith(f"{package}/ws/bot/urdf/bot.urdf:2: <mesh> of geometry 'l/0': ")
    if ".." not in filename[-3:]:
        assert isinstance(caught.value, PathError)
        assert "resource_dirs" in message


@pytest.mark.parametrize("filename", ["{root}/elsewhere/c.obj", "c.obj", "package://elsewhere/c.obj"])
def test_resource_dirs_allow_more(package, filename):
    found, _ = shapes(package, filename.format(root=package), resource_dirs=[package / "elsewhere"])
    assert len(found) == 1
    found, _ = shapes(package, filename.format(root=package), resource_dirs=str(package / "elsewhere"))
    assert len(found) == 1


def test_text_has_no_folder_of_its_own(package):
    assert any("give resource_dirs" in w for w in load_urdf(robot("near.obj")).diagnostics)
    m = load_urdf(robot("near.obj"), resource_dirs=[package / "ws/bot/urdf"])
    assert len(m.find_body("l").collision) == 1


@pytest.mark.parametrize(
    "variable, value", [("ROS_PACKAGE_PATH", "{root}/far:/nowhere"), ("AMENT_PREFIX_PATH", "{root}/far")]
)
def test_packages_of_the_ros_environment(package, monkeypatch, variable, value):
    home = package / "far" / ("share/kit" if variable.startswith("AMENT") else "kit")
    home.mkdir(parents=True)
    (home / "e.obj").write_text(TETRAHEDRON)
    missing, warnings = shapes(package, "package://kit/e.obj")
    assert missing == []
    assert any("unknown package 'kit'" in w for w in warnings)
    monkeypatch.setenv(variable, value.format(root=package))
    found, _ = shapes(package, "package://kit/e.obj")
    assert len(found) == 1


def test_missing_mesh_policies(package):
    found, warnings = shapes(package, "gone.stl")
    assert found == []
    (warning,) = [w for w in warnings if "gone.stl" in w]
    assert warning.startswith(f"{package}/ws/bot/urdf/bot.urdf:2: <mesh> of geometry 'l/0': ")
    assert f"{package}/ws/bot/urdf/gone.stl" in warning
    found, warnings = shapes(package, "gone.stl", on_missing_mesh="skip")
    assert found == []
    assert not [w for w in warnings if "gone.stl" in w]
    with pytest.raises(PathError, match="gone.stl"):
        shapes(package, "gone.stl", on_missing_mesh="error")


@pytest.mark.parametrize("policy", ["warn", "error", "skip"])
@pytest.mark.parametrize(
    "filename", ["http://example.org/a.stl", "HTTPS://example.org/a.stl", "ftp://x/a.obj", "x+y://a.obj"]
)
@pytest.mark.parametrize("tag", ["collision", "visual"])
def test_other_schemes_are_refused(filename, policy, tag):
    with pytest.raises(PathError, match="is not read"):
        load_urdf(robot(filename, tag), on_missing_mesh=policy)


@pytest.mark.parametrize("filename", ["package://", "package://../x/a.obj", "package://./a.obj"])
def test_odd_packages_are_refused(package, filename):
    with pytest.raises(FileError):
        shapes(package, filename + ".obj" * (not filename.endswith(".obj")))


def test_the_root_of_the_file_system_is_no_package(tmp_path):
    file = tmp_path / "bot.urdf"
    file.write_text(robot("x"))
    finder = FileFinder(file, ())
    with pytest.raises(MissingFileError, match="unknown package 'etc'"):
        finder.find("package://etc/passwd")


def test_only_regular_files(tmp_path):
    with pytest.raises(PathError, match="is a folder"):
        load_urdf(tmp_path)
    (tmp_path / "m.stl").mkdir()
    (tmp_path / "bot.urdf").write_text(robot("m.stl"))
    with pytest.raises(PathError, match="is a folder"):
        load_urdf(tmp_path / "bot.urdf")
    if hasattr(os, "mkfifo"):
        os.mkfifo(tmp_path / "pipe.urdf")
        with pytest.raises(PathError, match="pipe"):
            load_urdf(tmp_path / "pipe.urdf")
        with pytest.raises(PathError, match="device"):
            read_regular("/dev/zero", 10)


def test_size_is_checked_before_reading(tmp_path):
    file = tmp_path / "big.stl"
    with file.open("wb") as f:
        f.truncate(1 << 40)  # a hole: no disk, no memory
    with pytest.raises(PathError, match="1099511627776 bytes"):
        load_mesh(file)
    (tmp_path / "big.urdf").symlink_to(file)
    with pytest.raises(PathError, match="bytes"):
        load_urdf(tmp_path / "big.urdf")


def test_resource_dirs_are_checked(tmp_path):
    for bad in (["/no/such/folder"], [3], [tmp_path / "x"]):
        with pytest.raises(PathError, match="resource_dirs"):
            load_urdf(robot("a.stl"), resource_dirs=bad)


def test_visual_meshes_are_left_out_unless_asked_for(package):
    file = package / "ws/bot/urdf/bot.urdf"
    file.write_text(robot("near.obj", "visual"))
    assert load_urdf(file).find_body("l").visual == []
    (item,) = load_urdf(file, visual_meshes=True).find_body("l").visual
    assert isinstance(item.shape, Mesh)
    assert Path(item.shape.path) == (package / "ws/bot/urdf/near.obj").resolve()


def test_collision_mesh_choices(package):
    (hull,), _ = shapes(package, "near.obj")
    (mesh,), _ = shapes(package, "near.obj", collision_mesh="triangles")
    assert isinstance(hull, ConvexHull)
    assert isinstance(mesh, Mesh)
    assert shapes(package, "near.obj", collision_mesh="skip")[0] == []


def test_a_file_is_read_once(package, monkeypatch):
    reads = []

    def counting(path, cap, resolved):
        reads.append(Path(path).name)
        return read_regular(path, cap, resolved)

    monkeypatch.setattr("rbdyn.io.paths.read_regular", counting)
    one = '<collision><geometry><mesh filename="near.obj"{}/></geometry></collision>'
    file = package / "ws/bot/urdf/bot.urdf"
    content = one.format("") * 3 + one.format(' scale="2 2 2"')
    file.write_text(f'<robot name="r"><link name="l">{content}</link></robot>')
    a, b, c, d = (g.shape for g in load_urdf(file).find_body("l").collision)
    assert reads == ["near.obj"]
    assert a is b is c
    assert d.vertices.max() == 2


def test_a_flat_mesh_collides_as_triangles(package):
    (package / "ws/bot/urdf/flat.obj").write_text("v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nf 1 2 3 4\n")
    (shape,), warnings = shapes(package, "flat.obj")
    assert isinstance(shape, Mesh)
    assert any("lie in a plane" in w and "triangles are taken" in w for w in warnings)


def test_unknown_formats_and_malformed_meshes_raise(package):
    (package / "ws/bot/urdf/a.fbx").write_bytes(b"FBX")
    with pytest.raises(MeshError, match=r"bot.urdf:2: .*'\.fbx' is not read; choices: \.stl"):
        shapes(package, "a.fbx")
    (package / "ws/bot/urdf/a.stl").write_bytes(b"junk")
    with pytest.raises(MeshError, match=r"bot.urdf:2: <mesh> of geometry 'l/0': .*a\.stl: not an STL file"):
        shapes(package, "a.stl")


OBJ = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 1 4 3\n"
MESH = '<robot name="r"><link name="l"><collision><geometry><mesh filename="{}"/></geometry></collision></link></robot>'


# ---- what leads elsewhere --------------------------------------------------------------------------


def test_packages_are_not_found_in_the_home_folder(tmp_path, monkeypatch):
    """A robot in a folder of the home folder sees neither what lies beside that, nor the home folder itself."""
    home = tmp_path / "home" / "ada"
    robots = home / "Downloads" / "robots"
    for folder in (home / ".ssh", home / "private", robots / "beside", robots / "bot"):
        folder.mkdir(parents=True)
        (folder / "a.obj").write_text(OBJ)
    file = robots / "bot" / "bot.urdf"
    monkeypatch.setenv("HOME", str(home))
    for name in ("ada/private", "private", ".ssh", "home/ada/.ssh", "etc", "tmp"):
        file.write_text(MESH.format(f"package://{name}/a.obj"))
        with pytest.raises(PathError, match="package|no file"):
            load_urdf(file, on_missing_mesh="error")
    for name in ("beside", "robots/beside", "bot"):
        file.write_text(MESH.format(f"package://{name}/a.obj"))
        assert len(load_urdf(file).find_body("l").collision) == 1


def test_packages_are_found_four_folders_up_and_no_farther(tmp_path, monkeypatch):
    monkeypatch.setenv("HOME", "/nonexistent")
    deep = tmp_path / "near" / "1" / "2" / "3" / "4"
    deep.mkdir(parents=True)
    for name in (tmp_path / "far", tmp_path / "near" / "pack"):
        name.mkdir()
        (name / "a.obj").write_text(OBJ)
    finder = FileFinder(deep / "r.urdf")
    assert finder.find("package://pack/a.obj") == (tmp_path / "near" / "pack" / "a.obj").resolve()
    with pytest.raises(PathError, match="unknown package 'far'"):
        finder.find("package://far/a.obj")
    assert FileFinder(deep / "r.urdf", tmp_path).find("package://far/a.obj")


def test_allow_outside(tmp_path):
    (tmp_path / "out.obj").write_text(OBJ)
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "link.obj").symlink_to(tmp_path / "out.obj")
    robot = tmp_path / "in" / "r.urdf"
    for name in ("../out.obj", "link.obj", str(tmp_path / "out.obj"), f"file://{tmp_path}/out.obj"):
        robot.write_text(MESH.format(name))
        with pytest.raises(PathError, match="lies outside the folders.*allow_outside=True"):
            load_urdf(robot)
        assert len(load_urdf(robot, allow_outside=True).find_body("l").collision) == 1


def test_a_base_dir_of_a_text(tmp_path):
    (tmp_path / "a.obj").write_text(OBJ)
    text = MESH.format("a.obj")
    assert len(load_urdf(text, base_dir=tmp_path).find_body("l").collision) == 1
    assert load_urdf(text).find_body("l").collision == []


@pytest.mark.parametrize("exchanged", ["the file", "its folder"])
def test_a_link_put_in_its_place_gains_nothing(tmp_path, exchanged):
    """Between the judgement of a path and its opening somebody exchanges what is there."""
    secret, folder = tmp_path / "secret", tmp_path / "robot" / "meshes"
    for place in (secret, folder):
        place.mkdir(parents=True)
        (place / "a.obj").write_text(OBJ)
    finder = FileFinder(tmp_path / "robot" / "r.urdf")
    path = finder.find("meshes/a.obj")
    assert finder.read(path, 1000) == OBJ.encode()
    if exchanged == "the file":
        path.unlink()
        path.symlink_to(secret / "a.obj")
    else:
        folder.rename(tmp_path / "robot" / "old")
        folder.symlink_to(secret)
    with pytest.raises(PathError, match="was exchanged for another file"):
        finder.read(path, 1000)


def test_reading_takes_the_memory_of_the_file_not_of_the_limit(tmp_path):
    import tracemalloc

    file = tmp_path / "a.txt"
    file.write_bytes(b"x" * 1000)
    tracemalloc.start()
    try:
        assert read_regular(file, 512 << 20) == b"x" * 1000
        assert tracemalloc.get_traced_memory()[1] < 100_000
    finally:
        tracemalloc.stop()
    assert read_regular(file, 1000) == b"x" * 1000
    with pytest.raises(PathError, match="has 1000 bytes, at most 999 are read"):
        read_regular(file, 999)


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="files that have no size are Linux's")
def test_files_that_state_no_size():
    assert b"Name:" in read_regular("/proc/self/status", 1 << 20)
    with pytest.raises(PathError, match="has more than 100 bytes"):
        read_regular("/proc/self/status", 100)
