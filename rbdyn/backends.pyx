"""What collision backends and contact solvers have in common: overridden or not, in use or not, whose they are."""

import weakref

from rbdyn.errors import BusyError

from cpython.pythread cimport PyThread_get_thread_ident


cdef bint is_compiled(type cls):
    """Compiled classes carry a table of C methods."""
    return "__pyx_vtable__" in cls.__dict__


cdef bint is_overridden(type cls, str name):
    """Is the first class of the MRO that defines `name` a Python class?"""
    for base in cls.__mro__:
        if name in base.__dict__:
            return not is_compiled(base)
    return False


cdef class Backend:
    """The base of CollisionBackend and ContactSolver.

    Attributes
    ----------
    overridden : bool
        Whether a Python class redefines the method that does the work.
    """

    cdef int introduce(self, type base, str method, str noun, type error) except -1:
        """Called by the class `base` of all backends of one kind, in its __cinit__."""
        compiled = [cls for cls in type(self).__mro__ if is_compiled(cls)]
        self.overridden = is_overridden(type(self), method)
        self.abstract = compiled[0] is base and not self.overridden
        self.noun, self.method, self.error_class = noun, method, error
        return 0

    cdef int hold(self) except -1:
        """Take this for the present thread, until `holder` is 0 again; BusyError if it is taken."""
        self.check_free(False)
        self.holder = PyThread_get_thread_ident()
        return 0

    cdef int check_free(self, bint same_thread) except -1:
        """BusyError if a World, or another call, uses this; `same_thread`: unless it is the one that called here."""
        if self.holder and not (same_thread and self.holder == <size_t> PyThread_get_thread_ident()):
            raise BusyError(f"this {self.noun} is in use: by a World's step, or by a call that has not returned")
        return 0

    cdef int check_settable(self, bint same_thread) except -1:
        """The same before something is set, which must also wait while its World stands between half steps."""
        self.check_free(same_thread)
        if self.waiting and not self.holder and self.owner() is not None:
            raise BusyError("call integrate2() first: between the half steps only control and forces may be set")
        return 0

    cdef int check_complete(self) except -1:
        """An error of this kind if neither a Python class nor a compiled one defines the method."""
        if self.abstract:
            raise self.error_class(f"{type(self).__name__} defines neither {self.method}() in Python nor "
                                   f"{self.method}_c() in Cython: a {self.noun} needs one of them")
        return 0

    def claim(self, owner):
        """Tie this to one World, `owner`; an error if it is incomplete, or another World that still lives uses it."""
        self.check_complete()
        if self.owner is not None and self.owner() is not None and self.owner() is not owner:
            raise self.error_class(f"this {self.noun} serves another World already; give each World one of its own")
        self.owner, self.waiting = weakref.ref(owner), False


cdef int claim_all(object owner, tuple backends) except -1:
    """Tie all of them to one World, or none."""
    cdef list done = []
    try:
        for backend in backends:
            backend.claim(owner)
            done.append(backend)
    except BaseException:
        for backend in done:
            (<Backend> backend).owner = None
        raise
    return 0


cdef int hold_all(tuple backends) except -1:
    """Take all of them for the present thread, or none."""
    cdef Backend backend
    cdef Py_ssize_t held = 0, k
    try:
        for backend in backends:
            backend.hold()
            held += 1
    except BaseException:
        for k in range(held):
            (<Backend> backends[k]).holder = 0
        raise
    return 0


cdef int free_all(tuple backends, bint waiting) except -1:
    """Give them back; `waiting`: the second half of a step is still to come."""
    cdef Backend backend
    for backend in backends:
        backend.holder, backend.waiting = 0, waiting
    return 0
