"""A counter that a Mechanism and its Models share, so that a stale Model is found in one comparison."""


cdef class Revision:
    """Counts the edits of one Mechanism."""

    def __init__(self, long value=0):
        self.value = value

    def __reduce__(self):
        return Revision, (self.value,)
