"""SDF: every word that is not read is a line of the diagnostics, one a kind, at any depth."""

from __future__ import annotations

import pytest

import rbdyn
from rbdyn import io
from rbdyn.io.sdf import vocabulary

INERTIAL = "<inertial><mass>1</mass></inertial>"


def read(inside="", link="", joint="", options=None, root=""):
    return io.load_sdf(f"""<sdf version="1.9">{root}<model name="m">{inside}<link name="a">{INERTIAL}{link}</link>
      <link name="b">{INERTIAL}</link><joint name="j" type="revolute"><parent>a</parent><child>b</child>{joint}
      </joint></model></sdf>""", **(options or {}))  # fmt: skip


def visual(inside):
    return f'<visual name="v"><geometry><sphere><radius>1</radius></sphere></geometry>{inside}</visual>'


def collision(inside, shape="<sphere><radius>1</radius></sphere>"):
    return f'<collision name="c"><geometry>{shape}</geometry>{inside}</collision>'


AXIS = "<axis><xyz>0 0 1</xyz>{}</axis>"
PAIRS = "friction and bounce belong to pairs of materials here, set_material_pair"
SAID = {
    "plugin": ({"inside": '<plugin name="p" filename="f"><a/></plugin>'}, "<plugin> in <model> is not read; left out"),
    "sensor": ({"joint": AXIS.format("") + '<sensor name="s"/>'}, "<sensor> in <joint> is not read; left out"),
    "surface": ({"link": collision("<surface><friction/></surface>")},
                f"<surface> in <collision> is not read; left out: {PAIRS}"),
    "contact": ({"link": "<contact><lateral_friction>1</lateral_friction></contact>"},
                f"<contact> in <link> is not read; left out: it is Bullet's; {PAIRS}"),
    "gravity": ({"link": "<gravity>false</gravity>"},
                "<gravity> in <link> is not read; left out: gravity acts on all links"),
    "kinematic": ({"link": "<kinematic>1</kinematic>"}, "<kinematic> in <link> is not read; left out"),
    "stops": ({"joint": AXIS.format("<limit><stiffness>1e8</stiffness></limit>")},
              "<stiffness> in <limit> is not read; left out: limit_softness of the joint is for that"),
    "start": ({"joint": AXIS.format("<initial_position>1</initial_position>")},
              "<initial_position> in <axis> is not read; left out: the robot is read in the pose of its links"),
    "part": ({"link": visual("").replace("<sphere><radius>1</radius></sphere>",
                                         "<mesh><uri>a.stl</uri><submesh><name>n</name></submesh></mesh>")},
             "<submesh> in <mesh> is not read; left out: the whole mesh is taken"),
    "size": ({"link": collision("", "<plane><size>1 1</size></plane>")},
             "<size> in <plane> is not read; left out: planes are infinite"),
    "shape": ({"link": collision("", "<polyline><point>0 0</point></polyline>")},
              "<polyline> in <geometry> is not read; left out"),
    "pbr": ({"link": visual("<material><pbr><metal/></pbr></material>")}, "<pbr> in <material> is not read; left out"),
    "actor": ({"root": '<actor name="x"/>'}, "<actor> in <sdf> is not read; left out"),
    "other programs": ({"link": '<x:y xmlns:x="u"><z/></x:y>'}, "<x:y> in <link> is for other programs; left out"),
    "name space": ({"inside": '<link xmlns="u" name="z"/>'},
                   "unknown tag <{u}link> in <model>; did you mean 'link'?; left out"),
    "misspelt": ({"joint": AXIS.format("<dynamics><dampign>1</dampign></dynamics>")},
                 "unknown tag <dampign> in <dynamics>; did you mean 'damping'?; left out"),
    "misspelt attribute": ({"link": '<visual nam="v"><geometry><empty/></geometry></visual>'},
                           "unknown attribute 'nam' of <visual>; did you mean 'name'?; left out"),
    "attribute": ({"link": collision("", '<mesh optimization="convex_hull"><uri>a.stl</uri></mesh>')},
                  "attribute 'optimization' of <mesh> is not read; left out"),
    "of a number": ({"link": collision("", '<sphere><radius unit="mm">1</radius></sphere>')},
                    "unknown attribute 'unit' of <radius>; left out"),
    "text": ({"link": "here"}, "text 'here' inside <link> is not read; left out"),
    "pitch": ({"joint": AXIS.format("") + "<thread_pitch>1</thread_pitch>"},
              "<thread_pitch> of a revolute joint is not read; left out"),
}  # fmt: skip
OPTIONS = {"on_missing_mesh": "skip"}


@pytest.mark.parametrize(("words", "said"), SAID.values(), ids=SAID)
def test_what_is_not_read_is_said(words, said):
    """Alone; strict=True raises it."""
    words = {"joint": AXIS.format(""), **words}
    m = read(**words, options=OPTIONS)
    assert [line.partition(": ")[2] for line in m.diagnostics] == [said]
    with pytest.raises(rbdyn.Error) as caught:
        read(**words, options={**OPTIONS, "strict": True})
    assert str(caught.value).endswith(f"{said} (strict=True)")


def test_what_holds_anyway_is_not_said():
    m = read("<self_collide>1</self_collide><enable_wind>false</enable_wind>",
             "<gravity>true</gravity><kinematic>0</kinematic>", AXIS.format(""))  # fmt: skip
    assert m.diagnostics == []


def test_one_line_a_kind_in_the_order_of_the_file():
    many = "\n".join(visual("<transparency>0.5</transparency><foo/>") for _ in range(5))
    m = read(link=many, joint=AXIS.format("") + "<physics/>")
    assert m.diagnostics == [
        "<text>:1: <transparency> in <visual> is not read; left out (5 times, first here)",
        "<text>:1: unknown tag <foo> in <visual>; left out (5 times, first here)",
        "<text>:6: <physics> in <joint> is not read; left out",
    ]


def test_axes_of_fixed_joints():
    text = f"""<sdf version="1.4"><model name="m"><link name="a">{INERTIAL}</link><link name="b">{INERTIAL}</link>
      <joint name="j" type="fixed"><parent>a</parent><child>b</child>{AXIS.format("")}</joint></model></sdf>"""
    assert io.load_sdf(text).diagnostics == ["<text>:2: <axis> of a fixed joint is not read; left out"]


def test_no_word_is_both_read_and_not():
    for tag, words in vocabulary.NOT_READ.items():
        assert not set(words.split()) & set(vocabulary.READ[tag][1].split()), tag
    for tag, name in (*vocabulary.INSTEAD, *vocabulary.AS_USUAL):
        assert name in vocabulary.NOT_READ[tag].split(), (tag, name)
