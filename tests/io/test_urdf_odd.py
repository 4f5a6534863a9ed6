"""Faults that every other reader forgives: repaired, reported with their line, and refused when strict."""

import math

import pytest

from rbdyn.collision.shapes import Box, Sphere
from rbdyn.errors import UrdfError
from rbdyn.io import load_urdf
from rbdyn.io.diagnostics import Diagnostics
from rbdyn.io.xml_declaration import repaired

BODY = '<inertial><mass value="1"/><inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial>'
ROBOT = f'<robot name="r">\n<link name="a">{BODY}</link>\n</robot>'
COMMENT = "<!-- a line\nand another -->\n"


def check(text, line, *tokens):
    """The mechanism; its one diagnostic stands at that line, and is the error when strict."""
    m = load_urdf(text)
    assert len(m.diagnostics) == 1, m.diagnostics
    for token in (f"<text>:{line}: ", *tokens):
        assert token in m.diagnostics[0], m.diagnostics
    with pytest.raises(UrdfError) as caught:
        load_urdf(text, strict=True)
    assert str(caught.value) == f"{m.diagnostics[0]} (strict=True)"
    return m


# ---- the XML declaration -----------------------------------------------------------------------------

ODD_DECLARATIONS = [
    ('<?xml version="0.0" ?>\n', 1, "no XML version '0.0'"),
    ("<?xml version='0.1' encoding='utf-8'?>\n", 1, "no XML version '0.1'"),
    ('\n<?xml version="1.0"?>\n', 2, "must be the first thing in a file"),
    (COMMENT + '<?xml version="1.0"?>\n', 3, "must be the first thing in a file"),
    (COMMENT * 2 + ' <?xml version="1.0"\nencoding="utf-8"?>\n', 5, "must be the first thing in a file"),
]


@pytest.mark.parametrize("form", [str, str.encode, lambda text: b"\xef\xbb\xbf" + text.encode()])
@pytest.mark.parametrize("start, line, words", ODD_DECLARATIONS)
def test_odd_declarations(start, line, words, form):
    assert check(form(start + ROBOT.replace('"a"', '"\u00e4"')), line, words).bodies[1].name == "\u00e4"


@pytest.mark.parametrize("start, line, words", ODD_DECLARATIONS)
def test_lines_stay_where_they_are_behind_an_odd_declaration(start, line, words):
    bad = ROBOT.replace('value="1"', 'value="x"')
    with pytest.raises(UrdfError) as caught:
        load_urdf(start + bad)
    assert str(caught.value).startswith(f"<text>:{start.count(chr(10)) + 2}: <mass> of link 'a'")


def test_the_declared_encoding_is_kept():
    text = f'{COMMENT}<?xml version="0.0" encoding="iso-8859-1"?>\n{ROBOT}'.replace('"a"', '"\u00e4"')
    m = load_urdf(text.encode("latin-1"))
    assert m.bodies[1].name == "\u00e4"
    assert len(m.diagnostics) == 2
    assert load_urdf(text).bodies[1].name == "\u00e4", "of a str, the encoding does not matter"


@pytest.mark.parametrize("form", [str, str.encode])
@pytest.mark.parametrize("start, line, words", ODD_DECLARATIONS)
def test_document_types_are_refused_behind_an_odd_declaration(start, line, words, form):
    for document_type in ("<!DOCTYPE robot>", '<!DOCTYPE r [<!ENTITY m "1">]>', '<!DOCTYPE r SYSTEM "file:///x">'):
        with pytest.raises(UrdfError, match=f"^<text>:{start.count(chr(10)) + 1}: DOCTYPE and entities are refused"):
            load_urdf(form(start + document_type + ROBOT))
        with pytest.raises(UrdfError, match="DOCTYPE"):
            load_urdf(form(document_type + start + ROBOT))


@pytest.mark.parametrize(
    "text",
    [
        '<?xml version="1.0"?><?xml version="1.0"?>' + ROBOT,
        COMMENT + '<?xml version="1.0"?><?xml version="1.0"?>' + ROBOT,
        ROBOT + '<?xml version="1.0"?>',
        ROBOT.replace("<link", '<?xml version="1.0"?><link'),
        '<!-- <?xml version="1.0"?>' + ROBOT,
        '<!-- a -- b --><?xml version="1.0"?>' + ROBOT,
        '<?xml version="0.0"' + ROBOT,
        "<?xml?>" + ROBOT,
    ],
)
def test_other_faults_of_declarations_are_refused(text):
    with pytest.raises(UrdfError, match="not well-formed XML"):
        load_urdf(text)


def test_what_needs_no_repair_stays_as_it_is():
    for text in (
        ROBOT,
        COMMENT + ROBOT,
        f'<?xml version="1.0"?>\n{COMMENT}{ROBOT}',
        f'<?xml version="1.1"?>{ROBOT}',
        f'<!-- <?xml version="0.0"?> -->{ROBOT}',
    ):
        assert repaired(text.encode(), "x", Diagnostics(strict=True)) == text.encode()
        assert load_urdf(text, strict=True).bodies[1].name == "a"


def test_a_million_comments_take_linear_time():
    data = b"<!---->" * 1_000_000
    assert repaired(data, "x", Diagnostics(strict=True)) == data
    assert repaired(b"<!--" * 1_000_000, "x", Diagnostics(strict=True))[:8] == b"<!--<!--"


# ---- joints --------------------------------------------------------------------------------------------


def joint(kind, content):
    """Lines 1 to 5; the joint's content starts on line 4."""
    return (
        f'<robot name="r">\n<link name="a">{BODY}</link><link name="b">{BODY}</link>\n'
        f'<joint name="j" type="{kind}"><parent link="a"/><child link="b"/>\n{content}</joint>\n</robot>'
    )


@pytest.mark.parametrize("kind", ["revolute", "prismatic", "spherical"])
def test_swapped_limits(kind):
    lower, upper = ("1.5", "0") if kind == "spherical" else ("1.5", "-0.5")
    m = check(joint(kind, f'<limit lower="{lower}" upper="{upper}"/>'), 4, "lower 1.5 is above upper", "swapped")
    assert m.find_joint("j").position_limits == (float(upper), 1.5)


def test_half_a_limit():
    """The other one is 0, as URDF says; the text names what the file left out."""
    words = ("lower 1 is above upper 0 (upper is not given); swapped",)
    assert check(joint("revolute", '<limit lower="1"/>'), 4, *words).find_joint("j").position_limits == (0, 1)
    words = ("lower 0 is above upper -1 (lower is not given); swapped",)
    assert check(joint("revolute", '<limit upper="-1"/>'), 4, *words).find_joint("j").position_limits == (-1, 0)
    assert load_urdf(joint("revolute", '<limit upper="1"/>'), strict=True).find_joint("j").position_limits == (0, 1)


@pytest.mark.parametrize("content", ['lower="0.1"', 'lower="-3.14" effort="80" velocity="5"'])
def test_a_lone_lower_limit_of_a_ball_joint(content):
    m = check(joint("spherical", f"<limit {content}/>"), 4, "spherical joint needs lower=0", "without upper ignored")
    assert m.find_joint("j").position_limits is None
    assert load_urdf(joint("spherical", '<limit lower="0"/>'), strict=True).find_joint("j").position_limits is None


@pytest.mark.parametrize("infinity", ["inf", "INF", "+inf", "Infinity"])
def test_infinite_limits_are_none(infinity):
    size = infinity.lstrip("+")
    text = joint("revolute", f'<limit lower="-{size}" upper="{infinity}" velocity="{infinity}" effort=" {infinity} "/>')
    j = load_urdf(text, strict=True).find_joint("j")
    assert (j.position_limits, j.velocity_limit, j.effort_limit) == (None, None, None)
    j = load_urdf(joint("prismatic", f'<limit lower="-{size}" upper="1"/>'), strict=True).find_joint("j")
    assert j.position_limits == (-math.inf, 1)
    j = load_urdf(joint("spherical", f'<limit lower="0" upper="{infinity}"/>'), strict=True).find_joint("j")
    assert j.position_limits is None


def test_the_first_axis_wins():
    m = check(joint("revolute", '<limit lower="-1" upper="1"/><axis xyz="0 1 0"/>\n<axis xyz="0 0 1"/>'), 5, "line 4")
    assert m.find_joint("j").joint_type.axis == (0, 1, 0)


def test_the_first_inertial_wins():
    """As in TriFinger Pro's finger tips."""
    text = ROBOT.replace(BODY, BODY.replace('"1"', '"2"', 1) + "\n" + BODY)
    m = check(text, 3, "<link> of link 'a': a second <inertial>; the first, on line 2")
    assert m.find_body("a").inertia.mass == 2


# ---- shapes and colours --------------------------------------------------------------------------------


def shaped(tag, shape, more=""):
    """Lines 1 to 4; the shape stands on line 3."""
    return (
        f'<robot name="r"><link name="a">{BODY}\n<{tag}><geometry>\n{shape}\n</geometry>{more}</{tag}></link></robot>'
    )


@pytest.mark.parametrize("tag", ["visual", "collision"])
def test_spheres_of_no_size_are_left_out(tag):
    text = shaped(tag, '<sphere radius="0.0"/>')
    body = check(text, 3, "<sphere> of link 'a'", "radius 0; left out").find_body("a")
    assert not body.collision and not body.visual
    two = text.replace(f"</{tag}>", f'</{tag}><{tag}><geometry><box size="1 2 3"/></geometry></{tag}>')
    kept = getattr(load_urdf(two).find_body("a"), tag)
    assert [(g.name, g.shape) for g in kept] == [("a/1", Box((1, 2, 3)))], "places are counted as in the file"


POINTS = [
    ('<box size="0 0 0"/>', "a box of size 0 0 0; left out"),
    ('<cylinder radius="0" length="0"/>', "a cylinder of radius 0, length 0; left out"),
    ('<capsule radius="0" height="0.0"/>', "a capsule of radius 0, height 0; left out"),
    ('<mesh filename="no.stl" scale="0 0 0"/>', "a mesh of scale 0 0 0; left out"),
]
THIN = [
    ('<box size="1 2 0"/>', "a box of size 1 2 0; left out"),
    ('<cylinder radius="0.5" length="0"/>', "a cylinder of radius 0.5, length 0; left out"),
    ('<capsule radius="0" length="2"/>', "a capsule of radius 0, length 2; left out"),
    ('<mesh filename="no.stl" scale="1 0 1"/>', "a mesh of scale 1 0 1; left out"),
]


@pytest.mark.parametrize("tag", ["visual", "collision"])
@pytest.mark.parametrize("shape, words", POINTS)
def test_shapes_that_are_but_points_are_left_out(tag, shape, words):
    body = check(shaped(tag, shape), 3, "of link 'a'", words).find_body("a")
    assert not body.collision and not body.visual


@pytest.mark.parametrize("shape, words", THIN)
def test_what_is_only_drawn_may_have_no_volume(shape, words):
    """Leaving it out changes no motion; a collision shape that lacks a size is refused."""
    assert not check(shaped("visual", shape), 3, "of link 'a'", words).find_body("a").visual
    with pytest.raises(UrdfError, match=":3: "):
        load_urdf(shaped("collision", shape))


@pytest.mark.parametrize(
    "shape", ['<box size="-1 1 0"/>', '<cylinder radius="-1" length="1"/>', '<sphere radius="-0.1"/>']
)
def test_negative_sizes_are_refused_in_collisions(shape):
    with pytest.raises(UrdfError, match=":3: "):
        load_urdf(shaped("collision", shape))


def test_the_first_material_wins():
    """As urdfdom takes it, in <visual> only; the second is as if it were not there, by name too."""
    red, blue = (f'<material name="{name}"><color rgba="{rgba}"/></material>'
                 for name, rgba in (("r", "1 0 0 1"), ("b", "0 0 1 1")))  # fmt: skip
    text = shaped("visual", '<sphere radius="1"/>', f"\n{red}\n{blue}")
    body = check(text, 6, "<visual> of link 'a': a second <material>; the first, on line 5, is taken").find_body("a")
    assert body.visual[0].color == (1, 0, 0, 1)
    user = '</visual><visual><geometry><sphere radius="2"/></geometry><material name="b"/></visual>'
    assert load_urdf(text.replace("</visual>", user)).find_body("a").visual[1].color is None
    colors = '<material name="m"><color rgba="1 0 0 1"/>\n<color rgba="0 0 1 1"/></material>'
    two = check(shaped("visual", '<sphere radius="1"/>', colors), 5, "a second <color>").find_body("a")
    assert two.visual[0].color == (1, 0, 0, 1)


@pytest.mark.parametrize("name", ["", ' name=""', ' name=" "'])
def test_robots_without_a_name_are_called_as_their_file(tmp_path, name):
    """As Bullet's humanoid.urdf."""
    text = shaped("visual", '<sphere radius="1"/>').replace(' name="r"', name, 1)
    assert check(text, 1, "<robot> has no name; 'robot' is taken").name == "robot"
    file = tmp_path / "walker.urdf"
    file.write_text(text)
    m = load_urdf(file)
    assert m.name == "walker"
    assert m.diagnostics == [f"{file}:1: <robot> has no name; 'walker' is taken"]


@pytest.mark.parametrize(
    "rgba, expected",
    [("255 128 0 1", (1, 1, 0, 1)), ("0.5 0.25 1.000001 -0.1", (0.5, 0.25, 1, 0)), ("0 0 0 2", (0, 0, 0, 1))],
)
def test_colours_are_clamped(rgba, expected):
    material = f'<material name="m">\n<color rgba="{rgba}"/></material>'
    text = shaped("visual", '<sphere radius="1"/>', material)
    assert check(text, 5, rgba, "between 0 and 1").find_body("a").visual[0].color == expected
    named = shaped("visual", '<sphere radius="1"/>', '<material name="m"/>').replace("<link", f"{material}<link")
    assert check(named, 2, rgba).find_body("a").visual[0].color == expected


def test_a_scale_of_four_numbers(tmp_path):
    (tmp_path / "tetrahedron.obj").write_text(
        "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n"
    )
    file = tmp_path / "robot.urdf"
    file.write_text(shaped("collision", '<mesh filename="tetrahedron.obj" scale="2 3 4 5"/>'))
    m = load_urdf(file)
    assert m.diagnostics == [
        f"{file}:3: <mesh> of link 'a': a scale of 4 numbers; the first three are taken, 5 is ignored"
    ]
    assert m.find_body("a").collision[0].shape.vertices.max(axis=0).tolist() == [2, 3, 4]
    with pytest.raises(UrdfError, match="scale of 4 numbers"):
        load_urdf(file, strict=True)


def test_other_elements_beside_a_shape():
    m = check(shaped("visual", '<sphere radius="1"/><material name="m"/>'), 3, "unknown tag <material> in <geometry>")
    assert m.find_body("a").visual[0].shape == Sphere(1)
