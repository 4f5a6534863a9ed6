from rbdyn.model.model cimport Model

cdef int require_tree(Model model, str function) except -1
