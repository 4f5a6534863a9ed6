"""Handlers of signals that wait until an edit is done, so that Ctrl-C finds it not begun or complete.

Python runs the handler of a signal between any two bytecodes of the main thread, and what it raises comes out there:
in the middle of an edit, and of what would undo it.  Between `hold_signals` and `release_signals` those signals that
have a handler in Python are only noted, by a handler in C; the release puts Python's own back and lets it handle what
came.  `sig_block` of cysignals does the same for SIGINT.

A mask (`pthread_sigmask`) would not do: the system then gives the signal to another thread of the process, and Python
runs the handler in the main thread all the same.  Exchanging handlers in Python (`signal.signal`) would be seen by
`signal.getsignal`, and change what `siginterrupt` set.  Handlers of other libraries are left alone, and so is every
other thread than the main one, where Python runs no handler.
"""

import _signal
import os
import threading

from cpython.exc cimport PyErr_CheckSignals
from cpython.pythread cimport PyThread_get_thread_ident

cdef extern from *:
    """
    #include <signal.h>
    #ifndef NSIG
    #define NSIG 65
    #endif
    static volatile sig_atomic_t noted[NSIG];
    static void note_signal(int number);
    #ifdef _WIN32
    typedef void (*handler_before)(int);
    static int put_handler(int number, handler_before* before) {
        handler_before was = signal(number, note_signal);
        if (was == SIG_ERR) return 0;
        *before = was;
        return 1;
    }
    static void put_back(int number, handler_before* before) {
        handler_before now = signal(number, *before);
        if (now != note_signal) signal(number, now);
    }
    static void handle(int number, handler_before* before) { (*before)(number); }
    static void note_signal(int number) { noted[number] = 1; signal(number, note_signal); }
    #else
    typedef struct sigaction handler_before;
    static int put_handler(int number, handler_before* before) {
        struct sigaction ours;
        if (sigaction(number, NULL, before) != 0 || (before->sa_flags & SA_SIGINFO)) return 0;
        ours = *before;
        ours.sa_handler = note_signal;
        return sigaction(number, &ours, NULL) == 0;
    }
    static void put_back(int number, handler_before* before) {
        struct sigaction now;
        if (sigaction(number, NULL, &now) == 0 && now.sa_handler == note_signal) sigaction(number, before, NULL);
    }
    static void handle(int number, handler_before* before) { before->sa_handler(number); }
    static void note_signal(int number) { noted[number] = 1; }
    #endif
    """
    enum:
        NSIG
    int noted[]
    ctypedef struct handler_before:
        pass
    bint put_handler(int number, handler_before* before)      # False: it cannot be exchanged
    void put_back(int number, handler_before* before)         # unless somebody has put another there meanwhile
    void handle(int number, handler_before* before)           # as if the signal came now

cdef int depth = 0                       # holds of the main thread that are not released
cdef handler_before before[NSIG]         # Python's own handlers in C, of the signals that are held
cdef bint held[NSIG]
cdef object handler_of = _signal.getsignal
cdef tuple numbers = tuple(sorted(int(number) for number in _signal.valid_signals() if 0 < number < NSIG))


cdef size_t main_thread = threading.main_thread().ident


def note_fork():
    """In a process that was forked off, the thread that did it is the main one."""
    global main_thread
    main_thread = PyThread_get_thread_ident()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=note_fork)


cdef bint in_main_thread() noexcept:
    return main_thread == <size_t> PyThread_get_thread_ident()


cdef int hold_signals() except -1:
    """From here on no handler runs in the main thread; each hold needs its release, in `finally`.

    What came before is handled first: whatever that raises comes out here, and nothing is held then.
    """
    global depth
    cdef int number
    if not in_main_thread():
        return 0
    if depth == 0:
        PyErr_CheckSignals()
    depth += 1
    if depth > 1:
        return 0
    try:
        for number in numbers:
            if callable(handler_of(number)):
                noted[number] = 0
                held[number] = put_handler(number, &before[number])
        PyErr_CheckSignals()             # what came just before its handler was exchanged
    except BaseException:
        release_signals()
        raise
    return 0


cdef int release_signals() except -1:
    """The end of a hold; at the end of the outermost what came meanwhile is handled, and what that raises comes out."""
    global depth
    cdef int number
    cdef bint came = False
    if not in_main_thread():
        return 0
    depth -= 1
    if depth > 0:
        return 0
    for number in range(NSIG):
        if held[number]:
            held[number] = False
            put_back(number, &before[number])
            if noted[number]:
                came = True
                handle(number, &before[number])
    if came:
        PyErr_CheckSignals()
    return 0


cdef class HeldSignals:
    """A context in which no handler of a signal runs; `held_signals` is the only one.  Contexts may be nested."""

    def __enter__(self):
        hold_signals()

    def __exit__(self, *error):
        release_signals()


held_signals = HeldSignals()
