from rbdyn.model._model cimport CModel
from rbdyn.model.state cimport State

cdef enum:
    LONG = 256                # degrees of freedom from which dense work lets other threads, and Ctrl-C, come in between

cdef bint begin_long(State state) except -1
cdef int end_long(State state) except -1
cdef int factor(const CModel* m, double* H) except -1 nogil
cdef int invert(const CModel* m, const double* H, double* A) except -1 nogil
cdef int solve_rows(const CModel* m, const double* H, Py_ssize_t n, double s, double* X, double* Y) except -1 nogil
