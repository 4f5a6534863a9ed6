# Ctrl-C in the middle of long work: signals are looked at between its parts, at most every 50 ms.

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

cdef struct Signals:
    double looked             # when they were looked at last [s]
    long work                 # bodies, contacts or rows of L handled since the clock was

cdef inline Signals start_signals() noexcept nogil:
    cdef Signals s
    s.looked, s.work = seconds(), 0
    return s

cdef inline int handle_signals(Signals* s, long work) except -1 nogil:
    """Raise what a signal's handler raises.  `work` is what comes next: so many bodies, contacts or rows of L.

    Small work does not pay for the clock: two thousand of them take a millisecond or more.
    """
    cdef double now
    s.work += work
    if s.work < 2000:
        return 0
    s.work = 0
    now = seconds()
    if now - s.looked > 0.05 or now < s.looked:
        s.looked = now
        with gil:
            PyErr_CheckSignals()
    return 0

cdef inline int handle_within(Signals* s, long work) except -1 nogil:
    """The same in the middle of what is to be done as a whole: only where that is long.

    What is short ends before signals are looked at, so that Ctrl-C leaves nothing half done.
    """
    if work < 2000:
        s.work += work
        return 0
    return handle_signals(s, work)
