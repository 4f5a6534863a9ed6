from rbdyn.model.state cimport State

cdef bint external_forces(State state, object external) except? -1
