"""SDF: poses relative to any frame, joints, shapes; and what is not read."""
# ruff: noqa: E501  (the files are text here, line by line)

from __future__ import annotations

import numpy as np
import pytest
from reference.compare import close

import rbdyn
from rbdyn import SdfError, io
from rbdyn.collision import Box, Capsule, Cone, Cylinder, Ellipsoid, HalfSpace, Sphere
from rbdyn.mechanism import Fixed, Floating, Helical, Mimic, Prismatic, Revolute, Spherical, Universal
from rbdyn.spatial import Transform

INERTIAL = "<inertial><mass>1</mass></inertial>"


def sdf(inside, attributes='version="1.9"'):
    return f'<sdf {attributes}><model name="m">{inside}</model></sdf>'


def joint(kind, inside="", parent="a", child="b"):
    return f'<joint name="j" type="{kind}"><parent>{parent}</parent><child>{child}</child>{inside}</joint>'


TWO = f'<link name="a">{INERTIAL}</link><link name="b"><pose>1 0 0 0 0 0</pose>{INERTIAL}</link>'
AXIS = "<axis><xyz>0 1 0</xyz></axis>"
AXIS2 = "<axis2><xyz>1 0 0</xyz></axis2>"


def poses(m):
    state = rbdyn.State(rbdyn.Model(m))
    state.set(state.model.neutral(), np.zeros(state.model.nv))
    return {body.name: rbdyn.body_pose(state, body) for body in m.bodies}


def test_poses_are_relative_to_any_frame():
    """Links to frames, joints to links, frames to joints; the model's own pose before all."""
    T = {k: Transform(rpy=np.random.default_rng(k).normal(size=3), translation=np.random.default_rng(k + 9).normal(size=3))
         for k in range(6)}  # fmt: skip

    def said(k, **words):
        rest = "".join(f' {name}="{value}"' for name, value in words.items())
        return f"<pose{rest}>{' '.join(map(repr, [*T[k].translation.tolist(), *T[k].rpy.tolist()]))}</pose>"

    m = io.load_sdf(sdf(f"""{said(0)}<link name="a">{said(1, relative_to="f")}{INERTIAL}</link>
        <link name="b">{said(2, relative_to="j")}{INERTIAL}</link>
        <joint name="j" type="revolute">{said(3, relative_to="a")}<parent>a</parent><child>b</child>
          <axis><xyz expressed_in="f">1 2 3</xyz></axis></joint>
        <frame name="f">{said(4)}</frame><frame name="g" attached_to="b">{said(5, relative_to="a")}</frame>"""))
    X = poses(m)
    a = T[0].matrix @ T[4].matrix @ T[1].matrix
    close(X["a"], a, 1e-14)
    close(X["b"], a @ T[3].matrix @ T[2].matrix, 1e-14)
    axis = (a @ T[3].matrix)[:3, :3] @ m.find_joint("j").axis
    close(axis, (T[0].matrix @ T[4].matrix)[:3, :3] @ np.array([1, 2, 3]) / np.sqrt(14), 1e-14)
    close(X["b"] @ m.find_body("b").frames["g"][1].matrix, a @ T[5].matrix, 1e-14)


def test_joints_sit_at_their_child():
    m = io.load_sdf(sdf(TWO + joint("revolute", AXIS)))
    close(m.edge(m.find_joint("j")).joint_pose.translation, (1, 0, 0), 1e-15)
    assert m.find_joint("a_free").joint_type == Floating()


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        (joint("fixed"), Fixed()),
        (joint("ball"), Spherical()),
        (joint("revolute", AXIS), Revolute((0, 1, 0))),
        (joint("continuous", AXIS), Revolute((0, 1, 0))),
        (joint("prismatic", AXIS), Prismatic((0, 1, 0))),
        (joint("screw", f"{AXIS}<screw_thread_pitch>0.5</screw_thread_pitch>"), Helical((0, 1, 0), 0.5 / (2 * np.pi))),
        (joint("screw", f"{AXIS}<thread_pitch>-4</thread_pitch>"), Helical((0, 1, 0), 0.25)),
    ],
)
def test_joint_types(text, kind):
    assert io.load_sdf(sdf(TWO + text)).find_joint("j").joint_type == kind


def test_limits_and_passive_elements():
    m = io.load_sdf(sdf(TWO + joint("revolute", """<axis><xyz>0 0 2</xyz>
      <limit><lower>-1</lower><upper>2</upper><effort>3</effort><velocity>4</velocity></limit>
      <dynamics><damping>5</damping><friction>6</friction><spring_stiffness>7</spring_stiffness>
      <spring_reference>0.5</spring_reference></dynamics>
      <mimic joint="k"><multiplier>2</multiplier><offset>1</offset><reference>0.5</reference></mimic></axis>""")))  # fmt: skip
    j = m.find_joint("j")
    assert (j.position_limits, j.effort_limit, j.velocity_limit) == ((-1, 2), 3, 4)
    assert (j.damping, j.friction, j.stiffness, j.spring_reference[0]) == (5, 6, 7, 0.5)
    assert j.mimic == Mimic("k", 2.0, 0.0)
    wide = io.load_sdf(sdf(TWO + joint("revolute", "<axis><limit><lower>-1e16</lower><upper>1e16</upper></limit></axis>")))
    assert (wide.find_joint("j").position_limits, wide.find_joint("j").axis) == (None, (0, 0, 1))


def test_shapes_and_inertia():
    shapes = ["<box><size>1 2 3</size></box>", "<sphere><radius>1</radius></sphere>",
              "<cylinder><radius>1</radius><length>2</length></cylinder>",
              "<capsule><radius>1</radius><length>2</length></capsule>", "<ellipsoid><radii>1 2 3</radii></ellipsoid>",
              "<cone><radius>1</radius><length>2</length></cone>", "<plane><normal>0 1 0</normal></plane>",
              "<empty/>"]  # fmt: skip
    collisions = "".join(f'<collision name="c"><geometry>{s}</geometry></collision>' for s in shapes)
    m = io.load_sdf(sdf(f"""<link name="a"><inertial><pose>0.1 0 0 0 0 1.5707963267948966</pose><mass>2</mass><inertia>
      <ixx>1</ixx><iyy>2</iyy><izz>2.5</izz></inertia></inertial>{collisions}
      <visual name="v"><geometry><sphere><radius>1</radius></sphere></geometry><material><diffuse>1 0 0 1</diffuse></material>
      </visual></link>"""))
    a = m.find_body("a")
    assert [g.shape for g in a.collision] == [Box((1, 2, 3)), Sphere(1), Cylinder(1, 2), Capsule(1, 2), Ellipsoid((1, 2, 3)),
                                              Cone(1, 2), HalfSpace()]  # fmt: skip
    close(a.collision[6].pose.rotation @ (0, 0, 1), (0, 1, 0), 1e-15)
    assert a.visual[0].color == (1, 0, 0, 1)
    close(a.inertia.inertia, np.diag([2, 1, 2.5]), 1e-15)  # turned by a right angle
    close(a.inertia.com, (0.1, 0, 0), 1e-15)


def test_universal_joints():
    """<axis> is of the parent, <axis2> of the child; limits and springs are of each."""
    one = "<axis><xyz>0 0 1</xyz><limit><lower>-1</lower><upper>0.5</upper><effort>3</effort></limit>" \
          "<dynamics><damping>0.2</damping><spring_stiffness>4</spring_stiffness><spring_reference>0.1</spring_reference>" \
          "</dynamics></axis>"  # fmt: skip
    two = one.replace("axis", "axis2").replace("0 0 1", "0 1 0").replace("<upper>0.5", "<upper>2")
    m = io.load_sdf(sdf(TWO + joint("universal", one + two)), strict=False)
    j = m.find_joint("j")
    assert j.joint_type == Universal((0, 0, 1), (0, 1, 0))
    assert j.position_limits == ((-1.0, 0.5), (-1.0, 2.0))
    assert (j.effort_limit, j.damping, j.stiffness) == (3.0, 0.2, 4.0)
    close(j.spring_reference, (0.1, 0.1))
    state = rbdyn.State(rbdyn.Model(m))
    q = state.model.neutral()
    q[-2:] = 0.3, -0.7
    state.set(q)
    turned = Transform(rpy=(0, 0, 0.3)).rotation @ Transform(rpy=(0, -0.7, 0)).rotation
    close(rbdyn.body_pose(state, "b")[:3, :3], turned, 1e-14)
    for other in (two.replace("0 1 0", "0 1 1"), two.replace("<damping>0.2", "<damping>0.3")):
        m = io.load_sdf(sdf(TWO + joint("universal", one + other)))
        assert [j.name for j in m.joints[-2:]] == ["j_1", "j_2"]
        assert m.joints[-2].position_limits == (-1.0, 0.5) and m.joints[-1].position_limits == (-1.0, 2.0)
        assert m.joints[-1].damping == (0.3 if "0.3" in other else 0.2)
        assert "read as two revolute joints in series" in "".join(m.diagnostics)
        state = rbdyn.State(rbdyn.Model(m))
        q = state.model.neutral()
        q[-2:] = 0.3, -0.7
        state.set(q)
        if "0.3" in other:
            close(rbdyn.body_pose(state, "b")[:3, :3], turned, 1e-14)
    static = io.load_sdf(sdf("<static>true</static>" + TWO + joint("universal", one + other)))
    assert static.num_velocities == 0


def test_static_models_and_loops():
    """A second joint to one link closes a loop."""
    m = io.load_sdf(sdf(f"<static>true</static>{TWO}" + joint("ball")))
    assert m.find_joint("a_fixed").joint_type == Fixed()
    loop = io.load_sdf(sdf(TWO + joint("ball", parent="world", child="a") + joint("ball").replace('"j"', '"k"')
                           + joint("ball", parent="world", child="b").replace('"j"', '"l"')))  # fmt: skip
    assert [j.name for j in loop.non_tree_joints] == ["l"]
    state = rbdyn.State(rbdyn.Model(loop))
    assert np.abs(rbdyn.loop_error(state)).max() < 1e-15


def test_worlds_and_several_models():
    text = f'<sdf version="1.6"><world name="w"><model name="x"><link name="a">{INERTIAL}</link></model>' \
           f'<model name="y"><link name="b">{INERTIAL}</link></model></world></sdf>'  # fmt: skip
    assert io.load_sdf(text, model="y").bodies[1].name == "b"
    with pytest.raises(SdfError, match="it holds 2 models \\('x', 'y'\\), needed one; give model=NAME"):
        io.load_sdf(text)


def test_degrees_and_quaternions():
    link = '<link name="a"><pose {}>{}</pose>' + INERTIAL + "</link>"
    degrees = io.load_sdf(sdf(link.format('degrees="true"', "0 0 0 0 0 90")))
    quat = io.load_sdf(sdf(link.format('rotation_format="quat_xyzw"', "0 0 0 0 0 1 1".replace("1 1", "0.7071067811865476 "
                                       "0.7071067811865476"))))  # fmt: skip
    close(poses(degrees)["a"], poses(quat)["a"], 1e-15)


def test_what_is_left_out_is_said():
    m = io.load_sdf(sdf('<plugin name="p" filename="x.so"/><link name="a"><sensor name="s" type="imu"/></link>'))
    said = "\n".join(m.diagnostics)
    for text in ("<plugin> in <model> is not read", "<sensor> in <link> is not read", "has no <inertial>"):
        assert text in said
    with pytest.raises(rbdyn.Error, match="strict=True"):
        io.load_sdf(sdf('<plugin name="p"/><link name="a"/>'), strict=True)


BAD = {
    "entities": ('<!DOCTYPE a [<!ENTITY b "c">]><sdf/>', "DOCTYPE"),
    "root": ("<robot/>", "needed <sdf>"),
    "empty": ('<sdf version="1.6"/>', "it holds 0 models"),
    "links": (sdf(""), "a model without links"),
    "nan": (sdf('<link name="a"><inertial><mass>nan</mass></inertial></link>'), "<mass>: 'nan' is not a number"),
    "huge": (sdf('<link name="a"><pose>1e999 0 0 0 0 0</pose></link>'), "not a finite number"),
    "count": (sdf('<link name="a"><pose>1 2 3</pose></link>'), "holds 3 values, needed 6"),
    "comma": (sdf('<link name="a"><pose>1,5 0 0 0 0 0</pose></link>'), "decimal comma"),
    "name": (sdf("<link/>"), "attribute 'name' is missing"),
    "names": (sdf('<link name="a"/><link name="a"/>'), "'a' already stands at <text>:1"),
    "frames": (sdf('<link name="a"><pose relative_to="b"/></link><frame name="b"><pose relative_to="a"/></frame>'),
               "in a circle: a -> b -> a"),  # fmt: skip
    "unknown": (sdf('<link name="a"><pose relative_to="z"/></link>'), "no frame named 'z'"),
    "parent": (sdf(TWO + joint("fixed", parent="z")), "<parent> of joint 'j': no link named 'z'"),
    "circle": (sdf(TWO + joint("ball") + joint("ball", parent="b", child="a").replace('"j"', '"k"')), "form a circle"),
    "itself": (sdf(TWO + joint("ball", child="a")), "to itself"),
    "type": (sdf(TWO + joint("revolute2", AXIS)), "type='revolute2' is not read"),
    "axis2": (sdf(TWO + joint("universal", AXIS)), "<axis2> is missing"),
    "axis2 of a hinge": (sdf(TWO + joint("revolute", AXIS + AXIS2)), "<axis2> of a revolute joint"),
    "mimic of two": (sdf(TWO + joint("universal", AXIS.replace("</axis>", '<mimic joint="k"/></axis>') + AXIS2)), "<mimic>"),
    "held of two": (sdf(TWO + joint("universal", AXIS.replace("</axis>", "<limit><lower>1</lower><upper>1</upper></limit></axis>")
                                    + AXIS2)), "lower and upper are both 1"),  # fmt: skip
    "axis": (sdf(TWO + joint("revolute", "<axis><xyz>0 0 0</xyz></axis>")), "xyz must not be zero"),
    "no axis": (sdf(TWO + joint("revolute")), "<axis> is missing"),
    "limits": (sdf(TWO + joint("revolute", "<axis><limit><lower>2</lower><upper>1</upper></limit></axis>")), "is above upper"),
    "mass": (sdf('<link name="a"><inertial><mass>-1</mass></inertial></link>'), "mass"),
    "nested": (sdf('<link name="a"/><include><uri>model://x</uri></include>'), "models inside models"),
    "radius": (sdf('<link name="a"><collision name="c"><geometry><sphere><radius>-1</radius></sphere></geometry></collision>'
                   "</link>"), "radius"),  # fmt: skip
    "outside": (sdf('<link name="a"><collision name="c"><geometry><mesh><uri>/etc/passwd.stl</uri></mesh></geometry>'
                    "</collision></link>"), "etc/passwd"),  # fmt: skip
    "deep": ("<sdf>" * 300 + "</sdf>" * 300, "nested too deep|not well-formed"),
}


@pytest.mark.parametrize(("text", "said"), BAD.values(), ids=BAD)
def test_bad_files(text, said):
    options = {"on_missing_mesh": "error"}
    with pytest.raises(rbdyn.Error, match=said) as caught:
        io.load_sdf(text, **options)
    assert str(caught.value).startswith("<text>:1")


def test_two_models_of_one_name():
    model = '<model name="{}"><link name="{}"/></model>'
    text = "<sdf>" + "\n".join(model.format(*names) for names in ("ma", "nb", "mc")) + "</sdf>"
    with pytest.raises(rbdyn.SdfError, match=r"^<text>:3: .*2 models are named 'm', on lines 1, 3; rename all but one"):
        io.load_sdf(text, model="m")
    assert io.load_sdf(text, model="n").find_body("b").name == "b"
    with pytest.raises(rbdyn.SdfError, match=r"no model named 'x'; known: 'm', 'n', 'm'"):
        io.load_sdf(text, model="x")
