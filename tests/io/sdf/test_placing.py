"""SDF: where a model is in its world, and joints between frames."""

from __future__ import annotations

import numpy as np
import pytest
from reference.compare import close

import rbdyn
from rbdyn import io
from rbdyn.spatial import Transform

INERTIAL = "<inertial><mass>1</mass></inertial>"
RNG = np.random.default_rng(5)
T = [Transform(rpy=RNG.uniform(-1, 1, 3), translation=RNG.uniform(-1, 1, 3)) for _ in range(8)]


def pose(k, relative_to=""):
    numbers = " ".join(map(repr, [*T[k].translation.tolist(), *T[k].rpy.tolist()]))
    return f"<pose{f' relative_to={relative_to!r}' if relative_to else ''}>{numbers}</pose>"


def poses(m):
    state = rbdyn.State(rbdyn.Model(m))
    state.set(state.model.neutral(), np.zeros(state.model.nv))
    return {body.name: rbdyn.body_pose(state, body) for body in m.bodies}


def product(*matrices):
    return np.linalg.multi_dot([*matrices, np.eye(4)])


X = [t.matrix for t in T]
inv = np.linalg.inv


@pytest.mark.parametrize(
    ("placed", "expected"),
    [("", X[0]), ("a", X[0] @ inv(X[1])), ("f", X[0] @ inv(X[1] @ X[2])), ("j", X[0] @ inv(X[3] @ X[4]))],
)
def test_the_pose_of_a_model_is_that_of_the_frame_it_names(placed, expected):
    named = f' placement_frame="{placed}"' if placed else ""
    m = io.load_sdf(f"""<sdf version="1.8"><model name="m"{named}>{pose(0)}<link name="a">{pose(1)}{INERTIAL}</link>
      <link name="b">{pose(3)}{INERTIAL}</link><frame name="f" attached_to="a">{pose(2)}</frame>
      <joint name="j" type="ball">{pose(4)}<parent>a</parent><child>b</child></joint></model></sdf>""")
    close(poses(m)["a"], expected @ X[1], 1e-14)
    close(poses(m)["b"], expected @ X[3], 1e-14)


def test_a_model_relative_to_frames_and_models_of_its_world():
    m = io.load_sdf(f"""<sdf version="1.8"><world name="w"><frame name="f">{pose(0)}</frame>
      <frame name="g" attached_to="n">{pose(1)}</frame>
      <model name="n">{pose(2, "f")}<link name="x">{INERTIAL}</link></model>
      <model name="m">{pose(3, "g")}<link name="a">{pose(4)}{INERTIAL}</link>
        <link name="b">{INERTIAL}</link>{BALL.format("world", "b")}</model></world></sdf>""", model="m")  # fmt: skip
    base = product(X[0], X[2], X[1], X[3])
    close(poses(m)["a"], base @ X[4], 1e-14)
    close(poses(m)["b"], base, 1e-14)


def test_joints_between_frames_are_between_their_links():
    """The frame of a joint is that of its child, and both links hang where their poses say."""
    m = io.load_sdf(f"""<sdf version="1.8"><model name="m" canonical_link="a"><link name="b">{pose(0)}{INERTIAL}</link>
      <link name="a">{pose(1)}{INERTIAL}</link><link name="c">{pose(6)}{INERTIAL}</link>
      <frame name="f" attached_to="g">{pose(2)}</frame><frame name="g" attached_to="b">{pose(3)}</frame>
      <frame name="h">{pose(4)}</frame>
      <joint name="j" type="revolute">{pose(5)}<parent>h</parent><child>f</child><axis><xyz>0 0 1</xyz></axis></joint>
      <joint name="k" type="ball"><parent>j</parent><child>c</child></joint></model></sdf>""")
    j, k = m.find_joint("j"), m.find_joint("k")
    assert (m.edge(j).predecessor.name, m.edge(j).successor.name) == ("a", "b")
    assert (m.edge(k).predecessor.name, m.edge(k).successor.name) == ("b", "c")
    found = poses(m)
    for name, number in (("a", 1), ("b", 0), ("c", 6)):
        close(found[name], X[number], 1e-14)
    close(found["a"] @ m.edge(j).joint_pose.matrix, product(X[0], X[3], X[2], X[5]), 1e-14)
    assert [name for name in ("f", "g", "h") if name in m.find_body("b").frames] == ["f", "g"]
    assert "h" in m.find_body("a").frames


LINK = f'<link name="a">{INERTIAL}</link>'
BALL = '<joint name="j" type="ball"><parent>{}</parent><child>{}</child></joint>'
TWO = f'{LINK}<link name="b">{INERTIAL}</link>'
WORLD = '<sdf version="1.8"><world name="w">\n{}</world></sdf>'
BAD = {
    "placement": (f'<model name="m" placement_frame="z">{LINK}</model>',
                  "placement_frame of model 'm': no frame named 'z'"),
    "nested placement": (f'<model name="m" placement_frame="n::a">{LINK}</model>',
                         "placement_frame of model 'm': 'n::a' is a frame inside another model, which are not read"),
    "empty placement": (f'<model name="m" placement_frame="">{LINK}</model>', "placement_frame is empty"),
    "no such world frame": (f'<model name="m"><pose relative_to="z"/>{LINK}</model>',
                            "<pose relative_to> of model 'm': no frame named 'z'"),
    "inside another model": (f'<model name="m"><pose relative_to="n::a"/>{LINK}</model>',
                             "'n::a' is a frame inside another model, which are not read"),
    "placed by a frame of its own": (
        f'<model name="m"><pose relative_to="n"/>{LINK}</model>'
        f'<model name="n" placement_frame="a">{LINK}</model>', "'n::a' is a frame inside another model"),
    "circle": (f'<model name="m"><pose relative_to="f"/>{LINK}</model><frame name="f" attached_to="m"/>',
               "in a circle"),
    "canonical": (f'<model name="m" canonical_link="z">{LINK}</model>', "canonical_link='z': no such link"),
    "child": (f'<model name="m">{TWO}{BALL.format("a", "z")}</model>',
              "<child> of joint 'j': no link named 'z', and no frame"),
    "parent": (f'<model name="m">{TWO}{BALL.format("World", "b")}</model>',
               "<parent> of joint 'j': no link named 'World', and no frame; did you mean 'world'?"),
    "nested child": (f'<model name="m">{TWO}{BALL.format("a", "n::b")}</model>', "frames inside models inside"),
    "itself": (f'<model name="m">{TWO}<frame name="f" attached_to="a"/>{BALL.format("a", "f")}</model>',
               "joint 'j' joins link 'a' to itself"),
    "on itself": (f'<model name="m">{TWO}<frame name="f" attached_to="j"/>{BALL.format("a", "f")}</model>',
                  "in a circle"),
    "attached": (f'<model name="m">{TWO}<frame name="f" attached_to="z"><pose relative_to="a"/></frame></model>',
                 "attached_to of frame 'f': 'z': no such link, joint or frame"),
}  # fmt: skip


@pytest.mark.parametrize(("text", "said"), BAD.values(), ids=BAD)
def test_bad_frames(text, said):
    with pytest.raises(rbdyn.SdfError) as caught:
        io.load_sdf(WORLD.format(text), model="m")
    assert said in str(caught.value)
    assert str(caught.value).startswith("<text>:2: ")


def test_a_lone_model_has_no_world_to_be_relative_to():
    with pytest.raises(rbdyn.SdfError, match=r"^<text>:1: <pose relative_to> of model 'm': no frame named 'f'"):
        io.load_sdf(f'<sdf version="1.8"><model name="m"><pose relative_to="f"/>{LINK}</model></sdf>')
