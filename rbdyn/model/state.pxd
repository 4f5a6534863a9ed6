from rbdyn.model._model cimport CData, CModel
from rbdyn.model.model cimport Model

cdef class State:
    cdef CData c
    cdef readonly Model model
    cdef object _q, _v           # read-only arrays over c.q and c.v
    cdef CModel* use(self) except NULL
    cdef int _check_quaternions(self, const double* q) except -1
    cdef void _normalise(self) noexcept
