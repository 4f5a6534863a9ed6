"""Expressions of templates: arithmetic as everybody writes it, and nothing else."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rbdyn.errors import Error
from rbdyn.io.templates import evaluate

NAMES = {"a": 2.0, "b": 0.25, "long_name_1": -3.0}


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("1", 1.0),
        (".5", 0.5),
        ("5.", 5.0),
        ("1e-3", 1e-3),
        ("2+3*4", 14.0),
        ("(2+3)*4", 20.0),
        ("2-3-4", -5.0),
        ("2/4/4", 0.125),
        ("-2**2", -4.0),
        ("2**-1", 0.5),
        ("2**3**2", 512.0),
        ("(2**3)**2", 64.0),
        ("--2", 2.0),
        ("2*-3", -6.0),
        ("+4", 4.0),
        ("pi", math.pi),
        ("2*pi/3", 2.0943951023931953),
        ("sin(pi/6)", math.sin(math.pi / 6)),
        ("cos(0) + exp(1)", 1.0 + math.e),
        ("log(exp(2))", 2.0),
        ("sqrt(2)*sqrt(2)", 2.0000000000000004),
        (" 1\n+\t2 ", 3.0),
        ("@@a*@@b", 0.5),
        ("@@long_name_1+@@a", -1.0),
        ("(((((((1)))))))", 1.0),
    ],
)
def test_arithmetic(text, value):
    assert evaluate(text, NAMES.__getitem__) == value


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "something is missing"),
        ("1+", "something is missing"),
        ("*1", "a number was expected, not '*'"),
        ("(1", "')' is missing"),
        ("1)", "')' was not expected"),
        ("1 2", "'2' was not expected"),
        ("2^3", "a power is **"),
        ("1//2", "a number was expected, not '/'"),
        ("5%2", "'%' is not known"),
        ("1,5", "',' is not known"),
        ("1/0", "division by zero"),
        ("1/(2-2)", "division by zero"),
        ("9**9**9", "not a finite number"),
        ("1e308*10", "not a finite number"),
        ("1e999", "not a finite number"),
        ("exp(1000)", "exp(1000) is not a finite number"),
        ("log(0)", "log(0) is not a finite number"),
        ("sqrt(-1)", "sqrt(-1) is not a finite number"),
        ("(-8)**(1/3)", "not a finite number"),
        ("0**-1", "not a finite number"),
        ("tan(1)", "'tan' is not known; choices"),
        ("sin 1", "sin needs its argument in parentheses"),
        ("pi(1)", "'(' was not expected"),
        ("a", "'a' is not known"),
        ("nan", "'nan' is not known"),
        ("1_000", "'_000' was not expected"),
        ("0x10", "'x10' was not expected"),
        ("1j", "'j' was not expected"),
        ("True", "'True' is not known"),
        ("'a'*9", "is not known"),
        ("__import__('os').system('true')", "'__import__' is not known"),
        ("().__class__", "a number was expected"),
        ("pi.__class__", "'.' is not known"),
        ("exec(1)", "'exec' is not known"),
        ("lambda: 1", "':' is not known"),
        ("[1]*9", "'[' is not known"),
        ("\u0661", "is not known"),
        ("1;2", "';' is not known"),
        ("@@", "'@' is not known"),
        ("(" * 60 + "1" + ")" * 60, "nested more than 50 deep"),
        ("-" * 60 + "1", "nested more than 50 deep"),
        ("1**" * 60 + "1", "nested more than 50 deep"),
        ("(" * 100_000, "at most 2000 are read"),
        ("1+" * 1001 + "1", "at most 2000 are read"),
    ],
)
def test_anything_else_is_refused(text, says):
    with pytest.raises(Error) as error:
        evaluate(text, NAMES.__getitem__)
    assert says in str(error.value)
    assert len(str(error.value)) < 400


NUMBER = st.floats(0.01, 100.0).map(repr)
TREE = st.recursive(
    NUMBER,
    lambda inner: st.one_of(
        st.tuples(inner, st.sampled_from("+-*/"), inner).map(lambda t: f"({t[0]} {t[1]} {t[2]})"),
        inner.map(lambda t: f"(-{t})"),
        inner.map(lambda t: f"cos({t})"),
    ),
    max_leaves=12,
)


@given(TREE)
def test_like_python(text):
    """Python's own arithmetic is the oracle of generated expressions."""
    try:
        expected = eval(text, {"__builtins__": {}, "cos": math.cos})
    except ZeroDivisionError:
        expected = None
    if expected is None or not math.isfinite(expected):
        with pytest.raises(Error):
            evaluate(text, NAMES.__getitem__)
        return
    assert evaluate(text, NAMES.__getitem__) == expected


@given(st.text("0123456789.+-*/() @abepisncoxlgrt_'\",^{}", max_size=40))
def test_any_text_gives_a_finite_number_or_our_error(text):
    try:
        value = evaluate(text, lambda name: 1.5)
    except Error:
        return
    assert type(value) is float
    assert math.isfinite(value)
