from rbdyn.model._model cimport CData
from rbdyn.model.model cimport Model

cdef int check_regular(Model model, CData* d) except -1
cdef int check_regular_pivots(Model model, CData* d, const double* H, bint about_base=*) except -1
cdef int check_result(const double* x, Py_ssize_t n, str name) except -1
