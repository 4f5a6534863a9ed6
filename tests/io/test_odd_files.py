"""What other people's files hold that others read, and what was passed over in silence."""

import os
import tokenize

import numpy as np
import pytest

import rbdyn
from rbdyn import io
from rbdyn.collision import HeightMap
from rbdyn.errors import PathError, RecordingError, UrdfError

INERTIA = '<inertial><mass value="1"/><inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial>'


def robot(inside):
    return f'<robot name="r">\n<link name="a">{INERTIA}</link>\n{inside}</robot>'


@pytest.mark.parametrize("kind", [str, str.encode])
def test_prefixes_that_are_declared_nowhere(kind):
    text = robot('<drake:joint name="x"/>\n<link name="b" gz:color="1"/>\n<joint name="j" type="fixed">'
                 '<parent link="a"/><child link="b"/><drake:acceleration value="1"/></joint>')  # fmt: skip
    m = io.load_urdf(kind(text))
    assert [body.name for body in m.bodies] == ["world", "a", "b"]
    said = "\n".join(m.diagnostics)
    assert "<text>:1: the prefix 'drake' is declared nowhere" in said and "the prefix 'gz'" in said
    assert "<text>:3: unknown tag <drake:joint>" in said and "<text>:5: unknown tag <drake:acceleration>" in said
    with pytest.raises(UrdfError, match="the prefix 'drake' is declared nowhere"):
        io.load_urdf(kind(text), strict=True)


def test_many_prefixes_end():
    text = robot("".join(f"<p{k}:x/>" for k in range(100)))
    with pytest.raises(UrdfError, match="Namespace prefix"):
        io.load_urdf(text)


def test_arguments_that_no_xacro_file_asks_for(tmp_path):
    pytest.importorskip("xacro")
    head = '<robot name="r" xmlns:xacro="http://www.ros.org/wiki/xacro">'
    file = tmp_path / "r.xacro"
    file.write_text(f'{head}<xacro:arg name="mass" default="2"/><link name="$(arg mass)"/></robot>')
    m = io.load_xacro(file, {"mass": 3, "zz": 1})
    assert [body.name for body in m.bodies][1:] == ["3"]
    assert [line for line in m.diagnostics if "argument 'zz' is asked for nowhere" in line]
    assert not [line for line in m.diagnostics if "'mass'" in line]


def test_objects_keep_what_is_for_other_programs(tmp_path):
    urchin = pytest.importorskip("urchin")
    text = robot(f'<link name="b">{INERTIA}</link><joint name="j" type="revolute"><parent link="a"/><child link="b"/>'
                 '<axis xyz="0 0 1"/><limit lower="-1" upper="1" effort="1" velocity="1"/>'
                 '<safety_controller soft_lower_limit="-0.9" soft_upper_limit="0.9" k_position="100" k_velocity="2"/>'
                 '<calibration rising="0.5"/></joint>')  # fmt: skip
    (tmp_path / "r.urdf").write_text(text)
    loaded = urchin.URDF.load(str(tmp_path / "r.urdf"), lazy_load_meshes=True)
    found = io.from_urdfpy(loaded).find_joint("j").annotations
    wanted = io.load_urdf(text).find_joint("j").annotations
    assert {tag: {k: float(v) for k, v in words.items()} for tag, words in found.items()} == {
        tag: {k: float(v) for k, v in words.items()} for tag, words in wanted.items()
    }
    assert found["safety_controller"]["k_position"] == "100"


@pytest.mark.filterwarnings("ignore:URDF in dialect:rbdyn.ExportWarning")
def test_pins_of_a_robot_that_cannot_move():
    fixed = f'<link name="b">{INERTIA}</link><joint name="j" type="fixed"><parent link="a"/><child link="b"/></joint>'
    pin = '<constraints nominal_config=""><pin body1="a" body2="b" anchor="0 0 1"/></constraints>'
    m = io.load_urdf(robot(fixed + pin), floating=False)
    assert len(m.non_tree_joints) == 1 and m.num_positions == 0
    assert len(io.load_urdf(io.urdf_text(m)).non_tree_joints) == 1


SENSOR = '<sensor_set name="s"><link><sensor name="i" type="imu">{0}</sensor></link></sensor_set>'


@pytest.mark.parametrize(
    "inside, match",
    [
        ('<camera horizontal_fov="1"/>', "<camera> is not of a sensor of type imu"),
        ('<noise stddev="2"/>', "has no type; there is no noise"),
    ],
)
def test_parts_of_sensors_that_do_nothing(inside, match):
    with pytest.raises(UrdfError, match=match):
        io.load_sensor_set(SENSOR.format(inside), strict=True)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no pipes here")
@pytest.mark.parametrize("name", ["run", "run.npz"])
def test_a_pipe_is_no_recording(tmp_path, name):
    os.mkfifo(tmp_path / name)
    with pytest.raises(PathError, match="is no regular file"):
        rbdyn.load_recording(tmp_path / name)


def test_an_array_whose_head_is_no_python(tmp_path):
    head = b"{'descr': '<f8', 'fortran_order': False, 'shape': (".ljust(117) + b"\n"
    with pytest.raises((tokenize.TokenError, ValueError, SyntaxError)):
        np.lib.format.read_array_header_1_0(__import__("io").BytesIO(len(head).to_bytes(2, "little") + head))
    import zipfile

    with zipfile.ZipFile(tmp_path / "run.npz", "w") as file:
        file.writestr("recording/said.npy", b"\x93NUMPY\x01\x00" + len(head).to_bytes(2, "little") + head)
    with pytest.raises(RecordingError, match="is malformed"):
        rbdyn.load_recording(tmp_path / "run.npz")


def test_maps_that_are_nowhere(tmp_path):
    with pytest.raises(PathError, match="cannot be read: No such file"):
        HeightMap.from_text(tmp_path / "none")
    pytest.importorskip("PIL")
    with pytest.raises(PathError, match="cannot be read: No such file"):
        HeightMap.from_png(tmp_path / "none", (1.0, 1.0), height_scale=1.0)


def test_pieces_of_a_file_are_no_loss(tmp_path):
    """What the reader itself numbers LINK/0/0, LINK/0/1 is no name that gets lost."""
    m = io.load_urdf(robot(""))
    box = rbdyn.collision.Box((1.0, 1.0, 1.0))
    m.find_body("a").visual = [rbdyn.Geometry(box, name="a/0/0"), rbdyn.Geometry(box, name="a/1")]
    io.urdf_text(m, strict=True)
    m.find_body("a").visual = [rbdyn.Geometry(box, name="nose")]
    with pytest.raises(rbdyn.Error, match="names of shapes"):
        io.urdf_text(m, strict=True)
