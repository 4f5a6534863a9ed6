"""Calls of a user's support function: own_function.pxd.

Kernels cannot raise.  What a function raises is kept, with zero as its answer, and raised when the kernels have ended.
"""

from libc.math cimport isfinite

import numpy as np

from rbdyn.arguments import shown
from rbdyn.errors import CollisionError

cdef object _raised = None
cdef bint _failed = False


cdef void call_function(PyObject* function, const double* d, double* x) noexcept nogil:
    """The answer of a Python function, or zero."""
    x[0] = x[1] = x[2] = 0.0
    if _failed:
        return
    with gil:
        ask(<object> function, d, x)


cdef void ask(object function, const double* d, double* x) noexcept:
    global _raised, _failed
    try:
        point = function(np.array([d[0], d[1], d[2]]))
        try:
            x[0], x[1], x[2] = point
        except (TypeError, ValueError):
            x[0] = x[1] = x[2] = 0.0
            raise CollisionError(f"a support function must return three numbers [m], got {shown(point)}") from None
        if not (isfinite(x[0]) and isfinite(x[1]) and isfinite(x[2])):
            x[0] = x[1] = x[2] = 0.0
            raise CollisionError(f"a support function must return a finite point [m], got {shown(point)}")
    except BaseException as error:
        _raised, _failed = error, True


cdef int check_functions() except -1 nogil:
    """Raise what a function raised since the last look."""
    global _failed
    if _failed:
        with gil:
            raise_it()
    return 0


cdef int raise_it() except -1:
    global _raised, _failed
    error, _raised, _failed = _raised, None, False
    raise error
