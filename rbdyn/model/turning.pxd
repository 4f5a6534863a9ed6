from rbdyn.model.model cimport Model

cdef bint can_turn(Model model, object joint)
cdef Model turned(Model model, object joint)
cdef list turned_bodies(Model fresh, object joint)
