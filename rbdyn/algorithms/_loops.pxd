from rbdyn.model.model cimport Model

cdef int refuse_loops(Model model, str function) except -1
