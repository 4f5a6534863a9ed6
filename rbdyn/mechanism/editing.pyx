"""One editor at a time, who comes to an end: a second thread that edits a mechanism meanwhile gets an error.

Handlers of signals wait until then, so that Ctrl-C finds the edit not begun or complete.  All of this is compiled, as
a trace function and exceptions that other threads send may raise between any two lines of Python: also between an
edit and the release of its lock.
"""

from functools import wraps

from rbdyn.errors import BusyError

from rbdyn.held_signals cimport hold_signals, release_signals


cdef int begin(tuple mechanisms) except -1:
    """Keep other threads, and handlers of signals, from editing them; BusyError if a thread does already."""
    cdef Py_ssize_t k = 0
    hold_signals()
    try:
        for k in range(len(mechanisms)):
            if not mechanisms[k]._lock.acquire(False):
                raise BusyError(f"mechanism {mechanisms[k].name!r} is edited by another thread; give each thread a "
                                "copy of its own")
    except BaseException:
        end(mechanisms, k)
        raise
    return 0


cdef int end(tuple mechanisms, Py_ssize_t n) except -1:
    """Let others edit the first n of them; what handlers of signals raise comes out here."""
    cdef Py_ssize_t k
    try:
        for k in range(n):
            mechanisms[k]._lock.release()
    finally:
        release_signals()
    return 0


cdef class Editing:
    """A context in which only this thread edits some mechanisms: see `editing`."""

    cdef tuple mechanisms

    def __enter__(self):
        begin(self.mechanisms)

    def __exit__(self, *error):
        end(self.mechanisms, len(self.mechanisms))


def editing(*mechanisms):
    """Keep other threads, and handlers of signals, from editing these; BusyError if a thread does already.

    A context for compiled code: Python code calls `edited`.
    """
    cdef Editing made = Editing.__new__(Editing)
    made.mechanisms = mechanisms
    return made


def edited(mechanism, call):
    """What `call()` returns, which edits a mechanism, or needs it to stay as it is."""
    cdef tuple mechanisms = (mechanism,)
    begin(mechanisms)
    try:
        return call()
    finally:
        end(mechanisms, 1)


cdef object run(object method, object mechanism, tuple args, dict kwargs):
    cdef tuple mechanisms = (mechanism,)
    begin(mechanisms)
    try:
        return method(mechanism, *args, **kwargs)
    finally:
        end(mechanisms, 1)


def edit(method):
    """A method that edits its mechanism, or needs it to stay as it is."""
    @wraps(method)
    def alone(self, *args, **kwargs):
        return run(method, self, args, kwargs)

    return alone
