"""A counter that a Mechanism and its Models share, so that a stale Model is found in one comparison."""

from cpython.dict cimport PyDict_DelItem, PyDict_GetItem, PyDict_SetItem
from cpython.list cimport PyList_Append

GONE = object()


def put_frame(dict frames not None, name, value, Revision revision):
    """Write ``frames[name]`` and count it as a frame more, if there is a counter."""
    frames[name] = value
    if revision is not None:
        revision.frames += 1


def put_all(list changes not None):
    """Carry out all changes, or none: the last act of an edit, which has built aside what they put in place.

    No code in Python runs meanwhile: no handler of a signal, no trace function, no exception that another thread
    sends, and no other thread.  A lack of memory undoes what was done; undoing allocates nothing.

    Parameters
    ----------
    changes : list of (where, what, value)
        ``(dict, key, value)`` sets an entry, or deletes it if the value is `GONE`; ``(list, None, value)`` appends;
        ``(Revision, None, value)`` sets the number of edits, or counts one more if the value is None; of any other
        object the slot called `what` is set.
    """
    cdef list before = [None] * len(changes)         # keeps alive what goes, which could run code in Python
    cdef Py_ssize_t k = 0
    try:
        for k in range(len(changes)):
            where, what, value = <tuple> changes[k]
            before[k] = put_one(where, what, value)
    except BaseException:
        while k > 0:
            k -= 1
            where, what, value = <tuple> changes[k]
            take_back(where, what, before[k])
        raise


cdef object put_one(object where, object what, object value):
    """Carry out one change; what was there before."""
    cdef object old
    cdef void* known
    if type(where) is dict:
        known = <void*> PyDict_GetItem(where, what)
        old = <object> known if known != NULL else GONE
        if value is not GONE:
            PyDict_SetItem(where, what, value)
        elif known != NULL:
            PyDict_DelItem(where, what)
        return old
    if type(where) is list:
        PyList_Append(where, value)
        return None
    if type(where) is Revision:
        old = (<Revision> where).value
        (<Revision> where).value = (<Revision> where).value + 1 if value is None else value
        return old
    old = getattr(where, what)
    setattr(where, what, value)
    return old


cdef int take_back(object where, object what, object old) except -1:
    """Undo one change, without a need of memory."""
    if type(where) is list:
        (<list> where).pop()
    else:
        put_one(where, what, old)
    return 0


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
