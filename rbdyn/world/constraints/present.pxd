# Where bodies of a scene are between steps.

from rbdyn.kernels.kinematics cimport poses, velocities
from rbdyn.spatial._algebra cimport Mat3, Motion, Vec3, add3, cross3, eye3, motion, mul3, sub3, zero_m
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

cdef inline Motion present_velocity(const Scene* s, int handle, Vec3 at) noexcept:
    """Angular velocity of a body, and the velocity of its point that is at `at` [m], world axes."""
    cdef const BodyHandle* body = s.body + handle
    cdef System* r
    cdef Mat3 R
    cdef Vec3 w
    if body.kind == SINGLE_BODY:
        w = s.single_state[body.index].w
        return motion(w, add3(s.single_state[body.index].v, cross3(w, sub3(at, s.single_state[body.index].p))))
    if body.kind == SYSTEM_BODY:
        r = s.system + body.index
        velocities(r.m, r.d)
        R, w = r.d.R[body.body], mul3(r.d.R[body.body], r.d.vel[body.body].w)
        return motion(w, add3(mul3(R, r.d.vel[body.body].v), cross3(w, sub3(at, r.d.p[body.body]))))
    return zero_m()
