"""The script that changes one term at a time: what it changes, and that the woven source says what each change says."""

import pathlib
import sys

import pytest

sys.path.insert(0, str(pathlib.Path(__file__).parent))
from changes import changes
from statements import declaration, statements
from weave import mutants, woven
from workshop import all_mutants

SOURCE = '''"""Docstring: a + b."""

from libc.math cimport sqrt

cdef double k = 2.0 + 1.0      # not in a function

def slow(x):
    return x + 1.0

cdef inline double f(const double* a, int n,
                     double b) noexcept nogil:
    """a - b."""
    cdef double s = 0.0, t   # a sum
    cdef int i
    for i in range(1, n):
        s += a[i + 1] * b
        if s < -b:
            with gil:
                raise ValueError(1 + 1)
    t = (a[0]
         - b)
    return sqrt(s * s + t)
'''


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a + b * c", {"a - b * c", "a", "a + b"}),
        ("x[i + 1] - y", {"x[i + 1] + y", "x[i + 1]"}),
        ("-a.x", {"a.x", "-a.y"}),
        ("<double*> p", set()),
        ("a < <int> b", {"a >= <int> b"}),
        ("a < b and not c", {"a >= b and not c", "a < b or not c", "a < b and c"}),
        ("add3(f(a), b)", {"f(a)", "b", "sub3(f(a), b)", "pass"}),
        ("v = cross3(a, b)", {"v = cross3(b, a)"}),
        ("s.n += 2", {"s.n -= 2", "s.n += 3", "pass"}),
        ("return 1e-12", {"return 1e-09"}),
        ("(a + b) / c", {"(a - b) / c", "(a) / c", "(a + b) * c"}),
        ("return m.w", {"return m.v"}),
    ],
)
def test_changes_of_one_term(text, expected):
    assert {new for _, new in changes(text)} == expected


def test_only_functions_without_the_gil_are_looked_at():
    texts = [s.text for s in statements("f.pyx", SOURCE)]
    assert texts == [
        "cdef double s = 0.0, t",
        "cdef int i",
        "for i in range(1, n):",
        "s += a[i + 1] * b",
        "if s < -b:",
        "t = (a[0] - b)",
        "return sqrt(s * s + t)",
    ]


def test_values_of_declarations_become_assignments():
    assert declaration("cdef const double* m = a.m, n") == ("cdef const double* m, n", ["m = a.m"])
    assert declaration("cdef double a = f(1, b=2), b = 3") == ("cdef double a, b", ["a = f(1, b=2)", "b = 3"])
    assert declaration("cdef const double a = 1.0") is None
    assert declaration("cdef int i") is None


def test_the_woven_source_has_every_change_and_the_old_text():
    found = list(mutants("f.pyx", SOURCE))
    assert len({m.key for m in found}) == len(found) > 11
    text = woven(SOURCE, dict(enumerate(found, 1)))
    for number, mutant in enumerate(found, 1):
        assert f"mutated({number})" in text
        assert mutant.now in text
    assert text.index("cimport mutated") > text.index("Docstring")
    assert "    cdef double s, t\n    if mutated(1):\n        s = 1.0\n    else:\n        s = 0.0\n" in text
    assert "with gil:\n                raise ValueError(1 + 1)" in text
    assert not [m for m in found if m.now == "pass" and m.was != m.statement.text]
    only = {1: next(m for m in found if m.was == "s < -b" and ">=" in m.now)}
    assert "        if ((s >= -b) if mutated(1) else (s < -b)):" in woven(SOURCE, only)


def test_what_is_listed_as_equivalent_can_still_be_changed():
    """A reason for a change that no longer exists would be read as one for the code of today."""
    text = (pathlib.Path(__file__).parent / "equivalent.txt").read_text()
    listed = [line for line in text.splitlines() if line and not line.startswith(("#", " "))]
    known = {mutant.key for mutant in all_mutants()}
    assert len(listed) > 5
    assert [key for key in listed if key not in known] == []
