# Calls of a user's support function, and what it raised.

from cpython.object cimport PyObject


cdef void call_function(PyObject* function, const double* d, double* x) noexcept nogil
cdef int check_functions() except -1 nogil
