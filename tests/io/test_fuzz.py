"""Mutated robot files: whatever comes, a mechanism of finite numbers or one of our errors."""

import os

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from rbdyn import models
from rbdyn.errors import Error
from rbdyn.io import load_urdf

RUNS = int(os.environ.get("SEEDS", "4"))  # more by night
INERTIAL = '<inertial><origin xyz="0 0 1" rpy="1 0 0"/><mass value="1"/>'
INERTIAL += '<inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial>'
DIALECT = f"""<robot name="r"><link name="world"/><link name="b" sensor="s.xml">{INERTIAL}
<visual><geometry><sphere radius="1"/></geometry><material name="m"><color rgba="1 0 0 1"/></material></visual>
<collision><geometry><capsule radius="1" height="2"/></geometry><material><contact name="steel"/></material></collision>
<collision><geometry><mesh filename="a.stl" scale="1 1 1"/></geometry></collision></link><link name="c"/>
<joint name="j" type="spherical"><parent link="world"/><child link="b"/>
<dynamics rotor_inertia="0.1" stiffness="5" spring_mount="1 0 0 0"/></joint>
<joint name="k" type="planar"><parent link="b"/><child link="c"/><axis xyz="0 0 1"/>
<limit effort="1" velocity="1"/><mimic joint="j"/></joint></robot>"""

SEEDS = [DIALECT, models.path("double_pendulum").read_text(), models.path("quadruped").read_text()[:4000] + "</robot>"]
TOKENS = (
    [
        "",
        '"',
        "<",
        ">",
        "/>",
        "&",
        "&#0;",
        "&amp;",
        "<!--",
        "]]>",
        "<?x",
        "<!DOCTYPE a>",
        "\0",
        "\u0661",
        "\ufeff",
        "\ud800",
    ]
    + [
        "nan",
        "inf",
        "1e308",
        "-1e308",
        "1e-320",
        "1e30",
        "-0",
        "0",
        "0 0 0",
        "1_0",
        "0x1",
        "0,5",
        "@@x",
        "{1}",
        "${a}",
        " ",
    ]
    + [
        'name="b"',
        'name=""',
        'link="c"',
        'link="world"',
        'type="floating"',
        'type="prismatic"',
        'type="fixed"',
        "joint",
        "link",
    ]
    + [
        "<link/>",
        '<link name="z"/>',
        "<inertial/>",
        "<geometry/>",
        "<mimic/>",
        '<mimic joint="k"/>',
        "<constraints><pin/>",
    ]
    + ["package://", "http://", "../", "/dev/zero", "x" * 3000, "<a>" * 300]
)


@st.composite
def mutants(draw):
    """A seed with up to five cuts, each replaced by a token or by another piece of the text."""
    text = draw(st.sampled_from(SEEDS))
    for _ in range(draw(st.integers(1, 5))):
        start = draw(st.integers(0, len(text)))
        length = draw(st.integers(0, 30))
        other = draw(st.integers(0, len(text)))
        piece = draw(st.sampled_from(TOKENS) | st.just(text[other : other + length]))
        text = text[:start] + piece + text[start + length :]
    return text


def all_numbers(mechanism):
    for body in mechanism.bodies:
        yield from (body.inertia.matrix, body.inertia.com)
        yield from (g.pose.matrix for g in (*body.collision, *body.visual))
    for joint in mechanism.joints:
        edge = mechanism.edge(joint)
        yield from (edge.joint_pose.matrix, joint.spring_reference)
        yield np.array([joint.damping, joint.friction, joint.stiffness, joint.rotor_inertia])


def check(source):
    try:
        mechanism = load_urdf(source, text=True)
    except Error as error:
        assert str(error)
        assert len(str(error)) < 5000
        return
    for numbers in all_numbers(mechanism):
        assert np.isfinite(numbers).all()
    mechanism.remove_fixed_tree_joints()


@settings(max_examples=125 * RUNS, deadline=None)
@given(mutants())
def test_mutated_text(text):
    check(text)


@settings(max_examples=50 * RUNS, deadline=None)
@given(st.sampled_from(SEEDS), st.lists(st.tuples(st.integers(0, 10_000), st.integers(0, 255)), min_size=1, max_size=4))
def test_mutated_bytes(text, changes):
    data = bytearray(text.encode())
    for place, value in changes:
        data[place % len(data)] = value
    check(bytes(data))


NUMBERS = ["1", "0", "-1", "1e30", "-1e30", "1e-30", "1e-320", "3.14", "1e15"]


@settings(max_examples=50 * RUNS, deadline=None)
@given(st.lists(st.sampled_from(NUMBERS), min_size=16, max_size=16))
def test_extreme_numbers(n):
    """Legal numbers of any size never make a mechanism that is not finite."""
    check(
        f'<robot name="r"><link name="a"/><link name="b"><inertial><origin xyz="{n[0]} {n[1]} {n[2]}" '
        f'rpy="{n[3]} {n[4]} {n[5]}"/><mass value="{n[6]}"/><inertia ixx="{n[7]}" ixy="{n[8]}" ixz="0" iyy="{n[9]}" '
        f'iyz="{n[10]}" izz="{n[11]}"/></inertial></link>'
        '<joint name="j" type="fixed"><parent link="a"/><child link="b"/>'
        f'<origin xyz="{n[12]} {n[13]} {n[14]}" rpy="0 {n[15]} 1"/></joint></robot>'
    )
