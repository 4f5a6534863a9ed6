"""What a World and its objects share: whether it may be changed now."""

from rbdyn.errors import BusyError

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
        if self.editing:
            raise BusyError("an object is being added or removed, by another thread or by the call that led here")
        if self.busy and self.process != process_number():
            raise BusyError("another thread was stepping this World when this process was forked, so that it stays in "
                            "the middle of a step here; make a new World, or fork between steps")
        if self.busy and self.observing:
            raise BusyError("observers look at the World: it may be read, not stepped or changed "
                            "by the call that led here; note what is to be done, and do it after step()")
        if self.busy:
            raise BusyError("the World is being stepped by another thread, or by the call that led here")
        return 0

    cdef int check_readable(self) except -1:
        """BusyError while a step runs, or an edit; observers may read."""
        return 0 if self.observing else self.check_alone()

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
        """An edit begins, which lasts until `editing` is False again: Python code that it calls may not change more.

        What comes to nothing edits nothing; what is done sets `edited`.
        """
        self.check_settable()
        self.editing = True
        return 0
