from rbdyn.model._model cimport CData
from rbdyn.model.model cimport Model

cdef int check_regular(Model model, const CData* d) except -1
cdef int check_regular_pivots(Model model, const double* H) except -1
