cimport numpy as cnp

from rbdyn.model._model cimport CData, CModel
from rbdyn.model.model cimport Model

cdef int check_blocks(const CModel* m, const double* q, str name) except -1

cdef class State:
    cdef object __weakref__
    cdef CData c
    cdef readonly Model model
    cdef long renewed            # of the model, when c.stage was last true
    cdef bint frozen             # a World or simulate is in the middle of a step with it
    cdef long stepper            # the thread that steps it right now, and that alone may compute with it; 0: none
    cdef double* square          # (nv, nv) scratch of the factorisations, made when first needed
    cdef size_t square_size      # entries
    cdef void* work              # memory of algorithms that need more than c holds, made when first needed
    cdef size_t work_size        # [bytes]
    cdef object _view(self, double* x, cnp.npy_intp n)
    cdef double* scratch(self) except NULL
    cdef void* workspace(self, size_t size) except NULL
    cdef int check_thread(self) except -1
    cdef int check_not_stepping(self) except -1
    cdef CModel* use(self) except NULL
    cdef void _normalise(self) noexcept
    cdef int check_filled(self) except -1
