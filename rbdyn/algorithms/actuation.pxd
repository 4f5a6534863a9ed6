from rbdyn.model.state cimport State

cdef int share_among(State state, object actuated, const double* vd, bint external, double* tau) except -1
