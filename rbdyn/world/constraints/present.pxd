# Where bodies of a scene are between steps.

from rbdyn.kernels.kinematics cimport poses
from rbdyn.spatial._algebra cimport Mat3, Vec3, add3, eye3, mul3
from rbdyn.stepping.scene cimport SINGLE_BODY, SYSTEM_BODY, BodyHandle, Scene, System

cdef inline Mat3 present_axes(const Scene* s, int handle) noexcept:
    """Axes of a body, by its handle, in the world."""
    cdef const BodyHandle* body = s.body + handle
    cdef System* r
    if body.kind == SINGLE_BODY:
        return s.single_state[body.index].R
    if body.kind == SYSTEM_BODY:
        r = s.system + body.index
        poses(r.m, r.d)
        return r.d.R[body.body]
    return eye3()

cdef inline Vec3 present_place(const Scene* s, int handle, Vec3 at) noexcept:
    """Where a point of a body is, world [m]."""
    cdef const BodyHandle* body = s.body + handle
    cdef Vec3 p = mul3(present_axes(s, handle), at)
    if body.kind == SINGLE_BODY:
        return add3(s.single_state[body.index].p, p)
    if body.kind == SYSTEM_BODY:
        return add3(s.system[body.index].d.p[body.body], p)
    return p
