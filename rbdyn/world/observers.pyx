"""Observers of a World: called after every step, in the order in which they came."""

import weakref

from cpython.pythread cimport PyThread_get_thread_ident
from libc.stdlib cimport free

from rbdyn.arguments import shown
from rbdyn.errors import Error

from rbdyn.memory cimport grow


cdef class Observer:
    """Base of compiled observers, which fill in `call` in their __cinit__ (observers.pxd)."""


cdef class Observers:
    """Those of one World."""

    def __init__(self, world, EditLock lock not None):
        self.members, self.world, self.lock = [], weakref.ref(world), lock

    def __dealloc__(self):
        free(self.call)

    cdef int add(self, object observer, bint accelerations) except -1:
        """Call `observer` after every step."""
        cdef ObserverCall call
        call.after_commit, call.context = NULL, NULL
        if isinstance(observer, Observer):
            call = (<Observer> observer).call
            if call.after_commit is NULL:
                raise Error(f"{shown(observer)} is an Observer without a function to call")
        elif not callable(observer):
            raise Error(f"observer must be callable with the World, or a compiled Observer, got {shown(observer)}")
        if any(one is observer for one, _ in self.members):
            raise Error(f"{shown(observer)} observes this World already")
        grow(<void**> &self.call, &self.room, self.n + 1, sizeof(ObserverCall))
        self.members.append((observer, accelerations))
        self.call[self.n] = call
        self.n += 1
        return 0

    cdef int remove(self, object observer) except -1:
        """Call it no more; Error if it does not observe."""
        cdef int k
        for k in range(self.n):
            if self.members[k][0] is observer:
                break
        else:
            raise Error(f"{shown(observer)} does not observe this World")
        del self.members[k]
        self.n -= 1
        for k in range(k, self.n):
            self.call[k] = self.call[k + 1]
        return 0

    cdef bint ask_for_accelerations(self) except -1:
        """Whether anybody does."""
        return any(accelerations for _, accelerations in self.members)

    cdef bint ask_python(self) noexcept:
        """Whether one of them is Python code."""
        cdef int k
        for k in range(self.n):
            if self.call[k].after_commit is NULL:
                return True
        return False

    cdef int notify(self, const Scene* scene, double t) except -1 nogil:
        """Call all of them.  What one raises ends step(), whose present step is done by then."""
        cdef int k
        for k in range(self.n):
            if self.call[k].after_commit is not NULL:
                self.call[k].after_commit(self.call[k].context, scene, t)
            else:
                with gil:
                    self.lock.observing = PyThread_get_thread_ident()
                    try:
                        self.members[k][0](self.world())
                    finally:
                        self.lock.observing = 0
        return 0
