from rbdyn.model._model cimport CData
from rbdyn.model.model cimport Placement
from rbdyn.model.state cimport State
from rbdyn.spatial._algebra cimport Force, Vec3, add3, cross3, force, tmul3

cdef inline Force on_body(const CData* d, int body, Vec3 arm, Force f) noexcept nogil:
    """A force `arm` away from a body's origin, both in root axes, in the internal frame of the body."""
    return force(tmul3(d.R[body], add3(f.n, cross3(arm, f.f))), tmul3(d.R[body], f.f))

cdef list read_wrenches(State state, object external)
cdef bint sum_wrenches(State state, list wrenches) except? -1
cdef Force about_body(State state, Placement place, Placement frame, const double* x) noexcept
