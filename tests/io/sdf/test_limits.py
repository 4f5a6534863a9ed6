"""SDF: limits of joints, and joints that theirs hold at one position."""

from __future__ import annotations

import math

import numpy as np
import pytest
from reference.compare import close

import rbdyn
from rbdyn import io
from rbdyn.mechanism import Fixed

INERTIAL = "<inertial><mass>1</mass></inertial>"


def robot(*joints):
    """Links l0 at the origin, l1 at x = 1, l2 at x = 2, ..., each on the one before, by joints j1, j2, ..."""
    links = "".join(
        f'<link name="l{k}"><pose>{k} 0 0 0 0 0</pose>{INERTIAL}</link>' for k in range(len(joints) + 1)
    )  # fmt: skip
    joined = "".join(
        f'<joint name="j{k}" type="{kind}"><parent>l{k - 1}</parent><child>l{k}</child>{inside}</joint>'
        for k, (kind, inside) in enumerate(joints, 1)
    )
    return io.load_sdf(f'<sdf version="1.9"><model name="m">{links}{joined}</model></sdf>')


def axis(limit, other="", xyz="0 0 1"):
    return f"<axis><xyz>{xyz}</xyz><limit>{limit}</limit>{other}</axis>"


def ends(lower, upper):
    return f"<lower>{lower}</lower><upper>{upper}</upper>"


def pose(m, name):
    state = rbdyn.State(rbdyn.Model(m))
    state.set(state.model.neutral(), np.zeros(state.model.nv))
    return rbdyn.body_pose(state, m.find_body(name))


def turned(angle):
    c, s = math.cos(angle), math.sin(angle)
    return [[c, -s, 0], [s, c, 0], [0, 0, 1]]


@pytest.mark.parametrize(("kind", "limit", "turn", "shift", "said"), [
    ("revolute", ends(0, 0), 0, (0, 0, 0), "0 rad"),
    ("revolute", ends(0.5, 0.5), 0.5, (0, 0, 0), "0.5 rad"),
    ("prismatic", ends(-0.25, -0.25), 0, (0, 0, -0.25), "-0.25 m"),
    ("screw", ends(0.5, 0.5), 0.5, (0, 0, 0.5 * 0.1 / (2 * math.pi)), "0.5 rad"),
])  # fmt: skip
def test_equal_limits_hold_a_joint_there(kind, limit, turn, shift, said):
    m = robot((kind, axis(limit) + "<screw_thread_pitch>0.1</screw_thread_pitch>" * (kind == "screw")))
    assert m.find_joint("j1").joint_type == Fixed()
    X = pose(m, "l1")
    close(X[:3, :3], turned(turn), 1e-15)
    close(X[:3, 3], np.add((1, 0, 0), shift), 1e-15)
    assert m.diagnostics == [f"<text>:1: joint 'j1': lower == upper: made a fixed joint at {said}"]


def test_what_follows_a_joint_that_is_held_is_held():
    """q2 = 2 (q1 - 0.1) + 0.3, q3 = -q2."""
    follow = '<mimic joint="{}"><multiplier>{}</multiplier><offset>{}</offset><reference>{}</reference></mimic>'
    m = robot(
        ("revolute", axis(ends(0.5, 0.5))),
        ("revolute", axis("", follow.format("j1", 2, 0.3, 0.1))),
        ("continuous", axis("", follow.format("j2", -1, 0, 0))),
        ("continuous", axis("")),
    )
    assert [type(m.find_joint(f"j{k}").joint_type).__name__ for k in (1, 2, 3, 4)] == ["Fixed"] * 3 + ["Revolute"]
    close(pose(m, "l3")[:3, :3], turned(0.5 + 1.1 - 1.1), 1e-14)
    close(pose(m, "l2")[:3, :3], turned(0.5 + 1.1), 1e-14)
    assert "joint 'j3': it follows joint 'j2', which is fixed: made a fixed joint at -1.1 rad" in m.diagnostics[2]


def test_no_velocity_is_no_limit():
    """As in URDF; and -1, SDF's own word for none, needs no line."""
    m = robot(("revolute", axis("<velocity>0</velocity><effort>0</effort>")),
              ("revolute", axis("<velocity>-1</velocity><effort>-1</effort>")),
              ("revolute", axis("<velocity>inf</velocity><effort>inf</effort>")),
              ("revolute", axis("<velocity>2</velocity><effort>3</effort>")))  # fmt: skip
    assert [m.find_joint(f"j{k}").velocity_limit for k in (1, 2, 3, 4)] == [None, None, None, 2]
    assert [m.find_joint(f"j{k}").effort_limit for k in (1, 2, 3, 4)] == [0, None, None, 3]
    assert m.diagnostics == ["<text>:1: <limit>: velocity 0 would hold it still; taken as no limit",
                             "<text>:1: <limit>: effort 0: no motor can move it"]  # fmt: skip


def test_limits_of_joints_without_ends_are_said():
    m = robot(("continuous", axis(ends(0, 0))), ("ball", axis(ends(-1, 1))))
    assert m.find_joint("j1").num_velocities == 1
    assert [line.rpartition("<limit>: ")[2] for line in m.diagnostics] == [
        f"<lower> and <upper> of a {kind} joint are not read" for kind in ("continuous", "ball")]  # fmt: skip


def test_infinite_limits_that_are_equal():
    with pytest.raises(rbdyn.SdfError, match=r"^<text>:1: <limit>: lower and upper are both inf"):
        robot(("revolute", axis(ends("1e16", "inf"))))


def test_a_position_beyond_all_numbers():
    follow = '<mimic joint="j1"><multiplier>1e300</multiplier></mimic>'
    with pytest.raises(rbdyn.SdfError, match=r"^<text>:1: position of joint 'j2': "):
        robot(("revolute", axis(ends("1e15", "1e15"))), ("revolute", axis("", follow)))


def test_nothing_of_a_static_model_moves():
    links = "".join(f'<link name="{name}"><inertial><mass>1</mass></inertial></link>' for name in "abc")
    axis = "<axis><xyz>0 1 0</xyz></axis>"
    joints = "".join(
        f'<joint name="{a}{b}" type="{kind}"><parent>{a}</parent><child>{b}</child>{axis}</joint>'
        for a, b, kind in (("a", "b", "revolute"), ("b", "c", "prismatic"))
    )
    text = '<sdf version="1.7"><model name="m">{0}' + f"{links}{joints}</model></sdf>"
    assert io.load_sdf(text.format("")).num_velocities == 8
    m = io.load_sdf(text.format("<static>true</static>"))
    assert m.num_velocities == 0 and len(m.bodies) == 4
    assert [line for line in m.diagnostics if "nothing of it moves: joint 'ab' and 1 more made fixed" in line]
