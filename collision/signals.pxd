# Ctrl-C within a long step.

from cpython.exc cimport PyErr_CheckSignals


cdef inline int check_signals() except -1 nogil:
    """Raise KeyboardInterrupt if the user asked for it, or what another signal's handler raises.  About 0.1 us."""
    with gil:
        PyErr_CheckSignals()
    return 0
