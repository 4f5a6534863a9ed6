"""What a World and its objects share: whether it may be changed now."""

from rbdyn.errors import BusyError

from cpython.pythread cimport PyThread_get_thread_ident

from rbdyn.held_signals cimport hold_signals, release_signals

cdef extern from *:
    """
    #ifdef _WIN32
    #include <process.h>
    static long process_number(void) { return (long)_getpid(); }
    #else
    #include <pthread.h>
    #include <unistd.h>
    /* Asked for in each step: the system is asked once, and again by each process that is forked off. */
    static long process_now;
    static void note_process(void) { process_now = (long)getpid(); }
    static long process_number(void) {
        if (!process_now && pthread_atfork(NULL, NULL, note_process) == 0) note_process();
        return process_now ? process_now : (long)getpid();
    }
    #endif
    """
    long process_number()


cdef class EditLock:
    """Guards a World against edits at the wrong moment and against two threads at once."""

    cdef int lock(self) except -1:
        """A step begins: BusyError for everybody until `unlock`."""
        self.process = process_number()
        self.busy = True
        return 0

    cdef int unlock(self) except -1:
        """The step is over."""
        self.busy = False
        return 0

    cdef int begin_query(self) except -1:
        """A query begins, which others may join: nobody edits or steps until `end_query`."""
        self.check_readable()
        self.queries += 1
        return 0

    cdef int end_query(self) except -1:
        """It is over."""
        self.queries -= 1
        return 0

    cdef int check_idle(self) except -1:
        """BusyError while a step runs, an edit, or a query."""
        if self.queries:
            raise BusyError("a query looks at the World, of another thread or by the call that led here; it may be "
                            "read until that ends, not stepped or changed")
        return self.check_alone()

    cdef int check_alone(self) except -1:
        """BusyError while a step runs, or an edit."""
        if self.editing or (self.whole and self.whole != <size_t> PyThread_get_thread_ident()):
            raise BusyError("an object is being added or removed, by another thread or by the call that led here")
        if self.busy and self.process != process_number():
            raise BusyError("another thread was stepping this World when this process was forked, so that it stays in "
                            "the middle of a step here; make a new World, or fork between steps")
        if self.busy and self.observing == <size_t> PyThread_get_thread_ident():
            raise BusyError("observers look at the World: it may be read, not stepped or changed "
                            "by the call that led here; note what is to be done, and do it after step()")
        if self.busy:
            raise BusyError("the World is being stepped by another thread, or by the call that led here")
        return 0

    cdef int check_readable(self) except -1:
        """BusyError while a step runs, or an edit; observers may read, in the thread that steps."""
        return 0 if self.observing == <size_t> PyThread_get_thread_ident() else self.check_alone()

    cdef int check_settable(self) except -1:
        """BusyError while a step runs, or an edit, and between the halves of a step."""
        self.check_idle()
        if self.half:
            raise BusyError("call integrate2() first: between the half steps only control and forces may be set")
        return 0

    cdef int check_editable(self) except -1:
        """The same, when all else is known to be well and something is edited that all may stand on: nobody sleeps on.
        """
        self.check_settable()
        self.edited = True
        return 0

    def guard(self):
        """`check_editable`, for what Python code sets."""
        self.check_editable()

    cdef int begin_edit(self) except -1:
        """An edit begins, which lasts until `end_edit`: Python code that it calls may not change more.

        Handlers of signals wait until then.  What comes to nothing edits nothing; what is done sets `edited`.
        """
        hold_signals()
        try:
            self.check_settable()
        except BaseException:
            release_signals()
            raise
        self.editing = True
        return 0

    cdef int end_edit(self) except -1:
        """It is over, done or undone; what handlers of signals raise comes out here."""
        self.editing = False
        return release_signals()

    cdef int begin_whole(self) except -1:
        """Several edits begin that are one for other threads and for handlers of signals, until `end_whole`."""
        hold_signals()
        try:
            self.check_alone()
        except BaseException:
            release_signals()
            raise
        self.whole = PyThread_get_thread_ident()
        self.depth += 1
        return 0

    cdef int end_whole(self) except -1:
        """They are over."""
        self.depth -= 1
        if self.depth == 0:
            self.whole = 0
        return release_signals()
