"""External wrenches: from what users give to forces in body coordinates."""

cimport numpy as cnp

from rbdyn.spatial.frames import Wrench

from libc.string cimport memset

from rbdyn.algorithms.inputs.point cimport point_in_world
from rbdyn.kernels.kinematics cimport poses
from rbdyn.errors import StateError
from rbdyn.arguments.arrays cimport data, vector_in
from rbdyn.model._model cimport CData, CModel
from rbdyn.model.model cimport Placement
from rbdyn.model.state cimport State
from rbdyn.spatial._algebra cimport Force, Vec3, add_f, force, mul3, sub3, vec3

cnp.import_array()

cdef list NO_WRENCHES = []       # which nobody fills


cdef Force about_body(State state, Placement place, Placement frame, const double* x) noexcept:
    """A wrench in the internal frame of its body.

    Without `frame` it is in root axes about the origin of the body's own frame, else in and about `frame`.
    """
    cdef CData* d = &state.c
    cdef Vec3 n = vec3(x[0], x[1], x[2]), f = vec3(x[3], x[4], x[5])
    if frame is None:
        return on_body(d, place.body, mul3(d.R[place.body], place.p), force(n, f))
    n = mul3(d.R[frame.body], mul3(frame.R, n))
    f = mul3(d.R[frame.body], mul3(frame.R, f))
    return on_body(d, place.body, sub3(point_in_world(d, frame, frame.p), d.p[place.body]), force(n, f))


cdef list read_wrenches(State state, object external):
    """External wrenches as (Placement, Placement of the Wrench's frame or None, (6,) array), checked one by one.

    `external` maps a body to a (6,) wrench in root axes about the body's origin, angular part first, or to a Wrench,
    which says its frame itself.  The arrays are copies: neither other arguments nor results change them.
    """
    cdef list wrenches
    cdef cnp.ndarray six
    if external is None:
        return NO_WRENCHES
    wrenches = []
    if not hasattr(external, "items"):
        raise StateError(f"external must map bodies to wrenches, got {type(external).__name__}")
    if not external:
        return wrenches
    state.use()
    cdef Placement place
    for body, wrench in external.items():
        place = state.model.find(body)
        framed = isinstance(wrench, Wrench)
        six = vector_in(wrench.vector if framed else wrench, 6, f"external[{getattr(body, 'name', body)!r}]")
        frame = state.model.find(wrench.frame) if framed else None
        wrenches.append((place, frame, cnp.PyArray_NewCopy(six, cnp.NPY_CORDER)))
    return wrenches


cdef bint sum_wrenches(State state, list wrenches) except? -1:
    """Put what `read_wrenches` found into the state's f, in body coordinates; False if there are none."""
    cdef CModel* m
    cdef Placement place, frame
    cdef cnp.ndarray a
    if not wrenches:
        return False
    m = state.use()
    poses(m, &state.c)
    memset(state.c.f, 0, m.nb * sizeof(Force))
    for place, frame, a in wrenches:
        state.c.f[place.body] = add_f(state.c.f[place.body], about_body(state, place, frame, data(a)))
    return True
