"""SDF: in which frame an axis is, which depends on the version of the file."""

from __future__ import annotations

import numpy as np
import pytest
from reference.compare import close

import rbdyn
from rbdyn import io

INERTIAL = "<inertial><mass>1</mass></inertial>"
QUARTER = 1.5707963267948966


def axis_in_model(version, inside, attributes=""):
    """The axis of a hinge whose joint frame is turned by a quarter about z."""
    m = io.load_sdf(f"""<sdf version="{version}"><model name="m"><link name="a">{INERTIAL}</link>
      <link name="b"><pose>1 0 0 0 0 {QUARTER}</pose>{INERTIAL}</link>
      <joint name="j" type="revolute"><parent>a</parent><child>b</child>
        <axis><xyz{attributes}>1 0 0</xyz>{inside}</axis></joint></model></sdf>""")
    j = m.find_joint("j")
    return m.edge(j).joint_pose.rotation @ np.array(j.axis), m.diagnostics


FLAG = "<use_parent_model_frame>{}</use_parent_model_frame>"
MODEL, JOINT = (1, 0, 0), (0, 1, 0)


@pytest.mark.parametrize(
    ("version", "inside", "attributes", "expected"),
    [
        ("1.4", "", "", MODEL),
        ("1.3", "", "", MODEL),
        ("1.4", FLAG.format("0"), "", JOINT),
        ("1.5", "", "", JOINT),
        ("1.5", FLAG.format("1"), "", MODEL),
        ("1.6", FLAG.format("True"), "", MODEL),
        ("1.6", FLAG.format("false"), "", JOINT),
        ("1.7", "", "", JOINT),
        ("1.7", "", ' expressed_in="__model__"', MODEL),
        ("1.7", "", ' expressed_in="a"', MODEL),
        ("1.10", "", "", JOINT),
    ],
)
def test_frames_of_axes(version, inside, attributes, expected):
    axis, diagnostics = axis_in_model(version, inside, attributes)
    close(axis, expected, 1e-15)
    assert not diagnostics


def test_a_word_of_older_files_is_said():
    axis, diagnostics = axis_in_model("1.9", FLAG.format("true"))
    close(axis, JOINT, 1e-15)
    assert diagnostics == ['<text>:4: <use_parent_model_frame> is a word of SDF before 1.7, and not read; since then '
            '<xyz expressed_in="__model__"> says it']  # fmt: skip


def test_versions():
    link = f'<model name="m"><link name="a">{INERTIAL}</link></model></sdf>'
    assert io.load_sdf(f"<sdf>{link}").diagnostics == ["<text>:1: <sdf> without its version; it is read as one of 1.12"]
    assert "'2.0'> is newer than 1.12" in io.load_sdf(f'<sdf version="2.0">{link}').diagnostics[0]
    with pytest.raises(rbdyn.SdfError, match=r"^<text>:1: <sdf>: version='new': needed two numbers, such as 1\.9"):
        io.load_sdf(f'<sdf version="new">{link}')


@pytest.mark.parametrize("word", ["frame", "relative_to"])
def test_the_frame_of_a_pose_by_either_name(word):
    m = io.load_sdf(f"""<sdf version="1.6"><model name="m"><link name="a"><pose {word}="">0 0 1 0 0 0</pose>{INERTIAL}
      </link><link name="b"><pose {word}="a">0 0 1 0 0 0</pose>{INERTIAL}</link></model></sdf>""")
    close(m.edge(m.find_joint("b_free")).joint_pose.translation, (0, 0, 2), 1e-15)


def test_help_names_the_page():
    assert "docs/sdf.md" in io.load_sdf.__doc__
