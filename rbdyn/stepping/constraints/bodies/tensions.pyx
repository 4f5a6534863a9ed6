"""Custom wires: a tension that is known when the step begins acts as external forces do, along the wire.

It runs as it will in the middle of the step where its bodies are single and fly, so that it makes no angular momentum.
"""

from rbdyn.spatial._algebra cimport Vec3, add3, add33, add_f, force, outer3, scale3, sub3, tmul3, zero3
from rbdyn.stepping.constraints.bodies.wire cimport CUSTOM, Wire, measure, start_rate, wire_of
from rbdyn.stepping.links cimport WIRE_LINK
from rbdyn.stepping.points cimport look_ahead_of, place_of
from rbdyn.stepping.scene cimport SINGLE_BODY, SYSTEM_BODY, BodyHandle, Scene, System


cdef void measure_for_law(const Scene* s, Wire* w) noexcept nogil:
    """Length, its rate, and where it will run: `distance`, `rate`, `pull`."""
    cdef Vec3 at
    cdef int i
    for i in range(w.n):
        w.at[i] = place_of(s, w.anchor + i)
    w.distance = measure(w, w.at)
    w.rate = start_rate(s, w)
    for i in range(w.n):
        at = w.at[i]
        w.way[i] = look_ahead_of(s, s.body + w.anchor[i].handle, &at)


cdef void add_force(const Scene* s, const BodyHandle* body, Vec3 at, Vec3 f) noexcept nogil:
    """An external force [N] at a point, world, on a body."""
    cdef System* r
    cdef Vec3 arm
    if body.kind == SINGLE_BODY:
        arm = tmul3(s.single_state[body.index].R, sub3(at, s.single_state[body.index].p))
        s.single_control[body.index].force = add3(s.single_control[body.index].force, f)
        s.single_control[body.index].lever = add33(s.single_control[body.index].lever, outer3(arm, f))
    elif body.kind == SYSTEM_BODY:
        r = s.system + body.index
        arm = tmul3(r.d.R[body.body], sub3(at, r.d.p[body.body]))
        r.control.wrench[body.body] = add_f(r.control.wrench[body.body], force(zero3(), f))
        r.control.lever[body.body] = add33(r.control.lever[body.body], outer3(arm, f))
        r.control.has_wrenches = True


cdef void add_tensions(const Scene* s, double sign) noexcept nogil:
    """Let the wires pull in this part of a step; take it back with the sign -1."""
    cdef Wire* w
    cdef int i, k
    for k in range(s.link[WIRE_LINK].n):
        w = wire_of(s, k)
        if w.kind != CUSTOM:
            continue
        if sign > 0.0:
            measure(w, w.way)
        for i in range(w.n):
            add_force(s, s.body + w.anchor[i].handle, w.at[i], scale3(sign * w.tension, w.pull[i]))
