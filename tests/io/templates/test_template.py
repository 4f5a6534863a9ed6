"""Parameters filled into texts and trees."""

import numpy as np
import pytest
from lxml import etree

from rbdyn.errors import Error, FileError, UrdfError
from rbdyn.io.templates import Template

PARAMS = {"width": 0.6, "count": 3, "side": "left", "text": "0.25"}


@pytest.mark.parametrize(
    ("text", "filled"),
    [
        ("nothing", "nothing"),
        ("", ""),
        ("@@width", "0.6"),
        ("@@side", "left"),
        ("0 @@width @@count", "0 0.6 3"),
        ("@@side@@count", "left3"),
        ("@@side-wheel", "left-wheel"),
        ("{@@side}_wheel", "left_wheel"),
        ("{ @@side }", "left"),
        ("{@@width/2}", "0.3"),
        ("{@@text*4}", "1"),
        ("{@@count*2}", "6"),
        ("{1/3}", "0.3333333333333333"),
        ("{2**80}", "1.2089258196146292e+24"),
        ("a{1+1}b{@@count}c", "a2b3c"),
        ("x @ y", "x @ y"),
    ],
)
def test_fill(text, filled):
    assert Template(PARAMS).fill(text) == filled


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("@@widht", "no parameter named 'widht'; did you mean 'width'? (known: count, side, text, width)"),
        ("@@side_wheel", "no parameter named 'side_wheel'"),
        ("@@", "'@@' without a name"),
        ("@@1", "'@@' without a name"),
        ("{1", "opened and not closed"),
        ("1}", "closed and not opened"),
        ("{{1}}", "braces cannot stand in braces"),
        ("{}", "something is missing"),
        ("{@@side*2}", "@@side stands in an expression: 'left' is not a number"),
        ("{@@no + 1}", "no parameter named 'no'"),
        ("${width}", "'width' is not known"),
    ],
)
def test_what_cannot_be_filled(text, says):
    with pytest.raises(Error) as error:
        Template(PARAMS).fill(text)
    assert says in str(error.value)


def test_without_parameters_the_message_says_how_to_give_them():
    with pytest.raises(Error, match=r"known: none; give params=\{"):
        Template().fill("@@mass")


@pytest.mark.parametrize(
    ("params", "says"),
    [
        (3, "must be a mapping"),
        ("ab", "must be a mapping"),
        ([("a", 1), ("a", 2)], "'a' is there twice"),
        ([("a",)], "pairs"),
        (["ab"], "pairs"),
        ({"@@a": 1}, "without the @@"),
        ({"a b": 1}, "letters, digits and _"),
        ({"": 1}, "letters, digits and _"),
        ({3: 1}, "letters, digits and _"),
        ({"a": None}, "must be a number"),
        ({"a": True}, "must be a number"),
        ({"a": float("nan")}, "finite"),
        ({"a": 10**400}, "finite"),
        ({"a": [1]}, "must be a number"),
        ({"a": "@@b"}, "filled in as it is"),
        ({"a": "{1}"}, "filled in as it is"),
        ({"a": "x" * 5000}, "at most 4096"),
        ({"a": "\0"}, "XML does not allow"),
        ({"a": "\ud800"}, "XML does not allow"),
    ],
)
def test_parameters_that_are_none(params, says):
    with pytest.raises(Error) as error:
        Template(params)
    assert says in str(error.value)


def test_numbers_come_through_to_the_last_bit():
    for value in (0.1, 1 / 3, 1e-300, 123456789.123456789, np.float64(2 / 3), np.int32(7), 2**60):
        assert float(Template({"x": value}).fill("@@x")) == float(value)


def test_pairs_and_mappings_are_the_same():
    assert Template(list(PARAMS.items())).fill("@@width @@side") == Template(PARAMS).fill("@@width @@side")


def test_unused_parameters():
    template = Template(PARAMS)
    template.fill("{@@width + @@text}")
    assert template.unused == ["count", "side"]


def test_a_scope_inside_another():
    template = Template(PARAMS)
    inner = template.with_values({"i": 4, "side": "right"})
    assert inner.fill("@@side{@@i} @@width") == "right4 0.6"
    assert template.unused == ["count", "side", "text"]
    with pytest.raises(Error, match="no parameter named 'i'"):
        template.fill("@@i")
    with pytest.raises(Error, match="known: count, i, side, text, width"):
        inner.fill("@@j")


def test_a_tree_is_filled_in_its_attributes_and_cannot_grow():
    root = etree.fromstring('<a><b x="@@p"/>\n<c y="{1+1}">@@text</c></a>')
    Template({"p": '"/><evil a="'}).fill_tree(root, "f")
    assert root[0].get("x") == '"/><evil a="'
    assert root[1].get("y") == "2"
    assert root[1].text == "@@text"
    assert len(root) == 2


def test_errors_of_trees_have_a_place():
    root = etree.fromstring('<a>\n<b/>\n<c mass="{1+}"/></a>')
    with pytest.raises(UrdfError) as error:
        Template().fill_tree(root, "robot.urdf")
    assert str(error.value).startswith("robot.urdf:3: <c>: mass='{1+}': expression '1+': something is missing")
    with pytest.raises(FileError):
        Template().fill_tree(root, "world.xml", FileError)


def test_a_template_does_not_grow_without_bounds():
    root = etree.fromstring("<a>" + ('<b x="' + "@@p" * 500 + '"/>') * 40 + "</a>")
    with pytest.raises(UrdfError, match="grows to more than"):
        Template({"p": "x" * 4096}).fill_tree(root, "f")
