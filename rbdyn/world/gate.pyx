"""What a World and its objects share: whether it may be touched now."""

from rbdyn.errors import BusyError


cdef class Gate:
    """Guards a World against edits at the wrong moment and against two threads at once."""

    cdef int check_idle(self) except -1:
        """BusyError while a step runs."""
        if self.busy:
            raise BusyError("the World is being stepped by another thread, or by the call that led here")
        return 0

    cdef int check_editable(self) except -1:
        """BusyError while a step runs, and between its two halves."""
        self.check_idle()
        if self.half:
            raise BusyError("call integrate2() first: nothing may be added, removed or moved between the half steps")
        return 0
