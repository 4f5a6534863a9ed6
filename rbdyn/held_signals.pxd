# Handlers of signals wait while something is changed that must be changed as a whole: see held_signals.pyx.

cdef int hold_signals() except -1
cdef int release_signals() except -1
