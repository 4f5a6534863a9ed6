"""The readers of what callers give: what is taken, what is converted, what is refused and how that is said."""

import math

import numpy as np
import pytest

from rbdyn.arguments import as_array, as_vector, choice, flag, number, shown, whole
from rbdyn.errors import ContactError, Error

GOOD = [
    [1, 2, 3],
    (1.0, 2.0, 3.0),
    np.array([1, 2, 3], np.int8),
    np.array([1, 2, 3], np.float32),
    np.array([1.0, 2, 3], ">f8"),
    np.arange(6.0).reshape(3, 2)[:, 1] / 2 + 0.5,
    np.array([1.0, 9, 2, 9, 3])[::2],
    np.frombuffer(b"\0" + np.array([1.0, 2, 3]).tobytes(), np.uint8)[1:].view(np.float64),
]


@pytest.mark.parametrize("x", GOOD)
def test_numbers_are_copied_into_native_float64(x):
    a = as_vector(x, 3, "x")
    assert a.tolist() == [1.0, 2.0, 3.0]
    assert a.dtype == np.float64 and a.dtype.isnative and a.flags.c_contiguous and a.flags.writeable and a.flags.aligned
    assert not np.shares_memory(a, x)


class Fails:
    """Something that says it is an array, and is none."""

    def __array__(self, dtype=None, copy=None):
        raise KeyError("lost")


@pytest.mark.parametrize(
    "x, text",
    [
        ([1, 2], r"^x must have shape \(3,\) \[m\], got shape \(2,\)$"),
        (np.zeros(4), r"^x must have shape \(3,\) \[m\], got shape \(4,\)$"),
        (np.zeros((3, 1)), r"^x must have shape \(3,\) \[m\], got shape \(3, 1\)$"),
        (1.0, r"^x must have shape \(3,\) \[m\], got shape \(\)$"),
        ([1, [2], 3], "^x must have shape .* got a ragged sequence$"),
        ([True, False, True], r"^x must hold real numbers \[m\], got list of bool$"),
        ([1, 2, 3j], "^x must hold real numbers"),
        (["1", "2", "3"], "^x must hold real numbers"),
        ([None, 1, 2], "^x must hold real numbers"),
        ([10**400, 1, 2], "^x must hold real numbers"),
        (None, "^x must hold real numbers"),
        ([1, np.nan, 3], r"^x must be finite \[m\], got nan at index 1$"),
        (np.array([1, 2, -np.inf]), r"^x must be finite \[m\], got -inf at index 2$"),
        (np.array([1, 2, np.finfo(np.longdouble).max]), "^x must be finite"),
        (np.ma.array([1.0, 2, 3], mask=[0, 1, 0]), "^x must not be a masked array"),
        (Fails(), "^x must be an array, but to read it raised KeyError"),
    ],
)
def test_everything_else_is_refused_by_name(x, text):
    with pytest.raises(ContactError, match=text):
        as_vector(x, 3, "x", "[m]", error=ContactError)
    with pytest.raises(Error, match=text):
        as_array(x, (3,), "x", "[m]")


def test_a_shape_may_leave_a_length_open():
    assert as_array([[1, 2, 3]], (None, 3), "x").shape == (1, 3)
    assert as_array(np.zeros((0, 3)), (None, 3), "x").shape == (0, 3)
    assert as_array([], (None,), "x").shape == (0,)
    assert as_array(2, (), "x") == 2.0
    with pytest.raises(Error, match=r"^x must have shape \(\?, 3\), got shape \(1, 2\)$"):
        as_array(np.zeros((1, 2)), (None, 3), "x")
    with pytest.raises(Error, match=r"^x must be finite, got nan at index \(0, 2\)$"):
        as_array([[1, 2, np.nan]], (None, 3), "x")


def test_numbers():
    assert number(2, "x") == 2.0 and number(np.float32(0.5), "x", low=0.5, high=0.5) == 0.5
    for bad in (True, np.True_, "1", b"1", 1j, None, [1.0, 2.0], math.nan, math.inf, 10**400):
        with pytest.raises(Error, match=r"^x must be a number \[s\], finite, got "):
            number(bad, "x", unit="[s]")
    with pytest.raises(Error, match=r"finite and above 0 and at most 2, got 0$"):
        number(0, "x", above=0.0, high=2.0)
    with pytest.raises(Error, match="finite and at least 0, got -1.0$"):
        number(-1.0, "x", low=0.0)


def test_whole_numbers_choices_and_flags():
    assert whole(np.int8(3), "n", 3, 3) == 3 and choice("a", "mode", ("a", "b")) == "a" and flag(np.True_, "on") is True
    for bad in (True, 2.0, "2", None, 0, 6):
        with pytest.raises(Error, match="^n must be a whole number, from 1 to 5, got "):
            whole(bad, "n", 1, 5)
    for bad in ("c", None, 1, ["a"]):
        with pytest.raises(ContactError, match="^mode must be one of 'a', 'b', got "):
            choice(bad, "mode", ("a", "b"), error=ContactError)
    for bad in (1, 0, None, "True"):
        with pytest.raises(Error, match="^on must be True or False, got "):
            flag(bad, "on")


class Unspeakable:
    def __repr__(self):
        raise RuntimeError


LONG = ["x" * 10**6, list(range(10**6)), np.zeros((400, 400)), 10**5000, [10**5000], Unspeakable(), {"a": "b" * 999}]


@pytest.mark.parametrize("k", range(len(LONG)))
def test_what_came_is_shown_in_short(k):
    assert 0 < len(shown(LONG[k])) <= 80
