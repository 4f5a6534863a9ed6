from rbdyn.model.model cimport Placement
from rbdyn.model.state cimport State
from rbdyn.spatial._algebra cimport Force

cdef list read_wrenches(State state, object external, bint copied=*)
cdef bint sum_wrenches(State state, list wrenches) except? -1
cdef bint external_forces(State state, object external) except? -1
cdef Force about_body(State state, Placement place, Placement frame, const double* x) noexcept
