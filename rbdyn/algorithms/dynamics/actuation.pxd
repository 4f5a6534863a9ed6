from rbdyn.model.model cimport Model
from rbdyn.model.state cimport State

cdef list degrees_of_freedom(Model model, object actuated)
cdef int share_among(State state, list dofs, const double* vd, bint external, double* tau) except -1
