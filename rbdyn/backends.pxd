# What collision backends and contact solvers have in common.
#
# A backend does its work in one method, which exists twice: in C without the GIL, for compiled subclasses, and in
# Python, for everybody else.  Which of the two a class defines is found out once, when an object is made.  It
# serves one World, and one call at a time.


cdef class Backend:
    cdef object __weakref__
    cdef size_t holder               # thread that uses it now, or 0
    cdef object owner                # weak reference to the World that uses it, or None
    cdef bint waiting                # that World stands between the halves of a step
    cdef readonly bint overridden    # True: a Python class redefines the method
    cdef bint abstract               # True: no class at all defines it
    cdef str noun                    # what errors call it: "collision backend"
    cdef str method                  # name of the method in Python
    cdef type error_class            # class of its errors

    cdef int introduce(self, type base, str method, str noun, type error) except -1
    cdef int hold(self) except -1
    cdef int check_free(self, bint same_thread) except -1
    cdef int check_settable(self, bint same_thread) except -1
    cdef int check_complete(self) except -1

cdef int claim_all(object owner, tuple backends) except -1
cdef int hold_all(tuple backends) except -1
cdef int free_all(tuple backends, bint waiting) except -1
