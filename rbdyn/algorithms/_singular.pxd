from rbdyn.model._model cimport CData
from rbdyn.model.model cimport Model

cdef int refuse_singular(Model model, const CData* d) except -1
cdef int refuse_singular_pivots(Model model, const double* H) except -1
