"""Dense work that can take seconds, without the GIL: it looks at signals between rows.

Meanwhile its State is out of reach of all threads, and of what a signal's handler calls.
"""

from rbdyn.kernels.ltdl cimport ltdl_factor_row, ltdl_gather_row, ltdl_inverse_row, ltdl_spread_row
from rbdyn.signals cimport Signals, handle_signals

cdef enum:
    NOBODY = -1               # no thread's identifier


cdef bint begin_long(State state) except -1:
    """Lock a large State; whether it is one, so that `end_long` has to follow."""
    if state.model.c.nv < LONG or state.stepper:
        return False
    state.stepper = NOBODY
    return True


cdef int end_long(State state) except -1:
    """Unlock it."""
    state.stepper = 0
    return 0


cdef int factor(const CModel* m, double* H) except -1 nogil:
    """ltdl_factor."""
    cdef Signals signals = Signals(0.0, 0)
    cdef Py_ssize_t k
    for k in range(m.nv - 1, -1, -1):
        handle_signals(&signals, m.nv)
        ltdl_factor_row(m, H, k)
    return 0


cdef int invert(const CModel* m, const double* H, double* A) except -1 nogil:
    """ltdl_inverse."""
    cdef Signals signals = Signals(0.0, 0)
    cdef Py_ssize_t i
    for i in range(m.nv):
        handle_signals(&signals, m.nv)
        ltdl_inverse_row(m, H, A, i)
    return 0


cdef int solve_rows(const CModel* m, const double* H, Py_ssize_t n, double s, double* X, double* Y) except -1 nogil:
    """ltdl_solve_rows."""
    cdef Signals signals = Signals(0.0, 0)
    cdef Py_ssize_t i
    for i in range(m.nv - 1, -1, -1):
        handle_signals(&signals, m.nv)
        ltdl_spread_row(m, H, n, X, Y, i)
    for i in range(m.nv):
        handle_signals(&signals, m.nv)
        ltdl_gather_row(m, H, n, s, X, Y, i)
    return 0
