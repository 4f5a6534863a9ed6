"""A counter that a Mechanism and its Models share, so that a stale Model is found in one comparison."""


def put(dict values not None, name, value, Revision revision):
    """Write ``values[name]`` and count it as an edit, if there is a counter.

    That is one piece for other threads and for handlers of signals: none of them finds what is not counted.
    """
    values[name] = value
    if revision is not None:
        revision.value += 1


cdef class Revision:
    """Counts the edits of one Mechanism."""

    def __init__(self, long value=0):
        self.value = value

    def count(self):
        """One edit more; in one piece, as nothing written in Python is when two threads do it."""
        self.value += 1

    def __reduce__(self):
        return Revision, (self.value,)
