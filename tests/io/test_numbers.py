"""The strict number reader."""

import math
import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rbdyn.errors import Error
from rbdyn.io.decimals import decimals
from rbdyn.io.numbers import DECIMAL, number, vector


@pytest.mark.parametrize(
    "text, value",
    [
        ("1", 1.0),
        ("-2.5", -2.5),
        ("+.5", 0.5),
        ("3.", 3.0),
        ("1e-3", 1e-3),
        ("1.5E+2", 150.0),
        (" \t7\r\n", 7.0),
        ("007", 7.0),
        ("1e-400", 0.0),
        ("-0", 0.0),
    ],
)
def test_reads(text, value):
    assert number(text) == value


@pytest.mark.parametrize(
    "text, hint",
    [
        ("0,5", "decimal comma"),
        ("1_000", "underscore"),
        ("nan", "finite"),
        ("-inf", "finite"),
        ("Infinity", "finite"),
        ("0x10", "hexadecimal"),
        ("\u0661\u0662", "ASCII"),
        ("\uff11", "ASCII"),
        ("1e400", "finite"),
        ("", "empty"),
        ("   ", "empty"),
        ("1.0kg", "kg"),
        ("1.0f", "'f'"),
        ("1 2", "one number"),
        ("--1", "not a number"),
        ("1e", "'e'"),
        (".", "not a number"),
        ("e5", "not a number"),
        ("1d3", "'d3'"),
        ("${mass}", "xacro"),
        ("@@mass", "params"),
        ("1" * 2000, "too long"),
        ("1\u00a0", "ASCII"),
        ("True", "not a number"),
    ],
)
def test_refuses(text, hint):
    with pytest.raises(Error, match=hint) as caught:
        number(text)
    assert str(caught.value).startswith("'"), "the message quotes the value first"


@settings(deadline=None)
@given(st.floats(allow_nan=False, allow_infinity=False))
def test_round_trip(x):
    assert number(repr(x)) == x
    assert number(f"{x:.17e}") == x


@settings(deadline=None)
@given(st.text(max_size=8))
def test_total_and_never_looser_than_float(text):
    try:
        value = number(text)
    except Error:
        return
    assert math.isfinite(value)
    assert value == float(text)


def test_vector_counts():
    assert vector(" 1  2\t3 ", 3) == (1.0, 2.0, 3.0)
    assert vector("", 0) == ()
    with pytest.raises(Error, match="'1 2' holds 2 values, needed 3 numbers"):
        vector("1 2", 3)
    with pytest.raises(Error, match="blanks, not commas"):
        vector("0,0,1", 3)
    with pytest.raises(Error, match="'x' is not a number"):
        vector("0 x 1", 3)


def test_a_long_refusal_is_quick():
    with pytest.raises(Error):
        number("1" * 500_000 + "x")
    with pytest.raises(Error):
        vector("1" * 500_000 + "x", 1)


@settings(deadline=None, max_examples=500)
@given(st.text("0123456789+-.eE \t\r\n_,x\0", max_size=14), st.integers(0, 4))
def test_the_quick_reader_takes_what_the_grammar_takes(text, n):
    blank = "[ \t\r\n]"
    match = re.fullmatch(f"{blank}*" + f"{blank}+".join([f"({DECIMAL})"] * n) + f"{blank}*", text)
    values = tuple(map(float, match.groups())) if match else None
    if values is not None and not all(map(math.isfinite, values)):
        values = None
    assert decimals(text, n) == values


def test_the_quick_reader_leaves_what_needs_words():
    assert decimals("1+2", 2) is None, "numbers without a blank between"
    assert decimals("1\x002", 1) is None
    assert decimals("1" + "0" * 1000, 1) is None and decimals("0" * 999 + "7", 1) == (7.0,)
    assert decimals("\ud800", 1) is None and decimals("\u0661", 1) is None
    with pytest.raises(TypeError):
        decimals(None, 1)
