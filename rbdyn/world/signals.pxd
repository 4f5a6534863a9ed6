# Ctrl-C in the middle of a long step: signals are looked at between its phases, at most every SIGNAL_PERIOD of work.

from cpython.exc cimport PyErr_CheckSignals

cdef extern from "<time.h>" nogil:
    struct timespec:
        long tv_sec
        long tv_nsec
    int TIME_UTC
    int timespec_get(timespec* t, int base)

cdef inline double seconds() noexcept nogil:
    """The time of day [s]."""
    cdef timespec t
    timespec_get(&t, TIME_UTC)
    return t.tv_sec + 1e-9 * t.tv_nsec

cdef inline int look_at_signals(double* looked) except -1 nogil:
    """Raise what a signal's handler raises; `looked` is when they were looked at last [s]."""
    cdef double now = seconds()
    if now - looked[0] > 0.05 or now < looked[0]:
        looked[0] = now
        with gil:
            PyErr_CheckSignals()
    return 0
