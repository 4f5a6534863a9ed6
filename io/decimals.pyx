"""The quick reader of decimal numbers: what it cannot read, `rbdyn.io.numbers` explains."""

from libc.math cimport isfinite

cdef extern from "Python.h":
    const char* PyUnicode_AsUTF8AndSize(object text, Py_ssize_t* size) except NULL
    double PyOS_string_to_double(const char* text, char** end, void* overflow) except? -1.0

cdef enum:
    LONGEST = 1000  # characters of one number: converting digits costs more than linear time


cdef inline bint _is_digit(char c) noexcept nogil:
    return c"0" <= c <= c"9"


cdef inline bint _is_blank(char c) noexcept nogil:
    return c == c" " or c == c"\t" or c == c"\r" or c == c"\n"


cdef const char* _behind(const char* s) noexcept nogil:
    """Behind the decimal that starts at `s`: sign, digits with a point, exponent; `s` itself if none does."""
    cdef const char* start = s
    cdef const char* first
    cdef const char* exponent
    cdef int digits
    if s[0] == c"+" or s[0] == c"-":
        s += 1
    first = s
    while _is_digit(s[0]):
        s += 1
    digits = s > first
    if s[0] == c".":
        s += 1
        first = s
        while _is_digit(s[0]):
            s += 1
        digits |= s > first
    if not digits:
        return start
    if s[0] == c"e" or s[0] == c"E":
        exponent = s + 1
        if exponent[0] == c"+" or exponent[0] == c"-":
            exponent += 1
        if not _is_digit(exponent[0]):
            return s
        while _is_digit(exponent[0]):
            exponent += 1
        s = exponent
    return s


cdef tuple decimals_of(str text, Py_ssize_t n):
    cdef Py_ssize_t size = 0
    cdef const char* s
    cdef const char* all_behind
    cdef const char* behind
    cdef char* read = NULL
    cdef double x
    cdef list found = []
    if not text.isascii():
        return None
    s = PyUnicode_AsUTF8AndSize(text, &size)
    all_behind = s + size
    while len(found) < n:
        while _is_blank(s[0]):
            s += 1
        behind = _behind(s)
        if behind == s or behind - s > LONGEST or not (_is_blank(behind[0]) or behind == all_behind):
            return None
        x = PyOS_string_to_double(s, &read, NULL)
        if read != behind or not isfinite(x):
            return None
        found.append(x)
        s = behind
    while _is_blank(s[0]):
        s += 1
    return tuple(found) if s == all_behind else None


def decimals(str text not None, Py_ssize_t n):
    """The `n` finite ASCII decimals, separated by blanks, that are all of `text`; None if it is anything else.

    Examples
    --------
    >>> decimals(" 1 -2.5e3 ", 2), decimals("1,5", 1), decimals("1e999", 1)
    ((1.0, -2500.0), None, None)
    """
    return decimals_of(text, n)
