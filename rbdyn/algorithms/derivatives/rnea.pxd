from rbdyn.kernels.rnea_derivatives cimport Workspace
from rbdyn.model.state cimport State

cdef int add_external(State state, list wrenches, Workspace w, double* dq) except -1
